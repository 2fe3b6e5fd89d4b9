//! A mechanism whose A, K, gaps and Jacobian rows are Python functions.
//!
//! The Python side (`percuss.functions`) has one object with a method for each method of [`System`]; it
//! differentiates (complex-step derivatives) and checks shapes. This module fetches the numbers, checks that
//! they are finite and passes them to the integrators. An exception is stored and raised again when the motion
//! has stopped: to the integrators it is a [`SystemError`] like any other, so that their state is that before
//! the step.

use std::sync::{Arc, Mutex};

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::scaling::{self, NormalFactor, NormalScaling};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, Coordinate, StateRef, System, SystemError,
};
use percuss_scene::assemble_law;
use pyo3::intern;
use pyo3::prelude::*;

use super::forms::{ConstraintLaw, constraint};
use crate::error;

/// The exception that a callback raised, shared with the caller.
pub(crate) type SharedException = Arc<Mutex<Option<PyErr>>>;

/// Stores the first exception.
pub(crate) fn store_exception(raised: &SharedException, error: PyErr) {
    if let Ok(mut slot) = raised.lock() {
        slot.get_or_insert(error);
    }
}

/// Takes the exception.
pub(crate) fn take_exception(raised: &SharedException) -> Option<PyErr> {
    raised.lock().ok().and_then(|mut slot| slot.take())
}

/// A mechanism of Python functions.
pub(super) struct CallableSystem {
    model: Py<PyAny>,
    chart: ConfigurationSpace,
    names: Vec<String>,
    constraints: Vec<Constraint>,
    rules: Vec<ConstraintLaw>,
    /// η of the LZB law.
    exponent: f64,
    /// By constraint: scaling of its normal rows to the unit of length, where needed.
    scalings: Vec<Option<NormalScaling>>,
    raised: SharedException,
}

impl CallableSystem {
    /// Reads the description that the Python object gives of itself.
    ///
    /// # Errors
    /// It is not of the form that `percuss.functions` has.
    pub fn new(model: &Bound<'_, PyAny>, raised: SharedException) -> PyResult<Self> {
        let words: Vec<String> = model.getattr("kinds")?.extract()?;
        // Types of the coordinates.
        let coordinates = words.iter().map(|word| match word.as_str() {
            "line" => Ok(Coordinate::Length),
            "angle" => Ok(Coordinate::Angle),
            "orientation" => Ok(Coordinate::Orientation),
            _ => Err(error::input(format!("unknown kind of coordinate `{word}`"))),
        });
        let chart = ConfigurationSpace::new(coordinates.collect::<PyResult<_>>()?);
        // Constraints with their laws.
        let (mut constraints, mut rules) = (Vec::new(), Vec::new());
        for item in model.getattr("constraints")?.try_iter()? {
            let (constraint, rule) = constraint(&item?, &constraints)?;
            constraints.push(constraint);
            rules.push(rule);
        }
        let mut names: Vec<String> = model.getattr("position_names")?.extract()?;
        names.extend(model.getattr("velocity_names")?.extract::<Vec<String>>()?);
        Ok(Self {
            model: model.clone().unbind(),
            chart,
            names,
            scalings: vec![None; constraints.len()],
            exponent: model.getattr("exponent")?.extract()?,
            constraints,
            rules,
            raised,
        })
    }

    /// Scales the normal rows of constraints with friction to the unit of length, as scenes do.
    pub fn scale(&mut self, at: StateRef<'_>) {
        for i in 0..self.constraints.len() {
            let Constraint { kind, rows, .. } = self.constraints[i];
            let normal = match kind {
                ConstraintKind::Contact => 1,
                ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                ConstraintKind::Joint | ConstraintKind::Nonholonomic | ConstraintKind::NonFirm => {
                    continue;
                }
            };
            // Rolling and spinning moments are rows too, but not slip velocities.
            let tangential = self.rules[i].form.num_slips(rows, normal);
            if let Some(scaling) = NormalScaling::new(&self.chart, normal, tangential) {
                self.scalings[i] = scaling::scaling_if_needed(self, i, scaling, at);
            }
        }
    }

    /// The scale factor of the normal rows of a constraint at a position, if it has one.
    fn factor(
        &self,
        constraint: usize,
        t: f64,
        q: &[f64],
    ) -> Result<Option<NormalFactor>, SystemError> {
        let Some(scaling) = &self.scalings[constraint] else {
            return Ok(None);
        };
        let (d, n) = (
            self.constraints[constraint].rows,
            self.chart.num_velocities(),
        );
        let (mut g, mut w) = (vec![0.0; d * n], vec![0.0; d]);
        self.written_rows(constraint, t, q, &mut g, &mut w)?;
        Ok(scaling.at(&g, n))
    }

