//! `percuss limit`: limit load of a scene of bodies, by the static and the kinematic theorem.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use percuss_equilibrium as equilibrium;
use percuss_equilibrium::{CriticalParameter, LimitAnalysis, Role};
use percuss_scene::bodies_scene::LoadKind;
use percuss_scene::{Scene, SceneKind};
use percuss_statics::LimitStatus;
use serde_json::{Value, json};

use crate::args::SetArgs;
use crate::error::{CommandError, CommandStatus};
use crate::numbers::format_short;
use crate::output::{self, OutputFile};
use crate::progress::Progress;

/// A duality gap between the two theorems above this fraction of the load multiplier is not accepted as proof.
const PROVEN: f64 = 1e-5;

/// Find the largest load that a scene of bodies carries, and how it falls
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss limit arch-limit                       all load cases of a scene\n  \
    percuss limit wall.toml --load push --json\n  \
    percuss limit arch-limit --load shake -o out   the mechanism of collapse as pictures\n  \
    percuss limit arch-limit --over thick=0.08..0.2   where standing ends\n\n\
    Load cases are the scene's [[load]]. The multiplier is the largest for which forces in the cones\n\
    of friction balance the loads (static theorem), proven by a mechanism (kinematic theorem);\n\
    beside it that of Coulomb's friction, whose sliding does not dilate.\n\
    Exit status: 0 answered and proven; 1 it does not stand by itself, or the two theorems differ by\n\
    more than 1e-5; 2 the scene is not right or has no such load; 3 a file cannot be written.")]
pub struct LimitArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: String,

    /// Only this load case
    #[arg(long, value_name = "NAME")]
    load: Option<String>,

    /// Instead of a load: the value of a parameter in this range at which standing ends
    #[arg(long, value_name = "KEY=FROM..TO", value_parser = range, conflicts_with = "load")]
    over: Option<(String, f64, f64)>,

    /// A directory for the pictures, one LOAD.svg for each load case
    #[arg(long, short, value_name = "DIR", conflicts_with = "over")]
    output: Option<PathBuf>,

    #[command(flatten)]
    set: SetArgs,

    /// Print one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar, and one line for each load case
    #[arg(long, short)]
    quiet: bool,
}

fn range(text: &str) -> Result<(String, f64, f64), String> {
    let expected = || "it must be KEY=FROM..TO, for example thick=0.08..0.2".to_string();
    let (key, span) = text.split_once('=').ok_or_else(expected)?;
    let (from, to) = span.split_once("..").ok_or_else(expected)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    match (number(from), number(to)) {
        (Some(from), Some(to)) if from != to && !key.trim().is_empty() => {
            Ok((key.trim().into(), from, to))
        }
        _ => Err(expected()),
    }
}

/// Runs the command.
pub fn run(args: &LimitArgs) -> Result<CommandStatus, CommandError> {
    let scene = Scene::load(&args.scene)?.with_overrides(args.set.pairs())?;
    if scene.kind() != SceneKind::Bodies {
        return Err(CommandError::Input(format!(
            "{}: this is a mechanism; limit analysis is of scenes of bodies (kind = \"bodies\")",
            scene.origin()
        )));
    }
    match &args.over {
        Some((key, from, to)) => over(args, &scene, key, (*from, *to)),
        None => loads(args, &scene),
    }
}

fn over(
    args: &LimitArgs,
    scene: &Scene,
    key: &str,
    span: (f64, f64),
) -> Result<CommandStatus, CommandError> {
    // Bisection over the parameter.
    let progress = Progress::of_shares(args.quiet);
    let critical = equilibrium::critical_parameter(scene, key, span, &mut |done| {
        progress.share(done, || key.to_string());
    })?;
    drop(progress);
    match args.json {
        true => output::print_json(&critical_parameter_json(scene, &critical))?,
        false => output::print(&format!(
            "{}: with {key} = {} it stands, with {key} = {} it does not ({} tried)\n",
            scene.origin(),
            critical.stands,
            critical.falls,
            critical.tried
        ))?,
    }
    Ok(CommandStatus::Success)
}

fn critical_parameter_json(scene: &Scene, critical: &CriticalParameter) -> Value {
    json!({
        "scene": scene.name(),
        "over": {
            "parameter": critical.parameter,
            "value": critical.value(),
            "stands": critical.stands,
            "falls": critical.falls,
            "tried": critical.tried,
        },
    })
}

