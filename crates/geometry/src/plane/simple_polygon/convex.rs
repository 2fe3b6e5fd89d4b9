//! Convex decomposition of a simple polygon: cuts at its reflex vertices.
//!
//! From a reflex vertex one of its two edges is continued until it meets the outline. This cut splits the polygon in
//! two and removes the reflex vertex: r + 1 parts for r of them. A cut that continues an edge adds no edge of another
//! direction at the vertex: a body in a concave corner is closer to the true edges of the parts than to any cut, which
//! a cut across the corner would not guarantee.
//!
//! At a shallow reflex vertex, one of many along an arc, continued edges would cut off slivers, thinner than the
//! overlaps that occur in a simulation. There the cut goes across, along the bisector, to a vertex where one is near.
//! Edges that are cuts are marked as internal: no contact normal is taken from them.

use glam::DVec2;

use super::super::polygon::ConvexPolygon;
use super::{SAME, twice};
use crate::error::ShapeError;

/// Sine of the exterior angle up to which a reflex vertex is shallow: 30°, the chord of a twelfth of a circle.
const SHALLOW: f64 = 0.5;

/// By how much the smallest angle of a cut, as a sine, may be worse for the cut to end in a vertex.
const CORNER: f64 = 0.3;

/// An edge of a part within this distance of an edge of the outline, relative to the size, belongs to the outline.
const NEAR: f64 = 1e-9;

/// End of a cut: a vertex, or a point on the edge after a vertex.
#[derive(Clone, Copy)]
enum End {
    Corner(usize),
    Edge(usize, DVec2),
}

/// Convex parts of an anticlockwise outline of unit size, scaled by `size`, with their centroids.
pub(super) fn parts(
    outline: &[DVec2],
    size: f64,
) -> Result<Vec<(ConvexPolygon, DVec2)>, ShapeError> {
    let whole = twice(outline);
    let mut waiting = vec![outline.to_vec()];
    let mut parts = Vec::new();
    // A piece is convex, or negligible, or cut in two.
    while let Some(piece) = waiting.pop() {
        let scaled: Vec<DVec2> = piece.iter().map(|v| *v * size).collect();
        match ConvexPolygon::new(&scaled) {
            Ok((part, at)) => {
                let cut = |p: DVec2, q: DVec2| !on(outline, (p + at) / size, (q + at) / size);
                parts.push((part.with_cuts(cut), at));
            }
            // A piece without area up to rounding is dropped.
            Err(_) if twice(&piece) <= SAME * whole => {}
            Err(ShapeError::NotConvex(_)) if parts.len() + waiting.len() <= outline.len() => {
                let (one, two) = cut(&piece).ok_or_else(thin)?;
                waiting.push(two);
                waiting.push(one);
            }
            Err(ShapeError::NotConvex(_)) => return Err(thin()),
            Err(error) => return Err(error),
        }
    }
    Ok(parts)
}

fn thin() -> ShapeError {
    ShapeError::Degenerate("the polygon is too thin to be cut into convex parts".into())
}

/// Whether the edge from p to q lies on an edge of the outline.
fn on(outline: &[DVec2], p: DVec2, q: DVec2) -> bool {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).any(|(a, b)| {
        let along = (*b - *a).normalize_or_zero();
        let length = (*b - *a).length();
        [p, q].iter().all(|x| {
            let (tau, eta) = (along.dot(*x - *a), along.perp_dot(*x - *a));
            eta.abs() <= NEAR && tau >= -NEAR && tau <= length + NEAR
        })
    })
}

