//! `percuss audit`: which results of a run are independent of its discretisation.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use percuss_audit::{
    Audit, AuditError, AuditOptions, AuditedFinding, FindingScope, Order, RunReport,
    SensitivityClass as Fate, THRESHOLDS, ValueIn, audit, load_recorded_scene, output_place,
};
use percuss_record::Manifest;
use percuss_run::Value;
use percuss_scene::Scene;
use serde_json::json;

use crate::args::ManyRunsArgs;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::log;
use crate::numbers::format_short;
use crate::output;
use crate::progress::Progress;
use crate::text_table::aligned;

/// Maximal width of a finding's value in the table.
const WIDEST: usize = 24;

/// Repeat a run with other steps, tolerance and rule, and tell what of it holds
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss audit ball-e05\n  \
    percuss audit wall --until 1 --threads 4\n  \
    percuss audit runs/wall-1                      a run that is recorded: its scene and overrides\n  \
    percuss audit pendulum --json | jq .orders\n\n\
    The run is made again with half and a quarter of the step, a tenth of the tolerance, the other\n\
    activation rule (bodies) or integrator (mechanisms), and from positions moved by 1e-12 of the\n\
    size. The table says until when the motions agree, the observed order of convergence, what\n\
    becomes of the perturbation, and which findings hold to how many digits. docs/audit.md explains it.\n\
    Exit status: 0 every run is certified and every finding holds in every run; 1 something does not\n\
    hold; 2 the scene is not right or its motion cannot go on; 3 the directory cannot be written;\n\
    130 interrupted.")]
pub struct AuditArgs {
    /// A scene file, the name of a built-in scene, or the directory of a run
    #[arg(value_name = "SCENE|DIR")]
    what: String,

    /// Directory of audit.json and the picture, new or empty [default: the next free
    /// runs/NAME-audit-N, or beside the run]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// End of the run: shorter than that of the scene
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    until: Option<String>,

    /// Measure in every run also the findings that need cases and studies
    #[arg(long)]
    all_findings: bool,

    #[command(flatten)]
    pub(crate) common: ManyRunsArgs,
}

/// Runs the command.
pub fn run(args: &AuditArgs) -> Result<CommandStatus, CommandError> {
    let (scene, manifest) = subject(&args.what)?;
    let mut scene = scene.with_overrides(args.common.set.pairs())?;
    if let Some(until) = &args.until {
        scene = scene.with_overrides(&[("run.until", until)])?;
    }
    let run = manifest.as_ref().map(|_| Path::new(&args.what));
    let place = output_place(args.output.as_deref(), run, scene.name());
    // The output directory is checked before the work and not after it.
    place.check()?;
    let threads = args.common.threads.get();
    let what = format!("audit of {}", scene.name());
    log::open(&args.common.log, &what, threads.get())?;
    interrupt::install_handler()?;
    let mut found = {
        let _at_once =
            interrupt::exit_at_once("interrupted; an audit keeps nothing before its end".into());
        follow(args, &scene)?
    };
    let changed = args.until.is_some() || !args.common.set.pairs().is_empty();
    if let Some(manifest) = manifest.filter(|_| !changed) {
        found.check_record(&manifest);
    }
    let directory = percuss_draw::audit::write_audit(&found, &place)?;
    let shown = directory.display().to_string();
    if args.common.json {
        let mut all = json!(found);
        all["directory"] = shown.into();
        output::print_json(&all)?;
    } else if args.common.quiet {
        output::print(&format!("{}: {}; {shown}\n", found.scene, verdict(&found)))?;
    } else {
        output::print(&(text(&found) + &format!("\npicture and figures in {shown}\n")))?;
    }
    Ok(match found.ok {
        true => CommandStatus::Success,
        false => CommandStatus::NotMet,
    })
}

/// The scene to be audited, and the manifest of the run where a directory was given.
fn subject(what: &str) -> Result<(Scene, Option<Manifest>), CommandError> {
    let known = percuss_scene::builtin::text(what).is_some();
    if known || !Path::new(what).is_dir() {
        return Ok((Scene::load(what)?, None));
    }
    let (scene, manifest) = load_recorded_scene(Path::new(what))?;
    Ok((scene, Some(manifest)))
}

fn follow(args: &AuditArgs, scene: &Scene) -> Result<Audit, CommandError> {
    let progress = Progress::of_shares(args.common.quiet);
    progress.at("reading");
    let asked = AuditOptions {
        threads: args.common.threads.get(),
        findings: match args.all_findings {
            true => FindingScope::All,
            false => FindingScope::OfTheRun,
        },
    };
    // The audit, with progress.
    let found = audit(scene, asked, &mut |words, share| {
        progress.share(share, || words.to_string());
        true
    });
    found.map_err(|error| match error {
        AuditError::Scene(error) => error.into(),
        AuditError::NoReference(_) | AuditError::Stopped => CommandError::Input(error.to_string()),
    })
}

fn text(audit: &Audit) -> String {
    let [start, until] = audit.span;
    let mut text = format!("{}\n\n", audit.title);
    let size = &audit.size;
    let _ = writeln!(
        text,
        "t = {} to {}, {} instants compared; distances relative to {} {}: {}\n",
        format_short(start),
        format_short(until),
        audit.times.len(),
        rough(size.value),
        size.unit,
        size.what
    );
    // Runs, orders of convergence, perturbation, findings, verdict.
    text += &runs_text(audit);
    for left in &audit.left_out {
        let _ = writeln!(text, "left out: {}: {}", left.name, left.why);
    }
    text += "\n";
    let _ = writeln!(
        text,
        "order of the configuration  {}",
        order_text(&audit.orders.configuration)
    );
    let _ = writeln!(
        text,
        "order of the energy         {}",
        order_text(&audit.orders.energy)
    );
    let _ = writeln!(
        text,
        "perturbation                {}",
        perturbation_text(audit)
    );
    text += &findings_text(audit);
    if audit.recorded == Some(true) {
        text += "\nthe records have the certificate of this run\n";
    }
    let _ = writeln!(text, "\n{}", verdict(audit));
    text
}

