//! Every program of `examples/` runs to its end, with the assertions in it, and is short; the README of the repository
//! shows one of them word by word, so that its snippet compiles.

use std::path::Path;

/// A test for each example, compiled into this program: `cargo test --tests` does not link examples.
macro_rules! examples {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!("../../examples/", stringify!($name), ".rs"));

            #[test]
            fn runs() {
                main().unwrap();
            }
        })*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

examples! {
    bouncing_ball
    disc_on_floor
    door_with_stop
    mechanism_from_closures
    newtons_cradle
    pendulum_from_expressions
    sliding_block
    solve_problem
    wall
}

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_example_is_run_short_and_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = std::fs::read_dir(folder).unwrap();
    let mut found: Vec<String> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, NAMES);
    let readme = text("README.md");
    for name in NAMES {
        let lines = text(&format!("examples/{name}.rs")).lines().count();
        assert!(lines <= 60, "{name} has {lines} lines");
        assert!(
            readme.contains(&format!("`{name}`")),
            "{name} is not in README.md"
        );
    }
    assert!(text("examples/disc_on_floor.rs").lines().count() <= 12);
}

#[test]
fn both_readmes_show_the_disc_on_the_floor() {
    let program = text("examples/disc_on_floor.rs");
    assert!(text("../../README.md").contains(&format!("```rust\n{program}```")));
    assert!(text("README.md").contains(program.trim_end()));
}
