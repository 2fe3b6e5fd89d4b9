//! Rapier in space, f32, one thread.

use glam::{DQuat, DVec3};
use rapier3d::prelude::*;

use super::Engine;
use super::rapier::Tuning;
use crate::scene::{self, Place, Scene, Shape};

/// A Rapier world of one scene.
pub struct Rapier {
    world: PhysicsWorld,
    grains: Vec<RigidBodyHandle>,
    /// Balls have no orientation.
    balls: bool,
}

impl Rapier {
    pub fn new(scene: &Scene, tuning: Tuning) -> Result<Self, String> {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, 0.0, -scene::GRAVITY as f32);
        let settings = &mut world.integration_parameters;
        settings.dt = scene::STEP as f32;
        // Stiff contacts, Coulomb friction and a small length unit.
        if tuning == Tuning::Tuned {
            settings.length_unit = Tuning::UNIT;
            settings.friction_model = FrictionModel::Coulomb;
            let damping = settings.contact_softness.damping_ratio;
            settings.contact_softness = SpringCoefficients::new(Tuning::HERTZ, damping);
            settings.static_contact_softness =
                SpringCoefficients::new(2.0 * Tuning::HERTZ, damping);
        }
        let surface = |c: ColliderBuilder| c.friction(scene.friction as f32).restitution(0.0);
        // Ground and walls as slabs of a fixed body.
        let ground = world.insert_body(RigidBodyBuilder::fixed());
        let mut border = |half: [f32; 3], at: [f32; 3]| {
            let slab = ColliderBuilder::cuboid(half[0], half[1], half[2]);
            let slab = slab.translation(Vector::new(at[0], at[1], at[2]));
            world.insert_collider(surface(slab), Some(ground));
        };
        border([50.0, 50.0, 0.5], [0.0, 0.0, -0.5]);
        if let Some(half) = scene.half {
            let x = half as f32 + 0.5;
            for side in [-x, x] {
                border([0.5, 2.0, 5.0], [side, 0.0, 5.0]);
                border([2.0, 0.5, 5.0], [0.0, side, 5.0]);
            }
        }
        let mut grains = Vec::with_capacity(scene.grains.len());
        let vector = |v: DVec3| Vector::new(v.x as f32, v.y as f32, v.z as f32);
        // Dynamic bodies without sleeping.
        for grain in &scene.grains {
            let Place {
                position,
                rotation: q,
                velocity,
                spin,
                ..
            } = grain.start;
            let rotation = Rotation::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
            let rotation = rotation.normalize();
            let body = RigidBodyBuilder::dynamic()
                .pose(Pose::from_parts(vector(position), rotation))
                .linvel(vector(velocity))
                .angvel(vector(spin))
                .can_sleep(false);
            let shape = match &grain.shape {
                Shape::Ball(r) => ColliderBuilder::ball(*r as f32),
                Shape::Cuboid(half) => {
                    ColliderBuilder::cuboid(half.x as f32, half.y as f32, half.z as f32)
                }
                Shape::Capsule(half, r) => ColliderBuilder::capsule_z(*half as f32, *r as f32),
                Shape::Hull(hull) => {
                    let points: Vec<Vector> = hull.vertices().iter().map(|v| vector(*v)).collect();
                    ColliderBuilder::convex_hull(&points).ok_or("no hull of these points")?
                }
                _ => return Err(format!("{}: a plane body", scene.name)),
            };
            let shape = surface(shape.density(grain.density as f32));
            grains.push(world.insert(body, shape).0);
        }
        let ball = |g: &scene::Grain| matches!(g.shape, Shape::Ball(_));
        Ok(Self {
            world,
            grains,
            balls: scene.grains.iter().all(ball),
        })
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.world.step();
        Ok(())
    }

    fn places(&mut self, into: &mut Vec<Place>) -> Result<(), String> {
        into.clear();
        into.extend(self.grains.iter().map(|&handle| {
            let body = &self.world.bodies[handle];
            let vector = |v: Vector| DVec3::new(v.x.into(), v.y.into(), v.z.into());
            // Rotations of f32 have their length to 1e-7.
            let q = body.rotation();
            let q = DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize();
            Place {
                position: vector(body.translation()),
                angle: 0.0,
                rotation: if self.balls { DQuat::IDENTITY } else { q },
                velocity: vector(body.linvel()),
                spin: vector(body.angvel()),
            }
        }));
        Ok(())
    }
}
