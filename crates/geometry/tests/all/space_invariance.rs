//! What must not depend on the order of the bodies, on where they are, nor on their size; thin and
//! nearly touching bodies.

use crate::space_kit;

use crate::space_kit::{
    Hull, Random, SpacePose, at, consistent, cuboid, least, polyhedron, referee, touches,
};
use glam::{DQuat, DVec3};
use percuss_geometry::space::{ConvexPolyhedron, Shape};
use percuss_geometry::{ContactPoint, Pose, Space};

fn shape(random: &mut Random, kind: usize) -> Shape {
    match kind {
        0 => Shape::sphere(random.within(0.2, 0.8)).unwrap(),
        1 => Shape::capsule(random.within(0.2, 1.5), random.within(0.1, 0.5)).unwrap(),
        2 => polyhedron(random.cuboid()),
        3 => polyhedron(random.hull()),
        _ => Shape::HalfSpace,
    }
}

fn pairs(
    count: usize,
    seed: u64,
    mut visit: impl FnMut(&mut Random, [(Shape, SpacePose); 2], f64),
) {
    let mut random = Random(seed);
    for k in 0..count {
        let (i, j) = (k % 5, k / 5 % 5);
        if i == 4 && j == 4 {
            continue;
        }
        let a = (shape(&mut random, i), random.pose(0.8));
        let b = (shape(&mut random, j), random.pose(0.8));
        let reach = [0.0, 0.2][k % 2];
        visit(&mut random, [a, b], reach);
    }
}

/// Every contact point of one list has its counterpart in the other.
fn alike(x: &[ContactPoint<Space>], y: &[ContactPoint<Space>], tolerance: f64, what: &str) {
    assert_eq!(x.len(), y.len(), "{what}: {x:?} {y:?}");
    for s in x {
        let off = |t: &ContactPoint<Space>| {
            (s.point_a - t.point_a)
                .length()
                .max((s.point_b - t.point_b).length())
                .max((s.normal - t.normal).length())
                .max((s.gap - t.gap).abs())
        };
        let best = y.iter().map(off).fold(f64::INFINITY, f64::min);
        assert!(best < tolerance, "{what}: {best:e}");
    }
}

#[test]
fn the_order_of_the_bodies_only_turns_the_normal() {
    let mut seen = 0;
    pairs(40_000, 21, |_, [a, b], reach| {
        let there = touches((&a.0, &a.1), (&b.0, &b.1), reach);
        let back: Vec<ContactPoint<Space>> = touches((&b.0, &b.1), (&a.0, &a.1), reach)
            .iter()
            .map(|t| ContactPoint {
                point_a: t.point_b,
                point_b: t.point_a,
                normal: -t.normal,
                ..*t
            })
            .collect();
        seen += there.len();
        // 1e-9: points of flat crossings lose some digits.
        alike(&there, &back, 1e-9, "swapped");
    });
    assert!(seen > 20_000);
}

#[test]
fn a_rigid_motion_of_both_moves_the_points_and_keeps_gaps_and_numbers() {
    pairs(40_000, 22, |random, [a, b], reach| {
        let motion = random.pose(3.0);
        let moved = |p: &SpacePose| Pose {
            position: motion.position + motion.rotation * p.position,
            rotation: (motion.rotation * p.rotation).normalize(),
        };
        let here = touches((&a.0, &a.1), (&b.0, &b.1), reach);
        let there = touches((&a.0, &moved(&a.1)), (&b.0, &moved(&b.1)), reach);
        assert_eq!(here.len(), there.len());
        for s in &here {
            let Some(t) = there.iter().find(|t| t.feature == s.feature) else {
                panic!("other numbers: {here:?} {there:?} of {:?} {:?}", a.0, b.0)
            };
            let point = motion.position + motion.rotation * s.point_a;
            assert!((t.gap - s.gap).abs() < 1e-12);
            // Crossings of edges at small angles are worse placed than known in height.
            assert!((t.point_a - point).length() < 1e-9);
            assert!((t.normal - motion.rotation * s.normal).length() < 1e-9);
        }
    });
}

