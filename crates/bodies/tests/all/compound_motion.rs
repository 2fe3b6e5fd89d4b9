//! Compounds in motion: seams have no effect, two halves move as the whole.

use std::sync::Arc;

use crate::support::*;
use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::geometry::Dim;
use percuss_bodies::{
    Activation, Compound, Dynamics, Freedom, MassProperties, Plane, Pose, Space, World, plane,
    space,
};

fn halves2(w: f64, h: f64) -> plane::Shape {
    let half = |x: f64| (rectangle(w / 2.0, h), at2(x, 0.0), 1.0);
    let (compound, _) = Compound::<Plane>::new(&[half(-w / 4.0), half(w / 4.0)]).unwrap();
    plane::Shape::Compound(Arc::new(compound))
}

/// Eight boxes as one, cut in the middle along all axes.
fn eighths(x: f64, y: f64, z: f64) -> space::Shape {
    let sign = |bit: usize| if bit == 0 { -0.25 } else { 0.25 };
    let parts: Vec<_> = (0..8)
        .map(|k| {
            let at = DVec3::new(x * sign(k & 1), y * sign(k & 2), z * sign(k & 4));
            (cuboid(x / 2.0, y / 2.0, z / 2.0), at3(at), 1.0)
        })
        .collect();
    let (compound, _) = Compound::<Space>::new(&parts).unwrap();
    space::Shape::Compound(Arc::new(compound))
}

fn fixed<D: Dynamics>(stage: &mut WorldBuilder<D>, shape: D::Shape, pose: Pose<D>) {
    let mass = D::from_mass_diagonal(&D::ZERO_VELOCITY);
    stage.add(shape, mass, Freedom::Fixed, pose, D::ZERO_VELOCITY);
}

/// Largest difference of two motions over a number of steps.
fn compare<D: Dynamics>(mut one: World<D>, mut two: World<D>, body: usize, steps: usize) -> f64 {
    let mut worst = 0.0_f64;
    let mut contacts = 0;
    for _ in 0..steps {
        one.step().unwrap();
        two.step().unwrap();
        assert!(one.report().reached && two.report().reached);
        contacts += one.num_contacts();
        let (p, q) = (&one.state().poses[body], &two.state().poses[body]);
        worst = worst.max(percuss_bodies::Vector::norm(p.position - q.position));
        let velocities = [&one, &two].map(|w| w.state().velocities[body]);
        let each = velocities[0].as_ref().iter().zip(velocities[1].as_ref());
        worst = each.fold(worst, |m, (u, v)| m.max((u - v).abs()));
    }
    assert!(contacts > 0, "they never touched anything");
    worst
}

/// A box that falls on its corner, bounces, tumbles, slides and comes to rest, on a half-plane, on a box
/// and on two boxes that are one floor. Differences come from rounding, 1e-16 at first, and from the
/// solver's tolerance of 1e-10; impacts on a corner multiply them by a few, and 1e-9 is far above.
#[test]
fn two_half_boxes_tumble_like_the_whole_box() {
    let stage = |shape: plane::Shape, floor: usize, activation: Activation| {
        let mut stage = WorldBuilder::<Plane>::new(with_rebound(0.3, 0.4, 0.0), DVec2::Y * -9.81);
        match floor {
            0 => {
                stage.floor();
            }
            1 => fixed(&mut stage, rectangle(8.0, 1.0), at2(0.0, -0.5)),
            _ => fixed(&mut stage, halves2(8.0, 1.0), at2(0.0, -0.5)),
        }
        let pose = Pose {
            position: DVec2::new(0.1, 1.2),
            rotation: plane::Angle::new(0.4),
        };
        stage.body(shape, 1.0, pose, [0.7, 0.0, -2.0]);
        stage.settings.activation = activation;
        stage.settings.tolerance = 1e-12;
        stage.world()
    };
    for activation in [Activation::Gap, Activation::Predicted] {
        for floor in 0..3 {
            let whole = stage(rectangle(1.0, 0.6), floor.min(1), activation);
            let halves = stage(halves2(1.0, 0.6), floor, activation);
            let worst = compare(whole, halves, 1, 2_000);
            assert!(worst < 1e-9, "floor {floor}, {activation:?}: {worst:e}");
        }
    }
}

