//! Marks over the bodies.

use super::camera::Camera;
use super::panel::Panel;
use super::paper::{Paper, Px};
use super::request::Mark;

/// Draws marks in their order.
pub(super) fn draw(paper: &mut Paper, panel: &Panel, camera: &Camera, marks: &[Mark]) {
    if marks.is_empty() {
        return;
    }
    paper.group("class=\"marks\"");
    for mark in marks {
        match mark {
            Mark::Line {
                ends: [a, b],
                width,
                colour,
            } => {
                let (a, b) = (panel.px(camera.flatten(*a)), panel.px(camera.flatten(*b)));
                let width = Px(*width);
                let pen = format!(" stroke=\"{colour}\" stroke-width=\"{width}\"");
                paper.line(a, b, &pen);
            }
            Mark::Dot { at, radius, colour } => {
                let at = panel.px(camera.flatten(*at));
                let fill = format!(" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"0.8\"");
                paper.circle(at, *radius, &fill);
            }
        }
    }
    paper.end();
}
