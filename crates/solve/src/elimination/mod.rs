//! Elimination of bilateral rows by a direct factorisation (null-space method, or Schur complement of a stored W).
//!
//! With index b for the rows of [`Law::Bilateral`] (u_b = 0) and c for all other contacts,
//!
//! ```text
//! factored W = Ĝ Ĝᵀ:   v̂ = v₀ + Z y,  Ĝ_b Z = 0,  Ĝ_b v₀ + given_b = 0   →   Ĝ'_c = Ĝ_c Z
//! stored W:            W' = W_cc − W_cb W_bb⁺ W_bc,   b' = b_c − W_cb W_bb⁺ b_b
//! ```
//!
//! component by component: rows that share a group of coordinates (or a block of W) belong together. Z is orthonormal,
//! so the kinetic metric of y is the identity again and a component (a chain, a mechanism with closed loops) is one
//! more group of coordinates: the reduced problem is of the same type and any solver takes it. Afterwards r_b follows
//! from the balance of impulses, with least Σ ‖ĝ‖² r² where the rows are dependent (hyperstatic joints). The residual
//! of the original problem decides about convergence.
//!
//! A component of up to 128 coordinates is factorised densely. A larger one is solved sparsely
//! ([`percuss_linalg::MinimumNorm`]), in O(n) for chains and trees; its contacts see not Z but an orthonormal basis of the
//! range of P Ĝ_cᵀ, P the projector on the null space of Ĝ_b, which is all that they can cause. Where these contacts have too
//! many rows for a basis, the bilateral rows stay in the reduced problem, and are solved exactly afterwards.
//! Factorisations are kept for the next problem, whole where the rows are the same.
//!
//! Limits: a stored W is factorised densely by component, with n rows of W_bb in O(n³) time and O(n²) memory.

use percuss_contact::law::Law;
use percuss_contact::{DelassusOperator, Problem, ProblemError};

use smallvec::smallvec;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver, Stage, Stages};

mod component;
mod components;
mod kinetic;
#[cfg(test)]
mod sparse_tests;
mod stored;
#[cfg(test)]
mod tests;

/// Allowed difference of the velocities that dependent rows prescribe, relative to the velocities of their component:
/// rounding of a dependence that was accepted at 1e-10.
const MISMATCH: f64 = 1e-8;

/// Relative accuracy of a velocity with respect to the terms of its sum: some hundred roundings.
const ROUNDING: f64 = 1e-13;

/// With a factored W, a contact whose normal row keeps less than this fraction of its squared norm is locked by the
/// bilateral rows. Rounding of Ĝ Z leaves 1e-30; a hinge behind a mass ratio of 1e9 still leaves 1e-18.
const LOCKED: f64 = 1e-22;

/// Largest number of solves of the reduced problem, each with a smaller tolerance, until the residual of the original
/// one is within its tolerance.
const REPEATS: usize = 4;

/// Bilateral rows that cannot be eliminated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BilateralError {
    /// Rows that no velocity satisfies together.
    #[error(
        "the contacts {contacts:?} demand velocities that exclude each other: with the others met, \
         contact {} is left with a velocity of {velocity:e}; \
         release one of them or make their given velocities agree",
        contacts[0]
    )]
    Contradiction {
        /// The contact that is left over, then those it depends on.
        contacts: Vec<usize>,
        /// Velocity that remains in one of its rows.
        velocity: f64,
    },
    /// The reduced problem is not well posed.
    #[error("without its bilateral rows the problem cannot be posed: {0}")]
    Reduced(#[from] ProblemError),
}

/// A problem without its bilateral rows, and the data to recover their impulses.
#[derive(Debug, Clone)]
pub struct ReducedProblem {
    problem: Problem,
    /// Contact of the original problem behind each one of the reduced problem.
    kept: Vec<usize>,
    recovery: Recovery,
}

#[derive(Debug, Clone)]
enum Recovery {
    Kinetic(Vec<component::Component>),
    Stored(Vec<stored::Component>),
}

/// Result of either form of elimination.
struct Reduction<C> {
    problem: Problem,
    kept: Vec<usize>,
    components: Vec<C>,
}

/// Eliminates the bilateral rows; `None` when there are none.
///
/// # Errors
/// Rows that contradict each other (closed loops or locked contacts with given velocities), and a reduced problem that
/// is not well posed.
pub fn eliminate(problem: &Problem) -> Result<Option<ReducedProblem>, BilateralError> {
    eliminate_within(problem, MISMATCH, &mut Memory::default())
}

/// Factorisations of the last problem that a solver keeps for the next one.
#[derive(Debug, Default)]
pub struct Memory(kinetic::Memory);

impl Memory {
    /// Keeps the factorisations of an elimination.
    fn keep(&mut self, eliminated: ReducedProblem) {
        if let Recovery::Kinetic(components) = eliminated.recovery {
            self.0.0 = components;
        }
    }
}

fn eliminate_within(
    problem: &Problem,
    mismatch: f64,
    memory: &mut Memory,
) -> Result<Option<ReducedProblem>, BilateralError> {
    if !problem.laws().contains(&Law::Bilateral) {
        return Ok(None);
    }
    Ok(Some(match problem.operator() {
        DelassusOperator::Factored(k) => {
            let reduction = kinetic::eliminate(problem, k, mismatch, &mut memory.0)?;
            ReducedProblem {
                problem: reduction.problem,
                kept: reduction.kept,
                recovery: Recovery::Kinetic(reduction.components),
            }
        }
        DelassusOperator::Stored { matrix, .. } => {
            let reduction = stored::eliminate(problem, matrix, mismatch)?;
            ReducedProblem {
                problem: reduction.problem,
                kept: reduction.kept,
                recovery: Recovery::Stored(reduction.components),
            }
        }
    }))
}

