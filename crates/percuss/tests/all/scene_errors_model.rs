//! What is wrong with the mechanics of a scene is said exactly.

use crate::common::refused;

#[test]
fn expressions_are_refused_at_the_place() {
    refused(
        &[("0.5*m*z_dot^2", "0.5*mm*z_dot^2")],
        r#"ball.toml:15: [dynamics]: `kinetic`: unknown name `mm` (known here: g, m, t, weight, z, z_dot)
  line 1, column 5
  | 0.5*mm*z_dot^2
  |     ^^"#,
    );
    refused(
        &[(r#"gap = "z""#, r#"gap = "zz - sinus(z)""#)],
        r#"ball.toml:20: contact `ground`: `gap`: unknown name `zz` (known here: g, m, t, weight, z, z_dot)
  line 1, column 1
  | zz - sinus(z)
  | ^^"#,
    );
    refused(
        &[(r#"gap = "z""#, r#"gap = "2*(z""#)],
        r#"ball.toml:20: contact `ground`: `gap`: this bracket is never closed
  line 1, column 3
  | 2*(z
  |   ^"#,
    );
    refused(
        &[("initial = 1.0", r#"initial = "z0""#)],
        r#"ball.toml:11: coordinate `z`: `initial`: unknown name `z0` (known here: g, m, weight)
  line 1, column 1
  | z0
  | ^^"#,
    );
    refused(
        &[
            (
                "[dynamics]",
                r#"[definitions]
speed = "2*z_dot"

[dynamics]"#,
            ),
            (
                "restitution = 0.5",
                r#"tangent = "speed_dot"
friction = 0.1"#,
            ),
        ],
        r#"ball.toml:24: contact `ground`: `tangent`: unknown name `speed_dot` (known here: g, m, speed, t, weight, z, z_dot)
  line 1, column 1
  | speed_dot
  | ^^^^^^^^^
`speed` depends on velocities and therefore has no rate"#,
    );
}

#[test]
fn circles_of_definitions_are_named() {
    refused(
        &[(
            r#"weight = "m*g""#,
            r#"weight = "m*a"
a = "weight + 1""#,
        )],
        "ball.toml:7: [parameters]: `weight`: cyclic definition: weight -> a -> weight",
    );
    refused(
        &[(
            "[dynamics]",
            r#"[definitions]
u = "w + z"
w = "2*u"

[dynamics]"#,
        )],
        "ball.toml:15: [definitions]: `u`: cyclic definition: u -> w -> u",
    );
}

#[test]
fn parameters_and_initial_values_must_be_finite() {
    refused(
        &[("m = 1.0", "m = nan")],
        "ball.toml:5: [parameters]: `m = nan`: a finite number was expected",
    );
    refused(
        &[(r#"weight = "m*g""#, r#"weight = "m/0""#)],
        r#"ball.toml:7: [parameters]: `weight = "m/0"`: the value is inf; a finite number was expected"#,
    );
    refused(
        &[(
            "[dynamics]",
            r#"[[coordinate]]
name = "Q"
kind = "orientation"
initial = [1, 0, 0]

[dynamics]"#,
        )],
        "ball.toml:17: coordinate `Q`: `initial = [1, 0, 0]`: an orientation takes an array of 4 values here",
    );
    refused(
        &[
            (
                "[dynamics]",
                r#"[[coordinate]]
name = "Q"
kind = "orientation"
initial = [0, 0, 0, 0]

[dynamics]"#,
            ),
            (
                "0.5*m*z_dot^2",
                "0.5*m*z_dot^2 + Q_spin_1^2 + Q_spin_2^2 + Q_spin_3^2",
            ),
        ],
        "ball.toml:17: coordinate `Q`: `initial`: this quaternion cannot be given unit length. [1, 0, 0, 0] is no rotation",
    );
}

#[test]
fn energies_and_forces_must_fit_the_coordinates() {
    refused(
        &[("0.5*m*z_dot^2", "0.5*m*z_dot^3")],
        r#"ball.toml:15: [dynamics]: `kinetic = "0.5*m*z_dot^3"`: the kinetic energy is not quadratic in the velocities: `z_dot^3` is of degree 3 or higher"#,
    );
    refused(
        &[(r#""weight*z""#, r#""weight*z*z_dot""#)],
        r#"ball.toml:16: [dynamics]: `potential = "weight*z*z_dot"`: the potential must depend on positions and time only, but `z_dot` occurs in it"#,
    );
    refused(
        &[(
            "[[contact]]",
            r#"[dynamics.forces]
zed = 1
z2 = 1

[[contact]]"#,
        )],
        "ball.toml:19: [dynamics.forces]: there is no coordinate `zed` (the coordinates are: z)",
    );
}

#[test]
fn velocities_must_be_affine_and_gaps_free_of_velocities() {
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = "z_dot^2"
friction = 0.3"#,
        )],
        r#"ball.toml:21: contact `ground`: `tangent = "z_dot^2"`: the velocity is not linear (affine) in the velocities: `z_dot^2` is of degree 2 or higher"#,
    );
    refused(
        &[(r#"gap = "z""#, r#"gap = "z + z_dot""#)],
        r#"ball.toml:20: contact `ground`: `gap = "z + z_dot"`: the constraint `gap` must depend on positions and time only, but `z_dot` occurs in it"#,
    );
}

#[test]
fn restitution_must_be_admissible_and_given_once() {
    refused(
        &[("restitution = 0.5", "restitution = 1.5")],
        "ball.toml:21: contact `ground`: `restitution = 1.5`: the value is 1.5, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)",
    );
    refused(
        &[("restitution = 0.5", r#"restitution = "-m""#)],
        r#"ball.toml:21: contact `ground`: `restitution = "-m"`: the value is -1, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)"#,
    );
    refused(
        &[("restitution = 0.5", "dissipation = -0.5")],
        "ball.toml:21: contact `ground`: `dissipation = -0.5`: the restitution (1 - delta)/(1 + delta) is 3, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)",
    );
    refused(
        &[("restitution = 0.5", "tangential_restitution = 2")],
        "ball.toml:21: contact `ground`: `tangential_restitution = 2`: the value is 2, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"restitution = 0.5
dissipation = 0.2"#,
        )],
        "ball.toml:18: contact `ground`: `restitution` and `dissipation` are both given, but each determines the other: e = (1 - delta)/(1 + delta). Keep one of them",
    );
}

#[test]
fn friction_and_tangents_must_fit() {
    refused(
        &[("restitution = 0.5", "friction = 0.3")],
        "ball.toml:18: contact `ground`: `friction` is given but `tangent`, the sliding velocity it opposes, is not. Add `tangent`: one velocity expression in the plane, an array of two in space",
    );
    refused(
        &[("restitution = 0.5", r#"tangent = "z_dot""#)],
        "ball.toml:18: contact `ground`: `tangent` is given but no `friction`. Add `friction`, which may be 0, or drop `tangent`",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = ["z_dot", "z_dot", "z_dot"]
friction = 0.3"#,
        )],
        "ball.toml:18: contact `ground`: `tangent` has 3 expressions. Give one in the plane, two in space",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = ["z_dot", "2*z_dot"]
friction = { plus = 0.3, minus = 0.1 }"#,
        )],
        "ball.toml:18: contact `ground`: friction { plus, minus } is a law of the plane. Give one `tangent`, or use { polygon }",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = "z_dot"
friction = { axes = [0.3, 0.1] }"#,
        )],
        "ball.toml:18: contact `ground`: friction { axes } needs two tangential velocities. Give `tangent` as an array of two, or use { plus, minus }",
    );
    refused(
        &[(
            "[run]",
            r#"[[joint]]
name = "rail"
constraint = "z"
friction = 0.1

[run]"#,
        )],
        "ball.toml:23: joint `rail`: `friction` and `tangent`, the sliding velocity, go together. Give both or none",
    );
}

#[test]
fn coefficients_of_friction_must_have_a_meaning() {
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = "z_dot"
friction = -0.3"#,
        )],
        "ball.toml:22: contact `ground`: `friction`: Coulomb: mu is -0.3, but a coefficient must be a finite number >= 0",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = ["z_dot", "2*z_dot"]
friction = { polygon = [[1, 1], [2, 1], [1, 2]] }"#,
        )],
        "ball.toml:22: contact `ground`: `friction`: polygonal section: 0 must lie inside or on an edge of the polygon (vertex 0: 1, 1)",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = ["z_dot", "2*z_dot"]
friction = { polygon = [[1, 1], [2, 1]] }"#,
        )],
        "ball.toml:22: contact `ground`, friction: `polygon = [[1, 1], [2, 1]]`: an array of at least three vertices [x, y] was expected",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = "z_dot"
friction = { static = 0.3, dynamic = 0.4 }"#,
        )],
        "ball.toml:22: contact `ground`: `friction`: static and dynamic friction: mu_dynamic = 0.4 exceeds mu_static = 0.3; a sliding contact cannot hold more than a resting one, the two may be exchanged",
    );
}

