//! Box2D v3 in the plane, f32, one thread, tuned for small penetration: contact frequency 500 Hz, lengths in
//! units of 2 cm, four substeps. The length unit is global to the process, so that default settings cannot be
//! run beside these.

use std::f64::consts::PI;

use boxdd::{
    BodyBuilder, BodyId, BodyType, Foundation, FoundationConfig, Position, ShapeDef,
    SurfaceMaterial, Transform, Vec2, World, WorldBuilder, shapes,
};
use glam::{DQuat, DVec3};

use super::{Engine, words};
use crate::scene::{self, Frame, Place, Scene, Shape};

/// Contact frequency, Hz.
pub const HERTZ: f32 = 500.0;
/// Length unit, m.
pub const UNIT: f32 = 0.02;
/// Substeps per step.
pub const SUBSTEPS: i32 = 4;

/// A Box2D world of one scene.
pub struct Box2d {
    world: World,
    ground: BodyId,
    grains: Vec<BodyId>,
    quake: bool,
    frame: Option<Frame>,
    steps: usize,
}

impl Box2d {
    pub fn new(scene: &Scene) -> Result<Self, String> {
        let foundation = Foundation::initialize(FoundationConfig::new(UNIT)).map_err(words)?;
        // World settings; sleeping is off.
        let settings = WorldBuilder::from(foundation.world_def())
            .gravity(Vec2::new(0.0, -scene::GRAVITY as f32))
            .contact_hertz(HERTZ)
            .enable_sleep(false);
        let settings = settings.build().map_err(words)?;
        let mut world = foundation.create_world(settings).map_err(words)?;
        // Friction without restitution.
        let material = SurfaceMaterial::default().with_friction(scene.friction as f32);
        let material = material
            .and_then(|m| m.with_restitution(0.0))
            .map_err(words)?;
        let surface = |density: f64| {
            let surface = ShapeDef::builder().material(material);
            surface.density(density as f32).build().map_err(words)
        };
        // Ground and walls as slabs of a kinematic body.
        let ground = BodyBuilder::from(foundation.body_def()).body_type(BodyType::Kinematic);
        let ground = world
            .create_body(ground.build().map_err(words)?)
            .map_err(words)?;
        for (half, at) in borders(scene) {
            let at = Transform::from_pos_angle(at, 0.0).map_err(words)?;
            let slab = shapes::offset_box_polygon(half[0], half[1], at).map_err(words)?;
            let mut body = world.body(ground).map_err(words)?;
            body.create_polygon(&surface(1.0)?, &slab).map_err(words)?;
        }
        // Dynamic bodies.
        let mut grains = Vec::with_capacity(scene.grains.len());
        for grain in &scene.grains {
            let body = body(foundation, &grain.start).build().map_err(words)?;
            let id = world.create_body(body).map_err(words)?;
            let mut body = world.body(id).map_err(words)?;
            let surface = surface(grain.density)?;
            match grain.shape {
                Shape::Block([a, b]) => {
                    let block = shapes::box_polygon(a as f32, b as f32).map_err(words)?;
                    body.create_polygon(&surface, &block).map_err(words)?;
                }
                Shape::Disc(r) => {
                    let disc = shapes::circle([0.0, 0.0], r as f32).map_err(words)?;
                    body.create_circle(&surface, &disc).map_err(words)?;
                }
                _ => return Err(format!("{}: a body of space", scene.name)),
            }
            grains.push(id);
        }
        Ok(Self {
            world,
            ground,
            grains,
            quake: scene.quake,
            frame: scene.frame,
            steps: 0,
        })
    }
}

/// Half sides and centres of the ground and the walls, or of the sides of the frame.
fn borders(scene: &Scene) -> Vec<([f32; 2], [f32; 2])> {
    if let Some(Frame { half, .. }) = scene.frame {
        let (long, at) = (half as f32 + 1.0, half as f32 + 0.5);
        let level = [-at, at].map(|y| ([long, 0.5], [0.0, y]));
        let upright = [-at, at].map(|x| ([0.5, long], [x, 0.0]));
        return level.into_iter().chain(upright).collect();
    }
    let mut borders = vec![([50.0, 0.5], [0.0, -0.5])];
    if let Some(half) = scene.half {
        let x = half as f32 + 0.5;
        borders.extend([-x, x].map(|x| ([0.5, 5.0], [x, 5.0])));
    }
    borders
}

fn body(foundation: &Foundation, place: &Place) -> BodyBuilder {
    let Place {
        position: p,
        angle,
        velocity: v,
        spin,
        ..
    } = *place;
    BodyBuilder::from(foundation.body_def())
        .body_type(BodyType::Dynamic)
        .position(Position::new(p.x as f32, p.y as f32))
        .angle(angle as f32)
        .linear_velocity(Vec2::new(v.x as f32, v.y as f32))
        .angular_velocity(spin.z as f32)
        .enable_sleep(false)
}

impl Engine for Box2d {
    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        // The ground follows its prescribed position.
        if self.quake {
            let next = scene::ground(self.steps as f64 * scene::STEP);
            let mut ground = self.world.body(self.ground).map_err(words)?;
            let now = f64::from(ground.position().map_err(words)?.x);
            let velocity = Vec2::new(((next - now) / scene::STEP) as f32, 0.0);
            ground.set_linear_velocity(velocity).map_err(words)?;
        }
        if let Some(frame) = self.frame {
            let next = frame.rate * self.steps as f64 * scene::STEP;
            let mut ground = self.world.body(self.ground).map_err(words)?;
            let now = f64::from(ground.rotation().map_err(words)?.angle());
            // The angle is known up to full turns.
            let way = (next - now + PI).rem_euclid(2.0 * PI) - PI;
            let rate = (way / scene::STEP) as f32;
            ground.set_angular_velocity(rate).map_err(words)?;
        }
        let step = self
            .world
            .step(scene::STEP as f32, SUBSTEPS)
            .map_err(words)?;
        drop(step);
        Ok(())
    }

    fn places(&mut self, into: &mut Vec<Place>) -> Result<(), String> {
        into.clear();
        for &id in &self.grains {
            let body = self.world.body(id).map_err(words)?;
            let (p, v) = (
                body.position().map_err(words)?,
                body.linear_velocity().map_err(words)?,
            );
            into.push(Place {
                position: DVec3::new(p.x.into(), p.y.into(), 0.0),
                angle: body.rotation().map_err(words)?.angle().into(),
                rotation: DQuat::IDENTITY,
                velocity: DVec3::new(v.x.into(), v.y.into(), 0.0),
                spin: DVec3::new(0.0, 0.0, body.angular_velocity().map_err(words)?.into()),
            });
        }
        Ok(())
    }
}
