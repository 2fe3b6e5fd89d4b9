//! `percuss gallery`: runs the built-in systems and shows them on one page.
//!
//! Each system is run in a process of its own, so that a failure of one does not affect the others; pictures
//! are made from its records. Existing results are reused: a run whose scene has the same text, and pictures of
//! a run that was not repeated.

mod entry;
mod media;
mod page;
mod run_system;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use percuss_scene::Scene;
use serde_json::json;

use crate::args::ThreadArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::output::{self, OutputFile};
use crate::progress::Progress;
use entry::{Entry, Group, SystemOutcome};

/// Run the built-in systems and make a page with pictures, films and findings of all
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss gallery -o gallery                     all systems: about an hour\n  \
    percuss gallery -o gallery --fast              those that take seconds\n  \
    percuss gallery -o gallery --only wall,arch,drum\n\n\
    Open gallery/index.html. Runs that are in gallery/runs already are used, so a gallery that was\n\
    interrupted goes on, and one of an earlier version of a scene is made anew.\n\
    Exit status: 0 all well; 1 a system failed, its certificate is not met or a finding is outside\n\
    its expectation; 2 there is no such system; 3 the files cannot be written; 130 interrupted.")]
pub struct GalleryArgs {
    /// The folder of the page
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// Only these systems, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,

    /// Only systems that take seconds
    #[arg(long, conflicts_with = "only")]
    fast: bool,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Print one JSON object: {"index", "systems": [{"name", "status", "ok", …}]}
    #[arg(long)]
    json: bool,

    /// No progress bar, and one line instead of the list
    #[arg(long, short)]
    quiet: bool,
}

/// Systems that take longer than about ten seconds on one core of a typical machine.
const SLOW: [&str; 24] = [
    "biaxial",
    "bowl",
    "cavity",
    "chute",
    "column-collapse",
    "dome",
    "dominoes",
    "drum",
    "drystone",
    "four-bar-clearance",
    "packing-2d",
    "packing-3d",
    "pressure-box",
    "quake-column",
    "repose",
    "shear-cell",
    "silo",
    "tower-1000",
    "vault",
    "vibrated-bed",
    "vibrated-bed-3d",
    "wall",
    "wall-jerk",
    "wall-perfect",
];

/// Systems without a solution, which is what they demonstrate: their run must be refused.
pub(crate) const REFUSED: [&str; 2] = ["bar-in-circle", "zeno-reversed"];

/// Runs the command.
pub fn run(args: &GalleryArgs) -> Result<CommandStatus, CommandError> {
    let names = chosen(args)?;
    let fault = |path: &Path, e: std::io::Error| {
        CommandError::Machine(format!("{}: cannot make this folder: {e}", path.display()))
    };
    // Folders and the page are created before the work.
    for folder in entry::FOLDERS {
        let folder = args.output.join(folder);
        fs::create_dir_all(&folder).map_err(|e| fault(&folder, e))?;
    }
    let index = args.output.join("index.html");
    let target = OutputFile::new(&index)?;
    interrupt::install_handler()?;
    let entries = make_all(args, &names)?;
    if interrupt::requested() {
        console::message(&format!(
            "interrupted; the same command goes on: `percuss gallery -o {}`",
            args.output.display()
        ));
        return Ok(CommandStatus::Interrupted);
    }
    // The page, then the summary.
    target.write(page::html(&entries))?;
    tell(args, &index, &entries)?;
    Ok(match entries.iter().all(Entry::is_ok) {
        true => CommandStatus::Success,
        false => CommandStatus::NotMet,
    })
}

/// The selected systems.
fn chosen(args: &GalleryArgs) -> Result<Vec<&str>, CommandError> {
    let known: Vec<&str> = percuss_scene::builtin::names().collect();
    if let Some(name) = args.only.iter().find(|name| !known.contains(&name.trim())) {
        return Err(CommandError::Input(format!(
            "there is no built-in system `{name}`; `percuss examples` lists them"
        )));
    }
    if !args.only.is_empty() {
        let wanted = |name: &&str| args.only.iter().any(|only| only.trim() == *name);
        return Ok(known.into_iter().filter(wanted).collect());
    }
    let quick = |name: &&str| !args.fast || !SLOW.contains(name);
    Ok(known.into_iter().filter(quick).collect())
}

/// Runs all systems, several in parallel; the result is in the order of names whatever the number of threads.
fn make_all(args: &GalleryArgs, names: &[&str]) -> Result<Vec<Entry>, CommandError> {
    // Work queue: an atomic index into the names, one result slot per name.
    let progress = Mutex::new(Progress::new(names.len(), args.quiet));
    let next = AtomicUsize::new(0);
    let made: Vec<Mutex<Option<Entry>>> = names.iter().map(|_| Mutex::new(None)).collect();
    let lock = |slot: &Mutex<Option<Entry>>, entry: Entry| {
        *slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(entry);
    };
    let work = || {
        while !interrupt::requested() {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let (Some(name), Some(slot)) = (names.get(k), made.get(k)) else {
                return;
            };
            let at = |what: &str| {
                let progress = progress.lock().unwrap_or_else(|e| e.into_inner());
                progress.at(what);
            };
            at(name);
            lock(slot, one(name, &args.output));
            let progress = progress.lock().unwrap_or_else(|e| e.into_inner());
            progress.step();
        }
    };
    // Worker threads, with this thread among them.
    std::thread::scope(|scope| {
        let count = args.threads.get().get().min(names.len()).max(1);
        for _ in 1..count {
            scope.spawn(work);
        }
        work();
    });
    let all = made.into_iter().filter_map(|slot| {
        slot.into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    });
    Ok(all.collect())
}

/// Runs a system and makes its pictures.
fn one(name: &str, folder: &Path) -> Entry {
    let text = percuss_scene::builtin::text(name).unwrap_or_default();
    let mut entry = match Scene::parse(name, name, text) {
        Ok(scene) => Entry::of(&scene, Group::of(text)),
        // Tests ensure that this does not happen.
        Err(error) => Entry::broken(name, error.to_string()),
    };
    let directory = folder.join("runs").join(name);
    let (standing, anew) = run_system::run(name, text, &directory);
    entry.outcome = standing;
    if let Err(e) = fs::write(folder.join(entry::scene_file(name)), text) {
        entry.outcome = SystemOutcome::Failed(format!("the scene cannot be written: {e}"));
    }
    if let SystemOutcome::Ran(_) = entry.outcome {
        media::pictures(&mut entry, folder, &directory, anew);
    }
    entry
}

/// Prints the summary.
fn tell(args: &GalleryArgs, index: &Path, entries: &[Entry]) -> Result<(), CommandError> {
    if args.json {
        let systems: Vec<_> = entries.iter().map(Entry::json).collect();
        let index = index.display().to_string();
        return output::print_json(&json!({ "index": index, "systems": systems }));
    }
    let well = entries.iter().filter(|entry| entry.is_ok()).count();
    let mut text = String::new();
    if !args.quiet {
        for entry in entries.iter().filter(|entry| !entry.is_ok()) {
            text += &format!("{}: {}\n", entry.name, entry.problem_text());
        }
    }
    let shown = index.display();
    text += &format!(
        "{well} of {} systems as they should be; open {shown}\n",
        entries.len()
    );
    output::print(&text)
}
