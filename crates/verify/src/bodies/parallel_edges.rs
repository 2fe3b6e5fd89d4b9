//! Contact points of nearly parallel edges: the nearest points need not lie opposite along the normal.
//!
//! Polyhedra that are apart and whose nearest edges are nearly parallel touch at both ends of the common length.
//! There x on the edge of a and y on that of b are nearest to each other and y − x is not along n. The record holds
//! their midpoint and the gap:
//!
//! ```text
//! ½(x + y) = at,   n·(y − x) = gap,       x or y an end of its edge, the other the nearest point to it
//! ```

use percuss_record::{Faces, RecordedShape};

use super::super::vector::{V3, add, add_scaled, dot, norm, scale, sub};
use super::scene_data::SpatialPose;

/// Sine of the angle up to which two edges count as parallel.
const PARALLEL: f64 = 1e-2;

/// Distance of `at` and `gap` from the midpoint and the gap of points on two parallel edges; infinite where there are
/// none.
pub(super) fn parallel_edge_defect(
    (oa, a): (&RecordedShape, &SpatialPose),
    (ob, b): (&RecordedShape, &SpatialPose),
    (at, n, gap): (V3, V3, f64),
) -> f64 {
    let (RecordedShape::Polyhedron(first), RecordedShape::Polyhedron(second)) = (oa, ob) else {
        return f64::INFINITY;
    };
    let (first, second) = (edges(first, a), edges(second, b));
    let pairs = first
        .iter()
        .flat_map(|e| second.iter().map(move |f| (e, f)));
    pairs.fold(f64::INFINITY, |least, (e, f)| {
        least.min(between(*e, *f, at, n, gap))
    })
}

/// The edges of a polyhedron in space, each listed once, from its end with the smaller index.
fn edges(faces: &Faces, stand: &SpatialPose) -> Vec<[V3; 2]> {
    let place = |i: u32| {
        let turned = super::super::vector::rotate(stand.q, faces.vertices[i as usize]);
        add(stand.x, turned)
    };
    let mut all = Vec::new();
    for face in &faces.faces {
        for k in 0..face.len() {
            let (i, j) = (face[k], face[(k + 1) % face.len()]);
            // The adjacent face traverses the edge in the opposite direction.
            if i < j {
                all.push([place(i), place(j)]);
            }
        }
    }
    all
}

/// The same for one edge of each polyhedron.
fn between([p, pe]: [V3; 2], [q, qe]: [V3; 2], at: V3, n: V3, gap: f64) -> f64 {
    let (u, v) = (sub(pe, p), sub(qe, q));
    let (uu, vv, uv) = (dot(u, u), dot(v, v), dot(u, v));
    // sin² = 1 − cos²; edges that cross have opposite nearest points.
    if 1.0 - uv * uv / (uu * vv) > PARALLEL * PARALLEL {
        return f64::INFINITY;
    }
    // The nearest points of nearly parallel edges are not unique: take an end of one edge and the point of the other
    // that is nearest to it.
    let ends = [0.0, 1.0];
    let of_a = ends.map(|s| {
        let x = add_scaled(p, u, s);
        (
            x,
            add_scaled(q, v, (dot(sub(x, q), v) / vv).clamp(0.0, 1.0)),
        )
    });
    let of_b = ends.map(|t| {
        let y = add_scaled(q, v, t);
        (
            add_scaled(p, u, (dot(sub(y, p), u) / uu).clamp(0.0, 1.0)),
            y,
        )
    });
    let off = |(x, y): &(V3, V3)| {
        let middle = norm(sub(scale(add(*x, *y), 0.5), at));
        middle.max((dot(sub(*y, *x), n) - gap).abs())
    };
    of_a.iter()
        .chain(&of_b)
        .map(off)
        .fold(f64::INFINITY, f64::min)
}
