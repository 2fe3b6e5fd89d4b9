//! A run of bodies from the built scene to its outcome: preparations, then the steps of
//! [`BodiesDriver`].

use percuss_bodies::{Dim, World};
use percuss_record::Observer;
use percuss_scene::bodies_scene::{BodiesSetup, NameTable, SceneNames};
use percuss_scene::{Formula, Scene, SceneError};

use super::bodies_driver::BodiesDriver;
use super::checkpoint::{BodiesCheckpoint, HistoryIncrement, HistoryLength, RestoredRun};
use super::distributions::DistributionCounter;
use super::event_detector::EventDetector;
use super::event_driven;
use super::observables::Observables;
use super::observed_dim::ObservedDim;
use super::outcome::{BodiesOutcome, ObservableRequest};
use super::preparation::PreparationRunner;
use crate::parallel::Threads;
use crate::progress::ProgressCallback;
use crate::simulation::Checkpoint;
use crate::stop::{EarlyStop, StopReason};

/// Bodies at the start of their run: initial overlaps resolved, preparations done.
pub(super) struct Prepared<D: Dim> {
    pub world: World<D>,
    pub checkpoint: Option<RestoredRun<D>>,
    pub outcome: BodiesOutcome,
    pub stop: Option<Formula>,
    pub record_every: usize,
}

/// Resolves initial overlaps and runs the preparations.
///
/// # Errors
/// The run cannot start; the outcome says why.
pub(super) fn prepare<D: ObservedDim>(
    scene: &Scene,
    assembly: BodiesSetup<D>,
    threads: Threads,
    sink: &mut dyn Observer,
    progress: &mut ProgressCallback<'_>,
) -> Result<Prepared<D>, Box<BodiesOutcome>> {
    // Parts of the built scene.
    let BodiesSetup {
        model,
        state,
        mut settings,
        event_driven,
        prepare,
        names: cast,
        start,
        until,
        overlap,
        bounds,
        stop,
        record_every,
        ..
    } = assembly;
    settings.threads = threads.get();
    let mut outcome = BodiesOutcome::new(cast, D::N, (start, until), (settings.step, bounds));
    let mut begin = PreparationRunner {
        state: Some(state),
        checked: false,
        overlap,
        threads: threads.get(),
    };
    // From the checkpoint, if there is one: preparations that are done are skipped.
    let lead = |outcome: &mut BodiesOutcome,
                sink: &mut dyn Observer,
                progress: &mut ProgressCallback<'_>| {
        let mut past = RestoredRun::of(sink).map_err(StopReason::Bodies)?;
        let first = begin.skip(past.as_ref(), prepare.len(), outcome);
        for each in prepare.into_iter().enumerate().skip(first) {
            let from = past.take_if(|past| past.checkpoint.preparation == Some(each.0));
            begin.prepare(each, from, outcome, sink, progress)?;
        }
        // The world of the run starts from the final state of the last preparation.
        let world = begin.world(model, settings, start, (past.as_mut(), outcome));
        let mut world = world.map_err(StopReason::Bodies)?;
        if event_driven {
            event_driven::begin(scene, &mut world).map_err(StopReason::Bodies)?;
        }
        Ok((world, past))
    };
    match lead(&mut outcome, sink, progress) {
        Ok((world, past)) => {
            // A resumed run has the redundant joint rows in its checkpoint.
            if past.is_none() {
                outcome.name_redundant(&world);
            }
            Ok(Prepared {
                world,
                checkpoint: past,
                outcome,
                stop,
                record_every,
            })
        }
        // The outcome of a run that could not start has names and preparations all the same.
        Err(reason) => {
            outcome.set_not_started(start, reason);
            Err(Box::new(outcome))
        }
    }
}

