//! Observables at given instants of a run that is not kept, for comparisons of steps and
//! integrators.

use percuss_mechanism::{
    ConfigurationSpace, ConstraintReport, Event, MechanismError, PathSums, State, System,
    SystemError, mean_force,
};
use percuss_record::{Certificate, NullObserver, Observer, Step};
use percuss_scene::{Observable, Sample, Scene, SceneError, SceneKind, SymbolicSystem};

use super::evaluated_run::{between, present};
use crate::finding::graph_distance::Polyline;
use crate::finding::value::{Absent, Valued};
use percuss_simulation::Threads;
use percuss_simulation::integrate;
use percuss_simulation::{BodiesOutcome, ObservableRequest, run_bodies};
use percuss_simulation::{Interpolation, Segment};

/// An instant this close to the end of a step, as a share of the step, is that end.
const ROUNDING: f64 = 1e-6;

/// Values of the observables at the instants, one instant after the other, of the scene run with
/// another step.
pub fn values(
    scene: &Scene,
    of: &[String],
    instants: &[f64],
    step: f64,
    event: bool,
) -> Valued<Vec<f64>> {
    // The step, and the integrator of a reference, are overrides.
    let mut set = vec![("run.step", format!("{step:?}"))];
    if event {
        set.push(("run.integrator", "event".to_string()));
    }
    let failed = |error: SceneError| Absent::because(format!("with step {step}: {error}"));
    let scene = scene.with_overrides(&set).map_err(failed)?;
    if scene.kind() == SceneKind::Bodies {
        return of_bodies(&scene, of, instants, step);
    }
    let built = scene.build_mechanism().map_err(failed)?;
    // Observables are compiled with a system of their own.
    let mut system = built.system.clone();
    let mut observables = Vec::with_capacity(of.len());
    for text in of {
        let compiled = system.observable(text);
        observables.push(compiled.map_err(|error| Absent::because(error.to_string()))?);
    }
    // The sampler observes the run; only the sampled values are kept.
    let mut sampler = Sampler {
        chart: system.configuration_space().clone(),
        between: Interpolation::of_built(&built),
        system,
        observables,
        instants,
        values: Vec::with_capacity(instants.len() * of.len()),
        taken: 0,
        before: None,
        path: PathSums::default(),
    };
    let (certificate, stopped) = integrate(built, &mut sampler, &mut |_| true);
    // Runs that stopped or missed their tolerance cannot be compared.
    if let Some(stop) = stopped {
        let how = if event {
            "event-driven"
        } else {
            "with another step"
        };
        return Err(Absent::because(format!("{how} (step {step}): {stop}")));
    }
    if let Some(missed) = missed(&certificate, step) {
        return Err(missed);
    }
    match sampler.taken == instants.len() {
        true => Ok(sampler.values),
        false => Err(Absent::because(format!(
            "the run with step {step} ended before t = {}",
            instants[sampler.taken]
        ))),
    }
}

/// The graph of the observables over time, of the scene run with another step: all states one after the other.
pub fn graph(scene: &Scene, of: &[String], step: f64, event: bool) -> Valued<Polyline> {
    let mut set = vec![("run.step", format!("{step:?}"))];
    if event {
        set.push(("run.integrator", "event".to_string()));
    }
    let failed = |reason: String| Absent::because(format!("with step {step}: {reason}"));
    let scene = scene
        .with_overrides(&set)
        .map_err(|error| failed(error.to_string()))?;
    if scene.kind() == SceneKind::Bodies {
        return graph_of_bodies(&scene, of, step);
    }
    let built = scene
        .build_mechanism()
        .map_err(|error| failed(error.to_string()))?;
    let mut system = built.system.clone();
    let mut observables = Vec::with_capacity(of.len());
    for text in of {
        let compiled = system.observable(text);
        observables.push(compiled.map_err(|error| Absent::because(error.to_string()))?);
    }
    let mut keeper = GraphKeeper {
        system,
        observables,
        graph: Polyline::new(of.len()),
        last: f64::NAN,
    };
    let (certificate, stopped) = integrate(built, &mut keeper, &mut |_| true);
    if let Some(stop) = stopped {
        return Err(failed(stop.to_string()));
    }
    match missed(&certificate, step) {
        Some(missed) => Err(missed),
        None => Ok(keeper.graph),
    }
}

