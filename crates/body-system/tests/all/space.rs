//! Bodies of space, against closed forms and integrals of the motion.

use glam::{DQuat, DVec3};
use percuss_bodies::Joint;
use percuss_bodies::joint::{JointFrame, JointKind};
use percuss_geometry::{Space, space};
use percuss_mechanism::EventKind;

use crate::common::{Scene, close, cuboid, ground, pose_at};

const G: f64 = 9.81;

fn scene(friction: f64, restitution: f64) -> Scene<Space> {
    let (shape, pose, mass) = ground();
    Scene::new(friction, restitution, DVec3::new(0.0, 0.0, -G)).fixed(shape, pose, mass)
}

#[test]
fn a_ball_with_side_spin_slides_along_a_parabola_and_then_rolls() {
    let (mu, radius) = (0.2, 0.3);
    let (speed, spin) = (DVec3::new(2.0, 0.5, 0.0), DVec3::new(4.0, 6.0, 3.0));
    let velocity = [speed.x, speed.y, 0.0, spin.x, spin.y, spin.z];
    let run = scene(mu, 0.0)
        .body(
            space::Shape::sphere(radius).unwrap(),
            pose_at([0.0, 0.0, radius], DQuat::IDENTITY),
            velocity,
        )
        .run(0.1, 10);
    // Slip v + ω × (−r e_z), of constant direction, falling at 7/2 μ g.
    let slip = speed + spin.cross(DVec3::Z * -radius);
    let rolls = 2.0 * slip.length() / (7.0 * mu * G);
    let push = -slip.normalize() * mu * G;
    let end = speed + push * rolls;
    let place = speed * rolls + 0.5 * push * rolls * rolls + end * (1.0 - rolls);
    let found = run.instants(|kind| *kind == EventKind::Stick);
    close(found[0], rolls, 1e-10);
    let (poses, velocities) = run.last();
    close(poses[1].position.x, place.x, 1e-10);
    close(poses[1].position.y, place.y, 1e-10);
    close(velocities[1][0], end.x, 1e-10);
    assert!(run.defect < 1e-10, "{:e}", run.defect);
}

#[test]
fn billiard_balls_part_at_a_right_angle() {
    // Smooth elastic balls, the line of centres at 30° to the motion.
    let radius = 0.5;
    let ball = || space::Shape::sphere(radius).unwrap();
    let still = [0.0; 6];
    let away = DVec3::new((0.5_f64).acos().sin(), 0.5, 0.0) * 2.0 * radius;
    let start = away + DVec3::X;
    let run = Scene::<Space>::new(0.0, 1.0, DVec3::ZERO)
        .body(
            ball(),
            pose_at([0.0; 3], DQuat::IDENTITY),
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        )
        .body(ball(), pose_at(start.to_array(), DQuat::IDENTITY), still)
        .run(0.5, 4);
    close(run.impacts()[0], 1.0, 1e-12);
    let normal = away.normalize();
    let (_, velocities) = run.last();
    let second = normal * normal.x;
    close(velocities[1][0], second.x, 1e-12);
    close(velocities[1][1], second.y, 1e-12);
    close(velocities[0][0], 1.0 - second.x, 1e-12);
}

