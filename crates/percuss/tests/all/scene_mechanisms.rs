//! Mechanisms whose motion was wrong, or refused, although the run said that all was well.

use percuss_record::NullObserver;
use percuss_run::MechanismOutcome;
use percuss_scene::{Scene, SymbolicSystem};

/// The motion of a scene with each first text replaced by the second.
pub fn go(text: &str, edits: &[(&str, &str)]) -> (MechanismOutcome, SymbolicSystem) {
    let mut text = text.to_string();
    for (old, new) in edits {
        assert!(text.contains(old), "the scene has no `{old}`");
        text = text.replace(old, new);
    }
    let scene = Scene::parse("scene", "scene.toml", &text).expect("a scene");
    let built = scene.build_mechanism().expect("a system");
    let system = built.system.clone();
    (
        percuss_run::run_mechanism(built, &mut NullObserver, &mut |_| true),
        system,
    )
}

/// Positions and velocities at the end of a run that went well.
fn end(text: &str, edits: &[(&str, &str)]) -> (Vec<f64>, Vec<f64>) {
    let (outcome, _) = go(text, edits);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    assert!(outcome.certificate.ok, "{:?}", outcome.certificate);
    let last = outcome.trajectory.len() - 1;
    let motion = &outcome.trajectory;
    (
        motion.position(last).to_vec(),
        motion.velocity(last).to_vec(),
    )
}

fn speed(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

const BEAD: &str = r#"
kind = "mechanism"
[parameters]
mu = 0.3
[[coordinate]]
name = "x"
velocity = 1.0
[[coordinate]]
name = "y"
[[coordinate]]
name = "z"
initial = -1.0
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2 + z_dot^2)"
[[joint]]
name = "sphere"
constraint = "SPHERE"
tangent = ["x_dot*(-z) + z_dot*x", "y_dot"]
friction = "mu"
[run]
until = 2.5
step = 1e-3
integrator = "SCHEME"
"#;

/// A bead on a sphere slows as v' = −μ v²: v = 1/(1 + μ t). With the sphere written x² + y² + z² − 1 the
/// rate of the constraint was twice the normal velocity, its reaction half the force, and so the friction:
/// 0.7273 instead of 0.5714.
#[test]
fn friction_of_a_joint_does_not_depend_on_how_its_function_is_written() {
    let exact = 1.0 / (1.0 + 0.3 * 2.5);
    for scheme in ["midpoint", "theta", "event"] {
        for sphere in [
            "sqrt(x^2+y^2+z^2) - 1",
            "x^2+y^2+z^2 - 1",
            "100*(x^2+y^2+z^2 - 1)",
            "(x^2+y^2+z^2)^2 - 1",
        ] {
            let (_, v) = end(BEAD, &[("SPHERE", sphere), ("SCHEME", scheme)]);
            // The θ-method is of first order: h times the deceleration 0.3.
            assert!((speed(&v) - exact).abs() < 4e-4, "{scheme} {sphere}: {v:?}");
        }
    }
}

const BLOCK: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = 2.0
[[coordinate]]
name = "z"
[dynamics]
kinetic = "0.5*(x_dot^2 + z_dot^2)"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "GAP"
tangent = "x_dot"
friction = FRICTION
[run]
until = 0.1
step = 1e-3
integrator = "SCHEME"
"#;

/// A gap of 10 z had a tenth of the friction of z.
#[test]
fn friction_of_a_contact_does_not_depend_on_the_unit_of_its_gap() {
    for scheme in ["midpoint", "paoli", "event"] {
        for gap in ["z", "10*z", "1e-3*z", "z*(2 + sin(x))", "exp(z) - 1"] {
            let edits = [("GAP", gap), ("FRICTION", "0.3"), ("SCHEME", scheme)];
            let (_, v) = end(BLOCK, &edits);
            let exact = 2.0 - 0.3 * 9.81 * 0.1;
            // Rounding; Paoli's scheme is exact here too.
            assert!((v[0] - exact).abs() < 1e-9, "{scheme} {gap}: {v:?}");
        }
    }
}

/// `plus` is the coefficient of sliding in the positive sense (M88 §13); it was that of the other one.
#[test]
fn sliding_in_the_positive_sense_feels_plus() {
    for scheme in ["midpoint", "event"] {
        let friction = "{ plus = 0.1, minus = 0.5 }";
        let edits = [("GAP", "z"), ("FRICTION", friction), ("SCHEME", scheme)];
        let (_, v) = end(BLOCK, &edits);
        assert!((v[0] - (2.0 - 0.1 * 9.81 * 0.1)).abs() < 1e-9, "{v:?}");
        let back = [
            edits[0],
            edits[1],
            edits[2],
            ("velocity = 2.0", "velocity = -2.0"),
        ];
        let (_, v) = end(BLOCK, &back);
        assert!((v[0] + (2.0 - 0.5 * 9.81 * 0.1)).abs() < 1e-9, "{v:?}");
    }
}

const TWICE: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
[[coordinate]]
name = "y"
initial = -1.0
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2)"
potential = "9.81*y"
[dynamics.forces]
x = "PUSH"
[[joint]]
name = "a"
constraint = "sqrt(x^2 + y^2) - 1"
OTHERS
[run]
until = 1.0
step = 1e-3
integrator = "SCHEME"
"#;

