//! `[record]`: which tables, bodies and intervals of a run are recorded, and how often.

use super::selection::{RecordSelection, TableCompression};
use super::spec::Word;
use super::{SceneKind, read_run};
use crate::{Formula, InputError, Item, Parameters, Reader, Value, keyword, value_error};

/// Name of the table in messages.
pub const PART: &str = "[record]";

/// `[record]` of a scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordSpec {
    pub every: Option<Formula>,
    pub states_every: Option<Formula>,
    pub contacts_every: Option<Formula>,
    pub tables: Option<Vec<Word>>,
    pub from: Option<Formula>,
    pub until: Option<Formula>,
    pub bodies: Option<Vec<Word>>,
    pub compression: Option<Word>,
}

/// Keys that `--set record.KEY=…` can override, by kind of scene.
pub fn keys(kind: SceneKind) -> &'static [&'static str] {
    match kind {
        SceneKind::Bodies => &[
            "record.every",
            "record.bodies_every",
            "record.contacts_every",
            "record.tables",
            "record.from",
            "record.until",
            "record.bodies",
            "record.compression",
        ],
        SceneKind::Mechanism => &[
            "record.every",
            "record.coordinates_every",
            "record.contacts_every",
            "record.tables",
            "record.from",
            "record.until",
            "record.compression",
        ],
    }
}

/// Reads `[record]`; `run_every` says whether `[run]` has `record_every`.
pub fn read(
    root: &mut Reader<'_>,
    kind: SceneKind,
    run_every: bool,
) -> Result<RecordSpec, Box<InputError>> {
    let Some(item) = root.take("record") else {
        return Ok(RecordSpec::default());
    };
    let mut reader = root.of(PART, "record", item)?;
    let bodies = kind == SceneKind::Bodies;
    let spec = RecordSpec {
        every: reader.formula_if("every")?,
        states_every: match bodies {
            true => reader.formula_if("bodies_every")?,
            false => reader.formula_if("coordinates_every")?,
        },
        contacts_every: reader.formula_if("contacts_every")?,
        tables: words(&mut reader, "tables")?,
        from: reader.formula_if("from")?,
        until: reader.formula_if("until")?,
        bodies: match bodies {
            true => words(&mut reader, "bodies")?,
            false => None,
        },
        compression: read_run::word(&mut reader, "compression")?,
    };
    // Two recording intervals would contradict each other.
    if let (true, Some(every)) = (run_every, &spec.every) {
        let problem = "`record_every` of [run] says the same";
        let advice = "Leave one of the two out";
        return Err(value_error(
            root.file, PART, "every", every, problem, advice,
        ));
    }
    reader.finish()?;
    Ok(spec)
}

/// One word or an array of words.
fn words(reader: &mut Reader<'_>, key: &'static str) -> Result<Option<Vec<Word>>, Box<InputError>> {
    let one = |item: Item| match item.value {
        Value::Text(text) => Ok(Word::at_line(text, item.line)),
        _ => Err(item),
    };
    let Some(item) = reader.take(key) else {
        return Ok(None);
    };
    let wrong = |item: &Item| reader.expected(key, item, "a name or an array of names", "");
    match &item.value {
        Value::List(items) => {
            let all: Result<Vec<Word>, Item> = items.iter().cloned().map(one).collect();
            all.map(Some).map_err(|_| wrong(&item))
        }
        _ => one(item)
            .map(|word| Some(vec![word]))
            .map_err(|item| wrong(&item)),
    }
}

