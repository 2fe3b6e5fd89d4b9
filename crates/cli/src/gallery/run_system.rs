//! The run of a system: an existing one is reused, otherwise a process is started.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use percuss_record::{Manifest, RunStatus};

use super::entry::SystemOutcome;
use crate::{interrupt, program};

/// Polling interval of a child process.
const BLINK: Duration = Duration::from_millis(20);

/// Time that a child process gets to end by itself after an interruption.
const PATIENCE: Duration = Duration::from_secs(3);

/// Runs a system into a directory, or reuses the run there; returns whether the run is new.
pub fn run(name: &str, text: &str, directory: &Path) -> (SystemOutcome, bool) {
    let there = Manifest::read(directory).ok();
    let same = there.filter(|m| m.text == text && m.overrides.is_empty() && current(m));
    // Reuse a complete run, resume an incomplete one, or start anew.
    let command = match same {
        Some(manifest) if manifest.findings.is_some() && ended(&manifest) => {
            return (SystemOutcome::Ran(Box::new(manifest)), false);
        }
        Some(_) => vec!["resume".into(), directory.as_os_str().into()],
        None => {
            if directory.join(percuss_record::MANIFEST).is_file()
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

/// Whether a run was completed.
fn ended(manifest: &Manifest) -> bool {
    matches!(manifest.status, RunStatus::Finished | RunStatus::Stopped)
}

/// Whether this version made a run.
fn current(manifest: &Manifest) -> bool {
    manifest.percuss == env!("CARGO_PKG_VERSION")
}

/// Runs a system in a child process; returns its outcome.
fn started(command: &[std::ffi::OsString], directory: &Path) -> SystemOutcome {
    let mut program = match program::command() {
        Ok(program) => program,
        Err(e) => return SystemOutcome::Failed(format!("percuss does not find itself: {e}")),
    };
    // The same program in a child process, on one thread.
    let child = program
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
    // The outcome from the manifest and the exit status.
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

/// The last line that is not a warning.
fn last(words: &str) -> String {
    let mut said = words.lines().filter(|line| !line.contains("warning:"));
    let line = said.next_back().unwrap_or("it ended without a word");
    line.strip_prefix("percuss: ").unwrap_or(line).into()
}

/// Waits for a child process: its exit status and standard error. `None` after an interruption.
fn wait(mut child: Child) -> Option<(Option<i32>, String)> {
    // Standard error is read while the process runs: a pipe buffer is small.
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
            // The terminal signals the child as well; if it is killed, its run can be resumed.
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
