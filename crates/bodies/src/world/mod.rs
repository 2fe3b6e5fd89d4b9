//! [`World`]: a collection of rigid bodies in motion, and the driver of its time step, Moreau's midpoint scheme. The
//! stages of the step are functions of `step`.
//!
//! A moving boundary enters through W_α alone, its velocity at the end of the step: a body that sticks to it then
//! follows it to second order, q_F − q_I = ½h (W_I + W_F).
//!
//! [`State`] contains everything that the motion is continued from; constants of the model and the results
//! that callers read after a step are kept in the scratch memory.

mod check;
mod joints;
mod overlaps;
mod profile;
mod read;
mod resume;
mod stepped;
#[cfg(test)]
mod tests;

use percuss_contact::Problem;

use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::{Integrator, Settings};
use crate::state::{State, StepReport};
use crate::step::joints::{FrictionIteration, JointDrift, NextPass, Pass};
use crate::step::persistent::keep_world_spin;
use crate::step::projection::OverlapProjection;
use crate::step::{
    Fault, Scratch, Solution, StepInputs, StepTime, assemble, balance, cell_step, detection,
    disturb_velocity, end_velocity, free_velocity, joints as step_joints, midpoint, position,
    solve,
};

pub use profile::StepTimings;
use profile::{Profiler, Stage};

/// A collection of rigid bodies in motion: model, state, settings, and the results of the last step.
pub struct World<D: Dynamics> {
    model: Model<D>,
    state: State<D>,
    settings: Settings,
    report: StepReport,
    scratch: Scratch<D>,
    profiler: Option<Profiler>,
    /// Deliberate fault, for tests of the certificate.
    fault: Option<Fault>,
    /// What makes the steps in place of the scheme.
    stepped: Option<stepped::Stepped<D>>,
}

