//! Words of earlier versions: keys and measures that have another name now. The version after a rename accepts the
//! old word, reads it as the new one and warns; the next one refuses it as any unknown word.

use crate::error::{InputError, Origin};
use crate::tree::{Entry, Item, Value};

/// Renamed keys of arrays of tables: the table, the old key, the new one.
const KEYS: [(&str, &str, &str); 1] = [("prepare", "hold", "fixed")];

/// Renamed measures of value expressions: the old name, the new one.
const MEASURES: [(&str, &str); 1] = [("verge", "critical_parameter")];

/// Replaces the words of earlier versions in a scene or a study; returns a warning for each.
///
/// # Errors
/// A table has the old word and the new one.
pub fn replace_renamed(file: &str, entries: &mut [Entry]) -> Result<Vec<String>, Box<InputError>> {
    let mut warnings = Vec::new();
    let mut warn = |line: usize, part: &str, what: &str, old: &str, new: &str| {
        warnings.push(format!(
            "{file}:{line}: {part}: the {what} `{old}` is called `{new}` now; this version still accepts the old \
             word, the next one will not"
        ));
    };
    for (kind, old, new) in KEYS {
        each_table(entries, kind, &mut |part, line, table| {
            let found = |key: &str| table.iter().position(|entry| entry.key == key);
            let Some(at) = found(old) else {
                return Ok(());
            };
            if found(new).is_some() {
                return Err(Box::new(InputError {
                    file: file.to_string(),
                    origin: Origin::Line(line),
                    part: part.to_string(),
                    key: String::new(),
                    value: String::new(),
                    problem: format!("`{old}` and `{new}` are both given"),
                    advice: format!("Keep `{new}`: `{old}` is its old name"),
                }));
            }
            table[at].key = new.to_string();
            warn(table[at].line, part, "key", old, new);
            Ok(())
        })?;
    }
    // Value expressions: of findings, of studies in a scene, and of a file that is a study.
    let mut in_expression = |part: &str, item: &mut Item| {
        for (old, new) in MEASURES {
            if let Value::Text(text) = &mut item.value
                && let Some(changed) = with_call_renamed(text, old, new)
            {
                *text = changed;
                warn(item.line, part, "measure", old, new);
            }
        }
    };
    each_table(entries, "finding", &mut |part, _, table| {
        named_entries(table, "value").for_each(|item| in_expression(part, item));
        Ok(())
    })?;
    each_table(entries, "study", &mut |part, _, table| {
        in_study(part, table, &mut in_expression);
        Ok(())
    })?;
    in_study("study", entries, &mut in_expression);
    Ok(warnings)
}

/// The value expressions of a study: its condition and its columns.
fn in_study(part: &str, table: &mut [Entry], expression: &mut dyn FnMut(&str, &mut Item)) {
    named_entries(table, "when").for_each(|item| expression(part, item));
    for item in named_entries(table, "observe") {
        if let Value::Table(columns) = &mut item.value {
            columns
                .iter_mut()
                .for_each(|column| expression(part, &mut column.item));
        }
    }
}

/// The values of a key.
fn named_entries<'a>(table: &'a mut [Entry], key: &'a str) -> impl Iterator<Item = &'a mut Item> {
    let entries = table.iter_mut().filter(move |entry| entry.key == key);
    entries.map(|entry| &mut entry.item)
}

/// What is done with a table: its name in messages, its line, its entries.
type Visit<'a> = &'a mut dyn FnMut(&str, usize, &mut [Entry]) -> Result<(), Box<InputError>>;

/// Calls `visit` with name, line and entries of every table `[[kind]]`.
fn each_table(entries: &mut [Entry], kind: &str, visit: Visit<'_>) -> Result<(), Box<InputError>> {
    for item in named_entries(entries, kind) {
        let Value::List(tables) = &mut item.value else {
            continue;
        };
        for item in tables {
            let Value::Table(table) = &mut item.value else {
                continue;
            };
            let name = named_entries(table, "name").find_map(|item| match &item.value {
                Value::Text(name) => Some(format!("{kind} `{name}`")),
                _ => None,
            });
            visit(name.as_deref().unwrap_or(kind), item.line, table)?;
        }
    }
    Ok(())
}

