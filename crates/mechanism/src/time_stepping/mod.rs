//! Time-stepping schemes: Moreau's midpoint scheme, the θ-method of Moreau and Jean, Paoli's scheme.
//!
//! ```text
//!                A, G, gaps evaluated at    forces K                             q_F
//! midpoint       t_M, q_I + ½h v_I          (t_M, q_M, ½(v_I + v_F)) or v_I      q_M + ½h v_F        M88 §11
//! θ              t_I + θh, q_I + θh v_I     θ K_F + (1−θ) K_I                    q_I + h v_θ         JM92 §7
//! Paoli          t_F, q_I + h v_I           (t_F, q_F, v_I)                      q_I + h v_I         P15 §2
//! ```
//!
//! Every scheme solves A(v_F − v_I) = hK + Σ Gᵀ S together with the law of every active constraint, which relates U_F +
//! ρU_I to S. Impacts and persistent contact are the same equation; only the sequential and Poisson's impact law are
//! applied to v_I before the step. Each step ends with its momentum and energy balance ([`StepReport`]).
//!
//! A step calls, in this order: `evaluate_midpoint`, `detect_active`, `apply_impacts`, `solve_velocity` (fixed point
//! over the forces, one contact solve per iteration), `resolve_with_common_restitution` (a second velocity solve where
//! joints gained energy), `update_positions`, `project_positions`, `project_bilateral`, `balance`;
//! [`TimeStepper::accept`] then makes the result the state.

mod adaptive;
mod balance;
mod energy_gain;
mod event_detection;
mod initialise;
mod memory;
mod position_projection;
mod velocity;

use contact::law::Status;

use crate::error::MechanismError;
use crate::impact;
use crate::inertia::Inertia;
use crate::settings::{ImpactLaw, Scheme, Settings};
use crate::state::{ConstraintReport, Event, State, StepReport};
use crate::step_problem::{RestitutionWeights, SolveSummary, StepProblem};
use crate::system::{StateRef, System};

use event_detection::StepEventDetector;

pub(crate) use memory::TimeSteppingMemory;

/// Candidate threshold: contacts with a gap above this share of the largest coordinate (at least of 1) are open, and
/// their Jacobian is not evaluated. The tolerance of [`StepProblem::is_closed`] is far below.
const CANDIDATE_GAP: f64 = 1e-6;

/// Time stepper of one mechanism: owns the system, the state and the scratch of a step.
#[derive(Debug)]
pub struct TimeStepper<S: System> {
    system: S,
    settings: Settings,
    pub(crate) state: State,
    /// State at the end of the step that is being computed; swapped with `state` when the step is accepted.
    next: State,
    scratch: StepScratch,
    /// Balance of the last step.
    pub(crate) report: StepReport,
    /// Reads impacts, detachment, stick and slip off successive steps.
    event_detector: StepEventDetector,
    /// First row of each constraint in the impulses of a state.
    first_row: Vec<usize>,
    /// First position function of each constraint in `StepScratch::gaps`.
    first_gap: Vec<usize>,
    /// Positions at the start of the motion, from which [`StepReport::extent`] is measured.
    initial_positions: Vec<f64>,
    /// Steps taken and the instant they are counted from, so that t = start + k h without accumulated rounding.
    step_clock: (usize, f64),
    /// Length that the next adaptive step is tried with.
    trial_step: f64,
    /// End of the run: adaptive steps are shortened to end there.
    end_time: f64,
    /// The second half of an accepted adaptive step that is still to be taken: its length and its end time.
    second_half: Option<(f64, f64)>,
}

