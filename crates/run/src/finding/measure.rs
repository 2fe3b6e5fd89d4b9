//! The measures that value expressions know, and their evaluation on a run.

use super::evaluated_run::{EvaluatedRun, Studies};
use super::event_measures as happening;
use crate::finding::accuracy::Accuracy;
use crate::finding::expression::Expression;
use crate::finding::list::{self, OfList};
use crate::finding::series;
use crate::finding::statics::{self, OfLimit};
use crate::finding::value::{Absent, Value, Valued};

/// The form in which each measure is written.
const MEASURES: [(&str, &str); 51] = [
    // Observables at an instant.
    ("initial", "initial(x)"),
    ("final", "final(x)"),
    ("at", "at(x, time)"),
    ("left_limit", "left_limit(x, time)"),
    // Reductions over the run or a time span.
    ("maximum", "maximum(x) or maximum(x, from, to)"),
    ("minimum", "minimum(x) or minimum(x, from, to)"),
    ("mean", "mean(x) or mean(x, from, to)"),
    ("integral", "integral(x) or integral(x, from, to)"),
    (
        "standard_error",
        "standard_error(x) or standard_error(x, from, to)",
    ),
    // Zero crossings.
    ("crossing", "crossing(x, k)"),
    ("rising", "rising(x, k)"),
    ("falling", "falling(x, k)"),
    // Events and impulses of a contact, joint or watch.
    ("impact", "impact(contact, k)"),
    ("speed_before", "speed_before(contact, k)"),
    ("speed_after", "speed_after(contact, k)"),
    ("impacts", "impacts(contact) or impacts(contact, speed)"),
    ("touch", "touch(contact, k)"),
    ("detach", "detach(contact, k)"),
    ("stick", "stick(contact, k)"),
    ("slip", "slip(contact, k)"),
    ("locked", "locked(joint, k)"),
    ("painleve", "painleve(contact, k)"),
    ("accumulation", "accumulation(contact)"),
    (
        "impulse",
        "impulse(contact, row), rows counted from 1, the normal",
    ),
    // The certificate.
    ("worst", "worst(column)"),
    ("missed", "missed()"),
    // Orders of convergence and errors.
    ("order", "order(x, ...; step, step, ...; reference)"),
    ("order_l1", "order_l1(x, ...; step, step, ...; reference)"),
    (
        "order_final",
        "order_final(x, ...; step, step, ...; reference)",
    ),
    (
        "order_graph",
        "order_graph(x, ...; step, step, ...; reference)",
    ),
    ("error", "error(x, ...; step; reference)"),
    ("error_l1", "error_l1(x, ...; step; reference)"),
    ("error_final", "error_final(x, ...; step; reference)"),
    ("error_graph", "error_graph(x, ...; step; reference)"),
    // Studies.
    ("column", "column(study, name)"),
    ("threshold", "threshold(study)"),
    // Lists.
    ("distinct", "distinct(list, tolerance)"),
    ("clusters", "clusters(list, tolerance)"),
    ("share", "share(list, low, high)"),
    ("spread", "spread(list)"),
    ("count", "count(list)"),
    ("smallest", "smallest(list)"),
    ("largest", "largest(list)"),
    ("item", "item(list, k)"),
    ("list", "list(a, b, ...)"),
    ("slope", "slope(list, list), the second over the first"),
    // Errors, limit analysis, critical parameters.
    ("fails", "fails(\"word\")"),
    ("limit", "limit(load)"),
    ("coulomb_limit", "coulomb_limit(load)"),
    ("limit_gap", "limit_gap(load)"),
    (
        "critical_parameter",
        "critical_parameter(parameter, from, to)",
    ),
];

/// Names of all measures.
pub fn names() -> impl Iterator<Item = &'static str> {
    MEASURES.iter().map(|(name, _)| *name)
}

/// Whether a name is that of a measure.
pub fn is_measure(name: &str) -> bool {
    names().any(|known| known == name)
}

/// The form in which a measure is written.
pub fn form(name: &str) -> &'static str {
    let entry = MEASURES.iter().find(|(known, _)| *known == name);
    entry.map_or("", |(_, form)| form)
}

/// The time at which an observable is evaluated.
#[derive(Debug, Clone)]
pub enum EvaluationTime {
    Initial,
    Final,
    At(Expression),
    /// The limit from the left.
    Before(Expression),
}

/// Reduction of an observable over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    Maximum,
    Minimum,
    Mean,
    Integral,
    /// Standard error of the mean.
    StandardError,
}

/// Direction of a zero crossing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    Any,
    Up,
    Down,
}

/// What is measured of the k-th event of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventMeasure {
    Impact,
    SpeedBefore,
    SpeedAfter,
    Touch,
    Detach,
    Stick,
    Slip,
    Locked,
    Painleve,
}

/// A number measured on a run, with its arguments.
#[derive(Debug, Clone)]
pub enum RunMeasure {
    Point {
        of: String,
        place: EvaluationTime,
    },
    Over {
        of: String,
        fold: Fold,
        span: Option<(Expression, Expression)>,
    },
    Passing {
        of: String,
        sense: Sense,
        k: Option<Expression>,
    },
    Nth {
        what: EventMeasure,
        constraint: usize,
        k: Option<Expression>,
    },
    Impacts {
        constraint: usize,
        faster: Option<Expression>,
    },
    Accumulation {
        constraint: usize,
    },
    Impulse {
        constraint: usize,
        row: usize,
    },
    /// The largest value of a column of the certificate, by its place.
    Worst(usize),
    Missed,
    Accuracy(Box<Accuracy>),
}

