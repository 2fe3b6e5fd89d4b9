//! Record selection: which rows of a run are recorded (`[record]` of a scene).
//!
//! A row of step k at time t is recorded if its table is selected, k is a multiple of the table's interval or the
//! last step, and t is in the window. A table without an interval of its own has that of the run. `steps` and `names`
//! are always recorded: a certificate rests on them.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::column::Column;
use super::error::RecordError;
use super::packing::TableCompression;
use super::reader::{Record, Table};

/// Tables of a run of bodies that can be left out.
pub const OPTIONAL_BODY_TABLES: [&str; 3] = ["bodies", "contacts", "observables"];

/// Tables of a run of a mechanism that can be left out.
pub const OPTIONAL_MECHANISM_TABLES: [&str; 3] = ["coordinates", "contacts", "events"];

/// Which rows and tables of a run are recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordSelection {
    /// Interval of states in steps: `bodies` with `cell`, or `coordinates`.
    pub states: Option<usize>,
    /// Interval of contacts in steps.
    pub contacts: Option<usize>,
    /// Selected tables among those that can be left out; `None`: all of them.
    pub tables: Option<Vec<String>>,
    /// Earliest time of states and contacts.
    pub from: Option<f64>,
    /// Latest time of states and contacts.
    pub until: Option<f64>,
    /// Bodies in `bodies` and `contacts`; `None`: all of them.
    pub bodies: Option<BodySubset>,
    /// Compression of the files.
    pub compression: TableCompression,
}

/// A subset of the bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySubset {
    /// The bodies and groups as the scene names them.
    pub names: Vec<String>,
    /// Indices of the bodies, ascending.
    pub members: Arc<[u32]>,
}

/// Whether a row is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSelection {
    /// Recorded.
    Yes,
    /// Recorded only if it is of the last step.
    IfLast,
    /// Not recorded.
    No,
}

impl RecordSelection {
    /// Whether a table is recorded.
    pub fn has_table(&self, table: &str) -> bool {
        let chosen = |tables: &Vec<String>| tables.iter().any(|name| name == table);
        let free =
            !OPTIONAL_BODY_TABLES.contains(&table) && !OPTIONAL_MECHANISM_TABLES.contains(&table);
        free || self.tables.as_ref().is_none_or(chosen)
    }

    /// Whether rows of a table are recorded at a step of a run with the interval `every`.
    pub fn row_selection(
        &self,
        table: &str,
        (step, t): (usize, f64),
        every: usize,
    ) -> RowSelection {
        // Interval and window apply to states and contacts only.
        let (own, windowed) = match table {
            "bodies" | "coordinates" => (self.states, true),
            "contacts" => (self.contacts, true),
            _ => (None, false),
        };
        let early = self.from.is_some_and(|from| t < from);
        let late = self.until.is_some_and(|until| t > until);
        if !self.has_table(table) || windowed && (early || late) {
            return RowSelection::No;
        }
        match step.is_multiple_of(own.unwrap_or(every).max(1)) {
            true => RowSelection::Yes,
            false => RowSelection::IfLast,
        }
    }

    /// The same where it is known whether the step is the last.
    pub fn selects(&self, table: &str, at: (usize, f64), every: usize, last: bool) -> bool {
        match self.row_selection(table, at, every) {
            RowSelection::Yes => true,
            RowSelection::IfLast => last,
            RowSelection::No => false,
        }
    }

    /// Whether a body is recorded.
    pub fn has_body(&self, body: usize) -> bool {
        let among = |subset: &BodySubset| {
            u32::try_from(body).is_ok_and(|k| subset.members.binary_search(&k).is_ok())
        };
        self.bodies.as_ref().is_none_or(among)
    }

    /// The columns with the selected compression.
    pub fn with_compression(&self, mut columns: Vec<Column>) -> Vec<Column> {
        columns
            .iter_mut()
            .for_each(|c| c.compression = self.compression);
        columns
    }

    /// Adds the selection to the settings of a manifest, as far as it differs from the default.
    pub fn note(&self, settings: &mut Value, states: &str) {
        let mut all = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                all.insert(key.into(), value);
            }
        };
        put("tables", self.tables.as_ref().map(|t| json!(t)));
        put(&format!("{states}_every"), self.states.map(|n| json!(n)));
        put("contacts_every", self.contacts.map(|n| json!(n)));
        put("from", self.from.map(|t| json!(t)));
        put("until", self.until.map(|t| json!(t)));
        put("bodies", self.bodies.as_ref().map(|b| json!(b.names)));
        // The default compression is not noted.
        let packing = Some(self.compression).filter(|p| *p != TableCompression::default());
        put("compression", packing.map(|p| json!(p.name())));
        if let (false, Value::Object(settings)) = (all.is_empty(), settings) {
            settings.insert("record".into(), Value::Object(all));
        }
    }
}

