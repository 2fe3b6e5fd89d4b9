//! Common scale of the pictures of one run, so that they can be compared: window, colour scale, force widths.

use percuss_record::frame::Frame;

use super::camera::Camera;
use super::half_spaces::BoundingBox;
use super::periodic_images::wrap_bodies;
use super::request::PictureRequest;
use super::svg_page::BodyShapes;
use super::window::{Window, window};
use super::{body_colours as paint, force_lines as force};

/// Window and scales that pictures share.
#[derive(Debug, Clone)]
pub(super) struct CommonScale {
    pub window: Window,
    /// Bounding box to which half-spaces are clipped.
    pub room: Option<BoundingBox>,
    /// Smallest and largest value of the colour map; `None` where colours show no value.
    pub span: Option<(f64, f64)>,
    /// The largest force.
    pub largest: f64,
}

impl CommonScale {
    /// The common scale of several frames.
    pub(super) fn of(company: &BodyShapes<'_>, stills: &[Frame], request: &PictureRequest) -> Self {
        let camera = camera(company, request);
        let (bodies, flat) = (company.bodies, company.dimension == 2);
        // With periodic images.
        let wrapped: Vec<_> = stills
            .iter()
            .map(|still| wrap_bodies(bodies, still))
            .collect();
        let seen: Vec<&Frame> = wrapped.iter().map(|spread| &*spread.still).collect();
        let room = if flat {
            None
        } else {
            BoundingBox::of(bodies, &seen)
        };
        let spans = stills
            .iter()
            .filter_map(|still| paint::span(bodies, still, company.first, flat, request.colour));
        Self {
            window: window(bodies, &seen, request, &camera, room.as_ref()),
            room,
            span: spans.reduce(widest),
            largest: stills.iter().map(force::largest).fold(0.0, f64::max),
        }
    }

    /// Extends the scale to include another.
    pub(super) fn join(&mut self, other: &Self) {
        self.window.join(&other.window);
        match (&mut self.room, &other.room) {
            (Some(room), Some(other)) => room.join(other),
            (room, other) => *room = room.or(*other),
        }
        self.span = match (self.span, other.span) {
            (Some(a), Some(b)) => Some(widest(a, b)),
            (a, b) => a.or(b),
        };
        self.largest = self.largest.max(other.largest);
    }
}

fn widest(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The camera of a picture.
pub(super) fn camera(company: &BodyShapes<'_>, request: &PictureRequest) -> Camera {
    match company.dimension {
        2 => Camera::flat(),
        _ => Camera::from(request.view),
    }
}
