//! Contact points of an edge of one core, the reference, with the other, the incident core.
//!
//! In the axes of the reference, with τ along its edge and η along its outward normal n:
//!
//! ```text
//!            ╲ incident ╱
//!   η         ╲________╱ ← far            near: the incident vertex lowest along n
//!   ↑      near                           far:  the other end of its edge
//!   └─────────────────────── τ            both clipped to 0 ≤ τ ≤ length
//! ```
//!
//! The near point is always given (if within reach). The far one is given if its own gap along n is
//! within reach. So a box flat on a face has two points with the face's normal, a box on a corner
//! one, and nothing depends on an angle being small. A point clipped at an end of the reference
//! edge lies there, and the incident surface is met on the line through it along n.
//!
//! If the cores are apart and the near vertex is beyond an end of the edge, the nearest points are
//! the two vertices, and n is the direction between them: then the far point keeps the face's normal,
//! and is given unless it is deeper than the near one.

use glam::DVec2;

use super::convex::tie;
use super::core::{RoundedPolygon, RelativePose};
pub(super) use super::points::{EndClipping, Manifold, ManifoldPoint};

/// Distances of vertices below this, relative to the sizes of the shapes, have no direction: it
/// would be one of rounding (about 10⁻¹⁶), wrong by more than a thousandth.
pub(super) const TINY: f64 = 1e-13;

/// Vertices that meet within this part of the shorter edge are numbered as one point, so that
/// equal blocks in a stack, whose corners lie over each other, do not change the numbers of their
/// contacts while they shift by less. It has no bearing on where the points are.
const MEET: f64 = 1e-3;

/// An edge of a core as an axis.
struct ReferenceEdge {
    edge: usize,
    next: usize,
    start: DVec2,
    normal: DVec2,
    along: DVec2,
    length: f64,
}

impl ReferenceEdge {
    #[inline]
    fn new(core: &RoundedPolygon, edge: usize) -> Self {
        let next = core.next(edge);
        let normal = core.normals[edge];
        let (start, along) = (core.vertices[edge], normal.perp());
        Self {
            edge,
            next,
            start,
            normal,
            along,
            length: along.dot(core.vertices[next] - start),
        }
    }

    #[inline]
    fn coordinates(&self, x: DVec2) -> DVec2 {
        let x = x - self.start;
        DVec2::new(self.along.dot(x), self.normal.dot(x))
    }
}

/// The incident edge: from the support vertex (near) to its other end (far), in (τ, η).
struct IncidentEdge {
    edge: usize,
    near: usize,
    far: usize,
    near_at: DVec2,
    far_at: DVec2,
    length: f64,
    /// Of the lower surface, outward.
    normal: DVec2,
    radius: f64,
    /// A vertex beyond an end by less than this is over it: rounding must not tell two corners in
    /// one place apart.
    margin: f64,
}

impl IncidentEdge {
    /// Of the two edges at `support` the one that faces the strip more squarely; the other if that
    /// one is wholly beside the strip.
    #[inline(always)]
    fn new(strip: &ReferenceEdge, core: &RoundedPolygon, view: &RelativePose, support: usize) -> Self {
        let near_at = strip.coordinates(view.point(core.vertices[support]));
        let margin = tie(strip.length, core.extent);
        let (next, previous) = (core.next(support), core.previous(support));
        let down = view.vector_back(strip.normal);
        let steeper = down.dot(core.normals[support]) > down.dot(core.normals[previous]);
        let (mut first, mut second) = ((support, next), (previous, previous));
        if steeper {
            (first, second) = (second, first);
        }
        let beside = |far_at: DVec2| {
            let (low, high) = (near_at.x.min(far_at.x), near_at.x.max(far_at.x));
            high < -margin || low > strip.length + margin
        };
        let place = |far: usize| strip.coordinates(view.point(core.vertices[far]));
        let ((mut edge, mut far), mut far_at) = (first, place(first.1));
        if beside(far_at) {
            let other = place(second.1);
            if !beside(other) {
                ((edge, far), far_at) = (second, other);
            }
        }
        // Asked for where there is a radius alone.
        let normal = match core.radius {
            0.0 => DVec2::ZERO,
            _ => {
                let normal = view.vector(core.normals[edge]);
                DVec2::new(strip.along.dot(normal), strip.normal.dot(normal))
            }
        };
        Self {
            edge,
            near: support,
            far,
            near_at,
            far_at,
            length: (far_at - near_at).length(),
            normal,
            radius: core.radius,
            margin,
        }
    }