/// Keeps the observables at all states of a mechanism.
struct GraphKeeper {
    system: SymbolicSystem,
    observables: Vec<Observable>,
    graph: Polyline,
    last: f64,
}

impl Observer for GraphKeeper {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let Some(mechanism) = step.mechanism() else {
            return Ok(());
        };
        let (state, touches) = (mechanism.state, &mechanism.constraint_reports);
        let h = state.t - self.last;
        let forces = |constraint: usize, row: usize| {
            let touch = touches.iter().find(|touch| touch.constraint == constraint);
            let impulse = touch.and_then(|touch| touch.impulse.get(row));
            impulse.map_or(0.0, |impulse| mean_force(*impulse, state.t, h))
        };
        let sample = Sample {
            t: state.t,
            q: &state.q,
            v: &state.v,
            forces: &forces,
            path: mechanism.report.path,
        };
        let mut values = Vec::with_capacity(self.observables.len());
        for observable in &mut self.observables {
            let value = observable.evaluate(&mut self.system, &sample);
            values
                .push(value.map_err(|error| SceneError::Mechanism(MechanismError::System(error)))?);
        }
        self.graph.push(state.t, &values);
        self.last = state.t;
        Ok(())
    }
}

/// The graph of observables of bodies.
fn graph_of_bodies(scene: &Scene, of: &[String], step: f64) -> Valued<Polyline> {
    let outcome = bodies(scene, of, step)?;
    let mut graph = Polyline::new(of.len());
    for (k, t) in outcome.times.iter().enumerate() {
        let row: Vec<f64> = outcome
            .series
            .iter()
            .map(|(_, series)| series.get(k).copied().unwrap_or(f64::NAN))
            .collect();
        graph.push(*t, &row);
    }
    Ok(graph)
}

/// The same for bodies: the values at the ends of steps are kept, and nothing else.
fn of_bodies(scene: &Scene, of: &[String], instants: &[f64], step: f64) -> Valued<Vec<f64>> {
    let failed = |reason: String| Absent::because(format!("with step {step}: {reason}"));
    let outcome = bodies(scene, of, step)?;
    let end = outcome.times.last().copied().unwrap_or(outcome.start);
    let mut values = Vec::with_capacity(of.len() * instants.len());
    for &t in instants {
        if t > end + ROUNDING * step {
            return Err(failed(format!("the run ended before t = {t}")));
        }
        // The end of a step as it is, without the rounding of an interpolation.
        let near = outcome
            .times
            .partition_point(|known| *known < t - ROUNDING * step);
        let whole = outcome
            .times
            .get(near)
            .filter(|known| (**known - t).abs() <= ROUNDING * step);
        for (text, series) in &outcome.series {
            let value = match whole {
                Some(_) => series.get(near).copied().unwrap_or(f64::NAN),
                None => between(&outcome.times, series, t),
            };
            values.push(present(text, t, value)?);
        }
    }
    Ok(values)
}

