//! The loop: preparations, then the run.

use bodies::{Dim, World};

use super::begin::Begin;
use super::bins::Bins;
use super::events::Spotter;
use super::moment::{History, Kept, Moment, Past};
use super::outcome::{BodiesOutcome, Tick, Wanted};
use super::panel::Panel;
use super::resolve::Glossary;
use super::start;
use super::turn::Turn;
use super::walk::Walk;
use crate::certificate::Certificate;
use crate::collection::{Assembly, Cast, Steps};
use crate::error::SceneError;
use crate::file::{Formula, Scene};
use crate::finding::Threads;
use crate::run::{Stop, StopReason};

/// What hears of progress and says whether to go on.
pub(super) type Progress<'a> = dyn FnMut(&Tick<'_>) -> bool + 'a;

/// Bodies at the beginning of their run, with what the run needs to know.
pub(super) struct Led<D: Dim> {
    pub world: World<D>,
    pub past: Option<Past<D>>,
    pub outcome: BodiesOutcome,
    pub stop: Option<Formula>,
    pub record_every: usize,
}

/// Overlaps and preparations: from an assembly to the beginning of its run.
///
/// # Errors
/// There is no motion; the outcome says why.
pub(super) fn lead<D: Turn>(
    assembly: Assembly<D>,
    threads: Threads,
    sink: &mut dyn Steps,
    progress: &mut Progress<'_>,
) -> Result<Led<D>, Box<BodiesOutcome>> {
    let Assembly {
        model,
        state,
        mut settings,
        prepare,
        cast,
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
    let mut begin = Begin {
        state: Some(state),
        checked: false,
        overlap,
        threads: threads.get(),
    };
    let lead = |outcome: &mut BodiesOutcome, sink: &mut dyn Steps, progress: &mut Progress<'_>| {
        let mut past = Past::of(sink).map_err(StopReason::Bodies)?;
        let first = begin.skip(past.as_ref(), prepare.len(), outcome);
        for each in prepare.into_iter().enumerate().skip(first) {
            let from = past.take_if(|past| past.moment.preparation == Some(each.0));
            begin.prepare(each, from, outcome, sink, progress)?;
        }
        let world = begin.world(model, settings, start, (past.as_mut(), outcome));
        Ok((world.map_err(StopReason::Bodies)?, past))
    };
    match lead(&mut outcome, sink, progress) {
        Ok((world, past)) => {
            if past.is_none() {
                outcome.name_redundant(&world);
            }
            Ok(Led {
                world,
                past,
                outcome,
                stop,
                record_every,
            })
        }
        Err(reason) => {
            outcome.refuse(start, reason);
            Err(Box::new(outcome))
        }
    }
}

/// Runs an assembly.
pub(super) fn run<D: Turn>(
    scene: &Scene,
    assembly: Assembly<D>,
    wanted: &Wanted,
    threads: Threads,
    sink: &mut dyn Steps,
    progress: &mut Progress<'_>,
) -> BodiesOutcome {
    let led = match lead(assembly, threads, sink, progress) {
        Ok(led) => led,
        Err(outcome) => return *outcome,
    };
    let Led {
        mut world,
        past,
        mut outcome,
        stop,
        record_every,
    } = led;
    let main = Main {
        wanted,
        stop: stop.as_ref(),
        parameters: scene.parameters(),
        record_every,
    };
    let begun = Walk::begin(&main, &world, past, &mut outcome, sink);
    if let Some(mut walk) = begun {
        while walk.turn(&main, &mut world, &mut outcome, sink, progress) {}
        walk.close(&world, &mut outcome);
    }
    outcome
}

impl BodiesOutcome {
    /// Names the joints that hold what others hold already.
    fn name_redundant<D: Dim>(&mut self, world: &World<D>) {
        let spare = world.redundant_rows().iter();
        let names = spare.filter_map(|&joint| self.cast.joints.get(joint).cloned());
        self.redundant = names.collect();
    }

    /// There is no motion.
    pub(super) fn refuse(&mut self, t: f64, reason: StopReason) {
        self.stopped = Some(Stop {
            t,
            started: false,
            reason,
        });
    }

    /// What observables may speak of.
    pub(crate) fn glossary<'a>(&'a self, parameters: &'a [(String, f64)]) -> Glossary<'a> {
        Glossary {
            cast: &self.cast,
            dimension: self.dimension,
            parameters,
            start: self.start,
        }
    }
}

/// The run itself.
pub(super) struct Main<'a> {
    pub wanted: &'a Wanted,
    pub stop: Option<&'a Formula>,
    pub parameters: &'a [(String, f64)],
    pub record_every: usize,
}

