//! Time-stepping schemes: Moreau's midpoint scheme, the same with persistent contacts at position and velocity level
//! ([`persistent`]), the θ-method of Moreau and Jean, Paoli's scheme.
//!
//! ```text
//!                A, G, gaps evaluated at    forces K                             q_F
//! midpoint       t_M, q_I + ½h v_I          (t_M, q_M, ½(v_I + v_F)) or v_I      q_M + ½h v_F        M88 §11
//!   or contacts  t_F, q_I + h v_I          (TangentCone::End)                                    M88 Remark 11.1
//! projected      as midpoint                as midpoint                          q_M + ½h v_F, then g = 0 at persistent contacts
//! θ              t_I + θh, q_I + θh v_I     θ K_F + (1−θ) K_I                    q_I + h v_θ         JM92 §7
//! Paoli          t_F, q_I + h v_I           (t_F, q_F, v_I)                      q_I + h v_I         P15 §2
//! ```
//!
//! Every scheme solves A(v_F − v_I) = hK + Σ Gᵀ S together with the law of every active constraint, which relates U_F +
//! ρU_I to S. Impacts and persistent contact are the same equation; only the sequential and Poisson's impact law are
//! applied to v_I before the step. Each step ends with its momentum and energy balance ([`StepReport`]).
//!
//! [`TimeStepper::step`] is one step; each line of it is a stage in a module of its own. [`TimeStepper::accept`] then
//! makes the result the state.

mod adaptive;
mod balance;
mod detection;
mod energy_gain;
mod evaluation;
mod event_detection;
mod gamma;
mod impacts;
mod implicit_forces;
mod initialise;
mod layout;
mod memory;
mod persistent;
mod position;
mod position_projection;
mod reaction_bounds;
mod release;
mod velocity;
mod velocity_projection;

use percuss_contact::law::Status;

use self::balance::{BalanceScratch, ComputedStep};
use self::evaluation::EvaluationPoint;
use self::event_detection::StepEventDetector;
use self::gamma::SlidingAnalysis;
use self::impacts::ImpactBeforeStep;
use self::layout::{RowLayout, StepClock, StepInterval};
use self::position::EndScratch;
use self::velocity::{VelocityScratch, VelocitySolution};
use crate::error::MechanismError;
use crate::settings::{Scheme, Settings};
use crate::state::{ConstraintReport, Event, State, StepReport};
use crate::step_problem::StepProblem;
use crate::system::System;

pub(crate) use self::memory::TimeSteppingMemory;

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
    /// Rows of each constraint in the impulses of a state, and its position functions.
    layout: RowLayout,
    /// Positions at the start of the motion, from which [`StepReport::extent`] is measured.
    initial_positions: Vec<f64>,
    /// Contacts that persist, by constraint; only the scheme `projected` has any.
    persistent: Vec<bool>,
    /// Count of the steps of fixed length.
    step_clock: StepClock,
    /// Length that the next adaptive step is tried with.
    trial_step: f64,
    /// End of the run: adaptive steps are shortened to end there.
    end_time: f64,
    /// The second half of an accepted adaptive step that is still to be taken.
    second_half: Option<StepInterval>,
}

/// What a step is computed from, constant while it is computed.
#[derive(Clone, Copy)]
struct StepInput<'a> {
    settings: &'a Settings,
    layout: &'a RowLayout,
    /// State at t_I.
    state: &'a State,
    /// Contacts that persist, by constraint.
    persistent: &'a [bool],
    /// Approach of each contact in its last step.
    detector: &'a StepEventDetector,
    /// Length h.
    h: f64,
    /// End time t_F.
    end: f64,
}

/// Scratch of a step, overwritten by the next one. The results of a step do not depend on what was left in it; `problem`
/// and `end` are read after the step by [`crate::Integrator::constraint_reports`] and by the adaptive step control.
#[derive(Debug)]
struct StepScratch {
    /// Filled by `evaluation::evaluate`; gaps by `detection::detect_active`, v_I by `impacts::apply`, A and K of the
    /// iterates by `velocity::solve`.
    point: EvaluationPoint,
    /// Active constraints. Rows, laws and warm start by `detection::detect_active`, U_I after an impact by
    /// `impacts::apply`, impulses and U_F by `velocity::solve`, impulses of an impact before the step added at the end.
    problem: StepProblem,
    /// Filled by `velocity::solve`.
    velocity: VelocityScratch,
    /// Filled by `position::update`, `position_projection`, `velocity_projection::project`; gaps at last by
    /// `balance::position_errors`.
    end: EndScratch,
    /// Painlevé's γ of every active constraint, and the joints that lock. Filled by `gamma::evaluate`.
    sliding: SlidingAnalysis,
    /// Filled by `balance::of_step` and `balance::add_end_energies`.
    balance: BalanceScratch,
}

