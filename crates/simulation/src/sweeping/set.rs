//! Moving sets from the compiled expressions of a scene.
//!
//! gap_k(t, u) ≥ 0 becomes c_k = −gap_k ≤ 0. Affine gaps become rows −G(t) u ≤ gap(t, 0), joints G(t) u =
//! −f(t, 0); the programs are those of a mechanism's contacts and joints. An expression that fails
//! gives NaN and stores its error for whoever meets the NaN.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use percuss_mechanism::{System, SystemError};
use percuss_scene::SymbolicSystem;
use percuss_scene::symbolic::SweepingSettings;
use percuss_sweep::{
    ConstraintRows, Inequalities, InequalitySet, Method, MovingPolyhedron, MovingSet,
};

/// The error of the first expression that failed.
pub(super) type Complaint = Arc<Mutex<Option<SystemError>>>;

/// The programs of a scene behind a shared reference.
pub(super) struct Functions {
    system: RefCell<SymbolicSystem>,
    complaint: Complaint,
    dim: usize,
    /// Number of contacts, without joints.
    contacts: usize,
}

impl Functions {
    pub fn new(system: &SymbolicSystem, complaint: &Complaint) -> Self {
        let all = system.constraints();
        Self {
            dim: system.configuration_space().num_positions(),
            contacts: all.iter().filter(|c| c.is_contact()).count(),
            system: RefCell::new(system.clone()),
            complaint: complaint.clone(),
        }
    }

    /// Runs a program; where it fails the values are NaN and the error is stored.
    fn run(
        &self,
        out: &mut [f64],
        f: impl FnOnce(&mut SymbolicSystem, &mut [f64]) -> Result<(), SystemError>,
    ) {
        if let Err(error) = f(&mut self.system.borrow_mut(), out) {
            out.fill(f64::NAN);
            if let Ok(mut slot) = self.complaint.lock() {
                slot.get_or_insert(error);
            }
        }
    }

    /// Gaps of the contacts, then the functions of the joints, in the order of the scene.
    fn gaps(&self, t: f64, x: &[f64]) -> Vec<f64> {
        let count = {
            let system = self.system.borrow();
            system.constraints().iter().map(|c| c.num_gaps()).sum()
        };
        let mut out = vec![0.0; count];
        self.run(&mut out, |system, out| system.gaps(t, x, out));
        out
    }

    /// G and W of one constraint, G first.
    fn rows(&self, constraint: usize, rows: usize, t: f64, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; rows * (self.dim + 1)];
        let cut = rows * self.dim;
        self.run(&mut out, |system, out| {
            let (g, w) = out.split_at_mut(cut);
            system.rows(constraint, t, x, g, w)
        });
        out
    }

    /// The drift at a point: the forces of the mechanism of unit mass, at rest.
    pub fn drift(&self, t: f64, x: &[f64], out: &mut [f64]) {
        let still = vec![0.0; self.dim];
        let mut mass = vec![0.0; self.dim * self.dim];
        self.run(out, |system, out| {
            system.dynamics(t, x, &still, &mut mass, out)
        });
    }
}

impl Inequalities for Functions {
    fn dim(&self) -> usize {
        self.dim
    }
    fn count(&self) -> usize {
        self.contacts
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        for (c, gap) in out.iter_mut().zip(self.gaps(t, x)) {
            *c = -gap;
        }
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        for (k, row) in out.chunks_exact_mut(self.dim).enumerate() {
            let both = self.rows(k, 1, t, x);
            for (c, g) in row.iter_mut().zip(&both) {
                *c = -g;
            }
        }
    }
    fn rates(&self, t: f64, x: &[f64], out: &mut [f64]) {
        for (k, rate) in out.iter_mut().enumerate() {
            *rate = -self.rows(k, 1, t, x)[self.dim];
        }
    }
}

