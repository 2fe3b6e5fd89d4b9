//! Scenes with joints: grids, chains, ropes, nets, figures of limbs, closed loops, with and without contacts.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::joint::{Joint, JointFrame, JointFriction, JointKind, Limits};
use percuss_bodies::{
    Body, Dynamics, Freedom, Friction, MassProperties, Materials, Model, PairLaw, Plane, Pose,
    Settings, Space, State, World, plane, space,
};

/// A world of the plane or of space.
pub enum AnyWorld {
    /// Of the plane.
    Plane(Box<World<Plane>>),
    /// Of space.
    Space(Box<World<Space>>),
}

/// The scene of this name and size.
pub fn scene(name: &str, size: usize, step: f64, tolerance: f64) -> Result<AnyWorld, String> {
    let settings = Settings {
        step,
        tolerance,
        ..Settings::default()
    };
    match name {
        "grid" => plane_world(grid(size, false)?, settings),
        "swing" => plane_world(grid(size, true)?, settings),
        "chain" => plane_world(chain(size, 1.0)?, settings),
        "loaded" => plane_world(chain(size, 1e6)?, settings),
        "fence" => plane_world(fence(size)?, settings),
        "braced" => plane_world(braced(size)?, settings),
        "rope" => space_world(rope(size)?, settings),
        "net" => space_world(net(size)?, settings),
        "figures" => space_world(figures(size)?, settings),
        "legs" => space_world(legs(size)?, settings),
        other => Err(format!("{other} is no scene with joints")),
    }
}

/// Bodies, poses and joints under construction.
struct Parts<D: Dynamics> {
    bodies: Vec<Body<D>>,
    poses: Vec<Pose<D>>,
    joints: Vec<Joint<D>>,
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
            joints: Vec::new(),
            friction,
        }
    }

    fn add(
        &mut self,
        shape: D::Shape,
        mass: MassProperties<D>,
        freedom: Freedom,
        pose: Pose<D>,
    ) -> u32 {
        self.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.poses.push(pose);
        self.bodies.len() as u32 - 1
    }

    fn world(self, gravity: D::Vector, settings: Settings) -> Result<World<D>, String> {
        let law = PairLaw {
            friction: Friction::Coulomb(self.friction),
            ..PairLaw::default()
        };
        let model = Model {
            materials: Materials::new(1, &law),
            prescribed_motions: Vec::new(),
            gravity,
            force_fields: Vec::new(),
            drag: Vec::new(),
            joints: self.joints,
            cell: None,
            bodies: self.bodies,
        };
        let state = State {
            t: 0.0,
            velocities: vec![D::ZERO_VELOCITY; self.poses.len()],
            poses: self.poses,
            kinematic_origins: Vec::new(),
            contacts: Vec::new(),
            cell: None,
        };
        World::new(model, state, settings).map_err(words)
    }
}

fn plane_world(parts: Parts<Plane>, settings: Settings) -> Result<AnyWorld, String> {
    let world = parts.world(DVec2::Y * -9.81, settings)?;
    Ok(AnyWorld::Plane(Box::new(world)))
}

fn space_world(parts: Parts<Space>, settings: Settings) -> Result<AnyWorld, String> {
    let world = parts.world(DVec3::Z * -9.81, settings)?;
    Ok(AnyWorld::Space(Box::new(world)))
}

impl Parts<Plane> {
    fn disc(&mut self, radius: f64, mass: f64, at: DVec2, freedom: Freedom) -> Result<u32, String> {
        let mass = MassProperties {
            mass,
            inertia: 0.1 * mass,
        };
        let shape = plane::Shape::disc(radius).map_err(words)?;
        Ok(self.add(shape, mass, freedom, at_place(at, 0.0)))
    }

    /// Joins two bodies (or one and the world) by a pin at a place.
    fn pin(&mut self, between: [Option<u32>; 2], at: DVec2) {
        let frames = between.map(|body| {
            let point = body.map_or(at, |b| {
                let pose = &self.poses[b as usize];
                DVec2::from_angle(-pose.rotation.angle()).rotate(at - pose.position)
            });
            JointFrame {
                body,
                point,
                axes: [DVec2::X, DVec2::Y],
            }
        });
        let name = format!("pin {}", self.joints.len());
        self.joints
            .push(Joint::new(&name, JointKind::Revolute, frames));
    }
}

