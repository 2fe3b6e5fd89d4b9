//! Two rounded polygons: signed distance by the separating axis theorem, contact points by clipping.
//!
//! ```text
//! s = max over edges k of either core of  min over vertices v of the other  n_k · (v − p_k)
//! ```
//!
//! The edges of the Minkowski difference M of the polygons are those of both, with their normals. If 0 ∈ M, −s is its
//! distance to the boundary, the penetration depth, and the closest boundary point lies on the edge where s is
//! attained. If 0 ∉ M the closest point of M is on that edge or an end of it, since the distances of 0 to the lines of
//! the edges grow towards the closest vertex. So the best edge and its support vertex are the closest features in
//! every case.
//!
//! Internal edges (cuts of a convex decomposition) are not used to separate overlapping polygons: these are separated
//! along the best of the other edges.
//!
//! Triangles and quadrilaterals are tested vertex by vertex in SIMD lanes, in the axes of the polygon whose edges are
//! tested, and rectangles by their half extents. For others the normals are sorted by angle, hence so are the support
//! vertices: O(m + n) for m and n vertices (rotating calipers).

#[cfg(test)]
mod tests;

use glam::DVec2;

use super::core::{RelativePose, RoundedPolygon};
use super::manifold::{self, Manifold};
use crate::plane::small_polygon::{SmallPolygon, first_within, least, smaller};

/// Separations that differ by less than this, relative to the smaller shape, count as equal, and the choice follows
/// rules that rounding cannot change: the lower edge index, the longer edge, the first shape. Rounding is some 10⁻¹⁵
/// of the sizes, so that ties in exact arithmetic are ties here; the depth is wrong by no more than this.
const TIE: f64 = 1e-12;

/// The same relative to the larger shape: some fifty units of its rounding, which affect the smaller one as well.
const LARGE_TIE: f64 = 1e-14;

/// Tolerance below which lengths of shapes, or edges, of two sizes count as equal.
pub(super) fn tie(one: f64, other: f64) -> f64 {
    TIE * one.min(other) + LARGE_TIE * one.max(other)
}

/// An edge as separating axis, with the support vertex of the other polygon along it.
#[derive(Clone, Copy)]
struct SeparatingEdge {
    edge: usize,
    support: usize,
    separation: f64,
}

/// [`best_edge`] for polygons of three or four vertices: the first of the edges within a tie of the best.
#[inline(always)]
fn best_of_few(
    r: &SmallPolygon,
    i: &SmallPolygon,
    view: &RelativePose,
    limit: f64,
    tie: f64,
) -> Option<SeparatingEdge> {
    let placed = view.points(&i.vertices);
    let (x, y) = (&placed.x, &placed.y);
    // Least projection of the other polygon on each of the four normals, in SIMD lanes.
    let mut low = r.normals.along(DVec2::new(x[0], y[0]));
    for k in 1..4 {
        low = smaller(low, r.normals.along(DVec2::new(x[k], y[k])));
    }
    // With the opposite sign, so that the best is the minimum.
    let o = &r.offset;
    let depth = [o[0] - low[0], o[1] - low[1], o[2] - low[2], o[3] - low[3]];
    let best = least(depth);
    if -best > limit {
        return None;
    }
    let edge = first_within(depth, best + tie);
    let normal = DVec2::new(r.normals.x[edge], r.normals.y[edge]);
    let values = placed.along(normal);
    Some(SeparatingEdge {
        edge,
        support: first_within(values, least(values)),
        separation: -depth[edge],
    })
}

/// Normals of a rectangle's edges, and its support vertices by the signs of a direction. Statics: arrays on the stack
/// would be written before each use.
static OUTWARD: [DVec2; 4] = [DVec2::NEG_Y, DVec2::X, DVec2::Y, DVec2::NEG_X];
static LOWEST: [usize; 4] = [2, 3, 1, 0];

