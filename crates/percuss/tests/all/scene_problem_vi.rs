//! Problem VI (B02 §6): thresholds that see reactions, projected frictional forms, rolling in contact.

use percuss_scene::Scene;

use crate::scene_mechanisms::go;

/// The bar of B02 example 13 on a rough rail, with friction as a non-firm constraint.
const BAR: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = 1.0
[[coordinate]]
name = "y"
[[coordinate]]
name = "theta"
kind = "angle"
initial = 1.1
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2 + theta_dot^2/3 - sin(theta)*x_dot*theta_dot + cos(theta)*y_dot*theta_dot)"
potential = "9.81*(y + sin(theta)/2)"
[[joint]]
name = "rail"
constraint = "y"
[[nonfirm]]
name = "rub"
constraint = "x_dot"
force = { ball = "0.4*abs(force_rail)" }
[run]
until = 0.15
step = 1e-3
"#;

fn end(text: &str, edits: &[(&str, &str)]) -> Vec<f64> {
    let (outcome, _) = go(text, edits);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    assert!(outcome.certificate.ok, "{:?}", outcome.certificate);
    let motion = &outcome.trajectory;
    let last = motion.len() - 1;
    [motion.position(last), motion.velocity(last)].concat()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// Without a projection friction changes the reaction that bounds it; the fixed point ends where the law of a joint with
/// friction, solved exactly, has its solution.
#[test]
fn a_threshold_that_sees_a_reaction_is_the_friction_of_a_joint() {
    let joint = [
        (
            "constraint = \"y\"\n",
            "constraint = \"y\"\ntangent = \"x_dot\"\nfriction = 0.4\n",
        ),
        (
            "[[nonfirm]]\nname = \"rub\"\nconstraint = \"x_dot\"\nforce = { ball = \"0.4*abs(force_rail)\" }\n",
            "",
        ),
    ];
    let seen = end(BAR, &[]);
    // Both solve every step to 1e-10 of its velocities, 150 steps.
    assert!(apart(&seen, &end(BAR, &joint)) < 1e-7);
}

/// The motion does not depend on which of the forms that agree on the rail is written (B02 remark 3); without the
/// projection it does.
#[test]
fn projected_friction_does_not_depend_on_its_form() {
    let project = (
        "constraint = \"x_dot\"",
        "constraint = \"x_dot\"\nproject = true",
    );
    let leaning = ("constraint = \"x_dot\"", "constraint = \"x_dot + 5*y_dot\"");
    let both = (
        "constraint = \"x_dot\"",
        "constraint = \"x_dot + 5*y_dot\"\nproject = [\"rail\"]",
    );
    let plain = end(BAR, &[project]);
    assert!(apart(&plain, &end(BAR, &[both])) < 1e-9);
    assert!(apart(&end(BAR, &[]), &end(BAR, &[leaning])) > 1e-3);
    // A joint with friction has the key, too.
    let joint = [
        (
            "constraint = \"y\"\n",
            "constraint = \"y\"\ntangent = \"x_dot\"\nfriction = 0.4\nproject = true\n",
        ),
        (
            "[[nonfirm]]\nname = \"rub\"\nconstraint = \"x_dot\"\nforce = { ball = \"0.4*abs(force_rail)\" }\n",
            "",
        ),
    ];
    assert!(apart(&plain, &end(BAR, &joint)) < 1e-7);
}

/// The event-driven integrator takes the reactions from the state (B02 theorem 30), and refuses what it cannot.
#[test]
fn events_take_reactions_of_projected_friction_from_the_state() {
    let project = (
        "constraint = \"x_dot\"",
        "constraint = \"x_dot\"\nproject = true",
    );
    let event = ("step = 1e-3", "step = 1e-3\nintegrator = \"event\"");
    let exact = end(BAR, &[project, event]);
    // First order of friction at the end of the step: h times decelerations of some m/s².
    assert!(apart(&exact, &end(BAR, &[project])) < 1e-2);
    let halved = ("step = 1e-3", "step = 1e-4");
    assert!(apart(&exact, &end(BAR, &[project, halved])) < 1e-3);
    let (outcome, _) = go(BAR, &[event]);
    let said = outcome.stopped.map(|s| s.to_string()).unwrap_or_default();
    assert!(said.contains("`rub`") && said.contains("project"), "{said}");
}

/// A wheel that falls on a slope, rolls on it and over its edge.
const WHEEL: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = 2.0
[[coordinate]]
name = "y"
initial = 0.3
[[coordinate]]
name = "theta"
kind = "angle"
[definitions]
ground = "0.1*cos(3*x) - 0.1"
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2) + 0.01*theta_dot^2"
potential = "9.81*y"
[[contact]]
name = "road"
gap = "y - ground"
normal = "(y_dot + 0.3*sin(3*x)*x_dot)/sqrt(1 + 0.09*sin(3*x)^2)"
TANGENT
[run]
until = 1.5
step = 1e-3
"#;

