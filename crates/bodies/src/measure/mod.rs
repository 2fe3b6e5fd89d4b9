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
//!
//! Limits: the clipped volumes of discs, polygons and capsules of the plane and of spheres and polyhedra of space
//! are exact to rounding; those of cylinders and capsules of space are counted on a lattice of points; any other
//! shape counts as a whole where its centre is.

mod chain;
mod flat;
mod network;
mod round;
mod solid;
mod tensor;

pub use chain::{ForceChainContact, ForceChains, force_chains};
pub use network::{ContactForce, ContactNetwork};
pub use tensor::Tensor;

use crate::dim::Dim;
use crate::pose::Pose;

/// A dimension whose shapes can be clipped by boxes.
pub trait ClippedVolume: Dim {
    /// Area or volume of a shape; 0 for boundaries.
    fn volume(shape: &Self::Shape) -> f64 {
        Self::mass_properties(shape, 1.0).map_or(0.0, |unit| unit.mass)
    }

    /// Area or volume of the intersection of a body with an axis-parallel box, whose bounds may be infinite. 0 for
    /// boundaries.
    fn volume_in_box(
        shape: &Self::Shape,
        pose: &Pose<Self>,
        low: &[f64; 3],
        high: &[f64; 3],
    ) -> f64 {
        let volume = Self::volume(shape);
        if !(volume > 0.0) {
            return 0.0;
        }
        // Bodies entirely outside or inside need no clipping.
        let bounds = Self::aabb(shape, pose);
        let (mut all, mut none) = (true, false);
        for k in 0..Self::N {
            none |= !(bounds.high[k] > low[k] && bounds.low[k] < high[k]);
            all &= bounds.low[k] >= low[k] && bounds.high[k] <= high[k];
        }
        match (none, all) {
            (true, _) => 0.0,
            (_, true) => volume,
            _ => Self::clipped_volume(shape, pose, low, high).clamp(0.0, volume),
        }
    }

    /// The same for a body that the boundary of the box may cut.
    fn clipped_volume(
        shape: &Self::Shape,
        pose: &Pose<Self>,
        low: &[f64; 3],
        high: &[f64; 3],
    ) -> f64;
}

/// The whole volume if the centre lies in the box, else 0: for shapes without an exact formula.
fn by_centre<D: ClippedVolume>(
    shape: &D::Shape,
    pose: &Pose<D>,
    low: &[f64; 3],
    high: &[f64; 3],
) -> f64 {
    let within = (0..D::N).all(|k| pose.position[k] >= low[k] && pose.position[k] < high[k]);
    if within { D::volume(shape) } else { 0.0 }
}
