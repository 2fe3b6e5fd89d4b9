//! Vaults, domes and columns of drums: volumes, joints, who bears on whom.

use std::f64::consts::PI;

use crate::generate_common::touching::{touching, volume};
use crate::generate_common::{Vec3, corners3, separation3};
use percuss_bodies::{Geometry, Space, space};
use percuss_generate::{
    Blocks, Bond, Dome, Drums, GenerateError, GeneratedBody, Vault, dome, drums, vault,
};

// Coordinates are below 10 and rounded some ten times: 10·10·2⁻⁵² = 2e-14.
const ROUNDING: f64 = 1e-13;

// How near counts as touching: far above rounding, far below any block.
const NEAR: f64 = 1e-9;

fn barrel(bond: Bond) -> Vault {
    Vault {
        radius: 4.0,
        thickness: 0.5,
        voussoirs: 9,
        span: PI,
        depth: 3.0,
        rings: 3,
        bond,
        origin: Vec3::new(0.5, -0.25, 1.0),
    }
}

fn half_sphere() -> Dome {
    Dome {
        radius: 5.0,
        thickness: 0.6,
        courses: 6,
        blocks: Blocks::Number(12),
        span: PI,
        oculus: 0.0,
        bond: Bond::Running,
        origin: Vec3::new(0.5, -0.25, 1.0),
    }
}

fn column() -> Drums {
    Drums {
        radius: 0.5,
        top: 0.4,
        count: 5,
        height: 3.0,
        sides: None,
        capital: None,
        origin: Vec3::new(0.5, -0.25, 1.0),
    }
}

/// The deepest overlap of neighbours, by brute force over separating axes.
fn overlap(pieces: &[GeneratedBody<Space>]) -> f64 {
    let all: Vec<Vec<Vec3>> = pieces.iter().map(corners3).collect();
    let mut deepest: f64 = 0.0;
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all[..i].iter().enumerate() {
            // Those whose spheres are apart need no axes.
            let far =
                Space::bounding_radius(&pieces[i].shape) + Space::bounding_radius(&pieces[j].shape);
            if (pieces[i].pose.position - pieces[j].pose.position).length() < far {
                deepest = deepest.max(-separation3(a, b));
            }
        }
    }
    deepest
}

#[test]
fn a_vault_has_the_volume_of_its_prisms_and_its_joints_are_closed() {
    for (bond, courses) in [(Bond::Running, [3, 4]), (Bond::Stack, [3, 3])] {
        let make = barrel(bond);
        let pieces = vault(&make).unwrap();
        assert_eq!(pieces.len(), 5 * courses[0] + 4 * courses[1]);
        let sector = (PI / 9.0).sin();
        let exact = 0.5 * 9.0 * (4.25_f64.powi(2) - 3.75_f64.powi(2)) * sector * 3.0;
        assert!((volume(&pieces) / exact - 1.0).abs() < 1e-13, "{bond:?}");
        assert!(overlap(&pieces) < ROUNDING);
        let (pairs, worst) = touching(&pieces, NEAR);
        assert!(worst < ROUNDING, "{worst}");
        // In a course each with the next. Between courses: three over four, each on two; or three
        // over three, and what shares but an edge or a corner with it.
        let along = 5 * (courses[0] - 1) + 4 * (courses[1] - 1);
        match bond {
            Bond::Running => {
                assert_eq!(pairs.len(), along + 8 * 6);
                // Each joint is a face: four points.
                assert!(pairs.iter().all(|(_, _, points)| *points == 4));
            }
            Bond::Stack => {
                let whole = pairs.iter().filter(|(_, _, points)| *points == 4);
                assert_eq!(whole.count(), along + 8 * 3);
            }
        }
    }
}

#[test]
fn a_vault_springs_from_its_first_and_last_course_on_one_plane() {
    let make = Vault {
        voussoirs: 8,
        ..barrel(Bond::Running)
    };
    let pieces = vault(&make).unwrap();
    let springers = make.springers(pieces.len());
    // Eight courses: the last one is odd and has a block more.
    assert_eq!(springers, [0, 1, 2, 24, 25, 26, 27]);
    for (i, piece) in pieces.iter().enumerate() {
        let lowest = corners3(piece).iter().map(|c| c.z).fold(9.0, f64::min);
        let stands = (lowest - 1.0).abs() < ROUNDING;
        assert_eq!(stands, springers.contains(&i), "{i}: {lowest}");
    }
    let ends = pieces.iter().flat_map(corners3).map(|c| c.y + 0.25);
    let [from, to] = ends.fold([9.0_f64, -9.0_f64], |[a, b], y| [a.min(y), b.max(y)]);
    assert!((from + 1.5).abs() < ROUNDING && (to - 1.5).abs() < ROUNDING);
}

