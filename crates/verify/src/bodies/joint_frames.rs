//! Joint frames in space, bilateral constraint functions of a joint, and its coordinate.

use percuss_scene::model::bodies::joint::{JointCoordinate, JointKind};
use percuss_scene::model::bodies::{Dim, Joint, Vector};

use super::super::vector::{IDENTITY, V3, add, cross, dot, norm, rotate, sub, unit};
use super::scene_data::SpatialPose;

/// The two frames of a joint in space.
pub(super) struct JointFrames {
    pub points: [V3; 2],
    pub axes: [[V3; 3]; 2],
    angle: f64,
}

pub(super) fn three(vector: &impl Vector) -> V3 {
    let mut out = [0.0; 3];
    for (out, x) in out.iter_mut().zip(vector.components()) {
        *out = *x;
    }
    out
}

pub(super) fn joint_frames<D: Dim>(joint: &Joint<D>, stands: &[SpatialPose]) -> JointFrames {
    let mut ends = JointFrames {
        points: [[0.0; 3]; 2],
        axes: [[[0.0; 3]; 3]; 2],
        angle: -joint.reference_angle,
    };
    for (k, side) in joint.frames.iter().enumerate() {
        // A side without a body is fixed in space.
        let known = side.body.and_then(|body| stands.get(body as usize));
        let stand = known.copied().unwrap_or(SpatialPose {
            x: [0.0; 3],
            q: IDENTITY,
            angle: 0.0,
        });
        ends.points[k] = add(stand.x, rotate(stand.q, three(&side.point)));
        for (axis, own) in ends.axes[k].iter_mut().zip(side.axes.as_ref()) {
            *axis = rotate(stand.q, three(own));
        }
        ends.angle += if k == 0 { -stand.angle } else { stand.angle };
    }
    ends
}

/// Bilateral constraint functions: whether rotational, direction, value.
pub(super) fn held<D: Dim>(joint: &Joint<D>, ends: &JointFrames) -> Vec<(bool, V3, f64)> {
    let d = sub(ends.points[1], ends.points[0]);
    let [e, f] = &ends.axes;
    let n = D::N;
    let mut all = Vec::new();
    // Translations: all axes, or all but the sliding axis.
    let first = match joint.kind {
        JointKind::Revolute | JointKind::Spherical | JointKind::Fixed => Some(0),
        JointKind::Prismatic | JointKind::Cylindrical => Some(1),
        JointKind::Distance | JointKind::Clearance => None,
    };
    if let Some(first) = first {
        all.extend((first..n).map(|i| (false, e[i], dot(d, e[i]))));
    }
    if joint.kind == JointKind::Distance && joint.rigid() {
        all.push((false, unit(d), norm(d) - joint.length));
    }
    // Rotations: axes of both frames that stay orthogonal.
    let mut across = |i: usize, j: usize| all.push((true, cross(f[j], e[i]), dot(e[i], f[j])));
    match (joint.kind, n) {
        (JointKind::Fixed | JointKind::Prismatic, 2) => {
            all.push((true, [0.0, 0.0, 1.0], ends.angle))
        }
        (JointKind::Fixed | JointKind::Prismatic, _) => {
            across(1, 0);
            across(2, 0);
            across(2, 1);
        }
        (JointKind::Revolute | JointKind::Cylindrical, 3) => {
            across(1, 0);
            across(2, 0);
        }
        _ => {}
    }
    all
}

/// The joint coordinate: its value, whether it is an angle, its direction.
pub(super) fn coordinate<D: Dim>(joint: &Joint<D>, ends: &JointFrames) -> (f64, bool, V3) {
    let d = sub(ends.points[1], ends.points[0]);
    let [e, f] = &ends.axes;
    match joint.coordinate {
        JointCoordinate::Angle if D::N == 2 => (ends.angle, true, [0.0, 0.0, 1.0]),
        JointCoordinate::Angle => (dot(e[2], f[1]).atan2(dot(e[1], f[1])), true, e[0]),
        JointCoordinate::Displacement => (dot(d, e[0]), false, e[0]),
        JointCoordinate::Distance => {
            let toward = if norm(d) > 0.0 { unit(d) } else { e[0] };
            (norm(d), false, toward)
        }
    }
}
