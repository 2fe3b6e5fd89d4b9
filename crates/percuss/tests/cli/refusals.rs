//! Scenes that cannot be run, places that cannot be written, records that cannot be read: a sentence
//! that helps and an agreed status.

use std::fs;

use crate::common::scenes::{BALL, UNTIL_HALF, number, put, rows, with};
use crate::common::{CommandOutput, command, folder, percuss};

#[test]
fn run_that_cannot_go_on_keeps_its_records_and_says_where_it_stopped() {
    let here = folder();
    put(here.path(), "half.toml", UNTIL_HALF);
    let ran = percuss(here.path(), &["run", "half.toml", "--json"]);
    assert_eq!(ran.status, 2);
    let all = ran.json();
    assert_eq!(
        (&all["status"], &all["directory"]),
        (&"stopped".into(), &"runs/half-1".into())
    );
    let reached = all["reached"].as_f64().expect("an instant");
    // The midpoint of the step after 0.49 is the last at which the force exists.
    assert!((reached - 0.5).abs() < 0.011, "{reached}");
    for part in ["stopped at t = ", "sqrt(0.5 - t)"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
        assert!(
            all["reason"].as_str().is_some_and(|r| r.contains(part)),
            "{part}"
        );
    }
    let ran = percuss(
        here.path(),
        &["table", "runs/half-1", "coordinates", "--quiet"],
    );
    let last = rows(&format!("\n{}", ran.out)).pop().expect("rows");
    assert_eq!(number(&last[1]), reached);
    let shown = percuss(here.path(), &["show", "runs/half-1"]);
    assert!(shown.out.contains("stopped at t = "), "{}", shown.out);
    assert_eq!(
        percuss(here.path(), &["plot", "runs/half-1", "trajectory"]).status,
        0
    );
}

#[test]
fn what_is_refused_writes_nothing() {
    let here = folder();
    let scenes = [
        (
            "below",
            with(BALL, "initial = 1.0", "initial = -0.25"),
            "`floor`",
        ),
        ("massless", with(BALL, "0.5*z_dot^2", "0*z_dot^2"), "z"),
        ("key", with(BALL, "until = 1.0", "untill = 1.0"), "until"),
        ("name", with(BALL, "\"g*z\"", "\"g*zz\""), "zz"),
        ("law", with(BALL, "e = 0.5", "e = 1.5"), "0 <= e <= 1"),
        ("finding", with(BALL, "maximum(z)", "maximun(z)"), "maximum"),
        (
            "plot",
            with(BALL, "y = \"z\"", "y = \"height\""),
            "plot `heights`",
        ),
        (
            "column",
            with(BALL, "y = \"height\"", "y = \"depth\""),
            "It has e, height",
        ),
        ("toml", "kind = ".into(), "toml.toml:1"),
    ];
    for (name, text, part) in &scenes {
        let file = format!("{name}.toml");
        put(here.path(), &file, text);
        for command in ["run", "check"] {
            let ran = percuss(here.path(), &[command, &file]);
            assert_eq!(
                (ran.status, ran.out.as_str()),
                (2, ""),
                "{name}: {}",
                ran.err
            );
            assert!(
                ran.err.starts_with("percuss: ") && ran.err.contains(part),
                "{}",
                ran.err
            );
        }
        fs::remove_file(here.path().join(&file)).expect("there");
    }
    let ran = percuss(here.path(), &["run", "ball-e5", "-o", "r"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("did you mean `ball-e05`"), "{}", ran.err);
    assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 0);
}

#[test]
fn directory_that_holds_something_is_never_overwritten() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    fs::create_dir(here.path().join("mine")).expect("made");
    put(here.path(), "mine/notes", "keep me");
    for place in ["mine", "mine/notes", "mine/notes/deeper"] {
        let ran = percuss(here.path(), &["run", "ball.toml", "-o", place]);
        assert_eq!(ran.status, 2, "{place}");
        assert!(
            ran.err.contains(place) && ran.err.contains("name a new directory"),
            "{}",
            ran.err
        );
    }
    assert_eq!(
        fs::read_dir(here.path().join("mine"))
            .expect("a folder")
            .count(),
        1
    );
    fs::create_dir(here.path().join("empty")).expect("made");
    assert_eq!(
        percuss(here.path(), &["run", "ball.toml", "-q", "-o", "empty"]).status,
        0
    );
}

#[cfg(target_os = "linux")]
#[test]
fn records_that_cannot_be_written_give_status_3() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let ran = percuss(
        here.path(),
        &["run", "ball.toml", "-o", "/proc/percuss-run"],
    );
    assert_eq!(ran.status, 3);
    assert!(
        ran.err
            .contains("/proc/percuss-run: cannot make this directory"),
        "{}",
        ran.err
    );
    std::os::unix::fs::symlink("/dev/full", here.path().join("full.svg")).expect("a link");
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    let ran = percuss(here.path(), &["plot", "r", "energy", "-o", "full.svg"]);
    assert_eq!(ran.status, 3);
    assert!(ran.err.contains("full.svg"), "{}", ran.err);
}