/// Volume of the dome of blocks without bond: pyramids from the centre over trapezia, less the same
/// scaled by r/R; and over the keystone's polygon.
fn trapezia(make: &Dome, beds: &[f64], number: f64, keystone: bool) -> f64 {
    let (outer, inner) = (
        make.radius + make.thickness / 2.0,
        make.radius - make.thickness / 2.0,
    );
    let half = PI / number;
    let mut sum = 0.0;
    for pair in beds.windows(2) {
        // In the plane of symmetry: the middles of the parallel sides.
        let middle = |bed: f64| [outer * bed.sin() * half.cos(), outer * bed.cos()];
        let ([a, b], [c, d]) = (middle(pair[0]), middle(pair[1]));
        let height = (a - c).hypot(b - d);
        let distance = (a * d - c * b).abs() / height;
        let sides = 2.0 * outer * half.sin() * (pair[0].sin() + pair[1].sin());
        sum += number * 0.5 * sides * height * distance / 3.0;
    }
    if keystone {
        let bed = beds[beds.len() - 1];
        let flat = outer * bed.sin();
        let area = 0.5 * number * flat * flat * (2.0 * half).sin();
        sum += area * outer * bed.cos() / 3.0;
    }
    sum * (1.0 - (inner / outer).powi(3))
}

#[test]
fn a_dome_without_bond_has_the_volume_of_its_pyramids() {
    let open = Dome {
        bond: Bond::Stack,
        span: 2.4,
        oculus: 0.5,
        ..half_sphere()
    };
    let beds: Vec<f64> = (0..=6).map(|k| 1.2 - 0.95 * f64::from(k) / 6.0).collect();
    let exact = trapezia(&open, &beds, 12.0, false);
    let pieces = dome(&open).unwrap();
    assert_eq!(pieces.len(), 72);
    assert!((volume(&pieces) / exact - 1.0).abs() < 1e-12);
    let closed = Dome {
        bond: Bond::Stack,
        ..half_sphere()
    };
    let beds: Vec<f64> = (0..6)
        .map(|k| 0.5 * PI * (1.0 - f64::from(k) / 5.5))
        .collect();
    let pieces = dome(&closed).unwrap();
    assert_eq!(pieces.len(), 61);
    let exact = trapezia(&closed, &beds, 12.0, true);
    assert!((volume(&pieces) / exact - 1.0).abs() < 1e-12);
}

#[test]
fn a_dome_fills_the_shell_between_its_spheres_to_second_order() {
    for bond in [Bond::Running, Bond::Stack] {
        for oculus in [0.0, 0.6] {
            let missing = |k: usize| {
                let make = Dome {
                    courses: 6 * k,
                    blocks: Blocks::Number(16 * k),
                    bond,
                    oculus,
                    ..half_sphere()
                };
                let shell = 5.3_f64.powi(3) - 4.7_f64.powi(3);
                let shell = 2.0 * PI / 3.0 * shell * (0.5 * oculus).cos();
                1.0 - volume(&dome(&make).unwrap()) / shell
            };
            let (coarse, fine) = (missing(2), missing(4));
            // Half the angles leave a quarter; the next order is the fourth, some percent here.
            let ratio = coarse / fine;
            assert!(fine > 0.0 && (ratio - 4.0).abs() < 0.2, "{coarse} {fine}");
        }
    }
}

