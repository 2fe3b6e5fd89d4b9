//! Runs that are killed, and what they leave.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

#[allow(dead_code)] // The tests of `scene` use the rest.
#[path = "../../../../percuss/tests/all/resume_common/mod.rs"]
pub mod scenes;

use super::common::{CommandOutput, command, percuss};

/// Names of the files of a directory, sorted.
pub fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let names = entries.map(|e| e.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

/// The manifest of a directory but for the machine.
pub fn manifest(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("run.json")).expect("a manifest");
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    let machine = value.as_object_mut().expect("an object").remove("machine");
    assert!(machine.is_some_and(|m| m["threads"].as_u64() > Some(0)));
    value
}

/// Asserts that two directories hold the same: every table bit by bit, and the same manifest.
pub fn assert_same(whole: &Path, other: &Path) {
    assert_eq!(files(whole), files(other));
    for name in files(whole) {
        if name != "run.json" {
            let bytes = |directory: &Path| fs::read(directory.join(&name)).expect("readable");
            assert!(bytes(whole) == bytes(other), "{name} differs");
        }
    }
    assert_eq!(manifest(whole), manifest(other));
}

/// Starts the program; what it says is thrown away.
pub fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = command(folder, args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// Waits for something that the other process does; five minutes are more than a loaded machine needs.
pub fn wait(what: &str, mut there: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !there() {
        assert!(begin.elapsed() < Duration::from_secs(300), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Numbers from 0 to 1, the same in every test: xorshift (Marsaglia 2003).
pub struct Xorshift(pub u64);

impl Xorshift {
    pub fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A run that is started, killed with SIGKILL after so long, and gone on with.
pub struct KilledRun<'a> {
    pub folder: &'a Path,
    pub scene: &'a str,
    pub name: &'a str,
    /// Steps between checkpoints.
    pub every: &'a str,
}

impl KilledRun<'_> {
    pub fn directory(&self) -> PathBuf {
        self.folder.join(self.name)
    }

    /// The arguments to begin with, or to go on.
    pub fn args<'a>(&'a self, threads: &'a str) -> Vec<&'a str> {
        let common = ["--threads", threads, "--quiet"];
        let first: &[&str] = match self.directory().join("run.json").exists() {
            true => &["resume", self.name],
            false => &[
                "run",
                self.scene,
                "-o",
                self.name,
                "--checkpoint-every",
                self.every,
            ],
        };
        first.iter().copied().chain(common).collect()
    }

    /// Kills the run after so long; whether it was still running.
    pub fn kill_after(&self, time: Duration, threads: &str) -> bool {
        let mut child = start(self.folder, &self.args(threads));
        std::thread::sleep(time);
        let running = child.try_wait().expect("a process").is_none();
        child.kill().expect("killed");
        child.wait().expect("ended");
        running
    }

    /// Kills the run once this file is there.
    pub fn kill_at(&self, file: &str) {
        let mut child = start(self.folder, &self.args("1"));
        let path = self.directory().join(file);
        wait(file, || {
            path.exists() || child.try_wait().expect("a process").is_some()
        });
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(path.exists(), "{file}: the run ended before it was killed");
    }

    /// Lets it come to its end.
    pub fn finish(&self, threads: &str) -> CommandOutput {
        percuss(self.folder, &self.args(threads))
    }
}
