//! Candidates for contact, which detection and the joints with clearance make.

use percuss_geometry::ContactPoint;

use crate::dynamics::Dynamics;

/// A candidate for contact: a contact point, open or closed, with its two bodies (potential contact).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<D: Dynamics> {
    /// Indices of the two bodies, the smaller one first; the normal points from the first to the second.
    pub bodies: [u32; 2],
    /// Periodic image of the second body, x + H k; 0 without a periodic cell.
    pub image: [i32; 3],
    /// Points, normal, gap and feature.
    pub point: ContactPoint<D>,
}
