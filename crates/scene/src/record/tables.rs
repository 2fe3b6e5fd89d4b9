//! The tables of a run: their columns, units and meaning.
//!
//! | table | one row for |
//! |---|---|
//! | `steps` | every recorded step: its account (certificate) |
//! | `coordinates` | every recorded step: positions and velocities at its end; row 0 is the start |
//! | `contacts` | every constraint that took part in a recorded step |
//! | `events` | every event, whether its step is recorded or not |

use std::sync::Arc;

use contact::law::Status;
use mechanism::{Event, EventKind, Kind, Ledger, State, System, Touch};

use super::column::{Column, Type, Values};
use crate::file::Scene;
use crate::text::TextSystem;

/// Names of the tables in the order of the manifest.
pub const TABLES: [&str; 4] = ["steps", "coordinates", "contacts", "events"];

/// Names of the rows of a contact; further rows of a wide joint are `row7`, `row8`, …
const ROWS: [&str; 6] = ["n", "t1", "t2", "moment1", "moment2", "moment3"];

/// What the tables need to know of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Names of the positions.
    pub positions: Vec<String>,
    /// Names of the velocities.
    pub velocities: Vec<String>,
    /// Names of the constraints.
    pub constraints: Vec<String>,
    /// For every constraint, the column group of each of its rows (0 = n, 1 = t1, 3 = moment1, …).
    slots: Vec<Vec<usize>>,
}

impl Layout {
    /// The layout of a system; `moments` says how many of the last rows of a contact are moments.
    pub fn of(system: &impl System, moments: impl Fn(&str) -> usize) -> Self {
        let chart = system.chart();
        let positions = 0..chart.num_positions();
        let velocities = 0..chart.num_velocities();
        let constraints = system.constraints();
        let slots = constraints.iter().map(|c| {
            let moments = if c.kind == Kind::Contact {
                moments(&c.name).min(c.rows)
            } else {
                0
            };
            let plain = c.rows - moments;
            (0..plain).chain((0..moments).map(|k| 3 + k)).collect()
        });
        Self {
            positions: positions.map(|i| system.position_name(i)).collect(),
            velocities: velocities.map(|i| system.velocity_name(i)).collect(),
            constraints: constraints.iter().map(|c| c.name.clone()).collect(),
            slots: slots.collect(),
        }
    }

    /// The layout of a scene's system.
    pub fn of_scene(scene: &Scene, system: &TextSystem) -> Self {
        let contacts = &scene.mechanism().contacts;
        Self::of(system, |name| {
            let contact = contacts.iter().find(|c| c.name == name);
            contact.map_or(0, |c| c.moment.len())
        })
    }

    /// The column group of a row of a constraint.
    pub fn slot(&self, constraint: usize, row: usize) -> Option<usize> {
        self.slots.get(constraint)?.get(row).copied()
    }

    /// Names of the column groups of the table `contacts`.
    pub fn groups(&self) -> Vec<String> {
        let widest = self.slots.iter().flatten().max().map_or(0, |m| m + 1);
        let mut names: Vec<String> = ROWS.iter().map(|r| (*r).into()).collect();
        names.extend((ROWS.len()..widest).map(|k| format!("row{}", k + 1)));
        names
    }

    /// The columns of a table; empty for a name that is none.
    pub fn columns(&self, table: &str) -> Vec<Column> {
        match table {
            "steps" => steps(),
            "coordinates" => self.coordinates(),
            "contacts" => self.contacts(),
            "events" => events(),
            _ => Vec::new(),
        }
    }

    fn coordinates(&self) -> Vec<Column> {
        let mut columns = vec![step(), time()];
        for (names, meaning) in [
            (&self.positions, "position"),
            (&self.velocities, "velocity"),
        ] {
            for name in names {
                // A coordinate of the user's may have the name of one of the first two columns.
                let taken = columns.iter().any(|c| c.name == *name);
                let column = if taken {
                    format!("{name}_")
                } else {
                    name.clone()
                };
                let unit = if meaning == "position" {
                    "as the coordinate"
                } else {
                    "coordinate/time"
                };
                let meaning = format!("{meaning} `{name}` at the end of the step");
                columns.push(Column::new(column, Type::Real, unit, meaning));
            }
        }
        columns
    }

    fn contacts(&self) -> Vec<Column> {
        let status = "what it did: open, stick or slip";
        let gap = "gap at the end of the step (contacts), first function (joints), 0 otherwise";
        let mut columns = vec![
            step(),
            time(),
            Column::new("constraint", Type::Text, "1", "name of the constraint"),
            Column::new("status", Type::Text, "1", status),
            Column::new("gap", Type::Real, "length", gap),
        ];
        let kinds = [
            ("begin", "length/time", "relative velocity before the step"),
            ("end", "length/time", "relative velocity after the step"),
            ("impulse", "force*time", "impulse over the step"),
        ];
        for (prefix, unit, meaning) in kinds {
            for group in self.groups() {
                let meaning = format!("{meaning}, row {group}");
                let name = format!("{prefix}_{group}");
                columns.push(Column::new(name, Type::Real, unit, meaning).or_null());
            }
        }
        columns
    }
}

