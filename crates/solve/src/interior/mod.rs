//! A primal-dual interior point method for structures of blocks.
//!
//! With y = u + g(u) eₙ, De Saxcé's shift g and scaled variables, the problem is
//!
//! ```text
//! K ∋ x ⊥ y ∈ K*,    y = Ŵ x + q̂ + g(Ŵ x + q̂) eₙ          (bilateral rows: u = 0)
//! ```
//!
//! Each cone is mapped onto a second-order cone (module `cone`). A Newton step on y and on the
//! complementarity a∘b = σγ e in Nesterov and Todd's scaling, Θ = V⁻², is
//!
//! ```text
//! ( TᵀΘT + (I + G)(Ŵ + α) ) dx = Tᵀ V⁻¹ z − (u + g eₙ − y),    Gₙₜ = ∂g/∂u_t
//! ```
//!
//! with Mehrotra's predictor and corrector. g is smoothed over the speed 0.1 √γ, γ the mean of a·b,
//! so that its slope exists. The matrix is not symmetric (friction is not associated), the
//! factorisation is a sparse LU. When step lengths collapse the method starts afresh with G = 0:
//! the shift lags one iteration behind, the matrix is symmetric and positive definite, and the
//! steps are steadier though more of them are needed.
//!
//! One iteration is one factorisation and two back-substitutions; their number hardly depends on
//! the height of a stack or on mass ratios. Limits: starts from its own centre, so a good start
//! gains nothing; stalls at 1e-3 to 1e-6 on jammed packings of spheres; treats only the laws with a
//! second-order cone (Coulomb, static-dynamic, asymmetric in the plane, elliptic) and bilateral rows.

use contact::Problem;

use crate::goal::{Best, Goal, Outcome, Report, Solver};
use crate::linear::{Factor, Scaled};

mod cone;
#[cfg(test)]
mod tests;

use cone::{Scaling, Shape, Triple, product, quotient, reach};

/// How the method proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct InteriorParams {
    /// Largest number of iterations if the goal does not say.
    pub max_iterations: usize,
    /// Fraction of the way to the boundary of the cones that a step may go.
    pub fraction: f64,
    /// Proximal term α in scaled variables, centred at the present iterate: keeps dependent
    /// bilateral rows and hyperstatic contacts factorisable.
    pub proximal: f64,
    /// A step shorter than this is a collapsed one.
    pub collapse: f64,
    /// Stagnation: the best residual has not halved within this many iterations.
    pub patience: usize,
}

impl Default for InteriorParams {
    fn default() -> Self {
        Self {
            max_iterations: 60,
            fraction: 0.99,
            proximal: 1e-12,
            collapse: 0.05,
            patience: 20,
        }
    }
}

/// The interior point method.
#[derive(Debug, Default)]
pub struct Interior {
    /// How it proceeds.
    pub params: InteriorParams,
}

impl Interior {
    /// With the given parameters.
    pub fn new(params: InteriorParams) -> Self {
        Self { params }
    }
}

impl Solver for Interior {
    fn name(&self) -> &'static str {
        "interior"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = Best::new(problem, impulse, goal);
        let n = problem.num_contacts();
        let shapes: Option<Vec<Shape>> =
            (0..n).map(|a| Shape::of(problem.law(a), problem.dim(a))).collect();
        let Some(shapes) = shapes else {
            return best.finish(self.name(), 0, Outcome::Unsuitable, impulse);
        };
        let (iterations, outcome) = self.iterate(problem, shapes, goal, &mut best);
        best.finish(self.name(), iterations, outcome, impulse)
    }
}

