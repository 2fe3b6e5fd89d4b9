//! The states of every built-in system as hashes: what a change that must not change a bit is held against.
//!
//! `tests/hashes.txt` has a line for each table of each system, long ones shortened as `tests/short.txt` says, and one for
//! each problem file. Values are hashed, names of columns are not. Hashes depend on the C library's elementary functions:
//! compare on the machine that wrote them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};

use crate::Outcome;
use crate::schema::release_folder;

const FILE: &str = "tests/hashes.txt";
const SHORT: &str = "tests/short.txt";
const PROBLEMS: &str = "data/fclib";

/// Tables of states; a system has some of them.
const TABLES: [&str; 5] = ["steps", "coordinates", "bodies", "contacts", "events"];

/// What `percuss solve` computes; times and names of methods are left out.
const FIGURES: [&str; 4] = ["\"iterations\"", "\"rv\"", "\"r1\"", "\"r2\""];

/// Finds hashes that are not those of the file.
pub fn check(root: &Path) -> Outcome {
    let text = std::fs::read_to_string(root.join(FILE))
        .map_err(|error| format!("{FILE} cannot be read: {error}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut kept: BTreeMap<&str, &str> = lines.filter_map(|line| line.rsplit_once(' ')).collect();
    let mut findings = Vec::new();
    for (name, hash) in compute(root)? {
        match kept.remove(name.as_str()) {
            Some(old) if old == hash => {}
            Some(_) => findings.push(format!("{name}: other bits than those in {FILE}")),
            None => findings.push(format!("{name}: not in {FILE}; cargo xtask hashes --write")),
        }
    }
    findings.extend(kept.keys().map(|name| format!("{name}: in {FILE} only")));
    Ok(findings)
}

/// Writes the file.
pub fn write(root: &Path) -> Outcome {
    let mut text = String::from(
        "# Made by cargo xtask hashes --write: WHAT TABLE HASH, see xtask/src/hashes.rs\n",
    );
    for (name, hash) in compute(root)? {
        text += &format!("{name} {hash}\n");
    }
    std::fs::write(root.join(FILE), text)
        .map_err(|error| format!("{FILE} cannot be written: {error}"))?;
    Ok(Vec::new())
}

/// All hashes, by what they are of.
fn compute(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let program = build(root)?;
    let short = settings(root)?;
    let listed = call(&program, root, &["examples", "--json"])?;
    let names = values(&text(&listed), "\"name\"");
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut hashes = Vec::new();
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            let none = Vec::new();
            hashes.extend(system(&program, name, short.get(name).unwrap_or(&none))?);
        }
        Ok::<_, String>(hashes)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined
            .map(|part| part.unwrap_or_else(|_| Err("a worker panicked".into())))
            .collect()
    });
    let mut all = problems(&program, root)?;
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}

/// The command, built.
fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "build",
        "--quiet",
        "--release",
        "-p",
        "percuss",
        "--bin",
        "percuss",
    ]);
    let built = command.current_dir(root).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the command could not be built".into());
    }
    let name = format!("percuss{}", std::env::consts::EXE_SUFFIX);
    Ok(release_folder(root)?.join(name))
}

/// Settings by system.
fn settings(root: &Path) -> Result<BTreeMap<String, Vec<String>>, String> {
    let text = std::fs::read_to_string(root.join(SHORT))
        .map_err(|error| format!("{SHORT} cannot be read: {error}"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(|line| line.split_whitespace().map(String::from));
    Ok(words
        .filter_map(|mut words| Some((words.next()?, words.collect())))
        .collect())
}

/// The tables of one system.
fn system(
    program: &Path,
    name: &str,
    settings: &[String],
) -> Result<Vec<(String, String)>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    let mut args = vec!["run", name, "-o", "run", "--no-findings", "--quiet"];
    settings.iter().for_each(|one| args.extend(["--set", one]));
    let ran = call(program, folder.path(), &args)?;
    if !folder.path().join("run").exists() {
        // Systems that must be refused.
        return Ok(vec![(
            format!("{name} status"),
            format!("{:?}", ran.status.code()),
        )]);
    }
    let mut hashes = Vec::new();
    for table in TABLES {
        let printed = call(program, folder.path(), &["table", "run", table, "--quiet"])?;
        if printed.status.success() {
            hashes.push((format!("{name} {table}"), hash(&printed.stdout)));
        }
    }
    if hashes.is_empty() {
        return Err(format!("{name}: it has no table"));
    }
    Ok(hashes)
}

/// What is computed of each problem file.
fn problems(program: &Path, root: &Path) -> Result<BTreeMap<String, String>, String> {
    let folder = std::fs::read_dir(root.join(PROBLEMS));
    let folder = folder.map_err(|error| format!("{PROBLEMS} cannot be read: {error}"))?;
    let mut all = BTreeMap::new();
    for entry in folder.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".hdf5") {
            continue;
        }
        let file = format!("{PROBLEMS}/{name}");
        let solved = call(program, root, &["solve", &file, "--json"])?;
        let json = text(&solved);
        let lines = json.lines().map(str::trim);
        let kept: Vec<&str> = lines
            .filter(|line| FIGURES.iter().any(|figure| line.starts_with(figure)))
            .collect();
        if kept.is_empty() {
            return Err(format!("{file}: nothing was computed"));
        }
        all.insert(format!("{file} solve"), hash(kept.join("\n").as_bytes()));
    }
    Ok(all)
}

fn call(program: &Path, folder: &Path, args: &[&str]) -> Result<Output, String> {
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        .output();
    output.map_err(|error| format!("{}: {error}", program.display()))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The strings that stand behind a key in JSON of one key a line.
fn values(json: &str, key: &str) -> Vec<String> {
    let lines = json
        .lines()
        .filter_map(|line| line.trim().strip_prefix(key));
    lines
        .filter_map(|rest| rest.split('"').nth(1).map(String::from))
        .collect()
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
