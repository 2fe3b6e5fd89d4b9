//! The loop: preparations, then the run.

use bodies::{Dim, Model, Settings, State, World};

use super::bins::Bins;
use super::events::Spotter;
use super::outcome::{BodiesOutcome, Prepared, Tick, Wanted};
use super::panel::Panel;
use super::resolve::Glossary;
use super::start;
use super::turn::Turn;
use crate::certificate::Certificate;
use crate::collection::{Assembly, Cast, Preparation, Steps};
use crate::file::{Formula, Scene};
use crate::finding::Threads;
use crate::run::{LEFT, Stop, StopReason};

/// What hears of progress and says whether to go on.
pub(super) type Progress<'a> = dyn FnMut(&Tick<'_>) -> bool + 'a;

/// Runs an assembly.
pub(super) fn run<D: Turn>(
    scene: &Scene,
    assembly: Assembly<D>,
    wanted: &Wanted,
    threads: Threads,
    sink: &mut dyn Steps,
    progress: &mut Progress<'_>,
) -> BodiesOutcome {
    let Assembly {
        model,
        state,
        mut settings,
        prepare,
        cast,
        start,
        until,
        overlap,
        stop,
        record_every,
        ..
    } = assembly;
    settings.threads = threads.get();
    let mut outcome = BodiesOutcome::new(cast, D::N, (start, until), settings.step);
    let mut begin = Begin {
        state: Some(state),
        checked: false,
        overlap,
        threads: threads.get(),
    };
    for preparation in prepare {
        if let Err(reason) = begin.prepare(preparation, &mut outcome, progress) {
            outcome.refuse(start, reason);
            return outcome;
        }
    }
    let world = begin.world(model, settings, start, &mut outcome);
    let world = match world {
        Ok(world) => world,
        Err(reason) => {
            outcome.refuse(start, StopReason::Bodies(reason));
            return outcome;
        }
    };
    let spare = world.redundant_joints().iter();
    let names = spare.filter_map(|&joint| outcome.cast.joints.get(joint).cloned());
    outcome.redundant = names.collect();
    let main = Main {
        wanted,
        stop: stop.as_ref(),
        parameters: scene.parameters(),
        record_every,
    };
    main.follow(world, &mut outcome, sink, progress);
    outcome
}