/// Two joints that say the same were refused as contradictory: one was left with a velocity of
/// −2.2e-16, in a problem in which all velocities were rounding.
#[test]
fn joints_that_say_the_same_move_as_one() {
    let second = "[[joint]]\nname = \"b\"\nconstraint = \"x^2 + y^2 - 1\"\n";
    let third = format!("{second}[[joint]]\nname = \"c\"\nconstraint = \"1e3*(x^2 + y^2 - 1)\"\n");
    for scheme in ["midpoint", "theta", "event"] {
        // Pushed, and hanging at rest, where every velocity is rounding.
        for push in ["1", "0"] {
            let alone = [("OTHERS", ""), ("SCHEME", scheme), ("PUSH", push)];
            let (single, _) = end(TWICE, &alone);
            for others in [second, &third] {
                let edits = [("OTHERS", others), ("SCHEME", scheme), ("PUSH", push)];
                let (q, _) = end(TWICE, &edits);
                // A thousand steps of rounding in a motion that does not amplify it.
                let off = (q[0] - single[0]).abs().max((q[1] - single[1]).abs());
                assert!(off < 1e-9, "{scheme}: {off:e}");
            }
        }
    }
}

/// Joints that contradict each other are still refused, by name.
#[test]
fn joints_that_contradict_each_other_are_refused() {
    let other = "[[joint]]\nname = \"b\"\nconstraint = \"sqrt(x^2 + y^2) - 1 - 1e-3*t^2\"\n";
    let edits = [("OTHERS", other), ("SCHEME", "midpoint"), ("PUSH", "1")];
    let (outcome, _) = go(TWICE, &edits);
    let said = outcome.stopped.expect("a refusal").to_string();
    assert!(said.contains("`a`") && said.contains("`b`"), "{said}");
}

const CIRCLE: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
[[coordinate]]
name = "y"
[[coordinate]]
name = "theta"
kind = "angle"
velocity = SPIN
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2) + theta_dot^2/24"
[dynamics.forces]
y = FORCE
[[joint]]
name = "first_end"
constraint = "(x + 0.5*cos(theta))^2 + (y + 0.5*sin(theta))^2 - 0.25"
[[joint]]
name = "second_end"
constraint = "(x - 0.5*cos(theta))^2 + (y - 0.5*sin(theta))^2 - 0.25"
[run]
until = 0.5
step = 1e-3
"#;

/// A bar that is a diameter of the circle its ends stay on can rest and turn, if nothing pushes its middle
/// (B02 counter-example 3). It was refused whatever the forces.
#[test]
fn dependent_joints_are_refused_only_where_no_motion_exists() {
    let (q, _) = end(CIRCLE, &[("SPIN", "0"), ("FORCE", "0")]);
    assert_eq!(q, [0.0, 0.0, 0.0]);
    let (q, _) = end(CIRCLE, &[("SPIN", "2"), ("FORCE", "0")]);
    // θ = 2 t, the middle at rest to the rounding of the joints' functions, which are squares there.
    assert!(
        (q[2] - 1.0).abs() < 1e-9 && q[0].abs().max(q[1].abs()) < 1e-7,
        "{q:?}"
    );
    let (outcome, _) = go(CIRCLE, &[("SPIN", "0"), ("FORCE", "1")]);
    let said = outcome.stopped.expect("a refusal").to_string();
    assert!(
        said.contains("`first_end`") && said.contains("`second_end`"),
        "{said}"
    );
}

const CRADLE: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x1"
velocity = 1.0
[[coordinate]]
name = "x2"
initial = 1.0
velocity = 1.0
[[coordinate]]
name = "x3"
initial = 2.25
[[coordinate]]
name = "x4"
initial = 3.25
[[coordinate]]
name = "x5"
initial = 4.25
[dynamics]
kinetic = "0.5*(x1_dot^2 + x2_dot^2 + x3_dot^2 + x4_dot^2 + x5_dot^2)"
[[contact]]
name = "c12"
gap = "x2 - x1 - 1"
restitution = 1
[[contact]]
name = "c23"
gap = "x3 - x2 - 1"
restitution = 1
[[contact]]
name = "c34"
gap = "x4 - x3 - 1"
restitution = 1
[[contact]]
name = "c45"
gap = "x5 - x4 - 1"
restitution = 1
[run]
until = 0.5
step = STEP
"#;

/// Two balls that touch come in together. Whether their contact took part in the blow was decided by gaps
/// of ±1e-14: (−0.2, −0.2, 0.8, 0.8, 0.8) or (−0.5, 0.25, 0.75, 0.75, 0.75), as the step would have it.
#[test]
fn a_multiple_impact_has_one_outcome_for_every_step() {
    for k in 1..=60 {
        let step = format!(
            "{:e}",
            1.7e-5 * f64::from(k) * (1.0 + 0.013 * f64::from(k % 7))
        );
        let (_, v) = end(CRADLE, &[("STEP", &step)]);
        // The canonical outcome (B02 1.13): momentum 2, energy 1, the first two stay together.
        for (found, exact) in v.iter().zip([-0.2, -0.2, 0.8, 0.8, 0.8]) {
            assert!((found - exact).abs() < 1e-9, "step {step}: {v:?}");
        }
    }
}

/// Friction of joints was booked as lost in impacts.
#[test]
fn friction_of_joints_is_booked_as_sliding() {
    let edits = [("SPHERE", "x^2+y^2+z^2 - 1"), ("SCHEME", "midpoint")];
    let (outcome, _) = go(BEAD, &edits);
    let motion = &outcome.trajectory;
    let all = 1..motion.len();
    let sum = |f: fn(&percuss_mechanism::StepReport) -> f64| {
        all.clone().map(|i| f(motion.step_report(i))).sum()
    };
    let (sliding, impact): (f64, f64) = (sum(|l| l.sliding), sum(|l| l.impact));
    let lost = 0.5 * (1.0 / (1.0 + 0.3_f64 * 2.5)).powi(2) - 0.5;
    // First order of the step; what is left in `impact` is the reaction at a curved surface.
    assert!((sliding - lost).abs() < 1e-3, "{sliding} of {lost}");
    assert!(impact.abs() < 1e-3, "{impact}");
}
