//! Small scenes of bodies and what becomes of them when they are edited.

pub mod everything;

use percuss_bodies::{Plane, Space};
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{Scene, SceneError};

/// A block above a floor.
pub const BLOCK: &str = r#"kind = "bodies"
title = "A block on a slope"

[parameters]
mu = 0.5
slope = 0.3

[world]
dimension = 2
gravity = ["9.81*sin(slope)", "-9.81*cos(slope)"]

[[material]]
name = "stone"
density = 2400

[[law]]
between = ["stone", "stone"]
friction = "mu"

[[body]]
name = "ground"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true

[[body]]
name = "block"
shape = { box = [0.2, 0.1] }
material = "stone"
position = [0, 0.05]

[run]
until = 2.0
step = 1e-3
"#;

/// A ball above a floor in space.
pub const BALL: &str = r#"kind = "bodies"

[parameters]
r = 0.5

[world]
dimension = 3
gravity = [0, 0, -10]

[[material]]
name = "steel"
density = 3

[[law]]
between = ["any", "any"]
friction = 0.3

[[body]]
name = "ground"
shape = { half_space = [0, 0, 1] }
material = "steel"
fixed = true

[[body]]
name = "ball"
shape = { sphere = "r" }
material = "steel"
position = [1, 2, 3]

[run]
until = 1
step = 0.01
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

/// The collection of a text.
pub fn collection(text: &str) -> Result<BuiltBodies, SceneError> {
    Scene::parse("crowd", "crowd.toml", text)?.build_bodies()
}

/// The collection of a text in the plane.
pub fn plane(text: &str) -> BodiesSetup<Plane> {
    match collection(text).unwrap_or_else(|error| panic!("{error}")) {
        BuiltBodies::Plane(assembly) => assembly,
        BuiltBodies::Space(_) => panic!("this is in space"),
    }
}

/// The collection of a text in space.
pub fn space(text: &str) -> BodiesSetup<Space> {
    match collection(text).unwrap_or_else(|error| panic!("{error}")) {
        BuiltBodies::Space(assembly) => assembly,
        BuiltBodies::Plane(_) => panic!("this is in the plane"),
    }
}

/// What is said about a text that is refused.
pub fn error_message(text: &str) -> String {
    match collection(text) {
        Ok(_) => panic!("this was not refused:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The edited block must be refused with exactly this message.
pub fn refused(edits: &[(&str, &str)], message: &str) {
    assert_eq!(error_message(&edited(BLOCK, edits)), message);
}

/// The edited ball must be refused with exactly this message.
pub fn refused_in_space(edits: &[(&str, &str)], message: &str) {
    assert_eq!(error_message(&edited(BALL, edits)), message);
}

/// The number of a body.
pub fn number(assembly_names: &[String], name: &str) -> usize {
    let found = assembly_names.iter().position(|known| known == name);
    found.unwrap_or_else(|| panic!("there is no body {name}"))
}
