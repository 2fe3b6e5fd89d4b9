//! `[[profile]]` and `[[distribution]]` as text.

use super::reader::Formula;
use super::spec::Word;

/// A profile as the scene file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSpec {
    pub name: String,
    pub title: Option<String>,
    pub line: usize,
    pub region: Word,
    pub quantity: Vec<Word>,
    pub from: Option<Formula>,
    pub to: Option<Formula>,
}

/// A distribution as the scene file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct DistributionSpec {
    pub name: String,
    pub title: Option<String>,
    pub line: usize,
    pub of: Word,
    pub quantity: DistributionQuantity,
    pub bins: Option<usize>,
    pub low: Option<Formula>,
    pub high: Option<Formula>,
    pub from: Option<Formula>,
    pub to: Option<Formula>,
}

/// The quantity of a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistributionQuantity {
    /// Normal forces of contacts over their mean in the step.
    NormalForce,
    /// Mobilised friction: friction force over its bound.
    Mobilised,
    /// Angle of the contact normals: in the plane from the x axis, 0 to π; in space from the z
    /// axis, 0 to π/2.
    ContactAngle,
    /// Radii of the discs or balls of the same volume.
    Size,
    /// Numbers of contacts of force chains.
    ChainLength,
}

/// Names of the quantities.
pub const DISTRIBUTION_QUANTITIES: [(&str, DistributionQuantity); 5] = [
    ("normal_force", DistributionQuantity::NormalForce),
    ("mobilised", DistributionQuantity::Mobilised),
    ("contact_angle", DistributionQuantity::ContactAngle),
    ("size", DistributionQuantity::Size),
    ("chain_length", DistributionQuantity::ChainLength),
];

impl DistributionQuantity {
    /// Label of the axis of its plot.
    pub fn label(self, dimension: usize) -> &'static str {
        match (self, dimension) {
            (Self::NormalForce, _) => "normal force over its mean",
            (Self::Mobilised, _) => "friction over its bound",
            (Self::ContactAngle, 2) => "angle of the normal from the x axis",
            (Self::ContactAngle, _) => "angle of the normal from the z axis",
            (Self::Size, _) => "radius",
            (Self::ChainLength, _) => "contacts of a chain",
        }
    }
}
