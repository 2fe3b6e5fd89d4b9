//! Preparations: runs before the run (equilibration, settling) that make its initial state.
//!
//! Each preparation has its own model, settings and stop condition and starts from the final state
//! of the one before; the first one, or the run itself, resolves the initial overlaps.

use percuss_bodies::{Dim, Model, Settings, State, World};
use percuss_record::{BodiesObserver, Certificate};
use percuss_scene::bodies_scene::Preparation;
use percuss_scene::file::END_TOLERANCE;

use super::checkpoint::{BodiesCheckpoint, HistoryIncrement, RestoredRun};
use super::initial_overlaps as start;
use super::main_run::{ProgressCallback, holds, run_progress};
use super::observables::Observables;
use super::observed_dim::ObservedDim;
use super::outcome::{BodiesOutcome, PreparationOutcome};
use crate::stop::StopReason;

/// Carries the state from the scene through the preparations to the run.
pub(super) struct PreparationRunner<D: Dim> {
    pub state: Option<State<D>>,
    /// Whether initial overlaps have been checked.
    pub checked: bool,
    pub overlap: percuss_scene::bodies_scene::OverlapRule,
    pub threads: usize,
}

impl<D: ObservedDim> PreparationRunner<D> {
    /// Number of preparations that a checkpoint says are done; restores the outcome from it.
    pub fn skip(
        &mut self,
        past: Option<&RestoredRun<D>>,
        all: usize,
        outcome: &mut BodiesOutcome,
    ) -> usize {
        // No checkpoint: all preparations are to be run.
        let Some(past) = past else {
            return 0;
        };
        self.checked = true;
        past.restore_outcome(outcome);
        past.checkpoint.preparation.unwrap_or(all)
    }

    /// The world of a preparation or of the run: bodies under new conditions at time `t`, or in the
    /// state of the checkpoint. Kinematic bodies continue from their present poses.
    pub fn world(
        &mut self,
        model: Model<D>,
        settings: Settings,
        t: f64,
        (past, outcome): (Option<&mut RestoredRun<D>>, &mut BodiesOutcome),
    ) -> Result<World<D>, String> {
        let explain = |error| start::describe_error(&error, &outcome.names);
        // Resume: the state and the step report of the checkpoint.
        if let Some(past) = past {
            let state = past.state.take().ok_or("there is no state")?;
            let world = World::resume(model, state, settings, past.checkpoint.ledger);
            return world.map_err(explain);
        }
        let mut state = self.state.take().ok_or("there is no state")?;
        state.t = t;
        let mut world = World::new(model, state, settings).map_err(explain)?;
        // Initial overlaps are checked once, in the first world that is made.
        if !self.checked {
            outcome.relaxed = start::resolve_overlaps(&mut world, &outcome.names, self.overlap)?;
            self.checked = true;
        }
        Ok(world)
    }

    /// Runs the preparation of a number, from its start or from a checkpoint.
    pub fn prepare(
        &mut self,
        (number, preparation): (usize, Preparation<D>),
        mut past: Option<RestoredRun<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
        progress: &mut ProgressCallback<'_>,
    ) -> Result<(), StopReason> {
        let Preparation {
            name,
            model,
            mut settings,
            until,
            stop,
            must,
            rest,
            parameters,
        } = preparation;
        // Errors name the preparation.
        let wrong = |reason: String| StopReason::Bodies(format!("preparation `{name}`: {reason}"));
        settings.threads = self.threads;
        // Prescribed motions of a preparation may differ from those of the run.
        if let Some(state) = &mut self.state {
            state.kinematic_origins.clear();
        }
        let world = self.world(model, settings, 0.0, (past.as_mut(), outcome));
        let stop: Vec<&str> = stop.iter().map(|stop| stop.text.as_str()).collect();
        // The only observable of a preparation is its stop condition.
        let panel = Observables::compile(&outcome.name_table(&parameters), &stop);
        let panel = panel.map_err(|(_, error)| wrong(error.render(stop[0])))?;
        let mut rehearsal = PreparationRun {
            number,
            name: &name,
            world: world.map_err(wrong)?,
            panel,
            step: 0,
            certificate: Certificate::with_bounds(*outcome.certificate.bounds()),
            halted: false,
        };
        rehearsal.begin(past);
        // Step loop, then the check of a condition that must be reached.
        rehearsal.run(until, outcome, sink, progress)?;
        let PreparationRun {
            world,
            certificate,
            halted,
            ..
        } = rehearsal;
        require(!must || halted, &world, &stop, until).map_err(wrong)?;
        outcome.prepared.push(PreparationOutcome {
            name: name.clone(),
            duration: world.state().t,
            certificate,
            halted,
        });
        self.take_final_state(world, rest);
        Ok(())
    }

