//! Segments of the path of a falling grain, and where they enter an obstacle.
//!
//! ```text
//! arc:   p(φ) = o + ρ·(cos φ u + sin φ w),   φ ≥ 0
//! fall:  p(s) = o − s·e,                     s ≥ 0
//! ```
//!
//! Along an arc both |p − c|² − R² and n·p − d have the form a + b cos φ + c sin φ; along a fall they
//! are a quadratic and a linear function. Where the function is negative, the grain would be inside the
//! obstacle: one interval in either case, given by its middle and its half-width. It is entered if
//! its middle is still ahead. So an obstacle that is just being left, at which rounding may put the
//! grain slightly inside, is told from one just being reached.

use std::f64::consts::PI;

use crate::generator_dim::Vec3;

/// A set that the centre of a grain cannot enter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GrainObstacle {
    /// A grain: |p − centre| ≥ reach.
    Ball { centre: Vec3, reach: f64 },
    /// A wall or the floor: normal·p ≥ offset.
    Wall { normal: Vec3, offset: f64 },
}

impl GrainObstacle {
    /// Unit normal away from it at p.
    pub fn normal(&self, p: Vec3) -> Vec3 {
        match self {
            Self::Ball { centre, .. } => (p - *centre).normalize_or_zero(),
            Self::Wall { normal, .. } => *normal,
        }
    }

    /// Gap between p and it; negative inside.
    pub fn gap(&self, p: Vec3) -> f64 {
        match self {
            Self::Ball { centre, reach } => (p - *centre).length() - reach,
            Self::Wall { normal, offset } => normal.dot(p) - offset,
        }
    }
}

/// A segment of the path: a vertical fall or an arc, downwards from the position of the grain.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path {
    /// Vertically down from a point.
    Fall { from: Vec3 },
    /// On a circle from u towards w.
    Arc {
        centre: Vec3,
        radius: f64,
        u: Vec3,
        w: Vec3,
    },
}

impl Path {
    /// The point at a parameter.
    pub fn at(&self, parameter: f64) -> Vec3 {
        match self {
            Self::Fall { from } => *from - Vec3::Z * parameter,
            Self::Arc {
                centre,
                radius,
                u,
                w,
            } => {
                let (sin, cos) = parameter.sin_cos();
                *centre + (*u * cos + *w * sin) * *radius
            }
        }
    }

    /// Where an obstacle is entered: the smallest parameter ≥ 0, if there is one. An obstacle that the
    /// whole path enters by no more than the depth `graze` does not count.
    pub fn entered(&self, hindrance: &GrainObstacle, graze: f64) -> Option<f64> {
        match (self, hindrance) {
            (Self::Fall { from }, GrainObstacle::Ball { centre, reach }) => {
                let aside = Vec3::new(from.x - centre.x, from.y - centre.y, 0.0).length();
                let ahead = from.z - centre.z;
                if aside >= reach - graze || ahead <= 0.0 {
                    return None;
                }
                // (R − a)(R + a) keeps the digits of R² − a².
                let half = ((reach - aside) * (reach + aside)).sqrt();
                Some((ahead - half).max(0.0))
            }
            (Self::Fall { from }, GrainObstacle::Wall { normal, offset }) => {
                // Side walls are parallel to a fall.
                (normal.z > 0.0).then(|| (normal.dot(*from) - offset).max(0.0))
            }
            (
                Self::Arc {
                    centre: o,
                    radius,
                    u,
                    w,
                },
                GrainObstacle::Ball { centre, reach },
            ) => {
                // |p − c|² − R² as a + b cos φ + c sin φ.
                let d = *o - *centre;
                let a = d.length_squared() + radius * radius - reach * reach;
                let (b, c) = (2.0 * radius * d.dot(*u), 2.0 * radius * d.dot(*w));
                below([a, b, c], 2.0 * reach * graze).map(first)
            }
            (
                Self::Arc {
                    centre,
                    radius,
                    u,
                    w,
                },
                GrainObstacle::Wall { normal, offset },
            ) => {
                // n·p − d as a + b cos φ + c sin φ.
                let a = normal.dot(*centre) - offset;
                let (b, c) = (radius * normal.dot(*u), radius * normal.dot(*w));
                below([a, b, c], graze).map(first)
            }
        }
    }

    /// The bounding box of the path up to a parameter.
    pub fn bounds(&self, until: f64) -> [Vec3; 2] {
        let (a, b) = (self.at(0.0), self.at(until));
        let (mut low, mut high) = (a.min(b), a.max(b));
        if let Self::Arc {
            centre,
            radius,
            u,
            w,
        } = self
        {
            for axis in 0..3 {
                // Extremes are where cos φ u + sin φ w points along the axis, up or down.
                let peak = w[axis].atan2(u[axis]);
                let size = radius * u[axis].hypot(w[axis]);
                if peak.rem_euclid(2.0 * PI) < until {
                    high[axis] = centre[axis] + size;
                }
                if (peak + PI).rem_euclid(2.0 * PI) < until {
                    low[axis] = centre[axis] - size;
                }
            }
        }
        [low, high]
    }

    /// The first angle at which a + b·(cos) + c·(sin) falls below 0, for a function that is not
    /// negative at 0 except by rounding.
    pub fn falls([a, b, c]: [f64; 3]) -> Option<f64> {
        let scale = a.abs() + b.hypot(c);
        below([a, b, c], scale * 1e-15)
            .map(first)
            .filter(|at| at.is_finite())
    }
}

/// Middle in (−π, π] and half-width of the angles at which a + b cos + c sin < 0, deeper than `graze`.
fn below([a, b, c]: [f64; 3], graze: f64) -> Option<(f64, f64)> {
    let size = b.hypot(c);
    if a - size >= -graze {
        return None;
    }
    // a + size·cos(φ − φ_0) < 0 about φ_0 + π.
    let half = (a / size).clamp(-1.0, 1.0).acos();
    let middle = (-c).atan2(-b);
    Some((middle, half))
}

/// Where an interval of angles is entered when going up from 0. If 0 is inside, it is so by rounding:
/// at the end where the interval begins, its middle ahead, or at the end where it was just left.
fn first((middle, half): (f64, f64)) -> f64 {
    let entry = middle - half;
    let begun = entry < 0.0 && middle > 0.0;
    match (begun, entry >= 0.0) {
        (true, _) => 0.0,
        (false, true) => entry,
        (false, false) => entry + 2.0 * PI,
    }
}