/// The same in space, in eight parts, with friction: the contact points are those of the whole box.
#[test]
fn eight_small_boxes_tumble_like_the_whole_box() {
    let stage = |shape: space::Shape, floor: usize| {
        let mut stage = WorldBuilder::<Space>::new(with_rebound(0.3, 0.3, 0.0), DVec3::Z * -9.81);
        match floor {
            0 => {
                stage.floor();
            }
            _ => fixed(&mut stage, cuboid(8.0, 8.0, 1.0), at3(DVec3::Z * -0.5)),
        }
        let pose = Pose {
            position: DVec3::new(0.1, 0.07, 0.9),
            rotation: DQuat::from_axis_angle(DVec3::new(1.0, 0.6, 0.2).normalize(), 0.5),
        };
        let velocity = [0.5, -0.3, 0.0, 1.0, 2.0, 0.5];
        stage.body(shape, 1.0, pose, velocity);
        stage.settings.tolerance = 1e-12;
        stage.world()
    };
    for floor in 0..2 {
        let whole = stage(cuboid(1.0, 0.8, 0.6), floor);
        let parts = stage(eighths(1.0, 0.8, 0.6), floor);
        let worst = compare(whole, parts, 1, 1_000);
        // Rounding and tolerance as in the plane; corners tumble in three directions.
        assert!(worst < 1e-9, "floor {floor}: {worst:e}");
    }
}

/// Largest change of the velocity of a slider relative to its speed, and the largest cosine of the angle
/// between a contact normal and the motion.
fn slide<D: Dynamics>(mut world: World<D>, body: usize, steps: usize) -> (f64, f64, f64) {
    let start = world.state().velocities[body];
    let speed = start.as_ref()[0];
    let from = world.state().poses[body].position[0];
    let (mut change, mut along) = (0.0_f64, 0.0_f64);
    let mut contacts = 0;
    for _ in 0..steps {
        world.step().unwrap();
        let velocity = world.state().velocities[body];
        for k in 0..D::DOF {
            let difference = (velocity.as_ref()[k] - start.as_ref()[k]).abs() / speed;
            change = change.max(difference);
        }
        for contact in (0..world.num_contacts()).map(|k| world.contact(k)) {
            contacts += 1;
            along = along.max(contact.point.normal[0].abs());
        }
    }
    assert!(contacts >= steps, "it lost the floor: {contacts} contacts");
    (change, along, world.state().poses[body].position[0] - from)
}

fn assert_smooth((change, along, way): (f64, f64, f64), what: &str) {
    assert!(way > 100.0, "{what}: only {way} of 100 seams");
    assert!(change < 1e-9, "{what}: velocity changed by {change:e}");
    // Normals of a level floor: rounding of a rotation by zero.
    assert!(along < 1e-9, "{what}: a normal along the motion, {along:e}");
}

/// A floor of a number of unit boxes in a row, top at 0.
fn row2(count: usize) -> plane::Shape {
    let parts: Vec<_> = (0..count)
        .map(|k| (rectangle(1.0, 0.5), at2(k as f64, 0.0), 1.0))
        .collect();
    let (compound, axes) = Compound::<Plane>::new(&parts).unwrap();
    assert!((axes.position.x - 0.5 * (count - 1) as f64).abs() < 1e-12 * count as f64);
    plane::Shape::Compound(Arc::new(compound))
}

#[test]
fn a_box_slides_over_a_hundred_seams_of_the_plane() {
    for (activation, offset) in [
        (Activation::Gap, 0.0),
        (Activation::Gap, -1e-5),
        (Activation::Predicted, 0.0),
        (Activation::Predicted, 1e-6),
    ] {
        for halves in [false, true] {
            let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::Y * -9.81);
            fixed(&mut stage, row2(120), at2(0.5 * 119.0, -0.25));
            let slider = if halves {
                halves2(0.7, 0.4)
            } else {
                rectangle(0.7, 0.4)
            };
            stage.body(slider, 1.0, at2(1.0, 0.2 + offset), [3.0, 0.0, 0.0]);
            stage.settings.activation = activation;
            let motion = slide_after_rest(stage.world(), 3.0);
            assert_smooth(motion, &format!("{activation:?} {offset} halves {halves}"));
        }
    }
}

