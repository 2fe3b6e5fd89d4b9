//! Reads the varied keys of a study: lists, intervals, random and Latin hypercube samples, design points, replicates.

use super::read::plain;
use super::{Spacing, VariedValues, Vary};
use crate::error::InputError;
use crate::reader::Reader;
use crate::tree::{Item, Value};

/// Message for a value of another form.
const FORMS: &str = "an array of values, { from, to, count } or { sample, count, seed } was expected; a Latin \
     hypercube is { from, to, latin, seed }";

/// All keys of `points`, `vary` and `repeat`, each once: the slowest first, the fastest last.
pub(super) fn vary(reader: &mut Reader<'_>) -> Result<Vec<Vary>, Box<InputError>> {
    let mut all = points(reader)?;
    all.extend(table(reader)?);
    all.extend(repeat(reader)?);
    // No key may be varied twice.
    for (k, vary) in all.iter().enumerate() {
        if all[..k].iter().any(|before| before.key == vary.key) {
            let problem = format!("`{}` is varied twice", vary.key);
            let mut error = reader.error(problem, "Keep one of them");
            error.origin = crate::error::Origin::Line(vary.line);
            return Err(error);
        }
    }
    Ok(all)
}

/// `vary = { key = …, … }`.
fn table(reader: &mut Reader<'_>) -> Result<Vec<Vary>, Box<InputError>> {
    let Some(item) = reader.take("vary") else {
        return Ok(Vec::new());
    };
    let part = format!("{}, vary", reader.part);
    let mut table = reader.of(part, "vary", item)?;
    let mut all = Vec::new();
    for entry in table.take_all() {
        match entry.item.value {
            // `run.step = …` is a table of its own in TOML.
            Value::Table(inner) if entry.key == "run" || entry.key == "impact" => {
                for nested in inner {
                    let key = format!("{}.{}", entry.key, nested.key);
                    all.push(Vary {
                        range: range(&table, &key, nested.item)?,
                        line: nested.line,
                        key,
                    });
                }
            }
            _ => all.push(Vary {
                range: range(&table, &entry.key, entry.item)?,
                line: entry.line,
                key: entry.key,
            }),
        }
    }
    Ok(all)
}

fn range(reader: &Reader<'_>, key: &str, item: Item) -> Result<VariedValues, Box<InputError>> {
    // A list of values, or a table that describes an interval or a sample.
    match item.value {
        Value::List(items) if !items.is_empty() => {
            let values = items.into_iter().map(|item| plain(reader, key, item));
            Ok(VariedValues::List(values.collect::<Result<_, _>>()?))
        }
        Value::Table(_) => interval(reader, key, item),
        _ => Err(reader.wrong(key, &item, FORMS.into(), "")),
    }
}

/// `{ from, to, count }`, `{ sample, count, seed }`, `{ from, to, latin, seed }`.
fn interval(reader: &Reader<'_>, key: &str, item: Item) -> Result<VariedValues, Box<InputError>> {
    let mut table = reader.of(format!("{}, {key}", reader.part), key, item)?;
    // Take all keys first; their combination gives the kind.
    let sample = table.formula_if("sample")?;
    let (from, to) = (table.formula_if("from")?, table.formula_if("to")?);
    let (count, latin) = (table.count_if("count")?, table.count_if("latin")?);
    let seed = table.count_if("seed")?;
    let scale = table.text_if("scale")?;
    let whole = table.truth_if("whole")?.map(|(truth, _)| truth);
    let divided = scale.is_some() || whole.is_some();
    let log = match scale.as_deref() {
        None | Some("linear") => false,
        Some("log") => true,
        Some(other) => {
            let problem = format!("`scale = \"{other}\"`: \"linear\" or \"log\" was expected");
            return Err(table.error(problem, ""));
        }
    };
    let spacing = Spacing {
        log,
        whole: whole.unwrap_or(false),
    };
    let wrong = table.error(
        "{ from, to, count }, { sample, count, seed } or { from, to, latin, seed } was expected",
        "`scale` and `whole` go with `from` and `to`",
    );
    table.finish()?;
    let drawn = seed.unwrap_or(1) as u64;
    // Random sample, equal spacing or Latin hypercube.
    match (sample, from, to, count, latin) {
        (Some(text), None, None, Some(count), None) if !divided => Ok(VariedValues::Sample {
            text,
            count,
            seed: drawn,
        }),
        (None, Some(from), Some(to), Some(count), None) if seed.is_none() => {
            Ok(VariedValues::Even {
                from,
                to,
                count,
                spacing,
            })
        }
        (None, Some(from), Some(to), None, Some(count)) => Ok(VariedValues::Latin {
            from,
            to,
            count,
            seed: drawn,
            spacing,
        }),
        _ => Err(wrong),
    }
}

/// `points = { keys = [key, …], rows = [[value, …], …] }`.
fn points(reader: &mut Reader<'_>) -> Result<Vec<Vary>, Box<InputError>> {
    let Some(item) = reader.take("points") else {
        return Ok(Vec::new());
    };
    let mut table = reader.of(format!("{}, points", reader.part), "points", item)?;
    let line = table.line;
    let Some(keys) = table.formulas_if("keys")? else {
        return Err(table.missing("keys"));
    };
    let rows = table.tables("rows")?;
    if rows.is_empty() {
        return Err(table.error("`rows`: an array of points was expected", ""));
    }
    // One column of values per key.
    let mut all: Vec<Vary> = keys
        .into_iter()
        .map(|key| Vary {
            key: key.text,
            range: VariedValues::Column(Vec::new()),
            line,
        })
        .collect();
    for row in rows {
        let Value::List(values) = &row.value else {
            return Err(table.expected("rows", &row, "an array with a value for each key", ""));
        };
        if values.len() != all.len() {
            let (found, wanted) = (values.len(), all.len());
            let problem = format!("{wanted} values were expected, one for each key, not {found}");
            return Err(table.wrong("rows", &row, problem, ""));
        }
        for (vary, value) in all.iter_mut().zip(values) {
            let text = plain(&table, "rows", value.clone())?;
            if let VariedValues::Column(column) = &mut vary.range {
                column.push(text);
            }
        }
    }
    table.finish()?;
    Ok(all)
}

/// `repeat = { key = "seed", count = 5, first = 1 }`.
fn repeat(reader: &mut Reader<'_>) -> Result<Option<Vary>, Box<InputError>> {
    let Some(item) = reader.take("repeat") else {
        return Ok(None);
    };
    let mut table = reader.of(format!("{}, repeat", reader.part), "repeat", item)?;
    let (key, line) = (table.text("key")?, table.line);
    let Some(count) = table.count_if("count")? else {
        return Err(table.missing("count"));
    };
    let first = table.count_if("first")?.unwrap_or(1) as u64;
    table.finish()?;
    Ok(Some(Vary {
        key,
        range: VariedValues::Repeat { first, count },
        line,
    }))
}
