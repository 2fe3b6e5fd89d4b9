//! Integer columns of all tables: counts are not negative, and indices of bodies and joints are in range.
//!
//! The other modules use these values as indices. A value out of range is damage and is reported here by table, row
//! and column.

use percuss_record::{ColumnType, ColumnValues, Record};

use super::VerifyError;
use super::report::{Location, Report};

/// Numbers of bodies and joints that rows may refer to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub bodies: usize,
    pub joints: usize,
}

impl Counts {
    /// Exclusive upper bound of the entries of a column.
    fn limit(self, column: &str) -> i64 {
        let limit = match column {
            "body" | "a" | "b" => self.bodies,
            "joint" => self.joints,
            "feature" => 1 << 32,
            _ => return i64::MAX,
        };
        i64::try_from(limit).unwrap_or(i64::MAX)
    }
}

/// Compares every entry of every integer column.
pub(super) fn compare(
    record: &Record,
    counts: Counts,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let meaning = "whole numbers that are negative, or of bodies and joints that there are none of";
    report.declare("integers", meaning, 0.0);
    for entry in &record.manifest().tables {
        let columns = entry.columns.iter().enumerate();
        let whole = columns.filter(|(_, column)| column.kind == ColumnType::Integer);
        let places: Vec<usize> = whole.map(|(place, _)| place).collect();
        let mut before = 0;
        for chunk in record.chunks(&entry.name)? {
            let part = record.read_chunk(&entry.name, &chunk, &places)?;
            for (place, values) in places.iter().zip(&part.values) {
                let ColumnValues::Integer(values) = values else {
                    continue;
                };
                let column = &entry.columns[*place].name;
                let range = 0..counts.limit(column);
                let wrong = values.iter().position(|value| !range.contains(value));
                let off = f64::from(u8::from(wrong.is_some()));
                report.add_comparison("integers", off, || Location {
                    step: None,
                    t: None,
                    what: match wrong {
                        Some(row) => format!(
                            "`{}`, row {}, column `{column}`: {}",
                            entry.name,
                            before + row,
                            values[row]
                        ),
                        None => format!("`{}`, column `{column}`", entry.name),
                    },
                });
            }
            before += part.rows;
        }
    }
    Ok(())
}
