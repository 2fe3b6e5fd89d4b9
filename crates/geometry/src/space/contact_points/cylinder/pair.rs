//! Contact points of two cylinders.
//!
//! ```text
//! maximise over |n| = 1:   gap(n) = n·c − h₁|n·z| − r₁|n×z| − h₂|n·v| − r₂|n×v|
//! ```
//!
//! Candidates: the four cap normals, the common normal of the axes, side × rim (a line and an ellipse, see
//! [`rim_normal`]) and rim × rim. The latter are common normals of two circles: for the point P₂(θ) of one the foot on
//! the other has a closed form, and P₂ − P₁ must be orthogonal to the tangent at P₂. Sign changes are sought at 32
//! points of the circle and refined by a bracketed secant. Two zeros in 1/32 of a turn are missed: there the gap
//! hardly has a maximum of its own, and a neighbouring candidate is larger. The farther foot need not be tested: with
//! the radii of curvature R = Σ rᵢ/|n×zᵢ| tᵢtᵢᵀ a maximum at depth D needs R ⪰ D, and there r₁/|n×z| ≤ D.

use glam::DVec3;

use super::contact_collector::{ContactCollector, OtherFeature, feature, part};
use super::cylinder_overlap as flat;
use super::cylinder_overlap::PlacedCylinder;
use super::cylinder_shape::{Cylinder, radial, rim_normal};
use super::normal_search::BIAS;
use crate::dim::{Pose, Space};

/// The pair of features that determines a normal.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    CapA,
    CapB,
    Sides,
    /// The rim of a with the side of b.
    RimA,
    /// The rim of b with the side of a.
    RimB,
    Rims,
}

struct CylinderNormalSearch<'a> {
    a: &'a PlacedCylinder,
    b: &'a PlacedCylinder,
    reach: f64,
    best: (DVec3, f64, Kind),
}

impl CylinderNormalSearch<'_> {
    fn offer(&mut self, n: DVec3, kind: Kind) {
        if !n.is_finite() {
            return;
        }
        let gap = self.gap(n);
        if gap > self.best.1 + BIAS * self.a.size() {
            self.best = (n, gap, kind);
        }
    }

    fn gap(&self, n: DVec3) -> f64 {
        n.dot(self.b.centre - self.a.centre) - self.a.width(n) - self.b.width(n)
    }

    fn apart(&self) -> bool {
        self.best.1 > self.reach
    }

    fn run(&mut self) {
        let (a, b) = (self.a, self.b);
        // Caps, common normals of the sides, side × rim, rim × rim; later candidates must be better by the bias.
        for n in [a.z, -a.z] {
            self.offer(n, Kind::CapA);
        }
        for n in [b.z, -b.z] {
            self.offer(n, Kind::CapB);
        }
        self.offer(radial(b.centre), Kind::Sides);
        let across = a.z.cross(b.z);
        if across.length() > 1e-12 {
            for n in [across.normalize(), -across.normalize()] {
                self.offer(n, Kind::Sides);
            }
        }
        if self.apart() {
            return;
        }
        for s in [1.0, -1.0] {
            // The rim of a and the side of b, then the reverse.
            let to_b = b.centre - a.centre - a.z * (s * a.half);
            if let Some(n) = rim_normal(to_b, b.z, a.z * s, a.radius) {
                self.offer(n, Kind::RimA);
            }
            let to_a = a.centre - b.centre - b.z * (s * b.half);
            if let Some(n) = rim_normal(to_a, a.z, b.z * s, b.radius) {
                self.offer(-n, Kind::RimB);
            }
        }
        for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            if self.apart() {
                return;
            }
            self.rims(s * a.half, b.centre + b.z * (t * b.half));
        }
    }

    /// Common normals of the rim of a at height z and that of b with its centre c.
    fn rims(&mut self, z: f64, c: DVec3) {
        const PARTS: usize = 32;
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / PARTS as f64;
        let circle = Circles {
            b: *self.b,
            r: self.a.radius,
            z,
            c,
        };
        // A zero in each interval with a change of sign.
        let mut before = circle.slope(0.0);
        for k in 0..PARTS {
            let after = circle.slope(angle(k + 1));
            if before * after <= 0.0 {
                let theta = circle.zero((angle(k), before), (angle(k + 1), after));
                let (to, tangents) = circle.pair(theta);
                for n in [to.normalize_or_zero(), tangents.normalize_or_zero()] {
                    if n != DVec3::ZERO {
                        self.offer(n, Kind::Rims);
                        self.offer(-n, Kind::Rims);
                    }
                }
            }
            before = after;
        }
    }
}

/// The circle of radius r at height z about the z axis, and the rim of b with centre c.
struct Circles {
    b: PlacedCylinder,
    r: f64,
    z: f64,
    c: DVec3,
}

