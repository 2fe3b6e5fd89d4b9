//! `[[profile]]` and `[[distribution]]` as text.

use super::spec::Word;
use crate::Formula;

/// A profile as the scene file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSpec {
    /// Its name.
    pub name: String,
    /// Title of its plot.
    pub title: Option<String>,
    /// Line on which it begins.
    pub line: usize,
    /// Name of the region whose slices are averaged.
    pub region: Word,
    /// Names of the quantities.
    pub quantity: Vec<Word>,
    /// Start of the time average.
    pub from: Option<Formula>,
    /// End of the time average.
    pub to: Option<Formula>,
}

/// A distribution as the scene file gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct DistributionSpec {
    /// Its name.
    pub name: String,
    /// Title of its plot.
    pub title: Option<String>,
    /// Line on which it begins.
    pub line: usize,
    /// Name of the group or region.
    pub of: Word,
    /// The quantity.
    pub quantity: DistributionQuantity,
    /// Number of classes.
    pub bins: Option<usize>,
    /// Lower end of the first class.
    pub low: Option<Formula>,
    /// Upper end of the last class.
    pub high: Option<Formula>,
    /// Start of the counting.
    pub from: Option<Formula>,
    /// End of the counting.
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
