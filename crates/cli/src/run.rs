//! `percuss run`: a scene to its records, certificate and findings.

use std::path::{Path, PathBuf};

use clap::Args;
use scene::plot::{Gallery, check_plots};
use scene::record::{Layout, Manifest, Override, Place, Record, Recorder, Status, settings_json};
use scene::{Built, Kind, RunOutcome, Scene, StopReason, Threads};
use serde_json::Value;

use crate::collection;
use crate::output::{self, Stop, Verdict};
use crate::progress::Progress;
use crate::summary::{Report, short};

/// Run a scene and record it
#[derive(Args)]
#[command(after_help = "Examples:\n  \
        percuss run pendulum                       a built-in scene, see `percuss examples`\n  \
        percuss run arm.toml -o runs/arm           a file of your own\n  \
        percuss run ball-e05 --set e=0.9 --set step=1e-4\n  \
        percuss run ball-e05 --json | jq .findings\n\n\
        Exit status: 0 all well; 1 ran, but the certificate is not met or a finding is outside\n\
        its expectation; 2 the scene is not right or its motion cannot go on (what was computed\n\
        is kept); 3 the records cannot be written.")]
pub struct RunArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE")]
    scene: String,

    /// Directory of the records, new or empty [default: the next free runs/NAME-N]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    set: SetArgs,

    #[command(flatten)]
    pub(crate) threads: ThreadArgs,

    /// Print one JSON object to standard output instead of the summary
    #[arg(long)]
    pub(crate) json: bool,

    /// No progress bar, and one line instead of the summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Do not measure the findings (and run none of the cases and studies they need)
    #[arg(long)]
    pub(crate) no_findings: bool,
}

/// Overrides, shared by several commands.
#[derive(Args)]
pub struct SetArgs {
    /// Override a parameter, or a key of [run] such as step, until, integrator (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
}

impl SetArgs {
    /// Keys and values in the order given.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.set
    }
}

/// Threads, shared by several commands.
#[derive(Args)]
pub struct ThreadArgs {
    /// Threads for cases and studies, and for detecting contacts of bodies in the main run; results
    /// do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads, allow_hyphen_values = true)]
    threads: Option<usize>,
}

impl ThreadArgs {
    /// How many.
    pub fn get(&self) -> Threads {
        self.threads.map_or_else(Threads::all, Threads::new)
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().into(), value.trim().into()))
        }
        _ => Err("it must be KEY=VALUE, for example --set mu=0.3".into()),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<Verdict, Stop> {
    let scene = Scene::load(&args.scene)?.with(args.set.pairs())?;
    if scene.kind() == Kind::Bodies {
        return collection::run(args, &scene);
    }
    let built = scene.build()?;
    // What is wrong with a finding or a plot is told before the run and not after it.
    scene::check_findings(&scene)?;
    check_plots(&scene)?;
    let place = Place::new(args.output.as_deref(), scene.name());
    let layout = Layout::of_scene(&scene, &built.system);
    let every = built.record_every;
    let mut system = built.system.clone();
    let mut recorder = Recorder::new(place, manifest(&scene, &built), layout, every)?;
    let outcome = follow(args, built, &mut recorder);
    if let Some(fault) = recorder.take_fault() {
        // What is there stays readable; that it ends here is said where the disk still lets us.
        let _ = recorder.close(&outcome.certificate, Some(fault.to_string()));
        return Err(fault.into());
    }
    let stopped = outcome.stopped.as_ref().map(ToString::to_string);
    recorder.set_nonunique(scene::nonunique(&mut system, &outcome));
    recorder.close(&outcome.certificate, stopped)?;
    let refused = outcome.stopped.as_ref().is_some_and(|s| !s.started);
    if !args.no_findings {
        let findings = findings(args, &scene, &outcome)?;
        recorder.add_findings(findings)?;
    }
    let ended = Ended {
        manifest: recorder.manifest(),
        directory: recorder.directory(),
        stopped: outcome.stopped.as_ref(),
        refused,
        certificate: serde_json::to_value(outcome.certificate).ok(),
    };
    ended.report(args)
}