#[test]
fn a_heavy_top_at_a_ball_joint_precesses_steadily() {
    // A cylinder held at a point of its axis: steady precession at the angle θ where
    // (I1 − I3) Ω² cos θ + ... : I3 ω3 Ω − I1 Ω² cos θ = m g l, I1 about the joint.
    let (radius, half) = (0.3, 0.05);
    let shape = space::Shape::cylinder(2.0 * half, radius).unwrap();
    let arm = 0.4;
    let mass = std::f64::consts::PI * radius * radius * 2.0 * half;
    let axial = 0.5 * mass * radius * radius;
    let cross = mass * (radius * radius / 4.0 + half * half / 3.0) + mass * arm * arm;
    let (tilt, precession): (f64, f64) = (0.6, 2.0);
    let roll =
        (mass * G * arm + cross * precession * precession * tilt.cos()) / (axial * precession);
    // Tilted about x; spin in body axes: precession along z, roll along the axis.
    let rotation = DQuat::from_rotation_x(tilt);
    let up = rotation.conjugate() * DVec3::Z;
    let spin = up * precession + DVec3::Z * (roll - precession * tilt.cos());
    let centre = rotation * (DVec3::Z * arm);
    let speed = (rotation * spin).cross(centre);
    let joint = Joint::new(
        "ball",
        JointKind::Spherical,
        [
            JointFrame {
                body: None,
                point: DVec3::ZERO,
                axes: [DVec3::X, DVec3::Y, DVec3::Z],
            },
            JointFrame {
                body: Some(0),
                point: DVec3::Z * -arm,
                axes: [DVec3::X, DVec3::Y, DVec3::Z],
            },
        ],
    );
    let run = Scene::<Space>::new(0.0, 0.0, DVec3::new(0.0, 0.0, -G))
        .body(
            shape,
            pose_at(centre.to_array(), rotation),
            [speed.x, speed.y, speed.z, spin.x, spin.y, spin.z],
        )
        .joint(joint)
        .run(0.1, 20);
    for (k, (poses, _)) in run.states.iter().enumerate() {
        let turned = DQuat::from_rotation_z(precession * 0.1 * k as f64) * centre;
        // Two seconds of steps of 1e-12.
        close((poses[0].position - turned).length(), 0.0, 1e-9);
    }
    assert!(run.energy_change() < 1e-10, "{:e}", run.energy_change());
}

#[test]
fn a_disc_rolls_on_its_rim_in_a_steady_circle() {
    // Thin cylinder on its lower rim, rolling; the inclination of a steady motion with the centre at rest:
    // Ω² = 4 g ... from the balance of moments about the contact; here with the thickness of the cylinder.
    let (radius, half): (f64, f64) = (0.5, 0.02);
    let shape = space::Shape::cylinder(2.0 * half, radius).unwrap();
    let tilt: f64 = 0.5;
    // Axis tilted by `tilt` from the vertical: the lower rim touches.
    let rotation = DQuat::from_rotation_y(tilt);
    let axis = rotation * DVec3::Z;
    let down = rotation * DVec3::X;
    let low = axis * -half + down * radius;
    let height = -low.z;
    let contact = low;
    // Spin along the line from the centre of mass to the contact rolls with the centre at rest.
    let along = contact.normalize();
    // Steady: the angular momentum turns about z with Ω; L = R I Rᵀ ω, ω = w along, Ω = precession.
    let mass = std::f64::consts::PI * radius * radius * 2.0 * half;
    let (axial, across) = (
        0.5 * mass * radius * radius,
        mass * (radius * radius / 4.0 + half * half / 3.0),
    );
    // ω = Ω e_z + s axis; along the contact direction: solve for s/Ω in the plane of axis and z.
    // ω × contact = 0:  Ω e_z × c + s axis × c = 0.
    let ratio = -(DVec3::Z.cross(contact)).y / axis.cross(contact).y;
    let direction = DVec3::Z + axis * ratio;
    assert!(direction.cross(along).length() < 1e-12);
    let momentum =
        axis * (axial * direction.dot(axis)) + (direction - axis * direction.dot(axis)) * across;
    // Ω² e_z × L = c × m g e_z.
    let moment = contact.cross(DVec3::Z * mass * G);
    let turning = DVec3::Z.cross(momentum);
    let square = moment.y / turning.y;
    assert!(square > 0.0);
    let precession = square.sqrt();
    let spin = rotation.conjugate() * (direction * precession);
    let run = scene(2.0, 0.0)
        .body(
            shape,
            pose_at([0.0, 0.0, height], rotation),
            [0.0, 0.0, 0.0, spin.x, spin.y, spin.z],
        )
        .run(0.05, 20);
    for (k, (poses, _)) in run.states.iter().enumerate() {
        close(poses[1].position.z, height, 1e-10);
        let turned = DQuat::from_rotation_z(precession * 0.05 * k as f64) * axis;
        close((poses[1].rotation * DVec3::Z - turned).length(), 0.0, 1e-8);
    }
    assert!(run.energy_change() < 1e-10, "{:e}", run.energy_change());
}

