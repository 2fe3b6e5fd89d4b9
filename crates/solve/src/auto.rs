//! The default: starts cheap, hands over when a method stops paying, returns the best judged
//! iterate and says which way it went.
//!
//! ```text
//! bilateral rows eliminated
//!   → Newton's methods alone         few bodies that rest on each other (`structure`)
//!   → NNCG sweeps                    most dynamics ends here (mixed ones in structures of blocks)
//!   → proximal Newton                structures of blocks, where the sweeps have nearly arrived
//!   → interior point of the plane    structures of blocks in the plane; proximal Newton polishes
//!   → smoothing Newton, adaptive     stacks, structures, packings to 1e-8 and below; tracks closely
//!                                    where a body has many contacts
//!   → semismooth Newton              polishes, and treats the laws without smoothing
//!   → smoothing Newton from zero     regular piles, where the sweeps led astray
//!   → smoothing Newton, steadier     from where the sweeps ended
//!   → proximal Newton                where the methods before have nearly arrived
//!   → interior point                 block structures, any mass ratio
//!   → smoothing Newton, fixed        depends less on the start; then semismooth Newton again
//!   → ADMM, guarded NNCG             slow but different
//!   → smoothing Newton from other ε, sweeps from zero, semismooth Newton from where these end
//! ```
//!
//! Structures of blocks in the plane are solved beyond the tolerance where sweeps and these methods get there,
//! because steps that are solved well are followed by easy ones; the tolerance alone decides what is an answer.
//!
//! A method that has stopped halving the residual within its patience is left. The patience with the
//! first sweeps weighs what a factorisation costs in sweeps, which follows from the sizes alone: walls
//! of some hundred blocks are handed over early, large packings late. Factorising methods are not
//! tried above `direct_limit` contacts, where their factors would not fit. Where a periodic cell moves with all contacts
//! only those that work in the velocities of bodies are: W is full there.

use contact::{ResidualEvaluator, ResidualMeasure, DelassusOperator, Problem};

use crate::admm::Admm;
use crate::anderson::Anderson;
use crate::bilateral;
use crate::cold::ShockPropagation;
use crate::goal::{Goal, Outcome, Report, Solver, accepted_fraction};
use crate::infeasible::find_infeasibility;
use crate::interior::{InteriorPoint, PlanarInteriorPoint};
use crate::newton::{SemismoothNewton, SemismoothNewtonParams};
use crate::nncg::{Nncg, NncgParams, Sweeps};
use crate::plane;
use crate::primal::factorable;
use crate::proximal::ProximalNewton;
use crate::restart::restart;
use crate::smoothing::{SmoothingNewton, SmoothingNewtonParams};
use crate::structure::{DEEPEST, NewtonFirst};

/// How the automatic solver chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoParams {
    /// Sweeps before a factorising method is tried.
    pub first_sweeps: usize,
    /// The first sweeps end early when the residual has not halved within this many.
    pub first_patience: usize,
    /// Iterations without progress that a first Newton polish of the smoothed solution may take.
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

/// The automatic solver.
#[derive(Debug, Default)]
pub struct Auto {
    /// How it chooses.
    pub params: AutoParams,
    cascade: Cascade,
}

