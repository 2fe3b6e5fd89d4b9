//! Conversion of a problem file to the one-step problem (★) and back.
//!
//! Local form: the stored W and q are W and b, and bilateral equations become further rows of one
//! matrix,
//!
//! ```text
//! [ u ]   [ W   V ] [ r      ]   [ q ]
//! [ 0 ] = [ V'  R ] [ lambda ] + [ s ].
//! ```
//!
//! Global form: with J = [H G]' and the affine term a = (w, b), u = J v + a and M v = J' r + f, so that
//! W = J M⁻¹ J' and b = J M⁻¹ f + a (M88 §11). The connected components of the graph of M are
//! independent groups of coordinates. Where they are small, symmetric and positive definite, W is
//! not formed ([`percuss_contact::FactoredDelassus`]); otherwise the product is formed group by group and stored.
//!
//! Every bilateral equation becomes a contact of one row with [`Law::Bilateral`], after the
//! frictional contacts: the rows of one joint may have different units, and one scale κ for each row
//! keeps the residual R2 independent of units.
//!
//! Limits: a group of more than [`MAX_DENSE`] coordinates that is not kept in factored form is an error,
//! because its factor would be dense.

mod dense;
mod groups;

use std::path::Path;

use percuss_contact::{
    BlockSparseMatrix, DelassusOperator, FactoredDelassus, Law, Problem, ProblemError, Restitution,
};

use crate::check;
use crate::{
    FileError, GlobalProblem, Info, LocalBilateral, LocalProblem, ProblemFile, ProblemForm,
    SparseMatrix,
};
use groups::Groups;

/// Largest group of coordinates whose mass matrix is factored densely and kept as a factor. Above this,
/// a block of Ĝ costs more than the blocks of W it replaces.
pub const MAX_GROUP: usize = 64;

/// Largest group of coordinates that is eliminated by a dense factorisation: 32 MB and a few
/// seconds.
pub const MAX_DENSE: usize = 2048;

/// Largest number of entries of W that an elimination of M may fill in: half a gigabyte during
/// assembly. Without a bound a small file could demand any amount of memory.
const MAX_FILL: usize = 20_000_000;

/// M counts as symmetric if its entries differ from those of its transpose by at most this share of the
/// largest entry of their group: a few roundings of the program that summed them.
const SYMMETRIC: f64 = 1e-12;

/// Why a file does not give a one-step problem, or a problem does not fit the layout.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The parts of the file contradict each other.
    #[error(transparent)]
    File(#[from] FileError),
    /// The problem cannot be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A bilateral equation that no impulse can act on.
    #[error(
        "bilateral equation {row} cannot hold: {detail}; remove the equation or correct its row \
         of the matrices"
    )]
    Equation {
        /// Index of the equation.
        row: usize,
        /// What is wrong.
        detail: String,
    },
    /// A matrix M without inverse.
    #[error(
        "the matrix M is singular: coordinate {coordinate} has no mass left once the {size} \
         coordinates of its group are eliminated; every coordinate needs a mass or an inertia"
    )]
    Singular {
        /// A coordinate of the failing group.
        coordinate: usize,
        /// Number of coordinates of that group.
        size: usize,
    },
    /// A group of coordinates too large to eliminate.
    #[error(
        "the matrix M couples {size} coordinates (coordinate {coordinate} among them) into one \
         group, more than the {MAX_DENSE} that are eliminated at once; store the problem in the \
         local form, with W = H' M^-1 H"
    )]
    TooLarge {
        /// A coordinate of the group.
        coordinate: usize,
        /// Number of its coordinates.
        size: usize,
    },
    /// A matrix W too large to form.
    #[error(
        "eliminating M fills in more than {MAX_FILL} entries of W: {rows} contact rows act on \
         the group of coordinate {coordinate}; split the problem into parts that do not touch"
    )]
    TooDense {
        /// A coordinate of the group.
        coordinate: usize,
        /// Number of rows that act on it.
        rows: usize,
    },
    /// A law that the layout cannot express.
    #[error(
        "contact {contact} has the law \"{law}\" with {rows} rows; the FCLIB layout holds \
         Coulomb's law only, with 2 or 3 rows at all contacts alike"
    )]
    Law {
        /// Index of the contact.
        contact: usize,
        /// Name of its law.
        law: &'static str,
        /// Number of its rows.
        rows: usize,
    },
}

