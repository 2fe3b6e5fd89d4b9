//! Contact problems (★): u = W r + b with a law at every contact, by any solver.

use std::path::PathBuf;
use std::time::Instant;

use numpy::{PyArray1, PyReadonlyArray1};
use percuss_contact::{Problem, ResidualEvaluator, ResidualMeasure, Residuals};
use percuss_solve::{Goal, Outcome, Report};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;

/// Adds the class and the functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyProblem>()?;
    module.add_function(wrap_pyfunction!(solver_names, module)?)
}

/// Names of all solvers, the default first.
#[pyfunction]
fn solver_names() -> Vec<&'static str> {
    percuss_solve::NAMES.to_vec()
}

/// A contact problem: u = W r + b, Coulomb's law at every contact.
#[pyclass(frozen, name = "Problem", module = "percuss")]
pub struct PyProblem {
    problem: Problem,
    /// Origin, for `repr`.
    origin: String,
}

#[pymethods]
impl PyProblem {
    /// Reads a problem file in the FCLIB HDF5 layout.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let shown = path.display().to_string();
        // Read and assemble without the GIL.
        let problem = py.detach(|| {
            if path.is_dir() {
                return Err(format!(
                    "{shown}: this is a folder; give one of the problem files in it"
                ));
            }
            let file = percuss_fclib::read(&path).map_err(|e| e.to_string())?;
            percuss_fclib::convert::to_problem(&file).map_err(|e| format!("{shown}: {e}"))
        });
        Ok(Self {
            problem: problem.map_err(error::input)?,
            origin: shown,
        })
    }

    /// A problem with a stored matrix in compressed rows (CSR).
    #[staticmethod]
    fn from_rows(
        dimension: usize,
        indptr: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        data: PyReadonlyArray1<'_, f64>,
        b: PyReadonlyArray1<'_, f64>,
        mu: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        // Index arrays as unsigned integers.
        let whole = |name: &str, all: &PyReadonlyArray1<'_, i64>| {
            let all = all.as_slice().map_err(|e| error::argument(name, e))?;
            let place = |x: &i64| {
                let wrong = || error::argument("W", format!("{x} is no place in a matrix"));
                usize::try_from(*x).map_err(|_| wrong())
            };
            all.iter().map(place).collect::<PyResult<Vec<usize>>>()
        };
        let indptr = whole("W.indptr", &indptr)?;
        let indices = whole("W.indices", &indices)?;
        let slice = |name: &str, all: &PyReadonlyArray1<'_, f64>| {
            all.as_slice()
                .map(<[f64]>::to_vec)
                .map_err(|e| error::argument(name, e))
        };
        let (data, b, mu) = (slice("W.data", &data)?, slice("b", &b)?, slice("mu", &mu)?);
        // Consistency of the row pointer.
        let ordered = indptr.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = indptr.last() == Some(&indices.len()) && indptr.first() == Some(&0);
        if !ordered || !ends || indices.len() != data.len() {
            let text = "its row pointer does not describe its entries";
            return Err(error::argument("W", text));
        }
        let problem = Problem::from_matrix(dimension, &indptr, &indices, &data, b, &mu);
        Ok(Self {
            problem: problem.map_err(|e| error::input(e.to_string()))?,
            origin: "matrix".into(),
        })
    }

    /// Number of contacts.
    #[getter]
    fn contacts(&self) -> usize {
        self.problem.num_contacts()
    }

    /// Number of scalar rows.
    #[getter]
    fn rows(&self) -> usize {
        self.problem.num_rows()
    }

    /// b, the free velocity.
    #[getter]
    fn free<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.problem.free_velocity())
    }

    /// First row of each contact, and the total number of rows.
    #[getter]
    fn offset(&self) -> Vec<usize> {
        self.problem.offset().to_vec()
    }

    /// u = W r + b.
    fn velocity<'py>(
        &self,
        py: Python<'py>,
        r: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let r = self.rowwise("r", &r)?;
        let mut scratch = vec![0.0; self.problem.scratch_len()];
        let mut u = vec![0.0; self.problem.num_rows()];
        self.problem.velocity_into(&r, &mut scratch, &mut u);
        Ok(PyArray1::from_vec(py, u))
    }

    /// Residuals of given impulses; a dict.
    fn judge(&self, py: Python<'_>, r: PyReadonlyArray1<'_, f64>) -> PyResult<Py<PyAny>> {
        let r = self.rowwise("r", &r)?;
        let verdict = ResidualEvaluator::new(&self.problem).evaluate(&self.problem, &r);
        let dict = PyDict::new(py);
        dict.set_item("rv", verdict.rv)?;
        dict.set_item("r1", verdict.r1)?;
        dict.set_item("r2", verdict.r2)?;
        dict.set_item("worst", verdict.worst)?;
        dict.into_py_any(py)
    }

    /// Solves the problem; a dict with impulses, velocities, residuals, path and history.
    #[pyo3(signature = (solver="auto", tolerance=1e-6, max_iterations=None, measure="rv", history=false, start=None))]
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &self,
        py: Python<'_>,
        solver: &str,
        tolerance: f64,
        max_iterations: Option<usize>,
        measure: &str,
        history: bool,
        start: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Py<PyAny>> {
        let goal = goal(tolerance, max_iterations, measure, history)?;
        let mut method = percuss_solve::by_name(solver).ok_or_else(|| {
            let names = percuss_solve::NAMES.join(", ");
            error::argument(
                "solver",
                format!("there is no `{solver}`; there are {names}"),
            )
        })?;
        // Start impulses: given, or zero.
        let mut impulse = match start {
            Some(start) => self.rowwise("start", &start)?,
            None => vec![0.0; self.problem.num_rows()],
        };
        // Solve and evaluate the residuals without the GIL.
        let (report, judgement, velocity, seconds) = py.detach(|| {
            let begin = Instant::now();
            let report = method.solve(&self.problem, &mut impulse, &goal);
            let seconds = begin.elapsed().as_secs_f64();
            let mut judge = ResidualEvaluator::new(&self.problem);
            let judgement = judge.evaluate(&self.problem, &impulse);
            (report, judgement, judge.velocity().to_vec(), seconds)
        });
        let answer = Answer {
            impulse,
            velocity,
            report,
            judgement,
            seconds,
        };
        answer.told(py, &goal)
    }

    fn __repr__(&self) -> String {
        format!(
            "<percuss.Problem from {}: {} contacts, {} rows>",
            self.origin,
            self.contacts(),
            self.rows()
        )
    }
}

