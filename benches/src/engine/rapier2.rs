//! Rapier in the plane, f32, one thread.

use glam::{DQuat, DVec3};
use rapier2d::prelude::*;

use super::Engine;
use super::rapier::Tuning;
use crate::scene::{self, Place, Scene, Shape};

/// A Rapier world of one scene.
pub struct Rapier {
    world: PhysicsWorld,
    ground: RigidBodyHandle,
    grains: Vec<RigidBodyHandle>,
    quake: bool,
    steps: usize,
}

impl Rapier {
    pub fn new(scene: &Scene, tuning: Tuning) -> Result<Self, String> {
        if scene.frame.is_some() {
            return Err(format!("{}: no frames in this engine", scene.name));
        }
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -scene::GRAVITY as f32);
        let settings = &mut world.integration_parameters;
        settings.dt = scene::STEP as f32;
        // Stiff contacts and a small length unit.
        if tuning == Tuning::Tuned {
            settings.length_unit = Tuning::UNIT;
            let damping = settings.contact_softness.damping_ratio;
            settings.contact_softness = SpringCoefficients::new(Tuning::HERTZ, damping);
            settings.static_contact_softness =
                SpringCoefficients::new(2.0 * Tuning::HERTZ, damping);
        }
        let surface = |c: ColliderBuilder| c.friction(scene.friction as f32).restitution(0.0);
        // Ground and walls as slabs of a kinematic body.
        let ground = world.insert_body(RigidBodyBuilder::kinematic_position_based());
        let mut border = |half: [f32; 2], at: [f32; 2]| {
            let slab = ColliderBuilder::cuboid(half[0], half[1]);
            let slab = slab.translation(Vector::new(at[0], at[1]));
            world.insert_collider(surface(slab), Some(ground));
        };
        border([50.0, 0.5], [0.0, -0.5]);
        if let Some(half) = scene.half {
            let x = half as f32 + 0.5;
            border([0.5, 5.0], [-x, 5.0]);
            border([0.5, 5.0], [x, 5.0]);
        }
        let mut grains = Vec::with_capacity(scene.grains.len());
        // Dynamic bodies without sleeping.
        for grain in &scene.grains {
            let Place {
                position: p,
                angle,
                velocity: v,
                spin,
                ..
            } = grain.start;
            let body = RigidBodyBuilder::dynamic()
                .translation(Vector::new(p.x as f32, p.y as f32))
                .rotation(angle as f32)
                .linvel(Vector::new(v.x as f32, v.y as f32))
                .angvel(spin.z as f32)
                .can_sleep(false);
            let shape = match grain.shape {
                Shape::Block([a, b]) => ColliderBuilder::cuboid(a as f32, b as f32),
                Shape::Disc(r) => ColliderBuilder::ball(r as f32),
                _ => return Err(format!("{}: a body of space", scene.name)),
            };
            let shape = surface(shape.density(grain.density as f32));
            grains.push(world.insert(body, shape).0);
        }
        Ok(Self {
            world,
            ground,
            grains,
            quake: scene.quake,
            steps: 0,
        })
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.quake {
            let x = scene::ground(self.steps as f64 * scene::STEP) as f32;
            let ground = &mut self.world.bodies[self.ground];
            ground.set_next_kinematic_translation(Vector::new(x, 0.0));
        }
        self.world.step();
        Ok(())
    }

    fn places(&mut self, into: &mut Vec<Place>) -> Result<(), String> {
        into.clear();
        into.extend(self.grains.iter().map(|&handle| {
            let body = &self.world.bodies[handle];
            let (p, v) = (body.translation(), body.linvel());
            Place {
                position: DVec3::new(p.x.into(), p.y.into(), 0.0),
                angle: body.rotation().angle().into(),
                rotation: DQuat::IDENTITY,
                velocity: DVec3::new(v.x.into(), v.y.into(), 0.0),
                spin: DVec3::new(0.0, 0.0, body.angvel().into()),
            }
        }));
        Ok(())
    }
}
