//! Bodies that a caller keeps: stepped one by one, or run turn by turn with whatever is to be recorded.
//!
//! ```text
//! scene ── Live::begin (overlaps, preparations) ── advance, advance, …
//!                                               └─ Course::begin ── turn, turn, … ── close
//! ```
//!
//! [`run_wanted`](super::run_wanted) is a course from beginning to end with a world that nobody else
//! sees. Here the world stays the caller's: between two turns it may be looked at and changed.

use bodies::{Plane, Space, World, WorldError};

use super::follow::{self, Prepared, RunSpec};
use super::outcome::{BodiesOutcome, ObservableRequest, RunProgress};
use super::start;
use super::turn::ObservedDim;
use super::walk::Driver;
use crate::certificate::Certificate;
use crate::collection::{BodiesObserver, BuiltBodies, SceneNames, WorldRef};
use crate::file::{Formula, Scene};
use crate::finding::Threads;

/// A world in one of the two dimensions.
#[derive(Debug)]
pub enum AnyWorld {
    /// In the plane.
    Plane(World<Plane>),
    /// In space.
    Space(World<Space>),
}

/// What a scene says of the runs of its bodies.
#[derive(Debug, Clone)]
pub struct RunTemplate {
    /// What came before the run: names, overlaps, preparations.
    pub before: BodiesOutcome,
    /// Bodies and contacts of every so many steps are recorded.
    pub record_every: usize,
    stop: Option<Formula>,
    parameters: Vec<(String, f64)>,
}

impl AnyWorld {
    /// The bodies of a scene at the beginning of their run: overlaps looked at, preparations run.
    ///
    /// # Errors
    /// There is no motion; the outcome says why.
    pub fn prepare(
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        sink: &mut dyn BodiesObserver,
        progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
    ) -> Result<(Self, RunTemplate), Box<BodiesOutcome>> {
        fn parts<D: bodies::Dim>(led: Prepared<D>, scene: &Scene) -> (World<D>, RunTemplate) {
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
                let led = follow::prepare(assembly, threads, sink, progress)?;
                let (world, score) = parts(led, scene);
                Ok((Self::Plane(world), score))
            }
            BuiltBodies::Space(assembly) => {
                let led = follow::prepare(assembly, threads, sink, progress)?;
                let (world, score) = parts(led, scene);
                Ok((Self::Space(world), score))
            }
        }
    }

    /// Goes on by one step.
    ///
    /// # Errors
    /// What cannot go on, with the names of the bodies; the state is that before.
    pub fn advance(&mut self, cast: &SceneNames) -> Result<(), String> {
        let done = match self {
            Self::Plane(world) => world.step(),
            Self::Space(world) => world.step(),
        };
        done.map_err(|error| explained(&error, cast))
    }

    /// Begins what steps made one by one vouch for.
    pub fn begin_certificate(&self, certificate: &mut Certificate) {
        match self {
            Self::Plane(world) => certificate.begin(world.report()),
            Self::Space(world) => certificate.begin(world.report()),
        }
    }

    /// Adds the last step to what is vouched for.
    pub fn certify(&self, certificate: &mut Certificate, cast: &SceneNames) {
        match self {
            Self::Plane(world) => start::certify(certificate, world, cast),
            Self::Space(world) => start::certify(certificate, world, cast),
        }
    }

    /// As sinks see it.
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

/// An error of a world with the names of the bodies.
pub fn explained(error: &WorldError, cast: &SceneNames) -> String {
    start::describe_error(error, cast)
}

/// A run of a live world.
pub struct WorldRun {
    wanted: ObservableRequest,
    score: RunTemplate,
    outcome: BodiesOutcome,
    walk: Option<Driver>,
}

impl std::fmt::Debug for WorldRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Course")
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

impl WorldRun {
    /// Begins a run from where the world is to `until`; the start goes to `sink`.
    pub fn start(
        live: &AnyWorld,
        score: &RunTemplate,
        wanted: ObservableRequest,
        until: f64,
        sink: &mut dyn BodiesObserver,
    ) -> Self {
        let mut outcome = score.before.clone();
        (outcome.start, outcome.step) = live.time();
        outcome.until = until;
        let mut course = Self {
            wanted,
            score: score.clone(),
            outcome,
            walk: None,
        };
        let main = RunSpec {
            wanted: &course.wanted,
            stop: course.score.stop.as_ref(),
            parameters: &course.score.parameters,
            record_every: course.score.record_every,
        };
        let outcome = &mut course.outcome;
        course.walk = match live {
            AnyWorld::Plane(world) => Driver::begin(&main, world, None, outcome, sink),
            AnyWorld::Space(world) => Driver::begin(&main, world, None, outcome, sink),
        };
        course
    }

    /// One step, if there is one left; whether there may be another one.
    pub fn step(
        &mut self,
        live: &mut AnyWorld,
        sink: &mut dyn BodiesObserver,
        progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
    ) -> bool {
        let Some(walk) = &mut self.walk else {
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
            AnyWorld::Plane(world) => walk.step(&main, world, outcome, sink, progress),
            AnyWorld::Space(world) => walk.step(&main, world, outcome, sink, progress),
        }
    }

    /// Keeps the state, so that the run can be continued from here.
    pub fn write_checkpoint(&mut self, live: &AnyWorld, sink: &mut dyn BodiesObserver) {
        self.with(live, sink, Keep::State);
    }

    /// Keeps the state and ends on request.
    pub fn interrupt(&mut self, live: &AnyWorld, sink: &mut dyn BodiesObserver) {
        self.with(live, sink, Keep::End);
    }

    fn with(&mut self, live: &AnyWorld, sink: &mut dyn BodiesObserver, what: Keep) {
        fn apply<D: ObservedDim>(
            walk: &mut Driver,
            world: &World<D>,
            outcome: &mut BodiesOutcome,
            sink: &mut dyn BodiesObserver,
            what: Keep,
        ) {
            match what {
                Keep::State => walk.write_checkpoint(world, outcome, sink),
                Keep::End => walk.interrupt(world, outcome, sink),
            }
        }
        let Some(walk) = &mut self.walk else {
            return;
        };
        match live {
            AnyWorld::Plane(world) => apply(walk, world, &mut self.outcome, sink, what),
            AnyWorld::Space(world) => apply(walk, world, &mut self.outcome, sink, what),
        }
    }

    /// What came out of it.
    pub fn close(mut self, live: &AnyWorld) -> BodiesOutcome {
        if let Some(walk) = self.walk.take() {
            match live {
                AnyWorld::Plane(world) => walk.close(world, &mut self.outcome),
                AnyWorld::Space(world) => walk.close(world, &mut self.outcome),
            }
        }
        self.outcome
    }
}

#[derive(Clone, Copy)]
enum Keep {
    State,
    End,
}
