//! `percuss run`, `check`, `show` and `table` of scenes of bodies, as a person or a program
//! uses them.

use std::fs;
use std::path::Path;

use crate::common::scenes::{SLOPE, put, with};
use crate::common::{folder, percuss};
use serde_json::Value;

fn manifest(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("run.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn bodies_run_to_a_certificate_findings_and_records() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    let ran = percuss(here.path(), &["run", "slope.toml"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    for part in [
        "A block on a slope (a test)",
        "finished at t = 0.5",
        "certificate ok: 50 steps, 0 missed",
        "creep",
        "records in runs/slope-1",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let quiet = percuss(here.path(), &["run", "slope.toml", "--quiet"]);
    let line = "slope: finished, certificate ok, 2 of 2 findings ok; records in runs/slope-2\n";
    assert_eq!((quiet.out.as_str(), quiet.status), (line, 0));
}

#[test]
fn json_has_the_agreed_fields_and_show_repeats_it() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    let ran = percuss(here.path(), &["run", "slope.toml", "--json", "-o", "out"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = ran.json();
    assert_eq!(
        (&all["scene"], &all["directory"]),
        (&"slope".into(), &"out".into())
    );
    assert_eq!(
        (&all["status"], &all["reached"].is_f64()),
        (&"finished".into(), &true)
    );
    let certificate = &all["certificate"];
    assert_eq!(
        (
            &certificate["steps"],
            &certificate["missed"],
            &certificate["most_contacts"]
        ),
        (&50.into(), &0.into(), &2.into())
    );
    for key in ["residual", "penetration", "momentum", "energy", "gain"] {
        let worst = certificate[format!("worst_{key}")].as_f64();
        assert!(
            worst.is_some_and(|worst| worst >= 0.0),
            "{key}: {certificate}"
        );
    }
    let creep = &all["findings"][0];
    assert_eq!(
        (&creep["name"], &creep["ok"]),
        (&"creep".into(), &true.into())
    );
    assert_eq!(
        (&creep["tolerance"], &creep["source"]),
        (&1e-9.into(), &"mu > tan slope".into())
    );
    assert_eq!(
        (&all["findings"][1]["case"], &all["findings"][1]["ok"]),
        (&"ice".into(), &true.into())
    );
    assert_eq!(all["findings"][2]["value"], 2.0);
    let shown = percuss(here.path(), &["show", "out", "--json"]);
    assert_eq!(shown.json(), all);
    assert_eq!(manifest(&here.path().join("out"))["status"], "finished");
}

#[test]
fn what_findings_look_at_is_in_the_records() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    percuss(here.path(), &["run", "slope.toml", "-q", "-o", "r"]);
    let ran = percuss(
        here.path(),
        &["table", "r", "observables", "--format", "json"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let rows = ran.json();
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), 51, "the start and fifty steps");
    assert_eq!(rows[0]["contacts_foot"], 0.0);
    assert_eq!(rows[50]["contacts_foot"], 2.0);
    assert!(rows[50]["block_x"].as_f64().is_some_and(|x| x.abs() < 1e-9));
}

#[test]
fn a_finding_outside_its_expectation_is_status_1() {
    let here = folder();
    put(
        here.path(),
        "slope.toml",
        &with(SLOPE, "expected = 0\n", "expected = 1\n"),
    );
    let ran = percuss(here.path(), &["run", "slope.toml"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(ran.out.contains("NOT ok"), "{}", ran.out);
    // So is a certificate that is not met.
    let edits = with(
        SLOPE,
        "step = 1e-2",
        "step = 1e-2\ntolerance = 1e-16\nmax_iterations = 1",
    );
    put(here.path(), "strict.toml", &edits);
    let ran = percuss(here.path(), &["run", "strict.toml", "--no-findings"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    assert!(ran.out.contains("certificate NOT ok"), "{}", ran.out);
}

#[test]
fn what_is_refused_writes_nothing() {
    let here = folder();
    let scenes = [
        (
            "deep",
            with(SLOPE, "[0, 0.05]", "[0, 0.04]"),
            "`floor` and `block` by 1.000e-2",
        ),
        (
            "mass",
            with(SLOPE, "density = 2400", "density = -1"),
            "density",
        ),
        (
            "name",
            with(SLOPE, "final(block_x)", "final(blok_x)"),
            "did you mean `block_x`",
        ),
        (
            "stop",
            with(SLOPE, "step = 1e-2", "step = 1e-2\nstop = \"blok_x > 1\""),
            "`stop`",
        ),
        (
            "watch",
            with(SLOPE, "contacts_foot", "contacts_feet"),
            "contacts_foot",
        ),
        ("key", with(SLOPE, "until = 0.5", "untill = 0.5"), "until"),
    ];
    for (name, text, part) in &scenes {
        let file = format!("{name}.toml");
        put(here.path(), &file, text);
        for command in ["run", "check"] {
            let ran = percuss(here.path(), &[command, &file]);
            assert_eq!(
                (ran.status, ran.out.as_str()),
                (2, ""),
                "{name}: {}",
                ran.err
            );
            assert!(
                ran.err.contains(part) && ran.err.contains(&file),
                "{name}: {}",
                ran.err
            );
        }
    }
    assert!(!here.path().join("runs").exists(), "nothing is written");
}

#[test]
fn a_refusal_as_json_has_its_reason() {
    let here = folder();
    put(
        here.path(),
        "deep.toml",
        &with(SLOPE, "[0, 0.05]", "[0, 0.04]"),
    );
    let ran = percuss(here.path(), &["run", "deep.toml", "--json"]);
    assert_eq!(ran.status, 2);
    let all = ran.json();
    assert_eq!(
        (&all["status"], &all["directory"]),
        (&"refused".into(), &Value::Null)
    );
    assert!(
        all["reason"]
            .as_str()
            .is_some_and(|r| r.contains("relax = true")),
        "{all}"
    );
}

#[test]
fn a_run_that_cannot_go_on_keeps_its_records() {
    let here = folder();
    let force = "position = [0, 0.05]\nforce = [\"sqrt(0.25 - t)\", 0]";
    put(
        here.path(),
        "half.toml",
        &with(SLOPE, "position = [0, 0.05]", force),
    );
    let ran = percuss(here.path(), &["run", "half.toml", "--json", "-o", "r"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    let all = ran.json();
    assert_eq!(
        (&all["status"], &all["directory"]),
        (&"stopped".into(), &"r".into())
    );
    assert!(
        ran.err.contains("stopped at t = ") && ran.err.contains("`block`"),
        "{}",
        ran.err
    );
    let reached = all["reached"].as_f64().expect("an instant");
    assert!((reached - 0.25).abs() < 0.02, "{reached}");
    let table = percuss(
        here.path(),
        &["table", "r", "bodies", "--columns", "t", "-q"],
    );
    let last = table.out.lines().last().expect("rows").to_string();
    assert_eq!(
        last.parse::<f64>().ok(),
        Some(reached),
        "the last state is recorded"
    );
}

#[test]
fn check_counts_what_there_is() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    let ran = percuss(here.path(), &["check", "slope.toml"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let line = "slope.toml: can be run: 2 bodies, 1 material, 1 watch, 1 case, 3 findings\n";
    assert_eq!(ran.out, line);
    assert!(!here.path().join("runs").exists());
}

#[test]
fn the_number_of_threads_changes_no_byte_of_the_records() {
    let here = folder();
    let grains = "[[grid]]\nname = \"grains\"\nmaterial = \"stone\"\nradius = { uniform = [0.03, 0.05] }\n\
                  counts = [8, 8]\nseed = 5\norigin = [-0.3, 0.3]\n\n[run]";
    put(here.path(), "grains.toml", &with(SLOPE, "[run]", grains));
    for threads in ["1", "2"] {
        let args = [
            "run",
            "grains.toml",
            "-q",
            "--no-findings",
            "--threads",
            threads,
            "-o",
            threads,
        ];
        let ran = percuss(here.path(), &args);
        assert_eq!(ran.status, 0, "{} {}", ran.out, ran.err);
    }
    let files = |directory: &str| {
        let entries = fs::read_dir(here.path().join(directory)).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let names = files("1");
    assert_eq!(names, files("2"));
    assert!(
        names
            .iter()
            .any(|name| name.to_string_lossy().starts_with("contacts"))
    );
    for name in names.iter().filter(|name| *name != "run.json") {
        let bytes =
            |directory: &str| fs::read(here.path().join(directory).join(name)).expect("a file");
        assert_eq!(bytes("1"), bytes("2"), "{name:?}");
    }
    let [one, two] = ["1", "2"].map(|d| manifest(&here.path().join(d)));
    assert_eq!(one["certificate"], two["certificate"]);
    let help = percuss(here.path(), &["run", "--help"]);
    assert!(
        help.out.contains("detecting contacts of bodies"),
        "{}",
        help.out
    );
}
