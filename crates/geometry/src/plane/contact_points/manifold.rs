//! Contact manifold of an edge of one polygon, the reference, with the other, the incident one, by clipping.
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
//! The near point is always in the manifold (if within the contact margin). The far one is in it if its own gap along n
//! is within the margin. So a box flat on a face has two points with the normal of the face, a box on a vertex has
//! one, and nothing depends on an angle being small. A point clipped at an end of the reference edge lies there, and
//! its counterpart is where the line through it along n meets the incident surface.
//!
//! If the polygons are separated and the near vertex is beyond an end of the edge, the closest points are two
//! vertices, and the normal is the direction between them. The far point then keeps the normal of the face, and is in
//! the manifold unless it is deeper than the near one.

use glam::DVec2;

use super::convex::tie;
use super::core::{RelativePose, RoundedPolygon};
pub(super) use super::points::{EndClipping, Manifold, ManifoldPoint};

/// Distances of vertices below this, relative to the sizes of the shapes, have no direction: rounding (about 10⁻¹⁶)
/// would make it wrong by more than a thousandth.
pub(super) const TINY: f64 = 1e-13;

/// Vertices that meet within this fraction of the shorter edge have one common feature, so that equal blocks of a
/// stack, whose corners lie over each other, keep the features of their contacts while they shift by less. It does
/// not affect the positions of the points.
const MEET: f64 = 1e-3;

/// The reference edge as an axis: τ along it, η along its normal.
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
    /// Outward normal of its lower surface.
    normal: DVec2,
    radius: f64,
    /// A vertex beyond an end by less than this counts as over it: rounding must not separate two coincident corners.
    margin: f64,
}

impl IncidentEdge {
    /// Of the two edges at `support`, the one that faces the reference edge more squarely; the other one if the first
    /// lies entirely beside the strip over the reference edge.
    #[inline(always)]
    fn new(
        strip: &ReferenceEdge,
        core: &RoundedPolygon,
        view: &RelativePose,
        support: usize,
    ) -> Self {
        // The edge that faces the reference more squarely comes first.
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
        // Needed only for a positive radius.
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

    /// Height of the lower surface over τ between the ends of the edge, and whether that is on the round part of the
    /// near vertex.
    #[inline]
    fn surface(&self, tau: f64) -> (f64, bool) {
        // The straight part between the two rounded ends.
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

/// The vertices at τ: the end of the reference edge within [`MEET`], and whether the incident vertex is over the edge.
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
    // Clip to the reference edge; beyond its ends the height is that of the incident surface there, if there is any.
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
    // After clipping, the far point must still lie on its own side of the near one.
    let tau = inside(own);
    if !((tau - inside(near)) * (own - near) > 0.0) {
        return None;
    }
    let (height, round) = if incident.radius == 0.0 && tau == own {
        (incident.far_at.y, false)
    } else {
        incident.surface(tau)
    };
    // A near vertex that has its own point has no second one on its round part.
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

/// Sorts the points along the reference edge.
#[inline]
fn ordered(found: &mut Manifold, incident: &IncidentEdge) {
    if incident.near_at.x > incident.far_at.x {
        found.reverse();
    }
}

/// Contact points of edge `edge` of `r` with the polygon `i`, whose vertex `support` is lowest over it: [`face`], or
/// [`apart`] for polygons that are separated.
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

/// Contact points along the normal of the edge.
pub(super) fn face(
    pair: (&RoundedPolygon, &RoundedPolygon),
    view: &RelativePose,
    (edge, support): (usize, usize),
    reach: f64,
    found: &mut Manifold,
) {
    points(pair, view, (edge, support, false), reach, found);
}

/// As [`face`], for separated polygons: if the closest points are vertices of both, the normal is the direction
/// between them.
pub(super) fn apart(
    pair: (&RoundedPolygon, &RoundedPolygon),
    view: &RelativePose,
    (edge, support): (usize, usize),
    reach: f64,
    found: &mut Manifold,
) {
    points(pair, view, (edge, support, true), reach, found);
}

/// Contact points of an incident edge over the reference edge.
#[inline(always)]
fn flat(
    strip: &ReferenceEdge,
    incident: &IncidentEdge,
    radius: f64,
    reach: f64,
    found: &mut Manifold,
) {
    found.clear();
    found.add(near_point(strip, incident, radius), reach);
    if let Some(point) = far_point(strip, incident, radius) {
        found.add(point, reach);
    }
    ordered(found, incident);
}

/// Contact points where the lowest vertex of the incident polygon is beyond an end of the reference edge.
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
    // With faces parallel up to rounding the lowest vertex may be one that overhangs the end: then the end of this
    // edge lies below the incident edge, which becomes the reference.
    let towards = (incident.far_at - incident.near_at).normalize_or_zero();
    let foot = towards.dot(strip.coordinates(p) - incident.near_at);
    if foot > 0.0 && foot < incident.length {
        face((i, r), &view.inverse(), (incident.edge, end), reach, found);
        found.exchanged = true;
        return;
    }
    // Of two vertices equally low, the one closer to the end.
    let near = if foot > 0.0 { incident.far } else { support };
    let v = view.point(i.vertices[near]);
    let distance = (v - p).length();
    if distance <= TINY * (r.extent + i.extent) {
        return flat(strip, incident, r.radius, reach, found);
    }
    // Vertex against vertex.
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
    // Where rounded polygons overlap across a corner, a point over the face may be deeper along the face normal than
    // the penetration depth: it is no contact of its own.
    let far = far_point(strip, incident, r.radius).filter(|_| near == support);
    if let Some(point) = far.filter(|far| far.gap >= corner.gap) {
        found.add(point, reach);
    }
    ordered(found, incident);
}
