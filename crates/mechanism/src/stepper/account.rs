//! What a step says of itself (JM92 §6).
//!
//! ```text
//! momentum:  A(v_F − v_I) = hK + Σ Gᵀ S
//! energy:    E_F − E_I = hK·½(v_I + v_F) + Σ_α [ ½ S·(U_F + U_I) − S·W ]      (A at the step's place)
//! gain:      Σ_rows S Uᵃ − ½δ S (𝒲S),   Uᵃ = ½(1−δ) U_I + ½(1+δ) U_F          (JM92 6.2)
//! ```
//!
//! With one common δ the gain is Σ S·Uᵃ − ½δ SᵀWS ≤ 0 whatever the forces do; the remaining part of
//! the contacts' work, −½δ S·(G A⁻¹ hK), belongs to the forces within the step and is of order h².

use contact::law::Status;
use convex::dense;

use super::Stepper;
use crate::error::MechanismError;
use crate::state::Ledger;
use crate::system::{Instant, Kind, System};

impl<S: System> Stepper<S> {
    pub(super) fn account(&mut self, h: f64) -> Result<(), MechanismError> {
        let (penetration, drift) = self.violations()?;
        let mut ledger = Ledger {
            t: self.next.t,
            h,
            num_active: self.work.stage.active.len(),
            residual: self.work.solved.residual,
            iterations: self.work.solved.iterations,
            reached: self.work.solved.reached && self.work.settled,
            penetration,
            drift,
            gamma: self.gamma(),
            ..Ledger::default()
        };
        self.balance(&mut ledger);
        self.work.stage.join_strike();
        let at = Instant {
            t: self.next.t,
            q: &self.next.q,
            v: &self.next.v,
        };
        // A at the end, not at the step's place: the energy that a user plots.
        let inertia = &mut self.work.effective;
        self.system
            .dynamics(at.t, at.q, at.v, &mut inertia.mass, &mut inertia.force)?;
        ledger.kinetic = inertia.energy(at.v);
        ledger.potential = self.system.potential(at.t, at.q)?;
        if !(ledger.kinetic.is_finite() && ledger.potential.is_finite()) {
            return Err(MechanismError::BlowUp {
                t: self.next.t,
                what: "the energy".to_string(),
            });
        }
        self.ledger = ledger;
        Ok(())
    }

    /// max(−gap) and max |f| at the end of the step.
    fn violations(&mut self) -> Result<(f64, f64), MechanismError> {
        let (t, q) = (self.next.t, &self.next.q);
        self.system.gaps(t, q, &mut self.work.gaps)?;
        let (mut penetration, mut drift) = (0.0_f64, 0.0_f64);
        for (i, constraint) in self.system.constraints().iter().enumerate() {
            for value in &self.work.gaps[self.first_gap[i]..self.first_gap[i + 1]] {
                match constraint.kind {
                    Kind::Contact => penetration = penetration.max(-value),
                    _ => drift = drift.max(value.abs()),
                }
            }
        }
        Ok((penetration, drift))
    }

