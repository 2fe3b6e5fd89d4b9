//! Reports of a world: last step, contacts, bodies.

use numpy::PyArray1;
use percuss_bodies::{Dim, Freedom, Vector, World};
use percuss_contact::law::Status;
use percuss_run::AnyWorld;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error;
use crate::value;

/// The report of the last step as a dict.
pub fn ledger(py: Python<'_>, live: &AnyWorld) -> PyResult<Py<PyAny>> {
    let ledger = match live {
        AnyWorld::Plane(world) => world.report(),
        AnyWorld::Space(world) => world.report(),
    };
    let json = serde_json::to_value(ledger)
        .map_err(|e| error::machine(format!("cannot tell the account of the step: {e}")))?;
    value::python(py, &json)
}

/// One packed record for each contact of the last step; `_arrays.py` has the NumPy data type.
pub fn contacts<'py>(py: Python<'py>, live: &AnyWorld) -> Bound<'py, PyBytes> {
    let packed = match live {
        AnyWorld::Plane(world) => packed(world),
        AnyWorld::Space(world) => packed(world),
    };
    PyBytes::new(py, &packed)
}

fn packed<D: Dim>(world: &World<D>) -> Vec<u8> {
    let mut out = Vec::new();
    let h = world.report().h;
    // Layout of a record: bodies, feature, status, gap, point, normal, impulse, normal impulse and force, end
    // velocity.
    for k in 0..world.num_contacts() {
        let contact = world.contact(k);
        for body in contact.bodies {
            out.extend_from_slice(&body.to_ne_bytes());
        }
        out.extend_from_slice(&contact.point.feature.to_ne_bytes());
        let status: u32 = match contact.status {
            Status::Open => 0,
            Status::Stick => 1,
            Status::Slip => 2,
        };
        out.extend_from_slice(&status.to_ne_bytes());
        let mut number = |x: f64| out.extend_from_slice(&x.to_ne_bytes());
        number(contact.point.gap);
        let middle = (contact.point.point_a + contact.point.point_b) * 0.5;
        middle.components().iter().for_each(|x| number(*x));
        contact
            .point
            .normal
            .components()
            .iter()
            .for_each(|x| number(*x));
        // Impulse in space axes.
        let mut impulse = D::Vector::default();
        for (axis, s) in contact.frame.as_ref().iter().zip(contact.impulse) {
            impulse += *axis * *s;
        }
        impulse.components().iter().for_each(|x| number(*x));
        let normal = contact.impulse.first().copied().unwrap_or(0.0);
        number(normal);
        number(if h > 0.0 { normal / h } else { 0.0 });
        let row = |all: &[f64], k: usize| all.get(k).copied().unwrap_or(0.0);
        for k in 0..D::N {
            number(row(contact.end, k));
        }
    }
    out
}

/// Masses, materials and degrees of freedom of the bodies.
pub fn bodies(py: Python<'_>, live: &AnyWorld) -> PyResult<Py<PyAny>> {
    fn gather<D: Dim>(world: &World<D>) -> (Vec<f64>, Vec<u16>, Vec<bool>) {
        let all = &world.model().bodies;
        // Mass and movability of each body.
        let mass = |freedom: Freedom, mass: f64| if freedom.movable() { mass } else { 0.0 };
        (
            all.iter().map(|b| mass(b.freedom, b.mass.mass)).collect(),
            all.iter().map(|b| b.material).collect(),
            all.iter().map(|b| b.freedom.movable()).collect(),
        )
    }
    let (masses, materials, movable) = match live {
        AnyWorld::Plane(world) => gather(world),
        AnyWorld::Space(world) => gather(world),
    };
    let dict = PyDict::new(py);
    dict.set_item("masses", PyArray1::from_vec(py, masses))?;
    dict.set_item("materials", PyArray1::from_vec(py, materials))?;
    dict.set_item("movable", PyArray1::from_vec(py, movable))?;
    dict.into_py_any(py)
}