fn at_place(position: DVec2, angle: f64) -> Pose<Plane> {
    Pose {
        position,
        rotation: plane::Angle::new(angle),
    }
}

/// Discs on a square grid, each pinned to its neighbours half-way between the centres: rows of joints are many more than
/// coordinates. Seven bodies in the middle of the top row are fixed; where it swings, one corner is pinned instead.
fn grid(n: usize, swings: bool) -> Result<Parts<Plane>, String> {
    let mut parts = Parts::new(0.3);
    for k in 0..n {
        for i in 0..n {
            let held = !swings && i == 0 && (2 * k + 7 > n && 2 * k < n + 7);
            let freedom = if held { Freedom::Fixed } else { Freedom::Free };
            let at = DVec2::new(k as f64, -(i as f64));
            let body = parts.disc(0.1, 1.0, at, freedom)?;
            if i > 0 {
                parts.pin([Some(body - 1), Some(body)], at + DVec2::Y * 0.5);
            }
            if k > 0 {
                parts.pin([Some(body - n as u32), Some(body)], at - DVec2::X * 0.5);
            }
        }
    }
    if swings {
        parts.pin([None, Some(0)], DVec2::Y * 0.5);
    }
    Ok(parts)
}

/// A chain of n links let go horizontally, with a load at its end.
fn chain(n: usize, load: f64) -> Result<Parts<Plane>, String> {
    let mut parts = Parts::new(0.3);
    for k in 0..n {
        let mass = if k + 1 == n { load } else { 1.0 };
        let at = DVec2::new(k as f64 + 0.5, 0.0);
        let body = parts.disc(0.05, mass, at, Freedom::Free)?;
        let before = k.checked_sub(1).map(|b| b as u32);
        parts.pin([before, Some(body)], DVec2::X * k as f64);
    }
    Ok(parts)
}

/// A chain of n round links on a floor with steps: a contact for nearly every link.
fn fence(n: usize) -> Result<Parts<Plane>, String> {
    let mut parts = Parts::new(0.5);
    let nothing = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    parts.add(
        plane::Shape::HalfPlane,
        nothing,
        Freedom::Fixed,
        at_place(DVec2::ZERO, 0.0),
    );
    for k in 0..n.div_ceil(8) {
        // Posts that the chain is draped over.
        parts.disc(
            1.0,
            1.0,
            DVec2::new(8.0 * k as f64 + 4.3, 0.6),
            Freedom::Fixed,
        )?;
    }
    for k in 0..n {
        let at = DVec2::new(k as f64 + 0.5, 2.1);
        let body = parts.disc(0.45, 1.0, at, Freedom::Free)?;
        if k > 0 {
            parts.pin([Some(body - 1), Some(body)], at - DVec2::X * 0.5);
        }
    }
    Ok(parts)
}

/// A beam of n pin-jointed cells with two diagonals each, supported at both ends: redundant rows that agree.
fn braced(n: usize) -> Result<Parts<Plane>, String> {
    let mut parts = Parts::new(0.3);
    let node = |k: usize, up: usize| DVec2::new(k as f64, up as f64);
    let mut at_node: Vec<Vec<u32>> = vec![Vec::new(); 2 * (n + 1)];
    let mut bar = |parts: &mut Parts<Plane>, from: (usize, usize), to: (usize, usize)| {
        let (p, q) = (node(from.0, from.1), node(to.0, to.1));
        let mass = MassProperties {
            mass: 1.0,
            inertia: (q - p).length_squared() / 12.0,
        };
        let shape = plane::Shape::disc(1e-3).map_err(words)?;
        // Diagonals cross: their round shapes lie beside the crossing.
        let middle = p + if from.1 == to.1 { 0.5 } else { 0.4 } * (q - p);
        let body = parts.add(
            shape,
            mass,
            Freedom::Free,
            at_place(middle, (q - p).to_angle()),
        );
        for (k, up) in [from, to] {
            let members = &mut at_node[2 * k + up];
            if let Some(&first) = members.first() {
                parts.pin([Some(first), Some(body)], node(k, up));
            }
            members.push(body);
        }
        Ok::<(), String>(())
    };
    for k in 0..n {
        bar(&mut parts, (k, 0), (k + 1, 0))?;
        bar(&mut parts, (k, 1), (k + 1, 1))?;
        bar(&mut parts, (k, 0), (k, 1))?;
        bar(&mut parts, (k, 0), (k + 1, 1))?;
        bar(&mut parts, (k, 1), (k + 1, 0))?;
    }
    bar(&mut parts, (n, 0), (n, 1))?;
    let ends = [at_node[0][0], at_node[2 * n][0]];
    for (body, k) in ends.into_iter().zip([0, n]) {
        parts.pin([None, Some(body)], node(k, 0));
    }
    Ok(parts)
}

