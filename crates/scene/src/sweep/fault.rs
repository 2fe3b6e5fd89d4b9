//! Errors of a process in the words of its scene.

use mechanism::{MechanismError, System, SystemError};
use sweep::SweepError;

use super::Plan;
use super::set::{self, Complaint};
use crate::text::TextSystem;

/// The error of a process in the words of its scene.
pub(super) fn explain(
    error: SweepError,
    plan: &Plan,
    system: &TextSystem,
    complaint: &Complaint,
) -> MechanismError {
    if let Ok(mut slot) = complaint.lock()
        && let Some(first) = slot.take()
    {
        return first.into();
    }
    let name = |row: usize| {
        let (k, _) = set::number_of_row(plan, system, row);
        let found = system.constraints().get(k);
        found.map_or_else(|| row.to_string(), |c| format!("`{}`", c.name))
    };
    let (what, problem, t) = match error {
        SweepError::Empty { time, rows, reason } => {
            let names: Vec<String> = rows.iter().map(|&r| name(r)).collect();
            let problem = match names.is_empty() {
                true => format!("is empty ({reason})"),
                false => format!("is empty: {} contradict each other", names.join(", ")),
            };
            ("the moving set".to_string(), problem, time)
        }
        SweepError::StartOutside { time, distance } => {
            let advice = "move it inside, or add `start = \"project\"` to [process]";
            let problem = format!("is outside the moving set by {distance:e} ({advice})");
            ("the start".to_string(), problem, time)
        }
        SweepError::NotConvex {
            time,
            constraint,
            at,
            seen,
            excess,
        } => {
            let problem = format!(
                "is not concave: between {at:?} and {seen:?} it lies {excess:e} above its tangent; \
                 the set must be convex"
            );
            (format!("the gap of {}", name(constraint)), problem, time)
        }
        SweepError::NotConverged {
            what,
            time,
            iterations,
            residual,
        } => {
            let problem = format!("did not arrive after {iterations} iterations ({residual:e})");
            (what.to_string(), problem, time)
        }
        other => (
            "the sweeping process".to_string(),
            format!("stopped ({other})"),
            f64::NAN,
        ),
    };
    SystemError {
        what,
        problem,
        t: if t.is_nan() { 0.0 } else { t },
    }
    .into()
}
