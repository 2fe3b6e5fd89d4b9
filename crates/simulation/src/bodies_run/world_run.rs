//! Bodies that the caller owns: stepped one by one, or run with observers, one step per call.
//!
//! ```text
//! scene ── AnyWorld::prepare (overlaps, preparations) ── advance, advance, …
//!                               └─ WorldRun::start ── step, step, … ── close
//! ```
//!
//! [`run_bodies`](super::run_bodies) is such a run from start to end with a world that nobody else
//! sees. Here the world stays the caller's: between two steps it may be inspected and changed.

use percuss_bodies::{Plane, Space, World, WorldError};
use percuss_record::{Certificate, Observer, WorldRef};
use percuss_scene::bodies_scene::{BuiltBodies, SceneNames};
use percuss_scene::{Formula, Scene};

use super::bodies_driver::BodiesDriver;
use super::main_run::{Prepared, RunSpec};
use super::observed_dim::ObservedDim;
use super::outcome::{BodiesOutcome, ObservableRequest};
use super::{initial_overlaps as start, main_run as follow};
use crate::parallel::Threads;
use crate::progress::RunProgress;

/// A world in one of the two dimensions.
#[derive(Debug)]
pub enum AnyWorld {
    /// In the plane.
    Plane(World<Plane>),
    /// In space.
    Space(World<Space>),
}

/// The settings that a scene gives to runs of its bodies.
#[derive(Debug, Clone)]
pub struct RunTemplate {
    /// What came before the run: names, initial overlaps, preparations.
    pub before: BodiesOutcome,
    /// Interval of recorded steps.
    pub record_every: usize,
    stop: Option<Formula>,
    parameters: Vec<(String, f64)>,
}

impl AnyWorld {
    /// The bodies of a scene at the start of their run: overlaps resolved, preparations run.
    ///
    /// # Errors
    /// The run cannot start; the outcome says why.
    pub fn prepare(
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        sink: &mut dyn Observer,
        progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
    ) -> Result<(Self, RunTemplate), Box<BodiesOutcome>> {
        // Splits what was prepared into the world and the settings of its runs.
        fn parts<D: percuss_bodies::Dim>(
            led: Prepared<D>,
            scene: &Scene,
        ) -> (World<D>, RunTemplate) {
            let score = RunTemplate {
                before: led.outcome,
                record_every: led.record_every,
                stop: led.stop,
                parameters: scene.parameters().to_vec(),
            };
            (led.world, score)
        }
        match collection {
            BuiltBodies::Plane(assembly) => {
                let led = follow::prepare(scene, assembly, threads, sink, progress)?;
                let (world, score) = parts(led, scene);
                Ok((Self::Plane(world), score))
            }
            BuiltBodies::Space(assembly) => {
                let led = follow::prepare(scene, assembly, threads, sink, progress)?;
                let (world, score) = parts(led, scene);
                Ok((Self::Space(world), score))
            }
        }
    }

    /// Makes one step.
    ///
    /// # Errors
    /// A message with the names of the bodies; the state is that before the step.
    pub fn advance(&mut self, cast: &SceneNames) -> Result<(), String> {
        // The state is unchanged where the step fails.
        let done = match self {
            Self::Plane(world) => world.step(),
            Self::Space(world) => world.step(),
        };
        done.map_err(|error| explained(&error, cast))
    }

    /// Begins the certificate of steps that are made one by one.
    pub fn begin_certificate(&self, certificate: &mut Certificate) {
        match self {
            Self::Plane(world) => certificate.begin(world.report()),
            Self::Space(world) => certificate.begin(world.report()),
        }
    }

    /// Adds the last step to a certificate.
    pub fn certify(&self, certificate: &mut Certificate, cast: &SceneNames) {
        match self {
            Self::Plane(world) => start::certify(certificate, world, cast),
            Self::Space(world) => start::certify(certificate, world, cast),
        }
    }

    /// The world as observers see it.
    pub fn view(&self) -> WorldRef<'_> {
        match self {
            Self::Plane(world) => WorldRef::Plane(world),
            Self::Space(world) => WorldRef::Space(world),
        }
    }

    /// Time, and the length of a step.
    pub fn time(&self) -> (f64, f64) {
        match self {
            Self::Plane(world) => (world.state().t, world.settings().step),
            Self::Space(world) => (world.state().t, world.settings().step),
        }
    }
}