/// The same for two rectangles, from their half extents: the signs of a direction give the support vertex.
#[inline(always)]
fn best_of_boxes(
    r: DVec2,
    i: DVec2,
    view: &RelativePose,
    limit: f64,
    tie: f64,
) -> Option<SeparatingEdge> {
    let turn = view.turn.abs();
    // Sum of the half extents of both boxes along the axes of the first.
    let reach = DVec2::new(
        turn.x * i.x + turn.y * i.y + r.x,
        turn.y * i.x + turn.x * i.y + r.y,
    );
    let (right, up) = (reach.x - view.shift.x, reach.y - view.shift.y);
    let (left, down) = (reach.x + view.shift.x, reach.y + view.shift.y);
    let depth = [down, right, up, left];
    let best = least(depth);
    if -best > limit {
        return None;
    }
    let edge = first_within(depth, best + tie);
    let normal = OUTWARD[edge];
    let low = view.vector_back(normal);
    // Vertices 0 and 3 are on the left, 0 and 1 below.
    let (left, below) = (usize::from(low.x >= 0.0), usize::from(low.y >= 0.0));
    Some(SeparatingEdge {
        edge,
        support: LOWEST[2 * below + left],
        separation: -depth[edge],
    })
}

/// The edge of `r` with the largest separation; `None` if that is above `limit`.
fn best_edge(
    r: &RoundedPolygon,
    i: &RoundedPolygon,
    view: &RelativePose,
    limit: f64,
    tie: f64,
) -> Option<SeparatingEdge> {
    if let (Some(r), Some(i)) = (r.few, i.few) {
        return best_of_few(r, i, view, limit, tie);
    }
    best_by_calipers(r, i, view, limit, tie)
}

/// The best edge of a, and that of b.
#[inline(always)]
fn best_edges(
    [a, b]: [&RoundedPolygon; 2],
    [view, back]: [&RelativePose; 2],
    limit: f64,
    tie: f64,
) -> Option<[SeparatingEdge; 2]> {
    if let (Some(r), Some(i)) = (a.half(), b.half()) {
        return Some([
            best_of_boxes(r, i, view, limit, tie)?,
            best_of_boxes(i, r, back, limit, tie)?,
        ]);
    }
    Some([
        best_edge(a, b, view, limit, tie)?,
        best_edge(b, a, back, limit, tie)?,
    ])
}

/// [`best_edge`] for any number of vertices, by rotating calipers.
fn best_by_calipers(
    r: &RoundedPolygon,
    i: &RoundedPolygon,
    view: &RelativePose,
    limit: f64,
    tie: f64,
) -> Option<SeparatingEdge> {
    let mut best = SeparatingEdge {
        edge: 0,
        support: 0,
        separation: f64::NEG_INFINITY,
    };
    let (mut support, _) = i.lowest(view.vector_back(*r.normals.first()?));
    let segment = r.normals.len() == 2;
    for (edge, (&normal, &vertex)) in r.normals.iter().zip(r.vertices).enumerate() {
        let direction = view.vector_back(normal);
        // From one normal of a segment to the other is half a turn: from the lowest vertex to the highest, where a
        // level edge would end the walk.
        if segment {
            support = i.lowest(direction).0;
        }
        let mut value = direction.dot(i.vertices[support]);
        // At most once round, so that rounding cannot make this endless.
        for _ in 0..i.vertices.len() {
            let next = i.next(support);
            let there = direction.dot(i.vertices[next]);
            if !(there < value) {
                break;
            }
            (support, value) = (next, there);
        }
        let separation = normal.dot(view.shift - vertex) + value;
        if separation > limit {
            return None;
        }
        if separation > best.separation + tie {
            best = SeparatingEdge {
                edge,
                support,
                separation,
            };
        }
    }
    Some(best)
}

fn length(core: &RoundedPolygon, edge: usize) -> f64 {
    (core.vertices[core.next(edge)] - core.vertices[edge]).length()
}

/// Whether b's best edge is the reference: the one of the larger separation, of equal ones the longer.
#[inline(always)]
fn second_first(
    [a, b]: [&RoundedPolygon; 2],
    [first, second]: &[SeparatingEdge; 2],
    tie: f64,
) -> bool {
    if (second.separation - first.separation).abs() > tie {
        second.separation > first.separation
    } else {
        length(b, second.edge) > length(a, first.edge)
    }
}

/// The edge of `r` with the largest separation among those that are not internal; −∞ if all are.
fn best_on_surface(
    r: &RoundedPolygon,
    i: &RoundedPolygon,
    view: &RelativePose,
    tie: f64,
) -> SeparatingEdge {
    let mut best = SeparatingEdge {
        edge: 0,
        support: 0,
        separation: f64::NEG_INFINITY,
    };
    for (edge, (&normal, &vertex)) in r.normals.iter().zip(r.vertices).enumerate() {
        if r.is_cut(edge) {
            continue;
        }
        let (support, low) = i.lowest(view.vector_back(normal));
        let separation = normal.dot(view.shift - vertex) + low;
        if separation > best.separation + tie {
            best = SeparatingEdge {
                edge,
                support,
                separation,
            };
        }
    }
    best
}

