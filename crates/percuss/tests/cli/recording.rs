//! `[record]`: what of a run is recorded, and what commands say of what was not.

use std::fs;
use std::path::Path;

use crate::common::{folder, percuss};
use serde_json::Value;

/// Blocks that slide and a ball that falls on them.
const SCENE: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "stone"
density = 2000
[[law]]
between = ["stone", "stone"]
friction = 0.3
[[body]]
name = "ground"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "left"
shape = { box = [1, 0.5] }
material = "stone"
position = [0, 0.25]
velocity = [1, 0]
[[body]]
name = "right"
shape = { box = [1, 0.5] }
material = "stone"
position = [2, 0.25]
[[body]]
name = "ball"
shape = { disc = 0.2 }
material = "stone"
position = [2, 1]
[[group]]
name = "blocks"
bodies = ["left", "right"]
[[finding]]
name = "final"
value = "final(left_x)"
[run]
until = 0.505
step = 5e-3
"#;

/// Runs the scene with `[record]` as given into `name`.
fn run(folder: &Path, name: &str, record: &str) {
    let file = format!("{name}.toml");
    fs::write(folder.join(&file), format!("{SCENE}{record}")).expect("written");
    let ran = percuss(folder, &["run", &file, "-o", name, "-q", "--no-findings"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

/// The rows of a table.
fn rows(folder: &Path, run: &str, table: &str) -> Vec<Value> {
    let ran = percuss(folder, &["table", run, table, "--format", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    ran.json().as_array().expect("an array").clone()
}

/// The rows of the full record that a choice should have kept; step 101 is the last.
fn kept(
    all: &[Value],
    every: i64,
    window: (f64, f64),
    keep: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let chosen = |row: &&Value| {
        let (step, t) = (row["step"].as_i64(), row["t"].as_f64());
        let (step, t) = (step.expect("a number"), t.expect("a number"));
        (step % every == 0 || step == 101) && t >= window.0 && t <= window.1 && keep(row)
    };
    all.iter().filter(chosen).cloned().collect()
}

#[test]
fn chosen_rows_are_those_of_the_full_record() {
    let folder = folder();
    let at = folder.path();
    run(at, "full", "[record]\nevery = 1\n");
    let (bodies, contacts) = (rows(at, "full", "bodies"), rows(at, "full", "contacts"));
    assert_eq!(bodies.len(), 4 * 102);
    let always = (f64::NEG_INFINITY, f64::INFINITY);
    let any = |_: &Value| true;

    run(at, "thin", "[record]\nevery = 6\ncontacts_every = 4\n");
    assert_eq!(rows(at, "thin", "bodies"), kept(&bodies, 6, always, any));
    assert_eq!(
        rows(at, "thin", "contacts"),
        kept(&contacts, 4, always, any)
    );
    assert_eq!(rows(at, "thin", "steps"), rows(at, "full", "steps"));

    run(
        at,
        "window",
        "[record]\nevery = 1\nbodies_every = 5\nfrom = 0.1\nuntil = 0.3\n",
    );
    let window = (0.1, 0.3);
    assert_eq!(rows(at, "window", "bodies"), kept(&bodies, 5, window, any));
    assert_eq!(
        rows(at, "window", "contacts"),
        kept(&contacts, 1, window, any)
    );

    run(
        at,
        "some",
        "[record]\nevery = 3\nbodies = [\"ball\", \"right\"]\n",
    );
    let named = |row: &Value| ["ball", "right"].contains(&row["name"].as_str().unwrap_or(""));
    assert_eq!(rows(at, "some", "bodies"), kept(&bodies, 3, always, named));
    // Contacts of a chosen body with any other are its contacts.
    let touching = |row: &Value| {
        let name = |key: &str| row[key].as_str().unwrap_or("").to_string();
        ["name_a", "name_b"]
            .iter()
            .any(|k| ["ball", "right"].contains(&name(k).as_str()))
    };
    let some = rows(at, "some", "contacts");
    assert_eq!(some, kept(&contacts, 3, always, touching));
    assert!(!some.is_empty() && some.len() < kept(&contacts, 3, always, any).len());
}

#[test]
fn keys_can_be_overridden_and_are_in_the_manifest() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("scene.toml"), SCENE).expect("written");
    let args = [
        "run",
        "scene.toml",
        "-o",
        "out",
        "-q",
        "--no-findings",
        "--set",
        "record.every=10",
        "--set",
        "record.tables=bodies,observables",
        "--set",
        "record.bodies=blocks",
        "--set",
        "record.compression=gzip",
    ];
    let ran = percuss(at, &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let manifest = fs::read_to_string(at.join("out/run.json")).expect("there");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let settings = &manifest["settings"];
    assert_eq!(settings["record_every"], 10);
    assert_eq!(
        settings["record"]["tables"],
        serde_json::json!(["bodies", "observables"])
    );
    assert_eq!(settings["record"]["bodies"], serde_json::json!(["blocks"]));
    assert_eq!(settings["record"]["compression"], "gzip");
    assert_eq!(manifest["tables"][0]["columns"][0]["compression"], "gzip");
    assert!(!at.join("out/contacts-000000.parquet").exists());
    // Steps 0, 10, …, 100 and the last, two bodies each.
    assert_eq!(rows(at, "out", "bodies").len(), 2 * 12);
}

#[test]
fn commands_name_the_key_that_left_out_what_they_need() {
    let folder = folder();
    let at = folder.path();
    run(at, "bare", "[record]\ntables = []\n");
    run(at, "no_contacts", "[record]\ntables = [\"bodies\"]\n");
    run(at, "thin", "[record]\nevery = 1\ncontacts_every = 50\n");
    run(at, "some", "[record]\nbodies = [\"ball\"]\n");
    let says = |args: &[&str], words: &[&str]| {
        let ran = percuss(at, args);
        assert_eq!(ran.status, 2, "{args:?}: {}{}", ran.out, ran.err);
        for word in words {
            assert!(
                ran.err.contains(word),
                "{args:?}: {} has no {word}",
                ran.err
            );
        }
    };
    says(
        &["table", "bare", "bodies"],
        &["[record]", "--set record.tables=bodies"],
    );
    says(
        &["table", "no_contacts", "contacts"],
        &["record.tables=bodies,contacts"],
    );
    says(&["plot", "bare", "picture"], &["`bodies`", "record.tables"]);
    says(
        &["plot", "no_contacts", "forces"],
        &["`contacts`", "record.tables"],
    );
    says(
        &["plot", "thin", "forces:0.3"],
        &["step 60", "contacts_every"],
    );
    says(
        &["forces", "thin", "--at", "0.3"],
        &["step 60", "contacts_every"],
    );
    says(
        &["plot", "some", "picture"],
        &["[record]", "bodies = [\"ball\"]"],
    );
    says(
        &["export", "bare", "--vtk", "o1"],
        &["`bodies`", "record.tables"],
    );
    says(
        &["export", "no_contacts", "--vtk", "o2", "--chains"],
        &["`contacts`"],
    );
}

#[test]
fn what_was_recorded_is_shown_and_what_was_not_is_said() {
    let folder = folder();
    let at = folder.path();
    run(at, "no_contacts", "[record]\ntables = [\"bodies\"]\n");
    run(at, "thin", "[record]\nevery = 1\ncontacts_every = 50\n");
    run(at, "some", "[record]\nbodies = [\"ball\"]\n");
    let ran = percuss(at, &["export", "no_contacts", "--vtk", "o3"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.err.contains("`contacts` was not recorded"),
        "{}",
        ran.err
    );
    assert!(at.join("o3/shapes.pvd").exists() && !at.join("o3/contacts.pvd").exists());
    assert_eq!(
        percuss(at, &["export", "some", "--vtk", "o4", "-q"]).status,
        0
    );
    assert_eq!(percuss(at, &["plot", "thin", "forces:0.25"]).status, 0);
}

#[test]
fn a_mechanism_records_what_was_chosen_of_the_same_motion() {
    let folder = folder();
    let at = folder.path();
    let run = |name: &str, set: &[&str]| {
        let mut args = vec!["run", "ball-e05", "-o", name, "-q", "--no-findings"];
        args.extend(set.iter().flat_map(|s| ["--set", *s]));
        let ran = percuss(at, &args);
        assert_eq!(ran.status, 0, "{}", ran.err);
    };
    run("full", &["step=1e-3"]);
    run(
        "thin",
        &[
            "step=1e-3",
            "record.every=7",
            "record.coordinates_every=300",
        ],
    );
    run(
        "window",
        &[
            "step=1e-3",
            "record.from=0.4",
            "record.until=0.6",
            "record.tables=contacts",
        ],
    );
    let step = |row: &Value| row["step"].as_i64().expect("a number");
    let states = rows(at, "full", "coordinates");
    let last = step(states.last().expect("rows"));
    let every = |all: &[Value], n: i64| -> Vec<Value> {
        let chosen = |r: &&Value| step(r) % n == 0 || step(r) == last;
        all.iter().filter(chosen).cloned().collect()
    };
    assert_eq!(rows(at, "thin", "coordinates"), every(&states, 300));
    assert_eq!(
        rows(at, "thin", "steps"),
        every(&rows(at, "full", "steps"), 7)
    );
    assert_eq!(rows(at, "thin", "events"), rows(at, "full", "events"));
    let touches = rows(at, "full", "contacts");
    assert_eq!(rows(at, "thin", "contacts"), every(&touches, 7));
    let within = |r: &&Value| (0.4..=0.6).contains(&r["t"].as_f64().expect("a number"));
    let some: Vec<Value> = touches.iter().filter(within).cloned().collect();
    assert!(!some.is_empty());
    assert_eq!(rows(at, "window", "contacts"), some);
    assert_eq!(rows(at, "window", "steps"), rows(at, "full", "steps"));
    let ran = percuss(at, &["table", "window", "events"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("record.tables=contacts,events"),
        "{}",
        ran.err
    );
}

#[test]
fn what_is_wrong_with_a_choice_is_named_before_the_run() {
    let folder = folder();
    let at = folder.path();
    let cases = [
        ("every = 0", &["every", "whole number from 1"][..]),
        ("every = \"a\"", &["every"]),
        ("contacts_every = 1.5", &["contacts_every", "1.5"]),
        (
            "tables = [\"contact\"]",
            &["tables", "did you mean \"contacts\"?"],
        ),
        ("tables = 3", &["tables", "a name or an array of names"]),
        ("bodies = [\"bal\"]", &["bodies", "did you mean `ball`?"]),
        ("bodies = []", &["bodies", "at least one"]),
        (
            "compression = \"zstd\"",
            &["compression", "\"snappy\", \"lz4\", \"gzip\", \"none\""],
        ),
        ("from = 1\nuntil = 0.5", &["from", "between 1 and 0.5"]),
        ("from = 2", &["from", "nothing of the run"]),
        ("evry = 2", &["did you mean `every`?"]),
    ];
    for (text, words) in cases {
        let scene = format!("{SCENE}[record]\n{text}\n");
        fs::write(at.join("scene.toml"), scene).expect("written");
        let ran = percuss(at, &["run", "scene.toml", "-o", "out", "-q"]);
        assert_eq!(ran.status, 2, "{text}: {}{}", ran.out, ran.err);
        for word in words {
            assert!(ran.err.contains(word), "{text}: {} has no {word}", ran.err);
        }
        assert!(!at.join("out").exists(), "{text}: left something behind");
    }
    let twice = format!("{SCENE}record_every = 3\n[record]\nevery = 2\n");
    fs::write(at.join("scene.toml"), twice).expect("written");
    let ran = percuss(at, &["check", "scene.toml"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("record_every"), "{}", ran.err);
    fs::write(at.join("scene.toml"), SCENE).expect("written");
    let ran = percuss(at, &["check", "scene.toml", "--set", "record.evry=2"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("did you mean `record.every`?"),
        "{}",
        ran.err
    );
}
