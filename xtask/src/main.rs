//! The checks of the repository, run as `cargo xtask <name>`.
//!
//! Each check looks at one property of the tree and answers with a list of findings: sentences that
//! name the place, what is wrong there, and what to do. An empty list is a pass. `check` runs all of
//! them after the compiler's own tools, and never stops at the first failure, so that one run shows
//! all there is to mend.

mod architecture;
mod crates;
mod features;
mod files;
mod hashes;
mod licences;
mod links;
mod locks;
mod modules;
mod packages;
mod papers;
mod rust_version;
mod schema;
mod sizes;
mod steps;
mod syntax;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a check found wrong; empty when it passes.
type Findings = Vec<String>;

/// What a check says: findings, at which it fails, and warnings, at which it does not.
#[derive(Debug, Default)]
struct Report {
    findings: Findings,
    warnings: Vec<String>,
}

impl From<Findings> for Report {
    fn from(findings: Findings) -> Self {
        let warnings = Vec::new();
        Self { findings, warnings }
    }
}

/// A check ends with its findings, or with a sentence saying why it could not be carried out.
type Outcome = Result<Findings, String>;

const USAGE: &str = "\
usage: cargo xtask <check>

  check         everything below, after rustfmt, clippy and rustdoc
  sizes         Rust files of at most 700 lines, functions of at most 120; warnings above 400 and 60
  modules       no circles between the top-level modules of a crate but the listed ones
  architecture  who matches on contact laws, contains unsafe, depends on which crate: as listed
  licences      every dependency from crates.io, under a licence of the allow list
  rust-version  the declared rust-version is enough for every dependency
  features      the tests and the Python package build their dependencies with the same features
  locks         the lock file of the benchmarks knows every dependency of the crates
  packages      manifests are complete, and every package holds the files that it is built from
  words         no machine paths, unfinished macros or private registries in the tree
  paths         paths in ARCHITECTURE.md and relative links in Markdown files exist
  papers        docs/papers.md has no blank cell; the scenes, findings, tests and files that it names exist
  schema        docs/records.md is what the code says; with --write it is made so

Not among them:

  hashes        states of all built-in systems, bit for bit as in tests/hashes.txt; with --write they are taken anew

Exit status: 0 all well, 1 something was found, 2 wrong use of this command.
";

/// The repository's root: the folder above this package.
fn repository_root() -> PathBuf {
    // `cargo run` sets the variable; the compile-time value serves a binary started by hand.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

fn main() -> ExitCode {
    let root = repository_root();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match words.as_slice() {
        ["check"] => steps::check_all(&root),
        ["sizes"] => steps::run("sizes", || sizes::check(&root)),
        ["modules"] => steps::run("modules", || modules::check(&root)),
        ["architecture"] => steps::run("architecture", || architecture::check(&root)),
        ["licences"] => steps::run("licences", || licences::check(&root)),
        ["rust-version"] => steps::run("rust-version", || rust_version::check(&root)),
        ["features"] => steps::run("features", || features::check(&root)),
        ["locks"] => steps::run("locks", || locks::check(&root)),
        ["packages"] => steps::run("packages", || packages::check(&root)),
        ["words"] => steps::run("words", || words::check(&root)),
        ["papers"] => steps::run("papers", || papers::check(&root)),
        ["schema"] => steps::run("schema", || schema::check(&root)),
        ["schema", "--write"] => steps::run("schema", || schema::write(&root)),
        ["hashes"] => steps::run("hashes", || hashes::check(&root)),
        ["hashes", "--write"] => steps::run("hashes", || hashes::write(&root)),
        ["paths"] => steps::run("paths", || links::check(&root)),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    }
}
