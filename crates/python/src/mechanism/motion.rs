//! A computed motion as NumPy arrays.

use numpy::{PyArray1, PyArrayMethods};
use percuss_mechanism::{Constraint, EventKind, StepReport, System};
use percuss_record::Certificate;
use percuss_run::Trajectory;
use percuss_scene::{Sample, SymbolicSystem};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error;

/// A computed motion, with the names of its coordinates and constraints.
#[pyclass(module = "percuss._percuss", frozen)]
pub struct Motion {
    trajectory: Trajectory,
    certificate: Certificate,
    stopped: Option<String>,
    positions: Vec<String>,
    velocities: Vec<String>,
    constraints: Vec<Constraint>,
    /// The system that evaluates observables: only mechanisms of expressions have one.
    system: Option<SymbolicSystem>,
    findings: Option<String>,
}

impl Motion {
    /// The motion of a system, up to where it was computed.
    pub(super) fn new<S: System>(
        system: &S,
        trajectory: Trajectory,
        certificate: Certificate,
        stopped: Option<String>,
    ) -> Self {
        let chart = system.configuration_space();
        let (positions, velocities) = (chart.num_positions(), chart.num_velocities());
        Self {
            positions: (0..positions).map(|i| system.position_name(i)).collect(),
            velocities: (0..velocities).map(|i| system.velocity_name(i)).collect(),
            constraints: system.constraints().to_vec(),
            trajectory,
            certificate,
            stopped,
            system: None,
            findings: None,
        }
    }

    /// The same, able to evaluate observables, with its findings as JSON.
    pub(super) fn with_text(mut self, system: SymbolicSystem, findings: Option<String>) -> Self {
        self.system = Some(system);
        self.findings = findings;
        self
    }

