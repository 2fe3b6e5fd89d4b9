//! How long it takes to make large collections from text.

use std::fmt::Write as _;
use std::time::Instant;

use percuss_scene::{Scene, SceneError};

const HEAD: &str = r#"kind = "bodies"
[world]
dimension = 2
[[material]]
name = "stone"
density = 2400
[[law]]
between = ["any", "any"]
[run]
until = 1
step = 0.01
"#;

fn timed(what: &str, text: &str) -> Result<(), SceneError> {
    let begin = Instant::now();
    let scene = Scene::parse("speed", "speed.toml", text)?;
    let read = begin.elapsed();
    let collection = scene.build_bodies()?;
    let bodies = collection.names().bodies.len();
    let all = begin.elapsed();
    println!(
        "{what}: {bodies} bodies, read in {read:.2?}, made in {:.2?}",
        all - read
    );
    Ok(())
}

fn main() -> Result<(), SceneError> {
    let grid =
        "[[grid]]\nname = \"g\"\nradius = 0.1\ncounts = [1000, 1000]\nmaterial = \"stone\"\n";
    timed("a grid", &format!("{HEAD}{grid}"))?;
    let mut text = HEAD.to_string();
    for i in 0..20_000 {
        let _ = write!(
            text,
            "[[body]]\nname = \"b{i}\"\nshape = {{ box = [0.2, \"0.1 + 0.1\"] }}\nmaterial = \
             \"stone\"\nposition = [{i}, 0.5]\n"
        );
    }
    timed("one by one", &text)
}
