//! `percuss plot` and `percuss table` of runs of bodies, as a person uses them.

use std::fs;

use crate::common::scenes::put;
use crate::common::{folder, percuss};

/// A disc that falls beside a box on a floor, with a plot, pictures and a study.
const FALL: &str = r#"kind = "bodies"
title = "A fall"
[parameters]
g = 10.0
[world]
dimension = 2
gravity = [0, "-g"]
[[material]]
name = "stone"
density = 1000
[[law]]
between = ["stone", "stone"]
friction = 0.5
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [1, 0.5] }
material = "stone"
position = [1, 0.25]
[[body]]
name = "coin"
shape = { disc = 0.2 }
material = "stone"
position = [0, 1]
[run]
until = 0.3
step = 0.01
record_every = 5
[[case]]
name = "moon"
set = { g = 1.6 }
[[study]]
name = "gravities"
vary = { g = [1, 2, 4] }
observe = { height = "final(coin_y)" }
[[plot]]
name = "heights"
y = "coin_y"
cases = ["main", "moon"]
[[plot]]
name = "speeds"
x = "coin_y"
y = ["coin_vy", "kinetic"]
from = 0.1
[[plot]]
name = "study"
study = "gravities"
y = "height"
[[picture]]
name = "shown"
title = "Displaced"
at = [0.1, "0.1 + 0.1"]
colour = "displacement"
[[finding]]
name = "height"
value = "final(coin_y)"
"#;