impl PyProblem {
    /// Checks for one finite entry per row.
    fn rowwise(&self, name: &str, all: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
        let all = all.as_slice().map_err(|e| error::argument(name, e))?;
        let rows = self.rows();
        // Number and finiteness of the entries.
        if all.len() != rows {
            let text = format!(
                "{rows} entries were expected, one for each row, not {}",
                all.len()
            );
            return Err(error::argument(name, text));
        }
        match all.iter().position(|x| !x.is_finite()) {
            None => Ok(all.to_vec()),
            Some(at) => Err(error::argument(
                name,
                format!("entry {at} is {}, a finite number was expected", all[at]),
            )),
        }
    }
}

/// Result of a solve.
struct Answer {
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    report: Report,
    judgement: Residuals,
    seconds: f64,
}

impl Answer {
    /// As a dict.
    fn told(&self, py: Python<'_>, goal: &Goal) -> PyResult<Py<PyAny>> {
        let Self {
            report, judgement, ..
        } = self;
        let dict = PyDict::new(py);
        dict.set_item("r", PyArray1::from_slice(py, &self.impulse))?;
        dict.set_item("u", PyArray1::from_slice(py, &self.velocity))?;
        // Solved by the independent residual, not by the solver's own report.
        let residual = judgement.residual(goal.measure);
        let solved = residual <= goal.tolerance && report.outcome != Outcome::Infeasible;
        dict.set_item("solved", solved)?;
        dict.set_item("residual", residual)?;
        dict.set_item("rv", judgement.rv)?;
        dict.set_item("r1", judgement.r1)?;
        dict.set_item("r2", judgement.r2)?;
        dict.set_item("worst", judgement.worst)?;
        dict.set_item("iterations", report.iterations)?;
        dict.set_item("method", report.method())?;
        dict.set_item("outcome", outcome(report.outcome))?;
        dict.set_item("seconds", self.seconds)?;
        let stages = report.path.iter();
        let stages: Vec<_> = stages
            .map(|stage| (stage.method, stage.iterations, stage.residual))
            .collect();
        dict.set_item("path", stages)?;
        // Residual history as two arrays.
        let at = report.history.iter().map(|(at, _)| *at as i64).collect();
        let of = report
            .history
            .iter()
            .map(|(_, residual)| *residual)
            .collect();
        dict.set_item(
            "history",
            (
                PyArray1::<i64>::from_vec(py, at),
                PyArray1::<f64>::from_vec(py, of),
            ),
        )?;
        dict.into_py_any(py)
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Reached => "reached",
        Outcome::Stalled => "stalled",
        Outcome::Exhausted => "exhausted",
        Outcome::Unsuitable => "unsuitable",
        Outcome::Infeasible => "infeasible",
    }
}

fn goal(
    tolerance: f64,
    max_iterations: Option<usize>,
    measure: &str,
    history: bool,
) -> PyResult<Goal> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        let text = format!("{tolerance}: a positive, finite number was expected, such as 1e-6");
        return Err(error::argument("tolerance", text));
    }
    if max_iterations == Some(0) {
        return Err(error::argument(
            "max_iterations",
            "a whole number, 1 or more, was expected",
        ));
    }
    Ok(Goal {
        tolerance,
        measure: match measure {
            "rv" => ResidualMeasure::Velocity,
            "r1" => ResidualMeasure::Fclib,
            "r2" => ResidualMeasure::Dimensionless,
            _ => {
                let text = format!("`{measure}`: \"rv\", \"r1\" or \"r2\" was expected");
                return Err(error::argument("measure", text));
            }
        },
        max_iterations,
        keep_history: history,
    })
}
