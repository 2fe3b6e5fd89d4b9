//! Moving sets from Python: arrays, and functions of time that return arrays.
//!
//! A description is a pair (name, dict) made by `percuss.sets`, which has checked types and shapes and wrapped
//! functions so that they return arrays of the right shape or raise. A function that raises gives NaN here,
//! which stops the process at once; the exception is stored and raised again.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use percuss_convex::{
    AxisBox, Ball, ConvexError, Ellipsoid, HalfSpace, Point, Polytope, Segment, Set,
};
use percuss_sweep::{
    ConstraintRows, DiscConfiguration, InequalitySet, MovingPolyhedron, MovingProduct, MovingSet,
    Obstacle, TransformedSet, WithExcessBound,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::smooth::Functions;
use crate::error;
use crate::mechanism::{SharedException, store_exception};

/// A moving set as a trait object.
pub(super) type AnySet = Box<dyn MovingSet + Send>;

/// Constant numbers, or a function of time that returns as many.
pub(super) enum TimeFunction {
    Constant(Vec<f64>),
    Function(Py<PyAny>, usize),
}

impl TimeFunction {
    fn read(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<Self> {
        let value = item(dict, key)?;
        if let Ok(pair) = value.extract::<(Py<PyAny>, usize)>() {
            return Ok(Self::Function(pair.0, pair.1));
        }
        numbers(&value).map(Self::Constant)
    }

    fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// The numbers at a time.
    fn at(&self, t: f64, raised: &SharedException) -> Vec<f64> {
        match self {
            Self::Constant(values) => values.clone(),
            Self::Function(function, length) => {
                let mut out = vec![f64::NAN; *length];
                call(function, raised, t, None, &mut out);
                out
            }
        }
    }

    /// As a function of time that writes into a slice.
    fn path(self, raised: &SharedException) -> impl Fn(f64, &mut [f64]) + Send + 'static {
        let raised = raised.clone();
        move |t, out: &mut [f64]| {
            let values = self.at(t, &raised);
            match values.len() == out.len() {
                true => out.copy_from_slice(&values),
                false => out.fill(f64::NAN),
            }
        }
    }
}

/// A required entry.
pub(super) fn item<'py>(dict: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    dict.get_item(key)?
        .ok_or_else(|| error::argument(key, "it is missing"))
}

/// The numbers of an array.
pub(super) fn numbers(value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = value
        .cast::<PyArrayDyn<f64>>()
        .map_err(|_| error::input("an array of float64 was expected"))?;
    Ok(array.try_readonly()?.as_slice()?.to_vec())
}

/// Calls f(t) or f(t, x) and copies the result; NaN where it raises.
pub(super) fn call(
    function: &Py<PyAny>,
    raised: &SharedException,
    t: f64,
    x: Option<&[f64]>,
    out: &mut [f64],
) {
    // NaN unless the call succeeds.
    out.fill(f64::NAN);
    let called = Python::attach(|py| -> PyResult<()> {
        let function = function.bind(py);
        let value = match x {
            None => function.call1((t,))?,
            Some(x) => function.call1((t, PyArray1::from_slice(py, x)))?,
        };
        let values = numbers(&value)?;
        if values.len() != out.len() {
            let (got, expected) = (values.len(), out.len());
            return Err(error::input(format!(
                "a function returned {got} numbers, {expected} were expected"
            )));
        }
        out.copy_from_slice(&values);
        Ok(())
    });
    if let Err(error) = called {
        store_exception(raised, error);
    }
}

/// Makes a set from its description.
///
/// # Errors
/// The numbers define no valid set.
pub(super) fn set(spec: &Bound<'_, PyAny>, raised: &SharedException) -> PyResult<AnySet> {
    let (word, dict): (String, Bound<'_, PyDict>) = spec.extract()?;
    // Set by its name; any other name is a convex set that may be transformed.
    match word.as_str() {
        "polyhedron" => polyhedron(&dict, raised),
        "product" => {
            let mut factors = Vec::new();
            for factor in item(&dict, "factors")?.try_iter()? {
                factors.push(set(&factor?, raised)?);
            }
            Ok(Box::new(MovingProduct::new(factors).map_err(wrong)?))
        }
        "discs" => discs(&dict, raised),
        "smooth" => {
            let functions = Functions::read(&dict, raised)?;
            let radius: Option<f64> = item(&dict, "prox_regular")?.extract()?;
            let made = match radius {
                None => InequalitySet::new(functions),
                Some(radius) => InequalitySet::prox_regular(functions, radius),
            };
            Ok(Box::new(made.map_err(wrong)?))
        }
        "bounded" => {
            let inner = set(&item(&dict, "set")?, raised)?;
            let (bound, raised) = (item(&dict, "bound")?.unbind(), raised.clone());
            let bound = move |s: f64, t: f64| {
                let mut out = [f64::NAN];
                call(&bound, &raised, s, Some(&[t]), &mut out);
                out[0]
            };
            Ok(Box::new(WithExcessBound::new(inner, bound)))
        }
        _ => transformed_set(&word, &dict, raised),
    }
}

/// The exception for numbers that define no valid set.
pub(super) fn wrong(error: percuss_sweep::SweepingError) -> PyErr {
    error::input(error.to_string())
}

/// G(t) x <= b(t), the first rows equations.
fn polyhedron(dict: &Bound<'_, PyDict>, raised: &SharedException) -> PyResult<AnySet> {
    let dim: usize = item(dict, "dim")?.extract()?;
    let equalities: usize = item(dict, "equalities")?.extract()?;
    let (rows, bounds) = (
        TimeFunction::read(dict, "rows")?,
        TimeFunction::read(dict, "bounds")?,
    );
    let rates = match item(dict, "rates")?.is_none() {
        true => None,
        false => Some(TimeFunction::read(dict, "rates")?),
    };
    // Constant rows: only the bounds move.
    if let TimeFunction::Constant(matrix) = &rows {
        let rows = ConstraintRows::dense(dim, matrix).map_err(wrong)?;
        let made = MovingPolyhedron::with_equalities(rows, equalities, bounds.path(raised));
        let made = made.map_err(wrong)?;
        return Ok(match rates {
            None => Box::new(made),
            Some(rates) => Box::new(made.with_rates(rates.path(raised))),
        });
    }
    // Moving rows.
    let count = match &bounds {
        TimeFunction::Constant(values) => values.len(),
        TimeFunction::Function(_, length) => *length,
    };
    let sizes = (dim, count, equalities);
    let made = MovingPolyhedron::with_moving_rows(sizes, rows.path(raised), bounds.path(raised));
    Ok(Box::new(made.map_err(wrong)?))
}

fn finite(what: &'static str, values: &[f64]) -> Result<(), ConvexError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(index) => Err(ConvexError::NotFinite {
            what,
            index,
            value: values[index],
        }),
    }
}