/// Scratch of a step, overwritten by the next one. The results of a step do not depend on what was left in it, except
/// that `problem`, `gaps` and `bilateral_end` are read after the step by [`Integrator::constraint_reports`] and by the
/// adaptive step control.
#[derive(Debug)]
struct StepScratch {
    /// A = L Lᵀ and K at (t_eval, q_eval); `evaluate_midpoint` fills it. `evaluate_forces` overwrites A and K, never L.
    inertia: Inertia,
    /// θ-method: the factor of Â (`factor_effective_inertia`), and K_I in `force` (`evaluate_theta_forces`). `balance`
    /// reuses it for A(q_F).
    effective_inertia: Inertia,
    /// Active constraints of the step: rows, laws, impulses, velocities.
    problem: StepProblem,
    /// Velocity projection at the end of the step: bilateral rows at q_F and their impulses (`project_bilateral`).
    bilateral_end: StepProblem,
    /// v_F before that projection.
    v_unprojected: Vec<f64>,
    /// Time at which A, G and the gaps are evaluated: t_M for the midpoint scheme.
    t_eval: f64,
    /// Positions at which A, G and the gaps are evaluated: q_M for the midpoint scheme.
    q_eval: Vec<f64>,
    /// v_I, after impacts that are applied before the step (`apply_impacts`).
    v_begin: Vec<f64>,
    /// Free velocity v_L = v_I + hA⁻¹K. `momentum_residual` overwrites it, so it is called last.
    v_free: Vec<f64>,
    /// Temporary vector of n velocities; always written before it is read.
    buffer: Vec<f64>,
    /// hK of the last iteration.
    force_impulse: Vec<f64>,
    /// Gaps of contacts and values f of joints: at q_M after `detect_active`, at q_F after `position_errors`.
    gaps: Vec<f64>,
    /// Painlevé's γ of every active constraint, +∞ where it does not apply (`smallest_gamma`).
    painleve_gamma: Vec<f64>,
    /// Change of kinetic energy in impacts that are applied before the step, and its positive part.
    separate_impact_energy: (f64, f64),
    /// Residual and iterations of the last contact solve.
    solve_summary: SolveSummary,
    /// Whether the fixed-point iteration over the forces converged.
    forces_converged: bool,
    /// Whether the step was solved again with the ρ of the contacts in bilateral rows (see the module `gain`).
    solved_with_common_restitution: bool,
}

impl StepScratch {
    fn new(positions: usize, velocities: usize, gaps: usize) -> Self {
        let zero = || vec![0.0; velocities];
        Self {
            inertia: Inertia::new(velocities),
            effective_inertia: Inertia::new(velocities),
            problem: StepProblem::new(velocities),
            bilateral_end: StepProblem::new(velocities),
            v_unprojected: zero(),
            t_eval: 0.0,
            q_eval: vec![0.0; positions],
            v_begin: zero(),
            v_free: zero(),
            buffer: zero(),
            force_impulse: zero(),
            gaps: vec![0.0; gaps],
            painleve_gamma: Vec::new(),
            separate_impact_energy: (0.0, 0.0),
            solve_summary: SolveSummary {
                residual: 0.0,
                iterations: 0,
                converged: true,
                infeasible: [None; 2],
            },
            forces_converged: true,
            solved_with_common_restitution: false,
        }
    }
}

impl StepScratch {
    /// Impulses of the velocity projection on a constraint at the end of the step, by row; empty where it has none.
    fn projection_impulses(&self, constraint: usize) -> &[f64] {
        let place = self
            .bilateral_end
            .active
            .iter()
            .position(|c| *c == constraint);
        place.map_or(&[], |k| {
            &self.bilateral_end.impulse[self.bilateral_end.rows(k)]
        })
    }
}

impl<S: System> TimeStepper<S> {
    /// Computes the step (t_I, t_F) of length h into `self.next`.
    fn step(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        // Configuration, active constraints, impacts before the step.
        self.evaluate_midpoint(h, end)?;
        self.detect_active(h)?;
        self.apply_impacts()?;
        // Velocity: forces and contacts together.
        self.solve_velocity(h, end)?;
        self.resolve_with_common_restitution(h, end)?;
        // Positions, and the projections onto the constraints.
        self.update_positions(h, end);
        self.project_positions()?;
        self.project_bilateral()?;
        self.balance(h)
    }

    /// Predicts the configuration at which A, K, G and the gaps are evaluated, q_I + θh v_I with θ = ½ for the midpoint
    /// scheme and 1 for Paoli's, and evaluates A = L Lᵀ and K there.
    fn evaluate_midpoint(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        let ahead = match self.settings.scheme {
            Scheme::Theta(theta) => theta,
            Scheme::Paoli => 1.0,
            Scheme::Midpoint | Scheme::Event => 0.5,
        };
        let work = &mut self.scratch;
        // θ = 1: the given end time, which t_I + 1·h would miss by a rounding.
        work.t_eval = if ahead == 1.0 {
            end
        } else {
            self.state.t + ahead * h
        };
        work.q_eval.copy_from_slice(&self.state.q);
        let chart = self.system.configuration_space();
        chart.integrate(&mut work.q_eval, &self.state.v, ahead * h);
        // Reset what the later stages of this step add to.
        work.v_begin.copy_from_slice(&self.state.v);
        work.separate_impact_energy = (0.0, 0.0);
        work.solved_with_common_restitution = false;
        let at = StateRef {
            t: work.t_eval,
            q: &work.q_eval,
            v: &work.v_begin,
        };
        work.inertia.evaluate(&mut self.system, at)
    }

