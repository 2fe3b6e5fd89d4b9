//! One-contact tables computed elsewhere in multiple precision.

use percuss_contact::law::{Law, Status, coulomb2, coulomb3};
use serde_json::Value;

fn table(text: &str) -> Value {
    serde_json::from_str(text).expect("oracle file is JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

fn number(case: &Value, key: &str) -> f64 {
    case[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} is a number"))
}

fn status(case: &Value) -> Status {
    match case["status"].as_str().expect("a status") {
        "open" => Status::Open,
        "stick" => Status::Stick,
        other => {
            assert!(other.starts_with("slip"), "unknown status {other}");
            Status::Slip
        }
    }
}

/// Largest difference relative to the largest entry of the expected vector.
fn distance(found: &[f64], expected: &[f64]) -> f64 {
    let size = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let miss = found
        .iter()
        .zip(expected)
        .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    if size == 0.0 { miss } else { miss / size }
}

fn cases(table: &Value) -> &Vec<Value> {
    let cases = table["cases"].as_array().expect("cases");
    assert!(!cases.is_empty(), "an empty oracle proves nothing");
    cases
}

/// Runs a spatial Coulomb table at relative tolerance `tol`.
fn check_space(text: &str, tol: f64) {
    let table = table(text);
    for (k, case) in cases(&table).iter().enumerate() {
        let law = Law::Coulomb {
            mu: number(case, "mu"),
        };
        let (h, q) = (numbers(&case["W"]), numbers(&case["q"]));
        let mut r = [f64::NAN; 3];
        assert_eq!(law.solve_local(&h, &q, &mut r), status(case), "case {k}");
        let miss = distance(&r, &numbers(&case["r"]));
        assert!(miss <= tol, "case {k}: r misses by {miss:e}");
        // The fixed-size path is the same function.
        let block = std::array::from_fn(|i| std::array::from_fn(|j| h[3 * i + j]));
        let fixed = coulomb3::solve(&block, &[q[0], q[1], q[2]], number(case, "mu"));
        assert_eq!(fixed.0, r, "case {k}");
    }
}

#[test]
fn coulomb_in_space_agrees_with_the_table() {
    // The tolerance is the file's own.
    check_space(include_str!("../data/local_3d.json"), 1e-12);
}

#[test]
fn coulomb_in_space_agrees_with_the_ill_conditioned_table() {
    // The file's own: r is determined only to condition x rounding.
    check_space(include_str!("../data/local_3d_ill.json"), 1e-9);
}

#[test]
fn asymmetric_friction_agrees_with_the_table_in_sense_and_value() {
    let table = table(include_str!("../data/local_2d_asymmetric.json"));
    let mut senses = [0, 0];
    for (k, case) in cases(&table).iter().enumerate() {
        let (plus, minus) = (number(case, "mu_plus"), number(case, "mu_minus"));
        let (h, q) = (numbers(&case["W"]), numbers(&case["q"]));
        let mut r = [f64::NAN; 2];
        let found = Law::CoulombAsymmetric { plus, minus }.solve_local(&h, &q, &mut r);
        assert_eq!(found, status(case), "case {k}");
        let miss = distance(&r, &numbers(&case["r"]));
        assert!(miss <= 1e-12, "case {k}: r misses by {miss:e}");
        match case["status"].as_str() {
            Some("slip+") => senses[0] += 1,
            Some("slip-") => senses[1] += 1,
            _ => {}
        }
        let fixed = coulomb2::solve(&[[h[0], h[1]], [h[2], h[3]]], &[q[0], q[1]], plus, minus);
        assert_eq!(fixed.0, r, "case {k}");
    }
    assert!(senses[0] > 0 && senses[1] > 0, "both senses must occur");
}

#[test]
fn rolling_projection_agrees_with_the_table() {
    let table = table(include_str!("../data/rolling_cone_projection.json"));
    for (k, case) in cases(&table).iter().enumerate() {
        let law = Law::Rolling {
            mu: number(case, "mu"),
            mu_roll: number(case, "mu_r"),
            mu_spin: 0.0,
        };
        let mut x = numbers(&case["x"]);
        law.project(&mut x);
        let miss = distance(&x, &numbers(&case["projection"]));
        assert!(miss <= 1e-12, "case {k}: projection misses by {miss:e}");
    }
}
