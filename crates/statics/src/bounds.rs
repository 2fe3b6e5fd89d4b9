//! Intervals of the contact impulses of a solved step (static indeterminacy).
//!
//! ```text
//! low_α = min S_n,α,  high_α = max S_n,α     over S admissible,  Gᵀ S = Gᵀ S*
//! ```
//!
//! The motion of a step need not determine its impulses: every S of the faces (`domain`)
//! with the same Gᵀ S belongs to the same motion. (The motion itself may be non-unique with Coulomb friction; it is
//! given here.) Given S* and the state of each contact, the extremes of
//! every S_n are two conic programs, linear ones in the plane. First the null space of Gᵀ tells which
//! contacts cannot change at all; they are fixed, open ones dropped, and the rest is split into
//! connected components, each with one solver set-up for all of its programs.
//!
//! Each end of an interval is reported by the value of an S that attains it (balance and cones are checked here) and
//! by a proven bound, from the dual and a bound of Σ S_n that is proven first. Where
//! self-stress leaves S unbounded (a jammed wedge) no bound of all S exists: there the bounds of
//! the other contacts hold among S not larger than those that were found.

use crate::domain::Face;
use crate::error::{StaticsError, finite, sized};
use crate::null::Hyperstaticity;
use crate::recession::connected_components;
use crate::system::ContactAssembly;
use crate::work::BoundsComputation;

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

/// The intervals of all normal impulses; `faces` gives the state of each contact, `impulse` is S*.
///
/// # Errors
/// Lists of the wrong length, numbers that are not finite, a law without a convex cone, a solver
/// failure.
pub fn impulse_bounds(
    system: &ContactAssembly,
    faces: &[Face],
    impulse: &[f64],
    effort: &mut ComputeOptions<'_>,
) -> Result<ImpulseBounds, StaticsError> {
    // Sizes and finite values.
    sized("the list of faces", faces.len(), system.num_contacts())?;
    sized("the list of impulses", impulse.len(), system.num_rows())?;
    finite(|| "the list of impulses".into(), impulse)?;
    // Project S* onto the faces; the null space tells which contacts can vary.
    let mut work = BoundsComputation::new(system, faces, impulse)?;
    let varying = work.compute_hyperstaticity();
    let parts = connected_components(system, &varying);
    work.result.parts = parts.len();
    // Component by component, with progress by number of contacts.
    let total: usize = parts.iter().map(Vec::len).sum();
    let mut done = 0;
    for part in &parts {
        let share = (done as f64 / total as f64, part.len() as f64 / total as f64);
        done += part.len();
        work.part(part, share, effort)?;
    }
    (effort.progress)(1.0);
    Ok(work.finish())
}