/// A body that hovers first falls on the floor: its speed along x is what counts from then on.
fn slide_after_rest<D: Dynamics>(mut world: World<D>, speed: f64) -> (f64, f64, f64) {
    let body = world.state().poses.len() - 1;
    for _ in 0..10 {
        world.step().unwrap();
    }
    let now = world.state().velocities[body];
    assert!((now.as_ref()[0] - speed).abs() < 1e-9 * speed);
    slide(world, body, (101.0 / speed / 1e-3) as usize)
}

#[test]
fn a_box_slides_over_a_hundred_seams_of_boxes_in_space() {
    for parts in [false, true] {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::Z * -9.81);
        let boxes: Vec<_> = (0..240)
            .map(|k| {
                let at = DVec3::new((k % 120) as f64, (k / 120) as f64 - 0.5, 0.0);
                (cuboid(1.0, 1.0, 0.5), at3(at), 1.0)
            })
            .collect();
        let (floor, axes) = Compound::<Space>::new(&boxes).unwrap();
        let pose = Space::compose(&at3(DVec3::Z * -0.25), &axes);
        fixed(&mut stage, space::Shape::Compound(Arc::new(floor)), pose);
        let slider = if parts {
            eighths(0.7, 0.6, 0.4)
        } else {
            cuboid(0.7, 0.6, 0.4)
        };
        stage.body(
            slider,
            1.0,
            at3(DVec3::new(1.0, 0.1, 0.2 - 1e-6)),
            [3.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        );
        assert_smooth(slide_after_rest(stage.world(), 3.0), "boxes");
    }
}

/// A level ground of triangles, as a mesh and as a height field makes it.
fn ground() -> space::Shape {
    let (nx, ny) = (121_u32, 3_u32);
    let mut vertices = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            vertices.push(DVec3::new(f64::from(i), f64::from(j) - 1.0, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let a = j * nx + i;
            triangles.push([a, a + 1, a + nx + 1]);
            triangles.push([a, a + nx + 1, a + nx]);
        }
    }
    space::Shape::Mesh(Arc::new(space::Mesh::new(&vertices, &triangles).unwrap()))
}

#[test]
fn a_box_slides_over_a_hundred_rows_of_triangles() {
    for parts in [false, true] {
        let mut stage = WorldBuilder::<Space>::new(coulomb(0.0), DVec3::Z * -9.81);
        fixed(&mut stage, ground(), at3(DVec3::ZERO));
        let slider = if parts {
            eighths(0.7, 0.6, 0.4)
        } else {
            cuboid(0.7, 0.6, 0.4)
        };
        stage.body(
            slider,
            1.0,
            at3(DVec3::new(1.0, 0.1, 0.2 - 1e-6)),
            [3.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        );
        assert_smooth(slide_after_rest(stage.world(), 3.0), "triangles");
    }
}

/// A box in the inner corner of an L: supported by the floor and by the wall, though both cover the corner.
#[test]
fn a_box_in_the_corner_of_an_l_keeps_both_its_supports() {
    let outline = [
        (0.0, 0.0),
        (3.0, 0.0),
        (3.0, 1.0),
        (1.0, 1.0),
        (1.0, 3.0),
        (0.0, 3.0),
    ];
    let (l, pose) = plane::Shape::polygon(&outline.map(DVec2::from)).unwrap();
    // Pushed into the wall and onto the floor.
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.0), DVec2::new(-4.0, -9.81));
    fixed(&mut stage, l, pose);
    let body = stage.body(rectangle(1.0, 1.0), 1.0, at2(1.5, 1.5), [0.0; 3]);
    let mut world = stage.world();
    for _ in 0..2_000 {
        world.step().unwrap();
    }
    let at = world.state().poses[body];
    assert!(
        (at.position - DVec2::new(1.5, 1.5)).length() < 1e-6,
        "{at:?}"
    );
    assert!(at.rotation.angle().abs() < 1e-6, "{at:?}");
}

