//! Intervals of impulses and the options of their computation.

use crate::null_space::Hyperstaticity;

/// An interval narrower than this share of the largest impulse is a point: the solver's tolerance is
/// 1e-11, and it reaches 1e-8 where the admissible set has no interior.
pub(crate) const NARROW: f64 = 1e-6;

/// The interval of one normal impulse (of the first row of a joint).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseInterval {
    /// Smallest value attained by an admissible S; −∞ if unbounded.
    pub low: f64,
    /// Largest value attained; ∞ if unbounded.
    pub high: f64,
    /// Proven lower bound: no admissible S is below this.
    pub low_bound: f64,
    /// Proven upper bound: no admissible S is above this.
    pub high_bound: f64,
    /// Whether the interval is a point to the accuracy of the computation.
    pub determined: bool,
}

impl ImpulseInterval {
    /// The interval of a determined impulse.
    pub(crate) fn point(value: f64) -> Self {
        Self {
            low: value,
            high: value,
            low_bound: value,
            high_bound: value,
            determined: true,
        }
    }
}

/// Threads and progress report of a computation.
pub struct ComputeOptions<'a> {
    /// Number of threads; results do not depend on it.
    pub threads: usize,
    /// Called with the completed share, 0 to 1.
    pub progress: &'a mut dyn FnMut(f64),
}

/// Intervals of the impulses of a step, with the residuals that prove them.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpulseBounds {
    /// Interval of the normal impulse, by contact.
    pub intervals: Vec<ImpulseInterval>,
    /// Degree of hyperstaticity.
    pub hyperstaticity: Hyperstaticity,
    /// The admissible S of least norm, by row.
    pub least: Vec<f64>,
    /// Unbounded self-stress, by row: GᵀR = 0, R admissible, R_n up to 1.
    pub self_stress: Option<Vec<f64>>,
    /// Residual of GᵀR = 0 of the self-stress.
    pub stress_balance: f64,
    /// Largest balance residual |Gᵀ(S − S*)| of the S that attain the ends, relative to the largest impulse.
    pub balance: f64,
    /// Largest cone violation of those S, relative to the largest impulse.
    pub cone: f64,
    /// Largest gap between an attained end and its bound, relative to the largest impulse.
    pub gap: f64,
    /// Distance of S* from the faces, relative to the largest impulse: S* is first projected onto them.
    pub projection_distance: f64,
    /// The largest impulse, to which the figures above are relative.
    pub scale: f64,
    /// Number of connected components with undetermined impulses.
    pub parts: usize,
    /// Number of conic programs solved.
    pub programs: usize,
}
