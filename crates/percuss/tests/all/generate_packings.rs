//! Packings: inside the box, apart, as many as asked.

use std::f64::consts::PI;

use percuss_generate::{Amount, GrainShape, Packing, PackingRegion, Sizes, packing};

use crate::generate_common::{Vec2, Vec3, corners, deepest, discs, separation, spheres};
use percuss_bodies::{Geometry, Plane, Space};

fn flat() -> Packing<Plane> {
    Packing {
        radius: Sizes::Uniform([0.05, 0.15]),
        form: GrainShape::Round,
        low: Vec2::new(-3.0, 1.0),
        high: Vec2::new(7.0, 6.0),
        region: PackingRegion::Box,
        amount: Amount::Fraction(0.45),
        seed: 5,
    }
}

fn deep() -> Packing<Space> {
    Packing {
        radius: Sizes::Uniform([0.1, 0.2]),
        form: GrainShape::Round,
        low: Vec3::new(-3.0, 1.0, 0.0),
        high: Vec3::new(1.0, 4.0, 5.0),
        region: PackingRegion::Box,
        amount: Amount::Fraction(0.3),
        seed: 5,
    }
}

#[test]
fn discs_fill_the_fraction_asked_for_inside_the_box_and_apart() {
    let grains = discs(&packing(&flat()).unwrap());
    for (p, r) in &grains {
        assert!(p.x - r >= -3.0 - 1e-15 && p.x + r <= 7.0 + 1e-15);
        assert!(p.y - r >= 1.0 - 1e-15 && p.y + r <= 6.0 + 1e-15);
    }
    // Moving the box from its corner rounds coordinates: 7·2⁻⁵² of a radius of 0.05.
    assert!(deepest(&grains) < 1e-13);
    let area: f64 = grains.iter().map(|(_, r)| PI * r * r).sum();
    // The nearest number: half of the largest grain away at most.
    assert!(
        (area - 0.45 * 50.0).abs() <= 0.5 * PI * 0.15 * 0.15 + 1e-9,
        "{area}"
    );
}

#[test]
fn spheres_fill_the_fraction_asked_for_inside_the_box_and_apart() {
    let grains = spheres(&packing(&deep()).unwrap());
    for (p, r) in &grains {
        for axis in 0..3 {
            let (low, high) = (deep().low[axis], deep().high[axis]);
            assert!(p[axis] - r >= low - 1e-15 && p[axis] + r <= high + 1e-15);
        }
    }
    assert!(deepest(&grains) < 1e-13);
    let volume: f64 = grains.iter().map(|(_, r)| 4.0 / 3.0 * PI * r.powi(3)).sum();
    assert!(
        (volume - 0.3 * 60.0).abs() <= 2.0 / 3.0 * PI * 0.008 + 1e-9,
        "{volume}"
    );
}

#[test]
fn the_number_asked_for_is_placed_and_numbers_do_not_go_by_size() {
    let make = Packing {
        amount: Amount::Count(500),
        ..flat()
    };
    let grains = discs(&packing(&make).unwrap());
    assert_eq!(grains.len(), 500);
    let larger =
        |part: &[(Vec2, f64)]| part.iter().map(|(_, r)| r).sum::<f64>() / part.len() as f64;
    // Means of 250 uniform radii: deviation 0.029/√250 = 1.8e-3.
    assert!((larger(&grains[..250]) - larger(&grains[250..])).abs() < 0.01);
    assert_eq!(grains, discs(&packing(&make).unwrap()));
    assert_ne!(
        grains,
        discs(&packing(&Packing { seed: 6, ..make }).unwrap())
    );
}

#[test]
fn places_are_uniform_over_a_nearly_empty_box() {
    let make = Packing {
        radius: Sizes::Equal(1e-4),
        low: Vec2::ZERO,
        high: Vec2::new(1.0, 1.0),
        amount: Amount::Count(10_000),
        ..flat()
    };
    let grains = discs(&packing(&make).unwrap());
    let mut cells = [0.0; 100];
    for (p, _) in &grains {
        cells[(p.x * 10.0) as usize * 10 + (p.y * 10.0) as usize] += 1.0;
    }
    // χ² of 100 cells: mean 99, deviation 14.
    let chi: f64 = cells
        .iter()
        .map(|n: &f64| (n - 100.0).powi(2) / 100.0)
        .sum();
    assert!((40.0..160.0).contains(&chi), "{chi}");
}

#[test]
fn very_different_sizes_are_packed_apart() {
    let make = Packing {
        radius: Sizes::ByArea([0.01, 0.5]),
        amount: Amount::Fraction(0.5),
        ..flat()
    };
    let grains = discs(&packing(&make).unwrap());
    assert!(deepest(&grains) < 1e-12);
    assert!(grains.len() > 1000);
}

#[test]
fn irregular_grains_fill_the_fraction_with_their_own_area() {
    let make = Packing {
        form: GrainShape::Angular { corners: [4, 7] },
        amount: Amount::Fraction(0.3),
        ..flat()
    };
    let pieces = packing(&make).unwrap();
    let area = |piece: &percuss_generate::GeneratedBody<Plane>| {
        Plane::mass_properties(&piece.shape, 1.0).unwrap().mass
    };
    let filled: f64 = pieces.iter().map(area).sum();
    assert!((filled / 50.0 - 0.3).abs() < 1e-3, "{filled}");
    let all: Vec<Vec<Vec2>> = pieces.iter().map(corners).collect();
    for (i, a) in all.iter().enumerate() {
        for b in &all[..i] {
            assert!(separation(a, b) > -1e-12);
        }
    }
}

