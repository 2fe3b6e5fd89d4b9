//! `percuss verify` on records of sweeping processes: every scene passes, one altered figure is found.

use std::path::Path;

use crate::common::alter::{all_altered_are_found, begin, entry, found_in, rewrite, verify};
use crate::common::folder;

const IMPULSE: (&str, &str, &[&str]) = ("contacts", "impulse_n", &["constraint"]);

/// Names of the scenes that are sweeping processes.
fn scenes() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scene/scenes");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the scenes are there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.lines().any(|line| line.trim() == "kind = \"sweep\"") {
            let name = path.file_stem().expect("a name").to_string_lossy();
            names.push(name.into_owned());
        }
    }
    names.sort();
    names
}

/// Runs a scene and expects its records to agree: returns what was said.
fn agrees(scene: &str, set: &[&str]) -> serde_json::Value {
    let folder = folder();
    begin(folder.path(), scene, set);
    let ran = verify(folder.path(), &[]);
    assert_eq!(ran.status, 0, "{scene} {set:?}: {} {}", ran.out, ran.err);
    ran.json()
}

/// How often a check compared something.
fn compared(report: &serde_json::Value, check: &str) -> u64 {
    let checks = report["checks"].as_array().expect("a list");
    let found = checks.iter().find(|c| c["name"] == check);
    found.and_then(|c| c["compared"].as_u64()).unwrap_or(0)
}

#[test]
fn the_records_of_every_scene_agree_whole_and_thinned() {
    let scenes = scenes();
    assert!(scenes.len() >= 10, "only {scenes:?}");
    for scene in &scenes {
        let whole = agrees(scene, &[]);
        let steps = whole["steps"].as_u64().unwrap_or(0);
        assert!(steps >= 100, "{scene}: {steps} steps");
        assert_eq!(whole["consecutive"], whole["steps"], "{scene}");
        let thin = agrees(scene, &["record.every=7"]);
        // The last step is always recorded, and may follow another one.
        assert!(thin["consecutive"].as_u64() <= Some(1), "{scene}");
        // Each table has the times of its rows.
        assert!(compared(&thin, "times") >= thin["steps"].as_u64().unwrap_or(0));
    }
}

#[test]
fn the_records_of_every_method_agree() {
    let runs: [(&str, &[&str], &str); 16] = [
        (
            "sweep-tractrix",
            &["integrator=theta", "until=1"],
            "inclusion",
        ),
        (
            "sweep-play",
            &["integrator=theta", "theta=0.75", "until=5"],
            "inclusion",
        ),
        ("sweep-play", &["integrator=event", "until=5"], "rate"),
        ("sweep-square", &["integrator=event"], "rate"),
        ("sweep-jump", &["integrator=event"], "laws"),
        ("sweep-jump", &["integrator=trapezoidal"], "inclusion"),
        ("sweep-jump", &["step=0.0137"], "inclusion"),
        (
            "sweep-staircase",
            &["integrator=theta", "theta=1.5", "step=0.03"],
            "inclusion",
        ),
        (
            "sweep-tractrix",
            &["integrator=theta", "theta=1.5"],
            "inclusion",
        ),
        ("sweep-penalty", &["growth=3", "until=0.3"], "inclusion"),
        ("sweep-involute", &["integrator=event"], "rate"),
        ("sweep-hole", &["integrator=event", "step=0.05"], "rate"),
        ("sweep-square", &[], "retracted"),
        ("sweep-penalty", &["lam=1e12", "until=0.3"], "inclusion"),
        ("diode-circuit", &["integrator=event", "step=0.01"], "rate"),
        (
            "diode-circuit",
            &["integrator=theta", "step=0.01"],
            "inclusion",
        ),
    ];
    for (scene, set, check) in runs {
        let report = agrees(scene, set);
        assert!(compared(&report, check) > 0, "{scene} {set:?}: {check}");
    }
}