/// The one-step problem of a file: its contacts in file order, then one contact of law
/// [`Law::Bilateral`] for each bilateral equation.
///
/// # Errors
/// When the file contradicts itself, a diagonal block of W is not positive semidefinite, M has no
/// inverse or is too large to eliminate.
pub fn to_problem(file: &ProblemFile) -> Result<Problem, ConvertError> {
    check::problem(Path::new("the problem"), file)?;
    let result = match &file.form {
        ProblemForm::Local(p) => local(p),
        ProblemForm::Global(p) => global(p),
    };
    // Beyond the frictional contacts the index counts bilateral equations.
    match result {
        Err(ConvertError::Problem(ProblemError::Block { contact, detail }))
            if contact >= file.contacts() =>
        {
            Err(ConvertError::Equation {
                row: contact - file.contacts(),
                detail,
            })
        }
        other => other,
    }
}

/// The file of a problem in local form; W is assembled if the problem is in factored form.
///
/// # Errors
/// When a contact has another law than Coulomb's, or the contacts do not all have 2 or all have 3
/// rows.
pub fn from_problem(problem: &Problem, info: Info) -> Result<ProblemFile, ConvertError> {
    let n = problem.num_contacts();
    let spacedim = if n == 0 { 3 } else { problem.dim(0) };
    let mut mu = Vec::with_capacity(n);
    // Only Coulomb contacts with one number of rows fit the layout.
    for a in 0..n {
        let rows = problem.dim(a);
        match *problem.law(a) {
            Law::Coulomb { mu: value } if rows == spacedim && rows >= 2 => mu.push(value),
            ref law => {
                let law = law.name();
                return Err(ConvertError::Law {
                    contact: a,
                    law,
                    rows,
                });
            }
        }
    }
    let form = ProblemForm::Local(LocalProblem {
        spacedim,
        w: scalar_rows(&problem.matrix()),
        q: problem.free_velocity().to_vec(),
        mu,
        bilateral: None,
    });
    Ok(ProblemFile {
        info,
        ..ProblemFile::new(form)
    })
}

/// A block matrix as scalar compressed rows, zeros inside blocks included.
fn scalar_rows(matrix: &BlockSparseMatrix) -> SparseMatrix {
    let n = matrix.num_rows();
    let mut w = SparseMatrix::zero(n, n);
    for a in 0..matrix.num_contacts() {
        for i in 0..matrix.dim(a) {
            for (b, block) in matrix.row(a) {
                let (first, width) = (matrix.offset()[b], matrix.dim(b));
                w.col.extend(first..first + width);
                w.val.extend_from_slice(&block[i * width..(i + 1) * width]);
            }
            w.row_ptr[matrix.offset()[a] + i + 1] = w.val.len();
        }
    }
    w
}

/// First row of each contact and its law: frictional contacts, then bilateral rows.
fn contacts(spacedim: usize, mu: &[f64], equations: usize) -> (Vec<usize>, Vec<Law>) {
    let rows = spacedim * mu.len();
    let mut offset: Vec<usize> = (0..mu.len()).map(|a| a * spacedim).collect();
    // One row per bilateral equation.
    offset.extend(rows..=rows + equations);
    let mut law: Vec<Law> = mu.iter().map(|&mu| Law::Coulomb { mu }).collect();
    law.resize(mu.len() + equations, Law::Bilateral);
    (offset, law)
}

