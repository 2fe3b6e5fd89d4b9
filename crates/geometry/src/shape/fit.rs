//! How well convex parts approximate a solid.

/// How well the convex parts approximate the solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecompositionFit {
    /// Number of parts.
    pub parts: usize,
    /// Volume of the solid, exact.
    pub volume: f64,
    /// Sum of the volumes of the parts, exact; parts may overlap.
    pub sum: f64,
    /// Volume inside a part but outside the solid, relative to the solid's; measured.
    pub excess: f64,
    /// Volume of the solid outside all parts, relative to the solid's; measured.
    pub missing: f64,
}

impl DecompositionFit {
    /// A convex solid, which is its only part.
    pub(crate) fn exact(volume: f64) -> Self {
        Self {
            parts: 1,
            volume,
            sum: volume,
            excess: 0.0,
            missing: 0.0,
        }
    }
}