#[test]
fn one_impulse_altered_by_a_millionth_is_found() {
    // Impulses are compared with coordinates: those that move them by 1e-5 and more.
    all_altered_are_found("sweep-play", &["until=5"], &[IMPULSE], 0.1);
    all_altered_are_found(
        "sweep-play",
        &["until=5", "record.every=7"],
        &[IMPULSE],
        0.1,
    );
    all_altered_are_found("plastic-truss", &[], &[IMPULSE], 0.1);
    all_altered_are_found("sweep-tractrix", &["until=1"], &[IMPULSE], 0.1);
    all_altered_are_found("sweep-jump", &[], &[IMPULSE], 0.1);
    let theta = ["integrator=theta", "until=1"];
    all_altered_are_found("sweep-tractrix", &theta, &[IMPULSE], 0.1);
    let circuit = ["step=0.01", "until=6"];
    all_altered_are_found("diode-circuit", &circuit, &[IMPULSE], 0.1);
    let event = ["integrator=event", "until=2"];
    all_altered_are_found("sweep-play", &event, &[IMPULSE], 0.1);
    let penalty = ["until=0.2"];
    all_altered_are_found("sweep-penalty", &penalty, &[IMPULSE], 0.1);
}

#[test]
fn one_coordinate_or_account_altered_by_a_millionth_is_found() {
    let state: [(&str, &str, &[&str]); 2] =
        [("coordinates", "x", &[]), ("coordinates", "x_dot", &[])];
    all_altered_are_found("sweep-play", &["until=2"], &state, 1e-3);
    all_altered_are_found("sweep-jump", &[], &state, 1e-3);
    let person: [(&str, &str, &[&str]); 1] = [("coordinates", "y7", &[])];
    all_altered_are_found("crowd", &["until=2"], &person, 1e-3);
    // Sums along the path of a box, whose retraction is computed anew.
    let sums: [(&str, &str, &[&str]); 2] =
        [("steps", "variation", &[]), ("steps", "retraction", &[])];
    all_altered_are_found("sweep-square", &["until=2", "step=0.01"], &sums, 1e-3);
    let account: [(&str, &str, &[&str]); 2] = [("steps", "h", &[]), ("steps", "penetration", &[])];
    all_altered_are_found("sweep-penalty", &["until=0.1", "step=1e-3"], &account, 0.1);
}

/// A person moved aside in all states of a thinned record: velocities tell nothing, the others do.
#[test]
fn a_person_who_stands_in_another_or_goes_astray_is_found() {
    let folder = folder();
    begin(folder.path(), "crowd", &["until=6", "record.every=10"]);
    let altered = |path: &Path, column: &str, by: f64| {
        let mut step = 0;
        rewrite(path, "coordinates", |all| {
            let row = all.rows - 1;
            step = all.column("step").map_or(0, |s| s.number(row) as i64);
            *entry(all, column, row) += by;
        });
        let ran = verify(path, &[]);
        assert_eq!(ran.status, 1, "{column} + {by}: {}", ran.out);
        let report = ran.json();
        let offenders = report["offenders"].as_array().expect("a list").clone();
        assert!(offenders.iter().all(|o| o["step"] == step), "{offenders:?}");
        rewrite(path, "coordinates", |all| {
            let row = all.rows - 1;
            *entry(all, column, row) -= by;
        });
    };
    // Half a radius: into a neighbour, or away from where the step ends. A velocity that is altered
    // moves the point where it began.
    altered(folder.path(), "x20", 0.12);
    altered(folder.path(), "y20_dot", 1e-4);
}

/// A full metric, a drift, curved and flat gaps, a start outside, a kink within a step.
const MIXED: &str = r#"
kind = "sweep"
title = "Everything at once (a test)"

[[coordinate]]
name = "x"
initial = 1.5

[[coordinate]]
name = "y"
initial = 0.3

[[contact]]
name = "rim"
gap = "1 - (x - t)^2 - 2*y^2"

[[contact]]
name = "side"
gap = "0.4 + 0.2*sin(3*t) - y - 0.1*x"

[process]
metric = [2.0, 0.3, 0.3, 1.0]
kinks = [0.5]
start = "project"

[process.drift]
x = "-0.3*x"
y = "0.5*cos(t)"

[run]
until = 2.0
step = 0.03
"#;

#[test]
fn full_metrics_drifts_starts_outside_and_kinks_within_steps_are_verified() {
    let folder = folder();
    let file = folder.path().join("mixed.toml");
    std::fs::write(file, MIXED).expect("written");
    found_in(folder.path(), "mixed.toml", &[], &[IMPULSE], 0.1);
    let report = verify(folder.path(), &[]).json();
    // The start. The step before the kink is cut there and has its own multipliers.
    assert_eq!(compared(&report, "cone"), 1);
}
