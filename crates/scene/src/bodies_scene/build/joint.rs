//! Joints of bodies from their specifications: frames, limits, motors, springs, friction.

mod keys;

use percuss_bodies::joint::{
    Clearance, Joint, JointCoordinate, JointFrame, JointFriction, JointKind, Limits, Motor,
    PrescribedSpeed, Spring,
};
use percuss_bodies::{Friction, Model, PairLaw, Pose, Vector};
use percuss_contact::Restitution;
use percuss_expr::{Program, Scratch};

use super::body_table::BodyTable;
use super::context::{Clock, Context, at};
use super::scene_dim::{SceneDim, in_place};
use crate::error::SceneError;
use percuss_input::tables::bodies::spec::{JointSpec, Name};
use percuss_input::{Formula, InputError};

/// Kinds of joints by keyword.
const KINDS: [(&str, JointKind); 7] = [
    ("revolute", JointKind::Revolute),
    ("prismatic", JointKind::Prismatic),
    ("spherical", JointKind::Spherical),
    ("fixed", JointKind::Fixed),
    ("distance", JointKind::Distance),
    ("cylindrical", JointKind::Cylindrical),
    ("clearance", JointKind::Clearance),
];

/// The name that stands for the world instead of a body.
const WORLD: &str = "world";

/// The speed of a motor as an expression in t.
#[derive(Debug)]
struct Pace {
    program: Program,
    scratch: Scratch,
}

impl PrescribedSpeed for Pace {
    fn at(&mut self, t: f64) -> f64 {
        let mut out = [f64::NAN];
        // One input and one output always fit; if not, the step reports NaN.
        match self.program.run(&[t], &mut self.scratch, &mut out) {
            Ok(()) => out[0],
            Err(_) => f64::NAN,
        }
    }
}

/// Initial poses of all bodies: kinematic ones where their prescribed motion puts them.
pub(super) fn places<D: SceneDim>(
    roster: &BodyTable<D>,
    model: &mut Model<D>,
    t: f64,
) -> Vec<Pose<D>> {
    let mut poses = roster.poses.clone();
    for (body, pose) in model.bodies.iter().zip(&mut poses) {
        if let percuss_bodies::Freedom::Kinematic(guide) = body.freedom
            && let Some(guide) = model.prescribed_motions.get_mut(guide as usize)
        {
            *pose = guide.at(pose, t).0;
        }
    }
    poses
}

/// Makes all joints, assembled with the bodies at `poses`.
pub(super) fn joints<D: SceneDim>(
    context: &mut Context<'_>,
    specs: &[JointSpec],
    roster: &BodyTable<D>,
    poses: &[Pose<D>],
    start: f64,
) -> Result<Vec<Joint<D>>, SceneError> {
    let mut all = Vec::new();
    for spec in specs {
        all.push(joint(context, spec, roster, poses, start)?);
    }
    Ok(all)
}

fn joint<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &JointSpec,
    roster: &BodyTable<D>,
    poses: &[Pose<D>],
    start: f64,
) -> Result<Joint<D>, Box<InputError>> {
    let part = spec.part();
    let kind = context.word(at(&part, "kind"), &spec.kind, &KINDS)?;
    if D::N == 2 && matches!(kind, JointKind::Spherical | JointKind::Cylindrical) {
        let advice = "In the plane a point is held by a \"revolute\" joint";
        let problem = "this is a joint of space";
        return Err(context.wrong(at(&part, "kind"), &spec.kind, problem, advice));
    }
    // Keys must fit the kind of joint.
    keys::require_fitting::<D>(context, spec, kind)?;
    // The two ends; at least one must be movable.
    let mut bodies = [None; 2];
    for (body, name) in bodies.iter_mut().zip(&spec.between) {
        *body = end(context, &part, roster, name)?;
    }
    let movable = |body: &Option<u32>| body.is_some_and(|b| roster.moves(b));
    if !bodies.iter().any(movable) {
        let problem = "none of its bodies ever follows forces: it would do nothing";
        return Err(context.part_error(&part, spec.line, problem, "Free one of them"));
    }
    // Frames, then reference angle and length at assembly.
    let sides = sides(context, spec, kind, roster, poses, bodies)?;
    let mut joint = Joint::new(&spec.name, kind, sides);
    joint.contact = spec.contact;
    let pose = |body: Option<u32>| body.and_then(|b| poses.get(b as usize).copied());
    let angle = |body| pose(body).map_or(0.0, |pose| D::plane_angle(&pose.rotation));
    joint.reference_angle = angle(bodies[1]) - angle(bodies[0]);
    let place = |k: usize| {
        let pose = pose(bodies[k]).unwrap_or(in_place());
        pose.position + D::rotate(&pose.rotation, joint.frames[k].point)
    };
    joint.length = (place(1) - place(0)).norm();
    if let Some(length) = &spec.length {
        joint.length = context.positive(at(&part, "length"), length)?;
    }
    // Which coordinate of a cylindrical joint limits, motor and spring act on.
    if let Some(about) = &spec.about {
        let known = [
            ("slide", JointCoordinate::Displacement),
            ("turn", JointCoordinate::Angle),
        ];
        joint.coordinate = context.word(at(&part, "about"), about, &known)?;
    }
    attach(context, spec, &mut joint, start)?;
    Ok(joint)
}

