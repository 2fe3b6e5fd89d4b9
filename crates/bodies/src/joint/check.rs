//! Checks of the joints before a run, connected components of joints, and excluded pairs of bodies.

use super::rows::PlacedFrames;
use super::{Joint, JointKind};
use crate::body::Body;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use percuss_geometry::{Pose, Vector};

/// Largest initial violation of a constraint, relative to the bodies; the initial projection removes it.
const APART: f64 = 1e-6;

/// Checks all joints at the initial poses.
pub(crate) fn check<D: Dynamics>(
    joints: &[Joint<D>],
    bodies: &[Body<D>],
    poses: &[Pose<D>],
) -> Result<(), WorldError> {
    for joint in joints {
        sides(bodies, joint)?;
        numbers(joint)?;
        together(bodies, joint, poses)?;
    }
    Ok(())
}

/// The error of a joint with its name and kind.
fn refuse<D: Dynamics>(joint: &Joint<D>, problem: &str) -> Result<(), WorldError> {
    let (name, kind) = (&joint.name, joint.kind.name());
    Err(WorldError::Joint(format!(
        "joint `{name}` ({kind}): {problem}"
    )))
}

/// Checks the bodies of a joint, and that its kind exists in this dimension.
fn sides<D: Dynamics>(bodies: &[Body<D>], joint: &Joint<D>) -> Result<(), WorldError> {
    // Both frames on existing, different bodies.
    let ends = joint.frames.map(|side| side.body);
    let known = |body: Option<u32>| body.is_none_or(|b| (b as usize) < bodies.len());
    if !ends.into_iter().all(known) {
        return refuse(joint, "it is at a body that does not exist");
    }
    if ends[0] == ends[1] {
        return refuse(joint, "both of its ends are at the same body");
    }
    match (joint.kind, D::N) {
        (JointKind::Spherical | JointKind::Cylindrical, 2) => {
            refuse(joint, "this kind is one of space")
        }
        (JointKind::Clearance, _) if ends.contains(&None) => refuse(
            joint,
            "a hole needs a body: make one with `fixed = true` for the world",
        ),
        _ => Ok(()),
    }
}

/// Checks that positions are finite, and that friction, drive and clearance fit the kind of joint.
fn numbers<D: Dynamics>(joint: &Joint<D>) -> Result<(), WorldError> {
    // Points, axes, reference angle and length.
    let finite = joint.frames.iter().all(|side| {
        let axes = side.axes.as_ref().iter().all(|axis| axis.is_finite());
        side.point.is_finite() && axes
    });
    if !finite || !joint.reference_angle.is_finite() || !joint.length.is_finite() {
        return refuse(joint, "its place is not finite");
    }
    // Limits, motor and spring need a coordinate; friction needs a sliding pair.
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

/// Checks the numbers of limits, motor, friction, spring and clearance.
fn parts<D: Dynamics>(joint: &Joint<D>) -> Result<(), WorldError> {
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
    // Absent parts are replaced by neutral ones, so that one test serves both.
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

/// Checks that the constraints of the joint are satisfied at the start.
fn together<D: Dynamics>(
    bodies: &[Body<D>],
    joint: &Joint<D>,
    poses: &[Pose<D>],
) -> Result<(), WorldError> {
    // Constraint values at the initial poses.
    let ends = joint.placed_frames(poses);
    let (size, mut held) = (joint.length_scale(bodies), Vec::new());
    joint.bilateral_constraints(&ends, &mut held);
    let apart = ends.separation().norm();
    if joint.kind == JointKind::Distance && !(apart > APART * size) {
        return refuse(
            joint,
            "its two points coincide, so that it has no direction",
        );
    }
    // Violation of the linear and of the angular constraints.
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
    // Constraints e·f = 0 also hold for opposite axes: those are rejected, too.
    if turn > APART || joint.misaligned(&ends) {
        let problem = format!(
            "its axes do not coincide at the start, they are {turn:.6e} rad apart: turn the bodies \
             or its axes"
        );
        return refuse(joint, &problem);
    }
    inside(joint, &ends, size)
}

/// Checks that the coordinate is within its limits, and the pin in its hole.
fn inside<D: Dynamics>(
    joint: &Joint<D>,
    ends: &PlacedFrames<D>,
    size: f64,
) -> Result<(), WorldError> {
    let apart = ends.separation().norm();
    let value = joint.value(ends, joint.coordinate);
    // Coordinate within the limits, to the tolerance of the initial state.
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

impl<D: Dynamics> Joint<D> {
    /// Length by which angles are multiplied to compare them with distances: the largest extent of its bodies
    /// and of its points' distances from their centres; 1 if there is none.
    pub(crate) fn length_scale(&self, bodies: &[Body<D>]) -> f64 {
        let mut size = 0.0_f64;
        for side in &self.frames {
            let body = side.body.and_then(|body| bodies.get(body as usize));
            if let Some(body) = body {
                let radius = D::bounding_radius(&body.shape);
                let radius = if radius.is_finite() { radius } else { 0.0 };
                size = size.max(radius).max(side.point.norm());
            }
        }
        if size > 0.0 { size } else { 1.0 }
    }

    /// Whether axes are opposite: the constraints e·f = 0 hold, but the axes' product is −1.
    fn misaligned(&self, ends: &PlacedFrames<D>) -> bool {
        let aligned = matches!(
            self.kind,
            JointKind::Revolute | JointKind::Cylindrical | JointKind::Fixed | JointKind::Prismatic
        );
        aligned
            && D::N == 3
            && ends.opposed(matches!(self.kind, JointKind::Fixed | JointKind::Prismatic))
    }
}

/// Connected components of the joints with movable bodies: those that share a movable body, by union–find, in
/// the order of the joints.
pub(crate) fn components<D: Dynamics>(joints: &[Joint<D>], bodies: &[Body<D>]) -> Vec<Vec<usize>> {
    let n = bodies.len();
    // Union–find with path halving; the smaller index is the root.
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
        let known = bodies.get(body)?;
        known.freedom.movable().then_some(body)
    };
    for joint in joints {
        if let [Some(a), Some(b)] = [&joint.frames[0], &joint.frames[1]].map(movable) {
            let (x, y) = (root(&mut parent, a), root(&mut parent, b));
            parent[x.max(y)] = x.min(y);
        }
    }
    // Joints by the root of their component.
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut slot = vec![usize::MAX; n];
    for (number, joint) in joints.iter().enumerate() {
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

/// Pairs of jointed bodies that are excluded from contact detection, sorted.
pub(crate) fn excluded<D: Dynamics>(joints: &[Joint<D>]) -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    // Joints between two bodies exclude contact unless it is requested.
    for joint in joints.iter().filter(|joint| !joint.contact) {
        if let [Some(a), Some(b)] = joint.frames.map(|side| side.body) {
            pairs.push([a.min(b), a.max(b)]);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
