//! The separating normal of a cylinder and a body with corners: the direction of the largest gap.
//!
//! ```text
//! maximise over |n| = 1:   gap(n) = min n·b − max n·a
//! ```
//!
//! Separated, the maximum is the distance; overlapping, it is minus the penetration depth. It is attained at a normal
//! that one pair of features determines: cap, face, generatrix × edge, side or rim × vertex, rim × edge. All have
//! closed forms or a Newton iteration that cannot fail, and gap(n) is a valid lower bound for any n, so that the best
//! of all candidates is the result and a superfluous candidate does no harm. Rim × vertex matters only for separated
//! bodies: a sphere inside a convex body touches no sharp edge. Cost: O(faces + edges) closed forms, each with one
//! support evaluation where its own bound allows it.

use glam::DVec3;

use super::convex_core::ConvexCore;
use super::cylinder_shape::{Cylinder, radial, rim_normal};

/// The pair of features that determines a normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NormalKind {
    Cap,
    Face,
    SideEdge(u32),
    SideVertex(u32),
    RimVertex(u32),
    RimEdge(u32),
}

/// The best normal so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestNormal {
    /// From the cylinder to the other body.
    pub normal: DVec3,
    pub gap: f64,
    pub kind: NormalKind,
    /// Whether a normal that is not allowed has a larger gap.
    pub second: bool,
}

/// A later candidate must be better by this fraction of the size: flat contacts, which are tested first, must not be
/// replaced by others because of rounding.
pub(crate) const BIAS: f64 = 1e-11;

struct NormalSearch<'a, F> {
    cylinder: &'a Cylinder,
    core: &'a ConvexCore<'a>,
    reach: f64,
    allowed: F,
    best: Option<BestNormal>,
    /// The largest gap, allowed or not.
    free: f64,
    apart: bool,
}

/// The best normal among those allowed; `None` if the gap exceeds `reach` or no normal is allowed.
pub(crate) fn search(
    cylinder: &Cylinder,
    core: &ConvexCore,
    reach: f64,
    allowed: impl Fn(DVec3) -> bool,
) -> Option<BestNormal> {
    let mut s = NormalSearch {
        cylinder,
        core,
        reach,
        allowed,
        best: None,
        free: f64::NEG_INFINITY,
        apart: false,
    };
    // Caps, faces, vertices, then edges: flat contacts first.
    s.offer(DVec3::Z, NormalKind::Cap, f64::INFINITY);
    s.offer(-DVec3::Z, NormalKind::Cap, f64::INFINITY);
    for k in 0..core.faces() {
        let (n, height) = core.face(k);
        s.offer(-n, NormalKind::Face, -height - cylinder.high(n));
        if s.apart {
            return None;
        }
    }
    s.vertices();
    // The cylinder contains a sphere about its centre, so gap(n) ≤ n·x − ball for x on the other body.
    let (centre, ball) = (core.own(DVec3::ZERO), cylinder.half.min(cylinder.radius));
    for j in 0..core.edges() as u32 {
        if s.apart {
            return None;
        }
        if core.arc_bound(j, centre) - ball > s.floor() {
            s.edge(j);
        }
    }
    let best = s.best.filter(|_| !s.apart)?;
    Some(BestNormal {
        second: s.free > best.gap + BIAS * cylinder.size(),
        ..best
    })
}

impl<F: Fn(DVec3) -> bool> NormalSearch<'_, F> {
    /// The value that a gap must exceed to be of interest.
    fn floor(&self) -> f64 {
        let bias = BIAS * self.cylinder.size();
        self.best.map_or(f64::NEG_INFINITY, |b| b.gap + bias)
    }

    /// Tests a normal whose gap is at most `bound`.
    fn offer(&mut self, normal: DVec3, kind: NormalKind, bound: f64) {
        let floor = self.floor();
        if bound <= floor || self.apart {
            return;
        }
        let gap = self.core.low(normal).1 - self.cylinder.high(normal);
        if gap > self.reach {
            self.apart = true;
        } else if gap > floor {
            self.free = self.free.max(gap);
            if (self.allowed)(normal) {
                self.best = Some(BestNormal {
                    normal,
                    gap,
                    kind,
                    second: false,
                });
            }
        }
    }

    fn vertices(&mut self) {
        let (half, radius) = (self.cylinder.half, self.cylinder.radius);
        for i in 0..self.core.vertices() as u32 {
            let v = self.core.vertex(i);
            let across = v.x.hypot(v.y);
            // On the axis any direction is as good as another: `radial` takes x.
            self.offer(radial(v), NormalKind::SideVertex(i), across - radius);
            if across > radius && v.z.abs() > half {
                let to =
                    DVec3::new(0.0, 0.0, v.z - half.copysign(v.z)) + radial(v) * (across - radius);
                self.offer(to.normalize(), NormalKind::RimVertex(i), to.length());
            }
        }
    }

    fn edge(&mut self, j: u32) {
        let [p, q] = self.core.ends(j);
        let e = (q - p).normalize_or_zero();
        let side = DVec3::Z.cross(e);
        let length = side.length();
        // Generatrix × edge: the common normal, in both directions.
        if length > 1e-12 {
            for n in [side / length, -side / length] {
                let bound = n.dot(p) - self.cylinder.radius;
                if bound > self.floor() && self.core.in_arc(j, n) {
                    self.offer(n, NormalKind::SideEdge(j), bound);
                }
            }
        }
        // Rim × edge, for both rims.
        for u in [DVec3::Z, -DVec3::Z] {
            let x = p - u * self.cylinder.half;
            if let Some(n) = rim_normal(x, e, u, self.cylinder.radius)
                && self.core.in_arc(j, n)
            {
                let bound = n.dot(p) - self.cylinder.high(n);
                self.offer(n, NormalKind::RimEdge(j), bound);
            }
        }
    }
}