impl Auto {
    /// With the given parameters.
    pub fn new(params: AutoParams) -> Self {
        Self {
            params,
            cascade: Cascade::default(),
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        self.cascade.params = self.params.clone();
        let mut report = bilateral::solve_with_elimination(&mut self.cascade, problem, impulse, goal);
        // A residual that stays large may have its reason in the demands themselves.
        let defect = match goal.measure {
            ResidualMeasure::Velocity => report.residual,
            _ => ResidualEvaluator::new(problem).residual(problem, impulse, ResidualMeasure::Velocity),
        };
        if !(defect <= FEASIBLE_RESIDUAL) {
            report.infeasibility = find_infeasibility(problem).map(Box::new);
            // Bilateral rows that contradict each other are named by `bilateral`.
            if report.infeasibility.is_some() && report.outcome != Outcome::Unsuitable {
                report.outcome = Outcome::Infeasible;
            }
        }
        report
    }
}

/// Residuals up to this are those of steps that have a solution: contacts that exclude each other leave a defect of
/// the size of the speed at which they close in on each other.
pub(crate) const FEASIBLE_RESIDUAL: f64 = 1e-3;

/// The chain of methods, on a problem without bilateral rows.
#[derive(Debug, Default)]
struct Cascade {
    params: AutoParams,
    nncg: Nncg,
    anderson: Anderson,
    proximal: ProximalNewton,
    plane: PlanarInteriorPoint,
    shock_propagation: ShockPropagation,
    judge: Option<ResidualEvaluator>,
    newton_first: NewtonFirst,
}

impl Solver for Cascade {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let direct = problem.num_contacts() <= self.params.direct_limit && factorable(problem);
        let hyperstatic = is_hyperstatic(problem);
        let small = self.newton_first.applies(problem, goal);
        let block_structure = direct && (hyperstatic || small);
        let wish = target(problem, goal, direct && small, block_structure);
        if !hyperstatic && goal.tolerance >= GUESSED {
            let guessed = self.guess(problem, impulse);
            // A guess sweeps: where it is not the solution few bodies begin cold, which is symmetric.
            if guessed && small && !self.solved(problem, impulse, goal, accepted_fraction(wish)) {
                impulse.fill(0.0);
            }
        }
        let (sweeps, patience) = self.first(block_structure, wish < 1.0);
        self.nncg.params = match direct {
            true => first_sweeps(problem, sweeps, patience),
            false => all_sweeps(self.params.first_patience),
        };
        let first_goal = match direct {
            true => goal.at_most(sweeps),
            false => goal.clone(),
        };
        self.set_target(wish);
        // Few bodies: Newton's methods first, and sweeps where these find no answer.
        let newton =
            (wish < 1.0 && small).then(|| self.newton_first.solve(problem, impulse, (goal, wish)));
        let mut total = match newton {
            Some(report) if report.reached() => return report,
            Some(mut report) => {
                let mut swept = impulse.to_vec();
                let rest = first_goal.left_after(report.iterations);
                let sweeps = self.sweep(problem, &mut swept, &rest, true);
                report.append(sweeps, impulse, &swept);
                report
            }
            None => self.sweep(problem, impulse, &first_goal, hyperstatic || block_structure),
        };
        if total.residual <= accepted_fraction(wish) * goal.tolerance || !direct {
            return total;
        }
        let (first, mut trial) = (impulse.to_vec(), impulse.to_vec());
        if block_structure {
            self.solve_block_structure((problem, goal, wish), impulse, &mut trial, &mut total);
        }
        for (mut method, from) in self.fallback_methods(problem) {
            let inner = goal.left_after(total.iterations);
            if inner.max_iterations == Some(0) || total.reached() {
                break;
            }
            match from {
                StartPoint::Best => trial.copy_from_slice(impulse),
                StartPoint::AfterFirstSweeps => trial.copy_from_slice(&first),
                StartPoint::Zero => trial.fill(0.0),
            }
            let report = method.solve(problem, &mut trial, &inner);
            total.append(report, impulse, &trial);
        }
        restart(problem, goal, impulse, &mut trial, &mut total);
        total
    }
}

/// Where a method of the chain starts.
enum StartPoint {
    /// At the best iterate so far.
    Best,
    /// Where the first sweeps ended.
    AfterFirstSweeps,
    /// Cold.
    Zero,
}

impl Cascade {
    /// Sweeps that come first, and sweeps without progress, at most.
    fn first(&self, steady: bool, flat: bool) -> (usize, usize) {
        let (sweeps, patience) = match (steady, flat) {
            (_, true) => FLAT,
            (true, _) => BLOCK_STRUCTURE_LIMITS,
            _ => (usize::MAX, usize::MAX),
        };
        let p = &self.params;
        (p.first_sweeps.min(sweeps), p.first_patience.min(patience))
    }

    /// The share of the tolerance that the methods for structures aim at.
    fn set_target(&mut self, wish: f64) {
        self.anderson.params.target = wish;
        self.proximal.params.target = wish;
        self.plane.params.target = accepted_fraction(wish);
    }

