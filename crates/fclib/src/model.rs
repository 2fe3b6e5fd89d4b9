//! The contents of a problem file as plain data.

use crate::SparseMatrix;

/// A problem in local (Delassus) form: the bodies are eliminated.
///
/// Find u and r with u = W r + q (without bilateral rows) and Coulomb's law between u and r at
/// each contact. With n_c contacts and d = `spacedim` there are d n_c rows; each contact owns d
/// consecutive ones, the normal first.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalProblem {
    /// Components per contact: 3 (normal, two tangents) or 2 (normal, tangent).
    pub spacedim: usize,
    /// Delassus operator W, d n_c square, 1/mass. Need not be symmetric in files with
    /// linearised gyroscopic terms.
    pub w: SparseMatrix,
    /// Free relative velocity q, d n_c entries, restitution included.
    pub q: Vec<f64>,
    /// Friction coefficient of each contact, n_c entries, none negative.
    pub mu: Vec<f64>,
    /// Bilateral constraints, if there are any.
    pub bilateral: Option<LocalBilateral>,
}

/// Bilateral rows of the local form: u = W r + V lambda + q and V' r + R lambda + s = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalBilateral {
    /// Coupling V, d n_c rows and one column for each equation.
    pub v: SparseMatrix,
    /// Square matrix R of the equations among themselves.
    pub r: SparseMatrix,
    /// Right-hand side s, one entry for each equation.
    pub s: Vec<f64>,
}

/// A problem in global form: with the equations of motion of the bodies.
///
/// Find v, u and r with M v = H r + f and u = H' v + w (without bilateral rows) and Coulomb's law
/// between u and r at each contact. Eliminating v gives W = H' M^-1 H and q = H' M^-1 f + w.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalProblem {
    /// Components per contact: 3 (normal, two tangents) or 2 (normal, tangent).
    pub spacedim: usize,
    /// Iteration matrix M, in the simplest case the mass matrix, n_dof square.
    pub m: SparseMatrix,
    /// Transposed contact Jacobian, n_dof rows and d n_c columns.
    pub h: SparseMatrix,
    /// Momentum without contacts, n_dof entries.
    pub f: Vec<f64>,
    /// Affine part of the relative velocity, d n_c entries.
    pub w: Vec<f64>,
    /// Friction coefficient of each contact, n_c entries, none negative.
    pub mu: Vec<f64>,
    /// Bilateral constraints, if there are any.
    pub bilateral: Option<GlobalBilateral>,
}

/// Bilateral rows of the global form: M v = H r + G lambda + f and G' v + b = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalBilateral {
    /// Transposed Jacobian of the equations, n_dof rows and one column for each equation.
    pub g: SparseMatrix,
    /// Affine part, one entry for each equation.
    pub b: Vec<f64>,
}

/// A problem in one of the two forms.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemForm {
    /// Local (Delassus) form.
    Local(LocalProblem),
    /// Global form, with the equations of motion of the bodies.
    Global(GlobalProblem),
}

/// Free text and counts that come with a problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// Title, empty when the file has none.
    pub title: String,
    /// Description, empty when the file has none.
    pub description: String,
    /// What is known about existence and uniqueness, empty when the file has none.
    pub math_info: String,
    /// Degrees of freedom of the bodies, when the file states them: the attribute
    /// `numberOfDegreeOfFreedom`, else `numberOfInvolvedDS` bodies times 6 (3 in the plane).
    pub degrees_of_freedom: Option<usize>,
}

/// A guess or a solution.
///
/// Check the numbers before use: HDF5 reads a dataset that was created but never
/// written as zeros, and several public files have such a `v`, and such an `r` in `/solution`.
/// FCLIB itself reads these vectors only when `v` is present in the global form and `lambda` is
/// present with bilateral rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SolutionVectors {
    /// Relative velocity at the contacts, d n_c entries.
    pub u: Vec<f64>,
    /// Impulse at the contacts, d n_c entries.
    pub r: Vec<f64>,
    /// Velocity of the bodies, n_dof entries, global form only.
    pub v: Option<Vec<f64>>,
    /// Multipliers of the bilateral rows, one entry for each equation.
    pub lambda: Option<Vec<f64>>,
}

/// Everything this crate reads from and writes to a problem file.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemFile {
    /// The problem.
    pub form: ProblemForm,
    /// Free text and counts.
    pub info: Info,
    /// Start points (guesses), in file order.
    pub guesses: Vec<SolutionVectors>,
    /// The stored solution, if there is one.
    pub solution: Option<SolutionVectors>,
}

impl ProblemForm {
    /// Components per contact, 2 or 3.
    #[must_use]
    pub fn spacedim(&self) -> usize {
        match self {
            Self::Local(p) => p.spacedim,
            Self::Global(p) => p.spacedim,
        }
    }

    /// Friction coefficients, one for each contact.
    #[must_use]
    pub fn mu(&self) -> &[f64] {
        match self {
            Self::Local(p) => &p.mu,
            Self::Global(p) => &p.mu,
        }
    }

    /// Number of bilateral equations.
    #[must_use]
    pub fn equations(&self) -> usize {
        match self {
            Self::Local(p) => p.bilateral.as_ref().map_or(0, |e| e.s.len()),
            Self::Global(p) => p.bilateral.as_ref().map_or(0, |e| e.b.len()),
        }
    }
}

impl ProblemFile {
    /// A problem without text, guesses or solution.
    #[must_use]
    pub fn new(form: ProblemForm) -> Self {
        Self {
            form,
            info: Info::default(),
            guesses: Vec::new(),
            solution: None,
        }
    }

    /// Number of contacts.
    #[must_use]
    pub fn contacts(&self) -> usize {
        self.form.mu().len()
    }

    /// Degrees of freedom of the bodies: as stated in the file, else the size of M in the global
    /// form, else unknown.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> Option<usize> {
        self.info.degrees_of_freedom.or(match &self.form {
            ProblemForm::Local(_) => None,
            ProblemForm::Global(p) => Some(p.f.len()),
        })
    }
}
