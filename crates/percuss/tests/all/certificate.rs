//! Each bound of a certificate: a scene that breaks it, one that just does not, and what is said of it.

use percuss_record::{Certificate, NullObserver};
use percuss_run::{ObservableRequest, Threads};
use percuss_scene::{Scene, SceneKind};

fn scene(text: &str) -> Scene {
    Scene::parse("scene", "scene.toml", text).expect("a scene")
}

fn certified(scene: &Scene) -> Certificate {
    match scene.kind() {
        SceneKind::Mechanism => {
            let built = scene.build_mechanism().expect("a mechanism");
            percuss_run::run_mechanism(built, &mut NullObserver, &mut |_| true).certificate
        }
        SceneKind::Bodies => {
            let collection = scene.build_bodies().expect("bodies");
            let (wanted, one) = (ObservableRequest::default(), Threads::new(1));
            let run = percuss_run::run_bodies(
                scene,
                collection,
                &wanted,
                one,
                &mut NullObserver,
                &mut |_| true,
            );
            run.certificate
        }
    }
}

fn with(scene: &Scene, key: &str, value: &str) -> Scene {
    scene.with_overrides(&[(key, value)]).expect("a key")
}

fn broken(certificate: &Certificate) -> Vec<&'static str> {
    certificate
        .not_met()
        .iter()
        .map(|entry| entry.what)
        .collect()
}

/// A bead runs along the inside of a circle. Moreau's step puts its position on the tangent and takes
/// the normal part of its velocity away, step after step: r⁴ = 1 + 8ht, and the speed falls as r grows.
/// Nothing collides and nothing slides with friction, and "certificate ok" was all that was said.
const BEAD: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = 2.0
[[coordinate]]
name = "y"
initial = -1.0
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2)"
[[contact]]
name = "rim"
gap = "1 - sqrt(x^2 + y^2)"
[run]
until = 20.0
step = 1e-2
"#;

#[test]
fn a_bead_that_sinks_into_its_rim_and_loses_its_speed_is_not_certified() {
    let bead = scene(BEAD);
    let certificate = certified(&bead);
    assert!(!certificate.ok);
    assert_eq!(
        broken(&certificate),
        ["penetration", "resting", "dissipation"]
    );
    let deep = &certificate.not_met()[0];
    assert_eq!(deep.place.as_deref(), Some("`rim`"));
    // r⁴ = 1 + 8ht with h = 0.01 at t = 20: the first order of the scheme, to a percent of it.
    let depth = (1.0_f64 + 8.0 * 0.01 * 20.0).powf(0.25) - 1.0;
    assert!((certificate.worst_penetration - depth).abs() < 0.01 * depth);
    // The speed falls as 1/r: kinetic energy as 1/r², of 2 J at the start.
    let lost = 1.0 - (1.0 + depth).powi(-2);
    let dissipation = certificate.columns()[9];
    assert_eq!(dissipation.0, "dissipation");
    assert!(
        (dissipation.1 - lost).abs() < 0.02 * lost,
        "{dissipation:?}"
    );
    // r = 1/0.95 or so, of an extent of 2 and more: (1.1⁴ − 1)/(8 h) = 5.8 s.
    assert!(deep.first_t > 5.0 && deep.first_t < 7.0, "{deep:?}");
    assert!(
        deep.words.contains("first beyond the bound at t = "),
        "{}",
        deep.words
    );
}

#[test]
fn the_event_driven_integrator_keeps_the_bead_on_its_rim() {
    let certificate = certified(&with(&scene(BEAD), "integrator", "event"));
    assert!(certificate.ok, "{:?}", certificate.not_met());
}

#[test]
fn bounds_just_beyond_the_figures_are_met_and_just_below_are_not() {
    let bead = scene(BEAD);
    let figures = certified(&bead).columns();
    let keys = [("penetration", 7), ("dissipation", 9), ("resting", 11)];
    for (key, column) in keys {
        let others = keys.iter().filter(|(other, _)| *other != key);
        let open = others.fold(bead.clone(), |scene, (other, _)| {
            with(&scene, &format!("certificate.{other}"), "10")
        });
        for (share, ok) in [(1.001, true), (0.999, false)] {
            let bound = format!("{:?}", share * figures[column].1);
            let held = certified(&with(&open, &format!("certificate.{key}"), &bound));
            assert_eq!(held.ok, ok, "{key} {share}: {:?}", held.not_met());
        }
    }
}

#[test]
fn a_length_that_is_given_is_what_penetrations_are_measured_by() {
    let bead = with(&scene(BEAD), "certificate.dissipation", "10");
    assert!(certified(&with(&bead, "certificate.length", "1e3")).ok);
    assert!(!certified(&with(&bead, "certificate.length", "1")).ok);
}

/// A box that is dropped and sinks with a long step.
const BOX: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "stone"
density = 2000
[[law]]
between = ["stone", "stone"]
friction = 0.5
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [0.4, 0.2] }
material = "stone"
position = [0, 1.1]
[run]
until = 1.0
step = 5e-3
"#;

