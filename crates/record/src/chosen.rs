//! Reading records of which a scene chose a part.

use super::error::RecordError;
use super::reader::{Record, Table};

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
