//! Record selection: which rows of a run are recorded (`[record]` of a scene).
//!
//! A row of step k at time t is recorded if its table is selected, k is a multiple of the table's interval or the
//! last step, and t is in the window. A table without an interval of its own has that of the run. `steps` and `names`
//! are always recorded: a certificate rests on them.

use percuss_scene::{OPTIONAL_BODY_TABLES, OPTIONAL_MECHANISM_TABLES, RecordSelection};
use serde_json::Value;

use super::column::Column;

/// Columns with the compression of the selection.
pub(super) fn with_compression(
    selection: &RecordSelection,
    mut columns: Vec<Column>,
) -> Vec<Column> {
    columns
        .iter_mut()
        .for_each(|c| c.compression = selection.compression);
    columns
}

/// Why a table is absent, where the scene left it out.
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

#[cfg(test)]
mod tests {
    use super::*;
    use percuss_scene::{RecordSelection, RowSelection};
    use serde_json::json;

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
        // The table `steps` has no window, and a table that was not selected is absent.
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
