//! A slider guided in a plane oblique to the surface with friction (M88 §17): two degrees of freedom, three
//! contact rows. One coefficient acts like two, and the slider may wedge.
//!
//! Coordinates (s, b): s along the surface, b in the guiding plane, which makes the angle β with the
//! normal. Rows n = b cos β, t1 = s, t2 = b sin β; mass 1, loads (pull, -press).

use percuss_contact::law::{Law, Status};

const MU: f64 = 0.5;
const PRESS: f64 = 9.81;

/// One step of length dt from the velocity v: solves the contact and returns the new velocity.
fn step(beta: f64, v: [f64; 2], force: [f64; 2], belt: f64, dt: f64) -> ([f64; 2], Status) {
    let (c, s) = (beta.cos(), beta.sin());
    let g = [[0.0, c], [1.0, 0.0], [0.0, s]];
    let mut h = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            h[3 * i + j] = g[i][0] * g[j][0] + g[i][1] * g[j][1];
        }
    }
    let free = [v[0] + dt * force[0], v[1] + dt * force[1]];
    let q = [c * free[1], free[0] - belt, s * free[1]];
    let mut r = [f64::NAN; 3];
    let status = Law::Coulomb { mu: MU }.solve_local(&h, &q, &mut r);
    let new = [free[0] + r[1], free[1] + c * r[0] + s * r[2]];
    (new, status)
}

/// Where `holds` changes from true to false.
fn threshold(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    assert!(holds(low) && !holds(high));
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Largest r_1 over the cone under r_n cos β + r_2 sin β = press, by search over its half-lines
/// (M88 §17: the edge of the projected cone). None when a half-line carries no load at all.
fn strongest_hold(beta: f64) -> Option<f64> {
    let n = 200_000;
    let at = |angle: f64| {
        let load = beta.cos() + MU * angle.sin() * beta.sin();
        (load > 0.0).then(|| MU * angle.cos() * PRESS / load)
    };
    let mut best = 0.0_f64;
    for k in 0..n {
        best = best.max(at(std::f64::consts::TAU * f64::from(k) / f64::from(n))?);
    }
    Some(best)
}

#[test]
fn at_rest_the_whole_projected_cone_holds() {
    let beta = 50f64.to_radians();
    let held = |pull: f64| {
        let (v, status) = step(beta, [0.0; 2], [pull, -PRESS], 0.0, 1e-3);
        assert_eq!(status == Status::Stick, v[0].abs() < 1e-15);
        status == Status::Stick
    };
    let found = threshold(5.0, 15.0, held) / PRESS;
    // The search grid misses the edge by half its square, 5e-10 relative at most.
    let searched = strongest_hold(beta).expect("no wedging at 50 degrees") / PRESS;
    assert!((found - searched).abs() < 1e-9, "{found} and {searched}");
    // M88 §17: mu / sqrt(cos² β - mu² sin² β), to the ten digits written here.
    assert!((found - 0.968_603_276_6).abs() < 1e-10, "{found}");
}

#[test]
fn sliding_brakes_with_the_projected_boundary_line() {
    let beta = 50f64.to_radians();
    let (v, status) = step(beta, [2.0, 0.0], [0.0, -PRESS], 0.0, 1e-3);
    assert_eq!(status, Status::Slip);
    // mu / cos β; the difference of velocities near 2 loses three digits of sixteen.
    let found = (2.0 - v[0]) / (1e-3 * PRESS);
    assert!((found - MU / beta.cos()).abs() < 1e-12, "{found}");
    assert!(v[1].abs() < 1e-15, "lifts at {}", v[1]);
}

#[test]
fn past_the_wedging_angle_any_pull_is_held() {
    let moves = |beta: f64| {
        let (v, _) = step(beta, [0.0; 2], [1e6, -PRESS], 0.0, 1e-3);
        v[0].abs() > 1e-6
    };
    let found = threshold(0.5, 1.4, moves);
    // mu tan β = 1; a pull 1e5 times the load shifts the angle by about 1e-10.
    assert!((found - (1.0 / MU).atan()).abs() < 1e-9, "{found}");
    assert!(strongest_hold(found - 1e-4).is_some() && strongest_hold(found + 1e-4).is_none());
    for pull in [0.0, 1.0, -1e3, 1e9] {
        let (v, status) = step(found + 1e-3, [0.0; 2], [pull, -PRESS], 0.0, 1e-3);
        assert_eq!(status, Status::Stick);
        // Rounding of the impulse that holds, which wedging makes 1e3 times the pull.
        let size = 1e-3 * (pull.abs() + PRESS);
        assert!(v[0].abs() + v[1].abs() < 1e-12 * size, "{v:?} at {pull}");
    }
}

#[test]
fn a_spring_draws_the_slider_in_fits_and_starts() {
    let (k, belt, dt) = (40.0, 0.2, 2e-4);
    let beta = 50f64.to_radians();
    let (mut x, mut v) = ([0.0; 2], [belt, 0.0]);
    let (mut last, mut starts, mut top) = (Status::Stick, Vec::new(), 0.0_f64);
    for i in 0..30_000 {
        let middle = x[0] + 0.5 * dt * v[0];
        let (new, status) = step(beta, v, [-k * middle, -PRESS], belt, dt);
        x = [
            middle + 0.5 * dt * new[0],
            x[1] + 0.5 * dt * (v[1] + new[1]),
        ];
        v = new;
        let time = f64::from(i + 1) * dt;
        if last == Status::Stick && status == Status::Slip {
            starts.push(time);
        }
        if time > 2.0 {
            top = top.max(x[0]);
        }
        last = status;
    }
    assert!(starts.len() > 4, "{starts:?}");
    // Closed form of the stick-slip cycle with the two projected coefficients.
    let (at_rest, sliding) = (0.968_603_276_6, MU / beta.cos());
    let drop = (at_rest - sliding) * PRESS / k;
    let omega = f64::sqrt(k);
    let period =
        2.0 * drop / belt + (std::f64::consts::TAU - 2.0 * (drop * omega / belt).atan()) / omega;
    let highest = sliding * PRESS / k + drop.hypot(belt / omega);
    // Each start is known to a step, and a step more of sticking stretches the next cycle.
    let found = starts[3] - starts[2];
    assert!((found - period).abs() < 4.0 * dt, "{found}, not {period}");
    assert!((found - 1.1525).abs() < 0.005 * 1.1525, "{found}");
    // The spring overshoots by no more than the belt's way in a step.
    assert!(
        (top - highest).abs() < 2.0 * belt * dt,
        "{top}, not {highest}"
    );
    assert!((top - 0.24724).abs() < 0.005 * 0.24724, "{top}");
}