/// The text with the calls `old(` written `new(`, outside of quotes; `None` where there are none.
fn with_call_renamed(text: &str, old: &str, new: &str) -> Option<String> {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut done, mut rest, mut changed) = (String::new(), text, false);
    while let Some(first) = rest.chars().next() {
        // A quoted text, a name with the digits and letters that follow, or one character.
        let length = match first {
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if in_name(first) => rest.find(|c| !in_name(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        match word == old && behind.trim_start().starts_with('(') {
            true => {
                done += new;
                changed = true;
            }
            false => done += word,
        }
        rest = behind;
    }
    changed.then_some(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reader, parse};

    fn replaced(text: &str) -> (Vec<Entry>, Result<Vec<String>, String>) {
        let mut entries = parse("scene.toml", text).expect("TOML");
        let warnings = replace_renamed("scene.toml", &mut entries);
        (entries, warnings.map_err(|error| error.to_string()))
    }

    #[test]
    fn an_old_key_is_read_as_the_new_one_with_a_warning() {
        let (entries, warnings) = replaced("[[prepare]]\nname = \"settle\"\nhold = [\"a\"]\n");
        let warnings = warnings.expect("accepted");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].starts_with(
                "scene.toml:3: prepare `settle`: the key `hold` is called `fixed` now"
            ),
            "{warnings:?}"
        );
        let mut root = Reader::new("scene.toml", "", 1, entries);
        let items = root.tables("prepare").expect("tables");
        let mut table = root
            .of("prepare", "prepare", items[0].clone())
            .expect("a table");
        assert!(table.take("hold").is_none() && table.take("fixed").is_some());
    }

    #[test]
    fn old_and_new_key_together_are_refused() {
        let text = "[[prepare]]\nname = \"settle\"\nhold = [\"a\"]\nfixed = [\"b\"]\n";
        let error = replaced(text).1.expect_err("both words");
        assert_eq!(
            error,
            "scene.toml:1: prepare `settle`: `hold` and `fixed` are both given. Keep `fixed`: `hold` is its old name"
        );
    }

    #[test]
    fn only_calls_of_a_measure_are_renamed() {
        let renamed = |text| with_call_renamed(text, "verge", "critical");
        assert_eq!(
            renamed("2*verge(a, 0, 1)").as_deref(),
            Some("2*critical(a, 0, 1)")
        );
        assert_eq!(
            renamed("verge (a)+verge(b)").as_deref(),
            Some("critical (a)+critical(b)")
        );
        // Another name, a name that is no call, a quoted text, characters of several bytes.
        for text in [
            "converge(a)",
            "verge_2(a)",
            "verge + 1",
            "fails(\"verge(a)\")",
            "µ·é \"",
            "",
        ] {
            assert_eq!(renamed(text), None, "{text}");
        }
    }

    #[test]
    fn measures_of_findings_and_studies_are_renamed() {
        let text = "when = \"verge(a, 0, 1) > 2\"\n[observe]\nc = \"verge(b, 0, 1)\"\n[[finding]]\nname = \"f\"\n\
                    value = \"verge(c, 0, 1)\"\n[[study]]\nname = \"s\"\nobserve = { d = \"verge(d, 0, 1)\" }\n";
        let warnings = replaced(text).1.expect("accepted");
        let begins = [
            "scene.toml:6: finding `f`",
            "scene.toml:9: study `s`",
            "scene.toml:1: study",
            "scene.toml:3: study",
        ];
        assert_eq!(warnings.len(), begins.len(), "{warnings:#?}");
        for (warning, begin) in warnings.iter().zip(begins) {
            assert!(warning.starts_with(begin), "{warning}");
            assert!(warning.contains("the measure `verge` is called `critical_parameter` now"));
        }
    }

    #[test]
    fn a_scene_without_old_words_has_no_warning() {
        let (_, warnings) = replaced(
            "hold = 1\n[[prepare]]\nname = \"p\"\nfixed = [\"a\"]\n[parameters]\nhold = 1\n",
        );
        assert_eq!(warnings, Ok(Vec::new()));
    }
}