    /// Without memory: a guess, if it is better than nothing. Not for walls: of their many self-stresses it is
    /// an extreme one, from which sweeps take longer. Nor where more than it can give is asked for: the
    /// methods after the sweeps then go far beyond the tolerance, which light bodies under heavy ones need.
    fn guess(&mut self, problem: &Problem, impulse: &mut [f64]) -> bool {
        if !self.shock_propagation.guess(problem, impulse) {
            return false;
        }
        let judge = self.judge.get_or_insert_with(|| ResidualEvaluator::new(problem));
        judge.resize_for(problem);
        let guessed = judge.residual(problem, impulse, ResidualMeasure::Dimensionless);
        let nothing = vec![0.0; impulse.len()];
        let better = guessed < judge.residual(problem, &nothing, ResidualMeasure::Dimensionless);
        if !better {
            impulse.fill(0.0);
        }
        better
    }

    /// Whether impulses are within a share of the tolerance.
    fn solved(&mut self, problem: &Problem, impulse: &[f64], goal: &Goal, share: f64) -> bool {
        let judge = self.judge.get_or_insert_with(|| ResidualEvaluator::new(problem));
        judge.resize_for(problem);
        judge.residual(problem, impulse, goal.measure) <= share * goal.tolerance
    }

    /// The sweeps that come first: mixed ones for structures of blocks, conjugate ones otherwise.
    fn sweep(
        &mut self,
        problem: &Problem,
        impulse: &mut [f64],
        goal: &Goal,
        blocks: bool,
    ) -> Report {
        if blocks && problem.num_contacts() <= MIXED {
            self.anderson.params.max_sweeps = self.nncg.params.max_sweeps;
            self.anderson.params.patience = self.nncg.params.patience;
            let report = self.anderson.solve(problem, impulse, goal);
            if report.outcome != Outcome::Unsuitable {
                return report;
            }
        }
        self.nncg.solve(problem, impulse, goal)
    }

