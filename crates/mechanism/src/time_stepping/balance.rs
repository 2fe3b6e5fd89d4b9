//! Momentum and energy balance of a step (JM92 §6), position errors, Painlevé's γ.
//!
//! ```text
//! momentum:  A(v_F − v_I) = hK + Σ Gᵀ S
//! energy:    E_F − E_I = hK·½(v_I + v_F) + Σ_α [ ½ S·(U_F + U_I) − S·W ]      (A where the step evaluates it)
//! gain:      Σ_rows S Uᵃ − ½δ S (𝒲S),   Uᵃ = ½(1−δ) U_I + ½(1+δ) U_F          (JM92 6.2)
//! ```
//!
//! With one common δ the gain is Σ S·Uᵃ − ½δ SᵀWS ≤ 0 whatever the forces do; the remaining part of the contacts' work,
//! −½δ S·(G A⁻¹ hK), belongs to the forces within the step and is of order h².

use contact::law::Status;
use convex::dense;
use smallvec::SmallVec;

use super::TimeStepper;
use crate::error::MechanismError;
use crate::painleve;
use crate::state::StepReport;
use crate::system::{ConstraintKind, StateRef, System};

/// Position errors at the end of a step.
#[derive(Default)]
struct PositionErrors {
    /// max(−g) over the contacts.
    penetration: f64,
    /// max |f| over the joints.
    drift: f64,
    /// Largest change of a coordinate since the start, or largest |g|.
    extent: f64,
    /// The constraints at which `penetration` and `drift` are attained.
    worst: [Option<u32>; 2],
}

/// A contact is at rest where a step changes its penetration by no more than this share of it.
const AT_REST: f64 = 0.1;

impl<S: System> TimeStepper<S> {
    /// Writes the [`StepReport`] of the step just computed, and adds impulses applied before the step to those of the
    /// problem.
    pub(super) fn balance(&mut self, h: f64) -> Result<(), MechanismError> {
        let PositionErrors {
            penetration,
            drift,
            extent,
            worst: [deepest, loosest],
        } = self.position_errors()?;
        let mut ledger = StepReport {
            t: self.next.t,
            h,
            num_active: self.scratch.problem.active.len(),
            residual: self.scratch.solve_summary.residual,
            iterations: self.scratch.solve_summary.iterations,
            reached: self.scratch.solve_summary.converged && self.scratch.forces_converged,
            penetration,
            drift,
            extent,
            worst: [deepest, loosest, None],
            infeasible: self.scratch.solve_summary.infeasible,
            gamma: self.smallest_gamma(),
            ..StepReport::default()
        };
        self.energy_balance(&mut ledger);
        self.scratch.problem.merge_impact();
        (ledger.resting, ledger.worst[2]) = self.deepest_resting_contact(h);
        let at = StateRef {
            t: self.next.t,
            q: &self.next.q,
            v: &self.next.v,
        };
        // Energies with A at q_F, not at q_M: the energy that a user plots.
        let inertia = &mut self.scratch.effective_inertia;
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
        self.report = ledger;
        Ok(())
    }

