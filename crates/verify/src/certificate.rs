//! The certificate of `run.json` against the table `steps` that it summarises.
//!
//! Every step of a run of bodies has a row in `steps`, so that each figure of the certificate is the maximum of a
//! column. Of mechanisms only recorded steps have a row: where steps are left out, a figure is at least the maximum
//! over the rows that are there.

use percuss_record::{Record, RunStatus};
use serde_json::Value;

use super::VerifyError;
use super::report::{Location, MissedSteps, Report, RowRange};
use crate::step_stream::StepStream;

/// Keys of the certificate, and the column that each is the maximum of. A figure that is added to the certificate is
/// compared once it is in this list; columns that a record does not have are skipped.
const WORST: [(&str, &str); 11] = [
    ("worst_residual", "residual"),
    ("worst_penetration", "penetration"),
    ("worst_drift", "drift"),
    ("worst_momentum", "momentum"),
    ("worst_energy", "energy"),
    ("worst_gain", "gain"),
    ("worst_excess", "excess"),
    ("worst_penetration_share", "penetration_share"),
    ("worst_drift_share", "drift_share"),
    ("worst_resting", "resting"),
    ("worst_resting_share", "resting_share"),
];

/// Figures that have a bound, and the key of the bound.
const BOUNDED: [(&str, &str); 5] = [
    ("worst_excess", "gain"),
    ("worst_penetration_share", "penetration"),
    ("worst_resting_share", "resting"),
    ("worst_drift_share", "drift"),
    ("dissipation", "dissipation"),
];

/// Relative tolerance: the figures are copies of recorded numbers.
const SAME: f64 = 1e-15;

/// Maxima and counts over the table `steps`.
struct StepsSummary {
    steps: usize,
    missed: usize,
    first: Option<(i64, f64)>,
    last: i64,
    worst: [Option<f64>; WORST.len()],
}

/// Compares the certificate with the table `steps`, and reports steps that missed their tolerance.
pub(super) fn compare(record: &Record, report: &mut Report) -> Result<(), VerifyError> {
    let meaning = "figures of the certificate against the worst of the account; relative";
    report.declare("certificate", meaning, SAME);
    let Some(told) = read(record)? else {
        return Ok(());
    };
    let manifest = record.manifest();
    // A run that ended must have a certificate.
    let Some(certificate) = manifest.certificate.as_ref() else {
        if told.missed > 0 {
            let (count, first) = (told.missed, told.first);
            report.missed = Some(MissedSteps { count, first });
        }
        if manifest.status != RunStatus::Running {
            note(report, f64::INFINITY, "run.json has no certificate");
        }
        return Ok(());
    };
    let number = |key: &str| certificate.get(key).and_then(Value::as_f64);
    // Missed steps: the larger of claim and table.
    let claimed = number("missed").map_or(0, |n| n as usize);
    let count = claimed.max(told.missed);
    if count > 0 {
        let first = told.first;
        report.missed = Some(MissedSteps { count, first });
    }
    // A run that ended, or was stopped on request, has rows for all of its steps, or for those that it was asked to
    // record.
    let whole = told.steps as i64 == told.last;
    if !whole {
        let why = "steps that are not recorded are part of it: compared from below only";
        for key in WORST.iter().map(|(key, _)| *key).chain(["missed"]) {
            report.mark_unchecked(
                "run.json",
                &format!("certificate.{key}"),
                RowRange::All,
                why,
            );
        }
    }
    // Counts and maxima, each with the recorded figure.
    let counted = |key: &str, own: f64, found: Option<f64>| (key.to_string(), Some(own), found);
    let mut figures = vec![
        counted("steps", told.last as f64, number("steps")),
        counted("missed", told.missed as f64, number("missed")),
    ];
    for ((key, _), own) in WORST.iter().zip(told.worst) {
        if let Some(own) = own {
            // A figure that is not finite is written as null.
            figures.push((key.to_string(), own.is_finite().then_some(own), number(key)));
        }
    }
    for (key, own, found) in figures {
        // Where steps are left out, the table gives lower bounds.
        let partial = !whole && key != "steps";
        let off = match (own, found) {
            (None, None) => 0.0,
            (Some(own), Some(found)) if partial => (own - found).max(0.0) / own.abs().max(1e-300),
            (Some(own), Some(found)) if own == found => 0.0,
            (Some(own), Some(found)) => (own - found).abs() / own.abs().max(found.abs()),
            (Some(_), None) if partial => 0.0,
            _ => f64::INFINITY,
        };
        note(report, off, &format!("`{key}` of the certificate"));
    }
    compare_verdict(report, certificate, &told);
    Ok(())
}

