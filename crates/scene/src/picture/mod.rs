//! Pictures of bodies: SVG of where they are at one or several instants.
//!
//! ```text
//! records → States → Still (bodies at an instant) ┐
//!           names  → shapes                        ├→ panels side by side on a page → SVG → PNG
//! [[picture]] → Request                            ┘
//! ```
//!
//! In the plane, bodies are drawn as they are. Space is seen from a direction without perspective;
//! each surface is shaded by its slope and drawn over those behind it, in an order found on a fine grid
//! of rays (`order`). What is hidden is left out. Bodies depend on the records alone: neither the
//! scene's file nor meshes beside it are needed. Marks of joints come from the scene in the manifest.

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
mod still;
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
pub use still::{BodyState, DrawnForce, Frame, RecordedFrames};

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
