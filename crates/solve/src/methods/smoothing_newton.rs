//! Smoothing Newton method: homotopy (continuation) along the solutions of smoothed laws as ε → 0.
//!
//! Each iteration is one Newton step on the smoothed law ([`percuss_contact::Law::smoothed`]) with a proximal term α centred at
//! the present iterate, in the scaled variables x = r/√κ:
//!
//! ```text
//! ( S + B (Ŵ + α) ) dx = g
//! ```
//!
//! in the velocities of bodies where these are the smaller system (`VelocitySystem`), else in impulses. Steps are full:
//! the residual must be allowed to rise when contacts change status, and a line search stalls on jammed packings. There
//! are two ways of lowering ε: [`Schedule::Adaptive`] tracks the central path, [`Schedule::Fixed`] is slower, accepts
//! every step and depends less on the start. The path may fold, because friction is not monotone. Where Newton's method
//! then stagnates beside it, the adaptive schedule returns to a larger ε and comes down again, usually on another
//! branch. One iteration is one factorisation.

use percuss_contact::Problem;
use percuss_contact::law::Smoothed;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::newton_system::NewtonSystem;

/// Schedule by which ε is lowered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Schedule {
    /// With φ = ‖F‖/(ε √n_c): lower ε when φ is small, reject a step that makes φ large and raise α.
    Adaptive {
        /// Factor by which ε falls when φ is just below `track`; far below it falls faster.
        reduce: f64,
        /// φ below which ε is lowered.
        track: f64,
        /// φ above which a step is rejected.
        refuse: f64,
        /// Factor by which α rises after a rejected step.
        raise: f64,
        /// Steps without lowering ε after which it is raised tenfold.
        stuck: usize,
    },
    /// ε is multiplied by `reduce` after every step, whatever the step did.
    Fixed {
        /// Factor of each step.
        reduce: f64,
    },
}

/// Parameters of [`SmoothingNewton`].
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothingNewtonParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
    /// Initial ε, in units of the mean impulse.
    pub initial_eps: f64,
    /// How ε is lowered.
    pub schedule: Schedule,
    /// α = `proximal` · m · (ε/scale)^`power`, m a multiplier kept by the adaptive schedule.
    pub proximal: f64,
    /// See `proximal`.
    pub power: f64,
}

impl Default for SmoothingNewtonParams {
    fn default() -> Self {
        Self {
            max_iterations: 800,
            patience: 150,
            initial_eps: 1.0,
            schedule: Schedule::Adaptive {
                reduce: 0.8,
                track: 2.0,
                refuse: 100.0,
                raise: 4.0,
                stuck: 12,
            },
            proximal: 0.1,
            power: 0.7,
        }
    }
}

impl SmoothingNewtonParams {
    /// Close tracking of the path: for walls and towers of blocks, whose many contacts per body make the default
    /// schedule lose the path. It needs half as many iterations there, and half as many more in packings.
    pub fn close_tracking() -> Self {
        Self {
            // Anything from 0.03 to 1 works, with random differences; 0.01 is worse.
            initial_eps: 0.3,
            schedule: Schedule::Adaptive {
                reduce: 0.8,
                track: 1.0,
                refuse: 10.0,
                raise: 10.0,
                stuck: 8,
            },
            ..Self::default()
        }
    }

    /// Between the default and close tracking, with a larger proximal term: another attempt where either has failed.
    pub fn medium_tracking() -> Self {
        Self {
            schedule: Schedule::Adaptive {
                reduce: 0.8,
                track: 2.0,
                refuse: 30.0,
                raise: 10.0,
                stuck: 8,
            },
            proximal: 0.3,
            ..Self::default()
        }
    }

    /// The default schedule that never returns to a larger ε: the choice for a start from zero.
    pub fn monotone() -> Self {
        Self {
            schedule: Schedule::Adaptive {
                reduce: 0.8,
                track: 2.0,
                refuse: 100.0,
                raise: 4.0,
                stuck: usize::MAX,
            },
            ..Self::default()
        }
    }

    /// The fixed schedule; with 0.95 about 330 iterations to 1e-8, whatever the start.
    pub fn fixed(reduce: f64) -> Self {
        Self {
            schedule: Schedule::Fixed { reduce },
            proximal: 0.03,
            // The residual falls with ε, by a decade in 45 iterations at best.
            patience: 300,
            ..Self::default()
        }
    }
}