/// Why a table is absent, where the scene left it out.
pub(super) fn left_out(settings: &Value, table: &str) -> Option<String> {
    let chosen = settings.get("record")?.get("tables")?.as_array()?;
    let names: Vec<&str> = chosen.iter().filter_map(Value::as_str).collect();
    let known = OPTIONAL_BODY_TABLES.contains(&table) || OPTIONAL_MECHANISM_TABLES.contains(&table);
    if !known || names.contains(&table) {
        return None;
    }
    let listed: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let all = [names.as_slice(), &[table]].concat().join(",");
    Some(format!(
        "the table `{table}` was not recorded: `[record]` of the scene has tables = [{}]; run it again \
         with --set record.tables={all}",
        listed.join(", ")
    ))
}

impl Record {
    /// Columns of the contacts of a step.
    ///
    /// # Errors
    /// There were contacts that were not recorded: the error names the key of the selection. Or the records are
    /// damaged.
    pub fn contacts_of(&self, columns: &[&str], step: i64) -> Result<Table, RecordError> {
        let table = self.step_rows("contacts", columns, step)?;
        let chosen = self.manifest().settings.get("record");
        let keys = ["contacts_every", "from", "until"];
        let key = keys
            .iter()
            .find(|k| chosen.is_some_and(|c| c.get(k).is_some()));
        // No rows in a thinned table: `active` of the step tells whether there were contacts.
        let (Some(key), 0, Ok(row)) = (key, table.rows, usize::try_from(step - 1)) else {
            return Ok(table);
        };
        let active = self.rows("steps", &["active"], row, 1)?;
        let subset = chosen.is_some_and(|c| c.get("bodies").is_some());
        match active.numbers("active").first() {
            Some(n) if *n > 0.0 && !subset => Err(RecordError::Unknown(format!(
                "{}: the contacts of step {step} were not recorded: `[record]` of the scene has \
                 `{key}`; ask for another time, or run it again with another choice",
                self.directory().display()
            ))),
            _ => Ok(table),
        }
    }

    /// Refuses records of a subset of the bodies where all are needed.
    ///
    /// # Errors
    /// Only some bodies were recorded; the error names the key.
    pub fn require_all_bodies(&self, what: &str) -> Result<(), RecordError> {
        let chosen = self.manifest().settings.get("record");
        match chosen.and_then(|c| c.get("bodies")) {
            None => Ok(()),
            Some(names) => Err(RecordError::Unknown(format!(
                "{}: {what} needs all bodies, and only some were recorded: `[record]` of the scene has \
                 bodies = {names}; run it again without that key, or look at these with percuss export \
                 --vtk",
                self.directory().display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_by_table_cadence_and_window() {
        let choice = RecordSelection {
            states: Some(4),
            tables: Some(vec!["bodies".into(), "contacts".into()]),
            from: Some(1.0),
            until: Some(2.0),
            ..RecordSelection::default()
        };
        let of = |table: &str, step: usize, t: f64| choice.row_selection(table, (step, t), 3);
        assert_eq!(of("bodies", 8, 1.5), RowSelection::Yes);
        assert_eq!(of("bodies", 9, 1.5), RowSelection::IfLast);
        assert_eq!(of("contacts", 9, 1.5), RowSelection::Yes);
        // Both ends of the window belong to it.
        assert_eq!(of("bodies", 8, 1.0), RowSelection::Yes);
        assert_eq!(of("contacts", 9, 2.0), RowSelection::Yes);
        assert_eq!(of("bodies", 8, 0.9), RowSelection::No);
        assert_eq!(of("contacts", 9, 2.1), RowSelection::No);
        // The table `steps` has no window, and a table that was not selected is absent.
        assert_eq!(of("steps", 9, 0.0), RowSelection::Yes);
        assert_eq!(of("observables", 9, 1.5), RowSelection::No);
        assert!(choice.selects("bodies", (9, 1.5), 3, true));
        assert!(!choice.selects("bodies", (9, 1.5), 3, false));
    }

    #[test]
    fn what_was_left_out_is_named_with_what_to_do() {
        let mut settings = json!({});
        let choice = RecordSelection {
            tables: Some(vec!["bodies".into()]),
            ..RecordSelection::default()
        };
        choice.note(&mut settings, "bodies");
        let why = left_out(&settings, "contacts").expect("it was left out");
        assert!(why.contains("--set record.tables=bodies,contacts"), "{why}");
        assert_eq!(left_out(&settings, "bodies"), None);
        assert_eq!(left_out(&settings, "no_such_table"), None);
        let mut plain = json!({});
        RecordSelection::default().note(&mut plain, "bodies");
        assert_eq!(plain, json!({}));
    }
}
