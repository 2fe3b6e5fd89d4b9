//! Names that records of earlier versions have for what has another name now. Records written before are read with
//! the names of today; a name that a user gives may be the old one, for one version and with a warning.

use std::sync::Arc;

use parquet::schema::types::SchemaDescriptor;

use super::column::{Column, ColumnValues};

/// Renamed columns: the table, the old name, the new one.
const COLUMNS: [(&str, &str, &str); 2] = [
    ("steps", "rub", "joint_friction"),
    ("steps", "held", "bilateral"),
];

/// Renamed groups of columns, `PREFIX_n`, `PREFIX_t1`, …: the table, the old prefix, the new one.
const PREFIXES: [(&str, &str, &str); 1] = [("contacts", "hold_", "projection_")];

/// Renamed words in a column of texts: the column, the old word, the new one.
const WORDS: [(&str, &str, &str); 1] = [("part", "held", "bilateral")];

/// The name of today of a column that had another name in earlier versions; `None` for all others.
pub fn renamed_column(table: &str, old: &str) -> Option<String> {
    let whole = COLUMNS
        .iter()
        .find(|known| (known.0, known.1) == (table, old));
    if let Some((_, _, new)) = whole {
        return Some((*new).to_string());
    }
    PREFIXES
        .iter()
        .filter(|known| known.0 == table)
        .find_map(|(_, prefix, new)| {
            let row = old.strip_prefix(prefix)?;
            Some(format!("{new}{row}"))
        })
}

/// The sentence that warns of the old name of a column.
pub fn renamed_column_warning(table: &str, old: &str) -> Option<String> {
    let new = renamed_column(table, old)?;
    Some(format!(
        "the column `{old}` of the table `{table}` is called `{new}` now; this version still accepts the old name, the \
         next one will not"
    ))
}

/// Gives the columns of a table of an earlier version their names of today.
pub(super) fn rename_columns(table: &str, columns: &mut [Column]) {
    for column in columns {
        if let Some(new) = renamed_column(table, &column.name) {
            column.name = new;
        }
    }
}

/// The index of a column in a file, which may have its old name.
pub(super) fn index_in_file(schema: &SchemaDescriptor, name: &str) -> Result<usize, String> {
    let index = |name: &str| schema.columns().iter().position(|d| d.name() == name);
    let former = || {
        let whole = COLUMNS.iter().filter(|known| known.2 == name);
        let whole = whole.map(|known| known.1.to_string());
        let group = PREFIXES.iter().filter_map(|(_, old, new)| {
            let row = name.strip_prefix(new)?;
            Some(format!("{old}{row}"))
        });
        whole.chain(group).find_map(|old| index(&old))
    };
    index(name)
        .or_else(former)
        .ok_or_else(|| format!("it has no column `{name}`"))
}

/// Replaces the words of earlier versions in the values of a column.
pub(super) fn rename_words(column: &str, values: &mut ColumnValues) {
    let ColumnValues::Text(texts) = values else {
        return;
    };
    for (_, old, new) in WORDS.iter().filter(|known| known.0 == column) {
        let new: Arc<str> = (*new).into();
        let found = texts.iter_mut().filter(|text| &***text == *old);
        found.for_each(|text| *text = Arc::clone(&new));
    }
}
