//! Run directories: manifest, tables, plots, verification.

use std::path::PathBuf;

use numpy::PyArray1;
use percuss_draw::plot::{PlotOptions, RunPlots};
use percuss_draw::rasterise::png;
use percuss_record::{
    ColumnValues, PlotError, Record, Table, renamed_column, renamed_column_warning,
};
use percuss_run::Threads;
use percuss_verify::{VerifyError, VerifyOptions, verify};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use serde_json::json;

use crate::arrow;
use crate::error;
use crate::pulse::ProgressReporter;
use crate::value;

/// Adds the classes and functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyRecord>()?;
    module.add_class::<PyTable>()?;
    module.add_function(wrap_pyfunction!(svg_to_png, module)?)
}

/// An open run directory.
#[pyclass(frozen, name = "Record", module = "percuss")]
pub struct PyRecord {
    record: Record,
}

#[pymethods]
impl PyRecord {
    #[new]
    fn new(directory: PathBuf) -> PyResult<Self> {
        let record = Record::open(&directory).map_err(error::record)?;
        Ok(Self { record })
    }

    /// The manifest as a dict.
    fn manifest(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let json = serde_json::to_value(self.record.manifest());
        value::python(py, &json.unwrap_or_default())
    }

    /// Names of the tables.
    fn tables(&self) -> Vec<String> {
        let tables = self.record.manifest().tables.iter();
        tables.map(|table| table.name.clone()).collect()
    }

    /// Reads a table, or some of its columns.
    #[pyo3(signature = (name, columns=None))]
    fn table(&self, py: Python<'_>, name: &str, columns: Option<Vec<String>>) -> PyResult<PyTable> {
        let table = py.detach(|| {
            let columns: Option<Vec<&str>> = columns
                .as_ref()
                .map(|names| names.iter().map(String::as_str).collect());
            self.record.table(name, columns.as_deref())
        });
        Ok(PyTable {
            name: name.to_string(),
            table: table.map_err(error::record)?,
        })
    }

    /// Names and titles of the plots.
    fn pictures(&self) -> PyResult<Vec<(String, String)>> {
        let gallery = RunPlots::of(&self.record).map_err(picture)?;
        gallery.list().map_err(picture)
    }

    /// A plot as SVG.
    #[pyo3(signature = (name, at=None, only=None, log_x=false, log_y=false))]
    fn svg(
        &self,
        py: Python<'_>,
        name: &str,
        at: Option<f64>,
        only: Option<Vec<(String, String)>>,
        log_x: bool,
        log_y: bool,
    ) -> PyResult<String> {
        py.detach(|| {
            let gallery = RunPlots::of(&self.record)
                .map_err(picture)?
                .with_options(PlotOptions {
                    at,
                    conditions: only.unwrap_or_default(),
                    log_x,
                    log_y,
                    ..PlotOptions::default()
                });
            let drawn = gallery.svg(name, Threads::all(), &mut |_| {});
            drawn.map_err(picture)
        })
    }

    /// The series of a plot: (title, x label, y label, [(name, x, y)]); `None` for pictures of bodies.
    fn series(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let figure = py.detach(|| {
            let gallery = RunPlots::of(&self.record).map_err(picture)?;
            gallery
                .figure(name, Threads::all(), &mut |_| {})
                .map_err(picture)
        })?;
        // Labels and scales.
        let dict = PyDict::new(py);
        dict.set_item("title", &figure.title)?;
        dict.set_item("x_label", &figure.x_label)?;
        dict.set_item("y_label", &figure.y_label)?;
        dict.set_item("x_log", figure.x_scale == percuss_draw::axis::Scale::Log)?;
        dict.set_item("y_log", figure.y_scale == percuss_draw::axis::Scale::Log)?;
        let mut all = Vec::new();
        // Points of each series.
        for series in &figure.series {
            let x: Vec<f64> = series.points.iter().map(|p| p.0).collect();
            let y: Vec<f64> = series.points.iter().map(|p| p.1).collect();
            all.push((
                series.label.clone(),
                PyArray1::from_vec(py, x),
                PyArray1::from_vec(py, y),
            ));
        }
        dict.set_item("series", all)?;
        dict.into_py_any(py)
    }

