//! The list of the papers stays true: docs/papers.md has no blank cell, and every scene, finding, test, file and package
//! that it names is there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{Findings, Outcome, files};

const LIST: &str = "docs/papers.md";
const SCENES: &str = "crates/scene/scenes/";

/// What a name of the list may mean.
#[derive(Debug, Default)]
struct Known {
    /// What each built-in scene declares: findings, plots, cases, studies, coordinates, parameters.
    scenes: BTreeMap<String, BTreeSet<String>>,
    /// Functions of each source file, tests among them.
    functions: BTreeMap<String, BTreeSet<String>>,
    /// Names in the first column of a table of the documentation: keys, columns, observables.
    defined: BTreeSet<String>,
    /// Words of the other pages of the documentation, of sources and of manifests.
    words: BTreeSet<String>,
    packages: BTreeSet<String>,
}

/// Finds cells without content and names of what does not exist.
pub fn check(root: &Path) -> Outcome {
    let text = files::text(root, LIST)?.ok_or_else(|| format!("{LIST} is not text"))?;
    let known = read(root)?;
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !line.starts_with('|') || line.starts_with("|---") {
            continue;
        }
        let at = format!("{LIST}:{}", index + 1);
        findings.extend(
            row(line, &known, root)
                .into_iter()
                .map(|what| format!("{at}: {what}")),
        );
    }
    Ok(findings)
}

/// Everything that the list may name.
fn read(root: &Path) -> Result<Known, String> {
    let mut known = Known::default();
    for path in files::list(root)? {
        let scene = path
            .strip_prefix(SCENES)
            .and_then(|name| name.strip_suffix(".toml"));
        let page = path.starts_with("docs/") && path.ends_with(".md") && path != LIST;
        let source = path.starts_with("crates/") && path.ends_with(".rs");
        let manifest = path.starts_with("crates/") && path.ends_with("Cargo.toml");
        if scene.is_none() && !page && !source && !manifest {
            continue;
        }
        let Some(text) = files::text(root, &path)? else {
            continue;
        };
        if let Some(name) = scene {
            let mut all = declared(&text);
            all.extend(assigned(&text));
            known.scenes.insert(name.to_string(), all);
        } else if manifest {
            known.packages.extend(declared(&text));
        } else if page {
            known.words.extend(words(&text).map(String::from));
            known.defined.extend(first_cells(&text));
        } else {
            known.words.extend(words(&text).map(String::from));
            known.functions.insert(path, functions(&text));
        }
    }
    Ok(known)
}

/// The values of lines `name = "…"`.
fn declared(text: &str) -> BTreeSet<String> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("name = \""));
    lines
        .filter_map(|rest| rest.split('"').next().map(String::from))
        .collect()
}

/// What stands before an equals sign at the beginning of a line, parameters among it.
fn assigned(text: &str) -> impl Iterator<Item = String> {
    let keys = text.lines().filter_map(|line| line.split_once(" = "));
    keys.map(|(key, _)| key.to_string())
}

/// The names of the functions of a source file.
fn functions(text: &str) -> BTreeSet<String> {
    let after = text.split("fn ").skip(1);
    after
        .filter_map(|rest| words(rest).next().map(String::from))
        .collect()
}

/// Code in the first cells of tables.
fn first_cells(text: &str) -> Vec<String> {
    let cells = text
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let code = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    code.filter_map(|code| words(code).next().map(String::from))
        .collect()
}

/// Identifiers.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let split = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    split.filter(|word| !word.is_empty())
}

/// What is wrong with one row.
fn row(line: &str, known: &Known, root: &Path) -> Findings {
    // A bar that is escaped belongs to a formula.
    let line = line.replace("\\|", "¦");
    let cells: Vec<&str> = line
        .trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect();
    if cells.len() != 3 || cells.iter().any(|cell| cell.is_empty()) {
        return vec![
            "a row has three cells, none of them empty: what it is, what it says, where it is"
                .into(),
        ];
    }
    let pieces: Vec<&str> = cells[2].split('`').collect();
    let named = pieces.iter().skip(1).step_by(2);
    let here: Vec<_> = named.filter_map(|name| known.scenes.get(*name)).collect();
    let mut findings = Vec::new();
    let mut file = None;
    for k in (1..pieces.len()).step_by(2) {
        let name = pieces[k];
        // `FILE` (`a`, `b`) and `a` in `FILE` say where a function is.
        let (before, after) = (
            pieces[k - 1],
            pieces.get(k + 1).map_or("", |after| after.trim()),
        );
        if before.contains(')') || !(before.trim() == "(" || before.trim() == ",") {
            file = None;
        }
        let next = pieces
            .get(k + 2)
            .filter(|next| after == "in" && next.ends_with(".rs"));
        let place = next.copied().or(file);
        findings.extend(missing(name, place, &here, known, root));
        if name.ends_with(".rs") {
            file = Some(name);
        }
    }
    findings
}

