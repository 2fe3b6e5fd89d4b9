//! What a picture is to show.

use super::joint::Pin;
use crate::file::Colour;

/// What a picture is to show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Its title.
    pub title: String,
    /// What colours mean.
    pub colour: Colour,
    /// Whether forces are drawn.
    pub forces: bool,
    /// Lower corner of what is shown; all bodies where not given. In space a box.
    pub low: Option<[f64; 3]>,
    /// Upper corner.
    pub high: Option<[f64; 3]>,
    /// Direction from which space is seen.
    pub view: Option<[f64; 3]>,
    /// Joints, drawn as marks.
    pub joints: Vec<Pin>,
}
