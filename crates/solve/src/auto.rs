//! Automatic solver (`auto`, the default): a cascade of methods from cheap to robust.
//!
//! A method is left when it stops converging; the best evaluated iterate is returned, and the report lists the stages
//! that were run.
//!
//! ```text
//! bilateral rows eliminated
//!   → Newton methods alone           few bodies that rest on each other, large mechanisms with contacts (`NewtonFirst`)
//!   → NNCG sweeps                    most dynamics ends here (Anderson acceleration in structures of blocks)
//!   → each island by itself          in space: connected components of the contact graph not solved yet (`ByIslands`)
//!   → proximal Newton                structures of blocks, where the sweeps have nearly converged
//!   → planar interior point          structures of blocks in the plane; proximal Newton refines
//!   → a few Newton steps             what is no structure of blocks, in space, from four starting points (`Refinement`)
//!   → smoothing Newton, adaptive     stacks, structures, packings to 1e-8 and below; follows the path closely
//!                                    in hyperstatic problems
//!   → semismooth Newton              refines the smoothed solution, and treats the laws without smoothing
//!   → smoothing Newton from zero     regular piles, where the sweeps led to a bad starting point
//!   → smoothing Newton, medium       from where the first sweeps ended
//!   → proximal Newton                where the methods before have nearly converged
//!   → interior point                 block structures, any mass ratio
//!   → smoothing Newton, fixed ε rate depends less on the start; then semismooth Newton again
//!   → ADMM, guarded NNCG             slow, but of a different kind
//!   → restarts                       smoothing Newton from other ε; sweeps from zero, then semismooth Newton
//! ```
//!
//! Structures of blocks in the plane are solved beyond the tolerance where sweeps and these methods get there, because
//! a step that is solved accurately gives the next one a good warm start; the tolerance alone decides whether a step
//! is solved.
//!
//! A method that has not halved the residual within its patience is left. In space the patience of the first sweeps is what a
//! few Newton steps cost, counted in sweeps by the symbolic factorisation (`newton_cost`): heaps of some hundred boxes leave
//! the sweeps early, dense packings late. In the plane islands, this patience and the Newton steps are not used: with them a
//! vibrated bed between walls moved as one block, without sliding (decision 56). Factorising methods are not used above `direct_limit` contacts,
//! where their factors would not fit into memory. In a periodic cell that deforms with all contacts W is dense, and
//! only those that work in the velocities of bodies are used.

use percuss_contact::law::Law;
use percuss_contact::{Problem, ResidualEvaluator, ResidualMeasure};

use crate::best_iterate::accepted_fraction;
use crate::elimination;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::infeasibility::{FEASIBLE_RESIDUAL, find_infeasibility};
use crate::methods::anderson::Anderson;
use crate::methods::interior_point::PlanarInteriorPoint;
use crate::methods::newton_system::velocity_system::factorable;
use crate::methods::nncg::Nncg;
use crate::methods::proximal_newton::ProximalNewton;
use crate::start::{ShockPropagation, restart};

mod fallback;
mod islands;
mod limits;
mod newton_cost;
mod newton_first;
mod refinement;

use islands::ByIslands;
use limits::{all_sweeps, first_sweeps, is_hyperstatic, is_planar, target};
use newton_cost::newton_step_in_sweeps;
use newton_first::NewtonFirst;
use refinement::Refinement;

/// Limits by which the automatic solver switches between methods.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoParams {
    /// Sweeps before a factorising method is tried.
    pub first_sweeps: usize,
    /// The first sweeps end early when the residual has not halved within this many.
    pub first_patience: usize,
    /// Iterations without progress of the first semismooth Newton run after the smoothed solution.
    pub polish_patience: usize,
    /// Factorising methods are used up to this many contacts.
    pub direct_limit: usize,
}

impl Default for AutoParams {
    fn default() -> Self {
        Self {
            first_sweeps: 300,
            first_patience: 100,
            polish_patience: 20,
            direct_limit: 50_000,
        }
    }
}

/// The automatic solver; see the module.
#[derive(Debug, Default)]
pub struct Auto {
    /// Limits for switching between methods.
    pub params: AutoParams,
    cascade: ByIslands,
    elimination: elimination::Memory,
}