impl Interior {
    fn iterate(&self, problem: &Problem, shapes: Vec<Shape>, goal: &Goal, best: &mut Best) -> (usize, Outcome) {
        let p = &self.params;
        let limit = goal.max_iterations.unwrap_or(p.max_iterations);
        if best.reached() {
            return (0, Outcome::Reached);
        }
        let mut scaled = Scaled::new(problem);
        let mut state = State::new(problem, &mut scaled, shapes);
        if !(state.size > 0.0) {
            // Nothing moves: no impulse is needed.
            best.offer(problem, &state.impulse, 0);
            return (0, Outcome::Stalled);
        }
        let mut attempt = 0;
        let mut mark = (best.residual(), 0);
        let mut collapsed = 0;
        for iteration in 1..=limit {
            let lagged = ATTEMPTS[attempt] == Attempt::Lagged;
            let step = state
                .linearise(problem, &scaled, lagged)
                .and_then(|()| state.factor(&mut scaled, lagged, p.proximal))
                .map(|factor| state.advance(problem, &scaled, &factor, p));
            best.offer(problem, &state.impulse, iteration);
            if std::env::var("DBG").is_ok() { eprintln!("{iteration} {lagged} step {step:?} gap {:.2e} defect {:.2e} best {:.2e}", state.gap, state.defect.iter().map(|v| v*v).sum::<f64>().sqrt(), best.residual()); }
            if best.reached() {
                return (iteration, Outcome::Reached);
            }
            if best.residual() <= 0.5 * mark.0 {
                mark = (best.residual(), iteration);
            }
            collapsed = if step.is_some_and(|s| s >= p.collapse) { 0 } else { collapsed + 1 };
            let stalled = step.is_none() || collapsed >= 3 || iteration - mark.1 >= p.patience;
            if stalled {
                if (attempt + 1) >= ATTEMPTS.len() {
                    return (iteration, Outcome::Stalled);
                }
                attempt += 1;
                collapsed = 0;
                mark = (best.residual(), iteration);
                state.centre(problem, &scaled, ATTEMPTS[attempt]);
            }
        }
        (limit, Outcome::Exhausted)
    }
}

/// What is tried in turn, each time step lengths collapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// Full Newton matrix, a of the size of the load.
    Loaded,
    /// Full Newton matrix, a of the size of ‖q̂‖.
    Plain,
    /// Symmetric matrix: the shift lags behind.
    Lagged,
}

const ATTEMPTS: [Attempt; 3] = [Attempt::Loaded, Attempt::Plain, Attempt::Lagged];

/// The pair (a, b) of every contact and what one Newton step needs.
struct State {
    shapes: Vec<Shape>,
    /// Number of cones.
    cones: usize,
    /// ‖q̂‖: everything below is divided by it.
    size: f64,
    a: Vec<Triple>,
    b: Vec<Triple>,
    scaling: Vec<Scaling>,
    /// γ, the mean of a·b over the cones.
    gap: f64,
    /// Length of the last step.
    last: f64,
    /// Size of a if everything sticks, relative to ‖q̂‖.
    load: f64,
    /// Impulses in physical units.
    impulse: Vec<f64>,
    /// x by row, for the rows of bilateral contacts.
    x: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
    /// u + g eₙ − y by row (bilateral rows: u).
    defect: Vec<f64>,
    /// TᵀΘT and I + G by contact.
    metric: Vec<f64>,
    slope: Vec<f64>,
    dx: Vec<f64>,
    da: Vec<Triple>,
    db: Vec<Triple>,
}

/// Weight that holds a row without impulse at zero in the symmetric matrix; entries of Ŵ are of
/// order one.
const DEAD: f64 = 1e12;

/// Proximal term of the sticking estimate: hyperstatic impulses stay small, loads of a million times
/// a block's own weight are still seen.
const STICK: f64 = 1e-9;

fn ev(k: &str, d: f64) -> f64 { std::env::var(k).map_or(d, |v| v.parse().unwrap()) }

impl State {
    fn new(problem: &Problem, scaled: &mut Scaled, shapes: Vec<Shape>) -> Self {
        let (n, rows) = (shapes.len(), problem.num_rows());
        let blocks = (0..n).map(|a| problem.dim(a).pow(2)).sum();
        let q = problem.free().iter().zip(&scaled.root).map(|(b, k)| (b * k).powi(2));
        let mut state = Self {
            cones: shapes.iter().filter(|s| **s != Shape::Free).count(),
            shapes,
            size: q.sum::<f64>().sqrt(),
            a: vec![[0.0; 3]; n],
            b: vec![[0.0; 3]; n],
            scaling: vec![Scaling::default(); n],
            gap: 0.0,
            last: 1.0,
            load: 1.0,
            impulse: vec![0.0; rows],
            x: vec![0.0; rows],
            velocity: vec![0.0; rows],
            scratch: vec![0.0; problem.scratch_len()],
            defect: vec![0.0; rows],
            metric: vec![0.0; blocks],
            slope: vec![0.0; blocks],
            dx: vec![0.0; rows],
            da: vec![[0.0; 3]; n],
            db: vec![[0.0; 3]; n],
        };
        if state.size > 0.0 {
            state.load = state.load_size(problem, scaled);
            state.centre(problem, scaled, ATTEMPTS[0]);
        }
        state
    }