#[test]
fn no_room_is_refused_with_the_number_placed() {
    let make = Packing {
        radius: Sizes::Equal(0.1),
        amount: Amount::Fraction(0.7),
        ..flat()
    };
    let error = packing(&make).unwrap_err();
    assert_eq!(error.key, "fraction");
    assert!(error.problem.contains("no room"), "{error}");
    // It gives up where the method jams: 0.547 (Feder 1980), less what walls and patience take.
    let fraction = error.problem.split("(fraction ").nth(1).unwrap();
    let fraction: f64 = fraction[..5].parse().unwrap();
    assert!((0.50..0.55).contains(&fraction), "{fraction}");
    let make = Packing {
        amount: Amount::Count(100_000),
        ..make
    };
    assert_eq!(packing(&make).unwrap_err().key, "count");
}

#[test]
fn packings_that_cannot_be_are_refused() {
    let refused = |change: fn(&mut Packing<Plane>), key: &str| {
        let mut make = flat();
        change(&mut make);
        let error = packing(&make).unwrap_err();
        assert_eq!(error.key, key, "{error}");
    };
    refused(|m| m.amount = Amount::Fraction(1.0), "fraction");
    refused(|m| m.amount = Amount::Fraction(f64::NAN), "fraction");
    refused(|m| m.amount = Amount::Fraction(1e-9), "fraction");
    refused(|m| m.amount = Amount::Count(0), "count");
    refused(|m| m.radius = Sizes::Equal(3.0), "radius");
    refused(|m| m.high = Vec2::new(-4.0, 6.0), "high");
    refused(|m| m.high = Vec2::new(f64::INFINITY, 6.0), "high");
    refused(|m| m.low = Vec2::new(f64::NAN, 6.0), "low");
    refused(|m| m.radius = Sizes::Equal(1e-300), "radius");
    // More grains than memory has room for.
    refused(|m| m.radius = Sizes::Equal(1e-6), "fraction");
}

/// Smallest distance of surfaces over all images of a cell.
fn closest<D: percuss_bodies::Dynamics>(
    grains: &[(D::Vector, f64)],
    lattice: &percuss_bodies::Lattice<D>,
) -> f64 {
    use percuss_bodies::Vector;
    let mut least = f64::INFINITY;
    for (i, (p, r)) in grains.iter().enumerate() {
        for (q, s) in &grains[..i] {
            for n in 0..27 {
                let shift = [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1];
                let apart = (*q + lattice.offset(shift) - *p).norm();
                least = least.min(apart - r - s);
            }
        }
    }
    least
}

#[test]
fn grains_of_a_leaning_periodic_cell_are_apart_from_all_images() {
    let vectors = [Vec2::new(4.0, 0.5), Vec2::new(1.7, 3.5), Vec2::ZERO];
    let lattice = percuss_bodies::Lattice::new(vectors);
    let make = Packing {
        region: PackingRegion::Cell(lattice),
        amount: Amount::Fraction(0.45),
        ..flat()
    };
    let grains = discs(&packing(&make).unwrap());
    let area: f64 = grains.iter().map(|(_, r)| PI * r * r).sum();
    // Half of the largest grain.
    assert!((area / lattice.volume() - 0.45).abs() < 0.5 * PI * 0.0225 / lattice.volume());
    // Rounding of sums of a few units.
    assert!(closest::<Plane>(&grains, &lattice) > -1e-14);
    // Some grain reaches over a face: nothing keeps away from it.
    assert!(grains.iter().any(|(p, r)| p.x - p.y * 1.7 / 3.5 < *r));

    let deep_vectors = [Vec3::X * 2.5, Vec3::new(0.4, 2.6, 0.0), Vec3::Z * 2.2];
    let lattice = percuss_bodies::Lattice::new(deep_vectors);
    let make = Packing {
        region: PackingRegion::Cell(lattice),
        ..deep()
    };
    let grains = spheres(&packing(&make).unwrap());
    assert!(closest::<Space>(&grains, &lattice) > -1e-14);
    let small = Packing {
        region: PackingRegion::Cell(percuss_bodies::Lattice::new(deep_vectors.map(|v| v * 0.3))),
        ..deep()
    };
    assert_eq!(packing(&small).unwrap_err().key, "radius");
}

#[test]
fn grains_of_a_cylinder_are_inside_and_fill_the_fraction_of_it() {
    let make = Packing {
        region: PackingRegion::Cylinder,
        ..deep()
    };
    let grains = spheres(&packing(&make).unwrap());
    // The box is 4 by 3 by 5: radius 1.5 about its middle.
    for (p, r) in &grains {
        let away = (p.x + 1.0).hypot(p.y - 2.5);
        assert!(away + r <= 1.5 + 1e-14 && p.z - r >= 0.0 && p.z + r <= 5.0);
    }
    let volume: f64 = grains.iter().map(|(_, r)| 4.0 / 3.0 * PI * r.powi(3)).sum();
    let goal = 0.3 * PI * 2.25 * 5.0;
    assert!(
        (volume - goal).abs() <= 2.0 / 3.0 * PI * 0.008 + 1e-9,
        "{volume} {goal}"
    );
    let disc = Packing {
        region: PackingRegion::Cylinder,
        ..flat()
    };
    for (p, r) in discs(&packing(&disc).unwrap()) {
        assert!((p.x - 2.0).hypot(p.y - 3.5) + r <= 2.5 + 1e-14);
    }
}