fn manifest(scene: &Scene, built: &Built) -> Manifest {
    let mut manifest = manifest_of(scene);
    let (start, until) = (built.initial.t, built.until);
    manifest.settings = settings_json(&built.settings, start, until, built.record_every);
    if let Some(method) = built.sweep_method() {
        manifest.settings["integrator"] = Value::from(method);
    }
    manifest
}

/// What the manifest says of any scene.
pub fn manifest_of(scene: &Scene) -> Manifest {
    let mut manifest = Manifest::new("run", scene.name());
    manifest.title = scene.title().into();
    manifest.source = scene.source().into();
    manifest.origin = scene.origin().into();
    manifest.text = scene.text().into();
    let overrides = scene.overrides().iter().map(|(key, value)| Override {
        key: key.clone(),
        value: value.clone(),
    });
    manifest.overrides = overrides.collect();
    let parameters = scene.parameters().iter();
    manifest.parameters = parameters
        .map(|(k, v)| (k.clone(), Value::from(*v)))
        .collect();
    manifest
}

fn follow(args: &RunArgs, built: Built, recorder: &mut Recorder) -> RunOutcome {
    let (start, until) = (built.initial.t, built.until);
    let progress = Progress::of_shares(args.quiet);
    progress.at("running");
    scene::run(built, recorder, &mut |t| {
        let done = (t - start) / (until - start);
        progress.share(done, || format!("t = {} of {}", short(t), short(until)));
        true
    })
}

fn findings(args: &RunArgs, scene: &Scene, outcome: &RunOutcome) -> Result<Vec<Value>, Stop> {
    let progress = Progress::of_shares(args.quiet);
    progress.at("findings");
    let found = scene::evaluate_findings(scene, outcome, args.threads.get(), &mut |name, done| {
        progress.share(done, || format!("finding {name}"));
        true
    })?;
    json_of(&found)
}

/// Findings as the manifest holds them.
pub fn json_of(found: &[scene::finding::Finding]) -> Result<Vec<Value>, Stop> {
    let json = found.iter().map(serde_json::to_value);
    json.collect::<Result<_, _>>()
        .map_err(|e| Stop::Fault(format!("cannot write the findings as JSON: {e}")))
}

/// How a run ended.
pub struct Ended<'a> {
    /// The manifest as it was written, or would have been.
    pub manifest: &'a Manifest,
    /// Where the records are, if there are any.
    pub directory: Option<&'a Path>,
    /// Why it ended early.
    pub stopped: Option<&'a scene::Stop>,
    /// Whether there is no motion at all.
    pub refused: bool,
    /// What the run vouches for.
    pub certificate: Option<Value>,
}

impl Ended<'_> {
    /// Tells it as the arguments say.
    pub fn report(&self, args: &RunArgs) -> Result<Verdict, Stop> {
        let mut manifest = self.manifest.clone();
        if let Some(stop) = self.stopped {
            if matches!(
                stop.reason,
                StopReason::Mechanism(_) | StopReason::Bodies(_)
            ) {
                output::message(&format!("{}: {stop}", manifest.origin));
            }
            // A run that was refused has no records that would say so.
            manifest.status = Status::Stopped;
            manifest.reason = Some(stop.to_string());
            manifest.certificate.clone_from(&self.certificate);
        }
        let report = Report {
            manifest: &manifest,
            directory: self.directory,
        };
        if args.json {
            output::print_json(&report.json())?;
        } else if self.refused {
            // Said already; there is nothing else to say.
        } else if args.quiet {
            output::print(&report.line())?;
        } else {
            output::print(&(report.text() + &self.where_to_look()))?;
        }
        Ok(report.verdict())
    }

    /// Where the records are and which pictures can be had of them.
    fn where_to_look(&self) -> String {
        let Some(directory) = self.directory else {
            return String::new();
        };
        let shown = directory.display();
        let mut text = format!("\nrecords in {shown}\n");
        let names = Record::open(directory).ok().and_then(|record| {
            let list = Gallery::of(&record).and_then(|gallery| gallery.list());
            Some(
                list.ok()?
                    .into_iter()
                    .map(|(name, _)| name)
                    .collect::<Vec<_>>(),
            )
        });
        if let Some([first, rest @ ..]) = names.as_deref() {
            text += &format!("pictures: percuss plot {shown} {first}");
            if !rest.is_empty() {
                text += &format!("    (or {})", rest.join(", "));
            }
            text += "\n";
        }
        text
    }
}
