//! What a picture is to show.

use super::joint::JointGlyph;
use crate::file::Colour;

/// On what a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on nearly black.
    Dark,
}

/// What a picture is to show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PictureRequest {
    /// Its title.
    pub title: String,
    /// What colours mean.
    pub colour: Colour,
    /// Whether forces are drawn.
    pub forces: bool,
    /// Whether force chains stand out.
    pub chains: bool,
    /// Lower corner of what is shown; all bodies where not given. In space a box.
    pub low: Option<[f64; 3]>,
    /// Upper corner.
    pub high: Option<[f64; 3]>,
    /// Direction from which space is seen.
    pub view: Option<[f64; 3]>,
    /// Whether bodies are pale behind marks.
    pub fade_bodies: bool,
    /// Whether the title says no time.
    pub hide_time: bool,
    /// Decimals of a time that stands in a corner of the panel, always in the same place.
    pub time_decimals: Option<usize>,
    /// On what it is drawn.
    pub theme: Theme,
    /// Drawn over the bodies of every panel.
    pub annotations: Vec<Annotation>,
    /// Joints, drawn as marks.
    pub joints: Vec<JointGlyph>,
}

/// Something drawn over the bodies, sizes in pixels.
#[derive(Debug, Clone, PartialEq)]
pub enum Annotation {
    /// A line between two points of the world.
    Line {
        /// The points.
        ends: [[f64; 3]; 2],
        /// Its width.
        width: f64,
        /// Its colour.
        colour: &'static str,
    },
    /// A dot.
    Dot {
        /// Where.
        at: [f64; 3],
        /// Its radius.
        radius: f64,
        /// Its colour.
        colour: &'static str,
    },
}
