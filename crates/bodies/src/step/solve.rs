//! The solve of (★).

use percuss_contact::Problem;
use percuss_solve::{Goal, Solver};

use super::fault_injection::{self, Fault};
use super::scratch::Solution;
use crate::settings::Settings;
use crate::thread_pool::DetectionThreads;

/// The goal of the solver by the settings.
pub(super) fn goal(settings: &Settings) -> Goal {
    Goal {
        tolerance: settings.tolerance,
        max_iterations: settings.max_iterations,
        ..Goal::default()
    }
}

/// Solves (★) from the impulses in `solution`: those of the step before, or of the last solve.
pub(crate) fn solve(
    solver: &mut dyn Solver,
    problem: Option<&Problem>,
    settings: &Settings,
    threads: &DetectionThreads,
    fault: Option<Fault>,
    solution: &mut Solution,
) {
    let goal = goal(settings);
    // Injected fault: a contact left out.
    if let Some(report) = fault_injection::solve_without(fault, solver, problem, &goal, solution) {
        solution.report = Some(report);
        return;
    }
    let Some(problem) = problem.filter(|p| p.num_contacts() > 0) else {
        solution.report = None;
        return;
    };
    let impulse = &mut solution.impulse;
    let mut solve = || solver.solve(problem, impulse, &goal);
    solution.report = Some(match threads.pool(problem.num_contacts()) {
        // Parallel solvers distribute blocks of contacts over the threads of the pool they run in.
        Some(pool) => pool.install(solve),
        None => solve(),
    });
    fault_injection::disturb_impulse(fault, &mut solution.impulse);
}
