//! Smooth flow between events: velocity on the active constraints, one Runge–Kutta step, event functions.

use crate::error::{Result, at, check_finite};
use crate::inequalities::Inequalities;
use crate::lane_sums::{axpy, norm};
use percuss_convex::qp::{LinearConstraints, Prox, prox};

/// A function counts as zero above −TOUCH, relative to |∇c_k| (1 + |u|).
pub(super) const TOUCH: f64 = 1e-12;

/// The perturbation f(t, u).
type FlowAt<'a> = &'a dyn Fn(f64, &[f64]) -> Result<Vec<f64>>;

/// Values, time derivatives and gradients of all functions at one time and point.
pub(super) struct ConstraintValues {
    pub values: Vec<f64>,
    pub rates: Vec<f64>,
    pub gradients: Vec<f64>,
}

/// The smooth system between events: functions, metric, perturbation.
pub(super) struct SmoothFlow<'a> {
    pub functions: &'a dyn Inequalities,
    pub metric: &'a percuss_convex::Metric,
    pub flow: FlowAt<'a>,
}

impl SmoothFlow<'_> {
    /// Evaluates all functions; refuses values that are not finite.
    pub fn local(&self, t: f64, u: &[f64]) -> Result<ConstraintValues> {
        let (n, m) = (self.functions.dim(), self.functions.count());
        let mut local = ConstraintValues {
            values: vec![0.0; m],
            rates: vec![0.0; m],
            gradients: vec![0.0; n * m],
        };
        self.functions.values(t, u, &mut local.values);
        check_finite("inequality", &local.values, t)?;
        self.functions.rates(t, u, &mut local.rates);
        check_finite("rate of an inequality", &local.rates, t)?;
        self.functions.gradients(t, u, &mut local.gradients);
        check_finite("gradient of an inequality", &local.gradients, t)?;
        Ok(local)
    }

    /// Velocity argmin |w + f| subject to the rows `which`, all as equations or all as inequalities.
    pub fn velocity(&self, t: f64, u: &[f64], which: &[usize], equations: bool) -> Result<Prox> {
        let n = u.len();
        let local = self.local(t, u)?;
        // Quadratic programme: nearest velocity to −f with ∇c·w = −∂c/∂t (or ≤).
        let rows: Vec<f64> = which
            .iter()
            .flat_map(|&k| local.gradients[k * n..(k + 1) * n].to_vec())
            .collect();
        let bounds: Vec<f64> = which.iter().map(|&k| -local.rates[k]).collect();
        let goal: Vec<f64> = (self.flow)(t, u)?.iter().map(|f| -f).collect();
        let rows = LinearConstraints {
            matrix: &rows,
            bounds: &bounds,
            equalities: if equations { which.len() } else { 0 },
        };
        prox(self.metric, rows, &goal).map_err(at(t))
    }

    /// Newton projection onto c_k = 0, k ∈ K, along the normals.
    fn restore(&self, t: f64, u: &mut [f64], held: &[usize]) -> Result<()> {
        let n = u.len();
        for _ in 0..8 {
            let local = self.local(t, u)?;
            let rows: Vec<f64> = held
                .iter()
                .flat_map(|&k| local.gradients[k * n..(k + 1) * n].to_vec())
                .collect();
            // Shortest step with c + ∇c·Δu = 0.
            let bounds: Vec<f64> = held.iter().map(|&k| -local.values[k]).collect();
            let rows = LinearConstraints {
                matrix: &rows,
                bounds: &bounds,
                equalities: held.len(),
            };
            let step = prox(self.metric, rows, &vec![0.0; n]).map_err(at(t))?.point;
            axpy(1.0, &step, u);
            if norm(&step) <= 1e-15 * (1.0 + norm(u)) {
                break;
            }
        }
        Ok(())
    }

    /// One step of Dormand and Prince's pair 5(4) of length h with active set K; returns the end and the error
    /// estimate.
    pub fn dormand_prince(
        &self,
        t: f64,
        u: &[f64],
        h: f64,
        held: &[usize],
    ) -> Result<(Vec<f64>, f64)> {
        let mut slopes: Vec<Vec<f64>> = Vec::with_capacity(7);
        // Stages, each with the constrained velocity.
        for (c, row) in NODES.iter().zip(&STAGES) {
            let mut x = u.to_vec();
            for (slope, a) in slopes.iter().zip(row) {
                axpy(h * a, slope, &mut x);
            }
            slopes.push(self.velocity(t + c * h, &x, held, true)?.point);
        }
        let mut end = u.to_vec();
        let mut error = vec![0.0; u.len()];
        for k in 0..7 {
            axpy(h * ERROR[k], &slopes[k], &mut error);
        }
        // The last stage is evaluated at the solution of order 5 (first same as last).
        for (slope, weight) in slopes.iter().zip(STAGES[6]) {
            axpy(h * weight, slope, &mut end);
        }
        self.restore(t + h, &mut end, held)?;
        Ok((end, norm(&error)))
    }

    /// Event functions after a step: c_k/|∇c_k| outside K, −λ_k|∇c_k| in K. Returns the largest and its index.
    pub fn largest_event_function(
        &self,
        t: f64,
        u: &[f64],
        held: &[usize],
        quiet: &[usize],
    ) -> Result<(f64, usize)> {
        let n = u.len();
        let local = self.local(t, u)?;
        let forces = self.velocity(t, u, held, true)?.multipliers;
        let (mut worst, mut who) = (f64::NEG_INFINITY, usize::MAX);
        for (k, &c) in local.values.iter().enumerate() {
            let length = norm(&local.gradients[k * n..(k + 1) * n]).max(f64::MIN_POSITIVE);
            // A grazing function is an event only once it is violated.
            let signal = match held.iter().position(|&h| h == k) {
                Some(i) => -forces[i] * length,
                None if quiet.contains(&k) && c / length <= TOUCH * (1.0 + norm(u)) => continue,
                None => c / length,
            };
            if signal > worst {
                (worst, who) = (signal, k);
            }
        }
        Ok((worst, who))
    }
}

/// Nodes of Dormand and Prince's pair 5(4).
const NODES: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// Stage weights; the last row is the solution of order 5.
#[rustfmt::skip]
const STAGES: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Error estimate: difference of the weights of orders 5 and 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Largest violation c_k/|∇c_k|, at least 0.
pub(super) fn worst(local: &ConstraintValues, n: usize) -> f64 {
    let each = local
        .values
        .iter()
        .zip(local.gradients.chunks_exact(n.max(1)));
    each.map(|(c, g)| c / norm(g).max(f64::MIN_POSITIVE))
        .fold(0.0, f64::max)
}
