//! Prescribed motions and forces that are Python callables.
//!
//! The engine calls them during a step, without holding the GIL. An exception, or an invalid return value,
//! cannot be reported there: it is stored in a slot, the engine gets NaN, rejects the step for it and keeps its
//! state, and the exception is raised in place of that error.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use percuss_bodies::plane::Angle;
use percuss_bodies::{Dim, ForceContext, ForceField, Plane, Pose, PrescribedMotion, Space, Vector};
use pyo3::prelude::*;

use crate::error;

/// The first exception that a callable raised.
#[derive(Debug, Clone, Default)]
pub struct ExceptionSlot(Arc<Mutex<Option<PyErr>>>);

impl ExceptionSlot {
    fn put(&self, raised: PyErr) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.get_or_insert(raised);
    }

    /// Takes the exception out of the slot.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What callables need to know of the dimension.
pub trait CallableDim: Dim {
    /// Permitted numbers of displacement components: in the plane with or without an angle.
    const ENTRIES: &'static [usize];
    /// The pose displaced by `by`, and the velocity with the components of `rate`.
    fn moved(anchor: &Pose<Self>, by: &[f64], rate: &[f64]) -> (Pose<Self>, Self::Dofs);
}

impl CallableDim for Plane {
    const ENTRIES: &'static [usize] = &[2, 3];

    fn moved(anchor: &Pose<Self>, by: &[f64], rate: &[f64]) -> (Pose<Self>, [f64; 3]) {
        let entry = |all: &[f64], k: usize| all.get(k).copied().unwrap_or(0.0);
        let pose = Pose {
            position: anchor.position
                + <Self as percuss_bodies::geometry::Dim>::Vector::from_components(&[
                    entry(by, 0),
                    entry(by, 1),
                ]),
            rotation: Angle::new(anchor.rotation.angle() + entry(by, 2)),
        };
        (pose, [0, 1, 2].map(|k| entry(rate, k)))
    }
}

impl CallableDim for Space {
    const ENTRIES: &'static [usize] = &[3];

    fn moved(anchor: &Pose<Self>, by: &[f64], rate: &[f64]) -> (Pose<Self>, [f64; 6]) {
        let entry = |all: &[f64], k: usize| all.get(k).copied().unwrap_or(0.0);
        let by = [0, 1, 2].map(|k| entry(by, k));
        let pose = Pose {
            position: anchor.position
                + <Self as percuss_bodies::geometry::Dim>::Vector::from_components(&by),
            rotation: anchor.rotation,
        };
        let [x, y, z] = [0, 1, 2].map(|k| entry(rate, k));
        (pose, [x, y, z, 0.0, 0.0, 0.0])
    }
}

/// A prescribed motion: a callable t → displacement from the initial pose of the body.
#[derive(Debug)]
pub struct CallableMotion {
    /// Name of the body, for messages.
    pub body: String,
    /// The displacement.
    pub place: Py<PyAny>,
    /// Its time derivative; by central differences over a step if not given.
    pub rate: Option<Py<PyAny>>,
    /// Length of a step.
    pub step: f64,
    /// Slot for exceptions.
    pub slot: ExceptionSlot,
}

impl CallableMotion {
    fn ask(
        &self,
        py: Python<'_>,
        call: &Py<PyAny>,
        t: f64,
        entries: &[usize],
    ) -> PyResult<Vec<f64>> {
        let given = call.call1(py, (t,))?;
        // Any array-like of numbers is accepted.
        let numpy = py.import("numpy")?;
        let array = numpy.call_method1("atleast_1d", (given,))?;
        let array = array.call_method1("astype", ("float64",))?;
        let array: PyReadonlyArray1<'_, f64> = array.extract().map_err(|_| {
            error::argument(
                "motion",
                format!("body `{}`: a vector was expected", self.body),
            )
        })?;
        let all = array.as_array().to_vec();
        // Number and finiteness of the components.
        if !entries.contains(&all.len()) || all.iter().any(|x| !x.is_finite()) {
            let expected: Vec<String> = entries.iter().map(ToString::to_string).collect();
            return Err(error::argument(
                "motion",
                format!(
                    "body `{}`: at t = {t} the callable gave {all:?}; {} finite numbers were \
                     expected",
                    self.body,
                    expected.join(" or ")
                ),
            ));
        }
        Ok(all)
    }

    fn both(&self, t: f64, entries: &[usize]) -> PyResult<(Vec<f64>, Vec<f64>)> {
        Python::attach(|py| {
            let place = self.ask(py, &self.place, t, entries)?;
            if let Some(rate) = &self.rate {
                return Ok((place, self.ask(py, rate, t, entries)?));
            }
            // (x(t + h/2) − x(t − h/2))/h: second order, as the time stepping.
            let h = self.step;
            let late = self.ask(py, &self.place, t + 0.5 * h, entries)?;
            let early = self.ask(py, &self.place, t - 0.5 * h, entries)?;
            let rate = late.iter().zip(&early).map(|(b, a)| (b - a) / h).collect();
            Ok((place, rate))
        })
    }
}

