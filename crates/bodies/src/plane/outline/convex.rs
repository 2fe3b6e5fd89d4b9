//! Convex parts of a simple polygon: ears, then Hertel and Mehlhorn's joining.

use std::cmp::Ordering;

use glam::DVec2;

use super::turn;

/// Loops of corner numbers, anticlockwise; `None` if no ear is found where there must be one.
pub(super) fn parts(outline: &[DVec2]) -> Option<Vec<Vec<usize>>> {
    let mut parts = triangles(outline)?;
    join(outline, &mut parts);
    Some(parts)
}

/// Cuts off ears, the one with the shortest diagonal first: it leaves fewer slivers. An ear changes
/// which corners are ears only beside it; where that finds none, all are looked at again.
fn triangles(outline: &[DVec2]) -> Option<Vec<Vec<usize>>> {
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let look = |left: &[usize], i: usize| ear(outline, left, around(left, i));
    let mut ears: Vec<bool> = (0..left.len()).map(|i| look(&left, i)).collect();
    let mut found = Vec::with_capacity(outline.len());
    while left.len() > 3 {
        if !ears.contains(&true) {
            ears = (0..left.len()).map(|i| look(&left, i)).collect();
        }
        let length = |i: &usize| {
            let [a, _, c] = around(&left, *i);
            (outline[a] - outline[c]).length_squared()
        };
        let all = (0..left.len()).filter(|i| ears[*i]);
        let best = all.min_by(|i, j| length(i).total_cmp(&length(j)))?;
        found.push(around(&left, best).to_vec());
        left.remove(best);
        ears.remove(best);
        let n = left.len();
        for i in [(best + n - 1) % n, best % n] {
            ears[i] = look(&left, i);
        }
    }
    let [a, b, c] = left[..] else { return None };
    // What is left may be flat, if the corners before it lie on a line.
    if turn(outline[a], outline[b], outline[c]) == Ordering::Greater {
        found.push(left);
    }
    Some(found)
}

/// A corner between its neighbours.
fn around(left: &[usize], i: usize) -> [usize; 3] {
    let n = left.len();
    [left[(i + n - 1) % n], left[i], left[(i + 1) % n]]
}

/// Whether a corner turns left and no other corner lies in its triangle or on its diagonal.
fn ear(outline: &[DVec2], left: &[usize], [a, b, c]: [usize; 3]) -> bool {
    let [p, q, r] = [a, b, c].map(|i| outline[i]);
    if turn(p, q, r) != Ordering::Greater {
        return false;
    }
    let (low, high) = (p.min(q).min(r), p.max(q).max(r));
    left.iter().all(|&i| {
        let x = outline[i];
        let own = i == a || i == b || i == c;
        own || !(low.cmple(x).all() && high.cmpge(x).all())
            || turn(p, q, x) == Ordering::Less
            || turn(q, r, x) == Ordering::Less
            || turn(r, p, x) == Ordering::Less
    })
}

/// Joins parts across diagonals as long as both ends stay convex.
fn join(outline: &[DVec2], parts: &mut Vec<Vec<usize>>) {
    let mut first = 0;
    while first < parts.len() {
        match neighbour(outline, parts, first) {
            Some((second, joined)) => {
                parts.remove(second);
                parts[first] = joined;
            }
            None => first += 1,
        }
    }
}

/// A later part that can be joined to part `first`, and the result.
fn neighbour(outline: &[DVec2], parts: &[Vec<usize>], first: usize) -> Option<(usize, Vec<usize>)> {
    let one = &parts[first];
    let n = one.len();
    for (second, two) in parts.iter().enumerate().skip(first + 1) {
        let m = two.len();
        for i in 0..n {
            let (from, to) = (one[i], one[(i + 1) % n]);
            let Some(j) = (0..m).find(|j| two[*j] == to && two[(j + 1) % m] == from) else {
                continue;
            };
            let left = |a: usize, b: usize, c: usize| {
                turn(outline[a], outline[b], outline[c]) != Ordering::Less
            };
            let at_from = left(one[(i + n - 1) % n], from, two[(j + 2) % m]);
            let at_to = left(two[(j + m - 1) % m], to, one[(i + 2) % n]);
            if at_from && at_to {
                let rest = (1..n).map(|k| one[(i + k) % n]);
                let other = (1..m).map(|k| two[(j + k) % m]);
                return Some((second, rest.chain(other).collect()));
            }
        }
    }
    None
}