/// A measure with its arguments.
#[derive(Debug, Clone)]
pub enum Call {
    Run(RunMeasure),
    Column {
        study: usize,
        column: String,
    },
    Threshold {
        study: usize,
    },
    OfList {
        what: OfList,
        list: Expression,
        numbers: Vec<Expression>,
    },
    List(Vec<Expression>),
    /// Slope of the regression line: abscissae, ordinates.
    Slope([Expression; 2]),
    Fails(String),
    /// Limit analysis of a load case.
    Limit {
        what: OfLimit,
        load: String,
    },
    /// Critical value of a parameter, at which equilibrium ends.
    CriticalParameter {
        parameter: String,
        from: Expression,
        to: Expression,
    },
}

impl Call {
    /// Whether the run alone is needed: no further runs, no studies.
    pub fn needs_only_the_run(&self) -> bool {
        let all =
            |expressions: &[Expression]| expressions.iter().all(Expression::needs_only_the_run);
        match self {
            // Orders of convergence and studies make runs of their own.
            Self::Run(RunMeasure::Accuracy(_)) | Self::Column { .. } | Self::Threshold { .. } => {
                false
            }
            Self::OfList { list, numbers, .. } => list.needs_only_the_run() && all(numbers),
            Self::List(items) => all(items),
            Self::Slope(both) => all(both),
            Self::Run(_) | Self::Fails(_) | Self::Limit { .. } => true,
            Self::CriticalParameter { from, to, .. } => {
                from.needs_only_the_run() && to.needs_only_the_run()
            }
        }
    }

    /// The value on a run.
    pub fn evaluate(
        &self,
        subject: &mut EvaluatedRun<'_>,
        studies: &mut dyn Studies,
    ) -> Valued<Value> {
        // Studies and statics first, then lists, then measures of the run.
        match self {
            Self::Column { study, column } => studies.column(*study, column).map(Value::List),
            Self::Threshold { study } => studies.threshold(*study),
            Self::Fails(word) => Ok(Value::Truth(subject.fails(word))),
            Self::Limit { what, load } => statics::limit(subject, *what, load),
            Self::CriticalParameter {
                parameter,
                from,
                to,
            } => {
                let ends = (from.number(subject, studies)?, to.number(subject, studies)?);
                statics::critical_parameter(subject, parameter, ends)
            }
            Self::List(items) => {
                let items = items.iter().map(|item| item.number(subject, studies));
                items.collect::<Valued<Vec<f64>>>().map(Value::List)
            }
            Self::Slope([x, y]) => {
                let (x, y) = (x.list(subject, studies)?, y.list(subject, studies)?);
                list::slope(&x, &y)
            }
            Self::OfList {
                what,
                list,
                numbers,
            } => {
                let items = list.list(subject, studies)?;
                let numbers = numbers.iter().map(|number| number.number(subject, studies));
                let numbers = numbers.collect::<Valued<Vec<f64>>>()?;
                list::evaluate(*what, &items, &numbers)
            }
            // A measure that is not finite counts as absent.
            Self::Run(measure) => match measure.evaluate(subject, studies)? {
                number if number.is_finite() => Ok(Value::Number(number)),
                number => Err(Absent::because(format!(
                    "the measure is {number}, not a finite number"
                ))),
            },
        }
    }
}

impl RunMeasure {
    /// The number on a run.
    fn evaluate(&self, subject: &mut EvaluatedRun<'_>, studies: &mut dyn Studies) -> Valued<f64> {
        match self {
            Self::Point { of, place } => match place {
                EvaluationTime::Initial => series::initial(subject, of),
                EvaluationTime::Final => series::last(subject, of),
                EvaluationTime::At(time) => {
                    let time = time.number(subject, studies)?;
                    series::at(subject, of, time)
                }
                EvaluationTime::Before(time) => {
                    let time = time.number(subject, studies)?;
                    series::left_limit(subject, of, time)
                }
            },
            Self::Over { of, fold, span } => {
                // Bounds of the time span, by default the whole run.
                let span = match span {
                    None => None,
                    Some((from, to)) => {
                        Some((from.number(subject, studies)?, to.number(subject, studies)?))
                    }
                };
                series::over(subject, of, *fold, span)
            }
            Self::Passing { of, sense, k } => {
                let k = counted(k.as_ref(), subject, studies)?;
                series::passing(subject, of, *sense, k)
            }
            Self::Nth {
                what,
                constraint,
                k,
            } => {
                let k = counted(k.as_ref(), subject, studies)?;
                happening::nth(subject, *what, *constraint, k)
            }
            Self::Impacts { constraint, faster } => {
                // Without a speed all impacts count.
                let faster = match faster {
                    Some(speed) => speed.number(subject, studies)?,
                    None => 0.0,
                };
                happening::impacts(subject, *constraint, faster)
            }
            Self::Accumulation { constraint } => happening::accumulation(subject, *constraint),
            Self::Impulse { constraint, row } => happening::impulse(subject, *constraint, *row),
            Self::Worst(column) => happening::worst(subject, *column),
            Self::Missed => happening::missed(subject),
            Self::Accuracy(accuracy) => accuracy.evaluate(subject, studies),
        }
    }
}

/// The number of the event or crossing: the first where none is given.
fn counted(
    k: Option<&Expression>,
    subject: &mut EvaluatedRun<'_>,
    studies: &mut dyn Studies,
) -> Valued<usize> {
    k.map_or(Ok(1), |k| k.count(subject, studies))
}