fn loads(args: &LimitArgs, scene: &Scene) -> Result<CommandStatus, CommandError> {
    let collection = scene.build_bodies()?;
    let known: Vec<String> = collection
        .names()
        .loads
        .iter()
        .map(|load| load.name.clone())
        .collect();
    let asked = match &args.load {
        Some(name) => vec![name.clone()],
        // The message about a scene without loads is made where loads are looked up.
        None if known.is_empty() => vec![String::new()],
        None => known,
    };
    // Picture files are created before the work.
    let pictures = match &args.output {
        None => Vec::new(),
        Some(directory) => {
            std::fs::create_dir_all(directory).map_err(|error| {
                let shown = directory.display();
                CommandError::Machine(format!("{shown}: cannot make this directory: {error}"))
            })?;
            let file = |name: &String| OutputFile::new(&directory.join(format!("{name}.svg")));
            asked.iter().map(file).collect::<Result<Vec<_>, _>>()?
        }
    };
    let progress = Progress::new(asked.len(), args.quiet);
    let mut all = Vec::new();
    // Limit analysis of each load case.
    for name in &asked {
        progress.at(name);
        all.push(equilibrium::analyse_load(scene, name)?);
        progress.step();
    }
    drop(progress);
    for (weighed, target) in all.iter().zip(&pictures) {
        let title = format!("{}: {}", scene.title(), headline(weighed));
        target.write(percuss_draw::equilibrium::mechanism_svg(&title, weighed))?;
    }
    // Results.
    match args.json {
        true => {
            let loads: Vec<Value> = all.iter().map(load_json).collect();
            output::print_json(&json!({ "scene": scene.name(), "loads": loads }))?;
        }
        false => {
            let text = all.iter().map(|weighed| match args.quiet {
                true => headline(weighed) + "\n",
                false => text(weighed),
            });
            output::print(&text.collect::<String>())?;
        }
    }
    Ok(match all.iter().all(proven) {
        true => CommandStatus::Success,
        false => CommandStatus::NotMet,
    })
}

fn proven(weighed: &LimitAnalysis) -> bool {
    let limit = &weighed.limit;
    let gap = limit.gap() / limit.multiplier.abs().max(1e-3);
    weighed.standing.stands && (limit.status != LimitStatus::Bounded || gap <= PROVEN)
}

/// One-line summary.
fn headline(weighed: &LimitAnalysis) -> String {
    let name = &weighed.load;
    if !weighed.standing.stands {
        return format!("{name}: it does not stand without the load");
    }
    // Load multiplier, or tilt angle.
    match (weighed.limit.status, weighed.angle()) {
        (LimitStatus::Unbounded, _) => format!("{name}: any multiplier is carried"),
        (LimitStatus::Infeasible, _) => format!("{name}: no multiplier has equilibrium"),
        (LimitStatus::Bounded, Some(angle)) => format!(
            "{name}: tilt {} degrees (tangent {})",
            format_short(angle.to_degrees()),
            format_short(weighed.limit.multiplier)
        ),
        (LimitStatus::Bounded, None) => {
            format!(
                "{name}: multiplier {}",
                format_short(weighed.limit.multiplier)
            )
        }
    }
}

fn text(weighed: &LimitAnalysis) -> String {
    let mut text = headline(weighed) + "\n";
    let (limit, standing) = (&weighed.limit, &weighed.standing);
    let bodies = weighed.names.len();
    let _ = writeln!(text, "  {bodies} bodies, {} contacts", weighed.joints.len());
    // The structure does not stand under its dead load.
    if !standing.stands {
        let _ = writeln!(
            text,
            "  a mechanism gains energy from the dead load: power {} of its largest entry, \
             what is left of its inequalities {:.1e}",
            format_short(standing.power),
            standing.kinematic
        );
    }
    // Static and kinematic bounds of the load multiplier.
    match limit.status {
        LimitStatus::Bounded => {
            let _ = writeln!(
                text,
                "  carried {}, proven not above {} (gap {:.1e}); balance {:.1e}, cones {:.1e}, \
                 mechanism {:.1e}",
                limit.multiplier,
                limit.bound,
                limit.gap(),
                limit.balance,
                limit.cone,
                limit.kinematic
            );
            text += &coulomb_text(weighed);
        }
        LimitStatus::Unbounded => {
            let _ = writeln!(
                text,
                "  forces balance the load alone: balance {:.1e}, cones {:.1e}",
                limit.balance, limit.cone
            );
        }
        LimitStatus::Infeasible => {}
    }
    // Collapse mechanism.
    let (hinges, sliding) = joints(weighed);
    let _ = writeln!(
        text,
        "  collapse: {} hinges, {} sliding joints",
        hinges.len(),
        sliding.len()
    );
    for joint in hinges.iter().take(12) {
        let _ = writeln!(text, "    {joint}");
    }
    text
}

