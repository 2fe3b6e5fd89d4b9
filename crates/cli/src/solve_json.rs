//! The JSON objects of `percuss solve --json`.
//!
//! The fields file, contacts, dof, method, iterations, r1, r2, seconds and solved of a problem, and problems,
//! solved and total of the whole are a stable interface for programs that read them. A number that is not
//! finite is written as null, as JSON has none.

use percuss_contact::ResidualMeasure;
use percuss_contact::residual::Residuals;
use percuss_solve::{Goal, Outcome};
use serde::Serialize;

use crate::attempt::{Attempt, LoadedProblem};

/// One object for the whole command.
#[derive(Debug, Serialize)]
pub struct ProblemsSummary<P> {
    /// One entry for each problem, in the order of the files.
    pub problems: Vec<P>,
    /// Number of problems solved to the tolerance.
    pub solved: usize,
    /// Number of problems, without skipped files.
    pub total: usize,
    /// The tolerance.
    pub tolerance: f64,
    /// The residual that decides: `rv` (the default), `r1` or `r2`.
    pub measure: &'static str,
    /// Files that could not be read or assembled.
    pub skipped: Vec<Skipped>,
}

/// A file that could not be read or assembled.
#[derive(Debug, Serialize)]
pub struct Skipped {
    /// The path as given.
    pub file: String,
    /// The sentence that also went to standard error.
    pub error: String,
}

/// One problem and the result of one method.
#[derive(Debug, Clone, Serialize)]
pub struct ProblemResult {
    /// The path as given.
    pub file: String,
    /// Problem class: the leading word of the file name.
    pub class: String,
    /// `local` or `global`.
    pub form: &'static str,
    /// Frictional contacts.
    pub contacts: usize,
    /// Bilateral equations.
    pub equations: usize,
    /// Degrees of freedom of the bodies, if the file states them.
    pub dof: Option<usize>,
    /// Largest |W − Wᵀ| over largest |W|.
    pub asymmetry: f64,
    /// Time to read and assemble the problem.
    pub read_seconds: f64,
    /// The result.
    #[serde(flatten)]
    pub run: MethodResult,
}

/// The result of one method.
#[derive(Debug, Clone, Serialize)]
pub struct MethodResult {
    /// The solver as it is named on the command line.
    pub solver: String,
    /// The stages it went through.
    pub method: String,
    /// Iterations of all stages.
    pub iterations: usize,
    /// Velocity residual RV.
    pub rv: f64,
    /// Residual R1 of the problem collection.
    pub r1: f64,
    /// Dimensionless residual R2.
    pub r2: f64,
    /// Time of the solve alone.
    pub seconds: f64,
    /// Whether the residual in the chosen measure is within the tolerance.
    pub solved: bool,
    /// Outcome reported by the solver.
    pub outcome: &'static str,
    /// The stages, in order.
    pub path: Vec<StageRecord>,
    /// Contacts with a certificate of infeasibility: no velocity satisfies them together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub infeasible: Vec<usize>,
    /// The contact with the largest velocity defect; bilateral equations are numbered after the contacts.
    pub worst_contact: Option<usize>,
    /// Physical violations, each relative to the problem's own scale.
    pub gaps: GapsRecord,
}

/// One stage of a solve.
#[derive(Debug, Clone, Serialize)]
pub struct StageRecord {
    /// Name of the method.
    pub method: &'static str,
    /// Iterations it took.
    pub iterations: usize,
    /// Best residual at its end, in the chosen measure.
    pub residual: f64,
}

/// Physical gaps R4.
#[derive(Debug, Clone, Serialize)]
pub struct GapsRecord {
    normal_velocity_violation: f64,
    cone_violation: f64,
    normal_complementarity: f64,
    tangential_dissipation_gap: f64,
    bilateral_violation: f64,
}

impl MethodResult {
    /// The result of `solver`, evaluated against `goal`.
    pub fn new(attempt: &Attempt, solver: &str, goal: &Goal) -> Self {
        let Attempt {
            report,
            judgement,
            seconds,
        } = attempt;
        let stages = report.path.iter().map(|stage| StageRecord {
            method: stage.method,
            iterations: stage.iterations,
            residual: stage.residual,
        });
        Self {
            solver: solver.into(),
            method: report.method(),
            iterations: report.iterations,
            rv: judgement.rv,
            r1: judgement.r1,
            r2: judgement.r2,
            seconds: *seconds,
            // A problem counts as solved only by the independent residual.
            solved: judgement.residual(goal.measure) <= goal.tolerance
                && report.outcome != Outcome::Infeasible,
            outcome: match report.outcome {
                Outcome::Reached => "reached",
                Outcome::Stalled => "stalled",
                Outcome::Exhausted => "exhausted",
                Outcome::Unsuitable => "unsuitable",
                Outcome::Infeasible => "infeasible",
            },
            path: stages.collect(),
            infeasible: match &report.infeasibility {
                Some(proof) => proof.contacts.clone(),
                None => Vec::new(),
            },
            worst_contact: judgement.worst,
            gaps: GapsRecord::of(judgement),
        }
    }

    /// The residual that decides.
    pub fn residual(&self, measure: ResidualMeasure) -> f64 {
        match measure {
            ResidualMeasure::Velocity => self.rv,
            ResidualMeasure::Fclib => self.r1,
            ResidualMeasure::Dimensionless => self.r2,
        }
    }
}

impl GapsRecord {
    fn of(judgement: &Residuals) -> Self {
        let gaps = &judgement.violations;
        Self {
            normal_velocity_violation: gaps.normal_velocity_violation,
            cone_violation: gaps.cone_violation,
            normal_complementarity: gaps.normal_complementarity,
            tangential_dissipation_gap: gaps.tangential_dissipation_gap,
            bilateral_violation: gaps.bilateral_violation,
        }
    }
}

impl ProblemResult {
    /// The result together with its problem.
    pub fn new(loaded: &LoadedProblem, run: MethodResult) -> Self {
        Self {
            file: loaded.file.clone(),
            class: class(&loaded.file),
            form: loaded.form,
            contacts: loaded.contacts,
            equations: loaded.equations,
            dof: loaded.dof,
            asymmetry: loaded.asymmetry,
            read_seconds: loaded.seconds,
            run,
        }
    }
}

/// The class of a problem: its file name up to the first hyphen, underscore, full stop or digit.
/// Collections name their files so: `KaplasTower-i1061-4.hdf5`.
fn class(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let end = name.find(|c: char| matches!(c, '-' | '_' | '.') || c.is_ascii_digit());
    match &name[..end.unwrap_or(name.len())] {
        // A name that begins with a digit or a punctuation mark has no leading word.
        "" => "other".into(),
        word => word.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::class;

    #[test]
    fn class_is_the_leading_word_of_the_file_name() {
        assert_eq!(class("a-b/KaplasTower-i1061-4.hdf5"), "KaplasTower");
        assert_eq!(class("Rover1040.hdf5"), "Rover");
        assert_eq!(class("Box_Stacks-i0122.hdf5"), "Box");
        assert_eq!(class("pile.hdf5"), "pile");
        assert_eq!(class("98-spheres.hdf5"), "other");
    }
}
