//! Circles between the top-level modules of a crate.
//!
//! A module uses another where its code names something of it by a path through the crate's root:
//! `crate::other::Item`, `super::other::Item` from a file directly below the root, or `crate::Item`
//! where the root says `pub use other::Item`. Such paths are looked for in `use`, expressions, types,
//! patterns, macro calls and attributes. Test code does not count, nor does the root itself.
//!
//! Circles that still exist are listed with their reason in `xtask/module-circles.toml`. A listed
//! module that is in no circle any more is a finding too, so that the list only shrinks.

mod graph;
mod paths;

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::crates::{self, Package, Source};
use crate::{Findings, Outcome, files};
use graph::{Graph, Place};

const LIST: &str = "xtask/module-circles.toml";

/// One entry of the list: the modules of one circle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The package's name.
    #[serde(rename = "crate")]
    package: String,
    modules: BTreeSet<String>,
    /// What causes the circle, and what would open it.
    reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    circle: Vec<Entry>,
}

/// Checks every crate below `crates/`.
pub fn check(root: &Path) -> Outcome {
    let list: List = files::settings(root, LIST)?;
    let packages = crates::packages(root)?;
    let mut findings = unknown_crates(&packages, &list.circle);
    for package in &packages {
        let sources = crates::sources(root, &package.folder)?;
        let (graph, globs) = uses(&sources);
        findings.extend(globs.iter().map(|place| {
            format!(
                "{place}: a `*` through the crate's root hides which module is used: name the items"
            )
        }));
        let entries = list.circle.iter();
        let entries: Vec<&Entry> = entries
            .filter(|entry| entry.package == package.name)
            .collect();
        judge(&package.name, &graph, &entries, &mut findings);
    }
    Ok(findings)
}

fn unknown_crates(packages: &[Package], entries: &[Entry]) -> Findings {
    let unknown = entries.iter().filter(|entry| {
        let mut names = packages.iter().map(|package| &package.name);
        !names.any(|name| *name == entry.package)
    });
    let say = |entry: &Entry| {
        format!(
            "{LIST}: there is no crate `{}`: correct the entry",
            entry.package
        )
    };
    unknown.map(say).collect()
}

/// The uses between the top-level modules, and the places where `*` hides them.
fn uses(sources: &[Source]) -> (Graph, Vec<Place>) {
    let root = paths::Root::new(sources);
    let mut found = Vec::new();
    for source in sources {
        paths::collect(source, &mut found);
    }
    let mut graph = Graph::default();
    let mut globs = root.globs.clone();
    for path in found {
        if path.name == "*" {
            globs.push(path.place);
        } else if let Some(to) = root.module_of(&path.name) {
            graph.add(&path.from, to, path.place);
        }
    }
    (graph, globs)
}

/// Compares the circles of a crate with its entries, and the entries with the circles.
fn judge(package: &str, graph: &Graph, entries: &[&Entry], findings: &mut Findings) {
    let circles = graph.circles();
    for circle in &circles {
        if !entries.iter().any(|entry| circle.is_subset(&entry.modules)) {
            findings.push(unlisted(package, graph, circle, entries));
        }
    }
    for entry in entries {
        judge_entry(entry, &circles, findings);
    }
}

/// The finding for a circle that is larger than what is listed.
fn unlisted(package: &str, graph: &Graph, circle: &BTreeSet<String>, entries: &[&Entry]) -> String {
    // A use between two modules of one entry is known: the new circle has one that is not.
    let listed = |from: &str, to: &str| {
        let mut all = entries.iter().map(|entry| &entry.modules);
        all.any(|modules| modules.contains(from) && modules.contains(to))
    };
    let shortest = graph
        .shortest(circle, |from, to| !listed(from, to))
        .unwrap_or_default();
    let uses: Vec<String> = shortest
        .windows(2)
        .map(|pair| use_of(graph, &pair[0], &pair[1]))
        .collect();
    format!(
        "{package}: the modules {} use each other, which is not in {LIST}; the shortest circle: {}: move what both need below them, or what needs both above them",
        words(circle),
        uses.join(", ")
    )
}

/// `a uses b (file:line)`.
fn use_of(graph: &Graph, from: &str, to: &str) -> String {
    let place = graph.place(from, to).map(Place::to_string);
    format!("`{from}` uses `{to}` ({})", place.unwrap_or_default())
}

/// Finds what an entry says that is not so, or no longer.
fn judge_entry(entry: &Entry, circles: &[BTreeSet<String>], findings: &mut Findings) {
    let name = &entry.package;
    if entry.reason.trim().is_empty() {
        findings.push(format!(
            "{LIST}: the circle of {name} with {} has no reason: say what causes it",
            words(&entry.modules)
        ));
    }
    let in_circle = |module: &&String| circles.iter().any(|circle| circle.contains(*module));
    let (held, free): (Vec<&String>, Vec<&String>) = entry.modules.iter().partition(in_circle);
    if !free.is_empty() {
        findings.push(format!(
            "{LIST}: in no circle of {name} any more: {}: remove the names, or the entry",
            words(free)
        ));
    }
    // Circles that lie in the entry, if it names more than one.
    let parts: BTreeSet<_> = held
        .iter()
        .filter_map(|module| circles.iter().find(|circle| circle.contains(*module)))
        .collect();
    if parts.len() > 1 {
        findings.push(format!(
            "{LIST}: the entry of {name} with {} is {} circles now: write one entry for each",
            words(&entry.modules),
            parts.len()
        ));
    }
}

fn words<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests;
