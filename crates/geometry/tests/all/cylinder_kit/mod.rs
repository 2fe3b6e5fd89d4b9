//! Independent references for cylinders, by support functions and signed distances alone.

use glam::{DQuat, DVec3};
use parry3d_f64::query;
use percuss_geometry::space::Shape;
use percuss_geometry::{ContactPoint, Pose, Space};

use crate::space_kit::{Random, SpacePose, parry_pose, parry_shape, planes};

/// max d·x over a placed shape.
pub fn support(shape: &Shape, pose: &SpacePose, d: DVec3) -> f64 {
    let l = pose.rotation.conjugate() * d;
    let local = match shape {
        Shape::Sphere { radius } => radius * l.length(),
        Shape::Capsule {
            half_length,
            radius,
        } => half_length * l.z.abs() + radius * l.length(),
        Shape::Cylinder {
            half_length,
            radius,
        } => half_length * l.z.abs() + radius * l.x.hypot(l.y),
        Shape::Polyhedron(p) => p
            .vertices()
            .iter()
            .fold(f64::NEG_INFINITY, |m, v| m.max(v.dot(l))),
        _ => unreachable!("no bounded convex shape"),
    };
    local + d.dot(pose.position)
}

/// gap(n) = min n·b − max n·a.
pub fn gap(a: (&Shape, &SpacePose), b: (&Shape, &SpacePose), n: DVec3) -> f64 {
    -support(b.0, b.1, -n) - support(a.0, a.1, n)
}

/// Signed distance from a surface, exact inside and on it.
pub fn surface(shape: &Shape, pose: &SpacePose, x: DVec3) -> f64 {
    let l = pose.rotation.conjugate() * (x - pose.position);
    match shape {
        Shape::Sphere { radius } => l.length() - radius,
        Shape::Capsule {
            half_length,
            radius,
        } => (l - DVec3::Z * l.z.clamp(-half_length, *half_length)).length() - radius,
        Shape::Cylinder {
            half_length,
            radius,
        } => (l.x.hypot(l.y) - radius).max(l.z.abs() - half_length),
        Shape::Polyhedron(p) => planes(p)
            .iter()
            .fold(f64::NEG_INFINITY, |m, (n, o)| m.max(n.dot(l) - o)),
        Shape::HalfSpace => l.z,
        Shape::Mesh(_) | Shape::Compound(_) => unreachable!("not tested here"),
    }
}

/// The largest gap over all directions: 1500 directions, the best ones improved by trying ever closer
/// neighbours. Never more than the true one; it may stop short of it on a crease.
pub fn largest_gap(a: (&Shape, &SpacePose), b: (&Shape, &SpacePose), random: &mut Random) -> f64 {
    const COUNT: usize = 1500;
    let mut starts: Vec<(f64, DVec3)> = (0..COUNT)
        .map(|k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / COUNT as f64;
            let (sin, cos) = (k as f64 * 2.399963229728653).sin_cos();
            let r = (1.0 - z * z).sqrt();
            let n = DVec3::new(r * cos, r * sin, z);
            (gap(a, b, n), n)
        })
        .collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut best = f64::NEG_INFINITY;
    for &(mut value, mut n) in starts.iter().take(8) {
        let mut step = 0.1;
        while step > 1e-11 {
            let (t, s) = n.any_orthonormal_pair();
            let turn = random.within(0.0, 6.3);
            let mut better = false;
            for k in 0..8 {
                let (sin, cos) = (turn + f64::from(k) * std::f64::consts::FRAC_PI_4).sin_cos();
                let m = (n + (t * cos + s * sin) * step).normalize();
                let g = gap(a, b, m);
                if g > value {
                    (value, n, better) = (g, m, true);
                }
            }
            step *= if better { 1.3 } else { 0.6 };
        }
        best = best.max(value);
    }
    best
}

/// Invariants of every contact point. Positions are below 10: rounding of poses is below 1e-12.
pub fn consistent(
    found: &[ContactPoint<Space>],
    a: (&Shape, &SpacePose),
    b: (&Shape, &SpacePose),
    reach: f64,
) {
    for (k, t) in found.iter().enumerate() {
        assert!((t.normal.length() - 1.0).abs() < 1e-13);
        assert!(((t.point_b - t.point_a).dot(t.normal) - t.gap).abs() < 1e-12);
        assert!(t.gap <= reach);
        for s in &found[..k] {
            assert_ne!(s.feature, t.feature, "{found:#?}");
            assert!(
                s.point_a.distance(t.point_a) > 1e-9 || s.normal != t.normal,
                "{found:#?}"
            );
        }
        for (shape, pose, x) in [(a.0, a.1, t.point_a), (b.0, b.1, t.point_b)] {
            let d = surface(shape, pose, x);
            // Rounding of the feet, which stand up to 1/FACING askew.
            assert!(d.abs() < 1e-10, "{d:e} off the surface of {shape:?}: {t:?}");
        }
    }
}

/// Parry's result, whose cylinders are along y: separation and normal from a to b.
pub fn parry(a: (&Shape, &SpacePose), b: (&Shape, &SpacePose), reach: f64) -> Option<(f64, DVec3)> {
    let place = |x: (&Shape, &SpacePose)| -> (Box<dyn parry3d_f64::shape::Shape>, SpacePose) {
        match x.0 {
            Shape::Cylinder {
                half_length,
                radius,
            } => {
                let up = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
                let pose = Pose {
                    position: x.1.position,
                    rotation: x.1.rotation * up,
                };
                (
                    Box::new(parry3d_f64::shape::Cylinder::new(*half_length, *radius)),
                    pose,
                )
            }
            _ => (parry_shape(x.0), *x.1),
        }
    };
    let ((sa, pa), (sb, pb)) = (place(a), place(b));
    let found = query::contact(&parry_pose(&pa), &*sa, &parry_pose(&pb), &*sb, reach);
    found
        .unwrap()
        .map(|c| (c.dist, DVec3::from_array(c.normal1.to_array())))
}

pub fn cylinder(random: &mut Random) -> Shape {
    Shape::cylinder(random.within(0.2, 2.0), random.within(0.1, 1.0)).unwrap()
}