impl Auto {
    /// A solver with the given parameters.
    pub fn new(params: AutoParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        self.cascade.params = self.params.clone();
        let mut report = elimination::solve_with_elimination(
            &mut self.cascade,
            &mut self.elimination,
            problem,
            impulse,
            goal,
        );
        // A large velocity residual may mean that the constraints contradict each other: look for a certificate.
        let defect = match goal.measure {
            ResidualMeasure::Velocity => report.residual,
            _ => ResidualEvaluator::new(problem).residual(
                problem,
                impulse,
                ResidualMeasure::Velocity,
            ),
        };
        if !(defect <= FEASIBLE_RESIDUAL) {
            report.infeasibility = find_infeasibility(problem).map(Box::new);
            // Contradictory bilateral rows were already reported by the elimination.
            if report.infeasibility.is_some() && report.outcome != Outcome::Unsuitable {
                report.outcome = Outcome::Infeasible;
            }
        }
        report
    }
}

/// The cascade of methods, on a problem without bilateral rows.
#[derive(Debug, Default)]
struct Cascade {
    params: AutoParams,
    nncg: Nncg,
    anderson: Anderson,
    proximal: ProximalNewton,
    plane: PlanarInteriorPoint,
    shock_propagation: ShockPropagation,
    evaluator: Option<ResidualEvaluator>,
    newton_first: NewtonFirst,
    refinement: Refinement,
    /// The impulses of the step before.
    warm: Vec<f64>,
}

/// What the sizes of a problem say: which methods may be used, and how far below the tolerance they should go.
#[derive(Debug, Clone, Copy)]
struct Classification {
    /// Whether Newton systems can be factorised.
    direct: bool,
    hyperstatic: bool,
    /// Rows of large jointed components are still there: sweeps carry impulses over one joint at a time.
    jointed: bool,
    /// Few contacts with enough rows on their bodies.
    small: bool,
    block_structure: bool,
    /// Fraction of the tolerance to aim at.
    target: f64,
}

impl Solver for Cascade {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        self.warm.clear();
        self.warm.extend_from_slice(impulse);
        let class = self.classify(problem, goal);
        let Classification {
            direct,
            hyperstatic,
            jointed,
            small,
            block_structure,
            target,
        } = class;
        let planar = is_planar(problem);
        self.guess(problem, impulse, goal, &class);
        // Limits of the first sweeps.
        let (sweeps, patience) = self.first(block_structure, target < 1.0);
        self.nncg.params = match direct {
            true => first_sweeps(problem, sweeps, patience),
            false => all_sweeps(self.params.first_patience),
        };
        let first_goal = match direct {
            true => goal.at_most(sweeps),
            false => goal.clone(),
        };
        self.set_target(target);
        // Few bodies: Newton methods first, and sweeps only where these do not converge.
        let newton = (jointed || target < 1.0 && small)
            .then(|| self.newton_first.solve(problem, impulse, goal, target));
        let mut total = match newton {
            Some(report) if report.reached() => return report,
            Some(mut report) => {
                let mut swept = impulse.to_vec();
                let rest = first_goal.left_after(report.iterations);
                let sweeps = self.sweep(problem, &mut swept, &rest, true);
                report.append(sweeps, impulse, &swept);
                report
            }
            None if hyperstatic || block_structure || !direct || planar => self.sweep(
                problem,
                impulse,
                &first_goal,
                hyperstatic || block_structure,
            ),
            None => self.sweep_while_cheaper(problem, impulse, &first_goal),
        };
        // Converged, or too large to factorise.
        if total.residual <= accepted_fraction(target) * goal.tolerance || !direct {
            return total;
        }
        // Structures of blocks: proximal Newton and the planar interior point method. Others in space: a few Newton steps.
        let (first, mut trial) = (impulse.to_vec(), impulse.to_vec());
        if block_structure {
            self.solve_block_structure(problem, goal, target, impulse, &mut trial, &mut total);
        } else if !jointed && !planar {
            self.refinement
                .run(problem, goal, &self.warm, impulse, &mut trial, &mut total);
        }
        // The remaining methods in order, each from its own starting point.
        self.run_fallbacks(problem, goal, &first, impulse, &mut trial, &mut total);
        // Last resort: other starting points.
        restart(problem, goal, impulse, &mut trial, &mut total);
        total
    }
}

