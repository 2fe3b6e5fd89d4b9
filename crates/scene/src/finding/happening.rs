//! Measures of events, impulses and the ledger.

use mechanism::{Event, EventKind, System};

use crate::finding::measure::Nth;
use crate::finding::subject::Subject;
use crate::finding::value::{Absent, Valued};
use crate::finding::zeno;

/// What is asked of the k-th event of a kind of a constraint.
pub(crate) fn nth(subject: &Subject<'_>, what: Nth, constraint: usize, k: usize) -> Valued<f64> {
    let value = |event: &Event| match (what, event.kind) {
        (Nth::Impact, EventKind::Impact { .. }) => Some(event.t),
        (Nth::SpeedBefore, EventKind::Impact { before, .. }) => Some(before),
        (Nth::SpeedAfter, EventKind::Impact { after, .. }) => Some(after),
        (Nth::Touch, EventKind::Touch)
        | (Nth::Detach, EventKind::Detach)
        | (Nth::Stick, EventKind::Stick)
        | (Nth::Slip, EventKind::Slip)
        | (Nth::Locked, EventKind::Locked)
        | (Nth::Painleve, EventKind::Painleve { .. }) => Some(event.t),
        _ => None,
    };
    let events = subject.motion()?.events().iter();
    let values = events
        .filter(|event| event.constraint == constraint)
        .filter_map(value);
    let mut found = 0;
    for value in values {
        found += 1;
        if found == k {
            return Ok(value);
        }
    }
    let (one, many) = match what {
        Nth::Impact | Nth::SpeedBefore | Nth::SpeedAfter => ("impact", "impacts"),
        Nth::Touch => ("touch", "touches"),
        Nth::Detach => ("detachment", "detachments"),
        Nth::Stick => ("beginning of sticking", "beginnings of sticking"),
        Nth::Slip => ("beginning of sliding", "beginnings of sliding"),
        Nth::Locked => ("locking", "lockings"),
        Nth::Painleve => ("passage to gamma <= 0", "passages to gamma <= 0"),
    };
    let name = subject.constraint_name(constraint);
    let stopped = subject
        .stopped()
        .map_or(String::new(), |why| format!("; {why}"));
    let noun = if found == 1 { one } else { many };
    Err(Absent::because(format!(
        "`{name}` has {found} {noun}, not {k}{stopped}"
    )))
}

/// Number of collisions faster than a speed.
pub(crate) fn impacts(subject: &Subject<'_>, constraint: usize, faster: f64) -> Valued<f64> {
    let events = subject.whole()?.trajectory.events();
    let counts = |event: &&Event| match event.kind {
        EventKind::Impact { before, .. } => event.constraint == constraint && -before > faster,
        _ => false,
    };
    Ok(events.iter().filter(counts).count() as f64)
}

/// Where infinitely many impacts end.
pub(crate) fn accumulation(subject: &Subject<'_>, constraint: usize) -> Valued<f64> {
    let motion = subject.motion()?;
    let name = subject.constraint_name(constraint);
    zeno::accumulation(motion, constraint).map_err(|reason| {
        Absent::because(format!("no accumulation of impacts of `{name}`: {reason}"))
    })
}

/// The sum of the impulse of a row over the run.
pub(crate) fn impulse(subject: &Subject<'_>, constraint: usize, row: usize) -> Valued<f64> {
    let motion = &subject.whole()?.trajectory;
    let mut sum = 0.0;
    for state in 1..motion.len() {
        for touch in motion
            .touches(state)
            .filter(|touch| touch.constraint == constraint)
        {
            sum += touch.impulse.get(row).copied().unwrap_or(0.0);
        }
    }
    Ok(sum)
}

/// The largest of a ledger column, by its place in the certificate.
pub(crate) fn worst(subject: &Subject<'_>, column: usize) -> Valued<f64> {
    let columns = subject.whole()?.certificate.columns();
    let column = columns.get(column).map(|(_, worst)| *worst);
    column.ok_or_else(|| Absent::because("there is no such column"))
}

/// Steps that did not reach their tolerance.
pub(crate) fn missed(subject: &Subject<'_>) -> Valued<f64> {
    Ok(subject.whole()?.certificate.missed as f64)
}

impl Subject<'_> {
    /// What a constraint is called.
    pub fn constraint_name(&self, constraint: usize) -> String {
        let named = self
            .system()
            .and_then(|system| system.constraints().get(constraint));
        named.map_or_else(
            || constraint.to_string(),
            |constraint| constraint.name.clone(),
        )
    }
}
