//! The table `names` against the scene: names, groups, materials, motions, masses, shapes.

use percuss_record::{ColumnValues, Record, RecordShape, names_table};
use percuss_scene::bodies_scene::SceneNames;

use super::super::VerifyError;
use super::super::report::{Location, Report};

pub(super) fn declare_checks(report: &mut Report) {
    report.declare("names", "entries of `names` that are not the scene's", 0.0);
}

/// Every entry must equal that of the scene, bit by bit.
pub(super) fn compare<D: RecordShape>(
    record: &Record,
    cast: &SceneNames,
    bodies: &[percuss_scene::model::bodies::Body<D>],
    report: &mut Report,
) -> Result<(), VerifyError> {
    let (columns, own) = names_table(cast, bodies);
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
        report.add_comparison("names", f64::from(u8::from(wrong.is_some())), || Location {
            step: None,
            t: None,
            what,
        });
    }
    Ok(())
}

fn same(found: &ColumnValues, own: &ColumnValues, row: usize) -> bool {
    found.cell(row) == own.cell(row)
}
