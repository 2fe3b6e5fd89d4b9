//! Measures of events, impulses and the certificate.

use percuss_mechanism::{Event, EventKind};
use percuss_record::Certificate;

use super::evaluated_run::EvaluatedRun;
use crate::finding::measure::EventMeasure;
use crate::finding::value::{Absent, Valued};
use crate::finding::zeno;

/// The time or speed of the k-th event of a kind of a constraint.
pub fn nth(
    subject: &EvaluatedRun<'_>,
    what: EventMeasure,
    constraint: usize,
    k: usize,
) -> Valued<f64> {
    // Time or speed of events of this kind.
    let value = |event: &Event| match (what, event.kind) {
        (EventMeasure::Impact, EventKind::Impact { .. }) => Some(event.t),
        (EventMeasure::SpeedBefore, EventKind::Impact { before, .. }) => Some(before),
        (EventMeasure::SpeedAfter, EventKind::Impact { after, .. }) => Some(after),
        (EventMeasure::Touch, EventKind::Touch)
        | (EventMeasure::Detach, EventKind::Detach)
        | (EventMeasure::Stick, EventKind::Stick)
        | (EventMeasure::Slip, EventKind::Slip)
        | (EventMeasure::Locked, EventKind::Locked)
        | (EventMeasure::Painleve, EventKind::Painleve { .. }) => Some(event.t),
        _ => None,
    };
    let events = subject.events()?.iter();
    let own: Vec<Event> = events
        .filter(|event| event.constraint == constraint)
        .copied()
        .collect();
    // Without sticks of one step.
    let own = match what {
        EventMeasure::Stick | EventMeasure::Slip if !subject.smooth() => {
            without_reversals(&own, subject.times()?)
        }
        _ => own,
    };
    let mut found = 0;
    for value in own.iter().filter_map(value) {
        found += 1;
        if found == k {
            return Ok(value);
        }
    }
    // The message names the kind of event and how many there are.
    let (one, many) = match what {
        EventMeasure::Impact | EventMeasure::SpeedBefore | EventMeasure::SpeedAfter => {
            ("impact", "impacts")
        }
        EventMeasure::Touch => ("touch", "touches"),
        EventMeasure::Detach => ("detachment", "detachments"),
        EventMeasure::Stick => ("beginning of sticking", "beginnings of sticking"),
        EventMeasure::Slip => ("beginning of sliding", "beginnings of sliding"),
        EventMeasure::Locked => ("locking", "lockings"),
        EventMeasure::Painleve => ("passage to gamma <= 0", "passages to gamma <= 0"),
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

/// The events of a contact without sticks that end in the next step: where sliding changes its sense, time stepping has
/// a step without sliding or none, as the instant falls into the steps. Such a stick and the sliding after it are no
/// events of the motion.
fn without_reversals(events: &[Event], times: &[f64]) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::with_capacity(events.len());
    for event in events {
        let brief = |before: &Event| {
            // Both events at the midpoints of successive steps, or at their ends: one state between them.
            let first = times.partition_point(|t| *t <= before.t);
            let last = times.partition_point(|t| *t <= event.t);
            before.kind == EventKind::Stick && last - first <= 1
        };
        match event.kind {
            EventKind::Slip if kept.last().is_some_and(brief) => {
                kept.pop();
            }
            _ => kept.push(*event),
        }
    }
    kept
}

/// Number of impacts faster than a speed.
pub fn impacts(subject: &EvaluatedRun<'_>, constraint: usize, faster: f64) -> Valued<f64> {
    subject.require_whole()?;
    let events = subject.events()?;
    let counts = |event: &&Event| match event.kind {
        EventKind::Impact { before, .. } => event.constraint == constraint && -before > faster,
        _ => false,
    };
    Ok(events.iter().filter(counts).count() as f64)
}

/// The accumulation point of impacts (Zeno).
pub fn accumulation(subject: &mut EvaluatedRun<'_>, constraint: usize) -> Valued<f64> {
    let name = subject.constraint_name(constraint);
    // In which steps the contact carries an impulse.
    let carrying: Vec<bool> = match subject.trajectory() {
        Some(motion) => {
            let closed = |state: usize| {
                let mut touches = motion.constraint_reports(state);
                touches.any(|touch| touch.constraint == constraint && touch.impulse[0] > 0.0)
            };
            (0..motion.len()).map(closed).collect()
        }
        None => {
            let contacts = subject.series(&contacts_of(&name))?;
            contacts.iter().map(|count| *count > 0.0).collect()
        }
    };
    // The longest step bounds the error of the times of impacts.
    let longest = match subject.trajectory() {
        Some(motion) => {
            let steps = (1..motion.len()).map(|state| motion.step_report(state).h);
            steps.fold(0.0, f64::max)
        }
        None => subject.step(),
    };
    let of = subject.events()?.iter();
    let events: Vec<Event> = of.filter(|e| e.constraint == constraint).copied().collect();
    let seen = zeno::ImpactHistory {
        times: subject.times()?,
        events: &events,
        carrying: &carrying,
        step: longest,
    };
    seen.accumulation().map_err(|reason| {
        Absent::because(format!("no accumulation of impacts of `{name}`: {reason}"))
    })
}

/// The observable with the number of contacts of a watch.
pub fn contacts_of(watch: &str) -> String {
    format!("contacts_{watch}")
}

/// The observable with the normal force of a watch.
pub fn force_of(watch: &str) -> String {
    format!("force_{watch}")
}

/// The instant of the last impact of a constraint, also after the end of the run.
fn last_impact(subject: &EvaluatedRun<'_>, constraint: usize) -> Option<f64> {
    let own = |event: &&Event| {
        event.constraint == constraint && matches!(event.kind, EventKind::Impact { .. })
    };
    let last = subject.computed_events().iter().rev().find(own);
    last.map(|event| event.t)
}

/// The sum of the impulse of a row over the run.
pub fn impulse(subject: &mut EvaluatedRun<'_>, constraint: usize, row: usize) -> Valued<f64> {
    subject.require_whole()?;
    // The last step counts as far as the end of the run; an impact in it, at its instant.
    let (_, end) = subject.span()?;
    let last = last_impact(subject, constraint);
    let share = |t: &[f64]| match last {
        _ if t[1] <= end => 1.0,
        Some(impact) if impact > t[0] => f64::from(impact <= end),
        _ => ((end - t[0]) / (t[1] - t[0])).clamp(0.0, 1.0),
    };
    // Bodies: the normal force is the mean over a step, so h times it is the impulse.
    let Some(motion) = subject.trajectory() else {
        let force = subject.series(&force_of(&subject.constraint_name(constraint)))?;
        let steps = subject.times()?.windows(2).zip(force.iter().skip(1));
        return Ok(steps.map(|(t, f)| share(t) * (t[1] - t[0]) * f).sum());
    };
    // Sum over all steps of the trajectory.
    let mut sum = 0.0;
    for state in 1..motion.len() {
        for touch in motion
            .constraint_reports(state)
            .filter(|touch| touch.constraint == constraint)
        {
            let part = share(&motion.times()[state - 1..=state]);
            sum += part * touch.impulse.get(row).copied().unwrap_or(0.0);
        }
    }
    Ok(sum)
}

/// The largest value of a column of the certificate, by its place.
pub fn worst(subject: &EvaluatedRun<'_>, column: usize) -> Valued<f64> {
    subject.require_whole()?;
    let columns = subject.certificate().map(Certificate::columns);
    let column = columns.and_then(|columns| Some(columns.get(column)?.1));
    column.ok_or_else(|| Absent::because("there is no such column"))
}

/// Number of steps that did not reach their tolerance.
pub fn missed(subject: &EvaluatedRun<'_>) -> Valued<f64> {
    subject.require_whole()?;
    let missed = subject.certificate().map(|all| all.missed as f64);
    missed.ok_or_else(|| Absent::because("there is no motion"))
}
