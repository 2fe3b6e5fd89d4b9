//! The table `names` against the scene: names, groups, materials, motions, masses, shapes.

use super::super::VerifyError;
use super::super::report::{Place, Report};
use crate::collection::Cast;
use crate::record::{Record, Shaped, Values, name_values};

pub(super) fn announce(report: &mut Report) {
    report.expect("names", "entries of `names` that are not the scene's", 0.0);
}

/// Every entry is what the scene says, to the last bit.
pub(super) fn compare<D: Shaped>(
    record: &Record,
    cast: &Cast,
    bodies: &[bodies::Body<D>],
    report: &mut Report,
) -> Result<(), VerifyError> {
    let (columns, own) = name_values(cast, bodies);
    let recorded = record.table("names", None)?;
    for (column, own) in columns.iter().zip(&own) {
        let found = recorded.column(&column.name);
        let wrong = match found {
            Some(found) if found.len() == own.len() => {
                (0..own.len()).find(|row| !same(found, own, *row))
            }
            _ => Some(0),
        };
        let what = match wrong {
            Some(row) => format!("`{}` of body {row}", column.name),
            None => format!("`{}`", column.name),
        };
        report.note("names", f64::from(u8::from(wrong.is_some())), || Place {
            step: None,
            t: None,
            what,
        });
    }
    Ok(())
}

fn same(found: &Values, own: &Values, row: usize) -> bool {
    found.cell(row) == own.cell(row)
}