#[test]
fn blocks_of_a_dome_bear_on_whole_faces_without_gap_or_overlap() {
    let equal = half_sphere();
    let graded = Dome {
        blocks: Blocks::Size(2.0),
        span: 2.6,
        oculus: 0.4,
        ..half_sphere()
    };
    for make in [&equal, &graded] {
        let pieces = dome(make).unwrap();
        assert!(overlap(&pieces) < ROUNDING);
        let (pairs, worst) = touching(&pieces, NEAR);
        assert!(worst < ROUNDING, "{worst}");
        // Every block above the springing bears on blocks of the course below with a face.
        let springers = make.springers().len();
        for i in springers..pieces.len() {
            let below = pairs.iter().filter(|(a, b, points)| {
                let lower = pieces[*a].pose.position.z < pieces[i].pose.position.z - 1e-3;
                *b == i && lower && *points >= 3
            });
            assert!(below.count() >= 1, "{i}");
        }
    }
    // Equal numbers, half a block apart: 5 courses of 12, each block beside one neighbour, on two,
    // and the keystone within twelve.
    let pieces = dome(&equal).unwrap();
    let (pairs, _) = touching(&pieces, NEAR);
    let faces = pairs.iter().filter(|(_, _, points)| *points >= 3);
    assert_eq!(faces.count(), 5 * 12 + 4 * 24 + 12);
    // Lengths near to what was asked, fewer blocks above.
    let pieces = dome(&graded).unwrap();
    let heights: Vec<f64> = pieces.iter().map(|p| p.pose.position.z).collect();
    let mut counts: Vec<f64> = Vec::new();
    for (i, z) in heights.iter().enumerate() {
        if i == 0 || z - heights[i - 1] > 0.05 {
            counts.push(0.0);
        }
        *counts.last_mut().unwrap() += 1.0;
    }
    assert_eq!(counts.len(), 6);
    for (k, count) in counts.iter().enumerate() {
        let polar = 1.3 - 1.1 * (k as f64 + 0.5) / 6.0;
        let length = 2.0 * PI * 5.0 * polar.sin() / count;
        // Rounding of the number changes a length by at most half a block over the whole round.
        assert!(
            (length / 2.0 - 1.0).abs() <= 0.5 / count * 1.2 + 1e-9,
            "{k}: {length}"
        );
    }
}

#[test]
fn drums_have_their_volume_and_stand_on_each_other() {
    let pieces = drums(&column()).unwrap();
    let radii = (0..5).map(|k| 0.5 - 0.02 * (f64::from(k) + 0.5));
    let exact: f64 = radii.map(|r| PI * r * r * 0.6).sum();
    assert!((volume(&pieces) / exact - 1.0).abs() < 1e-13);
    let (pairs, worst) = touching(&pieces, NEAR);
    assert!(worst < ROUNDING);
    assert_eq!(pairs.len(), 4);
    let angular = Drums {
        sides: Some(16),
        capital: Some(Vec3::new(1.2, 1.0, 0.2)),
        ..column()
    };
    let pieces = drums(&angular).unwrap();
    let shaft = 16.0 / 6.0 * (PI / 8.0).sin() * 3.0 * (0.25 + 0.2 + 0.16);
    assert!((volume(&pieces) / (shaft + 0.24) - 1.0).abs() < 1e-13);
    assert!(overlap(&pieces) < ROUNDING);
    let (pairs, worst) = touching(&pieces, NEAR);
    assert!(worst < ROUNDING);
    assert_eq!(
        pairs.iter().map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>(),
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    );
    assert!(pairs.iter().all(|(_, _, points)| *points >= 3));
    assert!(matches!(pieces[5].shape, space::Shape::Polyhedron(_)));
}

#[test]
fn structures_that_cannot_be_are_refused_at_their_key() {
    fn refused<T>(made: Result<T, GenerateError>, key: &str) {
        assert_eq!(made.err().map(|e| e.key), Some(key));
    }
    let with_vault = |change: fn(&mut Vault)| {
        let mut make = barrel(Bond::Running);
        change(&mut make);
        vault(&make)
    };
    refused(with_vault(|v| v.thickness = 8.0), "thickness");
    refused(with_vault(|v| v.radius = f64::NAN), "radius");
    refused(with_vault(|v| v.span = 7.0), "span");
    refused(with_vault(|v| v.voussoirs = 1), "voussoirs");
    refused(with_vault(|v| v.rings = 0), "rings");
    refused(with_vault(|v| v.rings = 9_000_000), "rings");
    refused(with_vault(|v| v.depth = 0.0), "depth");
    let with_dome = |change: fn(&mut Dome)| {
        let mut make = half_sphere();
        change(&mut make);
        dome(&make)
    };
    refused(with_dome(|d| d.thickness = 10.0), "thickness");
    refused(with_dome(|d| d.span = 3.2), "span");
    refused(with_dome(|d| d.oculus = 3.2), "oculus");
    refused(with_dome(|d| d.oculus = -0.1), "oculus");
    refused(with_dome(|d| d.courses = 1), "courses");
    refused(with_dome(|d| d.blocks = Blocks::Number(2)), "blocks");
    refused(with_dome(|d| d.blocks = Blocks::Size(0.0)), "size");
    refused(with_dome(|d| d.blocks = Blocks::Size(1e-9)), "courses");
    let with_drums = |change: fn(&mut Drums)| {
        let mut make = column();
        change(&mut make);
        drums(&make)
    };
    refused(with_drums(|d| d.top = -0.1), "top");
    refused(with_drums(|d| d.height = 0.0), "height");
    refused(with_drums(|d| d.sides = Some(2)), "sides");
    refused(with_drums(|d| d.capital = Some(Vec3::ZERO)), "capital");
}