impl ReducedProblem {
    /// The reduced problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The contact of the original problem behind each contact of the reduced one. Contacts whose
    /// normal velocity the bilateral rows fix are in neither list: they carry no impulse.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The impulses of the reduced problem, taken from those of the original one.
    pub fn restrict(&self, original: &Problem, impulse: &[f64]) -> Vec<f64> {
        let rows = self.kept.iter().flat_map(|&a| original.rows(a));
        rows.map(|row| impulse[row]).collect()
    }

    /// All impulses of the original problem that belong to those of the reduced one.
    pub fn recover(&mut self, original: &Problem, reduced: &[f64], impulse: &mut [f64]) {
        impulse.fill(0.0);
        let rows = self.kept.iter().flat_map(|&a| original.rows(a));
        rows.zip(reduced).for_each(|(row, r)| impulse[row] = *r);
        match (&mut self.recovery, original.operator()) {
            (Recovery::Kinetic(components), DelassusOperator::Factored(k)) => {
                kinetic::recover(components, k, impulse);
            }
            (Recovery::Stored(components), DelassusOperator::Stored { matrix, free }) => {
                stored::recover(components, original, matrix, free, impulse);
            }
            _ => debug_assert!(false, "the elimination belongs to another problem"),
        }
    }
}

/// Solves `problem` by `solver` with its bilateral rows eliminated; without such rows this is `solver.solve`. The
/// direct factorisation counts as one iteration.
///
/// Contradictory rows give [`Outcome::Unsuitable`] with the impulses unchanged; [`eliminate`] names them. If the
/// reduced problem is not well posed, the solver gets the original one.
pub fn solve_with_elimination(
    solver: &mut dyn Solver,
    memory: &mut Memory,
    problem: &Problem,
    impulse: &mut [f64],
    goal: &Goal,
) -> Report {
    let mut eliminated = match eliminate_within(problem, MISMATCH.max(goal.tolerance), memory) {
        Ok(Some(eliminated)) => eliminated,
        Ok(None) | Err(BilateralError::Reduced(_)) => return solver.solve(problem, impulse, goal),
        Err(BilateralError::Contradiction { .. }) => {
            let mut best = BestIterate::new(problem, impulse, goal);
            return best.finish("direct", 0, Outcome::Unsuitable, impulse);
        }
    };
    // Stage "direct": the bilateral impulses of the warm start.
    let mut best = BestIterate::new(problem, impulse, goal);
    let mut reduced = eliminated.restrict(problem, impulse);
    eliminated.recover(problem, &reduced, impulse);
    let residual = best.offer(problem, impulse, 1);
    let mut path: Stages = smallvec![Stage {
        method: "direct",
        iterations: 1,
        residual,
    }];
    let (mut iterations, mut outcome, mut history) = (1, Outcome::Stalled, Vec::new());
    // Solve the reduced problem until the residual of the original one is within the tolerance.
    let mut inner = goal.clone();
    for round in 0..REPEATS {
        // The first round is run even where the warm start has a residual within the tolerance: next to the bilateral
        // impulses of a body of tiny inertia a violated contact law is lost in the residual.
        if eliminated.kept.is_empty() || round > 0 && best.reached() {
            break;
        }
        // Solve, and recover the bilateral impulses.
        inner.max_iterations = goal.max_iterations.map(|n| n.saturating_sub(iterations));
        let report = solver.solve(&eliminated.problem, &mut reduced, &inner);
        eliminated.recover(problem, &reduced, impulse);
        if round == 0 && report.reached() {
            // For the same reason the warm start does not replace a solution.
            best = BestIterate::reuse_unjudged(Some(best), problem, impulse, goal);
        }
        let residual = best.offer(problem, impulse, iterations + report.iterations);
        history.extend(report.history.iter().map(|(i, r)| (i + iterations, *r)));
        iterations += report.iterations;
        path.extend(report.path.iter().cloned());
        // The last stage is reported with the residual of the original problem.
        path.iter_mut()
            .last()
            .iter_mut()
            .for_each(|stage| stage.residual = residual);
        outcome = report.outcome;
        if !report.reached() {
            break;
        }
        // κ and the scale of the residual differ between the two problems: reduce the tolerance.
        outcome = Outcome::Stalled;
        inner.tolerance *= (0.3 * goal.tolerance / residual).min(0.1);
    }
    memory.keep(eliminated);
    let mut report = best.finish("direct", iterations, outcome, impulse);
    report.path = path;
    report.history.extend(history);
    report.history.sort_by_key(|(iteration, _)| *iteration);
    report
}

/// A solver behind [`solve_with_elimination`]: the same method, bilateral rows eliminated first.
pub struct WithElimination {
    solver: Box<dyn Solver>,
    memory: Memory,
}

impl WithElimination {
    /// The method behind the elimination.
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            memory: Memory::default(),
        }
    }
}

impl Solver for WithElimination {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        solve_with_elimination(
            self.solver.as_mut(),
            &mut self.memory,
            problem,
            impulse,
            goal,
        )
    }
}

/// The error for a contact whose normal row is locked at a penetrating velocity.
fn locked(contact: usize, joints: Vec<usize>, velocity: f64) -> BilateralError {
    let mut contacts = vec![contact];
    contacts.extend(joints);
    BilateralError::Contradiction { contacts, velocity }
}
