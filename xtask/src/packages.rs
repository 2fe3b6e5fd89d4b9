//! What is published can be built: every package has a complete manifest and holds all files that its sources read.
//!
//! A packaged crate is its own folder and nothing else. `cargo package --list` says which files that are; files that are
//! compiled in (`include_str!`, `include_bytes!`) and those of [`NEEDED`] must be among them. `packaging/check` builds
//! from the packages; this check takes seconds and finds what is missing before.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::crates::{self, Package};
use crate::{Findings, Outcome, files};

/// Keys that every published package has, itself or from the workspace.
const KEYS: [&str; 8] = [
    "description",
    "version",
    "edition",
    "rust-version",
    "license",
    "authors",
    "keywords",
    "categories",
];

/// Folders and files that a package must hold as a whole: its folder, and the path in it.
const NEEDED: [(&str, &str); 3] = [
    ("crates/scene", "build.rs"),
    ("crates/scene", "scenes"),
    ("crates/view", "page/viewer.html"),
];

/// Files of every package: the texts of its licences, which go with every copy.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Macros that compile a file in.
const INCLUDES: [&str; 2] = ["include_str!(\"", "include_bytes!(\""];

/// Checks every package that may be published.
pub fn check(root: &Path) -> Outcome {
    let all = files::list(root)?;
    let mut findings = Vec::new();
    for package in crates::packages(root)? {
        if !is_published(&package) {
            continue;
        }
        findings.extend(missing_keys(&package));
        let held = list(root, &package.name)?;
        let read = read_by(root, &package.folder, &all)?;
        findings.extend(missing_files(&package, &read, &held));
    }
    Ok(findings)
}

/// A finding for each file that a package is built from and does not hold, and for each licence it lacks.
fn missing_files(package: &Package, read: &BTreeSet<String>, held: &BTreeSet<String>) -> Findings {
    let Package { name, folder, .. } = package;
    let files = read.difference(held).map(|path| {
        format!("{folder}: its package lacks `{path}`, which it is built from (`cargo package --list -p {name}`)")
    });
    let licences = LICENCES.into_iter().filter(|file| !held.contains(*file));
    let licences = licences.map(|file| {
        format!("{folder}: its package lacks `{file}`: ln -s ../../{file} {folder}/{file}")
    });
    files.chain(licences).collect()
}

/// Whether a package may go to a registry.
fn is_published(package: &Package) -> bool {
    let publish = package_key(package, "publish").and_then(toml::Value::as_bool);
    publish.unwrap_or(true)
}

fn package_key<'a>(package: &'a Package, key: &str) -> Option<&'a toml::Value> {
    package.manifest.get("package")?.get(key)
}

/// A finding for each key that the manifest lacks, and for dependencies that name a folder and no version.
fn missing_keys(package: &Package) -> Findings {
    let lacking = KEYS
        .iter()
        .filter(|key| package_key(package, key).is_none());
    let keys = lacking.map(|key| format!("{}/Cargo.toml: `{key}` is missing", package.folder));
    let dependencies = package.manifest.get("dependencies");
    let dependencies = dependencies.and_then(toml::Value::as_table);
    let unversioned = dependencies
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.get("path").is_some() && value.get("version").is_none())
        .map(|(name, _)| {
            format!(
                "{}/Cargo.toml: `{name}` has a path and no version: a published package needs one",
                package.folder
            )
        });
    keys.chain(unversioned).collect()
}

/// The files of a package as cargo would pack them, relative to its folder.
fn list(root: &Path, name: &str) -> Result<BTreeSet<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            name,
        ])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo package could not be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cargo package --list -p {name} failed: {}",
            said.trim_end()
        ));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(|line| line.replace('\\', "/")).collect())
}

