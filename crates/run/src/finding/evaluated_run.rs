//! A run on which findings are evaluated, with its scene and cached series.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use percuss_mechanism::{Event, System};
use percuss_record::Certificate;
use percuss_scene::{Observable, Sample, Scene, SymbolicSystem};

use crate::finding::value::{Absent, Value, Valued};
use percuss_simulation::BodiesOutcome;
use percuss_simulation::MechanismOutcome;
use percuss_simulation::{Interpolation, Trajectory};

/// How far outside the run an instant may lie by rounding, as a share of its length.
pub const ROUNDING: f64 = 1e-9;

/// Results of studies, which are run when they are first needed.
pub trait Studies {
    /// A column of numbers of a study, by its number in the scene.
    fn column(&mut self, study: usize, column: &str) -> Valued<Vec<f64>>;

    /// The threshold that a bisection found.
    fn threshold(&mut self, study: usize) -> Valued<Value>;
}

/// No studies: within a study there are none.
pub struct NoStudies;

impl Studies for NoStudies {
    fn column(&mut self, _study: usize, _column: &str) -> Valued<Vec<f64>> {
        Err(Absent::because("there are no studies here"))
    }

    fn threshold(&mut self, _study: usize) -> Valued<Value> {
        Err(Absent::because("there are no studies here"))
    }
}

/// Time span, step and threads of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunSchedule {
    /// Start of the run.
    pub start: f64,
    /// Its end.
    pub until: f64,
    /// Length of a step.
    pub step: f64,
    /// Threads that may be used for further runs.
    pub threads: usize,
}

/// A run with the scene it came from.
pub struct EvaluatedRun<'a> {
    scene: Cow<'a, Scene>,
    pace: RunSchedule,
    state: State<'a>,
    /// Values of observables at all states, by text.
    series: HashMap<String, Rc<[f64]>>,
    /// Values of observables at instants in runs with other steps, by a key of all they depend on.
    pub compared: HashMap<String, Valued<Rc<[f64]>>>,
    /// Steps and errors that the last order was fitted to.
    pub errors: Vec<[f64; 2]>,
}

/// The outcome of the run.
enum State<'a> {
    /// A run of a mechanism, complete or not.
    Run {
        outcome: Box<Cow<'a, MechanismOutcome>>,
        system: Box<SymbolicSystem>,
        observables: HashMap<String, Observable>,
    },
    /// A run of bodies, complete or not.
    Bodies(Box<Cow<'a, BodiesOutcome>>),
    /// A run that could not start, and why.
    Refused(String),
}

impl<'a> EvaluatedRun<'a> {
    fn of(scene: Cow<'a, Scene>, pace: RunSchedule, state: State<'a>) -> Self {
        Self {
            scene,
            pace,
            state,
            series: HashMap::new(),
            compared: HashMap::new(),
            errors: Vec::new(),
        }
    }

    /// A run of a mechanism and its scene.
    pub fn new(
        scene: Cow<'a, Scene>,
        outcome: Cow<'a, MechanismOutcome>,
        system: SymbolicSystem,
        pace: RunSchedule,
    ) -> Self {
        // Observables are compiled when they are first needed.
        let state = State::Run {
            outcome: Box::new(outcome),
            system: Box::new(system),
            observables: HashMap::new(),
        };
        Self::of(scene, pace, state)
    }

    /// A run of bodies and its scene.
    pub fn bodies(scene: Cow<'a, Scene>, outcome: Cow<'a, BodiesOutcome>, threads: usize) -> Self {
        let pace = RunSchedule {
            start: outcome.start,
            until: outcome.until,
            step: outcome.step,
            threads,
        };
        Self::of(scene, pace, State::Bodies(Box::new(outcome)))
    }

    /// A scene that cannot be run.
    pub fn refused(scene: Cow<'a, Scene>, reason: String) -> Self {
        // Without a run there is no time span and no step.
        let pace = RunSchedule {
            start: f64::NAN,
            until: f64::NAN,
            step: f64::NAN,
            threads: 1,
        };
        Self::of(scene, pace, State::Refused(reason))
    }

    /// The scene with the overrides of this run.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Names and values of the parameters of this run.
    pub fn parameters(&self) -> &[(String, f64)] {
        self.scene.parameters()
    }

    /// Length of a step.
    pub fn step(&self) -> f64 {
        self.pace.step
    }

    /// Threads that may be used for further runs.
    pub fn threads(&self) -> usize {
        self.pace.threads
    }

    /// Start and end of the run as the scene gives them.
    pub fn asked(&self) -> Valued<(f64, f64)> {
        match &self.state {
            State::Refused(reason) => Err(Absent(reason.clone())),
            _ => Ok((self.pace.start, self.pace.until)),
        }
    }