impl StepScratch {
    fn new(positions: usize, velocities: usize, gaps: usize, constraints: usize) -> Self {
        Self {
            point: EvaluationPoint::new(positions, velocities, gaps),
            problem: StepProblem::new(velocities),
            velocity: VelocityScratch::new(velocities),
            end: EndScratch::new(velocities, gaps, constraints),
            sliding: SlidingAnalysis::default(),
            balance: BalanceScratch::new(velocities),
        }
    }
}

impl<S: System> TimeStepper<S> {
    /// Computes the step (t_I, t_F) of length h into `self.next`, its balance into `self.report`.
    fn step(&mut self, StepInterval { h, end }: StepInterval) -> Result<(), MechanismError> {
        let Self {
            system,
            settings,
            layout,
            state,
            next,
            scratch,
            persistent,
            event_detector: detector,
            ..
        } = self;
        let given = StepInput {
            settings,
            layout,
            state,
            persistent,
            detector,
            h,
            end,
        };
        let StepScratch {
            point,
            problem,
            velocity,
            end,
            ..
        } = scratch;
        // Configuration q_I + θh v_I with A = L Lᵀ and K; constraints with g ≤ 0 there.
        evaluation::evaluate(system, given, point)?;
        end.violated.fill(false);
        detection::detect_active(system, given, point, &end.violated, problem)?;
        // Impact laws that are no condition on U_F + ρU_I act on v_I.
        let impact = impacts::apply(system, given, point, problem)?;
        // v_F and S, then q_F.
        let mut solved = solve_velocity(system, given, &impact, point, problem, velocity, next)?;
        position::update(system, given, point, end, next);
        // Contacts that the step left open and ends below act: again.
        if settings.scheme == Scheme::Projected {
            loop {
                system.gaps(next.t, &next.q, &mut end.gaps)?;
                let (gaps, violated) = (&end.gaps, &mut end.violated);
                if !detection::mark_violated(system, given, point, problem, gaps, violated) {
                    break;
                }
                detection::detect_active(system, given, point, violated, problem)?;
                solved = solve_velocity(system, given, &impact, point, problem, velocity, next)?;
                position::update(system, given, point, end, next);
            }
        }
        let (mut solution, common_restitution) = solved;
        // q_F projected onto the joints and onto contacts: persistent and violated ones, or violated ones where the settings
        // ask; v_F tangent to the bilateral constraints there.
        persistent::select(system, given, problem, &mut end.persistent);
        let (inertia, gaps) = (&point.inertia, &mut end.gaps);
        let closes = settings.scheme == Scheme::Projected;
        if closes {
            let (persistent, moved) = (&end.persistent, &mut end.moved);
            moved.fill(0.0);
            position_projection::close_contacts(
                system, layout, inertia, persistent, gaps, moved, next,
            )?;
        }
        position_projection::project_joints(system, layout, inertia, gaps, next)?;
        if settings.projection && !closes {
            position_projection::project_contacts(system, layout, inertia, gaps, next)?;
        }
        let projected = velocity_projection::project(system, given, inertia, problem, end, next)?;
        solution.contacts.include(projected);
        self.balance(h, impact, &solution, common_restitution)
    }

    /// Momentum and energy balance of the step just computed, position errors and Painlevé's γ, into `self.report`; adds
    /// the impulses of an impact before the step to those of the problem.
    fn balance(
        &mut self,
        h: f64,
        impact: ImpactBeforeStep,
        solution: &VelocitySolution,
        common_restitution: bool,
    ) -> Result<(), MechanismError> {
        let (system, layout) = (&mut self.system, &self.layout);
        let (state, next) = (&self.state, &self.next);
        let StepScratch {
            point,
            problem,
            velocity,
            end,
            sliding,
            balance,
        } = &mut self.scratch;
        let from = &self.initial_positions;
        let errors = balance::position_errors(system, layout, from, next, &mut end.gaps)?;
        let smallest_gamma = gamma::evaluate(system, state, point, problem, sliding);
        let computed = ComputedStep {
            constraints: system.constraints(),
            state,
            next,
            point,
            problem,
            velocity,
            end,
            impact: &impact,
            common_restitution,
        };
        let mut report = balance::of_step(&computed, h, solution, &errors, balance);
        report.gamma = smallest_gamma;
        // From here on S and U_I are those of impact and step together.
        if let Some(rows) = impact.rows {
            problem.merge_impact(rows);
        }
        let constraints = system.constraints();
        (report.resting, report.worst[2]) =
            balance::deepest_resting_contact(constraints, layout, &end.gaps, problem, h);
        balance::add_end_energies(system, next, balance, &mut report)?;
        self.report = report;
        Ok(())
    }