    /// Collects the active constraints: contacts with g ≤ 0 up to rounding, and all other constraints always. Fills
    /// rows, laws, restitution weights and the warm start of `problem`.
    fn detect_active(&mut self, h: f64) -> Result<(), MechanismError> {
        let work = &mut self.scratch;
        self.system
            .gaps(work.t_eval, &work.q_eval, &mut work.gaps)?;
        work.problem.clear();
        // Weight ρ of U_I by kind of row.
        let weights = RestitutionWeights {
            contacts_rebound: matches!(
                self.settings.impact,
                ImpactLaw::Moreau | ImpactLaw::Canonical
            ),
            bilateral: match self.settings.scheme {
                Scheme::Midpoint | Scheme::Event => 1.0,
                // Bilateral rows obey θU_F + (1−θ)U_I = 0.
                Scheme::Theta(theta) => (1.0 - theta) / theta,
                Scheme::Paoli => 0.0,
            },
        };
        // A gap computed from coordinates of this size is closed if it is below their rounding.
        let size = work.q_eval.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let rounding = 8.0 * f64::EPSILON * size;
        for i in 0..self.first_row.len() - 1 {
            let contact = self.system.constraints()[i].is_contact();
            let gap = work.gaps.get(self.first_gap[i]).copied();
            let gap = gap.filter(|_| contact).unwrap_or(0.0);
            if gap > CANDIDATE_GAP * size {
                continue;
            }
            let at = StateRef {
                t: work.t_eval,
                q: &work.q_eval,
                v: &work.v_begin,
            };
            let previous = self.state.status[i];
            work.problem
                .push(&mut self.system, i, at, h, previous, weights)?;
            // Near but not closed to rounding: closed unless it is above the tolerance or separating.
            if gap > rounding
                && !work
                    .problem
                    .is_closed(gap, (&work.q_eval, &work.v_begin), h)
            {
                work.problem.pop();
                continue;
            }
            // Warm start: the impulses of the previous step.
            let k = work.problem.active.len() - 1;
            let rows = work.problem.rows(k);
            let held = self.first_row[i]..self.first_row[i + 1];
            work.problem.impulse[rows].copy_from_slice(&self.state.impulse[held]);
        }
        self.apply_canonical_restitution()
    }

    /// Canonical impact law: gives every active contact the same normal restitution.
    fn apply_canonical_restitution(&mut self) -> Result<(), MechanismError> {
        if self.settings.impact != ImpactLaw::Canonical {
            return Ok(());
        }
        let work = &mut self.scratch;
        let contact = |i: &&usize| self.system.constraints()[**i].is_contact();
        let contacts: Vec<usize> = work
            .problem
            .active
            .iter()
            .filter(contact)
            .copied()
            .collect();
        let at = StateRef {
            t: work.t_eval,
            q: &work.q_eval,
            v: &work.v_begin,
        };
        // One e in all normal rows.
        let e = impact::common_restitution(&mut self.system, at, &contacts)?;
        for k in 0..work.problem.active.len() {
            if contacts.contains(&work.problem.active[k]) {
                let row = work.problem.rows(k).start;
                work.problem.restitution_weight[row] = e;
                work.problem.restitution[k].normal = e;
            }
        }
        Ok(())
    }