impl Parts<Space> {
    fn join(
        &mut self,
        kind: JointKind,
        between: [Option<u32>; 2],
        at: DVec3,
        axis: DVec3,
    ) -> usize {
        let other = axis.any_orthonormal_vector();
        let axes = [axis, other, axis.cross(other)];
        let frames = between.map(|body| {
            let (point, turned) = body.map_or((at, axes), |b| {
                let pose = &self.poses[b as usize];
                let back = pose.rotation.inverse();
                (back * (at - pose.position), axes.map(|e| back * e))
            });
            JointFrame {
                body,
                point,
                axes: turned,
            }
        });
        let name = format!("joint {}", self.joints.len());
        self.joints.push(Joint::new(&name, kind, frames));
        self.joints.len() - 1
    }

    /// A capsule between two points.
    fn limb(&mut self, from: DVec3, to: DVec3, radius: f64, density: f64) -> Result<u32, String> {
        let length = (to - from).length();
        let shape = space::Shape::capsule(length, radius).map_err(words)?;
        let mass = shape
            .mass_properties(density)
            .ok_or("a capsule has a mass")?;
        let pose = Pose {
            position: 0.5 * (from + to),
            rotation: DQuat::from_rotation_arc(DVec3::Z, (to - from) / length),
        };
        Ok(self.add(shape, mass, Freedom::Free, pose))
    }

    fn floor(&mut self) {
        let nothing = MassProperties {
            mass: 0.0,
            inertia: DVec3::ZERO,
        };
        let pose = Pose {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
        };
        self.add(space::Shape::HalfSpace, nothing, Freedom::Fixed, pose);
    }
}

/// A rope of n capsules with ball joints, held at one end.
fn rope(n: usize) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.3);
    for k in 0..n {
        let (from, to) = (DVec3::X * 0.1 * k as f64, DVec3::X * 0.1 * (k + 1) as f64);
        let body = parts.limb(from, to, 0.02, 1000.0)?;
        let before = k.checked_sub(1).map(|b| b as u32);
        parts.join(JointKind::Spherical, [before, Some(body)], from, DVec3::X);
    }
    Ok(parts)
}

/// A net of n × n knots, spheres at fixed distances, held at two corners; a ball rests in it.
fn net(n: usize) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.3);
    let sphere = |parts: &mut Parts<Space>, at: DVec3, radius: f64, mass: f64, freedom| {
        let shape = space::Shape::sphere(radius).map_err(words)?;
        let mass = MassProperties {
            mass,
            inertia: DVec3::splat(0.4 * mass * radius * radius),
        };
        let rotation = DQuat::IDENTITY;
        Ok::<u32, String>(parts.add(
            shape,
            mass,
            freedom,
            Pose {
                position: at,
                rotation,
            },
        ))
    };
    let corner = |i: usize| i == 0 || i + 1 == n;
    for k in 0..n {
        for i in 0..n {
            let held = corner(i) && corner(k);
            let freedom = if held { Freedom::Fixed } else { Freedom::Free };
            let at = DVec3::new(0.1 * i as f64, 0.1 * k as f64, 0.0);
            let body = sphere(&mut parts, at, 0.01, 0.01, freedom)?;
            for (there, step) in [(i > 0, 1), (k > 0, n as u32)] {
                if !there {
                    continue;
                }
                let frames = [body - step, body].map(|b| JointFrame {
                    body: Some(b),
                    point: DVec3::ZERO,
                    axes: [DVec3::X, DVec3::Y, DVec3::Z],
                });
                let name = format!("cord {}", parts.joints.len());
                let mut cord = Joint::new(&name, JointKind::Distance, frames);
                cord.length = 0.1;
                parts.joints.push(cord);
            }
        }
    }
    let middle = 0.05 * (n as f64 - 1.0);
    sphere(
        &mut parts,
        DVec3::new(middle, middle, 0.22),
        0.2,
        1.0,
        Freedom::Free,
    )?;
    Ok(parts)
}

