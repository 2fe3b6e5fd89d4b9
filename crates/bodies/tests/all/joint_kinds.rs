//! The constraints and the free coordinates of each kind of joint.

use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::joint::{Joint, JointFrame, JointKind};
use percuss_bodies::plane::Angle;
use percuss_bodies::{Dynamics, Plane, Pose, Space, World};
use percuss_contact::law::Law;

/// A joint between bodies 0 and 1 at a point of space with this axis, where they are.
fn join<D: Dynamics>(
    stage: &WorldBuilder<D>,
    kind: JointKind,
    at: D::Vector,
    axis: D::Vector,
) -> Joint<D> {
    let frame = D::contact_frame(axis);
    let sides = [0, 1].map(|body: u32| {
        let pose = &stage.state.poses[body as usize];
        let axes = frame.as_ref();
        JointFrame {
            body: Some(body),
            point: D::rotate_back(&pose.rotation, at - pose.position),
            axes: D::frame_of(|i| D::rotate_back(&pose.rotation, axes[i])),
        }
    });
    let mut joint = Joint::new("joint", kind, sides);
    let angle = |i: usize| D::plane_angle(&stage.state.poses[i].rotation);
    joint.reference_angle = angle(1) - angle(0);
    joint
}

/// Pseudorandom numbers between −1 and 1, the same in every run.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(seed: &mut u64) -> DVec3 {
    DVec3::new(noise(seed), noise(seed), noise(seed))
}

/// Two boxes of space in arbitrary poses, with arbitrary velocities.
fn pair(seed: &mut u64) -> WorldBuilder<Space> {
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::ZERO);
    for _ in 0..2 {
        let rotation = DQuat::from_scaled_axis(vector(seed) * 2.0);
        let position = vector(seed);
        let (v, w) = (vector(seed), vector(seed) * 3.0);
        let velocity = [v.x, v.y, v.z, w.x, w.y, w.z];
        let pose = Pose { position, rotation };
        stage.body(cuboid(0.3, 0.2, 0.5), 100.0, pose, velocity);
    }
    stage.settings.step = 1e-3;
    stage
}

/// Momentum and angular momentum about the origin.
fn momenta(world: &World<Space>) -> (DVec3, DVec3) {
    let (mut p, mut l) = (DVec3::ZERO, DVec3::ZERO);
    for (i, body) in world.model().bodies.iter().enumerate() {
        let (pose, v) = (&world.state().poses[i], world.state().velocities[i]);
        let linear = DVec3::new(v[0], v[1], v[2]) * body.mass.mass;
        let spin = DVec3::new(v[3], v[4], v[5]);
        p += linear;
        l += pose.position.cross(linear) + pose.rotation * (body.mass.inertia * spin);
    }
    (p, l)
}

/// How far the points of the two sides are apart in the axes of the first, and the rotation of the
/// second against it: 0 and the identity at the start.
fn motion(world: &World<Space>) -> (DVec3, DQuat) {
    let joint = &world.model().joints[0];
    let side = |k: usize| {
        let side = &joint.frames[k];
        let pose = &world.state().poses[k];
        let [x, y, z] = side.axes.map(|axis| pose.rotation * axis);
        let turn = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, z));
        (pose.position + pose.rotation * side.point, turn)
    };
    let ((a, turn_a), (b, turn_b)) = (side(0), side(1));
    let inverse = turn_a.conjugate();
    (inverse * (b - a), inverse * turn_b)
}

/// Share of the energy that is lost over the same time with half the step.
fn fine_loss(mut stage: WorldBuilder<Space>, kind: JointKind, at: DVec3, axis: DVec3) -> f64 {
    let joint = join(&stage, kind, at, axis);
    stage.model.joints.push(joint);
    stage.settings.step = 5e-4;
    let mut world = stage.world();
    let energy = world.report().kinetic;
    run(&mut world, 800);
    ((world.report().kinetic - energy) / energy).abs()
}

#[test]
fn in_space_bodies_move_only_along_what_their_joint_leaves_free() {
    // (kind, sliding along axis 1 is free, turning: none, about axis 1, any, rows)
    let kinds = [
        (JointKind::Revolute, false, 1, 5),
        (JointKind::Prismatic, true, 0, 5),
        (JointKind::Cylindrical, true, 1, 4),
        (JointKind::Spherical, false, 3, 3),
        (JointKind::Fixed, false, 0, 6),
    ];
    let mut seed = 7;
    for (kind, slides, turns, rows) in kinds {
        for _ in 0..4 {
            let again = seed;
            let mut stage = pair(&mut seed);
            let stage_again = pair(&mut again.clone());
            let (at, axis) = (vector(&mut seed), vector(&mut seed).normalize());
            let joint = join(&stage, kind, at, axis);
            stage.model.joints.push(joint);
            let mut world = stage.world();
            let before = momenta(&world);
            let energy = world.report().kinetic;
            run(&mut world, 400);
            let (apart, turn) = motion(&world);
            let name = kind.name();
            // Placements are projected to rounding at every step.
            assert!(apart.y.abs().max(apart.z.abs()) < 1e-12, "{name} {apart}");
            match slides {
                true => assert!(apart.x.abs() > 1e-3, "{name} {apart}"),
                false => assert!(apart.x.abs() < 1e-12, "{name} {apart}"),
            }
            let across = turn.y.abs().max(turn.z.abs());
            match turns {
                0 => assert!(turn.xyz().length() < 1e-12, "{name} {turn}"),
                1 => assert!(across < 1e-12 && turn.x.abs() > 1e-3, "{name} {turn}"),
                _ => assert!(across > 1e-3, "{name} {turn}"),
            }
            let after = momenta(&world);
            // Impulses are opposite at one point. Levers turn by ωh in a step, so that angular momentum
            // is kept to second order: (5e-3)² · 2.
            assert!((after.0 - before.0).length() < 1e-11, "{name}");
            assert!(
                (after.1 - before.1).length() < 1e-4 * before.1.length(),
                "{name}"
            );
            // Bilateral rows do no work; the projection of velocities and gyroscopic moments leave what is at least of
            // second order. Below 1e-7 errors of both signs cancel and show no order.
            let lost = ((world.report().kinetic - energy) / energy).abs();
            assert!(lost < 1e-6, "{name} {lost:e}");
            let finer = fine_loss(stage_again, kind, at, axis);
            assert!(
                finer < 0.3 * lost || lost < 1e-7,
                "{name} {lost:e} {finer:e}"
            );
            let problem = world.problem().unwrap();
            assert_eq!(problem.num_rows(), rows);
            assert!(problem.laws().iter().all(|law| *law == Law::Bilateral));
            assert!(world.report().drift < 1e-12);
        }
    }
}

