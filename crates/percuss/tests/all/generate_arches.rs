//! Arches: joints, closing, area.

use std::f64::consts::PI;

use percuss_generate::{Arch, GeneratedBody, arch};

use crate::generate_common::{Vec2, corners, overlap};
use percuss_bodies::{Geometry, Plane};

// Coordinates are below 10 and rounded a few times: 10·2⁻⁵² = 2e-15 each time.
const ROUNDING: f64 = 1e-14;

fn half_circle() -> Arch {
    Arch {
        radius: 5.0,
        thickness: 0.6,
        voussoirs: 27,
        span: PI,
        origin: Vec2::new(0.5, 0.25),
        facets: 1,
    }
}

/// The corners of a voussoir from the left: inner left, inner right, outer right, outer left.
fn joints(piece: &GeneratedBody<Plane>, centre: Vec2) -> [Vec2; 4] {
    let all = corners(piece);
    let angle = |v: &Vec2| (*v - centre).x.atan2((*v - centre).y);
    let mut inner = all.clone();
    inner.sort_by(|a, b| (*a - centre).length().total_cmp(&(*b - centre).length()));
    let mut outer = inner.split_off(2);
    inner.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    outer.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    [inner[0], inner[1], outer[1], outer[0]]
}

#[test]
fn an_arch_closes_joint_by_joint_from_springing_to_springing() {
    let make = half_circle();
    let pieces = arch(&make).unwrap();
    assert_eq!(pieces.len(), 27);
    assert!(overlap(&pieces) < ROUNDING);
    let all: Vec<[Vec2; 4]> = pieces.iter().map(|p| joints(p, make.origin)).collect();
    for pair in all.windows(2) {
        assert!((pair[0][1] - pair[1][0]).length() < ROUNDING);
        assert!((pair[0][2] - pair[1][3]).length() < ROUNDING);
    }
    let (first, last) = (all[0], all[26]);
    let at = |x: f64| make.origin + Vec2::new(x, 0.0);
    for (corner, x) in [
        (first[0], -4.7),
        (first[3], -5.3),
        (last[1], 4.7),
        (last[2], 5.3),
    ] {
        assert!((corner - at(x)).length() < ROUNDING);
    }
    // Joints are radial: their two corners are in line with the centre.
    for [inner, _, _, outer] in &all {
        let (a, b) = (*inner - make.origin, *outer - make.origin);
        assert!(a.perp_dot(b).abs() < 10.0 * ROUNDING);
    }
    // Area of a trapezium between two radii: (R² − r²) sin(angle)/2.
    let area = 0.5 * (5.3_f64.powi(2) - 4.7_f64.powi(2)) * (PI / 27.0).sin();
    for piece in &pieces {
        let mass = Plane::mass_properties(&piece.shape, 1.0).unwrap().mass;
        assert!((mass / area - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_ring_closes_with_its_own_first_joint() {
    let make = Arch {
        span: 2.0 * PI,
        voussoirs: 12,
        ..half_circle()
    };
    let pieces = arch(&make).unwrap();
    assert!(overlap(&pieces) < ROUNDING);
    let all: Vec<Vec<Vec2>> = pieces.iter().map(corners).collect();
    // Every corner belongs to two voussoirs.
    for corner in all.iter().flatten() {
        let near = all
            .iter()
            .flatten()
            .filter(|c| (**c - *corner).length() < ROUNDING);
        assert_eq!(near.count(), 2);
    }
}

#[test]
fn an_arch_that_cannot_be_is_refused() {
    let refused = |arch_: Arch, key: &str| assert_eq!(arch(&arch_).unwrap_err().key, key);
    refused(
        Arch {
            thickness: 10.0,
            ..half_circle()
        },
        "thickness",
    );
    refused(
        Arch {
            radius: -1.0,
            ..half_circle()
        },
        "radius",
    );
    refused(
        Arch {
            span: 7.0,
            ..half_circle()
        },
        "span",
    );
    refused(
        Arch {
            span: 0.0,
            ..half_circle()
        },
        "span",
    );
    refused(
        Arch {
            voussoirs: 1,
            ..half_circle()
        },
        "voussoirs",
    );
    refused(
        Arch {
            origin: Vec2::new(f64::NAN, 0.0),
            ..half_circle()
        },
        "origin",
    );
}

#[test]
fn voussoirs_with_many_chords_are_annular_sectors() {
    let make = Arch {
        voussoirs: 6,
        facets: 32,
        ..half_circle()
    };
    let pieces = arch(&make).unwrap();
    assert_eq!(pieces.len(), 6);
    let (r, t, a) = (make.radius, make.thickness, PI / 12.0);
    let (inner, outer) = (r - t / 2.0, r + t / 2.0);
    // Area a(R² − r²) and distance of the centroid 2/3 (R³ − r³)/(R² − r²) sin(a)/a of a sector of half
    // angle a; 32 chords leave (2a/32)²/6 of the area, 4.5e-5, and less of the distance.
    let area = a * (outer * outer - inner * inner);
    let cubes = outer.powi(3) - inner.powi(3);
    let out = 2.0 / 3.0 * cubes / (outer * outer - inner * inner) * a.sin() / a;
    for piece in &pieces {
        let mass = Plane::mass_properties(&piece.shape, 1.0).unwrap().mass;
        assert!((mass / area - 1.0).abs() < 5e-5);
        let there = (piece.pose.position - make.origin).length();
        assert!((there / out - 1.0).abs() < 5e-5);
    }
    // Neighbours touch at the two corners of their joint.
    for pair in pieces.windows(2) {
        let mut touches = Vec::new();
        let [one, two] = [&pair[0], &pair[1]].map(|p| (&p.shape, &p.pose));
        Plane::contact_points(one, two, 1e-9, &mut touches);
        assert!(touches.iter().all(|t| t.gap.abs() < 1e-9));
        for radius in [inner, outer] {
            let off = |v: Vec2| ((v - make.origin).length() - radius).abs();
            // The corner of the joint is found, to the rounding of a few rotations.
            assert!(touches.iter().any(|t| off(t.point_a) < 1e-12));
        }
    }
}
