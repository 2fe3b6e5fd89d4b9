//! Scenes of sweeping processes: what they compute, and what is said of wrong ones.

use percuss_record::NullObserver;
use percuss_run::{MechanismOutcome, run_mechanism};
use percuss_scene::Scene;

/// The play of sin t, with what a test adds.
fn play(process: &str, run: &str) -> String {
    format!(
        r#"
kind = "sweep"
[[coordinate]]
name = "x"
[[contact]]
name = "left"
gap = "x - sin(t) + 0.3"
[[contact]]
name = "right"
gap = "sin(t) + 0.3 - x"
[process]
{process}
[run]
until = 10.0
step = 0.01
{run}
"#
    )
}

fn go(text: &str) -> MechanismOutcome {
    let scene = Scene::parse("test", "test.toml", text).expect("a scene");
    run_mechanism(
        scene.build_mechanism().expect("it builds"),
        &mut NullObserver,
        &mut |_| true,
    )
}

/// Where it ended.
fn end(text: &str) -> Vec<f64> {
    let outcome = go(text);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    assert!(outcome.certificate.ok, "{:?}", outcome.certificate);
    outcome
        .trajectory
        .position(outcome.trajectory.len() - 1)
        .to_vec()
}

/// What is said of a scene that cannot be read or built.
fn refusal(text: &str) -> String {
    match Scene::parse("test", "test.toml", text).and_then(|scene| scene.build_mechanism()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// Why a run stopped.
fn stop(text: &str) -> String {
    go(text).stopped.expect("it stops").to_string()
}

#[test]
fn every_method_computes_the_play() {
    let exact = 10.0_f64.sin() + 0.3; // on the way down, pushed by the right wall
    for (process, run, tolerance) in [
        ("", "", 1e-12),
        ("", "integrator = \"trapezoidal\"", 1e-12),
        ("", "integrator = \"event\"", 1e-10),
        // The midpoint version swings about the wall by what it moves in a step.
        ("", "integrator = \"theta\"", 1e-2),
        ("", "integrator = \"theta\"\ntheta = 1", 1e-12),
        // Lag of speed over λ.
        ("lambda = 1e6", "integrator = \"regularised\"", 1e-6),
    ] {
        let x = end(&play(process, run))[0];
        assert!((x - exact).abs() <= tolerance, "{run}: {x} {exact}");
    }
}

#[test]
fn polyhedron_and_smooth_functions_of_the_same_set_agree() {
    // 1 − exp(−g) ≥ 0 says g ≥ 0, is concave and not linear.
    let smooth = play("", "")
        .replace("\"x - sin(t) + 0.3\"", "\"1 - exp(-(x - sin(t) + 0.3))\"")
        .replace("\"sin(t) + 0.3 - x\"", "\"1 - exp(-(sin(t) + 0.3 - x))\"");
    let (flat, round) = (end(&play("", "")), end(&smooth));
    assert!((flat[0] - round[0]).abs() < 1e-11, "{flat:?} {round:?}");
}

#[test]
fn touches_and_multipliers_are_those_of_the_wall() {
    let outcome = go(&play("", "integrator = \"event\""));
    let events = outcome.trajectory.events();
    // The left wall comes at asin 0.3 and turns at π/2.
    assert!((events[0].t - 0.3_f64.asin()).abs() < 1e-10);
    assert!((events[1].t - std::f64::consts::FRAC_PI_2).abs() < 1e-8);
    let outcome = go(&play("", ""));
    let k = outcome.trajectory.state_at(1.0);
    // The force of the left wall over a step is the speed of the point: cos t on average.
    let force = outcome.trajectory.force(k, 0, 0);
    let mean = (1.0_f64.sin() - 0.99_f64.sin()) / 0.01;
    assert!((force - mean).abs() < 1e-10, "{force} {mean}");
}

#[test]
fn variable_steps_follow_the_retraction_of_the_set() {
    let text = play("", "").replace(
        "step = 0.01",
        "step = { tolerance = 0.01, smallest = 1e-6, largest = 0.5 }",
    );
    let outcome = go(&text);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    let times = outcome.trajectory.times();
    for w in times.windows(2) {
        // The interval moves by |sin t₁ − sin t₀|.
        assert!((w[1].sin() - w[0].sin()).abs() <= 0.01 + 1e-12);
    }
    let longest = times.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
    // Around the turning points the set hardly moves: √(8·0.01) is the longest such step.
    assert!(longest > 0.1, "{longest}");
}

#[test]
fn start_outside_is_refused_or_projected() {
    let outside = |process: &str| play(process, "").replace("\"x\"\n[[", "\"x\"\ninitial = 2\n[[");
    let said = stop(&outside(""));
    assert!(
        said.contains("the start is outside the moving set by 1.7"),
        "{said}"
    );
    assert!(said.contains("start = \"project\""), "{said}");
    assert_eq!(
        end(&outside("start = \"project\""))[0],
        end(&play("", ""))[0]
    );
}

#[test]
fn empty_set_stops_the_run_with_names_and_instant() {
    let text = play("", "").replace("sin(t) + 0.3 - x", "0.4 - 0.1*t - x");
    let said = stop(&text);
    assert!(said.contains("is empty"), "{said}");
    assert!(
        said.contains("`left`") && said.contains("`right`"),
        "{said}"
    );
    assert!(said.contains("at t = "), "{said}");
}

#[test]
fn gap_that_is_not_concave_or_not_a_number_is_named() {
    let annulus = r#"
kind = "sweep"
[[coordinate]]
name = "x"
initial = 1.5
[[coordinate]]
name = "y"
[[contact]]
name = "hole"
gap = "x^2 + y^2 - 1 - t"
[[contact]]
name = "rim"
gap = "9 - x^2 - y^2"
[run]
until = 4.0
step = 0.5
"#;
    let said = stop(annulus);
    assert!(said.contains("the gap of `hole` is not concave"), "{said}");
    let said = stop(&play("", "").replace("\"sin(t) + 0.3 - x\"", "\"sqrt(1 - t) + 1 - x\""));
    assert!(
        said.contains("not finite") && said.contains("right"),
        "{said}"
    );
}

#[test]
fn joints_need_linear_functions() {
    let text = play("", "").replace(
        "[process]",
        "[[coordinate]]\nname = \"y\"\n[[joint]]\nname = \"ring\"\nconstraint = [\"x^2 + y^2\"]\n[process]",
    );
    let said = stop(&text);
    assert!(said.contains("linear in the coordinates"), "{said}");
}

#[test]
fn wrong_keys_are_refused_by_name() {
    for (text, words) in [
        (play("", "integrator = \"catchingup\""), vec!["integrator", "\"catching-up\"?"]),
        (play("", "integrator = \"midpoint\""), vec!["integrator", "one of"]),
        (play("lambda = 3", ""), vec!["lambda", "does nothing"]),
        (play("", "integrator = \"regularised\""), vec!["integrator", "lambda"]),
        (
            play("lambda = -1", "integrator = \"regularised\""),
            vec!["lambda", "positive"],
        ),
        (play("", "theta = 0.5"), vec!["theta", "does nothing"]),
        (play("", "integrator = \"theta\"\ntheta = 0.2"), vec!["theta", "0.5 or more"]),
        (play("", "forces = \"mean\""), vec!["forces", "means nothing"]),
        (play("metric = [1, 2]", ""), vec!["metric", "Give 1"]),
        (play("start = \"outside\"", ""), vec!["start", "project"]),
        (play("drift = { z = 1 }", ""), vec!["`z`", "no coordinate"]),
        (play("retraction = \"x\"", ""), vec!["retraction"]),
        (play("jump = [1]", ""), vec!["`jump`", "`jumps`"]),
        (play("retraction = \"found\"", ""), vec!["retraction", "found"]),
        (play("prox_regular = 0.1", ""), vec!["prox_regular", "convex as it is"]),
        (ploughed("prox_regular = -1", ""), vec!["prox_regular", "-1", "positive length"]),
        (
            ploughed("prox_regular = 0.9", "integrator = \"theta\""),
            vec!["prox_regular", "\"catching-up\""],
        ),
        (
            play("lambda = \"3 - t - x\"", "integrator = \"regularised\""),
            vec!["lambda", "expression in t"],
        ),
        (
            play("lambda = \"t - 1\"", "integrator = \"regularised\""),
            vec!["lambda", "-1", "positive"],
        ),
        (
            play("", "").replace("gap = \"x -", "friction = 0.3\ntangent = \"x_dot\"\ngap = \"x -"),
            vec!["contact `left`", "means nothing"],
        ),
        (
            play("", "").replace("\"x\"\n[[", "\"x\"\nvelocity = 1\n[["),
            vec!["coordinate `x`", "velocity"],
        ),
        (
            "kind = \"sweep\"\n[crowd]\ncolumns = 2\nrows = 2\ndepth = 4\nwidth = 4\ndoor = 0.3\nradius = 0.2\nspeed = 1\njitter = 0\n[run]\nuntil = 1\nstep = 0.1\n".to_string(),
            vec!["[crowd]", "door is 0.3"],
        ),
        ("kind = \"sweeping\"\n".to_string(), vec!["\"sweep\""]),
    ] {
        let said = refusal(&text);
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
}

#[test]
fn metric_that_is_no_metric_stops_the_run() {
    let said = stop(&play("metric = [-2]", ""));
    assert!(said.contains("metric") && said.contains("-2"), "{said}");
}

/// The plane without a unit disc that goes along the axis.
fn ploughed(process: &str, run: &str) -> String {
    format!(
        r#"
kind = "sweep"
[[coordinate]]
name = "x"
initial = 1.5
[[coordinate]]
name = "y"
initial = 0.2
[[contact]]
name = "rim"
gap = "0.5*((x - t)^2 + y^2 - 1)"
[process]
{process}
[run]
until = 2.0
step = 0.01
{run}
"#
    )
}

/// An interval that jumps to 2 at t = 1 and back at t = 1.7, with a kink at 0.4.
fn jumping(step: &str) -> String {
    format!(
        r#"
kind = "sweep"
[definitions]
a = "if(t < 0.4, 0, t - 0.4) + if(t < 1, 0, if(t < 1.7, 2, 0))"
[[coordinate]]
name = "x"
[[contact]]
name = "left"
gap = "x - a + 0.1"
[[contact]]
name = "right"
gap = "a + 0.1 - x"
[process]
jumps = [1.0, 1.7]
kinks = [0.4]
[run]
until = 2.0
step = {step}
"#
    )
}

#[test]
fn declared_jumps_and_kinks_cut_steps_of_any_length() {
    // Steps that divide the instants, that do not, a step nearly as long as the run, adaptive ones.
    for step in [
        "0.1",
        "0.07",
        "0.013",
        "1.9",
        "{ tolerance = 0.05, smallest = 1e-6, largest = 0.5 }",
    ] {
        let outcome = go(&jumping(step));
        assert!(outcome.stopped.is_none(), "{step}: {:?}", outcome.stopped);
        let motion = &outcome.trajectory;
        let times = motion.times();
        // Both sides of each jump are states one after the other, and the kink is one.
        for (t, before, after) in [(1.0_f64, 0.5, 2.5), (1.7, 3.2, 1.4)] {
            let k = times
                .iter()
                .position(|known| *known == t)
                .expect("an instant");
            assert_eq!(times[k - 1], t.next_down(), "{step}");
            assert!((motion.position(k - 1)[0] - before).abs() < 1e-12, "{step}");
            assert!((motion.position(k)[0] - after).abs() < 1e-12, "{step}");
            assert_eq!(motion.velocity(k), [0.0], "{step}");
            // An impulse, but no force.
            let report = motion.constraint_reports(k).next().expect("a contact");
            assert!(
                (report.impulse[0] - (after - before).abs()).abs() < 1e-12,
                "{step}"
            );
            assert_eq!(motion.force(k, report.constraint, 0), 0.0, "{step}");
        }
        assert!(times.contains(&0.4), "{step}");
        assert_eq!(times.last(), Some(&2.0), "{step}");
        assert!(times.windows(2).all(|w| w[0] < w[1]), "{step}");
        // Retraction 1.6 of the glide, 2 + 2 of the jumps; the point follows all but 0.1 and the play at the jump back.
        let path = motion.step_report(motion.len() - 1).path;
        assert!((path.retraction - 5.6).abs() < 1e-12, "{step}: {path:?}");
        assert!(path.variation <= path.retraction, "{step}");
    }
    // Multiples of the step again after a cut.
    let outcome = go(&jumping("0.07"));
    let last = outcome
        .trajectory
        .times()
        .iter()
        .filter(|t| **t > 1.0 && **t < 1.7);
    for t in last.filter(|t| **t != 1.7_f64.next_down()) {
        let k = t / 0.07;
        assert!((k - k.round()).abs() < 1e-9, "{t}");
    }
}

#[test]
fn a_jump_at_the_end_of_the_run_is_made() {
    let text = jumping("0.3").replace("until = 2.0", "until = 1.7");
    let outcome = go(&text);
    assert_eq!(outcome.trajectory.times().last(), Some(&1.7));
    assert!((end(&text)[0] - 1.4).abs() < 1e-12);
}

#[test]
fn sides_that_turn_are_a_polyhedron_with_joints() {
    // On the line y = x cot t (a joint with coefficients of t), held by the edge x ≥ 1 sin t + …
    let text = r#"
kind = "sweep"
[[coordinate]]
name = "x"
initial = 1.0
[[coordinate]]
name = "y"
initial = 0.0
[[joint]]
name = "line"
constraint = ["sin(t)*x - cos(t)*y"]
[run]
until = 1.0
step = 1e-3
"#;
    let u = end(text);
    // Projections from one line onto the next: |u| = cos(h)^(1/h) at t = 1, which is e^(-h/2).
    let length = (1e-3_f64.cos()).powi(1000);
    assert!((u[0] - length * 1.0_f64.cos()).abs() < 1e-12, "{u:?}");
    assert!((u[1] - length * 1.0_f64.sin()).abs() < 1e-12, "{u:?}");
    // The same half-plane as a polyhedron and as a smooth function of it.
    let flat = play("", "").replace("x - sin(t) + 0.3", "(1 + t)*x - (1 + t)*(sin(t) - 0.3)");
    assert!((end(&flat)[0] - end(&play("", ""))[0]).abs() < 1e-12);
}

#[test]
fn sets_that_are_not_convex_need_their_radius() {
    let said = stop(&ploughed("", ""));
    assert!(
        said.contains("not concave") && said.contains("prox_regular"),
        "{said}"
    );
    let u = end(&ploughed("prox_regular = 0.9", ""));
    assert!(u[0].hypot(u[1]) > 1.0 && (u[0] - 2.0).hypot(u[1]) >= 1.0 - 1e-12);
    // More than the radius that the hole has.
    let said = stop(&ploughed("prox_regular = 1.1", ""));
    assert!(
        said.contains("radius") && said.contains("`rim`") && said.contains("at t = "),
        "{said}"
    );
}

#[test]
fn set_that_opens_under_the_point_stops_the_run_with_both_ways() {
    let text = |x: f64| {
        format!(
            "kind = \"sweep\"\n[[coordinate]]\nname = \"x\"\ninitial = {x}\n[[contact]]\nname = \"ends\"\n\
             gap = \"x^2 - t + 0.5\"\n[process]\nprox_regular = 0.1\n[run]\nuntil = 1.5\nstep = 0.01\n"
        )
    };
    let said = stop(&text(0.0));
    for word in [
        "not prox-regular",
        "no solution or more than one",
        "`ends`",
        "at t = 0.5",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!((end(&text(0.3))[0] - 1.0).abs() < 1e-12);
    assert!((end(&text(-0.3))[0] + 1.0).abs() < 1e-12);
}