    /// Whether the edge, without its radius, lies over τ.
    #[inline]
    fn covers(&self, tau: f64) -> bool {
        (tau - self.near_at.x) * (tau - self.far_at.x) <= 0.0
    }

    /// Height of the lower surface over τ between the ends of the edge, and whether that is on the
    /// round of the near vertex.
    #[inline]
    fn surface(&self, tau: f64) -> (f64, bool) {
        let offset = self.normal * self.radius;
        let (p, q) = (self.near_at + offset, self.far_at + offset);
        let round = |centre: DVec2| {
            let x = tau - centre.x;
            centre.y - (self.radius * self.radius - x * x).max(0.0).sqrt()
        };
        let span = q.x - p.x;
        let part = if span == 0.0 { 0.0 } else { (tau - p.x) / span };
        if part < 0.0 || span == 0.0 {
            (round(self.near_at), true)
        } else if part > 1.0 {
            (round(self.far_at), false)
        } else {
            (p.y + (q.y - p.y) * part, false)
        }
    }
}

/// Which vertices are at τ, where an incident vertex at `at` was clipped to the strip.
#[inline(always)]
fn meeting(strip: &ReferenceEdge, incident: &IncidentEdge, tau: f64) -> (Option<usize>, bool) {
    let window = MEET * strip.length.min(incident.length);
    let end = if tau <= window {
        Some(strip.edge)
    } else if tau >= strip.length - window {
        Some(strip.next)
    } else {
        None
    };
    (end, tau >= -window && tau <= strip.length + window)
}

#[inline(always)]
fn near_point(strip: &ReferenceEdge, incident: &IncidentEdge, radius: f64) -> ManifoldPoint {
    let own = incident.near_at.x;
    let tau = own.clamp(0.0, strip.length.max(0.0));
    let (end, meets) = meeting(strip, incident, own);
    let lowest = incident.near_at.y - incident.radius;
    let (height, cut) = if (tau - own).abs() <= incident.margin {
        (lowest, None)
    } else if incident.covers(tau) {
        let beyond = (tau - own).abs() / incident.length;
        (incident.surface(tau).0, Some(EndClipping::Across(beyond)))
    } else {
        (lowest, Some(EndClipping::Beside))
    };
    ManifoldPoint {
        at: strip.start + strip.along * tau + strip.normal * radius,
        normal: strip.normal,
        gap: height - radius,
        reference: end,
        incident: (meets || cut == Some(EndClipping::Beside)).then_some(incident.near),
        near: true,
        cut,
    }
}

#[inline(always)]
fn far_point(strip: &ReferenceEdge, incident: &IncidentEdge, radius: f64) -> Option<ManifoldPoint> {
    let inside = |x: f64| x.clamp(0.0, strip.length.max(0.0));
    let (near, own) = (incident.near_at.x, incident.far_at.x);
    let tau = inside(own);
    if !((tau - inside(near)) * (own - near) > 0.0) {
        return None;
    }
    let (height, round) = if incident.radius == 0.0 && tau == own {
        (incident.far_at.y, false)
    } else {
        incident.surface(tau)
    };
    // On the round of a near vertex that has its own point already there is no second one.
    if round && inside(near) == near && incident.radius > 0.0 {
        return None;
    }
    let (end, meets) = meeting(strip, incident, own);
    Some(ManifoldPoint {
        at: strip.start + strip.along * tau + strip.normal * radius,
        normal: strip.normal,
        gap: height - radius,
        reference: end,
        incident: meets.then_some(incident.far),
        near: false,
        cut: (tau != own).then(|| EndClipping::Across((tau - own).abs() / incident.length)),
    })
}

