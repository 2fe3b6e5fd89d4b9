//! The regularised flow: its limit λ → ∞, the rate, the proven bound, stability.

use crate::common::{dragged, method, orders, tractrix};
use percuss_convex::{AxisBox, Ball};
use percuss_sweep::{Method, Process, Schedule, TransformedSet};

fn disc_run(m: Method, h: f64) -> Vec<[f64; 2]> {
    let set = TransformedSet::new(Ball::new(&[0.0, 0.0], 1.0).expect("disc")).with_shift(dragged);
    let mut process = Process::new(set, 0.0, &tractrix(0.0))
        .and_then(|p| p.with_settings(method(m)))
        .expect("process");
    let mut path = Vec::new();
    process
        .run(&Schedule::fixed(3.0, h), |_, u| path.push([u[0], u[1]]))
        .expect("run");
    path
}

fn apart(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let each = a.iter().zip(b);
    each.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]))
        .fold(0.0, f64::max)
}

#[test]
fn distance_to_the_catching_up_solution_falls_like_one_over_lambda_within_the_bound() {
    let h = 1e-3;
    let limit = disc_run(Method::CatchingUp, h);
    // ∫|u̇|² dt of the tractrix: u̇ has length tanh τ, tanh² integrates to t − tanh τ + tanh τ₀.
    let tau0 = (1.0_f64 / 0.9).acosh();
    let action = 3.0 - (3.0 + tau0).tanh() + tau0.tanh();
    let mut errors = Vec::new();
    for lambda in [10.0, 40.0, 160.0, 640.0, 2560.0] {
        let error = apart(&disc_run(Method::Regularised(lambda), h), &limit);
        // Proven for every convex C: |u_λ − u|² ≤ ∫|u̇|²/2λ.
        assert!(error <= (action / (2.0 * lambda)).sqrt(), "λ = {lambda}");
        errors.push((1.0 / lambda, error));
    }
    // Smooth motion does better than the worst case ½: the lag is |u̇|/λ.
    for order in orders(&errors) {
        assert!((order - 1.0).abs() < 0.1, "{errors:?}");
    }
}

#[test]
fn lag_of_a_driven_interval_is_speed_over_lambda() {
    // C = [t − r, t + r], u = x − r − e: ė = 1 − λ e, e = (1 − e^{−λ(t−r)})/λ.
    let (lambda, r) = (25.0, 0.3);
    let mut errors = Vec::new();
    for h in [4e-3, 2e-3, 1e-3, 5e-4] {
        let set = TransformedSet::new(AxisBox::new(&[-r], &[r]).expect("interval"))
            .with_shift(|t, a| a[0] = t);
        let mut process = Process::new(set, 0.0, &[0.0])
            .and_then(|p| p.with_settings(method(Method::Regularised(lambda))))
            .expect("process");
        let mut worst = 0.0_f64;
        process
            .run(&Schedule::fixed(1.0, h), |s, u| {
                let since = (s.time - r).max(0.0);
                let exact = since - (1.0 - (-lambda * since).exp()) / lambda;
                worst = worst.max((u[0] - exact).abs());
            })
            .expect("run");
        errors.push((h, worst));
    }
    // Implicit Euler: order 1 in h.
    for order in orders(&errors) {
        assert!((order - 1.0).abs() < 0.05, "{errors:?}");
    }
}

#[test]
fn enormous_lambda_is_stable_and_gives_the_catching_up_points() {
    let h = 0.05;
    let limit = disc_run(Method::CatchingUp, h);
    for lambda in [1e6, 1e12, 1e300] {
        let path = disc_run(Method::Regularised(lambda), h);
        // The lag |u̇|/λ along the normal, and as much again where the paths have parted.
        assert!(
            apart(&path, &limit) < 2.0 / lambda.min(1e14) + 1e-13,
            "λ = {lambda}"
        );
    }
}
