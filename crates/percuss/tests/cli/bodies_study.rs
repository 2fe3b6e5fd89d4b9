//! Studies and preparations of scenes of bodies, as a person or a program uses them.

use crate::common::scenes::{SLOPE, put, with};
use crate::common::{folder, percuss};

#[test]
fn a_study_of_bodies_is_one_table() {
    let here = folder();
    put(here.path(), "slope.toml", SLOPE);
    let study = "kind = \"study\"\nscene = \"slope.toml\"\n[vary]\nmu = [0, 0.2, 0.5]\n\
                 [observe]\nspeed = \"final(block_vx)\"\n";
    put(here.path(), "study.toml", study);
    let ran = percuss(
        here.path(),
        &["study", "study.toml", "--json", "--threads", "2"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = ran.json();
    let rows = all["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    let slope = 0.3_f64;
    for (row, mu) in rows.iter().zip([0.0, 0.2, 0.5]) {
        let exact = (5.0 * (slope.sin() - mu * slope.cos())).max(0.0);
        let speed = row["speed"].as_f64().expect("a number");
        // The solver's tolerance of 1e-6, by step.
        assert!((speed - exact).abs() < 1e-4, "{mu}: {speed} {exact}");
        // Findings of the scene are columns, too.
        assert!(row["creep"].is_f64(), "{row}");
    }
    let checked = percuss(here.path(), &["check", "study.toml"]);
    assert_eq!(checked.status, 0, "{}", checked.err);
    assert!(checked.out.contains("3 runs of `slope`"), "{}", checked.out);
}

#[test]
fn preparations_and_conditions_are_reported() {
    let here = folder();
    let more =
        "[[prepare]]\nname = \"settle\"\nuntil = 0.1\nstep = 1e-2\n\n[run]\nstop = \"t > 0.195\"";
    put(here.path(), "slope.toml", &with(SLOPE, "[run]", more));
    let ran = percuss(
        here.path(),
        &["run", "slope.toml", "--json", "--no-findings"],
    );
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    let all = ran.json();
    let certificate = &all["certificate"];
    assert_eq!(certificate["halted"], true, "{certificate}");
    assert_eq!(certificate["steps"], 20);
    let prepared = &certificate["prepared"][0];
    assert_eq!(
        (&prepared["name"], &prepared["steps"]),
        (&"settle".into(), &10.into())
    );
    assert_eq!(all["status"], "finished");
}
