//! Rows of a step that are missing for a reason: the scene chose not to record them, or the run was interrupted.

use percuss_record::Record;

use crate::step_stream::StepRows;

/// Whether the scene selected which steps have contacts or states: rows may then be absent.
pub(crate) fn selects_rows(record: &Record) -> bool {
    let choice = record.manifest().settings.get("record");
    let keys = [
        "contacts_every",
        "bodies_every",
        "coordinates_every",
        "from",
        "until",
    ];
    choice.is_some_and(|choice| keys.iter().any(|key| choice.get(key).is_some()))
}

/// Whether the rows of a step are missing because the scene chose not to record them.
pub(crate) fn not_recorded(record: &Record, account: &StepRows, contacts: &StepRows) -> bool {
    let absent = account.rows == 0 || (contacts.rows == 0 && account.at(1, 0) > 0.0);
    absent && selects_rows(record)
}

/// Where the contacts of a run that was cut off end within a step: the step has fewer rows than it counts.
pub(crate) fn end_of_contacts(
    account: &StepRows,
    contacts: &StepRows,
    cut: bool,
    (step, t): (i64, f64),
) -> Option<String> {
    (cut && account.at(1, 0) != contacts.rows as f64)
        .then(|| format!("the run was interrupted: its contacts end within step {step}, t = {t}"))
}

/// Reported once where contacts of some steps were not recorded.
pub(crate) const NOT_RECORDED: &str =
    "steps whose contacts or account the scene chose not to record (`[record]`)";
