//! What a picture is to show.

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
    /// Whether force chains stand out.
    pub chains: bool,
    /// Lower corner of what is shown; all bodies where not given. In space a box.
    pub low: Option<[f64; 3]>,
    /// Upper corner.
    pub high: Option<[f64; 3]>,
    /// Direction from which space is seen.
    pub view: Option<[f64; 3]>,
}