    /// How large a is if everything sticks: a start much smaller than the solution makes the gap
    /// vanish long before y = u + g eₙ is met (heavy loads on light blocks).
    fn load_size(&self, problem: &Problem, scaled: &mut Scaled) -> f64 {
        let mut x: Vec<f64> = problem.free().iter().zip(&scaled.root).map(|(b, k)| -b * k / self.size).collect();
        let Some(factor) = scaled.factor(STICK) else {
            return 1.0;
        };
        factor.solve(&mut x);
        let square = |k: usize| match &self.shapes[k] {
            Shape::Cone(cone) => {
                let a = cone.into_cone(&x[problem.rows(k)]);
                a.iter().map(|v| v * v).sum::<f64>()
            }
            Shape::Free => 0.0,
        };
        let sum: f64 = (0..self.shapes.len()).map(square).sum();
        let size = (sum / self.cones.max(1) as f64).sqrt() * ev("START", 1.0);
        if size.is_finite() { size.max(ev("SMIN", 1.0)) } else { 1.0 }
    }

    /// Puts every cone at its centre.
    fn centre(&mut self, problem: &Problem, scaled: &Scaled, attempt: Attempt) {
        let size = if attempt == Attempt::Loaded { self.load } else { 1.0 };
        self.a.fill([size, 0.0, 0.0]);
        self.b.fill([1.0, 0.0, 0.0]);
        self.x.fill(0.0);
        self.last = 1.0;
        self.set_impulse(problem, scaled);
    }

    fn set_impulse(&mut self, problem: &Problem, scaled: &Scaled) {
        for (k, shape) in self.shapes.iter().enumerate() {
            let rows = problem.rows(k);
            if let Shape::Cone(cone) = shape {
                cone.out_of_cone(&self.a[k], &mut self.x[rows]);
            }
        }
        for (i, r) in self.impulse.iter_mut().enumerate() {
            *r = self.x[i] * self.size * scaled.root[i];
        }
    }

    fn product_mean(&self) -> f64 {
        let dot = |k: usize| product(&self.a[k], &self.b[k])[0];
        let sum: f64 = (0..self.shapes.len()).filter(|&k| self.shapes[k] != Shape::Free).map(dot).sum();
        sum / self.cones.max(1) as f64
    }

    /// Velocities, scalings and blocks of the matrix; `None` when an iterate touches the boundary.
    fn linearise(&mut self, problem: &Problem, scaled: &Scaled, lagged: bool) -> Option<()> {
        problem.velocity_into(&self.impulse, &mut self.scratch, &mut self.velocity);
        for (u, root) in self.velocity.iter_mut().zip(&scaled.root) {
            *u *= root / self.size;
        }
        self.gap = self.product_mean();
        let eps = (0.1 * self.gap.sqrt().min(1e-2)).min(ev("EPSM", 1e99) * self.gap);
        self.metric.fill(0.0);
        self.slope.fill(0.0);
        let mut start = 0;
        for k in 0..self.shapes.len() {
            let rows = problem.rows(k);
            let d = rows.len();
            let (metric, slope) = (&mut self.metric[start..start + d * d], &mut self.slope[start..start + d * d]);
            let (u, defect) = (&self.velocity[rows.clone()], &mut self.defect[rows]);
            start += d * d;
            let Shape::Cone(cone) = &self.shapes[k] else {
                (0..d).for_each(|i| slope[i * d + i] = 1.0);
                defect.copy_from_slice(u);
                continue;
            };
            self.scaling[k] = Scaling::new(&self.a[k], &self.b[k])?;
            let theta = cone.metric(&self.scaling[k]);
            let (shift, gradient) = cone.shift(u, eps);
            let y = cone.transpose(&self.b[k]);
            // Rows that are not in the cone carry no impulse.
            defect.fill(0.0);
            (0..d).for_each(|i| metric[i * d + i] = if lagged { DEAD } else { 1.0 });
            for (i, &row) in cone.rows().iter().enumerate() {
                defect[row] = u[row] - y[i];
                slope[row * d + row] = 1.0;
                for (j, &column) in cone.rows().iter().enumerate() {
                    metric[row * d + column] = theta[j][i];
                }
                if i > 0 && !lagged {
                    slope[row] = gradient[i];
                }
            }
            defect[0] += shift;
        }
        Some(())
    }