#[test]
fn pictures_and_plots_of_bodies_are_listed_and_drawn() {
    let here = folder();
    put(here.path(), "fall.toml", FALL);
    let ran = percuss(here.path(), &["run", "fall.toml", "-o", "r"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(
        ran.out.contains("picture, pictures, forces, energy"),
        "{}",
        ran.out
    );
    assert!(
        !ran.out.contains("joint error"),
        "bodies have none: {}",
        ran.out
    );
    // The scene's file is not needed for anything that follows.
    fs::remove_file(here.path().join("fall.toml")).expect("there");
    let list = percuss(here.path(), &["plot", "r"]);
    let first = |line: &str| line.split_whitespace().next().map(String::from);
    let names: Vec<String> = list.out.lines().filter_map(first).collect();
    let expected = [
        "heights",
        "speeds",
        "study",
        "shown",
        "picture",
        "pictures",
        "forces",
        "energy",
        "residual",
        "penetration",
        "contacts",
        "iterations",
        "force-distribution",
        "fabric",
        "trajectory:NAME,NAME",
        "phase:NAME.x",
        "TABLE:X:Y",
        "histogram:TABLE:COLUMN",
    ];
    assert_eq!(names, expected);
    let named = &expected[..expected.len() - 4];
    for name in named.iter().chain(&["picture:0.1", "forces:0.2"]) {
        let ran = percuss(here.path(), &["plot", "r", name]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        let file = format!("r/{}.svg", name.replace([':', '.'], "-"));
        assert_eq!(ran.out, format!("{file}\n"));
        let svg = fs::read_to_string(here.path().join(file)).expect("drawn");
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{name}"
        );
    }
}

#[test]
fn pictures_show_what_was_declared_and_the_nearest_recorded_state() {
    let here = folder();
    put(here.path(), "fall.toml", FALL);
    percuss(here.path(), &["run", "fall.toml", "-q", "-o", "r"]);
    for name in ["heights", "shown"] {
        assert_eq!(
            percuss(here.path(), &["plot", "r", name]).status,
            0,
            "{name}"
        );
    }
    let svg = |name: &str| fs::read_to_string(here.path().join(name)).expect("drawn");
    let heights = svg("r/heights.svg");
    assert!(heights.contains("\nmain\n") && heights.contains("\nmoon\n"));
    let shown = svg("r/shown.svg");
    for part in [">Displaced<", ">t = 0.1<", ">t = 0.2<", ">displacement<"] {
        assert!(shown.contains(part), "{part}");
    }
    // Steps 10 and 20 are recorded, and 0.12 is nearest to step 10.
    percuss(
        here.path(),
        &["plot", "r", "picture:0.12", "-o", "near.svg"],
    );
    assert!(svg("near.svg").contains(">A fall, t = 0.1<"));
    let png = percuss(
        here.path(),
        &["plot", "r", "picture", "-o", "end.png", "-q"],
    );
    assert_eq!((png.status, png.out.as_str()), (0, ""));
    let bytes = fs::read(here.path().join("end.png")).expect("drawn");
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
}

#[test]
fn names_that_are_none_get_the_nearest() {
    let here = folder();
    put(here.path(), "fall.toml", FALL);
    percuss(
        here.path(),
        &["run", "fall.toml", "-q", "-o", "r", "--no-findings"],
    );
    for (name, part) in [
        ("pictur", "did you mean `picture`?"),
        ("force", "did you mean `forces`?"),
        ("phase:coin_x", "were expected, phase:NAME.x or NAME.y"),
        (
            "picture:soon",
            "a time was expected after the colon, not `soon`",
        ),
        ("pictures:3", "there is no plot `pictures:3`"),
        ("impulses", "contacts, iterations"),
    ] {
        let ran = percuss(here.path(), &["plot", "r", name]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{name}");
        assert!(ran.err.contains(part), "{name}: {}", ran.err);
    }
    for (table, part) in [
        ("coordinates", "names, steps, bodies, contacts, observables"),
        ("events", "there is no table `events`"),
    ] {
        let ran = percuss(here.path(), &["table", "r", table]);
        assert_eq!(ran.status, 2);
        assert!(ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn plots_that_are_wrong_are_told_before_the_run() {
    let here = folder();
    for (old, new, part) in [
        ("y = \"coin_y\"\ncases", "y = \"coyn_y\"\ncases", "coyn_y"),
        ("y = \"height\"", "y = \"heigt\"", "no such column"),
        ("\"0.1 + 0.1\"", "\"0.1 + h\"", "h"),
        ("from = 0.1", "from = 0.1\nto = 0.05", "empty"),
    ] {
        assert!(FALL.contains(old), "{old}");
        put(here.path(), "fall.toml", &FALL.replace(old, new));
        for command in ["run", "check"] {
            let ran = percuss(here.path(), &[command, "fall.toml"]);
            assert_eq!(
                (ran.status, ran.out.as_str()),
                (2, ""),
                "{new}: {}",
                ran.err
            );
            assert!(ran.err.contains(part), "{new}: {}", ran.err);
        }
        assert!(!here.path().join("runs").exists());
    }
}

#[test]
fn tables_of_bodies_have_names_beside_numbers() {
    let here = folder();
    put(here.path(), "fall.toml", FALL);
    percuss(here.path(), &["run", "fall.toml", "-q", "-o", "r"]);
    let table = |args: &[&str]| {
        let mut all = vec!["table", "r"];
        all.extend(args);
        let ran = percuss(here.path(), &all);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
        ran.out
    };
    let start = table(&["bodies", "--at", "0", "--columns", "name,x,y,spin"]);
    let rows = "name,x,y,spin\nfloor,0.0,0.0,0.0\nblock,1.0,0.25,0.0\ncoin,0.0,1.0,0.0\n";
    assert_eq!(start, rows);
    let heading = table(&["bodies", "--at", "0"]);
    assert!(heading.starts_with("step,t,body,name,x,y,angle,vx,vy,spin\n0,0.0,0,floor,"));
    let contacts = table(&[
        "contacts",
        "--at",
        "0.3",
        "--columns",
        "name_a,a,name_b,status,impulse_n",
    ]);
    let lines: Vec<&str> = contacts.lines().collect();
    // A box has two points on the floor; its weight is 500 N·s/100.
    assert_eq!(lines.len(), 3, "{contacts}");
    let total: f64 = lines[1..]
        .iter()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields[..4], ["floor", "0", "block", "stick"]);
            fields[4].parse::<f64>().expect("a number")
        })
        .sum();
    // As exact as the residual of the step.
    assert!((total - 500.0 * 10.0 * 0.01).abs() < 1e-4, "{total}");
    // All seven recorded states of three bodies, in chunks.
    assert_eq!(table(&["bodies", "-q"]).lines().count(), 7 * 3);
    let observed = table(&["observables", "--at", "0.3", "--columns", "step,coin_y"]);
    assert!(observed.starts_with("step,coin_y\n30,"), "{observed}");
    let json = table(&["names", "--format", "json"]);
    let names: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&names[2]["shape"], &names[2]["radius"]),
        (&"disc".into(), &0.2.into())
    );
    assert!(
        names[1]["outline"]
            .as_str()
            .is_some_and(|o| o.contains("vertices"))
    );
    assert!(table(&["findings", "--columns", "name", "-q"]) == "height\n");
    let shown = percuss(here.path(), &["show", "r"]);
    assert!(shown.out.contains("contacts\n") && shown.out.contains("certificate ok: 30 steps"));
}
