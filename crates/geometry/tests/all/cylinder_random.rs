//! Random pairs with a cylinder against references: support functions alone, and the library parry.

use crate::cylinder_kit;
use crate::space_kit;

use crate::cylinder_kit::{consistent, cylinder, gap, largest_gap, parry};
use crate::space_kit::{Random, least, polyhedron, touches};
use percuss_geometry::space::Shape;

fn other(kind: usize, random: &mut Random) -> Shape {
    match kind {
        0 => Shape::sphere(random.within(0.1, 1.0)).unwrap(),
        1 => Shape::capsule(random.within(0.2, 2.0), random.within(0.1, 0.6)).unwrap(),
        2 => cylinder(random),
        3 => polyhedron(random.cuboid()),
        _ => polyhedron(random.hull()),
    }
}

/// The gap found is that of the normal given, by supports alone, and no direction has a larger one.
/// Apart, a pair of points at that distance along the normal is the proof of both.
#[test]
fn the_gap_is_the_largest_over_all_directions() {
    for kind in 0..5 {
        let mut random = Random(17 + kind as u64);
        let (mut met, mut apart, mut worst) = (0, 0, f64::NEG_INFINITY);
        for _ in 0..2500 {
            let (a, b) = (cylinder(&mut random), other(kind, &mut random));
            let (p, q) = (random.pose(0.8), random.pose(0.8));
            let reach = 0.1;
            let found = touches((&a, &p), (&b, &q), reach);
            consistent(&found, (&a, &p), (&b, &q), reach);
            let referee = largest_gap((&a, &p), (&b, &q), &mut random);
            if found.is_empty() {
                // The referee stops short of the maximum on creases by less than this.
                assert!(
                    referee > reach - 1e-4,
                    "missed: {referee} {a:?} {p:?} {b:?} {q:?}"
                );
                apart += 1;
                continue;
            }
            met += 1;
            let own = least(&found);
            // Rounding of poses and supports.
            let certain = gap((&a, &p), (&b, &q), found[0].normal);
            assert!(
                (own - certain).abs() < 1e-9,
                "{own} {certain} {a:?} {p:?} {b:?} {q:?} {found:#?}"
            );
            worst = worst.max(referee - own);
            assert!(
                referee <= own + 1e-9,
                "{referee} > {own}: {a:?} {p:?} {b:?} {q:?} {found:#?}"
            );
        }
        println!("kind {kind}: {met} met, {apart} apart, referee above own by at most {worst:e}");
        assert!(met > 500 && apart > 100, "{met} {apart}");
    }
}

/// None missed and none invented, 20,000 pairs of each kind. Parry searches the depth on polytopes and
/// stops at a tolerance of its own, so its depths are the weak side; what can be held against it is the
/// gap along its normal, which must not be larger than the one found here.
#[test]
fn parry_finds_the_same_pairs() {
    for kind in 0..5 {
        let mut random = Random(99 + kind as u64);
        let (mut met, mut wrong, mut better) = (0, 0, 0);
        let (mut apart_most, mut depth_most) = (0.0f64, 0.0f64);
        for _ in 0..20_000 {
            let (a, b) = (cylinder(&mut random), other(kind, &mut random));
            let (p, q) = (random.pose(1.0), random.pose(1.0));
            let reach = 0.05;
            let found = touches((&a, &p), (&b, &q), reach);
            let own = least(&found);
            match parry((&a, &p), (&b, &q), reach) {
                Some((d, _)) if found.is_empty() => wrong += usize::from(d < reach - 1e-7),
                Some((d, n)) => {
                    met += 1;
                    // Rounding of supports.
                    better += usize::from(gap((&a, &p), (&b, &q), n) > own + 1e-12);
                    let most = if own > 0.0 {
                        &mut apart_most
                    } else {
                        &mut depth_most
                    };
                    *most = most.max((d - own).abs());
                }
                None => wrong += usize::from(own < reach - 1e-7),
            }
        }
        println!(
            "kind {kind}: {met} met, {wrong} differ, {better} better with parry, distance within \
             {apart_most:e}, depth within {depth_most:e}"
        );
        assert!(met > 4000);
        assert_eq!((wrong, better), (0, 0));
        // Its distances come from a relative tolerance of 1e-6 or so on curved bodies.
        assert!(apart_most < 1e-4);
    }
}