    /// Why the run did not reach its end.
    pub fn stopped(&self) -> Option<String> {
        let stop = match &self.state {
            State::Run { outcome, .. } => outcome.stopped.as_ref(),
            State::Bodies(outcome) => outcome.stopped.as_ref(),
            State::Refused(reason) => return Some(reason.clone()),
        };
        stop.map(ToString::to_string)
    }

    /// Whether the run started.
    pub fn began(&self) -> bool {
        let stop = match &self.state {
            State::Run { outcome, .. } => outcome.stopped.as_ref(),
            State::Bodies(outcome) => outcome.stopped.as_ref(),
            State::Refused(_) => return false,
        };
        stop.is_none_or(|stop| stop.started)
    }

    /// The certificate of the run, where there is one.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.state {
            State::Run { outcome, .. } => Some(&outcome.certificate),
            State::Bodies(outcome) => Some(&outcome.certificate),
            State::Refused(_) => None,
        }
    }

    /// What the certificates of the run and of its preparations lack.
    pub fn uncertified(&self) -> Option<String> {
        let own = self.certificate().and_then(Certificate::reason);
        self.unprepared().or(own)
    }

    /// The preparations with steps that missed their tolerance: the initial state of the run is
    /// then not certified.
    pub fn unprepared(&self) -> Option<String> {
        let State::Bodies(outcome) = &self.state else {
            return None;
        };
        // One clause for each preparation that missed its tolerance.
        let missed = outcome.prepared.iter().filter(|p| p.certificate.missed > 0);
        let words = missed.map(|prepared| {
            let certificate = &prepared.certificate;
            format!(
                "{} of {} steps of preparation `{}` missed their tolerance (worst residual {:.1e})",
                certificate.missed, certificate.steps, prepared.name, certificate.worst_residual
            )
        });
        words.reduce(|all, more| format!("{all}; {more}"))
    }

    /// Whether the run stopped with an error that contains the word.
    pub fn fails(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.stopped()
            .is_some_and(|reason| reason.to_lowercase().contains(&word))
    }

    /// The name of a constraint, or of a watch.
    pub fn constraint_name(&self, constraint: usize) -> String {
        // Constraints of a mechanism, watches of bodies.
        let named = match &self.state {
            State::Run { system, .. } => {
                let known = system.constraints().get(constraint);
                known.map(|known| known.name.clone())
            }
            State::Bodies(outcome) => outcome.names.event_source(constraint).map(str::to_string),
            State::Refused(_) => None,
        };
        named.unwrap_or_else(|| constraint.to_string())
    }

    /// The reason why there is no motion.
    fn nothing(&self) -> Absent {
        let unknown = || "there is no motion".to_string();
        Absent(self.stopped().unwrap_or_else(unknown))
    }

    /// Times of all states, at least one.
    pub fn times(&self) -> Valued<&[f64]> {
        let times = match &self.state {
            State::Run { outcome, .. } => outcome.trajectory.times(),
            State::Bodies(outcome) => &outcome.times,
            State::Refused(_) => &[],
        };
        match times.is_empty() {
            false => Ok(times),
            true => Err(self.nothing()),
        }
    }

    /// First and last instant. The last of constant steps may lead beyond the end of the run: what is measured ends
    /// at the end itself, within that step.
    pub fn span(&self) -> Valued<(f64, f64)> {
        let times = self.times()?;
        let (Some(first), Some(last)) = (times.first(), times.last()) else {
            return Err(Absent::because("there is no motion"));
        };
        // A last state at the end but for rounding is the end.
        let slack = ROUNDING * (last - first);
        match *last > self.pace.until + slack {
            true => Ok((*first, self.pace.until)),
            false => Ok((*first, *last)),
        }
    }

    /// An error where the run stopped early: measures of the whole run then have no value.
    pub fn require_whole(&self) -> Valued<()> {
        match self.stopped() {
            Some(reason) => Err(Absent(reason)),
            None => self.times().map(|_| ()),
        }
    }

    /// Whether observables are smooth between states.
    pub fn smooth(&self) -> bool {
        let between = self.trajectory().map(Trajectory::interpolation);
        between == Some(Interpolation::Smooth)
    }

    /// The trajectory of a mechanism.
    pub fn trajectory(&self) -> Option<&Trajectory> {
        match &self.state {
            State::Run { outcome, .. } => Some(&outcome.trajectory),
            State::Bodies(_) | State::Refused(_) => None,
        }
    }

    /// All events, also those after the end of the run within its last step.
    pub fn computed_events(&self) -> &[Event] {
        match &self.state {
            State::Run { outcome, .. } => outcome.trajectory.events(),
            State::Bodies(outcome) => &outcome.events,
            State::Refused(_) => &[],
        }
    }

    /// The events up to the end of the run, as far as there is a motion.
    pub fn events(&self) -> Valued<&[Event]> {
        let (start, end) = self.span()?;
        let all = self.computed_events();
        // The last step may lead beyond the end; a detachment is known some steps after its instant.
        let slack = ROUNDING * (end - start);
        let after = all.iter().rev().take_while(|event| event.t > end + slack);
        Ok(&all[..all.len() - after.count()])
    }

    /// The values of an observable at all states; NaN where it has none.
    pub fn series(&mut self, of: &str) -> Valued<Rc<[f64]>> {
        // Each observable is evaluated once.
        if let Some(known) = self.series.get(of) {
            return Ok(known.clone());
        }
        let states = self.times()?.len();
        let mut values = Vec::with_capacity(states);
        // Bodies have the series that were requested; a mechanism is evaluated on its trajectory.
        if let State::Bodies(outcome) = &self.state {
            let unknown = || Absent::because(format!("`{of}` was not observed"));
            values.extend_from_slice(outcome.series_of(of).ok_or_else(unknown)?);
        } else {
            self.observe(of, |look| {
                let motion = look.motion;
                for k in 0..states {
                    let (q, v) = (motion.position(k), motion.velocity(k));
                    values.push(look.evaluate(motion.times()[k], q, v, k)?);
                }
                Ok(())
            })?;
        }
        let values: Rc<[f64]> = values.into();
        self.series.insert(of.to_string(), values.clone());
        Ok(values)
    }

    /// The value of an observable at an instant within the run; of bodies, by linear interpolation.
    pub fn value_at(&mut self, of: &str, t: f64) -> Valued<f64> {
        if matches!(self.state, State::Bodies(_)) {
            // Bodies: linear interpolation of the series.
            let values = self.series(of)?;
            let value = between(self.times()?, &values, t);
            return present(of, t, value);
        }
        // Mechanisms: interpolation of the trajectory, then the observable.
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let mut value = f64::NAN;
        // The velocities of a sweeping process are means over steps.
        let means = self.scene.is_sweeping_process();
        self.observe(of, |look| {
            let k = match means {
                true => look.motion.sample(t, &mut q, &mut v),
                false => look.motion.sample_linear(t, &mut q, &mut v),
            };
            value = look.evaluate(t, &q, &v, k)?;
            Ok(())
        })?;
        Ok(value)
    }

    /// Calls `work` with an observable of a mechanism, compiled once.
    fn observe(
        &mut self,
        of: &str,
        mut work: impl FnMut(&mut Look<'_>) -> Valued<()>,
    ) -> Valued<()> {
        let reason = self.stopped();
        let State::Run {
            outcome,
            system,
            observables,
        } = &mut self.state
        else {
            return Err(Absent(reason.unwrap_or_default()));
        };
        // Compile at the first use.
        if !observables.contains_key(of) {
            let compiled = system.observable(of);
            let compiled = compiled.map_err(|error| Absent::because(error.to_string()))?;
            observables.insert(of.to_string(), compiled);
        }
        let Some(observable) = observables.get_mut(of) else {
            return Err(Absent::because(format!("`{of}` is not known")));
        };
        work(&mut Look {
            motion: &outcome.trajectory,
            system,
            observable,
        })
    }
}

