//! The velocities that go with impulses that no sweep has made: v̂ is affine in r.

use super::iterate::{DEPTH, Lead, Mix};
use super::lanes::Four;
use super::row::Row;
use super::wide::Job;

/// The velocities of the extrapolated impulses: those of y, plus β Ĝᵀp; Ĝᵀg = v̂(r) − v̂(y).
pub(super) struct Follow<'a, R> {
    pub velocity: &'a mut [R],
    pub before: &'a mut [R],
    pub drift: &'a mut [R],
    pub lead: Lead,
}

impl<R: Row> Job for Follow<'_, R> {
    type Out = ();

    #[inline(always)]
    fn run<L: Four>(self) {
        let (beta, gamma) = (L::all(self.lead.beta), L::all(self.lead.gamma));
        let rows = self.velocity.iter_mut().zip(self.before);
        for ((v, before), drift) in rows.zip(self.drift) {
            let parts = v.parts_mut().iter_mut().zip(before.parts_mut());
            for ((v, before), drift) in parts.zip(drift.parts_mut()) {
                let (now, step) = (L::of(*v), beta * L::of(*drift));
                *drift = (step - gamma * (L::of(*before) - now)).to();
                *v = (now + step).to();
                *before = *v;
            }
        }
    }
}

/// The velocities of the mixed impulses: those of y, less Σ θ_k ΔV_k.
pub(super) struct Blend<'a, R> {
    pub velocity: &'a mut [R],
    pub before: &'a mut [R],
    pub past: &'a mut [[R; DEPTH]],
    pub mix: &'a Mix,
    pub last: Option<usize>,
}

impl<R: Row> Job for Blend<'_, R> {
    type Out = ();

    #[inline(always)]
    fn run<L: Four>(self) {
        let rows = self.velocity.iter_mut().zip(self.before);
        for ((v, before), past) in rows.zip(self.past) {
            for (k, (v, before)) in v.parts_mut().iter_mut().zip(before.parts_mut()).enumerate() {
                let now = L::of(*v);
                if let Some(slot) = self.last {
                    past[slot].parts_mut()[k] = (now - L::of(*before)).to();
                }
                *before = *v;
                let mut mixed = now;
                let known = self.mix.theta.iter().zip(past.iter()).take(self.mix.known);
                for (theta, past) in known {
                    mixed = mixed - L::all(*theta) * L::of(past.parts()[k]);
                }
                *v = mixed.to();
            }
        }
    }
}