/// The verdict `ok` follows from the figures: every step met its tolerance, every figure is finite and within its
/// bound.
fn compare_verdict(report: &mut Report, certificate: &Value, told: &StepsSummary) {
    let Some(ok) = certificate.get("ok").and_then(Value::as_bool) else {
        note(report, f64::INFINITY, "`ok` of the certificate is absent");
        return;
    };
    let missed = certificate.get("missed").and_then(Value::as_f64);
    let numbers = WORST.iter().all(|(key, _)| {
        let value = certificate.get(key);
        value.is_none_or(|value| value.as_f64().is_some_and(f64::is_finite))
    });
    // Figures with a bound in the certificate.
    let within = BOUNDED.iter().all(|(key, bound)| {
        let bound = certificate.get("bounds").and_then(|b| b.get(bound));
        let figure = certificate.get(key).and_then(Value::as_f64);
        match (figure, bound.and_then(Value::as_f64)) {
            (Some(figure), Some(bound)) => figure <= bound,
            _ => true,
        }
    });
    let why = "made of sums and sizes that the table has in part";
    for key in ["bounds", "dissipated", "dissipation", "not_met"] {
        report.mark_unchecked(
            "run.json",
            &format!("certificate.{key}"),
            RowRange::All,
            why,
        );
    }
    let met = missed == Some(0.0) && told.missed == 0 && numbers && within;
    let off = if ok == met { 0.0 } else { f64::INFINITY };
    note(report, off, "`ok` of the certificate");
}

fn note(report: &mut Report, off: f64, what: &str) {
    report.add_comparison("certificate", off, || Location {
        step: None,
        t: None,
        what: what.to_string(),
    });
}

/// The maximum of each column, and the steps that missed their tolerance; `None` without a table.
fn read(record: &Record) -> Result<Option<StepsSummary>, VerifyError> {
    let Ok(entry) = record.entry("steps") else {
        return Ok(None);
    };
    let there = |name: &str| entry.columns.iter().any(|c| c.name == name);
    let known = WORST.map(|(_, column)| there(column));
    let names: Vec<String> = std::iter::once("reached")
        .chain(WORST.iter().map(|(_, column)| *column))
        .map(String::from)
        .collect();
    let Some(mut stream) = StepStream::open(record, "steps", &names, &[])? else {
        return Ok(None);
    };
    let mut told = StepsSummary {
        steps: 0,
        missed: 0,
        first: None,
        last: 0,
        worst: known.map(|known| known.then_some(0.0)),
    };
    // One pass over the table.
    while let Some(group) = stream.next()? {
        told.steps += 1;
        told.last = group.step;
        if group.at(0, 0) != 1.0 {
            told.missed += 1;
            told.first.get_or_insert((group.step, group.t));
        }
        for (k, worst) in told.worst.iter_mut().enumerate() {
            if let Some(worst) = worst {
                let value = group.at(1 + k, 0);
                // NaN is kept once it occurs.
                if !(value.abs() <= *worst) && !worst.is_nan() {
                    *worst = value.abs();
                }
            }
        }
    }
    Ok(Some(told))
}
