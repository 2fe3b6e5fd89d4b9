//! Sets and closed forms that several tests share.

use percuss_sweep::{Inequalities, Method, MovingSet, Process, Schedule, Settings};

/// A disc or ball |x − a(t)| ≤ r as one smooth inequality.
pub struct MovingBall {
    pub dim: usize,
    pub radius: f64,
    pub centre: fn(f64, &mut [f64]),
    pub speed: fn(f64, &mut [f64]),
}

impl Inequalities for MovingBall {
    fn dim(&self) -> usize {
        self.dim
    }
    fn count(&self) -> usize {
        1
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        let mut a = vec![0.0; self.dim];
        (self.centre)(t, &mut a);
        let square: f64 = x.iter().zip(&a).map(|(x, a)| (x - a).powi(2)).sum();
        out[0] = 0.5 * (square - self.radius.powi(2));
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        (self.centre)(t, out);
        out.iter_mut().zip(x).for_each(|(g, x)| *g = x - *g);
    }
    fn hessian(&self, _t: f64, _x: &[f64], weights: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for i in 0..self.dim {
            out[i * self.dim + i] = weights[0];
        }
    }
    fn rates(&self, t: f64, x: &[f64], out: &mut [f64]) {
        let (mut a, mut v) = (vec![0.0; self.dim], vec![0.0; self.dim]);
        (self.centre)(t, &mut a);
        (self.speed)(t, &mut v);
        out[0] = (0..self.dim).map(|i| -(x[i] - a[i]) * v[i]).sum();
    }
}

/// Centre of the dragged disc.
pub fn dragged(t: f64, a: &mut [f64]) {
    (a[0], a[1]) = (t, 0.0);
}

/// Its velocity.
pub fn dragging(_t: f64, v: &mut [f64]) {
    (v[0], v[1]) = (1.0, 0.0);
}

/// The tractrix: a point on the rim of a unit disc dragged along the axis (radius 1, y₀ = 0.9).
pub fn tractrix(t: f64) -> [f64; 2] {
    let tau = t + (1.0_f64 / 0.9).acosh();
    [t - tau.tanh(), 1.0 / tau.cosh()]
}

/// Settings with this method.
pub fn method(method: Method) -> Settings {
    Settings {
        method,
        ..Settings::default()
    }
}

/// Runs and returns the worst distance of the points to a closed form over all steps, having
/// checked that no step was missed.
pub fn worst_error<S: MovingSet>(
    process: &mut Process<S>,
    schedule: &Schedule,
    exact: impl Fn(f64) -> Vec<f64>,
) -> f64 {
    let mut worst = 0.0_f64;
    let summary = process
        .run(schedule, |step, u| {
            let e = exact(step.time);
            let off: f64 = u.iter().zip(&e).map(|(a, b)| (a - b).powi(2)).sum();
            worst = worst.max(off.sqrt());
        })
        .expect("the run ends");
    assert!(summary.certified(), "missed steps: {summary:?}");
    worst
}

/// Slopes of log error over log step between neighbours.
pub fn orders(errors: &[(f64, f64)]) -> Vec<f64> {
    errors
        .windows(2)
        .map(|w| (w[0].1 / w[1].1).ln() / (w[0].0 / w[1].0).ln())
        .collect()
}

/// A reproducible stream of numbers in [−1, 1].
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
