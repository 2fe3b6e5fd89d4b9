//! The stages of a time step, Moreau's midpoint scheme: functions that know model, state and scratch memory, but not
//! the world that calls them (`World::step` is the driver).
//!
//! ```text
//! q_M = q_I + ½h u_I                        detection; J: active, g_α(q_M) ≤ 0 or predicted to close
//! u_L = u_I + h A⁻¹K                        free velocity
//! u_F = u_L + A⁻¹ Σ Gᵀ S,  law_α(Ū_α, S_α)    α ∈ J                             (★)
//! q_F = q_I + ½h (u_I + u_F)                                        (M88 §11, JM92 §7)
//! ```
//!
//! | module | computes |
//! |---|---|
//! | `scratch` | the memory of a step, grouped by the stage that fills it; constants of the model |
//! | `inputs` | what is known before (★) is assembled, and after it is solved |
//! | `midpoint` | the configuration q_M |
//! | `free_velocity` | u_L; forces, gyroscopic terms, drag |
//! | `detection` | the candidates at the midpoint |
//! | `assemble`, `law`, `solver_hints` | (★) with its warm start |
//! | `solve` | the impulses |
//! | `end_velocity`, `position` | u_F and q_F; contacts stored for the next warm start |
//! | `joints` | rows of joints, their friction, further passes, drift |
//! | `balance`, `other_solution` | momentum, energy, penetration, Painlevé configurations, non-uniqueness |
//! | `persistent` | `Integrator::Projected`: persistent contacts at position and velocity level |
//! | `projection` | overlaps projected out |
//! | `cell_step` | the periodic cell |
//! | `fault_injection` | deliberate faults for tests of the certificate |

pub(crate) mod assemble;
pub(crate) mod balance;
pub(crate) mod cell_step;
pub(crate) mod detection;
pub(crate) mod end_velocity;
mod fault_injection;
pub(crate) mod free_velocity;
mod inputs;
pub(crate) mod joints;
mod law;
pub(crate) mod midpoint;
mod other_solution;
pub(crate) mod persistent;
pub(crate) mod position;
pub(crate) mod projection;
mod scratch;
pub(crate) mod solve;
mod solver_hints;

use percuss_geometry::{Pose, Vector};

use crate::body::Body;
use crate::dynamics::Dynamics;
use crate::error::WorldError;

pub use balance::{DeepestContact, LargestDrift, PainleveContact};
pub use fault_injection::Fault;
pub(crate) use fault_injection::disturb_velocity;
pub(crate) use inputs::{SolvedStep, StepInputs};
pub use joints::JointRow;
pub use law::law as contact_law;
pub use other_solution::OtherSolution;
pub use projection::Overlap;
#[cfg(test)]
pub(crate) use scratch::Midpoint;
pub(crate) use scratch::{Detection, EndVelocity, Scratch, Solution};

/// The times of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepTime {
    /// Length of the step.
    pub h: f64,
    /// Midpoint t_I + ½h, at which kinematic bodies are placed. Forces and stresses are evaluated at `end` − ½h, which
    /// is rounded differently.
    pub mid: f64,
    /// End of the step, t_I + h.
    pub end: f64,
}

/// Index of a body without kinetic coordinates: no component of its velocity is an unknown.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Tolerance of a closed gap, relative to the radii of the two bodies: poses are rounded, so that a body placed
/// on another has a gap of either sign.
const CLOSED: f64 = 1e-9;

/// The same tolerance for a contact that carried an impulse in the step before. By its law it did not open: S > 0
/// implies Ū_n = 0. Its gap is due to the solver's residual of Ū_n, and dropping the contact would let the
/// bodies fall freely for one step: millimetres under a heavy load.
const CLOSED_IF_LOADED: f64 = 1e-6;

/// Bounding radius of a body, the scale of its gaps; 0 for unbounded boundaries.
fn gap_scale<D: Dynamics>(body: &Body<D>) -> f64 {
    let radius = D::bounding_radius(&body.shape);
    if radius.is_finite() { radius } else { 0.0 }
}

/// Checks that a pose is finite.
pub(crate) fn check_pose<D: Dynamics>(
    body: usize,
    t: f64,
    pose: &Pose<D>,
) -> Result<(), WorldError> {
    // A rotated vector is finite if the rotation is.
    let turned = D::rotate(&pose.rotation, D::Vector::splat(1.0));
    if pose.position.is_finite() && turned.is_finite() {
        return Ok(());
    }
    Err(not_finite(body, "placement", t))
}

/// The error of a quantity that is not finite.
pub(crate) fn not_finite(body: usize, what: &'static str, t: f64) -> WorldError {
    WorldError::NotFinite { body, what, t }
}