/// One line for each run.
fn runs_text(audit: &Audit) -> String {
    let [a, b, c] = THRESHOLDS.map(|threshold| format!("> {threshold:e} at"));
    let heading = [
        "run",
        "what is changed",
        "steps",
        "certificate",
        &a,
        &b,
        &c,
        "largest",
        "at the end",
    ];
    let mut rows = vec![heading.map(String::from)];
    for (k, run) in audit.runs.iter().enumerate() {
        let mut row = [
            run.name.to_string(),
            run.what.clone(),
            run.certificate.steps.to_string(),
            certificate(run),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ];
        // Distances from the reference run, which is the first.
        if k > 0 {
            for (cell, exceeded) in row[4..7].iter_mut().zip(&run.exceeded) {
                *cell = exceeded.t.map_or("never".into(), rough);
            }
            row[7] = match &run.furthest {
                Some(body) => format!("{} ({body})", rough(run.largest)),
                None => rough(run.largest),
            };
            row[8] = rough(run.last);
        }
        rows.push(row);
    }
    aligned(&rows)
}

fn certificate(run: &RunReport) -> String {
    match (&run.stopped, run.certificate.ok) {
        (Some(_), _) => format!("STOPPED at {}", rough(run.end)),
        (None, true) => "ok".into(),
        (None, false) => format!("NOT ok, {} missed", run.certificate.missed),
    }
}

fn order_text(order: &Order) -> String {
    let one = |order: Option<f64>| order.map_or("-".into(), |p| format!("{p:.2}"));
    match (order.order, order.span, &order.reason) {
        (Some(p), Some([from, to]), _) => {
            let parts: Vec<String> = order.parts.iter().map(|part| one(part.order)).collect();
            let (from, to, parts) = (rough(from), rough(to), parts.join(", "));
            format!("{p:.2}, from t = {from} to {to} (by quarters: {parts})")
        }
        (_, _, Some(reason)) => format!("not observed: {reason}"),
        _ => "not observed".into(),
    }
}

/// Growth or decay of the perturbation, as text.
fn perturbation_text(audit: &Audit) -> String {
    let told = &audit.sensitivity;
    let largest = told.largest.map_or("?".into(), rough);
    // The horizon of predictability.
    let horizon = match told.incomparable_from {
        Some(t) => format!("motions cannot be compared from t = {} on", rough(t)),
        None => "all motions stay within a tenth of the size".into(),
    };
    // Exponential growth of the perturbation, or not.
    match (told.verdict, told.rate, told.interval) {
        (Fate::Chaotic, Some(rate), Some([low, high])) => format!(
            "CHAOTIC: 1e-12 grows as exp(λt), λ = {} 1/s ({} to {}), to {largest}; {horizon}",
            rough(rate),
            rough(low),
            rough(high)
        ),
        (Fate::Regular, ..) => format!("regular: 1e-12 has become {largest} at most"),
        (Fate::Unknown, ..) => "not told: there is no perturbed run".into(),
        _ => format!("sensitive: 1e-12 has become {largest}, but not exponentially; {horizon}"),
    }
}

fn findings_text(audit: &Audit) -> String {
    let mut text = String::new();
    if !audit.findings.is_empty() {
        let heading = ["finding", "value", "digits", "spread", "tolerance", "holds"];
        let mut rows = vec![heading.map(String::from)];
        rows.extend(audit.findings.iter().map(finding_row));
        text += "\n";
        text += &aligned(&rows);
    }
    // Findings that need further runs.
    if !audit.unmeasured.is_empty() {
        let _ = writeln!(
            text,
            "not measured, since they need further runs (--all-findings): {}",
            audit.unmeasured.join(", ")
        );
    }
    text
}

fn finding_row(finding: &AuditedFinding) -> [String; 6] {
    let bad = |v: &&ValueIn| v.ok == Some(false);
    let told = |v: &ValueIn| match &v.value {
        Some(value) => format!("{} ({})", v.run, cell(value)),
        None => format!("{} (no value)", v.run),
    };
    // Runs in which the finding does not meet its expectation.
    let bad: Vec<String> = finding.values.iter().filter(bad).map(told).collect();
    [
        finding.name.clone(),
        finding.value.as_ref().map_or("-".into(), cell),
        match (finding.same, finding.digits) {
            (true, _) => "same".into(),
            (false, Some(digits)) => digits.to_string(),
            (false, None) => "differs".into(),
        },
        finding.spread.map_or(String::new(), rough),
        finding.tolerance.map_or(String::new(), rough),
        match finding.holds {
            None => String::new(),
            Some(true) => format!("in all {}", finding.values.len()),
            Some(false) => format!("NOT in {}", bad.join(", ")),
        },
    ]
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Number(x) => format_short(*x),
        Value::List(items) => items
            .iter()
            .map(|x| rough(*x))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    };
    // Truncated to the width of the column.
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => text,
    }
}

/// A number to three digits.
fn rough(x: f64) -> String {
    format_short(format!("{x:.2e}").parse().unwrap_or(x))
}

fn verdict(audit: &Audit) -> String {
    let count = audit.runs.len();
    match audit.not_held.as_slice() {
        [] => format!("all {count} runs are certified and every finding holds in all of them"),
        [one] => format!("NOT held: {one}"),
        many => format!("NOT held:\n  {}", many.join("\n  ")),
    }
}
