//! Overrides, laws along a motion, and failures along a motion.

use crate::common::{BALL, edited};
use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_mechanism::{Scheme, StateRef, System};
use percuss_scene::{Sample, Scene, SceneError, SymbolicSystem};

fn ball() -> Scene {
    Scene::parse("ball", "ball.toml", BALL).unwrap()
}

fn system(edits: &[(&str, &str)]) -> SymbolicSystem {
    let scene = Scene::parse("ball", "ball.toml", &edited(edits));
    scene
        .and_then(|scene| scene.build_mechanism())
        .unwrap()
        .system
}

#[test]
fn overrides_reach_parameters_first_and_then_settings() {
    let changed = ball()
        .with_overrides(&[("m", "2"), ("step", "m/1000"), ("integrator", "event")])
        .unwrap();
    let values = changed.parameters();
    assert_eq!(values[0], ("m".to_string(), 2.0));
    assert_eq!(values[2], ("weight".to_string(), 2.0 * 9.81));
    let built = changed.build_mechanism().unwrap();
    assert_eq!(
        (built.settings.step, built.settings.scheme),
        (2e-3, Scheme::Event)
    );
    assert_eq!(changed.overrides().len(), 3);
    // A parameter called like a setting takes the short name; the long one is the setting's.
    let text = edited(&[("m = 1.0", "m = 1.0\ntheta = 7")]);
    let scene = Scene::parse("ball", "ball.toml", &text).unwrap();
    let changed = scene.with_overrides(&[
        ("theta", "8"),
        ("run.integrator", "theta"),
        ("run.theta", "1"),
    ]);
    let changed = changed.unwrap();
    assert_eq!(changed.parameters()[1], ("theta".to_string(), 8.0));
    assert_eq!(
        changed.build_mechanism().unwrap().settings.scheme,
        Scheme::Theta(1.0)
    );
}

#[test]
fn overrides_are_checked_like_the_file() {
    let message = |set: &[(&str, &str)]| {
        let scene = ball().with_overrides(set);
        scene
            .and_then(|scene| scene.build_mechanism())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(&[("unti", "3")]),
        "ball.toml, overridden: `unti = 3`: there is no such parameter or setting; did you mean \
         `until`? (those that can be set: m, g, weight, start, until, step, integrator, theta, \
         forces, tangent_cone, correction, tolerance, law, record.every, record.coordinates_every, record.contacts_every, record.tables, record.from, record.until, record.compression, certificate.gain, certificate.penetration, certificate.resting, certificate.drift, certificate.dissipation, certificate.length)"
    );
    assert_eq!(
        message(&[("step", "-1")]),
        "ball.toml, overridden: [run]: `step = -1`: the value is -1; a positive number was expected"
    );
    assert_eq!(
        message(&[("correction", "yes")]),
        "ball.toml, overridden: [run]: `correction = yes`: one of \"true\", \"false\" was expected"
    );
    assert_eq!(
        message(&[("m", "nan")]),
        "ball.toml, overridden: [parameters]: `m`: unknown name `nan` (known here: g, weight)\n  \
         line 1, column 1\n  | nan\n  | ^^^"
    );
}

#[test]
fn files_that_are_not_there_are_told_from_broken_machines() {
    let error = Scene::load("no-such-scene").unwrap_err();
    assert!(matches!(error, SceneError::Missing(_)) && !error.is_machine());
    assert_eq!(
        error.to_string(),
        "`no-such-scene` is neither a file nor a built-in scene (`percuss examples` lists the \
         built-in scenes)"
    );
    let near = Scene::load("ball-e5").unwrap_err().to_string();
    assert!(near.contains("did you mean `ball-e05`?"), "{near}");
}

#[test]
fn laws_are_as_written_and_know_the_step_and_the_past() {
    let at = StateRef {
        t: 0.0,
        q: &[1.0],
        v: &[2.0],
    };
    let law = |friction: &str, previous: Status| {
        let new = format!("tangent = {friction}");
        let mut system = system(&[("restitution = 0.5", &new)]);
        system.law(0, at, 0.5, previous).unwrap()
    };
    let two = "[\"z_dot\", \"2*z_dot\"]\nfriction = ";
    assert_eq!(
        system(&[]).law(0, at, 0.5, Status::Open).unwrap(),
        Law::Frictionless
    );
    // Sliding in the positive sense feels `plus`: the impulse is then negative, the lower bound of the law (M88 §13).
    let expected = Law::CoulombAsymmetric {
        plus: 0.4,
        minus: 0.2,
    };
    let found = law(
        "\"z_dot\"\nfriction = { plus = 0.2, minus = 0.4 }",
        Status::Open,
    );
    assert_eq!(found, expected);
    let elliptic = law(
        &format!("{two}{{ axes = [0.1, \"0.2*z_dot\"] }}"),
        Status::Open,
    );
    assert_eq!(elliptic, Law::CoulombElliptic { mu1: 0.1, mu2: 0.4 });
    let both = "\"z_dot\"\nfriction = { static = 0.4, dynamic = 0.2 }";
    for (previous, mu) in [(Status::Stick, 0.4), (Status::Slip, 0.2)] {
        let Law::StaticDynamic { friction, previous } = law(both, previous) else {
            panic!("another law");
        };
        assert_eq!(friction.coefficient(previous), mu);
    }
    let rolling = "friction = 0.3\nmoment = \"z_dot\"\nrolling_friction = 0.01";
    let plane = Law::RollingPlane {
        mu: 0.3,
        mu_roll: 0.01,
    };
    assert_eq!(law(&format!("\"z_dot\"\n{rolling}"), Status::Open), plane);
    let moments = "moment = [\"z_dot\", \"z_dot\", \"z_dot\"]\nspinning_friction = 0.02";
    let space = format!("{two}0.3\nrolling_friction = 0.01\n{moments}");
    let expected = Law::Rolling {
        mu: 0.3,
        mu_roll: 0.01,
        mu_spin: 0.02,
    };
    assert_eq!(law(&space, Status::Open), expected);
}

