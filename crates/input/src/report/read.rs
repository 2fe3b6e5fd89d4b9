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
        let only_at = only_at(&mut reader, &check)?;
        let (source, about) = (reader.text_if("source")?, reader.text_if("about")?);
        let line = reader.line;
        reader.finish()?;
        all.push(FindingSpec {
            name,
            value,
            check,
            case,
            only_at,
            source,
            about,
            line,
        });
    }
    Ok(all)
}

/// `only_at`: names of parameters and settings; whether they exist is known when the whole scene is read.
fn only_at(reader: &mut Reader<'_>, check: &Check) -> Result<Vec<String>, Box<InputError>> {
    let Some(item) = reader.take("only_at") else {
        return Ok(Vec::new());
    };
    let wanted =
        "an array of names of parameters and settings, as [\"mu\", \"step\"], or [\"parameters\"]";
    let Value::List(names) = &item.value else {
        return Err(reader.expected("only_at", &item, wanted, ""));
    };
    if names.is_empty() {
        return Err(reader.expected("only_at", &item, wanted, "Drop it where nothing matters"));
    }
    // It restricts an expectation.
    if *check == Check::Report {
        let problem = "`only_at` goes with `expected`, `at_most`, `at_least` or `between`";
        return Err(reader.error(problem, "Drop it, or say what is expected"));
    }
    let name = |name: &Item| match &name.value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(reader.expected("only_at", name, "a name", "")),
    };
    names.iter().map(name).collect()
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
        let kind = plot_kind(&mut reader)?;
        let (findings, at, every) = (
            names(&mut reader, "findings")?,
            reader.formulas_if("at")?.unwrap_or_default(),
            reader.count_if("every")?,
        );
        require_kind(&reader, kind, (&findings, &at, every))?;
        let shown = case_names(&mut reader, cases)?;
        let y = match reader.formulas_if("y")? {
            Some(y) => y,
            None if kind == PlotKind::Drawing || !findings.is_empty() => Vec::new(),
            None => return Err(reader.missing("y")),
        };
        let study = reader.text_if("study")?;
        if !findings.is_empty() && (study.is_some() || !y.is_empty()) {
            let problem =
                "`findings` are counted instead of `y`: `y` and `study` do not go with it";
            return Err(reader.error(problem, "Make two plots of it"));
        }
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
            findings,
            at,
            every,
            line: reader.line,
        };
        reader.finish()?;
        all.push(plot);
    }
    Ok(all)
}

fn plot_kind(reader: &mut Reader<'_>) -> Result<PlotKind, Box<InputError>> {
    Ok(match reader.text_if("kind")?.as_deref() {
        None | Some("line") => PlotKind::Line,
        Some("points") => PlotKind::Points,
        Some("histogram") => PlotKind::Histogram,
        Some("drawing") => PlotKind::Drawing,
        Some(other) => {
            let problem = format!(
                "`kind = \"{other}\"`: \"line\", \"points\", \"histogram\" or \"drawing\" was expected"
            );
            return Err(reader.error(problem, ""));
        }
    })
}

/// Keys that a histogram does without.
const WITHOUT_AXIS: [&str; 3] = ["x", "average", "equal"];

/// Keys that a drawing does without.
const WITHOUT_SERIES: [&str; 8] = [
    "x", "y", "study", "cases", "average", "equal", "x_label", "y_label",
];

/// Refuses keys that a plot of this kind does not have.
fn require_kind(
    reader: &Reader<'_>,
    kind: PlotKind,
    (findings, at, every): (&[String], &[Formula], Option<usize>),
) -> Result<(), Box<InputError>> {
    // Keys that only one kind has.
    if kind != PlotKind::Histogram && !findings.is_empty() {
        let problem = "`findings` goes with `kind = \"histogram\"`";
        return Err(reader.error(problem, ""));
    }
    if kind != PlotKind::Drawing && (!at.is_empty() || every.is_some()) {
        let problem = "`at` and `every` go with `kind = \"drawing\"`";
        return Err(reader.error(problem, "Choose times with `from` and `to`"));
    }
    // Keys that a kind does without.
    let (word, useless) = match kind {
        PlotKind::Line | PlotKind::Points => return Ok(()),
        PlotKind::Histogram => ("histogram", &WITHOUT_AXIS[..]),
        PlotKind::Drawing => ("drawing", &WITHOUT_SERIES[..]),
    };
    if let Some(key) = useless.iter().find(|key| reader.has(key)) {
        let problem = format!("`{key}` does nothing in a plot of `kind = \"{word}\"`");
        return Err(reader.error(problem, "Drop it"));
    }
    // Instants of a drawing: listed, or every n-th state of an interval.
    if kind == PlotKind::Drawing && at.is_empty() != every.is_some() {
        let problem = "a drawing at several instants needs `at`, the instants, or `every`, a number of states";
        return Err(reader.error(problem, "Give one of them"));
    }
    if !at.is_empty() && (reader.has("from") || reader.has("to")) {
        let problem = "`from` and `to` go with `every`; `at` lists the instants itself";
        return Err(reader.error(problem, "Drop them"));
    }
    Ok(())
}

/// A name, or an array of names.
fn names(reader: &mut Reader<'_>, key: &'static str) -> Result<Vec<String>, Box<InputError>> {
    let Some(item) = reader.take(key) else {
        return Ok(Vec::new());
    };
    let name = |item: &Item| match &item.value {
        Value::Text(name) => Ok(name.clone()),
        _ => Err(reader.expected(key, item, "a name", "")),
    };
    match &item.value {
        Value::List(items) if !items.is_empty() => items.iter().map(name).collect(),
        _ => Ok(vec![name(&item)?]),
    }
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
