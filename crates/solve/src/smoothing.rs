//! Smoothing Newton: follows the solutions of the smoothed laws as ε → 0.
//!
//! Each iteration is one Newton step on the smoothed law ([`contact::Law::smoothed`]) with a
//! proximal term α centred at the present iterate. The path is followed loosely: when the smoothed
//! residual φ = ‖F‖/(ε √n_c) is below `track`, ε is reduced; a step that raises φ too much is
//! refused and α is multiplied. No line search: on jammed packings it stalls. One iteration is one
//! factorisation.

use contact::Problem;
use contact::law::Smoothed;

use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::krylov::gmres;
use crate::linear::Scaled;

/// How the path is followed.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothingParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// First ε relative to the mean scaled impulse.
    pub start: f64,
    /// Factor by which ε falls.
    pub reduce: f64,
    /// φ below which ε is reduced.
    pub track: f64,
    /// φ above which a step is refused.
    pub refuse: f64,
    /// α = `proximal` · m · (ε/scale)^`power`.
    pub proximal: f64,
    /// See `proximal`.
    pub power: f64,
}

impl Default for SmoothingParams {
    fn default() -> Self {
        Self {
            max_iterations: 800,
            start: 1.0,
            reduce: 0.8,
            track: 2.0,
            refuse: 100.0,
            proximal: 0.1,
            power: 0.7,
        }
    }
}

/// The smoothing Newton method.
#[derive(Debug, Default)]
pub struct Smoothing {
    /// How the path is followed.
    pub params: SmoothingParams,
}

impl Smoothing {
    /// With the given parameters.
    pub fn new(params: SmoothingParams) -> Self {
        Self { params }
    }
}

impl Solver for Smoothing {
    fn name(&self) -> &'static str {
        "smoothing"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = Best::new(problem, impulse, goal);
        if !problem.laws().iter().all(|law| law.has_smoothing()) {
            return best.finish(self.name(), 0, Outcome::Unsuitable, impulse);
        }
        let mut path = Path::new(problem, Scaled::new(problem), impulse);
        let (iterations, outcome) = path.follow(&self.params, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

/// The present point of the path, in scaled variables.
struct Path<'a> {
    problem: &'a Problem,
    scaled: Scaled,
    /// Mean scaled impulse: the unit of ε.
    scale: f64,
    x: Vec<f64>,
    u: Vec<f64>,
    /// S, B and g of the smoothed law; g becomes the step.
    symmetric: Vec<f64>,
    shear: Vec<f64>,
    step: Vec<f64>,
    /// Trial impulses, and buffers for their velocities.
    trial: Vec<f64>,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
}

impl<'a> Path<'a> {
    fn new(problem: &'a Problem, scaled: Scaled, start: &[f64]) -> Self {
        let n = problem.num_rows();
        let blocks = scaled.num_block_entries();
        let root = scaled.root.clone();
        let mut path = Self {
            problem,
            scaled,
            scale: 1.0,
            x: start.iter().zip(&root).map(|(r, k)| r / k).collect(),
            u: vec![0.0; n],
            symmetric: vec![0.0; blocks],
            shear: vec![0.0; blocks],
            step: vec![0.0; n],
            trial: vec![0.0; n],
            impulse: start.to_vec(),
            velocity: vec![0.0; n],
            scratch: vec![0.0; problem.scratch_len()],
        };
        let contacts = problem.num_contacts() as f64;
        let norm = |x: &[f64]| (x.iter().map(|v| v * v).sum::<f64>() / contacts).sqrt();
        let free: Vec<f64> = problem.free().iter().zip(&root).map(|(b, k)| b * k).collect();
        let size = norm(&path.x);
        path.scale = size.max(1e-3 * norm(&free)).max(f64::MIN_POSITIVE);
        path.set_velocity();
        path
    }

    /// û of the impulses in `impulse`.
    fn set_velocity(&mut self) {
        self.problem.velocity_into(&self.impulse, &mut self.scratch, &mut self.velocity);
        for i in 0..self.u.len() {
            self.u[i] = self.velocity[i] * self.scaled.root[i];
        }
    }

