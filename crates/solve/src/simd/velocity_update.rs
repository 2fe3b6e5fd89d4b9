//! Velocities of extrapolated and of mixed impulses, without a pass over the contacts: v̂ is affine in r.

use super::body_velocity::BodyVelocity;
use super::instruction_set::SimdKernel;
use super::iterate::{ANDERSON_DEPTH, AndersonStep, CgStep};
use super::lanes::SimdVector;

/// Velocities of the extrapolated impulses r = y + β p: v̂(y) + β Ĝᵀp, with Ĝᵀg = v̂(r) − v̂(y) for the new direction.
pub(super) struct ExtrapolateKernel<'a, R> {
    pub velocity: &'a mut [R],
    pub before: &'a mut [R],
    pub drift: &'a mut [R],
    pub cg_step: CgStep,
}

impl<R: BodyVelocity> SimdKernel for ExtrapolateKernel<'_, R> {
    type Out = ();

    #[inline(always)]
    fn run<L: SimdVector>(self) {
        let (beta, gamma) = (L::splat(self.cg_step.beta), L::splat(self.cg_step.gamma));
        // Body by body, SIMD vector by SIMD vector.
        let rows = self.velocity.iter_mut().zip(self.before);
        for ((v, before), drift) in rows.zip(self.drift) {
            let parts = v.parts_mut().iter_mut().zip(before.parts_mut());
            for ((v, before), drift) in parts.zip(drift.parts_mut()) {
                // Ĝᵀp ← β Ĝᵀp − γ Ĝᵀg.
                let (now, step) = (L::load(*v), beta * L::load(*drift));
                *drift = (step - gamma * (L::load(*before) - now)).store();
                // v̂(r), kept as the velocity at the beginning of the sweep.
                *v = (now + step).store();
                *before = *v;
            }
        }
    }
}

/// Velocities of the Anderson-mixed impulses r = y − Σ θ_k ΔY_k: v̂(y) − Σ θ_k ΔV_k.
pub(super) struct MixKernel<'a, R> {
    pub velocity: &'a mut [R],
    pub before: &'a mut [R],
    pub history: &'a mut [[R; ANDERSON_DEPTH]],
    pub anderson_step: &'a AndersonStep,
    pub last: Option<usize>,
}

impl<R: BodyVelocity> SimdKernel for MixKernel<'_, R> {
    type Out = ();

    #[inline(always)]
    fn run<L: SimdVector>(self) {
        let rows = self.velocity.iter_mut().zip(self.before);
        for ((v, before), history) in rows.zip(self.history) {
            for (k, (v, before)) in v.parts_mut().iter_mut().zip(before.parts_mut()).enumerate() {
                let now = L::load(*v);
                // Difference of the last sweep, then the mixture.
                if let Some(slot) = self.last {
                    history[slot].parts_mut()[k] = (now - L::load(*before)).store();
                }
                *before = *v;
                let mut mixed = now;
                // Subtract the differences of the sweeps that are known.
                let known = self
                    .anderson_step
                    .theta
                    .iter()
                    .zip(history.iter())
                    .take(self.anderson_step.history_len);
                for (theta, history) in known {
                    mixed = mixed - L::splat(*theta) * L::load(history.parts()[k]);
                }
                *v = mixed.store();
            }
        }
    }
}
