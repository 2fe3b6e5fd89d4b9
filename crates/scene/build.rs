//! Collects the scenes of the repository, and the files they refer to, into sorted tables.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |_| io::Error::other("cargo sets this variable");
    let root = env::var("CARGO_MANIFEST_DIR").map_err(missing)?;
    let out = env::var("OUT_DIR").map_err(missing)?;
    let folder = Path::new(&root).join("../../scenes");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut scenes = files(&folder)?;
    scenes.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    let table = table(scenes, "include_str", |file| file.file_stem())?;
    fs::write(Path::new(&out).join("scenes.rs"), table)?;
    let data = folder.join("data");
    if data.exists() {
        println!("cargo:rerun-if-changed={}", data.display());
    }
    let table = self::table(files(&data)?, "include_bytes", |file| file.file_name())?;
    fs::write(Path::new(&out).join("data.rs"), table)
}

/// All files of a folder; none where there is no folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut all: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    all.retain(|path| path.is_file());
    Ok(all)
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
