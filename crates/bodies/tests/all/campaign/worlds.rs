//! Random worlds: blocks, discs, polygons and polyhedra on a floor, some connected by joints, with any friction,
//! restitution, mass ratio and step.

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::joint::{Joint, JointFrame, JointKind};
use percuss_bodies::plane::{Angle, ConvexPolygon};
use percuss_bodies::space::ConvexPolyhedron;
use percuss_bodies::{PairLaw, Plane, Pose, Space, World, plane, space};
use percuss_solve::sample::Random;

use crate::support::{WorldBuilder, cuboid, rectangle, with_rebound};

/// Recipe of a world; everything follows from the seed.
#[derive(Debug, Clone)]
pub struct Recipe {
    pub seed: u64,
    pub space: bool,
    pub bodies: usize,
    pub mu: f64,
    pub e: f64,
    pub step: f64,
    pub steps: usize,
    pub referee_every: usize,
    pub joined: bool,
    /// Largest mass over smallest.
    pub ratio: f64,
}

impl Recipe {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1988);
        let mu = match random.below(5) {
            0 => 0.0,
            1 => random.within(0.05, 0.3),
            2 => random.within(0.3, 1.0),
            3 => random.within(1.0, 10.0),
            _ => 10_f64.powf(random.within(1.0, 3.0)),
        };
        let e = match random.below(3) {
            0 => 0.0,
            1 => random.within(0.0, 1.0),
            _ => [0.5, 1.0][random.below(2)],
        };
        Self {
            seed,
            space: random.below(2) == 1,
            bodies: 1 + random.below(7),
            mu,
            e,
            step: 10_f64.powf(random.within(-4.0, -2.0)),
            steps: 40,
            referee_every: 5,
            joined: random.below(4) == 0,
            ratio: 10_f64.powf(random.within(0.0, 6.0)),
        }
    }

    /// One restitution for the normal and the tangential velocity: energy can then not be gained (JM92 §6).
    fn law(&self) -> PairLaw {
        with_rebound(self.mu, self.e, self.e)
    }

    fn random(&self) -> Random {
        Random::new(self.seed.wrapping_mul(31) + 7)
    }

    fn density(&self, random: &mut Random) -> f64 {
        self.ratio.powf(random.within(0.0, 1.0))
    }

    pub fn plane(&self) -> World<Plane> {
        let mut random = self.random();
        let mut stage = WorldBuilder::<Plane>::new(self.law(), DVec2::new(0.0, -9.81));
        stage.settings.step = self.step;
        stage.settings.tolerance = 1e-6;
        stage.floor();
        let mut height = 0.0;
        for k in 0..self.bodies {
            let (shape, reach) = flat(&mut random);
            let angle = [0.0, random.within(-0.3, 0.3)][random.below(2)];
            // Some are in contact with what is below them, some fall on it.
            height += reach + [0.0, random.within(0.0, 0.02)][random.below(2)];
            let pose = Pose {
                position: DVec2::new(random.within(-0.1, 0.1), height),
                rotation: Angle::new(angle),
            };
            height += reach;
            let v = [
                random.within(-1.0, 1.0),
                random.within(-2.0, 0.0),
                random.within(-2.0, 2.0),
            ];
            let density = self.density(&mut random);
            stage.body(shape, density, pose, v);
            if self.joined && k > 0 && random.below(2) == 0 {
                let last = stage.state.poses.len() - 1;
                let at =
                    0.5 * (stage.state.poses[last].position + stage.state.poses[last - 1].position);
                let sides = [last - 1, last].map(|body| {
                    let pose = &stage.state.poses[body];
                    JointFrame {
                        body: Some(body as u32),
                        point: pose.rotation.rotate_back(at - pose.position),
                        axes: [DVec2::X, DVec2::Y],
                    }
                });
                stage
                    .model
                    .joints
                    .push(Joint::new("pin", JointKind::Revolute, sides));
            }
        }
        stage.world()
    }

    pub fn space(&self) -> World<Space> {
        let mut random = self.random();
        let mut stage = WorldBuilder::<Space>::new(self.law(), DVec3::new(0.0, 0.0, -9.81));
        stage.settings.step = self.step;
        stage.settings.tolerance = 1e-6;
        stage.floor();
        let mut height = 0.0;
        for k in 0..self.bodies {
            let (shape, reach) = solid(&mut random);
            height += reach + [0.0, random.within(0.0, 0.02)][random.below(2)];
            let turn = DQuat::from_euler(
                glam::EulerRot::XYZ,
                random.within(-0.2, 0.2),
                random.within(-0.2, 0.2),
                random.within(-3.0, 3.0),
            );
            let pose = Pose {
                position: DVec3::new(random.within(-0.1, 0.1), random.within(-0.1, 0.1), height),
                rotation: [DQuat::IDENTITY, turn][random.below(2)],
            };
            height += reach;
            let v = std::array::from_fn(|i| match i {
                2 => random.within(-2.0, 0.0),
                _ => random.within(-1.0, 1.0),
            });
            let density = self.density(&mut random);
            stage.body(shape, density, pose, v);
            if self.joined && k > 0 && random.below(2) == 0 {
                let last = stage.state.poses.len() - 1;
                let at =
                    0.5 * (stage.state.poses[last].position + stage.state.poses[last - 1].position);
                let sides = [last - 1, last].map(|body| {
                    let pose = &stage.state.poses[body];
                    let back = pose.rotation.inverse();
                    JointFrame {
                        body: Some(body as u32),
                        point: back * (at - pose.position),
                        axes: [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| back * axis),
                    }
                });
                stage
                    .model
                    .joints
                    .push(Joint::new("pin", JointKind::Spherical, sides));
            }
        }
        stage.world()
    }
}