/// The smoothing Newton method.
#[derive(Debug, Default)]
pub struct SmoothingNewton {
    /// Schedule, proximal term and limits.
    pub params: SmoothingNewtonParams,
}

impl SmoothingNewton {
    /// A solver with the given parameters.
    pub fn new(params: SmoothingNewtonParams) -> Self {
        Self { params }
    }
}

impl Solver for SmoothingNewton {
    fn name(&self) -> &'static str {
        match self.params.schedule {
            Schedule::Adaptive { .. } => "smoothing",
            Schedule::Fixed { .. } => "smoothing-fixed",
        }
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        if !problem.laws().iter().all(|law| law.has_smoothing()) {
            return best.finish(self.name(), 0, Outcome::Unsuitable, impulse);
        }
        // Follow the central path from the warm start.
        let mut path = HomotopyPath::new(problem, impulse, self.params.initial_eps);
        let (iterations, outcome) = path.follow(&self.params, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

/// ε relative to the scale below which the smoothed law equals the law to rounding.
const SMALLEST: f64 = 1e-13;

/// Factor by which ε rises where the path is lost. Ten to thirty lead to another branch; a hundred and more lead back
/// to the same fold.
const JUMP: f64 = 10.0;

/// Smallest multiplier of α, so that it can still rise fast enough in a jammed configuration.
const LEAST_MULTIPLIER: f64 = 0.01;

/// The present point of the homotopy path, in scaled variables.
struct HomotopyPath<'a> {
    problem: &'a Problem,
    /// √κ by row.
    root: Vec<f64>,
    system: NewtonSystem,
    /// Mean scaled impulse: the unit of ε.
    scale: f64,
    eps: f64,
    /// Multiplier of α.
    m: f64,
    /// ‖F‖/(ε √n_c) at the present point.
    phi: f64,
    /// Accepted steps since ε was changed.
    since: usize,
    x: Vec<f64>,
    u: Vec<f64>,
    /// S, B and g of the smoothed law; g becomes the step.
    symmetric: Vec<f64>,
    shear: Vec<f64>,
    step: Vec<f64>,
    /// The point before the last step.
    x_before: Vec<f64>,
    u_before: Vec<f64>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'a> HomotopyPath<'a> {
    fn new(problem: &'a Problem, start: &[f64], eps: f64) -> Self {
        let mut root = vec![0.0; problem.num_rows()];
        let mut blocks = 0;
        for a in 0..problem.num_contacts() {
            root[problem.rows(a)].fill(problem.kappa(a).sqrt());
            blocks += problem.dim(a).pow(2);
        }
        let n = problem.num_rows();
        let x: Vec<f64> = start.iter().zip(&root).map(|(r, k)| r / k).collect();
        let contacts = problem.num_contacts().max(1) as f64;
        let mean = |square: f64| (square / contacts).sqrt();
        let free = problem
            .free_velocity()
            .iter()
            .zip(&root)
            .map(|(b, k)| (b * k).powi(2));
        let size = mean(x.iter().map(|v| v * v).sum());
        // From zero impulses the free velocity gives the unit of ε.
        let scale = size.max(1e-3 * mean(free.sum())).max(f64::MIN_POSITIVE);
        let mut path = Self {
            problem,
            root,
            system: NewtonSystem::new(problem),
            scale,
            eps: eps * scale,
            m: 1.0,
            phi: 0.0,
            since: 0,
            x,
            u: vec![0.0; n],
            symmetric: vec![0.0; blocks],
            shear: vec![0.0; blocks],
            step: vec![0.0; n],
            x_before: vec![0.0; n],
            u_before: vec![0.0; n],
            impulse: start.to_vec(),
            velocity: vec![0.0; n],
            scratch: vec![0.0; problem.scratch_len()],
        };
        path.set_velocity();
        path.linearise();
        path
    }

    /// Computes û of the impulses in `impulse`.
    fn set_velocity(&mut self) {
        self.problem
            .velocity_into(&self.impulse, &mut self.scratch, &mut self.velocity);
        for i in 0..self.u.len() {
            self.u[i] = self.velocity[i] * self.root[i];
        }
    }

    /// Computes S, B, g and φ at the present point.
    fn linearise(&mut self) {
        // Smoothed law and its derivatives, contact by contact.
        let (mut start, mut norm) = (0, 0.0);
        for a in 0..self.problem.num_contacts() {
            let rows = self.problem.rows(a);
            let end = start + rows.len().pow(2);
            norm += self.problem.law(a).smoothed(
                self.eps,
                &self.x[rows.clone()],
                &self.u[rows.clone()],
                Smoothed {
                    symmetric: &mut self.symmetric[start..end],
                    shift_jacobian: &mut self.shear[start..end],
                    rhs: &mut self.step[rows],
                },
            );
            start = end;
        }
        self.phi = (norm / self.problem.num_contacts() as f64).sqrt() / self.eps;
    }

    fn follow(
        &mut self,
        p: &SmoothingNewtonParams,
        goal: &Goal,
        best: &mut BestIterate,
    ) -> (usize, Outcome) {
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        let mut mark = (best.residual(), 0);
        for iteration in 1..=limit {
            if best.reached() {
                return (iteration - 1, Outcome::Reached);
            }
            // Proximal term: falls with ε.
            let relative = (self.eps / self.scale).powf(p.power);
            let alpha = (self.m * p.proximal * relative).clamp(1e-10, 1.0);
            // Newton step, then the schedule of ε.
            let phi_before = self.phi;
            if self.advance(alpha) {
                match p.schedule {
                    Schedule::Fixed { reduce } => self.scale_eps(reduce),
                    Schedule::Adaptive { refuse, raise, .. }
                        if !(self.phi <= refuse.max(phi_before)) && alpha < 1.0 =>
                    {
                        // The step lost the path: undo it with a larger proximal term.
                        self.retreat(raise);
                        continue;
                    }
                    Schedule::Adaptive {
                        reduce,
                        track,
                        stuck,
                        ..
                    } => self.adapt(reduce, track, stuck),
                }
                self.offer(best, iteration);
            }
            // Stagnation check.
            if best.residual() <= 0.5 * mark.0 {
                mark = (best.residual(), iteration);
            }
            if iteration - mark.1 >= p.patience || self.eps < SMALLEST * self.scale {
                return (iteration, Outcome::Stalled);
            }
        }
        (limit, Outcome::Exhausted)
    }

    /// One full Newton step; false if the system could not be solved (α is then raised).
    fn advance(&mut self, alpha: f64) -> bool {
        // Solve for the step; a singular system needs a larger proximal term.
        let (s, b) = (&self.symmetric, &self.shear);
        if !self.system.solve(s, b, alpha, &mut self.step) {
            self.m *= 4.0;
            self.linearise();
            return false;
        }
        // Take the full step, and keep the old point for a rejection.
        self.x_before.copy_from_slice(&self.x);
        self.u_before.copy_from_slice(&self.u);
        for i in 0..self.x.len() {
            self.x[i] += self.step[i];
            self.impulse[i] = self.x[i] * self.root[i];
        }
        self.set_velocity();
        self.linearise();
        true
    }

    /// Returns to the point before the last step, with a larger proximal term.
    fn retreat(&mut self, raise: f64) {
        self.m *= raise;
        std::mem::swap(&mut self.x, &mut self.x_before);
        std::mem::swap(&mut self.u, &mut self.u_before);
        self.linearise();
    }

    /// After an accepted step: lowers ε if the path is close, reduces α; raises ε if the path is lost.
    fn adapt(&mut self, reduce: f64, track: f64, stuck: usize) {
        // Close to the path: lower ε, the faster the closer.
        let close = self.phi / track;
        if close <= 1.0 {
            self.m = (self.m * 0.8).max(LEAST_MULTIPLIER);
            self.scale_eps(match close {
                c if c > 0.25 => reduce,
                c if c > 0.02 => reduce * reduce,
                _ => 0.3,
            });
            return;
        }
        // Not close yet: more steps at this ε, or back to a larger one.
        self.m = (self.m * 0.8_f64.sqrt()).max(LEAST_MULTIPLIER);
        self.since += 1;
        if self.since >= stuck && self.eps < self.scale {
            self.m = 1.0;
            self.scale_eps(JUMP.min(self.scale / self.eps));
        }
    }

    /// Multiplies ε.
    fn scale_eps(&mut self, factor: f64) {
        self.eps *= factor;
        self.since = 0;
        self.linearise();
    }

    /// Projects the present impulses into the cones and evaluates their residual.
    fn offer(&mut self, best: &mut BestIterate, iteration: usize) {
        for a in 0..self.problem.num_contacts() {
            self.problem
                .law(a)
                .project(&mut self.impulse[self.problem.rows(a)]);
        }
        best.offer(self.problem, &self.impulse, iteration);
    }
}
