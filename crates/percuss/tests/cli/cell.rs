//! Periodic cells through the command: a compression, and what is refused.

use crate::common::scenes::{put, with};
use crate::common::{folder, percuss};

const CELL: &str = r#"
kind = "bodies"
title = "Discs in a cell (a test)"

[parameters]
p = 1
mu = 0

[world]
dimension = 2

[cell]
size = [14, 14]
pressure = "p"

[[material]]
name = "grain"
density = 1

[[law]]
between = ["grain", "grain"]
friction = "mu"

[[packing]]
name = "grains"
region = "cell"
radius = { mix = [[0.9, 1], [1.2, 1]] }
fraction = 0.4
seed = 3
material = "grain"

[[prepare]]
name = "compression"
until = 60
step = 0.1
stop = "cell_fraction > 0.7"
must = true

[run]
until = 40
step = 0.1
tolerance = 1e-5
activation = "predicted"

[[finding]]
name = "pressure"
value = "mean((stress_xx + stress_yy)/2, 30, 40)"
expected = 1
tolerance = 0.02
about = "given; what is left is the inertia of the cell"

[[finding]]
name = "size"
value = "maximum(abs(cell_xx - cell_yy)) + maximum(abs(cell_xy))"
expected = 0
tolerance = 1e-9
about = "a pressure keeps the proportions"

[[finding]]
name = "strain"
value = "final(cell_xx) - 14*exp(final(strain_xx))"
expected = 0
tolerance = 1e-4
about = "the logarithmic strain, to second order of the step"
"#;

#[test]
fn a_cell_under_pressure_has_it_and_is_recorded_and_drawn() {
    let here = folder();
    put(here.path(), "cell.toml", CELL);
    let ran = percuss(here.path(), &["run", "cell.toml", "-o", "run"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let table = percuss(here.path(), &["table", "run", "cell", "--quiet"]);
    assert_eq!(table.status, 0, "{}", table.err);
    // Step, time, two vectors of two entries, two rates of four; the cell stays a square that becomes smaller.
    let last = table.out.lines().last().unwrap_or_default();
    let entries: Vec<f64> = last.split(',').filter_map(|x| x.parse().ok()).collect();
    assert_eq!(entries.len(), 14, "{last}");
    assert!(entries[2] == entries[5] && entries[2] < 14.0 && entries[3] == 0.0);
    for name in ["picture", "forces"] {
        let drawn = percuss(
            here.path(),
            &["plot", "run", name, "-o", "p.svg", "--quiet"],
        );
        assert_eq!(drawn.status, 0, "{}", drawn.err);
        let svg = std::fs::read_to_string(here.path().join("p.svg")).expect("drawn");
        assert!(svg.contains("class=\"cell\""));
        // Images of discs that stick out: more circles than the discs of the records.
        let bodies = svg.split("class=\"bodies\"").nth(1).unwrap_or_default();
        let names = percuss(here.path(), &["table", "run", "names", "--quiet"]);
        let discs = names.out.lines().filter(|l| l.contains("grains_")).count();
        let circles = bodies.split("</g>").next().unwrap_or_default();
        assert!(circles.matches("<circle").count() > discs, "{discs}");
    }
}

/// Scenes that are not right, and what must be said of each.
fn wrong_cells() -> Vec<(String, &'static str)> {
    let changed = |from: &str, to: &str| with(CELL, from, to);
    let pressure = "pressure = \"p\"";
    vec![
        (
            changed("size = [14, 14]", "size = [14, 4]"),
            "too large for the periodic cell",
        ),
        (
            changed("size = [14, 14]", "size = [14, -14]"),
            "span no volume",
        ),
        (changed("size = [14, 14]\n", ""), "size"),
        (changed(pressure, "damping = 1"), "`damping` does nothing"),
        (changed(pressure, "stress = { yx = 1 }"), "`xy`"),
        (changed(pressure, "stress = { zz = 1 }"), "zz"),
        (
            changed(pressure, "stress = { xx = 1 }\nstrain_rate = { xx = 1 }"),
            "a strain rate and a stress",
        ),
        (
            changed(pressure, "pressure = 1\nstress = { xx = 1 }"),
            "do not go together",
        ),
        (changed(pressure, "pressure = \"1/t\""), "at t = 0"),
        (
            changed(pressure, "pressure = 1\nperiodic = [\"x\"]"),
            "periodic along all axes",
        ),
        (changed(pressure, "pressure = 1\ninertia = 0"), "positive"),
        (
            changed("region = \"cell\"", "region = \"cel\""),
            "did you mean",
        ),
        (
            changed("fraction = 0.4", "fraction = 0.7"),
            "there is no room",
        ),
        (
            changed("stop = \"cell_fraction > 0.7\"\n", ""),
            "`must` does nothing",
        ),
        (
            changed("cell_fraction > 0.7", "cell_fraction > 0.99"),
            "cell_fraction = 0.8",
        ),
        (
            changed("cell_fraction > 0.7", "cell_fractoin > 0.7"),
            "cell_fraction",
        ),
    ]
}

#[test]
fn cells_that_make_no_sense_are_refused_with_the_key_and_what_to_do() {
    let here = folder();
    for (text, part) in wrong_cells() {
        put(here.path(), "bad.toml", &text);
        let ran = percuss(
            here.path(),
            &["run", "bad.toml", "--no-findings", "--quiet"],
        );
        assert_eq!(ran.status, 2, "{part}: {} {}", ran.out, ran.err);
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert!(!here.path().join("runs").exists());
}