fn scaled(shape: &Shape, scale: f64) -> Shape {
    match shape {
        Shape::Sphere { radius } => Shape::sphere(scale * radius).unwrap(),
        Shape::Capsule {
            half_length,
            radius,
        } => Shape::capsule(2.0 * scale * half_length, scale * radius).unwrap(),
        Shape::Polyhedron(p) => {
            let points: Vec<DVec3> = p.vertices().iter().map(|v| scale * *v).collect();
            let faces: Vec<Vec<usize>> = p
                .faces()
                .map(|f| f.iter().map(|i| *i as usize).collect())
                .collect();
            polyhedron(ConvexPolyhedron::new(&points, &faces).unwrap().0)
        }
        other => other.clone(),
    }
}

#[test]
fn bodies_of_a_micrometre_and_of_a_thousand_kilometres_touch_alike() {
    for scale in [1e-6, 1e6] {
        let mut compared = 0;
        pairs(10_000, 23, |_, [a, b], reach| {
            let (sa, sb) = (scaled(&a.0, scale), scaled(&b.0, scale));
            // Principal axes of bodies with nearly equal moments may come out rotated: then the bodies are
            // different ones.
            let same = |x: &Shape, y: &Shape| match (x, y) {
                (Shape::Polyhedron(p), Shape::Polyhedron(q)) => {
                    let mut pairs = p.vertices().iter().zip(q.vertices());
                    pairs.all(|(v, w)| (scale * *v - *w).length() < 1e-12 * scale)
                }
                _ => true,
            };
            if !same(&a.0, &sa) || !same(&b.0, &sb) {
                return;
            }
            let large = |p: &SpacePose| Pose {
                position: scale * p.position,
                ..*p
            };
            let here = touches((&a.0, &a.1), (&b.0, &b.1), reach);
            let there = touches((&sa, &large(&a.1)), (&sb, &large(&b.1)), scale * reach);
            assert_eq!(here.len(), there.len());
            compared += here.len();
            for (s, t) in here.iter().zip(&there) {
                assert!((scale * s.gap - t.gap).abs() < 1e-11 * scale);
                assert!((s.normal - t.normal).length() < 1e-9);
            }
        });
        assert!(compared > 5_000);
    }
}

/// Pairs brought to a given small gap along their normal: the regime of bodies at rest.
#[test]
fn gaps_down_to_a_billionth_have_the_right_sign_and_size() {
    let mut random = Random(24);
    let mut seen = 0;
    for k in 0..6_000 {
        let a = (shape(&mut random, 2 + k % 2), random.pose(1.0));
        let mut b = (shape(&mut random, 1 + k % 3), random.pose(1.0));
        b.1.position += 4.0 * random.direction();
        let (s, n, _) = referee(&Hull::of(&a.0, &a.1), &Hull::of(&b.0, &b.1));
        if !(s > 0.0) {
            continue;
        }
        let far = b.1.position;
        for gap in [1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3] {
            b.1.position = far - (s - gap) * n;
            let found = touches((&a.0, &a.1), (&b.0, &b.1), 2e-3);
            consistent(&found, (&a.0, &a.1), (&b.0, &b.1), 2e-3);
            let g = least(&found);
            let (s, _, _) = referee(&Hull::of(&a.0, &a.1), &Hull::of(&b.0, &b.1));
            // Axes are chosen within 1e-12 of the size where bodies overlap.
            let within = if gap > 0.0 { 1e-14 } else { 2e-11 };
            assert!((g - s).abs() < within, "{g:e} instead of {s:e}");
            if s.abs() > 1e-10 {
                let none = touches((&a.0, &a.1), (&b.0, &b.1), 0.0).is_empty();
                assert_eq!(none, s > 0.0, "gap {s:e}");
            }
            seen += 1;
        }
    }
    assert!(seen > 30_000);
}