    /// max(−g), max |f| and the extent of the motion at the end of the step. Fills `scratch.gaps` at q_F.
    fn position_errors(&mut self) -> Result<PositionErrors, MechanismError> {
        let (t, q) = (self.next.t, &self.next.q);
        self.system.gaps(t, q, &mut self.scratch.gaps)?;
        let moved = q
            .iter()
            .zip(&self.initial_positions)
            .map(|(q, from)| (q - from).abs());
        let mut found = PositionErrors {
            extent: moved.fold(0.0, f64::max),
            ..PositionErrors::default()
        };
        for (i, constraint) in self.system.constraints().iter().enumerate() {
            for value in &self.scratch.gaps[self.first_gap[i]..self.first_gap[i + 1]] {
                match constraint.kind {
                    ConstraintKind::Contact => {
                        found.extent = found.extent.max(value.abs());
                        if -value > found.penetration {
                            (found.penetration, found.worst[0]) = (-value, Some(i as u32));
                        }
                    }
                    _ if value.abs() > found.drift => {
                        (found.drift, found.worst[1]) = (value.abs(), Some(i as u32));
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Largest penetration of a contact at rest, and that contact.
    fn deepest_resting_contact(&self, h: f64) -> (f64, Option<u32>) {
        let stage = &self.scratch.problem;
        let mut found = (0.0, None);
        for (k, &i) in stage.active.iter().enumerate() {
            if self.system.constraints()[i].kind != ConstraintKind::Contact {
                continue;
            }
            let (row, depth) = (stage.offset[k], -self.scratch.gaps[self.first_gap[i]]);
            let speed = stage.begin[row].abs().max(stage.end[row].abs());
            let rests = stage.impulse[row] != 0.0 && h * speed <= AT_REST * depth;
            if rests && depth > found.0 {
                found = (depth, Some(i as u32));
            }
        }
        found
    }

    /// Works of contacts, forces and boundaries, the energy residual, gain, and the momentum residual.
    fn energy_balance(&mut self, ledger: &mut StepReport) {
        let work = &mut self.scratch;
        let n = work.v_begin.len();
        let (stage, inertia) = (&work.problem, &work.inertia);
        let end = &self.next.v;
        // Work of the constraint impulses by row, ½ S (U_I + U_F), and of moving boundaries, −S W.
        for (k, &i) in stage.active.iter().enumerate() {
            let kind = self.system.constraints()[i].kind;
            for row in stage.rows(k) {
                let s = stage.impulse[row];
                let share = 0.5 * s * (stage.begin[row] + stage.end[row]);
                let tangential = kind.is_friction_row(row - stage.offset[k]);
                *(if !tangential {
                    &mut ledger.impact
                } else {
                    &mut ledger.sliding
                }) += share;
                ledger.boundary -= s * stage.boundary[row];
            }
        }
        // Work of the given forces, hK·½(v_I + v_F) with v_F before the velocity projection.
        ledger.work = (0..n)
            .map(|i| work.force_impulse[i] * 0.5 * (work.v_begin[i] + work.v_unprojected[i]))
            .sum();
        for (row, s) in work.bilateral_end.impulse.iter().enumerate() {
            // Velocity projection: ½ s (U + 0), the energy lost when the velocity was made tangent at the end.
            let w = work.bilateral_end.boundary[row];
            ledger.impact +=
                0.5 * s * (work.bilateral_end.begin[row] + work.bilateral_end.end[row]);
            ledger.boundary -= s * w;
        }
        ledger.impact += work.separate_impact_energy.0;
        // Energy residual: the sum of all terms over the largest of them.
        let (begin, end_energy) = (inertia.energy(&self.state.v), inertia.energy(end));
        let terms = [
            end_energy,
            -begin,
            -ledger.work,
            -ledger.impact,
            -ledger.sliding,
            -ledger.boundary,
        ];
        // At rest all terms are rounding; the energy that the forces alone would give, ½‖hA⁻¹K‖², is a scale.
        work.buffer.copy_from_slice(&work.force_impulse);
        let forced = 0.5 * inertia.dual_norm(&mut work.buffer).powi(2);
        let scale = terms.iter().fold(forced, |m, x| m.max(x.abs()));
        let left = terms.iter().sum::<f64>().abs();
        ledger.energy = if scale > 0.0 { left / scale } else { 0.0 };
        // Energy scale of the step; self-stress, GᵀS = 0, is in none of its terms.
        let turnover = [
            begin,
            self.scratch.inertia.energy(&self.scratch.v_free),
            forced,
        ];
        let given = [ledger.work.abs(), ledger.boundary.abs()];
        ledger.turnover = turnover.into_iter().chain(given).fold(0.0, f64::max);
        ledger.forced = forced;
        self.add_energy_gain(ledger);
        ledger.lasting = self.persistent_contact_work();
        ledger.momentum = self.momentum_residual();
    }

    /// Energy gain Σ S·Uᵃ − ½δ S·(𝒲S) over the contacts, the inadmissible part of it, and whether coefficients differ.
    fn add_energy_gain(&self, ledger: &mut StepReport) {
        let (stage, work) = (&self.scratch.problem, &self.scratch);
        let n = work.v_begin.len();
        let (mut gain, mut lawful, mut bilateral) = (0.0, 0.0, false);
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for (k, &i) in stage.active.iter().enumerate() {
            let contact = self.system.constraints()[i].kind == ConstraintKind::Contact;
            // Upper bound that the laws imply, over all rows; gain over the contact rows.
            for row in stage.rows(k).filter(|row| stage.impulse[*row] != 0.0) {
                let (s, rho) = (stage.impulse[row], stage.restitution_weight[row]);
                lawful += s * (stage.end[row] + rho * stage.begin[row]) / (1.0 + rho);
                if !contact {
                    bilateral = true;
                    continue;
                }
                range = (range.0.min(rho), range.1.max(rho));
                let delta = (1.0 - rho) / (1.0 + rho);
                let g = &stage.jacobian[row * n..(row + 1) * n];
                let free = stage.boundary[row] + dense::dot(g, &work.v_free);
                let average =
                    0.5 * ((1.0 - delta) * stage.begin[row] + (1.0 + delta) * stage.end[row]);
                let reflected = 0.5 * delta * (stage.end[row] - free);
                gain += s * (average - reflected);
            }
        }
        ledger.mixed = range.0 < range.1;
        // Joints, whose rows have another weight, are taken with that of the contacts beside them. Where these differ
        // the second term may have either sign.
        let beside = self.gain_with_joints(ledger.forced);
        if let Some((one, _)) = beside {
            gain = one;
        }
        let excess = match ledger.mixed || bilateral {
            true if lawful < gain && beside.is_none() => lawful,
            _ => gain,
        };
        // Relative to the energy scale, with the gain of impacts applied before the step.
        let over = |x: f64| match x + work.separate_impact_energy.1 {
            x if x <= 0.0 => 0.0,
            x => x / ledger.turnover,
        };
        (ledger.gain, ledger.excess) = (over(gain), over(excess));
    }

    /// Work of persistent contacts (those that carried impulses in the previous step, too), as far as they do not
    /// slide, and of the bilateral rows: energy that the scheme loses or gains.
    fn persistent_contact_work(&self) -> f64 {
        let stage = &self.scratch.problem;
        let mut sum = 0.0;
        for (k, &i) in stage.active.iter().enumerate() {
            let rows = stage.rows(k);
            let (before, now) = (self.state.status[i], stage.status(k));
            // Number of rows of the constraint that count: normal row only where it slides.
            let count = match self.system.constraints()[i].kind {
                ConstraintKind::Contact if before == Status::Open || now == Status::Open => 0,
                ConstraintKind::Contact if before == Status::Stick && now == Status::Stick => {
                    rows.len()
                }
                ConstraintKind::Contact => 1,
                // A step solved again with the ρ of the contacts is a collision.
                _ if self.scratch.solved_with_common_restitution => 0,
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => rows.len(),
                ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                ConstraintKind::NonFirm => 0,
            };
            let works = rows.take(count).map(|row| {
                let s = stage.impulse[row];
                0.5 * s * (stage.begin[row] + stage.end[row])
            });
            sum += works.sum::<f64>();
        }
        let hold = &self.scratch.bilateral_end;
        let held = hold.impulse.iter().zip(&hold.begin).zip(&hold.end);
        sum + held.map(|((s, a), b)| 0.5 * s * (a + b)).sum::<f64>()
    }

    /// ‖A(v_F − v_I) − hK − Σ GᵀS‖ relative to the velocities and to hA⁻¹K. Overwrites `scratch.v_free`.
    fn momentum_residual(&mut self) -> f64 {
        let work = &mut self.scratch;
        let n = work.v_begin.len();
        for i in 0..n {
            work.buffer[i] = self.next.v[i] - work.v_begin[i];
        }
        let left = &mut work.v_free;
        for i in 0..n {
            let row = &work.inertia.mass[i * n..(i + 1) * n];
            left[i] = dense::dot(row, &work.buffer) - work.force_impulse[i];
        }
        for (row, s) in work.problem.impulse.iter().enumerate() {
            let g = &work.problem.jacobian[row * n..(row + 1) * n];
            dense::axpy(-s, g, left);
        }
        for (row, s) in work.bilateral_end.impulse.iter().enumerate() {
            let g = &work.bilateral_end.jacobian[row * n..(row + 1) * n];
            dense::axpy(-s, g, left);
        }
        let scale = work
            .inertia
            .norm(&work.v_begin)
            .max(work.inertia.norm(&self.next.v));
        // At rest under load only hA⁻¹K has a size.
        work.buffer.copy_from_slice(&work.force_impulse);
        let scale = scale.max(work.inertia.dual_norm(&mut work.buffer));
        let left = work.inertia.dual_norm(left);
        if scale > 0.0 { left / scale } else { left }
    }

    /// Painlevé's γ of every contact that slides without colliding and of every friction joint that slides and has more
    /// than one continuation, +∞ for the others. Returns the smallest.
    fn smallest_gamma(&mut self) -> f64 {
        let kept = std::mem::take(&mut self.scratch.painleve_gamma);
        let stage = &self.scratch.problem;
        let gamma = |k: usize| {
            let friction = stage.law[k].normal() && stage.rows(k).len() > 1;
            let stuck = self.state.status[stage.active[k]] == Status::Stick;
            match friction && !stuck && stage.slides_without_collision(k, &self.state.v) {
                true => stage.gamma_of_sliding(k, &self.fixed_rows(k)),
                false => f64::INFINITY,
            }
        };
        let mut all = kept;
        all.clear();
        all.extend((0..stage.active.len()).map(gamma));
        self.scratch.painleve_gamma = all;
        self.gamma_of_friction_joints();
        self.scratch
            .painleve_gamma
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
    }

    /// γ of sliding friction joints, whose reaction may have either sign: the continuation is not unique where γ ≤ 0
    /// and the laws admit more than one acceleration. Enumerates contact modes, at most 20,000 combinations.
    fn gamma_of_friction_joints(&mut self) {
        for k in 0..self.scratch.problem.active.len() {
            let stage = &self.scratch.problem;
            let (i, rows) = (stage.active[k], stage.rows(k));
            let ConstraintKind::FrictionJoint { normal_rows: 1 } =
                self.system.constraints()[i].kind
            else {
                continue;
            };
            let slides = stage.has_relative_velocity(k, rows.start + 1..rows.end, &self.state.v);
            let gamma = stage.gamma(k, &self.fixed_rows(k));
            if !slides || gamma > 0.0 {
                continue;
            }
            let at = StateRef {
                t: self.scratch.t_eval,
                q: &self.scratch.q_eval,
                v: &self.state.v,
            };
            // Enumerate the admissible accelerations only where γ ≤ 0.
            let ways = painleve::joint_accelerations(&mut self.system, i, at);
            if ways.is_ok_and(|ways| ways.len() > 1) {
                self.scratch.painleve_gamma[k] = gamma;
            }
        }
    }

    /// Rows beside the `k`-th constraint whose velocity is fixed: bilateral rows, normal rows of contacts that carry an
    /// impulse, and all rows of those that stick.
    fn fixed_rows(&self, k: usize) -> SmallVec<[usize; 16]> {
        let stage = &self.scratch.problem;
        let mut firm = SmallVec::new();
        for other in (0..stage.active.len()).filter(|other| *other != k) {
            let rows = stage.rows(other);
            let normal = match self.system.constraints()[stage.active[other]].kind {
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => rows.len(),
                ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                ConstraintKind::Contact => usize::from(stage.impulse[rows.start] > 0.0),
                ConstraintKind::NonFirm => continue,
            };
            let held = normal > 0 && stage.status(other) == Status::Stick;
            let count = if held { rows.len() } else { normal };
            firm.extend(rows.take(count));
        }
        firm
    }
}
