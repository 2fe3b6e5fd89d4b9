//! Grids: places, neighbours, jitter; and irregular grains.

use percuss_generate::{GrainShape, Grid, GridLattice, Sizes, grid};

use crate::generate_common::{
    Vec2, Vec3, corners, corners3, deepest, discs, separation, separation3, spheres,
};
use percuss_bodies::{Geometry, Plane, Space};

fn flat() -> Grid<Plane> {
    Grid {
        radius: Sizes::Equal(0.5),
        form: GrainShape::Round,
        counts: vec![7, 5],
        spacing: Some(1.0),
        lattice: GridLattice::Square,
        jitter: 0.0,
        seed: 1,
        origin: Vec2::new(2.0, 3.0),
    }
}

fn deep() -> Grid<Space> {
    Grid {
        radius: Sizes::Equal(0.5),
        form: GrainShape::Round,
        counts: vec![5, 6, 7],
        spacing: Some(1.0),
        lattice: GridLattice::Hexagonal,
        jitter: 0.0,
        seed: 1,
        origin: Vec3::new(2.0, 3.0, 4.0),
    }
}

/// Most neighbours within 1 + 1e-9 that a place has.
fn neighbours<V: percuss_bodies::Vector>(places: &[(V, f64)]) -> usize {
    let near = |p: &V| {
        let close = places.iter().filter(|(q, _)| (*p - *q).norm() < 1.0 + 1e-9);
        close.count() - 1
    };
    places.iter().map(|(p, _)| near(p)).max().unwrap()
}

#[test]
fn lattices_have_their_numbers_of_neighbours_and_touch() {
    let square = discs(&grid(&flat()).unwrap());
    assert_eq!((square.len(), neighbours(&square)), (35, 4));
    assert_eq!(square[0].0, Vec2::new(2.0, 3.0));
    assert_eq!(square[9].0, Vec2::new(4.0, 4.0), "x runs fastest");
    let triangles = discs(
        &grid(&Grid {
            lattice: GridLattice::Triangular,
            ..flat()
        })
        .unwrap(),
    );
    assert_eq!((triangles.len(), neighbours(&triangles)), (35, 6));
    let dense = spheres(&grid(&deep()).unwrap());
    assert_eq!((dense.len(), neighbours(&dense)), (210, 12));
    let cubes = spheres(
        &grid(&Grid {
            lattice: GridLattice::Square,
            ..deep()
        })
        .unwrap(),
    );
    assert_eq!((cubes.len(), neighbours(&cubes)), (210, 6));
    // Coordinates up to 10 are rounded to 2e-15 of a radius of 0.5.
    for worst in [
        deepest(&square),
        deepest(&triangles),
        deepest(&dense),
        deepest(&cubes),
    ] {
        assert!(worst < 1e-14, "{worst}");
    }
}

#[test]
fn the_hexagonal_lattice_is_face_centred_and_not_hexagonal_close_packed() {
    // In face-centred cubic each neighbour has its mirror image through the place.
    let dense = spheres(&grid(&deep()).unwrap());
    let full = dense.iter().find(|(p, _)| {
        dense
            .iter()
            .filter(|(q, _)| (*p - *q).length() < 1.001)
            .count()
            == 13
    });
    let centre = full.unwrap().0;
    for (q, _) in dense.iter().filter(|(q, _)| (centre - *q).length() < 1.001) {
        let mirror = centre * 2.0 - *q;
        assert!(dense.iter().any(|(p, _)| (*p - mirror).length() < 1e-9));
    }
}

#[test]
fn grains_stand_2_02_largest_radii_apart_unless_told() {
    let grains = discs(
        &grid(&Grid {
            spacing: None,
            ..flat()
        })
        .unwrap(),
    );
    assert!((grains[1].0 - grains[0].0 - Vec2::new(1.01, 0.0)).length() < 1e-14);
}

#[test]
fn jitter_moves_grains_by_at_most_its_length_and_never_into_each_other() {
    let make = Grid {
        spacing: Some(1.2),
        jitter: 0.1,
        counts: vec![40, 30],
        lattice: GridLattice::Triangular,
        ..flat()
    };
    let still = discs(
        &grid(&Grid {
            jitter: 0.0,
            ..make.clone()
        })
        .unwrap(),
    );
    let moved = discs(&grid(&make).unwrap());
    let shifts: Vec<Vec2> = still.iter().zip(&moved).map(|(a, b)| b.0 - a.0).collect();
    assert!(shifts.iter().all(|shift| shift.length() <= 0.1 + 1e-15));
    // Uniform in a disc: the mean of the squared length is half the square of its radius, here with
    // a deviation of 0.005·0.58/√1200 = 8e-5.
    let mean = shifts.iter().map(|s| s.length_squared()).sum::<f64>() / 1200.0;
    assert!((mean - 0.005).abs() < 4e-4, "{mean}");
    assert!(deepest(&moved) <= 1e-14);
    assert_eq!(moved, discs(&grid(&make).unwrap()));
    assert_ne!(moved, discs(&grid(&Grid { seed: 2, ..make }).unwrap()));
}

