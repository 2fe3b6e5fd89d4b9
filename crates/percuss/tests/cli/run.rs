//! `percuss run`, `show`, `table`, `check` and `examples` as a person or a program uses them.

use std::fs;
use std::path::Path;

use crate::common::scenes::{BALL, number, put, rows, with};
use crate::common::{folder, percuss};
use serde_json::Value;

fn manifest(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("run.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn run_ends_with_certificate_findings_and_the_place_of_the_records() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let ran = percuss(here.path(), &["run", "ball.toml"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    for part in [
        "A ball dropped on a floor (a test)",
        "finished at t = 1; integrator midpoint, step 0.001",
        "certificate ok: 1000 steps, 0 missed",
        "worst penetration",
        "records in runs/ball-1",
        "percuss plot runs/ball-1 heights",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let line = ran
        .out
        .lines()
        .find(|l| l.starts_with("first_impact"))
        .expect("a finding");
    assert!(
        line.ends_with("ok") && line.contains("0.4515236 ± 0.003"),
        "{line}"
    );
    // The next one goes beside it; the summary can be seen again.
    let quiet = percuss(here.path(), &["run", "ball.toml", "--quiet"]);
    let line = "ball: finished, certificate ok, 1 of 1 findings ok; records in runs/ball-2\n";
    assert_eq!((quiet.out.as_str(), quiet.status), (line, 0));
    let shown = percuss(here.path(), &["show", "runs/ball-1"]);
    assert_eq!(shown.status, 0);
    assert!(ran.out.starts_with(&shown.out), "{}", shown.out);
}

#[test]
fn json_has_the_agreed_fields_and_show_repeats_it() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let ran = percuss(
        here.path(),
        &["run", "ball.toml", "--json", "-o", "out/first"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let all = ran.json();
    assert_eq!(all["scene"], "ball");
    assert_eq!(all["directory"], "out/first");
    assert_eq!(all["status"], "finished");
    let certificate = &all["certificate"];
    assert_eq!(
        (&certificate["steps"], &certificate["missed"]),
        (&1000.into(), &0.into())
    );
    for key in [
        "residual",
        "penetration",
        "momentum",
        "energy",
        "drift",
        "gain",
    ] {
        let worst = certificate[format!("worst_{key}")]
            .as_f64()
            .expect("a number");
        assert!(worst >= 0.0, "{key}");
    }
    let finding = &all["findings"][0];
    assert_eq!(finding["name"], "first_impact");
    assert_eq!(
        (&finding["ok"], &finding["source"]),
        (&true.into(), &"free fall".into())
    );
    let (value, expected) = (finding["value"].as_f64(), finding["expected"].as_f64());
    let (value, expected) = (value.expect("a number"), expected.expect("a number"));
    assert!((expected - (2.0 / 9.81_f64).sqrt()).abs() < 1e-15);
    // Time stepping knows an impact to within a step or two.
    assert!((value - expected).abs() <= 3e-3 && value != expected);
    assert_eq!(all["findings"][1]["ok"], Value::Null, "only reported");
    let shown = percuss(here.path(), &["show", "out/first", "--json"]);
    assert_eq!(shown.json(), all);
}

#[test]
fn records_hold_the_closed_form_of_free_fall() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    let table = |args: &[&str]| {
        let ran = percuss(here.path(), &[&["table", "r"], args].concat());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
        ran.out
    };
    let all = table(&["coordinates"]);
    assert!(
        all.starts_with("step,t,z,z_dot\n0,0.0,1.0,0.0\n"),
        "{}",
        &all[..60]
    );
    assert_eq!(rows(&all).len(), 1001, "the start and a thousand steps");
    for row in rows(&all).iter().filter(|row| number(&row[1]) < 0.45) {
        let t = number(&row[1]);
        // The midpoint scheme is exact under a constant force: rounding of some hundred steps.
        assert!((number(&row[2]) - (1.0 - 0.5 * 9.81 * t * t)).abs() < 1e-12);
        assert!((number(&row[3]) + 9.81 * t).abs() < 1e-12);
    }
    let one = table(&[
        "steps",
        "--at",
        "0.3004",
        "--columns",
        "kinetic,t",
        "--format",
        "json",
    ]);
    let one: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(one.as_array().map(Vec::len), Some(1));
    assert!((one[0]["t"].as_f64().expect("t") - 0.3).abs() < 1e-12);
    let kinetic = one[0]["kinetic"].as_f64().expect("kinetic");
    assert!((kinetic - 0.5 * (9.81_f64 * 0.3).powi(2)).abs() < 1e-11);
}

#[test]
fn records_hold_the_impact_and_its_impulse() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    percuss(here.path(), &["run", "ball.toml", "-q", "-o", "r"]);
    let table = |args: &[&str]| percuss(here.path(), &[&["table", "r"], args].concat()).out;
    let events = rows(&table(&["events", "--columns", "kind,before,after,gamma"]));
    let impact = events
        .iter()
        .find(|row| row[0] == "impact")
        .expect("an impact");
    // Within the speed gained in three steps.
    assert!((number(&impact[1]) + (2.0 * 9.81_f64).sqrt()).abs() < 3e-3 * 9.81);
    assert!((number(&impact[2]) + 0.5 * number(&impact[1])).abs() < 1e-12);
    assert_eq!(impact[3], "", "nothing stands for null");
    let contacts = table(&[
        "contacts",
        "--columns",
        "constraint,status,impulse_n,impulse_t1",
    ]);
    let strongest = rows(&contacts)
        .iter()
        .map(|row| number(&row[2]))
        .fold(0.0, f64::max);
    // m (v+ - v-) = 1.5 sqrt(2 g).
    assert!((strongest - 1.5 * (2.0 * 9.81_f64).sqrt()).abs() < 5e-3 * 9.81);
    assert!(
        contacts.contains("floor,") && contacts.lines().nth(1).is_some_and(|l| l.ends_with(','))
    );
    let findings = table(&["findings", "--columns", "name,ok", "--quiet"]);
    assert_eq!(findings, "first_impact,true\nhighest,\n");
}