/// Runs bodies from preparation to end.
pub(super) fn run<D: ObservedDim>(
    scene: &Scene,
    assembly: BodiesSetup<D>,
    wanted: &ObservableRequest,
    threads: Threads,
    sink: &mut dyn Observer,
    progress: &mut ProgressCallback<'_>,
) -> BodiesOutcome {
    let led = match prepare(scene, assembly, threads, sink, progress) {
        Ok(led) => led,
        Err(outcome) => return *outcome,
    };
    let Prepared {
        mut world,
        checkpoint: past,
        mut outcome,
        stop,
        record_every,
    } = led;
    // Observables, stop condition and record interval.
    let main = RunSpec {
        wanted,
        stop: stop.as_ref(),
        parameters: scene.parameters(),
        record_every,
    };
    // Steps until the driver says that it is over.
    let begun = BodiesDriver::begin(&main, &world, past, &mut outcome, sink);
    if let Some(mut driver) = begun {
        while driver.step(&main, &mut world, &mut outcome, sink, progress) {}
        driver.close(&mut outcome);
    }
    outcome
}

impl BodiesOutcome {
    /// Stores the names of the joints with redundant rows (statically indeterminate joints).
    fn name_redundant<D: Dim>(&mut self, world: &World<D>) {
        let spare = world.redundant_rows().iter();
        let names = spare.filter_map(|&joint| self.names.joints.get(joint).cloned());
        self.redundant = names.collect();
    }

    /// Records that the run could not start.
    pub(super) fn set_not_started(&mut self, t: f64, reason: StopReason) {
        self.stopped = Some(EarlyStop {
            t,
            started: false,
            reason,
        });
    }

    /// The names that observables may use.
    pub fn name_table<'a>(&'a self, parameters: &'a [(String, f64)]) -> NameTable<'a> {
        NameTable {
            names: &self.names,
            dimension: self.dimension,
            parameters,
            start: self.start,
        }
    }
}

/// What the step loop needs to know of the run.
pub(super) struct RunSpec<'a> {
    pub wanted: &'a ObservableRequest,
    pub stop: Option<&'a Formula>,
    pub parameters: &'a [(String, f64)],
    pub record_every: usize,
}

impl RunSpec<'_> {
    /// Compiles the requested observables, followed by the stop condition.
    fn observables(&self, outcome: &BodiesOutcome) -> Result<Observables, String> {
        // One program for all texts.
        let asked = self.wanted.observables.iter().map(String::as_str);
        let stop = self.stop.iter().map(|stop| stop.text.as_str());
        let texts: Vec<&str> = asked.chain(stop).collect();
        let panel = Observables::compile(&outcome.name_table(self.parameters), &texts);
        panel.map_err(|(at, error)| match texts.get(at) {
            Some(text) => error.render(text),
            None => error.problem,
        })
    }

    /// The observers of every step: observables, distributions, event detector.
    pub fn observers(&self, outcome: &BodiesOutcome) -> Result<RunObservers, String> {
        Ok(RunObservers {
            observables: self.observables(outcome)?,
            distributions: self.distributions(outcome)?,
            event_detector: self.event_detector(outcome),
            kept: HistoryLength::default(),
        })
    }

    /// Observes the end of a step: observables and stop condition, events.
    pub fn observe<D: ObservedDim>(
        &self,
        world: &World<D>,
        look: &mut RunObservers,
        outcome: &mut BodiesOutcome,
    ) {
        outcome.most_contacts = outcome.most_contacts.max(world.num_contacts());
        let values = look.observables.evaluate(D::view(world));
        // The stop condition is the last of the compiled texts.
        outcome.halted = self.stop.is_some() && values.last().is_some_and(|x| holds(*x));
        outcome.push_state(world.state().t, values);
        look.event_detector.step(world);
    }

    /// The distributions to be counted; none where they are not requested.
    fn distributions(&self, outcome: &BodiesOutcome) -> Result<DistributionCounter, String> {
        match self.wanted.distributions {
            true => {
                DistributionCounter::new(&outcome.name_table(self.parameters), self.record_every)
            }
            false => Ok(DistributionCounter::default()),
        }
    }

    /// The event detector of the requested watches.
    fn event_detector(&self, outcome: &BodiesOutcome) -> EventDetector {
        let glossary = outcome.name_table(self.parameters);
        // Watches that the scene does not have are left out.
        let names = self.wanted.watches.iter();
        let numbers: Vec<usize> = names
            .filter_map(|name| glossary.event_source_named(name))
            .collect();
        EventDetector::new(&glossary, &numbers)
    }

    /// Makes an empty series for every requested observable.
    pub fn prepare_series(&self, outcome: &mut BodiesOutcome) {
        let texts = self.wanted.observables.iter();
        outcome.series = texts.map(|text| (text.clone(), Vec::new())).collect();
    }
}

