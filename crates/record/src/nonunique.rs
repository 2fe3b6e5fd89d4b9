//! Where a motion need not have gone on as it did, as the manifest says it.

use serde::{Deserialize, Serialize};

/// An instant at which the continuation is not unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NonuniqueInstant {
    /// The instant, to within a step.
    pub t: f64,
    /// Name of the contact, or joint with friction, that slides.
    pub contact: String,
    /// γ(q), 1/kg.
    pub gamma: f64,
    /// `two`: u⁻ or ũ; at a joint, the velocities after the step with either reaction. `several`: those of `others`, too.
    /// `segment`: every velocity between u⁻ and ũ.
    pub outcomes: String,
    /// u⁻ by velocity name.
    pub before: Vec<(String, f64)>,
    /// ũ by velocity name.
    pub jump: Vec<(String, f64)>,
    /// Further velocities: other jumps by Coulomb's law with two directions of friction, and the jumps of a joint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Vec<(String, f64)>>,
}
