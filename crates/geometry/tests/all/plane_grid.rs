//! Shapes on a grid, rotated by quarter and eighth turns: every tie that symmetric scenes have.

use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

use crate::plane_common::{
    Random, at, check, core, distance, least, nearest_on_segment, rectangle, touches,
};
use glam::DVec2;
use percuss_geometry::plane::{Chain, Shape};
use percuss_geometry::{Plane, Pose};

/// Ties are decided within 1e-12 of the sizes, which are below 10.
const TIE: f64 = 1e-11;

fn shape(random: &mut Random) -> Shape {
    let mut side = || 0.5 * (1 + random.below(4)) as f64;
    let (w, h) = (side(), side());
    match random.below(4) {
        0 => Shape::capsule(w, h / 2.0).unwrap(),
        1 => Shape::disc(h / 2.0).unwrap(),
        _ => rectangle(w, h),
    }
}

fn place(random: &mut Random, eighths: bool) -> Pose<Plane> {
    let mut step = || 0.25 * (random.below(13) as f64 - 6.0);
    let (x, y) = (step(), step());
    let turns = random.below(8) as f64 * if eighths { 1.0 } else { 2.0 };
    at(x, y, turns * FRAC_PI_4)
}

#[test]
fn pairs_on_a_grid_have_the_signed_distance_and_a_normal_that_leads_out() {
    let mut random = Random(1);
    for round in 0..60_000 {
        let (a, b) = (shape(&mut random), shape(&mut random));
        let (p, q) = (
            place(&mut random, round % 2 == 0),
            place(&mut random, round % 3 == 0),
        );
        // Between the distances that occur on the grid.
        let reach = 0.3123;
        let found = touches((&a, &p), (&b, &q), reach);
        check((&a, &p), (&b, &q), reach, &found, 1e-13);
        let (want, ..) = distance((&a, &p), (&b, &q));
        let Some(t) = least(&found) else {
            assert!(want > reach, "missed {want}: {a:?} {p:?} {b:?} {q:?}");
            continue;
        };
        assert!(
            (t.gap - want).abs() < TIE,
            "{} {want}: {a:?} {p:?} {b:?} {q:?}",
            t.gap
        );
        // Moved by the gap along the normal they just touch.
        let mut moved = q;
        moved.position -= t.normal * t.gap;
        let (rest, ..) = distance((&a, &p), (&b, &moved));
        assert!(rest.abs() < TIE, "{rest}: {t:?} {a:?} {p:?} {b:?} {q:?}");
    }
}

#[test]
fn boxes_stacked_flush_have_two_points_whatever_their_widths() {
    let mut random = Random(2);
    for _ in 0..20_000 {
        let mut side = || 0.5 * (1 + random.below(6)) as f64;
        let (w, h, v, k) = (side(), side(), side(), side());
        let x = 0.25 * (random.below(17) as f64 - 8.0);
        let turn = random.below(8) as f64 * FRAC_PI_4;
        let gap = [-1e-3, -1e-9, 1e-12, 1e-9, 1e-3][random.below(5)];
        let over = (w + v) / 2.0 - x.abs();
        if over <= 1e-6 {
            continue;
        }
        let (a, b) = (rectangle(w, h), rectangle(v, k));
        let up = (h + k) / 2.0 + gap;
        // Far above all other depths.
        let rotation = at(0.0, 0.0, turn).rotation;
        let shift = rotation.rotate(DVec2::new(x, up));
        let (p, q) = (at(1.0, 2.0, turn), at(1.0 + shift.x, 2.0 + shift.y, turn));
        let found = touches((&a, &p), (&b, &q), 2e-3);
        check((&a, &p), (&b, &q), 2e-3, &found, 1e-13);
        assert_eq!(
            found.len(),
            2,
            "{w} {h} {v} {k} {x} {gap} {turn}: {found:?}"
        );
        for t in &found {
            let normal = rotation.rotate(DVec2::Y);
            assert!(
                (t.normal - normal).length() < 1e-12 && (t.gap - gap).abs() < 1e-14,
                "{t:?}"
            );
        }
        let width = (found[0].point_a - found[1].point_a).length();
        assert!((width - over.min(w).min(v)).abs() < 1e-13, "{width} {over}");
    }
}

/// Steps of whole numbers, flat runs between them.
fn steps(random: &mut Random) -> Vec<DVec2> {
    let mut vertices = vec![DVec2::new(-12.0, 0.0)];
    let mut y = 0.0;
    for i in -8..=8 {
        let x = f64::from(i);
        let next = y + (random.below(3) as f64 - 1.0) * 0.5;
        vertices.push(DVec2::new(x, y));
        if next != y {
            vertices.push(DVec2::new(x, next));
        }
        y = next;
    }
    vertices.push(DVec2::new(12.0, y));
    vertices
}

