//! `percuss forces`: static indeterminacy of the contact forces of a recorded step.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use percuss_draw::rasterise::png;
use percuss_equilibrium as equilibrium;
use percuss_equilibrium::{ForceBounds, ForceBoundsOptions};
use percuss_record::{Record, read_body_descriptions};
use serde_json::{Value, json};

use crate::args::ThreadArgs;
use crate::error::{CommandError, CommandStatus};
use crate::numbers::format_short;
use crate::output::{self, OutputFile};
use crate::progress::Progress;

/// Maximal number of contacts printed; all are in the table and in the JSON.
const SHOWN: usize = 40;

/// Violations of balance, cones and duality gap above this fraction of the largest impulse are not accepted as
/// proof.
const PROVEN: f64 = 1e-5;

/// Show how far the contact forces of a recorded step are determined
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss forces runs/table-1 --at 1\n  \
    percuss forces runs/wall-1 --at 2.5 -o open.svg    contacts drawn as wide as they may be\n  \
    percuss forces runs/wall-1 --at 2.5 --json | jq .summary\n  \
    percuss table runs/wall-1 forces                   the table it leaves beside the records\n\n\
    For every contact the interval of its normal impulse over all admissible impulses that give\n\
    the same velocities, at the recorded step nearest to the time.\n\
    Exit status: 0 answered and proven; 1 a bound is not proven to 1e-5 of the largest impulse;\n\
    2 no such run or time, no contacts there, or no run of bodies; 3 a file cannot be written.")]
pub struct ForcesArgs {
    /// The directory of a run of bodies
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// The time; the nearest recorded step is taken
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = time)]
    at: f64,

    /// A picture, .svg or .png: blue is determined, orange open (dark: the least), red unbounded
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Do not put the table `forces` beside the records
    #[arg(long)]
    no_table: bool,

    /// Print one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar, and one line
    #[arg(long, short)]
    quiet: bool,
}

fn time(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(t) if t.is_finite() => Ok(t),
        _ => Err("it must be a number".into()),
    }
}

/// Runs the command.
pub fn run(args: &ForcesArgs) -> Result<CommandStatus, CommandError> {
    let record = Record::open(&args.directory)?;
    // The picture file is created before the work.
    let picture = args.output.as_deref().map(|path| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("svg") => Ok((OutputFile::new(path)?, false)),
            Some("png") => Ok((OutputFile::new(path)?, true)),
            _ => Err(CommandError::Input(format!(
                "{}: a picture is .svg or .png; name the file accordingly",
                path.display()
            ))),
        }
    });
    let picture = picture.transpose()?;
    let progress = Progress::of_shares(args.quiet);
    // Interval of every contact impulse that equilibrium and the contact laws admit.
    let forces = equilibrium::force_bounds(
        &record,
        &mut ForceBoundsOptions {
            at: args.at,
            threads: args.threads.get().get(),
            progress: &mut |done| progress.share(done, || "intervals".into()),
        },
    )?;
    drop(progress);
    if !args.no_table {
        equilibrium::write_forces(&record, &forces)?;
    }
    if let Some((target, raster)) = picture {
        let title = format!("{}: open contact forces", record.manifest().title);
        let flat = record
            .entry("bodies")?
            .columns
            .iter()
            .all(|c| c.name != "z");
        let dimension = if flat { 2 } else { 3 };
        let svg = percuss_draw::equilibrium::forces_svg(
            &title,
            &read_body_descriptions(&record)?,
            dimension,
            &forces,
        );
        let failed = |e: String| CommandError::Machine(format!("cannot draw the picture: {e}"));
        match raster {
            true => target.write(png(&svg).map_err(failed)?)?,
            false => target.write(svg)?,
        }
    }
    // JSON, one line, or the table.
    if args.json {
        output::print_json(&json(&forces))?;
    } else if args.quiet {
        output::print(&(summary(&forces) + "\n"))?;
    } else {
        output::print(&text(&forces))?;
    }
    // Success only if the duality gap and the violations prove the bounds.
    let bounds = &forces.bounds;
    Ok(
        match bounds.gap.max(bounds.balance).max(bounds.cone) <= PROVEN {
            true => CommandStatus::Success,
            false => CommandStatus::NotMet,
        },
    )
}