impl Main<'_> {
    /// What is read at every step: what was asked for, then the condition.
    fn panel(&self, outcome: &BodiesOutcome) -> Result<Panel, String> {
        let asked = self.wanted.observables.iter().map(String::as_str);
        let stop = self.stop.iter().map(|stop| stop.text.as_str());
        let texts: Vec<&str> = asked.chain(stop).collect();
        let panel = Panel::compile(&outcome.glossary(self.parameters), &texts);
        panel.map_err(|(at, error)| match texts.get(at) {
            Some(text) => error.render(text),
            None => error.problem,
        })
    }

    /// What looks at every step.
    pub fn look(&self, outcome: &BodiesOutcome) -> Result<Look, String> {
        Ok(Look {
            panel: self.panel(outcome)?,
            bins: self.bins(outcome)?,
            spotter: self.spotter(outcome),
            kept: Kept::default(),
        })
    }

    /// Looks at the end of a step.
    pub fn take<D: Turn>(&self, world: &World<D>, look: &mut Look, outcome: &mut BodiesOutcome) {
        start::certify(&mut outcome.certificate, world, &outcome.cast);
        outcome.most_contacts = outcome.most_contacts.max(world.num_contacts());
        let values = look.panel.read(D::view(world));
        outcome.halted = self.stop.is_some() && values.last().is_some_and(|x| holds(*x));
        outcome.keep(world.state().t, values);
        look.spotter.step(world);
    }

    fn bins(&self, outcome: &BodiesOutcome) -> Result<Bins, String> {
        match self.wanted.distributions {
            true => Bins::new(&outcome.glossary(self.parameters), self.record_every),
            false => Ok(Bins::default()),
        }
    }

    fn spotter(&self, outcome: &BodiesOutcome) -> Spotter {
        let glossary = outcome.glossary(self.parameters);
        let names = self.wanted.watches.iter();
        let numbers: Vec<usize> = names
            .filter_map(|name| glossary.watch_named(name))
            .collect();
        Spotter::new(&glossary, &numbers)
    }

    pub fn prepare_series(&self, outcome: &mut BodiesOutcome) {
        let texts = self.wanted.observables.iter();
        outcome.series = texts.map(|text| (text.clone(), Vec::new())).collect();
    }
}

/// What looks at every step of the run, and how much of what it saw is in a history.
pub(super) struct Look {
    pub panel: Panel,
    pub bins: Bins,
    pub spotter: Spotter,
    kept: Kept,
}

impl Look {
    /// Goes on where an interrupted run was; gives the number of its step.
    pub fn recall<D: Dim>(&mut self, mut past: Past<D>, outcome: &mut BodiesOutcome) -> usize {
        let events = past.gather(outcome);
        (_, self.kept) = History::since(Kept::default(), outcome, &events);
        let moment = past.moment;
        self.panel.recall(moment.panel);
        self.bins.recall(moment.bins);
        self.spotter.recall(moment.spotter, events);
        moment.step
    }

    /// Hands over what the run would be continued from.
    pub fn keep<D: Dim>(
        &mut self,
        step: usize,
        world: &World<D>,
        outcome: &BodiesOutcome,
        sink: &mut dyn Steps,
    ) -> Result<(), SceneError> {
        let (history, kept) = History::since(self.kept, outcome, &self.spotter.events);
        let moment = Moment {
            step,
            panel: self.panel.memory(),
            spotter: self.spotter.memory(),
            bins: self.bins.memory(),
            ..Moment::of(world.report(), outcome)
        };
        moment.keep(world.state(), &history, sink)?;
        self.kept = kept;
        Ok(())
    }
}

impl BodiesOutcome {
    pub(super) fn keep(&mut self, t: f64, values: &[f64]) {
        self.times.push(t);
        for ((_, series), value) in self.series.iter_mut().zip(values) {
            series.push(*value);
        }
    }

    pub(super) fn stop<D: Dim>(&mut self, world: &World<D>, reason: StopReason) {
        self.stopped = Some(Stop {
            t: world.state().t,
            started: true,
            reason,
        });
    }
}

/// Whether a condition is true: what has no value is not.
pub(super) fn holds(value: f64) -> bool {
    value != 0.0 && !value.is_nan()
}

pub(super) fn tick<'a, D: Dim>(
    world: &World<D>,
    preparation: Option<&'a str>,
    (step, certificate): (usize, &'a Certificate),
    (start, until): (f64, f64),
) -> Tick<'a> {
    let (t, ledger) = (world.state().t, world.report());
    Tick {
        preparation,
        step,
        t,
        until,
        share: ((t - start) / (until - start)).clamp(0.0, 1.0),
        contacts: world.num_contacts(),
        iterations: ledger.iterations,
        residual: ledger.residual,
        tolerance: world.settings().tolerance,
        reached: ledger.reached,
        penetration: ledger.penetration,
        gain: ledger.gain,
        gamma: ledger.gamma,
        certificate,
    }
}

/// Checks the conditions `stop` of a scene and its preparations.
///
/// # Errors
/// The part and key, the formula, and what is wrong with it.
pub(super) fn check_stops<D: Dim>(
    assembly: &Assembly<D>,
    parameters: &[(String, f64)],
) -> Result<(), (String, Formula, String)> {
    let check = |part: String, formula: &Formula, cast: &Cast, parameters: &[(String, f64)]| {
        let glossary = Glossary {
            cast,
            dimension: D::N,
            parameters,
            start: assembly.start,
        };
        match Panel::compile(&glossary, &[&formula.text]) {
            Ok(_) => Ok(()),
            Err((_, error)) => Err((part, formula.clone(), error.render(&formula.text))),
        }
    };
    if let Some(stop) = &assembly.stop {
        check("[run]".to_string(), stop, &assembly.cast, parameters)?;
    }
    for preparation in &assembly.prepare {
        if let Some(stop) = &preparation.stop {
            let part = format!("prepare `{}`", preparation.name);
            check(part, stop, &assembly.cast, &preparation.parameters)?;
        }
    }
    Ok(())
}
