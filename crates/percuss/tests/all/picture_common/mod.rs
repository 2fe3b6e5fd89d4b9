//! Elements of SVG, and bodies that are made by hand.

use std::sync::Arc;

use percuss_draw::picture::{BodyShapes, PictureRequest, draw};
use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, BodyMotion, RecordedShape};

/// The elements of a kind: their attributes by name, in the order of the file.
pub fn elements<'a>(svg: &'a str, kind: &str) -> Vec<&'a str> {
    let open = format!("<{kind} ");
    svg.lines().filter(|line| line.starts_with(&open)).collect()
}

/// The elements of a kind inside the groups of a class.
pub fn within<'a>(svg: &'a str, class: &str, kind: &str) -> Vec<&'a str> {
    let open = format!("<g class=\"{class}\"");
    let parts = svg.split(open.as_str()).skip(1);
    parts
        .flat_map(|part| elements(part.split("</g>").next().unwrap_or(""), kind))
        .collect()
}

pub fn text<'a>(element: &'a str, name: &str) -> &'a str {
    let key = format!(" {name}=\"");
    let rest = element.split(key.as_str()).nth(1);
    let value = rest.and_then(|rest| rest.split('"').next());
    value.unwrap_or_else(|| panic!("{element} has no {name}"))
}

pub fn number(element: &str, name: &str) -> f64 {
    text(element, name).parse().expect("a number")
}

pub fn points(element: &str) -> Vec<(f64, f64)> {
    let pairs = text(element, "points").split(' ');
    let pairs = pairs.map(|pair| pair.split_once(',').expect("a pair"));
    pairs
        .map(|(x, y)| (x.parse().expect("a number"), y.parse().expect("a number")))
        .collect()
}

pub fn name(motion: BodyMotion, outline: RecordedShape) -> BodyDescription {
    BodyDescription {
        name: "body".into(),
        material: "stone".into(),
        motion,
        mass: Some(1.0),
        shape: Arc::new(outline),
    }
}

pub fn discs(all: &[([f64; 2], f64)]) -> (Vec<BodyDescription>, Frame) {
    let bodies = all
        .iter()
        .map(|(_, radius)| name(BodyMotion::Free, RecordedShape::Round { radius: *radius }));
    let places = all.iter().enumerate();
    let places = places.map(|(k, ([x, y], _))| BodyState::at([*x, *y, 0.0], k as f64));
    let still = Frame {
        step: 1,
        t: 0.25,
        bodies: places.collect(),
        ..Frame::default()
    };
    (bodies.collect(), still)
}

pub fn balls(all: &[([f64; 3], f64)]) -> (Vec<BodyDescription>, Frame) {
    let flat: Vec<([f64; 2], f64)> = all.iter().map(|(p, r)| ([p[0], p[1]], *r)).collect();
    let (bodies, mut still) = discs(&flat);
    for (place, (position, _)) in still.bodies.iter_mut().zip(all) {
        place.position = *position;
    }
    (bodies, still)
}

pub fn svg(
    dimension: usize,
    bodies: &[BodyDescription],
    stills: &[Frame],
    request: &PictureRequest,
) -> String {
    let company = BodyShapes {
        bodies,
        dimension,
        first: &stills[0],
    };
    let text = draw(&company, stills, request);
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    assert!(
        !text.contains("NaN") && !text.contains("inf"),
        "a number that is none"
    );
    text
}
