//! The decomposition itself: VHACD of the library `parry3d`, hulls of the exact pieces of the surface.

use glam::DVec3;
use parry3d_f64::math::Vector as Point;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use super::merge_hulls::merge_down_to;
use super::{DecompositionParams, PlacedHull};
use crate::error::ShapeError;
use crate::space::polyhedron::ConvexPolyhedron;

/// Convex parts, each with its pose.
pub(super) fn decompose(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    fineness: &DecompositionParams,
) -> Result<Vec<PlacedHull>, ShapeError> {
    let low = vertices.iter().fold(DVec3::INFINITY, |m, v| m.min(*v));
    let high = vertices.iter().fold(DVec3::NEG_INFINITY, |m, v| m.max(*v));
    let (middle, size) = (0.5 * (low + high), (high - low).max_element());
    // The library's tolerances are made for bodies of size one.
    let points: Vec<Point> = vertices
        .iter()
        .map(|v| Point::from_array(((*v - middle) / size).to_array()))
        .collect();
    // Decomposition of the normalised mesh; hulls of the exact pieces, scaled back.
    let parameters = VHACDParameters {
        max_convex_hulls: fineness.parts as u32,
        resolution: fineness.resolution as u32,
        concavity: 1e-3,
        ..VHACDParameters::default()
    };
    let cut = VHACD::decompose(&parameters, &points, triangles, true);
    let back = |p: &Point| DVec3::from_array(p.to_array()) * size + middle;
    let pieces = cut.compute_exact_convex_hulls(&points, triangles);
    // A flat piece of the surface encloses nothing and is dropped.
    let hulls = pieces.iter().filter_map(|(corners, _)| {
        let corners: Vec<DVec3> = corners.iter().map(back).collect();
        ConvexPolyhedron::hull(&corners).ok()
    });
    let hulls = merge_down_to(hulls.collect(), fineness.parts);
    match hulls.is_empty() {
        false => Ok(hulls),
        true => Err(ShapeError::Degenerate(
            "the surface could not be cut into convex parts: a finer resolution may help".into(),
        )),
    }
}
