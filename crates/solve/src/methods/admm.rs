//! ADMM (alternating direction method of multipliers) with De Saxcé's shift taken from the dual (after Carpentier et
//! al. 2024).
//!
//! In scaled variables x = r/√κ, with a copy y of x in the cones, a dual variable z (a velocity) and the shift
//! s = g(z) e_n:
//!
//! ```text
//! (Ŵ + ρ + η) x = η x + ρ y + z − q̂ − s
//! y⁺ = proj_K( x̄ − z/ρ ),   x̄ = 1.6 x − 0.6 y        (over-relaxation)
//! z⁺ = z + ρ (y⁺ − x̄)
//! ```
//!
//! One iteration is one back-substitution; the matrix is factorised again only when ρ changes, at most every ten
//! iterations (more often makes the method cycle). Insensitive to mass ratios and to the height of a stack; reaches
//! 1e-10 on structures, stalls earlier on jammed packings. Limits: needs a convex set of admissible impulses, and W
//! sparse.

use percuss_contact::Problem;
use percuss_contact::law::Law;
use percuss_linalg::SparseFactor;

use crate::best_iterate::BestIterate;
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::newton_system::ScaledDelassus;
use crate::methods::newton_system::velocity_system::has_dense_delassus;

/// Parameters of [`Admm`].
#[derive(Debug, Clone, PartialEq)]
pub struct AdmmParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// Over-relaxation factor, 1 to 1.8.
    pub relax: f64,
    /// Proximal term η in scaled variables: keeps the factorisation definite when W is singular.
    pub proximal: f64,
    /// First ρ in scaled variables, as a multiple of √λ_max(Ŵ).
    pub rho: f64,
    /// ρ is rebalanced when primal and dual residual differ by more than this factor.
    pub balance: f64,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
}

impl Default for AdmmParams {
    fn default() -> Self {
        Self {
            max_iterations: 5_000,
            relax: 1.6,
            proximal: 1e-7,
            rho: 0.1,
            balance: 10.0,
            patience: 300,
        }
    }
}

/// ADMM; see the module.
#[derive(Debug, Default)]
pub struct Admm {
    /// Penalty, relaxation and limits.
    pub params: AdmmParams,
}

/// The iterate: x unconstrained, y in the cones, z the dual velocity.
struct Iterate {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// y as unscaled impulses.
    impulse: Vec<f64>,
}

impl Admm {
    /// A solver with the given parameters.
    pub fn new(params: AdmmParams) -> Self {
        Self { params }
    }
}