/// The problem with a stored matrix W and free velocity b.
fn stored(
    (offset, law): (Vec<usize>, Vec<Law>),
    w: &SparseMatrix,
    free: Vec<f64>,
) -> Result<Problem, ConvertError> {
    let matrix = BlockSparseMatrix::from_rows(offset, &w.row_ptr, &w.col, &w.val)?;
    Ok(Problem::new(
        law,
        DelassusOperator::Stored { matrix, free },
    )?)
}

/// The problem of the local form.
fn local(p: &LocalProblem) -> Result<Problem, ConvertError> {
    let equations = p.bilateral.as_ref().map_or(0, |e| e.s.len());
    let blocks = contacts(p.spacedim, &p.mu, equations);
    match &p.bilateral {
        None => stored(blocks, &p.w, p.q.clone()),
        Some(e) => stored(blocks, &bordered(&p.w, e), [&p.q[..], &e.s].concat()),
    }
}

/// The bordered matrix [ W V ; V' R ].
fn bordered(w: &SparseMatrix, e: &LocalBilateral) -> SparseMatrix {
    let n = w.rows + e.s.len();
    let transposed = e.v.transposed();
    let mut all = SparseMatrix::zero(n, n);
    for row in 0..n {
        // Rows of [W V], then of [V' R].
        let (left, right) = match row.checked_sub(w.rows) {
            None => (w.row(row), e.v.row(row)),
            Some(k) => (transposed.row(k), e.r.row(k)),
        };
        all.col.extend_from_slice(left.0);
        all.col.extend(right.0.iter().map(|j| j + w.rows));
        all.val.extend_from_slice(left.1);
        all.val.extend_from_slice(right.1);
        all.row_ptr[row + 1] = all.val.len();
    }
    all
}

/// The Jacobian J = [H G]' and the affine term (w, b).
struct JacobianRows {
    jacobian: SparseMatrix,
    affine_term: Vec<f64>,
    equations: usize,
}

impl JacobianRows {
    /// Rows of the contacts, then of the bilateral equations.
    fn of(p: &GlobalProblem) -> Self {
        let mut jacobian = p.h.transposed();
        let mut given = p.w.clone();
        if let Some(e) = &p.bilateral {
            // Append G' below H'.
            let g = e.g.transposed();
            let start = jacobian.val.len();
            jacobian.rows += g.rows;
            jacobian
                .row_ptr
                .extend(g.row_ptr[1..].iter().map(|k| k + start));
            jacobian.col.extend(g.col);
            jacobian.val.extend(g.val);
            given.extend_from_slice(&e.b);
        }
        Self {
            jacobian,
            affine_term: given,
            equations: p.bilateral.as_ref().map_or(0, |e| e.b.len()),
        }
    }
}

/// The problem of the global form: factored where M consists of small mass matrices, else eliminated.
fn global(p: &GlobalProblem) -> Result<Problem, ConvertError> {
    let rows = JacobianRows::of(p);
    let groups = Groups::of(&p.m, p.spacedim);
    // Small symmetric groups: mass matrices.
    let masses = groups.widest() <= MAX_GROUP
        && (0..groups.len()).all(|g| dense::symmetric(&groups.block(&p.m, g), SYMMETRIC));
    if masses {
        match factored_problem(p, &rows, &groups) {
            // Symmetric but not positive definite: an iteration matrix, not a mass matrix.
            Err(ConvertError::Problem(ProblemError::Mass { .. })) => {}
            other => return other,
        }
    }
    eliminated_problem(p, &rows, &groups)
}

