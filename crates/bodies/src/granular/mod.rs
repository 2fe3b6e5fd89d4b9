//! Measures of granular matter: averages over a packing, evaluated between two steps.
//!
//! ```text
//! solid fraction        φ  = 1/V Σ |Bᵢ ∩ box|
//! stress                σ  = −1/V Σ w f ⊗ l     l from the centre of a body to a contact, f on the body
//! fabric                F  = 1/N Σ n ⊗ n
//! coordination number   z  = neighbours that a body exchanges a force with, mean over bodies
//! ```
//!
//! Compression is positive. The stress is Love and Weber's, averaged over the step; w is the share of the branch
//! vector l that lies in the box, so that σ_yy of a layer times its width is the mean over the layer's planes of the
//! force that crosses them, wherever the box cuts the grains. [`ContactNetwork`] holds the contact forces of a step
//! with backbone and rattlers, [`ClippedVolume`] computes volumes of shapes in boxes, [`Tensor`] invariants of
//! tensors, [`force_chains`] the force chains.

mod force_chains;
mod network;
mod tensor;

pub use force_chains::{ForceChainContact, ForceChains, force_chains};
pub use network::{ContactForce, ContactNetwork};
pub use percuss_geometry::ClippedVolume;
pub use tensor::Tensor;
