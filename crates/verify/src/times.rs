//! Step numbers and times of all tables against the table `steps`, and those of `steps` against the scene.
//!
//! ```text
//! t_F = t_I + h,   t = t_0 + k h for steps of fixed length,   every row of step k has the t of its row in `steps`
//! ```

use percuss_record::{Record, RecordError, RunStatus};
use percuss_scene::bodies_scene::BodiesSetup;
use percuss_scene::model::bodies::Dim;
use percuss_scene::{Scene, SceneError};

use super::VerifyError;
use super::report::{Location, Report};
use crate::step_stream::StepStream;

/// Times are sums of step lengths: rounding, relative to the time and the length.
const ROUNDING: f64 = 1e-10;

/// Start, step length and end of a run as the scene gives them.
pub(super) struct ExpectedTimes {
    /// Start time of the run.
    start: f64,
    /// Length of every step but the last, where it is fixed.
    length: Option<f64>,
    until: f64,
}

impl ExpectedTimes {
    /// Of a scene of bodies.
    pub fn of_bodies<D: Dim>(assembly: &BodiesSetup<D>) -> Self {
        Self {
            start: assembly.start,
            length: Some(assembly.settings.step),
            until: assembly.until,
        }
    }

    /// Of a mechanism or a sweeping process.
    pub fn of_mechanism(scene: &Scene) -> Result<Self, SceneError> {
        let built = scene.build_mechanism()?;
        // Intervals of event-driven integrators have the length of a step, too: events lie within them. Steps of a
        // sweeping process also end where its set jumps or has a kink: the verification of sweeps compares these.
        let cut = built.sweep.as_ref().is_some_and(|plan| {
            let mut cuts = plan.jumps.iter().chain(&plan.kinks);
            cuts.any(|t| *t <= built.until)
        });
        let fixed = built.settings.adaptive.is_none() && !cut;
        Ok(Self {
            start: built.initial.t,
            length: fixed.then_some(built.settings.step),
            until: built.until,
        })
    }
}

/// Compares all tables that have step numbers and times.
pub(super) fn compare(
    record: &Record,
    plan: &ExpectedTimes,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let meaning = "instants and numbers of steps of all tables against the account and the scene; \
                   relative to t and h";
    report.declare("times", meaning, ROUNDING);
    compare_account(record, plan, report)?;
    for entry in &record.manifest().tables {
        let has = |name: &str| entry.columns.iter().any(|c| c.name == name);
        // Events have times of their own.
        if has("step") && has("t") && entry.name != "steps" && entry.name != "events" {
            compare_table(record, &entry.name, plan.start, report)?;
        }
    }
    Ok(())
}

/// The table `steps` itself: t_F − t_I = h, ascending numbers, steps of the length that the scene gives.
fn compare_account(
    record: &Record,
    plan: &ExpectedTimes,
    report: &mut Report,
) -> Result<(), RecordError> {
    let names = ["t".to_string(), "h".to_string()];
    let Some(mut stream) = StepStream::open(record, "steps", &names, &[])? else {
        return Ok(());
    };
    let mut before: Option<(i64, f64)> = Some((0, plan.start));
    while let Some(group) = stream.next()? {
        let (step, t, h) = (group.step, group.at(0, 0), group.at(1, 0));
        let scale = t.abs() + h.abs();
        let mut off = if group.rows == 1 { 0.0 } else { f64::INFINITY };
        // Consecutive steps: t_F − t_I = h; otherwise times ascend.
        if let Some((last, from)) = before {
            off = match step - last {
                1 => off.max((t - from - h).abs() / scale),
                n if n > 1 && t > from => off,
                _ => f64::INFINITY,
            };
        }
        // Fixed step length: t = t_0 + k h.
        if let Some(length) = plan.length {
            let end = plan.start + step as f64 * length;
            let mut apart = (t - end).abs();
            let mut longer = (h - length).abs();
            // The last step may end with the run: it is then shorter, or longer by a remainder of less than a
            // millionth of a step.
            if end > plan.until - percuss_scene::file::END_TOLERANCE * length {
                apart = apart.min((t - plan.until).abs());
                let from = plan.start + (step - 1) as f64 * length;
                longer = longer.min((t - from - h).abs());
            }
            off = off.max(apart / (scale + length)).max(longer / scale);
        }
        off = if off.is_nan() { f64::INFINITY } else { off };
        let place = Location {
            step: Some(step),
            t: Some(t),
            what: "the account of the step".into(),
        };
        report.add_comparison("times", off, || place);
        before = Some((step, t));
    }
    Ok(())
}

/// Another table: its steps ascend, and every row of a step has the time of that step.
fn compare_table(
    record: &Record,
    table: &str,
    start: f64,
    report: &mut Report,
) -> Result<(), RecordError> {
    let names = ["t".to_string()];
    let (Some(mut rows), Some(mut account)) = (
        StepStream::open(record, table, &names, &[])?,
        StepStream::open(record, "steps", &names, &[])?,
    ) else {
        return Ok(());
    };
    let mut before = -1;
    while let Some(group) = rows.next()? {
        // Time of the step in `steps`; step 0 is the start.
        let known = match group.step {
            0 => Some(start),
            step => account.at(step)?.numbers[0].first().copied(),
        };
        let mut off = if group.step > before {
            0.0
        } else {
            f64::INFINITY
        };
        match known {
            Some(known) => {
                for t in &group.numbers[0] {
                    let apart = (t - known).abs() / (1.0 + known.abs());
                    off = if apart.is_nan() {
                        f64::INFINITY
                    } else {
                        off.max(apart)
                    };
                }
            }
            // The tables of a run under way are written one after the other.
            None if record.manifest().status == RunStatus::Running => return Ok(()),
            None => off = f64::INFINITY,
        }
        before = group.step;
        let place = Location {
            step: Some(group.step),
            t: Some(group.t),
            what: format!("`{table}`"),
        };
        report.add_comparison("times", off, || place);
    }
    Ok(())
}
