//! Licences and origins of the dependencies.
//!
//! Every package that a build, a test or a benchmark pulls in, on any platform and with all
//! features, must come from crates.io or be a member of the workspace, and must offer at least one
//! licence combination made of the allow list alone. All of these may be shipped in a program under
//! `MIT OR Apache-2.0` by carrying their notices along.

use std::path::Path;

use cargo_metadata::{Metadata, MetadataCommand, Package};

use crate::{Findings, Outcome};

/// Licences a dependency may be used under, and why each is no burden.
const ALLOWED: [(&str, &str); 8] = [
    ("MIT", "the project's own"),
    ("Apache-2.0", "the project's own"),
    ("BSD-2-Clause", "keep the notice, nothing else"),
    (
        "BSD-3-Clause",
        "keep the notice, do not advertise with names",
    ),
    ("ISC", "MIT in fewer words"),
    ("Zlib", "keep the notice in sources only"),
    (
        "Unicode-3.0",
        "character tables in unicode-ident; keep the notice",
    ),
    ("CC0-1.0", "dedicated to the public domain"),
];

/// The registry's name as cargo records it, whichever mirror served the download.
const CRATES_IO: [&str; 2] = [
    "registry+https://github.com/rust-lang/crates.io-index",
    "sparse+https://index.crates.io/",
];

/// Checks the packages that cargo resolves for the workspace.
pub fn check(root: &Path) -> Outcome {
    let metadata = metadata(root)?;
    let findings = metadata.packages.iter().flat_map(|package| {
        let member = metadata.workspace_members.contains(&package.id);
        judge(&Dependency::from(package), member)
    });
    Ok(findings.collect())
}

/// What cargo knows of the workspace and all its dependencies, on every platform.
pub fn metadata(root: &Path) -> Result<Metadata, String> {
    MetadataCommand::new()
        .current_dir(root)
        .features(cargo_metadata::CargoOpt::AllFeatures)
        .exec()
        .map_err(|error| format!("`cargo metadata` failed: {error}"))
}

/// What the check needs to know of a package.
struct Dependency<'a> {
    /// Name and version, as a finding prints them.
    name: String,
    /// Where it comes from; `None` for a folder on this machine.
    source: Option<&'a str>,
    /// SPDX expression from its manifest.
    licence: Option<&'a str>,
}

impl<'a> From<&'a Package> for Dependency<'a> {
    fn from(package: &'a Package) -> Self {
        Dependency {
            name: format!("{} {}", package.name, package.version),
            source: package.source.as_ref().map(|source| source.repr.as_str()),
            licence: package.license.as_deref(),
        }
    }
}

/// Findings for one package; `member` says that it belongs to the workspace.
fn judge(package: &Dependency, member: bool) -> Findings {
    let name = &package.name;
    let mut findings = Vec::new();
    match package.source {
        None if member => {}
        None => findings.push(format!(
            "{name} is a folder outside the workspace: make it a member, or use its release on crates.io"
        )),
        Some(source) if CRATES_IO.contains(&source) => {}
        Some(source) => findings.push(format!(
            "{name} comes from {source}: use a release on crates.io, or another crate"
        )),
    }
    let Some(licence) = package.licence else {
        findings.push(format!(
            "{name} states no licence expression: ask its authors for one, or use another crate"
        ));
        return findings;
    };
    match acceptable(licence) {
        Ok(true) => {}
        Ok(false) => findings.push(format!(
            "{name} is under {licence}, which the allow list does not satisfy: use another crate, \
             or add the licence with its reason to xtask/src/licences.rs"
        )),
        Err(error) => findings.push(format!(
            "{name} states the licence {licence:?}, which is no SPDX expression ({error}): \
             read its licence file and decide"
        )),
    }
    findings
}

/// Whether the expression can be met by the allow list.
fn acceptable(licence: &str) -> Result<bool, String> {
    // Lax: old manifests separate alternatives by a slash.
    let mode = spdx::ParseMode::LAX;
    let expression =
        spdx::Expression::parse_mode(licence, mode).map_err(|error| error.reason.to_string())?;
    // A `WITH` exception only takes conditions away, so the licence it is added to decides.
    Ok(expression.evaluate(|requirement| {
        let id = requirement.license.id();
        id.is_some_and(|id| ALLOWED.iter().any(|(allowed, _)| *allowed == id.name))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_crates_io(licence: Option<&str>) -> Findings {
        let package = Dependency {
            name: "some 1.0.0".to_string(),
            source: Some(CRATES_IO[0]),
            licence,
        };
        judge(&package, false)
    }

    #[test]
    fn expressions_the_allow_list_satisfies_pass() {
        let expressions = [
            "MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "GPL-3.0-only OR MIT",
            "Unlicense OR MIT",
        ];
        for licence in expressions {
            assert_eq!(from_crates_io(Some(licence)), Findings::new(), "{licence}");
        }
    }

    #[test]
    fn copyleft_and_unknown_licences_are_found() {
        let expressions = [
            "GPL-3.0-only",
            "AGPL-3.0-only",
            "MIT AND GPL-2.0-or-later",
            "LicenseRef-mine",
            "MPL-2.0",
        ];
        for licence in expressions {
            let findings = from_crates_io(Some(licence));
            assert_eq!(findings.len(), 1, "{licence}: {findings:?}");
            assert!(findings[0].contains("does not satisfy"), "{findings:?}");
        }
    }

    #[test]
    fn a_missing_or_unreadable_expression_is_found() {
        assert!(from_crates_io(None)[0].contains("states no licence"));
        assert!(from_crates_io(Some("as you like"))[0].contains("no SPDX expression"));
    }

    #[test]
    fn git_other_registries_and_outside_folders_are_found() {
        let sources = [
            Some("git+https://github.com/a/b#0123"),
            Some("registry+https://registry.example.org/index"),
            None,
        ];
        for source in sources {
            let package = Dependency {
                name: "some 1.0.0".to_string(),
                source,
                licence: Some("MIT"),
            };
            assert_eq!(judge(&package, false).len(), 1, "{source:?}");
        }
    }

    #[test]
    fn a_member_of_the_workspace_needs_a_licence_too() {
        let mut package = Dependency {
            name: "own 0.1.0".to_string(),
            source: None,
            licence: Some("MIT OR Apache-2.0"),
        };
        assert!(judge(&package, true).is_empty());
        package.licence = None;
        assert_eq!(judge(&package, true).len(), 1);
    }

    #[test]
    fn every_name_on_the_allow_list_is_a_known_licence() {
        for (name, _) in ALLOWED {
            assert!(spdx::license_id(name).is_some(), "{name}");
        }
    }
}