    /// The final state of a preparation becomes the initial state of what follows; `rest` sets the
    /// velocities to zero.
    fn take_final_state(&mut self, world: World<D>, rest: bool) {
        let mut state = world.into_state();
        state.kinematic_origins.clear();
        if rest {
            state.velocities.fill(D::ZERO_VELOCITY);
        }
        self.state = Some(state);
    }
}

/// A preparation under way.
struct PreparationRun<'a, D: Dim> {
    number: usize,
    name: &'a str,
    world: World<D>,
    panel: Observables,
    step: usize,
    certificate: Certificate,
    halted: bool,
}

impl<D: ObservedDim> PreparationRun<'_, D> {
    /// Observes the initial state, or restores a checkpoint.
    fn begin(&mut self, past: Option<RestoredRun<D>>) {
        let Some(RestoredRun {
            checkpoint: moment, ..
        }) = past
        else {
            self.panel.evaluate(D::view(&self.world));
            self.certificate.begin(self.world.report());
            return;
        };
        self.step = moment.step;
        self.certificate = moment.certificate;
        self.panel.restore(moment.observables);
    }

    /// The step loop of a preparation.
    fn run(
        &mut self,
        until: f64,
        outcome: &BodiesOutcome,
        sink: &mut dyn BodiesObserver,
        progress: &mut ProgressCallback<'_>,
    ) -> Result<(), StopReason> {
        let end = until - END_TOLERANCE * self.world.settings().step.min(until);
        while self.world.state().t < end && !self.halted {
            self.world.step().map_err(|error| {
                let t = self.world.state().t;
                let error = start::describe_error(&error, &outcome.names);
                let name = self.name;
                StopReason::Bodies(format!("preparation `{name}`: stopped at t = {t}: {error}"))
            })?;
            self.step += 1;
            // Certificate, stop condition, progress, observer: the order of the run's own loop.
            start::certify(&mut self.certificate, &self.world, &outcome.names);
            let values = self.panel.evaluate(D::view(&self.world));
            self.halted = values.first().is_some_and(|x| holds(*x));
            let going = progress(&run_progress(
                &self.world,
                Some(self.name),
                (self.step, &self.certificate),
                (0.0, until),
            ));
            sink.on_preparation_step().map_err(StopReason::Observer)?;
            if self.halted {
                // A request to stop is repeated at the first step of what follows.
                break;
            }
            // A preparation that is stopped on request leaves a checkpoint.
            if sink.checkpoint_due() || !going {
                self.write_checkpoint(outcome, sink)?;
            }
            if !going {
                return Err(StopReason::Requested);
            }
        }
        Ok(())
    }

    /// Writes a checkpoint; a preparation has no history.
    fn write_checkpoint(
        &self,
        outcome: &BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) -> Result<(), StopReason> {
        let moment = BodiesCheckpoint {
            preparation: Some(self.number),
            step: self.step,
            certificate: self.certificate.clone(),
            observables: self.panel.checkpoint(),
            ..BodiesCheckpoint::of(self.world.report(), outcome)
        };
        let kept = moment.write(self.world.state(), &HistoryIncrement::default(), sink);
        kept.map_err(StopReason::Observer)
    }
}

/// The error of a preparation that must reach its condition and did not, with the values it
/// reached.
fn require<D: ObservedDim>(
    met: bool,
    world: &World<D>,
    stop: &[&str],
    until: f64,
) -> Result<(), String> {
    if met {
        return Ok(());
    }
    // Figures that show how far the condition was missed.
    let text = stop.first().copied().unwrap_or("");
    let mut reached = format!("kinetic = {:.3e}", world.report().kinetic);
    if let Some(fraction) = super::cell::fraction(world) {
        reached = format!("cell_fraction = {fraction:.4}, {reached}");
    }
    Err(format!(
        "`{text}` did not become true until t = {until}; reached: {reached}. Give it more time, or \
         ask for less"
    ))
}