#[test]
fn grids_that_cannot_be_are_refused() {
    let refused = |change: fn(&mut Grid<Plane>), key: &str| {
        let mut make = flat();
        change(&mut make);
        let error = grid(&make).unwrap_err();
        assert_eq!(error.key, key, "{error}");
    };
    refused(|m| m.spacing = Some(0.99), "spacing");
    refused(|m| m.spacing = Some(f64::NAN), "spacing");
    refused(|m| m.jitter = 0.01, "jitter");
    refused(|m| m.jitter = f64::NAN, "jitter");
    refused(|m| m.jitter = -0.1, "jitter");
    refused(|m| m.counts = vec![2], "counts");
    refused(|m| m.counts = vec![2, 0], "counts");
    refused(|m| m.counts = vec![5_000_000, 5_000_000], "counts");
    refused(|m| m.lattice = GridLattice::Hexagonal, "lattice");
    refused(|m| m.radius = Sizes::Equal(-1.0), "radius");
    refused(
        |m| m.form = GrainShape::Angular { corners: [6, 5] },
        "corners",
    );
    let error = grid(&Grid {
        lattice: GridLattice::Triangular,
        ..deep()
    })
    .unwrap_err();
    assert_eq!(error.key, "lattice");
}

#[test]
fn irregular_polygons_are_convex_with_corners_on_their_circle_and_differ() {
    let make = Grid {
        form: GrainShape::Angular { corners: [3, 9] },
        counts: vec![50, 40],
        ..flat()
    };
    let centres = discs(
        &grid(&Grid {
            form: GrainShape::Round,
            ..make.clone()
        })
        .unwrap(),
    );
    let pieces = grid(&make).unwrap();
    let mut seen = [0; 10];
    for (piece, (centre, radius)) in pieces.iter().zip(&centres) {
        let all = corners(piece);
        seen[all.len()] += 1;
        for (i, v) in all.iter().enumerate() {
            assert!(((*v - *centre).length() / radius - 1.0).abs() < 1e-12);
            let (next, after) = (all[(i + 1) % all.len()], all[(i + 2) % all.len()]);
            assert!((next - *v).perp_dot(after - next) > 0.0, "not convex");
            // No angle between neighbours is below half the mean one: sides are no splinters.
            let least = 2.0 * radius * (std::f64::consts::PI / (2.0 * all.len() as f64)).sin();
            assert!((next - *v).length() > least - 1e-12);
        }
    }
    // Seven numbers equally likely: 286 each, deviation 16.
    assert!(
        seen[3..10].iter().all(|n| (206..366).contains(n)),
        "{seen:?}"
    );
    assert_eq!(pieces, grid(&make).unwrap());
    for i in 0..200 {
        for j in 0..i {
            assert!(separation(&corners(&pieces[i]), &corners(&pieces[j])) > -1e-12);
        }
    }
}

#[test]
fn irregular_polyhedra_have_their_corners_on_their_sphere_and_a_body() {
    let make = Grid {
        form: GrainShape::Angular { corners: [4, 14] },
        counts: vec![10, 10, 10],
        ..deep()
    };
    let centres = spheres(
        &grid(&Grid {
            form: GrainShape::Round,
            ..make.clone()
        })
        .unwrap(),
    );
    let pieces = grid(&make).unwrap();
    let mut thinnest = f64::INFINITY;
    for (piece, (centre, radius)) in pieces.iter().zip(&centres) {
        let all = corners3(piece);
        assert!((4..=14).contains(&all.len()));
        for v in &all {
            assert!(((*v - *centre).length() / radius - 1.0).abs() < 1e-11);
        }
        let volume = Space::mass_properties(&piece.shape, 1.0).unwrap().mass;
        thinnest = thinnest.min(volume / (radius * radius * radius));
    }
    // A regular tetrahedron in the unit sphere has 8√3/27 = 0.51.
    assert!(thinnest > 0.15, "{thinnest}");
    assert_eq!(pieces, grid(&make).unwrap());
    for i in 0..20 {
        for j in 0..i {
            assert!(separation3(&corners3(&pieces[i]), &corners3(&pieces[j])) > -1e-12);
        }
    }
}
