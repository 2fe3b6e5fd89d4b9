//! Worlds: bodies that Python builds, steps, reads and changes.
//!
//! The engine is behind a mutex that is locked only without the GIL, or by `try_lock`: a thread that holds the
//! GIL never waits for one that steps and may need the GIL for a callable (this would be a deadlock). A caller
//! that finds the mutex locked gets the error that the world is being stepped.

mod build;
mod course;
mod report;
mod view;

use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::PyReadonlyArray2;
use percuss_bodies::{Dim, State, StepReport, World};
use percuss_record::{Certificate, Criterion};
use percuss_run::{AnyWorld, BodiesObservable, ObservableRequest, RunTemplate};
use percuss_scene::Scene;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::callable::ExceptionSlot;
use crate::error;
use crate::pulse::ProgressReporter;
use crate::value;

/// Adds the classes of this folder.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<view::View>()?;
    module.add_class::<Engine>()?;
    module.add_function(wrap_pyfunction!(build::build, module)?)?;
    module.add_function(wrap_pyfunction!(course::run_world, module)?)?;
    module.add_function(wrap_pyfunction!(course::snapshot_world, module)?)
}

/// The mutable state: world, observables, certificate.
pub struct Inner {
    live: AnyWorld,
    score: RunTemplate,
    /// Requested observables, with their last values.
    observables: Vec<(String, BodiesObservable, f64)>,
    /// Certificate of the steps made by `step`, and which warnings have been issued.
    certificate: Certificate,
    told: Vec<Criterion>,
}

/// Criteria that cause a warning when they are first violated. Energy scales grow during a motion: criteria
/// relative to them are in the certificate only.
const TOLD: [Criterion; 8] = [
    Criterion::Residual,
    Criterion::Gain,
    Criterion::Penetration,
    Criterion::Resting,
    Criterion::Drift,
    Criterion::Mixed,
    Criterion::Nonunique,
    Criterion::OtherSolution,
];

/// A built world.
#[pyclass(frozen, name = "Engine", module = "percuss")]
pub struct Engine {
    inner: Mutex<Inner>,
    scene: Scene,
    /// Observables needed by findings and plots of the scene.
    wanted: ObservableRequest,
    /// Exceptions of callables.
    slot: ExceptionSlot,
}

impl Inner {
    /// Updates the observables at the end of a step.
    fn update_observables(&mut self) {
        for (_, observer, value) in &mut self.observables {
            *value = observer.evaluate(self.live.view());
        }
    }

    fn advance(&mut self) -> Result<(), String> {
        let cast = &self.score.before.names;
        if self.certificate.steps == 0 {
            self.live.begin_certificate(&mut self.certificate);
        }
        self.live.advance(cast)?;
        self.live.certify(&mut self.certificate, cast);
        self.update_observables();
        Ok(())
    }

    /// Warnings that have not been issued before.
    fn new_warnings(&mut self) -> Vec<String> {
        let new = TOLD.into_iter();
        // Criteria that are violated and have not been reported.
        let new =
            new.filter(|what| self.certificate.is_reported(*what) && !self.told.contains(what));
        let new: Vec<Criterion> = new.collect();
        self.told.extend(&new);
        let words = |what: &Criterion| {
            let certificate = &self.certificate;
            format!(
                "{}; {}",
                certificate.sentence(*what),
                certificate.advice(*what)
            )
        };
        new.iter().map(words).collect()
    }
}

impl Engine {
    /// The mutable state, unless another thread is stepping it.
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(error::Error::new_err(
                "the world is being stepped: read it before or after a step, or in a callback",
            )),
        }
    }

    /// The exception of a callable, or this refusal.
    fn refusal(&self, reason: String) -> PyErr {
        self.slot.take().unwrap_or_else(|| error::input(reason))
    }
}

#[pymethods]
impl Engine {
    /// Makes `count` steps; returns new warnings.
    #[pyo3(signature = (count=1))]
    fn step(&self, py: Python<'_>, count: usize) -> PyResult<Vec<String>> {
        let mut pulse = ProgressReporter::new(None);
        // The mutex is not waited for: see the head of this file.
        drop(self.inner()?);
        let done = py.detach(|| {
            let mut inner = self.inner.lock().unwrap_or_else(|p| p.into_inner());
            for _ in 0..count {
                inner.advance()?;
                if !pulse.update(0.0, 0.0, "") {
                    break;
                }
            }
            Ok(())
        });
        pulse.check()?;
        done.map_err(|reason: String| self.refusal(reason))?;
        Ok(self.inner()?.new_warnings())
    }

    /// Warnings about the text that the world was built from: words of an earlier version. Its line numbers mean
    /// nothing to the user and are left out.
    fn scene_warnings(&self) -> Vec<String> {
        let all = self.scene.warnings().iter();
        let placeless = all.map(|text| match text.splitn(3, ':').collect::<Vec<_>>()[..] {
            [origin, _line, rest] => format!("{origin}:{rest}"),
            _ => text.clone(),
        });
        placeless.collect()
    }

    /// Certificate of the steps made by `step`; a dict.
    fn certificate(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let sheet = self.inner()?.certificate.json();
        let json = serde_json::to_value(sheet)
            .map_err(|e| error::machine(format!("cannot tell the certificate: {e}")))?;
        value::python(py, &json)
    }