/// Paths, relative to the folder of a crate, of all that it is built from beside its sources. A path that leads out of
/// the folder begins with `..`, and no package holds it.
fn read_by(root: &Path, folder: &str, all: &[String]) -> Result<BTreeSet<String>, String> {
    let mut read = BTreeSet::new();
    for (owner, needed) in NEEDED {
        if owner == folder {
            read.extend(files_below(folder, needed, all));
        }
    }
    let sources = format!("{folder}/src/");
    for path in all {
        if !(path.starts_with(&sources) && path.ends_with(".rs")) {
            continue;
        }
        let text = files::text(root, path)?.unwrap_or_default();
        for included in includes(&text) {
            let place = Path::new(path).parent().unwrap_or(Path::new(""));
            read.insert(relative(folder, &place.join(included)));
        }
    }
    Ok(read)
}

/// A needed file, or all files of a needed folder; the path itself where there is none, which no package holds.
fn files_below(folder: &str, needed: &str, all: &[String]) -> Vec<String> {
    let whole = format!("{folder}/{needed}");
    let inside = format!("{whole}/");
    let found = all
        .iter()
        .filter(|path| **path == whole || path.starts_with(&inside))
        .filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
    let found: Vec<String> = found.map(String::from).collect();
    if found.is_empty() {
        return vec![needed.to_string()];
    }
    found
}

/// Paths written in the macros that compile files in.
fn includes(text: &str) -> Vec<&str> {
    let pieces = INCLUDES
        .iter()
        .flat_map(|include| text.split(include).skip(1));
    pieces
        .filter_map(|rest| rest.split_once('"'))
        .map(|(path, _)| path)
        .collect()
}

/// A path of the repository relative to a folder of it; one outside of the folder begins with `..`.
fn relative(folder: &str, path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    match plain.strip_prefix(folder) {
        Ok(inside) => inside.to_string_lossy().replace('\\', "/"),
        Err(_) => format!("../../{}", plain.to_string_lossy().replace('\\', "/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crates::kit;

    fn package(manifest: &str) -> Package {
        Package {
            name: "p-a".into(),
            folder: "crates/a".into(),
            manifest: manifest.parse().unwrap(),
        }
    }

    #[test]
    fn missing_keys_and_versions_are_named() {
        let findings = missing_keys(&package(
            "[package]\nname = \"p-a\"\ndescription = \"d\"\nversion.workspace = true\nedition = \"2024\"\n\
             rust-version.workspace = true\nlicense.workspace = true\nauthors.workspace = true\n\
             categories = [\"science\"]\n[dependencies]\nb = { path = \"../b\" }\nc.workspace = true\n",
        ));
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("`keywords`") && findings[1].contains("`b`"));
    }

    #[test]
    fn missing_files_and_licences_are_named() {
        let set = |paths: &[&str]| paths.iter().map(|path| path.to_string()).collect();
        let held = set(&["LICENSE-MIT", "src/lib.rs", "README.md"]);
        let read = set(&["README.md", "../../page.html"]);
        let findings = missing_files(&package("[package]\n"), &read, &held);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("`../../page.html`"));
        assert!(findings[1].contains("`LICENSE-APACHE`"));
    }

    #[test]
    fn packages_that_stay_here_are_left_out() {
        assert!(!is_published(&package(
            "[package]\nname = \"p-a\"\npublish = false\n"
        )));
        assert!(is_published(&package("[package]\nname = \"p-a\"\n")));
    }

    #[test]
    fn what_sources_and_lists_name_is_read() {
        let source = "const A: &str = include_str!(\"../text/a.txt\");\n\
                      const B: &[u8] = include_bytes!(\"../../../b.bin\");\n";
        let folder = kit::repository(&[
            ("crates/scene/src/deep/x.rs", source),
            ("crates/scene/build.rs", ""),
            ("crates/scene/scenes/a.toml", ""),
            ("crates/scene/scenes/data/q.csv", ""),
        ]);
        let all = files::list(folder.path()).unwrap();
        let read = read_by(folder.path(), "crates/scene", &all).unwrap();
        let expected = [
            "../../crates/b.bin",
            "build.rs",
            "scenes/a.toml",
            "scenes/data/q.csv",
            "src/text/a.txt",
        ];
        assert_eq!(read, expected.map(String::from).into());
    }

    #[test]
    fn a_needed_folder_that_is_gone_is_asked_for() {
        assert_eq!(files_below("crates/scene", "scenes", &[]), ["scenes"]);
    }
}
