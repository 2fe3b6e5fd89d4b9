//! Reads `[[case]]`, `[fast]`, `[[study]]`, `[[finding]]` and `[[plot]]`.

use super::vary::vary;
use super::{Bisect, Case, Check, Datum, FindingSpec, Overrides, Plot, PlotKind, Study};
use crate::error::InputError;
use crate::reader::{Formula, Reader, parts};
use crate::tree::{Item, Value};

/// `[[case]]`.
pub fn cases(root: &mut Reader<'_>) -> Result<Vec<Case>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "case", "case")? {
        // `main` is reserved for the run without overrides.
        if name == "main" {
            let problem = "`main` is the run without changes";
            return Err(reader.error(problem, "Choose another name"));
        }
        let title = reader.text_if("title")?;
        let set = overrides(&mut reader)?;
        let line = reader.line;
        reader.finish()?;
        all.push(Case {
            name,
            title,
            set,
            line,
        });
    }
    Ok(all)
}

/// `set = { key = value, … }`; nested tables give keys with dots.
pub fn overrides(reader: &mut Reader<'_>) -> Result<Overrides, Box<InputError>> {
    let Some(item) = reader.take("set") else {
        return Ok(Vec::new());
    };
    let part = format!("{}, set", reader.part);
    pairs(&mut reader.of(part, "set", item)?)
}

/// `[fast]`: the overrides of a run that is to be short, and the line on which they begin; `None` where there is no such
/// table.
pub fn fast(root: &mut Reader<'_>) -> Result<Option<(Overrides, usize)>, Box<InputError>> {
    let Some(item) = root.take("fast") else {
        return Ok(None);
    };
    let mut reader = root.of("[fast]", "fast", item)?;
    let (all, line) = (pairs(&mut reader)?, reader.line);
    if all.is_empty() {
        let problem = "the table is empty: a fast run would be the run itself";
        return Err(reader.error(
            problem,
            "Give parameters or settings their values, or drop it",
        ));
    }
    Ok(Some((all, line)))
}

/// All keys of a table as overrides.
fn pairs(table: &mut Reader<'_>) -> Result<Overrides, Box<InputError>> {
    let mut all = Vec::new();
    for entry in table.take_all() {
        match entry.item.value {
            Value::Table(inner) => {
                for nested in inner {
                    let key = format!("{}.{}", entry.key, nested.key);
                    let value = plain(table, &key, nested.item)?;
                    all.push((key, value));
                }
            }
            _ => {
                let value = plain(table, &entry.key, entry.item)?;
                all.push((entry.key, value));
            }
        }
    }
    Ok(all)
}

/// A value as the text of an override.
pub(super) fn plain(reader: &Reader<'_>, key: &str, item: Item) -> Result<String, Box<InputError>> {
    match item.value {
        Value::Truth(truth) => Ok(truth.to_string()),
        _ => Ok(reader.to_formula(key, item)?.text),
    }
}

/// `[[study]]`.
pub fn studies(root: &mut Reader<'_>) -> Result<Vec<Study>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "study", "study")? {
        let study = study(&mut reader, name)?;
        reader.finish()?;
        all.push(study);
    }
    Ok(all)
}

/// The keys common to a study in a scene and one in a file of its own.
pub fn study(reader: &mut Reader<'_>, name: String) -> Result<Study, Box<InputError>> {
    let set = overrides(reader)?;
    let vary = vary(reader)?;
    let bisect = bisect(reader)?;
    let when = reader.formula_if("when")?;
    let observe = observe(reader)?;
    // A bisection has a condition, and every study varies or searches.
    if bisect.is_some() != when.is_some() {
        let problem = "`bisect` and `when`, the condition that changes, go together";
        return Err(reader.error(problem, "Give both or none"));
    }
    if vary.is_empty() && bisect.is_none() {
        let problem = "a study needs `vary` or `bisect`";
        let advice = "Say which key takes which values (`points` and `repeat` do so, too)";
        return Err(reader.error(problem, advice));
    }
    Ok(Study {
        name,
        set,
        vary,
        bisect,
        when,
        observe,
        line: reader.line,
    })
}

