//! Whatever is in a file, reading it ends with a scene or a message, never with a panic.

use percuss_scene::{Scene, SceneError, builtin};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const SEED: &str = r#"
kind = "mechanism"
title = "everything"
[parameters]
m = 1.0
w = "m*9.81"
[[coordinate]]
name = "x"
[[coordinate]]
name = "y"
kind = "angle"
initial = "w/10"
[[coordinate]]
name = "Q"
kind = "orientation"
velocity = [1, 2, 3]
[definitions]
u = "x*cos(y) + Q_31"
[dynamics]
kinetic = "m*x_dot^2 + y_dot^2 + Q_spin_1^2 + Q_spin_2^2 + Q_spin_3^2"
potential = "w*u"
[dynamics.forces]
x = "-x_dot"
Q = [1, 2, 3]
[[contact]]
name = "ground"
gap = "x - sin(t)"
tangent = ["y_dot", "Q_spin_x"]
friction = { polygon = [[1, 0], [0, 1], [-1, -1]] }
dissipation = 0.5
[[contact]]
name = "roll"
gap = "y + 2"
normal = "y_dot"
tangent = ["x_dot", "Q_spin_2"]
friction = 0.3
moment = ["Q_spin_1", "Q_spin_2", "Q_spin_3"]
rolling_friction = 0.1
spinning_friction = 0.1
[[joint]]
name = "rail"
constraint = "x - y"
tangent = "x_dot"
friction = 0.2
[[velocity_constraint]]
name = "skate"
constraint = ["x_dot*sin(y) - y_dot"]
[[nonfirm]]
name = "brake"
constraint = ["y_dot"]
force = { sum = [{ between = [-1, 2] }, { ball = "m" }] }
[impact]
law = "canonical"
restitution = 0.5
[run]
until = 2.0
step = { tolerance = 1e-6, smallest = 1e-6, largest = 1e-2 }
[[case]]
name = "fine"
set = { step = 1e-4, integrator = "event" }
[[study]]
name = "many"
vary = { m = { from = 1, to = 2, count = 3 } }
observe = { a = "final(x)" }
[[finding]]
name = "end"
value = "final(x)"
between = [-1, 1]
[[plot]]
name = "path"
x = "x"
y = ["y", "u"]
"#;

/// Words that mutations put in.
const WORDS: [&str; 24] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "\"\"",
    "[]",
    "{}",
    "[[",
    "]]",
    "=",
    "\"x_dot^2\"",
    "true",
    "\"1/0\"",
    "\"t\"",
    "\"Q_w\"",
    "[[contact]]\n",
    "[run]\n",
    "\"sqrt(-1)\"",
    "\"((((\"",
    "\\",
    "\"\"\"",
    "18446744073709551616",
    "0x7f",
];

fn read(text: &str) -> Result<(), SceneError> {
    let scene = Scene::parse("fuzz", "fuzz.toml", text)?;
    let _ = scene.with_overrides(&[("step", "1e-3"), ("m", "2")]);
    let mut built = scene.build_mechanism()?;
    // Whatever was accepted can be evaluated, or says why not.
    use percuss_mechanism::System;
    let (n, k) = (built.initial.v.len(), built.system.constraints().len());
    let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
    let state = built.initial.clone();
    let _ = built
        .system
        .dynamics(state.t, &state.q, &state.v, &mut mass, &mut force);
    for i in 0..k {
        let rows = built.system.constraints()[i].rows;
        let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
        let _ = built.system.rows(i, state.t, &state.q, &mut g, &mut w);
        let at = percuss_mechanism::StateRef {
            t: state.t,
            q: &state.q,
            v: &state.v,
        };
        let _ = built
            .system
            .law(i, at, 1e-3, percuss_contact::law::Status::Slip);
        let _ = built.system.restitution(i, at);
    }
    Ok(())
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1999),
        ..ProptestConfig::default()
    }
}

/// The text with the character range of one token replaced by a word or removed.
fn mutate(text: &str, place: usize, length: usize, word: Option<&str>) -> String {
    let letters: Vec<char> = text.chars().collect();
    let start = place % letters.len();
    let end = (start + length).min(letters.len());
    let head = letters[..start].iter();
    let middle = word.unwrap_or("").chars();
    head.copied()
        .chain(middle)
        .chain(letters[end..].iter().copied())
        .collect()
}

#[test]
fn the_unchanged_text_is_a_scene() {
    read(SEED).unwrap_or_else(|error| panic!("{error}"));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutated_scenes_are_read_or_refused(
        edits in proptest::collection::vec((any::<usize>(), 0..12_usize, 0..WORDS.len() + 1), 1..4),
    ) {
        let mut text = SEED.to_string();
        for (place, length, word) in edits {
            text = mutate(&text, place, length, WORDS.get(word).copied());
        }
        if let Err(error) = read(&text) {
            prop_assert!(error.to_string().starts_with("fuzz.toml"), "{error}");
        }
    }

    #[test]
    fn lines_exchanged_or_dropped_are_read_or_refused(
        edits in proptest::collection::vec((any::<usize>(), any::<usize>()), 1..6),
        drop in any::<bool>(),
    ) {
        let mut lines: Vec<&str> = SEED.lines().collect();
        for (a, b) in edits {
            let (a, b) = (a % lines.len(), b % lines.len());
            match drop {
                true => { lines.remove(a); }
                false => lines.swap(a, b),
            }
        }
        let _ = read(&lines.join("\n"));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        prop_assert!(read(&text).is_err());
    }
}

#[test]
fn built_in_scenes_with_any_line_missing_are_read_or_refused() {
    for name in builtin::names() {
        let text = builtin::text(name).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for skipped in (0..lines.len()).step_by(7) {
            let mut rest = lines.clone();
            rest.remove(skipped);
            let _ = Scene::parse(name, name, &rest.join("\n"));
        }
    }
}
