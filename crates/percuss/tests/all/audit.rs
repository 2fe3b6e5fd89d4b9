//! Audits of systems whose order of convergence and whose sensitivity are known.

use percuss_audit::{Audit, AuditError, AuditOptions, FindingScope, SensitivityClass, audit};
use percuss_record::NullObserver;
use percuss_run::Threads;
use percuss_scene::Scene;

fn audited(text: &str, set: &[(&str, &str)]) -> Audit {
    let scene = Scene::parse("test", "test.toml", text).expect("a scene");
    let scene = scene.with_overrides(set).expect("overrides");
    audit(&scene, asked(2), &mut |_, _| true).expect("an audit")
}

fn asked(threads: usize) -> AuditOptions {
    AuditOptions {
        threads: Threads::new(threads),
        findings: FindingScope::OfTheRun,
    }
}

const PENDULUM: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "theta"
kind = "angle"
initial = 1.0
[dynamics]
kinetic = "0.5*theta_dot^2"
potential = "-9.81*cos(theta)"
[run]
until = 3
step = 0.01
[[finding]]
name = "quarter"
value = "crossing(theta, 1)"
# Quarter of the period 4K(sin ½)/√g = 2.1376… s by the arithmetic-geometric mean.
between = [0.53, 0.54]
"#;

/// Two point masses on massless rods.
const DOUBLE: &str = r#"
kind = "mechanism"
[parameters]
start = 2.0
[[coordinate]]
name = "a"
kind = "angle"
initial = "start"
[[coordinate]]
name = "b"
kind = "angle"
initial = "1.2*start"
[dynamics]
kinetic = "0.5*(2*a_dot^2 + b_dot^2) + cos(a - b)*a_dot*b_dot"
potential = "-9.81*(2*cos(a) + cos(b))"
[run]
until = 20
step = 1e-3
"#;

const BALL: &str = r#"
kind = "mechanism"
[parameters]
height = 1.0
e = 0.9
[[coordinate]]
name = "z"
initial = "height"
[dynamics]
kinetic = "0.5*z_dot^2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
restitution = "e"
[run]
until = 4
step = 1e-3
[[finding]]
name = "first"
value = "impact(floor, 1)"
expected = "sqrt(2*height/9.81)"
tolerance = "2*h"
[[finding]]
name = "pinned"
value = "impact(floor, 1)"
expected = "sqrt(2*height/9.81)"
tolerance = 1e-9
[[finding]]
name = "bounces"
value = "count(list(impact(floor, 1), impact(floor, 2), impact(floor, 3)))"
expected = 3
"#;

#[test]
fn a_smooth_pendulum_converges_with_order_two_and_is_regular() {
    let found = audited(PENDULUM, &[]);
    let order = found.orders.configuration.order.expect("an order");
    // The next term of the expansion is h² smaller: 1e-4 of it, and differences of angles are exact to 1e-10.
    assert!((order - 2.0).abs() < 0.01, "{order}");
    let energy = found.orders.energy.order.expect("an order of the energy");
    assert!((energy - 2.0).abs() < 0.05, "{energy}");
    assert_eq!(found.sensitivity.verdict, SensitivityClass::Regular);
    assert!(found.ok, "{:?}", found.not_held);
    assert_eq!(found.findings[0].holds, Some(true));
    // The period is off by h²/24 of its own, relative, at the angles of a pendulum: three digits or more.
    assert!(
        found.findings[0].digits >= Some(3),
        "{:?}",
        found.findings[0]
    );
    let names: Vec<&str> = found.runs.iter().map(|run| run.name).collect();
    let all = [
        "reference",
        "half_step",
        "quarter_step",
        "tolerance",
        "integrator",
        "perturbed",
    ];
    assert_eq!(names, all);
    assert!(found.left_out.is_empty(), "{:?}", found.left_out);
    // Richardson: the reference is a third further from the limit than from the run with half the step, and the
    // event-driven integrator is the limit.
    let largest = |name: &str| {
        found
            .runs
            .iter()
            .find(|run| run.name == name)
            .map(|run| run.largest)
    };
    let ratio = largest("integrator")
        .zip(largest("half_step"))
        .map(|(a, b)| a / b);
    assert!(
        ratio.is_some_and(|r| (r - 4.0 / 3.0).abs() < 0.02),
        "{ratio:?}"
    );
}