#[test]
fn what_is_no_run_is_refused_by_all_that_read_one() {
    let here = folder();
    put(here.path(), "file", "text");
    for args in [
        &["show", "nowhere"][..],
        &["show", "."],
        &["table", "file", "steps"],
        &["plot", ".", "energy"],
    ] {
        let ran = percuss(here.path(), args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.contains("`percuss run` has written"), "{}", ran.err);
    }
    put(here.path(), "ball.toml", BALL);
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    let ran = percuss(here.path(), &["table", "r", "bodies"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("steps, coordinates, contacts, events"),
        "{}",
        ran.err
    );
    let ran = percuss(
        here.path(),
        &["table", "r", "steps", "--columns", "t,speed"],
    );
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("no column `speed`; it has step, t, h"),
        "{}",
        ran.err
    );
    // A damaged chunk is named and the rest stays readable.
    let chunk = here.path().join("r/steps-000000.parquet");
    let bytes = fs::read(&chunk).expect("there");
    fs::write(&chunk, &bytes[..bytes.len() / 2]).expect("writable");
    let ran = percuss(here.path(), &["table", "r", "steps"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err
            .contains("steps-000000.parquet: this file is damaged"),
        "{}",
        ran.err
    );
    assert_eq!(
        percuss(here.path(), &["table", "r", "coordinates"]).status,
        0
    );
}

#[test]
fn reader_of_a_table_that_goes_away_is_no_fault() {
    let here = folder();
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "step = 1e-3", "step = 1e-5"),
    );
    percuss(
        here.path(),
        &["run", "ball.toml", "-q", "-o", "r", "--no-findings"],
    );
    let mut child = command(here.path(), &["table", "r", "steps"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let ran = CommandOutput::of(child.wait_with_output().expect("the program ends"));
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
}

#[test]
fn every_command_has_help_with_examples_and_exit_statuses() {
    let here = folder();
    for command in ["run", "show", "table", "plot", "check", "study", "solve"] {
        let ran = percuss(here.path(), &[command, "--help"]);
        assert_eq!(ran.status, 0);
        for part in ["Examples:", "Exit status", "--quiet"] {
            assert!(ran.out.contains(part), "{command}: {part}");
        }
    }
    for args in [
        &["run"][..],
        &["run", "x", "--threads", "0"],
        &["table", "x"],
        &["table", "x", "steps", "--at", "soon"],
        &["plot"],
        &["plot", "x", "-o", "y.svg"],
    ] {
        assert_eq!(percuss(here.path(), args).status, 2, "{args:?}");
    }
}

/// The fault: `--json` of a scene that was refused printed nothing.
#[test]
fn json_of_a_refused_scene_is_one_object_with_the_place() {
    let here = folder();
    put(
        here.path(),
        "key.toml",
        &with(BALL, "until = 1.0", "untill = 1.0"),
    );
    put(here.path(), "name.toml", &with(BALL, "\"g*z\"", "\"g*zz\""));
    let line = |text: &str| BALL.lines().position(|l| l == text).map(|k| k + 1);
    for (args, file, at, key) in [
        (
            ["run", "key.toml", "--json"],
            Some("key.toml"),
            line("until = 1.0"),
            Some("untill"),
        ),
        (
            ["run", "name.toml", "--json"],
            Some("name.toml"),
            line("potential = \"g*z\""),
            Some("potential"),
        ),
        (["run", "nothing.toml", "--json"], None, None, None),
        (
            ["study", "key.toml", "--json"],
            Some("key.toml"),
            None,
            None,
        ),
        (["show", "nothing", "--json"], None, None, None),
        (
            ["audit", "key.toml", "--json"],
            Some("key.toml"),
            line("until = 1.0"),
            Some("untill"),
        ),
    ] {
        let ran = percuss(here.path(), &args);
        assert_eq!(ran.status, 2, "{args:?}: {}", ran.err);
        let object = ran.json();
        assert_eq!(object["status"], 2, "{args:?}");
        let error = object["error"].as_str().expect("a message");
        assert!(ran.err.contains(error), "{args:?}: {error}");
        if file.is_some() && args[0] != "study" {
            assert_eq!(object["file"].as_str(), file, "{args:?}: {object}");
            assert_eq!(
                object["line"].as_u64().map(|l| l as usize),
                at,
                "{args:?}: {object}"
            );
            assert_eq!(object["key"].as_str(), key, "{args:?}: {object}");
        }
    }
    // An override has no line.
    put(here.path(), "ball.toml", BALL);
    let ran = percuss(
        here.path(),
        &["run", "ball.toml", "--json", "--set", "ee=1"],
    );
    let object = ran.json();
    assert_eq!(
        (&object["key"], &object["line"]),
        (&"ee".into(), &serde_json::Value::Null)
    );
    // Without `--json` standard output stays empty.
    let ran = percuss(here.path(), &["run", "key.toml"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
}
