//! The lock file of the benchmarks knows every dependency of the crates they use.
//!
//! `benches/` is a workspace of its own and `./bench` builds it with `--locked`: a dependency that a crate has gained
//! since stops it. Only files are read, so that no peer has to be fetched.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Outcome;

const LOCK: &str = "benches/Cargo.lock";

/// Finds dependencies of our crates that the lock file does not list.
pub fn check(root: &Path) -> Outcome {
    let lock = parse(root, LOCK)?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let packages = packages.ok_or(format!("{LOCK}: it lists no packages"))?;
    let listed: BTreeMap<&str, Vec<&str>> = packages.iter().filter_map(entry).collect();
    let mut findings = Vec::new();
    for (name, dependencies) in &listed {
        let Some(short) = name.strip_prefix("percuss-") else {
            continue;
        };
        let manifest = format!("crates/{short}/Cargo.toml");
        if !root.join(&manifest).exists() {
            continue;
        }
        let parsed = parse(root, &manifest)?;
        let wanted = parsed.get("dependencies").and_then(toml::Value::as_table);
        for dependency in wanted.into_iter().flat_map(|table| table.keys()) {
            if !dependencies.contains(&dependency.as_str()) {
                findings.push(format!(
                    "{LOCK}: `{dependency}` of `{name}` is missing; run cargo build --manifest-path benches/Cargo.toml"
                ));
            }
        }
    }
    Ok(findings)
}

/// Name and dependencies of a package; an entry of a dependency may have a version behind its name.
fn entry(package: &toml::Value) -> Option<(&str, Vec<&str>)> {
    let name = package.get("name")?.as_str()?;
    let list = package.get("dependencies").and_then(toml::Value::as_array);
    let words = list.into_iter().flatten().filter_map(toml::Value::as_str);
    let names = words.filter_map(|text| text.split_whitespace().next());
    Some((name, names.collect()))
}

fn parse(root: &Path, file: &str) -> Result<toml::Table, String> {
    let text = std::fs::read_to_string(root.join(file))
        .map_err(|error| format!("{file} cannot be read: {error}"))?;
    text.parse()
        .map_err(|error| format!("{file} is not TOML: {error}"))
}
