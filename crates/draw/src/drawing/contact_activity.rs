//! Contact activity of items: in which states a contact had an impulse.

use percuss_record::{CellValue, Record, RecordError};

use super::evaluated_items::EvaluatedItem;
use super::states::SampledStates;

/// For each item with contacts, whether one of them had an impulse in a step after the previous state and up to
/// each state; `None` for other items, or where contacts were not recorded.
pub(super) fn read_contact_activity(
    record: &Record,
    pieces: &[EvaluatedItem],
    states: &SampledStates,
) -> Result<Vec<Option<Vec<u8>>>, RecordError> {
    // Nothing to read without recorded contacts or items that have contacts.
    let tables = &record.manifest().tables;
    let entry = tables.iter().find(|table| table.name == "contacts");
    let asked = pieces.iter().any(|piece| !piece.item.contacts.is_empty());
    let Some(entry) = entry.filter(|_| asked) else {
        return Ok(vec![None; pieces.len()]);
    };
    let has =
        |piece: &EvaluatedItem| (!piece.item.contacts.is_empty()).then(|| vec![0; states.len()]);
    let mut touches: Vec<Option<Vec<u8>>> = pieces.iter().map(has).collect();
    // Step, constraint and impulses.
    let mut names = vec!["step".to_string(), "constraint".to_string()];
    let columns = entry.columns.iter().map(|c| c.name.clone());
    names.extend(columns.filter(|name| name.starts_with("impulse")));
    let places = record.column_indices("contacts", Some(&names))?;
    for chunk in record.chunks("contacts")? {
        let table = record.read_chunk("contacts", &chunk, &places)?;
        for row in 0..table.rows {
            let number = |c: usize| table.values.get(c).map_or(f64::NAN, |v| v.number(row));
            let acts = (2..names.len()).any(|c| number(c).is_finite() && number(c) != 0.0);
            let Some(CellValue::Text(name)) = table.values.get(1).map(|v| v.cell(row)) else {
                continue;
            };
            if !acts {
                continue;
            }
            // The first state at or after the step.
            let frame = states.step.partition_point(|step| *step < number(0));
            for (piece, touch) in pieces.iter().zip(&mut touches) {
                if let Some(mark) = touch.as_mut().and_then(|touch| touch.get_mut(frame))
                    && piece.item.contacts.iter().any(|contact| contact == name)
                {
                    *mark = 1;
                }
            }
        }
    }
    Ok(touches)
}