    /// Time, and the length of a step.
    #[getter]
    fn time(&self) -> PyResult<(f64, f64)> {
        Ok(self.inner()?.live.time())
    }

    /// Dimension, 2 or 3.
    #[getter]
    fn dimension(&self) -> PyResult<usize> {
        Ok(self.inner()?.score.before.dimension)
    }

    /// Names of the bodies.
    fn names(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.score.before.names.bodies.clone())
    }

    /// Names of the materials.
    fn materials(&self) -> PyResult<Vec<String>> {
        Ok(self.inner()?.score.before.names.materials.clone())
    }

    /// Groups: names and members.
    fn groups(&self) -> PyResult<Vec<(String, Vec<u32>)>> {
        Ok(self.inner()?.score.before.names.groups.clone())
    }

    /// Masses, materials and degrees of freedom of the bodies; a dict of arrays.
    fn bodies(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        report::bodies(py, &self.inner()?.live)
    }

    /// The report of the last step; a dict.
    fn ledger(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        report::ledger(py, &self.inner()?.live)
    }

    /// Packed records of the contacts of the last step.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(report::contacts(py, &self.inner()?.live))
    }

    /// Number of contacts of the last step.
    fn num_contacts(&self) -> PyResult<usize> {
        Ok(match &self.inner()?.live {
            AnyWorld::Plane(world) => world.num_contacts(),
            AnyWorld::Space(world) => world.num_contacts(),
        })
    }

    /// A view of an engine array: `positions`, `velocities`, `spins`, `rotations`.
    fn view(slf: &Bound<'_, Self>, what: &str) -> PyResult<view::View> {
        let engine = slf.clone().unbind();
        view::view(engine, &slf.get().inner()?.live, what)
    }

    /// The current value of an observable.
    fn observe(&self, text: &str) -> PyResult<f64> {
        let mut inner = self.inner()?;
        if let Some((_, _, value)) = inner.observables.iter().find(|(known, ..)| known == text) {
            return Ok(*value);
        }
        let cast = &inner.score.before.names;
        let dimension = inner.score.before.dimension;
        let observer = BodiesObservable::compile(cast, dimension, self.scene.parameters(), text);
        let mut observer = observer.map_err(error::input)?;
        let value = observer.evaluate(inner.live.view());
        inner.observables.push((text.to_string(), observer, value));
        Ok(value)
    }

    /// Checkpoint: the complete state, as bytes.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let packed = match &self.inner()?.live {
            AnyWorld::Plane(world) => postcard::to_stdvec(&(world.state(), world.report())),
            AnyWorld::Space(world) => postcard::to_stdvec(&(world.state(), world.report())),
        };
        let packed = packed.map_err(|e| error::machine(format!("cannot pack the state: {e}")))?;
        Ok(PyBytes::new(py, &packed))
    }

    /// Restores a checkpoint of this world, or of one with the same bodies.
    fn restore(&self, packed: &[u8]) -> PyResult<()> {
        fn apply<D: Dim>(world: &mut World<D>, packed: &[u8]) -> PyResult<()> {
            // State and report of the last step.
            let unpacked: Result<(State<D>, StepReport), _> = postcard::from_bytes(packed);
            let (state, ledger) = unpacked
                .map_err(|_| error::argument("state", "it is no state of a world like this"))?;
            let restored = world.restore(&state, ledger);
            restored.map_err(|e| error::argument("state", e))
        }
        let mut inner = self.inner()?;
        match &mut inner.live {
            AnyWorld::Plane(world) => apply(world, packed)?,
            AnyWorld::Space(world) => apply(world, packed)?,
        }
        inner.update_observables();
        Ok(())
    }

    /// Sets the velocities of dynamic bodies: one row of velocity and angular velocity (in space about body
    /// axes) for each body.
    fn set_velocities(&self, rows: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        fn apply<D: Dim>(
            world: &mut World<D>,
            rows: numpy::ndarray::ArrayView2<'_, f64>,
        ) -> PyResult<()> {
            // Shape of the array.
            let count = world.state().velocities.len();
            if rows.nrows() != count || rows.ncols() != D::DOF {
                let (n, m) = (rows.nrows(), rows.ncols());
                let text = format!("{count} x {} entries were expected, not {n} x {m}", D::DOF);
                return Err(error::argument("velocities", text));
            }
            let mut all = vec![D::ZERO_VELOCITY; count];
            for (into, row) in all.iter_mut().zip(rows.rows()) {
                for (to, from) in into.as_mut().iter_mut().zip(row) {
                    *to = *from;
                }
            }
            let set = world.set_velocities(&all);
            set.map_err(|e| error::argument("velocities", e))
        }
        let mut inner = self.inner()?;
        match &mut inner.live {
            AnyWorld::Plane(world) => apply(world, rows.as_array())?,
            AnyWorld::Space(world) => apply(world, rows.as_array())?,
        }
        inner.update_observables();
        Ok(())
    }

    /// Preparation before the run: overlaps removed, preparatory steps; a dict.
    fn before(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let json = self.inner()?.score.before.certificate_json();
        value::python(py, &json)
    }
}
