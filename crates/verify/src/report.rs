//! The result of a verification: checks with their largest disagreement, its location, and what was not checked.

use serde::Serialize;

/// Where two figures disagree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Location {
    /// Number of the step; 0 is the start. Absent where the disagreement is about no step.
    pub step: Option<i64>,
    /// Time at its end.
    pub t: Option<f64>,
    /// The bodies, contact, joint or file concerned.
    pub what: String,
}

/// One kind of comparison, over all steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Name of the check.
    pub name: &'static str,
    /// What is compared with what.
    pub meaning: &'static str,
    /// Number of comparisons.
    pub compared: usize,
    /// Number of comparisons beyond the bound.
    pub beyond: usize,
    /// Largest disagreement, relative as `meaning` says.
    pub worst: f64,
    /// Largest disagreement that is allowed.
    pub bound: f64,
    /// Where the largest disagreement is.
    pub place: Option<Location>,
    /// Whether all comparisons were within the bound.
    pub ok: bool,
}

/// A comparison that was beyond its bound.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// Name of the check.
    pub check: &'static str,
    /// Size of the disagreement.
    pub value: f64,
    /// Largest disagreement that is allowed.
    pub bound: f64,
    /// Where it is.
    #[serde(flatten)]
    pub place: Location,
}

/// Which rows of a column an entry refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowRange {
    /// All rows.
    All,
    /// Rows of steps whose state is not recorded.
    Unrecorded,
    /// Rows of the first recorded state.
    First,
}

/// A column of the records that is not verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UncheckedColumn {
    /// Name of the table; `run.json` for the manifest.
    pub table: String,
    /// Name of the column, or of the key.
    pub column: String,
    /// Which rows of the column.
    pub rows: RowRange,
    /// The reason.
    pub why: &'static str,
}

/// Steps that did not meet their tolerance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissedSteps {
    /// Number of these steps.
    pub count: usize,
    /// Number and time of the first one that is recorded.
    pub first: Option<(i64, f64)>,
}

/// Number of disagreements kept for each check.
const KEPT: usize = 10;

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// Number of recorded steps that were verified.
    pub steps: usize,
    /// Number of contacts that were verified.
    pub contacts: usize,
    /// Steps whose initial velocities are recorded; those of the other steps are reconstructed backwards.
    pub consecutive: usize,
    /// The checks.
    pub checks: Vec<Check>,
    /// The worst disagreements of each check.
    pub offenders: Vec<Disagreement>,
    /// What was not verified, and why.
    pub unchecked: Vec<String>,
    /// Columns that were not verified, and why.
    pub unread: Vec<UncheckedColumn>,
    /// Steps that missed their tolerance, where there are any: the motion is then not certified, whether or not the
    /// figures agree.
    pub missed: Option<MissedSteps>,
    /// Why the records end before the run, where they do.
    pub ends: Option<String>,
}

impl Report {
    /// Whether all figures agree.
    pub fn agrees(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }

    /// Whether all figures agree and every step met its tolerance.
    pub fn ok(&self) -> bool {
        self.agrees() && self.missed.is_none()
    }

    /// Declares a check; it is listed even if nothing is compared.
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

    /// Adds one comparison to a declared check; NaN counts as an infinite disagreement.
    pub(super) fn add_comparison(
        &mut self,
        name: &'static str,
        value: f64,
        place: impl FnOnce() -> Location,
    ) {
        let Some(check) = self.checks.iter_mut().find(|check| check.name == name) else {
            return;
        };
        // NaN never passes.
        let value = if value.is_nan() { f64::INFINITY } else { value };
        check.compared += 1;
        let first = check.place.is_none();
        let beyond = value > check.bound;
        if !(first || value > check.worst || beyond) {
            return;
        }
        // The location is computed only where it is needed.
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

    /// Lists a column as not verified, once.
    pub(super) fn mark_unchecked(
        &mut self,
        table: &str,
        column: &str,
        rows: RowRange,
        why: &'static str,
    ) {
        // An entry for all rows covers one for some rows.
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

    /// Lists several columns as not verified.
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

    /// Notes once what was not verified.
    pub(super) fn skip(&mut self, what: &str) {
        if !self.unchecked.iter().any(|known| known == what) {
            self.unchecked.push(what.to_string());
        }
    }
}

/// The part of a figure that rounding does not explain; infinite for NaN.
pub(super) fn beyond(value: f64, explained: f64) -> f64 {
    let rest = value - explained;
    if rest.is_nan() {
        f64::INFINITY
    } else {
        rest.max(0.0)
    }
}

/// Keeps the worst disagreements of each check, worst first.
fn keep(all: &mut Vec<Disagreement>, new: Disagreement) {
    let name = new.check;
    // Insert in descending order within the check.
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
    // Drop the smallest disagreement beyond the number kept.
    if all.iter().filter(|old| old.check == name).count() > KEPT
        && let Some(last) = all.iter().rposition(|old| old.check == name)
    {
        all.remove(last);
    }
}
