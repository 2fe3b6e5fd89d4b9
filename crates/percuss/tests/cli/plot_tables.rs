//! Plots of columns, histograms, paths, roses and studies, as a person asks for them.

use std::fs;
use std::path::Path;

use crate::common::scenes::{BALL, SLOPE, put, with};
use crate::common::{folder, percuss};

/// Draws a plot and gives its SVG.
fn svg(folder: &Path, args: &[&str]) -> String {
    let mut all = vec!["plot"];
    all.extend(args);
    all.extend(["-q", "-o", "drawn.svg"]);
    let ran = percuss(folder, &all);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
    fs::read_to_string(folder.join("drawn.svg")).expect("drawn")
}

fn said(folder: &Path, args: &[&str]) -> String {
    let mut all = vec!["plot"];
    all.extend(args);
    let ran = percuss(folder, &all);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}");
    ran.err
}

/// Texts of a drawing, one for each line that is no element.
fn has(svg: &str, text: &str) -> bool {
    svg.contains(&format!("\n{text}\n")) || svg.contains(&format!(">{text}<"))
}

#[test]
fn axes_carry_the_units_of_the_tables() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    put(here.path(), "slope.toml", SLOPE);
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "ball"]);
    percuss(here.path(), &["run", "slope.toml", "-q", "-o", "slope"]);
    // tan 0.3 = 0.309: this one slides, by little of what its potential is counted from.
    put(
        here.path(),
        "slide.toml",
        &with(SLOPE, "mu = 0.5", "mu = 0.3"),
    );
    percuss(here.path(), &["run", "slide.toml", "-q", "-o", "slide"]);
    let cases: [(&[&str], &str, &str); 11] = [
        (&["ball", "energy"], "t (s)", "energy (J)"),
        (&["ball", "impulses"], "t (s)", "impulse over a step (N·s)"),
        (&["ball", "steps:t:kinetic"], "t (s)", "kinetic (J)"),
        (
            &["ball", "contacts:begin_n:end_n"],
            "begin_n (m/s)",
            "end_n (m/s)",
        ),
        (&["slope", "energy"], "t (s)", "energy (J)"),
        (
            &["slide", "energy"],
            "t (s)",
            "energy (J), potential from its start",
        ),
        (&["slope", "bodies:x:y", "--at", "0.2"], "x (m)", "y (m)"),
        (
            &["slope", "contacts:gap:impulse_n"],
            "gap (m)",
            "impulse_n (N·s)",
        ),
        (
            &["slope", "phase:block.angle"],
            "angle (rad)",
            "spin (rad/s)",
        ),
        (&["slope", "trajectory:block"], "x (m)", "y (m)"),
        (
            &["slope", "histogram:steps:iterations"],
            "iterations",
            "rows in each bin, of 50",
        ),
    ];
    for (args, x, y) in cases {
        let drawn = svg(here.path(), args);
        assert!(has(&drawn, x) && has(&drawn, y), "{args:?}: {x}, {y}");
    }
    let lost = svg(here.path(), &["ball", "energy"]);
    assert!(has(&lost, "lost in impacts") && !has(&lost, "lost in sliding"));
}

#[test]
fn rows_are_chosen_by_value_by_name_and_by_time() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    let run = ["run", "slope.toml", "-q", "-o", "r", "--set", "mu=0"];
    percuss(here.path(), &run);
    // Two bodies are two curves with their names; one alone has no legend.
    let both = svg(here.path(), &["r", "bodies:t:x"]);
    assert!(has(&both, "block") && has(&both, "floor"));
    let one = svg(here.path(), &["r", "bodies:t:x", "--where", "name=block"]);
    assert!(!has(&one, "block"));
    assert_eq!(
        one,
        svg(here.path(), &["r", "bodies:t:x", "--where", "body=1"])
    );
    assert_eq!(
        one,
        svg(here.path(), &["r", "bodies:t:x", "--where", "body=block"])
    );
    let split = svg(
        here.path(),
        &["r", "contacts:t:impulse_n", "--by", "feature"],
    );
    // The two corners of the block, each with its dot in the legend.
    let whole = svg(here.path(), &["r", "contacts:t:impulse_n"]);
    let dots = |svg: &str| svg.matches("<circle").count();
    assert!(dots(&split) >= dots(&whole) + 2);
    let at = svg(here.path(), &["r", "bodies:x:y", "--at", "0.2"]);
    assert!(at.contains("t = 0.2 s"));
    // Two bodies at one instant are two dots.
    assert_eq!(at.matches("<circle").count(), 2);
    let log = svg(here.path(), &["r", "steps:t:kinetic", "--log-y"]);
    assert!(has(&log, "1e0"));
}

#[test]
fn what_is_not_there_or_not_heeded_is_said() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    percuss(here.path(), &["run", "slope.toml", "-q", "-o", "r"]);
    let cases: [(&[&str], &str); 14] = [
        (&["r", "step:t:kinetic"], "did you mean `steps`?"),
        (&["r", "steps:t:kinetc"], "did you mean `kinetic`?"),
        (&["r", "contacts:t:status"], "holds texts"),
        (&["r", "histogram:steps:tt"], "no column of `steps` `tt`"),
        (&["r", "trajectory:blok"], "did you mean `block`?"),
        (&["r", "phase:block"], "phase:NAME.x"),
        (&["r", "phase:block.q"], "no coordinate `q`"),
        (&["r", "fabrik"], "did you mean `fabric`?"),
        (&["r", "fabric:soon"], "a time was expected"),
        (&["r", "fabric", "--plane", "xz"], "--plane does not apply"),
        (
            &["r", "energy", "--at", "1"],
            "--at does not apply to the plot `energy`",
        ),
        (&["r", "picture", "--log-x"], "it takes no options"),
        (&["r", "bodies:t:x", "--where", "body=x"], "no body `x`"),
        (&["r", "steps:t:h", "--where", "h=long"], "`long` is none"),
    ];
    for (args, part) in cases {
        let told = said(here.path(), args);
        assert!(told.contains(part), "{args:?}: {told}");
    }
    let bad = percuss(here.path(), &["plot", "r", "steps:t:h", "--where", "h"]);
    assert_eq!(bad.status, 2);
}

