//! Pictures as PNG, and orders that no ray can settle.

use super::*;
use std::sync::Arc;

use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, BodyMotion, RecordedShape};

use crate::rasterise::png;

fn name(outline: RecordedShape) -> BodyDescription {
    BodyDescription {
        name: "body".into(),
        material: "stone".into(),
        motion: BodyMotion::Free,
        mass: None,
        shape: Arc::new(outline),
    }
}

fn picture(dimension: usize, bodies: &[BodyDescription], places: Vec<BodyState>) -> String {
    let still = Frame {
        bodies: places,
        ..Frame::default()
    };
    let company = BodyShapes {
        bodies,
        dimension,
        first: &still,
    };
    draw(
        &company,
        std::slice::from_ref(&still),
        &PictureRequest::default(),
    )
}

/// Colours of pixels of a PNG, by place.
fn pixels(svg: &str) -> resvg::tiny_skia::Pixmap {
    let bytes = png(svg).expect("rasterised");
    resvg::tiny_skia::Pixmap::decode_png(&bytes).expect("a PNG")
}

#[test]
fn a_png_is_filled_where_the_body_is_and_white_beside_it() {
    for dimension in [2, 3] {
        let bodies = [
            name(RecordedShape::Round { radius: 1.0 }),
            name(RecordedShape::Round { radius: 1.0 }),
        ];
        let places = vec![
            BodyState::at([-2.0, 0.0, 0.0], 0.0),
            BodyState::at([2.0, 0.0, 0.0], 1.0),
        ];
        let svg = picture(dimension, &bodies, places);
        let circle = svg
            .lines()
            .find(|l| l.starts_with("<circle"))
            .expect("a body");
        let number = |key: &str| -> f64 {
            let part = circle.split(key).nth(1).and_then(|p| p.split('"').nth(1));
            part.and_then(|p| p.parse().ok()).expect("a number")
        };
        let (x, y, r) = (number("cx="), number("cy="), number(" r="));
        let map = pixels(&svg);
        // A PNG has two pixels for one of the SVG.
        let at = |x: f64, y: f64| {
            let p = map
                .pixel((2.0 * x) as u32, (2.0 * y) as u32)
                .expect("inside");
            [p.red(), p.green(), p.blue()]
        };
        // Beside the mark of the disc.
        assert_ne!(at(x - 0.5 * r, y - 0.3 * r), [255; 3], "{dimension}");
        assert_eq!(at(x, y - 1.05 * r), [255; 3], "{dimension}");
        assert_eq!(at(x + 1.5 * r, y), [255; 3], "{dimension}");
    }
}

#[test]
fn rods_that_cover_each_other_in_a_circle_are_all_drawn() {
    // Three rods, each over the next at one end: no order is right everywhere.
    let rod = || {
        name(RecordedShape::Capsule {
            half_length: 1.0,
            radius: 0.1,
            along: [0.0, 0.0, 1.0],
        })
    };
    let places = (0..3).map(|k| {
        let turn = f64::from(k) * std::f64::consts::TAU / 3.0;
        let direction = [turn.cos(), turn.sin(), 0.35];
        let length = norm(direction);
        // The rotation that takes z to the direction: axis z × d, by half-angle formulas.
        let c = direction[2] / length;
        let axis = [-direction[1] / length, direction[0] / length, 0.0];
        let w = (0.5 * (1.0 + c)).sqrt();
        let s = 0.5 / w;
        BodyState {
            rotation: [w, s * axis[0], s * axis[1], 0.0],
            ..BodyState::at([-0.5 * turn.sin(), 0.5 * turn.cos(), 0.0], 0.0)
        }
    });
    let bodies = [rod(), rod(), rod()];
    let svg = picture(3, &bodies, places.collect());
    let outlines = svg.lines().filter(|l| l.contains("stroke-linecap"));
    assert!(outlines.count() >= 3 * 8);
}

#[test]
fn vectors_are_turned_by_unit_quaternions() {
    let (sin, cos) = 0.6_f64.sin_cos();
    let place = BodyState {
        rotation: [cos, sin * 0.6, 0.0, sin * 0.8],
        ..BodyState::at([1.0, 2.0, 3.0], 0.0)
    };
    // Rodrigues' formula with the angle 1.2 about (0.6, 0, 0.8).
    let (axis, v) = ([0.6, 0.0, 0.8], [0.3, -0.4, 0.5]);
    let (s, c) = 1.2_f64.sin_cos();
    let along = dot(axis, v) * (1.0 - c);
    let side = cross(axis, v);
    for k in 0..3 {
        let expected = v[k] * c + side[k] * s + axis[k] * along;
        assert!((place.rotate(v)[k] - expected).abs() < 1e-15);
    }
}