    /// Why it ended early, if it did.
    pub(super) fn reason(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// Whether there are no states.
    pub(super) fn is_empty(&self) -> bool {
        self.trajectory.is_empty()
    }
}

type Column = (&'static str, fn(&StepReport) -> f64);

/// The columns of the step reports that Python sees.
const COLUMNS: [Column; 18] = [
    ("t", |l| l.t),
    ("h", |l| l.h),
    ("active", |l| l.num_active as f64),
    ("residual", |l| l.residual),
    ("iterations", |l| l.iterations as f64),
    ("reached", |l| f64::from(u8::from(l.reached))),
    ("penetration", |l| l.penetration),
    ("drift", |l| l.drift),
    ("momentum", |l| l.momentum),
    ("kinetic", |l| l.kinetic),
    ("potential", |l| l.potential),
    ("work", |l| l.work),
    ("impact", |l| l.impact),
    ("sliding", |l| l.sliding),
    ("boundary", |l| l.boundary),
    ("energy", |l| l.energy),
    ("gain", |l| l.gain),
    ("gamma", |l| l.gamma),
];

/// Name and data (velocity before and after, or γ) of an event.
fn told(kind: EventKind) -> (&'static str, f64, f64) {
    match kind {
        EventKind::Impact { before, after } => ("impact", before, after),
        EventKind::Touch => ("touch", f64::NAN, f64::NAN),
        EventKind::Detach => ("detach", f64::NAN, f64::NAN),
        EventKind::Stick => ("stick", f64::NAN, f64::NAN),
        EventKind::Slip => ("slip", f64::NAN, f64::NAN),
        EventKind::Accumulation => ("accumulation", f64::NAN, f64::NAN),
        EventKind::Painleve { gamma } => ("painleve", gamma, f64::NAN),
        EventKind::Locked => ("locked", f64::NAN, f64::NAN),
    }
}

#[pymethods]
impl Motion {
    /// Names of the positions.
    #[getter]
    fn positions(&self) -> Vec<String> {
        self.positions.clone()
    }

    /// Names of the velocities.
    #[getter]
    fn velocities(&self) -> Vec<String> {
        self.velocities.clone()
    }

    /// Names of the constraints.
    #[getter]
    fn constraints(&self) -> Vec<String> {
        self.constraints.iter().map(|c| c.name.clone()).collect()
    }

    /// Why it ended early, if it did.
    #[getter]
    fn stopped(&self) -> Option<String> {
        self.stopped.clone()
    }

    /// The findings as JSON; of mechanisms of expressions only.
    #[getter]
    fn findings(&self) -> Option<String> {
        self.findings.clone()
    }

    /// The certificate as JSON.
    fn certificate(&self) -> String {
        serde_json::to_string(&self.certificate.json()).unwrap_or_default()
    }

    /// Warnings, in sentences.
    fn warnings(&self) -> Vec<String> {
        self.certificate.warnings()
    }

    /// Times, positions and velocities: flat arrays and their row lengths.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        let (n, motion) = (self.trajectory.len(), &self.trajectory);
        all.set_item("t", PyArray1::from_slice(py, motion.times()))?;
        let q: Vec<f64> = (0..n).flat_map(|k| motion.position(k)).copied().collect();
        let v: Vec<f64> = (0..n).flat_map(|k| motion.velocity(k)).copied().collect();
        let (p, s) = (self.positions.len(), self.velocities.len());
        all.set_item("q", PyArray1::from_vec(py, q).reshape([n, p])?)?;
        all.set_item("u", PyArray1::from_vec(py, v).reshape([n, s])?)?;
        Ok(all)
    }

    /// The step reports, one array per column; row 0 is the initial state.
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, of) in COLUMNS {
            let values = (0..self.trajectory.len()).map(|k| of(self.trajectory.step_report(k)));
            all.set_item(name, PyArray1::from_iter(py, values))?;
        }
        Ok(all)
    }

    /// Impulses of the rows of a constraint over the step that ends in each state, and its gap there (NaN where
    /// the constraint was inactive).
    fn impulses<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let n = self.trajectory.len();
        let rows: Vec<usize> = self.constraints.iter().map(|c| c.rows).collect();
        let mut impulse: Vec<Vec<f64>> = rows.iter().map(|d| vec![0.0; n * d]).collect();
        let mut gap = vec![vec![f64::NAN; n]; rows.len()];
        // Impulses and gaps of the active constraints; inactive ones keep 0 and NaN.
        for k in 0..n {
            for touch in self.trajectory.constraint_reports(k) {
                let (c, d) = (touch.constraint, touch.impulse.len());
                let Some(&expected) = rows.get(c) else {
                    continue;
                };
                if d == expected {
                    impulse[c][k * d..(k + 1) * d].copy_from_slice(touch.impulse);
                }
                gap[c][k] = touch.gap;
            }
        }
        // As arrays by constraint.
        let mut all = Vec::with_capacity(rows.len());
        for ((impulse, gap), d) in impulse.into_iter().zip(gap).zip(rows) {
            let one = PyDict::new(py);
            one.set_item("impulse", PyArray1::from_vec(py, impulse).reshape([n, d])?)?;
            one.set_item("gap", PyArray1::from_vec(py, gap))?;
            all.push(one);
        }
        Ok(all)
    }

    /// Events: times, constraint indices, names, and two numbers each.
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let events = self.trajectory.events();
        let all = PyDict::new(py);
        let told: Vec<(&str, f64, f64)> = events.iter().map(|e| told(e.kind)).collect();
        all.set_item("t", PyArray1::from_iter(py, events.iter().map(|e| e.t)))?;
        let which = events.iter().map(|e| e.constraint as i64);
        all.set_item("constraint", PyArray1::from_iter(py, which))?;
        all.set_item("kind", PyList::new(py, told.iter().map(|e| e.0))?)?;
        all.set_item("before", PyArray1::from_iter(py, told.iter().map(|e| e.1)))?;
        all.set_item("after", PyArray1::from_iter(py, told.iter().map(|e| e.2)))?;
        Ok(all)
    }

    /// Values of an observable at all states.
    fn observe<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let Some(system) = &self.system else {
            let problem = "a mechanism of Python functions has no expressions; use its arrays";
            return Err(error::input(format!("`{text}`: {problem}")));
        };
        let mut system = system.clone();
        let observable = system.observable(text);
        let mut observable = observable.map_err(|e| error::input(e.to_string()))?;
        let mut values = Vec::with_capacity(self.trajectory.len());
        // Evaluate at every state.
        for k in 0..self.trajectory.len() {
            let forces = |constraint, row| self.trajectory.force(k, constraint, row);
            let sample = Sample {
                t: self.trajectory.times()[k],
                q: self.trajectory.position(k),
                v: self.trajectory.velocity(k),
                forces: &forces,
                path: self.trajectory.step_report(k).path,
            };
            let value = observable.evaluate(&mut system, &sample);
            values.push(value.map_err(|e| error::input(e.to_string()))?);
        }
        Ok(PyArray1::from_vec(py, values))
    }
}