/// A convex set from its name and numbers.
fn base(word: &str, dim: usize, numbers: &[Vec<f64>]) -> percuss_convex::Result<Set> {
    for values in numbers {
        // Sides of a box may be infinite.
        if word != "box" {
            finite("numbers of the set", values)?;
        }
    }
    let of = |k: usize| numbers.get(k).map_or(&[][..], Vec::as_slice);
    let first = |k: usize| of(k).first().copied().unwrap_or(f64::NAN);
    match word {
        "point" => Point::new(of(0)).map(Into::into),
        "ball" => Ball::new(of(0), first(1)).map(Into::into),
        "box" => AxisBox::new(of(0), of(1)).map(Into::into),
        "ellipsoid" => Ellipsoid::from_semi_axes(of(0), of(1)).map(Into::into),
        "segment" => Segment::new(of(0), of(1)).map(Into::into),
        "half_space" => HalfSpace::new(of(0), first(1)).map(Into::into),
        _ => Polytope::new(dim, of(0)).map(Into::into),
    }
}

/// a(t) + s(t) R(t) C0(t).
fn transformed_set(
    word: &str,
    dict: &Bound<'_, PyDict>,
    raised: &SharedException,
) -> PyResult<AnySet> {
    let dim: usize = item(dict, "dim")?.extract()?;
    let keys: Vec<String> = item(dict, "numbers")?.extract()?;
    let given = keys.iter().map(|key| TimeFunction::read(dict, key));
    let given: Vec<TimeFunction> = given.collect::<PyResult<_>>()?;
    // Constant numbers: one set; otherwise a set per time.
    let mut made = match given.iter().all(TimeFunction::is_constant) {
        true => {
            let numbers: Vec<Vec<f64>> = given.iter().map(|g| g.at(0.0, raised)).collect();
            let fixed = base(word, dim, &numbers);
            TransformedSet::new(fixed.map_err(|error| error::input(error.to_string()))?)
        }
        false => {
            let (word, raised) = (word.to_string(), raised.clone());
            TransformedSet::time_dependent(dim, move |t| {
                let numbers: Vec<Vec<f64>> = given.iter().map(|g| g.at(t, &raised)).collect();
                base(&word, dim, &numbers)
            })
        }
    };
    // Optional translation, scaling and rotation.
    let moved = |key: &str| -> PyResult<Option<TimeFunction>> {
        match dict.get_item(key)? {
            Some(value) if !value.is_none() => TimeFunction::read(dict, key).map(Some),
            _ => Ok(None),
        }
    };
    if let Some(shift) = moved("shift")? {
        made = made.with_shift(shift.path(raised));
    }
    if let Some(scale) = moved("scale")? {
        let raised = raised.clone();
        made = made.with_scale(move |t| scale.at(t, &raised).first().copied().unwrap_or(f64::NAN));
    }
    if let Some(rotation) = moved("rotation")? {
        made = made.with_rotation(rotation.path(raised));
    }
    Ok(Box::new(made))
}

/// Discs or balls among obstacles: rows (normal, offset) of half-spaces, rows (from, to) of segments.
fn discs(dict: &Bound<'_, PyDict>, raised: &SharedException) -> PyResult<AnySet> {
    let space: usize = item(dict, "space")?.extract()?;
    let radii = numbers(&item(dict, "radii")?)?;
    let walls = TimeFunction::read(dict, "walls")?;
    let segments = TimeFunction::read(dict, "segments")?;
    let raised = raised.clone();
    let made = DiscConfiguration::new(space, &radii).map_err(wrong)?;
    Ok(Box::new(made.with_obstacles(move |t| {
        let mut all = Vec::new();
        // Half-spaces with unit normals.
        for row in walls.at(t, &raised).chunks_exact(space + 1) {
            let length = row[..space].iter().map(|n| n * n).sum::<f64>().sqrt();
            all.push(Obstacle::HalfSpace {
                normal: row[..space].iter().map(|n| n / length).collect(),
                offset: row[space] / length,
            });
        }
        // Segments.
        for row in segments.at(t, &raised).chunks_exact(2 * space) {
            all.push(Obstacle::Segment {
                from: row[..space].to_vec(),
                to: row[space..].to_vec(),
            });
        }
        all
    })))
}
