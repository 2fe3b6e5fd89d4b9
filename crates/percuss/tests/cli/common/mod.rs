//! Runs the built program in a folder of its own.

pub mod alter;
pub mod child_process;
pub mod scenes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use percuss_fclib::{LocalProblem, ProblemFile, ProblemForm, SparseMatrix};
use serde_json::Value;

/// A problem file of the repository.
pub fn data(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/fclib");
    format!("{folder}/{name}.hdf5")
}

/// What the program did.
pub struct CommandOutput {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl CommandOutput {
    /// Of a finished process, which must have ended by itself and without a panic.
    pub fn of(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Self {
            status: output.status.code().expect("not ended by a signal"),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}

/// The program with these arguments, to be run in `folder`.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percuss"));
    command.current_dir(folder).args(args);
    command
}

/// Runs `percuss` with these arguments in `folder`.
pub fn percuss(folder: &Path, args: &[&str]) -> CommandOutput {
    CommandOutput::of(command(folder, args).output().expect("the program starts"))
}

/// A folder that is removed at the end of the test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder for the test")
}

/// Contacts in space that do not touch each other: W = identity, friction mu, all approaching.
pub fn apart(mu: &[f64]) -> ProblemFile {
    let n = 3 * mu.len();
    let ones: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    ProblemFile::new(ProblemForm::Local(LocalProblem {
        spacedim: 3,
        w: SparseMatrix::from_triplets(n, n, &ones).expect("indices in range"),
        q: (0..n).map(|i| [-1.0, 0.25, 0.0][i % 3]).collect(),
        mu: mu.to_vec(),
        bilateral: None,
    }))
}

/// The local form of a file made by [`apart`].
pub fn local(file: &mut ProblemFile) -> &mut LocalProblem {
    match &mut file.form {
        ProblemForm::Local(p) => p,
        ProblemForm::Global(_) => unreachable!("made in the local form"),
    }
}

/// Writes a problem file.
pub fn write(folder: &Path, name: &str, file: &ProblemFile) -> PathBuf {
    let path = folder.join(name);
    percuss_fclib::write(&path, file).expect("a sound problem");
    path
}

/// Writes a file with one of its numbers replaced: `from` must occur in it exactly `times` times.
pub fn write_patched(path: &Path, file: &ProblemFile, from: f64, to: f64, times: usize) {
    let mut bytes = percuss_fclib::write_bytes("patched", file).expect("a sound problem");
    let places: Vec<usize> = (0..bytes.len().saturating_sub(7))
        .filter(|&k| bytes[k..k + 8] == from.to_le_bytes())
        .collect();
    assert_eq!(places.len(), times, "places with the value {from}");
    for k in places {
        bytes[k..k + 8].copy_from_slice(&to.to_le_bytes());
    }
    std::fs::write(path, bytes).expect("writable");
}