#[test]
fn in_the_plane_bodies_move_only_along_what_their_joint_leaves_free() {
    let kinds = [
        (JointKind::Revolute, false, true, 2),
        (JointKind::Prismatic, true, false, 2),
        (JointKind::Fixed, false, false, 3),
    ];
    let mut seed = 11;
    for (kind, slides, turns, rows) in kinds {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::ZERO);
        for _ in 0..2 {
            let pose = Pose {
                position: vector(&mut seed).truncate(),
                rotation: Angle::new(4.0 * noise(&mut seed)),
            };
            let velocity = [noise(&mut seed), noise(&mut seed), 3.0 * noise(&mut seed)];
            stage.body(rectangle(0.3, 0.2), 100.0, pose, velocity);
        }
        let axis = vector(&mut seed).truncate().normalize();
        let joint = join(&stage, kind, vector(&mut seed).truncate(), axis);
        stage.model.joints.push(joint);
        let mut world = stage.world();
        run(&mut world, 400);
        let joint = &world.model().joints[0];
        let point = |k: usize| {
            let pose = &world.state().poses[k];
            pose.position + pose.rotation.rotate(joint.frames[k].point)
        };
        let angle = |k: usize| world.state().poses[k].rotation.angle();
        let axis = world.state().poses[0]
            .rotation
            .rotate(joint.frames[0].axes[0]);
        let (apart, turn) = (
            point(1) - point(0),
            angle(1) - angle(0) - joint.reference_angle,
        );
        let name = kind.name();
        assert!(apart.dot(axis.perp()).abs() < 1e-12, "{name} {apart}");
        assert_eq!(apart.dot(axis).abs() > 1e-3, slides, "{name} {apart}");
        assert_eq!(turn.abs() > 1e-3, turns, "{name} {turn}");
        assert!(slides || apart.length() < 1e-12, "{name} {apart}");
        assert!(turns || turn.abs() < 1e-12, "{name} {turn}");
        assert_eq!(world.problem().unwrap().num_rows(), rows);
    }
}

#[test]
fn a_distance_keeps_two_points_apart_and_nothing_else() {
    let mut seed = 3;
    for _ in 0..4 {
        let mut stage = pair(&mut seed);
        let mut joint = join(&stage, JointKind::Distance, DVec3::ZERO, DVec3::X);
        joint.frames[0].point = DVec3::new(0.1, 0.0, 0.2);
        joint.frames[1].point = DVec3::new(0.0, -0.1, 0.1);
        let point = |poses: &[Pose<Space>], joint: &Joint<Space>, k: usize| {
            poses[k].position + poses[k].rotation * joint.frames[k].point
        };
        let poses = &stage.state.poses;
        joint.length = (point(poses, &joint, 1) - point(poses, &joint, 0)).length();
        let (length, first) = (
            joint.length,
            point(poses, &joint, 1) - point(poses, &joint, 0),
        );
        stage.model.joints.push(joint);
        let mut world = stage.world();
        run(&mut world, 400);
        let (poses, joint) = (&world.state().poses, &world.model().joints[0]);
        let apart = point(poses, joint, 1) - point(poses, joint, 0);
        assert!((apart.length() - length).abs() < 1e-12);
        assert!(apart.angle_between(first) > 1e-3);
        assert_eq!(world.problem().unwrap().num_rows(), 1);
    }
}

#[test]
fn bodies_that_are_joined_do_not_touch_each_other_unless_told_to() {
    for contact in [false, true] {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.5), DVec2::ZERO);
        // Corners overlap a little: allowed at the start by a world, which only looks on.
        stage.body(rectangle(1.0, 0.2), 1.0, at2(0.0, 0.0), [0.0; 3]);
        stage.body(rectangle(1.0, 0.2), 1.0, at2(0.9, 0.0), [0.0, 0.0, 1.0]);
        let mut joint = join(&stage, JointKind::Revolute, DVec2::new(0.45, 0.0), DVec2::X);
        joint.contact = contact;
        stage.model.joints.push(joint);
        let mut world = stage.world();
        assert_eq!(world.overlaps(1e-3).is_empty(), !contact);
        world.step().unwrap();
        assert_eq!(world.num_contacts() > 0, contact);
    }
}
