//! Self-intersection test of an outline: whether edges intersect anywhere but at their common vertices.

use std::cmp::Ordering;

use glam::DVec2;

use super::orientation;
use crate::error::ShapeError;

/// Rejects outlines whose edges cross or touch; vertices carry the indices they were given with. Sweep and prune: the
/// edges are sorted by their left ends, and each is tested against those that begin before it ends.
pub(super) fn check(corners: &[(usize, DVec2)]) -> Result<(), ShapeError> {
    let n = corners.len();
    let edge = |i: usize| [corners[i].1, corners[(i + 1) % n].1];
    let left = |i: usize| edge(i)[0].x.min(edge(i)[1].x);
    let right = |i: usize| edge(i)[0].x.max(edge(i)[1].x);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| left(*i).total_cmp(&left(*j)).then(i.cmp(j)));
    let mut worst: Option<[usize; 2]> = None;
    for (k, &i) in order.iter().enumerate() {
        for &j in order[k + 1..].iter().take_while(|j| left(**j) <= right(i)) {
            let pair = [i.min(j), i.max(j)];
            if worst.is_none_or(|known| pair < known) && meet(edge, pair, n) {
                worst = Some(pair);
            }
        }
    }
    let Some(pair) = worst else { return Ok(()) };
    // The pair of the smallest indices is reported, whatever the order of the sweep.
    let name = |i: usize| {
        let ((a, p), (b, q)) = (corners[i], corners[(i + 1) % n]);
        (a, b, p, q)
    };
    let [(a, b, ..), (c, d, ..)] = pair.map(name);
    Err(ShapeError::NotConvex(format!(
        "the edge from vertex {a} to vertex {b} and the edge from vertex {c} to vertex {d} meet: the \
         outline of a polygon must not cross or touch itself (vertices are counted from 0)"
    )))
}

/// Whether two edges have a point in common that is not their common vertex.
fn meet(edge: impl Fn(usize) -> [DVec2; 2], [i, j]: [usize; 2], n: usize) -> bool {
    let ([a, b], [c, d]) = (edge(i), edge(j));
    if j == i + 1 || (i == 0 && j == n - 1) {
        // Adjacent edges intersect if one folds back over the other.
        let (first, corner, last) = if j == i + 1 { (a, b, d) } else { (c, d, b) };
        return orientation(first, corner, last) == Ordering::Equal
            && (first - corner).dot(last - corner) > 0.0;
    }
    // Proper crossing: the ends of each edge lie on opposite sides of the other.
    let (p, q) = (orientation(a, b, c), orientation(a, b, d));
    let (r, s) = (orientation(c, d, a), orientation(c, d, b));
    if p != q && r != s && [p, q, r, s].iter().all(|o| o.is_ne()) {
        return true;
    }
    // Touching: an end of one edge lies on the other.
    let on = |o: Ordering, [from, to]: [DVec2; 2], x: DVec2| {
        o.is_eq() && from.min(to).cmple(x).all() && from.max(to).cmpge(x).all()
    };
    on(p, [a, b], c) || on(q, [a, b], d) || on(r, [c, d], a) || on(s, [c, d], b)
}
