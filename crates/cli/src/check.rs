//! `percuss check`: validates a scene or a study and computes its first step.

use clap::Args;
use percuss_draw::plot::check_plots;
use percuss_mechanism::System;
use percuss_record::NullObserver;
use percuss_run::{ObservableRequest, StopReason, StudyFile, Threads, decomposition_errors};
use percuss_scene::{Scene, SceneError, SceneKind};

use crate::args::SetArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::output;
use crate::summary;

/// Check a scene or study file without running it
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss check arm.toml\n  \
    percuss check ball-e05 --set e=0.9\n\n\
    Reads everything, compiles every expression, checks the initial state and tries the first\n\
    step. Exit status: 0 it can be run; 2 something is not right (said on standard error);\n\
    3 the file cannot be read.")]
pub struct CheckArgs {
    /// A scene or study file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: String,

    #[command(flatten)]
    set: SetArgs,

    /// Say nothing when all is well
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<CommandStatus, CommandError> {
    let line = match Scene::load(&args.scene) {
        Ok(scene) => check_scene(&scene.with_overrides(args.set.pairs())?)?,
        Err(error) => check_study(args, error)?,
    };
    if !args.quiet {
        output::print(&line)?;
    }
    Ok(CommandStatus::Success)
}

fn check_scene(scene: &Scene) -> Result<String, CommandError> {
    console::warnings(scene.warnings());
    let mut remarks = String::new();
    let mut counts = match scene.kind() {
        SceneKind::Mechanism => check_mechanism(scene, &mut remarks)?,
        SceneKind::Bodies => check_bodies(scene)?,
    };
    counts.extend([
        (scene.cases().len(), "case"),
        (scene.studies().len(), "study"),
        (scene.findings().len(), "finding"),
        (scene.plots().len(), "plot"),
    ]);
    let counts = counts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| match (n, *what) {
            (1, what) => format!("1 {what}"),
            (n, "study") => format!("{n} studies"),
            (n, "body") => format!("{n} bodies"),
            (n, "watch") => format!("{n} watches"),
            (n, "joint row that others hold already") => {
                format!("{n} joint rows that others hold already")
            }
            (n, what) => format!("{n} {what}s"),
        });
    let counts: Vec<String> = counts.collect();
    let mut text = format!("{}: can be run: {}\n", scene.origin(), counts.join(", "));
    text += &remarks;
    if scene.kind() == SceneKind::Bodies {
        text += &summary::fits_text(&decomposition_errors(&scene.build_bodies()?));
    }
    Ok(text)
}

/// Validates a mechanism and computes its first step; counts of its content, and remarks about its equations.
fn check_mechanism(
    scene: &Scene,
    remarks: &mut String,
) -> Result<Vec<(usize, &'static str)>, CommandError> {
    let mut built = scene.build_mechanism()?;
    // A sweeping process has no equations of motion.
    if built.sweep.is_none() {
        for remark in built.system.remarks(&built.initial) {
            *remarks += &format!("  note: {}\n", remark.text);
        }
    }
    percuss_run::check_findings(scene)?;
    check_plots(scene)?;
    let chart = built.system.configuration_space();
    let counts = vec![
        (chart.coordinates().len(), "coordinate"),
        (built.system.constraints().len(), "constraint"),
    ];
    // One step without recording.
    let outcome = percuss_run::run_mechanism(built, &mut NullObserver, &mut |_| false);
    match outcome.stopped {
        Some(stop) if stop.reason != StopReason::Requested => {
            Err(CommandError::Input(format!("{}: {stop}", scene.origin())))
        }
        _ => Ok(counts),
    }
}

/// Validates a scene of bodies and computes its first step; counts of its content.
fn check_bodies(scene: &Scene) -> Result<Vec<(usize, &'static str)>, CommandError> {
    let collection = scene.build_bodies()?;
    percuss_run::check_collection(scene, &collection)?;
    check_plots(scene)?;
    let cast = collection.names();
    // Counts of what the scene declares.
    let mut counts = vec![
        (cast.bodies.len(), "body"),
        (cast.materials.len(), "material"),
        (cast.groups.len(), "group"),
        (cast.regions.len(), "region"),
        (cast.watches.len(), "watch"),
        (cast.joints.len(), "joint"),
    ];
    // One step without recording.
    let (wanted, threads) = (ObservableRequest::default(), Threads::all());
    let sink = &mut NullObserver;
    let outcome =
        percuss_run::run_bodies(scene, collection, &wanted, threads, sink, &mut |_| false);
    match outcome.stopped {
        Some(stop) if stop.reason != StopReason::Requested => {
            Err(CommandError::Input(format!("{}: {stop}", scene.origin())))
        }
        _ => {
            counts.push((
                outcome.redundant.len(),
                "joint row that others hold already",
            ));
            Ok(counts)
        }
    }
}

/// A file that is no scene may be a study; if it is neither, the error of the scene is reported.
fn check_study(args: &CheckArgs, error: SceneError) -> Result<String, CommandError> {
    // A study file declares its kind.
    let is_study = std::fs::read_to_string(&args.scene).is_ok_and(|text| {
        let mut lines = text.lines().map(|line| line.replace([' ', '\t'], ""));
        lines.any(|line| line.starts_with("kind=\"study\"") || line.starts_with("kind='study'"))
    });
    if !is_study {
        return Err(error.into());
    }
    // Number of runs of the study.
    let study = StudyFile::load(&args.scene)?.with(args.set.pairs())?;
    console::warnings(study.warnings());
    let runs = study.runs()?;
    let noun = if runs == 1 { "run" } else { "runs" };
    let scene = study.scene().name();
    Ok(format!(
        "{}: can be run: {runs} {noun} of `{scene}`\n",
        args.scene
    ))
}
