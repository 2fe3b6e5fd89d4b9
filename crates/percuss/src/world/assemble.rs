//! From what the user said to the model and the initial state of the engine.

use percuss_bodies::joint::{JointFrame, JointKind, Motor};
use percuss_bodies::{
    Body as EngineBody, Freedom as EngineFreedom, Joint as EngineJoint, MassProperties, Model,
    Pose, PrescribedMotion, State, Vector, World as EngineWorld,
};

use super::World;
use super::builder::WorldBuilder;
use super::laws::Classes;
use super::names::{Names, describe};
use crate::body::{Body, Dimension, Freedom, MotionFn};
use crate::error::{self, Error, Result, within};
use crate::force::ForceOn;
use crate::joint::{BodyId, BodyRef, Joint};

/// Allowed overlap at the start, relative to the bounding radius of the smaller body.
const OVERLAP: f64 = 1e-6;

/// A prescribed motion of the user, as one of the engine.
struct Prescribed<D: Dimension>(MotionFn<D>);

impl<D: Dimension> std::fmt::Debug for Prescribed<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Prescribed")
    }
}

impl<D: Dimension> PrescribedMotion<D> for Prescribed<D> {
    fn at(&mut self, anchor: &Pose<D>, t: f64) -> (Pose<D>, D::Dofs) {
        let now = (self.0)(t);
        let pose = D::displaced(anchor, now.position, now.rotation);
        (pose, D::dofs(&pose.rotation, now.velocity, now.spin))
    }
}

/// The world of a builder.
pub(super) fn world<D: Dimension>(builder: WorldBuilder<D>) -> Result<World<D>> {
    let names = names(&builder)?;
    settings(&builder)?;
    // Laws first: bodies are given the class that the laws tell apart.
    let classes = Classes::new(&builder)?;
    let materials = classes.materials(&builder)?;
    // Bodies, then joints at their initial poses.
    let mut parts = Bodies::new(builder.start);
    for (number, (name, body)) in builder.bodies.into_iter().enumerate() {
        parts.add(&name, body, classes.of[number])?;
    }
    let mut joints = Vec::with_capacity(builder.joints.len());
    for (name, joint) in builder.joints {
        joints.push(engine_joint(&name, joint, &names, &parts.initial)?);
    }
    // Force laws on the bodies that they name.
    let mut force_fields: Vec<Box<dyn percuss_bodies::ForceField<D>>> = Vec::new();
    for force in builder.forces {
        let bodies = match &force.body {
            None => (0..parts.bodies.len() as u32).collect(),
            Some(body) => vec![names.body(body).map_err(|error| within("force", error))?],
        };
        force_fields.push(Box::new(ForceOn {
            bodies,
            law: force.law,
        }));
    }
    let model = Model {
        bodies: parts.bodies,
        materials,
        prescribed_motions: parts.motions,
        gravity: builder.gravity,
        force_fields,
        drag: parts.drag,
        joints,
        cell: None,
    };
    let state = State {
        t: builder.start,
        poses: parts.poses,
        velocities: parts.velocities,
        kinematic_origins: Vec::new(),
        contacts: Vec::new(),
        cell: None,
    };
    let made = EngineWorld::new(model, state, builder.settings);
    let mut engine = made.map_err(|error| describe(error, &names))?;
    refuse_overlaps(&mut engine, builder.overlap, &names)?;
    Ok(World::new(engine, names, parts.shape_axes))
}

/// Names of bodies and joints, each of which may be given once.
fn names<D: Dimension>(builder: &WorldBuilder<D>) -> Result<Names> {
    let bodies = builder.bodies.iter().map(|(name, _)| name.clone());
    let joints = builder.joints.iter().map(|(name, _)| name.clone());
    Names::new(bodies.collect(), joints.collect())
}

/// Checks gravity, start, threads and the allowed overlap; the engine checks its own settings.
fn settings<D: Dimension>(builder: &WorldBuilder<D>) -> Result<()> {
    error::finite("world", "gravity", builder.gravity.components())?;
    error::finite("world", "start", &[builder.start])?;
    error::positive("world", "step", builder.settings.step)?;
    error::positive("world", "tolerance", builder.settings.tolerance)?;
    if builder.settings.threads == 0 {
        return Err(Error::value("world", "threads", 0.0, "1 or more"));
    }
    if let Some(depth) = builder.overlap {
        error::not_negative("world", "overlap", depth)?;
    }
    Ok(())
}