    /// Applies impact laws that are no condition on U_F + ρU_I (sequential, Poisson) to v_I. The step then starts from
    /// the velocity after the impact, with ρ = 0 at contacts.
    fn apply_impacts(&mut self) -> Result<(), MechanismError> {
        let law = self.settings.impact;
        if matches!(law, ImpactLaw::Moreau | ImpactLaw::Canonical) {
            return Ok(());
        }
        let work = &mut self.scratch;
        // Closed contacts, and whether one of them approaches.
        let mut closed = Vec::new();
        let mut collides = false;
        for (k, &i) in work.problem.active.iter().enumerate() {
            if self.system.constraints()[i].is_contact() {
                closed.push(i);
                collides |= work.problem.begin[work.problem.offset[k]] < -impact::AT_REST;
            }
        }
        if !collides {
            return Ok(());
        }
        // The impact happens at the evaluation point of the step, from v_I.
        let before = self.state.v.clone();
        let at = StateRef {
            t: work.t_eval,
            q: &work.q_eval,
            v: &before,
        };
        let tolerance = self.settings.tolerance;
        let struck = impact::resolve(law, &mut self.system, at, &closed, tolerance)?;
        work.v_begin.copy_from_slice(&struck.velocity);
        let change = struck.energy.1 - struck.energy.0;
        work.separate_impact_energy = (change, change.max(0.0));
        work.problem
            .begin_after_impact(&struck.impulse, &work.v_begin);
        Ok(())
    }

    /// q_F of the scheme into `self.next.q`.
    fn update_positions(&mut self, h: f64, end: f64) {
        let (work, next) = (&mut self.scratch, &mut self.next);
        let chart = self.system.configuration_space();
        next.t = end;
        match self.settings.scheme {
            Scheme::Midpoint | Scheme::Event => {
                next.q.copy_from_slice(&work.q_eval);
                chart.integrate(&mut next.q, &next.v, 0.5 * h);
            }
            Scheme::Paoli => next.q.copy_from_slice(&work.q_eval),
            Scheme::Theta(theta) => {
                next.q.copy_from_slice(&self.state.q);
                for i in 0..work.buffer.len() {
                    work.buffer[i] = theta * next.v[i] + (1.0 - theta) * work.v_begin[i];
                }
                chart.integrate(&mut next.q, &work.buffer, h);
            }
        }
    }

    /// The mechanism that is integrated.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// Consumes the stepper and returns the mechanism.
    pub fn into_system(self) -> S {
        self.system
    }
}

impl<S: System> TimeStepper<S> {
    /// Advances by one step of fixed or adaptive length.
    pub(crate) fn take_step(&mut self) -> Result<(), MechanismError> {
        if self.settings.adaptive.is_some() {
            return self.advance_adaptively();
        }
        // The end time is counted from the start, not added up.
        let (k, start) = self.step_clock;
        let h = self.settings.step;
        let end = start + (k + 1) as f64 * h;
        self.step(h, end)?;
        self.accept();
        self.step_clock.0 += 1;
        Ok(())
    }

    /// Reports of the constraints that were active in the last step.
    pub(crate) fn active_reports(&self) -> Vec<ConstraintReport<'_>> {
        let stage = &self.scratch.problem;
        let touch = |(k, &constraint): (usize, &usize)| {
            let rows = stage.rows(k);
            let gap = self.first_gap[constraint];
            let has = self.first_gap[constraint + 1] > gap;
            ConstraintReport {
                constraint,
                gap: if has { self.scratch.gaps[gap] } else { 0.0 },
                begin: &stage.begin[rows.clone()],
                end: &stage.end[rows.clone()],
                impulse: &stage.impulse[rows],
                projection_impulse: self.scratch.projection_impulses(constraint),
                status: self.state.status[constraint],
            }
        };
        stage.active.iter().enumerate().map(touch).collect()
    }

    /// Events of the last step.
    pub(crate) fn detected_events(&self) -> &[Event] {
        &self.event_detector.events
    }

    /// Makes the step just computed the state: stores the impulses as the next warm start and detects events.
    fn accept(&mut self) {
        self.next.impulse.fill(0.0);
        self.next.status.fill(Status::Open);
        // Impulses are the next warm start; constraints that were not active are open.
        let stage = &self.scratch.problem;
        for (k, &i) in stage.active.iter().enumerate() {
            let held = self.first_row[i]..self.first_row[i + 1];
            self.next.impulse[held].copy_from_slice(&stage.impulse[stage.rows(k)]);
            self.next.status[i] = stage.status(k);
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.event_detector.update(
            &self.system,
            stage,
            &self.next,
            &self.state,
            &self.scratch.painleve_gamma,
        );
    }
}
