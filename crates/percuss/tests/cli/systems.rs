//! Every built-in system, run by name as a user would: its findings are met, its certificate holds,
//! its first picture can be drawn, and its records are verified. The figures and their sources are in `crates/scene/scenes/`.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{folder, percuss};

/// Systems that must be refused, and what the message must say: an impact law that creates energy
/// (B02 1.12), and joints that no motion satisfies (B02 counter-example 3).
pub const REFUSED: [(&str, &[&str]); 2] = [
    (
        "bar-in-circle",
        &["dependent", "`first_end`", "`second_end`"],
    ),
    ("zeno-reversed", &["0 <= e <= 1", "B02 1.12"]),
];

/// Systems that take minutes and what makes them short: their beginning, or few grains; every step of it must be met and
/// verified. The whole is for `./nightly`.
pub fn short() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let lines = include_str!("../../../../tests/short.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.collect()))
        })
}

/// Warnings that are meant, and a word of each: Painlevé's rod and what slides as it does while it falls, grains and
/// rubble that lock each other, and two hinges of one door.
const MEANT: [(&str, &str); 10] = [
    ("catastrophe", "gamma"),
    ("chalk-catastrophe", "gamma"),
    ("house-of-cards", "gamma"),
    ("painleve-rod", "gamma"),
    ("painleve-rod-space", "gamma"),
    ("repose", "gamma"),
    ("trapdoor", "joint rows"),
    ("vault", "gamma"),
    ("wall", "gamma"),
    ("wall-jerk", "gamma"),
];

/// The first warning of a run that is not meant.
fn warned(name: &str, err: &str) -> Option<String> {
    let meant = |line: &&str| {
        let mut words = MEANT.iter().filter(|(scene, _)| *scene == name);
        words.any(|(_, word)| line.contains(word))
    };
    let mut lines = err.lines().filter(|line| line.contains("warning:"));
    let odd = lines.find(|line| !meant(line))?;
    Some(format!("{name}: {odd}"))
}

/// Two of them whose number of grains is not a parameter: they are read and made, no more.
pub const CHECKED: [&str; 2] = ["biaxial", "shear-cell"];

/// Runs the beginning of a long system; what is wrong with it, if anything.
fn early_complaint(name: &str, set: &[&str]) -> Option<String> {
    let folder = folder();
    let mut args = vec![
        "run",
        name,
        "-o",
        "run",
        "--no-findings",
        "--json",
        "--quiet",
    ];
    set.iter().for_each(|one| args.extend(["--set", one]));
    let ran = percuss(folder.path(), &args);
    let certificate = &ran.json()["certificate"];
    let steps = certificate["steps"].as_u64().unwrap_or(0);
    if ran.status != 0 || certificate["missed"] != 0 || steps < 100 {
        return Some(format!(
            "{name}: status {}, {steps} steps, {} missed: {}",
            ran.status, certificate["missed"], ran.err
        ));
    }
    let drawn = percuss(
        folder.path(),
        &["plot", "run", "picture", "-o", "picture.svg", "--quiet"],
    );
    if drawn.status != 0 {
        return Some(format!("{name}: it was not drawn: {}", drawn.err));
    }
    unverified(name, folder.path())
}

/// What does not agree in the records of a run, if anything does not.
fn unverified(name: &str, folder: &std::path::Path) -> Option<String> {
    let verified = percuss(folder, &["verify", "run"]);
    (verified.status != 0).then(|| format!("{name}: {}{}", verified.out, verified.err))
}

/// Runs one system, or the beginning of a long one; what is wrong with it, if anything.
fn complaint(name: &str) -> Option<String> {
    if CHECKED.contains(&name) {
        let checked = percuss(folder().path(), &["check", name, "--quiet"]);
        return (checked.status != 0).then(|| format!("{name}: {}", checked.err));
    }
    if let Some((name, set)) = short().find(|(long, _)| *long == name) {
        return early_complaint(name, &set);
    }
    whole_complaint(name)
}

/// Runs one system from beginning to end with its cases and studies; what is wrong with it, if anything.
fn whole_complaint(name: &str) -> Option<String> {
    let folder = folder();
    let ran = percuss(
        folder.path(),
        &["run", name, "-o", "run", "--json", "--quiet"],
    );
    if let Some((_, words)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        let said = words.iter().all(|word| ran.err.contains(word));
        return (ran.status != 2 || !said).then(|| {
            format!(
                "{name}: status {}, not refused as it should be: {}",
                ran.status, ran.err
            )
        });
    }
    let summary = ran.json();
    let failed: Vec<String> = summary["findings"]
        .as_array()?
        .iter()
        .filter(|finding| finding["ok"] == false)
        .map(|finding| format!("{} = {}", finding["name"], finding["value"]))
        .collect();
    let missed = &summary["certificate"]["missed"];
    if ran.status != 0 || !failed.is_empty() || missed != 0 {
        return Some(format!(
            "{name}: status {}, missed {missed}, not met: {}",
            ran.status,
            failed.join("; ")
        ));
    }
    if summary["findings"].as_array().is_none_or(Vec::is_empty) {
        return Some(format!("{name}: it has no findings"));
    }
    if let Some(odd) = warned(name, &ran.err) {
        return Some(odd);
    }
    first_picture(name, folder.path()).or_else(|| unverified(name, folder.path()))
}

