//! Benchmark scenes for every engine: shapes, masses, positions and velocities, in f64.
//!
//! Plane scenes lie in x, y with y up; scenes in space have z up. The ground is y = 0 or z = 0, walls are at ±
//! `half`; instead of both there may be a square frame that turns. Random numbers come from a 64-bit linear congruential generator, so that a scene is the same on
//! every machine.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use percuss_bodies::space;

/// Acceleration of gravity, m/s².
pub const GRAVITY: f64 = 9.81;

/// Length of a step for every engine, s.
pub const STEP: f64 = 1e-3;

/// A rectangle or a disc of unit depth, or a body in space. Axes are principal ones, the origin is the centre.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Half the sides of a rectangle.
    Block([f64; 2]),
    /// Radius of a disc.
    Disc(f64),
    /// Radius of a ball.
    Ball(f64),
    /// Half the sides of a box.
    Cuboid(DVec3),
    /// A capsule along z: half the length of its segment, and its radius.
    Capsule(f64, f64),
    /// A convex polyhedron.
    Hull(Arc<space::ConvexPolyhedron>),
}

impl Shape {
    /// Volume, and moments of inertia over mass about the axes of the body.
    pub fn volume_and_gyration(&self) -> (f64, DVec3) {
        match self {
            Self::Block([a, b]) => (4.0 * a * b, DVec3::splat((a * a + b * b) / 3.0)),
            Self::Disc(r) => (PI * r * r, DVec3::splat(0.5 * r * r)),
            Self::Ball(r) => (4.0 / 3.0 * PI * r.powi(3), DVec3::splat(0.4 * r * r)),
            Self::Cuboid(half) => {
                let square = *half * *half;
                let gyration = (DVec3::splat(square.element_sum()) - square) / 3.0;
                (8.0 * half.element_product(), gyration)
            }
            Self::Capsule(half_length, radius) => moments(&space::Shape::Capsule {
                half_length: *half_length,
                radius: *radius,
            }),
            Self::Hull(hull) => moments(&space::Shape::Polyhedron(hull.clone())),
        }
    }
}

/// Volume of a shape of percuss, and its moments of inertia over its mass.
fn moments(shape: &space::Shape) -> (f64, DVec3) {
    match shape.mass_properties(1.0) {
        Some(unit) => (unit.mass, unit.inertia / unit.mass),
        None => (f64::NAN, DVec3::NAN),
    }
}

/// Position and velocity of a body. Plane bodies have an angle about z, bodies in space a rotation from their axes to
/// those of space; balls have neither.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub position: DVec3,
    pub angle: f64,
    pub rotation: DQuat,
    pub velocity: DVec3,
    /// Angular velocity about space axes.
    pub spin: DVec3,
}

impl Place {
    /// At rest.
    pub fn at(x: f64, y: f64, z: f64) -> Self {
        Self {
            position: DVec3::new(x, y, z),
            angle: 0.0,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        }
    }
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct Grain {
    pub shape: Shape,
    pub density: f64,
    pub start: Place,
}

impl Grain {
    pub fn mass(&self) -> f64 {
        self.density * self.shape.volume_and_gyration().0
    }

    /// Moments of inertia about the axes of the body; those of plane bodies and balls are all equal.
    pub fn inertia(&self) -> DVec3 {
        self.mass() * self.shape.volume_and_gyration().1
    }
}

/// A square frame about the origin in the place of ground and walls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Half its inner side, m.
    pub half: f64,
    /// Its angular velocity, 1/s.
    pub rate: f64,
}

/// A scene, as every engine gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    pub name: &'static str,
    pub grains: Vec<Grain>,
    /// Walls at ± this in the horizontal directions, if there are any.
    pub half: Option<f64>,
    pub friction: f64,
    /// Whether the ground shakes.
    pub quake: bool,
    pub frame: Option<Frame>,
}

impl Scene {
    /// Whether it is a scene in space.
    pub fn spatial(&self) -> bool {
        let plane = |g: &Grain| matches!(g.shape, Shape::Block(_) | Shape::Disc(_));
        !self.grains.first().is_none_or(plane)
    }

    pub fn up(&self) -> DVec3 {
        if self.spatial() { DVec3::Z } else { DVec3::Y }
    }

    pub fn starts(&self) -> Vec<Place> {
        self.grains.iter().map(|g| g.start).collect()
    }

    /// Kinetic energy of these states, J.
    pub fn kinetic(&self, places: &[Place]) -> f64 {
        let one = |(g, p): (&Grain, &Place)| {
            let spin = p.rotation.conjugate() * p.spin;
            0.5 * (g.mass() * p.velocity.length_squared() + (g.inertia() * spin).dot(spin))
        };
        self.grains.iter().zip(places).map(one).sum()
    }

    /// Largest displacement of a centre from its start, m.
    pub fn displacement(&self, places: &[Place]) -> f64 {
        let way = |(g, p): (&Grain, &Place)| g.start.position.distance(p.position);
        self.grains.iter().zip(places).map(way).fold(0.0, f64::max)
    }

    /// Height of the highest centre, m.
    pub fn height(&self, places: &[Place]) -> f64 {
        let up = self.up();
        places
            .iter()
            .map(|p| p.position.dot(up))
            .fold(0.0, f64::max)
    }
}

/// Position of the shaking ground: 12.5 cm at 2 Hz (Jean and Moreau 1992, example 1).
pub fn ground(t: f64) -> f64 {
    0.125 * (4.0 * PI * t).sin()
}

/// Its velocity.
pub fn ground_velocity(t: f64) -> f64 {
    0.5 * PI * (4.0 * PI * t).cos()
}

/// Knuth's 64-bit linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn around(&mut self, width: f64) -> f64 {
        width * (2.0 * self.unit() - 1.0)
    }
}