impl RecordSpec {
    /// Overrides one value, as `--set` does; names are separated by commas.
    pub fn set(&mut self, key: &str, formula: Formula) {
        let list = || {
            let names = formula.text.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty());
            Some(names.map(Formula::overriding).collect())
        };
        match key {
            "record.every" => self.every = Some(formula),
            "record.contacts_every" => self.contacts_every = Some(formula),
            "record.tables" => self.tables = list(),
            "record.from" => self.from = Some(formula),
            "record.until" => self.until = Some(formula),
            "record.bodies" => self.bodies = list(),
            "record.compression" => self.compression = Some(formula),
            _ => self.states_every = Some(formula),
        }
    }

    /// The selection with its numbers, for a run over `span` with these tables; `bodies` are resolved by the builder of
    /// the scene.
    pub fn choice(
        &self,
        file: &str,
        parameters: &mut Parameters,
        tables: &[&str],
        span: (f64, f64),
    ) -> Result<RecordSelection, Box<InputError>> {
        let states_key = match tables.contains(&"bodies") {
            true => "bodies_every",
            false => "coordinates_every",
        };
        // Interval of time, then the selection of tables and steps.
        let (from, until) = self.window(file, parameters, span)?;
        Ok(RecordSelection {
            states: count(file, parameters, states_key, self.states_every.as_ref())?,
            contacts: count(
                file,
                parameters,
                "contacts_every",
                self.contacts_every.as_ref(),
            )?,
            tables: self.chosen(file, tables)?,
            from,
            until,
            bodies: None,
            compression: match &self.compression {
                None => TableCompression::default(),
                Some(word) => one_of(file, "compression", word, &TableCompression::ALL)?,
            },
        })
    }

    /// The recording interval in steps, where it is given here.
    pub fn every(
        &self,
        file: &str,
        parameters: &mut Parameters,
    ) -> Result<Option<usize>, Box<InputError>> {
        count(file, parameters, "every", self.every.as_ref())
    }

    fn chosen(&self, file: &str, tables: &[&str]) -> Result<Option<Vec<String>>, Box<InputError>> {
        let Some(words) = &self.tables else {
            return Ok(None);
        };
        // Tables that are always recorded may be named as well.
        let always = match tables.contains(&"bodies") {
            true => &["steps", "names"][..],
            false => &["steps"][..],
        };
        let known: Vec<(&str, &str)> = tables.iter().chain(always).map(|n| (*n, *n)).collect();
        let all = words.iter().map(|word| {
            let name = one_of(file, "tables", word, &known)?;
            Ok(name.to_string())
        });
        all.collect::<Result<_, _>>().map(Some)
    }

    fn window(
        &self,
        file: &str,
        parameters: &mut Parameters,
        (start, end): (f64, f64),
    ) -> Result<(Option<f64>, Option<f64>), Box<InputError>> {
        let mut number = |key: &str, formula: &Option<Formula>| match formula {
            None => Ok(None),
            Some(formula) => parameters.evaluate(file, PART, key, formula).map(Some),
        };
        // The interval of time recorded must meet that of the run.
        let (from, until) = (number("from", &self.from)?, number("until", &self.until)?);
        let (low, high) = (from.unwrap_or(start), until.unwrap_or(end));
        let missed = low > high || low > end || high < start;
        match (&self.from, &self.until) {
            (Some(at), _) | (None, Some(at)) if missed => {
                let key = if self.from.is_some() { "from" } else { "until" };
                let problem =
                    format!("nothing of the run from {start} to {end} is between {low} and {high}");
                let advice = "`from` and `until` are times of the run, `from` the earlier";
                Err(value_error(file, PART, key, at, problem, advice))
            }
            _ => Ok((from, until)),
        }
    }
}

/// An integer from 1.
fn count(
    file: &str,
    parameters: &mut Parameters,
    key: &str,
    formula: Option<&Formula>,
) -> Result<Option<usize>, Box<InputError>> {
    // 2⁵³: above it, not every integer is a double.
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let Some(formula) = formula else {
        return Ok(None);
    };
    let value = parameters.evaluate(file, PART, key, formula)?;
    match (1.0..=LARGEST).contains(&value) && value.fract() == 0.0 {
        true => Ok(Some(value as usize)),
        false => {
            let problem = format!("the value is {value}; a whole number from 1 was expected");
            Err(value_error(file, PART, key, formula, problem, ""))
        }
    }
}

fn one_of<T: Copy>(
    file: &str,
    key: &str,
    word: &Word,
    known: &[(&str, T)],
) -> Result<T, Box<InputError>> {
    keyword(&word.text, known).map_err(|problem| value_error(file, PART, key, word, problem, ""))
}