/// The moving set of a scene. Contacts come before joints in every scene, equalities before
/// inequalities in a polyhedron; [`number_of_row`] is the inverse.
pub(super) fn of_scene(
    plan: &SweepingSettings,
    system: &SymbolicSystem,
    complaint: &Complaint,
) -> Result<Box<dyn MovingSet>, percuss_sweep::SweepingError> {
    let functions = Functions::new(system, complaint);
    // Equalities come from joints.
    let equations: usize = joints(system).iter().map(|j| j.1).sum();
    // The event-driven method needs functions and their rates; sides that turn have them as functions only.
    let as_functions = plan.turning && plan.method == Method::EventDriven && equations == 0;
    // Smooth gaps: an intersection of smooth regions, without equalities.
    if !plan.affine || as_functions {
        if equations > 0 {
            return Err(percuss_sweep::SweepingError::Unsupported {
                method: "a set with joints",
                need: "gaps and constraints that are linear in the coordinates, with coefficients \
                       that depend on time alone",
            });
        }
        return Ok(match plan.prox_regular {
            None => Box::new(InequalitySet::new(functions)?),
            Some(radius) => Box::new(InequalitySet::prox_regular(functions, radius)?),
        });
    }
    if plan.turning {
        return turning(system, complaint, functions);
    }
    // Affine functions: a polyhedron with constant rows, equalities first.
    let origin = vec![0.0; functions.dim];
    let (n, contacts) = (functions.dim, functions.contacts);
    let mut matrix = Vec::new();
    for (k, rows) in joints(system) {
        let both = functions.rows(k, rows, 0.0, &origin);
        matrix.extend_from_slice(&both[..rows * n]);
    }
    for k in 0..contacts {
        let both = functions.rows(k, 1, 0.0, &origin);
        matrix.extend(both[..n].iter().map(|g| -g));
    }
    let at_origin = origin.clone();
    let rates = Functions::new(system, complaint);
    // Right-hand sides move with t; their rates are those of the gaps.
    let set = MovingPolyhedron::with_equalities(sparse(n, &matrix)?, equations, move |t, b| {
        let values = functions.gaps(t, &at_origin);
        let (gaps, rest) = values.split_at(contacts);
        for (b, f) in b[..equations].iter_mut().zip(rest) {
            *b = -f;
        }
        b[equations..].copy_from_slice(gaps);
    })?;
    Ok(Box::new(set.with_rates(move |t, b| {
        for k in 0..contacts {
            b[equations + k] = rates.rows(k, 1, t, &origin)[n];
        }
    })))
}

/// A polyhedron whose rows depend on time, equalities first.
fn turning(
    system: &SymbolicSystem,
    complaint: &Complaint,
    functions: Functions,
) -> Result<Box<dyn MovingSet>, percuss_sweep::SweepingError> {
    let (n, contacts) = (functions.dim, functions.contacts);
    let (joints, origin) = (joints(system), vec![0.0; functions.dim]);
    let equations: usize = joints.iter().map(|j| j.1).sum();
    let (place, slopes) = (origin.clone(), Functions::new(system, complaint));
    // Rows at every time.
    let matrix = move |t: f64, out: &mut [f64]| {
        let (upper, lower) = out.split_at_mut(equations * n);
        let mut first = 0;
        for &(k, rows) in &joints {
            let both = slopes.rows(k, rows, t, &place);
            upper[first * n..(first + rows) * n].copy_from_slice(&both[..rows * n]);
            first += rows;
        }
        for (k, row) in lower.chunks_exact_mut(n.max(1)).enumerate() {
            let both = slopes.rows(k, 1, t, &place);
            row.iter_mut().zip(&both).for_each(|(r, g)| *r = -g);
        }
    };
    let bounds = move |t: f64, b: &mut [f64]| {
        let values = functions.gaps(t, &origin);
        let (gaps, rest) = values.split_at(contacts);
        b[..equations]
            .iter_mut()
            .zip(rest)
            .for_each(|(b, f)| *b = -f);
        b[equations..].copy_from_slice(gaps);
    };
    let sizes = (n, equations + contacts, equations);
    let set = MovingPolyhedron::with_moving_rows(sizes, matrix, bounds)?;
    Ok(Box::new(set))
}

/// The joints: number of the constraint, number of its rows.
fn joints(system: &SymbolicSystem) -> Vec<(usize, usize)> {
    let all = system.constraints().iter().enumerate();
    all.filter(|(_, c)| !c.is_contact())
        .map(|(k, c)| (k, c.rows))
        .collect()
}

/// The rows of a matrix in sparse or dense form.
fn sparse(n: usize, matrix: &[f64]) -> Result<ConstraintRows, percuss_sweep::SweepingError> {
    // Nonzero entries by row.
    let rows: Vec<Vec<(usize, f64)>> = matrix
        .chunks_exact(n.max(1))
        .map(|row| {
            let entries = row.iter().copied().enumerate();
            entries.filter(|e| e.1 != 0.0).collect()
        })
        .collect();
    let filled: usize = rows.iter().map(Vec::len).sum();
    // Below a third of the entries the sparse form reads less memory.
    match 3 * filled < matrix.len() {
        true => ConstraintRows::sparse(n, &rows),
        false => ConstraintRows::dense(n, matrix),
    }
}

/// The constraint of a scene, and the row of it, that row `row` of the set stands for.
pub(super) fn number_of_row(
    plan: &SweepingSettings,
    system: &SymbolicSystem,
    row: usize,
) -> (usize, usize) {
    // Equalities first, then one row per contact. A set of functions has no equalities.
    let joints = joints(system);
    let equations: usize = joints.iter().map(|j| j.1).sum();
    if !plan.affine || row >= equations {
        let skip = if plan.affine { equations } else { 0 };
        return (row - skip, 0);
    }
    let mut first = 0;
    for (k, rows) in joints {
        if row < first + rows {
            return (k, row - first);
        }
        first += rows;
    }
    (row, 0)
}
