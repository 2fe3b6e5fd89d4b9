//! Which files belong to the repository, and the reasoned exceptions to a check.

use std::path::Path;
use std::process::Command;

use serde::de::DeserializeOwned;

/// Folders that a walk of an unpacked archive leaves out: what builds and runs leave behind.
const LEFT_BEHIND: [&str; 4] = [".git", "target", "runs", "corpus"];

/// Paths of the repository's files relative to its root, sorted, with `/` between the parts.
///
/// Files that git tracks or would track: a new file is checked before its first commit. Where git
/// does not answer (an unpacked source archive) the folder is walked instead.
pub fn list(root: &Path) -> Result<Vec<String>, String> {
    let mut paths = match from_git(root) {
        Some(paths) => paths,
        None => {
            let mut paths = Vec::new();
            walk(root, "", &mut paths).map_err(|error| {
                format!("the folder {} cannot be read: {error}", root.display())
            })?;
            paths
        }
    };
    // Deleted but not yet committed as such, links to folders: nothing to read.
    paths.retain(|path| root.join(path).is_file());
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// The files of a git checkout; `None` when this is not one, or git cannot be run.
fn from_git(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let names = output.stdout.split(|byte| *byte == 0);
    Some(
        names
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect(),
    )
}

/// Collects the files below `root/prefix`, without following links.
fn walk(root: &Path, prefix: &str, paths: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(prefix))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}/{name}")
        };
        let kind = entry.file_type()?;
        if kind.is_file() {
            paths.push(path);
        } else if kind.is_dir() && !LEFT_BEHIND.contains(&name.as_str()) {
            walk(root, &path, paths)?;
        }
    }
    Ok(())
}

/// The text of a file; `None` for a binary one (a NUL byte, or not UTF-8).
pub fn text(root: &Path, path: &str) -> Result<Option<String>, String> {
    let bytes = std::fs::read(root.join(path))
        .map_err(|error| format!("{path} cannot be read: {error}"))?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(String::from_utf8(bytes).ok())
}

/// Reads a TOML file of settings kept beside this program.
pub fn settings<T: DeserializeOwned>(root: &Path, path: &str) -> Result<T, String> {
    let text = std::fs::read_to_string(root.join(path))
        .map_err(|error| format!("{path} cannot be read: {error}"))?;
    toml::from_str(&text).map_err(|error| format!("{path} is not as expected: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unpacked_archive_is_walked_without_what_builds_leave_behind() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("crates/a/src")).unwrap();
        std::fs::create_dir_all(root.join("target/debug")).unwrap();
        for path in ["README.md", "crates/a/src/lib.rs", "target/debug/lib.rs"] {
            std::fs::write(root.join(path), "text").unwrap();
        }
        let mut paths = Vec::new();
        walk(root, "", &mut paths).unwrap();
        paths.sort();
        assert_eq!(paths, ["README.md", "crates/a/src/lib.rs"]);
    }

    #[test]
    fn binary_files_have_no_text() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), b"\x89HDF\0\0").unwrap();
        std::fs::write(folder.path().join("b"), "plain").unwrap();
        assert_eq!(text(folder.path(), "a"), Ok(None));
        assert_eq!(text(folder.path(), "b"), Ok(Some("plain".to_string())));
        assert!(text(folder.path(), "absent").is_err());
    }
}