/// Bodies of the model and their initial state.
struct Bodies<D: Dimension> {
    bodies: Vec<EngineBody<D>>,
    poses: Vec<Pose<D>>,
    /// Poses at the start, kinematic bodies where their motion puts them.
    initial: Vec<Pose<D>>,
    velocities: Vec<D::Dofs>,
    motions: Vec<Box<dyn PrescribedMotion<D>>>,
    drag: Vec<percuss_bodies::Drag>,
    /// Pose of the body axes in the axes that the shape is described in.
    shape_axes: Vec<Pose<D>>,
    start: f64,
}

impl<D: Dimension> Bodies<D> {
    fn new(start: f64) -> Self {
        Self {
            bodies: Vec::new(),
            poses: Vec::new(),
            initial: Vec::new(),
            velocities: Vec::new(),
            motions: Vec::new(),
            drag: Vec::new(),
            shape_axes: Vec::new(),
            start,
        }
    }

    /// Checks a body and adds it.
    fn add(&mut self, name: &str, body: Body<D>, class: u16) -> Result<()> {
        let part = format!("body `{name}`");
        error::finite(&part, "position", body.position.components())?;
        error::finite(&part, "velocity", body.velocity.components())?;
        error::finite(&part, "spin", &D::spin_components(&body.spin))?;
        error::not_negative(&part, "drag.translation", body.drag.translation)?;
        error::not_negative(&part, "drag.rotation", body.drag.rotation)?;
        let placed = Pose {
            position: body.position,
            rotation: body.rotation,
        };
        if !D::is_finite_pose(&placed) {
            return Err(Error::part(
                part,
                "its rotation is not finite, or has no axis",
            ));
        }
        // Shape, and its body axes in the world.
        let made = D::make_shape(&body.shape);
        let (shape, own) = made.map_err(|error| Error::part(&part, error.to_string()))?;
        let mut pose = D::compose(&placed, &own);
        let mass = mass(&part, &body, &shape)?;
        let freedom = match body.freedom {
            Freedom::Free => EngineFreedom::Free,
            Freedom::Fixed => EngineFreedom::Fixed,
            Freedom::Locked(locked) => EngineFreedom::Partial(free_mask::<D>(&part, &locked)?),
            Freedom::Prescribed(motion) => {
                self.motions.push(Box::new(Prescribed(motion.0)));
                EngineFreedom::Kinematic(self.motions.len() as u32 - 1)
            }
        };
        let moves = matches!(freedom, EngineFreedom::Free | EngineFreedom::Partial(_));
        if moves && D::boundary_only(&shape) {
            return Err(Error::part(
                part,
                "a boundary cannot move freely: fix it or move it by a closure",
            ));
        }
        self.velocities
            .push(D::dofs(&pose.rotation, body.velocity, body.spin));
        self.poses.push(pose);
        // Where the body really is at the start: joints are assembled there.
        if let EngineFreedom::Kinematic(_) = freedom
            && let Some(motion) = self.motions.last_mut()
        {
            pose = motion.at(&pose, self.start).0;
            if !D::is_finite_pose(&pose) {
                return Err(Error::part(
                    part,
                    "its prescribed motion is not finite at the start",
                ));
            }
        }
        self.initial.push(pose);
        self.drag.push(body.drag);
        self.shape_axes.push(own);
        self.bodies.push(EngineBody {
            shape,
            mass,
            material: class,
            freedom,
        });
        Ok(())
    }
}

/// Mass properties from density or mass, with the user's moments of inertia if given.
fn mass<D: Dimension>(part: &str, body: &Body<D>, shape: &D::Shape) -> Result<MassProperties<D>> {
    error::positive(part, "density", body.density)?;
    let unit = D::mass_properties(shape, 1.0);
    let density = match (body.mass, &unit) {
        (Some(mass), Some(unit)) => error::positive(part, "mass", mass)? / unit.mass,
        (Some(_), None) => return Err(Error::part(part, "a boundary has no mass")),
        (None, _) => body.density,
    };
    let Some(mut mass) = D::mass_properties(shape, density) else {
        // A boundary: the engine does not use its mass.
        return Ok(D::from_mass_diagonal(&D::ZERO_VELOCITY));
    };
    if let Some(inertia) = body.inertia {
        for moment in D::inertia_components(&inertia) {
            error::positive(part, "inertia", moment)?;
        }
        mass.inertia = inertia;
    }
    Ok(mass)
}

