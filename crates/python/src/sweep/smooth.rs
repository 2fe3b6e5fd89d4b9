//! Sets { c(t, x) <= 0 } of Python functions.

use percuss_sweep::Inequalities;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::sets::{call, item};
use crate::mechanism::SharedException;

/// Functions c_k(t, x), convex in x, with their gradients.
pub(super) struct Functions {
    dim: usize,
    count: usize,
    values: Py<PyAny>,
    gradients: Py<PyAny>,
    rates: Option<Py<PyAny>>,
    raised: SharedException,
}

impl Functions {
    /// Reads a description.
    ///
    /// # Errors
    /// An entry is missing.
    pub fn read(dict: &Bound<'_, PyDict>, raised: &SharedException) -> PyResult<Self> {
        let rates = item(dict, "rates")?;
        Ok(Self {
            dim: item(dict, "dim")?.extract()?,
            count: item(dict, "count")?.extract()?,
            values: item(dict, "values")?.unbind(),
            gradients: item(dict, "gradients")?.unbind(),
            rates: (!rates.is_none()).then(|| rates.unbind()),
            raised: raised.clone(),
        })
    }
}

impl Inequalities for Functions {
    fn dim(&self) -> usize {
        self.dim
    }

    fn count(&self) -> usize {
        self.count
    }

    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        call(&self.values, &self.raised, t, Some(x), out);
    }

    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        call(&self.gradients, &self.raised, t, Some(x), out);
    }

    fn rates(&self, t: f64, x: &[f64], out: &mut [f64]) {
        match &self.rates {
            Some(rates) => call(rates, &self.raised, t, Some(x), out),
            None => sixth(t, self.count, out, |t, c| self.values(t, x, c)),
        }
    }
}

/// Time derivative by central differences of sixth order, as in the crate `sweep`.
fn sixth(t: f64, count: usize, out: &mut [f64], mut values: impl FnMut(f64, &mut [f64])) {
    // h = 1e-3: truncation error 1e-18 times the seventh derivative, rounding error 1e-13.
    let h = 1e-3 * t.abs().max(1.0);
    let mut c = vec![0.0; count];
    out.fill(0.0);
    for (k, weight) in [(1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0)] {
        for sign in [1.0, -1.0] {
            values(t + sign * k * h, &mut c);
            for (o, c) in out.iter_mut().zip(&c) {
                *o += sign * weight / h * c;
            }
        }
    }
}
