//! What threads share in a step has the same bits for any number of them.

use glam::DVec2;

use super::*;
use crate::dim::Plane;
use crate::materials::{Friction, Materials, PairLaw};
use crate::model::Guide;
use crate::plane;
use crate::pose::MassProperties;

/// The ground moves to and fro.
#[derive(Debug)]
struct Shake;

impl Guide<Plane> for Shake {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let mut pose = *anchor;
        pose.position.x += 0.01 * (60.0 * t).sin();
        (pose, [0.6 * (60.0 * t).cos(), 0.0, 0.0])
    }
}

/// Discs and boxes on ground that shakes: enough for several pieces for each thread, as pieces of
/// tests are short.
fn heap(threads: usize) -> World<Plane> {
    let law = PairLaw {
        friction: Friction::Coulomb(0.4),
        ..PairLaw::default()
    };
    let mut model = Model {
        bodies: Vec::new(),
        materials: Materials::new(1, &law),
        guides: vec![Box::new(Shake)],
        gravity: DVec2::Y * -9.81,
        fields: Vec::new(),
        drag: Vec::new(),
        joints: Vec::new(),
        cell: None,
    };
    let mut state = State {
        t: 0.0,
        poses: Vec::new(),
        velocities: Vec::new(),
        anchors: Vec::new(),
        memory: Vec::new(),
        cell: None,
    };
    let mut add = |shape: plane::Shape, freedom: Freedom, x: f64, y: f64| {
        let none = MassProperties {
            mass: 1.0,
            inertia: 1.0,
        };
        let mass = shape.mass_properties(1000.0).unwrap_or(none);
        model.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        state.poses.push(Pose {
            position: DVec2::new(x, y),
            rotation: Default::default(),
        });
        state.velocities.push([0.0; 3]);
    };
    add(plane::Shape::HalfPlane, Freedom::Guided(0), 0.0, 0.0);
    for k in 0..160 {
        let (x, y) = ((k % 20) as f64, (k / 20) as f64);
        let shape = match k % 3 {
            0 => plane::Shape::Polygon(plane::Polygon::rectangle(0.2, 0.2).unwrap().into()),
            _ => plane::Shape::Disc { radius: 0.1 },
        };
        add(shape, Freedom::Free, 0.201 * x + 0.01 * y, 0.1 + 0.2 * y);
    }
    let settings = Settings {
        tolerance: 1e-5,
        activation: Activation::Predicted,
        threads,
        ..Settings::default()
    };
    World::new(model, state, settings).unwrap()
}

#[test]
fn bodies_and_accounts_are_the_same_to_the_bit_for_any_number_of_threads() {
    let mut worlds = [1, 2, 5].map(heap);
    let mut contacts = 0;
    for _ in 0..60 {
        for world in &mut worlds {
            world.advance().unwrap();
        }
        let [one, others @ ..] = &worlds;
        for other in others {
            assert_eq!(one.state(), other.state());
            assert_eq!(one.ledger(), other.ledger());
            assert_eq!(one.work.finish, other.work.finish);
        }
        contacts = contacts.max(one.num_contacts());
    }
    assert!(contacts > 200, "{contacts}");
}
