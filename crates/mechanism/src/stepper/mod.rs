//! Time stepping: Moreau's midpoint scheme, the θ-method, Paoli's scheme.
//!
//! ```text
//!                place of A, G, gaps        forces K                             q_F
//! midpoint       t_M, q_I + ½h v_I          (t_M, q_M, ½(v_I + v_F)) or v_I      q_M + ½h v_F        M88 §11
//! θ              t_I + θh, q_I + θh v_I     θ K_F + (1−θ) K_I                    q_I + h v_θ         JM92 §7
//! Paoli          t_F, q_I + h v_I           (t_F, q_F, v_I)                      q_I + h v_I         P15 §2
//! ```
//!
//! A(v_F − v_I) = hK + Σ Gᵀ S with the law of every closed contact between U_F + ρU_I and S: no step
//! treats an impact as something else. Each step accounts for itself ([`Ledger`]).

mod account;
mod adaptive;
mod correct;
mod drive;
mod events;
mod gain;
mod keep;
mod start;

use contact::law::Status;

use crate::error::MechanismError;
use crate::impact;
use crate::inertia::Inertia;
use crate::saved::MotionCheckpoint;
use crate::settings::{ImpactLaw, Scheme, Settings};
use crate::stage::{SolveSummary, StepProblem, RestitutionWeights};
use crate::state::{Event, StepReport, Integrator, State, ConstraintReport};
use crate::system::{StateRef, System};

use events::StepEventDetector;

pub(crate) use keep::TimeSteppingMemory;

/// Gaps above this share of the coordinates (or above this, where they are small) are open without a
/// look at the lengths that they are made of; [`Stage::touches`] is far below.
const CANDIDATE_GAP: f64 = 1e-6;

/// A motion computed step by step.
#[derive(Debug)]
pub struct TimeStepper<S: System> {
    system: S,
    settings: Settings,
    state: State,
    next: State,
    scratch: StepScratch,
    report: StepReport,
    event_detector: StepEventDetector,
    /// First row of each constraint in [`State::impulse`].
    first_row: Vec<usize>,
    /// First position function of each constraint.
    first_gap: Vec<usize>,
    /// Positions at the start.
    initial_positions: Vec<f64>,
    /// Steps taken and the instant they are counted from, so that t = start + k h exactly.
    step_clock: (usize, f64),
    /// Length that the next variable step is tried with.
    trial_step: f64,
    /// Where variable steps end.
    end_time: f64,
    /// The second half of a variable step that is still to come: its length and its end.
    second_half: Option<(f64, f64)>,
}

/// Scratch of a step; dropping it changes no bit of a result.
#[derive(Debug)]
struct StepScratch {
    inertia: Inertia,
    /// The metric of the linearised step where K is implicit.
    effective_inertia: Inertia,
    problem: StepProblem,
    /// Bilateral rows at the end of the step.
    bilateral_end: StepProblem,
    /// v_F before that.
    v_unprojected: Vec<f64>,
    /// Where A, G and the gaps are taken.
    t_eval: f64,
    q_eval: Vec<f64>,
    /// v before the step, after impacts that are treated apart.
    v_begin: Vec<f64>,
    v_free: Vec<f64>,
    buffer: Vec<f64>,
    /// hK of the last iteration.
    force_impulse: Vec<f64>,
    gaps: Vec<f64>,
    /// γ of every constraint of the stage.
    painleve_gamma: Vec<f64>,
    /// Energy lost in impacts treated apart, and their gain.
    separate_impact_energy: (f64, f64),
    solve_summary: SolveSummary,
    /// Whether the force iteration settled.
    forces_converged: bool,
    /// Whether the step was solved again with the ρ of contacts in bilateral rows.
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
    /// Impulses of a constraint at the end of the step, by row.
    fn projection_impulses(&self, constraint: usize) -> &[f64] {
        let place = self.bilateral_end.active.iter().position(|c| *c == constraint);
        place.map_or(&[], |k| &self.bilateral_end.impulse[self.bilateral_end.rows(k)])
    }
}

impl<S: System> TimeStepper<S> {
    /// The step (t_I, t_F) of length h, into `self.next`.
    fn step(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        self.evaluate_midpoint(h, end)?;
        self.detect_active(h)?;
        self.apply_impacts()?;
        self.solve_velocity(h, end)?;
        self.resolve_with_common_restitution(h, end)?;
        self.update_positions(h, end);
        self.project_positions()?;
        self.project_bilateral()?;
        self.balance(h)
    }

