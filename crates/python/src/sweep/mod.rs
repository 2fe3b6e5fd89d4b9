//! Sweeping processes from Python: moving sets from arrays and functions of time.
//!
//! ```text
//! -du in N_C(t)(u) + f(t, u) dt                                                              (M99)
//! ```
//!
//! All methods of the crate `sweep`; processes of expressions are scenes and go through [`crate::mechanism`].

mod sets;
mod smooth;

use numpy::{PyArray1, PyArrayMethods};
use percuss_sweep::{
    ActiveSetChange, Method, Metric, Process, RetractionPolicy, Schedule, Settings, StartPolicy,
    StepSize, SweepingStep, SweepingSummary,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::mechanism::{SharedException, SignalPoll, take_exception};
use sets::{AnySet, call, set, wrong};

/// Options of a process, from a Python dict.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SweepOptions {
    method: String,
    theta: f64,
    penalty: f64,
    project: bool,
    tolerance: f64,
    growing: Option<Py<PyAny>>,
    searched: bool,
    begin: f64,
    end: f64,
    step: f64,
    adaptive: Option<(f64, f64, f64)>,
    jumps: Vec<f64>,
    kinks: Vec<f64>,
    diagonal: Option<Vec<f64>>,
    matrix: Option<Vec<f64>>,
}

impl SweepOptions {
    fn settings(&self) -> PyResult<Settings> {
        let method = match self.method.as_str() {
            "catching-up" => Method::CatchingUp,
            "trapezoidal" => Method::Trapezoidal,
            "theta" => Method::Theta(self.theta),
            "regularised" => Method::Regularised(self.penalty),
            "event" => Method::EventDriven,
            word => {
                return Err(error::argument(
                    "method",
                    format!(
                        "\"{word}\" is none of \"catching-up\", \"trapezoidal\", \"theta\", \
                         \"regularised\", \"event\""
                    ),
                ));
            }
        };
        let start = match self.project {
            true => StartPolicy::Project,
            false => StartPolicy::Inside,
        };
        Ok(Settings {
            method,
            start,
            tolerance: self.tolerance,
            retraction: match self.searched {
                true => RetractionPolicy::Searched,
                false => RetractionPolicy::Known,
            },
        })
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            end: self.end,
            step_size: match self.adaptive {
                None => StepSize::Fixed(self.step),
                Some((excess, shortest, longest)) => StepSize::Adaptive {
                    excess,
                    shortest,
                    longest,
                },
            },
            jumps: self.jumps.clone(),
            kinks: self.kinks.clone(),
        }
    }

    fn metric(&self, dim: usize) -> PyResult<Metric> {
        match (&self.diagonal, &self.matrix) {
            (Some(d), _) => Metric::diagonal(d).map_err(wrong),
            (None, Some(a)) => Metric::full(dim, a).map_err(wrong),
            (None, None) => Ok(Metric::Euclidean),
        }
    }
}

/// History of a run.
#[derive(Default)]
struct SweepHistory {
    steps: Vec<SweepingStep>,
    points: Vec<f64>,
    loads: Vec<f64>,
    changes: Vec<ActiveSetChange>,
}

/// Runs a process and returns arrays.
#[pyfunction]
#[pyo3(signature = (description, start, chosen, flow, progress))]
pub fn run_sweep<'py>(
    py: Python<'py>,
    description: &Bound<'py, PyAny>,
    start: Vec<f64>,
    chosen: SweepOptions,
    flow: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let raised = SharedException::default();
    let process = process(description, &start, &chosen, flow, &raised)?;
    // Run without the GIL; a pending exception takes precedence.
    let mut ear = SignalPoll::new(progress);
    let ran = py.detach(|| run(process, &chosen, &mut ear));
    if let Some(raised) = take_exception(&raised) {
        return Err(raised);
    }
    ear.end()?;
    let (kept, begun, summary) = ran.map_err(wrong)?;
    arrays(py, &kept, &begun, chosen.begin, &summary)
}

fn process(
    description: &Bound<'_, PyAny>,
    start: &[f64],
    chosen: &SweepOptions,
    flow: Option<Py<PyAny>>,
    raised: &SharedException,
) -> PyResult<Process<AnySet>> {
    let made = set(description, raised)?;
    let (metric, settings) = (chosen.metric(start.len())?, chosen.settings()?);
    // Set, metric and settings.
    let process = Process::new(made, chosen.begin, start)
        .and_then(|process| process.with_metric(metric))
        .and_then(|process| process.with_settings(settings))
        .map_err(wrong)?;
    let growing = chosen.growing.as_ref();
    let growing = Python::attach(|py| growing.map(|f| f.clone_ref(py)));
    let process = match growing {
        None => process,
        Some(growing) => {
            let raised = raised.clone();
            process.with_penalty(move |t| {
                let mut out = [f64::NAN];
                call(&growing, &raised, t, None, &mut out);
                out[0]
            })
        }
    };
    Ok(match flow {
        None => process,
        Some(flow) => {
            let raised = raised.clone();
            process.with_perturbation(move |t, u, out| call(&flow, &raised, t, Some(u), out))
        }
    })
}