fn summary(forces: &ForceBounds) -> String {
    let determined = forces
        .contacts
        .iter()
        .filter(|c| c.interval.determined)
        .count();
    // Unbounded intervals: self-stress.
    let endless = forces
        .contacts
        .iter()
        .filter(|c| c.interval.high.is_infinite())
        .count();
    let count = forces.contacts.len();
    let mut text = format!(
        "t = {} (step {}): {determined} of {count} contacts determined, degree of hyperstaticity {}",
        format_short(forces.t),
        forces.step,
        forces.bounds.hyperstaticity.degree
    );
    if endless > 0 {
        let _ = write!(text, ", {endless} without bound (self-stress)");
    }
    text
}

fn text(forces: &ForceBounds) -> String {
    let mut text = summary(forces) + "\n";
    let bounds = &forces.bounds;
    let _ = writeln!(
        text,
        "rank {} (kept down to {:.1e}, dropped from {:.1e}); {} parts, {} programs",
        bounds.hyperstaticity.rank,
        bounds.hyperstaticity.kept,
        bounds.hyperstaticity.dropped,
        bounds.parts,
        bounds.programs
    );
    let _ = writeln!(
        text,
        "of the largest impulse {}: balance {:.1e}, cones {:.1e}, gap to the proven bounds {:.1e}; \
         impulses of the run moved by {:.1e} onto their laws",
        format_short(bounds.scale),
        bounds.balance,
        bounds.cone,
        bounds.gap,
        bounds.projection_distance
    );
    // Contacts.
    text += &crate::text_table::aligned(&rows(forces));
    if forces.contacts.len() > SHOWN {
        let _ = writeln!(
            text,
            "and {} more, in the table",
            forces.contacts.len() - SHOWN
        );
    }
    text
}

/// The contacts as a text table.
fn rows(forces: &ForceBounds) -> Vec<[String; 8]> {
    let mut rows = vec![
        [
            "bodies",
            "at",
            "status",
            "impulse",
            "low",
            "high",
            "least norm",
            "",
        ]
        .map(String::from),
    ];
    // One row per contact, with its interval of admissible impulses.
    for contact in forces.contacts.iter().take(SHOWN) {
        let interval = &contact.interval;
        let place: Vec<String> = contact.at.iter().map(|x| format!("{x:.4}")).collect();
        let flat = forces
            .contacts
            .iter()
            .all(|c| c.at[2] == 0.0 && c.normal[2] == 0.0);
        let place = &place[..if flat { 2 } else { 3 }];
        rows.push([
            contact.names.join(" - "),
            place.join(", "),
            contact.status.into(),
            format_short(contact.impulse),
            format_short(interval.low),
            match interval.high.is_finite() {
                true => format_short(interval.high),
                false => "no bound".into(),
            },
            format_short(contact.least),
            if interval.determined {
                "determined"
            } else {
                "open"
            }
            .into(),
        ]);
    }
    rows
}

fn json(forces: &ForceBounds) -> Value {
    // JSON has no infinities: null means unbounded.
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let bounds = &forces.bounds;
    let contacts: Vec<Value> = forces
        .contacts
        .iter()
        .map(|contact| {
            let interval = &contact.interval;
            json!({
                "a": contact.names[0],
                "b": contact.names[1],
                "feature": contact.feature,
                "at": contact.at,
                "normal": contact.normal,
                "status": contact.status,
                "impulse": contact.impulse,
                "low": number(interval.low),
                "high": number(interval.high),
                "low_bound": number(interval.low_bound),
                "high_bound": number(interval.high_bound),
                "determined": interval.determined,
                "least": contact.least,
            })
        })
        .collect();
    json!({
        "t": forces.t,
        "step": forces.step,
        "h": forces.h,
        "summary": {
            "contacts": forces.contacts.len(),
            "determined": forces.contacts.iter().filter(|c| c.interval.determined).count(),
            "unbounded": forces.contacts.iter().filter(|c| c.interval.high.is_infinite()).count(),
            "hyperstaticity": bounds.hyperstaticity.degree,
            "rank": bounds.hyperstaticity.rank,
            "rank_kept": bounds.hyperstaticity.kept,
            "rank_dropped": bounds.hyperstaticity.dropped,
            "balance": bounds.balance,
            "cone": bounds.cone,
            "gap": bounds.gap,
            "moved": bounds.projection_distance,
            "stress_balance": bounds.stress_balance,
            "largest": bounds.scale,
            "threshold": forces.threshold,
            "parts": bounds.parts,
            "programs": bounds.programs,
        },
        "contacts": contacts,
    })
}