/// A name that means nothing, if it does not.
fn missing(
    name: &str,
    place: Option<&str>,
    here: &[&BTreeSet<String>],
    known: &Known,
    root: &Path,
) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if name.contains('/') && name.chars().all(plain) {
        return (!root.join(name).exists()).then(|| format!("`{name}` does not exist"));
    }
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let snake = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let scene = known.scenes.contains_key(name);
    if name.contains('-') && name.chars().all(kebab) {
        let there = scene || known.packages.contains(name);
        return (!there).then(|| format!("there is no built-in scene `{name}`"));
    }
    // Settings, commands, paths of modules and formulas are not looked at.
    if !name.chars().all(snake) || scene {
        return None;
    }
    if let Some(functions) = place.and_then(|place| known.functions.get(place)) {
        let there = functions.contains(name);
        return (!there).then(|| format!("{} has no function `{name}`", place.unwrap_or("")));
    }
    let function = known.functions.values().any(|all| all.contains(name));
    let mut sets = here.iter().copied();
    let declared = match here {
        [] => known.scenes.values().any(|all| all.contains(name)),
        _ => sets.any(|all| all.contains(name)),
    };
    // A plain word might be a scene that was renamed: it counts where it is defined alone.
    let word = match name.chars().all(|c| c.is_ascii_lowercase()) {
        true => known.defined.contains(name),
        false => known.words.contains(name),
    };
    (!function && !declared && !word).then(|| {
        format!("`{name}` is no built-in scene, no test, no key, and the scenes of this row do not declare it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            (
                "crates/scene/scenes/wall.toml",
                "[[finding]]\nname = \"collapse\"\n[parameters]\nvary = 1e-3\n",
            ),
            (
                "crates/scene/scenes/bowl.toml",
                "[[finding]]\nname = \"error\"\n",
            ),
            (
                "crates/solve/Cargo.toml",
                "[package]\nname = \"percuss-solve\"\n",
            ),
            ("crates/solve/src/lib.rs", "#[test]\nfn it_falls() {}\n"),
            (
                "crates/solve/src/law.rs",
                "pub enum Law { Open }\nfn it_stands() {}\n",
            ),
            (
                "docs/run.md",
                "| `gain` | energy |\n\nThe `refresh_every` of a wall or a hammer.\n",
            ),
        ];
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn findings(last: &str) -> Findings {
        let tree = tree();
        let known = read(tree.path()).unwrap();
        row(
            &format!("| §1, \\|x\\| | what | {last} |"),
            &known,
            tree.path(),
        )
    }

    #[test]
    fn what_is_there_is_found() {
        for last in [
            "left out: no example",
            "`wall` (finding `collapse`, `vary`), test `it_falls`",
            "`crates/solve/src/lib.rs` (`it_falls`), `it_stands` in `crates/solve/src/law.rs`",
            "`crates/solve/src/lib.rs`; tests `it_stands`",
            "finding `collapse`; column `gain`, `refresh_every = 2`, `refresh_every`",
            "`percuss-solve`, `Law`, `percuss_solve::Law`, `percuss verify`",
        ] {
            assert!(findings(last).is_empty(), "{last}: {:?}", findings(last));
        }
    }

    #[test]
    fn what_is_gone_is_named() {
        for (last, gone) in [
            ("`wall-jerk`", "`wall-jerk`"),
            // In the documentation as a word, and no scene any more.
            ("`hammer`", "`hammer`"),
            ("`bowl`, finding `collapse`", "`collapse`"),
            ("test `it_rolls`", "`it_rolls`"),
            ("`crates/solve/src/lib.rs` (`it_stands`)", "`it_stands`"),
            (
                "`crates/solve/src/lib.rs` (`it_falls`, `it_stands`)",
                "`it_stands`",
            ),
            ("`it_falls` in `crates/solve/src/law.rs`", "`it_falls`"),
            ("`crates/solve/src/gone.rs`", "gone.rs"),
        ] {
            let found = findings(last);
            assert_eq!(found.len(), 1, "{last}: {found:?}");
            assert!(found[0].contains(gone), "{last}: {found:?}");
        }
    }

    #[test]
    fn a_blank_cell_is_found() {
        for last in ["", " ", "`wall` | more"] {
            assert_eq!(findings(last).len(), 1, "{last}");
        }
    }
}
