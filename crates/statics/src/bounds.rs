//! How far the impulses of a solved step may vary.
//!
//! ```text
//! low_α = min S_n,α,  high_α = max S_n,α     over S admissible,  Gᵀ S = Gᵀ S*
//! ```
//!
//! The velocities of a step are unique, its impulses need not be: every S of the faces (`domain`)
//! with the same Gᵀ S belongs to the same motion. Given S* and what each contact did, the extremes of
//! every S_n are two conic programs, linear ones in the plane. First the null space of Gᵀ says which
//! contacts cannot change at all; they are fixed, open ones dropped, and what is left falls into
//! connected parts, each with one factorisation set up for all of its programs.
//!
//! What is said of an end is the value of an S that reaches it (balance and cones measured here) and a
//! bound that nothing passes, from the dual and a bound of Σ S_n that is proven first. Where
//! self-stress leaves S unbounded (a jammed wedge) there is no such bound of all S: there the bounds of
//! the other contacts hold among S not larger than those that were found.

use crate::domain::Face;
use crate::error::{StaticsError, finite, sized};
use crate::null::Hyperstaticity;
use crate::recession::connected_components;
use crate::system::ContactAssembly;
use crate::work::BoundsComputation;

/// Share of the largest impulse below which the width of an interval is rounding: the solver aims
/// at 1e-11, and reaches 1e-8 where the admissible set has no inside.
pub(crate) const NARROW: f64 = 1e-6;

/// The interval of one normal impulse (of the first row of a joint).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseInterval {
    /// Least value that an admissible S was found to have; −∞ if unbounded.
    pub low: f64,
    /// Greatest one; ∞ if unbounded.
    pub high: f64,
    /// No admissible S is below this.
    pub low_bound: f64,
    /// No admissible S is above this.
    pub high_bound: f64,
    /// Whether the interval is a point to the accuracy of the computation.
    pub determined: bool,
}

impl ImpulseInterval {
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

/// How much work may be done at once, and who hears of it.
pub struct ComputeOptions<'a> {
    /// Threads; results do not depend on it.
    pub threads: usize,
    /// Hears the share done.
    pub progress: &'a mut dyn FnMut(f64),
}

/// How far the impulses of a step may vary, with what proves it.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpulseBounds {
    /// By contact.
    pub intervals: Vec<ImpulseInterval>,
    /// Dimension of what is left open.
    pub hyperstaticity: Hyperstaticity,
    /// The admissible S of least norm, by row.
    pub least: Vec<f64>,
    /// Self-stress that nothing bounds, by row: GᵀR = 0, R admissible, R_n up to 1.
    pub self_stress: Option<Vec<f64>>,
    /// What is left of GᵀR = 0 of the self-stress.
    pub stress_balance: f64,
    /// Worst balance |Gᵀ(S − S*)| of the S that reach the ends, relative to the largest impulse.
    pub balance: f64,
    /// Worst distance of those S from the admissible ones, relative to the largest impulse.
    pub cone: f64,
    /// Worst distance between an end that is reached and its bound, relative to the largest impulse.
    pub gap: f64,
    /// How far S* was from the faces, relative to the largest impulse: it was put there first.
    pub projection_distance: f64,
    /// The largest impulse, which the shares above refer to.
    pub scale: f64,
    /// Connected parts that had something open.
    pub parts: usize,
    /// Conic programs solved.
    pub programs: usize,
}

/// The intervals of all normal impulses; `faces` says what each contact did, `impulse` is S*.
///
/// # Errors
/// Lists of the wrong length, numbers that are not finite, a law without a convex cone, a solver
/// without an answer.
pub fn impulse_bounds(
    system: &ContactAssembly,
    faces: &[Face],
    impulse: &[f64],
    effort: &mut ComputeOptions<'_>,
) -> Result<ImpulseBounds, StaticsError> {
    sized("the list of faces", faces.len(), system.num_contacts())?;
    sized("the list of impulses", impulse.len(), system.num_rows())?;
    finite(|| "the list of impulses".into(), impulse)?;
    let mut work = BoundsComputation::new(system, faces, impulse)?;
    let varying = work.compute_hyperstaticity();
    let parts = connected_components(system, &varying);
    work.result.parts = parts.len();
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
