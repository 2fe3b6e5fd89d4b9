//! tmp
const BALL: &str = r#"kind = "mechanism"
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
include!("/tmp/cases.rs");
fn main() {
    for (name, mutations) in cases() {
        let mut text = BALL.to_string();
        for (a, b) in mutations {
            assert!(text.contains(a), "{name} {a}");
            text = text.replacen(a, b, 1);
        }
        let r = scene::Scene::parse("ball", "ball.toml", &text).and_then(|s| s.build());
        println!("@@{name}\n{}", match r { Ok(_) => "OK!!!!!".to_string(), Err(e) => e.to_string() });
    }
}