    fn balance(&mut self, ledger: &mut Ledger) {
        let work = &mut self.work;
        let n = work.v.len();
        let (stage, inertia) = (&work.stage, &work.inertia);
        let end = &self.next.v;
        for (k, &i) in stage.active.iter().enumerate() {
            let kind = self.system.constraints()[i].kind;
            for row in stage.rows(k) {
                let s = stage.impulse[row];
                let share = 0.5 * s * (stage.begin[row] + stage.end[row]);
                let normal = row == stage.offset[k] || kind != Kind::Contact;
                *(if normal {
                    &mut ledger.impact
                } else {
                    &mut ledger.sliding
                }) += share;
                ledger.boundary -= s * stage.boundary[row];
            }
        }
        ledger.work = (0..n)
            .map(|i| work.impulse[i] * 0.5 * (work.v[i] + work.loose[i]))
            .sum();
        for (row, s) in work.hold.impulse.iter().enumerate() {
            // ½ s (U + 0): what the velocity lost when it was made tangent at the end.
            let w = work.hold.boundary[row];
            ledger.impact += 0.5 * s * (work.hold.begin[row] + work.hold.end[row]);
            ledger.boundary -= s * w;
        }
        ledger.impact += work.struck.0;
        let (begin, end_energy) = (inertia.energy(&self.state.v), inertia.energy(end));
        let terms = [
            end_energy,
            -begin,
            -ledger.work,
            -ledger.impact,
            -ledger.sliding,
            -ledger.boundary,
        ];
        // At rest all terms are rounding; the energy that the forces alone would give has a size.
        work.mean.copy_from_slice(&work.impulse);
        let forced = 0.5 * inertia.dual_norm(&mut work.mean).powi(2);
        let scale = terms.iter().fold(forced, |m, x| m.max(x.abs()));
        let left = terms.iter().sum::<f64>().abs();
        ledger.energy = if scale > 0.0 { left / scale } else { 0.0 };
        let gain = self.gain() + self.work.struck.1;
        ledger.gain = if scale > 0.0 {
            gain.max(0.0) / scale
        } else {
            0.0
        };
        ledger.momentum = self.momentum();
    }

    /// Σ S·Uᵃ − ½δ S·(𝒲S) over the contacts that do not move by themselves.
    fn gain(&self) -> f64 {
        let (stage, work) = (&self.work.stage, &self.work);
        let n = work.v.len();
        let mut gain = 0.0;
        for (k, &i) in stage.active.iter().enumerate() {
            if self.system.constraints()[i].kind != Kind::Contact {
                continue;
            }
            for row in stage.rows(k) {
                let delta = (1.0 - stage.weight[row]) / (1.0 + stage.weight[row]);
                let g = &stage.jacobian[row * n..(row + 1) * n];
                let free = stage.boundary[row] + dense::dot(g, &work.free);
                let average =
                    0.5 * ((1.0 - delta) * stage.begin[row] + (1.0 + delta) * stage.end[row]);
                let reflected = 0.5 * delta * (stage.end[row] - free);
                gain += stage.impulse[row] * (average - reflected);
            }
        }
        gain
    }

    /// ‖A(v_F − v_I) − hK − Σ GᵀS‖ relative to the velocities and to hA⁻¹K.
    fn momentum(&mut self) -> f64 {
        let work = &mut self.work;
        let n = work.v.len();
        for i in 0..n {
            work.mean[i] = self.next.v[i] - work.v[i];
        }
        let left = &mut work.free;
        for i in 0..n {
            let row = &work.inertia.mass[i * n..(i + 1) * n];
            left[i] = dense::dot(row, &work.mean) - work.impulse[i];
        }
        for (row, s) in work.stage.impulse.iter().enumerate() {
            let g = &work.stage.jacobian[row * n..(row + 1) * n];
            dense::axpy(-s, g, left);
        }
        for (row, s) in work.hold.impulse.iter().enumerate() {
            let g = &work.hold.jacobian[row * n..(row + 1) * n];
            dense::axpy(-s, g, left);
        }
        let scale = work
            .inertia
            .norm(&work.v)
            .max(work.inertia.norm(&self.next.v));
        // At rest under load only the terms themselves have a size.
        work.mean.copy_from_slice(&work.impulse);
        let scale = scale.max(work.inertia.dual_norm(&mut work.mean));
        let left = work.inertia.dual_norm(left);
        if scale > 0.0 { left / scale } else { left }
    }

    /// Smallest γ over the contacts that slide without colliding.
    fn gamma(&self) -> f64 {
        let stage = &self.work.stage;
        let slides = |k: &usize| {
            let slid = self.state.status[stage.active[*k]] == Status::Slip;
            let friction = stage.law[*k].normal() && stage.rows(*k).len() > 1;
            friction && (slid || stage.slides_without_collision(*k))
        };
        let all = (0..stage.active.len()).filter(slides);
        all.fold(f64::INFINITY, |m, k| m.min(stage.gamma(k)))
    }
}
