//! The tables of a run of a mechanism: their columns, units and meaning.
//!
//! | table | one row for |
//! |---|---|
//! | `steps` | every recorded step: its step report (residual, errors, energies) |
//! | `coordinates` | every recorded step: positions and velocities at its end; row 0 is the start |
//! | `contacts` | every constraint that was active in a recorded step |
//! | `events` | every event, whether its step is recorded or not |

use percuss_mechanism::{ConstraintKind, System};
use percuss_scene::{RecordSelection, Scene, SymbolicSystem};

use super::column::{Column, ColumnType};
use crate::selection::with_compression;

/// Names of the tables in the order of the manifest.
pub const TABLES: [&str; 4] = ["steps", "coordinates", "contacts", "events"];

/// Names of the rows of a contact; further rows of a joint are `row7`, `row8`, …
const ROWS: [&str; 6] = ["n", "t1", "t2", "moment1", "moment2", "moment3"];

/// Names and column groups of a system, from which the columns follow.
#[derive(Debug, Clone, PartialEq)]
pub struct MechanismLayout {
    /// Names of the positions.
    pub positions: Vec<String>,
    /// Names of the velocities.
    pub velocities: Vec<String>,
    /// Names of the constraints.
    pub constraints: Vec<String>,
    /// For every constraint, the column group of each of its rows (0 = n, 1 = t1, 3 = moment1, …).
    column_groups: Vec<Vec<usize>>,
    /// Whether it is a sweeping process, whose steps have sums along the path.
    swept: bool,
    /// Which rows and tables are recorded.
    pub selection: RecordSelection,
}