#[test]
fn on_a_half_space_the_gap_is_that_of_the_support() {
    let mut random = Random(7);
    let mut met = 0;
    for _ in 0..20_000 {
        let (a, p, q) = (cylinder(&mut random), random.pose(1.0), random.pose(0.5));
        let up = q.rotation * glam::DVec3::Z;
        let lowest = -cylinder_kit::support(&a, &p, -up) - up.dot(q.position);
        let found = touches((&a, &p), (&Shape::HalfSpace, &q), 0.01);
        consistent(&found, (&a, &p), (&Shape::HalfSpace, &q), 0.01);
        // The lowest point of the rim is left out where fixed ones are as low to 1e-10 of the size.
        if lowest < 0.01 - 1e-9 {
            met += 1;
            assert!((least(&found) - lowest).abs() < 4e-10);
        } else if lowest > 0.01 + 1e-9 {
            assert!(found.is_empty());
        }
    }
    assert!(met > 5000);
}

/// Nothing is measured in absolute lengths: all lengths times a power of two, all bits the same.
#[test]
fn a_pair_of_another_size_touches_alike() {
    for kind in 0..3 {
        let mut random = Random(70 + kind as u64);
        let mut met = 0;
        for _ in 0..2000 {
            let (a, b) = (cylinder(&mut random), other(kind, &mut random));
            let (p, q) = (random.pose(0.8), random.pose(0.8));
            let found = touches((&a, &p), (&b, &q), 0.125);
            for s in [1.0 / 1_048_576.0, 1_048_576.0] {
                let (scaled_p, scaled_q) = (resized_pose(&p, s), resized_pose(&q, s));
                let again = touches(
                    (&resized(&a, s), &scaled_p),
                    (&resized(&b, s), &scaled_q),
                    0.125 * s,
                );
                assert_eq!(found.len(), again.len());
                for (t, u) in found.iter().zip(&again) {
                    met += 1;
                    assert_eq!(
                        (t.feature, t.normal, t.gap * s),
                        (u.feature, u.normal, u.gap)
                    );
                }
            }
        }
        assert!(met > 1000);
    }
}

fn resized_pose(pose: &space_kit::SpacePose, s: f64) -> space_kit::SpacePose {
    percuss_geometry::Pose {
        position: pose.position * s,
        rotation: pose.rotation,
    }
}

fn resized(shape: &Shape, s: f64) -> Shape {
    match shape {
        Shape::Sphere { radius } => Shape::sphere(radius * s).unwrap(),
        Shape::Capsule {
            half_length,
            radius,
        } => Shape::Capsule {
            half_length: half_length * s,
            radius: radius * s,
        },
        Shape::Cylinder {
            half_length,
            radius,
        } => Shape::Cylinder {
            half_length: half_length * s,
            radius: radius * s,
        },
        _ => unreachable!("not tested here"),
    }
}

/// Coincident, coaxial, crossing in the centre, touching exactly: always points, always finite, and the
/// least gap is that of the best direction.
#[test]
fn degenerate_poses_give_finite_touches() {
    use glam::{DQuat, DVec3};
    let quarter = std::f64::consts::FRAC_PI_2;
    let a = Shape::cylinder(2.0, 0.5).unwrap();
    let others = [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(1.0, 0.25).unwrap(),
        a.clone(),
        Shape::cylinder(0.5, 1.0).unwrap(),
        space_kit::cuboid(1.0, 1.0, 1.0),
        space_kit::cuboid(4.0, 0.25, 0.25),
    ];
    let rotations = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(quarter),
        DQuat::from_rotation_y(quarter),
        DQuat::from_rotation_x(0.5 * quarter),
        DQuat::from_rotation_x(2.0 * quarter),
    ];
    let own = space_kit::at(0.0, 0.0, 0.0);
    let mut random = Random(3);
    for (b, rotation) in others.iter().flat_map(|b| rotations.map(|r| (b, r))) {
        for position in [
            DVec3::ZERO,
            DVec3::Z,
            DVec3::X,
            DVec3::new(0.5, 0.0, 1.0),
            DVec3::Z * 0.25,
        ] {
            let q = percuss_geometry::Pose { position, rotation };
            let found = touches((&a, &own), (b, &q), 0.1);
            consistent(&found, (&a, &own), (b, &q), 0.1);
            let referee = largest_gap((&a, &own), (b, &q), &mut random);
            if found.is_empty() {
                assert!(referee > 0.1 - 1e-6, "{b:?} {q:?} {referee}");
            } else {
                assert!(
                    found
                        .iter()
                        .all(|t| t.gap.is_finite() && t.normal.is_finite())
                );
                assert!(
                    (least(&found) - gap((&a, &own), (b, &q), found[0].normal)).abs() < 1e-9,
                    "{b:?} {q:?} {found:#?}"
                );
                assert!(
                    referee <= least(&found) + 1e-9,
                    "{b:?} {q:?} {referee} {found:#?}"
                );
            }
        }
    }
}