/// An observable with what is needed to evaluate it.
struct Look<'a> {
    motion: &'a Trajectory,
    system: &'a mut SymbolicSystem,
    observable: &'a mut Observable,
}

impl Look<'_> {
    fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64], state: usize) -> Valued<f64> {
        let motion = self.motion;
        // Forces are means over the step that ends in the state.
        let forces = |constraint: usize, row: usize| motion.force(state, constraint, row);
        let sample = Sample {
            t,
            q,
            v,
            forces: &forces,
            path: motion.step_report(state).path,
        };
        let value = self.observable.evaluate(self.system, &sample);
        value.map_err(|error| Absent::because(error.to_string()))
    }
}

/// The value, or an error where it is not finite.
pub fn present(of: &str, t: f64, value: f64) -> Valued<f64> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(Absent::because(format!(
            "`{of}` has no value at t = {t} (it is {value})"
        ))),
    }
}

/// Linear interpolation between the states around an instant; constant outside.
pub fn between(times: &[f64], values: &[f64], t: f64) -> f64 {
    // States before and after the instant.
    let after = times.partition_point(|known| *known < t);
    let get = |k: usize| Some((*times.get(k)?, *values.get(k)?));
    let (before, after) = match (after.checked_sub(1).and_then(get), get(after)) {
        (Some(before), Some(after)) => (before, after),
        (Some((_, value)), None) | (None, Some((_, value))) => return value,
        (None, None) => return f64::NAN,
    };
    let share = (t - before.0) / (after.0 - before.0);
    // The end exactly, whatever the other value is.
    if share >= 1.0 {
        return after.1;
    }
    before.1 + share * (after.1 - before.1)
}
