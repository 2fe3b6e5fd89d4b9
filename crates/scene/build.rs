//! Collects the scenes of the repository into one sorted table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |_| io::Error::other("cargo sets this variable");
    let root = env::var("CARGO_MANIFEST_DIR").map_err(missing)?;
    let out = env::var("OUT_DIR").map_err(missing)?;
    let folder = Path::new(&root).join("../../scenes");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = match fs::read_dir(&folder) {
        Ok(entries) => entries
            .map(|e| e.map(|e| e.path()))
            .collect::<io::Result<_>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    // By name without the extension: `ball` before `ball-e05`.
    files.sort_by_key(|file| {
        file.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    });
    let mut table = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let path = file.canonicalize()?;
        let line = writeln!(table, "    ({name:?}, include_str!({path:?})),");
        line.map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(Path::new(&out).join("scenes.rs"), table)
}
