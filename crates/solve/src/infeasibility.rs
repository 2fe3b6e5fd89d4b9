//! Infeasibility of a step: a Farkas certificate that no velocity satisfies the constraints of the contacts.
//!
//! Every contact law requires u_n ≥ 0, bilateral rows require u = 0. With Ĝ the rows of these constraints, either there
//! are velocities v̂_free + x that satisfy them all, or there are multipliers y with
//!
//! ```text
//! Ĝ x + b ≥ 0  (= 0)   for some x      or      y ≥ 0 (free),   Ĝᵀ y = 0,   b·y < 0
//! ```
//!
//! (for a stored W its rows take the place of Ĝ: the range is the same). The support of y names the contacts that
//! exclude each other: a lid that comes down through a floor, discs in a die that is too small. No impulse helps
//! then, and Gauss–Seidel sweeps only let the impulses grow.
//!
//! The multipliers come from an interior-point method (the crate `clarabel`) and are verified: Ĝᵀy and b·y are computed
//! again. Rounding leaves Ĝᵀy = ρ ≠ 0, which proves that every x that satisfies the constraints has
//! ‖x‖ ≥ −b·y / ‖ρ‖; a step counts as infeasible when that is 10⁴ times the largest free velocity.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use percuss_contact::{DelassusOperator, Law, Problem};

/// RV up to which a step is taken to have a solution: contacts that exclude each other leave a residual of the size of
/// the speed at which they approach each other.
pub(crate) const FEASIBLE_RESIDUAL: f64 = 1e-3;

/// Multiple of the largest free velocity: a solution that needs larger velocities counts as none.
const BEYOND: f64 = 1e4;

/// Contacts whose multiplier is below this fraction of the largest one are not part of the certificate.
const PART: f64 = 1e-3;

/// Largest number of constraints for which a certificate is sought: the method factors a matrix of that size.
const MOST: usize = 20_000;

/// Proof that a step has no solution.
#[derive(Debug, Clone, PartialEq)]
pub struct InfeasibilityCertificate {
    /// The contacts that exclude each other, those with the largest multipliers first.
    pub contacts: Vec<usize>,
    /// The speed at which they approach each other: −b·y / Σ y.
    pub speed: f64,
}

/// One constraint a·x + c ≥ 0, or = 0, with a of unit length.
struct VelocityConstraint {
    contact: usize,
    equal: bool,
    entries: Vec<(usize, f64)>,
    /// b of the row divided by the norm of the row, and that norm.
    c: f64,
    length: f64,
}

/// A certificate that no velocity satisfies the constraints of `problem`; `None` where there is a solution, or where no
/// certificate was found.
pub fn find_infeasibility(problem: &Problem) -> Option<InfeasibilityCertificate> {
    let mut demands = demands(problem);
    if demands.is_empty() || demands.len() > MOST {
        return None;
    }
    // Equality constraints (the zero cone) come first.
    demands.sort_by_key(|d| !d.equal);
    let z = multipliers(&demands, columns(problem))?;
    proven(&demands, &z, columns(problem))
}

fn columns(problem: &Problem) -> usize {
    match problem.operator() {
        DelassusOperator::Factored(kinetic) => kinetic.num_coordinates(),
        DelassusOperator::Stored { .. } => problem.num_rows(),
    }
}

/// Number of leading rows of a law that are velocity constraints, and whether they are equations.
fn demanded(law: &Law, rows: usize) -> (usize, bool) {
    match law {
        Law::Bilateral => (rows, true),
        Law::BilateralFriction { normal_rows, .. } => (*normal_rows, true),
        law if law.normal() => (1, false),
        _ => (0, false),
    }
}

fn demands(problem: &Problem) -> Vec<VelocityConstraint> {
    let mut list = Vec::new();
    for contact in 0..problem.num_contacts() {
        let rows = problem.rows(contact);
        let (count, equal) = demanded(problem.law(contact), rows.len());
        for (i, row) in rows.enumerate().take(count) {
            // Scale the row to unit length; rows without entries constrain nothing.
            let mut entries = entries(problem, contact, i);
            let length = entries.iter().map(|(_, a)| a * a).sum::<f64>().sqrt();
            if !(length > 0.0 && length.is_finite()) {
                continue;
            }
            entries.iter_mut().for_each(|(_, a)| *a /= length);
            list.push(VelocityConstraint {
                contact,
                equal,
                entries,
                c: problem.free_velocity()[row] / length,
                length,
            });
        }
    }
    list
}

