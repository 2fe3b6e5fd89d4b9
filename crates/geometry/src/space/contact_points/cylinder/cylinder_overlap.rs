//! Contact points of two cylinders with parallel features (caps, generatrices), the normal given.

use glam::DVec3;

use super::contact_collector::{ContactCollector, OtherFeature, feature, part};
use super::convex_core::{FACING, TILT};
use super::cylinder_shape::Cylinder;
use crate::dim::{Pose, Space};

/// A cylinder with its centre and axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedCylinder {
    pub centre: DVec3,
    pub x: DVec3,
    pub y: DVec3,
    pub z: DVec3,
    pub half: f64,
    pub radius: f64,
}

impl PlacedCylinder {
    pub fn new(cylinder: &Cylinder, pose: &Pose<Space>) -> Self {
        Self {
            centre: pose.position,
            x: pose.rotation * DVec3::X,
            y: pose.rotation * DVec3::Y,
            z: pose.rotation * DVec3::Z,
            half: cylinder.half,
            radius: cylinder.radius,
        }
    }

    pub fn size(&self) -> f64 {
        self.half + self.radius
    }

    /// Support function max n·(x − centre). By the cross product, not √(1 − (n·z)²), which cancels near a cap.
    pub fn width(&self, n: DVec3) -> f64 {
        self.half * n.dot(self.z).abs() + self.radius * n.cross(self.z).length()
    }

    /// Unit vector of the component of n orthogonal to the axis.
    fn radial(&self, n: DVec3) -> DVec3 {
        (n - self.z * self.z.dot(n))
            .try_normalize()
            .unwrap_or(self.x)
    }

    /// A support point along n, on the rim.
    pub fn highest(&self, n: DVec3) -> DVec3 {
        self.cap(n) + self.radial(n) * self.radius
    }

    /// 0 if the upper cap faces n, 1 if the lower one does.
    pub fn lower(&self, n: DVec3) -> u32 {
        u32::from(self.z.dot(n) < 0.0)
    }

    /// Centre of the cap that faces n.
    fn cap(&self, n: DVec3) -> DVec3 {
        self.centre + self.z * self.half.copysign(self.z.dot(n))
    }

    /// x projected along n to the plane of that cap.
    fn on_cap(&self, x: DVec3, n: DVec3) -> DVec3 {
        x - n * ((x - self.cap(n)).dot(self.z) / n.dot(self.z))
    }

    fn rim(&self, k: usize, n: DVec3) -> DVec3 {
        let local = Cylinder {
            half: self.half,
            radius: self.radius,
        }
        .rim(k, true);
        self.cap(n) + self.x * local.x + self.y * local.y
    }
}

/// Appends the contact points along n, from a to b, by the features that are parallel to the contact plane.
pub(super) fn manifold(
    a: &PlacedCylinder,
    b: &PlacedCylinder,
    n: DVec3,
    sink: &mut ContactCollector,
) {
    let (na, nb) = (n.dot(a.z).abs(), n.dot(b.z).abs());
    if na >= FACING && nb >= FACING {
        caps(a, b, n, sink);
    } else if na >= FACING && nb <= TILT {
        cap_line(a, b, n, &mut |p, q, (i, j)| {
            sink.push(p, q, n, feature(i, OtherFeature::Round(j)))
        });
    } else if nb >= FACING && na <= TILT {
        cap_line(b, a, -n, &mut |p, q, (i, j)| {
            sink.push(q, p, n, feature(j, OtherFeature::Round(i)))
        });
    } else if na <= TILT && nb <= TILT {
        sides(a, b, n, sink);
    }
}

/// Two discs: fixed points of each rim inside the other disc, and the crossings of the rims.
fn caps(a: &PlacedCylinder, b: &PlacedCylinder, n: DVec3, sink: &mut ContactCollector) {
    let (ca, cb) = (a.cap(n), b.cap(-n));
    let (la, lb) = (a.lower(n), b.lower(-n));
    // Fixed points of the rim of a, then of b.
    for k in 0..8 {
        let p = a.rim(k, n);
        let q = b.on_cap(p, -n);
        if q.distance(cb) <= b.radius * (1.0 + 1e-12) {
            let other = OtherFeature::Round(part::CAP + lb);
            sink.push(p, q, n, feature(8 * la + k as u32, other));
        }
    }
    for k in 0..8 {
        let q = b.rim(k, -n);
        let p = a.on_cap(q, n);
        if p.distance(ca) <= a.radius * (1.0 + 1e-12) {
            let other = OtherFeature::Round(8 * lb + k as u32);
            sink.push(p, q, n, feature(part::CAP + la, other));
        }
    }
    // Start without the tilt, which is small: the rims are circles; Newton's method does the rest.
    let to = a.on_cap(cb, n) - ca;
    let distance = to.length();
    let cosine = (distance * distance + (a.radius - b.radius) * (a.radius + b.radius))
        / (2.0 * distance * a.radius);
    if (distance - a.radius - b.radius).abs() <= 1e-12 * (a.radius + b.radius) {
        // The discs touch in a single point.
        let p = ca + to * (a.radius / distance);
        let id = feature(part::ENTRY + la, OtherFeature::Round(part::CAP + lb));
        sink.push(p, b.on_cap(p, -n), n, id);
        return;
    }
    if !(cosine.abs() < 1.0) {
        return;
    }
    let towards = to.dot(a.y).atan2(to.dot(a.x));
    for (sign, what) in [(1.0, part::ENTRY), (-1.0, part::EXIT)] {
        if let Some((p, q)) = crossing(a, b, n, towards + sign * cosine.acos()) {
            sink.push(
                p,
                q,
                n,
                feature(what + la, OtherFeature::Round(part::CAP + lb)),
            );
        }
    }
}

