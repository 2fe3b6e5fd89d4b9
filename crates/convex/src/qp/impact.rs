//! The canonical impact law u⁺ = proj_V(u⁻) − e proj_N(u⁻) in the kinetic metric (B02 1.13).
//!
//! V = { v : g_a·v ≤ 0 } is the cone of admissible velocities, N = A⁻¹ cone(g_a) its polar in the
//! metric A, and u⁻ = proj_V(u⁻) + proj_N(u⁻) is Moreau's decomposition. Hence
//!
//! ```text
//! u⁺ = (1 + e) proj_V(u⁻) − e u⁻,        A (u⁺ − u⁻) = −Σ p_a g_a,   p = (1 + e) λ ≥ 0
//! ½|u⁺|² − ½|u⁻|² = −½ (1 − e²) |proj_N(u⁻)|²      (never a gain for e ∈ [0, 1])
//! ```
//!
//! u⁺ ∈ V holds whenever u⁻ ∈ −V, that is when every given row was approaching or at rest; otherwise
//! it may fail for e > 0, which is an error.

use super::{LinearConstraints, ProxReport, ProxWorkspace, check_restitution};
use crate::dense::dot;
use crate::error::{ConvexError, Result, check_len, check_vector};
use crate::metric::Metric;

/// Outcome of a canonical impact.
#[derive(Debug, Clone, PartialEq)]
pub struct CanonicalImpact {
    /// Velocity after the impact u⁺.
    pub velocity: Vec<f64>,
    /// Impulses p_a along −g_a, one per row.
    pub impulses: Vec<f64>,
    /// Rows that received an impulse or ended with equality.
    pub active: Vec<usize>,
    /// Kinetic energy lost, ½ (1 − e²) |proj_N(u⁻)|² ≥ 0.
    pub energy_loss: f64,
    /// Effort and accuracy of the projection.
    pub report: ProxReport,
}

/// Velocity after an impact against the rows g_a·v ≤ 0 with restitution `e` ∈ [0, 1].
///
/// `matrix` holds the g_a = ∂f_a/∂q row by row; its first `equalities` rows are bilateral,
/// g_a·v = 0, and u⁻ must satisfy them (restitution does not apply to them).
pub fn canonical_impact(
    u_minus: &[f64],
    matrix: &[f64],
    equalities: usize,
    metric: &Metric,
    e: f64,
) -> Result<CanonicalImpact> {
    let n = metric.dim();
    check_restitution(e)?;
    check_vector("velocity before impact", u_minus, n)?;
    let m = matrix.len() / n.max(1);
    check_len("row matrix", matrix.len(), m * n)?;
    let bounds = vec![0.0; m];
    for row in matrix.chunks_exact(n.max(1)).take(equalities) {
        let (mut value, mut size) = (0.0, 0.0);
        for (g, u) in row.iter().zip(u_minus) {
            value += g * u;
            size += (g * u).abs();
        }
        // The motion satisfies a bilateral row up to the accuracy of a step's solver.
        if value.abs() > 1e-6 * size {
            return Err(ConvexError::Invalid {
                what: "velocity of a bilateral row before impact",
                value,
                expected: "0 (to 1e-6 of its terms)",
            });
        }
    }
    // proj_V(u⁻) and the part in N.
    let mut ws = ProxWorkspace::new();
    let rows = LinearConstraints {
        matrix,
        bounds: &bounds,
        equalities,
    };
    let report = ws.solve(metric, rows, u_minus)?;
    let normal: Vec<f64> = crate::dense::sub(u_minus, &ws.point);
    let velocity: Vec<f64> = (0..n).map(|i| ws.point[i] - e * normal[i]).collect();
    // u⁺ must be admissible.
    for (row, g) in matrix.chunks_exact(n.max(1)).enumerate().skip(equalities) {
        let speed = dot(g, &velocity);
        let size: f64 = g.iter().zip(u_minus).map(|(a, b)| (a * b).abs()).sum();
        let spread: f64 = g.iter().zip(&velocity).map(|(a, b)| (a * b).abs()).sum();
        // Rows that end at rest do so to the accuracy of the projection.
        if speed > 1e-10 * (size + spread) {
            return Err(ConvexError::InwardVelocity { row, speed });
        }
    }
    Ok(CanonicalImpact {
        velocity,
        impulses: ws.multipliers.iter().map(|l| (1.0 + e) * l).collect(),
        active: ws.active,
        energy_loss: 0.5 * (1.0 - e * e) * metric.inner(&normal, &normal),
        report,
    })
}
