//! Contact points of a cylinder and a half-space.

use glam::DVec3;

use super::contact_collector::{ContactCollector, OtherFeature, feature, part};
use super::convex_core::FACING;
use super::cylinder_shape::{Cylinder, radial};
use crate::dim::{Pose, Space};

/// Standing: eight fixed points of the rim, and the lowest one if it is lower. Lying or inclined: both ends of the
/// lowest generatrix. All with their own gaps, if within the contact margin.
pub(super) fn half_space(cylinder: &Cylinder, plane: &Pose<Space>, sink: &mut ContactCollector) {
    let up = plane.rotation * DVec3::Z;
    let n = -up;
    let mut add = |a: DVec3, id: u32| {
        let gap = up.dot(a - plane.position);
        sink.push(a, a + n * gap, n, feature(id, OtherFeature::Any));
    };
    let w = radial(n) * cylinder.radius;
    let end = DVec3::Z * cylinder.half;
    // Lying or inclined.
    if n.z.abs() < FACING {
        add(w + end, part::LOWEST);
        add(w - end, part::LOWEST + 1);
        return;
    }
    // Standing.
    let lower = u32::from(n.z < 0.0);
    for k in 0..8 {
        add(cylinder.rim(k, lower == 0), 8 * lower + k as u32);
    }
    let deepest = up.dot(cylinder.highest(n) - plane.position);
    if !(sink.least() <= deepest + 1e-10 * cylinder.size()) {
        let a = cylinder.highest(n);
        sink.push(
            a,
            a + n * deepest,
            n,
            feature(part::LOWEST + lower, OtherFeature::Any),
        );
    }
}