fn observe(reader: &mut Reader<'_>) -> Result<Vec<(String, Formula)>, Box<InputError>> {
    let Some(item) = reader.take("observe") else {
        return Ok(Vec::new());
    };
    let part = format!("{}, observe", reader.part);
    let mut table = reader.of(part, "observe", item)?;
    let entries = table.take_all().into_iter();
    let columns = entries.map(|entry| {
        let formula = table.to_formula(&entry.key, entry.item)?;
        Ok((entry.key, formula))
    });
    columns.collect()
}

fn bisect(reader: &mut Reader<'_>) -> Result<Option<Bisect>, Box<InputError>> {
    let Some(item) = reader.take("bisect") else {
        return Ok(None);
    };
    let mut table = reader.of(format!("{}, bisect", reader.part), "bisect", item)?;
    let bisect = Bisect {
        key: table.text("key")?,
        from: table.formula("from")?,
        to: table.formula("to")?,
        tolerance: table.formula("tolerance")?,
        line: table.line,
    };
    table.finish()?;
    Ok(Some(bisect))
}

/// `[[finding]]`.
pub fn findings(
    root: &mut Reader<'_>,
    cases: &[Case],
) -> Result<Vec<FindingSpec>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "finding", "finding")? {
        let value = reader.formula("value")?;
        let check = check(&mut reader)?;
        let case = reader.text_if("case")?;
        // The case must exist; `main` is the run without overrides.
        if let Some(case) = &case {
            known_case(&reader, case, cases)?;
        }
        let (source, about) = (reader.text_if("source")?, reader.text_if("about")?);
        let line = reader.line;
        reader.finish()?;
        all.push(FindingSpec {
            name,
            value,
            check,
            case,
            source,
            about,
            line,
        });
    }
    Ok(all)
}

fn known_case(reader: &Reader<'_>, name: &str, cases: &[Case]) -> Result<(), Box<InputError>> {
    let known = cases.iter().map(|case| case.name.clone());
    let known = std::iter::once("main".to_string()).chain(known).collect();
    require_known(reader, "case", name, known)
}

fn require_known(
    reader: &Reader<'_>,
    word: &str,
    name: &str,
    known: Vec<String>,
) -> Result<(), Box<InputError>> {
    if known.iter().any(|known| known == name) {
        return Ok(());
    }
    // Suggest the nearest name.
    let guess = match percuss_expr::similar_names(name, &known).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    let listed = match known.is_empty() {
        true => "there are none".to_string(),
        false => format!("known here: {}", known.join(", ")),
    };
    let problem = format!("there is no {word} `{name}`{guess} ({listed})");
    Err(reader.error(problem, ""))
}

fn check(reader: &mut Reader<'_>) -> Result<Check, Box<InputError>> {
    let expected = reader.take("expected");
    let tolerance = reader.take("tolerance");
    let (most, least) = (
        reader.formula_if("at_most")?,
        reader.formula_if("at_least")?,
    );
    let between = reader.take("between");
    let one = "at most one of `expected`, `at_most`, `at_least`, `between` may be given";
    // At most one kind of expectation.
    match (expected, most, least, between) {
        (Some(expected), None, None, None) => Ok(Check::Expected {
            value: datum(reader, "expected", expected)?,
            tolerance: tolerance
                .map(|item| datum(reader, "tolerance", item))
                .transpose()?,
        }),
        _ if tolerance.is_some() => Err(reader.error(
            "`tolerance` goes with `expected`",
            "Drop it, or add `expected`",
        )),
        (None, Some(most), None, None) => Ok(Check::AtMost(most)),
        (None, None, Some(least), None) => Ok(Check::AtLeast(least)),
        (None, None, None, Some(item)) => match &item.value {
            Value::List(items) if items.len() == 2 => {
                if let [Value::Number(a), Value::Number(b)] = [&items[0].value, &items[1].value]
                    && a > b
                {
                    let problem = format!("the interval from {a} to {b} is empty");
                    return Err(reader.wrong("between", &item, problem, ""));
                }
                Ok(Check::Between(
                    reader.to_formula("between", items[0].clone())?,
                    reader.to_formula("between", items[1].clone())?,
                ))
            }
            _ => {
                let problem = "an array of two values was expected";
                Err(reader.wrong("between", &item, problem.into(), ""))
            }
        },
        (None, None, None, None) => Ok(Check::Report),
        _ => Err(reader.error(one, "Keep one")),
    }
}

