//! From a scene to its findings.

use std::cell::RefCell;

use percuss_record::NullObserver;
use percuss_scene::Scene;

use crate::evaluate::compiled_findings::check_findings;
use crate::evaluate::evaluate_findings;
use crate::finding::{Finding, Value};
use percuss_simulation::Threads;
use percuss_simulation::run_mechanism;

/// A ball thrown upwards: it rises to v²/2g, and meets the floor again at 2v/g.
const THROW: &str = r#"
kind = "mechanism"
[parameters]
g = 10.0
v = 3.0
e = 0.5
[[coordinate]]
name = "x"
velocity = "v"
[dynamics]
kinetic = "0.5*x_dot^2"
potential = "g*x"
[[contact]]
name = "floor"
gap = "x"
restitution = "e"
[run]
until = 1.0
step = 1e-3
[[case]]
name = "slow"
set = { v = 1.0 }
[[case]]
name = "inadmissible"
set = { e = 2 }
[[study]]
name = "reach"
bisect = { key = "v", from = 1, to = 9, tolerance = 1e-3 }
when = "maximum(x) > 1"
[[study]]
name = "speeds"
vary = { v = { from = 1, to = 3, count = 3 }, g = [5, 10] }
observe = { height = "maximum(x)", high = "maximum(x) > 0.3" }
"#;

fn evaluate(findings: &str, threads: usize) -> Vec<Finding> {
    let text = format!("{THROW}\n{findings}");
    let scene = Scene::parse("throw", "throw.toml", &text).expect("a scene");
    let main = run_mechanism(
        scene.build_mechanism().expect("a mechanism"),
        &mut NullObserver,
        &mut |_| true,
    );
    let threads = Threads::new(threads);
    evaluate_findings(&scene, &main, threads, &mut |_, _| true).expect("findings")
}

fn one(finding: &str) -> Finding {
    let mut found = evaluate(&format!("[[finding]]\nname = \"it\"\n{finding}"), 1);
    found.pop().expect("one finding")
}

fn refused(finding: &str) -> String {
    let text = format!("{THROW}\n[[finding]]\nname = \"it\"\n{finding}");
    let scene = Scene::parse("throw", "throw.toml", &text);
    let checked = scene.and_then(|scene| check_findings(&scene));
    checked.expect_err("an error").to_string()
}

#[test]
fn a_finding_is_held_against_its_expectation() {
    let found = one("value = \"maximum(x)\"\nexpected = \"v^2/(2*g)\"\ntolerance = \"v*h\"");
    assert_eq!(found.ok, Some(true));
    assert_eq!(found.expected, Some(Value::Number(0.45)));
    assert_eq!(found.tolerance, Some(3.0 * 1e-3));
    let far = one("value = \"maximum(x)\"\nexpected = 0.46\ntolerance = 0.005");
    assert_eq!((far.ok, far.reason), (Some(false), None));
    let share = one("value = \"maximum(x)\"\nexpected = 0.46\ntolerance = \"3 %\"");
    assert_eq!(share.ok, Some(true));
    assert!((share.tolerance.expect("a tolerance") - 0.0138).abs() < 1e-15);
    let reported = one("value = \"maximum(x)\"");
    assert_eq!((reported.ok, reported.expected), (None, None));
}

#[test]
fn bounds_lists_and_truths_are_compared_with_what_is_expected() {
    assert_eq!(
        one("value = \"maximum(x)\"\nat_most = \"v/2\"").ok,
        Some(true)
    );
    assert_eq!(one("value = \"maximum(x)\"\nat_least = 1").ok, Some(false));
    assert_eq!(
        one("value = \"maximum(x)\"\nbetween = [0.4, 0.5]").ok,
        Some(true)
    );
    let list = "value = \"list(initial(x_dot), initial(x))\"\nexpected = [\"v\", 0]";
    assert_eq!(one(list).ok, Some(true));
    let short = one("value = \"list(initial(x_dot))\"\nexpected = [3, 0]");
    assert_eq!(short.ok, Some(false));
    assert_eq!(
        short.reason.as_deref(),
        Some("1 items were found, 2 expected")
    );
    assert_eq!(
        one("value = \"maximum(x) > 1\"\nexpected = false").ok,
        Some(true)
    );
    assert_eq!(
        one("value = \"maximum(x) > 1\"\nexpected = true").ok,
        Some(false)
    );
    assert_eq!(
        one("value = \"'word'\"\nexpected = \"word\"").ok,
        Some(true)
    );
    assert_eq!(
        one("value = \"'word'\"\nexpected = \"other\"").ok,
        Some(false)
    );
    let bounded = one("value = \"maximum(x) > 1\"\nat_most = 1");
    assert_eq!(bounded.ok, Some(false));
    assert_eq!(
        bounded.reason.as_deref(),
        Some("the value is true or false, but has bounds")
    );
}

