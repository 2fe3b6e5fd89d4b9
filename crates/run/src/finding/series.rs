//! Measures of observables over time: values, extrema, means, integrals, zero crossings.

use super::evaluated_run::{EvaluatedRun, ROUNDING, present};
use crate::finding::measure::{Fold, Sense};
use crate::finding::value::{Absent, Valued};
use percuss_simulation::statistics::block;

/// The initial value.
pub fn initial(subject: &mut EvaluatedRun<'_>, of: &str) -> Valued<f64> {
    let (start, _) = subject.span()?;
    subject.value_at(of, start)
}

/// The value at the end of the run.
pub fn last(subject: &mut EvaluatedRun<'_>, of: &str) -> Valued<f64> {
    subject.require_whole()?;
    let (_, end) = subject.span()?;
    subject.value_at(of, end)
}

/// The value at an instant.
pub fn at(subject: &mut EvaluatedRun<'_>, of: &str, t: f64) -> Valued<f64> {
    require_inside(subject, t)?;
    subject.value_at(of, t)
}

/// The limit from the left at an instant: the state before a jump of the moving set, which the last number before the
/// instant has.
pub fn left_limit(subject: &mut EvaluatedRun<'_>, of: &str, t: f64) -> Valued<f64> {
    require_inside(subject, t)?;
    let (start, _) = subject.span()?;
    if t <= start {
        return Err(Absent::because(format!(
            "there is nothing before t = {t}, the start"
        )));
    }
    subject.value_at(of, t.next_down())
}

/// A reduction over the run or a time span.
pub fn over(
    subject: &mut EvaluatedRun<'_>,
    of: &str,
    fold: Fold,
    span: Option<(f64, f64)>,
) -> Valued<f64> {
    // The whole run, or a span within it.
    let (from, to) = match span {
        None => {
            subject.require_whole()?;
            subject.span()?
        }
        Some((from, to)) => {
            require_inside(subject, from)?;
            require_inside(subject, to)?;
            if !(from < to) {
                return Err(Absent::because(format!(
                    "the span from {from} to {to} is empty"
                )));
            }
            (from, to)
        }
    };
    // Values at the states within the span and at its two ends.
    let values = subject.series(of)?;
    let times = subject.times()?;
    let inside = times.partition_point(|&t| t <= from)..times.partition_point(|&t| t < to);
    let mut points: Vec<(f64, f64)> = inside.map(|k| (times[k], values[k])).collect();
    points.insert(0, (from, subject.value_at(of, from)?));
    points.push((to, subject.value_at(of, to)?));
    for (t, x) in &points {
        present(of, *t, *x)?;
    }
    let each = || points.iter().map(|(_, x)| *x);
    // The trapezoidal rule with v_I and v_F is the displacement of the midpoint scheme.
    let integral = || -> f64 {
        let pieces = points.windows(2);
        pieces
            .map(|p| 0.5 * (p[1].0 - p[0].0) * (p[0].1 + p[1].1))
            .sum()
    };
    Ok(match fold {
        // Trapezoidal rule for integral and mean, block averages for the standard error.
        Fold::Maximum => each().fold(f64::NEG_INFINITY, f64::max),
        Fold::Minimum => each().fold(f64::INFINITY, f64::min),
        Fold::Integral => integral(),
        Fold::Mean => integral() / (to - from),
        Fold::StandardError => {
            let error = block::standard_error(&block::cell_means(&points));
            return error.map_err(|lacking| Absent::because(lacking.to_string()));
        }
    })
}

/// The time of the k-th zero crossing.
pub fn passing(subject: &mut EvaluatedRun<'_>, of: &str, sense: Sense, k: usize) -> Valued<f64> {
    let (_, end) = subject.span()?;
    let values = subject.series(of)?;
    let times = subject.times()?;
    let mut found = 0;
    // The last state with a sign; zeros in between belong to the crossing, if it is one.
    let mut before: Option<usize> = None;
    for state in 0..values.len() {
        if values[state].is_nan() {
            before = None;
            continue;
        }
        if values[state] == 0.0 {
            continue;
        }
        let up = values[state] > 0.0;
        if let Some(signed) = before
            && (values[signed] > 0.0) != up
        {
            let counts = match sense {
                Sense::Any => true,
                Sense::Up => up,
                Sense::Down => !up,
            };
            found += usize::from(counts);
            // A zero at a state is the crossing itself; else it is between two states.
            if counts && found == k {
                let bracket = [
                    (times[signed], values[signed]),
                    (times[state], values[state]),
                ];
                let t = match (state > signed + 1, subject.smooth()) {
                    (true, _) => times[signed + 1],
                    (false, true) => refined(subject, of, bracket)?,
                    (false, false) => chord(bracket),
                };
                // A crossing after the end, within the last step, is not one of the run.
                if t <= end {
                    return Ok(t);
                }
                found -= 1;
                break;
            }
        }
        before = Some(state);
    }
    // Fewer crossings than asked for.
    let way = match sense {
        Sense::Any => "passes 0",
        Sense::Up => "rises through 0",
        Sense::Down => "falls through 0",
    };
    let stopped = subject
        .stopped()
        .map_or(String::new(), |why| format!("; {why}"));
    Err(Absent::because(format!(
        "`{of}` {way} {} times, not {k}{stopped}",
        times_text(found)
    )))
}

fn times_text(count: usize) -> String {
    match count {
        0 => "0".to_string(),
        count => format!("only {count}"),
    }
}

/// Zero of the chord of a bracket.
fn chord([(t0, x0), (t1, x1)]: [(f64, f64); 2]) -> f64 {
    t0 + (t1 - t0) * (x0 / (x0 - x1))
}

/// A zero of an observable that is smooth between two states, by regula falsi with bisection.
fn refined(subject: &mut EvaluatedRun<'_>, of: &str, mut bracket: [(f64, f64); 2]) -> Valued<f64> {
    let width = bracket[1].0 - bracket[0].0;
    for round in 0..60 {
        let [(t0, x0), (t1, _)] = bracket;
        if t1 - t0 <= 1e-13 * width.max(t1.abs()) {
            break;
        }
        // Every third step bisects, so that the bracket always shrinks.
        let t = if round % 3 == 2 {
            0.5 * (t0 + t1)
        } else {
            chord(bracket)
        };
        let x = subject.value_at(of, t)?;
        if x == 0.0 {
            return Ok(t);
        }
        let side = usize::from((x > 0.0) != (x0 > 0.0));
        bracket[side] = (t, x);
    }
    Ok(chord(bracket))
}

/// Refuses an instant outside the computed time span.
fn require_inside(subject: &EvaluatedRun<'_>, t: f64) -> Valued<()> {
    let (start, end) = subject.span()?;
    let slack = ROUNDING * (end - start);
    if t >= start - slack && t <= end + slack {
        return Ok(());
    }
    Err(Absent::because(match subject.stopped() {
        Some(reason) => format!("t = {t} was not computed: {reason}"),
        None => format!("t = {t} is outside the run, which goes from {start} to {end}"),
    }))
}
