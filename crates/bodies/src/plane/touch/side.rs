//! A core and one side of a chain.
//!
//! The side with the two joints at its ends is a part of a convex outline, as far as the joints are
//! convex. Its axes, in the order of their angle, are
//!
//! ```text
//! n_before,  edges of the core in the cone of `from`,  n,  edges of the core in the cone of `to`,  n_after
//! ```
//!
//! and the separations along them have one maximum (see `convex`). Of the inner ones, if it is n, the
//! core lies on the face of the side; if it is an edge of the core, that edge lies on the joint.
//! Points that are deeper than the separation along an outer normal are none, if the core touches
//! the side there as well: the way out over that one is shorter. Edges of the core whose normals are in no cone are no axes: a body that
//! slides over a flat or hollow joint cannot catch on it.
//!
//! One-sided: a body whose centre is behind the line of the side does not touch it. A body that is
//! farther than `reach` from the segment itself does not either, however deep it is behind its line.

use glam::DVec2;

use super::convex;
use super::core::{RoundedPolygon, RoundedSegment, RelativePose};
use super::manifold::{self, EndClipping, Manifold, ManifoldPoint};
use crate::plane::chain::{Chain, ChainCorner, ChainSide, SideEnd};

/// A vertex beyond a hollow joint by more than this part of its edge is held by the next side alone,
/// unless that is [`STEEP`]: a body in a corner is pushed into it by much less.
const BEYOND: f64 = 1e-2;

/// Cosine of the angle of two sides from which on one cannot hold what lies on the other.
const STEEP: f64 = 0.5;

/// The two vertices of a side as a core, in this order.
const TIPS: [SideEnd; 2] = [SideEnd::To, SideEnd::From];

/// What a core does to a side.
struct SideSeparation {
    /// Separation along n, and the core's lowest vertex.
    face: f64,
    support: usize,
    /// The best edge of the core in a cone, if better than the face: separation, edge, end of the
    /// side.
    edge: Option<(f64, usize, usize)>,
}

impl SideSeparation {
    /// `None` if the core is beyond `limit`, or behind.
    fn new(side: &ChainSide, core: &RoundedPolygon, view: &RelativePose, limit: f64, tie: f64) -> Option<Self> {
        if !(side.normal.dot(view.shift - side.from) >= 0.0) {
            return None;
        }
        let (face, support) = over(core, view, side.normal, side.from);
        if face > limit {
            return None;
        }
        let ends = [side.to, side.from].map(|p| view.point_back(p));
        let mut edge: Option<(f64, usize, usize)> = None;
        for (k, (normal, vertex)) in core.normals.iter().zip(core.vertices).enumerate() {
            let heights = ends.map(|p| normal.dot(p - *vertex));
            let low = heights[0].min(heights[1]);
            if low > limit {
                return None;
            }
            // What is no better than the face is not asked for.
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

/// Separation of a core from the line through `at` with a normal, and its lowest vertex.
fn over(core: &RoundedPolygon, view: &RelativePose, normal: DVec2, at: DVec2) -> (f64, usize) {
    let (support, low) = core.lowest(view.vector_back(normal));
    (low + normal.dot(view.shift - at), support)
}

/// Contact points of a core with side k of a chain, seen from the chain by `view`; the reference is
/// the side (its vertices being `to` and `from`) unless `exchanged`.
pub(super) fn side(chain: &Chain, k: usize, core: &RoundedPolygon, view: &RelativePose, reach: f64) -> Option<Manifold> {
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
    for (other, at) in chain.neighbours(k).into_iter().zip([side.from, side.to]) {
        let Some(other) = other.map(|k| &chain.sides[k]) else {
            continue;
        };
        let least = over(core, view, other.normal, at).0 - core.radius - tie;
        let deeper = found.points().iter().any(|p| p.gap < least);
        // Only if the other side has the core for itself.
        if deeper && SideSeparation::new(other, core, view, limit, tie).is_some() {
            found.retain(|p| p.gap >= least);
        }
    }
    Some(found)
}

/// The core lies on the face.
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
    if let Some(end) = found.corner {
        if side.cone_limit(TIPS[end]).is_none() {
            return flat();
        }
        let corner = found.points().iter().find(|p| p.reference == Some(end))?;
        return side.cone_contains(TIPS[end], corner.normal).then_some(found);
    }
    if found.exchanged {
        let up = -view.vector(found.points().first()?.normal);
        let admitted = TIPS.iter().any(|tip| side.cone_contains(*tip, up));
        return if admitted { Some(found) } else { flat() };
    }
    keep_held(&mut found, side, axes.face - core.radius + tie);
    Some(found)
}

/// Drops the points at the ends of the side that the side does not hold: where the vertex of the
/// core is beyond the end, and
///
/// - the joint is convex: the next side holds it. Only a core that is flat on this face (its end no
///   higher than `lowest`), or stands on it with its other vertex, is held by the end, too;
/// - the joint is hollow and the vertex well beyond it on a side not much steeper, which holds it.
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

/// Edge `edge` of the core lies on the end `end` of the side.
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
    if found.corner.is_some() {
        let corner = found.points().iter().find(|p| p.incident == Some(end))?;
        if !side.cone_contains(TIPS[end], -view.vector(corner.normal)) {
            return None;
        }
    } else if found.exchanged && found.points().first()?.normal != side.normal {
        return None;
    } else if found.points().iter().any(|p| p.near && p.cut.is_some()) {
        // The end is beside the edge: another edge of the core, or another side, is nearer to it.
        return None;
    }
    found.exchanged = !found.exchanged;
    Some(found)
}