    /// Writes S, B and g at the present point; returns φ.
    fn linearise(&mut self, eps: f64) -> f64 {
        let (mut start, mut norm) = (0, 0.0);
        for a in 0..self.problem.num_contacts() {
            let rows = self.problem.rows(a);
            let end = start + rows.len().pow(2);
            norm += self.problem.law(a).smoothed(
                eps,
                &self.x[rows.clone()],
                &self.u[rows.clone()],
                Smoothed {
                    symmetric: &mut self.symmetric[start..end],
                    shear: &mut self.shear[start..end],
                    rhs: &mut self.step[rows],
                },
            );
            start = end;
        }
        (norm / self.problem.num_contacts() as f64).sqrt() / eps
    }

    /// Solves (S + B (Ŵ + α)) dx = g in place of g.
    fn solve_step(&mut self, alpha: f64) -> bool {
        let direct = std::env::var("LU").is_ok();
        let factor = (!direct).then(|| self.scaled.symmetric_factor(&self.symmetric, alpha)).flatten();
        if let Some(factor) = factor {
            self.trial.copy_from_slice(&self.step);
            factor.solve(&mut self.trial);
            let (scaled, s, b) = (&self.scaled, &self.symmetric, &self.shear);
            let mut count = 0;
            let apply = |x: &[f64], y: &mut [f64]| {
                count += 1;
                scaled.product_into(s, b, alpha, x, y);
                factor.solve(y);
            };
            let ok = gmres(apply, &mut self.trial, 1e-6, 100);
            if std::env::var("V").is_ok() { print!(" [{count}{}]", if ok { "" } else { "!" }); }
            if ok {
                self.step.copy_from_slice(&self.trial);
                return true;
            }
        }
        match self.scaled.newton_factor(&self.symmetric, &self.shear, alpha) {
            Some(factor) => factor.solve(&mut self.step),
            None => return false,
        }
        true
    }

    fn follow(&mut self, p: &SmoothingParams, goal: &Goal, best: &mut Best) -> (usize, Outcome) {
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        let verbose = std::env::var("V").is_ok();
        let mut eps = p.start * self.scale;
        let mut m = 1.0_f64;
        let mut phi = self.linearise(eps);
        let mut keep = self.u.clone();
        for iteration in 1..=limit {
            if best.reached() {
                return (iteration - 1, Outcome::Reached);
            }
            let alpha = (m * p.proximal * (eps / self.scale).powf(p.power)).clamp(1e-10, 1.0);
            if !self.solve_step(alpha) {
                m *= 4.0;
                phi = self.linearise(eps);
                continue;
            }
            for i in 0..self.x.len() {
                self.trial[i] = self.x[i] + self.step[i];
                self.impulse[i] = self.trial[i] * self.scaled.root[i];
            }
            keep.copy_from_slice(&self.u);
            std::mem::swap(&mut self.x, &mut self.trial);
            self.set_velocity();
            let next = self.linearise(eps);
            if verbose { println!("  {iteration} eps {:.1e} alpha {alpha:.1e} phi {phi:.1e} -> {next:.1e} best {:.1e}", eps / self.scale, best.residual()); }
            if !(next <= p.refuse.max(phi)) && alpha < 1.0 {
                m *= 4.0;
                std::mem::swap(&mut self.x, &mut self.trial);
                self.u.copy_from_slice(&keep);
                phi = self.linearise(eps);
                continue;
            }
            phi = next;
            self.offer(best, iteration);
            if phi <= p.track {
                eps *= match phi / p.track {
                    close if close > 0.25 => p.reduce,
                    close if close > 0.02 => p.reduce * p.reduce,
                    _ => 0.3,
                };
                if eps < 1e-13 * self.scale {
                    return (iteration, Outcome::Stalled);
                }
                m = (m * 0.8).max(0.01);
                phi = self.linearise(eps);
            } else {
                m = (m * 0.8_f64.sqrt()).max(0.01);
            }
        }
        (limit, Outcome::Exhausted)
    }

    /// Judges the present impulses projected into the cones.
    fn offer(&mut self, best: &mut Best, iteration: usize) {
        for a in 0..self.problem.num_contacts() {
            self.problem.law(a).project(&mut self.impulse[self.problem.rows(a)]);
        }
        best.offer(self.problem, &self.impulse, iteration);
    }
}
