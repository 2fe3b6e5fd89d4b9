//! Scenes in which bodies move: heaps that fall, drums that turn.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::geometry::Compound;
use percuss_bodies::{
    Body, Dynamics, Freedom, Friction, MassProperties, Materials, Model, PairLaw, Plane, Pose,
    PrescribedMotion, Settings, Space, State, World, plane, space,
};

/// A world of the plane or of space.
pub enum AnyWorld {
    /// Of the plane.
    Plane(Box<World<Plane>>),
    /// Of space.
    Space(Box<World<Space>>),
}

/// The scene of this name with this number of bodies.
pub fn scene(name: &str, count: usize, settings: Settings) -> Result<AnyWorld, String> {
    let space = |parts: Result<Parts<Space>, String>| {
        let world = parts?.world(DVec3::Z * -9.81, settings.clone())?;
        Ok(AnyWorld::Space(Box::new(world)))
    };
    let plane = |parts: Result<Parts<Plane>, String>| {
        let world = parts?.world(DVec2::Y * -9.81, settings.clone())?;
        Ok(AnyWorld::Plane(Box::new(world)))
    };
    match name {
        "boxes" => space(heap(count, &cuboid)),
        "hulls" => space(heap(count, &hull)),
        "capsules" => space(heap(count, &capsule)),
        "spheres" => space(spheres(count)),
        "drum" => space(drum(count)),
        "discs" => plane(discs(count)),
        "tumbler" => plane(tumbler(count)),
        other => Err(format!("{other} is no scene that moves")),
    }
}

/// Bodies, poses and motions under construction.
struct Parts<D: Dynamics> {
    bodies: Vec<Body<D>>,
    poses: Vec<Pose<D>>,
    motions: Vec<Box<dyn PrescribedMotion<D>>>,
    friction: f64,
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl<D: Dynamics> Parts<D> {
    fn new(friction: f64) -> Self {
        Self {
            bodies: Vec::new(),
            poses: Vec::new(),
            motions: Vec::new(),
            friction,
        }
    }

    /// A body of density 1000; boundaries have no mass.
    fn add(&mut self, shape: D::Shape, freedom: Freedom, pose: Pose<D>) {
        let mut ones = D::ZERO_VELOCITY;
        ones.as_mut().fill(1.0);
        let mass: MassProperties<D> =
            D::mass_properties(&shape, 1000.0).unwrap_or(D::from_mass_diagonal(&ones));
        self.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.poses.push(pose);
    }

    fn world(self, gravity: D::Vector, settings: Settings) -> Result<World<D>, String> {
        let law = PairLaw {
            friction: Friction::Coulomb(self.friction),
            ..PairLaw::default()
        };
        let model = Model {
            materials: Materials::new(1, &law),
            prescribed_motions: self.motions,
            gravity,
            force_fields: Vec::new(),
            drag: Vec::new(),
            joints: Vec::new(),
            cell: None,
            bodies: self.bodies,
        };
        let kinematic = model.prescribed_motions.len();
        let state = State {
            t: 0.0,
            velocities: vec![D::ZERO_VELOCITY; self.poses.len()],
            kinematic_origins: Vec::with_capacity(kinematic),
            poses: self.poses,
            contacts: Vec::new(),
            cell: None,
        };
        World::new(model, state, settings).map_err(words)
    }
}

/// Knuth's 64-bit linear congruential generator.
struct Random(u64);

impl Random {
    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn point(&mut self) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.between(-1.0, 1.0)))
    }

    fn rotation(&mut self) -> DQuat {
        let v = [(); 4].map(|()| self.between(-1.0, 1.0));
        DQuat::from_array(v).normalize()
    }
}

type MakeShape = dyn Fn(&mut Random) -> Result<space::Shape, String>;

fn cuboid(random: &mut Random) -> Result<space::Shape, String> {
    let sides = DVec3::from_array([(); 3].map(|()| random.between(0.1, 0.2)));
    let shape = space::ConvexPolyhedron::cuboid(sides).map_err(words)?;
    Ok(space::Shape::Polyhedron(shape.into()))
}

fn hull(random: &mut Random) -> Result<space::Shape, String> {
    let points: Vec<DVec3> = (0..12).map(|_| 0.12 * random.point().normalize()).collect();
    let (shape, _) = space::ConvexPolyhedron::hull(&points).map_err(words)?;
    Ok(space::Shape::Polyhedron(shape.into()))
}

