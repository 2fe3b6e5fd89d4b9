//! What joints must satisfy before they may move, and which belong together.

use super::rows::PlacedFrames;
use super::{Joint, JointKind};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::model::Model;
use crate::pose::Pose;
use crate::vector::Vector;

/// Held functions may differ from 0 by this share of the bodies' size at the start; the first step
/// takes it away.
const APART: f64 = 1e-6;

/// All joints of a model where its bodies are at the start.
pub(crate) fn check<D: Dim>(model: &Model<D>, poses: &[Pose<D>]) -> Result<(), WorldError> {
    for joint in &model.joints {
        sides(model, joint)?;
        numbers(joint)?;
        together(model, joint, poses)?;
    }
    Ok(())
}

fn refuse<D: Dim>(joint: &Joint<D>, problem: &str) -> Result<(), WorldError> {
    let (name, kind) = (&joint.name, joint.kind.name());
    Err(WorldError::Joint(format!(
        "joint `{name}` ({kind}): {problem}"
    )))
}

fn sides<D: Dim>(model: &Model<D>, joint: &Joint<D>) -> Result<(), WorldError> {
    let bodies = joint.frames.map(|side| side.body);
    let known = |body: Option<u32>| body.is_none_or(|b| (b as usize) < model.bodies.len());
    if !bodies.into_iter().all(known) {
        return refuse(joint, "it is at a body that does not exist");
    }
    if bodies[0] == bodies[1] {
        return refuse(joint, "both of its ends are at the same body");
    }
    match (joint.kind, D::N) {
        (JointKind::Spherical | JointKind::Cylindrical, 2) => refuse(joint, "this kind is one of space"),
        (JointKind::Clearance, _) if bodies.contains(&None) => refuse(
            joint,
            "a hole needs a body: make one with `fixed = true` for the world",
        ),
        _ => Ok(()),
    }
}

fn numbers<D: Dim>(joint: &Joint<D>) -> Result<(), WorldError> {
    let finite = joint.frames.iter().all(|side| {
        let axes = side.axes.as_ref().iter().all(|axis| axis.is_finite());
        side.point.is_finite() && axes
    });
    if !finite || !joint.reference_angle.is_finite() || !joint.length.is_finite() {
        return refuse(joint, "its place is not finite");
    }
    let driven = joint.limits.is_some() || joint.motor.is_some() || joint.spring.is_some();
    if driven && !joint.has_coordinate() {
        return refuse(
            joint,
            "it has no coordinate for limits, a motor or a spring",
        );
    }
    let rubs = matches!(
        joint.kind,
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Spherical
    );
    if joint.friction.is_some() && !rubs {
        return refuse(joint, "it has nothing that could rub");
    }
    if (joint.kind == JointKind::Clearance) != joint.clearance.is_some() {
        return refuse(joint, "a clearance, and nothing else, has a pin and play");
    }
    parts(joint)
}

/// Numbers of limits, motor, friction, spring, clearance.
fn parts<D: Dim>(joint: &Joint<D>) -> Result<(), WorldError> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let not_negative = |x: f64| x >= 0.0 && x.is_finite();
    if let Some(limits) = &joint.limits
        && !(limits.low <= limits.high && (0.0..=1.0).contains(&limits.restitution))
    {
        return refuse(joint, "its limits are none");
    }
    if joint
        .motor
        .as_ref()
        .is_some_and(|motor| !(motor.bound > 0.0))
    {
        return refuse(joint, "the bound of its motor is not positive");
    }
    let rub = joint.friction.unwrap_or(super::JointFriction {
        coefficient: 0.0,
        radius: 0.0,
    });
    let spring = joint.spring.unwrap_or(super::Spring {
        stiffness: 0.0,
        rest: 0.0,
        damping: 0.0,
    });
    if !not_negative(rub.coefficient) || !not_negative(rub.radius) {
        return refuse(joint, "its friction is negative");
    }
    let springs = [spring.stiffness, spring.damping];
    if !springs.into_iter().all(not_negative) || !spring.rest.is_finite() {
        return refuse(joint, "its spring is none");
    }
    match &joint.clearance {
        Some(of) if !(positive(of.pin) && positive(of.play)) => {
            refuse(joint, "its pin or its play is not positive")
        }
        _ => Ok(()),
    }
}

