//! Whatever is in a file of bodies, reading it ends with a collection or a message, never with a
//! panic; what is accepted can be taken over by a world.

use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{Scene, SceneError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const PLANE: &str = r#"kind = "bodies"
[parameters]
mu = 0.5
a = "mu/5"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "stone"
density = 2000
[[material]]
name = "steel"
[[law]]
between = ["any", "any"]
friction = { plus = 0.2, minus = "mu" }
[[law]]
between = ["steel", "stone"]
friction = { static = 0.3, dynamic = 0.2 }
dissipation = 0.5
[[body]]
name = "slope"
shape = { half_plane = [-3, 4] }
material = "stone"
motion = [{ x = "a*sin(t)", angle = "t^2" }, { y = "if(t < 1, t, 1)" }]
[[body]]
name = "bowl"
shape = { chain = [[2, 0], [1, -1], [0, 0]], closed = true }
material = "stone"
fixed = true
mass = 3
[[body]]
name = "lid"
shape = { half_plane = [0, -1] }
material = "steel"
free = ["y"]
mass = 7
force = [0, "-2*vy*t"]
[[body]]
name = "wedge"
shape = { polygon = [[3, 0], [6, 0], [3, 3]] }
material = "stone"
angle = "pi/2"
spin = 2
velocity = [1, -1]
[[body]]
name = "disc"
shape = { disc = 0.5 }
material = "steel"
mass = 8
inertia = 2
force = ["x", "-m*t"]
torque = "spin + angle"
at = [0, 0.5]
[[wall]]
name = "wall"
block = [0.6, 0.4]
courses = 2
length = 1.2
origin = [10, 0]
material = "stone"
vary = 0.01
[[arch]]
name = "arch"
radius = 4
thickness = 1
voussoirs = 3
span = 3
material = "stone"
[[grid]]
name = "grid"
radius = { mix = [[0.1, 1], [0.2, 2]] }
shape = "polygon"
corners = [4, 6]
counts = [2, 2]
jitter = 0.001
material = "stone"
density = 10
[[packing]]
name = "gas"
radius = { normal = [0.1, 0.01], between = [0.05, 0.2] }
low = [70, 0]
high = [75, 5]
fraction = 0.05
material = "stone"
[[deposit]]
name = "heap"
radius = { by_area = [0.05, 0.1] }
count = 10
low = [90, 0]
high = [91, 10]
material = "stone"
[[group]]
name = "some"
bodies = ["wedge", "wall"]
[[region]]
name = "layer"
low = ["-inf", 0]
high = ["inf", "10 + t"]
of = "some"
slices = { axis = "y", count = 4 }
[[watch]]
name = "sole"
between = ["some", "slope"]
[[field]]
force = ["-x", "vx*m"]
bodies = ["some"]
per = "mass"
[[drag]]
coefficient = 0.5
spin_coefficient = 0.1
[[picture]]
name = "end"
at = [0, 1]
colour = "speed"
low = [-1, -1]
high = [1, 1]
[[prepare]]
name = "settle"
until = 0.5
set = { mu = 0.1 }
free = { bowl = ["x"] }
fixed = ["disc"]
rest = true
[run]
until = 2.0
step = 1e-3
activation = "predicted"
solver = "nlgs"
overlap = 1e-5
relax = true
stop = "contacts > 3"
"#;

const SPACE: &str = r#"kind = "bodies"
[parameters]
mu = 0.5
[world]
dimension = 3
gravity = [0, 0, -9.81]
[[material]]
name = "wood"
density = 600
[[law]]
between = ["wood", "wood"]
friction = { polygon = [[1, 0], [0, 1], [-1, -1]], along = [2, 0, 0] }
restitution = 0.1
[[body]]
name = "ground"
shape = { half_space = [1, 0, 1] }
material = "wood"
motion = { z = "mu*t", turn = { axis = [1, 1, 0], angle = "t^2" } }
[[body]]
name = "box"
shape = { box = [1, 2, 3] }
material = "wood"
orientation = [1, 0, 0, 1]
force = [0, 0, "spin_x + vz"]
torque = [1, 2, "x"]
at = [0.5, 0, 0]
[[body]]
name = "log"
shape = { cylinder = [2, 0.25] }
material = "wood"
mass = 12
inertia = [3, 3, 1]
free = ["x", "turn_z"]
rotation = { axis = [0, 0, 1], angle = 2 }
spin = [0, 0, 1]
[[body]]
name = "corner"
shape = { polyhedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }
material = "wood"
[[body]]
name = "cube"
shape = { polyhedron = [[0,0,0],[2,0,0],[0,2,0],[0,0,2]], faces = [[0,2,1],[0,1,3],[1,2,3],[0,3,2]] }
material = "wood"
[[body]]
name = "mesh"
shape = { mesh = "none.stl", scale = 2 }
material = "wood"
fixed = true
[[grid]]
name = "grid"
radius = { lognormal = [0.1, 0.2], between = [0.05, 0.2] }
counts = [2, 2, 2]
lattice = "hexagonal"
material = "wood"
fixed = true
[[packing]]
name = "gas"
radius = { uniform = [0.1, 0.2] }
shape = "polyhedron"
corners = [5, 9]
low = [70, 0, 0]
high = [75, 5, 5]
count = 5
seed = 3
material = "wood"
[run]
until = 1
step = 0.01
"#;

/// Words that mutations put in.
const WORDS: [&str; 28] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "1e-308",
    "\"\"",
    "[]",
    "{}",
    "[[",
    "]]",
    "=",
    "[0, 0]",
    "[1, 2, 3]",
    "true",
    "\"1/0\"",
    "\"t\"",
    "\"x\"",
    "[[body]]\n",
    "[run]\n",
    "\"sqrt(-1)\"",
    "\"((((\"",
    "\\",
    "\"\"\"",
    "18446744073709551616",
    "\"stone\"",
    "2",
    "\"any\"",
];

