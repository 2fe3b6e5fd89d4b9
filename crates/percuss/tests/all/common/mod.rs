//! A small scene and what becomes of it when it is edited.

use percuss_scene::Scene;

/// A ball above the ground.
pub const BALL: &str = r#"kind = "mechanism"
title = "A ball dropped on the ground"

[parameters]
m = 1.0
g = 9.81
weight = "m*g"

[[coordinate]]
name = "z"
initial = 1.0
velocity = 0.0

[dynamics]
kinetic = "0.5*m*z_dot^2"
potential = "weight*z"

[[contact]]
name = "ground"
gap = "z"
restitution = 0.5

[run]
until = 2.0
step = 1e-3
"#;

/// The ball with each first text replaced by the second.
pub fn edited(edits: &[(&str, &str)]) -> String {
    let mut text = BALL.to_string();
    for (old, new) in edits {
        assert!(text.contains(old), "the scene has no `{old}`");
        text = text.replacen(old, new, 1);
    }
    text
}

/// The edited ball must be refused with exactly this message.
pub fn refused(edits: &[(&str, &str)], message: &str) {
    let scene = Scene::parse("ball", "ball.toml", &edited(edits));
    let error = scene.and_then(|scene| scene.build_mechanism()).unwrap_err();
    assert_eq!(error.to_string(), message);
}