/// The history, the initial point after its projection, and the summary.
type Ran = (SweepHistory, Vec<f64>, SweepingSummary);

fn run(
    mut process: Process<AnySet>,
    chosen: &SweepOptions,
    ear: &mut SignalPoll,
) -> percuss_sweep::Result<Ran> {
    let mut kept = SweepHistory::default();
    process.begin()?;
    let begun = process.point().to_vec();
    let length = (chosen.end - chosen.begin).abs().max(f64::MIN_POSITIVE);
    // Store every step and poll for signals.
    let summary = process.run_while(&chosen.schedule(), |step, process| {
        kept.steps.push(*step);
        kept.points.extend_from_slice(process.point());
        kept.loads.extend_from_slice(process.multipliers());
        kept.changes.extend_from_slice(process.changes());
        ear.should_continue((step.time - chosen.begin) / length)
    })?;
    Ok((kept, begun, summary))
}

type Column = (&'static str, fn(&SweepingStep) -> f64);

const COLUMNS: [Column; 11] = [
    ("t", |s| s.time),
    ("length", |s| s.length),
    ("moved", |s| s.moved),
    ("before", |s| s.distance_before),
    ("after", |s| s.distance_after),
    ("normality", |s| s.normal_cone_distance),
    ("retraction", |s| s.retraction.unwrap_or(f64::NAN)),
    ("drift", |s| s.perturbation_length),
    ("radius", |s| s.prox_regularity_radius.unwrap_or(f64::NAN)),
    ("iterations", |s| s.iterations as f64),
    ("met", |s| f64::from(u8::from(s.within_tolerance))),
];

fn arrays<'py>(
    py: Python<'py>,
    kept: &SweepHistory,
    begun: &[f64],
    begin: f64,
    summary: &SweepingSummary,
) -> PyResult<Bound<'py, PyDict>> {
    let (n, dim) = (kept.steps.len(), begun.len());
    let all = PyDict::new(py);
    // Times and points, with the initial one.
    let times = std::iter::once(begin).chain(kept.steps.iter().map(|s| s.time));
    all.set_item("t", PyArray1::from_iter(py, times.collect::<Vec<_>>()))?;
    let points: Vec<f64> = begun.iter().chain(&kept.points).copied().collect();
    all.set_item("u", PyArray1::from_vec(py, points).reshape([n + 1, dim])?)?;
    // Loads (multipliers), if their number is constant over the steps.
    let rows = match n > 0 && kept.loads.len().is_multiple_of(n) {
        true => kept.loads.len() / n,
        false => 0,
    };
    let loads = match rows {
        0 => Vec::new(),
        _ => kept.loads.clone(),
    };
    let shape = [if rows == 0 { 0 } else { n }, rows];
    all.set_item("loads", PyArray1::from_vec(py, loads).reshape(shape)?)?;
    // Step data by column.
    let steps = PyDict::new(py);
    for (name, of) in COLUMNS {
        let values: Vec<f64> = kept.steps.iter().map(of).collect();
        steps.set_item(name, PyArray1::from_vec(py, values))?;
    }
    all.set_item("steps", steps)?;
    // Steps that are jumps, by number: u before and after are the limits.
    let jumps = kept.steps.iter().enumerate().filter(|(_, s)| s.jump);
    all.set_item("jumps", jumps.map(|(k, _)| k).collect::<Vec<_>>())?;
    // Changes of the active set.
    let changes = kept.changes.iter();
    let changes: Vec<(f64, usize, bool)> =
        changes.map(|c| (c.time, c.constraint, c.held)).collect();
    all.set_item("changes", changes)?;
    all.set_item("account", account(py, summary)?)?;
    Ok(all)
}

fn account<'py>(py: Python<'py>, summary: &SweepingSummary) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("steps", summary.steps)?;
    all.set_item("missed", summary.missed)?;
    all.set_item("first_missed", summary.first_missed)?;
    all.set_item("worst_after", summary.worst_after)?;
    all.set_item("worst_normality", summary.worst_normal_cone_distance)?;
    all.set_item("variation", summary.variation)?;
    all.set_item("retraction", summary.retraction)?;
    all.set_item("bound", summary.bound)?;
    all.set_item("within_bound", summary.within_bound())?;
    all.set_item("least_radius", summary.least_radius)?;
    all.set_item("beyond_radius", summary.beyond_radius)?;
    all.set_item("events", summary.events)?;
    all.set_item("ok", summary.certified())?;
    Ok(all)
}

/// Adds what is here to the module.
///
/// # Errors
/// Python refuses a name.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run_sweep, module)?)
}
