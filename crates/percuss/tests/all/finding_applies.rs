//! Findings at steps and parameters that nobody chose: expectations that hold at declared values alone, expectations
//! without a value, runs whose last step leads beyond their end.

use percuss_run::finding::{Finding, Value};
use percuss_run::{Run, RunEnd, RunOptions, execute};
use percuss_scene::Scene;

/// A ball that falls: −½ g t² until the end; what `top` says was found at g = 10.
const FALL: &str = r#"
kind = "mechanism"
[parameters]
g = 10.0
double = "2*g"
e = 0.5
[[coordinate]]
name = "z"
[dynamics]
kinetic = "0.5*z_dot^2"
potential = "g*z"
[[contact]]
name = "floor"
gap = "z + 100"
restitution = "e"
[run]
until = 1.0
step = 0.01
[[case]]
name = "slow"
set = { g = 2.0 }
"#;

fn scene(findings: &str) -> Result<Scene, String> {
    let text = format!("{FALL}\n{findings}");
    Scene::parse("fall", "fall.toml", &text).map_err(|error| error.to_string())
}

fn run(findings: &str, set: &[(&str, &str)]) -> Run {
    let scene = scene(findings).and_then(|s| s.with_overrides(set).map_err(|e| e.to_string()));
    let scene = scene.unwrap_or_else(|e| panic!("{e}"));
    execute(&scene, RunOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn findings(text: &str, set: &[(&str, &str)]) -> Vec<Finding> {
    run(text, set).findings.expect("findings")
}

/// One finding with typed-in numbers.
fn typed(only_at: &str) -> String {
    format!(
        "[[finding]]\nname = \"place\"\nvalue = \"final(z)\"\nexpected = -5\ntolerance = 1e-9\nonly_at = {only_at}\n"
    )
}

#[test]
fn an_expectation_found_at_declared_values_is_not_judged_at_others() {
    let text = typed("[\"g\"]");
    // As declared, also where the same value is written in another way, and with another parameter that is not named.
    for set in [
        &[][..],
        &[("g", "20/2")],
        &[("e", "0.1")],
        &[("step", "0.005")],
    ] {
        let found = &findings(&text, set)[0];
        assert_eq!(
            (found.ok, found.applicable),
            (Some(true), true),
            "{set:?} {found:?}"
        );
    }
    // The value is told and nothing is judged.
    let found = &findings(&text, &[("g", "4")])[0];
    assert_eq!((found.ok, found.applicable), (None, false), "{found:?}");
    assert_eq!(found.expected, None);
    let Some(Value::Number(value)) = found.value else {
        panic!("{found:?}");
    };
    assert!((value + 2.0).abs() < 1e-9, "{value}");
    let reason = found.reason.as_deref().expect("a reason");
    assert!(
        reason.contains("not applicable: `g` is 4, not 10"),
        "{reason}"
    );
}

#[test]
fn what_depends_on_another_parameter_changes_with_it() {
    let found = &findings(&typed("[\"double\"]"), &[("g", "4")])[0];
    assert_eq!((found.ok, found.applicable), (None, false), "{found:?}");
    let found = &findings(&typed("[\"parameters\"]"), &[("e", "0.4")])[0];
    assert_eq!((found.ok, found.applicable), (None, false), "{found:?}");
    assert!(
        found.reason.as_deref().is_some_and(|r| r.contains("`e`")),
        "{found:?}"
    );
}

#[test]
fn settings_count_as_parameters_do() {
    let text = typed("[\"step\", \"until\", \"integrator\"]");
    let applicable = |set: &[(&str, &str)]| findings(&text, set)[0].applicable;
    assert!(applicable(&[]));
    assert!(applicable(&[
        ("g", "3"),
        ("step", "1/100"),
        ("integrator", "midpoint")
    ]));
    assert!(!applicable(&[("step", "0.02")]));
    assert!(!applicable(&[("run.until", "2")]));
    assert!(!applicable(&[("integrator", "event")]));
}

#[test]
fn a_case_declares_its_own_values() {
    let text = "[[finding]]\nname = \"place\"\ncase = \"slow\"\nvalue = \"final(z)\"\nexpected = -1\ntolerance = 1e-9\nonly_at = [\"g\"]\n";
    // The case sets g whatever the command line says.
    for set in [&[][..], &[("g", "4")]] {
        let found = &findings(text, set)[0];
        assert_eq!(
            (found.ok, found.applicable),
            (Some(true), true),
            "{found:?}"
        );
    }
}

#[test]
fn names_that_are_neither_parameters_nor_settings_are_refused() {
    for (only_at, part) in [
        ("[\"doubel\"]", "did you mean `double`"),
        ("[\"record.every\"]", "no such parameter or setting"),
        ("[]", "an array of names"),
        ("\"g\"", "an array of names"),
        ("[1]", "a name"),
    ] {
        let error = scene(&typed(only_at)).expect_err("refused");
        assert!(error.contains(part) && error.contains("only_at"), "{error}");
    }
    let report = "[[finding]]\nname = \"place\"\nvalue = \"final(z)\"\nonly_at = [\"g\"]\n";
    let error = scene(report).expect_err("refused");
    assert!(error.contains("`only_at` goes with"), "{error}");
}

/// The fault: such a scene was refused, and nothing of it was run.
#[test]
fn an_expectation_without_a_value_is_a_finding_that_is_not_met() {
    let text = "
[[finding]]
name = \"root\"
value = \"final(z)\"
expected = \"sqrt(g - 9)\"
[[finding]]
name = \"bound\"
value = \"final(z)\"
between = [\"-g\", \"g - 9\"]
[[finding]]
name = \"tolerance\"
value = \"final(z)\"
expected = -2
tolerance = \"g - 9\"
[[finding]]
name = \"reference\"
value = \"error(z; 1e-2; sqrt(g - 9)*t)\"
at_most = 1
[[finding]]
name = \"place\"
value = \"final(z)\"
expected = \"-g/2\"
tolerance = 1e-9
";
    let run = run(text, &[("g", "4")]);
    assert_eq!(run.end, RunEnd::Finished);
    let found = run.findings.expect("findings");
    for (finding, part) in found.iter().zip([
        "`expected` has no value here: `sqrt(g - 9)` is NaN",
        "the interval from -4 to -5 is empty",
        "a tolerance from 0 was expected, not -5",
        "not finite",
    ]) {
        assert_eq!(finding.ok, Some(false), "{finding:?}");
        let reason = finding.reason.as_deref().expect("a reason");
        assert!(reason.contains(part), "{reason}");
    }
    assert_eq!(found[4].ok, Some(true), "{:?}", found[4]);
}

/// What is wrong whatever the parameters are is wrong with the scene.
#[test]
fn an_expectation_that_can_have_no_value_is_refused() {
    for (expected, part) in [
        ("expected = \"sqrt(-1)\"", "is NaN"),
        ("expected = \"sqrt(gg)\"", "gg"),
        ("expected = 1\ntolerance = -1", "a tolerance from 0"),
        ("between = [\"2\", \"1\"]", "is empty"),
    ] {
        let text = format!("[[finding]]\nname = \"x\"\nvalue = \"final(z)\"\n{expected}\n");
        let refused = scene(&text).and_then(|scene| {
            execute(&scene, RunOptions::default()).map_err(|error| error.to_string())
        });
        let error = refused.map(|_| ()).expect_err("refused");
        assert!(error.contains(part), "{error}");
    }
}

/// 0.007 does not divide 1: the last step ends at 1.001. Everything is measured up to 1. The midpoint scheme is exact in
/// free fall, and so is the interpolation within a step but for g h²/8, the sagitta of a step.
#[test]
fn measures_end_where_the_run_is_to_end() {
    let text = "
[[finding]]
name = \"place\"
value = \"final(z)\"
expected = \"-g/2\"
tolerance = \"g*h^2/8 + 1e-12\"
[[finding]]
name = \"speed\"
value = \"final(z_dot)\"
expected = \"-g\"
tolerance = 1e-11
[[finding]]
name = \"lowest\"
value = \"minimum(z)\"
expected = \"-g/2\"
tolerance = \"g*h^2/8 + 1e-12\"
[[finding]]
name = \"way\"
value = \"integral(z_dot)\"
expected = \"-g/2\"
tolerance = 1e-11
[[finding]]
name = \"between_states\"
value = \"at(z_dot, 0.5)\"
expected = \"-g/2\"
tolerance = 1e-11
[[finding]]
name = \"end\"
value = \"final(t)\"
expected = 1
tolerance = 1e-12
";
    for step in ["0.01", "0.007", "0.013", "0.3"] {
        for finding in findings(text, &[("step", step)]) {
            assert_eq!(finding.ok, Some(true), "step {step}: {finding:?}");
        }
    }
}

/// A floor 5.5 below is met at t = 1.05. The step from 0.93 to 1.24 has the impact at its midpoint, 1.085, after the end.
#[test]
fn events_after_the_end_are_none_of_the_run() {
    let text = "
[[finding]]
name = \"impacts\"
value = \"impacts(floor)\"
expected = 0
[[finding]]
name = \"impulse\"
value = \"impulse(floor, 1)\"
expected = 0
";
    let near = FALL.replace("z + 100", "z + 5.5");
    let scene = Scene::parse("fall", "fall.toml", &format!("{near}\n{text}"));
    let scene = scene.and_then(|s| s.with_overrides(&[("step", "0.31")]));
    let run = execute(
        &scene.unwrap_or_else(|e| panic!("{e}")),
        RunOptions::default(),
    );
    let run = run.unwrap_or_else(|e| panic!("{e}"));
    let found = run.findings.as_ref().expect("findings");
    assert!(found.iter().all(|f| f.ok == Some(true)), "{found:?}");
}

/// A belt that swings under a block, too fast for friction to hold it: the sliding velocity passes zero twice, at a rate of
/// 10 to 17 m/s² where friction gives 3, and there is no stick. In about one step of three at that instant friction holds.
const BELT: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
[[coordinate]]
name = "z"
[dynamics]
kinetic = "0.5*(x_dot^2 + z_dot^2)"
potential = "10*z"
[[contact]]
name = "belt"
gap = "z"
tangent = "x_dot - 3*cos(1.5*pi*t)"
friction = 0.3
[run]
until = 1.0
step = 0.01
[[finding]]
name = "sticks"
value = "stick(belt, 1)"
"#;

/// The fault: a step in which sliding changed its sense counted as a stick, or not, as the instant fell into the steps.
#[test]
fn a_change_of_the_sense_of_sliding_is_no_stick() {
    for step in ["0.01", "0.007", "0.013", "0.0033", "0.0017"] {
        let scene = Scene::parse("belt", "belt.toml", BELT);
        let scene = scene.and_then(|s| s.with_overrides(&[("step", step)]));
        let run = execute(
            &scene.unwrap_or_else(|e| panic!("{e}")),
            RunOptions::default(),
        );
        let found = &run
            .unwrap_or_else(|e| panic!("{e}"))
            .findings
            .expect("findings")[0];
        assert_eq!(found.value, None, "step {step}: {found:?}");
        let reason = found.reason.as_deref().expect("a reason");
        assert!(
            reason.contains("`belt` has 0 beginnings of sticking"),
            "{reason}"
        );
    }
}