fn coulomb_text(weighed: &LimitAnalysis) -> String {
    let coulomb = &weighed.coulomb;
    // Non-associated (Coulomb) friction: a sequence of programs, which may lower the multiplier.
    match &coulomb.limit {
        Some(found) if coulomb.steps == 0 => format!(
            "  the mechanism does not slide: Coulomb's friction has the same multiplier {}\n",
            format_short(found.multiplier)
        ),
        Some(found) => format!(
            "  Coulomb's friction: its mechanism goes from {} to {}, as the normal forces are (least \
             below by {}; {} programs, cones {:.1e}); others may go at other loads\n",
            format_short(coulomb.least),
            format_short(found.multiplier),
            format_short(weighed.limit.multiplier - coulomb.least),
            coulomb.steps,
            coulomb.cone
        ),
        None => format!(
            "  Coulomb's friction: the sequence did not settle in {} programs\n",
            coulomb.steps
        ),
    }
}

/// Hinges and sliding joints of the mechanism as text: pairs of bodies and positions.
fn joints(weighed: &LimitAnalysis) -> (Vec<String>, Vec<String>) {
    let (mut hinges, mut sliding) = (Vec::new(), Vec::new());
    // Role of each contact in the mechanism.
    for joint in &weighed.joints {
        let name = |i: u32| weighed.names.get(i as usize).map_or("", |name| &*name.name);
        let [a, b] = joint.bodies.map(name);
        let at: Vec<String> = joint
            .at
            .iter()
            .take(weighed.dimension)
            .map(|x| format_short(*x))
            .collect();
        let said = format!("{a} and {b} at ({})", at.join(", "));
        match joint.role {
            Role::Slide => sliding.push(said),
            Role::Hinge => hinges.push(said),
            Role::Idle => {}
        }
    }
    (hinges, sliding)
}

fn number(x: f64) -> Value {
    // JSON has no infinities.
    match x.is_finite() {
        true => json!(x),
        false => Value::Null,
    }
}

fn load_json(weighed: &LimitAnalysis) -> Value {
    let (limit, standing) = (&weighed.limit, &weighed.standing);
    let (hinges, sliding) = joints(weighed);
    let coulomb = &weighed.coulomb;
    let plain = coulomb
        .limit
        .as_ref()
        .map_or(f64::NAN, |limit| limit.multiplier);
    // Velocities of the collapse mechanism.
    let mechanism: Vec<Value> = weighed
        .names
        .iter()
        .zip(&weighed.mechanism)
        .map(|(name, moved)| {
            json!({ "body": &*name.name, "velocity": moved.velocity, "spin": moved.spin })
        })
        .collect();
    json!({
        "name": weighed.load,
        "kind": match weighed.kind {
            LoadKind::Acceleration(_) => "acceleration",
            LoadKind::Tilt(_) => "tilt",
            LoadKind::Force { .. } => "force",
        },
        "bodies": weighed.names.len(),
        "contacts": weighed.joints.len(),
        "stands": standing.stands,
        "power": standing.power,
        "extent": match limit.status {
            LimitStatus::Bounded => "bounded",
            LimitStatus::Unbounded => "unbounded",
            LimitStatus::Infeasible => "nowhere",
        },
        "multiplier": number(limit.multiplier),
        "bound": number(limit.bound),
        "gap": number(limit.gap()),
        "angle": weighed.angle().map_or(Value::Null, number),
        "coulomb": number(coulomb.least),
        "coulomb_most": number(plain),
        "coulomb_gap": number(limit.multiplier - coulomb.least),
        "coulomb_programs": coulomb.steps,
        "coulomb_cone": coulomb.cone,
        "balance": limit.balance,
        "cone": limit.cone,
        "kinematic": limit.kinematic,
        "hinges": hinges,
        "sliding": sliding,
        "mechanism": mechanism,
    })
}