#[test]
fn impacts_reduce_the_order_to_one() {
    // Where in a step the impacts fall changes the error of one run as much as the error itself: single orders
    // scatter by 0.8. The mean over eight heights is compared, with two standard errors; order two is outside.
    let orders = (0..8).map(|k| {
        let height = format!("{}", 1.0 + 0.013 * f64::from(k));
        let found = audited(BALL, &[("height", &height)]);
        found.orders.configuration.order.expect("an order")
    });
    let orders: Vec<f64> = orders.collect();
    let mean = orders.iter().sum::<f64>() / 8.0;
    assert!((mean - 1.0).abs() < 0.6, "{mean}: {orders:?}");
}

#[test]
fn a_finding_that_depends_on_the_step_does_not_hold() {
    let found = audited(BALL, &[]);
    let finding = |name: &str| found.findings.iter().find(|f| f.name == name).expect("it");
    assert_eq!(finding("first").holds, Some(true));
    assert_eq!(finding("pinned").holds, Some(false));
    assert!(
        finding("first")
            .digits
            .is_some_and(|digits| (2..5).contains(&digits))
    );
    assert!(finding("bounces").same && finding("bounces").holds == Some(true));
    assert!(!found.ok);
    let told = found.not_held.join("; ");
    assert!(
        told.contains("pinned does not hold in") && told.contains("half_step"),
        "{told}"
    );
    // The event-driven integrator finds the impact itself.
    let exact = finding("pinned")
        .values
        .iter()
        .find(|v| v.run == "integrator");
    assert_eq!(exact.and_then(|v| v.ok), Some(true));
}

/// Accelerations of the double pendulum by hand.
fn rates(x: [f64; 4]) -> [f64; 4] {
    let [a, b, u, w] = x;
    let (c, s) = ((a - b).cos(), (a - b).sin());
    // 2 ü + c ẅ = −s w² − 2g sin a,   c ü + ẅ = s u² − g sin b.
    let (p, q) = (-s * w * w - 19.62 * a.sin(), s * u * u - 9.81 * b.sin());
    let det = 2.0 - c * c;
    [u, w, (p - c * q) / det, (2.0 * q - c * p) / det]
}