/// Cuts a piece in two at its sharpest reflex vertex: across it if it is shallow, else along the shorter continuation
/// of one of its edges.
fn cut(piece: &[DVec2]) -> Option<(Vec<DVec2>, Vec<DVec2>)> {
    let n = piece.len();
    let edges = |i: usize| {
        let at = piece[i];
        (at - piece[(i + n - 1) % n], piece[(i + 1) % n] - at)
    };
    let bend = |i: &usize| {
        let (before, after) = edges(*i);
        before.perp_dot(after) / (before.length() * after.length())
    };
    // The vertex with the most negative sine of its exterior angle.
    let i = (0..n).min_by(|i, j| bend(i).total_cmp(&bend(j)))?;
    let (before, after) = edges(i);
    let across = (bend(&i) > -SHALLOW)
        .then(|| across(piece, i, (before, after)))
        .flatten();
    // Otherwise the shorter of the two continued edges.
    let end = across.or_else(|| {
        let ways = [before, -after].map(|way| hit(piece, i, way.normalize_or_zero()));
        let nearest = ways
            .into_iter()
            .flatten()
            .min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map(|(_, end)| end)
    })?;
    let run = |from: usize, to: usize| {
        let count = (to + n - from) % n;
        (0..=count).map(move |k| piece[(from + k) % n])
    };
    // The two boundary runs between the vertex and the end of the cut.
    Some(match end {
        End::Corner(k) => (run(i, k).collect(), run(k, i).collect()),
        End::Edge(k, at) => {
            let one = run(i, k).chain([at]).collect();
            let two = [at].into_iter().chain(run((k + 1) % n, i)).collect();
            (one, two)
        }
    })
}

/// The end of a cut from vertex i along the bisector of its edges, or a vertex near that end.
fn across(piece: &[DVec2], i: usize, (before, after): (DVec2, DVec2)) -> Option<End> {
    let n = piece.len();
    let (before, after) = (before.normalize_or_zero(), after.normalize_or_zero());
    // Smallest sine of the angles between a cut and the edges at both of its ends.
    let least = |way: DVec2, edges: &[DVec2]| {
        let own = before.perp_dot(way).min(after.perp_dot(way));
        let other = edges
            .iter()
            .map(|e| e.normalize_or_zero().perp_dot(way).abs());
        other.fold(own, f64::min)
    };
    let way = (before + after).perp().normalize_or_zero();
    let (_, free) = hit(piece, i, way)?;
    let End::Edge(k, _) = free else {
        return Some(free);
    };
    let enough = least(way, &[piece[(k + 1) % n] - piece[k]]) - CORNER;
    // A visible vertex of the edge that was hit, if its smallest angle is good enough.
    let corner = |k: usize| {
        let way = (piece[k] - piece[i]).normalize_or_zero();
        let (_, end) = hit(piece, i, way)?;
        let seen = matches!(end, End::Corner(at) if at == k);
        let edges = [
            piece[k] - piece[(k + n - 1) % n],
            piece[(k + 1) % n] - piece[k],
        ];
        let angle = least(way, &edges);
        (seen && angle >= enough).then_some((angle, k))
    };
    let corners = [k, (k + 1) % n].map(corner).into_iter().flatten();
    let best = corners.max_by(|a, b| a.0.total_cmp(&b.0));
    Some(best.map_or(free, |(_, k)| End::Corner(k)))
}

/// First intersection of a ray from vertex i with the outline, and its distance.
fn hit(piece: &[DVec2], i: usize, way: DVec2) -> Option<(f64, End)> {
    let (n, origin) = (piece.len(), piece[i]);
    let mut nearest: Option<(f64, End)> = None;
    // From the vertex after the next on to the one before the last: the edges at vertex i itself are skipped.
    for k in (1..n).map(|k| (i + k) % n) {
        let (a, b) = (piece[k] - origin, piece[(k + 1) % n] - origin);
        let (left, right) = (way.perp_dot(a), way.perp_dot(b));
        let end = if left.abs() <= SAME {
            End::Corner(k)
        } else if right.abs() > SAME && (left > 0.0) != (right > 0.0) && (k + 1) % n != i {
            End::Edge(k, origin + a + (b - a) * (left / (left - right)))
        } else {
            continue;
        };
        let far = match end {
            End::Corner(_) => way.dot(a),
            End::Edge(_, at) => way.dot(at - origin),
        };
        if far > SAME && nearest.is_none_or(|(known, _)| far < known) {
            nearest = Some((far, end));
        }
    }
    nearest
}