/// Whether what the joint holds holds at the start.
fn together<D: Dim>(
    model: &Model<D>,
    joint: &Joint<D>,
    poses: &[Pose<D>],
) -> Result<(), WorldError> {
    let ends = joint.placed_frames(poses);
    let (size, mut held) = (joint.length_scale(model), Vec::new());
    joint.bilateral_constraints(&ends, &mut held);
    let apart = ends.separation().norm();
    if joint.kind == JointKind::Distance && !(apart > APART * size) {
        return refuse(
            joint,
            "its two points coincide, so that it has no direction",
        );
    }
    let (mut gap, mut turn) = (0.0_f64, 0.0_f64);
    for held in &held {
        match held.row.angular {
            true => turn = turn.max(held.value.abs()),
            false => gap = gap.hypot(held.value),
        }
    }
    if joint.kind == JointKind::Distance && gap > APART * size {
        let length = joint.length;
        let problem = format!(
            "its length is {length}, but its points are {apart} apart at the start: give this \
             length, or move the bodies"
        );
        return refuse(joint, &problem);
    }
    if gap > APART * size {
        let problem = format!(
            "its points do not coincide at the start, they are {gap:.6e} apart in the directions \
             it holds: move the bodies or its points"
        );
        return refuse(joint, &problem);
    }
    // The frames of both sides are the same at the start, or this joint is not one.
    if turn > APART || joint.misaligned(&ends) {
        let problem = format!(
            "its axes do not coincide at the start, they are {turn:.6e} rad apart: turn the bodies \
             or its axes"
        );
        return refuse(joint, &problem);
    }
    inside(joint, &ends, size)
}

/// Whether the coordinate is within its limits, and the pin in its hole.
fn inside<D: Dim>(joint: &Joint<D>, ends: &PlacedFrames<D>, size: f64) -> Result<(), WorldError> {
    let apart = ends.separation().norm();
    let value = joint.value(ends, joint.coordinate);
    let out = |limits: &super::Limits| {
        value < limits.low - APART * size.max(1.0) || value > limits.high + APART * size.max(1.0)
    };
    if joint.limits.as_ref().is_some_and(out) {
        let problem = format!("its coordinate is {value} at the start, outside its limits");
        return refuse(joint, &problem);
    }
    match &joint.clearance {
        Some(of) if apart > of.play + APART * size => {
            let (play, deep) = (of.play, apart - of.play);
            let problem = format!(
                "the pin is {apart:.6e} off the middle of its hole at the start, more than its play \
                 {play}: {deep:.3e} too far"
            );
            refuse(joint, &problem)
        }
        _ => Ok(()),
    }
}

impl<D: Dim> Joint<D> {
    /// A length that angles are multiplied by: how far its bodies reach from its points.
    pub(crate) fn length_scale(&self, model: &Model<D>) -> f64 {
        let mut size = 0.0_f64;
        for side in &self.frames {
            let body = side.body.and_then(|body| model.bodies.get(body as usize));
            if let Some(body) = body {
                let radius = D::bounding_radius(&body.shape);
                let radius = if radius.is_finite() { radius } else { 0.0 };
                size = size.max(radius).max(side.point.norm());
            }
        }
        if size > 0.0 { size } else { 1.0 }
    }

    /// Whether the axes are opposite: e·f = 0 across, but −1 along.
    fn misaligned(&self, ends: &PlacedFrames<D>) -> bool {
        let aligned = matches!(
            self.kind,
            JointKind::Revolute | JointKind::Cylindrical | JointKind::Fixed | JointKind::Prismatic
        );
        aligned && D::N == 3 && ends.opposed(matches!(self.kind, JointKind::Fixed | JointKind::Prismatic))
    }
}

/// Components of joints that hold something: those that share a movable body, in order.
pub(crate) fn components<D: Dim>(model: &Model<D>) -> Vec<Vec<usize>> {
    let n = model.bodies.len();
    let mut parent: Vec<usize> = (0..n).collect();
    fn root(parent: &mut [usize], mut x: usize) -> usize {
        while parent[x] != x {
            parent[x] = parent[parent[x]];
            x = parent[x];
        }
        x
    }
    let movable = |side: &super::JointFrame<D>| {
        let body = side.body? as usize;
        let known = model.bodies.get(body)?;
        known.freedom.movable().then_some(body)
    };
    for joint in &model.joints {
        if let [Some(a), Some(b)] = [&joint.frames[0], &joint.frames[1]].map(movable) {
            let (x, y) = (root(&mut parent, a), root(&mut parent, b));
            parent[x.max(y)] = x.min(y);
        }
    }
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut slot = vec![usize::MAX; n];
    for (number, joint) in model.joints.iter().enumerate() {
        let Some(body) = joint.frames.iter().find_map(movable) else {
            continue;
        };
        let lead = root(&mut parent, body);
        if slot[lead] == usize::MAX {
            slot[lead] = all.len();
            all.push(Vec::new());
        }
        all[slot[lead]].push(number);
    }
    all
}

/// Pairs of bodies whose shapes do not touch each other, sorted.
pub(crate) fn excluded<D: Dim>(model: &Model<D>) -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for joint in model.joints.iter().filter(|joint| !joint.contact) {
        if let [Some(a), Some(b)] = joint.frames.map(|side| side.body) {
            pairs.push([a.min(b), a.max(b)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
