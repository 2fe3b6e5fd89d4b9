//! When an iterate is worth judging, and when a method has stopped paying.
//!
//! A judgement costs about a sweep, the norm of a sweep's change nothing. Their ratio moves slowly: after a
//! judgement it says which change goes with the tolerance, and the next judgement waits for it, at most as
//! many sweeps as its user says.

/// The change that goes with the tolerance is met with this much to spare, so that most steps are judged
/// once: the ratio moves by some per cent from sweep to sweep.
const SPARE: f64 = 0.95;

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct ResidualSchedule {
    tolerance: f64,
    every: usize,
    least: f64,
    /// Residual by norm of the change, at the last judgement.
    ratio: f64,
    last: usize,
    /// Residual and sweep when it had last halved.
    mark: (f64, usize),
}

impl ResidualSchedule {
    /// From the residual of the first iterate; judged every so many sweeps at least.
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

    /// Waits for another residual from now on.
    pub fn aim(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    /// Whether the iterate after `sweeps`, whose change has the norm `square` (squared), is judged.
    pub fn due(&self, sweeps: usize, square: f64) -> bool {
        let predicted = self.ratio * square.sqrt();
        // Without a tolerance in this measure nothing can be predicted.
        let near = self.tolerance.is_finite() && predicted <= SPARE * self.tolerance;
        near || sweeps == 1 || sweeps >= self.last + self.every
    }

    /// Takes a residual in; true if it is the least so far.
    pub fn judged(&mut self, sweeps: usize, square: f64, residual: f64) -> bool {
        self.last = sweeps;
        self.ratio = residual / square.sqrt().max(f64::MIN_POSITIVE);
        let better = residual < self.least;
        if better {
            self.least = residual;
        }
        if self.least <= 0.5 * self.mark.0 {
            self.mark = (self.least, sweeps);
        }
        better
    }

    /// The least residual so far.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Whether it has not halved within the patience.
    pub fn stalled(&self, sweeps: usize, patience: usize) -> bool {
        sweeps - self.mark.1 >= patience
    }
}
