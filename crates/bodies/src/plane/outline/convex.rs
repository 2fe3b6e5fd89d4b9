//! Convex parts of a simple polygon: cut at its hollow corners.
//!
//! From a hollow corner one of its two edges is continued until it meets the outline, which cuts the
//! polygon in two and leaves no hollow corner there: r + 1 parts for r of them. A cut that continues an
//! edge has no side of its own at the corner: what lies in a hollow corner is nearer to the true sides of
//! the parts than to any cut, which a cut across the corner would not grant.

use glam::DVec2;

use super::super::polygon::Polygon;
use super::{SAME, twice};
use crate::error::ShapeError;

/// Where a cut ends: at a corner, or on the edge after a corner.
#[derive(Clone, Copy)]
enum End {
    Corner(usize),
    Edge(usize, DVec2),
}

/// The parts of an outline, anticlockwise and of size one, with their centroids.
pub(super) fn parts(outline: &[DVec2], size: f64) -> Result<Vec<(Polygon, DVec2)>, ShapeError> {
    let whole = twice(outline);
    let mut waiting = vec![outline.to_vec()];
    let mut parts = Vec::new();
    while let Some(piece) = waiting.pop() {
        let scaled: Vec<DVec2> = piece.iter().map(|v| *v * size).collect();
        match Polygon::new(&scaled) {
            Ok(part) => parts.push(part),
            // A piece without area to rounding: nothing is missing without it.
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

/// Cuts a piece in two at its most hollow corner, along the shorter continuation of an edge.
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
    let i = (0..n).min_by(|i, j| bend(i).total_cmp(&bend(j)))?;
    let (before, after) = edges(i);
    let ways = [before, -after].map(|way| hit(piece, i, way.normalize_or_zero()));
    let (_, end) = ways
        .into_iter()
        .flatten()
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let run = |from: usize, to: usize| {
        let count = (to + n - from) % n;
        (0..=count).map(move |k| piece[(from + k) % n])
    };
    Some(match end {
        End::Corner(k) => (run(i, k).collect(), run(k, i).collect()),
        End::Edge(k, at) => {
            let one = run(i, k).chain([at]).collect();
            let two = [at].into_iter().chain(run((k + 1) % n, i)).collect();
            (one, two)
        }
    })
}

/// The first point of the outline on a ray from corner i, and how far it is.
fn hit(piece: &[DVec2], i: usize, way: DVec2) -> Option<(f64, End)> {
    let (n, origin) = (piece.len(), piece[i]);
    let mut nearest: Option<(f64, End)> = None;
    // From the corner after the next on to the one before the last: the edges at corner i itself are
    // left behind.
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