/// The body at an end of a joint; `None` for the world.
fn end<D: SceneDim>(
    context: &Context<'_>,
    part: &str,
    roster: &BodyTable<D>,
    name: &Name,
) -> Result<Option<u32>, Box<InputError>> {
    match roster.body(context, at(part, "between"), name) {
        Ok(body) => Ok(Some(body)),
        Err(_) if name.text == WORLD => Ok(None),
        Err(error) => Err(error),
    }
}

/// Points and frames of a joint in the axes of its two bodies.
fn sides<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &JointSpec,
    kind: JointKind,
    roster: &BodyTable<D>,
    poses: &[Pose<D>],
    bodies: [Option<u32>; 2],
) -> Result<[JointFrame<D>; 2], Box<InputError>> {
    let part = spec.part();
    // The frame in world axes, its first axis that of the joint.
    let frame = match &spec.axis {
        None => D::contact_frame(D::Vector::from_components(&[1.0])),
        Some(axis) => {
            let axis = context.direction(at(&part, "axis"), axis, "the axis")?;
            D::contact_frame(D::Vector::from_components(&axis))
        }
    };
    let pose = |k: usize| {
        let known = bodies[k].and_then(|body| poses.get(body as usize).copied());
        known.unwrap_or(in_place())
    };
    let points = points(context, spec, kind, roster, [pose(0), pose(1)], bodies)?;
    // Both bodies have the same frame at assembly.
    Ok([0, 1].map(|k| {
        let axes = frame.as_ref();
        JointFrame {
            body: bodies[k],
            point: points[k],
            axes: D::frame_of(|i| D::rotate_back(&pose(k).rotation, axes[i])),
        }
    }))
}

/// The two points of a joint in body axes, given in world axes or in the axes of the shapes.
fn points<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &JointSpec,
    kind: JointKind,
    roster: &BodyTable<D>,
    poses: [Pose<D>; 2],
    bodies: [Option<u32>; 2],
) -> Result<[D::Vector; 2], Box<InputError>> {
    let part = spec.part();
    match (&spec.at, &spec.anchors) {
        (Some(points), None) => {
            let points = context.points(at(&part, "at"), points)?;
            let two = kind == JointKind::Distance;
            if points.len() != 1 + usize::from(two) {
                let expected = if two { "two points" } else { "one point" };
                let kind = kind.name();
                let problem = format!("`at` of a {kind} joint is {expected} in space");
                return Err(context.part_error(&part, spec.line, problem, ""));
            }
            Ok([0, 1].map(|k| {
                let point = D::Vector::from_components(&points[k.min(points.len() - 1)]);
                D::rotate_back(&poses[k].rotation, point - poses[k].position)
            }))
        }
        (None, Some(points)) => {
            let points = context.points(at(&part, "anchors"), points)?;
            if points.len() != 2 {
                let problem = "`anchors` are two points, one for each body";
                return Err(context.part_error(&part, spec.line, problem, ""));
            }
            Ok([0, 1].map(|k| {
                let own = bodies[k].and_then(|body| roster.placements.get(body as usize).copied());
                let own = own.unwrap_or(in_place());
                D::rotate_back(
                    &own.rotation,
                    D::Vector::from_components(&points[k]) - own.position,
                )
            }))
        }
        _ => {
            let problem = "one of `at` and `anchors` was expected";
            let advice = "`at` is the joint's place in space at the start, `anchors` are its places \
                          in the axes that the shapes of the two bodies are described in";
            Err(context.part_error(&part, spec.line, problem, advice))
        }
    }
}