    /// G and W of one constraint, unscaled.
    fn written_rows(
        &self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let name = self.name(constraint);
        self.ask(t, &format!("the gradient of `{name}`"), |model| {
            let py = model.py();
            let arguments = (constraint, t, array(py, q));
            let pair = model.call_method1(intern!(py, "rows"), arguments)?;
            fetch(&pair.get_item(0)?, "the gradient", jacobian)?;
            fetch(&pair.get_item(1)?, "the velocity of the boundary", boundary)
        })?;
        finite(t, || format!("the gradient of `{name}`"), jacobian)?;
        finite(t, || format!("the rate of `{name}`"), boundary)
    }

    /// Calls a method and passes its result on; an exception becomes an error of the system.
    fn ask<T>(
        &self,
        t: f64,
        what: &str,
        ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, SystemError> {
        Python::attach(|py| ask(self.model.bind(py))).map_err(|error| {
            let problem = format!("raised {error}");
            store_exception(&self.raised, error);
            SystemError {
                what: what.to_string(),
                problem,
                t,
            }
        })
    }

    fn name(&self, constraint: usize) -> String {
        let found = self.constraints.get(constraint);
        found.map_or_else(String::new, |c| c.name.clone())
    }
}

/// Copies a Python array; one of another size is an error of its author.
fn fetch(value: &Bound<'_, PyAny>, what: &str, out: &mut [f64]) -> PyResult<()> {
    let array: Bound<'_, PyArrayDyn<f64>> = value.cast_into_exact_array(what)?;
    let view = array.try_readonly()?;
    let values = view.as_slice()?;
    if values.len() != out.len() {
        let (got, expected) = (values.len(), out.len());
        return Err(error::input(format!(
            "{what} has {got} entries, {expected} were expected"
        )));
    }
    out.copy_from_slice(values);
    Ok(())
}

/// Downcast with an error message that names the function.
trait IntoArray<'py> {
    fn cast_into_exact_array(&self, what: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>>;
}

impl<'py> IntoArray<'py> for Bound<'py, PyAny> {
    fn cast_into_exact_array(&self, what: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let cast = self.cast::<PyArrayDyn<f64>>();
        cast.cloned()
            .map_err(|_| error::input(format!("{what}: an array of float64 was expected")))
    }
}

fn array<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values)
}

/// Values that are not finite stop the motion.
fn finite(t: f64, what: impl Fn() -> String, values: &[f64]) -> Result<(), SystemError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(k) => Err(SystemError {
            what: format!("entry {k} of {}", what()),
            problem: format!("is {}, a finite number was expected,", values[k]),
            t,
        }),
    }
}