#[test]
fn rolling_friction_and_moments_must_fit() {
    refused(
        &[("restitution = 0.5", "rolling_friction = 0.1")],
        "ball.toml:18: contact `ground`: rolling or spinning friction is given but `moment`, the angular velocities it opposes, is not. Add `moment`: one angular velocity in the plane, two or three in space",
    );
    refused(
        &[(
            "restitution = 0.5",
            r#"tangent = "z_dot"
friction = 0.1
moment = ["z_dot", "z_dot"]
rolling_friction = 1"#,
        )],
        "ball.toml:18: contact `ground`: in the plane `moment` is one angular velocity",
    );
}

#[test]
fn sets_of_reactions_must_not_be_empty_and_contain_zero() {
    refused(
        &[(
            "[run]",
            r#"[[nonfirm]]
name = "brake"
constraint = "z_dot"
force = { between = [2, 1] }

[run]"#,
        )],
        "ball.toml:26: non-firm constraint `brake`: `force`: the interval from 2 to 1 is empty",
    );
    refused(
        &[(
            "[run]",
            r#"[[nonfirm]]
name = "brake"
constraint = "z_dot"
force = { between = [1, 2] }

[run]"#,
        )],
        "ball.toml:26: non-firm constraint `brake`: `force`: the interval from 1 to 2 does not contain 0: a constraint at rest would have to push",
    );
    refused(
        &[(
            "[run]",
            r#"[[nonfirm]]
name = "brake"
constraint = "z_dot"
force = { sum = ["firm", { ball = -1 }] }

[run]"#,
        )],
        "ball.toml:26: non-firm constraint `brake`: `force`: the radius of the ball is -1, it must be >= 0",
    );
}