/// Reads a scene and lets a world take over what was accepted.
fn read(text: &str) -> Result<(), SceneError> {
    let scene = Scene::parse("fuzz", "fuzz.toml", text)?;
    let _ = scene.with_overrides(&[("step", "1e-3"), ("mu", "2")]);
    match scene.build_bodies()? {
        BuiltBodies::Plane(assembly) => {
            let _ = percuss_bodies::World::new(assembly.model, assembly.state, assembly.settings);
            for prepare in assembly.prepare {
                assert!(prepare.until > 0.0);
            }
        }
        BuiltBodies::Space(assembly) => {
            let _ = percuss_bodies::World::new(assembly.model, assembly.state, assembly.settings);
        }
    }
    Ok(())
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 600,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1988),
        ..ProptestConfig::default()
    }
}

/// The text with a range of characters replaced by a word or removed.
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

/// A value of the text replaced by a word.
fn exchange(text: &str, place: usize, word: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let at = place % lines.len();
    if let Some((key, _)) = lines[at].split_once(" = ") {
        lines[at] = format!("{key} = {word}");
    }
    lines.join("\n")
}

/// Counts with so many digits that memory would be the judge are left out.
fn modest(text: &str) -> bool {
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.');
    words
        .into_iter()
        .all(|word| digits(word) < 5 || word.contains('e'))
}

#[test]
fn the_unchanged_texts_are_read() {
    read(PLANE).unwrap_or_else(|error| panic!("{error}"));
    let without = SPACE.replace(
        "{ mesh = \"none.stl\", scale = 2 }",
        "{ half_space = [0, 1, 0] }",
    );
    read(&without).unwrap_or_else(|error| panic!("{error}"));
    let error = read(SPACE).unwrap_err().to_string();
    assert!(error.contains("there is no file none.stl"), "{error}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn mutated_scenes_are_read_or_refused(
        edits in proptest::collection::vec((any::<usize>(), 0..12_usize, 0..WORDS.len() + 1), 1..4),
        space in any::<bool>(),
    ) {
        let mut text = if space { SPACE } else { PLANE }.to_string();
        for (place, length, word) in edits {
            text = mutate(&text, place, length, WORDS.get(word).copied());
        }
        prop_assume!(modest(&text));
        if let Err(error) = read(&text) {
            prop_assert!(error.to_string().starts_with("fuzz.toml"), "{error}");
        }
    }

    #[test]
    fn exchanged_values_are_read_or_refused(
        edits in proptest::collection::vec((any::<usize>(), 0..WORDS.len()), 1..3),
        space in any::<bool>(),
    ) {
        let text = if space { SPACE } else { PLANE };
        let text = edits.iter().fold(text.to_string(), |text, (place, word)| {
            exchange(&text, *place, WORDS[*word])
        });
        if let Err(error) = read(&text) {
            prop_assert!(error.to_string().starts_with("fuzz.toml"), "{error}");
        }
    }

    #[test]
    fn lines_exchanged_or_dropped_are_read_or_refused(
        edits in proptest::collection::vec((any::<usize>(), any::<usize>()), 1..6),
        drop in any::<bool>(),
        space in any::<bool>(),
    ) {
        let mut lines: Vec<&str> = if space { SPACE } else { PLANE }.lines().collect();
        for (a, b) in edits {
            let (a, b) = (a % lines.len(), b % lines.len());
            match drop {
                true => { lines.remove(a); }
                false => lines.swap(a, b),
            }
        }
        let _ = read(&lines.join("\n"));
    }
}
