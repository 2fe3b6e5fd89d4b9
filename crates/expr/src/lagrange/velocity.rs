//! Relative velocities ψ(t,q,v) that are affine in v (rows of G and W).

use super::polynomial::coefficients;
use super::{Coordinates, LagrangeError};
use crate::graph::Graph;
use crate::node::NodeId;

/// A relative velocity as a row:
///
/// ```text
/// ψ = G(t,q) v + W(t,q)        ψ̇ = G a + bias
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VelocityRow {
    /// G, an entry for each velocity.
    pub gradient: Vec<NodeId>,
    /// W: ψ at v = 0.
    pub boundary: NodeId,
    /// Ġ v + Ẇ: the part of ψ̇ without accelerations.
    pub bias: NodeId,
}

impl VelocityRow {
    /// Splits a named expression into G, W and the bias.
    ///
    /// # Errors
    /// It is not affine in the velocities.
    pub fn derive(
        graph: &mut Graph,
        coordinates: &Coordinates,
        name: &str,
        value: NodeId,
    ) -> Result<Self, LagrangeError> {
        // Coefficients of ψ as a polynomial of degree 1 in v.
        let parts = coefficients(graph, value, &coordinates.velocities, 1).map_err(|refusal| {
            LagrangeError::NotAffine {
                what: name.to_string(),
                part: refusal.part,
                reason: refusal.reason,
            }
        })?;
        let of = |monomial: &[usize]| parts.get(monomial).copied().unwrap_or(Graph::ZERO);
        Ok(VelocityRow {
            gradient: (0..coordinates.dimension()).map(|i| of(&[i])).collect(),
            boundary: of(&[]),
            bias: coordinates.rate(graph, value),
        })
    }
}
