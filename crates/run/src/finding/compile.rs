//! Compiles the call of a measure in a value expression.

use percuss_record::Certificate;
use percuss_scene::Study;

use crate::finding::accuracy::{Accuracy, Norm, Reference};
use crate::finding::expression::Expression;
use crate::finding::list::OfList;
use crate::finding::measure::{Call, EvaluationTime, EventMeasure, Fold, RunMeasure, Sense, form};
use crate::finding::names::Names;
use crate::finding::statics::OfLimit;
use crate::scan::{self, Part, RawCall, TextError};

/// Name of the column with the result of a bisection.
pub const THRESHOLD: &str = "threshold";

/// Compiles the call of a measure.
pub fn call(raw: &RawCall<'_>, names: &mut Names<'_>) -> Result<Call, TextError> {
    // `order` and `error` have groups of arguments; all others have one.
    let groups = scan::arguments(raw.inside)?;
    if let Some(accuracy) = accuracy(raw, &groups, names)? {
        return Ok(Call::Run(RunMeasure::Accuracy(Box::new(accuracy))));
    }
    let [arguments] = groups.as_slice() else {
        return Err(written(raw));
    };
    let found = match observed(raw, arguments, names)? {
        None => touching(raw, arguments, names)?,
        found => found,
    };
    match found {
        None => other(raw, arguments, names),
        Some(measure) => Ok(Call::Run(measure)),
    }
}

/// The error for a call whose arguments do not have the form of the measure.
fn written(raw: &RawCall<'_>) -> TextError {
    let (name, form) = (raw.name.text, form(raw.name.text));
    raw.whole.error(format!("`{name}` is written {form}"))
}

/// Compiles an argument that is a value expression.
fn value(part: Part<'_>, names: &mut Names<'_>) -> Result<Expression, TextError> {
    Expression::compile_part(part, names)
}