impl MechanismLayout {
    /// The layout of a system; `moments` says how many of the last rows of a contact are moments.
    pub fn of(system: &impl System, moments: impl Fn(&str) -> usize) -> Self {
        let chart = system.configuration_space();
        let positions = 0..chart.num_positions();
        let velocities = 0..chart.num_velocities();
        let constraints = system.constraints();
        let slots = constraints.iter().map(|c| {
            let moments = if c.kind == ConstraintKind::Contact {
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
            column_groups: slots.collect(),
            swept: false,
            selection: RecordSelection::default(),
        }
    }

    /// A layout with these coordinates and no constraints.
    pub(super) fn plain(
        positions: Vec<String>,
        velocities: Vec<String>,
        choice: RecordSelection,
    ) -> Self {
        Self {
            positions,
            velocities,
            constraints: Vec::new(),
            column_groups: Vec::new(),
            swept: false,
            selection: choice,
        }
    }

    /// The layout of a scene's system.
    pub fn of_scene(scene: &Scene, system: &SymbolicSystem) -> Self {
        let contacts = scene.mechanism().map_or(&[][..], |m| &m.contacts);
        let mut layout = Self::of(system, |name| {
            let contact = contacts.iter().find(|c| c.name == name);
            contact.map_or(0, |c| c.moment.len())
        });
        layout.swept = scene.mechanism().is_some_and(|m| m.sweep.is_some());
        // Errors in the selection were reported when the scene was built.
        let whole = (f64::NEG_INFINITY, f64::INFINITY);
        layout.selection = scene.choice(whole).unwrap_or_default();
        layout
    }

    /// The column group of each row of a constraint.
    pub fn column_groups(&self, constraint: usize) -> &[usize] {
        self.column_groups
            .get(constraint)
            .map_or(&[], Vec::as_slice)
    }

    /// Names of the column groups of the table `contacts`.
    pub fn groups(&self) -> Vec<String> {
        let widest = self
            .column_groups
            .iter()
            .flatten()
            .max()
            .map_or(0, |m| m + 1);
        let mut names: Vec<String> = ROWS.iter().map(|r| (*r).into()).collect();
        names.extend((ROWS.len()..widest).map(|k| format!("row{}", k + 1)));
        names
    }

    /// The columns of a table; empty for an unknown name.
    pub fn columns(&self, table: &str) -> Vec<Column> {
        with_compression(
            &self.selection,
            match table {
                "steps" => steps(self.swept),
                "coordinates" => self.coordinates(),
                "contacts" => self.contacts(),
                "events" => events(),
                _ => Vec::new(),
            },
        )
    }

    fn coordinates(&self) -> Vec<Column> {
        let mut columns = vec![step(), time()];
        for (names, meaning) in [
            (&self.positions, "position"),
            (&self.velocities, "velocity"),
        ] {
            for name in names {
                // A coordinate of the user may have the name of one of the first two columns.
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
                columns.push(Column::new(column, ColumnType::Real, unit, meaning));
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
            Column::new(
                "constraint",
                ColumnType::Text,
                "1",
                "name of the constraint",
            ),
            Column::new("status", ColumnType::Text, "1", status),
            Column::new("gap", ColumnType::Real, "length", gap),
        ];
        let kinds = [
            ("begin", "length/time", "relative velocity before the step"),
            ("end", "length/time", "relative velocity after the step"),
            ("impulse", "force*time", "impulse over the step"),
            (
                "projection",
                "force*time",
                "impulse of the velocity projection, which makes the velocity tangent at the end of the step",
            ),
        ];
        for (prefix, unit, meaning) in kinds {
            for group in self.groups() {
                let meaning = format!("{meaning}, row {group}");
                let name = format!("{prefix}_{group}");
                columns.push(Column::new(name, ColumnType::Real, unit, meaning).or_null());
            }
        }
        columns
    }
}

pub(super) fn step() -> Column {
    Column::new(
        "step",
        ColumnType::Integer,
        "1",
        "number of the step, 0 is the start",
    )
}

pub(super) fn time() -> Column {
    Column::new("t", ColumnType::Real, "time", "time at the end of the step")
}

/// Meanings of columns of `steps` that mechanisms and bodies have in common.
pub(super) mod meaning {
    pub const RESIDUAL: &str = "velocity residual RV of the contact problem";
    pub const MOMENTUM: &str = "momentum balance left over, relative to its largest term";
    pub const ENERGY: &str = "energy balance left over, relative to its largest term";
    pub const EXCESS: &str = "the part of it that no law allows, relative to the turnover";
    pub const TURNOVER: &str =
        "energy that the step turns over, without impulses that cancel each other";
    pub const MIXED: &str = "whether restitution coefficients of contacts of the step differ";
    pub const LASTING: &str =
        "work of contacts that carried impulses before, too, without sliding, and of joints";
    pub const RESTING: &str = "largest -gap of a contact that carries an impulse and whose depth the step changes by a tenth at most";
}

/// Columns of `steps` after number and time: name, type, unit, meaning.
const STEPS: [(&str, ColumnType, &str, &str); 23] = {
    use ColumnType::{Integer, Real, Truth};
    let reached = "whether residual and force iteration reached their tolerances";
    let penetration = "largest -gap over all contacts at the end of the step";
    let gain = "energy gained through contacts, relative to the turnover";
    let forced = "energy that the forces would give in the step to a system at rest";
    let extent = "largest change of a coordinate since the start and largest gap, of either sign";
    let drift = "largest |f| over all joints at the end of the step";
    [
        ("h", Real, "time", "length of the step"),
        ("active", Integer, "1", "constraints that took part"),
        ("residual", Real, "1", meaning::RESIDUAL),
        ("iterations", Integer, "1", "iterations of the solver"),
        ("reached", Truth, "1", reached),
        ("penetration", Real, "length", penetration),
        ("drift", Real, "length", drift),
        ("momentum", Real, "1", meaning::MOMENTUM),
        (
            "kinetic",
            Real,
            "energy",
            "kinetic energy at the end of the step",
        ),
        (
            "potential",
            Real,
            "energy",
            "potential energy at the end of the step",
        ),
        ("work", Real, "energy", "work of the forces over the step"),
        (
            "impact",
            Real,
            "energy",
            "work of the normal impulses over the step",
        ),
        (
            "sliding",
            Real,
            "energy",
            "work of the tangential impulses over the step",
        ),
        (
            "boundary",
            Real,
            "energy",
            "work of moving boundaries on the system",
        ),
        ("energy", Real, "1", meaning::ENERGY),
        ("gain", Real, "1", gain),
        ("excess", Real, "1", meaning::EXCESS),
        ("turnover", Real, "energy", meaning::TURNOVER),
        ("forced", Real, "energy", forced),
        ("lasting", Real, "energy", meaning::LASTING),
        ("extent", Real, "length", extent),
        ("resting", Real, "length", meaning::RESTING),
        ("mixed", Truth, "1", meaning::MIXED),
    ]
};

/// Further columns of `steps` for a sweeping process: name, meaning.
const PATH: [(&str, &str); 3] = [
    (
        "variation",
        "length of the path from the start, jumps included",
    ),
    ("retraction", "retraction of the moving set from the start"),
    (
        "prox_radius",
        "radius of prox-regularity at the end of the step",
    ),
];

/// The columns of [`PATH`]; null where the retraction is not known, and for a convex set.
pub(super) fn path_columns() -> [Column; 3] {
    let path = PATH.map(|(name, meaning)| Column::new(name, ColumnType::Real, "length", meaning));
    let [variation, retraction, radius] = path;
    [variation, retraction.or_null(), radius.or_null()]
}

fn steps(swept: bool) -> Vec<Column> {
    let rest = STEPS
        .iter()
        .map(|(name, kind, unit, meaning)| Column::new(*name, *kind, unit, *meaning));
    let mut columns: Vec<Column> = [step(), time()].into_iter().chain(rest).collect();
    // Null where no contact slides.
    columns.push(gamma().or_null());
    if swept {
        columns.extend(path_columns());
    }
    columns
}

pub(super) fn gamma() -> Column {
    let meaning = "smallest Painleve gamma of a sliding contact; at 0 and below not unique";
    Column::new("gamma", ColumnType::Real, "1/mass", meaning)
}

fn events() -> Vec<Column> {
    let kind = "impact, touch, detach, stick, slip, accumulation, painleve or locked";
    let real = |name: &str, unit: &str, meaning: &str| {
        Column::new(name, ColumnType::Real, unit, meaning).or_null()
    };
    vec![
        step(),
        Column::new("t", ColumnType::Real, "time", "instant of the event"),
        Column::new(
            "constraint",
            ColumnType::Text,
            "1",
            "name of the constraint",
        ),
        Column::new("kind", ColumnType::Text, "1", kind),
        real("before", "length/time", "normal velocity before an impact"),
        real("after", "length/time", "normal velocity after an impact"),
        real("gamma", "1/mass", "Painleve's gamma of a sliding contact"),
    ]
}
