//! From the state of a scene to that of its run: overlaps, preparations.

use bodies::{Dim, Model, Settings, State, World};

use super::follow::{ProgressCallback, holds, run_progress};
use super::moment::{BodiesCheckpoint, HistoryIncrement, RestoredRun};
use super::outcome::{BodiesOutcome, PreparationOutcome};
use super::panel::Observables;
use super::start;
use super::turn::ObservedDim;
use crate::certificate::Certificate;
use crate::collection::{BodiesObserver, Preparation};
use crate::run::{END_TOLERANCE, StopReason};

/// From the state of the scene to that of the run.
pub(super) struct PreparationRunner<D: Dim> {
    pub state: Option<State<D>>,
    /// Whether overlaps have been looked at.
    pub checked: bool,
    pub overlap: crate::collection::OverlapRule,
    pub threads: usize,
}

impl<D: ObservedDim> PreparationRunner<D> {
    /// How many of the preparations are done already.
    pub fn skip(
        &mut self,
        past: Option<&RestoredRun<D>>,
        all: usize,
        outcome: &mut BodiesOutcome,
    ) -> usize {
        let Some(past) = past else {
            return 0;
        };
        self.checked = true;
        past.restore_outcome(outcome);
        past.checkpoint.preparation.unwrap_or(all)
    }

    /// The bodies under new conditions at a new time, or where they were when they were interrupted.
    /// Guided bodies go on from where they are.
    pub fn world(
        &mut self,
        model: Model<D>,
        settings: Settings,
        t: f64,
        (past, outcome): (Option<&mut RestoredRun<D>>, &mut BodiesOutcome),
    ) -> Result<World<D>, String> {
        let explain = |error| start::describe_error(&error, &outcome.names);
        if let Some(past) = past {
            let state = past.state.take().ok_or("there is no state")?;
            let world = World::resume(model, state, settings, past.checkpoint.ledger);
            return world.map_err(explain);
        }
        let mut state = self.state.take().ok_or("there is no state")?;
        state.t = t;
        let mut world = World::new(model, state, settings).map_err(explain)?;
        if !self.checked {
            outcome.relaxed = start::resolve_overlaps(&mut world, &outcome.names, self.overlap)?;
            self.checked = true;
        }
        Ok(world)
    }

    /// Runs a preparation, by its number, from its beginning or from where it was.
    pub fn prepare(
        &mut self,
        (number, preparation): (usize, Preparation<D>),
        mut past: Option<RestoredRun<D>>,
        outcome: &mut BodiesOutcome,
        sink: &mut dyn BodiesObserver,
        progress: &mut ProgressCallback<'_>,
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
        let panel = Observables::compile(&outcome.name_table(&parameters), &stop);
        let panel = panel.map_err(|(_, error)| wrong(error.render(stop[0])))?;
        let mut rehearsal = PreparationRun {
            number,
            name: &name,
            world: world.map_err(wrong)?,
            panel,
            step: 0,
            certificate: Certificate::with_bounds(*outcome.certificate.bounds()),
            halted: false,
        };
        rehearsal.begin(past);
        rehearsal.run(until, outcome, sink, progress)?;
        let PreparationRun {
            world,
            certificate,
            halted,
            ..
        } = rehearsal;
        require(!must || halted, &world, &stop, until).map_err(wrong)?;
        outcome.prepared.push(PreparationOutcome {
            name: name.clone(),
            duration: world.state().t,
            certificate,
            halted,
        });
        self.take_final_state(world, rest);
        Ok(())
    }

    /// The state at the end of a preparation is that of what comes next.
    fn take_final_state(&mut self, world: World<D>, rest: bool) {
        let mut state = world.into_state();
        state.kinematic_origins.clear();
        if rest {
            state.velocities.fill(D::ZERO_VELOCITY);
        }
        self.state = Some(state);
    }
}

/// A preparation that is running.
struct PreparationRun<'a, D: Dim> {
    number: usize,
    name: &'a str,
    world: World<D>,
    panel: Observables,
    step: usize,
    certificate: Certificate,
    halted: bool,
}

impl<D: ObservedDim> PreparationRun<'_, D> {
    /// Looks at the start, or goes on where it was interrupted.
    fn begin(&mut self, past: Option<RestoredRun<D>>) {
        let Some(RestoredRun {
            checkpoint: moment, ..
        }) = past
        else {
            self.panel.evaluate(D::view(&self.world));
            self.certificate.begin(self.world.report());
            return;
        };
        self.step = moment.step;
        self.certificate = moment.certificate;
        self.panel.restore(moment.observables);
    }

    fn run(
        &mut self,
        until: f64,
        outcome: &BodiesOutcome,
        sink: &mut dyn BodiesObserver,
        progress: &mut ProgressCallback<'_>,
    ) -> Result<(), StopReason> {
        let end = until - END_TOLERANCE * self.world.settings().step.min(until);
        while self.world.state().t < end && !self.halted {
            self.world.step().map_err(|error| {
                let t = self.world.state().t;
                let error = start::describe_error(&error, &outcome.names);
                let name = self.name;
                StopReason::Bodies(format!("preparation `{name}`: stopped at t = {t}: {error}"))
            })?;
            self.step += 1;
            start::certify(&mut self.certificate, &self.world, &outcome.names);
            let values = self.panel.evaluate(D::view(&self.world));
            self.halted = values.first().is_some_and(|x| holds(*x));
            let going = progress(&run_progress(
                &self.world,
                Some(self.name),
                (self.step, &self.certificate),
                (0.0, until),
            ));
            sink.on_preparation_step().map_err(StopReason::Observer)?;
            if self.halted {
                // Whoever wants to stop is asked again at the first step of what comes next.
                break;
            }
            if sink.checkpoint_due() || !going {
                self.write_checkpoint(outcome, sink)?;
            }
            if !going {
                return Err(StopReason::Requested);
            }
        }
        Ok(())
    }

    fn write_checkpoint(
        &self,
        outcome: &BodiesOutcome,
        sink: &mut dyn BodiesObserver,
    ) -> Result<(), StopReason> {
        let moment = BodiesCheckpoint {
            preparation: Some(self.number),
            step: self.step,
            certificate: self.certificate.clone(),
            observables: self.panel.checkpoint(),
            ..BodiesCheckpoint::of(self.world.report(), outcome)
        };
        let kept = moment.write(self.world.state(), &HistoryIncrement::default(), sink);
        kept.map_err(StopReason::Observer)
    }
}

/// Refuses a preparation that had to reach a condition: how far it came.
fn require<D: ObservedDim>(
    met: bool,
    world: &World<D>,
    stop: &[&str],
    until: f64,
) -> Result<(), String> {
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
