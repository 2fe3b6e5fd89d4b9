//! Running checks one after the other and printing one line for each.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::{Outcome, Report, architecture, features, licences, links, locks};
use crate::{modules, packages, papers, rust_version, schema, sizes, words};

/// Width of the column of names: the longest, `rust-version`, and a space.
const NAME_WIDTH: usize = 13;

/// Warnings that are printed; the others are only counted.
const PRINTED_WARNINGS: usize = 20;

/// Runs one check, prints `name OK (seconds)` or what is wrong, and says whether it passed.
///
/// Warnings are printed and counted; they do not make a check fail.
pub fn run<R: Into<Report>>(name: &str, check: impl FnOnce() -> Result<R, String>) -> bool {
    print!("{name:<NAME_WIDTH$}");
    // The name appears before the work, so that a long step does not look like a hang. A closed
    // pipe is no reason to leave the check undone.
    let _ = std::io::stdout().flush();
    let start = Instant::now();
    let outcome = check();
    let seconds = start.elapsed().as_secs_f64();
    match outcome.map(Into::into) {
        Ok(report) => {
            let Report { findings, warnings } = &report;
            println!("{}", headline(findings.len(), warnings.len(), seconds));
            for line in findings.iter().cloned().chain(shown(warnings)) {
                println!("  {line}");
            }
            findings.is_empty()
        }
        Err(reason) => {
            println!("FAILED: {reason}");
            false
        }
    }
}

/// What stands behind the name of a check that could be carried out.
fn headline(findings: usize, warnings: usize, seconds: f64) -> String {
    let warned = match warnings {
        0 => String::new(),
        1 => ", 1 warning".to_string(),
        many => format!(", {many} warnings"),
    };
    if findings == 0 {
        format!("OK ({seconds:.1} s{warned})")
    } else {
        format!("FAILED ({findings} found{warned})")
    }
}

/// The lines for warnings: the first ones, and how many more there are.
fn shown(warnings: &[String]) -> Vec<String> {
    let first = warnings.iter().take(PRINTED_WARNINGS);
    let mut lines: Vec<String> = first.map(|warning| format!("warning: {warning}")).collect();
    let more = warnings.len().saturating_sub(PRINTED_WARNINGS);
    if more > 0 {
        lines.push(format!("and {more} more warnings"));
    }
    lines
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
        run("modules", || modules::check(root)),
        run("architecture", || architecture::check(root)),
        run("licences", || licences::check(root)),
        run("rust-version", || rust_version::check(root)),
        run("features", || features::check(root)),
        run("locks", || locks::check(root)),
        run("packages", || packages::check(root)),
        run("words", || words::check(root)),
        run("paths", || links::check(root)),
        run("papers", || papers::check(root)),
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
    use crate::Findings;

    #[test]
    fn a_check_passes_only_without_findings_and_without_an_error() {
        let error: Outcome = Err("could not look".to_string());
        assert!(run("a", || Ok(Findings::new())));
        assert!(!run("b", || Ok(vec!["something".to_string()])));
        assert!(!run("c", || error));
    }

    #[test]
    fn warnings_are_counted_and_do_not_fail_a_check() {
        let warnings: Vec<String> = (0..23).map(|k| format!("w{k}")).collect();
        let findings = Findings::new();
        let report = Report { findings, warnings };
        let lines = shown(&report.warnings);
        assert_eq!(lines.len(), 21);
        assert_eq!(
            (lines[19].as_str(), lines[20].as_str()),
            ("warning: w19", "and 3 more warnings")
        );
        assert!(run("a", || Ok(report)));
        assert_eq!(headline(0, 23, 0.5), "OK (0.5 s, 23 warnings)");
        assert_eq!(headline(2, 0, 0.5), "FAILED (2 found)");
    }

    #[test]
    fn a_failing_cargo_command_is_a_finding_that_carries_its_message() {
        let folder = tempfile::tempdir().unwrap();
        let findings = cargo(folder.path(), "no-such-subcommand", &[]).unwrap();
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("no-such-subcommand"), "{findings:?}");
    }
}
