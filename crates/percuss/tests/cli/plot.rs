//! `percuss plot` and `percuss study` as a person uses them.

use std::fs;

use crate::common::scenes::{BALL, put, with};
use crate::common::{folder, percuss};

/// A study of the ball: the rebound speed e v and whether it is fast.
const STUDY: &str = r#"
kind = "study"
title = "Rebound over restitution"
scene = "ball.toml"
[vary]
e = [0.25, 0.5, 0.75, 0.25]
[observe]
speed = "speed_after(floor, 1)"
[outcomes]
of = ["speed"]
tolerance = 1e-6
"#;

#[test]
fn pictures_are_listed_and_drawn_as_svg_and_png() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    let list = percuss(here.path(), &["plot", "r"]);
    assert_eq!((list.status, list.err.as_str()), (0, ""));
    let names: Vec<&str> = list
        .out
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    let expected = [
        "heights",
        "rebounds",
        "energy",
        "residual",
        "penetration",
        "contacts",
        "iterations",
        "impulses",
        "trajectory",
        "phase:z",
        "TABLE:X:Y",
        "histogram:TABLE:COLUMN",
    ];
    assert_eq!(names, expected);
    let drawn = names[..names.len() - 2].iter();
    for name in drawn.filter(|n| **n != "residual") {
        let ran = percuss(here.path(), &["plot", "r", name]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        let file = format!("r/{}.svg", name.replace(':', "-"));
        assert_eq!(ran.out, format!("{file}\n"));
        let svg = fs::read_to_string(here.path().join(file)).expect("drawn");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }
    let svg = fs::read_to_string(here.path().join("r/heights.svg")).expect("drawn");
    for part in [
        "Height with and without rebound",
        "\nheight\n",
        "\nmain\n",
        "\nsoft\n",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    let ran = percuss(
        here.path(),
        &["plot", "r", "phase:z", "-o", "z.png", "--quiet"],
    );
    assert_eq!(
        (ran.status, ran.out.as_str(), ran.err.as_str()),
        (0, "", "")
    );
    let png = fs::read(here.path().join("z.png")).expect("drawn");
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
}

#[test]
fn picture_that_there_is_not_is_told_with_those_there_are() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    let ran = percuss(here.path(), &["plot", "r", "enrgy"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("did you mean `energy`?") && ran.err.contains("phase:z"),
        "{}",
        ran.err
    );
    let ran = percuss(here.path(), &["plot", "r", "phase:x"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no coordinate `x`"), "{}", ran.err);
    for file in ["energy.pdf", "energy"] {
        let ran = percuss(here.path(), &["plot", "r", "energy", "-o", file]);
        assert_eq!(ran.status, 2);
        assert!(ran.err.contains(".svg or .png"), "{}", ran.err);
    }
    let ran = percuss(
        here.path(),
        &["plot", "r", "energy", "-o", "no/such/folder/e.svg"],
    );
    assert_eq!(ran.status, 3, "{}", ran.err);
}

#[test]
fn declared_picture_shows_the_records_and_not_another_run() {
    let here = folder();
    let cut = with(BALL, "cases = [\"main\", \"soft\"]", "from = 0.1\nto = 0.3");
    put(here.path(), "ball.toml", &cut);
    percuss(
        here.path(),
        &["run", "ball.toml", "-q", "-o", "r", "--set", "g=1"],
    );
    // The scene file is not needed any more, nor is its value of g.
    fs::remove_file(here.path().join("ball.toml")).expect("there");
    let ran = percuss(here.path(), &["plot", "r", "heights"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let svg = fs::read_to_string(here.path().join("r/heights.svg")).expect("drawn");
    // With g = 1 the ball is between 0.995 and 0.955 m, with g = 9.81 it would be at 0.6 m.
    assert!(
        svg.contains("\n0.96\n") && !svg.contains("\n0.6\n"),
        "labels of the axis"
    );
}

#[test]
fn study_is_one_table_the_same_for_any_number_of_threads() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "rebound.toml", STUDY);
    let ran = percuss(
        here.path(),
        &["study", "rebound.toml", "-o", "s1", "--threads", "1"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    for part in [
        "Rebound over restitution",
        "3 outcomes of speed",
        "50.0 %",
        "table in s1",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let json = percuss(
        here.path(),
        &["study", "rebound.toml", "-o", "s2", "--json"],
    )
    .json();
    assert_eq!((&json["runs"], &json["stopped"]), (&4.into(), &0.into()));
    for row in json["rows"].as_array().expect("rows") {
        let (e, speed) = (
            row["e"].as_f64().expect("e"),
            row["speed"].as_f64().expect("speed"),
        );
        // e times the speed of the fall, which is known to within the steps of the contact.
        assert!(
            (speed - e * (2.0 * 9.81_f64).sqrt()).abs() < 5e-3 * 9.81,
            "{e} {speed}"
        );
        assert!(
            row["first_impact"].is_f64(),
            "findings of the scene are columns"
        );
    }
    let chunk = |d: &str| fs::read(here.path().join(d).join("runs-000000.parquet")).expect("there");
    assert!(chunk("s1") == chunk("s2"));
    let shown = percuss(here.path(), &["show", "s1"]);
    assert_eq!(shown.out, ran.out);
    let table = percuss(
        here.path(),
        &["table", "s1", "runs", "--columns", "run,e", "-q"],
    );
    assert_eq!(table.out, "1,0.25\n2,0.5\n3,0.75\n4,0.25\n");
    let ran = percuss(here.path(), &["plot", "s1", "speed", "-o", "speed.svg"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let svg = fs::read_to_string(here.path().join("speed.svg")).expect("drawn");
    assert!(svg.contains("Rebound over restitution: speed") && svg.contains("<circle"));
}

#[test]
fn study_with_a_run_that_is_refused_says_so_in_its_row() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let no_outcomes = STUDY.split("[outcomes]").next().expect("a part");
    put(
        here.path(),
        "s.toml",
        &with(no_outcomes, "0.75, 0.25]", "1.5]"),
    );
    let ran = percuss(here.path(), &["study", "s.toml", "--json"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let json = ran.json();
    assert_eq!((&json["runs"], &json["stopped"]), (&3.into(), &1.into()));
    assert_eq!(json["rows"][2]["speed"], serde_json::Value::Null);
    let why = json["rows"][2]["stopped"].as_str().expect("a reason");
    assert!(why.contains("0 <= e <= 1"), "{why}");
    let ran = percuss(here.path(), &["check", "s.toml"]);
    assert_eq!(ran.out, "s.toml: can be run: 3 runs of `ball`\n");
}

#[test]
fn study_that_is_not_right_writes_nothing() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(
        here.path(),
        "bad.toml",
        &with(STUDY, "speed_after(floor, 1)", "speed_after(flor, 1)"),
    );
    put(
        here.path(),
        "none.toml",
        &with(STUDY, "ball.toml", "gone.toml"),
    );
    for (file, part) in [
        ("bad.toml", "floor"),
        ("none.toml", "gone.toml"),
        ("ball.toml", "study"),
    ] {
        let ran = percuss(here.path(), &["study", file]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{file}");
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    assert!(!here.path().join("runs").exists());
}
