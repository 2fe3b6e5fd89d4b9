//! Observables of bodies in space.

use crate::watch_common::{last, observed, series};

/// Relative error of quantities that the contact solver computes to 1e-6.
const SOLVED: f64 = 1e-5;

#[track_caller]
fn close(value: f64, exact: f64, tolerance: f64) {
    assert!(
        (value - exact).abs() <= tolerance,
        "{value} instead of {exact}"
    );
}

/// A box that tumbles in space without forces.
const TUMBLE: &str = r#"kind = "bodies"
[world]
dimension = 3
[[material]]
name = "m"
[[body]]
name = "box"
shape = { box = [1, 2, 3] }
material = "m"
mass = 12
position = [1, 2, 3]
velocity = [0.5, -1, 0.25]
spin = [0.01, 3, 0.02]
rotation = { axis = [0, 0, 1], angle = "pi/2" }
[run]
until = 2
step = 1e-3
"#;

#[test]
fn in_space_angular_momentum_stays_and_placements_are_seen() {
    let names = [
        "box_momentum_x",
        "box_momentum_y",
        "box_momentum_z",
        "box_kinetic",
        "box_z",
        "box_vz",
        "box_qw^2 + box_qx^2 + box_qy^2 + box_qz^2",
        "box_speed",
        "box_spin",
        "box_top",
        "box_right",
        "box_spin_x",
        "box_spin_y",
        "box_spin_z",
        "box_qz",
        "box_displacement",
    ];
    let outcome = observed(TUMBLE, &names);
    let of = |name: &str| series(&outcome, name);
    // Principal moments of 12 kg: (4 + 9, 1 + 9, 1 + 4); turned by 90 degrees about z, body x is
    // space y. The spin was given about space axes.
    let start = [10.0 * 0.01, 13.0 * 3.0, 5.0 * 0.02];
    for (axis, exact) in ["x", "y", "z"].iter().zip(start) {
        let momentum = of(&format!("box_momentum_{axis}"));
        close(momentum[0], exact, 1e-13);
        // Kept as a vector by the scheme: rounding of 2000 steps.
        close(momentum[2000], exact, 1e-10);
    }
    for (axis, exact) in ["x", "y", "z"].iter().zip([0.01, 3.0, 0.02]) {
        close(of(&format!("box_spin_{axis}"))[0], exact, 1e-14);
    }
    let kinetic = of("box_kinetic");
    close(kinetic[2000], kinetic[0], 1e-10 * kinetic[0]);
    close(of("box_z")[2000], 3.5, 1e-12);
    close(of("box_vz")[0], 0.25, 0.0);
    close(of(names[6])[2000], 1.0, 1e-14);
    close(of("box_spin")[0], (0.0001_f64 + 9.0 + 0.0004).sqrt(), 1e-14);
    // Up is z, and the long side of 2 m lies along x.
    close(of("box_top")[0], 4.5, 1e-14);
    close(of("box_right")[0], 2.0, 1e-14);
    close(of("box_qz")[0], std::f64::consts::FRAC_1_SQRT_2, 1e-15);
    close(of("box_displacement")[2000], 2.0 * 1.3125_f64.sqrt(), 1e-12);
}

#[test]
fn torque_in_space_balances_a_push_beside_the_centre() {
    let text = r#"kind = "bodies"
[world]
dimension = 3
gravity = [0, 0, -10]
[[material]]
name = "m"
[[law]]
between = ["any", "any"]
friction = 0.5
[[body]]
name = "floor"
shape = { half_space = [0, 0, 1] }
material = "m"
fixed = true
[[body]]
name = "box"
shape = { box = [1, 1, 1] }
material = "m"
mass = 2
position = [0, 0, 0.5]
force = [0, 0, -4]
at = [0.25, 0, 0]
[run]
until = 0.1
step = 1e-2
"#;
    let [x, y, z, force, down] = last(
        text,
        [
            "box_torque_x",
            "box_torque_y",
            "box_torque_z",
            "box_force_z",
            "floor_force_z",
        ],
    );
    // lever × force = (0.25, 0, 0) × (0, 0, -4) = (0, 1, 0); the floor gives the opposite.
    close(x, 0.0, 24.0 * SOLVED);
    close(y, -1.0, 24.0 * SOLVED);
    close(z, 0.0, 24.0 * SOLVED);
    close(force, 24.0, 24.0 * SOLVED);
    close(down, -24.0, 24.0 * SOLVED);
}
