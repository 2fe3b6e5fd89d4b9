//! Value expressions on given motions, whose measures are known in closed form.

mod accuracy;
mod findings;
mod language;
mod measures;
mod messages;

use std::borrow::Cow;

use percuss_contact::law::Status;
use percuss_mechanism::{ConstraintReport, Event, EventKind, State, StepReport, System};
use percuss_record::Certificate;
use percuss_scene::Scene;

use super::evaluated_run::{EvaluatedRun, NoStudies, RunSchedule};
use crate::finding::expression::Expression;
use crate::finding::names::Names;
use crate::finding::value::{Absent, Value};
use percuss_simulation::MechanismOutcome;
use percuss_simulation::{Interpolation, Trajectory};

/// Two coordinates, a contact with friction, a wall.
pub(super) const SCENE: &str = r#"
kind = "mechanism"
[parameters]
g = 10.0
two = 2
[[coordinate]]
name = "x"
[[coordinate]]
name = "y"
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2)"
potential = "g*x"
[[contact]]
name = "floor"
gap = "x"
tangent = "y_dot"
friction = 0.3
[[contact]]
name = "wall"
gap = "3 - y"
[run]
until = 4.0
step = 0.01
[[study]]
name = "throws"
vary = { g = [1, 2, 4] }
observe = { height = "maximum(x)", fell = "final(x) < 0.5" }
"#;

pub(super) fn scene() -> Scene {
    Scene::parse("hand", "hand.toml", SCENE).expect("the scene of the tests")
}

/// A given motion: x, y and their rates as functions of t on [0, end] with step h.
pub(super) struct Hand {
    pub trajectory: Trajectory,
    pub certificate: Certificate,
}

impl Hand {
    pub fn new(end: f64, h: f64, motion: impl Fn(f64) -> [f64; 4]) -> Self {
        let chart = percuss_mechanism::ConfigurationSpace::euclidean(2);
        let mut hand = Self {
            trajectory: Trajectory::new(chart, Interpolation::PiecewiseConstant(0.5)),
            certificate: Certificate::new(),
        };
        let steps = (end / h).round() as usize;
        for k in 0..=steps {
            hand.push(end * k as f64 / steps as f64, &motion, &[], &[]);
        }
        hand
    }

    pub fn push(
        &mut self,
        t: f64,
        motion: impl Fn(f64) -> [f64; 4],
        touches: &[ConstraintReport<'_>],
        events: &[Event],
    ) {
        let [x, y, x_dot, y_dot] = motion(t);
        let state = State {
            t,
            q: vec![x, y],
            v: vec![x_dot, y_dot],
            impulse: Vec::new(),
            status: Vec::new(),
        };
        let h = self.trajectory.end().map_or(0.0, |before| t - before);
        let ledger = StepReport {
            t,
            h,
            reached: true,
            ..StepReport::default()
        };
        self.trajectory.push(&state, &ledger, touches, events);
        if h > 0.0 {
            self.certificate.add(&ledger, &|_| String::new());
        }
    }

    pub fn subject(self) -> EvaluatedRun<'static> {
        let scene = scene();
        let built = scene.build_mechanism().expect("a mechanism");
        assert_eq!(built.system.constraints()[0].name, "floor");
        let until = self.trajectory.end().unwrap_or(built.until);
        let outcome = MechanismOutcome {
            trajectory: self.trajectory,
            certificate: self.certificate,
            stopped: None,
        };
        let pace = RunSchedule {
            start: built.initial.t,
            until,
            step: built.settings.step,
            threads: 1,
        };
        EvaluatedRun::new(Cow::Owned(scene), Cow::Owned(outcome), built.system, pace)
    }
}

pub(super) fn event(t: f64, constraint: usize, kind: EventKind) -> Event {
    Event {
        t,
        constraint,
        kind,
    }
}

pub(super) fn touch<'a>(constraint: usize, impulse: &'a [f64]) -> ConstraintReport<'a> {
    const REST: [f64; 3] = [0.0; 3];
    ConstraintReport {
        constraint,
        gap: 0.0,
        begin: &REST[..impulse.len()],
        end: &REST[..impulse.len()],
        impulse,
        projection_impulse: &[],
        status: Status::Stick,
    }
}

pub(super) fn compile(text: &str) -> Result<Expression, String> {
    let scene = scene();
    let mut system = scene.build_mechanism().expect("a mechanism").system;
    let mut names = Names {
        parameters: scene.parameters(),
        language: (&mut system).into(),
        start: 0.0,
        studies: scene.studies(),
    };
    Expression::compile(text, &mut names)
}

/// The value of a text on a motion.
pub(super) fn value(subject: &mut EvaluatedRun<'_>, text: &str) -> Result<Value, String> {
    let compiled = compile(text)?;
    let evaluated = compiled.evaluate(subject, &mut NoStudies);
    evaluated.map_err(|Absent(reason)| reason)
}

pub(super) fn number(subject: &mut EvaluatedRun<'_>, text: &str) -> f64 {
    match value(subject, text) {
        Ok(Value::Number(number)) => number,
        other => panic!("`{text}`: a number was expected, not {other:?}"),
    }
}

pub(super) fn reason(subject: &mut EvaluatedRun<'_>, text: &str) -> String {
    match value(subject, text) {
        Err(reason) => reason,
        Ok(value) => panic!("`{text}`: no value was expected, not {value}"),
    }
}