/// The problem in factored form. The bodies start with M v = f, since the layout does not separate the
/// velocity before the step from the impulse of the given forces.
fn factored_problem(
    p: &GlobalProblem,
    rows: &JacobianRows,
    groups: &Groups,
) -> Result<Problem, ConvertError> {
    let mut builder = FactoredDelassus::builder();
    // Groups: mass matrix and velocity M⁻¹ f.
    for g in 0..groups.len() {
        let mass = groups.block(&p.m, g);
        let mut velocity = groups.part(&p.f, g);
        let size = velocity.len();
        dense::Lu::new(mass.clone(), size)
            .map_err(|at| singular(groups, g, at))?
            .solve(&mut velocity);
        builder.add_group(&mass, &velocity, &vec![0.0; size])?;
    }
    // Contacts and bilateral equations with their Jacobian blocks.
    let (offset, law) = contacts(p.spacedim, &p.mu, rows.equations);
    for (a, law) in law.into_iter().enumerate() {
        let span = offset[a]..offset[a + 1];
        let blocks = groups.blocks(&rows.jacobian, span.clone());
        let touches: Vec<(usize, &[f64])> = blocks.iter().map(|(g, b)| (*g, &b[..])).collect();
        builder.add_contact(
            law,
            &touches,
            &rows.affine_term[span],
            Restitution::default(),
        )?;
    }
    Ok(builder.build()?)
}

/// The problem with W = J M⁻¹ J' formed and stored; unsymmetric if M is.
fn eliminated_problem(
    p: &GlobalProblem,
    rows: &JacobianRows,
    groups: &Groups,
) -> Result<Problem, ConvertError> {
    let mut free = rows.affine_term.clone();
    let mut entries = Vec::new();
    let touching = groups.rows_by_group(&rows.jacobian);
    check_fill(groups, &touching)?;
    for (g, touching) in touching.iter().enumerate() {
        let size = groups.members(g).len();
        let lu =
            dense::Lu::new(groups.block(&p.m, g), size).map_err(|at| singular(groups, g, at))?;
        // M⁻¹ f of the group, and the parts of the Jacobian rows in it.
        let mut velocity = groups.part(&p.f, g);
        lu.solve(&mut velocity);
        let parts: Vec<Vec<(usize, f64)>> = touching
            .iter()
            .map(|&row| groups.row_part(&rows.jacobian, row, g))
            .collect();
        let along = |part: &[(usize, f64)], x: &[f64]| -> f64 {
            part.iter().map(|&(i, value)| value * x[i]).sum()
        };
        for (&column, part) in touching.iter().zip(&parts) {
            free[column] += along(part, &velocity);
            // x = M⁻¹ J'e_column, one column of W at a time.
            let mut x = vec![0.0; size];
            part.iter().for_each(|&(i, value)| x[i] = value);
            lu.solve(&mut x);
            for (&row, part) in touching.iter().zip(&parts) {
                entries.push((row, column, along(part, &x)));
            }
        }
    }
    // Sum the entries of all groups.
    let n = rows.affine_term.len();
    let w = SparseMatrix::from_entries(
        n,
        n,
        entries.len(),
        |k| entries[k].0,
        |k| entries[k].1,
        |k| entries[k].2,
    );
    stored(contacts(p.spacedim, &p.mu, rows.equations), &w, free)
}

/// An error for problems that would not fit into memory, before anything is factored.
fn check_fill(groups: &Groups, touching: &[Vec<usize>]) -> Result<(), ConvertError> {
    let mut fill = 0_usize;
    for (g, touching) in touching.iter().enumerate() {
        let (coordinate, size) = (groups.members(g)[0], groups.members(g).len());
        if size > MAX_DENSE {
            return Err(ConvertError::TooLarge { coordinate, size });
        }
        // Every group couples all of its rows.
        let rows = touching.len();
        fill = fill.saturating_add(rows.saturating_mul(rows));
        if fill > MAX_FILL {
            return Err(ConvertError::TooDense { coordinate, rows });
        }
    }
    Ok(())
}

/// The error for a singular group of M.
fn singular(groups: &Groups, g: usize, at: usize) -> ConvertError {
    let members = groups.members(g);
    ConvertError::Singular {
        coordinate: members[at],
        size: members.len(),
    }
}
