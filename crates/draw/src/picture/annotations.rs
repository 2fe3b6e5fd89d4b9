//! Annotations over the bodies: lines and dots.

use super::camera::Camera;
use super::panel::Panel;
use super::request::Annotation;
use super::svg_writer::{Px, SvgWriter};

/// Draws annotations in their order.
pub(super) fn draw(paper: &mut SvgWriter, panel: &Panel, camera: &Camera, marks: &[Annotation]) {
    if marks.is_empty() {
        return;
    }
    paper.group("class=\"marks\"");
    for mark in marks {
        match mark {
            Annotation::Line {
                ends: [a, b],
                width,
                colour,
            } => {
                let (a, b) = (
                    panel.to_pixels(camera.project(*a)),
                    panel.to_pixels(camera.project(*b)),
                );
                let width = Px(*width);
                let pen = format!(" stroke=\"{colour}\" stroke-width=\"{width}\"");
                paper.line(a, b, &pen);
            }
            Annotation::Dot { at, radius, colour } => {
                let at = panel.to_pixels(camera.project(*at));
                let fill = format!(" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"0.8\"");
                paper.circle(at, *radius, &fill);
            }
        }
    }
    paper.end();
}