/// Needles and plates, a thousand times longer than thick.
#[test]
fn thin_bodies_agree_with_brute_force() {
    let mut random = Random(25);
    let mut seen = 0;
    for k in 0..8_000 {
        let thin = [DVec3::new(1.0, 1e-3, 1e-3), DVec3::new(1.0, 1.0, 1e-3)][k % 2];
        let mut body = |box_like: bool| loop {
            let points: Vec<DVec3> = (0..12).map(|_| thin * random.cube()).collect();
            let made = if box_like {
                ConvexPolyhedron::cuboid(2.0 * thin)
            } else {
                ConvexPolyhedron::hull(&points).map(|x| x.0)
            };
            if let Ok(made) = made {
                return polyhedron(made);
            }
        };
        let (a, b) = (body(k % 3 == 0), body(k % 5 == 0));
        let (pa, pb) = (random.pose(0.3), random.pose(0.3));
        let reach = [0.0, 0.05][k / 2 % 2];
        let found = touches((&a, &pa), (&b, &pb), reach);
        consistent(&found, (&a, &pa), (&b, &pb), reach);
        let (s, _, _) = referee(&Hull::of(&a, &pa), &Hull::of(&b, &pb));
        if found.is_empty() {
            assert!(s > reach - 1e-9, "missed {s}");
        } else {
            seen += 1;
            assert!((least(&found) - s).abs() < 1e-9, "{} {s}", least(&found));
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// Bodies with axes that are exactly parallel or at right angles: everything degenerate at once.
#[test]
fn boxes_on_a_lattice_agree_with_brute_force() {
    let mut random = Random(26);
    for _ in 0..20_000 {
        let side = |random: &mut Random| 0.5 * (1 + random.below(4)) as f64;
        let mut brick = || {
            let body = cuboid(side(&mut random), side(&mut random), side(&mut random));
            let corner = DVec3::new(
                0.25 * random.below(12) as f64,
                0.25 * random.below(12) as f64,
                0.25 * random.below(12) as f64,
            );
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][random.below(3)];
            let angle = std::f64::consts::FRAC_PI_4 * random.below(8) as f64;
            let rotation = DQuat::from_axis_angle(axis, angle);
            (
                body,
                Pose {
                    position: corner,
                    rotation,
                },
            )
        };
        let (a, b) = (brick(), brick());
        for reach in [0.0, 0.25] {
            let found = touches((&a.0, &a.1), (&b.0, &b.1), reach);
            consistent(&found, (&a.0, &a.1), (&b.0, &b.1), reach);
            let (s, _, _) = referee(&Hull::of(&a.0, &a.1), &Hull::of(&b.0, &b.1));
            if found.is_empty() {
                assert!(s > reach - 1e-12, "missed {s}");
            } else {
                assert!(
                    (least(&found) - s).abs() < 2e-9,
                    "{:e} {s:e}",
                    least(&found)
                );
            }
        }
    }
}

#[test]
fn a_half_space_sees_every_vertex_below_it() {
    let mut random = Random(27);
    for _ in 0..20_000 {
        let (body, pose, floor) = (random.hull(), random.pose(1.0), random.pose(0.5));
        let n = floor.rotation * DVec3::Z;
        let gaps: Vec<f64> = body
            .vertices()
            .iter()
            .map(|v| (space_kit::place(&pose, *v) - floor.position).dot(n))
            .collect();
        let body = polyhedron(body);
        for reach in [0.0, 0.3] {
            let found = touches((&Shape::HalfSpace, &floor), (&body, &pose), reach);
            consistent(&found, (&Shape::HalfSpace, &floor), (&body, &pose), reach);
            for (i, g) in gaps.iter().enumerate() {
                let there = found.iter().find(|t| t.feature == i as u32);
                match there {
                    Some(t) => assert!((t.gap - g).abs() < 1e-14),
                    None => assert!(*g > reach - 1e-14),
                }
            }
        }
    }
}

#[test]
fn poses_that_are_not_numbers_and_far_away_ones_give_nothing() {
    let mut random = Random(28);
    let bad = at(f64::NAN, 0.0, 0.0);
    let turned = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0),
    };
    let far = at(1e300, -1e300, 1e300);
    for i in 0..5 {
        for j in 0..4 {
            let (a, b) = (shape(&mut random, i), shape(&mut random, j));
            for pose in [&bad, &turned, &far] {
                let found = touches((&a, pose), (&b, &at(0.0, 0.0, 0.0)), 0.1);
                assert!(found.iter().all(|t| t.gap.is_finite()), "{found:?}");
            }
        }
    }
}
