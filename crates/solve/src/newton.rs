//! Semismooth Newton with a moving proximal centre, for high accuracy.
//!
//! In scaled variables the law of each contact is F(x, u) = 0 with Alart and Curnier's function,
//! u = Ŵ x + q̂. A Newton step with A = ∂F/∂x, B = ∂F/∂u of the generalised Jacobian and a proximal
//! term α that is centred at the present iterate,
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F(x, u)
//! ```
//!
//! leaves the solutions where they are and makes the matrix regular although Ŵ is singular
//! (hyperstatic contacts). α follows the residual and a controller: an iterate that gets worse
//! makes it larger, one that gets better smaller, as in pseudo-transient continuation. Steps are
//! full: a line search on a nonsmooth merit stalls on jammed packings. One iteration is one
//! factorisation.

use contact::{Measure, Problem};

use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::linear::Scaled;

/// How the method proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// α = `proximal` · m · residual^`power`, m the controller.
    pub proximal: f64,
    /// See `proximal`.
    pub power: f64,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self {
            max_iterations: 400,
            proximal: 0.1,
            power: 0.5,
            patience: 100,
        }
    }
}

/// The semismooth Newton method.
#[derive(Debug, Default)]
pub struct Newton {
    /// How it proceeds.
    pub params: NewtonParams,
}

impl Newton {
    /// With the given parameters.
    pub fn new(params: NewtonParams) -> Self {
        Self { params }
    }
}

impl Solver for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = Best::new(problem, impulse, goal);
        let mut scaled = Scaled::new(problem);
        let (iterations, outcome) = self.iterate(problem, &mut scaled, impulse, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

impl Newton {
    fn iterate(
        &self,
        problem: &Problem,
        scaled: &mut Scaled,
        impulse: &mut [f64],
        goal: &Goal,
        best: &mut Best,
    ) -> (usize, Outcome) {
        let p = &self.params;
        let verbose = std::env::var("V").is_ok();
        let ev = |k: &str, d: f64| std::env::var(k).map_or(d, |v| v.parse().unwrap());
        let mut round = 0;
        let (rej, mut kap, pw, cap, up, dn, up2, swap) = (ev("REJ", 30.0), ev("KAP", 0.1), ev("PW", 0.5), ev("CAP", 1.0), ev("UP", 4.0), ev("DN", 0.7), ev("UP2", 2.0), ev("SWAP", 0.0));
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        let mut judge = contact::Judge::new(problem);
        let mut system = System::new(problem);
        let mut trial = impulse.to_vec();
        let mut smoothed = impulse.to_vec();
        let mut flow = crate::sweep::Flow::new(problem);
        let mut m = 1.0_f64;
        let mut residual = judge.residual(problem, impulse, Measure::Dimensionless);
        let mut lowest = residual;
        let mut mark = (best.residual(), 0);
        for iteration in 1..=limit {
            if best.reached() {
                return (iteration - 1, Outcome::Reached);
            }
            let alpha = (m * kap * residual.powf(pw)).clamp(1e-9, cap);
            problem.velocity_into(impulse, &mut system.scratch, &mut system.velocity);
            system.linearise(problem, scaled, impulse);
            if scaled.newton_step(&system.dr, &system.du, alpha, &mut system.step).is_none() {
                m *= 10.0;
                continue;
            }
            for i in 0..trial.len() {
                trial[i] = impulse[i] + system.step[i] * scaled.root[i];
            }
            let mut next = judge.residual(problem, &trial, Measure::Dimensionless);
            let ns: usize = std::env::var("NS").map_or(0, |v| v.parse().unwrap());
            if ns > 0 && !(next < 0.1 * residual) {
                smoothed.copy_from_slice(&trial);
                flow.refresh(problem, &smoothed);
                for _ in 0..ns { flow.sweep(problem, &mut smoothed, crate::sweep::LocalStep::Exact); }
                let after = judge.residual(problem, &smoothed, Measure::Dimensionless);
                if verbose { print!("  raw {next:.1e} "); }
                if !(next < after) { next = after; trial.copy_from_slice(&smoothed); }
            }
            if verbose { println!("   {iteration} alpha {alpha:.1e} R2 {next:.2e} best {:.1e}", best.residual()); }
            best.offer(problem, &trial, iteration);
            if best.residual() <= 0.5 * mark.0 {
                mark = (best.residual(), iteration);
            } else if iteration - mark.1 >= ev("PAT", 40.0) as usize {
                round += 1;
                if round >= 12 { return (iteration, Outcome::Stalled); }
                let f = [1.0, 3.0, 0.3, 10.0, 0.1, 1.0][round % 6];
                kap = ev("KAP", 0.1) * f;
                m = 1.0;
                impulse.copy_from_slice(best.impulse());
                residual = judge.residual(problem, impulse, Measure::Dimensionless);
                lowest = residual;
                mark = (best.residual(), iteration);
                if verbose { println!("   round {round} {kap} {residual:.1e}"); }
                continue;
            }
            if !next.is_finite() || (next > rej * lowest && next > residual) {
                m = (m * up).min(cap / (kap * residual.powf(pw)));
                if swap > 0.0 { impulse.copy_from_slice(&smoothed); flow.refresh(problem, impulse); for _ in 0..swap as usize { flow.sweep(problem, impulse, crate::sweep::LocalStep::Exact); } residual = judge.residual(problem, impulse, Measure::Dimensionless); }
                continue;
            }
            if next > 2.0 * residual {
                m *= up2;
            } else if next > 0.5 * residual {
                m *= dn;
            }
            m = m.clamp(1e-6, 1e4);
            impulse.copy_from_slice(&trial);
            residual = next;
            lowest = lowest.min(residual);
        }
        (limit, Outcome::Exhausted)
    }
}

/// F and its generalised Jacobian at the present iterate, in scaled variables.
struct System {
    scratch: Vec<f64>,
    velocity: Vec<f64>,
    /// −F, then the step.
    step: Vec<f64>,
    dr: Vec<f64>,
    du: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
}

impl System {
    fn new(problem: &Problem) -> Self {
        let blocks = (0..problem.num_contacts()).map(|a| problem.dim(a).pow(2)).sum();
        let widest = (0..problem.num_contacts()).map(|a| problem.dim(a)).max().unwrap_or(0);
        Self {
            scratch: vec![0.0; problem.scratch_len()],
            velocity: vec![0.0; problem.num_rows()],
            step: vec![0.0; problem.num_rows()],
            dr: vec![0.0; blocks],
            du: vec![0.0; blocks],
            x: vec![0.0; widest],
            u: vec![0.0; widest],
        }
    }

    fn linearise(&mut self, problem: &Problem, scaled: &Scaled, impulse: &[f64]) {
        let mut start = 0;
        for a in 0..problem.num_contacts() {
            let rows = problem.rows(a);
            let (d, root) = (rows.len(), scaled.root[rows.start]);
            let (x, u) = (&mut self.x[..d], &mut self.u[..d]);
            for (i, row) in rows.clone().enumerate() {
                x[i] = impulse[row];
                u[i] = self.velocity[row];
            }
            // F(r, u) with ρ = κ is √κ times the scaled function of (x, û): divide F and dF/du.
            let end = start + d * d;
            let (f, dr, du) = (&mut self.step[rows], &mut self.dr[start..end], &mut self.du[start..end]);
            problem.law(a).alart_curnier(root * root, x, u, f, dr, du);
            f.iter_mut().for_each(|f| *f = -*f / root);
            du.iter_mut().for_each(|v| *v /= root * root);
            start = end;
        }
    }
}
