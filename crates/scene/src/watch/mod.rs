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

pub use live::{Course, Live, Score};
pub use outcome::{BodiesOutcome, Prepared, Tick, Wanted, preparation_warnings};

pub(crate) use grains::ANGLE;
pub(crate) use panel::Panel;
pub(crate) use resolve::{Glossary, words};

use bodies::{Plane, Space};

use crate::collection::{Cast, Collection, Steps, View};
use crate::error::{InputError, SceneError};
use crate::file::Scene;
use crate::finding::{self, Threads};
use crate::record::{DataFile, bodies_settings_json};

impl Collection {
    /// Names of its parts.
    pub fn cast(&self) -> &Cast {
        match self {
            Self::Plane(assembly) => &assembly.cast,
            Self::Space(assembly) => &assembly.cast,
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
    pub(crate) fn glossary<'a>(&'a self, parameters: &'a [(String, f64)]) -> Glossary<'a> {
        Glossary {
            cast: self.cast(),
            dimension: self.dimension(),
            parameters,
            start: self.span().0,
        }
    }
}

/// Runs a collection. Every step goes to `sink`; the values of the observables `observe` at every
/// step, and the events of the watches that the scene's findings ask for, are kept in the outcome;
/// `progress` says whether to go on. Results do not depend on the number of threads.
pub fn run_collection(
    scene: &Scene,
    collection: Collection,
    observe: &[String],
    threads: Threads,
    sink: &mut dyn Steps,
    progress: &mut dyn FnMut(&Tick<'_>) -> bool,
) -> BodiesOutcome {
    let known = finding::wanted(scene, &collection);
    let wanted = Wanted {
        observables: observe.to_vec(),
        watches: known.map_or_else(|_| Vec::new(), |wanted| wanted.watches),
        distributions: false,
    };
    run_wanted(scene, collection, &wanted, threads, sink, progress)
}

/// Runs a collection and keeps what is wanted of it.
pub fn run_wanted(
    scene: &Scene,
    collection: Collection,
    wanted: &Wanted,
    threads: Threads,
    sink: &mut dyn Steps,
    progress: &mut dyn FnMut(&Tick<'_>) -> bool,
) -> BodiesOutcome {
    match collection {
        Collection::Plane(assembly) => {
            follow::run(scene, assembly, wanted, threads, sink, progress)
        }
        Collection::Space(assembly) => {
            follow::run(scene, assembly, wanted, threads, sink, progress)
        }
    }
}

/// Checks what only the run would read: the conditions `stop`.
///
/// # Errors
/// A condition that cannot be read.
pub(crate) fn check_stops(scene: &Scene, collection: &Collection) -> Result<(), SceneError> {
    let checked = match collection {
        Collection::Plane(assembly) => follow::check_stops(assembly, scene.parameters()),
        Collection::Space(assembly) => follow::check_stops(assembly, scene.parameters()),
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
impl Steps for crate::sink::Discard {
    fn step(&mut self, _step: usize, _view: View<'_>, _last: bool) -> Result<(), SceneError> {
        Ok(())
    }
}

/// A compiled observable of a run of bodies, shown every step, the start first.
#[derive(Debug)]
pub struct Observer(Panel);

impl Observer {
    /// Compiles an expression.
    ///
    /// # Errors
    /// What is wrong with it, with the place in the text.
    pub fn compile(
        cast: &Cast,
        dimension: usize,
        parameters: &[(String, f64)],
        text: &str,
    ) -> Result<Self, String> {
        let glossary = Glossary {
            cast,
            dimension,
            parameters,
            start: 0.0,
        };
        let panel = Panel::compile(&glossary, &[text]);
        panel.map(Self).map_err(|(_, error)| error.render(text))
    }

    /// Its value at the end of a step; NaN where there is none.
    pub fn evaluate(&mut self, view: View<'_>) -> f64 {
        self.0.read(view).first().copied().unwrap_or(f64::NAN)
    }
}
