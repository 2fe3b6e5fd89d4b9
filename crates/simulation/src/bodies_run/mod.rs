//! Driver of runs of bodies: preparations, step loop, checkpoints, observables, events.
//!
//! | module | contents |
//! |---|---|
//! | `main_run` | a run from the built scene to its outcome: preparations, then the steps |
//! | `bodies_driver` | the observers of the run in the step loop of `drive` |
//! | `preparation` | preparations (equilibration before the run) |
//! | `world_simulation` | a world as a simulation |
//! | `initial_overlaps` | initial overlaps, certificate of a step, messages with names |
//! | `world_run` | a run step by step on a world that the caller owns |
//! | `checkpoint` | checkpoints |
//! | `outcome` | what is requested of a run, its result |
//! | `observables` | compiled observables, evaluated at every step |
//! | `value`, `cell`, `totals` | values of quantities; of the periodic cell; accumulated works |
//! | `sets` | groups and regions of bodies |
//! | `contact_tally` | contact forces on bodies, contacts of watches |
//! | `touching_pairs` | pairs of bodies that touch |
//! | `granular` | granular measures: stress, fabric, force chains, inertial number |
//! | `network` | m-core of the force network, rattlers |
//! | `distributions` | distributions counted during the run |
//! | `event_driven` | runs from event to event: the stepper of a world, its check before a run |
//! | `event_detector` | event detector: impacts, touches, detachments, stick and slip |
//! | `observed_dim` | the dimension as observables see it |
//!
//! Which quantity a name in an expression means is in [`percuss_scene::bodies_scene::names`].
//! Of a run only the requested values are kept in memory; poses go to the observer.

mod bodies_driver;
mod cell;
mod checkpoint;
mod contact_tally;
mod distributions;
mod event_detector;
mod event_driven;
mod granular;
mod initial_overlaps;
mod main_run;
mod network;
mod observables;
mod observed_dim;
mod outcome;
mod preparation;
mod sets;
#[cfg(test)]
mod tests;
mod totals;
mod touching_pairs;
mod value;
pub(crate) mod world_run;
mod world_simulation;

pub use outcome::{BodiesOutcome, ObservableRequest, PreparationOutcome};
pub use world_run::{AnyWorld, RunTemplate, WorldRun};

pub use event_driven::check_event_driven;
pub use granular::ANGLE;
pub use observables::Observables;

use percuss_record::{Observer, WorldRef};
use percuss_scene::bodies_scene::{BuiltBodies, NameTable, SceneNames};
use percuss_scene::{InputError, Scene, SceneError};

use crate::parallel::Threads;
use crate::progress::RunProgress;

/// Runs bodies and keeps the requested observables, events and distributions.
pub fn run_bodies(
    scene: &Scene,
    collection: BuiltBodies,
    wanted: &ObservableRequest,
    threads: Threads,
    sink: &mut dyn Observer,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> BodiesOutcome {
    // One generic implementation for the plane and for space.
    match collection {
        BuiltBodies::Plane(assembly) => {
            main_run::run(scene, assembly, wanted, threads, sink, progress)
        }
        BuiltBodies::Space(assembly) => {
            main_run::run(scene, assembly, wanted, threads, sink, progress)
        }
    }
}

/// Checks the expressions that only the run evaluates: the conditions `stop`.
///
/// # Errors
/// A condition that cannot be read.
pub fn check_stops(scene: &Scene, collection: &BuiltBodies) -> Result<(), SceneError> {
    let checked = match collection {
        BuiltBodies::Plane(assembly) => main_run::check_stops(assembly, scene.parameters()),
        BuiltBodies::Space(assembly) => main_run::check_stops(assembly, scene.parameters()),
    };
    // The error has the line of the formula in the scene file.
    checked.map_err(|(part, formula, problem)| {
        SceneError::from(InputError {
            file: scene.origin().to_string(),
            origin: formula.origin,
            part,
            key: "stop".to_string(),
            value: String::new(),
            problem,
            advice: String::new(),
        })
    })
}

/// A compiled observable of a run of bodies. It is evaluated at every step, the start first:
/// accumulated works and displacements depend on the steps before.
#[derive(Debug)]
pub struct BodiesObservable(Observables);

impl BodiesObservable {
    /// Compiles an expression with the names of a scene.
    ///
    /// # Errors
    /// A message with the place of the error in the text.
    pub fn compile(
        cast: &SceneNames,
        dimension: usize,
        parameters: &[(String, f64)],
        text: &str,
    ) -> Result<Self, String> {
        // Without a run the start is taken as 0.
        let glossary = NameTable {
            names: cast,
            dimension,
            parameters,
            start: 0.0,
        };
        let panel = Observables::compile(&glossary, &[text]);
        panel.map(Self).map_err(|(_, error)| error.render(text))
    }

    /// The value at the end of a step; NaN where there is none.
    pub fn evaluate(&mut self, view: WorldRef<'_>) -> f64 {
        self.0.evaluate(view).first().copied().unwrap_or(f64::NAN)
    }
}