/// Nonzero entries (column, value) of row `i` of a contact.
fn entries(problem: &Problem, contact: usize, i: usize) -> Vec<(usize, f64)> {
    match problem.operator() {
        DelassusOperator::Factored(kinetic) => {
            let rows = problem.dim(contact);
            let blocks = kinetic.dense_blocks(contact).flat_map(|(first, block)| {
                let width = block.len() / rows;
                let row = block[i * width..(i + 1) * width].to_vec();
                row.into_iter()
                    .enumerate()
                    .map(move |(k, a)| (first + k, a))
            });
            blocks.filter(|(_, a)| *a != 0.0).collect()
        }
        DelassusOperator::Stored { matrix, .. } => {
            let blocks = matrix.row(contact).flat_map(|(column, block)| {
                let width = matrix.dim(column);
                let first = matrix.offset()[column];
                let row = &block[i * width..(i + 1) * width];
                row.iter().enumerate().map(move |(k, a)| (first + k, *a))
            });
            blocks.filter(|(_, a)| *a != 0.0).collect()
        }
    }
}

/// Minimises ½‖x‖² under the constraints; returns the dual certificate of infeasibility if the solver ends with one.
fn multipliers(demands: &[VelocityConstraint], columns: usize) -> Option<Vec<f64>> {
    // −A in compressed column form: clarabel's constraints are A x + s = b, s in the cone.
    let mut by_column: Vec<Vec<(usize, f64)>> = vec![Vec::new(); columns];
    for (row, demand) in demands.iter().enumerate() {
        for &(column, a) in &demand.entries {
            by_column[column].push((row, -a));
        }
    }
    let (mut start, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in &by_column {
        rows.extend(column.iter().map(|(row, _)| *row));
        values.extend(column.iter().map(|(_, a)| *a));
        start.push(rows.len());
    }
    let matrix = CscMatrix::new(demands.len(), columns, start, rows, values);
    let square = CscMatrix::identity(columns);
    // Scale the right-hand side to unit size.
    let largest = demands.iter().fold(0.0_f64, |m, d| m.max(d.c.abs()));
    if !(largest > 0.0) {
        return None;
    }
    let right: Vec<f64> = demands.iter().map(|d| d.c / largest).collect();
    let equations = demands.iter().filter(|d| d.equal).count();
    let cones = [
        SupportedConeT::ZeroConeT(equations),
        SupportedConeT::NonnegativeConeT(demands.len() - equations),
    ];
    // One thread: the result is deterministic.
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_threads(1)
        .max_iter(100)
        .presolve_enable(false)
        .build()
        .ok()?;
    let q = vec![0.0; columns];
    let mut solver = DefaultSolver::new(&square, &q, &matrix, &right, &cones, settings).ok()?;
    solver.solve();
    // Only a dual certificate counts.
    let certain = matches!(
        solver.solution.status,
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible
    );
    certain.then(|| solver.solution.z.clone())
}

/// Verifies the multipliers: recomputes Ĝᵀy and b·y, and collects the contacts of the certificate.
fn proven(
    demands: &[VelocityConstraint],
    z: &[f64],
    columns: usize,
) -> Option<InfeasibilityCertificate> {
    let mut rest = vec![0.0; columns];
    let (mut product, mut largest_c, mut sum) = (0.0, 0.0_f64, 0.0);
    let mut parts: Vec<(f64, usize)> = Vec::new();
    for (demand, z) in demands.iter().zip(z) {
        let y = if demand.equal { *z } else { z.max(0.0) };
        demand
            .entries
            .iter()
            .for_each(|&(column, a)| rest[column] += a * y);
        product += demand.c * y;
        largest_c = largest_c.max(demand.c.abs());
        // y over the norm of its row is an impulse in the units of the row itself.
        sum += y.abs() / demand.length;
        parts.push((y.abs() / demand.length, demand.contact));
    }
    // ‖Ĝᵀy‖ against −b·y.
    let left = rest.iter().map(|r| r * r).sum::<f64>().sqrt();
    // The test is false for NaN: a product that is not a number proves nothing.
    if !(product < 0.0 && -product > BEYOND * largest_c * left) {
        return None;
    }
    // Contacts by decreasing multiplier.
    parts.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let least = PART * parts.first().map_or(0.0, |p| p.0);
    let mut contacts: Vec<usize> = Vec::new();
    for (size, contact) in parts {
        if size > least && !contacts.contains(&contact) {
            contacts.push(contact);
        }
    }
    Some(InfeasibilityCertificate {
        contacts,
        speed: -product / sum,
    })
}