fn datum(reader: &Reader<'_>, key: &str, item: Item) -> Result<Datum, Box<InputError>> {
    match item.value {
        Value::Number(number) if number.is_finite() => Ok(Datum::Number(number)),
        Value::Text(text) => Ok(Datum::Text(text)),
        Value::Truth(truth) => Ok(Datum::Truth(truth)),
        Value::List(items) => {
            let all = items.into_iter().map(|item| datum(reader, key, item));
            Ok(Datum::List(all.collect::<Result<_, _>>()?))
        }
        _ => Err(reader.expected(
            key,
            &item,
            "a finite number, true, false, a text or a list",
            "",
        )),
    }
}

/// `[[plot]]`.
pub fn plots(
    root: &mut Reader<'_>,
    cases: &[Case],
    studies: &[Study],
) -> Result<Vec<Plot>, Box<InputError>> {
    let mut all = Vec::new();
    for (name, mut reader) in parts(root, "plot", "plot")? {
        // Style, cases and study shown.
        let kind = match reader.text_if("kind")?.as_deref() {
            None | Some("line") => PlotKind::Line,
            Some("points") => PlotKind::Points,
            Some(other) => {
                let problem = format!("`kind = \"{other}\"`: \"line\" or \"points\" was expected");
                return Err(reader.error(problem, ""));
            }
        };
        let shown = case_names(&mut reader, cases)?;
        let Some(y) = reader.formulas_if("y")? else {
            return Err(reader.missing("y"));
        };
        let study = reader.text_if("study")?;
        if let Some(study) = &study {
            let known = studies.iter().map(|study| study.name.clone()).collect();
            require_known(&reader, "study", study, known)?;
        }
        let average = reader.truth_if("average")?.is_some_and(|(truth, _)| truth);
        let x = reader.formula_if("x")?;
        // A running mean is over time.
        if average && (x.is_some() || study.is_some()) {
            let problem = "`average` is a mean over time: `x` and `study` do not go with it";
            return Err(reader.error(problem, ""));
        }
        let plot = Plot {
            name,
            title: reader.text_if("title")?,
            x,
            y,
            x_label: reader.text_if("x_label")?,
            y_label: reader.text_if("y_label")?,
            kind,
            cases: shown,
            average,
            equal: reader.truth_if("equal")?.is_some_and(|(truth, _)| truth),
            from: reader.formula_if("from")?,
            to: reader.formula_if("to")?,
            study,
            line: reader.line,
        };
        reader.finish()?;
        all.push(plot);
    }
    Ok(all)
}

fn case_names(reader: &mut Reader<'_>, cases: &[Case]) -> Result<Vec<String>, Box<InputError>> {
    let Some(item) = reader.take("cases") else {
        return Ok(vec!["main".to_string()]);
    };
    let Value::List(items) = &item.value else {
        return Err(reader.expected("cases", &item, "an array of names", ""));
    };
    let mut names = Vec::new();
    for case in items {
        let Value::Text(name) = &case.value else {
            return Err(reader.expected("cases", case, "a name", ""));
        };
        known_case(reader, name, cases)?;
        names.push(name.clone());
    }
    Ok(names)
}