#[test]
fn every_nth_step_is_recorded_and_the_last() {
    let here = folder();
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "step = 1e-3", "step = 1e-3\nrecord_every = 300"),
    );
    percuss(
        here.path(),
        &["run", "ball.toml", "-q", "-o", "r", "--no-findings"],
    );
    let ran = percuss(
        here.path(),
        &["table", "r", "steps", "--columns", "step", "--quiet"],
    );
    assert_eq!(ran.out, "300\n600\n900\n1000\n");
    let ran = percuss(here.path(), &["table", "r", "findings"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("have not been measured"), "{}", ran.err);
}

#[test]
fn overrides_are_used_and_recorded() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let args = [
        "run",
        "ball.toml",
        "-q",
        "-o",
        "r",
        "--set",
        "g=19.62",
        "--set",
        "until = 0.5",
    ];
    assert_eq!(percuss(here.path(), &args).status, 0);
    let manifest = manifest(&here.path().join("r"));
    assert_eq!(manifest["parameters"]["g"], 19.62);
    assert_eq!(manifest["settings"]["until"], 0.5);
    let first = serde_json::json!({"key": "g", "value": "19.62"});
    assert_eq!(manifest["overrides"][0], first);
    assert_eq!(manifest["text"], BALL);
    assert_eq!(manifest["tables"][1]["columns"][2]["name"], "z");
    let ran = percuss(
        here.path(),
        &["table", "r", "coordinates", "--at", "0.3", "--quiet"],
    );
    let z = number(ran.out.trim().split(',').nth(2).expect("z"));
    assert!((z - (1.0 - 0.5 * 19.62 * 0.09)).abs() < 1e-12);
    for (bad, part) in [("mu=1", "mu"), ("g", "KEY=VALUE"), ("=1", "KEY=VALUE")] {
        let ran = percuss(here.path(), &["run", "ball.toml", "--set", bad]);
        assert_eq!(ran.status, 2, "{bad}");
        assert!(ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn finding_outside_its_expectation_gives_status_1() {
    let here = folder();
    put(
        here.path(),
        "ball.toml",
        &with(BALL, "sqrt(2/g)", "sqrt(3/g)"),
    );
    let ran = percuss(here.path(), &["run", "ball.toml"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.out.contains("NOT ok"), "{}", ran.out);
    assert_eq!(
        percuss(here.path(), &["run", "ball.toml", "--json"]).json()["findings"][0]["ok"],
        false
    );
    // The certificate alone is in order.
    assert_eq!(
        percuss(here.path(), &["run", "ball.toml", "--no-findings"]).status,
        0
    );
    assert_eq!(percuss(here.path(), &["show", "runs/ball-1"]).status, 0);
}

/// A manifest without what may differ: on what it was computed.
fn without_machine(manifest: &[u8]) -> Vec<u8> {
    let mut all: serde_json::Value = serde_json::from_slice(manifest).expect("JSON");
    let machine = all.as_object_mut().expect("an object").remove("machine");
    assert!(machine.is_some_and(|m| m["cores"].as_u64() > Some(0)));
    serde_json::to_vec(&all).expect("JSON")
}

#[test]
fn same_run_writes_the_same_bytes_for_any_number_of_threads() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let all = ["1", "2"].map(|threads| {
        let place = format!("r{threads}");
        let args = ["run", "ball.toml", "-q", "-o", &place, "--threads", threads];
        assert_eq!(percuss(here.path(), &args).status, 0);
        let mut files: Vec<_> = fs::read_dir(here.path().join(&place))
            .expect("a folder")
            .map(|e| e.expect("an entry").path())
            .collect();
        files.sort();
        let bytes = files.iter().map(|f| {
            let bytes = fs::read(f).expect("there");
            match f.ends_with("run.json") {
                true => without_machine(&bytes),
                false => bytes,
            }
        });
        (files.len(), bytes.collect::<Vec<_>>())
    });
    assert_eq!(all[0].0, 5, "a manifest and four tables");
    assert!(all[0] == all[1]);
}

#[test]
fn check_tells_what_there_is_and_runs_nothing() {
    let here = folder();
    put(here.path(), "ball.toml", BALL);
    let ran = percuss(here.path(), &["check", "ball.toml"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let line = "ball.toml: can be run: 1 coordinate, 1 constraint, 1 case, 1 study, 2 findings, \
                2 plots\n";
    assert_eq!(ran.out, line);
    assert_eq!(percuss(here.path(), &["check", "ball.toml", "-q"]).out, "");
    assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), 1);
    assert_eq!(
        percuss(here.path(), &["check", "ball.toml", "--set", "e=2"]).status,
        2
    );
}

#[test]
fn examples_are_listed_and_each_can_be_copied_and_checked() {
    let here = folder();
    let list = percuss(here.path(), &["examples"]);
    assert_eq!((list.status, list.err.as_str()), (0, ""));
    let json = percuss(here.path(), &["examples", "--json"]).json();
    let examples = json["examples"].as_array().expect("a list");
    assert_eq!(examples.len(), list.out.lines().count());
    for (example, line) in examples.iter().zip(list.out.lines()) {
        let part = |key: &str| example[key].as_str().expect("text");
        assert!(line.starts_with(part("name")), "{line}");
        assert!(
            line.contains(part("title")) && line.ends_with(part("source")),
            "{line}"
        );
        assert!(
            !part("source").is_empty() && !part("title").is_empty(),
            "{line}"
        );
    }
    let copied = percuss(here.path(), &["examples", "--show", "pendulum"]);
    put(here.path(), "mine.toml", &copied.out);
    let ran = percuss(here.path(), &["check", "mine.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(
        percuss(here.path(), &["examples", "--show", "nothing"]).status,
        2
    );
}

/// The ball of the tests with settings for a short run.
fn with_fast(keys: &str) -> String {
    format!("{BALL}\n[fast]\n{keys}\n")
}

#[test]
fn a_fast_run_takes_the_settings_of_the_scene_and_those_given_win() {
    let here = folder();
    put(
        here.path(),
        "ball.toml",
        &with_fast("until = 0.25\nstep = 5e-3"),
    );
    let ran = |more: &[&str], name: &str| {
        let mut args = vec![
            "run",
            "ball.toml",
            "--fast",
            "-q",
            "--no-findings",
            "-o",
            name,
        ];
        args.extend(more);
        let ran = percuss(here.path(), &args);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
        manifest(&here.path().join(name))
    };
    // 50 steps of 5e-3; the records have the values as overrides, so that they can be verified and resumed.
    let fast = ran(&[], "fast");
    assert_eq!(fast["certificate"]["steps"], 50, "{fast}");
    assert_eq!(
        fast["overrides"].as_array().map(Vec::len),
        Some(2),
        "{fast}"
    );
    assert_eq!(percuss(here.path(), &["verify", "fast", "-q"]).status, 0);
    let given = ran(&["--set", "until=0.1"], "given");
    assert_eq!(given["certificate"]["steps"], 20, "{given}");
    // Without the option the table does nothing.
    percuss(
        here.path(),
        &["run", "ball.toml", "-q", "--no-findings", "-o", "whole"],
    );
    let whole = manifest(&here.path().join("whole"));
    assert_eq!(whole["certificate"]["steps"], 1000, "{whole}");
}

#[test]
fn a_fast_run_that_the_scene_does_not_declare_and_wrong_keys_are_refused() {
    let here = folder();
    let refused = |text: &str, args: &[&str], message: &str| {
        put(here.path(), "ball.toml", text);
        let ran = percuss(here.path(), args);
        assert_eq!(ran.status, 2, "{}", ran.err);
        assert!(ran.err.contains(message), "{}", ran.err);
        assert!(!here.path().join("runs").exists());
    };
    let run = ["run", "ball.toml", "--fast"];
    refused(BALL, &run, "the scene has no table `[fast]`");
    refused(&with_fast(""), &run, "the table is empty");
    // Refused with or without the option, with the line and the nearest key.
    for args in [&run[..], &["check", "ball.toml"]] {
        refused(&with_fast("untill = 1"), args, "did you mean `until`?");
    }
}
