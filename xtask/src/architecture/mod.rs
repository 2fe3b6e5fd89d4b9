//! Sentences of ARCHITECTURE.md that a program can check.
//!
//! Which files ask for the variant of a contact law, which contain `unsafe`, which crate depends on
//! which, and what a crate names of another where that is limited: `xtask/architecture.toml` names
//! them, and the sources must agree in both directions.

mod laws;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use serde::Deserialize;

use crate::crates::{self, Package};
use crate::{Findings, Outcome, files};

const LIST: &str = "xtask/architecture.toml";
/// The module of the contact laws: the one place that is meant to know all variants.
const LAWS: &str = "crates/contact/src/law";

/// What the list says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// Files that match on variants of `contact::law::Law`.
    matches_law: BTreeSet<String>,
    /// Files with the keyword `unsafe`.
    unsafe_files: BTreeSet<String>,
    /// For each crate the crates of the workspace it depends on, tests left out.
    uses: BTreeMap<String, BTreeSet<String>>,
    /// For a crate and one it depends on, all that it names of it; other pairs are free.
    #[serde(default)]
    names: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

/// Compares the sources with the list.
pub fn check(root: &Path) -> Outcome {
    let list: List = files::settings(root, LIST)?;
    let packages = crates::packages(root)?;
    let mut findings = Findings::new();
    judge_files(
        &list.matches_law,
        &matches_law(root, &packages)?,
        &LAW,
        &mut findings,
    );
    judge_files(
        &list.unsafe_files,
        &unsafe_files(root)?,
        &UNSAFE,
        &mut findings,
    );
    judge_uses(&list.uses, &uses(&packages), &mut findings);
    check_names(root, &packages, &list.names, &mut findings)?;
    Ok(findings)
}

/// The sentences about one list of files.
struct Sentences {
    key: &'static str,
    /// What an unlisted file does.
    does: &'static str,
    /// What to do about it.
    instead: &'static str,
}

const LAW: Sentences = Sentences {
    key: "matches_law",
    does: "matches on variants of `contact::law::Law`",
    instead: "ask the law by a method of crates/contact/src/law",
};

const UNSAFE: Sentences = Sentences {
    key: "unsafe_files",
    does: "contains `unsafe`",
    instead: "write it in safe Rust",
};

/// A finding for each file on one side only.
fn judge_files(
    listed: &BTreeSet<String>,
    found: &BTreeMap<String, usize>,
    sentences: &Sentences,
    findings: &mut Findings,
) {
    let Sentences { key, does, instead } = sentences;
    for (path, line) in found {
        if !listed.contains(path) {
            findings.push(format!(
                "{path}:{line}: the file {does}: {instead}, or add it to `{key}` in {LIST}"
            ));
        }
    }
    for path in listed.iter().filter(|path| !found.contains_key(*path)) {
        findings.push(format!(
            "{LIST}: `{key}` names {path}, but no such file {does}: remove it from the list"
        ));
    }
}

/// Files that match on a law's variants, outside of the laws and of tests, each with its first line.
fn matches_law(root: &Path, packages: &[Package]) -> Result<BTreeMap<String, usize>, String> {
    let inside = format!("{LAWS}/");
    let mut found = BTreeMap::new();
    for package in packages {
        for source in crates::sources(root, &package.folder)? {
            if source.path.starts_with(&inside) || source.path == format!("{LAWS}.rs") {
                continue;
            }
            if let Some(line) = laws::first_match(&source.tree) {
                found.insert(source.path, line);
            }
        }
    }
    Ok(found)
}

/// Files of the crates with the keyword `unsafe`, tests and macros included, each with its first line.
fn unsafe_files(root: &Path) -> Result<BTreeMap<String, usize>, String> {
    let mut found = BTreeMap::new();
    for path in files::list(root)? {
        if !is_source(&path) {
            continue;
        }
        let text = files::text(root, &path)?
            .ok_or_else(|| format!("{path} is not text: Rust sources are UTF-8"))?;
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| format!("{path} does not parse as Rust: {error}"))?;
        if let Some(line) = first_unsafe(tokens) {
            found.insert(path, line);
        }
    }
    Ok(found)
}

/// Whether a path is `crates/*/src/**.rs`.
fn is_source(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), ["crates", _, "src", ..]) && path.ends_with(".rs")
}