impl<D: CallableDim> PrescribedMotion<D> for CallableMotion {
    fn at(&mut self, anchor: &Pose<D>, t: f64) -> (Pose<D>, D::Dofs) {
        match self.both(t, D::ENTRIES) {
            Ok((by, rate)) => D::moved(anchor, &by, &rate),
            Err(raised) => {
                self.slot.put(raised);
                D::moved(anchor, &[f64::NAN; 3], &[f64::NAN; 3])
            }
        }
    }
}

/// A force law: a callable (t, positions, velocities) → one row of force, or of force and moment, for each of
/// its bodies.
#[derive(Debug)]
pub struct CallableForce {
    /// Its bodies.
    pub bodies: Vec<u32>,
    /// The callable.
    pub call: Py<PyAny>,
    /// Slot for exceptions.
    pub slot: ExceptionSlot,
}

impl CallableForce {
    fn rows<D: Dim>(&self, scenery: &ForceContext<'_, D>) -> PyResult<(Vec<f64>, usize)> {
        Python::attach(|py| {
            let count = self.bodies.len();
            // Positions and velocities of the bodies as arrays.
            let (mut places, mut rates) = (Vec::new(), Vec::new());
            for &body in &self.bodies {
                let (place, rate) = (
                    &scenery.poses[body as usize],
                    &scenery.velocities[body as usize],
                );
                places.extend_from_slice(place.position.components());
                rates.extend_from_slice(rate.as_ref());
            }
            let shaped = |all: Vec<f64>, width: usize| {
                let flat = numpy::PyArray1::from_vec(py, all);
                flat.reshape([count, width])
            };
            let places: Bound<'_, PyArray2<f64>> = shaped(places, D::N)?;
            let rates: Bound<'_, PyArray2<f64>> = shaped(rates, D::DOF)?;
            // Call, and check of shape and finiteness.
            let given = self.call.call1(py, (scenery.t, places, rates))?;
            let numpy = py.import("numpy")?;
            let array = numpy.call_method1("atleast_2d", (given,))?;
            let array = array.call_method1("astype", ("float64",))?;
            let array: PyReadonlyArray2<'_, f64> = array
                .extract()
                .map_err(|_| error::argument("force", "rows of numbers were expected"))?;
            let array = array.as_array();
            let width = array.ncols();
            let fits = array.nrows() == count && (width == D::N || width == D::DOF);
            if !fits || array.iter().any(|x| !x.is_finite()) {
                return Err(error::argument(
                    "force",
                    format!(
                        "the callable gave an array of {} x {width} at t = {}; finite numbers, \
                         {count} x {} (forces) or {count} x {} (forces and moments), were expected",
                        array.nrows(),
                        scenery.t,
                        D::N,
                        D::DOF
                    ),
                ));
            }
            Ok((array.iter().copied().collect(), width))
        })
    }
}

impl<D: Dim> ForceField<D> for CallableForce {
    fn add_loads(&mut self, scenery: &ForceContext<'_, D>, loads: &mut [D::Dofs]) {
        let (rows, width) = match self.rows(scenery) {
            Ok(both) => both,
            // An exception is stored; NaN makes the engine reject the step.
            Err(raised) => {
                self.slot.put(raised);
                (vec![f64::NAN; self.bodies.len() * D::N], D::N)
            }
        };
        for (row, &body) in rows.chunks(width.max(1)).zip(&self.bodies) {
            if let Some(load) = loads.get_mut(body as usize) {
                for (sum, entry) in load.as_mut().iter_mut().zip(row) {
                    *sum += entry;
                }
            }
        }
    }
}