/// Writes the manifold of a and b, `view` being the pose of b relative to a; the reference is a unless `exchanged`.
#[inline]
pub(super) fn convex(
    a: &RoundedPolygon,
    b: &RoundedPolygon,
    view: &RelativePose,
    reach: f64,
    found: &mut Manifold,
) {
    found.clear();
    // Bounding circles.
    let limit = reach + a.radius + b.radius;
    let size = a.extent + b.extent;
    let far = size + reach;
    if !(view.shift.length_squared() <= far * far) {
        return;
    }
    // Separating axes: the best edge of each polygon.
    let back = view.inverse();
    let tie = tie(a.extent, b.extent);
    let Some(mut bests) = best_edges([a, b], [view, &back], limit, tie) else {
        return;
    };
    let mut other = second_first([a, b], &bests, tie);
    let chosen = [a, b][usize::from(other)];
    // Overlapping shapes are not separated through an internal edge: the rest of the body is behind it.
    if bests[usize::from(other)].separation <= 0.0 && chosen.is_cut(bests[usize::from(other)].edge)
    {
        bests = [
            best_on_surface(a, b, view, tie),
            best_on_surface(b, a, &back, tie),
        ];
        other = second_first([a, b], &bests, tie);
        if bests[usize::from(other)].separation == f64::NEG_INFINITY {
            return;
        }
    }
    let best = bests[usize::from(other)];
    let (r, i) = if other { (b, a) } else { (a, b) };
    let view = if other { &back } else { view };
    // The Minkowski difference of two collinear segments has no interior: they count as separated.
    let flat = a.vertices.len() == 2 && b.vertices.len() == 2;
    let apart = best.separation > 0.0 || flat;
    manifold::points((r, i), view, (best.edge, best.support, apart), reach, found);
    found.exchanged ^= other;
    // In the order of a's edge, whichever shape is the reference.
    if found.exchanged {
        found.reverse();
    }
}

/// Contact of a rounded polygon with a disc at `centre`: gap, normal from the polygon and the point on its surface.
pub(super) fn disc(
    core: &RoundedPolygon,
    centre: DVec2,
    radius: f64,
    reach: f64,
) -> Option<(f64, DVec2, DVec2)> {
    let limit = reach + radius + core.radius;
    // The edge of the largest separation.
    let (mut edge, mut separation) = (0, f64::NEG_INFINITY);
    for (k, (normal, vertex)) in core.normals.iter().zip(core.vertices).enumerate() {
        let s = normal.dot(centre - *vertex);
        if s > limit {
            return None;
        }
        if s > separation {
            (edge, separation) = (k, s);
        }
    }
    // A centre inside is not separated through an internal edge.
    if separation <= 0.0 && core.is_cut(edge) {
        separation = f64::NEG_INFINITY;
        for (k, (normal, vertex)) in core.normals.iter().zip(core.vertices).enumerate() {
            let s = normal.dot(centre - *vertex);
            if !core.is_cut(k) && s > separation {
                (edge, separation) = (k, s);
            }
        }
        if separation == f64::NEG_INFINITY {
            return None;
        }
    }
    // Voronoi region of the best edge: face or one of its ends.
    let (p, q) = (core.vertices[edge], core.vertices[core.next(edge)]);
    let normal = core.normals[edge];
    let along = normal.perp();
    let (tau, length) = (along.dot(centre - p), along.dot(q - p));
    // The centre is inside or over the edge; else the nearer end of the best edge is closest.
    let corner = if tau < 0.0 {
        p
    } else if tau > length {
        q
    } else {
        let at = p + along * tau + normal * core.radius;
        let gap = separation - radius - core.radius;
        return (gap <= reach).then_some((gap, normal, at));
    };
    let distance = (centre - corner).length();
    let normal = if distance > manifold::TINY * (core.extent + radius) {
        (centre - corner) / distance
    } else {
        normal
    };
    let gap = distance - radius - core.radius;
    (gap <= reach).then_some((gap, normal, corner + normal * core.radius))
}