#[test]
fn a_rose_of_a_block_on_a_floor_points_up_and_down() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    percuss(here.path(), &["run", "slope.toml", "-q", "-o", "r"]);
    for args in [&["r", "fabric"][..], &["r", "fabric:0.2"]] {
        let drawn = svg(here.path(), args);
        // All normals along y: the second harmonic has its largest amplitude, 2.
        assert!(has(&drawn, "a = 2.000 at 90°"), "{args:?}");
        assert_eq!(drawn.matches("class=\"petals\"").count(), 2);
    }
    let ran = percuss(here.path(), &["plot", "r", "force-distribution"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
}

#[test]
fn studies_are_drawn_as_scatter_series_maps_and_means() {
    let here = folder();
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "e = 0.5", "e = 0.5\nseed = 1"),
    );
    let study = |vary: &str| {
        format!(
            "kind = \"study\"\ntitle = \"Balls\"\nscene = \"ball.toml\"\n{vary}\n\
             [observe]\nspeed = \"speed_after(floor, 1) + 0.1*seed\"\n"
        )
    };
    let runs = [
        ("grid", "[vary]\ne = [0.2, 0.4, 0.6]\ng = [5, 10]"),
        (
            "latin",
            "[vary]\ne = { from = 0.1, to = 0.9, latin = 8 }\n\
             g = { from = 3, to = 100, latin = 8, scale = \"log\" }",
        ),
        (
            "means",
            "[vary]\ne = [0.2, 0.4]\n[repeat]\nkey = \"seed\"\ncount = 3",
        ),
    ];
    for (name, vary) in runs {
        let file = format!("{name}.toml");
        put(here.path(), &file, &study(vary));
        let ran = percuss(here.path(), &["study", &file, "-q", "-o", name]);
        assert_eq!(ran.status, 0, "{}", ran.err);
    }
    let list = percuss(here.path(), &["plot", "grid"]).out;
    assert!(list.contains("speed over e and g"), "{list}");
    // Six cells and the pieces of the bar; no dots.
    let map = svg(here.path(), &["grid", "speed"]);
    assert!(has(&map, "speed") && has(&map, "e") && has(&map, "g"));
    assert_eq!(map.matches("<circle").count(), 0);
    let series = svg(
        here.path(),
        &["grid", "speed", "--against", "e", "--by", "g"],
    );
    assert!(has(&series, "g = 5") && has(&series, "g = 10"));
    // Six runs and two dots of the legend.
    assert_eq!(series.matches("<circle").count(), 8);
    let scatter = svg(
        here.path(),
        &["latin", "speed", "--against", "g", "--log-x"],
    );
    assert_eq!(scatter.matches("<circle").count(), 8);
    let means = svg(here.path(), &["means", "speed"]);
    assert!(has(&means, "mean") && has(&means, "standard error"));
    // Two means and the dot of the legend.
    assert_eq!(means.matches("<circle").count(), 3);
    let told = said(here.path(), &["latin", "speed", "--against", "higest"]);
    assert!(told.contains("did you mean `highest`?"), "{told}");
    let told = said(here.path(), &["grid", "sped"]);
    assert!(told.contains("did you mean `speed`?"), "{told}");
    let column = svg(here.path(), &["latin", "runs:e:worst_penetration"]);
    assert!(has(&column, "worst_penetration (m)"));
}

/// Two discs side by side, one of them beyond the cell along both axes.
const STRIP: &str = r#"
kind = "bodies"
title = "Strip"
[world]
dimension = 2
gravity = [0, 0]
[cell]
size = [10, 2]
periodic = ["x"]
[[material]]
name = "m"
density = 1
[[law]]
between = ["m", "m"]
friction = 0
[[body]]
name = "far"
shape = { disc = 0.25 }
material = "m"
position = [13, 5]
[[body]]
name = "near"
shape = { disc = 0.25 }
material = "m"
position = [5, 1]
[run]
until = 0.1
step = 0.05
"#;

#[test]
fn pictures_wrap_along_periodic_axes_only() {
    let here = folder();
    put(here.path(), "strip.toml", STRIP);
    let ran = percuss(here.path(), &["run", "strip.toml", "-q", "-o", "r"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let manifest = fs::read_to_string(here.path().join("r/run.json")).expect("there");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(
        manifest["settings"]["periodic"],
        serde_json::json!([true, false])
    );
    let drawn = svg(here.path(), &["r", "picture"]);
    let centres: Vec<(f64, f64)> = drawn
        .split("<circle")
        .skip(1)
        .map(|part| {
            let number = |key: &str| -> f64 {
                let (_, rest) = part.split_once(key).expect("a key");
                let (text, _) = rest.split_once('"').expect("a value");
                text.parse().expect("a number")
            };
            (number("cx=\""), number("cy=\""))
        })
        .collect();
    // x = 13 is drawn at 3, y stays at 5: 2 to the left of the other one and 4 above it.
    assert_eq!(centres.len(), 2, "{centres:?}");
    let apart = (centres[1].0 - centres[0].0, centres[1].1 - centres[0].1);
    assert!(apart.0 > 0.0 && apart.1 > 0.0, "{apart:?}");
    // Coordinates are written to a hundredth of a pixel.
    assert!((apart.1 / apart.0 - 2.0).abs() < 1e-2, "{apart:?}");
}
