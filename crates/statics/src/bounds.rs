//! Intervals of the contact impulses of a solved step (static indeterminacy).
//!
//! ```text
//! low_α = min S_n,α,  high_α = max S_n,α     over S admissible,  Gᵀ S = Gᵀ S*
//! ```
//!
//! The motion of a step need not determine its impulses: every S of the faces (`impulse_domain`)
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

use crate::assembly::ContactAssembly;
use crate::bounds_computation::BoundsComputation;
use crate::error::{StaticsError, finite, sized};
use crate::impulse_domain::Face;
use crate::impulse_interval::{ComputeOptions, ImpulseBounds};
use crate::self_stress::connected_components;

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
