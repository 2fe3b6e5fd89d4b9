//! Chains: one-sided, without ghost collisions at the corners between their segments.

use std::sync::Arc;

use crate::plane_common::{
    Random, at, chain, check, core, hull, least, rectangle, signed, touches,
};
use glam::DVec2;
use percuss_geometry::plane::{Chain, ConvexPolygon, Shape};
use percuss_geometry::{Plane, Pose};

/// Lengths and positions are below 30; rounding of some tens of operations is below this.
const ROUNDING: f64 = 1e-12;

fn ground() -> Pose<Plane> {
    at(0.0, 0.0, 0.0)
}

#[test]
fn a_box_slid_over_fifty_collinear_segments_has_two_points_with_the_exact_normal() {
    let vertices: Vec<(f64, f64)> = (0..=50).map(|i| (f64::from(i) * 0.37, 0.0)).collect();
    let floor = chain(&vertices, false);
    let body = rectangle(1.0, 0.5);
    let mut numbers = Vec::new();
    for step in 0..4_000 {
        let x = 0.7 + f64::from(step) * 0.004_123;
        let place = at(x, 0.25 - 1e-9, 0.0);
        let found = touches((&floor, &ground()), (&body, &place), 0.0);
        assert_eq!(found.len(), 2, "{x}: {found:?}");
        check((&floor, &ground()), (&body, &place), 0.0, &found, ROUNDING);
        for t in &found {
            assert_eq!(t.normal, DVec2::Y);
            assert!((t.gap + 1e-9).abs() < 1e-15);
        }
        // The vertices inside a straight run are no corners: the features persist all the way.
        let these: Vec<u32> = found.iter().map(|t| t.feature).collect();
        if numbers.is_empty() {
            numbers = these.clone();
        }
        assert_eq!(these, numbers, "{x}");
    }
}

#[test]
fn slightly_bent_joints_do_not_catch_a_sliding_box() {
    let mut random = Random(3);
    for bend in [1e-12, 1e-9, 1e-6, 1e-3, 1e-2] {
        let mut vertices = vec![(0.0, 0.0)];
        for i in 1..60 {
            vertices.push((f64::from(i) * 0.3, random.between(-bend, bend) * 0.15));
        }
        let floor = chain(&vertices, false);
        let body = rectangle(1.0, 0.5);
        for _ in 0..3_000 {
            let angle = random.between(-bend, bend);
            let place = at(random.between(1.0, 16.0), 0.25, angle);
            // Pressed in by as much as the bends, and resting above them.
            let y = random.between(-2.0 * bend, 0.2 * bend);
            let place = at(place.position.x, 0.25 + y, angle);
            let found = touches((&floor, &ground()), (&body, &place), 0.0);
            check((&floor, &ground()), (&body, &place), 0.0, &found, ROUNDING);
            for t in &found {
                // A normal is one of a face of the chain, steeper than 2 bend at most, or of the box.
                assert!(t.normal.x.abs() <= 2.1 * bend, "{bend}: {t:?}");
                assert!(t.gap > -5.0 * bend, "{bend}: {t:?}");
            }
            if y < -1.2 * bend {
                let (l, r) = found
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, r), t| {
                        (l.min(t.point_b.x), r.max(t.point_b.x))
                    });
                // Deeper than all bumps: supported on both sides of its centre, by its corners or by the bumps
                // next to them, which are 0.3 apart at most.
                let x = place.position.x;
                assert!(l < x - 0.15 && r > x + 0.15, "{bend} {y} {found:?}");
            }
        }
    }
}

