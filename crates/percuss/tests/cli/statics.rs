//! `percuss forces` and `percuss limit`, as a person or a program uses them.

use std::path::Path;

use crate::common::scenes::{BALL, put};
use crate::common::{CommandOutput, folder, percuss};
use serde_json::Value;

/// A beam of weight 20 on three supports at −1, 0 and 1: S₋ = S₊ = (20 − S₀)/2 over the step.
const BEAM: &str = r#"
kind = "bodies"
title = "A beam on three supports"
source = "a test"

[world]
dimension = 2
gravity = [0, -10]

[[material]]
name = "wood"
density = 1

[[law]]
between = ["wood", "wood"]
friction = 0.4

[[body]]
name = "left"
shape = { disc = 0.5 }
material = "wood"
position = [-1, -0.5]
fixed = true

[[body]]
name = "middle"
shape = { disc = 0.5 }
material = "wood"
position = [0, -0.5]
fixed = true

[[body]]
name = "right"
shape = { disc = 0.5 }
material = "wood"
position = [1, -0.5]
fixed = true

[[body]]
name = "beam"
shape = { box = [4, 0.5] }
material = "wood"
position = [0, 0.25]

[[load]]
name = "push"
acceleration = [10, 0]

[[load]]
name = "lean"
tilt = 1

[[load]]
name = "end"
force = [0, -1]
body = "beam"
at = [2, 0.25]

[run]
until = 0.1
step = 1e-2
tolerance = 1e-9
record_every = 1
"#;

/// A table of weight P = 40 on four legs, cut out of spheres: each leg between 0 and P/2.
const TABLE: &str = r#"
kind = "bodies"
title = "A square table on four spheres"
source = "a test"

[world]
dimension = 3
gravity = [0, 0, -10]

[[material]]
name = "wood"
density = 1

[[law]]
between = ["wood", "wood"]
friction = 0.3

[[body]]
name = "one"
shape = { sphere = 0.5 }
material = "wood"
position = [-1, -1, -0.5]
fixed = true

[[body]]
name = "two"
shape = { sphere = 0.5 }
material = "wood"
position = [1, -1, -0.5]
fixed = true

[[body]]
name = "three"
shape = { sphere = 0.5 }
material = "wood"
position = [1, 1, -0.5]
fixed = true

[[body]]
name = "four"
shape = { sphere = 0.5 }
material = "wood"
position = [-1, 1, -0.5]
fixed = true

[[body]]
name = "top"
shape = { box = [4, 4, 0.25] }
material = "wood"
position = [0, 0, 0.125]

[run]
until = 0.05
step = 1e-2
tolerance = 1e-9
record_every = 1
"#;

fn recorded(folder: &Path, text: &str) {
    put(folder, "scene.toml", text);
    let ran = percuss(folder, &["run", "scene.toml", "-o", "out", "--quiet"]);
    assert_eq!(ran.status, 0, "{} {}", ran.out, ran.err);
}

