//! Maps that stay true: every path that ARCHITECTURE.md names in backticks exists, and so does the
//! target of every relative link in a Markdown file.

use std::path::{Component, Path, PathBuf};

use crate::{Findings, Outcome, files};

const MAP: &str = "ARCHITECTURE.md";

/// Endings that make a word without a slash a file's name.
const ENDINGS: [&str; 8] = [
    ".md", ".rs", ".toml", ".bib", ".lock", ".hdf5", ".json", ".svg",
];

/// Checks the map and the links.
pub fn check(root: &Path) -> Outcome {
    let mut findings = Vec::new();
    for path in files::list(root)? {
        if !path.ends_with(".md") {
            continue;
        }
        let Some(text) = files::text(root, &path)? else {
            return Err(format!("{path} is not text: Markdown files are UTF-8"));
        };
        if path == MAP {
            findings.extend(missing_paths(root, &text));
        }
        findings.extend(broken_links(root, &path, &text));
    }
    if !root.join(MAP).is_file() {
        findings.push(format!("{MAP} is missing"));
    }
    Ok(findings)
}

/// Backticked paths of the map that do not exist.
fn missing_paths(root: &Path, text: &str) -> Findings {
    let mut findings = Vec::new();
    for (line, words) in outside_fences(text) {
        // Odd pieces between backticks are code.
        for word in words.split('`').skip(1).step_by(2) {
            if is_path(word) && !root.join(word).exists() {
                findings.push(format!("{MAP}:{line}: `{word}` does not exist"));
            }
        }
    }
    findings
}

/// Whether a backticked word means a file or folder: made of path characters only, with a slash
/// inside or at its end, or with a file's ending.
fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let shaped = word.contains('/') || ENDINGS.iter().any(|ending| word.ends_with(ending));
    word.chars().all(plain) && shaped && !word.starts_with('/') && word.len() > 1
}

/// Relative links of a Markdown file whose targets do not exist.
fn broken_links(root: &Path, path: &str, text: &str) -> Findings {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let mut findings = Vec::new();
    for (line, words) in outside_fences(text) {
        // Even pieces between backticks are text; what code shows is no link.
        let prose: String = words.split('`').step_by(2).collect();
        for rest in prose.split("](").skip(1) {
            let Some(target) = rest.split([')', ' ', '#']).next() else {
                continue;
            };
            let elsewhere = target.contains(':') || target.starts_with('/');
            if target.is_empty() || elsewhere {
                continue;
            }
            let found = inside(&folder.join(target)).is_some_and(|at| root.join(at).exists());
            if !found {
                findings.push(format!("{path}:{line}: the link to {target} leads nowhere"));
            }
        }
    }
    findings
}

/// The path without `.` and `..`; `None` when it leaves the repository.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            Component::ParentDir if clean.pop() => {}
            _ => return None,
        }
    }
    Some(clean)
}

/// Lines with their numbers, without those of fenced code blocks.
fn outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then_some((index + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("crates/solve/src")).unwrap();
        std::fs::write(folder.path().join("crates/solve/src/lib.rs"), "").unwrap();
        std::fs::write(folder.path().join("NOTATION.md"), "").unwrap();
        folder
    }

    #[test]
    fn a_path_of_the_map_that_is_gone_is_found() {
        let tree = tree();
        let text = "`crates/solve/` and `crates/solve/src/lib.rs`, `NOTATION.md`\n`crates/gone/`, `OLD.md`";
        let findings = missing_paths(tree.path(), text);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].contains("ARCHITECTURE.md:2: `crates/gone/`"));
    }

    #[test]
    fn code_that_is_no_path_is_left_alone() {
        for word in ["contact::law", "u = W r + q", "Law", "a / b", "/", "--json"] {
            assert!(!is_path(word), "{word}");
        }
        for word in ["./test", "crates/", "Cargo.toml", ".ci/run"] {
            assert!(is_path(word), "{word}");
        }
    }

    #[test]
    fn a_link_is_followed_from_the_folder_of_its_file() {
        let tree = tree();
        let good =
            "[a](../../NOTATION.md#signs) [b](src/lib.rs) [c](https://example.org/x) [d](#top)";
        let path = "crates/solve/README.md";
        assert!(broken_links(tree.path(), path, good).is_empty());
        let bad = "[a](NOTATION.md)\n```\n[x](nowhere)\n```\n`[y](nowhere)`";
        let findings = broken_links(tree.path(), path, bad);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].starts_with("crates/solve/README.md:1"));
    }

    #[test]
    fn a_link_out_of_the_repository_is_found() {
        let tree = tree();
        assert_eq!(broken_links(tree.path(), "A.md", "[a](../x)").len(), 1);
    }
}