/// A run of bodies with another step that came to its end within its tolerances.
fn bodies(scene: &Scene, of: &[String], step: f64) -> Valued<BodiesOutcome> {
    let failed = |reason: String| Absent::because(format!("with step {step}: {reason}"));
    let collection = scene
        .build_bodies()
        .map_err(|error| failed(error.to_string()))?;
    let wanted = ObservableRequest {
        observables: of.to_vec(),
        ..ObservableRequest::default()
    };
    let one = Threads::new(1);
    let outcome = run_bodies(
        scene,
        collection,
        &wanted,
        one,
        &mut NullObserver,
        &mut |_| true,
    );
    if let Some(stop) = &outcome.stopped {
        return Err(failed(stop.to_string()));
    }
    // Preparations must have met their tolerances, too.
    let found = {
        let prepared = outcome
            .prepared
            .iter()
            .map(|prepared| &prepared.certificate);
        prepared
            .chain([&outcome.certificate])
            .find_map(|certificate| missed(certificate, step))
    };
    match found {
        Some(missed) => Err(missed),
        None => Ok(outcome),
    }
}

/// Why a run with steps that missed their tolerance has no values to compare. Its other violations,
/// penetration and energy loss, are part of the error that is measured.
fn missed(certificate: &Certificate, step: f64) -> Option<Absent> {
    let (missed, steps) = (certificate.missed, certificate.steps);
    (missed > 0).then(|| {
        Absent::because(format!(
            "{missed} of {steps} steps of the run with step {step} missed their tolerance (worst \
             residual {:.1e})",
            certificate.worst_residual
        ))
    })
}

/// Samples observables at given instants while a mechanism runs.
struct Sampler<'a> {
    chart: ConfigurationSpace,
    between: Interpolation,
    system: SymbolicSystem,
    observables: Vec<Observable>,
    instants: &'a [f64],
    values: Vec<f64>,
    taken: usize,
    before: Option<(f64, Vec<f64>, Vec<f64>)>,
    /// Sums along the path at the end of the step.
    path: PathSums,
}

impl Sampler<'_> {
    /// Evaluates the observables at an instant; forces are means over the step.
    fn observe(
        &mut self,
        t: f64,
        (q, v): (&[f64], &[f64]),
        h: f64,
        touches: &[ConstraintReport<'_>],
    ) -> Result<(), SystemError> {
        // Mean force over the step.
        let forces = |constraint: usize, row: usize| {
            let touch = touches.iter().find(|touch| touch.constraint == constraint);
            let impulse = touch.and_then(|touch| touch.impulse.get(row));
            impulse.map_or(0.0, |impulse| mean_force(*impulse, t, h))
        };
        let sample = Sample {
            t,
            q,
            v,
            forces: &forces,
            path: self.path,
        };
        for observable in &mut self.observables {
            let value = observable.evaluate(&mut self.system, &sample)?;
            self.values.push(value);
        }
        self.taken += 1;
        Ok(())
    }

    /// Samples all instants within the step that ends in this state.
    fn take(
        &mut self,
        state: &State,
        touches: &[ConstraintReport<'_>],
        events: &[Event],
    ) -> Result<(), SystemError> {
        let Some((t0, q0, v0)) = self.before.take() else {
            return Ok(());
        };
        let h = state.t - t0;
        let (mut q, mut v) = (Vec::new(), Vec::new());
        while let Some(&t) = self.instants.get(self.taken) {
            if t > state.t + ROUNDING * h {
                break;
            }
            // At the end of the step the state itself, elsewhere the interpolation.
            if (state.t - t).abs() <= ROUNDING * h {
                self.observe(t, (&state.q, &state.v), h, touches)?;
                continue;
            }
            let segment = Segment {
                begin: (t0, &q0, &v0),
                end: (state.t, &state.q, &state.v),
                events,
            };
            segment.sample(&self.chart, self.between, t, &mut q, &mut v);
            self.observe(t, (&q, &v), h, touches)?;
        }
        Ok(())
    }
}

impl Observer for Sampler<'_> {
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let Some(mechanism) = step.mechanism() else {
            return Ok(());
        };
        let state = mechanism.state;
        self.path = mechanism.report.path;
        self.take(state, &mechanism.constraint_reports, mechanism.events)
            .map_err(|error| SceneError::Mechanism(MechanismError::System(error)))?;
        self.before = Some((state.t, state.q.clone(), state.v.clone()));
        Ok(())
    }
}
