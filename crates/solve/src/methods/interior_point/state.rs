//! The iterate of the interior point method, and one predictor-corrector step from it.

use percuss_contact::Problem;
use percuss_linalg::{SparseFactor, gmres};

use super::InteriorPointParams;
use super::cone::{
    AdmissibleSet, ConeVector, NesterovToddScaling, jordan_product, jordan_quotient, max_step,
    refit,
};
use crate::methods::newton_system::ScaledDelassus;

/// Variants of the Newton system, tried in turn each time step lengths collapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    /// Full Newton matrix; a starts at the size of the sticking impulses (the load).
    Loaded,
    /// Full Newton matrix; a starts at the size of ‖q̂‖, and b is refitted to the velocity where that keeps it well
    /// inside the cone.
    Refitted,
    /// Symmetric matrix: the shift lags one iteration behind.
    Lagged,
}

pub(super) const ATTEMPTS: [Attempt; 3] = [Attempt::Loaded, Attempt::Refitted, Attempt::Lagged];

/// The primal-dual pair (a, b) of every contact and the data of one Newton step.
pub(super) struct State {
    shapes: Vec<AdmissibleSet>,
    /// Number of cones.
    cones: usize,
    /// ‖q̂‖: everything below is divided by it.
    pub size: f64,
    a: Vec<ConeVector>,
    b: Vec<ConeVector>,
    scaling: Vec<NesterovToddScaling>,
    /// γ, the mean of a·b over the cones.
    duality_measure: f64,
    /// Length of the last step.
    last: f64,
    /// Whether GMRES preconditioned by the symmetric part is used, as long as it converges.
    krylov: bool,
    /// Size of a if every contact sticks, relative to ‖q̂‖.
    load: f64,
    /// Unscaled impulses.
    pub impulse: Vec<f64>,
    /// x by row, scaled impulses; iterated directly for bilateral rows.
    x: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
    /// Residual u + g eₙ − y by row (bilateral rows: u).
    defect: Vec<f64>,
    /// TᵀΘT and I + G by contact.
    metric: Vec<f64>,
    slope: Vec<f64>,
    dx: Vec<f64>,
    da: Vec<ConeVector>,
    db: Vec<ConeVector>,
}

/// The Newton matrix, ready for solves.
pub(super) enum FactoredSystem {
    /// Factorisation of the matrix itself.
    Direct(SparseFactor),
    /// Factorisation of its symmetric part, as a preconditioner: it lacks G, which acts on sliding contacts only.
    Preconditioned(SparseFactor),
}

/// Tolerance of GMRES, relative to the first residual.
const KRYLOV: f64 = 1e-9;

/// Largest number of GMRES basis vectors before the matrix itself is factorised.
const BASIS: usize = 60;

/// Diagonal weight that holds a row outside the cone at zero impulse; entries of Ŵ are of order one.
const DEAD: f64 = 1e12;

/// Proximal term of the sticking estimate: hyperstatic impulses stay small, loads of a million times a block's own
/// weight are still resolved.
const STICK: f64 = 1e-9;

