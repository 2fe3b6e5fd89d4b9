//! Every program of `examples/` is short, listed in the README and run as a documentation test (`src/examples.rs`); the
//! README of the repository shows one of them word by word, so that its snippet compiles.

use std::path::Path;

/// A file of the crate.
fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The disc on the floor without the line of documentation above it.
fn disc_on_floor() -> String {
    let program = text("examples/disc_on_floor.rs");
    let lines = program.lines().filter(|line| !line.starts_with("//!"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_example_is_run_short_and_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let (readme, run) = (text("README.md"), text("src/examples.rs"));
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let lines = text(&format!("examples/{name}.rs")).lines().count();
        assert!(lines <= 60, "{name} has {lines} lines");
        assert!(
            readme.contains(&format!("`{name}`")),
            "{name} is not in README.md"
        );
        assert!(
            run.contains(&format!("\n    {name}\n")),
            "{name} is not run by src/examples.rs"
        );
        count += 1;
    }
    assert!(count >= 8);
    assert_eq!(disc_on_floor().lines().count(), 12);
}

#[test]
fn both_readmes_show_the_disc_on_the_floor() {
    let program = disc_on_floor();
    assert!(text("../../README.md").contains(&format!("```rust\n{program}```")));
    assert!(text("README.md").contains(&format!("```\n{program}```")));
}
