//! Pictures of bodies at one or several instants: SVG, and pixels for PNG, GIF and films.
//!
//! ```text
//! records → RecordedFrames → Frame (bodies at an instant) ┐               ┌→ SVG
//!           names          → shapes                        ├→ SvgPage, panels
//! [[picture]] → PictureRequest                             ┘               └→ ImageWriter → Image → PNG, GIF, films
//! ```
//!
//! In the plane, shapes are drawn as vector graphics. Space is shown by an orthographic projection, in two
//! ways. The SVG uses the painter's algorithm: surfaces are shaded by their normal and painted from back to
//! front, in an order found by ray casting on a grid (`order`); hidden surfaces are left out. Pixels come from
//! `render`: a depth buffer, exact ray casting, a shadow map and ambient occlusion; the SVG overlay is drawn
//! over them. Bodies depend on the records alone: neither the scene's file nor its mesh files are needed. Joint
//! glyphs come from the scene in the manifest.

mod annotations;
mod body_colours;
mod camera;
mod colour;
mod common_scale;
mod force_chains;
mod force_lines;
mod half_spaces;
mod image_writer;
mod joint_glyphs;
mod layout;
mod legend;
mod order;
mod panel;
mod periodic_images;
mod plane;
mod raster;
mod render;
mod request;
mod rose_diagram;
mod run_pictures;
mod solid;
mod space;
mod svg_page;
mod svg_writer;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use colour::ColourMap;
pub(crate) use image_writer::zoom;
pub use image_writer::{Image, ImageWriter, Size, render_bodies};
pub use joint_glyphs::JointGlyph;
pub use render::Raster;
pub use request::{Annotation, PictureRequest, Theme};
pub(crate) use rose_diagram::{DirectionDensity, RoseDiagram, draw as draw_rose};
pub use run_pictures::RunPictures;
pub(crate) use run_pictures::{check_pictures, default_request};
pub use svg_page::{BodyShapes, draw};

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}
