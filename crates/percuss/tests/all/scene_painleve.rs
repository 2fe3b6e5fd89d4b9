//! Motions that need not go on as they do, and say so; a sweep that has no way on.

use percuss_mechanism::{StateRef, System, painleve};
use percuss_record::Criterion;

use crate::scene_mechanisms::go;

pub const ROD: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = -1
[[coordinate]]
name = "z"
initial = "0.5*sin(pi/3)"
[[coordinate]]
name = "theta"
kind = "angle"
initial = "pi/3"
[definitions]
tip_x = "x - 0.5*cos(theta)"
tip_z = "z - 0.5*sin(theta)"
[dynamics]
kinetic = "0.5*(x_dot^2 + z_dot^2) + theta_dot^2/24"
potential = "9.81*z"
[[contact]]
name = "tip"
gap = "tip_z"
tangent = "tip_x_dot"
friction = 1.6
[run]
until = 0.01
step = 1e-4
integrator = "SCHEME"
"#;

/// A joint keeps Painlevé's rod from turning: γ is 1/m and the tip slides as a block does. γ of the rod
/// without its joint, −0.328, was told instead, with an outcome that violated the joint.
#[test]
fn gamma_of_a_contact_knows_the_joints() {
    for scheme in ["midpoint", "event"] {
        let joint = "[[joint]]\nname = \"no_turn\"\nconstraint = \"theta - pi/3\"\n[run]";
        let (outcome, mut system) = go(ROD, &[("SCHEME", scheme), ("[run]", joint)]);
        assert!(outcome.certificate.ok, "{:?}", outcome.certificate);
        let motion = &outcome.trajectory;
        let last = motion.len() - 1;
        assert!((motion.step_report(last).gamma - 1.0).abs() < 1e-12);
        assert!(percuss_run::nonunique_instants(&mut system, &outcome).is_empty());
        // x' = −1 + μ g t.
        let exact = -1.0 + 1.6 * 9.81 * 0.01;
        assert!((motion.velocity(last)[0] - exact).abs() < 1e-9);
        let (outcome, mut system) = go(ROD, &[("SCHEME", scheme)]);
        // Without the joint the rod jumps, and says so.
        let found = percuss_run::nonunique_instants(&mut system, &outcome);
        assert_eq!(found.len(), 1, "{scheme}: {found:?}");
        // 1 + 3 cos² − 3 μ sin cos, half a step on in the time stepper.
        assert!(
            (found[0].gamma + 0.328_461).abs() < 1e-3,
            "{scheme}: {found:?}"
        );
    }
}

const DUMB_BELL: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x1"
velocity = -1
[[coordinate]]
name = "z1"
[[coordinate]]
name = "x2"
initial = "cos(pi/3)"
velocity = -1
[[coordinate]]
name = "z2"
initial = "sin(pi/3)"
[dynamics]
kinetic = "0.5*0.05*(x1_dot^2 + z1_dot^2) + 0.5*(x2_dot^2 + z2_dot^2)"
potential = "9.81*(0.05*z1 + z2)"
[[joint]]
name = "bar"
constraint = "hypot(x2 - x1, z2 - z1) - 1"
[[contact]]
name = "tip"
gap = "z1"
tangent = "x1_dot"
friction = 1.0
[run]
until = 1e-4
step = 1e-5
integrator = "SCHEME"
"#;

/// Painlevé's rod as two masses and a bar: γ is −2.53, but was told as 20, that of the lower mass alone,
/// and the velocity jumped without a word.
#[test]
fn a_jump_is_told_where_only_the_joint_makes_it() {
    let (m, c, s) = (1.05, 0.5, 0.75_f64.sqrt());
    let (arm, inertia) = (1.0 / m, 0.05 / m);
    let exact = 1.0 / m + (arm * c) * (arm * c) / inertia - arm * arm * s * c / inertia;
    for scheme in ["midpoint", "event"] {
        let (outcome, mut system) = go(DUMB_BELL, &[("SCHEME", scheme)]);
        let found = percuss_run::nonunique_instants(&mut system, &outcome);
        assert_eq!(found.len(), 1, "{scheme}: {found:?}");
        assert!((found[0].gamma - exact).abs() < 1e-3, "{scheme}: {found:?}");
        // The outcome keeps the bar: U of the joint is 0, and the tip stops.
        let jump: Vec<f64> = found[0].jump.iter().map(|(_, v)| *v).collect();
        let along = (jump[2] - jump[0]) * c + (jump[3] - jump[1]) * s;
        assert!(
            along.abs() < 1e-6 && jump[0].abs() < 1e-6,
            "{scheme}: {jump:?}"
        );
    }
}

const TWO_TANGENTS: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = 1.0
[[coordinate]]
name = "y"
velocity = 0.7
[[coordinate]]
name = "z"
velocity = -0.6
[dynamics]
kinetic = "0.5*(x_dot^2 + 1.5*y_dot^2 + 1.2*z_dot^2) + 0.3*x_dot*y_dot + 0.5*x_dot*z_dot - 0.4*y_dot*z_dot"
[[contact]]
name = "floor"
gap = "z"
tangent = ["x_dot", "y_dot"]
friction = 0.5
[run]
until = 1e-3
step = 1e-3
integrator = "paoli"
"#;

