//! A run of bodies under way: its observers and the step loop of [`Driver`].

use std::sync::Arc;

use percuss_bodies::World;
use percuss_record::{Observer, Step, WorldRef};
use percuss_scene::SceneError;

use super::checkpoint::RestoredRun;
use super::main_run::{RunObservers, RunSpec};
use super::observed_dim::ObservedDim;
use super::outcome::BodiesOutcome;
use super::world_simulation::WorldSimulation;
use crate::drive::{Driver, Stage, StepObservers};
use crate::progress::ProgressCallback;
use crate::simulation::{Checkpoint, SimulationState};
use crate::stop::StopReason;

/// A run under way: its observers, and the step loop.
pub(super) struct BodiesDriver {
    look: RunObservers,
    driver: Driver<'static>,
}

impl BodiesDriver {
    /// Observes the initial state, or restores the observers from a checkpoint. None where the run
    /// cannot start; the outcome then says why.
    pub fn begin<D: ObservedDim>(
        main: &RunSpec<'_>,
        world: &World<D>,
        past: Option<RestoredRun<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Observer,
    ) -> Option<Self> {
        // Observers and stop condition are compiled before the first step.
        let (start, until) = (outcome.start, outcome.until);
        let mut look = match main.observers(outcome) {
            Ok(look) => look,
            Err(reason) => {
                outcome.set_not_started(start, StopReason::Bodies(reason));
                return None;
            }
        };
        let stage = Stage {
            preparation: None,
            start,
            until,
            end: Stage::end_of(start, until, world.settings().step),
            tolerance: world.settings().tolerance,
            checkpoint_at_end: false,
            request_at_end: false,
        };
        main.prepare_series(outcome);
        let mut driver = Driver::new(stage, 0, outcome.certificate.clone());
        // Resume from the checkpoint, or observe the initial state as step 0.
        if let Some(past) = past {
            driver.step = look.restore(past, outcome);
        } else {
            driver.certificate.begin(world.report());
            let t = world.state().t;
            outcome.push_state(t, look.observables.evaluate(D::view(world)));
            let taken = sink.on_step(&Step::of_world(0, D::view(world), !(t < stage.end)));
            driver.note(t, taken);
        }
        Some(Self { look, driver })
    }

    /// Makes one step if there is one left; returns whether there may be another.
    pub fn step<D: ObservedDim>(
        &mut self,
        main: &RunSpec<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Observer,
        progress: &mut ProgressCallback<'_>,
    ) -> bool {
        self.with(main, world, outcome, sink, |driver, world, observers| {
            driver.step(world, observers, progress)
        })
    }

    /// Writes a checkpoint and ends the run on request.
    pub fn interrupt<D: ObservedDim>(
        &mut self,
        main: &RunSpec<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Observer,
    ) {
        self.with(main, world, outcome, sink, |driver, world, observers| {
            driver.interrupt(world, observers);
        });
    }

    /// Writes a checkpoint, from which the run can be resumed.
    pub fn write_checkpoint<D: ObservedDim>(
        &mut self,
        main: &RunSpec<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Observer,
    ) {
        self.with(main, world, outcome, sink, |driver, world, observers| {
            driver.write_checkpoint(world, observers);
        });
    }

    /// Calls `work` with the step loop, the world as a simulation, and the observers.
    fn with<D: ObservedDim, T>(
        &mut self,
        main: &RunSpec<'_>,
        world: &mut World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Observer,
        work: impl FnOnce(
            &mut Driver<'static>,
            &mut WorldSimulation<'_, D>,
            &mut BodiesObservers<'_>,
        ) -> T,
    ) -> T {
        let names = Arc::clone(&outcome.names);
        let mut simulation = WorldSimulation {
            world,
            names: &names,
        };
        let mut observers = BodiesObservers {
            main,
            look: &mut self.look,
            outcome,
            sink,
        };
        work(&mut self.driver, &mut simulation, &mut observers)
    }

    /// Moves certificate, events, distributions and the reason of an early stop into the outcome.
    pub fn close(self, outcome: &mut BodiesOutcome) {
        outcome.certificate = self.driver.certificate;
        outcome.stopped = self.driver.stopped;
        outcome.events = self.look.event_detector.into_events();
        outcome.distributions = self.look.distributions.into_counts();
    }
}

/// The observers of a run of bodies: observables, stop condition and events before the progress
/// callback, distributions and the recorder after it.
struct BodiesObservers<'a> {
    main: &'a RunSpec<'a>,
    look: &'a mut RunObservers,
    outcome: &'a mut BodiesOutcome,
    sink: &'a mut dyn Observer,
}

impl StepObservers for BodiesObservers<'_> {
    fn before_progress(&mut self, step: &Step<'_>) -> Result<bool, SceneError> {
        match step.world() {
            Some(WorldRef::Plane(world)) => self.main.observe(world, self.look, self.outcome),
            Some(WorldRef::Space(world)) => self.main.observe(world, self.look, self.outcome),
            None => {}
        }
        Ok(self.outcome.halted)
    }

    fn after_progress(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let distributions = &mut self.look.distributions;
        match step.world() {
            Some(WorldRef::Plane(world)) => distributions.step(step.number, world, step.last),
            Some(WorldRef::Space(world)) => distributions.step(step.number, world, step.last),
            None => {}
        }
        self.sink.on_step(step)
    }

    fn checkpoint_due(&mut self) -> bool {
        self.sink.checkpoint_due()
    }

    fn write_checkpoint(&mut self, checkpoint: &Checkpoint<'_>) -> Result<(), SceneError> {
        match checkpoint.simulation {
            SimulationState::World(WorldRef::Plane(world)) => {
                self.look.write(checkpoint, world, self.outcome, self.sink)
            }
            SimulationState::World(WorldRef::Space(world)) => {
                self.look.write(checkpoint, world, self.outcome, self.sink)
            }
            SimulationState::Mechanism(_) => Ok(()),
        }
    }

    fn on_failure(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        self.sink.on_step(step)
    }

    fn on_request(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let distributions = &mut self.look.distributions;
        match step.world() {
            Some(WorldRef::Plane(world)) => distributions.close(step.number, world),
            Some(WorldRef::Space(world)) => distributions.close(step.number, world),
            None => {}
        }
        self.sink.on_step(step)
    }
}
