//! Bodies with an orientation, in text.

use percuss_mechanism::System;
use percuss_scene::{Sample, Scene};

/// A disc of radius r that may roll on the plane z = 0: contact at its lowest point would need the
/// rim; here a ball with an off-centre mass, whose equations have every term.
const SCENE: &str = r#"
kind = "mechanism"
[parameters]
M = 2.0
c = 0.3
r = 0.5
I1 = 1.5
I3 = 0.7
[[coordinate]]
name = "x"
[[coordinate]]
name = "Q"
kind = "orientation"
initial = [2, 0, 0, 2]
velocity = [0.1, 0.2, "3*c"]
[[coordinate]]
name = "z"
initial = "r"
[definitions]
height = "z + c*Q_33"
[dynamics]
kinetic = """0.5*M*(x_dot + c*Q_13_rate)^2 + 0.5*M*height_dot^2
    + 0.5*(I1*(Q_spin_1^2 + Q_spin_2^2) + I3*Q_spin_3^2)"""
potential = "M*9.81*height"
[dynamics.forces]
Q = ["1", "Q_33", "t"]
[[contact]]
name = "ground"
gap = "z - r"
tangent = ["x_dot - r*Q_spin_y", "r*Q_spin_x"]
friction = { axes = [0.3, 0.2] }
[[velocity_constraint]]
name = "spin"
constraint = "Q_spin_z - 0.5*t"
[run]
until = 1
step = 1e-3
"#;

fn text() -> String {
    // d/dt of Q_13 through the velocities themselves: Ṙ = R [ω]×, column 3 is R e₃ × … = R(ω × e₃).
    SCENE.replace("Q_13_rate", "(Q_11*Q_spin_2 - Q_12*Q_spin_1)")
}

#[test]
fn names_positions_and_spins_come_in_the_order_of_the_coordinates() {
    let scene = Scene::parse("ball", "ball.toml", &text()).unwrap();
    let built = scene.build_mechanism().unwrap();
    let positions: Vec<String> = (0..6).map(|i| built.system.position_name(i)).collect();
    assert_eq!(positions, ["x", "Q_w", "Q_x", "Q_y", "Q_z", "z"]);
    let velocities: Vec<String> = (0..5).map(|i| built.system.velocity_name(i)).collect();
    let expected = ["x_dot", "Q_spin_1", "Q_spin_2", "Q_spin_3", "z_dot"];
    assert_eq!(velocities, expected);
    let half = 0.5_f64.sqrt();
    // Division by √8 and the root of ½ round once each.
    let expected = [0.0, half, 0.0, 0.0, half, 0.5];
    assert!(
        built
            .initial
            .q
            .iter()
            .zip(expected)
            .all(|(q, e)| (q - e).abs() < 2e-16)
    );
    assert_eq!(built.initial.v, [0.0, 0.1, 0.2, 0.3 * 3.0, 0.0]);
}

#[test]
fn the_matrix_turns_body_axes_into_space_and_spins_agree() {
    let mut system = Scene::parse("ball", "b", &text())
        .and_then(|s| s.build_mechanism())
        .unwrap()
        .system;
    // A third of a turn about (1, 1, 1): x → y → z → x.
    let q = [0.0, 0.5, 0.5, 0.5, 0.5, 1.0];
    let v = [0.0, 1.0, 2.0, 3.0, 0.0];
    let sample = Sample {
        t: 0.0,
        q: &q,
        v: &v,
        forces: &|_, _| 0.0,
        path: percuss_mechanism::PathSums::default(),
    };
    let mut value = |name: &str| {
        let mut observable = system.observable(name).unwrap();
        observable.evaluate(&mut system, &sample).unwrap()
    };
    let rows = ["1", "2", "3"].map(|i| ["1", "2", "3"].map(|j| value(&format!("Q_{i}{j}"))));
    assert_eq!(rows, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(
        ["x", "y", "z"].map(|a| value(&format!("Q_spin_{a}"))),
        [3.0, 1.0, 2.0]
    );
}

#[test]
fn the_accelerations_of_the_text_keep_the_energy_balance() {
    let mut system = Scene::parse("ball", "b", &text())
        .and_then(|s| s.build_mechanism())
        .unwrap()
        .system;
    let length = (0.4_f64.powi(2) + 0.3 * 0.3 + 0.5 * 0.5 + 0.2 * 0.2).sqrt();
    let q = [
        0.1,
        0.4 / length,
        -0.3 / length,
        0.5 / length,
        0.2 / length,
        0.8,
    ];
    let v = [0.3, -0.7, 1.1, 0.6, -0.2];
    let t = 0.4;
    let (mut mass, mut force) = ([0.0; 25], [0.0; 5]);
    system.dynamics(t, &q, &v, &mut mass, &mut force).unwrap();
    let a = solve(mass, force);
    // d(T + V)/dt = torque · ω along q̇ = v, v̇ = a.
    let h = 1e-5;
    let chart = system.configuration_space().clone();
    let mut energy = |s: f64| {
        let mut at = q;
        let mean: [f64; 5] = std::array::from_fn(|i| v[i] + 0.5 * s * a[i]);
        chart.integrate(&mut at, &mean, s);
        let fast: [f64; 5] = std::array::from_fn(|i| v[i] + s * a[i]);
        let sample = Sample {
            t: t + s,
            q: &at,
            v: &fast,
            forces: &|_, _| 0.0,
            path: percuss_mechanism::PathSums::default(),
        };
        let mut energy = system.observable("energy").unwrap();
        energy.evaluate(&mut system, &sample).unwrap()
    };
    let rate = (energy(h) - energy(-h)) / (2.0 * h);
    let third = 1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]);
    let power = v[1] + third * v[2] + t * v[3];
    // h²/6 of third derivatives of order 100, and 1e-15·20/h.
    assert!((rate - power).abs() < 1e-7, "{rate} is not {power}");
}

/// Gauss's method without exchange: A is positive definite.
fn solve(mut a: [f64; 25], mut b: [f64; 5]) -> [f64; 5] {
    for k in 0..5 {
        for i in k + 1..5 {
            let factor = a[i * 5 + k] / a[k * 5 + k];
            (k..5).for_each(|j| a[i * 5 + j] -= factor * a[k * 5 + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..5).rev() {
        let rest: f64 = (k + 1..5).map(|j| a[k * 5 + j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k * 5 + k];
    }
    b
}

#[test]
fn rows_of_a_rolling_ball_are_the_velocities_of_its_lowest_point() {
    let mut system = Scene::parse("ball", "b", &text())
        .and_then(|s| s.build_mechanism())
        .unwrap()
        .system;
    let q = [0.0, 0.5, 0.5, 0.5, 0.5, 1.0];
    let v = [0.7, 1.0, 2.0, 3.0, -0.4];
    let (mut rows, mut boundary) = ([0.0; 15], [0.0; 3]);
    system.rows(0, 2.0, &q, &mut rows, &mut boundary).unwrap();
    let speed = |row: usize| -> f64 { (0..5).map(|j| rows[row * 5 + j] * v[j]).sum() };
    // Spins in space are (3, 1, 2).
    assert_eq!([speed(0), speed(1), speed(2)], [-0.4, 0.7 - 0.5, 1.5]);
    assert_eq!(boundary, [0.0; 3]);
    system
        .rows(1, 2.0, &q, &mut rows[..5], &mut boundary[..1])
        .unwrap();
    assert_eq!(
        (rows[..5].to_vec(), boundary[0]),
        (vec![0.0, 0.0, 1.0, 0.0, 0.0], -1.0)
    );
}