/// Paoli's scheme takes the admissible velocity of least kinetic energy (P15 7). With two directions of friction
/// that are coupled to the normal it took that of Coulomb's law, (0.541, 0.829, 0), which has more.
#[test]
fn paolis_scheme_takes_the_velocity_of_least_energy() {
    let (outcome, _) = go(TWO_TANGENTS, &[]);
    assert!(outcome.trajectory.step_report(1).reached);
    let v = outcome.trajectory.velocity(1);
    let mass = [[1.0, 0.3, 0.5], [0.3, 1.5, -0.4], [0.5, -0.4, 1.2]];
    let energy = |v: &[f64]| -> f64 {
        let row = |i: usize| (0..3).map(|j| mass[i][j] * v[j]).sum::<f64>();
        0.5 * (0..3).map(|i| v[i] * row(i)).sum::<f64>()
    };
    // v⁻ + A⁻¹(impulse) with v_z = 0 has the free velocities (x, y): the impulse is A (v − v⁻).
    let before = [1.0, 0.7, -0.6];
    let admissible = |x: f64, y: f64| {
        let change = [x - before[0], y - before[1], -before[2]];
        let s = mass.map(|row| row[0] * change[0] + row[1] * change[1] + row[2] * change[2]);
        s[0].hypot(s[1]) <= 0.5 * s[2]
    };
    // Search on finer and finer grids: a convex function on a convex set.
    let (mut best, mut centre, mut width) = (f64::INFINITY, (0.6, 0.8), 0.5);
    for _ in 0..24 {
        let around = centre;
        for i in -100..=100 {
            for j in -100..=100 {
                let at = |k: i32| width * f64::from(k) / 100.0;
                let (x, y) = (around.0 + at(i), around.1 + at(j));
                if admissible(x, y) && energy(&[x, y, 0.0]) < best {
                    (best, centre) = (energy(&[x, y, 0.0]), (x, y));
                }
            }
        }
        width *= 0.5;
    }
    // The last grid has a width of 3e-10; along the boundary the energy is flat to its root.
    let found = [(v[0], centre.0), (v[1], centre.1), (v[2], 0.0)];
    assert!(
        found.iter().all(|(a, b)| (a - b).abs() < 2e-5),
        "{v:?}, least at {centre:?}"
    );
    assert!(energy(v) <= best + 1e-12, "{} > {best}", energy(v));
    assert!(
        (v[0] - 0.606).abs() < 1e-3 && (v[1] - 0.782).abs() < 1e-3,
        "{v:?}"
    );
    // Coulomb's law is what the other schemes keep.
    let (outcome, _) = go(TWO_TANGENTS, &[("\"paoli\"", "\"theta\"")]);
    let v = outcome.trajectory.velocity(1);
    assert!(
        (v[0] - 0.541).abs() < 1e-3 && (v[1] - 0.829).abs() < 1e-3,
        "{v:?}"
    );
}

/// B02 example 14, μ tan θ > 2 and pulled so that the bar may press on either rail: two sliding motions, of
/// which one was taken without a word.
#[test]
fn a_joint_that_may_push_with_either_sign_tells_both_motions() {
    let text = percuss_scene::builtin::text("bar-two-rails").expect("a built-in scene");
    let (m, g, mu, pull, v0) = (1.0, 9.81, 1.5, -20.0, -2.0);
    // Slope kept: 2N = mg + tan θ (F + pull), F = μ|N| against v0 < 0, m a = pull + F.
    let tan = 3.0_f64.sqrt();
    let alone = 0.5 * (m * g + tan * pull);
    let pushes = alone / (1.0 - 0.5 * mu * tan);
    let pulls = alone / (1.0 + 0.5 * mu * tan);
    assert!(
        pushes > 0.0 && pulls < 0.0,
        "both signs agree with themselves"
    );
    let exact = [(pull + mu * pushes) / m, (pull - mu * pulls) / m];
    for scheme in ["midpoint", "event"] {
        let run = format!("[run]\nintegrator = \"{scheme}\"");
        let edits = [
            ("mu = 0.5", "mu = 1.5"),
            ("\nv0 = 2.0", "\nv0 = -2.0"),
            ("\npull = 0.5", "\npull = -20"),
            ("\nuntil = 2.0", "\nuntil = 0.01"),
            ("[run]", run.as_str()),
        ];
        let (outcome, mut system) = go(text, &edits);
        let found = percuss_run::nonunique_instants(&mut system, &outcome);
        assert_eq!(found.len(), 1, "{scheme}: {found:?}");
        assert_eq!(
            (found[0].contact.as_str(), found[0].outcomes.as_str()),
            ("lower", "several")
        );
        // Beyond the limit the bar may also stop dead, as it does where no sliding is possible: S_n = ½ tan θ S_t and
        // |S_t| ≤ μ|S_n|.
        assert_eq!(found[0].others.len(), 1, "{scheme}: {found:?}");
        assert!(found[0].others[0].iter().all(|(_, v)| v.abs() < 1e-9));
        // Velocities at the end of a step of 1e-3; differences of numbers of size 2.
        let of = |list: &[(String, f64)]| (list[0].1 - v0) / 1e-3;
        let mut told = [of(&found[0].before), of(&found[0].jump)];
        told.sort_by(|a, b| b.total_cmp(a));
        for (a, b) in told.iter().zip(exact) {
            assert!((a - b).abs() < 1e-9, "{scheme}: {told:?}, not {exact:?}");
        }
        // The ledger has γ ≤ 0, so that the warning is made as for contacts.
        assert!(outcome.trajectory.step_report(1).gamma <= 0.0, "{scheme}");
        assert!(
            outcome.certificate.is_reported(Criterion::Nonunique),
            "{scheme}"
        );
    }
}

