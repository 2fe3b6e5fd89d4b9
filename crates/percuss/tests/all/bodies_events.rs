//! Scenes of bodies from event to event: runs, findings against them, events of joints, what is refused.

use percuss_record::{OutputDirectory, Record};
use percuss_run::finding::{Finding, Value};
use percuss_run::{Run, RunEnd, RunOptions, RunTarget, execute};
use percuss_scene::Scene;
use percuss_verify::VerifyOptions;

/// A scene of the plane with gravity; `law` and the rest are tables.
fn scene(dimension: usize, law: &str, rest: &str, run: &str) -> String {
    let (gravity, boundary) = match dimension {
        2 => ("[0, -9.81]", "half_plane = [0, 1]"),
        _ => ("[0, 0, -9.81]", "half_space = [0, 0, 1]"),
    };
    format!(
        r#"kind = "bodies"
[world]
dimension = {dimension}
gravity = {gravity}
[[material]]
name = "m"
density = 1000
[[law]]
between = ["any", "any"]
{law}
[[body]]
name = "floor"
shape = {{ {boundary} }}
material = "m"
fixed = true
{rest}
[run]
{run}
"#
    )
}

fn run(text: &str) -> Run {
    let scene = Scene::parse("test", "test.toml", text).unwrap_or_else(|e| panic!("{e}"));
    execute(&scene, RunOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The value of a finding.
fn number(run: &Run, name: &str) -> f64 {
    let all: &[Finding] = run.findings.as_deref().expect("findings");
    let found = all.iter().find(|finding| finding.name == name);
    match found.map(|finding| &finding.value) {
        Some(Some(Value::Number(x))) => *x,
        _ => panic!("{name}: {found:?}"),
    }
}

fn finding(name: &str, value: &str) -> String {
    format!("[[finding]]\nname = \"{name}\"\nvalue = \"{value}\"\nat_most = 1e300\n")
}

const DISC: &str = r#"[[body]]
name = "disc"
shape = { disc = 0.1 }
material = "m"
position = [0, 0.6]
velocity = [1, 0]
spin = 3
[[watch]]
name = "ground"
between = ["disc", "floor"]
"#;

#[test]
fn a_run_from_event_to_event_has_its_impacts_to_rounding() {
    let text = scene(
        2,
        "friction = 0.2\nrestitution = 0.5",
        DISC,
        "until = 1\nstep = 0.01\nintegrator = \"event\"",
    ) + &finding("first", "impact(ground, 1)")
        + &finding("speed", "speed_before(ground, 1)")
        + &finding("second", "impact(ground, 2)")
        + &finding("height", "final(disc_y)");
    let run = run(&text);
    assert_eq!(run.end, RunEnd::Finished);
    let first = (2.0_f64 * 0.5 / 9.81).sqrt();
    // Roots of gaps to rounding.
    assert!((number(&run, "first") - first).abs() < 1e-12);
    assert!((number(&run, "speed") + 9.81 * first).abs() < 1e-11);
    assert!((number(&run, "second") - 2.0 * first).abs() < 1e-12);
    // Later bounces of halved speed: third impact at 2.5 t1 = 0.798, then 2.75 t1 = 0.878, 0.918, 0.938, …
    assert!(number(&run, "height") < 0.101);
    assert_eq!(run.manifest.settings["integrator"], "event");
}

/// Five small scenes with impacts: name, dimension, law, tables, end, observables.
fn small_scenes() -> Vec<(&'static str, usize, &'static str, String, f64, &'static str)> {
    let tilted = r#"[[body]]
name = "block"
shape = { box = [0.4, 0.2] }
material = "m"
position = [0, 0.5]
angle = 0.3
velocity = [0.5, 0]
"#;
    let rocking = r#"[parameters]
theta = 0.1
b = 0.15
H = 0.6
[[body]]
name = "block"
shape = { box = ["2*b", "2*H"] }
material = "m"
position = ["b*(1 - cos(theta)) + H*sin(theta) - b", "b*sin(theta) + H*cos(theta)"]
angle = "-theta"
"#;
    let limited = r#"[[body]]
name = "rod"
shape = { box = [1, 0.1] }
material = "m"
position = [0.5, 2]
[[joint]]
name = "pivot"
kind = "revolute"
between = ["world", "rod"]
at = [0, 2]
limits = { low = -1, restitution = 0.6 }
"#;
    let balls = r#"[[body]]
name = "first"
shape = { sphere = 0.1 }
material = "m"
position = [0, 0, 0.5]
velocity = [1, 0.2, 0]
spin = [0, 5, 2]
[[body]]
name = "second"
shape = { sphere = 0.15 }
material = "m"
position = [0.5, 0.1, 0.15]
"#;
    vec![
        (
            "disc",
            2,
            "friction = 0.2\nrestitution = 0.5",
            DISC.to_string(),
            0.6,
            "disc_x, disc_y",
        ),
        (
            "tilted block",
            2,
            "friction = 0.3\nrestitution = 0.4",
            tilted.to_string(),
            0.35,
            "block_x, block_y",
        ),
        (
            "rocking block",
            2,
            "friction = 0.9",
            rocking.to_string(),
            0.6,
            "block_x, block_y",
        ),
        (
            "joint limit",
            2,
            "friction = 0.3",
            limited.to_string(),
            1.0,
            "rod_x, rod_y",
        ),
        (
            "two balls",
            3,
            "friction = 0.3\nrestitution = 0.5",
            balls.to_string(),
            0.5,
            "first_x, first_y, first_z, second_x, second_y",
        ),
    ]
}

#[test]
fn time_stepping_agrees_with_events_to_first_order_on_small_scenes() {
    for (name, dimension, law, bodies, until, of) in small_scenes() {
        let run_keys = format!("until = {until}\nstep = 1e-3");
        let mut text = scene(dimension, law, &bodies, &run_keys);
        for h in ["1e-3", "2.5e-4", "6.25e-5"] {
            text += &finding(
                &format!("e{}", h.replace(['.', '-'], "_")),
                &format!("error({of}; {h}; event)"),
            );
        }
        text += &finding(
            "order",
            &format!("order({of}; 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5; event)"),
        );
        let run = run(&text);
        let errors = ["e1e_3", "e2_5e_4", "e6_25e_5"].map(|key| number(&run, key));
        let order = number(&run, "order");
        println!("{name}: {errors:?}, order {order:.3}");
        // Order 1 on the mean: where in a step an impact falls is as good as random, which moves single errors by
        // their own size.
        assert!(
            (0.7..1.35).contains(&order),
            "{name}: order {order}, {errors:?}"
        );
        assert!(errors[2] < 0.25 * errors[0], "{name}: {errors:?}");
    }
}

#[test]
fn impacts_of_joint_limits_are_findings_of_both_integrators() {
    let (_, _, law, bodies, ..) = small_scenes().remove(3);
    let asked = finding("when", "impact(pivot, 1)")
        + &finding("before", "speed_before(pivot, 1)")
        + &finding("after", "speed_after(pivot, 1)")
        + &finding("count", "impacts(pivot)");
    let of = |keys: &str| run(&(scene(2, law, &bodies, keys) + &asked));
    let exact = of("until = 1\nstep = 0.01\nintegrator = \"event\"");
    let stepped = of("until = 1\nstep = 1e-4");
    // Energy: ½ I ω² = m g ½ sin 1 with I = (1 + 0.01)/12 + ¼, per mass.
    let inertia = 1.01 / 12.0 + 0.25;
    let speed = (9.81 * 1.0_f64.sin() / inertia).sqrt();
    assert!((number(&exact, "before") + speed).abs() < 1e-10);
    assert!((number(&exact, "after") - 0.6 * speed).abs() < 1e-10);
    // Within a step, and the speed that gravity gives in it.
    assert!((number(&stepped, "when") - number(&exact, "when")).abs() < 1.5e-4);
    assert!((number(&stepped, "before") - number(&exact, "before")).abs() < 5e-3);
    assert_eq!(number(&stepped, "count"), number(&exact, "count"));
    assert!(number(&exact, "count") >= 1.0);
}

#[test]
fn what_events_do_not_treat_is_refused_before_the_run() {
    let refusal = |text: &str| {
        let scene = Scene::parse("test", "test.toml", text).map_err(|e| e.to_string());
        let run = scene.and_then(|s| {
            let run = execute(&s, RunOptions::default());
            run.map(|_| ()).map_err(|e| e.to_string())
        });
        run.expect_err("it is refused")
    };
    let keys = "until = 1\nstep = 0.01\nintegrator = \"event\"";
    let chain = "[[body]]\nname = \"hill\"\nshape = { chain = [[3, 0], [0, 1], [-3, 0]] }\nmaterial = \"m\"\nfixed = true\n";
    let said = refusal(&scene(2, "", &format!("{DISC}{chain}"), keys));
    for word in ["hill", "chain", "integrator", "test.toml:"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    // Keys of time stepping do nothing here.
    let said = refusal(&scene(
        2,
        "",
        DISC,
        &format!("{keys}\nactivation = \"gap\""),
    ));
    assert!(
        said.contains("activation") && said.contains("does nothing"),
        "{said}"
    );
    let said = refusal(&scene(
        2,
        "",
        DISC,
        "until = 1\nstep = 0.01\nintegrator = \"leapfrog\"",
    ));
    assert!(
        said.contains("leapfrog") && said.contains("event"),
        "{said}"
    );
    // Forces are those of watches.
    let (_, _, law, bodies, ..) = small_scenes().remove(3);
    let said = refusal(&(scene(2, law, &bodies, keys) + &finding("sum", "impulse(pivot)")));
    assert!(said.contains("pivot") && said.contains("watches"), "{said}");
}

#[test]
fn records_of_a_run_from_event_to_event_are_verified() {
    let keys = "until = 0.6\nstep = 0.01\nintegrator = \"event\"";
    for (number, closed) in [(0, false), (2, true), (4, true)] {
        let (name, dimension, law, bodies, ..) = small_scenes().remove(number);
        let text = scene(dimension, law, &bodies, keys) + "[record]\nevery = 1\n";
        let parsed = Scene::parse("test", "test.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("run");
        let options = RunOptions {
            target: RunTarget::Directory(OutputDirectory::new(Some(&place), "test")),
            ..RunOptions::default()
        };
        execute(&parsed, options).unwrap_or_else(|e| panic!("{e}"));
        let record = Record::open(&place).unwrap_or_else(|e| panic!("{e}"));
        let mut silent = |_: f64| {};
        let report = percuss_verify::verify(&record, &mut VerifyOptions::all(&mut silent));
        let report = report.unwrap_or_else(|e| panic!("{e}"));
        assert!(report.ok(), "{name}: {:?}", report.offenders);
        assert_eq!(report.steps, 60);
        // Every check has something to compare: flights before contacts, contacts that last after them.
        let compared = |check: &str| {
            let found = report.checks.iter().find(|known| known.name == check);
            found.map_or(0, |known| known.compared)
        };
        assert!(
            compared("end velocity") > 0 && compared("interval laws") > 0,
            "{name}"
        );
        assert_eq!(compared("closed") > 0, closed, "{name}");
        assert_eq!(compared("flight") > 0, name != "rocking block", "{name}");
    }
}