/// The point of the rim of a that lies, along n, on the rim of b, by Newton's method from the angle given.
fn crossing(
    a: &PlacedCylinder,
    b: &PlacedCylinder,
    n: DVec3,
    mut theta: f64,
) -> Option<(DVec3, DVec3)> {
    let cb = b.cap(-n);
    for _ in 0..20 {
        let (sin, cos) = theta.sin_cos();
        let p = a.cap(n) + (a.x * cos + a.y * sin) * a.radius;
        let q = b.on_cap(p, -n);
        let miss = q.distance(cb) - b.radius;
        if miss.abs() <= 1e-14 * (a.radius + b.radius) {
            return Some((p, q));
        }
        let step = (a.y * cos - a.x * sin) * a.radius;
        let along = step - n * (step.dot(b.z) / n.dot(b.z));
        let slope = along.dot(q - cb) / q.distance(cb);
        theta -= (miss / slope).clamp(-0.2, 0.2);
    }
    None
}

/// The generatrix of b closest to the cap of a, clipped by the disc. `push` gets the parts of a and b.
fn cap_line(
    a: &PlacedCylinder,
    b: &PlacedCylinder,
    n: DVec3,
    push: &mut impl FnMut(DVec3, DVec3, (u32, u32)),
) {
    let foot = b.centre - b.radial(n) * b.radius;
    let centre = a.cap(n);
    let from = a.on_cap(foot, n) - centre;
    let step = b.z - n * (b.z.dot(a.z) / n.dot(a.z));
    // |from + t step| ≤ radius.
    let length = step.length();
    let off = from.cross(step).length() / length;
    let root = (a.radius - off) * (a.radius + off);
    // A line along the rim counts, whatever the rounding.
    if !(root >= -1e-12 * a.radius * a.radius) {
        return;
    }
    let middle = -from.dot(step) / (length * length);
    let reach = root.max(0.0).sqrt() / length;
    let (cap, lower) = (part::CAP + a.lower(n), a.lower(n));
    let (low, high) = (middle - reach, middle + reach);
    if high < -b.half || low > b.half {
        return;
    }
    let mut add = |t: f64, ids| push(a.on_cap(foot + b.z * t, n), foot + b.z * t, ids);
    // The two ends: where the rim clips the generatrix, or where the generatrix ends.
    if low > -b.half {
        add(low, (part::ENTRY + lower, part::SIDE));
    } else {
        add(-b.half, (cap, part::LOWEST + 1));
    }
    if high < b.half {
        add(high, (part::EXIT + lower, part::SIDE));
    } else {
        add(b.half, (cap, part::LOWEST));
    }
}

/// Parallel sides: the ends of either that lie beside the other.
fn sides(a: &PlacedCylinder, b: &PlacedCylinder, n: DVec3, sink: &mut ContactCollector) {
    if b.z.dot(a.z).abs() < FACING {
        return;
    }
    for (end, t) in [(0, a.half), (1, -a.half)] {
        if let Some((q, p)) = side_point(b, a, -n, t) {
            let id = feature(part::END + end, OtherFeature::Round(part::SIDE));
            sink.push(p, q, n, id);
        }
    }
    for (end, t) in [(0, b.half), (1, -b.half)] {
        if let Some((p, q)) = side_point(a, b, n, t) {
            let id = feature(part::SIDE, OtherFeature::Round(part::END + end));
            sink.push(p, q, n, id);
        }
    }
}

/// Where the sides touch at the parameter t of the axis of b, if a is beside it.
///
/// ```text
/// across the axes, at a lateral distance y of the axes:  the circles touch along n
/// at the offsets  y r₁/(r₁ + r₂)  and  −y r₂/(r₁ + r₂)
/// ```
fn side_point(a: &PlacedCylinder, b: &PlacedCylinder, n: DVec3, t: f64) -> Option<(DVec3, DVec3)> {
    // Points of both axes at the same height along a.
    let axis_b = b.centre + b.z * t;
    let along = (axis_b - a.centre).dot(a.z);
    if along.abs() > a.half * (1.0 + 1e-12) {
        return None;
    }
    let axis_a = a.centre + a.z * along;
    let (wa, wb) = (a.radial(n), b.radial(n));
    let (side_a, side_b) = (a.z.cross(wa), b.z.cross(wb) * b.z.dot(a.z).signum());
    // Lateral offset of the axes, shared in the ratio of the radii.
    let y = (axis_b - axis_a).dot(side_a);
    let sum = a.radius + b.radius;
    let rise = ((1.0 - y / sum) * (1.0 + y / sum)).sqrt();
    let p = axis_a + (side_a * (y / sum) + wa * rise) * a.radius;
    let q = axis_b - (side_b * (y / sum) + wb * rise) * b.radius;
    // NaN where the circles pass each other.
    (y.abs() < sum).then_some((p, q))
}