fn runge_kutta(x: [f64; 4], h: f64) -> [f64; 4] {
    let along = |x: [f64; 4], k: [f64; 4], h: f64| [0, 1, 2, 3].map(|i| x[i] + h * k[i]);
    let k1 = rates(x);
    let k2 = rates(along(x, k1, 0.5 * h));
    let k3 = rates(along(x, k2, 0.5 * h));
    let k4 = rates(along(x, k3, h));
    [0, 1, 2, 3].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// Growth rate over a time by two neighbouring motions, brought together again after each step (Benettin).
fn growth_rate(start: f64, until: f64) -> f64 {
    let (h, apart) = (1e-3, 1e-8);
    let mut x = [start, 1.2 * start, 0.0, 0.0];
    let mut y = x;
    y[0] += apart;
    let mut sum = 0.0;
    let steps = (until / h).round() as usize;
    for _ in 0..steps {
        (x, y) = (runge_kutta(x, h), runge_kutta(y, h));
        let d: f64 = (0..4).map(|i| (y[i] - x[i]).powi(2)).sum::<f64>().sqrt();
        sum += (d / apart).ln();
        y = [0, 1, 2, 3].map(|i| x[i] + (y[i] - x[i]) * apart / d);
    }
    sum / until
}

#[test]
fn a_double_pendulum_is_chaotic_at_large_angles_and_regular_at_small_ones() {
    let found = audited(DOUBLE, &[]);
    let told = &found.sensitivity;
    assert_eq!(told.verdict, SensitivityClass::Chaotic, "{told:?}");
    let [from, to] = told.fitted.expect("a span");
    let known = growth_rate(2.0, to);
    let rate = told.rate.expect("a rate");
    // Rates of short times differ by the direction of the perturbation and by the norm: ln 10 over the span.
    let slack = std::f64::consts::LN_10 / (to - from) + 0.25 * known;
    assert!((rate - known).abs() < slack, "{rate} against {known}");
    // Every run is certified nevertheless, and order two is seen before the motions part.
    assert!(found.runs.iter().all(|run| run.certified()));
    let order = &found.orders.configuration;
    assert!(
        order.order.is_some_and(|p| (p - 2.0).abs() < 0.2),
        "{order:?}"
    );
    let parted = told.incomparable_from.expect("they part");
    assert!(order.span.is_some_and(|[_, end]| end < parted));
    let small = audited(DOUBLE, &[("start", "0.1")]);
    assert_eq!(
        small.sensitivity.verdict,
        SensitivityClass::Regular,
        "{:?}",
        small.sensitivity
    );
    assert_eq!(small.sensitivity.incomparable_from, None);
}

#[test]
fn the_number_of_threads_does_not_change_an_audit() {
    let scene = Scene::parse("test", "test.toml", BODIES).expect("a scene");
    let one = audit(&scene, asked(1), &mut |_, _| true).expect("an audit");
    let four = audit(&scene, asked(4), &mut |_, _| true).expect("an audit");
    assert_eq!(one, four);
}

/// A box that settles first and is then drawn along by the floor.
const BODIES: &str = r#"
kind = "bodies"
[parameters]
speed = 0.0
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "stone"
density = 1000
[[law]]
between = ["any", "any"]
friction = 0.3
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
motion = { x = "0.1*speed*t^2" }
[[body]]
name = "box"
shape = { box = [0.2, 0.1] }
material = "stone"
position = [0, 0.06]
[[prepare]]
name = "settle"
until = 0.2
rest = true
[run]
until = 0.5
step = 1e-3
start = 0
[[finding]]
name = "slip"
value = "final(box_x)"
"#;

#[test]
fn bodies_are_compared_after_one_preparation() {
    let found = audited(BODIES, &[("speed", "20")]);
    let names: Vec<&str> = found.runs.iter().map(|run| run.name).collect();
    let all = [
        "reference",
        "half_step",
        "quarter_step",
        "tolerance",
        "activation",
        "perturbed",
    ];
    assert_eq!(names, all);
    // All begin at the same place: that which the preparation of the reference left.
    for run in &found.runs {
        let first = run.distances.first().copied().unwrap_or(f64::NAN);
        let moved = if run.name == "perturbed" { 2e-12 } else { 0.0 };
        assert!(first <= moved, "{}: {first}", run.name);
    }
    // Diameter of a box of 0.2 by 0.1 about its centre.
    assert!(
        (found.size.value - 0.05_f64.sqrt()).abs() < 1e-12,
        "{:?}",
        found.size
    );
    // The reference is the run that `percuss run` makes, bit by bit.
    let scene = Scene::parse("test", "test.toml", BODIES).expect("a scene");
    let scene = scene.with_overrides(&[("speed", "20")]).expect("overrides");
    let collection = scene.build_bodies().expect("bodies");
    let wanted = percuss_run::observable_request(&scene, &collection).expect("findings");
    let one = Threads::new(1);
    let run = percuss_run::run_bodies(
        &scene,
        collection,
        &wanted,
        one,
        &mut NullObserver,
        &mut |_| true,
    );
    let series = &run.series.first().expect("a series").1;
    let value = found.findings[0]
        .value
        .as_ref()
        .and_then(percuss_run::Value::number);
    assert_eq!(value, series.last().copied());
    // The box slides with μg = 3 against the 4 m/s² of the floor: ½·3·0.25 m from where the preparation left it.
    assert!(
        value.is_some_and(|x| (x - series[0] - 0.375).abs() < 1e-2),
        "{value:?}"
    );
}

#[test]
fn variants_that_do_not_apply_are_left_out_with_the_reason() {
    let found = audited(PENDULUM, &[("integrator", "event")]);
    let left: Vec<&str> = found.left_out.iter().map(|left| left.name).collect();
    assert!(
        left.contains(&"half_step") && left.contains(&"quarter_step"),
        "{left:?}"
    );
    assert!(found.orders.configuration.order.is_none());
    assert!(found.orders.configuration.reason.is_some());
    assert!(
        found
            .runs
            .iter()
            .any(|run| run.what == "integrator = midpoint")
    );
}

#[test]
fn a_motion_that_cannot_go_on_and_a_request_to_stop_end_the_audit() {
    // A potential that has no value beyond half a radian.
    let text = PENDULUM.replace("-9.81*cos(theta)", "-9.81*cos(theta) + sqrt(theta - 0.5)");
    let scene = Scene::parse("test", "test.toml", &text).expect("a scene");
    let refused = audit(&scene, asked(1), &mut |_, _| true);
    assert!(
        matches!(refused, Err(AuditError::NoReference(_))),
        "{refused:?}"
    );
    let scene = Scene::parse("test", "test.toml", PENDULUM).expect("a scene");
    let stopped = audit(&scene, asked(1), &mut |_, _| false);
    assert!(matches!(stopped, Err(AuditError::Stopped)), "{stopped:?}");
}