    /// Makes the step just computed the state: stores the impulses as the next warm start and detects events.
    fn accept(&mut self) {
        self.next.impulse.fill(0.0);
        self.next.status.fill(Status::Open);
        // Impulses are the next warm start; constraints that were not active are open.
        let problem = &self.scratch.problem;
        for (k, &i) in problem.active.iter().enumerate() {
            let held = self.layout.rows(i);
            self.next.impulse[held].copy_from_slice(&problem.impulse[problem.rows(k)]);
            self.next.status[i] = problem.status(k);
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.persistent
            .copy_from_slice(&self.scratch.end.persistent);
        self.event_detector.update(
            &self.system,
            problem,
            &self.next,
            &self.state,
            &self.scratch.sliding,
        );
    }

    /// Advances by one step of fixed or adaptive length.
    pub(crate) fn take_step(&mut self) -> Result<(), MechanismError> {
        if self.settings.adaptive.is_some() {
            return self.advance_adaptively();
        }
        // The end time is counted from the start, not added up.
        let StepClock { steps, start } = self.step_clock;
        let h = self.settings.step;
        let end = start + (steps + 1) as f64 * h;
        self.step(StepInterval { h, end })?;
        self.accept();
        self.step_clock.steps += 1;
        Ok(())
    }

    /// Reports of the constraints that were active in the last step.
    pub(crate) fn active_reports(&self) -> Vec<ConstraintReport<'_>> {
        let (problem, end) = (&self.scratch.problem, &self.scratch.end);
        let report = |(k, &constraint): (usize, &usize)| {
            let rows = problem.rows(k);
            let gaps = self.layout.gaps(constraint);
            ConstraintReport {
                constraint,
                gap: if gaps.is_empty() {
                    0.0
                } else {
                    end.gaps[gaps.start]
                },
                begin: &problem.begin[rows.clone()],
                end: &problem.end[rows.clone()],
                impulse: &problem.impulse[rows],
                projection_impulse: end.projection_impulses(constraint),
                status: self.state.status[constraint],
            }
        };
        problem.active.iter().enumerate().map(report).collect()
    }

    /// Events of the last step.
    pub(crate) fn detected_events(&self) -> &[Event] {
        &self.event_detector.events
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

/// v_F into `next` and S into `problem`: fixed point over the forces, one contact solve per iteration, and again where
/// constraints are released or energy was gained. Returns the solution, and whether bilateral rows have the ρ of contacts.
fn solve_velocity<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    impact: &ImpactBeforeStep,
    point: &mut EvaluationPoint,
    problem: &mut StepProblem,
    velocity: &mut VelocityScratch,
    next: &mut State,
) -> Result<(VelocitySolution, bool), MechanismError> {
    let mut solution = velocity::solve(system, given, impact, point, problem, velocity, next)?;
    // Conditional constraints whose contact carries no impulse do not act.
    let released = release::release(system.constraints(), problem);
    if !released.is_empty() {
        solution = velocity::solve(system, given, impact, point, problem, velocity, next)?;
        if release::restore(&released, problem) {
            solution = velocity::solve(system, given, impact, point, problem, velocity, next)?;
        }
    }
    // Where persistent contacts beside impacts gained energy: again, with the restitution of their impact law.
    if given.persistent.contains(&true) {
        let forced = 0.5 * velocity.force_norm(&point.inertia).powi(2);
        let energies = [&point.v_begin, &velocity.v_free].map(|v| point.inertia.energy(v));
        let energy = energies[0].max(energies[1]);
        if persistent::restore_restitution(system, given, problem, forced, energy) {
            solution = velocity::solve(system, given, impact, point, problem, velocity, next)?;
        }
    }
    // Where contacts beside joints gained energy: again, with one ρ in all rows (decision 44).
    let constraints = system.constraints();
    let rho = energy_gain::restitution_of_excessive_gain(constraints, point, problem, velocity);
    let common_restitution =
        rho.is_some_and(|rho| energy_gain::set_bilateral_restitution(constraints, rho, problem));
    if common_restitution {
        solution = velocity::solve(system, given, impact, point, problem, velocity, next)?;
    }
    Ok((solution, common_restitution))
}
