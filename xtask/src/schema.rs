//! The page about the records, made from the code that writes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::MetadataCommand;

use crate::Outcome;

/// The page, from the root.
const PAGE: &str = "docs/records.md";

/// Finds whether the page is what the code says.
pub fn check(root: &Path) -> Outcome {
    let made = generate(root)?;
    let path = root.join(PAGE);
    let there = std::fs::read_to_string(&path)
        .map_err(|error| format!("{PAGE} cannot be read: {error}"))?;
    Ok(difference(&there, &made).into_iter().collect())
}

/// Writes the page.
pub fn write(root: &Path) -> Outcome {
    let made = generate(root)?;
    std::fs::write(root.join(PAGE), made)
        .map_err(|error| format!("{PAGE} cannot be written: {error}"))?;
    Ok(Vec::new())
}

/// The first line that differs.
fn difference(there: &str, made: &str) -> Option<String> {
    if there == made {
        return None;
    }
    let (old, new) = (there.lines(), made.lines());
    let same = old.zip(new).take_while(|(a, b)| a == b).count();
    Some(format!(
        "{PAGE}:{}: is not what the code says; run cargo xtask schema --write",
        same + 1
    ))
}

/// Where programs are built in the release profile.
pub fn release_folder(root: &Path) -> Result<PathBuf, String> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec();
    let metadata = metadata.map_err(|error| format!("cargo metadata failed: {error}"))?;
    Ok(PathBuf::from(metadata.target_directory).join("release"))
}

/// What the code says.
fn generate(root: &Path) -> Result<String, String> {
    // With the features of the tests (see ./test), so that nothing is built twice.
    let build = "build --quiet --release --workspace --exclude xtask --example schema";
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(build.split_whitespace()).current_dir(root);
    run(command, &format!("cargo {build}"))?;
    let name = format!("schema{}", std::env::consts::EXE_SUFFIX);
    let program = release_folder(root)?.join("examples").join(name);
    run(Command::new(&program), &program.display().to_string())
}

fn run(mut command: Command, name: &str) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{name} could not be started: {error}"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "{name} ended with {}:\n{}",
            output.status,
            told.trim_end()
        ));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{name} printed no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_page_is_found_at_its_first_line_that_differs() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let found = difference("a\nb\nc\n", "a\nx\nc\n").unwrap();
        assert!(found.starts_with("docs/records.md:2:"), "{found}");
        // Lines that are missing at the end count, too.
        let found = difference("a\n", "a\nb\n").unwrap();
        assert!(found.starts_with("docs/records.md:2:"), "{found}");
    }
}