#[test]
fn no_value_is_a_reason_and_not_an_error() {
    let found = one("value = \"impact(floor, 900)\"\nexpected = 1");
    assert_eq!((&found.value, found.ok), (&None, Some(false)));
    let reason = found.reason.expect("a reason");
    assert!(reason.contains("not 900"), "{reason}");
    // Even when nothing is expected: it was asked for.
    assert_eq!(one("value = \"impact(floor, 900)\"").ok, Some(false));
}

#[test]
fn cases_have_their_own_parameters() {
    let found =
        one("value = \"maximum(x)\"\nexpected = \"v^2/(2*g)\"\ntolerance = \"h\"\ncase = \"slow\"");
    assert_eq!(found.ok, Some(true));
    assert_eq!(found.expected, Some(Value::Number(0.05)));
    assert_eq!(found.case, "slow");
}

#[test]
fn a_case_that_misses_its_tolerance_does_not_pass() {
    // Of friction and a joint no solver makes this little: every step with force is missed.
    let text = format!(
        "{}\n[[case]]\nname = \"strict\"\nset = {{ tolerance = 1e-300, mu = 0.5 }}\n\
         [[finding]]\nname = \"it\"\nvalue = \"final(y) > -1\"\nexpected = true\ncase = \"strict\"",
        include_str!("incline.toml")
    );
    let scene = Scene::parse("incline", "incline.toml", &text).expect("a scene");
    let main = run_mechanism(
        scene.build_mechanism().expect("a mechanism"),
        &mut NullObserver,
        &mut |_| true,
    );
    assert!(main.certificate.ok, "{:?}", main.certificate);
    let found = evaluate_findings(&scene, &main, Threads::new(1), &mut |_, _| true);
    let found = found.expect("findings").pop().expect("a finding");
    assert_eq!(found.value, Some(Value::Truth(true)));
    let reason = found.reason.expect("a reason");
    assert_eq!(found.ok, Some(false));
    assert!(reason.contains("steps missed their tolerance"), "{reason}");
}

#[test]
fn a_case_that_is_refused_can_be_expected_to_be() {
    let case = "case = \"inadmissible\"\n";
    let found = one(&format!(
        "{case}value = \"fails('energy')\"\nexpected = true"
    ));
    assert_eq!(found.ok, Some(true), "{found:?}");
    let found = one(&format!(
        "{case}value = \"fails('weather')\"\nexpected = false"
    ));
    assert_eq!(found.ok, Some(true));
    let found = one(&format!("{case}value = \"final(x)\""));
    assert!(found.reason.expect("a reason").contains("1.12"));
}

#[test]
fn studies_are_run_for_findings() {
    // v²/2g = 1 at v = √20; the midpoint scheme reaches its height but for g h²/8.
    let found = one("value = \"threshold(reach)\"\nexpected = \"sqrt(2*g)\"\ntolerance = 1e-3");
    assert_eq!(found.ok, Some(true), "{found:?}");
    let heights = "value = \"column(speeds, height)\"\n\
                   expected = [0.1, 0.05, 0.4, 0.2, 0.9, 0.45]\ntolerance = 1e-5";
    let found = one(heights);
    assert_eq!(found.ok, Some(true), "{found:?}");
    assert_eq!(
        one("value = \"column(speeds, v)\"").value,
        Some(Value::List(vec![1.0, 1.0, 2.0, 2.0, 3.0, 3.0]))
    );
    assert_eq!(
        one("value = \"share(column(speeds, high), 1, 1)\"").value,
        Some(Value::Number(0.5))
    );
}

#[test]
fn findings_are_the_same_for_any_number_of_threads() {
    let asked = "[[finding]]\nname = \"a\"\nvalue = \"column(speeds, height)\"\n\
                 [[finding]]\nname = \"b\"\nvalue = \"error(x; 1e-2; event)\"\n\
                 [[finding]]\nname = \"c\"\nvalue = \"threshold(reach)\"";
    let one = evaluate(asked, 1);
    for threads in [2, 3] {
        assert_eq!(evaluate(asked, threads), one);
    }
}

#[test]
fn findings_become_the_documented_json() {
    let found = one("value = \"maximum(x) > 1\"\nexpected = false\nsource = \"B02\"");
    let json = serde_json::to_value(&found).expect("JSON");
    let expected = serde_json::json!({
        "name": "it", "value": false, "expected": false, "tolerance": null, "ok": true,
        "source": "B02", "about": null, "case": "main"
    });
    assert_eq!(json, expected);
    assert_eq!(
        serde_json::from_value::<Finding>(json).expect("a finding"),
        found
    );
}

