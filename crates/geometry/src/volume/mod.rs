//! Areas and volumes of shapes clipped by axis-parallel boxes, as the solid fraction of a packing needs them.
//!
//! Limits: the clipped volumes of discs, polygons and capsules of the plane and of spheres and polyhedra of space
//! are exact to rounding; those of cylinders and capsules of space are counted on a lattice of points; any other
//! shape counts as a whole where its centre is.

mod clipped_area;
mod clipped_volume;
mod sphere_in_box;

use crate::dim::Pose;
use crate::shape::Geometry;

/// A dimension whose shapes can be clipped by boxes.
pub trait ClippedVolume: Geometry {
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
