//! `percuss audit`: its table, its files, its exit status.

use std::fs;

use crate::common::{folder, percuss};

#[test]
fn the_ball_holds_to_its_tolerances_in_every_run() {
    let folder = folder();
    let ran = percuss(folder.path(), &["audit", "ball-e05", "-o", "a"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    for part in [
        "half_step",
        "quarter_step",
        "integrator = event",
        "first_impact",
        "in all 6",
        "regular",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    // Findings that need studies and cases are named, not measured.
    assert!(ran.out.contains("--all-findings") && ran.out.contains("order_position"));
    let text = fs::read_to_string(folder.path().join("a/audit.json")).expect("audit.json");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    // One phase of the impacts in their steps: the order of a single audit scatters around one.
    let order = json["orders"]["configuration"]["order"].as_f64();
    assert!(order.is_some_and(|p| p > 0.0), "{order:?}");
    assert!(
        fs::read(folder.path().join("a/distance.png")).is_ok_and(|png| png.starts_with(b"\x89PNG"))
    );
    assert!(
        fs::read_to_string(folder.path().join("a/distance.svg"))
            .is_ok_and(|svg| svg.contains("<svg"))
    );
    // What is there is never overwritten, and that is told before the work.
    let again = percuss(folder.path(), &["audit", "ball-e05", "-o", "a"]);
    assert_eq!(again.status, 2);
    assert!(again.err.contains("not empty"), "{}", again.err);
}

#[test]
fn a_run_directory_is_audited_beside_itself() {
    let folder = folder();
    let ran = percuss(
        folder.path(),
        &[
            "run",
            "pendulum",
            "--set",
            "until=0.5",
            "-o",
            "runs/p",
            "-q",
            "--no-findings",
        ],
    );
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = percuss(
        folder.path(),
        &["audit", "runs/p", "--json", "--threads", "2"],
    );
    let json = ran.json();
    let until = json["span"][1].as_f64();
    assert_eq!(until, Some(0.5), "the overrides of the run are kept");
    assert_eq!(json["recorded"], true, "{}", json["not_held"]);
    assert!(
        json["directory"]
            .as_str()
            .is_some_and(|d| d.ends_with("p-audit-1")),
        "{}",
        json["directory"]
    );
    assert!(folder.path().join("runs/p-audit-1/audit.json").is_file());
    let ran = percuss(folder.path(), &["audit", "runs/p", "-q"]);
    assert!(ran.out.contains("p-audit-2"), "{}", ran.out);
}

#[test]
fn a_finding_that_depends_on_the_step_has_status_one() {
    let folder = folder();
    let scene = "kind = \"mechanism\"\n[[coordinate]]\nname = \"z\"\ninitial = 1\n[dynamics]\n\
        kinetic = \"0.5*z_dot^2\"\npotential = \"9.81*z\"\n[[contact]]\nname = \"floor\"\ngap = \"z\"\n\
        restitution = 0.5\n[run]\nuntil = 1\nstep = 1e-3\n[[finding]]\nname = \"pinned\"\n\
        value = \"impact(floor, 1)\"\nexpected = 0.4515236409857309\ntolerance = 1e-7\n";
    fs::write(folder.path().join("ball.toml"), scene).expect("a file");
    let ran = percuss(folder.path(), &["audit", "ball.toml"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("NOT in") && ran.out.contains("pinned"),
        "{}",
        ran.out
    );
    assert!(folder.path().join("runs/ball-audit-1").is_dir());
}

#[test]
fn bad_input_has_status_two() {
    let folder = folder();
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let cases: [(&[&str], &str); 5] = [
        (&["audit", "no-such-scene"], "no-such-scene"),
        (&["audit", "empty"], "empty"),
        (&["audit", "pendulum", "--until", "-1"], "until"),
        (&["audit", "pendulum", "--set", "colour=3"], "colour"),
        (&["audit", "pendulum", "--threads", "0"], "--threads"),
    ];
    for (args, named) in cases {
        let ran = percuss(folder.path(), args);
        assert_eq!(ran.status, 2, "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(named), "{args:?}: {}", ran.err);
    }
    assert!(!folder.path().join("runs").exists());
}