/// Bits of the velocity components that are not locked.
fn free_mask<D: Dimension>(part: &str, locked: &[usize]) -> Result<u8> {
    let mut mask = (1_u8 << D::DOF) - 1;
    for &component in locked {
        if component >= D::DOF {
            let expected =
                "the number of a velocity component, below 3 in the plane and 6 in space,";
            return Err(Error::value(part, "locked", component as f64, expected));
        }
        mask &= !(1 << component);
    }
    Ok(mask)
}

/// The joint of the engine: both frames from points and axis in world axes at the start.
fn engine_joint<D: Dimension>(
    name: &str,
    joint: Joint<D>,
    names: &Names,
    poses: &[Pose<D>],
) -> Result<EngineJoint<D>> {
    let part = format!("joint `{name}`");
    joint.check(&part)?;
    for point in &joint.points {
        error::finite(&part, "at", point.components())?;
    }
    error::finite(&part, "axis", joint.axis.components())?;
    let length = joint.axis.norm();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Error::value(&part, "axis", length, "a direction"));
    }
    // Bodies of the two sides, and their poses.
    let mut bodies = [None; 2];
    for (body, end) in bodies.iter_mut().zip(&joint.between) {
        *body = match (end, names.body(end)) {
            (BodyRef::World, _) => None,
            (_, Ok(number)) => Some(number),
            (BodyRef::Name(world), Err(_)) if world == "world" => None,
            (_, Err(error)) => return Err(within(part, error)),
        };
    }
    let origin = || Pose {
        position: D::Vector::default(),
        rotation: D::Rotation::default(),
    };
    let pose = bodies.map(|body| body.map_or_else(origin, |body| poses[body as usize]));
    // Both sides have the same axes at the start.
    let axes = D::contact_frame(joint.axis * (1.0 / length));
    let frames = [0, 1].map(|k| JointFrame {
        body: bodies[k],
        point: D::rotate_back(&pose[k].rotation, joint.points[k] - pose[k].position),
        axes: D::frame_of(|i| D::rotate_back(&pose[k].rotation, axes.as_ref()[i])),
    });
    let mut made = EngineJoint::new(name, joint.kind, frames);
    made.reference_angle = D::plane_angle(&pose[1].rotation) - D::plane_angle(&pose[0].rotation);
    made.length = (joint.points[1] - joint.points[0]).norm();
    made.contact = joint.contact;
    if let (JointKind::Cylindrical, Some(coordinate)) = (joint.kind, joint.coordinate) {
        made.coordinate = coordinate;
    }
    made.clearance = joint.checked_clearance(&part)?;
    made.limits = joint.limits;
    made.spring = joint.spring;
    // Without a coefficient there is no friction to iterate on.
    made.friction = joint.friction.filter(|friction| friction.coefficient > 0.0);
    made.motor = joint.motor.map(|speed| Motor {
        speed: Box::new(speed),
        bound: joint.motor_bound,
    });
    Ok(made)
}

/// Refuses bodies that overlap at the start by more than is allowed.
fn refuse_overlaps<D: Dimension>(
    engine: &mut EngineWorld<D>,
    allowed: Option<f64>,
    names: &Names,
) -> Result<()> {
    let overlaps = engine.overlaps(0.0);
    for overlap in overlaps {
        // By default relative to the smaller of the two bodies.
        let bound = allowed.unwrap_or_else(|| {
            let bodies = &engine.model().bodies;
            let radii = overlap
                .bodies
                .map(|b| D::bounding_radius(&bodies[b as usize].shape));
            OVERLAP * radii[0].min(radii[1])
        });
        if overlap.depth > bound {
            let [a, b] = overlap.bodies.map(|body| names.of_body(BodyId(body)));
            let depth = overlap.depth;
            let problem = format!(
                "they overlap by {depth:.3e} at the start; move them apart, or allow it with \
                 `overlap`"
            );
            return Err(Error::part(format!("bodies `{a}` and `{b}`"), problem));
        }
    }
    Ok(())
}
