//! Errors of a sweeping process, with the names of the scene.

use percuss_mechanism::{MechanismError, System, SystemError};
use percuss_scene::SymbolicSystem;
use percuss_scene::symbolic::SweepingSettings;
use percuss_sweep::SweepingError;

use super::set::{self, Complaint};

/// The error of a process; an expression that failed takes precedence, as the cause.
pub(super) fn explain(
    error: SweepingError,
    plan: &SweepingSettings,
    system: &SymbolicSystem,
    complaint: &Complaint,
) -> MechanismError {
    // The failed expression is the cause of any later error.
    if let Ok(mut slot) = complaint.lock()
        && let Some(first) = slot.take()
    {
        return first.into();
    }
    // Rows of the set by the name of their contact or joint.
    let name = |row: usize| {
        let (k, _) = set::number_of_row(plan, system, row);
        let found = system.constraints().get(k);
        found.map_or_else(|| row.to_string(), |c| format!("`{}`", c.name))
    };
    let (what, problem, t) = match error {
        // An empty set is named by the rows that contradict each other.
        SweepingError::Empty { time, rows, reason } => {
            let names: Vec<String> = rows.iter().map(|&r| name(r)).collect();
            let problem = match names.is_empty() {
                true => format!("is empty ({reason})"),
                false => format!("is empty: {} contradict each other", names.join(", ")),
            };
            ("the moving set".to_string(), problem, time)
        }
        other => words(other, &name),
    };
    SystemError { what, problem, t }.into()
}

/// Subject, problem and time of an error.
fn words(error: SweepingError, name: &dyn Fn(usize) -> String) -> (String, String, f64) {
    match error {
        // Errors with a remedy or with figures; all others have their own message.
        SweepingError::StartOutside { time, distance } => {
            let advice = "move it inside, or add `start = \"project\"` to [process]";
            let problem = format!("is outside the moving set by {distance:e} ({advice})");
            ("the start".to_string(), problem, time)
        }
        SweepingError::NotConvex {
            time,
            constraint,
            at,
            seen,
            excess,
        } => {
            let problem = format!(
                "is not concave: between {at:?} and {seen:?} it lies {excess:e} above its tangent; \
                 the set must be convex, or declared prox-regular (`prox_regular` in [process], the \
                 radius within which nearest points are unique)"
            );
            (format!("the gap of {}", name(constraint)), problem, time)
        }
        SweepingError::NotProxRegular {
            time,
            constraint,
            at,
            reason,
        } => {
            let who = match constraint {
                Some(k) => format!("the moving set, bounded by {},", name(k)),
                None => "the moving set".to_string(),
            };
            (format!("{who} at {at:?}"), reason, time)
        }
        SweepingError::Penalty { time, value } => {
            let problem = format!("is {value}; a positive number was expected");
            ("`lambda` of [process]".to_string(), problem, time)
        }
        SweepingError::NotConverged {
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
            0.0,
        ),
    }
}