impl Solver for Admm {
    fn name(&self) -> &'static str {
        "admm"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        // The projection needs a convex set: friction on bilateral contacts scales with |r_n| and is excluded.
        let convex = !problem
            .laws()
            .iter()
            .any(|l| matches!(l, Law::BilateralFriction { .. }));
        if !convex || has_dense_delassus(problem) {
            return best.finish(self.name(), 0, Outcome::Unsuitable, impulse);
        }
        // Iterate on the scaled problem.
        let mut scaled = ScaledDelassus::new(problem);
        let (iterations, outcome) = self.iterate(problem, &mut scaled, impulse, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

impl Admm {
    fn iterate(
        &self,
        problem: &Problem,
        scaled: &mut ScaledDelassus,
        start: &[f64],
        goal: &Goal,
        best: &mut BestIterate,
    ) -> (usize, Outcome) {
        let p = &self.params;
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        // Initial ρ from the largest eigenvalue of Ŵ, and its factorisation.
        let mut rho = p.rho * scaled.largest_eigenvalue().sqrt();
        let Some(mut factor) = scaled.factor(rho + p.proximal) else {
            return (0, Outcome::Unsuitable);
        };
        let q: Vec<f64> = problem
            .free_velocity()
            .iter()
            .zip(&scaled.root)
            .map(|(b, k)| b * k)
            .collect();
        let mut it = Iterate::new(problem, scaled, start, best);
        let mut mark = (best.residual(), 0);
        for iteration in 1..=limit {
            if best.reached() {
                return (iteration - 1, Outcome::Reached);
            }
            let (primal, dual) = it.step(problem, scaled, &factor, &q, rho, p);
            best.offer(problem, &it.impulse, iteration);
            // Stagnation check.
            if best.residual() <= 0.5 * mark.0 {
                mark = (best.residual(), iteration);
            } else if iteration - mark.1 >= p.patience {
                return (iteration, Outcome::Stalled);
            }
            // Residual balancing: adapt ρ to the ratio of primal and dual residual.
            let ratio = (primal / dual.max(f64::MIN_POSITIVE)).sqrt();
            let off = ratio > p.balance.sqrt() || ratio * p.balance.sqrt() < 1.0;
            if iteration % 10 == 0 && off && ratio.is_finite() && ratio > 0.0 {
                rho = (rho * ratio).clamp(1e-8, 1e8);
                match scaled.factor(rho + p.proximal) {
                    Some(renewed) => factor = renewed,
                    None => return (iteration, Outcome::Stalled),
                }
            }
        }
        (limit, Outcome::Exhausted)
    }
}

impl Iterate {
    fn new(problem: &Problem, scaled: &ScaledDelassus, start: &[f64], best: &BestIterate) -> Self {
        let y: Vec<f64> = start.iter().zip(&scaled.root).map(|(r, k)| r / k).collect();
        // The dual variable starts at the shifted velocity u + g e_n of the warm start.
        let mut z: Vec<f64> = best
            .velocity()
            .iter()
            .zip(&scaled.root)
            .map(|(u, k)| u * k)
            .collect();
        for a in 0..problem.num_contacts() {
            let shift = problem.law(a).shift(&z[problem.rows(a)]);
            z[problem.rows(a).start] += shift;
        }
        Self {
            x: y.clone(),
            impulse: start.to_vec(),
            y,
            z,
        }
    }

    /// One iteration; returns the relative primal and dual residuals.
    fn step(
        &mut self,
        problem: &Problem,
        scaled: &ScaledDelassus,
        factor: &SparseFactor,
        q: &[f64],
        rho: f64,
        p: &AdmmParams,
    ) -> (f64, f64) {
        // x: right-hand side, then back-substitution.
        for i in 0..q.len() {
            self.x[i] = p.proximal * self.x[i] + rho * self.y[i] + self.z[i] - q[i];
        }
        for a in 0..problem.num_contacts() {
            let rows = problem.rows(a);
            self.x[rows.start] -= problem.law(a).shift(&self.z[rows.clone()]);
        }
        factor.solve(&mut self.x);
        let (mut primal, mut dual) = (0.0, 0.0);
        let mut size = [0.0_f64; 4];
        for a in 0..problem.num_contacts() {
            // y: projection of the over-relaxed point onto the cone, in unscaled impulses.
            let rows = problem.rows(a);
            let root = scaled.root[rows.start];
            let impulse = &mut self.impulse[rows.clone()];
            for (i, row) in rows.clone().enumerate() {
                let relaxed = p.relax * self.x[row] + (1.0 - p.relax) * self.y[row];
                impulse[i] = (relaxed - self.z[row] / rho) * root;
            }
            problem.law(a).project(impulse);
            // z: dual update; residuals.
            for (i, row) in rows.enumerate() {
                let relaxed = p.relax * self.x[row] + (1.0 - p.relax) * self.y[row];
                let y = impulse[i] / root;
                self.z[row] += rho * (y - relaxed);
                primal += (self.x[row] - y).powi(2);
                dual += (rho * (y - self.y[row])).powi(2);
                self.y[row] = y;
                let parts = [self.x[row], y, self.z[row], q[row]];
                size.iter_mut().zip(parts).for_each(|(s, v)| *s += v * v);
            }
        }
        let tiny = f64::MIN_POSITIVE;
        let primal = (primal / size[0].max(size[1]).max(tiny)).sqrt();
        (primal, (dual / size[2].max(size[3]).max(tiny)).sqrt())
    }
}
