//! Contact points of a rounded polygon with one side of a chain.
//!
//! The side with the two corners at its ends is part of a convex outline, as far as the corners are convex. The
//! separating axes, in the order of their angle, are
//!
//! ```text
//! n_before,  edges of the polygon in the cone of `from`,  n,  edges of the polygon in the cone of `to`,  n_after
//! ```
//!
//! and the separations along them have one maximum (see `convex`). If among the inner ones it is n, the polygon lies
//! on the face of the side; if it is an edge of the polygon, that edge lies on the corner. Points deeper than the
//! separation along an outer normal are dropped if the polygon touches the adjacent side as well: the translation
//! along that normal is shorter. Edges of the polygon whose normals are in no cone are not tested: a body that slides
//! over a flat or concave corner cannot catch on it.
//!
//! One-sided: a body whose centre is behind the line of the side does not touch it. Nor does a body that is farther
//! than the contact margin from the segment itself, however deep it is behind its line.

use glam::DVec2;

use super::convex;
use super::core::{RelativePose, RoundedPolygon, RoundedSegment};
use super::manifold::{self, EndClipping, Manifold, ManifoldPoint};
use crate::plane::chain::{Chain, ChainCorner, ChainSide, SideEnd};

/// A vertex beyond a concave corner by more than this fraction of its edge is supported by the adjacent side alone,
/// unless that is [`STEEP`]: the penetration of a body in a corner is much smaller.
const BEYOND: f64 = 1e-2;

/// Cosine of the angle of two sides from which on one cannot support what lies on the other.
const STEEP: f64 = 0.5;

/// The two vertices of a side as a polygon, in this order.
const TIPS: [SideEnd; 2] = [SideEnd::To, SideEnd::From];

/// Separating axes of a polygon and a side.
struct SideSeparation {
    /// Separation along n, and the support vertex of the polygon.
    face: f64,
    support: usize,
    /// The best edge of the polygon in a normal cone, if better than the face: separation, edge, end of the side.
    edge: Option<(f64, usize, usize)>,
}

impl SideSeparation {
    /// `None` if the separation is above `limit`, or the centre is behind the side.
    fn new(
        side: &ChainSide,
        core: &RoundedPolygon,
        view: &RelativePose,
        limit: f64,
        tie: f64,
    ) -> Option<Self> {
        if !(side.normal.dot(view.shift - side.from) >= 0.0) {
            return None;
        }
        // Separation along the normal of the side.
        let (face, support) = over(core, view, side.normal, side.from);
        if face > limit {
            return None;
        }
        let ends = [side.to, side.from].map(|p| view.point_back(p));
        // Edges of the polygon against the two ends of the side.
        let mut edge: Option<(f64, usize, usize)> = None;
        for (k, (normal, vertex)) in core.normals.iter().zip(core.vertices).enumerate() {
            let heights = ends.map(|p| normal.dot(p - *vertex));
            let low = heights[0].min(heights[1]);
            if low > limit {
                return None;
            }
            // Not better than the best so far: the cone need not be tested.
            if low <= edge.map_or(face, |(best, ..)| best) + tie {
                continue;
            }
            let up = -view.vector(*normal);
            let end = (0..2).find(|&e| heights[e] <= low + tie && side.cone_contains(TIPS[e], up));
            if let Some(end) = end {
                edge = Some((low, k, end));
            }
        }
        Some(Self {
            face,
            support,
            edge,
        })
    }
}

/// Separation of a polygon from the line through `at` with a normal, and its support vertex.
fn over(core: &RoundedPolygon, view: &RelativePose, normal: DVec2, at: DVec2) -> (f64, usize) {
    let (support, low) = core.lowest(view.vector_back(normal));
    (low + normal.dot(view.shift - at), support)
}