/// Adds limits, motor, spring, friction and play on the joint coordinate.
fn attach<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &JointSpec,
    joint: &mut Joint<D>,
    start: f64,
) -> Result<(), Box<InputError>> {
    let part = spec.part();
    joint.limits = limits(context, spec)?;
    joint.motor = motor(context, spec, start)?;
    joint.spring = spring(context, spec, joint)?;
    let friction = match &spec.friction {
        None => 0.0,
        Some(friction) => context.not_negative(at(&part, "friction"), friction)?,
    };
    let radius = match &spec.radius {
        None => 0.0,
        Some(radius) => context.positive(at(&part, "radius"), radius)?,
    };
    // Friction of an ideal joint; with clearance it is that of the contact of pin and hole.
    if joint.kind != JointKind::Clearance {
        if friction > 0.0 {
            joint.friction = Some(JointFriction {
                coefficient: friction,
                radius,
            });
        }
        return Ok(());
    }
    // A joint with clearance is a contact between pin and hole.
    let normal = restitution(context, &part, spec.restitution.as_ref())?;
    let play = match &spec.play {
        None => 0.0,
        Some(play) => context.positive(at(&part, "play"), play)?,
    };
    joint.clearance = Some(Clearance {
        pin: radius,
        play,
        law: PairLaw {
            friction: Friction::Coulomb(friction),
            restitution: Restitution {
                normal,
                tangential: 0.0,
            },
            ..PairLaw::default()
        },
    });
    Ok(())
}

fn spring<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &JointSpec,
    joint: &Joint<D>,
) -> Result<Option<Spring>, Box<InputError>> {
    let Some([stiffness, rest, damping]) = &spec.spring else {
        return Ok(None);
    };
    let inner = format!("{}, spring", spec.part());
    let mut value = |key, formula: &Option<Formula>| match formula {
        None => Ok(0.0),
        Some(formula) => context.not_negative(at(&inner, key), formula),
    };
    let (stiffness, damping) = (value("stiffness", stiffness)?, value("damping", damping)?);
    let rest = match rest {
        Some(rest) => context.number(at(&inner, "rest"), rest)?,
        // A distance has its initial length, other coordinates begin at 0.
        None if joint.kind == JointKind::Distance => joint.length,
        None => 0.0,
    };
    Ok(Some(Spring {
        stiffness,
        rest,
        damping,
    }))
}

fn restitution(
    context: &mut Context<'_>,
    part: &str,
    formula: Option<&Formula>,
) -> Result<f64, Box<InputError>> {
    let Some(formula) = formula else {
        return Ok(0.0);
    };
    let place = at(part, "restitution");
    let value = context.number(place, formula)?;
    match (0.0..=1.0).contains(&value) {
        true => Ok(value),
        false => Err(context.not_that(place, formula, value, "a number from 0 to 1 was expected")),
    }
}

fn limits(context: &mut Context<'_>, spec: &JointSpec) -> Result<Option<Limits>, Box<InputError>> {
    let Some([low, high, rebound]) = &spec.limits else {
        return Ok(None);
    };
    let part = format!("{}, limits", spec.part());
    let mut value = |key, formula: &Option<Formula>, none: f64| match formula {
        None => Ok(none),
        Some(formula) => context.number(at(&part, key), formula),
    };
    // A missing limit is infinite.
    let (low_value, high_value) = (
        value("low", low, f64::NEG_INFINITY)?,
        value("high", high, f64::INFINITY)?,
    );
    if low.is_none() && high.is_none() {
        let problem = "one of `low` and `high` was expected";
        return Err(context.part_error(&part, spec.line, problem, ""));
    }
    if low_value > high_value {
        let problem = format!("`low` = {low_value} is above `high` = {high_value}");
        return Err(context.part_error(&part, spec.line, problem, ""));
    }
    Ok(Some(Limits {
        low: low_value,
        high: high_value,
        restitution: restitution(context, &part, rebound.as_ref())?,
    }))
}

fn motor(
    context: &mut Context<'_>,
    spec: &JointSpec,
    start: f64,
) -> Result<Option<Motor>, Box<InputError>> {
    let Some((speed, bound)) = &spec.motor else {
        return Ok(None);
    };
    let part = format!("{}, motor", spec.part());
    let bound = match bound {
        None => f64::INFINITY,
        Some(bound) => context.positive(at(&part, "bound"), bound)?,
    };
    // The value at the start must be finite.
    context.at_time(at(&part, "speed"), speed, start)?;
    let mut clock = Clock::new(context)?;
    let node = clock.parse(context, at(&part, "speed"), speed)?;
    Ok(Some(Motor {
        speed: Box::new(Pace {
            program: Program::compile(&clock.graph, &[node]),
            scratch: Scratch::new(),
        }),
        bound,
    }))
}