impl Cascade {
    /// Limits of the first sweeps: their number, and sweeps without progress.
    fn first(&self, block_structure: bool, flat: bool) -> (usize, usize) {
        let (sweeps, patience) = match (block_structure, flat) {
            (_, true) => FLAT,
            (true, _) => BLOCK_STRUCTURE_LIMITS,
            _ => (usize::MAX, usize::MAX),
        };
        let p = &self.params;
        (p.first_sweeps.min(sweeps), p.first_patience.min(patience))
    }

    /// Sets the fraction of the tolerance that the methods for structures aim at.
    fn set_target(&mut self, target: f64) {
        self.anderson.params.target = target;
        self.proximal.params.target = target;
        self.plane.params.target = accepted_fraction(target);
    }

    /// What the sizes of the problem say.
    fn classify(&mut self, problem: &Problem, goal: &Goal) -> Classification {
        let direct = problem.num_contacts() <= self.params.direct_limit && factorable(problem);
        let hyperstatic = is_hyperstatic(problem);
        let jointed = direct && problem.laws().contains(&Law::Bilateral);
        let small = self.newton_first.applies(problem, goal);
        let block_structure = direct && (hyperstatic || small);
        Classification {
            direct,
            hyperstatic,
            jointed,
            small,
            block_structure,
            target: target(problem, goal, direct && small, block_structure),
        }
    }

    /// The first sweeps over all contacts of a problem of several islands, few enough that those that need no more pay for
    /// them; with the residual that an island may be left with. No sweeps where rows of joints would stop them.
    fn opening_sweeps(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
    ) -> (Report, f64) {
        let class = self.classify(problem, goal);
        let bound = accepted_fraction(class.target) * goal.tolerance;
        self.guess(problem, impulse, goal, &class);
        self.set_target(class.target);
        let most = if class.jointed { 0 } else { OPENING };
        self.nncg.params = first_sweeps(problem, most, OPENING_PATIENCE);
        let blocks = class.hyperstatic || class.block_structure;
        let report = self.sweep(problem, impulse, &goal.at_most(most), blocks);
        (report, bound)
    }

    /// Sweeps as long as they cost less than Newton steps: some in any case, then as many without progress as a few
    /// Newton steps take.
    fn sweep_while_cheaper(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
    ) -> Report {
        let most = PATIENCE_IN_SPACE * self.params.first_patience;
        self.nncg.params.patience = most.min(OPENING_PATIENCE);
        let opening = goal.at_most(OPENING);
        let mut total = self.sweep(problem, impulse, &opening, false);
        let left = goal.left_after(total.iterations);
        if total.reached() || left.max_iterations == Some(0) {
            return total;
        }
        // `None`: a stored matrix, whose factorisation is not estimated.
        let worth = newton_step_in_sweeps(problem).map_or(self.params.first_patience, |sweeps| {
            ((NEWTON_STEPS * sweeps) as usize).min(most)
        });
        if worth <= OPENING_PATIENCE && total.outcome == Outcome::Stalled {
            return total;
        }
        self.nncg.params.patience = worth.max(OPENING_PATIENCE);
        let mut trial = impulse.to_vec();
        let rest = self.sweep(problem, &mut trial, &left, false);
        total.append(rest, impulse, &trial);
        total
    }

    /// Starting impulses of a step without warm start: shock propagation, where that is worth its time.
    fn guess(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        class: &Classification,
    ) {
        if class.hyperstatic || class.jointed || !(goal.tolerance >= GUESSED) {
            return;
        }
        let guessed = self.guess_by_shock_propagation(problem, impulse);
        // The estimate comes from sweeps, which break symmetry: few bodies start from zero unless it is a solution.
        let share = accepted_fraction(class.target);
        if guessed && class.small && !self.solved(problem, impulse, goal, share) {
            impulse.fill(0.0);
        }
    }

