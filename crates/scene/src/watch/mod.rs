//! A run of bodies: the loop and what is observed of it.
//!
//! `follow` is the loop, `begin` what goes before it, `start` looks at overlaps; `moment` is what an
//! interrupted run is continued from. `resolve` takes names apart, `panel`
//! compiles observables and reads them at every step (`sets`, `tally`, `joints`, `totals`, `grains`,
//! `value` compute what they are made of); `events` reads off what happens at watched contacts. Nothing is
//! kept of a run but the values that were asked for.

mod begin;
mod bins;
mod cell;
mod events;
mod follow;
mod grains;
mod joints;
mod live;
mod moment;
mod network;
mod outcome;
mod panel;
mod quantity;
mod resolve;
mod sets;
mod start;
mod tally;
#[cfg(test)]
mod tests;
mod totals;
mod turn;
mod value;
mod walk;

pub use live::{AnyWorld, RunTemplate, WorldRun};
pub use outcome::{
    BodiesOutcome, ObservableRequest, PreparationOutcome, RunProgress, preparation_warnings,
};

pub(crate) use grains::ANGLE;
pub(crate) use panel::Observables;
pub(crate) use resolve::{NameTable, words};

use bodies::{Plane, Space};

use crate::collection::{BodiesObserver, BuiltBodies, SceneNames, WorldRef};
use crate::error::{InputError, SceneError};
use crate::file::Scene;
use crate::finding::{self, Threads};
use crate::record::{DataFile, bodies_settings_json};

impl BuiltBodies {
    /// Names of its parts.
    pub fn names(&self) -> &SceneNames {
        match self {
            Self::Plane(assembly) => &assembly.names,
            Self::Space(assembly) => &assembly.names,
        }
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Plane(_) => 2,
            Self::Space(_) => 3,
        }
    }

    /// Begin and end of the run, and the length of a step.
    pub fn span(&self) -> (f64, f64, f64) {
        match self {
            Self::Plane(all) => (all.start, all.until, all.settings.step),
            Self::Space(all) => (all.start, all.until, all.settings.step),
        }
    }

    /// The files that were read for it, and the seed of the first generator that drew random numbers.
    pub fn sources(&self) -> (&[DataFile], Option<u64>) {
        match self {
            Self::Plane(assembly) => (&assembly.files, assembly.seed),
            Self::Space(assembly) => (&assembly.files, assembly.seed),
        }
    }

    /// Its settings as they stand in a manifest.
    pub fn settings_json(&self) -> serde_json::Value {
        let (mut settings, cell) = match self {
            Self::Plane(a) => (
                bodies_settings_json::<Plane>(&a.settings, a.start, a.until, a.record_every),
                a.model.cell.as_ref().map(|cell| &cell.periodic[..2]),
            ),
            Self::Space(a) => (
                bodies_settings_json::<Space>(&a.settings, a.start, a.until, a.record_every),
                a.model.cell.as_ref().map(|cell| &cell.periodic[..]),
            ),
        };
        // Along which vectors of the table `cell` there are images.
        if let Some(periodic) = cell {
            settings["periodic"] = periodic.into();
        }
        settings
    }

    /// What observables may speak of.
    pub(crate) fn name_table<'a>(&'a self, parameters: &'a [(String, f64)]) -> NameTable<'a> {
        NameTable {
            names: self.names(),
            dimension: self.dimension(),
            parameters,
            start: self.span().0,
        }
    }
}

/// Runs a collection. Every step goes to `sink`; the values of the observables `observe` at every
/// step, and the events of the watches that the scene's findings ask for, are kept in the outcome;
/// `progress` says whether to go on. Results do not depend on the number of threads.
pub fn run_bodies_observing(
    scene: &Scene,
    collection: BuiltBodies,
    observe: &[String],
    threads: Threads,
    sink: &mut dyn BodiesObserver,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> BodiesOutcome {
    let known = finding::observable_request(scene, &collection);
    let wanted = ObservableRequest {
        observables: observe.to_vec(),
        watches: known.map_or_else(|_| Vec::new(), |wanted| wanted.watches),
        distributions: false,
    };
    run_bodies(scene, collection, &wanted, threads, sink, progress)
}

/// Runs a collection and keeps what is wanted of it.
pub fn run_bodies(
    scene: &Scene,
    collection: BuiltBodies,
    wanted: &ObservableRequest,
    threads: Threads,
    sink: &mut dyn BodiesObserver,
    progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
) -> BodiesOutcome {
    match collection {
        BuiltBodies::Plane(assembly) => {
            follow::run(scene, assembly, wanted, threads, sink, progress)
        }
        BuiltBodies::Space(assembly) => {
            follow::run(scene, assembly, wanted, threads, sink, progress)
        }
    }
}

/// Checks what only the run would read: the conditions `stop`.
///
/// # Errors
/// A condition that cannot be read.
pub(crate) fn check_stops(scene: &Scene, collection: &BuiltBodies) -> Result<(), SceneError> {
    let checked = match collection {
        BuiltBodies::Plane(assembly) => follow::check_stops(assembly, scene.parameters()),
        BuiltBodies::Space(assembly) => follow::check_stops(assembly, scene.parameters()),
    };
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

/// A sink of bodies that keeps nothing.
impl BodiesObserver for crate::sink::NullObserver {
    fn on_step(
        &mut self,
        _step: usize,
        _view: WorldRef<'_>,
        _last: bool,
    ) -> Result<(), SceneError> {
        Ok(())
    }
}

/// A compiled observable of a run of bodies, shown every step, the start first.
#[derive(Debug)]
pub struct BodiesObservable(Observables);

impl BodiesObservable {
    /// Compiles an expression.
    ///
    /// # Errors
    /// What is wrong with it, with the place in the text.
    pub fn compile(
        cast: &SceneNames,
        dimension: usize,
        parameters: &[(String, f64)],
        text: &str,
    ) -> Result<Self, String> {
        let glossary = NameTable {
            names: cast,
            dimension,
            parameters,
            start: 0.0,
        };
        let panel = Observables::compile(&glossary, &[text]);
        panel.map(Self).map_err(|(_, error)| error.render(text))
    }

    /// Its value at the end of a step; NaN where there is none.
    pub fn evaluate(&mut self, view: WorldRef<'_>) -> f64 {
        self.0.evaluate(view).first().copied().unwrap_or(f64::NAN)
    }
}
