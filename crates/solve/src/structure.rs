//! Few bodies, by methods of Newton's kind alone: what is symmetric is answered symmetrically.
//!
//! Let P be a symmetry of the problem, as a reflection that exchanges contacts: Ŵ P = P Ŵ, P q̂ = q̂, laws alike. A
//! step of Newton's kind from x commutes with P, whatever the order of contacts, but for rounding:
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F      ⇒      x = P x  stays so
//! ```
//!
//! A sweep does not: it visits one of two mirrored contacts before the other. Where the answer is unique that costs no
//! more than the residual. With friction it need not be unique: ten cubes that rock about an edge, and whose lowest one
//! comes down flat, have beside the symmetric answer one in which a point of the edge slides and the other sticks. Sweeps
//! find that one, to a residual of 1e-15, and the stack leaves its plane by half a millimetre.
//!
//! The start, the impulses of the step before, is symmetric if that step was. Beyond some hundred contacts
//! factorisations cost more than sweeps, and sweeps come first (module `auto`).

use contact::{DelassusOperator, Problem};

use crate::goal::{BestIterate, Goal, Outcome, Report, Solver, accepted_fraction};
use crate::interior::PlanarInteriorPoint;
use crate::proximal::ProximalNewton;
use crate::smoothing::{SmoothingNewton, SmoothingNewtonParams};

/// Contacts at most.
const FEW: usize = 200;

/// Rows for each coordinate at least. A block on an edge has one, on a face two, balls in flight that meet none to
/// speak of: for them a few sweeps are cheaper than a factorisation.
const HELD: f64 = 0.9;

/// Tolerances above this are for flows, where sweeps are cheaper unless all bodies are blocks that rest on faces.
const FLOW: f64 = 1e-5;
const FACES: f64 = 1.9;

/// What few bodies are solved to where the methods get there: a stack at rest then stays where it is, and the next
/// step begins with the solution.
pub(crate) const DEEPEST: f64 = 1e-13;

/// The methods and what they keep.
#[derive(Debug, Default)]
pub(crate) struct NewtonFirst {
    proximal: ProximalNewton,
    plane: PlanarInteriorPoint,
    /// The judged start.
    start: Option<BestIterate>,
    trial: Vec<f64>,
    /// Whether a contact touches the group that begins with this coordinate.
    touched: Vec<bool>,
}

/// A method that starts where the step did, or cold.
enum NewtonStage {
    Proximal,
    Interior,
    Smoothing,
    SmoothingFromZero,
}

impl NewtonFirst {
    /// Whether few bodies rest on each other. Bodies that touch nothing do not count.
    pub(crate) fn applies(&mut self, problem: &Problem, goal: &Goal) -> bool {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return false;
        };
        if problem.num_contacts() > FEW {
            return false;
        }
        self.touched.clear();
        self.touched.resize(kinetic.num_coordinates(), false);
        for a in 0..problem.num_contacts() {
            kinetic.first_coordinates(a).for_each(|i| self.touched[i] = true);
        }
        let groups = kinetic.group_offset().windows(2);
        let held = groups.filter(|g| g[0] < g[1] && self.touched[g[0]]);
        let coordinates: usize = held.map(|g| g[1] - g[0]).sum();
        let least = if goal.tolerance > FLOW { FACES } else { HELD };
        problem.num_rows() as f64 >= least * coordinates as f64
    }

    /// Solves to `wish` times the tolerance as far as the methods get. A method that finds no answer leaves the next one
    /// to start where the step did.
    pub(crate) fn solve(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        (goal, wish): (&Goal, f64),
    ) -> Report {
        self.proximal.params.target = wish;
        self.plane.params.target = accepted_fraction(wish);
        let mut best = BestIterate::reuse(self.start.take(), problem, impulse, goal);
        let mut total = best.finish("start", 0, Outcome::Stalled, impulse);
        self.start = Some(best);
        let deep = accepted_fraction(wish) * goal.tolerance;
        if total.residual <= deep {
            return total;
        }
        total.path.clear();
        let start = impulse.to_vec();
        for stage in [
            NewtonStage::Proximal,
            NewtonStage::Interior,
            NewtonStage::Smoothing,
            NewtonStage::SmoothingFromZero,
        ] {
            self.trial.clone_from(&start);
            self.run(problem, impulse, goal, (&stage, &mut total));
            if total.residual <= goal.tolerance {
                if total.residual > deep && !matches!(stage, NewtonStage::Proximal) {
                    self.trial.clear();
                    self.trial.extend_from_slice(impulse);
                    self.run(problem, impulse, goal, (&NewtonStage::Proximal, &mut total));
                }
                total.outcome = Outcome::Reached;
                break;
            }
        }
        total
    }

    /// One method from the trial, if there are iterations left for it.
    fn run(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        (stage, total): (&NewtonStage, &mut Report),
    ) {
        let left = goal.left_after(total.iterations);
        if left.max_iterations == Some(0) {
            return;
        }
        let trial = &mut self.trial;
        let report = match stage {
            NewtonStage::Proximal => self.proximal.solve(problem, trial, &left),
            NewtonStage::Interior => self.plane.solve(problem, trial, &left),
            NewtonStage::Smoothing => {
                SmoothingNewton::new(SmoothingNewtonParams::close_tracking()).solve(problem, trial, &left)
            }
            NewtonStage::SmoothingFromZero => {
                trial.fill(0.0);
                SmoothingNewton::new(SmoothingNewtonParams::monotone()).solve(problem, trial, &left)
            }
        };
        total.append(report, impulse, trial);
    }
}
