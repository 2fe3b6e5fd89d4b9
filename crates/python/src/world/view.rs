//! Views of engine arrays for NumPy, without copying.
//!
//! A [`View`] has NumPy's array interface (address, shape, strides) and keeps the engine alive:
//! `numpy.asarray(view)` is an array over the engine's memory with the view as its base. The memory of poses
//! and velocities is allocated once, when a world is built, and keeps its address until the engine is dropped:
//! bodies cannot be added to a built world, and a step or a restored checkpoint writes in place. The arrays are
//! read-only.

use percuss_bodies::{Dim, Plane, Space, State, Vector, World};
use percuss_run::AnyWorld;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Engine;
use crate::error;

/// A borrowed array.
#[pyclass(frozen, name = "View", module = "percuss")]
pub struct View {
    /// Keeps the memory alive.
    _engine: Py<Engine>,
    address: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

#[pymethods]
impl View {
    /// NumPy's array interface, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item(
            "typestr",
            if cfg!(target_endian = "big") {
                ">f8"
            } else {
                "<f8"
            },
        )?;
        dict.set_item("data", (self.address, true))?;
        dict.set_item("shape", pyo3::types::PyTuple::new(py, &self.shape)?)?;
        dict.set_item("strides", pyo3::types::PyTuple::new(py, &self.strides)?)?;
        Ok(dict)
    }
}

/// Address of a column, stride between bodies, and number of components.
struct Span {
    address: usize,
    stride: usize,
    entries: Option<usize>,
}

fn at(entry: &f64) -> usize {
    std::ptr::from_ref(entry) as usize
}

fn span<D: Dim>(
    world: &World<D>,
    what: &str,
    turn: impl Fn(&State<D>) -> Option<usize>,
) -> Option<Span> {
    let state = world.state();
    let pose = state.poses.first()?;
    let rate = state.velocities.first()?.as_ref();
    let (place, speed) = (size_of_val(pose), size_of_val(rate));
    let spins = if D::N == 2 { None } else { Some(D::DOF - D::N) };
    // Address, stride and number of components by name.
    let (address, stride, entries) = match what {
        "positions" => (at(pose.position.components().first()?), place, Some(D::N)),
        "velocities" => (at(rate.first()?), speed, Some(D::N)),
        "spins" => (at(rate.get(D::N)?), speed, spins),
        "rotations" => (turn(state)?, place, if D::N == 2 { None } else { Some(4) }),
        _ => return None,
    };
    Some(Span {
        address,
        stride,
        entries,
    })
}

fn plane(state: &State<Plane>) -> Option<usize> {
    Some(at(state.poses.first()?.rotation.angle_ref()))
}

fn space(state: &State<Space>) -> Option<usize> {
    let entries: &[f64; 4] = state.poses.first()?.rotation.as_ref();
    Some(at(entries.first()?))
}

/// The view of one of `positions`, `velocities`, `spins`, `rotations`.
pub fn view(engine: Py<Engine>, live: &AnyWorld, what: &str) -> PyResult<View> {
    let (span, count) = match live {
        AnyWorld::Plane(world) => (span(world, what, plane), world.state().poses.len()),
        AnyWorld::Space(world) => (span(world, what, space), world.state().poses.len()),
    };
    let span = span.ok_or_else(|| error::input(format!("there is no array `{what}`")))?;
    // A scalar per body has one axis, a vector two.
    let (mut shape, mut strides) = (vec![count], vec![span.stride]);
    if let Some(entries) = span.entries {
        shape.push(entries);
        strides.push(size_of::<f64>());
    }
    Ok(View {
        _engine: engine,
        address: span.address,
        shape,
        strides,
    })
}