/// Manifold of a polygon with side k of a chain, `view` being the pose of the polygon relative to the chain; the
/// reference is the side (its vertices being `to` and `from`) unless `exchanged`.
pub(super) fn side(
    chain: &Chain,
    k: usize,
    core: &RoundedPolygon,
    view: &RelativePose,
    reach: f64,
) -> Option<Manifold> {
    let side = &chain.sides[k];
    let limit = reach + core.radius;
    let away = (view.shift - side.from).length();
    let tie = convex::tie(core.extent, core.extent + away);
    let axes = SideSeparation::new(side, core, view, limit, tie)?;
    let segment = RoundedSegment::edge(side.to, side.from, side.normal);
    let mut found = match axes.edge {
        Some(best) => on_joint(side, core, &segment.core(), view, best, reach)?,
        None => on_face(side, core, &segment.core(), view, (&axes, tie), reach)?,
    };
    // Points deeper than the separation along the normal of a convex neighbour belong to that one.
    for (other, at) in chain.neighbours(k).into_iter().zip([side.from, side.to]) {
        let Some(other) = other.map(|k| &chain.sides[k]) else {
            continue;
        };
        let least = over(core, view, other.normal, at).0 - core.radius - tie;
        let deeper = found.points().iter().any(|p| p.gap < least);
        // Only if the adjacent side itself has a contact with the polygon.
        if deeper && SideSeparation::new(other, core, view, limit, tie).is_some() {
            found.retain(|p| p.gap >= least);
        }
    }
    Some(found)
}

/// The polygon lies on the face of the side.
fn on_face(
    side: &ChainSide,
    core: &RoundedPolygon,
    segment: &RoundedPolygon,
    view: &RelativePose,
    (axes, tie): (&SideSeparation, f64),
    reach: f64,
) -> Option<Manifold> {
    let features = (0, axes.support);
    let flat = || {
        let mut found = Manifold::default();
        manifold::face((segment, core), view, features, reach, &mut found);
        keep_held(&mut found, side, axes.face - core.radius + tie);
        Some(found)
    };
    if axes.face <= 0.0 {
        return flat();
    }
    let mut found = Manifold::default();
    manifold::apart((segment, core), view, features, reach, &mut found);
    // Vertex against vertex: the direction must lie in the normal cone of the end.
    if let Some(end) = found.corner {
        if side.cone_limit(TIPS[end]).is_none() {
            return flat();
        }
        let corner = found.points().iter().find(|p| p.reference == Some(end))?;
        return side
            .cone_contains(TIPS[end], corner.normal)
            .then_some(found);
    }
    if found.exchanged {
        let up = -view.vector(found.points().first()?.normal);
        let admitted = TIPS.iter().any(|tip| side.cone_contains(*tip, up));
        return if admitted { Some(found) } else { flat() };
    }
    keep_held(&mut found, side, axes.face - core.radius + tie);
    Some(found)
}

/// Drops the points at the ends of the side that the side does not support: where the vertex of the polygon is beyond
/// the end, and
///
/// - the corner is convex: the adjacent side supports it. Only a polygon that is flat on this face (its end no
///   higher than `lowest`), or stands on it with its other vertex, is supported by the end, too;
/// - the corner is concave and the vertex well beyond it on a side not much steeper, which supports it.
fn keep_held(found: &mut Manifold, side: &ChainSide, lowest: f64) {
    let held = |point: &ManifoldPoint| match (point.cut, point.reference) {
        (Some(cut), Some(end)) => match (side.joint(TIPS[end]), cut) {
            (ChainCorner::Concave(next), EndClipping::Across(beyond)) => {
                beyond <= BEYOND || side.normal.dot(next) < STEEP
            }
            (_, EndClipping::Beside) => false,
            _ => point.gap <= lowest,
        },
        _ => true,
    };
    let stands = found.points().iter().any(|p| p.near && held(p));
    let hollow = |end: usize| side.cone_limit(TIPS[end]).is_none();
    found.retain(|p| held(p) || stands && !p.near && !p.reference.is_some_and(hollow));
}

/// Edge `edge` of the polygon lies on the end `end` of the side.
fn on_joint(
    side: &ChainSide,
    core: &RoundedPolygon,
    segment: &RoundedPolygon,
    view: &RelativePose,
    (separation, edge, end): (f64, usize, usize),
    reach: f64,
) -> Option<Manifold> {
    let back = view.inverse();
    let mut found = Manifold::default();
    if separation > 0.0 {
        manifold::apart((core, segment), &back, (edge, end), reach, &mut found);
    } else {
        manifold::face((core, segment), &back, (edge, end), reach, &mut found);
    }
    // The normal must lie in the cone of the end.
    if found.corner.is_some() {
        let corner = found.points().iter().find(|p| p.incident == Some(end))?;
        if !side.cone_contains(TIPS[end], -view.vector(corner.normal)) {
            return None;
        }
    } else if found.exchanged && found.points().first()?.normal != side.normal {
        return None;
    } else if found.points().iter().any(|p| p.near && p.cut.is_some()) {
        // The end is beside the edge: another edge of the polygon, or another side, is closer to it.
        return None;
    }
    found.exchanged = !found.exchanged;
    Some(found)
}