/// A ring of boxes round a post: a compound that is not simply connected can be hung over something.
#[test]
fn a_frame_hangs_on_a_peg() {
    let bar = |w: f64, h: f64, x: f64, y: f64| (rectangle(w, h), at2(x, y), 1.0);
    let frame = [
        bar(3.0, 0.5, 0.0, 1.25),
        bar(3.0, 0.5, 0.0, -1.25),
        bar(0.5, 2.0, -1.25, 0.0),
        bar(0.5, 2.0, 1.25, 0.0),
    ];
    let (compound, _) = Compound::<Plane>::new(&frame).unwrap();
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.5), DVec2::Y * -9.81);
    fixed(&mut stage, plane::Shape::disc(0.2).unwrap(), at2(0.0, 0.0));
    let shape = plane::Shape::Compound(Arc::new(compound));
    let body = stage.body(shape, 1.0, at2(0.0, -0.79), [0.0; 3]);
    let mut world = stage.world();
    for _ in 0..2_000 {
        world.step().unwrap();
    }
    let at = world.state().poses[body].position;
    // The inner side of the top bar, 1 above the centre, rests on the peg; it fell 0.01 and lands to
    // within the way of one step.
    assert!((at - DVec2::new(0.0, -0.8)).length() < 2e-3, "{at}");
    let force = (0..world.num_contacts())
        .map(|k| world.contact(k).impulse[0])
        .sum::<f64>()
        / 1e-3;
    let MassProperties { mass, .. } = world.model().bodies[body].mass;
    assert!((force / (mass * 9.81) - 1.0).abs() < 1e-6, "{force}");
}

/// A ground that rises and moves sideways: v = (0.5, 0, 0.2), and turns about z.
#[derive(Debug)]
struct Lift {
    turn: f64,
}

impl percuss_bodies::PrescribedMotion<Space> for Lift {
    fn at(&mut self, anchor: &Pose<Space>, t: f64) -> (Pose<Space>, [f64; 6]) {
        let pose = Pose {
            position: anchor.position + DVec3::new(0.5, 0.0, 0.2) * t,
            rotation: DQuat::from_rotation_z(self.turn * t) * anchor.rotation,
        };
        (pose, [0.5, 0.0, 0.2, 0.0, 0.0, self.turn])
    }
}

/// What lies on a moving mesh, or on a moving compound, goes with it.
#[test]
fn a_moving_mesh_and_a_moving_compound_carry_a_box() {
    let plates: Vec<_> = (0..121)
        .map(|k| {
            let at = DVec3::new(f64::from(k), 0.0, -0.25);
            (cuboid(1.0, 2.0, 0.5), at3(at), 1.0)
        })
        .collect();
    let (plates, axes) = Compound::<Space>::new(&plates).unwrap();
    let plates = space::Shape::Compound(Arc::new(plates));
    for turn in [0.0, 0.3] {
        for (shape, pose) in [(ground(), at3(DVec3::ZERO)), (plates.clone(), axes)] {
            let mut stage = WorldBuilder::<Space>::new(coulomb(0.8), DVec3::Z * -9.81);
            let freedom = stage.guide(Box::new(Lift { turn }));
            stage.state.kinematic_origins.push(pose);
            let mass = Space::from_mass_diagonal(&[0.0; 6]);
            let start = [0.5, 0.0, 0.2, 0.0, 0.0, turn];
            stage.add(shape, mass, freedom, pose, start);
            // Over the middle of its axes, so that a turn does not throw it off.
            let at = DVec3::new(pose.position.x, 0.0, 0.15);
            let velocity = [0.5, 0.0, 0.2, 0.0, 0.0, turn];
            let body = stage.body(cuboid(0.4, 0.4, 0.3), 1.0, at3(at), velocity);
            let mut world = stage.world();
            for _ in 0..1_000 {
                world.step().unwrap();
            }
            let pose = world.state().poses[body];
            let want = at + DVec3::new(0.5, 0.0, 0.2) * world.state().t;
            // Where it is put down is on the surface to rounding; the solver's tolerance of 1e-10
            // of the forces over 1000 steps.
            assert!((pose.position - want).length() < 1e-6, "{pose:?} {want}");
            let forward = pose.rotation * DVec3::X;
            let angle = forward.y.atan2(forward.x);
            assert!((angle - turn * world.state().t).abs() < 1e-6, "{angle}");
        }
    }
}
