//! Appends rows to the tables of a run of a mechanism, step by step.

use std::sync::Arc;

use percuss_contact::law::Status;
use percuss_mechanism::{ConstraintReport, Event, EventKind, PathSums, State, StepReport};

use super::column::ColumnValues;
use super::tables::MechanismLayout;

/// Texts that repeat in the tables, each stored once.
#[derive(Debug)]
pub(super) struct RepeatedTexts {
    constraints: Vec<Arc<str>>,
    status: [Arc<str>; 3],
    kinds: [Arc<str>; 8],
    unknown: Arc<str>,
}

impl RepeatedTexts {
    pub(super) fn of(layout: &MechanismLayout) -> Self {
        let kinds = [
            "impact",
            "touch",
            "detach",
            "stick",
            "slip",
            "accumulation",
            "painleve",
            "locked",
        ];
        Self {
            constraints: layout
                .constraints
                .iter()
                .map(|n| n.as_str().into())
                .collect(),
            status: ["open", "stick", "slip"].map(Arc::from),
            kinds: kinds.map(Arc::from),
            unknown: "?".into(),
        }
    }

    fn constraint(&self, k: usize) -> &Arc<str> {
        self.constraints.get(k).unwrap_or(&self.unknown)
    }

    fn status(&self, status: Status) -> &Arc<str> {
        match status {
            Status::Open => &self.status[0],
            Status::Stick => &self.status[1],
            Status::Slip => &self.status[2],
        }
    }

    fn kind(&self, kind: &EventKind) -> &Arc<str> {
        &self.kinds[match kind {
            EventKind::Impact { .. } => 0,
            EventKind::Touch => 1,
            EventKind::Detach => 2,
            EventKind::Stick => 3,
            EventKind::Slip => 4,
            EventKind::Accumulation => 5,
            EventKind::Painleve { .. } => 6,
            EventKind::Locked => 7,
        }]
    }
}

/// Appends a row of `steps`.
pub(super) fn push_step(out: &mut [ColumnValues], step: usize, ledger: &StepReport) {
    let [
        number,
        t,
        h,
        active,
        residual,
        iterations,
        reached,
        rest @ ..,
    ] = out
    else {
        return;
    };
    number.push_integer(step);
    t.push_real(ledger.t);
    h.push_real(ledger.h);
    active.push_integer(ledger.num_active);
    residual.push_real(ledger.residual);
    iterations.push_integer(ledger.iterations);
    reached.push_truth(ledger.reached);
    let values = [
        ledger.penetration,
        ledger.drift,
        ledger.momentum,
        ledger.kinetic,
        ledger.potential,
        ledger.work,
        ledger.impact,
        ledger.sliding,
        ledger.boundary,
        ledger.energy,
        ledger.gain,
        ledger.excess,
        ledger.turnover,
        ledger.forced,
        ledger.lasting,
        ledger.extent,
        ledger.resting,
    ];
    rest.iter_mut()
        .zip(values)
        .for_each(|(c, x)| c.push_real(x));
    if let Some([mixed, gamma, path @ ..]) = rest.get_mut(values.len()..) {
        mixed.push_truth(ledger.mixed);
        // Infinite where no contact slides.
        gamma.push_optional(Some(ledger.gamma).filter(|g| g.is_finite()));
        // Sweeping processes only.
        let PathSums {
            variation,
            retraction,
            radius,
        } = ledger.path;
        if let [first, second, third] = path {
            first.push_real(variation);
            second.push_optional(Some(retraction).filter(|r| r.is_finite()));
            third.push_optional(Some(radius).filter(|r| r.is_finite()));
        }
    }
}

/// Appends a row of `coordinates`.
pub(super) fn push_state(out: &mut [ColumnValues], step: usize, state: &State) {
    let [number, t, rest @ ..] = out else {
        return;
    };
    number.push_integer(step);
    t.push_real(state.t);
    let values = state.q.iter().chain(&state.v);
    rest.iter_mut()
        .zip(values)
        .for_each(|(c, x)| c.push_real(*x));
}

/// Appends a row of `contacts`.
pub(super) fn push_contact(
    out: &mut [ColumnValues],
    words: &RepeatedTexts,
    layout: &MechanismLayout,
    (step, t): (usize, f64),
    touch: &ConstraintReport<'_>,
) {
    let [number, time, constraint, status, gap, rest @ ..] = out else {
        return;
    };
    number.push_integer(step);
    time.push_real(t);
    constraint.push_text(words.constraint(touch.constraint));
    status.push_text(words.status(touch.status));
    gap.push_real(touch.gap);
    let groups = rest.len() / 4;
    for (k, rows) in [
        touch.begin,
        touch.end,
        touch.impulse,
        touch.projection_impulse,
    ]
    .into_iter()
    .enumerate()
    {
        let columns = &mut rest[k * groups..(k + 1) * groups];
        let row_in = |slot| {
            let slots = layout.column_groups(touch.constraint);
            rows.get(slots.iter().position(|s| *s == slot)?).copied()
        };
        for (slot, column) in columns.iter_mut().enumerate() {
            column.push_optional(row_in(slot));
        }
    }
}

/// Appends a row of `events`.
pub(super) fn push_event(
    out: &mut [ColumnValues],
    words: &RepeatedTexts,
    step: usize,
    event: &Event,
) {
    let [number, t, constraint, kind, before, after, gamma] = out else {
        return;
    };
    number.push_integer(step);
    t.push_real(event.t);
    constraint.push_text(words.constraint(event.constraint));
    kind.push_text(words.kind(&event.kind));
    let (b, a, g) = match event.kind {
        EventKind::Impact { before, after } => (Some(before), Some(after), None),
        EventKind::Painleve { gamma } => (None, None, Some(gamma)),
        _ => (None, None, None),
    };
    before.push_optional(b);
    after.push_optional(a);
    gamma.push_optional(g);
}
