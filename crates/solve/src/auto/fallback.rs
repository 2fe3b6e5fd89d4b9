//! The methods of the cascade that follow the sweeps, from fast to slow, each with its starting point.

use percuss_contact::Problem;

use super::Cascade;
use super::limits::is_hyperstatic;
use crate::goal::{Goal, Report, Solver};
use crate::methods::admm::Admm;
use crate::methods::interior_point::InteriorPoint;
use crate::methods::nncg::Nncg;
use crate::methods::proximal_newton::ProximalNewton;
use crate::methods::semismooth_newton::{SemismoothNewton, SemismoothNewtonParams};
use crate::methods::smoothing_newton::{SmoothingNewton, SmoothingNewtonParams};
use crate::start::StartPoint;

impl Cascade {
    /// Runs the methods of [`Self::fallback_methods`] until one reaches the tolerance; `first` are the impulses after the
    /// first sweeps.
    pub(super) fn run_fallbacks(
        &self,
        problem: &Problem,
        goal: &Goal,
        first: &[f64],
        impulse: &mut [f64],
        trial: &mut [f64],
        total: &mut Report,
    ) {
        for (mut method, from) in self.fallback_methods(problem) {
            let inner = goal.left_after(total.iterations);
            if inner.max_iterations == Some(0) || total.reached() {
                break;
            }
            // Its starting point, then a run; the better impulses are kept.
            match from {
                StartPoint::Best => trial.copy_from_slice(impulse),
                StartPoint::AfterFirstSweeps => trial.copy_from_slice(first),
                StartPoint::Zero => trial.fill(0.0),
            }
            let report = method.solve(problem, trial, &inner);
            total.append(report, impulse, trial);
        }
    }

    /// The factorising methods in order with their starting points, then the slow methods.
    fn fallback_methods(&self, problem: &Problem) -> Vec<(Box<dyn Solver>, StartPoint)> {
        // Semismooth Newton that only refines.
        let polish = SemismoothNewtonParams {
            patience: self.params.polish_patience,
            ..SemismoothNewtonParams::default()
        };
        // Smoothing Newton with a fixed rate of ε, and with an adaptive one.
        let fixed = |reduce| Box::new(SmoothingNewton::new(SmoothingNewtonParams::fixed(reduce)));
        let adaptive = |params| Box::new(SmoothingNewton::new(params));
        // Hyperstatic problems follow the homotopy path closely; others take the default schedule first.
        let mut list: Vec<(Box<dyn Solver>, StartPoint)> = if is_hyperstatic(problem) {
            vec![
                (
                    adaptive(SmoothingNewtonParams::close_tracking()),
                    StartPoint::Best,
                ),
                (
                    adaptive(SmoothingNewtonParams::medium_tracking()),
                    StartPoint::AfterFirstSweeps,
                ),
                (
                    adaptive(SmoothingNewtonParams::monotone()),
                    StartPoint::Zero,
                ),
                (Box::new(SemismoothNewton::new(polish)), StartPoint::Best),
            ]
        } else {
            vec![
                (adaptive(SmoothingNewtonParams::default()), StartPoint::Best),
                (Box::new(SemismoothNewton::new(polish)), StartPoint::Best),
                (
                    adaptive(SmoothingNewtonParams::monotone()),
                    StartPoint::Zero,
                ),
                (
                    adaptive(SmoothingNewtonParams::medium_tracking()),
                    StartPoint::AfterFirstSweeps,
                ),
            ]
        };
        // The robust and the slow methods.
        let rest: [(Box<dyn Solver>, StartPoint); 8] = [
            // Where the last contacts alternate between two statuses, the proximal term stops the cycle.
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
