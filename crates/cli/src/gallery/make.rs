//! The run of a system: the one that is there, or a new one.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use scene::record::{Manifest, RunStatus};

use super::entry::SystemOutcome;
use crate::interrupt;

/// How often a run under way is looked at.
const BLINK: Duration = Duration::from_millis(20);

/// What a run is given to end in by itself when we are interrupted.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs a system into a directory, or takes what is there; and whether the run was made anew.
pub fn run(name: &str, text: &str, directory: &Path) -> (SystemOutcome, bool) {
    let there = Manifest::read(directory).ok();
    let same = there.filter(|m| m.text == text && m.overrides.is_empty() && current(m));
    let command = match same {
        Some(manifest) if manifest.findings.is_some() && ended(&manifest) => {
            return (SystemOutcome::Ran(Box::new(manifest)), false);
        }
        Some(_) => vec!["resume".into(), directory.as_os_str().into()],
        None => {
            if directory.join(scene::record::MANIFEST).is_file()
                && let Err(e) = fs::remove_dir_all(directory)
            {
                let why = format!(
                    "an older run in {} cannot be removed: {e}",
                    directory.display()
                );
                return (SystemOutcome::Failed(why), true);
            }
            vec![
                "run".into(),
                name.into(),
                "-o".into(),
                directory.as_os_str().into(),
            ]
        }
    };
    (started(&command, directory), true)
}

/// Whether a run came to its end.
fn ended(manifest: &Manifest) -> bool {
    matches!(manifest.status, RunStatus::Finished | RunStatus::Stopped)
}

/// Whether this version made a run.
fn current(manifest: &Manifest) -> bool {
    manifest.percuss == env!("CARGO_PKG_VERSION")
}

/// Lets a process of its own make the run, and says how it ended.
fn started(command: &[std::ffi::OsString], directory: &Path) -> SystemOutcome {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(e) => return SystemOutcome::Failed(format!("percuss does not find itself: {e}")),
    };
    let child = Command::new(program)
        .args(command)
        .args(["--threads", "1", "--quiet"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let (status, words) = match child.map(wait) {
        Ok(Some(ended)) => ended,
        Ok(None) => return SystemOutcome::Failed("it was interrupted".into()),
        Err(e) => return SystemOutcome::Failed(format!("percuss cannot start itself: {e}")),
    };
    match (Manifest::read(directory), status) {
        (Ok(manifest), _) if ended(&manifest) => SystemOutcome::Ran(Box::new(manifest)),
        (_, Some(2)) => SystemOutcome::Refused(last(&words)),
        (Ok(manifest), _) => SystemOutcome::Failed(format!(
            "its run is {}: {}",
            manifest.status.name(),
            last(&words)
        )),
        (Err(_), _) => SystemOutcome::Failed(last(&words)),
    }
}

/// The last line that is no warning.
fn last(words: &str) -> String {
    let mut said = words.lines().filter(|line| !line.contains("warning:"));
    let line = said.next_back().unwrap_or("it ended without a word");
    line.strip_prefix("percuss: ").unwrap_or(line).into()
}

/// Waits for a process: its exit status and what it said. Nothing when we were interrupted.
fn wait(mut child: Child) -> Option<(Option<i32>, String)> {
    // What is said must be read while it runs: a pipe holds little.
    let pipe = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut words = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut words);
        }
        String::from_utf8_lossy(&words).into_owned()
    });
    let mut asked: Option<Instant> = None;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) => {}
            Err(_) => break None,
        }
        if interrupt::requested() {
            // The terminal has told it as well; a kill leaves what can be gone on with.
            let since = *asked.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                let _ = child.kill();
            }
        }
        std::thread::sleep(BLINK);
    };
    let words = reader.join().unwrap_or_default();
    asked.is_none().then_some((status, words))
}
