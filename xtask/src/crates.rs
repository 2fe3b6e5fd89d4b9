//! The crates of the workspace below `crates/`: their manifests, and their sources without tests.

use std::path::Path;

use crate::{files, syntax};

/// One crate below `crates/`.
pub struct Package {
    /// The package's name, such as `percuss-scene`.
    pub name: String,
    /// Its folder, relative to the repository's root.
    pub folder: String,
    pub manifest: toml::Table,
}

/// A source file that is part of the crate outside of tests.
pub struct Source {
    /// Relative to the repository's root.
    pub path: String,
    /// The module it holds, as names from the crate's root; empty for the root.
    pub module: Vec<String>,
    pub tree: syn::File,
}

/// All crates below `crates/`, sorted by folder.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let mut packages = Vec::new();
    for path in files::list(root)? {
        let parts: Vec<&str> = path.split('/').collect();
        let ["crates", folder, "Cargo.toml"] = parts.as_slice() else {
            continue;
        };
        let manifest: toml::Table = files::settings(root, &path)?;
        let name = manifest.get("package").and_then(|table| table.get("name"));
        let name = name
            .and_then(toml::Value::as_str)
            .ok_or_else(|| format!("{path}: the package has no name"))?;
        packages.push(Package {
            name: name.to_string(),
            folder: format!("crates/{folder}"),
            manifest,
        });
    }
    Ok(packages)
}

/// The sources of a crate, found by its `mod` declarations as the compiler finds them.
///
/// Left out are modules under `#[cfg(test)]` and modules named `tests`, with all below them.
pub fn sources(root: &Path, folder: &str) -> Result<Vec<Source>, String> {
    let mut sources = Vec::new();
    for name in ["lib.rs", "main.rs"] {
        let path = format!("{folder}/src/{name}");
        if root.join(&path).is_file() {
            let place = Place {
                path,
                module: Vec::new(),
                folder: format!("{folder}/src"),
            };
            load(root, place, &mut sources)?;
        }
    }
    Ok(sources)
}

/// Where a module stands.
struct Place {
    path: String,
    module: Vec<String>,
    /// The folder of its submodules.
    folder: String,
}

/// Appends a file and the files of its submodules.
fn load(root: &Path, place: Place, sources: &mut Vec<Source>) -> Result<(), String> {
    let Place { path, module, .. } = &place;
    let text = files::text(root, path)?
        .ok_or_else(|| format!("{path} is not text: Rust sources are UTF-8"))?;
    let tree = syntax::parse(path, &text)?;
    let mut below = Vec::new();
    submodules(root, &tree.items, &place, &mut below)?;
    sources.push(Source {
        path: path.clone(),
        module: module.clone(),
        tree,
    });
    for child in below {
        load(root, child, sources)?;
    }
    Ok(())
}

/// Collects the modules with a file of their own, also those inside of modules written in place.
fn submodules(
    root: &Path,
    items: &[syn::Item],
    place: &Place,
    below: &mut Vec<Place>,
) -> Result<(), String> {
    for item in items {
        let syn::Item::Mod(declared) = item else {
            continue;
        };
        if is_test_module(declared) {
            continue;
        }
        let name = syntax::word(&declared.ident);
        let mut child = Place {
            path: place.path.clone(),
            module: place.module.iter().chain([&name]).cloned().collect(),
            folder: format!("{}/{name}", place.folder),
        };
        if let Some((_, items)) = &declared.content {
            submodules(root, items, &child, below)?;
            continue;
        }
        if let Some(given) = given_path(&declared.attrs) {
            child.folder = parent(&place.path).to_string();
            child.path = format!("{}/{given}", child.folder);
        } else {
            child.path = file_of(root, &child.folder, &place.path)?;
        }
        below.push(child);
    }
    Ok(())
}

/// Whether a module is test code as a whole.
pub fn is_test_module(module: &syn::ItemMod) -> bool {
    module.ident == "tests" || syntax::is_test(&module.attrs)
}

/// The file of a module without `#[path]`: `name.rs` or `name/mod.rs`.
fn file_of(root: &Path, folder: &str, declared_in: &str) -> Result<String, String> {
    let candidates = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
    let found = candidates.iter().find(|path| root.join(path).is_file());
    found.cloned().ok_or_else(|| {
        format!("{declared_in} declares a module without a file: there is no {folder}.rs or {folder}/mod.rs")
    })
}

/// The value of `#[path = ".."]`.
fn given_path(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) if pair.path.is_ident("path") => Some(text.value()),
            _ => None,
        }
    })
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Writes small made-up repositories for the tests of the checks.
#[cfg(test)]
pub mod kit {
    use std::path::Path;

    /// A repository with the given files, each a path and its text.
    pub fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(folder.path(), path, text);
        }
        folder
    }

    /// Writes one file, with the folders above it.
    pub fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_declaration_without_tests() {
        let folder = kit::repository(&[
            ("crates/a/Cargo.toml", "[package]\nname = \"p-a\"\n"),
            (
                "crates/a/src/lib.rs",
                "mod x;\nmod y;\n#[cfg(test)]\nmod kit;\nmod tests;\n",
            ),
            (
                "crates/a/src/x.rs",
                "mod deep { mod z; }\n#[path = \"other.rs\"]\nmod named;\n",
            ),
            ("crates/a/src/x/deep/z.rs", ""),
            ("crates/a/src/other.rs", ""),
            ("crates/a/src/y/mod.rs", "mod tests;"),
            ("crates/a/src/orphan.rs", ""),
        ]);
        let packages = packages(folder.path()).unwrap();
        assert_eq!(packages[0].name, "p-a");
        let sources = sources(folder.path(), &packages[0].folder).unwrap();
        let found: Vec<_> = sources
            .iter()
            .map(|s| (s.path.as_str(), s.module.join("::")))
            .collect();
        let expected = [
            ("crates/a/src/lib.rs", ""),
            ("crates/a/src/x.rs", "x"),
            ("crates/a/src/x/deep/z.rs", "x::deep::z"),
            ("crates/a/src/other.rs", "x::named"),
            ("crates/a/src/y/mod.rs", "y"),
        ];
        assert_eq!(
            found,
            expected.map(|(path, module)| (path, module.to_string()))
        );
    }

    #[test]
    fn a_module_without_a_file_is_named() {
        let folder = kit::repository(&[("crates/a/src/lib.rs", "mod gone;\n")]);
        let error = sources(folder.path(), "crates/a").err().unwrap();
        assert!(error.contains("crates/a/src/gone.rs"), "{error}");
    }
}
