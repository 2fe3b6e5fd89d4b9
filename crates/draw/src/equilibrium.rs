//! SVG pictures of impulse bounds and of collapse mechanisms.

use percuss_equilibrium::{ForceBounds, LimitAnalysis, Moved, Role};
use percuss_record::BodyDescription;
use percuss_record::frame::{BodyState, Frame};
use percuss_scene::Colour;

use crate::picture::{Annotation, BodyShapes, PictureRequest, draw};

/// Colours of contacts by their impulse: determined, indeterminate within bounds (and its lower bound), unbounded.
const DETERMINED: &str = "#1f5fa8";
const OPEN: &str = "#f0a030";
const OPEN_LEAST: &str = "#a85a00";
const UNBOUNDED: &str = "#c02020";

/// Colours of contacts of a mechanism: hinge, sliding.
const HINGE: &str = "#c02020";
const SLIDING: &str = "#f0a030";

/// Line width of the largest impulse, in pixels.
const WIDEST: f64 = 9.0;

/// Displacement of a mechanism in its picture, over the size of all bodies.
const SHOWN: f64 = 0.08;

/// Draws bodies and contacts, each a line along its normal as wide as its largest normal impulse.
pub fn forces_svg(
    title: &str,
    names: &[BodyDescription],
    dimension: usize,
    forces: &ForceBounds,
) -> String {
    // Scale: the largest finite impulse has the widest line.
    let finite = forces
        .contacts
        .iter()
        .flat_map(|c| [c.impulse, c.interval.high]);
    let largest = finite.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let pixels = |impulse: f64| match largest > 0.0 {
        true => (impulse / largest).clamp(0.0, 1.0) * WIDEST,
        false => 0.0,
    };
    let half = 0.35 * typical(names, &forces.still);
    // Upper bound in the colour of its kind, lower bound drawn over it.
    let mut marks = Vec::new();
    for contact in forces
        .contacts
        .iter()
        .filter(|contact| contact.status != "open")
    {
        let end = |sign: f64| -> [f64; 3] {
            std::array::from_fn(|k| contact.at[k] + sign * half * contact.normal[k])
        };
        let mut line = |width: f64, colour: &'static str| {
            marks.push(Annotation::Line {
                ends: [end(-1.0), end(1.0)],
                width: width.max(0.6),
                colour,
            });
        };
        let interval = &contact.interval;
        match interval {
            i if i.determined => line(pixels(i.high), DETERMINED),
            i if i.high.is_infinite() => {
                line(WIDEST, UNBOUNDED);
                line(pixels(i.low), OPEN_LEAST);
            }
            i => {
                line(pixels(i.high), OPEN);
                line(pixels(i.low), OPEN_LEAST);
            }
        }
    }
    let request = PictureRequest {
        title: title.to_string(),
        colour: Colour::None,
        fade_bodies: true,
        annotations: marks,
        ..PictureRequest::default()
    };
    page(
        names,
        dimension,
        std::slice::from_ref(&forces.still),
        &request,
    )
}

/// Draws bodies displaced along the collapse mechanism, with hinges and sliding contacts marked.
pub fn mechanism_svg(title: &str, weighed: &LimitAnalysis) -> String {
    let still = Frame {
        bodies: weighed.places.clone(),
        ..Frame::default()
    };
    // Displacement scale: the fastest point moves by a fixed fraction of the whole.
    let size = extent(&weighed.names, &still);
    let fastest = weighed
        .mechanism
        .iter()
        .zip(&weighed.names)
        .map(|(moved, name)| norm(moved.velocity).max(norm(moved.spin) * radius(name)))
        .fold(0.0, f64::max);
    let by = if fastest > 0.0 {
        SHOWN * size / fastest
    } else {
        0.0
    };
    let displaced = Frame {
        bodies: weighed
            .places
            .iter()
            .zip(&weighed.mechanism)
            .map(|(place, moved)| displaced(place, moved, by))
            .collect(),
        ..Frame::default()
    };
    // A dot at each hinge and sliding contact, carried along with the second body.
    let mut marks = Vec::new();
    for joint in &weighed.joints {
        let colour = match joint.role {
            Role::Slide => SLIDING,
            Role::Hinge => HINGE,
            Role::Idle => continue,
        };
        let b = joint.bodies[1] as usize;
        let (place, moved) = (&weighed.places[b], &weighed.mechanism[b]);
        marks.push(Annotation::Dot {
            at: carried(place, moved, by, joint.at),
            radius: 4.0,
            colour,
        });
    }
    let request = PictureRequest {
        title: title.to_string(),
        colour: Colour::None,
        hide_time: true,
        annotations: marks,
        ..PictureRequest::default()
    };
    page(&weighed.names, weighed.dimension, &[displaced], &request)
}

fn page(
    names: &[BodyDescription],
    dimension: usize,
    stills: &[Frame],
    request: &PictureRequest,
) -> String {
    let first = Frame::default();
    let company = BodyShapes {
        bodies: names,
        dimension,
        first: &first,
    };
    draw(&company, stills, request)
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The state of a body moved by `by` times its velocity, with a finite rotation.
fn displaced(place: &BodyState, moved: &Moved, by: f64) -> BodyState {
    // Quaternion of a rotation by the finite angle about the spin axis.
    let angle = by * norm(moved.spin);
    let (sin, cos) = (0.5 * angle).sin_cos();
    let axis = match angle > 0.0 {
        true => moved.spin.map(|s| s * by / angle * sin),
        false => [0.0; 3],
    };
    // Quaternion product p q: the rotation of the mechanism after that of the body.
    let (p, q) = ([cos, axis[0], axis[1], axis[2]], place.rotation);
    BodyState {
        position: std::array::from_fn(|k| place.position[k] + by * moved.velocity[k]),
        rotation: [
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ],
        ..*place
    }
}

/// A point of a body after the displacement of the body.
fn carried(place: &BodyState, moved: &Moved, by: f64, point: [f64; 3]) -> [f64; 3] {
    let turned = displaced(&BodyState::at(place.position, 0.0), moved, by);
    let lever: [f64; 3] = std::array::from_fn(|k| point[k] - place.position[k]);
    turned.to_space(lever)
}

fn radius(name: &BodyDescription) -> f64 {
    name.shape.radius().unwrap_or(0.0)
}

/// Largest side of the bounding box of all bodies with finite radii.
fn extent(names: &[BodyDescription], still: &Frame) -> f64 {
    // Bounding box; shapes without radius are unbounded.
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (name, place) in names.iter().zip(&still.bodies) {
        if let Some(radius) = name.shape.radius() {
            for k in 0..3 {
                low[k] = low[k].min(place.position[k] - radius);
                high[k] = high[k].max(place.position[k] + radius);
            }
        }
    }
    let wide = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    if wide.is_finite() { wide } else { 1.0 }
}

/// The median bounding radius.
fn typical(names: &[BodyDescription], still: &Frame) -> f64 {
    let mut all: Vec<f64> = names
        .iter()
        .filter_map(|name| name.shape.radius())
        .collect();
    all.sort_by(f64::total_cmp);
    let middle = all.get(all.len() / 2).copied();
    middle.unwrap_or_else(|| 0.1 * extent(names, still))
}
