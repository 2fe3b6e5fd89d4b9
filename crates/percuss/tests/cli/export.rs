//! `percuss export` and `percuss table` on long records.

use std::fs;
use std::path::Path;

use crate::common::{folder, percuss};
use percuss_record::Record;

/// Runs a built-in scene into `run`.
fn run(folder: &Path, scene: &str, set: &[&str]) {
    let mut args = vec!["run", scene, "-o", "run", "-q", "--no-findings"];
    args.extend(set.iter().flat_map(|s| ["--set", *s]));
    let ran = percuss(folder, &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut all: Vec<String> = entries
        .map(|e| {
            e.expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    all.sort();
    all
}

/// The help of `percuss table` was a list of its own, and lacked the tables that came later.
#[test]
fn help_names_every_table() {
    let folder = folder();
    let at = folder.path();
    let help = percuss(at, &["table", "--help"]).out;
    let named = |table: &str| {
        let mut words = help.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word == table)
    };
    let optional = ["cell", "midpoints", "joints", "observables", "profiles"];
    for table in optional
        .iter()
        .chain(&["distributions", "forces", "runs", "findings"])
    {
        assert!(named(table), "{table}: {help}");
    }
    for scene in ["three-discs", "ball-e05"] {
        assert_eq!(percuss(at, &["run", scene, "-o", scene, "-q"]).status, 0);
        for entry in &Record::open(&at.join(scene))
            .expect("a run")
            .manifest()
            .tables
        {
            assert!(named(&entry.name), "{}: {help}", entry.name);
        }
    }
}

#[test]
fn states_are_chosen_by_number_and_time() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &[]);
    let ran = percuss(at, &["table", "run", "bodies", "--columns", "t", "-q"]);
    let mut times: Vec<f64> = ran
        .out
        .lines()
        .map(|l| l.parse().expect("a time"))
        .collect();
    times.dedup();
    let (low, high) = (times[10], times[50]);
    let (from, until) = (low.to_string(), high.to_string());
    let window = ["--from", &from, "--until", &until, "--every", "4", "-q"];
    let args = [&["export", "run", "--vtk", "out"][..], &window].concat();
    assert_eq!(percuss(at, &args).status, 0);
    let pvd = fs::read_to_string(at.join("out/bodies.pvd")).expect("there");
    let expected: Vec<f64> = times[10..=50].iter().step_by(4).copied().collect();
    let found = pvd.split("timestep=\"").skip(1);
    let found: Vec<f64> = found
        .map(|part| {
            part.split('"')
                .next()
                .expect("a time")
                .parse()
                .expect("a number")
        })
        .collect();
    assert_eq!(found, expected);
    assert!(!at.join("out/chains.pvd").exists());
}

#[test]
fn folders_are_not_overwritten_but_by_force() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &[]);
    let args = ["export", "run", "--vtk", "out", "--every", "50", "-q"];
    assert_eq!(percuss(at, &args).status, 0);
    let again = percuss(at, &["export", "run", "--vtk", "out"]);
    assert_eq!(again.status, 2);
    assert!(again.err.contains("--force"), "{}", again.err);
    // By force the files of an earlier export go, and those of others stay.
    fs::write(at.join("out/notes.txt"), "mine").expect("written");
    let args = [
        "export", "run", "--vtk", "out", "--force", "--until", "0", "-q",
    ];
    assert_eq!(percuss(at, &args).status, 0);
    let left = [
        "bodies-000000.vtp",
        "bodies.pvd",
        "contacts-000000.vtp",
        "contacts.pvd",
        "names.csv",
        "notes.txt",
        "shapes-000000.vtp",
        "shapes.pvd",
    ];
    assert_eq!(names(&at.join("out")), left);

    let none = percuss(at, &["export", "run", "--vtk", "nothing", "--from", "1e9"]);
    assert_eq!(none.status, 2);
    assert!(none.err.contains("--until"), "{}", none.err);
    assert!(!at.join("nothing").exists());
    fs::write(at.join("file"), "").expect("written");
    let file = percuss(at, &["export", "run", "--vtk", "file"]);
    assert_eq!(file.status, 2);
    assert!(file.err.contains("this is a file"), "{}", file.err);
}

#[test]
fn a_mechanism_has_tables_and_no_bodies() {
    let folder = folder();
    let at = folder.path();
    run(at, "ball-e05", &["step=1e-3"]);
    let ran = percuss(at, &["export", "run", "--vtk", "out"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("--csv"), "{}", ran.err);
    assert!(!at.join("out").exists());
    assert_eq!(
        percuss(at, &["export", "run", "--csv", "out", "-q"]).status,
        0
    );
    let all = [
        "columns.csv",
        "contacts.csv",
        "coordinates.csv",
        "events.csv",
        "steps.csv",
    ];
    assert_eq!(names(&at.join("out")), all);
    for table in ["contacts", "coordinates", "events", "steps"] {
        let text = fs::read_to_string(at.join(format!("out/{table}.csv"))).expect("there");
        assert_eq!(text, percuss(at, &["table", "run", table]).out);
    }
    let columns = fs::read_to_string(at.join("out/columns.csv")).expect("there");
    assert!(
        columns.contains("\nsteps,kinetic,real,energy,kinetic energy at the end of the step\n")
    );
    assert_eq!(percuss(at, &["export", "run"]).status, 2);
    assert_eq!(
        percuss(at, &["export", "run", "--csv", "a", "--vtk", "b"]).status,
        2
    );
}

#[test]
fn a_time_is_found_without_reading_the_chunks_before_it() {
    let folder = folder();
    let at = folder.path();
    // 100,000 steps: two chunks.
    run(at, "tumbling-box", &[]);
    let first = at.join("run/steps-000000.parquet");
    let mut bytes = fs::read(&first).expect("there");
    // Somewhere in the values, far from the end of the file, which says what is in it.
    bytes[1000] ^= 0xff;
    fs::write(&first, bytes).expect("written");
    let ran = percuss(
        at,
        &[
            "table",
            "run",
            "steps",
            "--at",
            "1e9",
            "--columns",
            "step",
            "-q",
        ],
    );
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "100000\n"),
        "{}",
        ran.err
    );
    // The chunk before is damaged, and it is said as soon as it is needed.
    let ran = percuss(
        at,
        &[
            "table",
            "run",
            "steps",
            "--at",
            "0",
            "--columns",
            "step",
            "-q",
        ],
    );
    assert_eq!(ran.status, 2, "{}", ran.out);
    assert!(ran.err.contains("steps-000000.parquet"), "{}", ran.err);
}
