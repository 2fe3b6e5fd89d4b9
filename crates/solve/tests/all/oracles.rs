//! Impacts with closed forms.

use crate::common::{end, kinetic, solve_cold};
use percuss_contact::{FactoredDelassus, Law, Problem, Restitution};
use percuss_solve::{Auto, Goal};
use serde_json::Value;

/// Closed forms of linear problems with numbers of order 1: rounding is some 1e-16; the residual
/// asked for is 1e-13 and the condition of these problems below 100.
const TOLERANCE: f64 = 1e-10;

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Impulses and physical velocities at the end.
fn solved(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let (impulse, report) = solve_cold(&mut Auto::default(), problem, &Goal::with_tolerance(1e-13));
    assert!(report.reached(), "{report:?}");
    let v = kinetic(problem).physical_velocity(&end(problem, &impulse));
    (impulse, v)
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= TOLERANCE, "{found:?} {expected:?}");
    }
}

/// Equal balls in a row, all touching, one frictionless contact between neighbours.
fn cradle(velocity: &[f64], e: f64) -> Problem {
    let mut builder = FactoredDelassus::builder();
    for v in velocity {
        builder.add_group(&[1.0], &[*v], &[0.0]).unwrap();
    }
    let restitution = Restitution {
        normal: e,
        tangential: 0.0,
    };
    for k in 1..velocity.len() {
        let touches: [(usize, &[f64]); 2] = [(k, &[1.0]), (k - 1, &[-1.0])];
        builder
            .add_contact(Law::Frictionless, &touches, &[0.0], restitution)
            .unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn cradle_with_simultaneous_impacts_spreads_the_momentum() {
    let oracle = parse(include_str!("../data/cradle_simultaneous.json"));
    let (impulse, v) = solved(&cradle(&numbers(&oracle["v_before"]), number(&oracle["e"])));
    assert_near(&v, &numbers(&oracle["v_after"]));
    assert_near(&impulse, &numbers(&oracle["impulses"]));
    assert_near(
        &solved(&cradle(&[1.0, 0.0, 0.0], 0.5)).1,
        &numbers(&oracle["n3_e05"]),
    );
    let five = [1.0, 0.0, 0.0, 0.0, 0.0];
    assert_near(&solved(&cradle(&five, 1.0)).1, &numbers(&oracle["n5_e1"]));
    let two = [1.0, 1.0, 0.0, 0.0, 0.0];
    assert_near(
        &solved(&cradle(&two, 1.0)).1,
        &numbers(&oracle["n5_two_in"]),
    );
}

#[test]
fn cradle_of_any_length_follows_the_general_formula() {
    // v1 = 1 − (1+e)(n−1)/n, the others (1+e)/n.
    for n in 2..30_usize {
        for e in [0.0, 0.3, 0.8, 1.0] {
            let mut velocity = vec![0.0; n];
            velocity[0] = 1.0;
            let mut expected = vec![(1.0 + e) / n as f64; n];
            expected[0] = 1.0 - (1.0 + e) * (n - 1) as f64 / n as f64;
            assert_near(&solved(&cradle(&velocity, e)).1, &expected);
        }
    }
}

#[test]
fn oblique_sphere_sticks_below_the_threshold_and_slides_above() {
    let oracle = parse(include_str!("../data/oblique_sphere.json"));
    let restitution = Restitution {
        normal: number(&oracle["e"]),
        tangential: 0.0,
    };
    let law = Law::Coulomb {
        mu: number(&oracle["mu"]),
    };
    // Unit mass and radius, inertia 2/5; floor below: lever (0, 0, −1), rows (z, x, y).
    let mut mass = [0.0; 36];
    for i in 0..6 {
        mass[i * 7] = if i < 3 { 1.0 } else { 0.4 };
    }
    #[rustfmt::skip]
    let block = [
        0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
        1.0, 0.0, 0.0, 0.0, -1.0, 0.0,
        0.0, 1.0, 0.0, 1.0, 0.0, 0.0,
    ];
    for case in oracle["cases"].as_array().unwrap() {
        let (vn, vt) = (number(&case["vn"]), number(&case["vt"]));
        let mut builder = FactoredDelassus::builder();
        builder
            .add_group(&mass, &[vt, 0.0, -vn, 0.0, 0.0, 0.0], &[0.0; 6])
            .unwrap();
        builder
            .add_contact(law.clone(), &[(0, &block)], &[0.0; 3], restitution)
            .unwrap();
        let (impulse, v) = solved(&builder.build().unwrap());
        let found = [v[2], v[0], v[4], v[0] - v[4]];
        let names = [
            "v_n_after",
            "v_t_after",
            "R_omega_after",
            "contact_slip_after",
        ];
        assert_near(&found, &names.map(|name| number(&case[name])));
        let sticks = impulse[1].hypot(impulse[2]) < number(&oracle["mu"]) * impulse[0] - 1e-12;
        assert_eq!(
            sticks,
            case["vt"].as_f64() < Some(1.19) && case["mode"] == "stick"
        );
    }
}

#[test]
fn rod_dropped_on_its_end_turns() {
    let oracle = parse(include_str!("../data/rod_drop_frictionless.json"));
    let (m, half) = (number(&oracle["m"]), number(&oracle["half_length"]));
    let (sine, cosine) = number(&oracle["theta_deg"]).to_radians().sin_cos();
    let inertia = m * (2.0 * half).powi(2) / 12.0;
    let mut builder = FactoredDelassus::builder();
    let velocity = [0.0, number(&oracle["v_n_before"]), 0.0];
    let mass = [m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, inertia];
    builder.add_group(&mass, &velocity, &[0.0; 3]).unwrap();
    // The lower end lies at (−l cos θ, −l sin θ); a vertical normal has the moment arm −l cos θ.
    let block = [0.0, 1.0, -half * cosine];
    assert!(sine > 0.0);
    let restitution = Restitution {
        normal: number(&oracle["e"]),
        tangential: 0.0,
    };
    builder
        .add_contact(Law::Frictionless, &[(0, &block)], &[0.0], restitution)
        .unwrap();
    let problem = builder.build().unwrap();
    assert_near(problem.diagonal_block(0), &[number(&oracle["W_NN"])]);
    let (impulse, v) = solved(&problem);
    assert_near(&impulse, &[number(&oracle["impulse"])]);
    let expected = [number(&oracle["vG_after"]), number(&oracle["omega_after"])];
    assert_near(&[v[1], v[2]], &expected);
}