/// n figures of ten limbs that fall onto a floor: ball joints, hinges with limits at knees and elbows.
fn figures(n: usize) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.5);
    parts.floor();
    for number in 0..n {
        let (row, layer) = (number % 5, number / 5);
        let place = DVec3::new(
            1.8 * row as f64,
            0.13 * layer as f64,
            0.6 + 0.55 * layer as f64,
        );
        let turn = DQuat::from_rotation_z(0.7 * number as f64) * DQuat::from_rotation_x(0.25 * TAU);
        let at = |x: f64, z: f64| place + turn * DVec3::new(x, 0.0, z);
        let trunk = parts.limb(at(0.0, -0.2), at(0.0, 0.2), 0.12, 1000.0)?;
        let head = parts.limb(at(0.0, 0.42), at(0.0, 0.48), 0.09, 1000.0)?;
        let forward = turn * DVec3::Y;
        parts.join(
            JointKind::Spherical,
            [Some(trunk), Some(head)],
            at(0.0, 0.33),
            forward,
        );
        for side in [-1.0, 1.0] {
            let limbs = [
                (0.18, 0.22, 0.47, 0.75, 0.05),
                (0.09, -0.34, 0.09, -0.78, 0.06),
            ];
            for (x, z, x_end, z_end, radius) in limbs {
                let arm = z > 0.0;
                let (to, far) = match arm {
                    true => (at(side * x_end, z), at(side * x_end + side * 0.28, z)),
                    false => (at(side * x_end, 0.5 * (z + z_end)), at(side * x_end, z_end)),
                };
                let upper = parts.limb(at(side * x, z), to, radius, 1000.0)?;
                let from = to + (far - to).normalize() * 0.02;
                let lower = parts.limb(from, far, 0.8 * radius, 1000.0)?;
                parts.join(
                    JointKind::Spherical,
                    [Some(trunk), Some(upper)],
                    at(side * x, z),
                    forward,
                );
                let across = turn * if arm { DVec3::Z } else { DVec3::X };
                let hinge = parts.join(JointKind::Revolute, [Some(upper), Some(lower)], to, across);
                parts.joints[hinge].limits = Some(Limits {
                    low: -2.3,
                    high: 0.1,
                    restitution: 0.0,
                });
            }
        }
    }
    Ok(parts)
}

/// n robots of four legs, each a closed loop of four links with a ball joint in the foot, that stand on a floor; the
/// hinges have dry friction.
fn legs(n: usize) -> Result<Parts<Space>, String> {
    let mut parts = Parts::new(0.8);
    parts.floor();
    for number in 0..n {
        let place = DVec3::new(
            0.6 * (number % 10) as f64,
            0.6 * (number / 10) as f64,
            0.272,
        );
        let cuboid = space::ConvexPolyhedron::cuboid(DVec3::new(0.4, 0.2, 0.05)).map_err(words)?;
        let shape = space::Shape::Polyhedron(cuboid.into());
        let mass = shape.mass_properties(1000.0).ok_or("a cuboid has a mass")?;
        let pose = Pose {
            position: place,
            rotation: DQuat::IDENTITY,
        };
        let chassis = parts.add(shape, mass, Freedom::Free, pose);
        for (x, y) in [(-0.15, -0.14), (-0.15, 0.14), (0.15, -0.14), (0.15, 0.14)] {
            let at = |dx: f64, dz: f64| place + DVec3::new(x + dx, y, dz);
            let foot = at(0.0, -0.25);
            let mut shins = Vec::new();
            for side in [-1.0, 1.0] {
                let (hip, knee) = (at(0.02 * side, 0.0), at(0.09 * side, -0.08));
                let crank = parts.limb(hip, knee, 0.01, 1000.0)?;
                let shin = parts.limb(knee, foot, 0.01, 1000.0)?;
                for (pair, place) in [([chassis, crank], hip), ([crank, shin], knee)] {
                    let hinge = parts.join(JointKind::Revolute, pair.map(Some), place, DVec3::Y);
                    parts.joints[hinge].friction = Some(JointFriction {
                        coefficient: 0.2,
                        radius: 0.005,
                    });
                }
                shins.push(shin);
            }
            parts.join(
                JointKind::Spherical,
                [Some(shins[0]), Some(shins[1])],
                foot,
                DVec3::Y,
            );
        }
    }
    Ok(parts)
}
