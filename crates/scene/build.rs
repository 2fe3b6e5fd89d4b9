//! Collects the built-in scenes in `scenes/` of this crate, and the files they refer to, into sorted tables.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |_| io::Error::other("cargo sets this variable");
    let root = env::var("CARGO_MANIFEST_DIR").map_err(missing)?;
    let out = env::var("OUT_DIR").map_err(missing)?;
    let folder = Path::new(&root).join("scenes");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut scenes = files(&folder)?;
    scenes.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    if scenes.is_empty() {
        return Err(missing_files(&folder, "no scene (*.toml) is in it"));
    }
    let table = table(scenes, "include_str", |file| file.file_stem())?;
    fs::write(Path::new(&out).join("scenes.rs"), table)?;
    let data = folder.join("data");
    println!("cargo:rerun-if-changed={}", data.display());
    let data_files = files(&data)?;
    if data_files.is_empty() {
        return Err(missing_files(&data, "no file is in it"));
    }
    let table = self::table(data_files, "include_bytes", |file| file.file_name())?;
    fs::write(Path::new(&out).join("data.rs"), table)
}

/// All files of a folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let unreadable = |error| missing_files(folder, &format!("it cannot be read: {error}"));
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut all: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    all.retain(|path| path.is_file());
    Ok(all)
}

/// The error of an incomplete copy of the sources.
fn missing_files(folder: &Path, what: &str) -> io::Error {
    io::Error::other(format!(
        "the built-in scenes are missing from {}: {what}; this copy of percuss-scene is not complete",
        folder.display()
    ))
}

/// Name and content of each, sorted by name: `ball` before `ball-e05`.
fn table(
    files: Vec<PathBuf>,
    include: &str,
    name: impl Fn(&Path) -> Option<&std::ffi::OsStr>,
) -> io::Result<String> {
    let name = |file: &Path| {
        name(file)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut files: Vec<(String, PathBuf)> = files.into_iter().map(|f| (name(&f), f)).collect();
    files.sort();
    let mut table = String::from("&[\n");
    for (name, file) in files {
        let path = file.canonicalize()?;
        let line = writeln!(table, "    ({name:?}, {include}!({path:?})),");
        line.map_err(io::Error::other)?;
    }
    table.push(']');
    Ok(table)
}
