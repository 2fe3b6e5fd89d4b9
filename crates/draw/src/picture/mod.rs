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

mod album;
mod camera;
mod chain;
mod colour;
mod easel;
mod force;
mod ground;
mod images;
mod joint;
mod key;
mod layout;
mod look;
mod mark;
mod order;
mod page;
mod paint;
mod panel;
mod paper;
mod plane;
mod raster;
mod render;
mod request;
mod rose;
mod solid;
mod space;
#[cfg(test)]
mod tests;
mod window;

pub use album::RunPictures;
pub(crate) use album::{check_pictures, default_request};
pub(crate) use colour::ColourMap;
pub(crate) use easel::zoom;
pub use easel::{Image, ImageWriter, Size, render_bodies};
pub use joint::JointGlyph;
pub use page::{BodyShapes, draw};
pub use render::Raster;
pub use request::{Annotation, PictureRequest, Theme};
pub(crate) use rose::{DirectionDensity, RoseDiagram, draw as draw_rose};

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