#[test]
fn wrong_texts_name_their_finding_and_line() {
    let line = THROW.lines().count() + 4;
    assert_eq!(
        refused("value = \"final(yonder)\""),
        format!(
            "throw.toml:{line}: finding `it`: `value`: in an observable: unknown name `yonder` (known \
             here: {})\n  | final(yonder)\n  |       ^^^^^^",
            known()
        )
    );
    let expected = refused("value = \"1\"\nexpected = \"final(x)\"");
    assert!(
        expected.contains("finding `it`: `expected`: unknown function `final`"),
        "{expected}"
    );
    let share = refused("value = \"1\"\nexpected = true\ntolerance = \"1 %\"");
    assert!(
        share.contains("a share of something that is no number"),
        "{share}"
    );
    for (check, reason) in [
        (
            "expected = 1\ntolerance = -1",
            "`tolerance`: a tolerance from 0 was expected, not -1",
        ),
        ("between = [2, 1]", "the interval from 2 to 1 is empty"),
    ] {
        let said = refused(&format!("value = \"1\"\n{check}"));
        assert!(said.contains(reason), "{said}");
    }
    // What depends on the step may be right for another one: the finding is not met.
    let found = one("value = \"1\"\nbetween = [\"2*h\", \"h\"]");
    assert_eq!(found.ok, Some(false));
    let said = found.reason.unwrap_or_default();
    assert!(
        said.contains("the interval from 0.002 to 0.001 is empty"),
        "{said}"
    );
}

fn known() -> String {
    let scene = Scene::parse("throw", "throw.toml", THROW).expect("a scene");
    let system = scene.build_mechanism().expect("a mechanism").system;
    let names: Vec<&str> = system.observable_names().collect();
    names.join(", ")
}

#[test]
fn a_run_that_stops_gives_no_more_than_it_has() {
    // x'' = 2 x³ from (1, 1) is 1/(1 − t): it leaves the numbers at t = 1.
    let text = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
initial = 1
velocity = 1
[dynamics]
kinetic = "0.5*x_dot^2"
[dynamics.forces]
x = "2*x^3"
[run]
until = 2.0
step = 1e-3
[[finding]]
name = "early"
value = "at(x, 0.5)"
expected = 2
tolerance = 1e-4
[[finding]]
name = "end"
value = "final(x)"
[[finding]]
name = "late"
value = "at(x, 1.9)"
[[finding]]
name = "stops"
value = "fails('t = 1.')"
expected = true
"#;
    let scene = Scene::parse("blow-up", "blow-up.toml", text).expect("a scene");
    let main = run_mechanism(
        scene.build_mechanism().expect("a mechanism"),
        &mut NullObserver,
        &mut |_| true,
    );
    let stop = main.stopped.clone().expect("a stop");
    assert!(stop.started && stop.t > 0.99 && stop.t < 1.1, "{stop:?}");
    let findings = evaluate_findings(&scene, &main, Threads::new(1), &mut |_, _| true);
    let findings = findings.expect("findings");
    let ok: Vec<Option<bool>> = findings.iter().map(|found| found.ok).collect();
    assert_eq!(
        ok,
        [Some(true), Some(false), Some(false), Some(true)],
        "{findings:#?}"
    );
    assert_eq!(findings[1].reason, Some(stop.to_string()));
}

#[test]
fn progress_names_the_finding_and_can_stop() {
    let text = format!(
        "{THROW}\n[[finding]]\nname = \"first\"\nvalue = \"final(x)\"\n\
         [[finding]]\nname = \"second\"\nvalue = \"final(x)\""
    );
    let scene = Scene::parse("throw", "throw.toml", &text).expect("a scene");
    let main = run_mechanism(
        scene.build_mechanism().expect("a mechanism"),
        &mut NullObserver,
        &mut |_| true,
    );
    let told = RefCell::new(Vec::new());
    let found = evaluate_findings(&scene, &main, Threads::new(1), &mut |name, share| {
        told.borrow_mut().push((name.to_string(), share));
        share < 0.5
    });
    let found = found.expect("findings");
    assert_eq!(
        told.into_inner(),
        [("first".to_string(), 0.0), ("second".to_string(), 0.5)]
    );
    assert!(found[0].value.is_some());
    assert_eq!(
        found[1].reason.as_deref(),
        Some("not evaluated: stopped on request")
    );
}
