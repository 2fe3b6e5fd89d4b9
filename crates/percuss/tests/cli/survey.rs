//! Profiles, distributions and running means of a run, as a person uses them.

use std::fs;

use crate::common::{folder, percuss};

/// Twelve discs in a box under gravity.
const BOX: &str = r#"kind = "bodies"
title = "A box"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "grain"
density = 2
[[law]]
between = ["grain", "grain"]
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "grain"
fixed = true
[[body]]
name = "left"
shape = { half_plane = [1, 0] }
material = "grain"
fixed = true
[[body]]
name = "right"
shape = { half_plane = [-1, 0] }
position = [4, 0]
material = "grain"
fixed = true
[[grid]]
name = "all"
radius = 0.5
counts = [4, 3]
spacing = 1
origin = [0.5, 0.5]
material = "grain"
[[region]]
name = "layer"
low = [0, 0]
high = [4, 3]
slices = { axis = "y", count = 3 }
[[profile]]
name = "stresses"
region = "layer"
quantity = ["stress_yy", "fraction"]
from = 0.05
[[distribution]]
name = "forces"
of = "all"
quantity = "normal_force"
bins = 4
[[plot]]
name = "settled"
y = "stress_yy_all"
average = true
from = 0.01
[[picture]]
name = "columns"
forces = "chains"
[run]
until = 0.4
step = 0.01
record_every = 10
"#;

#[test]
fn profiles_and_distributions_are_tabled_and_drawn() {
    let here = folder();
    fs::write(here.path().join("box.toml"), BOX).expect("a scene");
    let run = |args: &[&str]| {
        let ran = percuss(here.path(), args);
        assert_eq!(ran.status, 0, "{args:?}: {}", ran.err);
        ran.out
    };
    run(&["run", "box.toml", "-o", "r", "--quiet"]);
    let table = run(&["table", "r", "profiles"]);
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(
        rows[0],
        ["profile", "quantity", "slice", "position", "mean", "error"]
    );
    assert_eq!(rows.len(), 1 + 6);
    // Weight of a disc 2 π/4 10 over its diameter: 2½ discs above the middle of the lowest layer.
    let weight = std::f64::consts::PI * 5.0;
    for (row, above) in rows[1..4].iter().zip([2.5, 1.5, 0.5]) {
        let mean: f64 = row[4].parse().expect("a number");
        // The tolerance of the steps is 1e-6.
        assert!((mean / (above * weight) - 1.0).abs() < 1e-4, "{row:?}");
    }
    let fraction: f64 = rows[5][4].parse().expect("a number");
    assert!((fraction - std::f64::consts::PI / 4.0).abs() < 1e-4);
    let table = run(&["table", "r", "distributions"]);
    let counts: Vec<usize> = table
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .nth(3)
                .and_then(|n| n.parse().ok())
                .expect("a count")
        })
        .collect();
    // Four recorded steps: weights of 1, 2 and 3 discs, each four times, all below 8/4 = 2 means.
    assert_eq!(counts, [4 * 12, 0, 0, 0]);
    for name in ["stresses", "forces", "settled", "columns"] {
        run(&["plot", "r", name, "-o", &format!("{name}.svg"), "--quiet"]);
        let drawn = fs::read_to_string(here.path().join(format!("{name}.svg"))).expect("a drawing");
        assert!(drawn.starts_with("<svg"), "{name}");
    }
    let listed = run(&["plot", "r"]);
    assert!(
        listed.contains("stresses") && listed.contains("forces"),
        "{listed}"
    );
}

#[test]
fn an_average_over_anything_but_time_is_refused() {
    let here = folder();
    let text = BOX.replace("average = true", "average = true\nx = \"top_all\"");
    fs::write(here.path().join("box.toml"), text).expect("a scene");
    let ran = percuss(here.path(), &["check", "box.toml"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.err.contains("`average` is a mean over time"),
        "{}",
        ran.err
    );
    let text = BOX.replace("\"chains\"", "\"chain\"");
    fs::write(here.path().join("box.toml"), text).expect("a scene");
    let ran = percuss(here.path(), &["check", "box.toml"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("true, false or \"chains\""), "{}", ran.err);
}