fn capsule(random: &mut Random) -> Result<space::Shape, String> {
    let (length, radius) = (random.between(0.1, 0.2), random.between(0.03, 0.06));
    space::Shape::capsule(length, radius).map_err(words)
}

/// Bodies of random shape and orientation that fall from a lattice of 7 × 7 onto a floor.
fn heap(count: usize, shape: &MakeShape) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.5);
    let floor = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    parts.add(space::Shape::HalfSpace, Freedom::Fixed, floor);
    let mut random = Random(500);
    for k in 0..count {
        let cell = [k % 7, k / 7 % 7, k / 49].map(|i| i as f64);
        let shape = shape(&mut random)?;
        let pose = Pose {
            position: 0.36 * DVec3::new(cell[0] - 3.0, cell[1] - 3.0, cell[2] + 0.6)
                + 0.02 * random.point(),
            rotation: random.rotation(),
        };
        parts.add(shape, Freedom::Free, pose);
    }
    Ok(parts)
}

/// Radius of grains: 8 to 12 mm.
fn grain(random: &mut Random) -> f64 {
    random.between(0.008, 0.012)
}

/// Spheres that fall from a loose lattice into a box.
fn spheres(count: usize) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.3);
    let across = ((count as f64 * 0.73).cbrt().round() as usize).max(1);
    let half = 0.014 * across as f64;
    for (normal, at) in [
        (DVec3::Z, 0.0),
        (DVec3::X, -half),
        (DVec3::NEG_X, -half),
        (DVec3::Y, -half),
        (DVec3::NEG_Y, -half),
    ] {
        let pose = Pose {
            position: normal * at,
            rotation: DQuat::from_rotation_arc(DVec3::Z, normal),
        };
        parts.add(space::Shape::HalfSpace, Freedom::Fixed, pose);
    }
    let mut random = Random(777);
    for k in 0..count {
        let cell = [k % across, k / across % across, k / (across * across)].map(|i| i as f64);
        let shape = space::Shape::sphere(grain(&mut random)).map_err(words)?;
        let position = DVec3::new(
            0.028 * (cell[0] + 0.5) - half,
            0.028 * (cell[1] + 0.5) - half,
            0.028 * (cell[2] + 0.5),
        ) + 0.001 * random.point();
        let pose = Pose {
            position,
            rotation: DQuat::IDENTITY,
        };
        parts.add(shape, Freedom::Free, pose);
    }
    Ok(parts)
}

/// Turns about its own y axis (space) or its centre (plane).
#[derive(Debug)]
struct Turn(f64);

impl PrescribedMotion<Space> for Turn {
    fn at(&mut self, anchor: &Pose<Space>, t: f64) -> (Pose<Space>, [f64; 6]) {
        let pose = Pose {
            position: anchor.position,
            rotation: DQuat::from_rotation_y(self.0 * t) * anchor.rotation,
        };
        (pose, [0.0, 0.0, 0.0, 0.0, self.0, 0.0])
    }
}

impl PrescribedMotion<Plane> for Turn {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let mut pose = *anchor;
        pose.rotation = plane::Angle::new(anchor.rotation.angle() + self.0 * t);
        (pose, [0.0, 0.0, self.0])
    }
}

/// Sides of the drum.
const SIDES: usize = 24;