    /// What structures of blocks need most often: a few steps of Newton's method where the sweeps have
    /// nearly arrived, and in the plane the interior point method where they have not, or both.
    fn solve_block_structure(
        &mut self,
        (problem, goal, wish): (&Problem, &Goal, f64),
        impulse: &mut [f64],
        trial: &mut [f64],
        total: &mut Report,
    ) {
        let near = total.residual <= NEAR * goal.tolerance;
        for (newton, wanted) in [(true, near), (false, true), (true, true)] {
            let method: &mut dyn Solver = if newton {
                &mut self.proximal
            } else {
                &mut self.plane
            };
            let inner = goal.left_after(total.iterations);
            let done = total.residual <= accepted_fraction(wish) * goal.tolerance;
            if !wanted || done || inner.max_iterations == Some(0) {
                continue;
            }
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

    /// The factorising methods in order, and what is left after them.
    fn fallback_methods(&self, problem: &Problem) -> Vec<(Box<dyn Solver>, StartPoint)> {
        let polish = SemismoothNewtonParams {
            patience: self.params.polish_patience,
            ..SemismoothNewtonParams::default()
        };
        let fixed = |reduce| Box::new(SmoothingNewton::new(SmoothingNewtonParams::fixed(reduce)));
        let adaptive = |params| Box::new(SmoothingNewton::new(params));
        let mut list: Vec<(Box<dyn Solver>, StartPoint)> = if is_hyperstatic(problem) {
            vec![
                (adaptive(SmoothingNewtonParams::close_tracking()), StartPoint::Best),
                (adaptive(SmoothingNewtonParams::medium_tracking()), StartPoint::AfterFirstSweeps),
                (adaptive(SmoothingNewtonParams::monotone()), StartPoint::Zero),
                (Box::new(SemismoothNewton::new(polish)), StartPoint::Best),
            ]
        } else {
            vec![
                (adaptive(SmoothingNewtonParams::default()), StartPoint::Best),
                (Box::new(SemismoothNewton::new(polish)), StartPoint::Best),
                (adaptive(SmoothingNewtonParams::monotone()), StartPoint::Zero),
                (adaptive(SmoothingNewtonParams::medium_tracking()), StartPoint::AfterFirstSweeps),
            ]
        };
        let rest: [(Box<dyn Solver>, StartPoint); 8] = [
            // Where the last contacts change their status to and fro its proximal term holds them.
            (Box::new(ProximalNewton::default()), StartPoint::Best),
            (Box::new(InteriorPoint::default()), StartPoint::Best),
            (fixed(0.95), StartPoint::AfterFirstSweeps),
            (Box::new(SemismoothNewton::default()), StartPoint::Best),
            (fixed(0.975), StartPoint::AfterFirstSweeps),
            (Box::new(SemismoothNewton::default()), StartPoint::Best),
            (Box::new(Admm::default()), StartPoint::Best),
            (Box::new(Nncg::default()), StartPoint::Best),
        ];
        list.extend(rest);
        list
    }
}

/// The tolerance down to which a guess is worth its time.
const GUESSED: f64 = 1e-8;

/// Sweeps, and sweeps without progress, in structures of blocks at most: a solution by Newton's or the interior
/// point method costs there about as much, and the steps that follow start better from it than from
/// where sweeps come to in the end. In the plane a factorisation is worth some twenty sweeps.
const BLOCK_STRUCTURE_LIMITS: (usize, usize) = (300, 150);
const FLAT: (usize, usize) = (60, 60);

/// What structures of blocks in the plane are solved to where the methods for them get there. What a looser
/// residual leaves of the normal velocities opens joints by nanometres; a block that rested on four points
/// then rests on three, and every later step is a hard one (decision 37).
const DEEP: f64 = 1e-10;

/// Times the tolerance: sweeps that stop there have found most contacts' status.
const NEAR: f64 = 20.0;

/// Contacts up to which sweeps are mixed: the differences that are kept double the memory of a sweep.
const MIXED: usize = 20_000;

/// Rows for each coordinate from which bodies are blocks that rest on faces: two are met in dense
/// packings of balls, three and a half in walls.
const HYPERSTATIC_RATIO: f64 = 2.5;

/// Whether bodies have many more rows of contacts than coordinates.
fn is_hyperstatic(problem: &Problem) -> bool {
    match problem.operator() {
        DelassusOperator::Factored(kinetic) => {
            problem.num_rows() as f64 >= HYPERSTATIC_RATIO * kinetic.num_coordinates() as f64
        }
        DelassusOperator::Stored { .. } => false,
    }
}

/// The share of the tolerance that is aimed at: for few bodies, and for blocks in the plane, what their methods get to; 1
/// where nothing is gained beyond the tolerance.
fn target(problem: &Problem, goal: &Goal, few: bool, steady: bool) -> f64 {
    match goal.measure {
        ResidualMeasure::Fclib => 1.0,
        _ if few => (DEEPEST / goal.tolerance).min(1.0),
        _ if steady && plane::is_planar_coulomb(problem) => (DEEP / goal.tolerance).min(1.0),
        _ => 1.0,
    }
}

/// Sweeps that factorising methods follow.
fn first_sweeps(problem: &Problem, sweeps: usize, patience: usize) -> NncgParams {
    NncgParams {
        max_sweeps: sweeps,
        patience: first_patience(problem, patience),
        sweeps: Sweeps::Exact,
        ..NncgParams::default()
    }
}

/// Sweeps that nothing follows.
fn all_sweeps(patience: usize) -> NncgParams {
    let usual = NncgParams::default();
    NncgParams {
        patience: usual.patience.max(patience),
        ..usual
    }
}

/// Factorisations that may be spent on sweeps without progress.
const WORTH: f64 = 15.0;

/// The least patience: a sweep carries news over one contact only.
const LEAST_PATIENCE: usize = 100;

/// Sweeps without progress before a factorising method is tried, at most `most`. The factors of n bodies
/// of w coordinates have fronts of w n^{1/2} rows in the plane and w n^{2/3} in space, so that
/// multiplications are some w n (w n^{1/2})² and w n (w n^{2/3})²; a sweep takes some 20 for each row of
/// a contact.
fn first_patience(problem: &Problem, most: usize) -> usize {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return most;
    };
    let bodies = kinetic.num_groups().max(1) as f64;
    let coordinates = kinetic.num_coordinates() as f64;
    let width = coordinates / bodies;
    let front = width * bodies.powf(if width > 3.0 { 2.0 / 3.0 } else { 0.5 });
    let sweep = 20.0 * problem.num_rows().max(1) as f64;
    let patience = WORTH * coordinates * front * front / sweep;
    (patience.min(1e9) as usize).clamp(LEAST_PATIENCE.min(most), most)
}