/// The observers of every step of the run, and how much of what they gathered is in checkpoints
/// already.
pub(super) struct RunObservers {
    pub observables: Observables,
    pub distributions: DistributionCounter,
    pub event_detector: EventDetector,
    kept: HistoryLength,
}

impl RunObservers {
    /// Restores the observers from a checkpoint; returns the number of its step.
    pub fn restore<D: Dim>(
        &mut self,
        mut past: RestoredRun<D>,
        outcome: &mut BodiesOutcome,
    ) -> usize {
        let events = past.restore_histories(outcome);
        // What comes from the checkpoint counts as written.
        (_, self.kept) = HistoryIncrement::since(HistoryLength::default(), outcome, &events);
        let moment = past.checkpoint;
        self.observables.restore(moment.observables);
        self.distributions.restore(moment.distributions);
        self.event_detector.restore(moment.event_detector, events);
        moment.step
    }

    /// Writes a checkpoint with what was gathered since the previous one.
    pub fn write<D: Dim>(
        &mut self,
        checkpoint: &Checkpoint<'_>,
        world: &World<D>,
        outcome: &BodiesOutcome,
        sink: &mut dyn Observer,
    ) -> Result<(), SceneError> {
        // The history since the previous checkpoint.
        let (history, kept) =
            HistoryIncrement::since(self.kept, outcome, &self.event_detector.events);
        let moment = BodiesCheckpoint {
            step: checkpoint.step,
            certificate: checkpoint.certificate.clone(),
            observables: self.observables.checkpoint(),
            event_detector: self.event_detector.checkpoint(),
            distributions: self.distributions.checkpoint(),
            ..BodiesCheckpoint::of(world.report(), outcome)
        };
        moment.write(world.state(), &history, sink)?;
        self.kept = kept;
        Ok(())
    }
}

/// Times and series.
impl BodiesOutcome {
    /// Appends a state: its time and the values of the observables.
    pub(super) fn push_state(&mut self, t: f64, values: &[f64]) {
        self.times.push(t);
        for ((_, series), value) in self.series.iter_mut().zip(values) {
            series.push(*value);
        }
    }
}

/// Whether a condition is true; NaN is false.
pub(super) fn holds(value: f64) -> bool {
    value != 0.0 && !value.is_nan()
}

/// Checks the stop conditions of a run and of its preparations.
///
/// # Errors
/// The part of the scene, the formula, and the message.
pub(super) fn check_stops<D: Dim>(
    assembly: &BodiesSetup<D>,
    parameters: &[(String, f64)],
) -> Result<(), (String, Formula, String)> {
    // Compiling is the check; the program is dropped.
    let check =
        |part: String, formula: &Formula, cast: &SceneNames, parameters: &[(String, f64)]| {
            let glossary = NameTable {
                names: cast,
                dimension: D::N,
                parameters,
                start: assembly.start,
            };
            match Observables::compile(&glossary, &[&formula.text]) {
                Ok(_) => Ok(()),
                Err((_, error)) => Err((part, formula.clone(), error.render(&formula.text))),
            }
        };
    // The run itself, then each preparation with its own parameters.
    if let Some(stop) = &assembly.stop {
        check("[run]".to_string(), stop, &assembly.names, parameters)?;
    }
    for preparation in &assembly.prepare {
        if let Some(stop) = &preparation.stop {
            let part = format!("prepare `{}`", preparation.name);
            check(part, stop, &assembly.names, &preparation.parameters)?;
        }
    }
    Ok(())
}
