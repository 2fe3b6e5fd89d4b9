//! Faults of the machine: a full disk, places that cannot be written, files that go away, readers that
//! stop reading. Always a sentence, never a panic, and what was written stays.
#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::child_process::{begin, ended, wait_until};
use crate::common::scenes::{BALL, put, rows, with};
use crate::common::{CommandOutput, command, folder, percuss};
use serde_json::Value;

/// Files that were begun and not finished.
fn drafts(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
    names.filter(|n| n.ends_with(".part")).collect()
}

/// Runs `percuss` where no file may be longer than so many blocks.
fn limited(folder: &Path, blocks: usize, args: &[&str]) -> CommandOutput {
    // Without the signal a write that is too long fails like one to a full disk.
    let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", &line, env!("CARGO_BIN_EXE_percuss")]);
    let output = shell.args(args).current_dir(folder).output();
    CommandOutput::of(output.expect("a shell"))
}

/// Twenty thousand steps: some megabytes of records.
fn wide_ball() -> String {
    with(BALL, "step = 1e-3", "step = 5e-5")
}

#[test]
fn a_chunk_that_does_not_fit_is_told_and_what_is_there_can_be_read() {
    let here = folder();
    put(here.path(), "ball.toml", &wide_ball());
    let ran = limited(here.path(), 64, &["run", "ball.toml", "-o", "out"]);
    assert_eq!((ran.status, ran.out.as_str()), (3, ""), "{}", ran.err);
    let file = ran.err.split(": ").nth(1).expect("a file");
    assert!(
        file.starts_with("out/") && file.ends_with(".parquet"),
        "{}",
        ran.err
    );
    for part in [
        "cannot write this file",
        "too large",
        "free space",
        "percuss resume out",
    ] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let out = here.path().join("out");
    assert_eq!(drafts(&out), Vec::<String>::new());
    let text = fs::read_to_string(out.join("run.json")).expect("a manifest");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(all["status"], "stopped");
    let shown = percuss(here.path(), &["show", "out"]);
    assert!(
        shown.out.contains("stopped") && shown.out.contains(file),
        "{}",
        shown.out
    );
}

/// The records of a study's run kept their lock after such a fault, as those of a run that `percuss resume` goes on with.
#[test]
fn a_recorded_run_of_a_study_that_does_not_fit_keeps_no_lock_and_is_made_again() {
    let here = folder();
    let at = here.path();
    put(at, "ball.toml", &wide_ball());
    let study = "kind = \"study\"\nscene = \"ball.toml\"\nkeep = true\n[vary]\ne = [0.5]\n\
                 [observe]\nspeed = \"speed_after(floor, 1)\"\n";
    put(at, "kept.toml", study);
    let ran = limited(at, 64, &["study", "kept.toml", "-q", "-o", "s"]);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(ran.err.contains("too large"), "{}", ran.err);
    let kept = at.join("s/runs/0001");
    assert!(kept.join("run.json").exists());
    assert!(!kept.join("run.lock").exists());
    // With room the study goes on, and the run is there from its beginning to its end.
    let again = percuss(at, &["study", "kept.toml", "-q", "-o", "s"]);
    assert_eq!(again.status, 0, "{}", again.err);
    let text = fs::read_to_string(kept.join("run.json")).expect("a manifest");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(all["status"], "finished");
}

#[test]
fn a_manifest_that_does_not_fit_leaves_nothing_half_written() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let ran = limited(here.path(), 1, &["run", "ball.toml", "-o", "out"]);
    assert_eq!(ran.status, 3, "{}", ran.err);
    assert!(
        ran.err.contains("out/run.json: cannot write this file"),
        "{}",
        ran.err
    );
    assert_eq!(drafts(&here.path().join("out")), Vec::<String>::new());
}

