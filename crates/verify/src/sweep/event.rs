//! Recorded times of the event-driven method for sweeping processes.
//!
//! ```text
//! S = h Λ,   u̇ = w + A⁻¹ Σ Λ ∇gap,   ∂gap/∂t + ∇gap·u̇ = 0 where Λ acts,   Λ ≥ 0,  gap = 0       (M99 13, 15)
//! ```
//!
//! At the time of a jump of C, S are the multipliers of the jump, as in the other methods.

use percuss_scene::model::mechanism::SystemError;

use super::metric::{dot, plus};
use super::step::StepPart;
use super::variation::VariationPart;
use super::{PositionFunctions, RecordedState, SweepVerifier};

impl SweepVerifier<'_> {
    /// Verifies one recorded time.
    pub(super) fn instant(
        &mut self,
        parts: &[StepPart],
        first: &RecordedState,
        last: &RecordedState,
        local: &PositionFunctions,
    ) -> Result<Vec<VariationPart>, SystemError> {
        let size = self.size(&last.u);
        let (over, who) = self.outside(local);
        if !self.equation.is_empty() {
            let off = (over - self.step_row.penetration).abs() / size;
            self.note("penetration", off, self.owner(who));
        }
        self.compare_set(&last.u, local);
        self.compare_laws(&last.u, local);
        let w = self.drift(last.t, &last.u)?;
        match parts.last() {
            Some(part) if part.jump => {
                let between = self.back(*part, last, local)?;
                let before = self.local(part.from, &between)?;
                self.compare_set(&between, &before);
            }
            _ => {
                self.compare_residual(0.0, &last.u);
                self.compare_rates(&w, local);
            }
        }
        let [part] = *parts else {
            self.sums.whole = false;
            return Ok(Vec::new());
        };
        let h = part.to - part.from;
        let drift = h * self.form.norm(&w);
        Ok(vec![self.stretch(part, &first.u, &last.u, drift)])
    }

    /// Active contacts stay closed: their gap rate is zero.
    fn compare_rates(&mut self, w: &[f64], local: &PositionFunctions) {
        let share = 1.0 / self.step_row.h;
        let pushed = self.impulse_displacement(local, share);
        let velocity = plus(w, 1.0, &pushed);
        for touch in self.constraint_rows.clone() {
            let k = self.first[touch.constraint];
            let (g, rate) = (&local.gradients[k], local.rates[k]);
            let mut terms = rate.abs();
            for i in 0..w.len() {
                terms += g[i].abs() * (w[i].abs() + pushed[i].abs());
            }
            let off = (dot(g, &velocity) + rate).abs() / terms.max(f64::MIN_POSITIVE);
            self.note("rate", off, self.name(touch.constraint));
        }
    }
}
