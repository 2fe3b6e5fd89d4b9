//! The `rust-version` that the workspace declares must be enough for every dependency.
//!
//! Cargo prefers versions of dependencies that fit, and takes one that does not fit where there is
//! no other; the declaration is then untrue, and a user with that compiler meets an error inside
//! somebody else's crate.

use std::path::Path;

use cargo_metadata::semver::Version;

use crate::{Findings, Outcome, licences};

/// Compares each dependency's declared version with those of the workspace's members.
pub fn check(root: &Path) -> Outcome {
    let metadata = licences::metadata(root)?;
    let mut declared: Option<Version> = None;
    let mut needs = Vec::new();
    for package in &metadata.packages {
        if metadata.workspace_members.contains(&package.id) {
            let Some(version) = &package.rust_version else {
                return Ok(vec![format!(
                    "{} declares no rust-version: write `rust-version.workspace = true`",
                    package.name
                )]);
            };
            if declared.as_ref().is_none_or(|lowest| version < lowest) {
                declared = Some(version.clone());
            }
        } else if let Some(version) = &package.rust_version {
            needs.push((
                format!("{} {}", package.name, package.version),
                version.clone(),
            ));
        }
    }
    let declared = declared.ok_or("the workspace has no members")?;
    Ok(judge(&declared, &needs))
}

/// A finding for each dependency that needs a newer compiler than the declared one.
fn judge(declared: &Version, needs: &[(String, Version)]) -> Findings {
    let newer = needs.iter().filter(|(_, needed)| needed > declared);
    newer
        .map(|(name, needed)| {
            format!(
                "{name} needs Rust {needed}, Cargo.toml declares {declared}: raise rust-version there"
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_that_needs_a_newer_compiler_is_found() {
        let declared = Version::new(1, 85, 0);
        let need = |minor| vec![("some 1.0.0".to_string(), Version::new(1, minor, 0))];
        assert!(judge(&declared, &need(9)).is_empty());
        assert!(judge(&declared, &need(85)).is_empty());
        let findings = judge(&declared, &need(86));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("1.86.0"), "{findings:?}");
    }
}
