//! Records and exports in the hands of other programs: polars, DuckDB, pandas, VTK.
//!
//! The programs are installed with pip, pinned, into a virtual environment in the target folder, once.
//! Where there is no Python or no network this is skipped with a line that says so; with
//! `PERCUSS_PYTHON=required` in the environment it fails instead.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{folder, percuss};

/// The folder of the scripts.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/python");

/// Runs a program to its end; what it said where it failed.
fn ran(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let last = said.trim().lines().last().unwrap_or("").to_string();
            Err(format!("{}: {last}", output.status))
        }
    }
}

/// Python with everything installed; why not, otherwise.
fn python() -> Result<PathBuf, String> {
    let wanted = fs::read_to_string(Path::new(SCRIPTS).join("requirements.txt"));
    let wanted = wanted.map_err(|e| e.to_string())?;
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let program = home.join("bin").join("python");
    let note = home.join("installed.txt");
    if fs::read_to_string(&note).is_ok_and(|there| there == wanted) {
        return Ok(program);
    }
    let there = ran(Command::new("python3").arg("--version"));
    there.map_err(|e| format!("there is no python3 ({e})"))?;
    let made = ran(Command::new("python3").args(["-m", "venv"]).arg(&home));
    made.map_err(|e| format!("python3 -m venv failed ({e})"))?;
    let mut pip = Command::new(&program);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip.arg("--requirement")
        .arg(Path::new(SCRIPTS).join("requirements.txt"));
    ran(&mut pip).map_err(|e| format!("pip could not install the readers ({e})"))?;
    fs::write(&note, wanted).map_err(|e| e.to_string())?;
    Ok(program)
}

/// A line that is seen although the test passes.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

const PLANE: &str = r#"
kind = "bodies"
title = "Blocks, discs and a pill on the ground"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "stone"
density = 2000
[[law]]
between = ["stone", "stone"]
friction = 0.6
[[body]]
name = "ground"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [1, 0.5] }
material = "stone"
position = [0, 0.25]
[[body]]
name = "upper"
shape = { box = [0.8, 0.4] }
material = "stone"
position = [0.1, 0.7]
[[body]]
name = "pill"
shape = { capsule = [0.6, 0.1] }
material = "stone"
position = [0, 1.1]
[[grid]]
name = "grains"
radius = { uniform = [0.04, 0.06] }
counts = [20, 4]
seed = 7
origin = [1.5, 0.1]
material = "stone"
[[group]]
name = "blocks"
bodies = ["block"]
[run]
until = 0.5
step = 2e-3
record_every = 1
[[finding]]
name = "height"
value = "final(block_y)"
"#;

const SPACE: &str = r#"
kind = "bodies"
title = "All shapes of space in a box"
[world]
dimension = 3
gravity = [0, 0, -9.81]
[[material]]
name = "stone"
density = 2000
[[law]]
between = ["stone", "stone"]
friction = 0.4
[[body]]
name = "floor"
shape = { half_space = [0, 0, 1] }
material = "stone"
fixed = true
[[body]]
name = "cube"
shape = { box = [0.4, 0.3, 0.2] }
material = "stone"
position = [0, 0, 0.1]
velocity = [1, 0, 0]
[[body]]
name = "can"
shape = { cylinder = [0.4, 0.1] }
material = "stone"
position = [-1, 0, 0.25]
[[body]]
name = "pill"
shape = { capsule = [0.3, 0.1] }
material = "stone"
position = [0, 1, 0.5]
[[body]]
name = "rock"
shape = { polyhedron = [[0.2, 0, 0], [-0.2, 0.1, 0], [0, 0.2, 0], [0, -0.2, 0], [0, 0, 0.3]] }
material = "stone"
position = [0, -1, 0.5]
[[grid]]
name = "balls"
radius = 0.05
counts = [6, 6, 3]
origin = [1, 1, 0.06]
jitter = 0.0005
seed = 3
material = "stone"
[run]
until = 0.3
step = 2e-3
record_every = 2
"#;

#[test]
fn other_programs_read_the_same_numbers_from_records_and_exports() {
    let python = match python() {
        Ok(python) => python,
        Err(why) if std::env::var("PERCUSS_PYTHON").is_ok_and(|word| word == "required") => {
            panic!("the readers of records cannot be installed: {why}")
        }
        Err(why) => return say(&format!("skipped the tests in Python: {why}")),
    };
    let folder = folder();
    let mut runs = Vec::new();
    for (name, text) in [("plane", PLANE), ("space", SPACE)] {
        fs::write(folder.path().join(format!("{name}.toml")), text).expect("written");
    }
    let scenes = [
        ("plane.toml", "plane", None),
        // Every compression is read by every reader.
        ("plane.toml", "gzip", Some("record.compression=gzip")),
        ("plane.toml", "lz4", Some("record.compression=lz4")),
        ("plane.toml", "none", Some("record.compression=none")),
        ("space.toml", "space", None),
        ("ball-e05", "mechanism", None),
    ];
    for (scene, run, set) in scenes {
        let mut args = vec![
            "run",
            scene,
            "-o",
            run,
            "--quiet",
            "--no-findings",
            "--threads",
            "1",
        ];
        args.extend(set.iter().flat_map(|set| ["--set", *set]));
        let ended = percuss(folder.path(), &args);
        assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
        runs.push(run);
    }
    let mut check = Command::new(python);
    check.current_dir(folder.path());
    check.arg(Path::new(SCRIPTS).join("check.py"));
    check.arg(env!("CARGO_BIN_EXE_percuss")).args(runs);
    let output = check.output().expect("python starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{wrong}");
    assert!(said.contains("python: all well"), "{said}");
}