#[test]
fn a_full_disk_is_told_and_loses_nothing_that_was_written() {
    let here = folder();
    let disk = here.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=6m", "none"])
        .arg(&disk)
        .output();
    if !mounted.is_ok_and(|m| m.status.success()) {
        println!("skipped: a small disk can be mounted by root alone");
        return;
    }
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "step = 1e-3", "step = 1e-6"),
    );
    let ran = percuss(here.path(), &["run", "ball.toml", "-o", "disk/out"]);
    let out = disk.join("out");
    let (drafts, table) = (
        drafts(&out),
        percuss(
            here.path(),
            &["table", "disk/out", "steps", "--columns", "step"],
        ),
    );
    let unmounted = Command::new("umount").arg(&disk).status();
    assert!(unmounted.expect("umount").success());
    assert_eq!(ran.status, 3, "{}", ran.err);
    for part in ["disk/out/", "No space left on device", "free space"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert_eq!(drafts, Vec::<String>::new());
    // Whole chunks of steps from the first on.
    let steps = rows(&table.out);
    assert!(steps.len() >= 65_536, "{} rows; {}", steps.len(), table.err);
    for (k, row) in steps.iter().enumerate() {
        assert_eq!(row[0], (k + 1).to_string());
    }
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_run() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let ran = percuss(here.path(), &["run", "ball.toml", "-o", "ball.toml/out"]);
    assert!(matches!(ran.status, 2 | 3), "{}", ran.err);
    assert!(ran.err.contains("ball.toml/out"), "{}", ran.err);
    if cfg!(target_os = "linux") {
        let ran = percuss(here.path(), &["run", "ball.toml", "-o", "/proc/percuss"]);
        assert_eq!(ran.status, 3, "{}", ran.err);
        assert!(
            ran.err
                .contains("/proc/percuss: cannot make this directory"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_directory_that_vanishes_during_the_run_is_told() {
    let here = folder();
    // Hundreds of chunks: the run is far from its end when the directory goes.
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "step = 1e-3", "step = 5e-8"),
    );
    let mut child = begin(here.path(), &["run", "ball.toml", "-o", "out"]);
    let out = here.path().join("out");
    wait_until(&mut child, || out.join("steps-000000.parquet").exists());
    // New files may appear while the old ones are removed.
    wait_until(&mut child, || {
        fs::remove_dir_all(&out).is_ok() || !out.exists()
    });
    let ran = ended(child);
    assert_eq!(ran.status, 3, "{}", ran.err);
    for part in ["out/", "cannot write this file", "it has gone away"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert!(!ran.err.contains("percuss resume"), "{}", ran.err);
}

#[test]
fn a_chunk_that_has_gone_is_named_when_it_is_read() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    assert_eq!(
        percuss(here.path(), &["run", "ball.toml", "-o", "out"]).status,
        0
    );
    fs::remove_file(here.path().join("out/steps-000000.parquet")).expect("a chunk");
    let ran = percuss(here.path(), &["table", "out", "steps"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert!(ran.err.contains("out/steps-000000.parquet"), "{}", ran.err);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let here = folder();
    put(here.path(), "ball.toml", &wide_ball());
    assert_eq!(
        percuss(here.path(), &["run", "ball.toml", "-o", "out"]).status,
        0
    );
    for args in [
        vec!["table", "out", "coordinates"],
        vec!["table", "out", "steps", "--format", "json"],
        vec!["show", "out"],
        vec!["examples"],
    ] {
        let mut child = command(here.path(), &args);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().expect("the program starts");
        let mut few = [0; 16];
        let mut out = child.stdout.take().expect("a pipe");
        out.read_exact(&mut few).expect("a beginning");
        drop(out);
        let ran = ended(child);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn an_output_that_takes_nothing_is_told() {
    if !cfg!(target_os = "linux") {
        println!("skipped: there is no /dev/full");
        return;
    }
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    for args in [
        vec!["run", "ball.toml"],
        vec!["table", "runs/ball-1", "steps"],
        vec!["examples"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut child = command(here.path(), &args);
        let child = child
            .stdout(full.expect("/dev/full"))
            .stderr(Stdio::piped());
        let ran = ended(child.spawn().expect("the program starts"));
        assert_eq!(ran.status, 3, "{args:?}: {}", ran.err);
        for part in ["cannot write to the standard output", "redirect it"] {
            assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
        }
    }
    // The records of the run were complete before its summary was printed.
    assert_eq!(percuss(here.path(), &["show", "runs/ball-1"]).status, 0);
}
