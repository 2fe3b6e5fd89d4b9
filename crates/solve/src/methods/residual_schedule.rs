//! Residual check schedule: after which sweeps the residual is evaluated, and when a method has stagnated.
//!
//! Evaluating R2 costs a pass over the contacts, about a sweep; the norm of the change of the impulses in a sweep costs
//! nothing. Their ratio changes slowly from sweep to sweep. After an evaluation it predicts the norm of the change at
//! which the residual reaches the tolerance, and the next evaluation waits for that, at most a given number of sweeps.

/// Safety factor on the predicted residual, so that most solves need one evaluation: the ratio changes by some per cent
/// from sweep to sweep.
const SPARE: f64 = 0.95;

/// Predicts when the residual reaches the tolerance; see the module.
#[derive(Debug, Clone)]
pub(crate) struct ResidualSchedule {
    tolerance: f64,
    every: usize,
    least: f64,
    /// Residual over the norm of the change, at the last evaluation.
    ratio: f64,
    last: usize,
    /// Residual and sweep at which it had last halved.
    mark: (f64, usize),
}

impl ResidualSchedule {
    /// From the residual of the first iterate; evaluated at least every `every` sweeps.
    pub fn new(residual: f64, tolerance: f64, every: usize) -> Self {
        Self {
            tolerance,
            every,
            least: residual,
            ratio: 0.0,
            last: 0,
            mark: (residual, 0),
        }
    }

    /// Sets the residual to wait for from now on.
    pub fn aim(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    /// Whether to evaluate the iterate after `sweeps`, whose change has the squared norm `square`.
    pub fn due(&self, sweeps: usize, square: f64) -> bool {
        let predicted = self.ratio * square.sqrt();
        // An infinite tolerance (a measure that cannot be predicted) leaves the fixed interval alone.
        let near = self.tolerance.is_finite() && predicted <= SPARE * self.tolerance;
        near || sweeps == 1 || sweeps >= self.last + self.every
    }

    /// Records an evaluated residual; true if it is the smallest so far.
    pub fn judged(&mut self, sweeps: usize, square: f64, residual: f64) -> bool {
        // New ratio of residual and change for the prediction.
        self.last = sweeps;
        self.ratio = residual / square.sqrt().max(f64::MIN_POSITIVE);
        let better = residual < self.least;
        if better {
            self.least = residual;
        }
        // Progress: remember where the residual last halved.
        if self.least <= 0.5 * self.mark.0 {
            self.mark = (self.least, sweeps);
        }
        better
    }

    /// Smallest residual so far.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Whether the residual has not halved within `patience` sweeps.
    pub fn stalled(&self, sweeps: usize, patience: usize) -> bool {
        sweeps - self.mark.1 >= patience
    }
}
