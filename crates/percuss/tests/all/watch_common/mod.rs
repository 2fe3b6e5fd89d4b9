//! Small collections and their runs.

use percuss_record::NullObserver;
use percuss_run::finding::Finding;
use percuss_run::{BodiesOutcome, ObservableRequest, Threads, Value};
use percuss_scene::Scene;

/// A floor, gravity and a stone block of 2 kg on it, one metre wide.
pub const BLOCK: &str = r#"kind = "bodies"
[parameters]
g = 10.0
mu = 0.5
[world]
dimension = 2
gravity = [0, "-g"]
[[material]]
name = "stone"
[[law]]
between = ["stone", "stone"]
friction = "mu"
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [1, 0.5] }
material = "stone"
mass = 2
position = [0, 0.25]
[[watch]]
name = "foot"
between = ["block", "floor"]
[run]
until = 0.1
step = 1e-2
activation = "gap"
"#;

/// A ball of radius 0.5 whose foot is 1 m above the floor.
pub const BALL: &str = r#"kind = "bodies"
[parameters]
g = 10.0
e = 0.0
mu = 0.0
height = 1.5
speed = 0.0
[world]
dimension = 2
gravity = [0, "-g"]
[[material]]
name = "rubber"
[[law]]
between = ["rubber", "rubber"]
restitution = "e"
friction = "mu"
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "rubber"
fixed = true
[[body]]
name = "ball"
shape = { disc = 0.5 }
material = "rubber"
mass = 2
position = [0, "height"]
velocity = ["speed", 0]
[[watch]]
name = "ground"
between = ["floor", "ball"]
[run]
until = 1.0
step = 1e-3
activation = "gap"
"#;

/// A text with each first text replaced by the second.
pub fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    let mut text = text.to_string();
    for (old, new) in edits {
        assert!(text.contains(old), "the scene has no `{old}`");
        text = text.replacen(old, new, 1);
    }
    text
}

pub fn parsed(text: &str) -> Scene {
    Scene::parse("test", "test.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a scene and keeps these observables.
pub fn observed(text: &str, observables: &[&str]) -> BodiesOutcome {
    let scene = parsed(text);
    let collection = scene
        .build_bodies()
        .unwrap_or_else(|error| panic!("{error}"));
    let wanted = ObservableRequest {
        observables: observables.iter().map(|text| text.to_string()).collect(),
        ..ObservableRequest::default()
    };
    let one = Threads::new(1);
    percuss_run::run_bodies(
        &scene,
        collection,
        &wanted,
        one,
        &mut NullObserver,
        &mut |_| true,
    )
}

/// The series of an observable of a run that went well.
pub fn series<'a>(outcome: &'a BodiesOutcome, text: &str) -> &'a [f64] {
    if let Some(stop) = &outcome.stopped {
        panic!("{stop}");
    }
    outcome
        .series_of(text)
        .unwrap_or_else(|| panic!("no series `{text}`"))
}

/// The last values of observables.
pub fn last<const N: usize>(text: &str, observables: [&str; N]) -> [f64; N] {
    let outcome = observed(text, &observables);
    observables.map(|of| *series(&outcome, of).last().expect("a state"))
}

/// The findings of a scene, run as the command runs it.
pub fn findings(text: &str, threads: usize) -> Vec<Finding> {
    let scene = parsed(text);
    let collection = scene
        .build_bodies()
        .unwrap_or_else(|error| panic!("{error}"));
    percuss_run::check_collection(&scene, &collection).unwrap_or_else(|error| panic!("{error}"));
    let wanted = percuss_run::observable_request(&scene, &collection)
        .unwrap_or_else(|error| panic!("{error}"));
    let threads = Threads::new(threads);
    let sink = &mut NullObserver;
    let outcome =
        percuss_run::run_bodies(&scene, collection, &wanted, threads, sink, &mut |_| true);
    percuss_run::evaluate_bodies_findings(&scene, &outcome, threads, &mut |_, _| true)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The value of one value expression on the main run of a scene.
pub fn found(text: &str, value: &str) -> Result<Value, String> {
    let text = format!("{text}\n[[finding]]\nname = \"asked\"\nvalue = '''{value}'''\n");
    let finding = findings(&text, 1)
        .into_iter()
        .next_back()
        .expect("a finding");
    finding
        .value
        .ok_or_else(|| finding.reason.unwrap_or_default())
}

pub fn number(text: &str, value: &str) -> f64 {
    match found(text, value) {
        Ok(Value::Number(number)) => number,
        other => panic!("`{value}`: a number was expected, not {other:?}"),
    }
}

/// The message with which a scene is refused when it is checked.
pub fn refusal(text: &str) -> String {
    let scene = parsed(text);
    let checked = scene
        .build_bodies()
        .and_then(|collection| percuss_run::check_collection(&scene, &collection));
    checked.expect_err("a refusal").to_string()
}
