//! Sizes from 10⁻⁶ to 10⁶ and bodies far from the origin.

use std::sync::Arc;

use crate::plane_common::{Make, Random, at, check, distance, least, pose, touches};
use glam::DVec2;
use percuss_geometry::plane::{Chain, ConvexPolygon, Shape};

fn scaled(shape: &Shape, size: f64) -> Shape {
    match shape {
        Shape::Disc { radius } => Shape::disc(radius * size).unwrap(),
        Shape::Capsule {
            half_length,
            radius,
        } => Shape::capsule(2.0 * half_length * size, radius * size).unwrap(),
        Shape::Polygon(polygon) => {
            let vertices: Vec<DVec2> = polygon.vertices().iter().map(|v| *v * size).collect();
            Shape::Polygon(Arc::new(ConvexPolygon::new(&vertices).unwrap().0))
        }
        other => other.clone(),
    }
}

#[test]
fn sizes_from_a_millionth_to_a_million_are_alike() {
    let kinds: [Make; 3] = [Random::disc, Random::capsule, Random::polygon];
    let mut random = Random(4);
    for exponent in -6..=6 {
        let size = 10f64.powi(exponent);
        let mut touching = 0;
        for round in 0..3_000 {
            let (a, b) = (
                kinds[round % 3](&mut random),
                kinds[round / 3 % 3](&mut random),
            );
            let (a, b) = (scaled(&a, size), scaled(&b, size));
            let (p, q) = (random.pose(size), random.pose(1.5 * size));
            let reach = 0.3 * size;
            let found = touches((&a, &p), (&b, &q), reach);
            check((&a, &p), (&b, &q), reach, &found, 1e-13 * size);
            let (want, ..) = distance((&a, &p), (&b, &q));
            match least(&found) {
                Some(t) => {
                    touching += 1;
                    assert!(
                        (t.gap - want).abs() < 5e-12 * size,
                        "{size}: {} {want}",
                        t.gap
                    );
                }
                None => assert!(want > reach * (1.0 - 1e-12), "{size}: missed {want}"),
            }
        }
        assert!(touching > 1_000, "{size}: {touching}");
    }
}

#[test]
fn a_grain_on_a_block_a_million_million_times_its_size_touches_as_on_a_plane() {
    let mut random = Random(8);
    for size in [1e-6, 1e-3, 1.0] {
        let block = Shape::Polygon(Arc::new(ConvexPolygon::rectangle(1e6, 1e6).unwrap()));
        let below = at(0.0, -5e5, 0.0);
        for _ in 0..300 {
            let grain = scaled(&random.polygon(), size);
            let place = at(0.3, 0.4 * size, random.between(-3.0, 3.0));
            let on_block = least(&touches((&block, &below), (&grain, &place), 0.0));
            let on_plane = least(&touches(
                (&Shape::HalfPlane, &at(0.0, 0.0, 0.0)),
                (&grain, &place),
                0.0,
            ));
            match (on_block, on_plane) {
                // Corners of the block, 7·10⁵ from its centre, are known to 10⁻¹⁰; ties count
                // fifty times that as equal.
                (Some(s), Some(t)) => assert!((s.gap - t.gap).abs() < 1e-8, "{s:?} {t:?}"),
                (None, None) => {}
                (s, t) => panic!("{s:?} {t:?}"),
            }
        }
    }
}

#[test]
fn far_from_the_origin_only_the_positions_lose_digits() {
    let mut random = Random(5);
    for _ in 0..5_000 {
        let (a, b) = (random.polygon(), random.polygon());
        // Multiples of 2⁻²⁰, which stay exact when shifted by 2²⁰.
        let grid = |v: DVec2| (v * 1_048_576.0).round() / 1_048_576.0;
        let (p, q) = (grid(random.vector(1.0)), grid(random.vector(1.5)));
        let (s, t) = (random.between(-3.0, 3.0), random.between(-3.0, 3.0));
        let far = DVec2::new(1_048_576.0, -524_288.0);
        let here = touches((&a, &pose(p, s)), (&b, &pose(q, t)), 0.2);
        let there = touches((&a, &pose(p + far, s)), (&b, &pose(q + far, t)), 0.2);
        assert_eq!(here.len(), there.len());
        for (x, y) in here.iter().zip(&there) {
            assert_eq!((x.gap, x.normal, x.feature), (y.gap, y.normal, y.feature));
            // Rounding of coordinates of 10⁶.
            assert!((x.point_a + far - y.point_a).length() < 1e-9);
        }
    }
}

#[test]
fn chains_of_all_sizes_hold_a_box_of_their_size() {
    for exponent in -6..=6 {
        let size = 10f64.powi(exponent);
        let vertices: Vec<DVec2> = [(-3.0, 0.5), (-1.0, 0.0), (1.0, 0.0), (3.0, -0.5)]
            .map(|(x, y)| DVec2::new(x, y) * size)
            .to_vec();
        let floor = Shape::Chain(Arc::new(Chain::new(&vertices, false).unwrap()));
        let body = Shape::Polygon(Arc::new(ConvexPolygon::rectangle(size, size).unwrap()));
        let place = at(0.1 * size, 0.499 * size, 0.0);
        let (a, b) = ((&floor, &at(0.0, 0.0, 0.0)), (&body, &place));
        let found = touches(a, b, 0.0);
        check(a, b, 0.0, &found, 1e-15 * size);
        assert_eq!(found.len(), 2);
        for t in &found {
            assert!(
                (t.gap + 1e-3 * size).abs() < 1e-15 * size && t.normal == DVec2::Y,
                "{t:?}"
            );
        }
    }
}
