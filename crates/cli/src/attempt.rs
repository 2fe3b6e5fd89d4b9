//! One problem file, and the solution attempt of one method.

use std::path::Path;
use std::time::Instant;

use percuss_contact::{Problem, ResidualEvaluator, Residuals};
use percuss_solve::{Goal, Report};

/// A problem with the metadata of its file.
pub struct LoadedProblem {
    /// The path as given.
    pub file: String,
    /// Frictional contacts.
    pub contacts: usize,
    /// Bilateral equations.
    pub equations: usize,
    /// Degrees of freedom of the bodies, if the file states them.
    pub dof: Option<usize>,
    /// `local` or `global`.
    pub form: &'static str,
    /// The problem.
    pub problem: Problem,
    /// Largest |W − Wᵀ| over largest |W|.
    pub asymmetry: f64,
    /// Time to read and assemble the problem.
    pub seconds: f64,
}

/// Reads and assembles the problem of a file; the error is a sentence that names the file.
pub fn load(path: &Path) -> Result<LoadedProblem, String> {
    let start = Instant::now();
    if path.is_dir() {
        return Err(format!(
            "{0}: this is a folder; give the problem files in it, for example {0}/*.hdf5",
            path.display()
        ));
    }
    // Read the file and assemble the contact problem.
    let file = percuss_fclib::read(path).map_err(|e| e.to_string())?;
    let problem = percuss_fclib::convert::to_problem(&file)
        .map_err(|e| format!("{}: {e}", path.display()))?;
    let asymmetry = problem.asymmetry();
    Ok(LoadedProblem {
        file: path.display().to_string(),
        contacts: file.contacts(),
        equations: file.form.equations(),
        dof: file.degrees_of_freedom(),
        form: match file.form {
            percuss_fclib::ProblemForm::Local(_) => "local",
            percuss_fclib::ProblemForm::Global(_) => "global",
        },
        problem,
        asymmetry,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Result of a method on a problem.
pub struct Attempt {
    /// The method's own report.
    pub report: Report,
    /// Independently evaluated residuals of the returned impulses.
    pub judgement: Residuals,
    /// Time of the solve alone.
    pub seconds: f64,
}

/// Solves from r = 0 by the named method; `None` if there is no method of that name.
pub fn attempt(problem: &Problem, method: &str, goal: &Goal) -> Option<Attempt> {
    let mut solver = percuss_solve::by_name(method)?;
    let mut impulse = vec![0.0; problem.num_rows()];
    let start = Instant::now();
    let report = solver.solve(problem, &mut impulse, goal);
    let seconds = start.elapsed().as_secs_f64();
    Some(Attempt {
        judgement: ResidualEvaluator::new(problem).evaluate(problem, &impulse),
        report,
        seconds,
    })
}