/// Draws the first picture that the scene declares.
fn first_picture(name: &str, folder: &std::path::Path) -> Option<String> {
    let file = format!("{}/../scene/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let scene = std::fs::read_to_string(file).expect("the scene is in the repository");
    let declared = ["[[plot]]", "[[picture]]"].map(|table| scene.split(table).nth(1));
    let declared = declared.into_iter().flatten().next();
    let plot = match declared.and_then(|text| text.split('"').nth(1)) {
        Some(plot) => plot,
        // Bodies can be drawn as they are.
        None if scene.starts_with("kind = \"bodies\"") => "picture",
        None => return Some(format!("{name}: it declares no picture")),
    };
    let drawn = percuss(
        folder,
        &["plot", "run", plot, "-o", "picture.svg", "--quiet"],
    );
    let svg = std::fs::read_to_string(folder.join("picture.svg")).unwrap_or_default();
    (drawn.status != 0 || !svg.starts_with("<svg"))
        .then(|| format!("{name}: the picture {plot} was not drawn: {}", drawn.err))
}

/// The names of the built-in systems.
pub fn names() -> Vec<String> {
    let list = percuss(folder().path(), &["examples", "--json"]).json();
    let names: Vec<String> = list["examples"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|example| Some(example["name"].as_str()?.to_string()))
        .collect();
    // The papers' mechanisms and bodies, and those that a user expects to be right.
    assert!(names.len() >= 90, "{names:?}");
    names
}

/// What is wrong with systems, by two workers.
pub fn complaints(
    names: &[String],
    complaint: impl Fn(&str) -> Option<String> + Sync,
) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut complaints = Vec::new();
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            complaints.extend(complaint(name));
        }
        complaints
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().expect("a worker"))
            .collect()
    })
}

#[test]
fn every_built_in_system_shows_what_it_is_known_for() {
    let complaints = complaints(&names(), complaint);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// The nightly list (`./nightly`): every system from beginning to end, with a line for each as it ends. Names in
/// PERCUSS_SYSTEMS, separated by spaces, choose some of them. It is left out of `./test` because it takes hours; the
/// test above runs the same systems, long ones shortened.
#[test]
#[ignore = "takes hours: ./nightly runs it"]
fn every_built_in_system_from_beginning_to_end() {
    let chosen = std::env::var("PERCUSS_SYSTEMS").unwrap_or_default();
    let chosen: Vec<&str> = chosen.split_whitespace().collect();
    let mut names = names();
    if let Some(unknown) = chosen.iter().find(|name| !names.iter().any(|n| n == *name)) {
        panic!("there is no built-in system `{unknown}`; `percuss examples` lists them");
    }
    names.retain(|name| chosen.is_empty() || chosen.contains(&name.as_str()));
    let complaints = complaints(&names, |name| {
        let start = std::time::Instant::now();
        let complaint = whole_complaint(name);
        let seconds = start.elapsed().as_secs_f64();
        let verdict = complaint.as_deref().unwrap_or("ok");
        println!(
            "{name:<24} {seconds:>8.1} s  {}",
            verdict.lines().next().unwrap_or("")
        );
        complaint
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_scene_of_the_tutorial_runs_as_it_says() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/scenes/two-link-arm.toml"
    );
    let folder = folder();
    let ran = percuss(
        folder.path(),
        &["run", file, "-o", "run", "--json", "--quiet"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    let summary = ran.json();
    let findings = summary["findings"].as_array().expect("findings");
    assert!(!findings.is_empty() && findings.iter().all(|f| f["ok"] != false));
}

/// A ball and a pendulum, with steps as long as a tolerance allows.
const VARIABLE: &str = r#"
kind = "mechanism"
title = "Variable steps"
[parameters]
g = 9.81
[[coordinate]]
name = "z"
initial = 1.0
[[coordinate]]
name = "a"
initial = 1.0
[dynamics]
kinetic = "0.5*z_dot^2 + 0.5*a_dot^2"
potential = "g*z - g*cos(a)"
[[contact]]
name = "ground"
gap = "z"
restitution = 0.8
[run]
until = 1.5
step = { tolerance = 1e-7, smallest = 1e-5, largest = 0.05 }
[[finding]]
name = "first"
value = "impact(ground, 1)"
expected = "sqrt(2/g)"
tolerance = 1e-4
[[finding]]
name = "second"
value = "impact(ground, 2)"
expected = "2.6*sqrt(2/g)"
tolerance = 1e-4
[[finding]]
name = "energy_of_flight"
value = "maximum(energy, 0, 0.44) - minimum(energy, 0, 0.44)"
at_most = 0.01
"#;

#[test]
fn variable_steps_are_fine_at_impacts_and_long_between_them() {
    let folder = folder();
    std::fs::write(folder.path().join("variable.toml"), VARIABLE).expect("a scene");
    let ran = percuss(
        folder.path(),
        &["run", "variable.toml", "-o", "run", "--json", "--quiet"],
    );
    assert_eq!(ran.status, 0, "{} {}", ran.out, ran.err);
    let steps = ran.json()["certificate"]["steps"]
        .as_u64()
        .expect("a number");
    // With the smallest step everywhere there would be 150,000.
    assert!((100..5000).contains(&steps), "{steps}");
}

#[test]
fn a_run_that_need_not_have_gone_on_so_says_what_else_was_possible() {
    let folder = folder();
    let args = [
        "run",
        "painleve-rod",
        "-o",
        "run",
        "--no-findings",
        "--json",
        "--quiet",
    ];
    let ran = percuss(folder.path(), &args);
    let place = &ran.json()["nonunique"][0];
    assert_eq!(
        (&place["contact"], &place["outcomes"]),
        (&"tip".into(), &"two".into())
    );
    // The tip at rest: v⁺ by hand. It is evaluated half a step of 1e-4 on, where the angle is the same.
    let expected = [-0.5625, 0.324_759_526_419_164_5, 1.299_038_105_676_657_8];
    for (k, exact) in expected.into_iter().enumerate() {
        let found = place["jump"][k][1].as_f64().expect("a velocity");
        assert!((found - exact).abs() < 1e-8, "{place}");
    }
}
