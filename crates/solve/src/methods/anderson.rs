//! Anderson acceleration of Gauss–Seidel sweeps.
//!
//! With y = sweep(r), f = y − r and the differences ΔF, ΔY of the last five sweeps, the next sweep starts from
//!
//! ```text
//! θ = argmin ‖f − Σ θ_k ΔF_k‖  in the metric 1/κ,      r⁺ = y − Σ θ_k ΔY_k
//! ```
//!
//! Where contacts keep their status the sweep is an affine map and this is GMRES on its error: it removes the slow
//! modes of structures of blocks, in which the conjugate directions of NNCG are reset again and again. In sphere
//! packings it is erratic: a step whose norm jumps clears the history, and the method is left when it has stagnated.
//! Every result is the outcome of a sweep, inside the cones, whose residual was evaluated. One iteration is one sweep.
//! Limit: it needs the SIMD sweeper, which keeps the history.

use percuss_contact::Problem;

use crate::best_iterate::{BestIterate, accepted_fraction};
use crate::goal::{Goal, Outcome, Report, Solver};
use crate::methods::residual_schedule::ResidualSchedule;
use crate::simd::{ANDERSON_DEPTH, AndersonProducts, AndersonStep, SimdSweeper};

/// Parameters of [`Anderson`].
#[derive(Debug, Clone, PartialEq)]
pub struct AndersonParams {
    /// Largest number of sweeps if the goal does not say.
    pub max_sweeps: usize,
    /// Largest number of sweeps between two evaluations of the residual.
    pub residual_interval: usize,
    /// Stagnation: the best residual has not halved within this many sweeps.
    pub patience: usize,
    /// Fraction of the tolerance down to which it continues as long as it converges fast.
    pub target: f64,
}

impl Default for AndersonParams {
    fn default() -> Self {
        Self {
            max_sweeps: 2000,
            residual_interval: 10,
            patience: 100,
            target: 1.0,
        }
    }
}

/// Anderson-accelerated Gauss–Seidel; see the module.
#[derive(Debug, Default)]
pub struct Anderson {
    /// Limits and target.
    pub params: AndersonParams,
    simd_sweeper: SimdSweeper,
    /// Best swept iterate, once one is better than the first.
    kept: Vec<f64>,
    best: Option<BestIterate>,
}

/// Patience where the residual is close to the target.
const NEAR: usize = 10;

/// A step whose squared norm grows by more than this clears the history: contacts have changed their status.
const JUMP: f64 = 4.0;

/// Regularisation of the normal equations, relative to their trace: the differences of a few sweeps are nearly
/// parallel.
const RIDGE: f64 = 1e-10;

/// The normal equations of the least-squares problem for θ, updated from the inner products of each sweep.
#[derive(Debug, Clone)]
struct NormalEquations {
    /// ⟨ΔF_i, ΔF_j⟩ and ⟨ΔF_i, f⟩.
    matrix: [[f64; ANDERSON_DEPTH]; ANDERSON_DEPTH],
    right: [f64; ANDERSON_DEPTH],
    /// ⟨f, f⟩.
    norm: f64,
    /// Number of stored differences, and the slot of the next ones.
    known: usize,
    next: usize,
}

impl NormalEquations {
    fn new() -> Self {
        Self {
            matrix: [[0.0; ANDERSON_DEPTH]; ANDERSON_DEPTH],
            right: [0.0; ANDERSON_DEPTH],
            norm: f64::INFINITY,
            known: 0,
            next: 0,
        }
    }

    /// Adds the inner products of a sweep that wrote its differences into `slot`.
    fn add(&mut self, products: &AndersonProducts<f64>, slot: Option<usize>) {
        if let Some(slot) = slot {
            // ΔF = f − f_before, so that its products are differences of known ones.
            for k in 0..ANDERSON_DEPTH {
                let cross = products.df[k] - self.right[k];
                self.matrix[slot][k] = cross;
                self.matrix[k][slot] = cross;
            }
            self.matrix[slot][slot] = products.own - 2.0 * products.last + self.norm;
            self.known = (self.known + 1).min(ANDERSON_DEPTH);
            self.next = (slot + 1) % ANDERSON_DEPTH;
        }
        self.right = products.df;
        if let Some(slot) = slot {
            self.right[slot] = products.own - products.last;
        }
        // Contacts have changed status: clear the history.
        if products.own > JUMP * self.norm {
            self.known = 0;
            self.next = 0;
        }
        self.norm = products.own;
    }

