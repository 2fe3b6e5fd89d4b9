//! The default: chooses a method, hands over when it stops paying, returns the best judged iterate.

use contact::Problem;

use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::newton::Newton;
use crate::nncg::Nncg;

/// The automatic solver.
#[derive(Debug, Default)]
pub struct Auto {
    nncg: Nncg,
    newton: Newton,
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        if problem.num_contacts() == 0 {
            return Best::new(problem, impulse, goal).finish("auto", 0, Outcome::Reached, impulse);
        }
        let first = self.nncg.solve(problem, impulse, &goal.at_most(300));
        if first.reached() {
            return first;
        }
        let mut second = self.newton.solve(problem, impulse, goal);
        second.iterations += first.iterations;
        second.path.splice(0..0, first.path);
        second
    }
}