/// Height of the steps at x, the higher one at a riser.
fn height(line: &[DVec2], x: f64) -> f64 {
    let over = line.windows(2).filter(|s| s[0].x <= x && x <= s[1].x);
    over.map(|s| s[0].y.max(s[1].y))
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn a_box_on_steps_rests_on_every_tread_below_it_and_on_nothing_else() {
    let mut random = Random(3);
    for _ in 0..5_000 {
        let line = steps(&mut random);
        let ground = Shape::Chain(Arc::new(Chain::new(&line, false).unwrap()));
        let (w, h) = (0.5 * (1 + random.below(7)) as f64, 1.0);
        let x = 0.25 * (random.below(33) as f64 - 16.0);
        // Resting on the highest tread under its inside, in by a little.
        let inside = (0..=400).map(|i| x - w / 2.0 + w * (f64::from(i) + 0.5) / 401.0);
        let top = inside
            .map(|x| height(&line, x))
            .fold(f64::NEG_INFINITY, f64::max);
        for into in [1e-9, 1e-4] {
            let body = rectangle(w, h);
            let pose = at(x, top + h / 2.0 - into, 0.0);
            let (a, b) = ((&ground, &at(0.0, 0.0, 0.0)), (&body, &pose));
            let found = touches(a, b, 0.0);
            check(a, b, 0.0, &found, 1e-13);
            let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
            for t in &found {
                // Up from a tread; or sideways from a riser that stands flush with a side of the box.
                if t.normal == DVec2::Y {
                    assert!((t.gap + into).abs() < 1e-14, "{t:?}");
                    (left, right) = (left.min(t.point_b.x), right.max(t.point_b.x));
                } else {
                    assert!(
                        t.normal.y == 0.0 && t.gap.abs() < 1e-14,
                        "{t:?} {line:?} {pose:?}"
                    );
                }
            }
            // The treads' own extent under the box.
            let treads = line.windows(2).filter(|s| s[0].y == top && s[1].y == top);
            let spans = treads
                .map(|s| (s[0].x.max(x - w / 2.0), s[1].x.min(x + w / 2.0)))
                .filter(|(l, r)| r > l);
            let (l, r) = spans.fold((f64::INFINITY, f64::NEG_INFINITY), |m, s| {
                (m.0.min(s.0), m.1.max(s.1))
            });
            assert!(
                (left - l).abs() < 1e-12 && (right - r).abs() < 1e-12,
                "{left} {right} {l} {r} {found:?}"
            );
        }
    }
}

#[test]
fn discs_and_capsules_over_steps_are_at_the_distance_of_their_cores() {
    let mut random = Random(4);
    let mut compared = 0;
    for _ in 0..20_000 {
        let line = steps(&mut random);
        let ground = Shape::Chain(Arc::new(Chain::new(&line, false).unwrap()));
        let body = loop {
            let shape = shape(&mut random);
            if !matches!(shape, Shape::Polygon(_)) {
                break shape;
            }
        };
        let mut pose = place(&mut random, true);
        pose.position.y += 1.0;
        let (ends, radius) = core(&body, &pose);
        // Above the ground along the whole polygon.
        let (p, q) = (ends[0], ends[ends.len() - 1]);
        let along = (0..=200).map(|i| p + (q - p) * (f64::from(i) / 200.0));
        if along.into_iter().any(|x| x.y <= height(&line, x.x) + 1e-9) {
            continue;
        }
        let mut d = f64::INFINITY;
        for s in line.windows(2) {
            for end in &ends {
                d = d.min((nearest_on_segment(*end, s[0], s[1]) - *end).length());
            }
            for end in s {
                d = d.min((nearest_on_segment(*end, p, q) - *end).length());
            }
        }
        let found = touches((&ground, &at(0.0, 0.0, 0.0)), (&body, &pose), 0.3123);
        check(
            (&ground, &at(0.0, 0.0, 0.0)),
            (&body, &pose),
            0.3123,
            &found,
            1e-13,
        );
        match least(&found) {
            Some(t) => {
                compared += 1;
                assert!(
                    (t.gap - d + radius).abs() < TIE,
                    "{} {} {found:?}",
                    t.gap,
                    d - radius
                );
            }
            None => assert!(
                d - radius > 0.3123,
                "missed {} {body:?} {pose:?} {line:?}",
                d - radius
            ),
        }
    }
    assert!(compared > 3_000, "{compared}");
}
