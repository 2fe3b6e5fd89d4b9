//! Preparations: runs before the run (equilibration, settling) that make its initial state.
//!
//! Each preparation has its own model, settings and stop condition and starts from the final state
//! of the one before; the first one, or the run itself, resolves the initial overlaps.

use percuss_bodies::{Dim, Model, Settings, State, World};
use percuss_record::{Certificate, Observer, Step, WorldRef};
use percuss_scene::SceneError;
use percuss_scene::bodies_scene::Preparation;

use super::checkpoint::{BodiesCheckpoint, HistoryIncrement, RestoredRun};
use super::initial_overlaps as start;
use super::main_run::holds;
use super::observables::Observables;
use super::observed_dim::ObservedDim;
use super::outcome::{BodiesOutcome, PreparationOutcome};
use super::world_simulation::WorldSimulation;
use crate::drive::{Driver, Stage, StepObservers};
use crate::progress::ProgressCallback;
use crate::simulation::{Checkpoint, SimulationState};
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
        sink: &mut dyn Observer,
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
        let mut world = world.map_err(wrong)?;
        // Step loop, then the check of a condition that must be reached.
        let run = PreparationRun {
            number,
            name: &name,
            until,
        };
        let driver = run.drive(&mut world, panel, past, outcome, sink, progress)?;
        require(!must || driver.halted, &world, &stop, until).map_err(wrong)?;
        outcome.prepared.push(PreparationOutcome {
            name: name.clone(),
            duration: world.state().t,
            certificate: driver.certificate,
            halted: driver.halted,
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

/// A preparation: its number, its name and its end.
#[derive(Clone, Copy)]
struct PreparationRun<'a> {
    number: usize,
    name: &'a str,
    until: f64,
}

impl<'a> PreparationRun<'a> {
    /// Makes the steps of a preparation, from its start or from a checkpoint.
    fn drive<D: ObservedDim>(
        self,
        world: &mut World<D>,
        mut panel: Observables,
        past: Option<RestoredRun<D>>,
        outcome: &BodiesOutcome,
        sink: &mut dyn Observer,
        progress: &mut ProgressCallback<'_>,
    ) -> Result<Driver<'a>, StopReason> {
        let certificate = Certificate::with_bounds(*outcome.certificate.bounds());
        let mut driver = Driver::new(self.stage(world), 0, certificate);
        // Observe the initial state, or restore the checkpoint.
        if let Some(past) = past {
            let moment = past.checkpoint;
            (driver.step, driver.certificate) = (moment.step, moment.certificate);
            panel.restore(moment.observables);
        } else {
            panel.evaluate(D::view(world));
            driver.certificate.begin(world.report());
        }
        let mut observers = PreparationObservers {
            number: self.number,
            panel,
            outcome,
            sink,
        };
        let mut simulation = WorldSimulation {
            world,
            names: &outcome.names,
        };
        driver.drive(&mut simulation, &mut observers, progress);
        // An error of the bodies names the preparation.
        match driver.stopped.take() {
            None => Ok(driver),
            Some(stop) => Err(match stop.reason {
                StopReason::Bodies(error) => StopReason::Bodies(format!(
                    "preparation `{}`: stopped at t = {}: {error}",
                    self.name, stop.t
                )),
                reason => reason,
            }),
        }
    }

    fn stage<D: Dim>(self, world: &World<D>) -> Stage<'a> {
        Stage {
            preparation: Some(self.name),
            start: 0.0,
            until: self.until,
            end: Stage::end_of(0.0, self.until, world.settings().step),
            tolerance: world.settings().tolerance,
            checkpoint_at_end: true,
            request_at_end: true,
        }
    }
}

/// The observers of a preparation: its stop condition before the progress callback, the recorder
/// after it. A request to stop at the step that meets the condition is repeated at the first step
/// of what follows.
struct PreparationObservers<'a> {
    number: usize,
    /// The only observable of a preparation is its stop condition.
    panel: Observables,
    outcome: &'a BodiesOutcome,
    sink: &'a mut dyn Observer,
}

impl PreparationObservers<'_> {
    /// Writes a checkpoint; a preparation has no history.
    fn write<D: Dim>(
        &mut self,
        checkpoint: &Checkpoint<'_>,
        world: &World<D>,
    ) -> Result<(), SceneError> {
        let moment = BodiesCheckpoint {
            preparation: Some(self.number),
            step: checkpoint.step,
            certificate: checkpoint.certificate.clone(),
            observables: self.panel.checkpoint(),
            ..BodiesCheckpoint::of(world.report(), self.outcome)
        };
        moment.write(world.state(), &HistoryIncrement::default(), self.sink)
    }
}

impl StepObservers for PreparationObservers<'_> {
    fn before_progress(&mut self, step: &Step<'_>) -> Result<bool, SceneError> {
        let Some(world) = step.world() else {
            return Ok(false);
        };
        let values = self.panel.evaluate(world);
        Ok(values.first().is_some_and(|x| holds(*x)))
    }

    fn after_progress(&mut self, _step: &Step<'_>) -> Result<(), SceneError> {
        self.sink.on_preparation_step()
    }

    fn checkpoint_due(&mut self) -> bool {
        self.sink.checkpoint_due()
    }

    fn write_checkpoint(&mut self, checkpoint: &Checkpoint<'_>) -> Result<(), SceneError> {
        match checkpoint.simulation {
            SimulationState::World(WorldRef::Plane(world)) => self.write(checkpoint, world),
            SimulationState::World(WorldRef::Space(world)) => self.write(checkpoint, world),
            SimulationState::Mechanism(_) => Ok(()),
        }
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
