//! Running checks one after the other and printing one line for each.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::{Outcome, features, licences, links, locks, rust_version, schema, sizes, words};

/// Width of the column of names: the longest, `rust-version`, and a space.
const NAME_WIDTH: usize = 13;

/// Runs one check, prints `name OK (seconds)` or what is wrong, and says whether it passed.
pub fn run(name: &str, check: impl FnOnce() -> Outcome) -> bool {
    print!("{name:<NAME_WIDTH$}");
    // The name appears before the work, so that a long step does not look like a hang. A closed
    // pipe is no reason to leave the check undone.
    let _ = std::io::stdout().flush();
    let start = Instant::now();
    let outcome = check();
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(findings) if findings.is_empty() => {
            println!("OK ({seconds:.1} s)");
            true
        }
        Ok(findings) => {
            println!("FAILED ({} found)", findings.len());
            for finding in findings {
                println!("  {finding}");
            }
            false
        }
        Err(reason) => {
            println!("FAILED: {reason}");
            false
        }
    }
}

/// Runs every check of the repository; true when all of them passed.
pub fn check_all(root: &Path) -> bool {
    // The profile of the tests: build scripts and procedural macros are compiled once for all.
    let clippy = "clippy --quiet --release --workspace --all-targets -- -D warnings";
    let passed = [
        run("fmt", || cargo(root, "fmt --all -- --check", &[])),
        run("clippy", || cargo(root, clippy, &[])),
        run("doc", || {
            let deny = [("RUSTDOCFLAGS", "-D warnings")];
            cargo(root, "doc --quiet --release --workspace --no-deps", &deny)
        }),
        run("sizes", || sizes::check(root)),
        run("licences", || licences::check(root)),
        run("rust-version", || rust_version::check(root)),
        run("features", || features::check(root)),
        run("locks", || locks::check(root)),
        run("words", || words::check(root)),
        run("paths", || links::check(root)),
        run("schema", || schema::check(root)),
    ];
    let failed = passed.iter().filter(|ok| !**ok).count();
    if failed == 0 {
        println!("check: all {} passed", passed.len());
    } else {
        println!("check: {failed} of {} failed", passed.len());
    }
    failed == 0
}

/// Runs `cargo <arguments>` in the root; its output becomes the finding when it fails.
fn cargo(root: &Path, arguments: &str, environment: &[(&str, &str)]) -> Outcome {
    // Cargo names itself in this variable for what it runs; the same version does the checking.
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program)
        .args(arguments.split_whitespace())
        .envs(environment.iter().copied())
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo {arguments} could not be started: {error}"))?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    Ok(vec![format!(
        "cargo {arguments} ended with {}:\n{}",
        output.status,
        text.trim_end()
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_passes_only_without_findings_and_without_an_error() {
        assert!(run("a", || Ok(Vec::new())));
        assert!(!run("b", || Ok(vec!["something".to_string()])));
        assert!(!run("c", || Err("could not look".to_string())));
    }

    #[test]
    fn a_failing_cargo_command_is_a_finding_that_carries_its_message() {
        let folder = tempfile::tempdir().unwrap();
        let findings = cargo(folder.path(), "no-such-subcommand", &[]).unwrap();
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("no-such-subcommand"), "{findings:?}");
    }
}