    /// Recomputes recorded quantities independently; a dict.
    #[pyo3(signature = (every=1, steps=None, tell=None))]
    fn verify(
        &self,
        py: Python<'_>,
        every: usize,
        steps: Option<(i64, i64)>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        if every == 0 {
            return Err(error::argument(
                "every",
                "a whole number, 1 or more, was expected",
            ));
        }
        let mut pulse = ProgressReporter::new(tell.as_ref());
        // Verification without the GIL, with progress.
        let report = py.detach(|| {
            let mut hear = |done: f64| {
                pulse.update(done, f64::NAN, "verifying");
            };
            let mut asked = VerifyOptions::all(&mut hear);
            asked.steps = steps;
            asked.every = every;
            verify(&self.record, &mut asked)
        });
        pulse.check()?;
        let report = report.map_err(|fault| match fault {
            VerifyError::Record(fault) => error::record(fault),
            VerifyError::Scene(fault) => error::scene(fault),
            VerifyError::Nothing(text) => error::input(text),
        })?;
        let json = json!({
            "ok": report.ok(),
            "steps": report.steps,
            "consecutive": report.consecutive,
            "contacts": report.contacts,
            "checks": report.checks,
            "offenders": report.offenders,
            "unchecked": report.unchecked,
            "ends": report.ends,
        });
        value::python(py, &json)
    }
}

fn picture(fault: PlotError) -> PyErr {
    match fault {
        PlotError::Scene(fault) => error::scene(fault),
        PlotError::Record(fault) => error::record(fault),
        PlotError::Unknown(text) | PlotError::Nothing(text) => error::input(text),
        PlotError::Drawing(_) => error::machine(fault.to_string()),
    }
}

/// Rasterises SVG to PNG.
#[pyfunction]
fn svg_to_png<'py>(py: Python<'py>, svg: &str) -> PyResult<Bound<'py, PyBytes>> {
    let made = py.detach(|| png(svg));
    let made = made.map_err(|e| error::machine(format!("cannot draw the picture: {e}")))?;
    Ok(PyBytes::new(py, &made))
}

/// Columns of a table, or some of them.
#[pyclass(frozen, name = "Columns", module = "percuss")]
pub struct PyTable {
    name: String,
    table: Table,
}

#[pymethods]
impl PyTable {
    /// Name of the table.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        let columns = self.table.columns.iter();
        columns.map(|column| column.name.clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.table.rows
    }

    /// The new name of a column that had another one in earlier versions, and the sentence that warns of the old one.
    fn renamed(&self, column: &str) -> Option<(String, String)> {
        let new = renamed_column(&self.name, column)?;
        Some((new, renamed_column_warning(&self.name, column)?))
    }

    /// A column as an array: integers, floats (NaN where absent), booleans; texts as a list.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let Some(values) = self.table.column(name) else {
            let all = self.names().join(", ");
            return Err(error::input(format!(
                "the table `{}` has no column `{name}`; it has {all}",
                self.name
            )));
        };
        // Arrays by type.
        match values {
            ColumnValues::Integer(v) => PyArray1::from_slice(py, v).into_py_any(py),
            ColumnValues::Real(v) => PyArray1::from_slice(py, v).into_py_any(py),
            ColumnValues::Optional(v) => {
                let v: Vec<f64> = v.iter().map(|x| x.unwrap_or(f64::NAN)).collect();
                PyArray1::from_vec(py, v).into_py_any(py)
            }
            ColumnValues::Truth(v) => PyArray1::from_slice(py, v).into_py_any(py),
            ColumnValues::Text(v) => {
                let v: Vec<&str> = v.iter().map(AsRef::as_ref).collect();
                v.into_py_any(py)
            }
        }
    }

    /// The table by the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may request other types; the interface permits a producer to return its own.
        let _ = requested_schema;
        arrow::stream(py, &self.table)
    }
}
