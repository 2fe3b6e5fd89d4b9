//! Record selection: which rows of a run are recorded (`[record]` of a scene with its numbers).
//!
//! A row of step k at time t is recorded if its table is selected, k is a multiple of the table's interval or the
//! last step, and t is in the window. A table without an interval of its own has that of the run. `steps` and `names`
//! are always recorded: a certificate rests on them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

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

/// Compression of the values of a table in its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableCompression {
    /// Fast, and supported by every reader.
    #[default]
    Snappy,
    /// As fast, supported by recent readers.
    Lz4,
    /// Some 15 % smaller, ten times slower.
    Gzip,
    /// No compression.
    None,
}

impl TableCompression {
    /// All of them by their names in scenes.
    pub const ALL: [(&'static str, Self); 4] = [
        ("snappy", Self::Snappy),
        ("lz4", Self::Lz4),
        ("gzip", Self::Gzip),
        ("none", Self::None),
    ];

    /// Its name in scenes.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, packing)| *packing == self);
        named.map_or("snappy", |(name, _)| name)
    }

    /// Whether it is the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