/// The message of an error of a world, with the names of the bodies.
pub fn explained(error: &WorldError, cast: &SceneNames) -> String {
    start::describe_error(error, cast)
}

/// A run of a world that the caller owns.
pub struct WorldRun {
    wanted: ObservableRequest,
    score: RunTemplate,
    outcome: BodiesOutcome,
    walk: Option<BodiesDriver>,
}

impl std::fmt::Debug for WorldRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldRun")
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

impl WorldRun {
    /// Starts a run from the present time of the world to `until`; the observer is given the
    /// initial state.
    pub fn start(
        live: &AnyWorld,
        score: &RunTemplate,
        wanted: ObservableRequest,
        until: f64,
        sink: &mut dyn Observer,
    ) -> Self {
        // The outcome starts from what came before: names, overlaps, preparations.
        let mut outcome = score.before.clone();
        (outcome.start, outcome.step) = live.time();
        outcome.until = until;
        let mut course = Self {
            wanted,
            score: score.clone(),
            outcome,
            walk: None,
        };
        // Observers are compiled, and the initial state is observed.
        let main = RunSpec {
            wanted: &course.wanted,
            stop: course.score.stop.as_ref(),
            parameters: &course.score.parameters,
            record_every: course.score.record_every,
        };
        let outcome = &mut course.outcome;
        course.walk = match live {
            AnyWorld::Plane(world) => BodiesDriver::begin(&main, world, None, outcome, sink),
            AnyWorld::Space(world) => BodiesDriver::begin(&main, world, None, outcome, sink),
        };
        course
    }

    /// Makes one step if there is one left; returns whether there may be another.
    pub fn step(
        &mut self,
        live: &mut AnyWorld,
        sink: &mut dyn Observer,
        progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
    ) -> bool {
        self.work(live, sink, Work::Step(progress))
    }

    /// Writes a checkpoint, from which the run can be resumed.
    pub fn write_checkpoint(&mut self, live: &mut AnyWorld, sink: &mut dyn Observer) {
        self.work(live, sink, Work::Checkpoint);
    }

    /// Writes a checkpoint and ends the run on request.
    pub fn interrupt(&mut self, live: &mut AnyWorld, sink: &mut dyn Observer) {
        self.work(live, sink, Work::Interrupt);
    }

    /// Makes a step or writes a checkpoint in either dimension; returns whether there may be
    /// another step.
    fn work(&mut self, live: &mut AnyWorld, sink: &mut dyn Observer, work: Work<'_>) -> bool {
        fn apply<D: ObservedDim>(
            driver: &mut BodiesDriver,
            main: &RunSpec<'_>,
            world: &mut World<D>,
            outcome: &mut BodiesOutcome,
            sink: &mut dyn Observer,
            work: Work<'_>,
        ) -> bool {
            match work {
                Work::Step(progress) => return driver.step(main, world, outcome, sink, progress),
                Work::Checkpoint => driver.write_checkpoint(main, world, outcome, sink),
                Work::Interrupt => driver.interrupt(main, world, outcome, sink),
            }
            true
        }
        // No driver: the run could not start.
        let Some(driver) = &mut self.walk else {
            return false;
        };
        let main = RunSpec {
            wanted: &self.wanted,
            stop: self.score.stop.as_ref(),
            parameters: &self.score.parameters,
            record_every: self.score.record_every,
        };
        let outcome = &mut self.outcome;
        match live {
            AnyWorld::Plane(world) => apply(driver, &main, world, outcome, sink, work),
            AnyWorld::Space(world) => apply(driver, &main, world, outcome, sink, work),
        }
    }

    /// Ends the run and returns its outcome.
    pub fn close(mut self) -> BodiesOutcome {
        // Certificate, events and distributions go into the outcome.
        if let Some(driver) = self.walk.take() {
            driver.close(&mut self.outcome);
        }
        self.outcome
    }
}

/// What [`WorldRun::work`] does: make a step, write a checkpoint, or write it and end the run.
enum Work<'a> {
    Step(&'a mut dyn FnMut(&RunProgress<'_>) -> bool),
    Checkpoint,
    Interrupt,
}
