//! Consistency checks of a problem, after reading and before writing.
//!
//! With d = `spacedim` in {2, 3} and n_c = len(mu): W is d n_c square and q has d n_c entries; or
//! M is n_dof square, H is n_dof x d n_c, f has n_dof and w has d n_c entries; bilateral blocks
//! and stored vectors fit these sizes; every number is finite and mu >= 0. Definiteness of W or M
//! is not tested here.

use std::path::Path;

use crate::{
    FileError, GlobalProblem, LocalProblem, ProblemFile, ProblemForm, SolutionVectors, SparseMatrix,
};

/// Names of the two top groups.
pub(crate) const LOCAL: &str = "/fclib_local";
pub(crate) const GLOBAL: &str = "/fclib_global";

/// A size that some dataset determines, with the words that say which.
#[derive(Clone, Copy)]
pub(crate) struct Size<'a> {
    pub(crate) value: usize,
    pub(crate) origin: &'a str,
}

/// Checks the whole problem.
pub(crate) fn problem(path: &Path, problem: &ProblemFile) -> Result<(), FileError> {
    match &problem.form {
        ProblemForm::Local(p) => local(path, p)?,
        ProblemForm::Global(p) => global(path, p)?,
    }
    // Stored vectors must fit the problem.
    let sizes = VectorSizes::of(&problem.form);
    for (k, guess) in problem.guesses.iter().enumerate() {
        vectors(path, &format!("/guesses/{}", k + 1), guess, &sizes)?;
    }
    if let Some(solution) = &problem.solution {
        vectors(path, "/solution", solution, &sizes)?;
    }
    Ok(())
}

/// Checks the local form.
fn local(path: &Path, p: &LocalProblem) -> Result<(), FileError> {
    let at = |name: &str| format!("{LOCAL}/{name}");
    let rows = contact_rows(path, LOCAL, p.spacedim, &p.mu, &p.q, "q")?;
    matrix(path, &at("W"), &p.w, rows, rows)?;
    // Bilateral equations: their number is the length of s.
    if let Some(e) = &p.bilateral {
        let equations = Size {
            value: e.s.len(),
            origin: "the length of vectors/s",
        };
        matrix(path, &at("V"), &e.v, rows, equations)?;
        matrix(path, &at("R"), &e.r, equations, equations)?;
        finite(path, &at("vectors/s"), &e.s)?;
    }
    Ok(())
}

/// Checks the global form.
fn global(path: &Path, p: &GlobalProblem) -> Result<(), FileError> {
    let at = |name: &str| format!("{GLOBAL}/{name}");
    let columns = contact_rows(path, GLOBAL, p.spacedim, &p.mu, &p.w, "w")?;
    let dof = Size {
        value: p.f.len(),
        origin: "the length of vectors/f",
    };
    // Equations of motion.
    finite(path, &at("vectors/f"), &p.f)?;
    matrix(path, &at("M"), &p.m, dof, dof)?;
    matrix(path, &at("H"), &p.h, dof, columns)?;
    if let Some(e) = &p.bilateral {
        let equations = Size {
            value: e.b.len(),
            origin: "the length of vectors/b",
        };
        matrix(path, &at("G"), &e.g, dof, equations)?;
        finite(path, &at("vectors/b"), &e.b)?;
    }
    Ok(())
}

/// Checks spacedim, mu and the vector `name` of d n_c entries, and returns that size.
pub(crate) fn contact_rows<'a>(
    path: &Path,
    top: &str,
    spacedim: usize,
    mu: &[f64],
    vector: &[f64],
    name: &str,
) -> Result<Size<'a>, FileError> {
    if spacedim != 2 && spacedim != 3 {
        return Err(FileError::Value {
            path: path.into(),
            dataset: format!("{top}/spacedim"),
            index: 0,
            value: spacedim.to_string(),
            expected: "2 or 3, the components of a contact".into(),
        });
    }
    // The length of the vector determines the number of contact rows.
    let rows = Size {
        value: vector.len(),
        origin: if name == "q" {
            "the length of vectors/q"
        } else {
            "the length of vectors/w"
        },
    };
    let dataset = format!("{top}/vectors/{name}");
    if mu.len().checked_mul(spacedim) != Some(rows.value) {
        return Err(FileError::Shape {
            path: path.into(),
            dataset,
            expected: format!("{} long", mu.len().saturating_mul(spacedim)),
            found: format!("{} long", rows.value),
            hint: format!(
                "vectors/mu has {} contacts of {spacedim} components each",
                mu.len()
            ),
        });
    }
    // Finite values, admissible friction coefficients.
    finite(path, &dataset, vector)?;
    friction(path, &format!("{top}/vectors/mu"), mu)?;
    Ok(rows)
}