/// While the contact presses, rolling in contact is friction of any strength; and it ends with the contact. With a
/// coefficient of 1e6 the law is conditioned so badly that steps miss 1e-10: 1e3 holds in every step here.
#[test]
fn rolling_in_contact_is_friction_without_bound() {
    let slip = "(x_dot - 0.3*sin(3*x)*y_dot)/sqrt(1 + 0.09*sin(3*x)^2) + 0.2*theta_dot";
    let tangent = format!("tangent = \"{slip}\"\nfriction = 1e3");
    let rolling = format!(
        "[[velocity_constraint]]\nname = \"rolling\"\nconstraint = \"{slip}\"\nwhile = \"road\""
    );
    let bound = end(WHEEL, &[("TANGENT", &tangent)]);
    let rolls = end(WHEEL, &[("TANGENT", &rolling)]);
    assert!(apart(&bound, &rolls) < 1e-6, "{bound:?} {rolls:?}");
}

fn refused(edits: &[(&str, &str)], said: &[&str]) {
    let mut text = BAR.to_string();
    for (old, new) in edits {
        assert!(text.contains(old), "the scene has no `{old}`");
        text = text.replace(old, new);
    }
    let message = match Scene::parse("scene", "scene.toml", &text) {
        Err(error) => error.to_string(),
        Ok(scene) => scene
            .build_mechanism()
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default(),
    };
    for part in said {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn wrong_values_are_refused_with_their_place() {
    let force = "force = { ball = \"0.4*abs(force_rail)\" }";
    let with = |key: &str| format!("{force}\n{key}");
    refused(
        &[(force, &with("while = \"floor\""))],
        &["scene.toml:22", "`while = \"floor\"`", "no contact `floor`"],
    );
    refused(
        &[(force, &with("while = 3"))],
        &["`while", "the name of a contact was expected"],
    );
    refused(
        &[(force, &with("project = \"floor\""))],
        &["scene.toml:22", "`project", "`floor`"],
    );
    refused(
        &[(force, &with("project = 2"))],
        &["`project", "true, the name"],
    );
    refused(
        &[(force, &with("matrix = [[1, 2]]"))],
        &["`matrix", "1 rows of 1 values"],
    );
    refused(
        &[(force, &with("matrix = [[\"x_dot\"]]"))],
        &["`matrix", "depends on velocities"],
    );
    refused(
        &[(force, "force = { ball = \"force_floor\" }")],
        &["scene.toml:21", "unknown name `force_floor`"],
    );
    refused(
        &[(force, "force = { ellipse = [1, 2] }")],
        &["`ellipse` has 2 values", "1 rows"],
    );
    refused(
        &[(force, "force = { factor = -1, of = { ball = 1 } }")],
        &["the factor of a set is -1"],
    );
    refused(&[(force, "force = { factor = 1 }")], &["`of`"]);
    refused(
        &[(force, "force = { half_spaces = [[1, 1]] }")],
        &["half-spaces must bound it"],
    );
    refused(
        &[(
            "constraint = \"y\"\n",
            "constraint = \"y\"\nproject = true\n",
        )],
        &["`project", "no friction"],
    );
}
