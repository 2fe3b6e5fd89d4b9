//! What of a run is recorded: `[record]` of a scene.
//!
//! A row of step k at time t goes into a table where the table is chosen, k is a multiple of its
//! cadence or the last step, and t is in the window. The cadence of a table that has none of its own
//! is that of the run. `steps` and `names` are always there: they are what a certificate rests on.

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

/// What of a run is recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordSelection {
    /// States of every so many steps: `bodies` with `cell`, or `coordinates`.
    pub states: Option<usize>,
    /// Contacts of every so many steps.
    pub contacts: Option<usize>,
    /// Tables that are recorded of those that can be left out; all of them without it.
    pub tables: Option<Vec<String>>,
    /// Earliest time of states and contacts.
    pub from: Option<f64>,
    /// Latest time of states and contacts.
    pub until: Option<f64>,
    /// Bodies in `bodies` and `contacts`; all of them without it.
    pub bodies: Option<BodySubset>,
    /// How the files are compressed.
    pub compression: TableCompression,
}

/// Some of the bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySubset {
    /// The bodies and groups as they were named.
    pub names: Vec<String>,
    /// Numbers of the bodies, ascending.
    pub members: Arc<[u32]>,
}

/// Whether a row is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSelection {
    /// It is.
    Yes,
    /// Only if it is of the last step.
    IfLast,
    /// It is not.
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

    /// Whether rows of a table are recorded at a step of a run with this cadence.
    pub fn row_selection(
        &self,
        table: &str,
        (step, t): (usize, f64),
        every: usize,
    ) -> RowSelection {
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

    /// Columns as they are written.
    pub fn with_compression(&self, mut columns: Vec<Column>) -> Vec<Column> {
        columns
            .iter_mut()
            .for_each(|c| c.compression = self.compression);
        columns
    }

    /// Adds itself to the settings of a manifest, as far as it chooses anything.
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
        let packing = Some(self.compression).filter(|p| *p != TableCompression::default());
        put("compression", packing.map(|p| json!(p.name())));
        if let (false, Value::Object(settings)) = (all.is_empty(), settings) {
            settings.insert("record".into(), Value::Object(all));
        }
    }
}

/// Why a table is not among those of a run, where the scene chose so.
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
    /// They were not recorded, though there were some: the error names the key that chose so. Or the
    /// records are damaged.
    pub fn contacts_of(&self, columns: &[&str], step: i64) -> Result<Table, RecordError> {
        let table = self.step_rows("contacts", columns, step)?;
        let chosen = self.manifest().settings.get("record");
        let keys = ["contacts_every", "from", "until"];
        let key = keys
            .iter()
            .find(|k| chosen.is_some_and(|c| c.get(k).is_some()));
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

    /// Refuses records of some of the bodies where all are needed.
    ///
    /// # Errors
    /// There are only some; the error names the key.
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
        // The account of the steps has no window, and what was not chosen is not there.
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