fn refused(ran: &CommandOutput, said: &str) {
    assert_eq!(ran.status, 2, "{} {}", ran.out, ran.err);
    assert!(ran.err.contains(said), "{said}: {}", ran.err);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Every contact's [low, high], and that the run is inside.
fn ends(all: &Value) -> Vec<(f64, f64)> {
    let contacts = all["contacts"].as_array().expect("contacts");
    contacts
        .iter()
        .map(|contact| {
            let [low, high, run] = ["low", "high", "impulse"].map(|key| number(&contact[key]));
            // Impulses are of order 0.1 and solved to 1e-9.
            assert!(low - 1e-7 <= run && run <= high + 1e-7, "{contact}");
            assert!(number(&contact["low_bound"]) <= low && high <= number(&contact["high_bound"]));
            (low, high)
        })
        .collect()
}

#[test]
fn forces_of_a_beam_on_three_supports_are_those_of_the_lever() {
    let here = folder();
    recorded(here.path(), BEAM);
    let ran = percuss(here.path(), &["forces", "out", "--at", "0.05", "--json"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = ran.json();
    // Six rows, three equations.
    assert_eq!(all["summary"]["hyperstaticity"], 3);
    assert_eq!(all["summary"]["determined"], 0);
    assert!((number(&all["t"]) - 0.05).abs() < 1e-12);
    // Weight 20 over a step of 0.01; friction has no lever, for the points are in one line.
    for ((low, high), expected) in ends(&all).into_iter().zip([0.1, 0.2, 0.1]) {
        assert!(
            low.abs() < 1e-6 && (high - expected).abs() < 1e-6,
            "{low} {high}"
        );
    }
    let table = percuss(
        here.path(),
        &["table", "out", "forces", "--columns", "a,b,high"],
    );
    assert_eq!(table.status, 0, "{}", table.err);
    assert_eq!(table.out.lines().count(), 4, "{}", table.out);
    // Another instant takes the place of the table; the other tables stay readable.
    let again = percuss(
        here.path(),
        &["forces", "out", "--at", "0.1", "-o", "open.svg"],
    );
    assert_eq!(again.status, 0, "{}", again.err);
    assert!(
        again.out.contains("0 of 3 contacts determined"),
        "{}",
        again.out
    );
    let svg = std::fs::read_to_string(here.path().join("open.svg")).expect("a picture");
    assert!(svg.contains("class=\"marks\"") && svg.ends_with("</svg>\n"));
    assert_eq!(
        percuss(here.path(), &["table", "out", "forces"])
            .out
            .lines()
            .count(),
        4
    );
    assert_eq!(percuss(here.path(), &["show", "out", "--quiet"]).status, 0);
}

#[test]
fn forces_of_a_table_on_four_legs_go_from_nothing_to_half_the_load() {
    let here = folder();
    recorded(here.path(), TABLE);
    let ran = percuss(
        here.path(),
        &["forces", "out", "--at", "0.05", "--json", "--no-table"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = ran.json();
    // Twelve rows, six equations.
    assert_eq!(all["summary"]["hyperstaticity"], 6);
    let ends = ends(&all);
    assert_eq!(ends.len(), 4);
    for (low, high) in ends {
        // Half of 40 over a step of 0.01.
        assert!(
            low.abs() < 1e-6 && (high - 0.2).abs() < 1e-6,
            "{low} {high}"
        );
    }
    let none = percuss(here.path(), &["table", "out", "forces"]);
    refused(&none, "there is no table `forces`");
}

#[test]
fn forces_refuse_what_has_none() {
    let here = folder();
    recorded(here.path(), BEAM);
    let at = |t: &str| percuss(here.path(), &["forces", "out", "--at", t]);
    refused(&at("7"), "there is no time 7: the run goes from 0 to 0.1");
    refused(&at("0"), "no forces are known at the start");
    refused(&at("soon"), "it must be a number");
    refused(
        &percuss(here.path(), &["forces", "nowhere", "--at", "0"]),
        "nowhere",
    );
    let picture = percuss(
        here.path(),
        &["forces", "out", "--at", "0.1", "-o", "open.pdf"],
    );
    refused(&picture, "a picture is .svg or .png");
    // A falling body touches nothing.
    let falling = BEAM.replace("position = [0, 0.25]", "position = [0, 9]");
    put(here.path(), "falling.toml", &falling);
    let ran = percuss(
        here.path(),
        &["run", "falling.toml", "-o", "fall", "--quiet"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = percuss(here.path(), &["forces", "fall", "--at", "0.1"]);
    refused(&ran, "there are no contacts at t = 0.1");
    put(here.path(), "ball.toml", BALL);
    percuss(here.path(), &["run", "ball.toml", "-o", "ball", "--quiet"]);
    let ran = percuss(here.path(), &["forces", "ball", "--at", "0.1"]);
    refused(&ran, "this is a run of a mechanism");
}

#[test]
fn limit_loads_of_a_beam_are_those_of_friction_and_lever() {
    let here = folder();
    put(here.path(), "beam.toml", BEAM);
    let ran = percuss(
        here.path(),
        &["limit", "beam.toml", "--json", "-o", "pictures"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = ran.json();
    let loads = all["loads"].as_array().expect("loads");
    // Sliding at mu, in units of gravity; the same as a tangent; the lever 20 · 1 = λ · 1 beyond
    // the last support.
    for (load, (name, expected)) in loads
        .iter()
        .zip([("push", 0.4), ("lean", 0.4), ("end", 20.0)])
    {
        assert_eq!(load["name"], name);
        assert_eq!(load["extent"], "bounded");
        for key in ["multiplier", "bound", "coulomb"] {
            // The programs are solved to 1e-11; Coulomb's sequence ends at 1e-6.
            assert!(
                (number(&load[key]) / expected - 1.0).abs() < 2e-6,
                "{key}: {load}"
            );
        }
        assert!(number(&load["gap"]) < 1e-6 * expected);
    }
    assert!((number(&loads[1]["angle"]) - 0.4_f64.atan()).abs() < 1e-7);
    for name in ["push", "lean", "end"] {
        let svg = std::fs::read_to_string(here.path().join(format!("pictures/{name}.svg")));
        assert!(svg.expect("a picture").contains("<svg"));
    }
    let text = percuss(here.path(), &["limit", "beam.toml", "--load", "end"]);
    assert!(text.out.starts_with("end: multiplier 20"), "{}", text.out);
    assert!(text.out.contains("1 hinges"), "{}", text.out);
}

#[test]
fn limit_finds_where_standing_ends() {
    let here = folder();
    let text = BEAM
        .replace("[world]", "[parameters]\nshift = 0\n\n[world]")
        .replace("position = [0, 0.25]", "position = [\"shift\", 0.25]");
    put(here.path(), "beam.toml", &text);
    let ran = percuss(
        here.path(),
        &["limit", "beam.toml", "--over", "shift=0..1.9", "--json"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    // The beam tips when its middle is beyond the last support.
    assert!(
        (number(&ran.json()["over"]["value"]) - 1.0).abs() < 1e-6,
        "{}",
        ran.out
    );
    let ran = percuss(
        here.path(),
        &["limit", "beam.toml", "--over", "shift=0..0.5"],
    );
    refused(&ran, "it stands with `shift` = 0 and with 0.5 alike");
    let ran = percuss(here.path(), &["limit", "beam.toml", "--over", "shift"]);
    refused(&ran, "KEY=FROM..TO");
    // Beyond it there is a mechanism that gains energy, and the status says so.
    let ran = percuss(
        here.path(),
        &["limit", "beam.toml", "--load", "lean", "--set", "shift=1.5"],
    );
    assert_eq!(ran.status, 1, "{} {}", ran.out, ran.err);
    assert!(
        ran.out.contains("does not stand without the load"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("gains energy"), "{}", ran.out);
}

#[test]
fn limit_refuses_what_it_cannot_weigh() {
    let here = folder();
    put(here.path(), "beam.toml", BEAM);
    let ran = percuss(here.path(), &["limit", "beam.toml", "--load", "pusch"]);
    refused(&ran, "there is no load `pusch`; did you mean `push`?");
    put(here.path(), "ball.toml", BALL);
    refused(
        &percuss(here.path(), &["limit", "ball.toml"]),
        "this is a mechanism",
    );
    let wrong = [
        (
            "acceleration = [10, 0]",
            "acceleration = [0, 0]",
            "a load that is 0",
        ),
        (
            "acceleration = [10, 0]",
            "",
            "one of `acceleration`, `tilt` and `force`",
        ),
        (
            "acceleration = [10, 0]",
            "acceleration = [10]",
            "an array of 2 values",
        ),
        (
            "tilt = 1",
            "tilt = 2",
            "1 (gravity turns anticlockwise) or -1",
        ),
        (
            "gravity = [0, -10]",
            "gravity = [0, 0]",
            "there is no gravity to be tilted",
        ),
        ("body = \"beam\"", "body = \"left\"", "it cannot move"),
        ("body = \"beam\"", "body = \"beem\"", "did you mean `beam`?"),
    ];
    for (from, to, said) in wrong {
        assert!(BEAM.contains(from));
        put(here.path(), "wrong.toml", &BEAM.replace(from, to));
        refused(&percuss(here.path(), &["limit", "wrong.toml"]), said);
    }
    let none = BEAM.split("[[load]]").next().expect("a part").to_string()
        + "[run]\nuntil = 0.1\nstep = 1e-2\n";
    put(here.path(), "none.toml", &none);
    refused(
        &percuss(here.path(), &["limit", "none.toml"]),
        "it has no load case",
    );
}