impl BodiesOutcome {
    /// There is no motion.
    fn refuse(&mut self, t: f64, reason: StopReason) {
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

/// From the state of the scene to that of the run.
struct Begin<D: Dim> {
    state: Option<State<D>>,
    /// Whether overlaps have been looked at.
    checked: bool,
    overlap: crate::collection::OverlapRule,
    threads: usize,
}

impl<D: Turn> Begin<D> {
    /// The bodies under new conditions at a new time. Guided bodies go on from where they are.
    fn world(
        &mut self,
        model: Model<D>,
        settings: Settings,
        t: f64,
        outcome: &mut BodiesOutcome,
    ) -> Result<World<D>, String> {
        let mut state = self.state.take().ok_or("there is no state")?;
        state.t = t;
        let world = World::new(model, state, settings);
        let mut world = world.map_err(|error| start::explain(&error, &outcome.cast))?;
        if !self.checked {
            outcome.relaxed = start::part(&mut world, &outcome.cast, self.overlap)?;
            self.checked = true;
        }
        Ok(world)
    }

    fn prepare(
        &mut self,
        preparation: Preparation<D>,
        outcome: &mut BodiesOutcome,
        progress: &mut Progress<'_>,
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
        let wrong = |reason: String| StopReason::Bodies(format!("preparation `{name}`: {reason}"));
        settings.threads = self.threads;
        // Guides of a preparation may be others than those of the run.
        if let Some(state) = &mut self.state {
            state.anchors.clear();
        }
        let mut world = self.world(model, settings, 0.0, outcome).map_err(wrong)?;
        let stop: Vec<&str> = stop.iter().map(|stop| stop.text.as_str()).collect();
        let panel = Panel::compile(&outcome.glossary(&parameters), &stop);
        let mut panel = panel.map_err(|(_, error)| wrong(error.render(stop[0])))?;
        let mut prepared = Prepared {
            name: name.clone(),
            duration: 0.0,
            certificate: Certificate::new(),
            halted: false,
        };
        panel.read(D::view(&world));
        let end = until - LEFT * world.settings().step.min(until);
        while world.state().t < end && !prepared.halted {
            let step = world.advance();
            step.map_err(|error| {
                let (t, error) = (world.state().t, start::explain(&error, &outcome.cast));
                wrong(format!("stopped at t = {t}: {error}"))
            })?;
            prepared.certificate.add_bodies(world.ledger());
            prepared.halted = panel
                .read(D::view(&world))
                .first()
                .is_some_and(|x| holds(*x));
            let step = prepared.certificate.steps;
            if !progress(&tick(&world, Some(&name), step, (0.0, until))) {
                return Err(StopReason::Asked);
            }
        }
        require(!must || prepared.halted, &world, &stop, until).map_err(wrong)?;
        prepared.duration = world.state().t;
        let mut state = world.into_state();
        state.anchors.clear();
        if rest {
            state.velocities.fill(D::REST);
        }
        self.state = Some(state);
        outcome.prepared.push(prepared);
        Ok(())
    }
}

/// The run itself.
struct Main<'a> {
    wanted: &'a Wanted,
    stop: Option<&'a Formula>,
    parameters: &'a [(String, f64)],
    record_every: usize,
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

    fn follow<D: Turn>(
        &self,
        mut world: World<D>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Steps,
        progress: &mut Progress<'_>,
    ) {
        let (start, until) = (outcome.start, outcome.until);
        let mut panel = match self.panel(outcome) {
            Ok(panel) => panel,
            Err(reason) => return outcome.refuse(start, StopReason::Bodies(reason)),
        };
        let mut bins = match self.bins(outcome) {
            Ok(bins) => bins,
            Err(reason) => return outcome.refuse(start, StopReason::Bodies(reason)),
        };
        let mut spotter = self.spotter(outcome);
        let end = until - LEFT * world.settings().step.min(until - start);
        self.prepare_series(outcome);
        outcome.keep(world.state().t, panel.read(D::view(&world)));
        let mut reason = sink.step(0, D::view(&world), !(world.state().t < end));
        let mut step = 0;
        while reason.is_ok() && world.state().t < end && !outcome.halted {
            if let Err(error) = world.advance() {
                outcome.stop(
                    &world,
                    StopReason::Bodies(start::explain(&error, &outcome.cast)),
                );
                // The last state is given once more, as the last: contacts of the step that failed
                // are none of its contacts.
                world.overlaps(f64::INFINITY);
                reason = sink.step(step, D::view(&world), true);
                break;
            }
            step += 1;
            outcome.certificate.add_bodies(world.ledger());
            outcome.most_contacts = outcome.most_contacts.max(world.num_contacts());
            let values = panel.read(D::view(&world));
            outcome.halted = self.stop.is_some() && values.last().is_some_and(|x| holds(*x));
            outcome.keep(world.state().t, values);
            spotter.step(&world);
            let going = progress(&tick(&world, None, step, (start, until)));
            let last = !going || outcome.halted || !(world.state().t < end);
            bins.step(step, &world, last);
            reason = sink.step(step, D::view(&world), last);
            if !going && !outcome.halted && world.state().t < end {
                outcome.stop(&world, StopReason::Asked);
                break;
            }
        }
        if let Err(error) = reason {
            outcome.stop(&world, StopReason::Sink(error));
        }
        outcome.events = spotter.into_events();
        outcome.distributions = bins.into_counts();
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

    fn prepare_series(&self, outcome: &mut BodiesOutcome) {
        let texts = self.wanted.observables.iter();
        outcome.series = texts.map(|text| (text.clone(), Vec::new())).collect();
    }
}

impl BodiesOutcome {
    fn keep(&mut self, t: f64, values: &[f64]) {
        self.times.push(t);
        for ((_, series), value) in self.series.iter_mut().zip(values) {
            series.push(*value);
        }
    }

    fn stop<D: Dim>(&mut self, world: &World<D>, reason: StopReason) {
        self.stopped = Some(Stop {
            t: world.state().t,
            started: true,
            reason,
        });
    }
}

/// Refuses a preparation that had to reach a condition: how far it came.
fn require<D: Turn>(met: bool, world: &World<D>, stop: &[&str], until: f64) -> Result<(), String> {
    if met {
        return Ok(());
    }
    let text = stop.first().copied().unwrap_or("");
    let mut reached = format!("kinetic = {:.3e}", world.ledger().kinetic);
    if let Some(fraction) = super::cell::fraction(world) {
        reached = format!("cell_fraction = {fraction:.4}, {reached}");
    }
    Err(format!(
        "`{text}` did not become true until t = {until}; reached: {reached}. Give it more time, or \
         ask for less"
    ))
}

/// Whether a condition is true: what has no value is not.
fn holds(value: f64) -> bool {
    value != 0.0 && !value.is_nan()
}

fn tick<'a, D: Dim>(
    world: &World<D>,
    preparation: Option<&'a str>,
    step: usize,
    (start, until): (f64, f64),
) -> Tick<'a> {
    let (t, ledger) = (world.state().t, world.ledger());
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
        gamma: f64::INFINITY,
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
