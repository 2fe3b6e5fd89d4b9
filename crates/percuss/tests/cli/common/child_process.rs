//! Processes that are watched, signalled and waited for.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{CommandOutput, command};

/// No test waits longer: a machine under load may be slow, one that hangs is not.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts `percuss` and goes on.
pub fn begin(folder: &Path, args: &[&str]) -> Child {
    let mut command = command(folder, args);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Waits until something is so. The process must not end before.
pub fn wait_until(child: &mut Child, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        let over = child.try_wait().expect("a process");
        assert!(over.is_none(), "ended before: {over:?}");
        assert!(begun.elapsed() < PATIENCE, "still not so");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether signals that end programs are ignored here, and so in what is started from here: in the
/// background of a script. Says that the test is skipped.
pub fn signals_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let mask = line.and_then(|l| u64::from_str_radix(l.trim(), 16).ok());
    // SIGHUP, SIGINT and SIGTERM are 1, 2 and 15.
    let deaf = mask.unwrap_or(0) & (1 | 1 << 1 | 1 << 14) != 0;
    if deaf {
        println!("skipped: SIGHUP, SIGINT or SIGTERM is ignored here");
    }
    deaf
}

/// Sends a signal to the process.
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.expect("kill").success());
}

/// Waits for the end.
pub fn ended(mut child: Child) -> CommandOutput {
    let begun = Instant::now();
    while child.try_wait().expect("a process").is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    CommandOutput::of(child.wait_with_output().expect("its output"))
}