    /// Shock propagation for a step without warm start, if its residual is smaller than that of zero impulses. Not for
    /// walls: among their many self-stresses it finds an extreme one, from which sweeps take
    /// longer. Not at very small tolerances: the methods after the sweeps then go far beyond the tolerance, which light
    /// bodies under heavy ones need.
    fn guess_by_shock_propagation(&mut self, problem: &Problem, impulse: &mut [f64]) -> bool {
        if !self.shock_propagation.guess(problem, impulse) {
            return false;
        }
        // R2 of the estimate against R2 of zero impulses.
        let evaluator = self
            .evaluator
            .get_or_insert_with(|| ResidualEvaluator::new(problem));
        evaluator.resize_for(problem);
        let guessed = evaluator.residual(problem, impulse, ResidualMeasure::Dimensionless);
        let nothing = vec![0.0; impulse.len()];
        let better =
            guessed < evaluator.residual(problem, &nothing, ResidualMeasure::Dimensionless);
        if !better {
            impulse.fill(0.0);
        }
        better
    }

    /// Whether impulses are within a fraction `share` of the tolerance.
    fn solved(&mut self, problem: &Problem, impulse: &[f64], goal: &Goal, share: f64) -> bool {
        let evaluator = self
            .evaluator
            .get_or_insert_with(|| ResidualEvaluator::new(problem));
        evaluator.resize_for(problem);
        evaluator.residual(problem, impulse, goal.measure) <= share * goal.tolerance
    }

    /// The first sweeps: Anderson acceleration for structures of blocks, conjugate gradients (NNCG) otherwise.
    fn sweep(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        blocks: bool,
    ) -> Report {
        if blocks && problem.num_contacts() <= MIXED {
            // Anderson acceleration with the limits of the NNCG sweeps; it needs the SIMD sweeper.
            self.anderson.params.max_sweeps = self.nncg.params.max_sweeps;
            self.anderson.params.patience = self.nncg.params.patience;
            let report = self.anderson.solve(problem, impulse, goal);
            if report.outcome != Outcome::Unsuitable {
                return report;
            }
        }
        self.nncg.solve(problem, impulse, goal)
    }

    /// The methods that structures of blocks need most often: a few proximal Newton steps where the sweeps have nearly
    /// converged, the interior point method in the plane where they have not, and proximal Newton again to refine.
    fn solve_block_structure(
        &mut self,
        problem: &Problem,
        goal: &Goal,
        target: f64,
        impulse: &mut [f64],
        trial: &mut [f64],
        total: &mut Report,
    ) {
        let near = total.residual <= NEAR * goal.tolerance;
        // (proximal Newton or interior point, whether it is worth a run now)
        for (newton, wanted) in [(true, near), (false, true), (true, true)] {
            let method: &mut dyn Solver = if newton {
                &mut self.proximal
            } else {
                &mut self.plane
            };
            // Not wanted, converged, or no iterations left.
            let inner = goal.left_after(total.iterations);
            let done = total.residual <= accepted_fraction(target) * goal.tolerance;
            if !wanted || done || inner.max_iterations == Some(0) {
                continue;
            }
            // Run it from the best iterate.
            trial.copy_from_slice(impulse);
            let report = method.solve(problem, trial, &inner);
            if report.outcome == Outcome::Unsuitable {
                break;
            }
            total.append(report, impulse, trial);
        }
        if total.residual <= goal.tolerance {
            total.outcome = Outcome::Reached;
        }
    }
}

/// Smallest tolerance for which shock propagation is worth its time.
const GUESSED: f64 = 1e-8;

/// Limits of the first sweeps (number, sweeps without progress) in structures of blocks: a solution by a Newton or
/// interior point method costs about as much there, and the following steps start better from it than from
/// the impulses that sweeps converge to. `FLAT`: in the plane a factorisation costs some twenty sweeps.
const BLOCK_STRUCTURE_LIMITS: (usize, usize) = (300, 150);
const FLAT: (usize, usize) = (60, 60);

/// Sweeps before the cost of a Newton step is looked at, and how many of them without progress end them early.
const OPENING: usize = 200;
const OPENING_PATIENCE: usize = 60;

/// Multiple of the first patience that sweeps in space may take.
const PATIENCE_IN_SPACE: usize = 2;

/// Newton steps that the sweeps without progress may cost: what the refinement usually takes.
const NEWTON_STEPS: f64 = 6.0;

/// Multiple of the tolerance within which the sweeps have found the status of most contacts.
const NEAR: f64 = 20.0;

/// Largest number of contacts for Anderson acceleration: its history doubles the memory that a sweep reads.
const MIXED: usize = 20_000;
