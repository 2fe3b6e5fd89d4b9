//! The three methods for the best edge (rectangles, SIMD lanes, rotating calipers) against each other.

use super::*;
use crate::dim::Pose;
use crate::plane::ConvexPolygon;
use crate::rotation::Angle;

/// Quasi-random numbers in −1..1.
fn scatter(k: usize, factor: f64) -> f64 {
    2.0 * (k as f64 * factor).fract() - 1.0
}

fn pose(k: usize) -> Pose<crate::dim::Plane> {
    // One in four is upright, where two vertices are equally low.
    let angle = if k.is_multiple_of(4) {
        0.0
    } else {
        4.0 * scatter(k, 0.618_034)
    };
    Pose {
        position: DVec2::new(scatter(k, 0.754_877), scatter(k, 0.569_84)),
        rotation: Angle::new(angle),
    }
}

/// The least height of the incident polygon over an edge, and that of the support vertex.
fn over(
    r: &RoundedPolygon,
    i: &RoundedPolygon,
    view: &RelativePose,
    best: &SeparatingEdge,
) -> [f64; 2] {
    let (normal, start) = (r.normals[best.edge], r.vertices[best.edge]);
    let height = |v: &DVec2| normal.dot(view.point(*v) - start);
    let low = i.vertices.iter().map(height).fold(f64::INFINITY, f64::min);
    [low, height(&i.vertices[best.support])]
}

#[test]
fn boxes_and_few_vertices_agree_with_calipers() -> Result<(), crate::error::ShapeError> {
    let corners = [(-0.4, -0.3), (0.5, -0.2), (0.1, 0.4)].map(DVec2::from);
    let (wide, tall) = (
        ConvexPolygon::rectangle(0.8, 0.3)?,
        ConvexPolygon::rectangle(0.2, 0.7)?,
    );
    let shapes = [wide, tall, ConvexPolygon::new(&corners)?.0];
    let (infinite, tie) = (f64::INFINITY, 1e-12);
    for k in 0..3000 {
        let (a, b) = (pose(2 * k), pose(2 * k + 1));
        let view = RelativePose::new(&a, &b);
        for (r, i) in [(0, 1), (1, 0), (0, 2), (2, 1), (0, 0)] {
            let (r, i) = (
                RoundedPolygon::polygon(&shapes[r]),
                RoundedPolygon::polygon(&shapes[i]),
            );
            let any = best_by_calipers(&r, &i, &view, infinite, tie);
            let back = view.inverse();
            let own = |limit| best_edges([&r, &i], [&view, &back], limit, tie);
            let fast = own(infinite).map(|[first, _]| first);
            let few = r.few.zip(i.few);
            let few = few.and_then(|(r, i)| best_of_few(r, i, &view, infinite, tie));
            let (Some(any), Some(fast), Some(few)) = (any, fast, few) else {
                panic!("an edge was not found");
            };
            for best in [fast, few] {
                assert!((best.separation - any.separation).abs() <= 2.0 * tie);
                let [low, support] = over(&r, &i, &view, &best);
                assert!((low - best.separation).abs() < 1e-14);
                assert!((support - low).abs() < 1e-14);
            }
            let limit = any.separation - 1e-9;
            assert!(own(limit).is_none());
        }
    }
    Ok(())
}