/// Compiles several of them.
fn values(parts: &[Part<'_>], names: &mut Names<'_>) -> Result<Vec<Expression>, TextError> {
    parts.iter().map(|part| value(*part, names)).collect()
}

/// Measures of observables over time: values, extrema, means, zero crossings.
fn observed(
    raw: &RawCall<'_>,
    arguments: &[Part<'_>],
    names: &mut Names<'_>,
) -> Result<Option<RunMeasure>, TextError> {
    let fold = match raw.name.text {
        "maximum" => Some(Fold::Maximum),
        "minimum" => Some(Fold::Minimum),
        "mean" => Some(Fold::Mean),
        "integral" => Some(Fold::Integral),
        "standard_error" => Some(Fold::StandardError),
        _ => None,
    };
    // Reductions over the run or a time span.
    if let Some(fold) = fold {
        let (of, span) = match arguments {
            [of] => (names.observable(*of)?, None),
            [of, from, to] => {
                let span = (value(*from, names)?, value(*to, names)?);
                (names.observable(*of)?, Some(span))
            }
            _ => return Err(written(raw)),
        };
        return Ok(Some(RunMeasure::Over { of, fold, span }));
    }
    let sense = match raw.name.text {
        "crossing" => Some(Sense::Any),
        "rising" => Some(Sense::Up),
        "falling" => Some(Sense::Down),
        _ => None,
    };
    // The k-th zero crossing.
    if let Some(sense) = sense {
        let (of, k) = match arguments {
            [of] => (names.observable(*of)?, None),
            [of, k] => (names.observable(*of)?, Some(value(*k, names)?)),
            _ => return Err(written(raw)),
        };
        return Ok(Some(RunMeasure::Passing { of, sense, k }));
    }
    // The value at an instant.
    let (of, place) = match (raw.name.text, arguments) {
        ("initial", [of]) => (of, EvaluationTime::Initial),
        ("final", [of]) => (of, EvaluationTime::Final),
        ("at", [of, time]) => (of, EvaluationTime::At(value(*time, names)?)),
        ("left_limit", [of, time]) => (of, EvaluationTime::Before(value(*time, names)?)),
        ("initial" | "final" | "at" | "left_limit", _) => return Err(written(raw)),
        _ => return Ok(None),
    };
    let of = names.observable(*of)?;
    Ok(Some(RunMeasure::Point { of, place }))
}

/// Measures of contacts and other constraints: events, impulses, accumulation of impacts.
fn touching(
    raw: &RawCall<'_>,
    arguments: &[Part<'_>],
    names: &mut Names<'_>,
) -> Result<Option<RunMeasure>, TextError> {
    // Events by name.
    let what = match raw.name.text {
        "impact" => Some(EventMeasure::Impact),
        "speed_before" => Some(EventMeasure::SpeedBefore),
        "speed_after" => Some(EventMeasure::SpeedAfter),
        "touch" => Some(EventMeasure::Touch),
        "detach" => Some(EventMeasure::Detach),
        "stick" => Some(EventMeasure::Stick),
        "slip" => Some(EventMeasure::Slip),
        "locked" => Some(EventMeasure::Locked),
        "painleve" => Some(EventMeasure::Painleve),
        "impacts" | "accumulation" | "impulse" => None,
        _ => return Ok(None),
    };
    // The first argument names the contact, joint or watch.
    let Some((first, rest)) = arguments.split_first() else {
        return Err(written(raw));
    };
    if matches!(what, Some(EventMeasure::Locked | EventMeasure::Painleve))
        && names.language.is_bodies()
    {
        let problem = format!(
            "`{}` is for mechanisms: bodies have no such event",
            raw.name.text
        );
        return Err(raw.whole.error(problem));
    }
    let (constraint, rows) = names.constraint(*first)?;
    // Joints have impacts; contacts and forces are those of watches.
    if names.is_joint(constraint) && matches!(raw.name.text, "accumulation" | "impulse") {
        let problem = format!(
            "`{}` is for watches, and `{}` is a joint: its impacts are `impact`, `impacts`, `speed_before` and \
             `speed_after`",
            raw.name.text, first.text
        );
        return Err(raw.whole.error(problem));
    }
    // The k-th event, the number of impacts, the accumulation point, or a sum of impulses.
    Ok(Some(match (what, raw.name.text, rest) {
        (Some(what), _, [] | [_]) => {
            let k = rest.first().map(|k| value(*k, names)).transpose()?;
            RunMeasure::Nth {
                what,
                constraint,
                k,
            }
        }
        (None, "impacts", [] | [_]) => {
            let faster = rest.first().map(|speed| value(*speed, names)).transpose()?;
            RunMeasure::Impacts { constraint, faster }
        }
        (None, "accumulation", []) => RunMeasure::Accumulation { constraint },
        (None, "impulse", []) => RunMeasure::Impulse { constraint, row: 0 },
        (None, "impulse", [row]) => {
            // Rows of a watch: only normals can be added.
            let row = match (row.text, names.language.is_bodies()) {
                ("1", true) => 0,
                (_, true) => {
                    let problem = "row 1, the normal, was expected: tangents of different pairs \
                                   cannot be added up";
                    return Err(row.error(problem));
                }
                (_, false) => row_index(*row, rows)?,
            };
            RunMeasure::Impulse { constraint, row }
        }
        _ => return Err(written(raw)),
    }))
}

/// The index of a row that is given as a number from 1.
fn row_index(part: Part<'_>, rows: usize) -> Result<usize, TextError> {
    match part.text.parse::<usize>() {
        Ok(row) if (1..=rows).contains(&row) => Ok(row - 1),
        _ => Err(part.error(format!(
            "a row from 1 to {rows} was expected: 1 is the normal of a contact, the others are \
             tangential"
        ))),
    }
}

/// The largest value of a column of the certificate.
fn worst(column: Part<'_>, names: &Names<'_>) -> Result<Call, TextError> {
    // Columns of the certificate by name.
    let columns = Certificate::new().columns();
    let found = columns.iter().position(|(name, _)| *name == column.text);
    let known: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
    let problem = || column.error(names.unknown("certificate column", column.text, &known));
    found
        .map(|column| Call::Run(RunMeasure::Worst(column)))
        .ok_or_else(problem)
}

/// Measures of lists, of limit analysis, of the certificate and of studies.
fn other(
    raw: &RawCall<'_>,
    arguments: &[Part<'_>],
    names: &mut Names<'_>,
) -> Result<Call, TextError> {
    // Measures of lists, with a fixed number of arguments after the list.
    if let Some((what, numbers)) = OfList::named(raw.name.text) {
        let Some((list, rest)) = arguments.split_first() else {
            return Err(written(raw));
        };
        if rest.len() != numbers {
            return Err(written(raw));
        }
        return Ok(Call::OfList {
            what,
            list: value(*list, names)?,
            numbers: values(rest, names)?,
        });
    }
    // Limit analysis of a load case.
    if let (Some(what), [load]) = (OfLimit::named(raw.name.text), arguments) {
        let load = names.load(*load)?;
        return Ok(Call::Limit { what, load });
    }
    match (raw.name.text, arguments) {
        ("critical_parameter", [parameter, from, to]) => Ok(Call::CriticalParameter {
            parameter: names.parameter(*parameter)?,
            from: value(*from, names)?,
            to: value(*to, names)?,
        }),
        ("worst", [column]) => worst(*column, names),
        ("missed", []) => Ok(Call::Run(RunMeasure::Missed)),
        ("column", [study, column]) => {
            let study = names.study(*study)?;
            check_column(&names.studies[study], *column, names)?;
            let column = column.text.to_string();
            Ok(Call::Column { study, column })
        }
        ("threshold", [study]) => {
            let index = names.study(*study)?;
            if names.studies[index].bisect.is_none() {
                let problem = format!("the study `{}` has no `bisect`", study.text);
                return Err(study.error(problem));
            }
            Ok(Call::Threshold { study: index })
        }
        ("slope", [x, y]) => Ok(Call::Slope([value(*x, names)?, value(*y, names)?])),
        ("list", items) if !items.is_empty() => Ok(Call::List(values(items, names)?)),
        ("fails", [word]) => {
            let word = word.text.trim_matches(['"', '\'']);
            Ok(Call::Fails(word.to_string()))
        }
        _ => Err(written(raw)),
    }
}

/// Checks that a study has a column of numbers of this name: observed, varied, or the threshold.
fn check_column(study: &Study, column: Part<'_>, names: &Names<'_>) -> Result<(), TextError> {
    let mut known: Vec<String> = study.observe.iter().map(|(name, _)| name.clone()).collect();
    known.extend(study.vary.iter().map(|vary| vary.key.clone()));
    if study.bisect.is_some() {
        known.push(THRESHOLD.to_string());
    }
    match known.iter().any(|name| name == column.text) {
        true => Ok(()),
        false => Err(column.error(names.unknown("column", column.text, &known))),
    }
}

/// The measures `order…` and `error…`.
fn accuracy(
    raw: &RawCall<'_>,
    groups: &[Vec<Part<'_>>],
    names: &mut Names<'_>,
) -> Result<Option<Accuracy>, TextError> {
    let (fit, norm) = match raw.name.text {
        "order" => (true, Norm::Largest),
        "order_l1" => (true, Norm::Mean),
        "order_final" => (true, Norm::Final),
        "order_graph" => (true, Norm::Graph),
        "error" => (false, Norm::Largest),
        "error_l1" => (false, Norm::Mean),
        "error_final" => (false, Norm::Final),
        "error_graph" => (false, Norm::Graph),
        _ => return Ok(None),
    };
    // Three groups of arguments: observables, steps, reference.
    let [of, steps, reference] = groups else {
        return Err(written(raw));
    };
    if !fit && steps.len() != 1 || fit && steps.len() < 2 {
        return Err(written(raw));
    }
    // The reference: event-driven, a much shorter step, or exact expressions.
    let reference = match reference.as_slice() {
        [Part { text: "event", .. }] => Reference::Event,
        [Part { text: "finest", .. }] => Reference::Finest,
        exact if exact.len() == of.len() => {
            let exact = exact.iter().map(|part| names.exact(*part));
            Reference::Exact(exact.collect::<Result<_, _>>()?)
        }
        _ => {
            let problem = "the reference is `event`, `finest`, or an exact expression in `t` for \
                           each observable";
            return Err(raw.whole.error(problem));
        }
    };
    let observables = of.iter().map(|part| names.observable(*part));
    Ok(Some(Accuracy {
        of: observables.collect::<Result<_, _>>()?,
        steps: values(steps, names)?,
        reference,
        norm,
        fit,
    }))
}