/// 176 equal blocks in running bond, 16 courses, on shaking ground: the blocks of `percuss run wall-perfect`.
pub fn wall() -> Scene {
    let mut grains = Vec::new();
    // Running bond: a half block at alternating ends.
    for course in 0..16 {
        let mut x = -3.15;
        for k in 0..11 {
            let half_one = if course % 2 == 0 { 0 } else { 10 };
            let width = if k == half_one { 0.3 } else { 0.6 };
            grains.push(Grain {
                shape: Shape::Block([0.5 * width, 0.2]),
                density: 2000.0,
                start: Place::at(x + 0.5 * width, 0.2 + 0.4 * course as f64, 0.0),
            });
            x += width;
        }
    }
    Scene {
        name: "wall of equal blocks",
        grains,
        half: None,
        friction: 0.3,
        quake: true,
        frame: None,
    }
}

/// Ten blocks of 1 m, the top one a thousand times as dense.
pub fn tower() -> Scene {
    let block = |k: usize| Grain {
        shape: Shape::Block([0.5, 0.5]),
        density: if k == 9 { 1e6 } else { 1e3 },
        start: Place::at(0.0, 0.5 + k as f64, 0.0),
    };
    Scene {
        name: "tower",
        grains: (0..10).map(block).collect(),
        half: None,
        friction: 0.3,
        quake: false,
        frame: None,
    }
}

/// Discs of 8 to 12 mm on a loose lattice, `across` in a row, between walls; they fall and settle.
pub fn discs(count: usize, across: usize) -> Scene {
    other_discs(count, across, 0)
}

/// The same with other radii and positions for every `seed`.
pub fn other_discs(count: usize, across: usize, seed: u64) -> Scene {
    let mut random = Random(12_345 + (seed << 32));
    let width = across as f64 / 38.0;
    // Random radii on a perturbed lattice.
    let grain = |i: usize| {
        let radius = 0.008 + 0.004 * random.unit();
        let x = -0.5 * width + ((i % across) as f64 + 0.5) / 38.0 + random.around(1e-3);
        let y = ((i / across) as f64 + 0.5) * 0.027 + random.around(1e-3);
        Grain {
            shape: Shape::Disc(radius),
            density: 2500.0,
            start: Place::at(x, y, 0.0),
        }
    };
    Scene {
        name: "discs",
        grains: (0..count).map(grain).collect(),
        half: Some(0.5 * width),
        friction: 0.3,
        quake: false,
        frame: None,
    }
}

/// Balls of 8 to 12 mm on a loose lattice of `across` by `across` in a box; they fall and settle.
pub fn spheres(count: usize, across: usize) -> Scene {
    other_spheres(count, across, 0)
}

/// The same with other radii and positions for every `seed`.
pub fn other_spheres(count: usize, across: usize, seed: u64) -> Scene {
    let mut random = Random(777 + count as u64 + (seed << 32));
    let spacing = 0.25 / 9.0;
    let half = 0.5 * spacing * across as f64;
    // Random radii on a perturbed lattice.
    let grain = |i: usize| {
        let radius = 0.008 + 0.004 * random.unit();
        let place = i % (across * across);
        let x = -half + ((place % across) as f64 + 0.5) * spacing + random.around(1e-3);
        let y = -half + ((place / across) as f64 + 0.5) * spacing + random.around(1e-3);
        let z = ((i / (across * across)) as f64 + 0.5) * 0.028 + random.around(1e-3);
        Grain {
            shape: Shape::Ball(radius),
            density: 2500.0,
            start: Place::at(x, y, z),
        }
    };
    Scene {
        name: "spheres",
        grains: (0..count).map(grain).collect(),
        half: Some(half),
        friction: 0.3,
        quake: false,
        frame: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::deepest;

    #[test]
    fn wall_has_176_blocks_of_one_length_per_course() {
        let scene = wall();
        assert_eq!(scene.grains.len(), 176);
        let mut length = [0.0; 16];
        for grain in &scene.grains {
            let Shape::Block([a, _]) = grain.shape else {
                panic!("a wall is made of blocks")
            };
            length[(grain.start.position.y / 0.4) as usize] += 2.0 * a;
        }
        // Eleven sums of decimal fractions.
        assert!(length.iter().all(|l| (l - 6.3).abs() < 1e-12));
    }

    #[test]
    fn loose_lattices_start_without_overlap() {
        for scene in [discs(500, 38), spheres(800, 9)] {
            assert_eq!(deepest(&scene, &scene.starts()), 0.0, "{}", scene.name);
        }
    }

    #[test]
    fn velocity_of_the_ground_is_the_slope_of_its_place() {
        let (t, h) = (0.123, 1e-6);
        let slope = (ground(t + h) - ground(t - h)) / (2.0 * h);
        // Central difference: h² x''' / 6 = 4e-11, rounding 1e-17 / h = 1e-11.
        assert!((slope - ground_velocity(t)).abs() < 1e-9);
    }

    #[test]
    fn energy_of_a_spinning_ball_is_that_of_the_textbook() {
        let scene = spheres(1, 1);
        let mut place = scene.grains[0].start;
        place.velocity = DVec3::X * 2.0;
        place.spin = DVec3::Y * 3.0;
        let Shape::Ball(r) = scene.grains[0].shape else {
            panic!("a ball")
        };
        let m = 2500.0 * 4.0 / 3.0 * PI * r * r * r;
        let energy = 0.5 * m * 4.0 + 0.5 * (0.4 * m * r * r) * 9.0;
        // Rounding errors of a few products.
        assert!((scene.kinetic(&[place]) / energy - 1.0).abs() < 1e-14);
    }
}