/// Line of the first `unsafe`; comments and texts are no tokens of this kind.
fn first_unsafe(tokens: TokenStream) -> Option<usize> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) if word == "unsafe" => Some(word.span().start().line),
        TokenTree::Group(group) => first_unsafe(group.stream()),
        _ => None,
    })
}

/// For each crate its dependencies among the others, from `[dependencies]`, `[build-dependencies]` and
/// their tables for one platform.
fn uses(packages: &[Package]) -> BTreeMap<String, BTreeSet<String>> {
    let names: BTreeSet<&str> = packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let mut uses = BTreeMap::new();
    for package in packages {
        let mut used = dependencies(&package.manifest);
        let platforms = package
            .manifest
            .get("target")
            .and_then(toml::Value::as_table);
        for (_, platform) in platforms.into_iter().flatten() {
            used.extend(platform.as_table().map(dependencies).unwrap_or_default());
        }
        used.retain(|name| names.contains(name.as_str()));
        uses.insert(package.name.clone(), used);
    }
    uses
}

/// Packages that a manifest, or its table for one platform, depends on.
fn dependencies(manifest: &toml::Table) -> BTreeSet<String> {
    let tables = ["dependencies", "build-dependencies"].into_iter();
    let tables = tables.filter_map(|key| manifest.get(key)?.as_table());
    let entries = tables.flatten().map(|(key, value)| {
        // `name = { package = ".." }` renames.
        let package = value.get("package").and_then(toml::Value::as_str);
        package.unwrap_or(key).to_string()
    });
    entries.collect()
}

/// A finding for each dependency on one side only.
fn judge_uses(
    listed: &BTreeMap<String, BTreeSet<String>>,
    found: &BTreeMap<String, BTreeSet<String>>,
    findings: &mut Findings,
) {
    let nothing = BTreeSet::new();
    for (name, used) in found {
        let Some(allowed) = listed.get(name) else {
            findings.push(format!(
                "{LIST}: `uses` lacks the crate {name}: add what it depends on"
            ));
            continue;
        };
        for other in used.difference(allowed) {
            findings.push(format!(
                "{name} depends on {other}, which `uses` in {LIST} does not name: do without, or add it there and to ARCHITECTURE.md"
            ));
        }
    }
    for (name, allowed) in listed {
        for other in allowed.difference(found.get(name).unwrap_or(&nothing)) {
            findings.push(format!(
                "{LIST}: `uses` says that {name} depends on {other}, which it does not: remove it"
            ));
        }
        if !found.contains_key(name) {
            findings.push(format!(
                "{LIST}: `uses` names {name}, which is no crate: remove it"
            ));
        }
    }
}

/// A finding for each path into a crate on one side only: in the sources, or in the list.
fn check_names(
    root: &Path,
    packages: &[Package],
    listed: &BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    findings: &mut Findings,
) -> Result<(), String> {
    for (name, others) in listed {
        let Some(package) = packages.iter().find(|package| &package.name == name) else {
            findings.push(format!(
                "{LIST}: `names` has {name}, which is no crate: remove it"
            ));
            continue;
        };
        for (other, allowed) in others {
            let found = paths_into(root, package, other)?;
            for (path, place) in found.iter().filter(|(path, _)| !allowed.contains(*path)) {
                findings.push(format!(
                    "{place}: {name} names `{path}` of {other}, which `names` in {LIST} does not allow: do without, or add it there and to ARCHITECTURE.md"
                ));
            }
            for path in allowed.iter().filter(|path| !found.contains_key(*path)) {
                findings.push(format!(
                    "{LIST}: `names` says that {name} names `{path}` of {other}, which it does not: remove it"
                ));
            }
        }
    }
    Ok(())
}

/// The paths of a crate's sources into another crate, each with its first place; files of tests left out.
fn paths_into(
    root: &Path,
    package: &Package,
    other: &str,
) -> Result<BTreeMap<String, String>, String> {
    let library = other.replace('-', "_");
    let mut found = BTreeMap::new();
    for source in crates::sources(root, &package.folder)? {
        let text = files::text(root, &source.path)?
            .ok_or_else(|| format!("{} is not text: Rust sources are UTF-8", source.path))?;
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| format!("{} does not parse as Rust: {error}", source.path))?;
        for (path, line) in names::paths(tokens, &library) {
            let place = format!("{}:{line}", source.path);
            found.entry(path).or_insert(place);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