    /// The next sweep, which writes its differences into `slot`.
    fn step(&self, slot: Option<usize>) -> AndersonStep {
        AndersonStep {
            theta: self.mixture(),
            history_len: self.known,
            slot: slot.unwrap_or(0),
            fresh: slot.is_some(),
        }
    }

    /// θ, zero for slots without differences.
    fn mixture(&self) -> [f64; ANDERSON_DEPTH] {
        let m = self.known;
        let (mut a, mut b) = (self.matrix, self.right);
        let trace: f64 = (0..m).map(|i| a[i][i]).sum();
        let mut theta = [0.0; ANDERSON_DEPTH];
        // Gaussian elimination with regularised diagonal.
        for k in 0..m {
            a[k][k] += RIDGE * trace;
            if !(a[k][k] > 0.0) {
                return theta;
            }
            for i in k + 1..m {
                let factor = a[i][k] / a[k][k];
                for j in k..m {
                    a[i][j] -= factor * a[k][j];
                }
                b[i] -= factor * b[k];
            }
        }
        // Back substitution.
        for i in (0..m).rev() {
            let known: f64 = (i + 1..m).map(|j| a[i][j] * theta[j]).sum();
            theta[i] = (b[i] - known) / a[i][i];
        }
        if theta.iter().all(|x| x.is_finite()) {
            theta
        } else {
            [0.0; ANDERSON_DEPTH]
        }
    }
}

impl Anderson {
    /// A solver with the given parameters.
    pub fn new(params: AndersonParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// Sweeps without progress: few where the residual is close to the target.
    fn patience(&self, residual: f64, tolerance: f64) -> usize {
        let target = self.params.target;
        let near = target < 1.0 && residual <= accepted_fraction(target) * tolerance;
        self.params
            .patience
            .min(if near { NEAR } else { usize::MAX })
    }

    /// The best iterate so far, the first one being `impulse`.
    fn kept<'a>(&'a self, impulse: &'a [f64]) -> &'a [f64] {
        if self.kept.is_empty() {
            impulse
        } else {
            &self.kept
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        impulse: &[f64],
        best: &mut BestIterate,
        start: f64,
        limit: usize,
    ) -> (usize, bool) {
        let mut r2_goal = self.params.target * best.r2_target();
        let mut schedule = ResidualSchedule::new(start, r2_goal, self.params.residual_interval);
        let mut normal = NormalEquations::new();
        let (mut sweeps, mut last) = (0, None);
        while sweeps < limit && !best.within_fraction(self.params.target) {
            // One sweep from the mixed impulses; the first has no sweep before to take differences with.
            let slot = (sweeps > 0).then_some(normal.next);
            let anderson_step = normal.step(slot);
            let products = self
                .simd_sweeper
                .anderson_sweep(problem, &anderson_step, last);
            normal.add(&products, slot);
            last = slot;
            sweeps += 1;
            // Evaluate R2 when due, and the goal's residual when R2 predicts the target.
            if schedule.due(sweeps, products.own) || best.keeps_history() || sweeps == limit {
                let residual = self.simd_sweeper.residual(problem);
                if schedule.judged(sweeps, products.own, residual) {
                    self.kept.resize(impulse.len(), 0.0);
                    self.simd_sweeper.store(problem, &mut self.kept);
                }
                if schedule.least() <= r2_goal || best.keeps_history() {
                    best.offer_with_r2(problem, self.kept(impulse), sweeps, schedule.least());
                    r2_goal = self.params.target * best.r2_target();
                    schedule.aim(r2_goal);
                }
                // Stagnation check.
                if schedule.stalled(sweeps, self.patience(schedule.least(), best.r2_target())) {
                    return (sweeps, true);
                }
            }
        }
        (sweeps, false)
    }
}

impl Solver for Anderson {
    fn name(&self) -> &'static str {
        "anderson"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::reuse_empty(self.best.take(), problem, goal);
        let limit = goal.max_iterations.unwrap_or(self.params.max_sweeps);
        let (mut sweeps, mut otherwise) = (0, Outcome::Exhausted);
        if self.simd_sweeper.fit(problem) {
            self.simd_sweeper.load(problem, impulse);
            self.kept.clear();
            // R2 of the warm start; the goal's residual only if it may have converged already.
            let start = self.simd_sweeper.residual(problem);
            if start <= self.params.target * best.r2_target() || best.keeps_history() {
                best.offer_with_r2(problem, impulse, 0, start);
            }
            let mut stalled = false;
            if !best.within_fraction(self.params.target) {
                self.simd_sweeper.reserve_history();
                (sweeps, stalled) = self.run(problem, impulse, &mut best, start, limit);
            }
            // An iterate that only came near the target is evaluated once, at the end.
            if !best.within_fraction(self.params.target) {
                best.offer(problem, self.kept(impulse), sweeps);
            }
            if stalled {
                otherwise = Outcome::Stalled;
            }
        } else {
            // No SIMD packs: not a problem of bodies with Coulomb friction.
            best.offer(problem, impulse, 0);
            otherwise = Outcome::Unsuitable;
        }
        let report = best.finish(self.name(), sweeps, otherwise, impulse);
        self.best = Some(best);
        report
    }
}

#[cfg(test)]
mod tests {
    use percuss_contact::Problem;

