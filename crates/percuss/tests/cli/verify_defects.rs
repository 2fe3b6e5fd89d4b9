//! What `percuss verify` once passed, or refused wrongly.

use std::fs;

use percuss_record::{ColumnValues, Manifest};
use serde_json::{Value, json};

use crate::common::alter::{begin, entry, rewrite, verify};
use crate::common::{CommandOutput, child_process, folder, percuss};

/// Whether a check is among those that found something.
fn found_by(ran: &CommandOutput, check: &str) -> bool {
    let report = ran.json();
    let offenders = report["offenders"].as_array().expect("a list").clone();
    offenders.iter().any(|o| o["check"] == check)
}

/// Moves the bodies of recorded states to and fro, but for the first of them.
fn scatter(folder: &std::path::Path, table: &str, far: f64, which: impl Fn(usize) -> bool) {
    rewrite(folder, table, |all| {
        let (steps, bodies) = (all.numbers("step"), all.numbers("body"));
        for row in 0..all.rows {
            if steps[row] > 10.0 && which(bodies[row] as usize) {
                let odd = (steps[row] / 5.0 + bodies[row]) as usize * 7919 % 13 < 6;
                let sign = if odd { 1.0 } else { -1.0 };
                *entry(all, "x", row) += sign * far;
            }
        }
    });
}

/// Blocks of a wall were moved by a metre to and fro in every recorded state, and all figures agreed: with
/// `correction` the midpoints are recorded, and nothing was compared with the places at the end of a step.
#[test]
fn bodies_moved_in_thinned_records_with_correction_are_found() {
    let set = ["until=0.03", "correction=true", "record_every=5"];
    for far in [1.0, 1e-2] {
        let folder = folder();
        begin(folder.path(), "wall-perfect", &set);
        let untouched = verify(folder.path(), &[]);
        assert_eq!(untouched.status, 0, "{}", untouched.out);
        scatter(folder.path(), "bodies", far, |_| true);
        let ran = verify(folder.path(), &[]);
        assert_eq!(ran.status, 1, "moved by {far}");
        assert!(found_by(&ran, "correction"), "{}", ran.out);
    }
}

/// A body that no joint holds was not looked at either in scenes that have joints somewhere.
#[test]
fn bodies_without_joints_moved_in_scenes_with_joints_are_found() {
    let folder = folder();
    fs::write(folder.path().join("apart.toml"), APART).expect("written");
    begin(folder.path(), "apart.toml", &[]);
    let untouched = verify(folder.path(), &[]);
    assert_eq!(untouched.status, 0, "{}", untouched.out);
    // The last body; its midpoint goes with it, so that only the way from state to state tells.
    for tables in [&["bodies"][..], &["bodies", "midpoints"]] {
        tables
            .iter()
            .for_each(|table| scatter(folder.path(), table, 1.0, |body| body == 1));
        assert_eq!(verify(folder.path(), &[]).status, 1, "{tables:?}");
        tables
            .iter()
            .for_each(|table| scatter(folder.path(), table, -1.0, |body| body == 1));
    }
}

/// A body of number −1 was read as body 0, and one behind the last as no body at all.
#[test]
fn numbers_of_no_body_are_named_by_table_row_and_column() {
    for (wrong, row) in [(-1, 0), (4, 3)] {
        let folder = folder();
        begin(folder.path(), "three-discs", &["until=0.01"]);
        rewrite(folder.path(), "bodies", |all| {
            let place = all.columns.iter().position(|c| c.name == "body");
            if let ColumnValues::Integer(bodies) = &mut all.values[place.expect("body")] {
                assert_eq!(bodies[row], row as i64);
                bodies[row] = wrong;
            }
        });
        let ran = verify(folder.path(), &[]);
        assert_eq!(ran.status, 1, "{}", ran.out);
        let named = format!("`bodies`, row {row}, column `body`: {wrong}");
        assert!(ran.out.contains(&named), "{}", ran.out);
    }
}

/// Intervals with impacts, with friction that turns round, and with a contact at rest beside one that slides: works
/// and velocities are compared within what a quadrature over an interval can tell, and no more.
#[test]
fn event_driven_runs_with_impacts_and_reversals_agree() {
    let runs: [(&str, &[&str]); 4] = [
        ("impact-oscillator", &["integrator=event", "until=3"]),
        ("dry-oscillator", &["integrator=event", "until=0.35"]),
        ("woodpecker", &["integrator=event", "until=0.14"]),
        ("ball-e05", &["integrator=event", "until=1"]),
    ];
    for (scene, set) in runs {
        let folder = folder();
        begin(folder.path(), scene, set);
        let ran = verify(folder.path(), &[]);
        assert_eq!(ran.status, 0, "{scene}: {}", ran.out);
    }
}

/// A pendulum, and a disc that flies freely beside it.
const APART: &str = r#"
kind = "bodies"
title = "A pendulum and a disc (a test)"

[world]
dimension = 2
gravity = [0, -9.81]

[[material]]
name = "wood"
density = 600

[[law]]
between = ["wood", "wood"]
friction = 0.4

[[body]]
name = "bob"
shape = { disc = 0.1 }
material = "wood"
position = [1, 0]

[[body]]
name = "disc"
shape = { disc = 0.1 }
material = "wood"
position = [5, 0]
velocity = [0.2, 0]

[[joint]]
name = "pivot"
kind = "revolute"
between = ["world", "bob"]
at = [0, 0]