#[test]
fn a_closed_convex_chain_walked_clockwise_is_as_the_polygon() {
    let mut random = Random(5);
    let mut compared = 0;
    for round in 0..20_000 {
        let corners = hull(
            (0..3 + random.below(12))
                .map(|_| random.vector(1.5))
                .collect(),
        );
        let Ok((polygon, centre)) = ConvexPolygon::new(&corners) else {
            continue;
        };
        let mut walk: Vec<DVec2> = polygon.vertices().iter().rev().copied().collect();
        let shift = random.below(walk.len());
        walk.rotate_left(shift);
        let outline = Shape::Chain(Arc::new(Chain::new(&walk, true).unwrap()));
        let solid = Shape::Polygon(Arc::new(polygon));
        let place = random.pose(0.5);
        let body = match round % 3 {
            0 => random.disc(),
            1 => random.capsule(),
            _ => random.polygon(),
        };
        let other = random.pose(3.0);
        let want = touches((&solid, &place), (&body, &other), 0.4);
        let found = touches((&outline, &place), (&body, &other), 0.4);
        check((&outline, &place), (&body, &other), 0.4, &found, ROUNDING);
        let Some(want) = least(&want) else {
            assert!(found.is_empty(), "{centre} {found:?}");
            continue;
        };
        // An outline has no inside: deep bodies are behind some of its sides.
        if want.gap < -0.05 {
            continue;
        }
        compared += 1;
        let t =
            least(&found).unwrap_or_else(|| panic!("missed {want:?} {body:?} {other:?} {walk:?}"));
        assert!((t.gap - want.gap).abs() < ROUNDING, "{t:?} {want:?}");
        assert!((t.normal - want.normal).length() < 1e-9, "{t:?} {want:?}");
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn inside_a_closed_chain_walked_anticlockwise_every_wall_within_reach_is_touched() {
    let mut random = Random(6);
    let mut compared = 0;
    for round in 0..20_000 {
        let corners = hull(
            (0..5 + random.below(8))
                .map(|_| random.vector(3.0))
                .collect(),
        );
        let room = Shape::Chain(Arc::new(Chain::new(&corners, true).unwrap()));
        let body = match round % 3 {
            0 => random.disc(),
            1 => random.capsule(),
            _ => random.polygon(),
        };
        let place = random.pose(1.5);
        let (vertices, radius) = core(&body, &place);
        // Inside, or out by less than a little.
        if vertices
            .iter()
            .any(|v| signed(*v, &corners).0 > 0.01 - radius)
        {
            continue;
        }
        let reach = 0.2;
        let found = touches((&room, &ground()), (&body, &place), reach);
        check((&room, &ground()), (&body, &place), reach, &found, ROUNDING);
        let n = corners.len();
        for i in 0..n {
            let (p, q) = (corners[i], corners[(i + 1) % n]);
            let along = (q - p).normalize();
            let normal = along.perp();
            let height = |v: &DVec2| normal.dot(*v - p);
            let low = vertices
                .iter()
                .min_by(|v, w| height(v).total_cmp(&height(w)))
                .unwrap();
            let tau = along.dot(*low - p);
            // Its lowest point over the wall itself.
            if !(tau > 0.0 && tau < (q - p).length()) {
                continue;
            }
            let want = height(low) - radius;
            let these = found.iter().filter(|t| (t.normal - normal).length() < 1e-9);
            let gap = these.map(|t| t.gap).fold(f64::INFINITY, f64::min);
            if want <= reach - ROUNDING {
                compared += 1;
                assert!((gap - want).abs() < ROUNDING, "{want} {gap} {found:?}");
            } else {
                assert!(gap > reach, "{want} {gap}");
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn a_box_in_a_hollow_corner_is_held_by_both_faces() {
    // Floor to the right, then a wall up.
    let corner = chain(&[(-5.0, 0.0), (0.0, 0.0), (0.0, 5.0)], false);
    let body = rectangle(1.0, 1.0);
    for into in [-1e-9, 0.0, 1e-9, 1e-5] {
        let place = at(-0.5 + into, 0.5 - into, 0.0);
        let found = touches((&corner, &ground()), (&body, &place), 1e-6);
        check(
            (&corner, &ground()),
            (&body, &place),
            1e-6,
            &found,
            ROUNDING,
        );
        let count = |normal: DVec2| found.iter().filter(|t| t.normal == normal).count();
        assert_eq!(
            (count(DVec2::Y), count(DVec2::NEG_X), found.len()),
            (2, 2, 4),
            "{found:?}"
        );
        for t in &found {
            assert!((t.gap + into).abs() < 1e-15, "{t:?}");
        }
    }
}

#[test]
fn a_tilted_box_deep_in_a_hollow_corner_touches_both_faces_with_its_corner() {
    let corner = chain(&[(-5.0, 0.0), (0.0, 0.0), (0.0, 5.0)], false);
    let body = rectangle(1.0, 1.0);
    let tilt: f64 = 0.3;
    // Its lowest corner, at angle −3π/4 + tilt, and its rightmost at −π/4 + tilt, both a little in.
    let reach_of = |angle: f64| DVec2::from_angle(angle + tilt) * std::f64::consts::SQRT_2 / 2.0;
    let (low, right) = (
        reach_of(-3.0 * std::f64::consts::FRAC_PI_4),
        reach_of(-std::f64::consts::FRAC_PI_4),
    );
    let place = at(-right.x + 1e-4, -low.y - 1e-4, tilt);
    let found = touches((&corner, &ground()), (&body, &place), 0.0);
    check((&corner, &ground()), (&body, &place), 0.0, &found, ROUNDING);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[0].normal, found[1].normal), (DVec2::Y, DVec2::NEG_X));
    for t in &found {
        assert!((t.gap + 1e-4).abs() < ROUNDING, "{t:?}");
    }
}

#[test]
fn what_is_behind_a_chain_does_not_touch_it() {
    let floor = chain(&[(-5.0, 0.0), (5.0, 0.0)], false);
    for shape in [
        rectangle(1.0, 1.0),
        Shape::disc(0.5).unwrap(),
        Shape::capsule(1.0, 0.5).unwrap(),
    ] {
        assert!(touches((&floor, &ground()), (&shape, &at(0.0, -0.5, 0.0)), 0.1).is_empty());
        assert_eq!(
            touches((&floor, &ground()), (&shape, &at(9.0, -0.5, 0.0)), 0.1).len(),
            0
        );
        assert!(!touches((&floor, &ground()), (&shape, &at(0.0, 0.5, 0.0)), 0.1).is_empty());
    }
}

#[test]
fn a_plank_on_a_ridge_and_a_box_against_a_step_touch_its_edge() {
    // A step up to the right: floor, riser, tread.
    let step = chain(&[(-5.0, 0.0), (0.0, 0.0), (0.0, 1.0), (5.0, 1.0)], false);
    let body = rectangle(1.0, 2.0);
    let found = touches(
        (&step, &ground()),
        (&body, &at(-0.5 + 1e-6, 1.0 - 1e-6, 0.0)),
        0.0,
    );
    let riser: Vec<_> = found.iter().filter(|t| t.normal == DVec2::NEG_X).collect();
    assert_eq!((found.len(), riser.len()), (4, 2), "{found:?}");
    // On the edge of the step: one point there, with the plank's own normal.
    let ridge = chain(&[(-5.0, -5.0), (0.0, 0.0), (5.0, -5.0)], false);
    let plank = rectangle(4.0, 0.2);
    for tilt in [-0.5, -0.1, 0.0, 1e-9, 0.3] {
        let normal = DVec2::from_angle(tilt + std::f64::consts::FRAC_PI_2);
        let place = at(normal.x * 0.1 * 0.999, normal.y * 0.1 * 0.999, tilt);
        let found = touches((&ridge, &ground()), (&plank, &place), 0.0);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].gap + 1e-4).abs() < 1e-15, "{found:?}");
        assert!((found[0].normal - normal).length() < 1e-14, "{found:?}");
    }
}

#[test]
fn a_long_chain_gives_what_its_near_part_gives() {
    let wave = |i: usize| {
        let x = i as f64 * 0.05;
        DVec2::new(x, x.sin() + 0.3 * (3.7 * x).sin())
    };
    let all: Vec<DVec2> = (0..100_000).map(wave).collect();
    let long = Shape::Chain(Arc::new(Chain::new(&all, false).unwrap()));
    let mut random = Random(9);
    let mut touching = 0;
    for _ in 0..500 {
        let i = 200 + random.below(99_600);
        let short = Shape::Chain(Arc::new(Chain::new(&all[i - 150..i + 150], false).unwrap()));
        let body = random.polygon();
        let place = at(
            all[i].x,
            all[i].y + random.between(0.2, 1.2),
            random.between(-3.0, 3.0),
        );
        let (p, q) = ((&long, &ground()), (&short, &ground()));
        let (all, part) = (
            touches(p, (&body, &place), 0.1),
            touches(q, (&body, &place), 0.1),
        );
        assert_eq!(all.len(), part.len());
        touching += all.len();
        for (s, t) in all.iter().zip(&part) {
            assert_eq!(
                (s.point_a, s.point_b, s.normal, s.gap),
                (t.point_a, t.point_b, t.normal, t.gap)
            );
        }
    }
    assert!(touching > 200, "{touching}");
}

#[test]
fn the_end_of_an_open_chain_is_cut_off_at_a_right_angle() {
    let floor = chain(&[(-5.0, 0.0), (0.0, 0.0)], false);
    let disc = Shape::disc(1.0).unwrap();
    let over = |x: f64, y: f64| touches((&floor, &ground()), (&disc, &at(x, y, 0.0)), 0.1);
    let diagonal = over(0.6, 0.8);
    assert_eq!(diagonal.len(), 1);
    assert!(
        diagonal[0].gap.abs() < 1e-15
            && (diagonal[0].normal - DVec2::new(0.6, 0.8)).length() < 1e-15
    );
    assert!(over(0.6, -0.8).is_empty());
    // A box pushed against the end from the side is stopped by its own face.
    let found = touches(
        (&floor, &ground()),
        (&rectangle(1.0, 1.0), &at(0.5 - 1e-6, 0.1, 0.0)),
        0.0,
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].normal, DVec2::X);
}
