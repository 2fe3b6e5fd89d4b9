//! Ray casting: exact intersection of a viewing ray with a surface.
//!
//! The ray through (x, y) is (x, y, t) with t towards the viewer; the largest t on the surface is visible. With
//! d = (x, y) − centre, axis a (unit), m = d·a in the plane of the screen:
//!
//! ```text
//! ball       t = √(r² − d²)
//! cylinder   (1 − a_z²) t² − 2 a_z m t + d² − m² = r²,   |m + a_z t| ≤ half length
//!            and its ends  m + a_z t = ± half length
//! ```

use super::depth_buffer::Vector;

/// Squared sine below which an axis counts as parallel to the ray: the lateral surface is then not visible.
const END_ON: f64 = 1e-12;

/// Sphere about the origin: depth and normal.
pub(super) fn intersect_sphere(d: [f64; 2], r: f64) -> Option<(f64, Vector)> {
    let left = r * r - d[0] * d[0] - d[1] * d[1];
    if !(left >= 0.0) {
        return None;
    }
    let t = left.sqrt();
    Some((t, [d[0] / r, d[1] / r, t / r]))
}

/// A capsule or cylinder about the origin: axis, half length of its straight part, radius.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rod {
    pub axis: Vector,
    pub half: f64,
    pub radius: f64,
}

impl Rod {
    /// Intersection with the lateral surface between the ends.
    fn side(&self, d: [f64; 2]) -> Option<(f64, Vector)> {
        let [ax, ay, az] = self.axis;
        let across = ax * ax + ay * ay;
        if across < END_ON {
            return None;
        }
        // Quadratic equation in t; the larger root is visible.
        let m = d[0] * ax + d[1] * ay;
        let b = -az * m;
        let c = d[0] * d[0] + d[1] * d[1] - m * m - self.radius * self.radius;
        let left = b * b - across * c;
        if !(left >= 0.0) {
            return None;
        }
        let t = (left.sqrt() - b) / across;
        // Between the ends of the straight part.
        let along = m + az * t;
        let normal = [d[0] - along * ax, d[1] - along * ay, t - along * az];
        (along.abs() <= self.half).then(|| (t, normal.map(|x| x / self.radius)))
    }

    /// Capsule: hemispherical ends.
    pub(super) fn intersect_capsule(&self, d: [f64; 2]) -> Option<(f64, Vector)> {
        let end = |sign: f64| {
            let by = self.axis.map(|x| sign * self.half * x);
            let met = intersect_sphere([d[0] - by[0], d[1] - by[1]], self.radius);
            met.map(|(t, normal)| (t + by[2], normal))
        };
        nearest([self.side(d), end(1.0), end(-1.0)])
    }

    /// Cylinder: flat ends.
    pub(super) fn intersect_cylinder(&self, d: [f64; 2]) -> Option<(f64, Vector)> {
        let [ax, ay, az] = self.axis;
        // The end cap that faces the viewer.
        let sign = if az < 0.0 { -1.0 } else { 1.0 };
        let m = d[0] * ax + d[1] * ay;
        let end = || {
            if az.abs() < END_ON {
                return None;
            }
            let t = (sign * self.half - m) / az;
            let from = [
                d[0] - sign * self.half * ax,
                d[1] - sign * self.half * ay,
                t - sign * self.half * az,
            ];
            let away: f64 = from.iter().map(|x| x * x).sum();
            (away <= self.radius * self.radius).then(|| (t, self.axis.map(|x| sign * x)))
        };
        nearest([self.side(d), end(), None])
    }

    /// Half-extent of its bounding box on screen, and of its depth; valid for capsule and cylinder.
    pub(super) fn half_extent(&self) -> Vector {
        self.axis.map(|x| self.half * x.abs() + self.radius)
    }
}

fn nearest(met: [Option<(f64, Vector)>; 3]) -> Option<(f64, Vector)> {
    let all = met.into_iter().flatten();
    all.reduce(|a, b| if b.0 > a.0 { b } else { a })
}

/// A front-facing convex face.
#[derive(Debug, Clone)]
pub(super) struct Face {
    corners: Vec<Vector>,
    normal: Vector,
}

impl Face {
    /// From its corners, in either orientation, and its unit normal; `None` for a back face.
    pub(super) fn of(corners: Vec<Vector>, normal: Vector) -> Option<Self> {
        let seen = normal[2] > 1e-6 && corners.iter().flatten().all(|x| x.is_finite());
        (seen && corners.len() > 2).then_some(Self { corners, normal })
    }

    /// Bounding box on screen and largest depth.
    pub(super) fn bounds(&self) -> (([f64; 2], [f64; 2]), f64) {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 3];
        for corner in &self.corners {
            for k in 0..3 {
                high[k] = high[k].max(corner[k]);
            }
            for k in 0..2 {
                low[k] = low[k].min(corner[k]);
            }
        }
        ((low, [high[0], high[1]]), high[2])
    }

    /// Depth and normal where the ray through a point intersects the face.
    pub(super) fn intersect(&self, x: f64, y: f64) -> Option<(f64, Vector)> {
        let next = self.corners.iter().cycle().skip(1);
        // Inside the polygon: on the same side of all edges.
        let (mut left, mut right) = (true, true);
        for (a, b) in self.corners.iter().zip(next) {
            let side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
            left &= side >= 0.0;
            right &= side <= 0.0;
        }
        if !(left || right) {
            return None;
        }
        // Depth on the plane of the face.
        let (n, a) = (self.normal, self.corners.first()?);
        let near = a[2] - (n[0] * (x - a[0]) + n[1] * (y - a[1])) / n[2];
        Some((near, n))
    }
}