    use super::{Anderson, NormalEquations};
    use crate::methods::nlgs::Nlgs;
    use crate::sample::{Packing, Wall};
    use crate::simd::ANDERSON_DEPTH;

    /// The same method written out as reference: plain sweeps, whole vectors, the least-squares problem by definition.
    fn written_out(problem: &Problem, sweeps: usize) -> Vec<f64> {
        let n = problem.num_rows();
        let mut weight = vec![0.0; n];
        for a in 0..problem.num_contacts() {
            weight[problem.rows(a)].fill(1.0 / problem.kappa(a));
        }
        let dot = |a: &[f64], b: &[f64]| (0..n).map(|i| a[i] * b[i] * weight[i]).sum::<f64>();
        let minus =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (mut r, mut y) = (vec![0.0; n], vec![0.0; n]);
        let mut last: Option<(Vec<f64>, Vec<f64>)> = None;
        let mut past: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for _ in 0..sweeps {
            y.copy_from_slice(&r);
            Nlgs::default().sweep(problem, &mut y, 1);
            let f = minus(&y, &r);
            if let Some((f_last, y_last)) = &last {
                if dot(&f, &f) > super::JUMP * dot(f_last, f_last) {
                    past.clear();
                } else {
                    past.push((minus(&f, f_last), minus(&y, y_last)));
                    if past.len() > ANDERSON_DEPTH {
                        past.remove(0);
                    }
                }
            }
            last = Some((f.clone(), y.clone()));
            let mut normal = NormalEquations::new();
            normal.known = past.len();
            for (i, (df, _)) in past.iter().enumerate() {
                normal.right[i] = dot(df, &f);
                for (j, (other, _)) in past.iter().enumerate() {
                    normal.matrix[i][j] = dot(df, other);
                }
            }
            let theta = normal.mixture();
            r.copy_from_slice(&y);
            for (theta, (_, dy)) in theta.iter().zip(&past) {
                r.iter_mut().zip(dy).for_each(|(r, dy)| *r -= theta * dy);
            }
        }
        y
    }

    fn in_packs(problem: &Problem, sweeps: usize) -> Vec<f64> {
        let mut anderson = Anderson::default();
        assert!(anderson.simd_sweeper.fit(problem));
        let mut y = vec![0.0; problem.num_rows()];
        anderson.simd_sweeper.load(problem, &y);
        anderson.simd_sweeper.reserve_history();
        let (mut normal, mut last) = (NormalEquations::new(), None);
        for sweep in 0..sweeps {
            let slot = (sweep > 0).then_some(normal.next);
            let anderson_step = normal.step(slot);
            let products = anderson
                .simd_sweeper
                .anderson_sweep(problem, &anderson_step, last);
            normal.add(&products, slot);
            last = slot;
        }
        anderson.simd_sweeper.store(problem, &mut y);
        y
    }

    #[test]
    fn packs_do_what_the_method_written_out_does() {
        let problems = [
            Wall::default().problem(),
            Packing::default()
                .settle()
                .and_then(|settled| settled.colliding()),
        ];
        for problem in problems.map(Result::unwrap) {
            for sweeps in [1, 2, 3, 5, 8, 12] {
                let (a, b) = (written_out(&problem, sweeps), in_packs(&problem, sweeps));
                let size = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let apart = a
                    .iter()
                    .zip(&b)
                    .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                // Rounding, enlarged by normal equations whose condition is bounded by the ridge of 1e-10.
                assert!(
                    apart <= 1e-6 * size,
                    "{sweeps} sweeps: {apart:e} of {size:e}"
                );
            }
        }
    }
}