/// Points in the order of the reference edge.
#[inline]
fn ordered(found: &mut Manifold, incident: &IncidentEdge) {
    if incident.near_at.x > incident.far_at.x {
        found.reverse();
    }
}

/// The points of edge `edge` of `r` with the core `i`, whose vertex `support` is lowest over it: [`face`],
/// or for cores that are `apart` [`apart`].
#[inline(always)]
pub(super) fn points(
    (r, i): (&RoundedPolygon, &RoundedPolygon),
    view: &RelativePose,
    (edge, support, apart): (usize, usize, bool),
    reach: f64,
    found: &mut Manifold,
) {
    let strip = ReferenceEdge::new(r, edge);
    let incident = IncidentEdge::new(&strip, i, view, support);
    let tau = incident.near_at.x;
    if apart && !(tau >= 0.0 && tau <= strip.length) {
        return corner((r, i), view, (&strip, &incident), reach, found);
    }
    flat(&strip, &incident, r.radius, reach, found);
}

/// The points along the normal of the edge.
pub(super) fn face(
    pair: (&RoundedPolygon, &RoundedPolygon),
    view: &RelativePose,
    (edge, support): (usize, usize),
    reach: f64,
    found: &mut Manifold,
) {
    points(pair, view, (edge, support, false), reach, found);
}

/// As [`face`], for cores that are apart: if the nearest points are vertices of both, their
/// direction is the normal.
pub(super) fn apart(
    pair: (&RoundedPolygon, &RoundedPolygon),
    view: &RelativePose,
    (edge, support): (usize, usize),
    reach: f64,
    found: &mut Manifold,
) {
    points(pair, view, (edge, support, true), reach, found);
}

/// The points of an incident edge over a strip.
#[inline(always)]
fn flat(strip: &ReferenceEdge, incident: &IncidentEdge, radius: f64, reach: f64, found: &mut Manifold) {
    found.clear();
    found.add(near_point(strip, incident, radius), reach);
    if let Some(point) = far_point(strip, incident, radius) {
        found.add(point, reach);
    }
    ordered(found, incident);
}

/// The points where the lowest vertex of the incident core is beyond an end of the edge.
fn corner(
    (r, i): (&RoundedPolygon, &RoundedPolygon),
    view: &RelativePose,
    (strip, incident): (&ReferenceEdge, &IncidentEdge),
    reach: f64,
    found: &mut Manifold,
) {
    let support = incident.near;
    let end = if incident.near_at.x < 0.0 {
        strip.edge
    } else {
        strip.next
    };
    let p = r.vertices[end];
    // With faces parallel up to rounding the lowest vertex may be one that hangs over the end: then
    // the end of this edge lies under the incident edge, and that one is the reference.
    let towards = (incident.far_at - incident.near_at).normalize_or_zero();
    let foot = towards.dot(strip.coordinates(p) - incident.near_at);
    if foot > 0.0 && foot < incident.length {
        face((i, r), &view.inverse(), (incident.edge, end), reach, found);
        found.exchanged = true;
        return;
    }
    // Of two vertices equally low the one nearer to the end.
    let near = if foot > 0.0 { incident.far } else { support };
    let v = view.point(i.vertices[near]);
    let distance = (v - p).length();
    if distance <= TINY * (r.extent + i.extent) {
        return flat(strip, incident, r.radius, reach, found);
    }
    let normal = (v - p) / distance;
    found.clear();
    found.corner = Some(end);
    let corner = ManifoldPoint {
        at: p + normal * r.radius,
        normal,
        gap: distance - r.radius - i.radius,
        reference: Some(end),
        incident: Some(near),
        near: true,
        cut: None,
    };
    found.add(corner, reach);
    // With round cores that overlap across a corner, what lies over the face may be deeper along the
    // face's normal than the cores are: no contact of its own.
    let far = far_point(strip, incident, r.radius).filter(|_| near == support);
    if let Some(point) = far.filter(|far| far.gap >= corner.gap) {
        found.add(point, reach);
    }
    ordered(found, incident);
}
