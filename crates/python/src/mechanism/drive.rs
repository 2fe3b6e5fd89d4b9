//! Integrates a mechanism of Python functions.

use percuss_mechanism::{
    AdaptiveStep, EventDriven, ForceEvaluation, ImpactLaw, Integrator as Moves, MechanismError,
    Scheme, Settings, State, StateRef, System, TangentCone, TimeStepper,
};
use percuss_record::Certificate;
use percuss_run::{Interpolation, MotionSpan, Trajectory, run_motion};
use percuss_scene::CertificateBounds;
use pyo3::prelude::*;

use super::callable::{CallableSystem, SharedException, take_exception};
use super::motion::Motion;
use super::text::{SignalPoll, refuse_empty};
use crate::error;

/// Integration options, from a Python dict.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MechanismOptions {
    integrator: String,
    theta: f64,
    step: f64,
    adaptive: Option<(f64, f64, f64)>,
    forces: String,
    tangent_cone: String,
    law: String,
    correction: bool,
    tolerance: f64,
}

impl MechanismOptions {
    fn settings(&self) -> PyResult<Settings> {
        let unknown = |key: &str, word: &str, known: &str| {
            Err(error::input(format!(
                "`{key} = \"{word}\"`: one of {known} was expected"
            )))
        };
        // Integrator.
        let scheme = match self.integrator.as_str() {
            "midpoint" => Scheme::Midpoint,
            "projected" => Scheme::Projected,
            "theta" => Scheme::Theta(self.theta),
            "paoli" => Scheme::Paoli,
            "event" => Scheme::Event,
            word => {
                let known = "\"midpoint\", \"projected\", \"theta\", \"paoli\", \"event\"";
                return unknown("integrator", word, known);
            }
        };
        let forces = match self.forces.as_str() {
            "mean" => ForceEvaluation::Mean,
            "begin" => ForceEvaluation::Begin,
            "implicit" => ForceEvaluation::Implicit,
            word => return unknown("forces", word, "\"mean\", \"begin\", \"implicit\""),
        };
        let tangent_cone = match self.tangent_cone.as_str() {
            "midpoint" => TangentCone::Midpoint,
            "end" if scheme == Scheme::Midpoint => TangentCone::End,
            "end" => {
                return Err(error::input(
                    "`tangent_cone`: this does nothing without integrator=\"midpoint\"",
                ));
            }
            word => return unknown("tangent_cone", word, "\"midpoint\", \"end\""),
        };
        // Impact law.
        let impact = match self.law.as_str() {
            "moreau" => ImpactLaw::Moreau,
            "canonical" => ImpactLaw::Canonical,
            "sequential" => ImpactLaw::Sequential,
            "poisson" => ImpactLaw::Poisson,
            "energetic" => ImpactLaw::Energetic,
            "lzb" => ImpactLaw::Lzb,
            "map" => ImpactLaw::Map,
            word => {
                let known = "\"moreau\", \"canonical\", \"sequential\", \"poisson\", \"energetic\", \"lzb\", \
                             \"map\"";
                return unknown("law", word, known);
            }
        };
        if self.correction && scheme == Scheme::Projected {
            return Err(error::input(
                "`correction`: integrator=\"projected\" corrects every contact by itself; drop it",
            ));
        }
        // Adaptive step size.
        let adaptive = self
            .adaptive
            .map(|(tolerance, smallest, largest)| AdaptiveStep {
                tolerance,
                smallest,
                largest,
            });
        let settings = Settings {
            scheme,
            step: self.step,
            adaptive,
            force_evaluation: forces,
            tangent_cone,
            impact,
            projection: self.correction,
            tolerance: self.tolerance,
        };
        let valid = settings.validate();
        valid.map_err(|wrong| error::input(wrong.to_string()))?;
        Ok(settings)
    }
}

/// Integrates a mechanism of Python functions from (t, q, u) until a given time.
#[pyfunction]
#[pyo3(signature = (model, settings, start, until, progress))]
pub fn run_callable(
    py: Python<'_>,
    model: &Bound<'_, PyAny>,
    settings: MechanismOptions,
    start: (f64, Vec<f64>, Vec<f64>),
    until: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Motion> {
    // The system for the integrator, and a second one that describes it.
    let raised = SharedException::default();
    let mut system = CallableSystem::new(model, raised.clone())?;
    let described = CallableSystem::new(model, raised.clone())?;
    let settings = settings.settings()?;
    let (t, q, v) = start;
    // Sizes of the initial state and the time span.
    let chart = system.configuration_space();
    if q.len() != chart.num_positions() || v.len() != chart.num_velocities() {
        return Err(error::input(format!(
            "the initial state has {} positions and {} velocities, {} and {} were expected",
            q.len(),
            v.len(),
            chart.num_positions(),
            chart.num_velocities()
        )));
    }
    if !(t.is_finite() && until.is_finite() && until > t) {
        return Err(error::input(format!(
            "`until = {until}`: a finite number above the start {t} was expected"
        )));
    }
    let initial = State {
        t,
        q,
        v,
        impulse: Vec::new(),
        status: Vec::new(),
    };
    system.scale(StateRef {
        t,
        q: &initial.q,
        v: &initial.v,
    });
    // Functions may be undefined at nearby positions; an exception at the initial position is raised again
    // later.
    drop(take_exception(&raised));
    // Integrate without the GIL; a pending exception takes precedence.
    let mut ear = SignalPoll::new(progress);
    let motion = py.detach(|| integrate(system, &described, settings, initial, until, &mut ear));
    if let Some(raised) = take_exception(&raised) {
        return Err(raised);
    }
    ear.end()?;
    refuse_empty(motion)
}

/// Chooses the integrator and runs it.
fn integrate(
    system: CallableSystem,
    described: &CallableSystem,
    settings: Settings,
    initial: State,
    until: f64,
    ear: &mut SignalPoll,
) -> Motion {
    let between = Interpolation::of(settings.scheme);
    let mut trajectory = Trajectory::new(described.configuration_space().clone(), between);
    let span = MotionSpan {
        start: initial.t,
        until,
        step: settings.step,
        tolerance: settings.tolerance,
        bounds: CertificateBounds::default(),
        jumps_at_end: false,
    };
    // Event-driven integration or time stepping.
    let begun: Result<Box<dyn Moves>, MechanismError> = match settings.scheme {
        Scheme::Event => EventDriven::new(system, settings, initial)
            .map(|motion| Box::new(motion) as Box<dyn Moves>),
        _ => TimeStepper::new(system, settings, initial).map(|mut motion| {
            motion.set_end_time(until);
            Box::new(motion) as Box<dyn Moves>
        }),
    };
    let (certificate, stopped) = match begun {
        Ok(mut motion) => {
            let names = described.constraints().iter();
            let names: Vec<String> = names.map(|c| c.name.clone()).collect();
            // Signals are polled after every step but the last.
            let end = span.end();
            let (certificate, stopped) = run_motion(
                motion.as_mut(),
                &names,
                span,
                &mut trajectory,
                &mut |done| !(done.t < end) || ear.should_continue(done.share),
            );
            (certificate, stopped.map(|stop| stop.to_string()))
        }
        Err(wrong) => {
            let words = format!("the run cannot start: {wrong}");
            (Certificate::new(), Some(words))
        }
    };
    Motion::new(described, trajectory, certificate, stopped)
}
