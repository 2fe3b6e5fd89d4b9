//! Mechanisms that are killed and resumed end with the same records as those that are not.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::child_process::{begin, ended, signal, signals_ignored, wait_until};
use crate::common::scenes::{BALL, put, with};
use crate::common::{folder, percuss};
use serde_json::Value;

/// Kills of the run that is looked at most closely.
const KILLS: usize = 20;

/// Numbers without a pattern (splitmix64).
struct SplitMix(u64);

impl SplitMix {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// All that a directory holds: the bytes of the tables, and the manifest but for the machine.
fn content(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let mut bytes = fs::read(&path).expect("a file");
        if name == "run.json" {
            let mut json: Value = serde_json::from_slice(&bytes).expect("JSON");
            json["machine"] = Value::Null;
            bytes = serde_json::to_vec(&json).expect("JSON");
        }
        all.insert(name, bytes);
    }
    all
}

/// Compares two directories file by file.
fn same(here: &Path, a: &str, b: &str) {
    let (a, b) = (content(&here.join(a)), content(&here.join(b)));
    let names = |all: &BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b));
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}

/// A ball in a hundred thousand steps, every seventh recorded; its findings need all of them.
fn ball() -> String {
    with(BALL, "step = 1e-3", "step = 1e-5\nrecord_every = 7")
}

const EVERY: [&str; 2] = ["--checkpoint-every", "8000"];

fn arguments<'a>(first: &[&'a str]) -> Vec<&'a str> {
    first.iter().chain(&EVERY).copied().collect()
}

#[test]
fn killed_at_any_instant_a_run_resumes_to_the_same_bits() {
    let here = folder();
    let here = here.path();
    // Eighty thousand steps, all recorded: tables of more than one chunk.
    let text = with(BALL, "step = 1e-3", "step = 1.25e-5");
    put(here, "ball.toml", &text);
    let begun = Instant::now();
    let whole = percuss(here, &arguments(&["run", "ball.toml", "-o", "whole"]));
    let lasted = begun.elapsed().as_secs_f64();
    assert_eq!((whole.status, whole.err.as_str()), (0, ""));
    let mut dice = SplitMix(1);
    let mut hits = 0;
    for round in 0..KILLS {
        let out = format!("killed-{round}");
        let run = arguments(&["run", "ball.toml", "-o", &out]);
        let resume = arguments(&["resume", &out]);
        let mut child = begin(here, &run);
        let directory = here.join(&out);
        wait_until(&mut child, || directory.join("run.json").exists());
        // The second kill meets the resumed run.
        for _ in 0..2 {
            let wait = Duration::from_secs_f64(0.8 * lasted * dice.share());
            std::thread::sleep(wait);
            // One that is over already is no error.
            let _ = child.kill();
            let status = child.wait().expect("a process");
            hits += usize::from(!status.success());
            child = begin(here, &resume);
        }
        let ran = ended(child);
        assert_eq!(ran.status, 0, "{}", ran.err);
        same(here, "whole", &out);
    }
    assert!(hits >= KILLS / 2, "only {hits} kills met a run");
}

#[test]
fn an_interrupted_run_goes_on_from_the_very_step() {
    if signals_ignored() {
        return;
    }
    let here = folder();
    let here = here.path();
    // Variable steps and an event-driven run remember more than their state.
    let event = with(
        &ball(),
        "step = 1e-5",
        "integrator = \"event\"\nstep = 1e-5",
    );
    let variable = with(
        &ball(),
        "step = 1e-5",
        "step = { tolerance = 1e-13, smallest = 1e-6, largest = 2e-5 }",
    );
    // Contacts persist from step to step.
    let projected = with(
        &ball(),
        "step = 1e-5",
        "integrator = \"projected\"\nstep = 1e-5",
    );
    for (name, text) in [
        ("ball", ball()),
        ("event", event),
        ("variable", variable),
        ("projected", projected),
    ] {
        let file = format!("{name}.toml");
        put(here, &file, &text);
        let whole = format!("{name}-whole");
        let out = format!("{name}-out");
        let ran = percuss(here, &["run", &file, "-o", &whole]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        let mut child = begin(here, &["run", &file, "-o", &out]);
        let directory = here.join(&out);
        wait_until(&mut child, || directory.join("run.json").exists());
        signal(&child, "INT");
        let ran = ended(child);
        assert_eq!(ran.status, 130, "{name}: {}", ran.err);
        assert!(directory.join("checkpoint-000001.bin").exists(), "{name}");
        let ran = percuss(here, &["resume", &out, "--threads", "1"]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        assert!(
            ran.err.contains("going on from checkpoint 1"),
            "{}",
            ran.err
        );
        same(here, &whole, &out);
    }
}

#[test]
fn damaged_files_are_named_and_an_earlier_checkpoint_is_used() {
    let here = folder();
    let here = here.path();
    put(here, "ball.toml", &ball());
    let whole = percuss(here, &["run", "ball.toml", "-o", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.err);
    let newest = |directory: &Path, prefix: &str| {
        let entries = fs::read_dir(directory).expect("a directory");
        let names = entries.map(|e| {
            e.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        });
        names
            .filter(|n| n.starts_with(prefix))
            .max()
            .expect("a file")
    };
    for (round, (prefix, cut)) in [
        ("checkpoint-", true),
        ("checkpoint-", false),
        ("history-", true),
        ("history-", false),
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("damaged-{round}");
        let directory = here.join(&out);
        let mut child = begin(here, &arguments(&["run", "ball.toml", "-o", &out]));
        wait_until(&mut child, || {
            directory.join("checkpoint-000004.bin").exists()
        });
        let _ = child.kill();
        child.wait().expect("a process");
        let path = directory.join(newest(&directory, prefix));
        let mut bytes = fs::read(&path).expect("a file");
        let middle = bytes.len() / 2;
        match cut {
            true => bytes.truncate(middle),
            false => bytes[middle] ^= 1,
        }
        fs::write(&path, bytes).expect("writable");
        let ran = percuss(here, &["resume", &out]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let name = path.file_name().expect("a name").to_string_lossy();
        // A history that no checkpoint counts yet is not looked at.
        let counted = prefix == "checkpoint-" || ran.err.contains(&*name);
        assert!(counted || ran.err.contains("going on"), "{}", ran.err);
        if prefix == "checkpoint-" {
            assert!(ran.err.contains(&*name), "{}", ran.err);
        }
        same(here, "whole", &out);
    }
}

#[test]
fn a_sweeping_process_that_is_killed_is_made_again_to_the_same_bits() {
    let here = folder();
    let here = here.path();
    // Three hundred thousand steps: long enough to be met.
    let run = |out: &'static str| {
        let set = [
            "--set",
            "step=1e-5",
            "--set",
            "until=3",
            "--set",
            "record.every=3",
        ];
        let first = ["run", "sweep-play", "-o", out, "--no-findings"];
        first.into_iter().chain(set).collect::<Vec<_>>()
    };
    let whole = percuss(here, &run("whole"));
    assert_eq!(whole.status, 0, "{}", whole.err);
    let mut child = begin(here, &run("killed"));
    let directory = here.join("killed");
    wait_until(&mut child, || directory.join("run.json").exists());
    std::thread::sleep(Duration::from_millis(50));
    child.kill().expect("killed");
    let status = child.wait().expect("a process");
    assert!(!status.success(), "it was over before it was killed");
    let ran = percuss(here, &["resume", "killed", "--no-findings"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.err.contains("from its start"), "{}", ran.err);
    same(here, "whole", "killed");
}