    fn factor(&self, scaled: &mut Scaled, lagged: bool, proximal: f64) -> Option<Factor> {
        if lagged && scaled.symmetric {
            return scaled.block_factor(&self.metric, proximal);
        }
        scaled.newton_factor(&self.metric, &self.slope, proximal)
    }

    /// One predictor-corrector step; returns its length.
    fn advance(&mut self, problem: &Problem, scaled: &Scaled, factor: &Factor, p: &InteriorParams) -> f64 {
        self.direction(problem, factor, 0.0, false);
        let alpha = self.length(1.0);
        let after: f64 = (0..self.shapes.len())
            .filter(|&k| self.shapes[k] != Shape::Free)
            .map(|k| {
                let moved = |z: &Triple, dz: &Triple| std::array::from_fn(|i| z[i] + alpha * dz[i]);
                product(&moved(&self.a[k], &self.da[k]), &moved(&self.b[k], &self.db[k]))[0]
            })
            .sum::<f64>()
            / self.cones.max(1) as f64;
        // After a short step: more centring, and no second-order term that was wrong anyway.
        let floor = match self.last {
            s if s < 0.05 => 0.9,
            s if s < 0.2 => 0.5,
            s if s < 0.5 => 0.1,
            _ => 1e-6,
        };
        let norm = self.defect.iter().map(|v| v * v).sum::<f64>().sqrt();
        let floor = if self.gap < ev("RATIO", 0.0) * norm * self.load { ev("SIG", 0.5_f64).max(floor) } else { floor };
        let sigma = (after / self.gap.max(f64::MIN_POSITIVE)).powi(3).clamp(floor, 1.0);
        self.direction(problem, factor, sigma, self.last > 0.2);
        let alpha = self.length(p.fraction);
        for k in 0..self.shapes.len() {
            for i in 0..3 {
                self.a[k][i] += alpha * self.da[k][i];
                self.b[k][i] += alpha * self.db[k][i];
            }
        }
        for (x, dx) in self.x.iter_mut().zip(&self.dx) {
            *x += alpha * dx;
        }
        self.last = alpha;
        self.set_impulse(problem, scaled);
        alpha
    }

    /// Solves for (dx, da, db) with centring `sigma`; `second` adds the second-order term of the
    /// direction found before.
    fn direction(&mut self, problem: &Problem, factor: &Factor, sigma: f64, second: bool) {
        for k in 0..self.shapes.len() {
            let rows = problem.rows(k);
            let (dx, defect) = (&mut self.dx[rows.clone()], &self.defect[rows]);
            let Shape::Cone(cone) = &self.shapes[k] else {
                dx.iter_mut().zip(defect).for_each(|(x, u)| *x = -u);
                continue;
            };
            let scaling = &self.scaling[k];
            let mut target = product(&scaling.lambda, &scaling.lambda).map(|v| -v);
            if second {
                let (da, db) = (scaling.divide(&self.da[k]), scaling.multiply(&self.db[k]));
                let change = product(&da, &db);
                (0..3).for_each(|i| target[i] -= change[i]);
            }
            target[0] += sigma * self.gap;
            let z = scaling.divide(&quotient(&scaling.lambda, &target));
            // db = V⁻¹z − Θ da is completed once da is known.
            self.db[k] = z;
            let rhs = cone.transpose(&z);
            dx.fill(0.0);
            for (i, &row) in cone.rows().iter().enumerate() {
                dx[row] = rhs[i] - defect[row];
            }
        }
        factor.solve(&mut self.dx);
        for k in 0..self.shapes.len() {
            if let Shape::Cone(cone) = &self.shapes[k] {
                let da = cone.into_cone(&self.dx[problem.rows(k)]);
                let theta_da = self.scaling[k].divide(&self.scaling[k].divide(&da));
                (0..3).for_each(|i| self.db[k][i] -= theta_da[i]);
                self.da[k] = da;
            }
        }
    }

    /// The step length: `fraction` of the way to the nearest boundary, at most one.
    fn length(&self, fraction: f64) -> f64 {
        let mut alpha = 1.0_f64;
        for k in 0..self.shapes.len() {
            if self.shapes[k] != Shape::Free {
                let nearest = reach(&self.a[k], &self.da[k]).min(reach(&self.b[k], &self.db[k]));
                alpha = alpha.min(fraction * nearest);
            }
        }
        alpha
    }
}
