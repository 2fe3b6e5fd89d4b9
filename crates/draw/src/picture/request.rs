//! Request of a picture: what it shows and how.

use percuss_scene::Colour;

use super::joint_glyphs::JointGlyph;

/// Light or dark background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on near black.
    Dark,
}

/// Content and style of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PictureRequest {
    /// Its title.
    pub title: String,
    /// Quantity that colours the bodies.
    pub colour: Colour,
    /// Whether forces are drawn.
    pub forces: bool,
    /// Whether force chains are highlighted.
    pub chains: bool,
    /// Lower corner of the window; all bodies where not given. In space, of a box.
    pub low: Option<[f64; 3]>,
    /// Upper corner.
    pub high: Option<[f64; 3]>,
    /// Viewing direction in space.
    pub view: Option<[f64; 3]>,
    /// Whether bodies are lightened behind annotations.
    pub fade_bodies: bool,
    /// Whether the title omits the time.
    pub hide_time: bool,
    /// Decimals of a time label in a corner of the panel, at a fixed position.
    pub time_decimals: Option<usize>,
    /// Theme of the page.
    pub theme: Theme,
    /// Annotations over the bodies of every panel.
    pub annotations: Vec<Annotation>,
    /// Joints, drawn as glyphs.
    pub joints: Vec<JointGlyph>,
}

/// An annotation over the bodies, sizes in pixels.
#[derive(Debug, Clone, PartialEq)]
pub enum Annotation {
    /// A line between two points in world coordinates.
    Line {
        /// The end points.
        ends: [[f64; 3]; 2],
        /// Its width.
        width: f64,
        /// Its colour.
        colour: &'static str,
    },
    /// A dot.
    Dot {
        /// Position in world coordinates.
        at: [f64; 3],
        /// Its radius.
        radius: f64,
        /// Its colour.
        colour: &'static str,
    },
}