#[test]
fn a_box_tumbles_without_friction_and_keeps_its_energy() {
    let run = scene(0.0, 1.0)
        .body(
            cuboid(0.6, 0.4, 0.3),
            pose_at(
                [0.0, 0.0, 0.8],
                DQuat::from_rotation_x(0.5) * DQuat::from_rotation_y(0.3),
            ),
            [0.3, 0.1, 0.0, 1.0, -2.0, 0.5],
        )
        .run(0.05, 40);
    assert!(run.impacts().len() > 3);
    assert!(run.energy_change() < 1e-10, "{:e}", run.energy_change());
}

#[test]
fn a_box_slides_on_a_plane_and_stops() {
    let run = scene(0.4, 0.0)
        .body(
            cuboid(1.0, 1.0, 0.2),
            pose_at([0.0, 0.0, 0.1], DQuat::IDENTITY),
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        )
        .run(0.05, 8);
    let (poses, _) = run.last();
    close(poses[1].position.x, 1.0 / (2.0 * 0.4 * G), 1e-10);
    close(poses[1].position.z, 0.1, 1e-12);
}

#[test]
fn a_box_turned_on_a_box_touches_it_at_eight_points() {
    // Equal squares, one turned by 45°: the overlap is an octagon, its corners are crossings of edges.
    let (_, _, mass) = ground();
    let run = Scene::<Space>::new(0.3, 0.0, DVec3::new(0.0, 0.0, -G))
        .fixed(
            cuboid(1.0, 1.0, 0.2),
            pose_at([0.0; 3], DQuat::IDENTITY),
            mass,
        )
        .body(
            cuboid(1.0, 1.0, 0.2),
            pose_at(
                [0.0, 0.0, 0.2],
                DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4),
            ),
            [0.0; 6],
        )
        .run(0.1, 1);
    assert_eq!(run.closed, 8);
    close(run.last().0[1].position.z, 0.2, 1e-12);
}

#[test]
fn a_capsule_lies_across_another_and_along_a_box() {
    // Parallel on a box: two ends touch; across a capsule: one crossing.
    let (_, _, mass) = ground();
    let capsule = || space::Shape::capsule(0.6, 0.1).unwrap();
    let lies_along_x = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let on_box = Scene::<Space>::new(0.3, 0.0, DVec3::new(0.0, 0.0, -G))
        .fixed(
            cuboid(2.0, 1.0, 0.2),
            pose_at([0.0; 3], DQuat::IDENTITY),
            mass,
        )
        .body(capsule(), pose_at([0.1, 0.0, 0.2], lies_along_x), [0.0; 6])
        .run(0.1, 2);
    assert_eq!(on_box.closed, 2);
    close(on_box.last().0[1].position.z, 0.2, 1e-12);
    let lies_along_y = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let across = Scene::<Space>::new(0.3, 0.0, DVec3::new(0.0, 0.0, -G))
        .fixed(capsule(), pose_at([0.0; 3], lies_along_x), mass)
        .body(capsule(), pose_at([0.0, 0.0, 0.5], lies_along_y), [0.0; 6])
        .run(0.1, 3);
    close(across.impacts()[0], (2.0 * 0.3 / G).sqrt(), 1e-12);
}

#[test]
fn the_unit_of_length_does_not_matter_in_space() {
    let end = |unit: f64| {
        let (shape, pose, mass) = ground();
        let run = Scene::<Space>::new(0.3, 0.6, DVec3::new(0.0, 0.0, -G * unit))
            .fixed(shape, pose, mass)
            .body(
                cuboid(0.6 * unit, 0.4 * unit, 0.3 * unit),
                pose_at([0.0, 0.0, 0.6 * unit], DQuat::from_rotation_x(0.5)),
                [0.3 * unit, 0.1 * unit, 0.0, 1.0, -2.0, 0.5],
            )
            .run(0.05, 10);
        assert!(!run.impacts().is_empty());
        run.last().0[1].position / unit
    };
    let known = end(1.0);
    for unit in [1e3, 1e-3] {
        // As in the plane.
        assert!((end(unit) - known).length() < 1e-8);
    }
}