impl System for CallableSystem {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }

    fn position_name(&self, i: usize) -> String {
        self.names.get(i).cloned().unwrap_or_default()
    }

    fn velocity_name(&self, i: usize) -> String {
        let at = self.chart.num_positions() + i;
        self.names.get(at).cloned().unwrap_or_default()
    }

    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    fn dynamics(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        self.ask(t, "A or K", |model| {
            let py = model.py();
            let arguments = (t, array(py, q), array(py, v));
            let pair = model.call_method1(intern!(py, "dynamics"), arguments)?;
            fetch(&pair.get_item(0)?, "A", mass)?;
            fetch(&pair.get_item(1)?, "K", force)
        })?;
        finite(t, || "A".into(), mass)?;
        finite(t, || "K".into(), force)
    }

    fn force_jacobians(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<bool, SystemError> {
        let given = self.ask(t, "the derivatives of K", |model| {
            let py = model.py();
            let arguments = (t, array(py, q), array(py, v));
            let pair = model.call_method1(intern!(py, "tangent"), arguments)?;
            if pair.is_none() {
                return Ok(false);
            }
            fetch(&pair.get_item(0)?, "the derivative of K by q", by_position)?;
            fetch(&pair.get_item(1)?, "the derivative of K by u", by_velocity)?;
            Ok(true)
        })?;
        if given {
            finite(t, || "the derivative of K by q".into(), by_position)?;
            finite(t, || "the derivative of K by u".into(), by_velocity)?;
        }
        Ok(given)
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Result<f64, SystemError> {
        let value: f64 = self.ask(t, "the potential", |model| {
            let py = model.py();
            let arguments = (t, array(py, q));
            let value = model.call_method1(intern!(py, "potential_at"), arguments)?;
            value.extract()
        })?;
        finite(t, || "the potential".into(), &[value])?;
        Ok(value)
    }

    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        if gaps.is_empty() {
            return Ok(());
        }
        self.ask(t, "the gaps", |model| {
            let py = model.py();
            let values = model.call_method1(intern!(py, "gaps"), (t, array(py, q)))?;
            fetch(&values, "the gaps", gaps)
        })?;
        finite(t, || "the gaps".into(), gaps)?;
        let mut first = 0;
        for (i, constraint) in self.constraints.iter().enumerate() {
            let count = constraint.num_gaps();
            if let Some(factor) = self.factor(i, t, q)? {
                factor.apply(&mut gaps[first..first + count], 1);
            }
            first += count;
        }
        Ok(())
    }

    fn rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        self.written_rows(constraint, t, q, jacobian, boundary)?;
        let n = self.chart.num_velocities();
        if let Some(scaling) = &self.scalings[constraint]
            && let Some(factor) = scaling.at(jacobian, n)
        {
            factor.apply(jacobian, n);
            factor.apply(boundary, 1);
        }
        Ok(())
    }

    fn bias(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        let name = self.name(constraint);
        self.ask(t, &format!("the second derivative of `{name}`"), |model| {
            let py = model.py();
            let arguments = (constraint, t, array(py, q), array(py, v));
            let values = model.call_method1(intern!(py, "bias"), arguments)?;
            fetch(&values, "the second derivative", bias)
        })?;
        finite(t, || format!("the second derivative of `{name}`"), bias)?;
        // U = L⁻¹(N v + W): where U is kept at zero, the time derivative of L does not enter.
        if let Some(factor) = self.factor(constraint, t, q)? {
            factor.apply(bias, 1);
        }
        Ok(())
    }

    fn law(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        let (name, rows) = match self.constraints.get(constraint) {
            None => (String::new(), 0),
            Some(c) => (c.name.clone(), c.rows),
        };
        let what = format!("the law of `{name}`");
        let fetched: Vec<f64>;
        let Some(rule) = self.rules.get(constraint) else {
            return Ok(Law::Frictionless);
        };
        // Constant coefficients, or a call of the Python function.
        let values = match &rule.constant {
            Some(values) => values,
            None => {
                fetched = self.ask(at.t, &what, |model| {
                    let py = model.py();
                    let arguments = (constraint, at.t, array(py, at.q), array(py, at.v));
                    let values = model.call_method1(intern!(py, "law"), arguments)?;
                    values.extract()
                })?;
                &fetched
            }
        };
        assemble_law(&rule.form, values, rows, h, previous).map_err(|problem| SystemError {
            what,
            problem: format!("has no meaning: {problem}"),
            t: at.t,
        })
    }

    fn restitution(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        let what = format!("the restitution of `{}`", self.name(constraint));
        let (normal, tangential): (f64, f64) = self.ask(at.t, &what, |model| {
            let py = model.py();
            let arguments = (constraint, at.t, array(py, at.q), array(py, at.v));
            let pair = model.call_method1(intern!(py, "restitution"), arguments)?;
            pair.extract()
        })?;
        finite(at.t, || what.clone(), &[normal, tangential])?;
        Ok(Restitution { normal, tangential })
    }

    fn canonical_restitution(&mut self, at: StateRef<'_>) -> Result<Option<f64>, SystemError> {
        let what = "the restitution of the canonical law";
        let value: Option<f64> = self.ask(at.t, what, |model| {
            let py = model.py();
            let arguments = (at.t, array(py, at.q), array(py, at.v));
            let value = model.call_method1(intern!(py, "canonical"), arguments)?;
            value.extract()
        })?;
        if let Some(value) = value {
            finite(at.t, || what.into(), &[value])?;
        }
        Ok(value)
    }

    fn impact_map(
        &mut self,
        at: StateRef<'_>,
        _closed: &[usize],
        after: &mut [f64],
    ) -> Result<bool, SystemError> {
        let what = "the impact map";
        let given = self.ask(at.t, what, |model| {
            let py = model.py();
            let arguments = (at.t, array(py, at.q), array(py, at.v));
            let value = model.call_method1(intern!(py, "impact_map"), arguments)?;
            if value.is_none() {
                return Ok(false);
            }
            fetch(&value, what, after)?;
            Ok(true)
        })?;
        if given {
            finite(at.t, || what.into(), after)?;
        }
        Ok(given)
    }

    fn contact_stiffness(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<f64, SystemError> {
        let what = format!("the stiffness of `{}`", self.name(constraint));
        let value: f64 = self.ask(at.t, &what, |model| {
            let py = model.py();
            model
                .call_method1(intern!(py, "stiffness"), (constraint,))?
                .extract()
        })?;
        finite(at.t, || what.clone(), &[value])?;
        Ok(value)
    }

    fn stiffness_exponent(&self) -> f64 {
        self.exponent
    }
}
