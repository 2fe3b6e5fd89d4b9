//! Contact points of convex shapes against distances computed from the hull of all differences of their vertices
//! (the Minkowski difference).

use crate::plane_common::{Make, Random, check, distance, least, pose, touches};
use percuss_geometry::plane::Shape;

/// Lengths are of order 1 and positions below 3: rounding of some tens of operations is below this.
const ROUNDING: f64 = 1e-13;

const KINDS: [(&str, Make); 3] = [
    ("disc", Random::disc),
    ("capsule", Random::capsule),
    ("polygon", Random::polygon),
];

/// Draws pairs of two kinds, near each other, and gives them to `claim`.
fn pairs(count: usize, claim: impl Fn(&str, (&Shape, &Shape), &mut Random)) {
    for (i, first) in KINDS.iter().enumerate() {
        for (j, second) in KINDS.iter().enumerate() {
            let mut random = Random((7 * i + j) as u64);
            let name = format!("{} and {}", first.0, second.0);
            for _ in 0..count {
                let (a, b) = (first.1(&mut random), second.1(&mut random));
                claim(&name, (&a, &b), &mut random);
            }
        }
    }
}

#[test]
fn the_least_gap_is_the_signed_distance_and_its_normal_the_direction_of_it() {
    pairs(20_000, |name, (a, b), random| {
        let (p, q) = (random.pose(1.0), random.pose(1.5));
        let (want, normal, margin) = distance((a, &p), (b, &q));
        let reach = random.between(0.0, 0.5);
        let found = touches((a, &p), (b, &q), reach);
        check((a, &p), (b, &q), reach, &found, ROUNDING);
        match least(&found) {
            None => assert!(want > reach - ROUNDING, "{name}: missed {want} ≤ {reach}"),
            Some(t) => {
                // Ties between edges are decided within 1e-12 of the sizes (below 5 together).
                assert!((t.gap - want).abs() < 5e-12, "{name}: {} {want}", t.gap);
                // The direction of a distance d is known to rounding over d, here of the cores.
                let core = want + round(a) + round(b);
                if margin > 1e-9 && core.abs() > 1e-6 {
                    let off = (t.normal - normal).length();
                    assert!(off < 1e-9, "{name}: {off} {:?} {normal} {core}", t.normal);
                }
            }
        }
        let at_most = if matches!((a, b), (Shape::Disc { .. }, _) | (_, Shape::Disc { .. })) {
            1
        } else {
            2
        };
        assert!(found.len() <= at_most, "{name}: {found:?}");
    });
}

fn round(shape: &Shape) -> f64 {
    match shape {
        Shape::Disc { radius } | Shape::Capsule { radius, .. } => *radius,
        _ => 0.0,
    }
}

#[test]
fn swapping_the_shapes_gives_the_same_points_bit_for_bit() {
    pairs(5_000, |name, (a, b), random| {
        let (p, q) = (random.pose(1.0), random.pose(1.5));
        let forth = touches((a, &p), (b, &q), 0.3);
        let back = touches((b, &q), (a, &p), 0.3);
        assert_eq!(forth.len(), back.len(), "{name}");
        // In the order along the first one's edges.
        let alike = std::mem::discriminant(a) == std::mem::discriminant(b);
        let back = back.iter().copied();
        let back: Vec<_> = if alike {
            back.rev().collect()
        } else {
            back.collect()
        };
        for (s, t) in forth.iter().zip(&back) {
            assert_eq!(
                (s.point_a, s.point_b, s.gap),
                (t.point_b, t.point_a, t.gap),
                "{name}"
            );
            assert_eq!(s.normal, -t.normal, "{name}");
        }
    });
}

#[test]
fn a_rigid_motion_of_both_moves_the_points_and_changes_nothing_else() {
    pairs(5_000, |name, (a, b), random| {
        let (p, q) = (random.pose(1.0), random.pose(1.5));
        let (turn, shift) = (random.between(-3.0, 3.0), random.vector(1.0));
        let rotation = pose(shift, turn).rotation;
        let moved = |p: &percuss_geometry::Pose<percuss_geometry::Plane>| {
            pose(
                rotation.rotate(p.position) + shift,
                p.rotation.angle() + turn,
            )
        };
        let here = touches((a, &p), (b, &q), 0.3);
        let there = touches((a, &moved(&p)), (b, &moved(&q)), 0.3);
        // A point at the very limit of the contact margin may come or go; none of these pairs has one.
        assert_eq!(here.len(), there.len(), "{name}");
        for s in &here {
            // By feature: which of two shapes comes first may change with the positions.
            let same = |t: &&percuss_geometry::ContactPoint<percuss_geometry::Plane>| {
                t.feature == s.feature
            };
            let t = there.iter().find(same).expect("the same numbers");
            assert!((s.gap - t.gap).abs() < 1e-12, "{name}: {} {}", s.gap, t.gap);
            // Rounding of positions (1e-15 each) over the distance of the cores, which the normal may
            // be the direction of, and 1e-12 for all else.
            let cores = (s.gap + round(a) + round(b)).abs();
            let slack = 1e-12 + 2e-14 / cores.max(1e-13);
            let normal = rotation.rotate(s.normal) - t.normal;
            assert!(normal.length() < slack, "{name}: {normal}");
            for (x, y) in [(s.point_a, t.point_a), (s.point_b, t.point_b)] {
                let off = rotation.rotate(x) + shift - y;
                assert!(off.length() < slack, "{name}: {off}");
            }
        }
    });
}