/// A shape of the plane and its half height; of a polygon, its bounding radius.
fn flat(random: &mut Random) -> (plane::Shape, f64) {
    match random.below(3) {
        0 => {
            let r = random.within(0.05, 0.2);
            (plane::Shape::disc(r).unwrap(), r)
        }
        1 => {
            let (w, h) = (random.within(0.1, 0.6), random.within(0.05, 0.3));
            (rectangle(w, h), 0.5 * h)
        }
        _ => {
            let (sides, r) = (3 + random.below(6), random.within(0.1, 0.2));
            let turn = std::f64::consts::TAU / sides as f64;
            let corners: Vec<DVec2> = (0..sides)
                .map(|k| r * DVec2::from_angle(turn * (k as f64 + 0.5)))
                .collect();
            let (polygon, _) = ConvexPolygon::new(&corners).unwrap();
            (plane::Shape::Polygon(polygon.into()), r)
        }
    }
}

/// A shape of space and its half height; of a polyhedron, its bounding radius.
fn solid(random: &mut Random) -> (space::Shape, f64) {
    match random.below(3) {
        0 => {
            let r = random.within(0.05, 0.2);
            (space::Shape::sphere(r).unwrap(), r)
        }
        1 => {
            let sides: [f64; 3] = std::array::from_fn(|_| random.within(0.1, 0.4));
            (cuboid(sides[0], sides[1], sides[2]), 0.5 * sides[2])
        }
        _ => {
            let r = random.within(0.1, 0.2);
            let points: Vec<DVec3> = (0..8 + random.below(8))
                .map(|_| {
                    let p = DVec3::from_array(std::array::from_fn(|_| random.within(-1.0, 1.0)));
                    r * p.normalize_or(DVec3::X)
                })
                .collect();
            match ConvexPolyhedron::hull(&points) {
                Ok((hull, _)) => (space::Shape::Polyhedron(hull.into()), r),
                Err(_) => (cuboid(r, r, r), 0.5 * r),
            }
        }
    }
}