[run]
until = 0.1
step = 1e-3
record_every = 10
"#;

/// The first state under `record.from` was only where the next step begins: its own step was never looked at.
#[test]
fn the_first_step_recorded_under_from_is_looked_at() {
    let (scene, column) = ("three-discs", "impulse_n");
    let folder = folder();
    begin(folder.path(), scene, &["until=0.5", "record.from=0.3"]);
    let untouched = verify(folder.path(), &[]);
    assert_eq!(untouched.status, 0, "{scene}: {}", untouched.out);
    let mut step = 0.0;
    rewrite(folder.path(), "contacts", |all| {
        let steps = all.numbers("step");
        step = steps[0];
        for row in (0..all.rows).take_while(|row| steps[*row] == step) {
            *entry(all, column, row) *= 100.0;
        }
    });
    let ran = verify(folder.path(), &[]);
    assert_eq!(ran.status, 1, "{scene}");
    let first = ran.json()["offenders"][0]["step"].as_f64();
    assert_eq!(first, Some(step), "{scene}: {}", ran.out);
}

/// Fifty of fifty steps missed their tolerance, and all figures agreed with status 0: they did, and said
/// nothing of the motion.
#[test]
fn steps_that_missed_their_tolerance_are_told() {
    let folder = folder();
    let set = ["until=0.03", "tolerance=1e-13", "max_iterations=2"];
    begin(folder.path(), "arch", &set);
    let ran = percuss(folder.path(), &["verify", "run"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(
        ran.out.contains("missed their tolerance, first"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("all figures agree"), "{}", ran.out);
    let report = verify(folder.path(), &[]).json();
    assert_eq!(
        (&report["ok"], &report["agrees"]),
        (&json!(false), &json!(true))
    );
    assert!(
        report["missed"]["count"].as_u64().is_some_and(|n| n > 0),
        "{report}"
    );
    // The same with a certificate that says otherwise: the account tells.
    let directory = folder.path().join("run");
    edit(&directory, |certificate| {
        certificate["missed"] = json!(0);
        certificate["ok"] = json!(true);
    });
    let ran = verify(folder.path(), &[]);
    assert!(
        ran.status == 1 && found_by(&ran, "certificate"),
        "{}",
        ran.out
    );
}

fn edit(directory: &std::path::Path, change: impl FnOnce(&mut Value)) {
    let mut manifest = Manifest::read(directory).expect("a manifest");
    change(manifest.certificate.as_mut().expect("a certificate"));
    manifest.write(directory).expect("written");
}

/// Figures of the certificate were not compared with anything.
#[test]
fn every_figure_of_an_edited_certificate_is_found() {
    for (scene, until) in [
        ("three-discs", "until=0.05"),
        ("ladder-detach", "until=0.05"),
    ] {
        let folder = folder();
        // Where steps are left out of the records, figures are compared from below only.
        begin(folder.path(), scene, &[until, "record.every=1"]);
        assert_eq!(verify(folder.path(), &[]).status, 0, "{scene}");
        let directory = folder.path().join("run");
        let whole = Manifest::read(&directory).expect("a manifest");
        let certificate = whole.certificate.clone().expect("a certificate");
        let keys = [
            "steps",
            "missed",
            "ok",
            "worst_residual",
            "worst_penetration",
            "worst_drift",
        ];
        for key in keys
            .into_iter()
            .chain(["worst_momentum", "worst_energy", "worst_gain"])
        {
            let changed = match &certificate[key] {
                Value::Bool(ok) => json!(!ok),
                Value::Number(n) if n.is_u64() => json!(n.as_u64().unwrap_or(0) + 1),
                value => json!(value.as_f64().unwrap_or(0.0) * 1.5 + 1e-3),
            };
            edit(&directory, |certificate| certificate[key] = changed);
            let ran = verify(folder.path(), &[]);
            assert_eq!(ran.status, 1, "{scene}: {key}");
            whole.write(&directory).expect("written");
        }
        assert_eq!(verify(folder.path(), &[]).status, 0, "{scene}");
    }
}

/// A run that is stopped between two recorded states records where it is, without the contacts of that step:
/// `rows` disagreed in every run that was interrupted off its cadence.
#[test]
#[cfg(unix)]
fn a_run_interrupted_between_two_recorded_states_agrees() {
    if child_process::signals_ignored() {
        return;
    }
    let mut off_cadence = 0;
    for wait in [200, 330] {
        let folder = folder();
        let args = [
            "run",
            "dominoes",
            "-o",
            "run",
            "--no-findings",
            "--quiet",
            "--set",
            "record_every=97",
        ];
        let mut child = child_process::begin(folder.path(), &args);
        child_process::wait_until(&mut child, || folder.path().join("run/run.json").exists());
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child_process::signal(&child, "INT");
        let ran = child_process::ended(child);
        if ran.status != 130 {
            continue;
        }
        let record = percuss_record::Record::open(&folder.path().join("run")).expect("a run");
        let steps = record
            .table("bodies", None)
            .expect("states")
            .numbers("step");
        off_cadence += usize::from(
            steps
                .last()
                .is_some_and(|last| !(*last as u64).is_multiple_of(97)),
        );
        let ran = verify(folder.path(), &[]);
        assert_eq!(ran.status, 0, "{}", ran.out);
    }
    assert!(off_cadence > 0, "no run was interrupted off its cadence");
}
