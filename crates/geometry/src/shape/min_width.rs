//! The smallest width of a shape.

use super::Geometry;

/// Smallest width of a shape, measured across its faces; of a compound that of its thickest part, since a
/// decomposition may contain slivers. Infinite for boundaries.
pub fn min_width<D: Geometry>(shape: &D::Shape) -> f64 {
    // Compound: its thickest part.
    if let Some(compound) = D::compound(shape) {
        let parts = compound.parts().iter();
        return parts
            .map(|part| min_width::<D>(&part.shape))
            .fold(0.0, f64::max);
    }
    let mut least = f64::INFINITY;
    D::visit_face_depths(shape, D::Vector::default(), &mut |normal, _| {
        // Width across each face, by support functions.
        let width = D::support(shape, normal) + D::support(shape, -normal);
        least = least.min(width);
    });
    least
}
