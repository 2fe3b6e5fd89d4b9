//! The same physical contact keeps its feature; flat contacts have two points; degenerate poses.

use crate::plane_common;

use crate::plane_common::{Random, at, check, distance, least, polygon, rectangle, touches};
use glam::DVec2;
use percuss_geometry::plane::Shape;
use percuss_geometry::{ContactPoint, Plane, Pose};

type Placed<'a> = (&'a Shape, &'a Pose<Plane>);

fn numbers(a: Placed, b: Placed, reach: f64) -> Vec<u32> {
    let found = touches(a, b, reach);
    check(a, b, reach, &found, 1e-12);
    found.iter().map(|t| t.feature).collect()
}

#[test]
fn a_box_that_rocks_by_a_billionth_keeps_its_two_contacts() {
    let supports: [(Shape, Pose<Plane>); 4] = [
        (rectangle(4.0, 1.0), at(0.0, -0.5, 0.0)),
        // As wide as the box: corner over corner.
        (rectangle(1.0, 1.0), at(0.0, -0.5, 0.0)),
        // Narrower: its corners are the contacts.
        (rectangle(0.5, 1.0), at(0.0, -0.5, 0.0)),
        (Shape::HalfPlane, at(0.0, 0.0, 0.0)),
    ];
    let body = rectangle(1.0, 0.8);
    for (support, place) in &supports {
        let mut random = Random(1);
        let want = numbers((support, place), (&body, &at(0.0, 0.4 - 1e-6, 0.0)), 0.0);
        assert_eq!(want.len(), 2);
        for step in 0..2_000 {
            let angle = if step % 2 == 0 { 1e-9 } else { -1e-9 } * random.unit();
            let pose = at(
                1e-9 * random.unit() - 5e-10,
                0.4 - 1e-6 * random.unit() - 1e-8,
                angle,
            );
            assert_eq!(
                numbers((support, place), (&body, &pose), 0.0),
                want,
                "{pose:?}"
            );
            // Separated as well, within the contact margin.
            let pose = at(pose.position.x, 0.4 + 1e-6 * random.unit() + 1e-8, angle);
            assert_eq!(
                numbers((support, place), (&body, &pose), 1e-5),
                want,
                "{pose:?}"
            );
        }
    }
}

#[test]
fn a_box_that_slides_keeps_its_numbers_until_its_corner_passes_an_end() {
    let (table, body) = (rectangle(4.0, 1.0), rectangle(1.0, 0.5));
    let of = |x: f64| {
        numbers(
            (&table, &at(0.0, -0.5, 0.0)),
            (&body, &at(x, 0.25 - 1e-7, 0.0)),
            0.0,
        )
    };
    let (inside, outside) = (of(0.0), of(2.0));
    for step in 0..2_400 {
        let x = -1.49 + 0.001 * f64::from(step);
        assert_eq!(of(x), inside, "{x}");
        assert_eq!(of(1.51 + 0.0004 * f64::from(step)), outside);
    }
    // Over the end: the inner corner stays, the other contact is the table's corner.
    let common: Vec<_> = inside.iter().filter(|f| outside.contains(f)).collect();
    assert_eq!((common.len(), outside.len()), (1, 2));
}

#[test]
fn a_box_turned_about_its_corner_keeps_that_corner() {
    let (table, body) = (rectangle(9.0, 1.0), rectangle(1.0, 1.0));
    let mut want = None;
    for step in 1..90 {
        let angle = f64::from(step).to_radians();
        // The corner at angle −3π/4 in body axes is held at the origin, a little in.
        let corner = DVec2::from_angle(angle - 0.75 * std::f64::consts::PI) * 0.5f64.sqrt();
        let pose = at(-corner.x, -corner.y - 1e-4, angle);
        let found = numbers((&table, &at(0.0, -0.5, 0.0)), (&body, &pose), 0.0);
        assert_eq!(found.len(), 1, "{angle}");
        assert_eq!(found, *want.get_or_insert(found.clone()), "{angle}");
    }
}

fn flat(a: Placed, b: Placed, reach: f64) -> Vec<ContactPoint<Plane>> {
    let found = touches(a, b, reach);
    check(a, b, reach, &found, 1e-12);
    found
}

