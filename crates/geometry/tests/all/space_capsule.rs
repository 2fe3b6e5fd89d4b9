//! Contact points of capsules, and the persistence of their features.

use crate::space_kit::{SpacePose, at, consistent, cuboid, touches};
use glam::{DQuat, DVec3};
use percuss_geometry::space::Shape;
use percuss_geometry::{ContactPoint, Pose, Space};

fn turned(x: f64, y: f64, z: f64, axis: DVec3, angle: f64) -> SpacePose {
    Pose {
        position: DVec3::new(x, y, z),
        rotation: DQuat::from_axis_angle(axis, angle),
    }
}

fn features(touches: &[ContactPoint<Space>]) -> Vec<u32> {
    let mut all: Vec<u32> = touches.iter().map(|t| t.feature).collect();
    all.sort_unstable();
    all
}

fn checked(
    a: (&Shape, &SpacePose),
    b: (&Shape, &SpacePose),
    reach: f64,
) -> Vec<ContactPoint<Space>> {
    let found = touches(a, b, reach);
    consistent(&found, a, b, reach);
    found
}

#[test]
fn capsules_lie_on_planes_boxes_and_each_other_with_two_points() {
    let rod = Shape::capsule(2.0, 0.25).unwrap();
    let lying = |x: f64, z: f64| turned(x, 0.0, z, DVec3::Y, std::f64::consts::FRAC_PI_2);
    let floor = (Shape::HalfSpace, at(0.0, 0.0, 0.0));
    let bed = (cuboid(8.0, 8.0, 2.0), at(0.0, 0.0, -1.0));
    let log = (rod.clone(), lying(0.0, -0.25));
    for (name, (shape, pose)) in [("floor", floor), ("bed", bed), ("log", log)] {
        let found = checked((&shape, &pose), (&rod, &lying(0.0, 0.25 - 1e-6)), 0.0);
        assert_eq!(features(&found), [0, 1], "{name}");
        for t in &found {
            assert!((t.gap + 1e-6).abs() < 1e-15, "{name} {}", t.gap);
            assert!((t.normal - DVec3::Z).length() < 1e-15);
            assert!((t.point_b.x.abs() - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn a_capsule_over_the_rim_of_a_box_is_cut_there() {
    let (bed, rod) = (cuboid(2.0, 2.0, 2.0), Shape::capsule(2.0, 0.25).unwrap());
    let lying = turned(0.7, 0.1, 1.25 - 1e-6, DVec3::Y, std::f64::consts::FRAC_PI_2);
    let found = checked((&bed, &at(0.0, 0.0, 0.0)), (&rod, &lying), 0.0);
    let mut x: Vec<f64> = found.iter().map(|t| t.point_a.x).collect();
    x.sort_by(f64::total_cmp);
    assert!(
        x.len() == 2 && (x[0] + 0.3).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14,
        "{x:?}"
    );
}

#[test]
fn a_capsule_along_an_edge_touches_at_two_points_across_it_at_one() {
    let (bed, rod) = (cuboid(2.0, 2.0, 2.0), Shape::capsule(1.0, 0.25).unwrap());
    let roof = turned(0.0, 0.0, 0.0, DVec3::X, std::f64::consts::FRAC_PI_4);
    let height = 2f64.sqrt() + 0.25 - 1e-6;
    let along = turned(0.0, 0.0, height, DVec3::Y, std::f64::consts::FRAC_PI_2);
    assert_eq!(
        features(&checked((&bed, &roof), (&rod, &along), 0.0)),
        [0, 1]
    );
    let across = turned(0.0, 0.0, height, DVec3::X, std::f64::consts::FRAC_PI_2);
    let found = checked((&bed, &roof), (&rod, &across), 0.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap + 1e-6).abs() < 1e-15);
}

/// A rod along the rim of a box, with its axis over the edge: rounding puts it to either side.
#[test]
fn a_capsule_over_the_very_rim_keeps_its_two_points() {
    let (bed, rod) = (cuboid(2.0, 2.0, 2.0), Shape::capsule(1.0, 0.25).unwrap());
    for k in 0..200 {
        let noise = |m: f64| 1e-11 * (m * k as f64).sin();
        let pose = Pose {
            position: DVec3::new(0.1, 1.0 + noise(1.0), 1.25 - 1e-6 + noise(2.0)),
            rotation: DQuat::from_scaled_axis(DVec3::new(0.0, noise(3.0), noise(4.0)))
                * DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
        };
        let found = checked((&bed, &at(0.0, 0.0, 0.0)), (&rod, &pose), 0.0);
        assert_eq!(features(&found), [0, 1], "step {k}");
    }
}

#[test]
fn logs_rocking_on_each_other_keep_their_two_points() {
    let rod = Shape::capsule(2.0, 0.25).unwrap();
    let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let below = Pose {
        position: DVec3::ZERO,
        rotation: lying,
    };
    for k in 0..200 {
        let (sin, cos) = (k as f64).sin_cos();
        let tilt = DQuat::from_scaled_axis(1e-9 * DVec3::new(0.0, sin, cos));
        let above = Pose {
            position: DVec3::new(0.3, 0.0, 0.5 - 1e-6),
            rotation: tilt * lying,
        };
        let found = checked((&rod, &below), (&rod, &above), 0.0);
        // One end of each.
        assert_eq!(features(&found), [1, 2], "step {k}");
    }
}

#[test]
fn crossing_capsules_touch_at_one_point() {
    let rod = Shape::capsule(2.0, 0.25).unwrap();
    let below = turned(0.0, 0.0, 0.0, DVec3::X, std::f64::consts::FRAC_PI_2);
    let above = turned(0.1, 0.2, 0.5 - 1e-6, DVec3::Y, std::f64::consts::FRAC_PI_2);
    let found = checked((&rod, &below), (&rod, &above), 0.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].normal - DVec3::Z).length() < 1e-15);
    assert!((found[0].point_b - DVec3::new(0.0, 0.2, 0.25 - 1e-6)).length() < 1e-15);
}
