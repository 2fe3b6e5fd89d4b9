//! Settings of the time integration.

/// Which candidates become active contacts of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// Those whose gap at the midpoint is closed: g(q_M) ≤ 0 (M88 §11), to within 1e-9 of the bodies' radii
    /// (1e-6 where the contact carried an impulse in the step before). A body that arrives with speed v
    /// penetrates the other by up to h v.
    Gap,
    /// Those that could close before the next detection, with 0 ≤ U_F,n + g/h ⊥ S_n ≥ 0 where the gap is still
    /// open (with restitution: those with g(q_M) + ½h U_n,free ≤ 0). Penetration is then of second order in h,
    /// at the cost of more contacts. The default: a body that lands rests on the other.
    #[default]
    Predicted,
}

/// The time integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integrator {
    /// Moreau's midpoint scheme (M88 §11): every contact obeys its law at the midpoint. On curved paths persistent
    /// contacts lose energy and sink, in proportion to the step.
    #[default]
    Midpoint,
    /// The same with persistent contacts at position and velocity level: U_F + U_I in their law at the midpoint, then
    /// g = 0 and the law with U_F at the end of the step. Of second order where contacts persist.
    Projected,
}

/// Settings of the time integration.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Time step h.
    pub step: f64,
    /// Velocity residual RV that each step must reach. Usual values: 1e-4 for flows, 1e-6 for structures.
    pub tolerance: f64,
    /// Largest number of solver iterations in a step; `None` uses the solver's own limit.
    pub max_iterations: Option<usize>,
    /// Name of the solver, one of `percuss_solve::NAMES`.
    pub solver: String,
    /// The time integration.
    pub integrator: Integrator,
    /// Which candidates become active contacts.
    pub activation: Activation,
    /// Whether overlaps are projected out after each step, in the kinetic metric (position correction,
    /// M88 Remark 11.1).
    pub projection: bool,
    /// Number of threads for detection, solver and balances; results do not depend on it.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: 1e-3,
            tolerance: 1e-6,
            max_iterations: None,
            solver: "auto".into(),
            integrator: Integrator::default(),
            activation: Activation::default(),
            projection: false,
            threads: 1,
        }
    }
}