impl State {
    pub fn new(problem: &Problem, scaled: &mut ScaledDelassus, shapes: Vec<AdmissibleSet>) -> Self {
        let (n, rows) = (shapes.len(), problem.num_rows());
        let blocks = (0..n).map(|a| problem.dim(a).pow(2)).sum();
        let q = problem
            .free_velocity()
            .iter()
            .zip(&scaled.root)
            .map(|(b, k)| (b * k).powi(2));
        let mut state = Self {
            cones: shapes.iter().filter(|s| **s != AdmissibleSet::Free).count(),
            shapes,
            size: q.sum::<f64>().sqrt(),
            a: vec![[0.0; 3]; n],
            b: vec![[0.0; 3]; n],
            scaling: vec![NesterovToddScaling::default(); n],
            duality_measure: 0.0,
            last: 1.0,
            krylov: false,
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

    /// Size of a if every contact sticks. A start much smaller than the solution lets γ vanish long before
    /// y = u + g eₙ is satisfied (heavy loads on light blocks).
    fn load_size(&self, problem: &Problem, scaled: &mut ScaledDelassus) -> f64 {
        let mut x: Vec<f64> = problem
            .free_velocity()
            .iter()
            .zip(&scaled.root)
            .map(|(b, k)| -b * k / self.size)
            .collect();
        // Sticking impulses: (Ŵ + α) x = −q̂.
        let Some(factor) = scaled.factor(STICK) else {
            return 1.0;
        };
        factor.solve(&mut x);
        let square = |k: usize| match &self.shapes[k] {
            AdmissibleSet::Cone(cone) => {
                let a = cone.image(&x[problem.rows(k)]);
                a.iter().map(|v| v * v).sum::<f64>()
            }
            AdmissibleSet::Free => 0.0,
        };
        let sum: f64 = (0..self.shapes.len()).map(square).sum();
        let size = (sum / self.cones.max(1) as f64).sqrt();
        if size.is_finite() { size.max(1.0) } else { 1.0 }
    }

    /// Puts every cone at its centre.
    pub fn centre(&mut self, problem: &Problem, scaled: &ScaledDelassus, attempt: Attempt) {
        let size = if attempt == Attempt::Loaded {
            self.load
        } else {
            1.0
        };
        self.a.fill([size, 0.0, 0.0]);
        self.b.fill([1.0, 0.0, 0.0]);
        self.x.fill(0.0);
        self.last = 1.0;
        // Where the matrix is small or sparse, LU costs less than a Krylov basis of its size.
        self.krylov = self.x.len() >= 500 && scaled.density() >= 20.0;
        self.set_impulse(problem, scaled);
    }

    fn set_impulse(&mut self, problem: &Problem, scaled: &ScaledDelassus) {
        for (k, shape) in self.shapes.iter().enumerate() {
            let rows = problem.rows(k);
            if let AdmissibleSet::Cone(cone) = shape {
                cone.preimage(&self.a[k], &mut self.x[rows]);
            }
        }
        for (i, r) in self.impulse.iter_mut().enumerate() {
            *r = self.x[i] * self.size * scaled.root[i];
        }
    }

    fn product_mean(&self) -> f64 {
        let dot = |k: usize| jordan_product(&self.a[k], &self.b[k])[0];
        let sum: f64 = (0..self.shapes.len())
            .filter(|&k| self.shapes[k] != AdmissibleSet::Free)
            .map(dot)
            .sum();
        sum / self.cones.max(1) as f64
    }

    /// Velocities, scalings and blocks of the matrix; `None` when an iterate touches the boundary of a cone.
    pub fn linearise(
        &mut self,
        problem: &Problem,
        scaled: &ScaledDelassus,
        attempt: Attempt,
    ) -> Option<()> {
        let lagged = attempt == Attempt::Lagged;
        problem.velocity_into(&self.impulse, &mut self.scratch, &mut self.velocity);
        // Scaled velocity û, and the duality measure γ.
        for (u, root) in self.velocity.iter_mut().zip(&scaled.root) {
            *u *= root / self.size;
        }
        self.duality_measure = self.product_mean();
        // Sticking contacts slide at a speed of order γ: below γ = 1e-8 a longer smoothing would only falsify the
        // shift of the sliding ones.
        let eps = (0.1 * self.duality_measure.sqrt().min(1e-2)).min(1e3 * self.duality_measure);
        self.metric.fill(0.0);
        self.slope.fill(0.0);
        let mut start = 0;
        for k in 0..self.shapes.len() {
            let rows = problem.rows(k);
            let d = rows.len();
            let (metric, slope) = (
                &mut self.metric[start..start + d * d],
                &mut self.slope[start..start + d * d],
            );
            let (u, defect) = (&self.velocity[rows.clone()], &mut self.defect[rows]);
            start += d * d;
            let AdmissibleSet::Cone(cone) = &self.shapes[k] else {
                // Bilateral rows: u = 0.
                (0..d).for_each(|i| slope[i * d + i] = 1.0);
                defect.copy_from_slice(u);
                continue;
            };
            self.scaling[k] = NesterovToddScaling::new(&self.a[k], &self.b[k])?;
            let (shift, gradient) = cone.shift(u, eps);
            if attempt == Attempt::Refitted
                && let Some((b, scaling)) = refit(cone, &self.a[k], u, shift, self.duality_measure)
            {
                (self.b[k], self.scaling[k]) = (b, scaling);
            }
            let y = cone.transpose(&self.b[k]);
            let theta = cone.metric(&self.scaling[k]);
            // Rows outside the cone carry no impulse.
            defect.fill(0.0);
            (0..d).for_each(|i| metric[i * d + i] = DEAD);
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

    /// Factorises the matrix, or its symmetric part as long as that is a good preconditioner.
    pub fn factor(
        &self,
        scaled: &mut ScaledDelassus,
        lagged: bool,
        proximal: f64,
    ) -> Option<FactoredSystem> {
        if lagged && scaled.symmetric {
            let factor = scaled.symmetric_factor(&self.metric, proximal);
            return factor.map(FactoredSystem::Direct);
        }
        if self.krylov
            && let Some(factor) = scaled.symmetric_factor(&self.metric, proximal)
        {
            return Some(FactoredSystem::Preconditioned(factor));
        }
        let factor = scaled.newton_factor(&self.metric, &self.slope, proximal);
        factor.map(FactoredSystem::Direct)
    }

    /// Solves for dx in place of the right-hand side.
    fn solve(
        &mut self,
        scaled: &mut ScaledDelassus,
        system: &mut FactoredSystem,
        proximal: f64,
    ) -> Option<()> {
        if let FactoredSystem::Preconditioned(factor) = system {
            // Left-preconditioned GMRES; on failure the matrix itself is factorised from now on.
            let (matrix, metric, slope) = (&*scaled, &self.metric, &self.slope);
            let apply = |x: &[f64], y: &mut [f64]| {
                matrix.product_into(metric, slope, proximal, x, y);
                factor.solve(y);
            };
            let mut dx = self.dx.clone();
            factor.solve(&mut dx);
            if gmres(apply, &mut dx, KRYLOV, BASIS) && dx.iter().all(|v| v.is_finite()) {
                self.dx.copy_from_slice(&dx);
                return Some(());
            }
            self.krylov = false;
            let factor = scaled.newton_factor(&self.metric, &self.slope, proximal)?;
            *system = FactoredSystem::Direct(factor);
        }
        if let FactoredSystem::Direct(factor) = system {
            factor.solve(&mut self.dx);
        }
        Some(())
    }

    /// One predictor-corrector step; returns its length.
    pub fn advance(
        &mut self,
        problem: &Problem,
        scaled: &mut ScaledDelassus,
        mut system: FactoredSystem,
        p: &InteriorPointParams,
    ) -> Option<f64> {
        // Predictor: affine scaling direction (σ = 0), and γ after it.
        self.direction(problem, 0.0, false);
        self.complete(problem, scaled, &mut system, p.proximal)?;
        let alpha = self.length(1.0);
        let after: f64 = (0..self.shapes.len())
            .filter(|&k| self.shapes[k] != AdmissibleSet::Free)
            .map(|k| {
                let moved =
                    |z: &ConeVector, dz: &ConeVector| std::array::from_fn(|i| z[i] + alpha * dz[i]);
                jordan_product(
                    &moved(&self.a[k], &self.da[k]),
                    &moved(&self.b[k], &self.db[k]),
                )[0]
            })
            .sum::<f64>()
            / self.cones.max(1) as f64;
        // After a short step: more centring, and no second-order term, which was inaccurate then.
        let floor = match self.last {
            s if s < 0.05 => 0.9,
            s if s < 0.2 => 0.5,
            s if s < 0.5 => 0.1,
            _ => 1e-6,
        };
        let sigma = (after / self.duality_measure.max(f64::MIN_POSITIVE))
            .powi(3)
            .clamp(floor, 1.0);
        // Corrector: centring and second-order term.
        self.direction(problem, sigma, self.last > 0.2);
        self.complete(problem, scaled, &mut system, p.proximal)?;
        let alpha = self.length(p.fraction);
        // Step to a fraction of the distance to the boundary.
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
        Some(alpha)
    }

    /// Right-hand side with centring `sigma`, in dx; `second` adds Mehrotra's second-order term of the direction found
    /// before.
    fn direction(&mut self, problem: &Problem, sigma: f64, second: bool) {
        for k in 0..self.shapes.len() {
            let rows = problem.rows(k);
            let (dx, defect) = (&mut self.dx[rows.clone()], &self.defect[rows]);
            let AdmissibleSet::Cone(cone) = &self.shapes[k] else {
                dx.iter_mut().zip(defect).for_each(|(x, u)| *x = -u);
                continue;
            };
            let scaling = &self.scaling[k];
            // −λ∘λ − (V⁻¹da)∘(V db) + σγ e.
            let mut target = jordan_product(&scaling.lambda, &scaling.lambda).map(|v| -v);
            if second {
                let (da, db) = (scaling.divide(&self.da[k]), scaling.multiply(&self.db[k]));
                let change = jordan_product(&da, &db);
                (0..3).for_each(|i| target[i] -= change[i]);
            }
            target[0] += sigma * self.duality_measure;
            let z = scaling.divide(&jordan_quotient(&scaling.lambda, &target));
            // db = V⁻¹z − Θ da is completed once da is known.
            self.db[k] = z;
            let rhs = cone.transpose(&z);
            dx.fill(0.0);
            for (i, &row) in cone.rows().iter().enumerate() {
                dx[row] = rhs[i] - defect[row];
            }
        }
    }

    /// Solves for dx and completes (da, db); `None` if the matrix cannot be factorised.
    fn complete(
        &mut self,
        problem: &Problem,
        scaled: &mut ScaledDelassus,
        system: &mut FactoredSystem,
        proximal: f64,
    ) -> Option<()> {
        self.solve(scaled, system, proximal)?;
        for k in 0..self.shapes.len() {
            if let AdmissibleSet::Cone(cone) = &self.shapes[k] {
                let da = cone.image(&self.dx[problem.rows(k)]);
                let theta_da = self.scaling[k].divide(&self.scaling[k].divide(&da));
                (0..3).for_each(|i| self.db[k][i] -= theta_da[i]);
                self.da[k] = da;
            }
        }
        Some(())
    }

    /// Step length: `fraction` of the distance to the nearest boundary, at most one.
    fn length(&self, fraction: f64) -> f64 {
        let mut alpha = 1.0_f64;
        for k in 0..self.shapes.len() {
            if self.shapes[k] != AdmissibleSet::Free {
                let nearest =
                    max_step(&self.a[k], &self.da[k]).min(max_step(&self.b[k], &self.db[k]));
                alpha = alpha.min(fraction * nearest);
            }
        }
        alpha
    }
}