impl Circles {
    /// From the foot on the first circle to the point at θ of the second, the tangent there, and the radial direction.
    fn at(&self, theta: f64) -> (DVec3, DVec3, DVec3) {
        // Point of the second circle, and the closed form of its foot on the first.
        let (sin, cos) = theta.sin_cos();
        let p = self.c + (self.b.x * cos + self.b.y * sin) * self.b.radius;
        let w = radial(p);
        let to = w * (p.x.hypot(p.y) - self.r) + DVec3::Z * (p.z - self.z);
        (to, self.b.y * cos - self.b.x * sin, w)
    }

    /// Half the derivative of the squared distance, over the radius.
    fn slope(&self, theta: f64) -> f64 {
        let (to, tangent, _) = self.at(theta);
        to.dot(tangent)
    }

    /// Difference of the points and cross product of the tangents: both along the common normal, and one of them is
    /// well determined.
    fn pair(&self, theta: f64) -> (DVec3, DVec3) {
        let (to, tangent, w) = self.at(theta);
        let product = DVec3::Z.cross(w).cross(tangent);
        (
            to,
            if product.length() > 1e-3 {
                product
            } else {
                DVec3::ZERO
            },
        )
    }

    /// Zero of the slope in a bracket: regula falsi with the Illinois modification (the value at an end that stays is
    /// halved); bisection should that be slow.
    fn zero(&self, mut low: (f64, f64), mut high: (f64, f64)) -> f64 {
        // Rounding of the slope.
        let enough = f64::EPSILON * (self.c.length() + self.b.radius + self.r);
        let mut before = 0;
        let mut best = if low.1.abs() < high.1.abs() {
            low
        } else {
            high
        };
        for k in 0..80 {
            if best.1.abs() <= enough {
                break;
            }
            // Secant inside the bracket, else bisection.
            let secant = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
            let inside = secant > low.0 && secant < high.0 && k < 30;
            let x = if inside {
                secant
            } else {
                0.5 * (low.0 + high.0)
            };
            let f = self.slope(x);
            if f.abs() < best.1.abs() {
                best = (x, f);
            }
            if !(x > low.0 && x < high.0) {
                break;
            }
            // Shrink the bracket; Illinois: halve the value of an end that stays twice.
            let side = if (f > 0.0) == (high.1 > 0.0) { 1 } else { -1 };
            let (moved, kept) = if side > 0 {
                (&mut high, &mut low)
            } else {
                (&mut low, &mut high)
            };
            *moved = (x, f);
            if side == before {
                kept.1 *= 0.5;
            }
            before = side;
        }
        best.0
    }
}

/// Appends the contact points of two cylinders; `pose` is that of b in the axes of a.
pub(super) fn cylinders(
    a: &Cylinder,
    b: &Cylinder,
    pose: &Pose<Space>,
    sink: &mut ContactCollector,
) {
    let a = PlacedCylinder::new(
        a,
        &Pose {
            position: DVec3::ZERO,
            rotation: glam::DQuat::IDENTITY,
        },
    );
    let b = PlacedCylinder::new(b, pose);
    let start = (DVec3::Z, f64::NEG_INFINITY, Kind::CapA);
    let mut search = CylinderNormalSearch {
        a: &a,
        b: &b,
        reach: sink.contact_margin,
        best: start,
    };
    search.run();
    let (n, gap, _) = search.best;
    if !(gap <= sink.contact_margin) {
        return;
    }
    // The manifold; the witness points if none of its points attains the gap.
    flat::manifold(&a, &b, n, sink);
    if sink.least() <= gap + 1e-10 * a.size() {
        return;
    }
    witness(&a, &b, search.best, sink);
}

/// The witness points: the pair that attains the gap.
fn witness(
    a: &PlacedCylinder,
    b: &PlacedCylinder,
    (n, gap, kind): (DVec3, f64, Kind),
    sink: &mut ContactCollector,
) {
    let (high, low) = (a.highest(n), b.highest(-n));
    let rim_a = part::LOWEST + a.lower(n);
    let rim_b = part::LOWEST + b.lower(-n);
    match kind {
        Kind::CapA => sink.push(
            low - n * gap,
            low,
            n,
            feature(part::CAP + a.lower(n), OtherFeature::Round(rim_b)),
        ),
        Kind::CapB => {
            let other = OtherFeature::Round(part::CAP + b.lower(-n));
            sink.push(high, high + n * gap, n, feature(rim_a, other));
        }
        Kind::RimA => sink.push(
            high,
            high + n * gap,
            n,
            feature(rim_a, OtherFeature::Round(part::SIDE)),
        ),
        Kind::Rims => sink.push(
            high,
            high + n * gap,
            n,
            feature(rim_a, OtherFeature::Round(rim_b)),
        ),
        Kind::RimB => sink.push(
            low - n * gap,
            low,
            n,
            feature(part::SIDE, OtherFeature::Round(rim_b)),
        ),
        Kind::Sides => {
            // Where the axes are closest along the normal.
            let across = a.z.cross(n);
            let t = -b.centre.dot(across) / b.z.dot(across);
            let low = b.centre + b.z * t - n * b.radius;
            if low.is_finite() {
                sink.push(
                    low - n * gap,
                    low,
                    n,
                    feature(part::SIDE, OtherFeature::Round(part::SIDE)),
                );
            }
        }
    }
}
