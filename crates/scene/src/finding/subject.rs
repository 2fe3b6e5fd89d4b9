//! A run that is looked at.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use crate::certificate::Certificate;
use crate::file::Scene;
use crate::finding::value::{Absent, Value, Valued};
use crate::run::RunOutcome;
use crate::text::{Observable, Sample, TextSystem};
use crate::trajectory::Trajectory;

/// Gives the results of studies, which are run when they are first asked for.
pub(crate) trait Studies {
    /// A column of numbers of a study, by its place in the scene.
    fn column(&mut self, study: usize, column: &str) -> Valued<Vec<f64>>;

    /// Where a bisection ended.
    fn threshold(&mut self, study: usize) -> Valued<Value>;
}

/// No studies: within a study there are none.
pub(crate) struct NoStudies;

impl Studies for NoStudies {
    fn column(&mut self, _study: usize, _column: &str) -> Valued<Vec<f64>> {
        Err(Absent::because("there are no studies here"))
    }

    fn threshold(&mut self, _study: usize) -> Valued<Value> {
        Err(Absent::because("there are no studies here"))
    }
}

/// A run with the scene it came from.
pub(crate) struct Subject<'a> {
    scene: Cow<'a, Scene>,
    step: f64,
    threads: usize,
    state: State<'a>,
    /// Values of observables at all states, by text.
    series: HashMap<String, Rc<[f64]>>,
    /// Values of observables on instants in runs with other steps, by what they depend on.
    pub compared: HashMap<String, Valued<Rc<[f64]>>>,
    /// Steps and errors that the order asked for last was fitted to.
    pub errors: Vec<[f64; 2]>,
}

enum State<'a> {
    /// A motion, complete or not.
    Run {
        outcome: Box<Cow<'a, RunOutcome>>,
        system: Box<TextSystem>,
        observables: HashMap<String, Observable>,
    },
    /// Not even a beginning, and why.
    Refused(String),
}

impl<'a> Subject<'a> {
    /// A run and its scene.
    pub fn new(
        scene: Cow<'a, Scene>,
        outcome: Cow<'a, RunOutcome>,
        system: TextSystem,
        step: f64,
        threads: usize,
    ) -> Self {
        let state = State::Run {
            outcome: Box::new(outcome),
            system: Box::new(system),
            observables: HashMap::new(),
        };
        Self {
            scene,
            step,
            threads,
            state,
            series: HashMap::new(),
            compared: HashMap::new(),
            errors: Vec::new(),
        }
    }

    /// A scene that cannot be run.
    pub fn refused(scene: Cow<'a, Scene>, reason: String) -> Self {
        Self {
            scene,
            step: f64::NAN,
            threads: 1,
            state: State::Refused(reason),
            series: HashMap::new(),
            compared: HashMap::new(),
            errors: Vec::new(),
        }
    }

    /// The scene with the values of this run.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Names and values of the parameters of this run.
    pub fn parameters(&self) -> &[(String, f64)] {
        self.scene.parameters()
    }

    /// Length of a step.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Threads that may be used for further runs.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Why the run did not reach its end.
    pub fn stopped(&self) -> Option<String> {
        match &self.state {
            State::Run { outcome, .. } => outcome.stopped.as_ref().map(ToString::to_string),
            State::Refused(reason) => Some(reason.clone()),
        }
    }

    /// What the run vouches for, where there is one.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.state {
            State::Run { outcome, .. } => Some(&outcome.certificate),
            State::Refused(_) => None,
        }
    }

    /// Whether the run stopped with an error that contains the word.
    pub fn fails(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.stopped()
            .is_some_and(|reason| reason.to_lowercase().contains(&word))
    }

    /// The system, where there is one.
    pub fn system(&self) -> Option<&TextSystem> {
        match &self.state {
            State::Run { system, .. } => Some(system),
            State::Refused(_) => None,
        }
    }

    /// The motion as far as there is one.
    pub fn motion(&self) -> Valued<&Trajectory> {
        match &self.state {
            State::Run { outcome, .. } if !outcome.trajectory.is_empty() => Ok(&outcome.trajectory),
            _ => {
                let unknown = || "there is no motion".to_string();
                Err(Absent(self.stopped().unwrap_or_else(unknown)))
            }
        }
    }

    /// The whole run: a motion that stopped early has no value for what looks at all of it.
    pub fn whole(&self) -> Valued<&RunOutcome> {
        match (&self.state, self.stopped()) {
            (_, Some(reason)) => Err(Absent(reason)),
            (State::Run { outcome, .. }, None) if !outcome.trajectory.is_empty() => Ok(outcome),
            _ => Err(Absent::because("there is no motion")),
        }
    }

    /// The values of an observable at all states.
    pub fn series(&mut self, of: &str) -> Valued<Rc<[f64]>> {
        if let Some(known) = self.series.get(of) {
            return Ok(known.clone());
        }
        let states = self.motion()?.len();
        let mut values = Vec::with_capacity(states);
        self.observe(of, |look| {
            let motion = look.motion;
            for k in 0..states {
                let (q, v) = (motion.position(k), motion.velocity(k));
                values.push(look.evaluate(motion.times()[k], q, v, k)?);
            }
            Ok(())
        })?;
        let values: Rc<[f64]> = values.into();
        self.series.insert(of.to_string(), values.clone());
        Ok(values)
    }

    /// The value of an observable at an instant within the motion.
    pub fn value_at(&mut self, of: &str, t: f64) -> Valued<f64> {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        let mut value = f64::NAN;
        self.observe(of, |look| {
            let k = look.motion.sample(t, &mut q, &mut v);
            value = look.evaluate(t, &q, &v, k)?;
            Ok(())
        })?;
        Ok(value)
    }

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
    system: &'a mut TextSystem,
    observable: &'a mut Observable,
}

impl Look<'_> {
    fn evaluate(&mut self, t: f64, q: &[f64], v: &[f64], state: usize) -> Valued<f64> {
        let motion = self.motion;
        let forces = |constraint: usize, row: usize| motion.force(state, constraint, row);
        let sample = Sample {
            t,
            q,
            v,
            forces: &forces,
        };
        let value = self.observable.evaluate(self.system, &sample);
        value.map_err(|error| Absent::because(error.to_string()))
    }
}
