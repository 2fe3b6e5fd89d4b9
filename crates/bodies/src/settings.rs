//! How a collection is stepped.

/// Which contacts take part in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// Those whose gap at the midpoint is not positive: g(q_M) ≤ 0 (M88 §11), to within 1e-9 of the
    /// bodies' radii (1e-6 where the contact carried an impulse in the step before). A body that arrives
    /// at speed v stays up to h v deep in the other.
    Gap,
    /// Those that could close before the next detection, with 0 ≤ U_F,n + g/h ⊥ S_n ≥ 0 where the gap
    /// is still open (with restitution: those whose g(q_M) + ½h U_n,free ≤ 0). Penetration then is of
    /// second order, at the price of more contacts. The default: a body that lands rests on the other.
    #[default]
    Predicted,
}

/// How a collection is stepped.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Length of a step, h.
    pub step: f64,
    /// Residual R2 that each step must reach. Nominal: 1e-4 for flows, 1e-6 for structures.
    pub tolerance: f64,
    /// Largest number of solver iterations in a step; `None` leaves it to the solver.
    pub max_iterations: Option<usize>,
    /// Name of the solver, one of `solve::NAMES`.
    pub solver: String,
    /// Which contacts take part.
    pub activation: Activation,
    /// Whether overlaps are projected away after each step, in the kinetic metric (M88 Remark 11.1).
    pub projection: bool,
    /// Threads for detection; results do not depend on it.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 1e-3,
            tolerance: 1e-6,
            max_iterations: None,
            solver: "auto".into(),
            activation: Activation::default(),
            projection: false,
            threads: 1,
        }
    }
}
