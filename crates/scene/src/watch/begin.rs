//! From the state of a scene to that of its run: overlaps, preparations.

use bodies::{Dim, Model, Settings, State, World};

use super::follow::{Progress, holds, tick};
use super::moment::{History, Moment, Past};
use super::outcome::{BodiesOutcome, Prepared};
use super::panel::Panel;
use super::start;
use super::turn::Turn;
use crate::certificate::Certificate;
use crate::collection::{Preparation, Steps};
use crate::run::{LEFT, StopReason};

/// From the state of the scene to that of the run.
pub(super) struct Begin<D: Dim> {
    pub state: Option<State<D>>,
    /// Whether overlaps have been looked at.
    pub checked: bool,
    pub overlap: crate::collection::OverlapRule,
    pub threads: usize,
}

impl<D: Turn> Begin<D> {
    /// How many of the preparations are done already.
    pub fn skip(
        &mut self,
        past: Option<&Past<D>>,
        all: usize,
        outcome: &mut BodiesOutcome,
    ) -> usize {
        let Some(past) = past else {
            return 0;
        };
        self.checked = true;
        past.put(outcome);
        past.moment.preparation.unwrap_or(all)
    }

    /// The bodies under new conditions at a new time, or where they were when they were interrupted.
    /// Guided bodies go on from where they are.
    pub fn world(
        &mut self,
        model: Model<D>,
        settings: Settings,
        t: f64,
        (past, outcome): (Option<&mut Past<D>>, &mut BodiesOutcome),
    ) -> Result<World<D>, String> {
        let explain = |error| start::explain(&error, &outcome.cast);
        if let Some(past) = past {
            let state = past.state.take().ok_or("there is no state")?;
            let world = World::resume(model, state, settings, past.moment.ledger);
            return world.map_err(explain);
        }
        let mut state = self.state.take().ok_or("there is no state")?;
        state.t = t;
        let mut world = World::new(model, state, settings).map_err(explain)?;
        if !self.checked {
            outcome.relaxed = start::part(&mut world, &outcome.cast, self.overlap)?;
            self.checked = true;
        }
        Ok(world)
    }

    /// Runs a preparation, by its number, from its beginning or from where it was.
    pub fn prepare(
        &mut self,
        (number, preparation): (usize, Preparation<D>),
        mut past: Option<Past<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn Steps,
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
            state.kinematic_origins.clear();
        }
        let world = self.world(model, settings, 0.0, (past.as_mut(), outcome));
        let stop: Vec<&str> = stop.iter().map(|stop| stop.text.as_str()).collect();
        let panel = Panel::compile(&outcome.glossary(&parameters), &stop);
        let panel = panel.map_err(|(_, error)| wrong(error.render(stop[0])))?;
        let mut rehearsal = Rehearsal {
            number,
            name: &name,
            world: world.map_err(wrong)?,
            panel,
            step: 0,
            certificate: Certificate::within(*outcome.certificate.bounds()),
            halted: false,
        };
        rehearsal.begin(past);
        rehearsal.run(until, outcome, sink, progress)?;
        let Rehearsal {
            world,
            certificate,
            halted,
            ..
        } = rehearsal;
        require(!must || halted, &world, &stop, until).map_err(wrong)?;
        outcome.prepared.push(Prepared {
            name: name.clone(),
            duration: world.state().t,
            certificate,
            halted,
        });
        self.hand_over(world, rest);
        Ok(())
    }

    /// The state at the end of a preparation is that of what comes next.
    fn hand_over(&mut self, world: World<D>, rest: bool) {
        let mut state = world.into_state();
        state.kinematic_origins.clear();
        if rest {
            state.velocities.fill(D::ZERO_VELOCITY);
        }
        self.state = Some(state);
    }
}

/// A preparation that is running.
struct Rehearsal<'a, D: Dim> {
    number: usize,
    name: &'a str,
    world: World<D>,
    panel: Panel,
    step: usize,
    certificate: Certificate,
    halted: bool,
}

impl<D: Turn> Rehearsal<'_, D> {
    /// Looks at the start, or goes on where it was interrupted.
    fn begin(&mut self, past: Option<Past<D>>) {
        let Some(Past { moment, .. }) = past else {
            self.panel.read(D::view(&self.world));
            self.certificate.begin(self.world.report());
            return;
        };
        self.step = moment.step;
        self.certificate = moment.certificate;
        self.panel.recall(moment.panel);
    }

    fn run(
        &mut self,
        until: f64,
        outcome: &BodiesOutcome,
        sink: &mut dyn Steps,
        progress: &mut Progress<'_>,
    ) -> Result<(), StopReason> {
        let end = until - LEFT * self.world.settings().step.min(until);
        while self.world.state().t < end && !self.halted {
            self.world.step().map_err(|error| {
                let t = self.world.state().t;
                let error = start::explain(&error, &outcome.cast);
                let name = self.name;
                StopReason::Bodies(format!("preparation `{name}`: stopped at t = {t}: {error}"))
            })?;
            self.step += 1;
            start::certify(&mut self.certificate, &self.world, &outcome.cast);
            let values = self.panel.read(D::view(&self.world));
            self.halted = values.first().is_some_and(|x| holds(*x));
            let going = progress(&tick(
                &self.world,
                Some(self.name),
                (self.step, &self.certificate),
                (0.0, until),
            ));
            sink.rehearse().map_err(StopReason::Sink)?;
            if self.halted {
                // Whoever wants to stop is asked again at the first step of what comes next.
                break;
            }
            if sink.due() || !going {
                self.keep(outcome, sink)?;
            }
            if !going {
                return Err(StopReason::Asked);
            }
        }
        Ok(())
    }

    fn keep(&self, outcome: &BodiesOutcome, sink: &mut dyn Steps) -> Result<(), StopReason> {
        let moment = Moment {
            preparation: Some(self.number),
            step: self.step,
            certificate: self.certificate.clone(),
            panel: self.panel.memory(),
            ..Moment::of(self.world.report(), outcome)
        };
        let kept = moment.keep(self.world.state(), &History::default(), sink);
        kept.map_err(StopReason::Sink)
    }
}

/// Refuses a preparation that had to reach a condition: how far it came.
fn require<D: Turn>(met: bool, world: &World<D>, stop: &[&str], until: f64) -> Result<(), String> {
    if met {
        return Ok(());
    }
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
