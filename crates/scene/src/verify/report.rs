//! What was compared, how far it was off, and where.

use serde::Serialize;

/// Where two figures disagree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Location {
    /// Number of the step; 0 is the start. Absent where the disagreement is about no step.
    pub step: Option<i64>,
    /// Time at its end.
    pub t: Option<f64>,
    /// The bodies, contact, joint or file.
    pub what: String,
}

/// One kind of comparison over all steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What is compared with what.
    pub meaning: &'static str,
    /// How many comparisons there were.
    pub compared: usize,
    /// How many were beyond the bound.
    pub beyond: usize,
    /// Largest disagreement, relative as `meaning` says.
    pub worst: f64,
    /// Largest that is allowed.
    pub bound: f64,
    /// Where the largest one is.
    pub place: Option<Location>,
    /// Whether all were within the bound.
    pub ok: bool,
}

/// A disagreement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// Name of the check.
    pub check: &'static str,
    /// How far it is off.
    pub value: f64,
    /// Largest that is allowed.
    pub bound: f64,
    /// Where.
    #[serde(flatten)]
    pub place: Location,
}

/// Which rows of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowRange {
    /// All of them.
    All,
    /// Those of steps whose state is not recorded.
    Unrecorded,
    /// Those of the first recorded state.
    First,
}

/// A column of the records that nothing is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UncheckedColumn {
    /// Name of the table; `run.json` for the manifest.
    pub table: String,
    /// Name of the column, or of the key.
    pub column: String,
    /// Which rows of it.
    pub rows: RowRange,
    /// Why.
    pub why: &'static str,
}

/// Steps that did not reach their tolerance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedSteps {
    /// How many of them there are.
    pub count: usize,
    /// Number and instant of the first one that is recorded.
    pub first: Option<(i64, f64)>,
}

/// Offenders that are kept for each check.
const KEPT: usize = 10;

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// Recorded steps that were looked at, and that there are.
    pub steps: usize,
    /// Contacts that were looked at.
    pub contacts: usize,
    /// Steps whose velocities before them are recorded; the others are computed backwards.
    pub consecutive: usize,
    /// The comparisons.
    pub checks: Vec<Check>,
    /// The worst disagreements of each check.
    pub offenders: Vec<Disagreement>,
    /// What was not looked at, and why.
    pub unchecked: Vec<String>,
    /// Columns that nothing is compared with, and why.
    pub unread: Vec<UncheckedColumn>,
    /// Steps that missed their tolerance, where there are any: the motion is then not vouched for, whether
    /// or not the figures agree.
    pub missed: Option<MissedSteps>,
    /// Why the records end before the run, where they do.
    pub ends: Option<String>,
}

impl Report {
    /// Whether all figures agree.
    pub fn agrees(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }

    /// Whether all figures agree and every step reached its tolerance.
    pub fn ok(&self) -> bool {
        self.agrees() && self.missed.is_none()
    }

    /// Announces a check; it is listed even if nothing is compared.
    pub(super) fn declare(&mut self, name: &'static str, meaning: &'static str, bound: f64) {
        if self.checks.iter().any(|check| check.name == name) {
            return;
        }
        self.checks.push(Check {
            name,
            meaning,
            compared: 0,
            beyond: 0,
            worst: 0.0,
            bound,
            place: None,
            ok: true,
        });
    }

    /// One comparison of an announced check; what is no number is a disagreement without end.
    pub(super) fn add_comparison(
        &mut self,
        name: &'static str,
        value: f64,
        place: impl FnOnce() -> Location,
    ) {
        let Some(check) = self.checks.iter_mut().find(|check| check.name == name) else {
            return;
        };
        let value = if value.is_nan() { f64::INFINITY } else { value };
        check.compared += 1;
        let first = check.place.is_none();
        let beyond = value > check.bound;
        if !(first || value > check.worst || beyond) {
            return;
        }
        let place = place();
        if beyond {
            check.ok = false;
            check.beyond += 1;
            let offender = Disagreement {
                check: name,
                value,
                bound: check.bound,
                place: place.clone(),
            };
            keep(&mut self.offenders, offender);
        }
        if first || value > check.worst {
            check.worst = value;
            check.place = Some(place);
        }
    }

    /// Says once that nothing is compared with a column.
    pub(super) fn mark_unchecked(
        &mut self,
        table: &str,
        column: &str,
        rows: RowRange,
        why: &'static str,
    ) {
        let known = |u: &UncheckedColumn| {
            u.table == table && u.column == column && (u.rows == rows || u.rows == RowRange::All)
        };
        if !self.unread.iter().any(known) {
            self.unread.push(UncheckedColumn {
                table: table.to_string(),
                column: column.to_string(),
                rows,
                why,
            });
        }
    }

    /// The same for several columns.
    pub(super) fn mark_all_unchecked(
        &mut self,
        table: &str,
        columns: &[&str],
        rows: RowRange,
        why: &'static str,
    ) {
        columns
            .iter()
            .for_each(|column| self.mark_unchecked(table, column, rows, why));
    }

    /// Says once what was not looked at.
    pub(super) fn skip(&mut self, what: &str) {
        if !self.unchecked.iter().any(|known| known == what) {
            self.unchecked.push(what.to_string());
        }
    }
}

/// What a figure has beyond what rounding explains; what is no number is beyond everything.
pub(super) fn beyond(value: f64, explained: f64) -> f64 {
    let rest = value - explained;
    if rest.is_nan() {
        f64::INFINITY
    } else {
        rest.max(0.0)
    }
}

/// Keeps the worst of each check, worst first.
fn keep(all: &mut Vec<Disagreement>, new: Disagreement) {
    let name = new.check;
    let at = all
        .iter()
        .position(|old| old.check == name && old.value < new.value);
    match at {
        Some(at) => all.insert(at, new),
        None => {
            let end = all.iter().rposition(|old| old.check == name);
            all.insert(end.map_or(all.len(), |end| end + 1), new);
        }
    }
    if all.iter().filter(|old| old.check == name).count() > KEPT
        && let Some(last) = all.iter().rposition(|old| old.check == name)
    {
        all.remove(last);
    }
}
