//! The table `forces` of impulse bounds, written beside the records of a run.

use std::sync::Arc;

use percuss_record::{
    Column, ColumnType, ColumnValues, Record, RecordError, RunStatus, TableWriter,
};

use super::forces::{Contact, ForceBounds};

/// Name of the table.
pub const FORCES: &str = "forces";

/// Writes the table and enters it in the manifest, in place of one for another instant.
///
/// # Errors
/// The run is under way, or a file cannot be written.
pub fn write_forces(record: &Record, forces: &ForceBounds) -> Result<(), RecordError> {
    let mut manifest = record.manifest().clone();
    if manifest.status == RunStatus::Running {
        return Err(RecordError::Unknown(format!(
            "{}: the run is under way (or was killed): the table `{FORCES}` can be added once it \
             is over; leave it out with --no-table",
            record.directory().display()
        )));
    }
    // The dimension follows from the columns of the bodies.
    let flat = record
        .entry("bodies")?
        .columns
        .iter()
        .all(|c| c.name != "z");
    let dimension = if flat { 2 } else { 3 };
    let mut table = TableWriter::new(FORCES, columns(dimension));
    let status = ["open", "stick", "slip"].map(Arc::<str>::from);
    for contact in &forces.contacts {
        push(table.values(), &status, forces, contact, dimension);
    }
    table.close(record.directory())?;
    // Replace or add the entry of the manifest.
    let entry = table.entry(true);
    match manifest
        .tables
        .iter_mut()
        .find(|known| known.name == FORCES)
    {
        Some(known) => *known = entry,
        None => manifest.tables.push(entry),
    }
    manifest.write(record.directory())
}

/// Appends the row of a contact, in the order of `columns`.
fn push(
    columns: &mut [ColumnValues],
    status: &[Arc<str>; 3],
    forces: &ForceBounds,
    contact: &Contact,
    dimension: usize,
) {
    let mut columns = columns.iter_mut();
    let mut next = |fill: &mut dyn FnMut(&mut ColumnValues)| {
        if let Some(column) = columns.next() {
            fill(column);
        }
    };
    // Step and time, bodies, feature.
    next(&mut |c| c.push_integer(usize::try_from(forces.step).unwrap_or(0)));
    next(&mut |c| c.push_real(forces.t));
    for body in contact.bodies {
        next(&mut |c| c.push_integer(body as usize));
    }
    next(&mut |c| c.push_integer(usize::try_from(contact.feature).unwrap_or(0)));
    // Status, contact point and normal.
    let word = status.iter().find(|word| &***word == contact.status);
    next(&mut |c| c.push_text(word.unwrap_or(&status[0])));
    let ends = [contact.at, contact.normal];
    for x in ends.iter().flat_map(|v| v.iter().take(dimension)) {
        next(&mut |c| c.push_real(*x));
    }
    next(&mut |c| c.push_real(contact.impulse));
    // Attained ends and proven bounds; infinite ones are null.
    let interval = &contact.interval;
    for x in [
        interval.low,
        interval.high,
        interval.low_bound,
        interval.high_bound,
    ] {
        next(&mut |c| c.push_optional(Some(x).filter(|x| x.is_finite())));
    }
    next(&mut |c| c.push_truth(interval.determined));
    next(&mut |c| c.push_real(contact.least));
}

fn columns(dimension: usize) -> Vec<Column> {
    let integer = |name: &str, meaning: &str| Column::new(name, ColumnType::Integer, "1", meaning);
    let impulse =
        |name: &str, meaning: &str| Column::new(name, ColumnType::Real, "force*time", meaning);
    let axes = &["x", "y", "z"][..dimension];
    let mut all = vec![
        integer("step", "number of the step"),
        Column::new("t", ColumnType::Real, "time", "end of the step"),
        integer("a", "number of the first body"),
        integer("b", "number of the second body, above a"),
        integer("feature", "which point of the pair"),
        Column::new("status", ColumnType::Text, "1", "open, stick or slip"),
    ];
    for axis in axes {
        all.push(Column::new(
            *axis,
            ColumnType::Real,
            "length",
            "place of the contact",
        ));
    }
    for axis in axes {
        let name = format!("normal_{axis}");
        all.push(Column::new(
            name,
            ColumnType::Real,
            "1",
            "unit normal, from a to b",
        ));
    }
    all.extend([
        impulse("impulse", "normal impulse of the run"),
        impulse("low", "least admissible normal impulse that is reached").or_null(),
        impulse(
            "high",
            "greatest one that is reached; absent if there is no bound",
        )
        .or_null(),
        impulse("low_bound", "nothing is below this").or_null(),
        impulse("high_bound", "nothing is above this").or_null(),
        Column::new(
            "determined",
            ColumnType::Truth,
            "1",
            "whether low and high are one",
        ),
        impulse("least", "normal impulse of the choice of least norm"),
    ]);
    all
}
