//! What has no event-driven form is refused by name.

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::Joint;
use percuss_bodies::joint::{ConstantSpeed, JointFrame, JointKind, Motor};
use percuss_geometry::{Plane, Space, space};

use crate::common::{Scene, cuboid, disc, flat, ground, pose_at};

#[test]
fn motors_are_refused_by_the_name_of_their_joint() {
    let frame = |body: Option<u32>| JointFrame {
        body,
        point: DVec2::ZERO,
        axes: [DVec2::X, DVec2::Y],
    };
    let mut joint =
        Joint::<Plane>::new("crank", JointKind::Revolute, [frame(None), frame(Some(0))]);
    joint.motor = Some(Motor {
        speed: Box::new(ConstantSpeed(1.0)),
        bound: 1.0,
    });
    let scene = Scene::<Plane>::new(0.0, 0.0, DVec2::ZERO)
        .body(disc(0.5), flat(0.0, 0.0, 0.0), [0.0; 3])
        .joint(joint);
    let error = scene.begin(0.1).unwrap_err().to_string();
    assert!(
        error.contains("motor") && error.contains("crank"),
        "{error}"
    );
}

#[test]
fn a_cylinder_on_a_box_and_one_that_stands_are_refused() {
    let cylinder = || space::Shape::cylinder(0.2, 0.5).unwrap();
    let (shape, pose, mass) = ground();
    let on_box = Scene::<Space>::new(0.0, 0.0, DVec3::ZERO)
        .fixed(cuboid(1.0, 1.0, 1.0), pose, mass)
        .body(
            cylinder(),
            pose_at([0.0, 0.0, 1.0], DQuat::IDENTITY),
            [0.0; 6],
        );
    let error = on_box.begin(0.1).unwrap_err().to_string();
    assert!(
        error.contains("body 0") && error.contains("cylinder"),
        "{error}"
    );
    let standing = Scene::<Space>::new(0.0, 0.0, DVec3::ZERO)
        .fixed(shape, pose, mass)
        .body(
            cylinder(),
            pose_at([0.0, 0.0, 0.1], DQuat::IDENTITY),
            [0.0; 6],
        );
    let error = standing.begin(0.1).unwrap_err().to_string();
    assert!(error.contains("flat"), "{error}");
}
