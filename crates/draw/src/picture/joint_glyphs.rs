//! Joint glyphs: small symbols over the bodies, the same size in every picture.
//!
//! A ring is a revolute joint, a filled dot a spherical joint, a filled square a fixed (weld) joint, an open
//! square a prismatic joint, a ring with a dot a cylindrical joint; a distance constraint is a line, dashed
//! where it has limits or is a spring. A revolute joint with clearance is drawn to scale: the pin in its hole.

use percuss_bodies::joint::{Joint, JointFrame, JointKind};
use percuss_bodies::{Dim, Vector};
use percuss_record::frame::Frame;
use percuss_scene::bodies_scene::BuiltBodies;

use super::camera::Camera;
use super::panel::Panel;
use super::svg_writer::{Px, SvgWriter};

/// Radius of a glyph in pixels.
const SIZE: f64 = 3.2;

/// Colour of glyphs.
const INK: &str = "#1b1b1b";

/// A joint as a glyph.
#[derive(Debug, Clone, PartialEq)]
pub struct JointGlyph {
    kind: JointKind,
    /// Body (`None` for the world frame) and point in body axes.
    ends: [(Option<usize>, [f64; 3]); 2],
    /// Whether a distance is a rigid constraint.
    rigid: bool,
    /// Radii of pin and hole of a joint with clearance.
    radii: Option<(f64, f64)>,
}

/// The glyphs of all joints.
pub(super) fn joint_glyphs(collection: &BuiltBodies) -> Vec<JointGlyph> {
    match collection {
        BuiltBodies::Plane(all) => all.model.joints.iter().map(pin).collect(),
        BuiltBodies::Space(all) => all.model.joints.iter().map(pin).collect(),
    }
}

fn pin<D: Dim>(joint: &Joint<D>) -> JointGlyph {
    // Body and point of each end.
    let end = |side: &JointFrame<D>| {
        let point = side.point.components();
        let point = std::array::from_fn(|k| point.get(k).copied().unwrap_or(0.0));
        (side.body.map(|body| body as usize), point)
    };
    let [a, b] = &joint.frames;
    let clearance = joint.clearance.as_ref();
    JointGlyph {
        kind: joint.kind,
        ends: [end(a), end(b)],
        rigid: joint.rigid(),
        radii: clearance.map(|of| (of.pin, of.pin + of.play)),
    }
}

/// Draws the joints of a frame.
pub(super) fn draw(
    paper: &mut SvgWriter,
    panel: &Panel,
    camera: &Camera,
    pins: &[JointGlyph],
    still: &Frame,
) {
    if pins.is_empty() {
        return;
    }
    paper.group(&format!(
        "class=\"joints\" stroke=\"{INK}\" stroke-width=\"1.1\" fill=\"#ffffff\""
    ));
    // Both ends of each joint in space, then in pixels.
    for pin in pins {
        let [a, b] = pin.ends.map(|(body, point)| match body {
            None => Some(point),
            Some(body) => still.bodies.get(body).map(|place| place.to_space(point)),
        });
        if let (Some(a), Some(b)) = (a, b) {
            let at = [a, b].map(|point| panel.to_pixels(camera.project(point)));
            mark(paper, panel, pin, at);
        }
    }
    paper.end();
}

fn mark(paper: &mut SvgWriter, panel: &Panel, pin: &JointGlyph, [a, b]: [(f64, f64); 2]) {
    let long = (a.0 - b.0).hypot(a.1 - b.1);
    if !panel.is_visible(b, SIZE + long) {
        return;
    }
    let full = format!(" fill=\"{INK}\"");
    let square = |paper: &mut SvgWriter, style: &str| {
        let side = 1.7 * SIZE;
        let corner = (b.0 - 0.5 * side, b.1 - 0.5 * side);
        paper.rect(corner, (side, side), style);
    };
    // Glyph by type of joint.
    match pin.kind {
        JointKind::Revolute => paper.circle(b, SIZE, ""),
        JointKind::Spherical => paper.circle(b, SIZE, &full),
        JointKind::Fixed => square(paper, &full),
        JointKind::Prismatic => {
            paper.line(a, b, "");
            square(paper, "");
        }
        JointKind::Cylindrical => {
            paper.line(a, b, "");
            paper.circle(b, SIZE, "");
            paper.circle(b, 0.35 * SIZE, &full);
        }
        JointKind::Distance => {
            let dash = if pin.rigid {
                ""
            } else {
                " stroke-dasharray=\"4 3\""
            };
            paper.line(a, b, dash);
            for end in [a, b] {
                paper.circle(end, 0.6 * SIZE, &full);
            }
        }
        JointKind::Clearance => {
            let (inner, outer) = pin.radii.unwrap_or((0.0, 0.0));
            let width = Px(0.6);
            let hole = format!(" stroke-width=\"{width}\"");
            paper.circle(a, outer * panel.scale, &hole);
            let style = format!(" stroke-width=\"{width}\" fill=\"#c9c9c9\"");
            paper.circle(b, inner * panel.scale, &style);
        }
    }
}