    /// Where A, K, G and the gaps are taken.
    fn evaluate_midpoint(&mut self, h: f64, end: f64) -> Result<(), MechanismError> {
        let ahead = match self.settings.scheme {
            Scheme::Theta(theta) => theta,
            Scheme::Paoli => 1.0,
            Scheme::Midpoint | Scheme::Event => 0.5,
        };
        let work = &mut self.scratch;
        // The end as given: 1·h + t_I would miss it by a rounding.
        work.t_eval = if ahead == 1.0 {
            end
        } else {
            self.state.t + ahead * h
        };
        work.q_eval.copy_from_slice(&self.state.q);
        let chart = self.system.configuration_space();
        chart.integrate(&mut work.q_eval, &self.state.v, ahead * h);
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

    /// The constraints that take part: closed contacts, and everything else always.
    fn detect_active(&mut self, h: f64) -> Result<(), MechanismError> {
        let work = &mut self.scratch;
        self.system.gaps(work.t_eval, &work.q_eval, &mut work.gaps)?;
        work.problem.clear();
        let weights = RestitutionWeights {
            contacts_rebound: matches!(
                self.settings.impact,
                ImpactLaw::Moreau | ImpactLaw::Canonical
            ),
            bilateral: match self.settings.scheme {
                Scheme::Midpoint | Scheme::Event => 1.0,
                // θU_F + (1−θ)U_I = 0.
                Scheme::Theta(theta) => (1.0 - theta) / theta,
                Scheme::Paoli => 0.0,
            },
        };
        // A gap that is computed from coordinates of this size is closed to rounding.
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
            if gap > rounding && !work.problem.is_closed(gap, (&work.q_eval, &work.v_begin), h) {
                work.problem.pop();
                continue;
            }
            let k = work.problem.active.len() - 1;
            let rows = work.problem.rows(k);
            let held = self.first_row[i]..self.first_row[i + 1];
            work.problem.impulse[rows].copy_from_slice(&self.state.impulse[held]);
        }
        self.apply_canonical_restitution()
    }

    /// The canonical law gives every contact of the step the same restitution.
    fn apply_canonical_restitution(&mut self) -> Result<(), MechanismError> {
        if self.settings.impact != ImpactLaw::Canonical {
            return Ok(());
        }
        let work = &mut self.scratch;
        let contact = |i: &&usize| self.system.constraints()[**i].is_contact();
        let contacts: Vec<usize> = work.problem.active.iter().filter(contact).copied().collect();
        let at = StateRef {
            t: work.t_eval,
            q: &work.q_eval,
            v: &work.v_begin,
        };
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

    /// Impact laws that are no condition on U_F + ρU_I are applied to v_I first; the step then goes
    /// on softly from there.
    fn apply_impacts(&mut self) -> Result<(), MechanismError> {
        let law = self.settings.impact;
        if matches!(law, ImpactLaw::Moreau | ImpactLaw::Canonical) {
            return Ok(());
        }
        let work = &mut self.scratch;
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
        work.problem.begin_after_impact(&struck, &work.v_begin);
        Ok(())
    }

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

    /// The mechanism.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// Gives the mechanism back.
    pub fn into_system(self) -> S {
        self.system
    }
}

impl<S: System> Integrator for TimeStepper<S> {
    fn integrate(&mut self) -> Result<(), MechanismError> {
        if self.settings.adaptive.is_some() {
            return self.advance_adaptively();
        }
        let (k, start) = self.step_clock;
        let h = self.settings.step;
        let end = start + (k + 1) as f64 * h;
        self.step(h, end)?;
        self.accept();
        self.step_clock.0 += 1;
        Ok(())
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn step_report(&self) -> &StepReport {
        &self.report
    }

    fn constraint_reports(&self) -> Vec<ConstraintReport<'_>> {
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

    fn events(&self) -> &[Event] {
        &self.event_detector.events
    }

    fn save(&self) -> Option<MotionCheckpoint> {
        Some(self.checkpoint())
    }

    fn restore(&mut self, saved: MotionCheckpoint) -> Result<(), MechanismError> {
        self.restore_checkpoint(saved)
    }
}

impl<S: System> TimeStepper<S> {
    /// The step just computed becomes the state.
    fn accept(&mut self) {
        self.next.impulse.fill(0.0);
        self.next.status.fill(Status::Open);
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