impl<D: Dynamics> std::fmt::Debug for World<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("t", &self.state.t)
            .field("bodies", &self.model.bodies.len())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<D: Dynamics> World<D> {
    /// Checks the model and the initial state. Kinematic bodies get the pose and velocity of their prescribed
    /// motion; if the state has no origins for them, their present poses are taken.
    ///
    /// # Errors
    /// Masses, numbers, references, joints or a periodic cell that are invalid.
    pub fn new(model: Model<D>, state: State<D>, settings: Settings) -> Result<Self, WorldError> {
        check::settings(&settings)?;
        check::model(&model, &state)?;
        check::integrator(&settings, &model)?;
        let solver = check::solver(&settings)?;
        let work = Scratch::new(&model, &settings, solver);
        let mut world = Self {
            model,
            state,
            settings,
            report: StepReport::default(),
            scratch: work,
            profiler: None,
            fault: None,
            stepped: None,
        };
        world.begin()?;
        Ok(world)
    }

    /// Advances the motion by one time step.
    ///
    /// # Errors
    /// A prescribed motion, a force, a contact or a velocity that is not finite, joints that contradict each
    /// other, or a periodic cell that has become too small. Up to the check of the end velocities the state is
    /// unchanged on error; the report may already be that of the failed step. Errors of the cell's strain rate
    /// come after the poses, those of the projection and of the cell's size after time and velocities, too, have
    /// been advanced: go back with [`World::restore`].
    pub fn step(&mut self) -> Result<(), WorldError> {
        if let Some(done) = self.step_by_stepper() {
            return done;
        }
        let Self {
            model,
            state,
            settings,
            scratch,
            profiler,
            fault,
            ..
        } = self;
        let Scratch {
            cache,
            solver,
            midpoint: mid,
            free,
            detection: found,
            assembly,
            solution,
            end,
            coupling,
            ..
        } = scratch;
        let h = settings.step;
        let time = StepTime {
            h,
            mid: state.t + 0.5 * h,
            end: state.t + h,
        };
        profile::start(profiler);
        // q_M = q_I + ½h u_I; kinematic bodies where their motion says.
        let threads = found.detector.threads();
        midpoint::place(model, state, cache, threads, time, mid)?;
        // u_L = u_I + h A⁻¹K
        free_velocity::compute(model, state, cache, threads, mid, time, free)?;
        profile::lap(profiler, Stage::Update);
        // Candidates at the midpoint within the contact margin, once.
        detection::detect(model, settings, cache, mid, free, found);
        profile::lap(profiler, Stage::Detection);
        let threads = found.detector.threads();
        // Bounds of joint friction, gyroscopic moments and the ρ of held rows depend on the solution: usually one pass.
        assembly.begin_step();
        let mut pass = Pass::First;
        loop {
            // (★), warm-started with the impulses of the step before.
            step_joints::set_motor_speeds(model, time.end, &mut assembly.joints)?;
            let inputs = StepInputs {
                model,
                state,
                settings,
                cache,
                midpoint: mid,
                free,
                detection: found,
            };
            assemble::assemble(inputs, None, time.end, assembly, &mut solution.impulse)?;
            profile::lap_of_first(profiler, pass, Stage::Assembly);
            let mut solve = |problem: Option<&Problem>, solution: &mut Solution| {
                solve::solve(&mut **solver, problem, settings, threads, *fault, solution);
            };
            solve(assembly.problem.as_ref(), solution);
            profile::lap_of_first(profiler, pass, Stage::Solve);
            // Joint friction (B02 §6): bounds by the reactions, then (★) again from the present impulses.
            let mut friction = FrictionIteration::new(assembly);
            while friction.update_bounds(model, settings, assembly, solution) {
                solve(assembly.problem.as_ref(), solution);
            }
            friction.finish(settings, solution);
            step_joints::check_consistency(model, assembly, solution, time.end)?;
            // u_F = u_L + A⁻¹ Σ Gᵀ S
            let problem = assembly.problem.as_ref();
            end_velocity::compute(model, cache, mid, free, problem, &solution.impulse, end);
            let solved = inputs.solved(assembly, solution, end);
            match step_joints::next_pass(pass, solved, coupling) {
                NextPass::Done => break,
                NextPass::Gyroscopic => {
                    step_joints::keep_first_velocity(end, coupling);
                    pass = Pass::Gyroscopic;
                }
                NextPass::Impacts => {
                    assembly.as_impacts = true;
                    pass = Pass::Impacts;
                }
                NextPass::Restitution(rho) => {
                    assembly.joints.restitution = rho;
                    pass = Pass::Restitution;
                }
            }
            // Another pass: u_L with the gyroscopic moments of the first solution; the candidates stay.
            free_velocity::compute(model, state, cache, threads, mid, time, free)?;
            step_joints::correct_free_velocity(model, state, coupling, h, free);
        }
        disturb_velocity(*fault, &model.bodies, &mut end.velocity);
        profile::lap(profiler, Stage::Update);
        self.finish_step(time)
    }

    /// Balance, end position, projections and memory of a step whose end velocities are known.
    fn finish_step(&mut self, time: StepTime) -> Result<(), WorldError> {
        let Self {
            model,
            state,
            settings,
            report,
            scratch,
            profiler,
            ..
        } = self;
        let Scratch {
            cache,
            solver,
            midpoint: mid,
            free,
            detection: found,
            assembly,
            solution,
            end,
            coupling,
            balance: sums,
            projection,
            persistent,
        } = scratch;
        // Balances of momentum and energy, while the state is still that of the beginning.
        let inputs = StepInputs {
            model,
            state,
            settings,
            cache,
            midpoint: mid,
            free,
            detection: found,
        };
        let solved = inputs.solved(assembly, solution, end);
        *report = balance::of_step(solved, report, time.end, &mut **solver, coupling, sums);
        profile::lap(profiler, Stage::Account);
        let threads = found.detector.threads();
        // q_F = q_I + ½h (u_I + u_F), then overlaps and joint drift are projected out.
        position::advance(model, state, settings, cache, threads, end, time.end)?;
        let projected = settings.integrator == Integrator::Projected;
        let inputs = StepInputs {
            model,
            state,
            settings,
            cache,
            midpoint: mid,
            free,
            detection: found,
        };
        if projected {
            persistent.find(inputs.solved(assembly, solution, end), sums);
            persistent.project_positions(cache, &mut state.poses);
        }
        if settings.projection {
            let mut overlaps = OverlapProjection {
                model,
                state,
                settings,
                cache,
                scratch: projection,
            };
            overlaps.project_at_end(mid, found)?;
        }
        if projected {
            keep_world_spin(state, cache, mid);
        }
        if !model.joints.is_empty() {
            let mut drift = JointDrift {
                model,
                state,
                cache,
                scratch: &mut projection.joints,
            };
            report.bilateral += drift.project();
        }
        // Velocities of persistent contacts at q_F.
        if projected {
            let inputs = StepInputs {
                model,
                state,
                settings,
                cache,
                midpoint: mid,
                free,
                detection: found,
            };
            let solved = inputs.solved(assembly, solution, end);
            let done = persistent.project_velocities(solved, sums, &mut **solver)?;
            done.add_to(settings.tolerance, report);
            persistent.set_velocities(&model.bodies, state)?;
        }
        profile::lap(profiler, Stage::Update);
        // Report of the new state, warm start of the next step, reduction of the cell's vectors.
        balance::of_position(model, state, cache, settings, sums, report);
        position::store_contacts(
            model,
            mid,
            found,
            assembly,
            solution,
            sums,
            &mut state.contacts,
        );
        if projected {
            persistent.mark(model, &mut state.contacts);
        }
        cell_step::reduce(model, state)?;
        profile::stop(profiler);
        Ok(())
    }
}