#[test]
fn flat_contacts_of_every_kind_have_two_points_with_the_face_normal() {
    let ground = at(0.0, 0.0, 0.0);
    let slab = (&rectangle(4.0, 2.0), &at(0.3, -1.0, 0.0));
    let (plane, capsule) = (Shape::HalfPlane, Shape::capsule(4.0, 1.0).unwrap());
    let rod = (&capsule, &at(-0.2, -1.0, 0.0));
    let shapes = [
        (rectangle(1.0, 0.5), 0.25),
        (Shape::capsule(1.0, 0.25).unwrap(), 0.25),
        (rectangle(1.0, 2.0), 1.0),
    ];
    for (shape, half) in &shapes {
        for support in [slab, (&plane, &ground), rod] {
            for gap in [-1e-3, -1e-9, 0.0, 1e-9, 1e-4] {
                for x in [0.0, 0.123, -1.5] {
                    let pose = at(x, half + gap, 0.0);
                    let found = flat(support, (shape, &pose), 1e-3);
                    assert_eq!(found.len(), 2, "{gap} {x} {shape:?} {support:?}");
                    for t in &found {
                        assert_eq!(t.normal, DVec2::Y);
                        assert!((t.gap - gap).abs() < 1e-15, "{t:?} {gap}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_second_point_is_given_only_within_reach() {
    let (table, body) = (rectangle(4.0, 1.0), rectangle(1.0, 1.0));
    let tilt: f64 = 0.01;
    // Lower corner at a gap of 0.02, the other one higher by sin(tilt).
    let low = 0.5 * (tilt.cos() + tilt.sin());
    let pose = at(0.0, low + 0.02, tilt);
    let of = |reach: f64| flat((&table, &at(0.0, -0.5, 0.0)), (&body, &pose), reach);
    assert_eq!(of(0.019).len(), 0);
    assert_eq!(of(0.021).len(), 1);
    let both = of(0.031);
    assert_eq!(both.len(), 2);
    let mut gaps: Vec<f64> = both.iter().map(|t| t.gap).collect();
    gaps.sort_by(f64::total_cmp);
    assert!((gaps[0] - 0.02).abs() < 1e-15 && (gaps[1] - 0.02 - tilt.sin()).abs() < 1e-15);
}

#[test]
fn corners_that_meet_exactly_touch_once_or_twice_with_a_normal_of_their_cone() {
    let (a, b) = (rectangle(1.0, 1.0), rectangle(1.0, 1.0));
    for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0)] {
        let found = flat((&a, &at(0.0, 0.0, 0.0)), (&b, &at(x, y, 0.0)), 0.0);
        assert_eq!(found.len(), 1, "{found:?}");
        let t = found[0];
        assert!(
            t.gap.abs() < 1e-15 && t.point_a == DVec2::new(x, y) / 2.0,
            "{t:?}"
        );
        assert!(t.normal.x * x >= 0.0 && t.normal.y * y >= 0.0, "{t:?}");
        // Apart across the corner: the diagonal.
        let off = 1e-3;
        let found = flat(
            (&a, &at(0.0, 0.0, 0.0)),
            (&b, &at(x + off * x, y + off * y, 0.0)),
            0.1,
        );
        let t = least(&found).unwrap();
        let diagonal = DVec2::new(x, y) / 2f64.sqrt();
        assert!(
            (t.normal - diagonal).length() < 1e-12 && (t.gap - off * 2f64.sqrt()).abs() < 1e-15
        );
    }
}

#[test]
fn coincident_shapes_give_finite_numbers_and_the_full_depth() {
    let shapes = [
        Shape::disc(1.0).unwrap(),
        Shape::capsule(1.0, 0.3).unwrap(),
        rectangle(1.0, 2.0),
        polygon(&[(0.0, 0.0), (3.0, 0.0), (1.0, 2.0)]),
    ];
    for a in &shapes {
        for b in &shapes {
            for angle in [0.0, 0.7] {
                let pose = at(2.0, 3.0, angle);
                let found = flat((a, &pose), (b, &pose), 0.0);
                assert!(!found.is_empty());
                let t = least(&found).unwrap();
                let (want, ..) = distance((a, &pose), (b, &pose));
                assert!((t.gap - want).abs() < 1e-11, "{} {want} {a:?} {b:?}", t.gap);
            }
        }
    }
}

#[test]
fn capsules_on_one_line_touch_with_their_round_ends() {
    let capsule = Shape::capsule(2.0, 0.5).unwrap();
    for angle in [0.0, 0.3, 1.0, 2.5] {
        let along = DVec2::from_angle(angle);
        for gap in [-0.2, -1e-9, 0.0, 1e-6, 0.2] {
            let b = along * (3.0 + gap);
            let found = flat(
                (&capsule, &at(0.0, 0.0, angle)),
                (&capsule, &at(b.x, b.y, angle)),
                0.3,
            );
            assert_eq!(found.len(), 1, "{found:?}");
            assert!((found[0].gap - gap).abs() < 1e-14, "{found:?}");
            assert!((found[0].normal - along).length() < 1e-14, "{found:?}");
        }
    }
}

#[test]
fn poses_that_are_not_finite_touch_nothing() {
    let all = [
        Shape::disc(1.0).unwrap(),
        Shape::capsule(1.0, 0.3).unwrap(),
        rectangle(1.0, 2.0),
        Shape::HalfPlane,
        plane_common::chain(&[(0.0, 0.0), (1.0, 0.0), (2.0, -1.0)], false),
    ];
    for a in &all {
        for b in &all {
            for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for bad in [at(x, 0.0, 0.0), at(0.0, x, 0.0)] {
                    let good = at(0.0, 0.0, 0.0);
                    assert!(
                        touches((a, &good), (b, &bad), 0.1).is_empty(),
                        "{a:?} {b:?} {bad:?}"
                    );
                    assert!(
                        touches((a, &bad), (b, &good), 0.1).is_empty(),
                        "{a:?} {b:?} {bad:?}"
                    );
                }
            }
        }
    }
}