fn step() -> Column {
    Column::new(
        "step",
        Type::Integer,
        "1",
        "number of the step, 0 is the start",
    )
}

fn time() -> Column {
    Column::new("t", Type::Real, "time", "time at the end of the step")
}

fn steps() -> Vec<Column> {
    let real = |name: &str, unit: &str, meaning: &str| Column::new(name, Type::Real, unit, meaning);
    let count = |name: &str, meaning: &str| Column::new(name, Type::Integer, "1", meaning);
    let reached = "whether residual and force iteration reached their tolerances";
    vec![
        step(),
        time(),
        real("h", "time", "length of the step"),
        count("active", "constraints that took part"),
        real(
            "residual",
            "1",
            "dimensionless residual R2 of the contact problem",
        ),
        count("iterations", "iterations of the solver"),
        Column::new("reached", Type::Truth, "1", reached),
        real(
            "penetration",
            "length",
            "largest -gap over all contacts at the end of the step",
        ),
        real(
            "drift",
            "length",
            "largest |f| over all joints at the end of the step",
        ),
        real(
            "momentum",
            "1",
            "momentum balance left over, relative to its largest term",
        ),
        real("kinetic", "energy", "kinetic energy at the end of the step"),
        real(
            "potential",
            "energy",
            "potential energy at the end of the step",
        ),
        real("work", "energy", "work of the forces over the step"),
        real(
            "impact",
            "energy",
            "work of the normal impulses over the step",
        ),
        real(
            "sliding",
            "energy",
            "work of the tangential impulses over the step",
        ),
        real(
            "boundary",
            "energy",
            "work of moving boundaries on the system",
        ),
        real(
            "energy",
            "1",
            "energy balance left over, relative to its largest term",
        ),
        real(
            "gain",
            "1",
            "energy gained through contacts that do not move, relative",
        ),
    ]
}

fn events() -> Vec<Column> {
    let kind = "impact, touch, detach, stick, slip, accumulation, painleve or locked";
    let real = |name: &str, unit: &str, meaning: &str| {
        Column::new(name, Type::Real, unit, meaning).or_null()
    };
    vec![
        step(),
        Column::new("t", Type::Real, "time", "instant of the event"),
        Column::new("constraint", Type::Text, "1", "name of the constraint"),
        Column::new("kind", Type::Text, "1", kind),
        real("before", "length/time", "normal velocity before an impact"),
        real("after", "length/time", "normal velocity after an impact"),
        real("gamma", "1/mass", "Painleve's gamma of a sliding contact"),
    ]
}

/// Texts that repeat in the tables, shared.
#[derive(Debug)]
pub(super) struct Words {
    constraints: Vec<Arc<str>>,
    status: [Arc<str>; 3],
    kinds: [Arc<str>; 8],
    unknown: Arc<str>,
}

impl Words {
    pub(super) fn of(layout: &Layout) -> Self {
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

/// One row of `steps`.
pub(super) fn push_step(out: &mut [Values], step: usize, ledger: &Ledger) {
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
    ];
    rest.iter_mut()
        .zip(values)
        .for_each(|(c, x)| c.push_real(x));
}

/// One row of `coordinates`.
pub(super) fn push_state(out: &mut [Values], step: usize, state: &State) {
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

/// One row of `contacts`.
pub(super) fn push_touch(
    out: &mut [Values],
    words: &Words,
    layout: &Layout,
    (step, t): (usize, f64),
    touch: &Touch<'_>,
) {
    let [number, time, constraint, status, gap, rest @ ..] = out else {
        return;
    };
    number.push_integer(step);
    time.push_real(t);
    constraint.push_text(words.constraint(touch.constraint));
    status.push_text(words.status(touch.status));
    gap.push_real(touch.gap);
    let groups = rest.len() / 3;
    for (k, rows) in [touch.begin, touch.end, touch.impulse]
        .into_iter()
        .enumerate()
    {
        let columns = &mut rest[k * groups..(k + 1) * groups];
        let row_in = |slot| {
            let slots = layout.slots.get(touch.constraint)?;
            rows.get(slots.iter().position(|s| *s == slot)?).copied()
        };
        for (slot, column) in columns.iter_mut().enumerate() {
            column.push_optional(row_in(slot));
        }
    }
}

/// One row of `events`.
pub(super) fn push_event(out: &mut [Values], words: &Words, step: usize, event: &Event) {
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
