//! One build of the dependencies serves the tests and the Python package.
//!
//! Cargo joins the features that the selected packages ask for. Where the Python package alone asks for fewer
//! of a shared crate than the tests of the workspace do, that crate and everything above it is compiled once more:
//! minutes of every run of `./test`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::{Findings, Outcome};

/// The platform of continuous integration; named, so that the answer is the same everywhere.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Compares the features of what the Python package depends on with those of the tests.
pub fn check(root: &Path) -> Outcome {
    // As ./test selects them.
    let tests = tree(root, "--workspace --exclude xtask --edges normal,build,dev")?;
    let package = tree(root, "--package percuss-python --edges normal,build")?;
    Ok(judge(&tests, &package))
}

/// Lines `name version [features]` of all that a selection builds.
fn tree(root: &Path, selection: &str) -> Result<BTreeSet<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p} [{f}]", "--target", PLATFORM])
        .args(selection.split_whitespace())
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo tree could not be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cargo tree {selection} failed: {}",
            said.trim_end()
        ));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(str::to_string).collect())
}

/// A finding for each crate that the package builds in another way than the tests.
fn judge(tests: &BTreeSet<String>, package: &BTreeSet<String>) -> Findings {
    let other = package.difference(tests).map(|line| {
        let name = line.split('[').next().unwrap_or(line);
        let there = tests.iter().find(|tested| tested.starts_with(name));
        format!(
            "the Python package builds `{line}`, the tests `{}`: ask for the same features in crates/python/Cargo.toml",
            there.map_or("none", String::as_str)
        )
    });
    other.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_built_with_other_features_is_found() {
        let set = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect();
        let tests: BTreeSet<String> = set(&["a v1.0.0 [std]", "b v1.0.0 []", "c v2.0.0 []"]);
        assert!(judge(&tests, &set(&["a v1.0.0 [std]", "b v1.0.0 []"])).is_empty());
        let findings = judge(&tests, &set(&["a v1.0.0 []", "b v1.0.0 []"]));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("`a v1.0.0 []`") && findings[0].contains("`a v1.0.0 [std]`"));
    }
}
