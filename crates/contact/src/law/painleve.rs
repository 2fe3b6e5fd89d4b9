//! Painlevé's paradox: whether a sliding contact may jump without a collision (P15 §3, M88 §14).
//!
//! ```text
//! γ = min over w ∈ D of Ŵ_nn + Ŵ_nt·w,   Ŵ the contact's block after eliminating the other closed constraints
//! ```
//!
//! γ > 0: sliding goes on uniquely. γ ≤ 0: the sliding problem may be inconsistent or have several solutions.

use super::Law;
use super::small::norm;

impl Law {
    /// γ from the row (Ŵ_nn, Ŵ_nt) of a contact, or of a joint with one bilateral row and friction.
    #[must_use]
    pub fn gamma(&self, row: &[f64]) -> f64 {
        row[0] - self.section_support(row)
    }

    /// γ where a contact that slides with `u` may jump; Ŵ_nn > 0 where γ ≤ 0 belongs to another direction of
    /// sliding, so that continued sliding is the only outcome.
    #[must_use]
    pub fn gamma_of_sliding(&self, row: &[f64], u: &[f64]) -> f64 {
        let gamma = self.gamma(row);
        match gamma > 0.0 || self.may_jump(row, u) {
            true => gamma,
            false => row[0],
        }
    }

    /// Support max over D of −Ŵ_nt·w. A joint with friction has no unilateral normal row and hence no De Saxcé
    /// shift; its section is the disc of its coefficient.
    fn section_support(&self, row: &[f64]) -> f64 {
        match self {
            Self::BilateralFriction { normal_rows: 1, mu } => mu * norm(&row[1..]),
            _ => self.shift(row),
        }
    }

    /// Whether an impulse (1, w), w ∈ D, that leaves u_n unchanged dissipates energy while sliding at `u`:
    /// Ŵ_nn + Ŵ_nt·w = 0 and u·w < 0.
    fn may_jump(&self, row: &[f64], u: &[f64]) -> bool {
        match (row, u) {
            ([_, coupling], [u]) => coupling * u > 0.0,
            ([normal, a, b], [u, v]) => {
                // w along Ŵ_nt is fixed by Ŵ_nn + Ŵ_nt·w = 0.
                let square = a * a + b * b;
                let along = -normal * (u * a + v * b) / square;
                // Largest w perpendicular to Ŵ_nt, for a disc as wide as D is along Ŵ_nt.
                let radius = self.section_support(row) / square.sqrt();
                let across = (radius * radius - normal * normal / square).max(0.0).sqrt();
                along - across * (v * a - u * b).abs() / square.sqrt() < 0.0
            }
            _ => true,
        }
    }
}