/// Spheres in a drum that turns about a horizontal axis: planks around the axis, half-spaces at its ends.
fn drum(count: usize) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.5);
    // Filled to 40 % by spheres of 1 cm at a solid fraction of 0.55, as long as wide.
    let volume = count as f64 * 4.0 / 3.0 * PI * 1e-6 / (0.55 * 0.4);
    let radius = (volume / (2.0 * PI)).cbrt();
    parts.motions.push(Box::new(Turn(1.5)));
    let width = 2.0 * (radius + 0.05) * (PI / SIDES as f64).tan();
    let plank =
        space::ConvexPolyhedron::cuboid(DVec3::new(0.05, 2.2 * radius, width)).map_err(words)?;
    let plank = space::Shape::Polyhedron(plank.into());
    let planks: Vec<_> = (0..SIDES)
        .map(|k| {
            let rotation = DQuat::from_rotation_y(TAU * k as f64 / SIDES as f64);
            let pose = Pose {
                position: rotation * (DVec3::X * (radius + 0.025)),
                rotation,
            };
            (plank.clone(), pose, 1.0)
        })
        .collect();
    let (shell, axes) = Compound::new(&planks).map_err(words)?;
    parts.add(
        space::Shape::Compound(shell.into()),
        Freedom::Kinematic(0),
        axes,
    );
    for normal in [DVec3::Y, DVec3::NEG_Y] {
        let pose = Pose {
            position: -radius * normal,
            rotation: DQuat::from_rotation_arc(DVec3::Z, normal),
        };
        parts.add(space::Shape::HalfSpace, Freedom::Fixed, pose);
    }
    // A lattice inside the circle, from below.
    let (mut random, mut added, mut layer) = (Random(5000), 0, 0);
    let pitch = 0.0245;
    let across = (2.0 * radius / pitch) as usize;
    while added < count && layer < 10 * across {
        let z = -radius + pitch * (layer as f64 + 0.7);
        let half = (radius * radius - z * z).max(0.0).sqrt() - 0.016;
        let columns = (2.0 * half / pitch).max(0.0) as usize;
        for i in 0..columns {
            for j in 0..across {
                if added == count {
                    break;
                }
                let x = pitch * (i as f64 + 0.5 - 0.5 * columns as f64);
                let y = pitch * (j as f64 + 0.5 - 0.5 * across as f64);
                let position = DVec3::new(x, y, z) + 2e-4 * random.point();
                let shape = space::Shape::sphere(grain(&mut random)).map_err(words)?;
                let pose = Pose {
                    position,
                    rotation: DQuat::IDENTITY,
                };
                parts.add(shape, Freedom::Free, pose);
                added += 1;
            }
        }
        layer += 1;
    }
    Ok(parts)
}

/// Discs that fall from a loose lattice into a box.
fn discs(count: usize) -> Result<Parts<Plane>, String> {
    let mut parts = Parts::new(0.3);
    let across = ((count as f64).sqrt().round() as usize).max(1);
    let half = 0.014 * across as f64;
    for (x, angle) in [(0.0, 0.0), (-half, -0.5 * PI), (half, 0.5 * PI)] {
        let pose = Pose {
            position: DVec2::new(x, 0.0),
            rotation: plane::Angle::new(angle),
        };
        parts.add(plane::Shape::HalfPlane, Freedom::Fixed, pose);
    }
    let mut random = Random(12345);
    for k in 0..count {
        let cell = [k % across, k / across].map(|i| i as f64);
        let shape = plane::Shape::disc(grain(&mut random)).map_err(words)?;
        let shift = 0.001 * random.point();
        let pose = Pose {
            position: DVec2::new(
                0.028 * (cell[0] + 0.5) - half + shift.x,
                0.028 * (cell[1] + 0.5) + shift.y,
            ),
            rotation: plane::Angle::default(),
        };
        parts.add(shape, Freedom::Free, pose);
    }
    Ok(parts)
}

/// Squares in a turning square box.
fn tumbler(count: usize) -> Result<Parts<Plane>, String> {
    let mut parts = Parts::new(0.5);
    let across = ((count as f64).sqrt().round() as usize).max(1);
    // Twice as wide as the squares need.
    let half = 0.1 * across as f64;
    parts.motions.push(Box::new(Turn(0.44)));
    let corners =
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| DVec2::new(x, y));
    let chain = plane::Chain::new(&corners, true).map_err(words)?;
    let centre = Pose {
        position: DVec2::ZERO,
        rotation: plane::Angle::default(),
    };
    parts.add(
        plane::Shape::Chain(chain.into()),
        Freedom::Kinematic(0),
        centre,
    );
    let square = std::sync::Arc::new(plane::ConvexPolygon::rectangle(0.1, 0.1).map_err(words)?);
    for k in 0..count {
        let cell = [k % across, k / across].map(|i| i as f64 + 0.5 - 0.5 * across as f64);
        let pose = Pose {
            position: DVec2::new(0.13 * cell[0], 0.13 * cell[1]),
            rotation: plane::Angle::default(),
        };
        parts.add(plane::Shape::Polygon(square.clone()), Freedom::Free, pose);
    }
    Ok(parts)
}
