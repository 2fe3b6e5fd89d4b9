//! A few Newton steps from where the sweeps ended, by the method that suits the contacts.
//!
//! In a moving heap sweeps come within ten to a hundred times the tolerance and then stall, because a handful of contacts
//! change between stick and slip. From there Newton's methods need some steps, from elsewhere hundreds. Which of them
//! needs fewest was measured on steps of falling and turning heaps: in the plane the interior point method where bodies
//! touch along sides, semismooth Newton where they touch at points; in space proximal Newton first.

use percuss_contact::Problem;

use super::newton_cost::has_faces;
use crate::goal::{Goal, Report, Solver};
use crate::methods::interior_point::PlanarInteriorPoint;
use crate::methods::newton_system::planar_system;
use crate::methods::proximal_newton::ProximalNewton;
use crate::methods::semismooth_newton::{SemismoothNewton, SemismoothNewtonParams};

/// Largest number of steps of each method but the interior point method: where they converge, most need fewer than ten.
const STEPS: usize = 15;

/// Steps of semismooth Newton without halving the residual, and the sweeps after a step that does not lower it tenfold.
const PATIENCE: usize = 6;
const SWEEPS: usize = 10;

/// The methods, with the buffers they keep between solves.
#[derive(Debug)]
pub(super) struct Refinement {
    proximal: ProximalNewton,
    plane: PlanarInteriorPoint,
    newton: SemismoothNewton,
}

impl Default for Refinement {
    fn default() -> Self {
        Self {
            proximal: ProximalNewton::default(),
            plane: PlanarInteriorPoint::default(),
            newton: SemismoothNewton::new(SemismoothNewtonParams {
                patience: PATIENCE,
                sweeps: SWEEPS,
                ..SemismoothNewtonParams::default()
            }),
        }
    }
}

impl Refinement {
    /// Runs the methods in order, each from the best impulses so far, until one reaches the tolerance.
    pub(super) fn run(
        &mut self,
        problem: &Problem,
        goal: &Goal,
        impulse: &mut [f64],
        trial: &mut [f64],
        total: &mut Report,
    ) {
        let Self {
            proximal,
            plane,
            newton,
        } = self;
        let methods: [(&mut dyn Solver, usize); 2] = match (
            planar_system::is_planar_coulomb(problem),
            has_faces(problem),
        ) {
            (true, true) => [(plane, usize::MAX), (newton, STEPS)],
            (true, false) => [(newton, STEPS), (plane, usize::MAX)],
            _ => [(proximal, STEPS), (newton, STEPS)],
        };
        for (method, most) in methods {
            let inner = goal.left_after(total.iterations);
            if inner.max_iterations == Some(0) || total.reached() {
                break;
            }
            trial.copy_from_slice(impulse);
            let report = match most {
                usize::MAX => method.solve(problem, trial, &inner),
                most => method.solve(problem, trial, &inner.at_most(most)),
            };
            total.append(report, impulse, trial);
        }
    }
}
