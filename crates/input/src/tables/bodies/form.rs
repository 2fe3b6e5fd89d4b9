//! Specifications of composite shapes; expressions are still text.

use super::spec::{Name, ShapeSpec, TurnSpec};
use crate::Formula;

/// A part of a compound.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceSpec {
    pub shape: ShapeSpec,
    pub line: usize,
    pub position: Option<Vec<Formula>>,
    pub turn: TurnSpec,
    pub density: Option<Formula>,
}

/// A closed triangle surface as a body, by convex decomposition.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidSpec {
    pub file: Name,
    pub scale: Option<Formula>,
    /// Distance below which vertices are welded.
    pub merge: Option<Formula>,
    pub parts: Option<Formula>,
    pub resolution: Option<Formula>,
}

/// A triangle surface as a boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshSpec {
    pub file: Name,
    pub scale: Option<Formula>,
    /// Distance below which vertices are welded.
    pub merge: Option<Formula>,
}

/// A heightfield: heights at equal distances.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightsSpec {
    pub heights: Heights,
    /// Width, in space width and depth.
    pub size: Vec<Formula>,
    pub scale: Option<Formula>,
}

/// Source of the heights.
#[derive(Debug, Clone, PartialEq)]
pub enum Heights {
    File(Name),
    /// Rows along x; one in the plane.
    Rows(Vec<Vec<Formula>>),
}