const DIAMOND: &str = r#"
kind = "sweep"
[[coordinate]]
name = "x"
initial = 0.2
[[coordinate]]
name = "y"
initial = 0.3
[[contact]]
name = "d"
gap = "1 - abs(x - t) - abs(y)"
[run]
until = 4.0
step = 1e-3
integrator = "event"
"#;

/// The event-driven method has no step that is accurate enough at the kink of `abs`, and shortened it for
/// ever.
#[test]
fn an_event_driven_sweep_over_a_kink_ends_with_the_reason() {
    let (outcome, _) = go(DIAMOND, &[]);
    let said = outcome.stopped.expect("a refusal").to_string();
    assert!(said.contains("twice differentiable"), "{said}");
}

/// A chalk at 60 degrees with μ = 0.8 has γ < 0 all the time. It was told in 24,034 of 65,000 steps, in most of which
/// the tip sticks; it may jump only where it slides.
#[test]
fn a_tip_that_sticks_is_not_told_to_jump() {
    let text = percuss_scene::builtin::text("chalk").expect("a built-in scene");
    let edits = [
        ("\nmu = 0.5", "\nmu = 0.8"),
        ("lean_deg = 70 ", "lean_deg = 60 "),
        ("until = 0.65", "until = 0.05"),
    ];
    let (outcome, mut system) = go(text, &edits);
    let motion = &outcome.trajectory;
    let tip = system.constraints().iter().position(|c| c.name == "tip");
    let tip = tip.expect("the tip");
    // Steps that a rule without a look at sliding would have told.
    let mut negative = 0;
    for state in 1..motion.len() {
        let touches = motion
            .constraint_reports(state)
            .any(|touch| touch.impulse[0] > 0.0);
        let at = StateRef {
            t: motion.times()[state],
            q: motion.position(state),
            v: motion.velocity(state),
        };
        let gamma = painleve::gamma(&mut system, tip, at).expect("a number");
        negative += usize::from(touches && gamma <= 0.0);
    }
    assert!(negative > 1000, "{negative}");
    // Those that are told begin with a tip that slides, as it sets out and where it breaks loose: V − L sin θ θ' is more
    // than the 1.6e-3 m/s by which a step changes it.
    let mut told = 0;
    for state in (1..motion.len()).filter(|state| motion.step_report(*state).gamma <= 0.0) {
        let (q, v) = (motion.position(state - 1), motion.velocity(state - 1));
        let slip = 0.5 - 0.06 * q[1].sin() * v[1];
        assert!(slip.abs() > 5e-3, "state {state}: {slip}");
        told += 1;
    }
    assert!(told > 0 && 100 * told < negative, "{told} of {negative}");
    assert_eq!(
        outcome.certificate.violation(Criterion::Nonunique).times,
        told
    );
    // Each passage has two outcomes that differ.
    let found = percuss_run::nonunique_instants(&mut system, &outcome);
    assert!(!found.is_empty());
    for place in &found {
        let pairs = place.before.iter().zip(&place.jump);
        let apart = pairs
            .map(|((_, a), (_, b))| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(apart > 1e-2, "{place:?}");
    }
}

/// Nothing pushes the bar that fills its circle: it stays, which both of its dependent joints allow. It was refused as
/// the push that nothing can balance is.
#[test]
fn a_bar_that_fills_its_circle_rests_where_nothing_pushes() {
    let text = percuss_scene::builtin::text("bar-in-circle").expect("a built-in scene");
    for scheme in ["midpoint", "event"] {
        let run = format!("[run]\nintegrator = \"{scheme}\"");
        let still = [("force_y = 1.0", "force_y = 0.0"), ("[run]", run.as_str())];
        let (outcome, _) = go(text, &still);
        assert!(outcome.stopped.is_none(), "{scheme}: {:?}", outcome.stopped);
        assert!(outcome.certificate.ok, "{scheme}");
        let last = outcome.trajectory.len() - 1;
        assert!(last > 10);
        assert_eq!(outcome.trajectory.velocity(last), [0.0; 3], "{scheme}");
        let (outcome, _) = go(text, &still[1..]);
        let said = outcome.stopped.expect("a refusal").to_string();
        assert!(
            said.contains("first_end") && said.contains("second_end"),
            "{said}"
        );
    }
}
