//! Restarts from other starting points, where every method of the cascade has failed.

use percuss_contact::{Problem, ResidualMeasure};

use crate::goal::{Goal, Outcome, Report, Solver};
use crate::infeasibility::{FEASIBLE_RESIDUAL, find_infeasibility};
use crate::methods::nncg::{Nncg, NncgParams, Sweeps};
use crate::methods::semismooth_newton::SemismoothNewton;
use crate::methods::smoothing_newton::{SmoothingNewton, SmoothingNewtonParams};

/// Starting point of a homotopy path.
enum RestartPoint {
    /// At the best iterate so far.
    Best,
    /// Zero impulses.
    Zero,
}

/// Runs smoothing Newton from other values of ε, then for several numbers of sweeps NNCG from zero followed by
/// semismooth Newton. Homotopy paths of smoothed solutions fold, and semismooth Newton finds the statuses of contacts
/// from some starting points and cycles from others: another start is another attempt.
pub(crate) fn restart(
    problem: &Problem,
    goal: &Goal,
    impulse: &mut [f64],
    trial: &mut [f64],
    total: &mut Report,
) {
    // An infeasible problem needs no restart.
    let far = goal.measure == ResidualMeasure::Velocity && !(total.residual <= FEASIBLE_RESIDUAL);
    if total.reached() || (far && find_infeasibility(problem).is_some()) {
        return;
    }
    let n = problem.num_contacts();
    // Smoothing Newton on other homotopy paths, refined by semismooth Newton.
    for (params, from) in other_paths().filter(|_| n <= RESTARTED_PATHS) {
        match from {
            RestartPoint::Zero => trial.fill(0.0),
            RestartPoint::Best => trial.copy_from_slice(impulse),
        }
        let smoothing = Box::new(SmoothingNewton::new(params));
        if !run_all(
            problem,
            goal,
            vec![smoothing, Box::new(SemismoothNewton::default())],
            impulse,
            trial,
            total,
        ) {
            return;
        }
    }
    // NNCG sweeps from zero, then semismooth Newton.
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
            vec![sweep, Box::new(SemismoothNewton::default())],
            impulse,
            trial,
            total,
        ) {
            return;
        }
    }
}

/// Runs methods in sequence, each from the result of the one before; `false` once nothing is left to do.
fn run_all(
    problem: &Problem,
    goal: &Goal,
    methods: Vec<Box<dyn Solver>>,
    impulse: &mut [f64],
    trial: &mut [f64],
    total: &mut Report,
) -> bool {
    for mut method in methods {
        // Stop at the tolerance, or when no iterations are left.
        let inner = goal.left_after(total.iterations);
        if inner.max_iterations == Some(0) || total.reached() {
            return false;
        }
        // Run the method, and keep its result where it is better.
        let report = method.solve(problem, trial, &inner);
        let unsuitable = report.outcome == Outcome::Unsuitable;
        total.append(report, impulse, trial);
        // The next method would start from an unchanged trial.
        if unsuitable {
            break;
        }
    }
    !total.reached()
}

/// Smoothing Newton from other ε and other starts. In a step of 984 contacts of falling discs that all methods before
/// left at 1.3 times the tolerance, these eight reached it, on which they were chosen; the default schedule from the
/// best iterate did from none of five ε. In one of 493 contacts of a falling dome none of the eight did.
fn other_paths() -> impl Iterator<Item = (SmoothingNewtonParams, RestartPoint)> {
    let path = |params: SmoothingNewtonParams, start, from| {
        (
            SmoothingNewtonParams {
                initial_eps: start,
                ..params
            },
            from,
        )
    };
    [
        path(
            SmoothingNewtonParams::close_tracking(),
            1.0,
            RestartPoint::Best,
        ),
        path(
            SmoothingNewtonParams::close_tracking(),
            10.0,
            RestartPoint::Zero,
        ),
        path(
            SmoothingNewtonParams::close_tracking(),
            0.1,
            RestartPoint::Best,
        ),
        path(SmoothingNewtonParams::monotone(), 100.0, RestartPoint::Zero),
        path(
            SmoothingNewtonParams::close_tracking(),
            0.01,
            RestartPoint::Best,
        ),
        path(
            SmoothingNewtonParams::close_tracking(),
            1.0,
            RestartPoint::Zero,
        ),
        path(
            SmoothingNewtonParams::close_tracking(),
            10.0,
            RestartPoint::Best,
        ),
        path(
            SmoothingNewtonParams::medium_tracking(),
            100.0,
            RestartPoint::Best,
        ),
    ]
    .into_iter()
}

/// Largest number of contacts for restarts of smoothing Newton: every path costs some hundred factorisations.
const RESTARTED_PATHS: usize = 5_000;

/// Sweeps from zero before semismooth Newton is tried again: an iterate that is near a solution for one problem is not
/// for another. With the first five of them a shaken heap of forty discs with rolling resistance missed its tolerance
/// in 3 of 3,000 steps, in 12 without.
const RESTARTS: [usize; 10] = [100, 30, 300, 10, 200, 50, 400, 20, 150, 75];

/// Largest number of contacts for restarts by sweeps: every start costs some hundred factorisations.
const RESTARTED: usize = 300;
