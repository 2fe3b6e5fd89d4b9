//! Scenes for tests, with answers in closed form.

use std::path::Path;

/// A ball dropped from 1 m: it touches the floor at sqrt(2/g) with the speed sqrt(2 g).
pub const BALL: &str = r#"
kind = "mechanism"
title = "A ball dropped on a floor"
source = "a test"

[parameters]
g = 9.81
e = 0.5

[[coordinate]]
name = "z"
initial = 1.0

[dynamics]
kinetic = "0.5*z_dot^2"
potential = "g*z"

[[contact]]
name = "floor"
gap = "z"
restitution = "e"

[run]
until = 1.0
step = 1e-3

[[case]]
name = "soft"
set = { e = 0 }

[[study]]
name = "rebounds"
vary = { e = [0.25, 0.5, 0.75] }
observe = { height = "maximum(z, 0.5, 1)" }

[[finding]]
name = "first_impact"
value = "impact(floor, 1)"
expected = "sqrt(2/g)"
tolerance = "3*h"
source = "free fall"

[[finding]]
name = "highest"
value = "maximum(z)"

[[plot]]
name = "heights"
title = "Height with and without rebound"
y = "z"
y_label = "height"
cases = ["main", "soft"]

[[plot]]
name = "rebounds"
study = "rebounds"
x = "e"
y = "height"
kind = "points"
"#;

/// The square root of a negative number comes up after t = 0.5.
pub const UNTIL_HALF: &str = r#"
kind = "mechanism"
title = "A force that ends"
[[coordinate]]
name = "x"
[dynamics]
kinetic = "0.5*x_dot^2"
[dynamics.forces]
x = "sqrt(0.5 - t)"
[run]
until = 1.0
step = 1e-2
"#;

/// A block on a slope below its friction angle, with a case that slides.
pub const SLOPE: &str = r#"
kind = "bodies"
title = "A block on a slope"
source = "a test"

[parameters]
mu = 0.5
slope = 0.3

[world]
dimension = 2
gravity = ["10*sin(slope)", "-10*cos(slope)"]

[[material]]
name = "stone"
density = 2400

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
shape = { box = [0.2, 0.1] }
material = "stone"
position = [0, 0.05]

[[watch]]
name = "foot"
between = ["block", "floor"]

[run]
until = 0.5
step = 1e-2

[[case]]
name = "ice"
set = { mu = 0 }

[[finding]]
name = "creep"
value = "final(block_x)"
expected = 0
tolerance = 1e-9
source = "mu > tan slope"

[[finding]]
name = "slide"
case = "ice"
value = "final(block_x)"
expected = "0.5*10*sin(slope)*0.25"
tolerance = 1e-6

[[finding]]
name = "contacts"
value = "maximum(contacts_foot)"
"#;

/// Writes a text file and gives its name.
pub fn put<'a>(folder: &Path, name: &'a str, text: &str) -> &'a str {
    std::fs::write(folder.join(name), text).expect("writable");
    name
}

/// A scene with one of its texts replaced, which must be there.
pub fn with(scene: &str, from: &str, to: &str) -> String {
    assert!(scene.contains(from), "{from}");
    scene.replacen(from, to, 1)
}

/// The rows of a CSV text below its heading.
pub fn rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip(1);
    lines
        .map(|l| l.split(',').map(String::from).collect())
        .collect()
}

/// A cell as a number.
pub fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("a number: {cell}"))
}

/// Discs in a row on a floor, for as long as one likes.
pub fn discs(steps: usize) -> String {
    format!(
        r#"kind = "bodies"
title = "Discs"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "m"
density = 1
[[law]]
between = ["m", "m"]
friction = 0.5
[[body]]
name = "floor"
shape = {{ half_plane = [0, 1] }}
material = "m"
fixed = true
[[grid]]
name = "discs"
radius = 0.1
counts = [20, 1]
spacing = 0.3
origin = [0, 0.1]
material = "m"
[run]
until = {}
step = 1e-3
"#,
        steps as f64 * 1e-3
    )
}

/// Runs a scene into a directory, without findings.
pub fn recorded(folder: &Path, text: &str, directory: &str) {
    std::fs::write(folder.join("scene.toml"), text).expect("written");
    let ran = super::percuss(
        folder,
        &["run", "scene.toml", "-o", directory, "-q", "--no-findings"],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
}