#[test]
fn a_box_that_is_dropped_into_the_floor_is_named_with_its_depth() {
    // With contacts looked for at the midpoint the box is up to a step of its fall deep: 4.4 m/s · 5 ms,
    // and its smallest dimension is 0.2 m.
    let dropped = with(&scene(BOX), "activation", "gap");
    let certificate = certified(&dropped);
    assert_eq!(broken(&certificate), ["resting"]);
    let deep = &certificate.not_met()[0];
    assert_eq!(deep.place.as_deref(), Some("`floor` and `block`"));
    let share = certificate.worst_resting / 0.2;
    assert!((deep.worst - share).abs() < 1e-12 * share);
    assert!(share > 0.01 && share < 4.5 * 5e-3 / 0.2, "{share}");
    // It is at rest from the step after the impact, √(2·1/9.81) s after the start, to the end.
    let impact = (2.0_f64 / 9.81).sqrt();
    assert!((deep.first_t - impact).abs() < 3.0 * 5e-3, "{deep:?}");
    assert!(deep.steps as f64 > (1.0 - impact) / 5e-3 - 4.0, "{deep:?}");
    // A fiftieth of the step: at most 0.45 mm of 200.
    let certificate = certified(&with(&dropped, "step", "1e-4"));
    assert!(certificate.ok, "{:?}", certificate.not_met());
    // At the defaults it rests on the floor: what is left is of second order, ½ g h² of 0.2 m.
    let certificate = certified(&scene(BOX));
    assert!(certificate.ok, "{:?}", certificate.not_met());
    assert!(certificate.worst_resting <= 0.5 * 9.81 * 5e-3 * 5e-3);
}

/// A ball that bounces is as deep as Moreau's rule lets it, for a step each time, and never at rest there.
#[test]
fn a_ball_that_bounces_does_not_rest_in_the_floor() {
    let text = BOX
        .replace("box = [0.4, 0.2]", "disc = 0.1")
        .replace("friction = 0.5", "friction = 0.5\nrestitution = 0.9");
    let certificate = certified(&with(&scene(&text), "activation", "gap"));
    assert!(certificate.worst_penetration > 1e-3);
    assert!(
        certificate.worst_resting < 1e-4,
        "{:?}",
        certificate.not_met()
    );
}

#[test]
fn a_stack_at_rest_has_nothing_to_lose() {
    // Contacts at rest work by what the solver leaves; beside what gravity would do in each step it is
    // nothing, although no kinetic energy is there to compare with.
    let resting = with(&scene(BOX), "until", "0.2");
    let mut text = resting
        .text()
        .replace("position = [0, 1.1]", "position = [0, 0.1]");
    text += "\n[[body]]\nname = \"top\"\nshape = { box = [0.4, 0.2] }\nmaterial = \"stone\"\nposition = [0.05, 0.3]\n";
    let certificate = certified(&scene(&text));
    assert!(certificate.ok, "{:?}", certificate.not_met());
}

#[test]
fn keys_of_the_certificate_that_are_not_right_are_refused_by_name() {
    for (lines, said) in [
        ("penetration = -0.1", "a number from 0 was expected"),
        ("length = 0", "a number above 0 was expected"),
        ("penetratoin = 0.1", "penetration"),
        ("gain = \"much\"", "much"),
        ("dissipation = true", "dissipation"),
    ] {
        for whole in [BEAD, BOX] {
            let text = format!("{whole}\n[certificate]\n{lines}\n");
            let error = match Scene::parse("scene", "scene.toml", &text) {
                Err(error) => error.to_string(),
                Ok(scene) => match scene.kind() {
                    SceneKind::Mechanism => scene.build_mechanism().map(|_| ()),
                    SceneKind::Bodies => scene.build_bodies().map(|_| ()),
                }
                .expect_err("refused")
                .to_string(),
            };
            assert!(error.contains(said), "{lines}: {error}");
            assert!(error.contains("scene.toml:"), "{lines}: {error}");
        }
    }
    let error = scene(BOX).with_overrides(&[("certificate.depth", "1")]);
    let error = error.expect_err("no such key").to_string();
    assert!(error.contains("certificate.penetration"), "{error}");
}

/// Every step of the study and of the bisection misses its tolerance, and the findings on them were ok.
const STUDY: &str = r#"
[[wall]]
name = "w"
block = [0.6, 0.4]
courses = 8
length = 3
origin = [3, 0]
material = "stone"
[parameters]
k = 200
[[study]]
name = "s"
set = { max_iterations = 1 }
vary = { k = [1, 2] }
observe = { d = "final(top_w)" }
[[study]]
name = "b"
set = { max_iterations = 1 }
bisect = { key = "k", from = 1, to = 2, tolerance = 0.1 }
when = "final(top_w) > 2*k"
[[study]]
name = "sound"
vary = { k = [1, 2] }
observe = { d = "final(top_w)" }
[[case]]
name = "hasty"
set = { max_iterations = 1 }
[[finding]]
name = "of_study"
value = "largest(column(s, d))"
at_most = 10
[[finding]]
name = "of_bisection"
value = "threshold(b)"
at_least = 1
[[finding]]
name = "of_case"
value = "final(top_w)"
case = "hasty"
at_most = 10
[[finding]]
name = "of_sound_study"
value = "largest(column(sound, d))"
at_most = 10
"#;

#[test]
fn a_finding_behind_which_steps_missed_is_not_ok_and_says_so() {
    let text = BOX.replace("until = 1.0\nstep = 5e-3", "until = 0.02\nstep = 1e-3") + STUDY;
    let scene = scene(&text);
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
    assert!(run.certificate.ok, "{:?}", run.certificate.not_met());
    let found = percuss_run::evaluate_bodies_findings(&scene, &run, one, &mut |_, _| true);
    let found = found.expect("findings");
    for (name, ok, said) in [
        (
            "of_study",
            false,
            "2 of 2 runs of study `s` are not certified",
        ),
        ("of_bisection", false, "study `b`"),
        ("of_case", false, "this case: residual:"),
        ("of_sound_study", true, ""),
    ] {
        let finding = found.iter().find(|f| f.name == name).expect("a finding");
        assert_eq!(finding.ok, Some(ok), "{finding:?}");
        let reason = finding.reason.clone().unwrap_or_default();
        assert!(reason.contains(said), "{name}: {reason}");
        assert_eq!(reason.is_empty(), ok, "{name}: {reason}");
    }
}
