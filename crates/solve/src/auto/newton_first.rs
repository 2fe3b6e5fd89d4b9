//! Newton methods first, for problems of few bodies: they keep the symmetry of a problem, Gauss–Seidel sweeps do not.
//!
//! Let P be a symmetry of the problem, for example a reflection that permutes contacts: Ŵ P = P Ŵ, P q̂ = q̂, equal
//! laws. A Newton step from x commutes with P, whatever the order of contacts, up to rounding:
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F      ⇒      x = P x  stays so
//! ```
//!
//! A Gauss–Seidel sweep does not: it visits one of two mirrored contacts before the other. Where the solution is unique
//! that costs no more than the residual. With friction it need not be unique: ten cubes that rock about an edge, and
//! whose lowest one comes down flat, have beside the symmetric solution one in which one point of the edge slides and
//! the other sticks. Sweeps find that one, to a residual of 1e-15, and the stack leaves its plane by half a millimetre.
//!
//! The warm start, the impulses of the step before, is symmetric if that step was. Beyond some hundred contacts a
//! factorisation costs more than the sweeps it saves, and sweeps come first (module `auto`).

use percuss_contact::{DelassusOperator, Problem};

use crate::best_iterate::{BestIterate, accepted_fraction};
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::interior_point::PlanarInteriorPoint;
use crate::methods::proximal_newton::ProximalNewton;
use crate::methods::smoothing_newton::{SmoothingNewton, SmoothingNewtonParams};

/// Largest number of contacts.
pub(super) const FEW: usize = 200;

/// Smallest number of rows per coordinate of the touched bodies. A block on an edge has one, on a face two, colliding
/// spheres in flight far fewer: for them a few sweeps are cheaper than a factorisation.
const HELD: f64 = 0.9;

/// Tolerances above `FLOW` are for granular flows, where sweeps are cheaper unless all bodies are blocks that rest on
/// faces (`FACES` rows per coordinate).
const FLOW: f64 = 1e-5;
const FACES: f64 = 1.9;

/// Residual that few bodies are solved to where the methods get there: a stack at rest then stays where it is, and the
/// warm start of the next step is its solution.
pub(crate) const DEEPEST: f64 = 1e-13;

/// The Newton methods with the buffers they keep between solves.
#[derive(Debug, Default)]
pub(crate) struct NewtonFirst {
    proximal: ProximalNewton,
    plane: PlanarInteriorPoint,
    /// Evaluates the warm start.
    start: Option<BestIterate>,
    trial: Vec<f64>,
    /// By coordinate: whether a contact touches the group (body) that begins there.
    touched: Vec<bool>,
}

/// The methods in order, each from the warm start or from zero.
enum NewtonStage {
    Proximal,
    Interior,
    Smoothing,
    SmoothingFromZero,
}

impl NewtonFirst {
    /// Whether the problem has few contacts and enough rows on the bodies they touch.
    pub(crate) fn applies(&mut self, problem: &Problem, goal: &Goal) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        if problem.num_contacts() > FEW {
            return false;
        }
        // Mark the groups that contacts touch.
        self.touched.clear();
        self.touched.resize(kinetic.num_coordinates(), false);
        for a in 0..problem.num_contacts() {
            kinetic
                .first_coordinates(a)
                .for_each(|i| self.touched[i] = true);
        }
        // Coordinates of touched bodies only: a free body needs no solve.
        let groups = kinetic.group_offset().windows(2);
        let held = groups.filter(|g| g[0] < g[1] && self.touched[g[0]]);
        let coordinates: usize = held.map(|g| g[1] - g[0]).sum();
        let least = if goal.tolerance > FLOW { FACES } else { HELD };
        problem.num_rows() as f64 >= least * coordinates as f64
    }

    /// Solves to `target` times the tolerance as far as the methods get. Where a method does not converge, the next one
    /// starts from the warm start again.
    pub(crate) fn solve(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        target: f64,
    ) -> Report {
        self.proximal.params.target = target;
        self.plane.params.target = accepted_fraction(target);
        // The warm start itself may be a solution.
        let mut best = BestIterate::reuse(self.start.take(), problem, impulse, goal);
        let mut total = best.finish("start", 0, Outcome::Stalled, impulse);
        self.start = Some(best);
        let deep = accepted_fraction(target) * goal.tolerance;
        if total.residual <= deep {
            return total;
        }
        total.path.clear();
        // The methods in turn, each from the warm start.
        let start = impulse.to_vec();
        for stage in [
            NewtonStage::Proximal,
            NewtonStage::Interior,
            NewtonStage::Smoothing,
            NewtonStage::SmoothingFromZero,
        ] {
            self.trial.clone_from(&start);
            self.run(problem, impulse, goal, &stage, &mut total);
            if total.residual <= goal.tolerance {
                // Within the tolerance, but not at the target: refine by proximal Newton from the best iterate.
                if total.residual > deep && !matches!(stage, NewtonStage::Proximal) {
                    self.trial.clear();
                    self.trial.extend_from_slice(impulse);
                    self.run(problem, impulse, goal, &NewtonStage::Proximal, &mut total);
                }
                total.outcome = Outcome::Reached;
                break;
            }
        }
        total
    }

    /// Runs one method from `trial`, if iterations remain.
    fn run(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        stage: &NewtonStage,
        total: &mut Report,
    ) {
        let left = goal.left_after(total.iterations);
        if left.max_iterations == Some(0) {
            return;
        }
        let trial = &mut self.trial;
        let report = match stage {
            NewtonStage::Proximal => self.proximal.solve(problem, trial, &left),
            NewtonStage::Interior => self.plane.solve(problem, trial, &left),
            NewtonStage::Smoothing => SmoothingNewton::new(SmoothingNewtonParams::close_tracking())
                .solve(problem, trial, &left),
            NewtonStage::SmoothingFromZero => {
                trial.fill(0.0);
                SmoothingNewton::new(SmoothingNewtonParams::monotone()).solve(problem, trial, &left)
            }
        };
        total.append(report, impulse, trial);
    }
}
