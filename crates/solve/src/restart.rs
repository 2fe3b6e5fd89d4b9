//! What is tried where every method of the chain has failed.

use contact::{ResidualMeasure, Problem};

use crate::auto::FEASIBLE;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::infeasible::infeasible;
use crate::newton::Newton;
use crate::nncg::{Nncg, NncgParams, Sweeps};
use crate::smoothing::{Smoothing, SmoothingParams};

/// Where a path starts.
enum Start {
    /// At the best iterate so far.
    Best,
    /// Cold.
    Zero,
}

/// Where all methods have failed: smoothing Newton from other distances, then a few sweeps from zero and Newton's method
/// from where they end, for several numbers of sweeps. Paths of smoothed solutions fold, and semismooth Newton
/// finds the statuses of contacts from some starts and cycles from others: another start is another path.
pub(crate) fn restart(
    problem: &Problem,
    goal: &Goal,
    impulse: &mut [f64],
    trial: &mut [f64],
    total: &mut Report,
) {
    // What no velocity satisfies is no hard problem.
    let far = goal.measure == ResidualMeasure::Velocity && !(total.residual <= FEASIBLE);
    if total.reached() || (far && infeasible(problem).is_some()) {
        return;
    }
    let n = problem.num_contacts();
    for (params, from) in other_paths().filter(|_| n <= RESTARTED_PATHS) {
        match from {
            Start::Zero => trial.fill(0.0),
            Start::Best => trial.copy_from_slice(impulse),
        }
        let smoothing = Box::new(Smoothing::new(params));
        if !run_all(
            problem,
            goal,
            vec![smoothing, Box::new(Newton::default())],
            impulse,
            trial,
            total,
        ) {
            return;
        }
    }
    for sweeps in RESTARTS.into_iter().filter(|_| n <= RESTARTED) {
        trial.fill(0.0);
        let sweep = Box::new(Nncg::new(NncgParams {
            max_sweeps: sweeps,
            sweeps: Sweeps::Exact,
            ..NncgParams::default()
        }));
        if !run_all(
            problem,
            goal,
            vec![sweep, Box::new(Newton::default())],
            impulse,
            trial,
            total,
        ) {
            return;
        }
    }
}

/// Runs methods one after the other, each from where the one before ended; `false` once nothing is left to do.
fn run_all(
    problem: &Problem,
    goal: &Goal,
    methods: Vec<Box<dyn Solver>>,
    impulse: &mut [f64],
    trial: &mut [f64],
    total: &mut Report,
) -> bool {
    for mut method in methods {
        let inner = goal.left_after(total.iterations);
        if inner.max_iterations == Some(0) || total.reached() {
            return false;
        }
        let report = method.solve(problem, trial, &inner);
        let unsuitable = report.outcome == Outcome::Unsuitable;
        total.append(report, impulse, trial);
        if unsuitable {
            break;
        }
    }
    !total.reached()
}

/// Smoothing Newton from other ε and other starts. In a step of 984 contacts of falling discs that all methods before left at
/// 1.3 times the tolerance, these eight reached it, on which they were chosen; the loose schedule from the best iterate did from none of five ε. In one of
/// 493 contacts of a falling dome none of the eight did.
fn other_paths() -> impl Iterator<Item = (SmoothingParams, Start)> {
    let path = |params: SmoothingParams, start, from| (SmoothingParams { start, ..params }, from);
    [
        path(SmoothingParams::close(), 1.0, Start::Best),
        path(SmoothingParams::close(), 10.0, Start::Zero),
        path(SmoothingParams::close(), 0.1, Start::Best),
        path(SmoothingParams::patient(), 100.0, Start::Zero),
        path(SmoothingParams::close(), 0.01, Start::Best),
        path(SmoothingParams::close(), 1.0, Start::Zero),
        path(SmoothingParams::close(), 10.0, Start::Best),
        path(SmoothingParams::between(), 100.0, Start::Best),
    ]
    .into_iter()
}

/// Contacts up to which that is done: every path costs some hundred factorisations.
const RESTARTED_PATHS: usize = 5_000;

/// Sweeps from zero before Newton's method is tried again: what is near a solution for one is not for another. With the
/// first five of them a shaken heap of forty discs with rolling resistance missed its tolerance in 3 of 3,000 steps, in 12
/// without.
const RESTARTS: [usize; 10] = [100, 30, 300, 10, 200, 50, 400, 20, 150, 75];

/// Contacts up to which that is done: every start costs some hundred factorisations.
const RESTARTED: usize = 300;