#[test]
fn sets_of_reactions_add_up_and_scale_with_the_step() {
    let add = "[[nonfirm]]\nname = \"brake\"\nconstraint = [\"z_dot\", \"2*z_dot\"]\n\
               force = { sum = [{ between = [-1, 2] }, { at_least = \"-3*m\" }, { ball = 0.5 }] }\n\n[run]";
    let mut system = system(&[("[run]", add)]);
    let at = StateRef {
        t: 0.0,
        q: &[1.0],
        v: &[0.0],
    };
    for h in [1.0, 0.25, 0.25, 1e-3] {
        let Law::NonFirm(set) = system.law(1, at, h, Status::Open).unwrap() else {
            panic!("another law");
        };
        assert_eq!(set.lower(), [-4.0 * h, -4.0 * h]);
        assert_eq!(set.upper(), [f64::INFINITY; 2]);
        assert_eq!(set.radius(), 0.5 * h);
    }
}

#[test]
fn coefficients_that_lose_their_meaning_stop_the_motion_by_name() {
    let mut system = system(&[("restitution = 0.5", "tangent = \"z_dot\"\nfriction = \"z\"")]);
    let at = StateRef {
        t: 0.25,
        q: &[-2.0],
        v: &[0.0],
    };
    let error = system
        .law(0, at, 1.0, Status::Open)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the law of `ground` has no meaning: Coulomb: mu is -2, but a coefficient must be a finite \
         number >= 0 at t = 0.25"
    );
}

#[test]
fn values_that_are_not_finite_name_the_expression_the_state_and_the_instant() {
    let mut broken = system(&[
        ("\"weight*z\"", "\"weight*sqrt(z)\""),
        ("gap = \"z\"", "gap = \"ln(z)\""),
    ]);
    let (mut mass, mut force) = ([0.0], [0.0]);
    let error = broken
        .dynamics(0.5, &[-1.0], &[3.0], &mut mass, &mut force)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "force along z is not finite: `sqrt(z)` is not a number (NaN) at z = -1 (the state is \
         z = -1, z_dot = 3) at t = 0.5"
    );
    let error = broken.gaps(0.5, &[0.0], &mut [0.0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the gap of `ground` is not finite: `ln(z)` is minus infinite at z = 0 (the state is z = 0) \
         at t = 0.5"
    );
    let error = broken.potential(0.5, &[-4.0]).unwrap_err().to_string();
    assert!(
        error.starts_with("the potential energy is not finite: `sqrt(z)`"),
        "{error}"
    );
    let mut observable = broken.observable("1/z_dot").unwrap();
    let sample = Sample {
        t: 1.0,
        q: &[1.0],
        v: &[0.0],
        forces: &|_, _| 0.0,
        path: percuss_mechanism::PathSums::default(),
    };
    let error = observable
        .evaluate(&mut broken, &sample)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the observable `1/z_dot` is not finite: `1/z_dot` is infinite at z_dot = 0 (the state is \
         z = 1, z_dot = 0) at t = 1"
    );
}

#[test]
fn observables_with_unknown_names_get_the_nearest() {
    let error = system(&[])
        .observable("gap_grund + 1")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("unknown name `gap_grund`; did you mean `gap_ground`?"),
        "{error}"
    );
}

#[test]
fn gamma_is_the_effective_normal_compliance_of_sliding() {
    // A mass with G_n = 1, G_t = 1 along the same coordinate: sliding towards +t with friction μ
    // makes γ = 1/m − μ/m.
    let with = "tangent = \"z_dot\"\nfriction = 0.75";
    let mut system = system(&[("restitution = 0.5", with), ("m = 1.0", "m = 2.0")]);
    let sample = Sample {
        t: 0.0,
        q: &[0.0],
        v: &[1.0],
        forces: &|_, _| 0.0,
        path: percuss_mechanism::PathSums::default(),
    };
    let mut gamma = system.observable("gamma_ground").unwrap();
    let found = gamma.evaluate(&mut system, &sample).unwrap();
    assert!((found - (1.0 - 0.75) / 2.0).abs() < 1e-15, "{found}");
}

#[test]
fn the_canonical_law_takes_its_own_restitution() {
    let law = "[impact]\nlaw = \"canonical\"\nrestitution = \"0.5 + z/10\"\n\n[run]";
    let mut system = system(&[("[run]", law)]);
    let at = StateRef {
        t: 0.0,
        q: &[1.0],
        v: &[0.0],
    };
    assert_eq!(system.canonical_restitution(at).unwrap(), Some(0.6));
    let rebound = system.restitution(0, at).unwrap();
    assert_eq!((rebound.normal, rebound.tangential), (0.5, 0.0));
}

#[test]
fn dissipation_is_one_index_for_both_directions() {
    let mut system = system(&[("restitution = 0.5", "dissipation = 0.6")]);
    let at = StateRef {
        t: 0.0,
        q: &[1.0],
        v: &[0.0],
    };
    let rebound = system.restitution(0, at).unwrap();
    assert_eq!((rebound.normal, rebound.tangential), (0.4 / 1.6, 0.4 / 1.6));
}