/// Checks friction coefficients.
fn friction(path: &Path, dataset: &str, mu: &[f64]) -> Result<(), FileError> {
    match mu.iter().position(|m| !(m.is_finite() && *m >= 0.0)) {
        None => Ok(()),
        Some(index) => Err(FileError::Value {
            path: path.into(),
            dataset: dataset.into(),
            index,
            value: mu[index].to_string(),
            expected: "a finite friction coefficient >= 0; correct the contact law of that \
                       contact"
                .into(),
        }),
    }
}

/// Checks that all numbers are finite.
pub(crate) fn finite(path: &Path, dataset: &str, values: &[f64]) -> Result<(), FileError> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(FileError::Value {
            path: path.into(),
            dataset: dataset.into(),
            index,
            value: values[index].to_string(),
            expected: "a finite number; the program that wrote it had already failed".into(),
        }),
    }
}

/// Checks the sizes, the canonical form and the values of a matrix.
fn matrix(
    path: &Path,
    name: &str,
    m: &SparseMatrix,
    rows: Size,
    cols: Size,
) -> Result<(), FileError> {
    size(path, &format!("{name}/m"), m.rows, "rows", rows)?;
    size(path, &format!("{name}/n"), m.cols, "columns", cols)?;
    let broken = |what: &str| FileError::Encode {
        path: path.into(),
        detail: format!("the matrix {name} is not in canonical compressed-row form: {what}"),
    };
    // Only a problem built in memory can fail here: the reader builds the lists itself.
    let entries = m.val.len();
    if m.row_ptr.len() != m.rows + 1 || m.row_ptr[0] != 0 || m.row_ptr[m.rows] != entries {
        return Err(broken("row_ptr must go from 0 to the number of entries"));
    }
    if m.col.len() != entries || m.row_ptr.windows(2).any(|w| w[0] > w[1]) {
        return Err(broken(
            "row_ptr must increase, col and val must be equally long",
        ));
    }
    // Columns strictly increasing and in range.
    for i in 0..m.rows {
        let (columns, _) = m.row(i);
        let increasing = columns.windows(2).all(|w| w[0] < w[1]);
        if !increasing || columns.last().is_some_and(|&j| j >= m.cols) {
            return Err(broken(&format!(
                "the columns of row {i} must increase and stay below {}",
                m.cols
            )));
        }
    }
    finite(path, &format!("{name}/x"), &m.val)
}

/// Checks one dimension of a matrix.
pub(crate) fn size(
    path: &Path,
    dataset: &str,
    found: usize,
    unit: &str,
    expected: Size,
) -> Result<(), FileError> {
    if found == expected.value {
        return Ok(());
    }
    Err(FileError::Shape {
        path: path.into(),
        dataset: dataset.into(),
        expected: format!("{} {unit}", expected.value),
        found: format!("{found} {unit}"),
        hint: format!("it must be {}", expected.origin),
    })
}

/// Sizes of the vectors of a guess or solution.
pub(crate) struct VectorSizes {
    contact: usize,
    dof: Option<usize>,
    equations: usize,
}

impl VectorSizes {
    /// The sizes that fit a form.
    pub(crate) fn of(form: &ProblemForm) -> Self {
        Self {
            contact: form.mu().len() * form.spacedim(),
            dof: match form {
                ProblemForm::Local(_) => None,
                ProblemForm::Global(p) => Some(p.f.len()),
            },
            equations: form.equations(),
        }
    }
}

/// Checks the sizes and values of a guess or solution.
fn vectors(
    path: &Path,
    at: &str,
    x: &SolutionVectors,
    sizes: &VectorSizes,
) -> Result<(), FileError> {
    let check = |name: &str, values: &[f64], expected: usize, what: &str| {
        let dataset = format!("{at}/{name}");
        if values.len() != expected {
            return Err(FileError::Shape {
                path: path.into(),
                dataset,
                expected: format!("{expected} long"),
                found: format!("{} long", values.len()),
                hint: format!("it needs one entry for each {what} of the problem"),
            });
        }
        finite(path, &dataset, values)
    };
    // u and r are always present, v and lambda optional.
    check("u", &x.u, sizes.contact, "contact component")?;
    check("r", &x.r, sizes.contact, "contact component")?;
    if let Some(v) = &x.v {
        let what = "degree of freedom";
        check("v", v, sizes.dof.unwrap_or(0), what)?;
    }
    if let Some(lambda) = &x.lambda {
        check("l", lambda, sizes.equations, "bilateral equation")?;
    }
    Ok(())
}
