//! Ctrl-C and SIGTERM: the step is finished, nothing is lost, status 130.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::child_process::{begin, ended, signal, signals_ignored, wait_until};
use crate::common::scenes::{BALL, put, rows, with};
use crate::common::{CommandOutput, folder, percuss};
use serde_json::Value;

fn manifest(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("run.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

/// A ball that takes minutes: ten million steps.
fn long_ball() -> String {
    with(BALL, "step = 1e-3", "step = 1e-7")
}

/// Grains that fall for a time that no test waits for.
const GRAINS: &str = r#"
kind = "bodies"
title = "Grains"
source = "a test"

[world]
dimension = 2
gravity = [0, -9.81]

[[material]]
name = "stone"
density = 2000

[[law]]
between = ["stone", "stone"]
friction = 0.3
restitution = 0.5

[[body]]
name = "ground"
shape = { half_plane = [0, 1] }
material = "stone"
position = [0, 0]
fixed = true

[[body]]
name = "a"
shape = { disc = 0.1 }
material = "stone"
position = [0, 0.5]

[[body]]
name = "b"
shape = { disc = 0.1 }
material = "stone"
position = [0.05, 0.9]

[run]
until = 100000
step = 1e-3
"#;

/// Waits until a run records, and a moment longer.
fn running(child: &mut Child, directory: &Path) {
    wait_until(child, || directory.join("run.json").exists());
    std::thread::sleep(Duration::from_millis(150));
}

fn interrupted(scene: &str, name: &str) -> (tempfile::TempDir, CommandOutput) {
    let here = folder();
    put(here.path(), "scene.toml", scene);
    let mut child = begin(here.path(), &["run", "scene.toml", "-o", "out"]);
    running(&mut child, &here.path().join("out"));
    signal(&child, name);
    let ran = ended(child);
    (here, ran)
}

#[test]
fn an_interruption_finishes_the_step_and_says_how_to_go_on() {
    if signals_ignored() {
        return;
    }
    for (scene, name) in [
        (long_ball().as_str(), "INT"),
        (GRAINS, "INT"),
        (GRAINS, "TERM"),
    ] {
        let (here, ran) = interrupted(scene, name);
        assert_eq!(ran.status, 130, "{}", ran.err);
        assert!(
            ran.err.contains("the step is being finished"),
            "{}",
            ran.err
        );
        let resume = "the records are in out, and `percuss resume out` goes on from there";
        assert!(ran.err.contains(resume), "{}", ran.err);
        let all = manifest(&here.path().join("out"));
        assert_eq!(all["status"], "interrupted");
        assert!(all["findings"].is_null(), "no findings of half a run");
        // The account of every step is there, the last one included.
        let steps = all["certificate"]["steps"].as_u64().expect("steps");
        assert!(steps > 0);
        let table = percuss(
            here.path(),
            &["table", "out", "steps", "--columns", "step,t"],
        );
        let table = rows(&table.out);
        assert_eq!(table.len() as u64, steps);
        let last: f64 = table[table.len() - 1][1].parse().expect("a time");
        assert_eq!(Some(last), all["reached"].as_f64());
    }
}

/// A point on a spring, event-driven, with one output after a million of its periods.
const SPRING: &str = r#"
kind = "mechanism"
title = "A spring"
source = "a test"

[[coordinate]]
name = "x"
initial = 1.0

[dynamics]
kinetic = "0.5*x_dot^2"
potential = "0.5*x^2"

[run]
integrator = "event"
until = 1e8
step = 1e7
"#;

#[test]
fn a_second_interruption_ends_at_once() {
    if signals_ignored() {
        return;
    }
    let here = folder();
    put(here.path(), "spring.toml", SPRING);
    let args = ["run", "spring.toml", "-o", "out", "--log", "log"];
    let mut child = begin(here.path(), &args);
    let log = here.path().join("log");
    wait_until(&mut child, || log.exists());
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    let said = |words: &str| fs::read_to_string(&log).is_ok_and(|text| text.contains(words));
    wait_until(&mut child, || said("the step is being finished"));
    // The step takes minutes: the run is still there.
    std::thread::sleep(Duration::from_millis(100));
    assert!(child.try_wait().expect("a process").is_none());
    signal(&child, "INT");
    let ran = ended(child);
    assert_eq!(ran.status, 130);
    assert!(ran.err.contains("ended at once"), "{}", ran.err);
    assert!(said("exit status 130"));
}

#[test]
fn a_run_that_shall_outlive_its_terminal_does() {
    if signals_ignored() {
        return;
    }
    let here = folder();
    put(here.path(), "scene.toml", GRAINS);
    let line = "trap '' HUP; exec \"$0\" run scene.toml -o out";
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", line, env!("CARGO_BIN_EXE_percuss")]);
    let shell = shell
        .current_dir(here.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = shell.spawn().expect("a shell");
    running(&mut child, &here.path().join("out"));
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        child.try_wait().expect("a process").is_none(),
        "it has ended"
    );
    child.kill().expect("it ends");
    child.wait().expect("a process");
    assert_eq!(manifest(&here.path().join("out"))["status"], "running");
}

#[test]
fn an_interruption_of_the_findings_leaves_a_complete_run() {
    if signals_ignored() {
        return;
    }
    let here = folder();
    let text = BALL.replace("set = { e = 0 }", "set = { step = 1e-8 }")
        + "\n[[finding]]\nname = \"slow\"\ncase = \"soft\"\nvalue = \"maximum(z)\"\n";
    put(here.path(), "ball.toml", &text);
    let mut child = begin(here.path(), &["run", "ball.toml", "-o", "out"]);
    let out = here.path().join("out");
    wait_until(&mut child, || {
        out.join("run.json").exists() && manifest(&out)["status"] == "finished"
    });
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, "INT");
    let ran = ended(child);
    assert_eq!(ran.status, 130);
    assert!(
        ran.err.contains("the run itself is complete"),
        "{}",
        ran.err
    );
    let all = manifest(&out);
    assert!(all["findings"].is_null() && all["certificate"]["steps"] == 1000);
    // It can be gone on with, here without the case that takes so long.
    let ran = percuss(here.path(), &["resume", "out", "--no-findings", "--quiet"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains("finished, certificate ok"), "{}", ran.out);
}

#[test]
fn commands_that_write_nothing_just_end() {
    if signals_ignored() {
        return;
    }
    let here = folder();
    put(here.path(), "scene.toml", &long_ball());
    let study = "kind = \"study\"\nscene = \"scene.toml\"\nvary = { e = [0.1, 0.2] }\n\
                 observe = { top = \"maximum(z)\" }\n";
    put(here.path(), "study.toml", study);
    let mut child = begin(
        here.path(),
        &["study", "study.toml", "-o", "s", "--log", "log"],
    );
    let log = here.path().join("log");
    wait_until(&mut child, || log.exists());
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    let ran = ended(child);
    assert_eq!(ran.status, 130, "{}", ran.err);
    assert!(ran.err.contains("interrupted"), "{}", ran.err);
}
