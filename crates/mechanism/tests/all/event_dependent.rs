//! The event-driven integrator where reactions are not determined: hyperstatic supports.

use crate::common::{Model, close, run, start};
use percuss_contact::Law;
use percuss_contact::law::{NonFirmSet, Status};
use percuss_mechanism::{ConstraintKind, EventKind};

const G: f64 = 9.81;

/// A slider (s, b) guided in a plane inclined by `beta` to the normal of the surface it slides on with friction (M88
/// §17): its contact has three rows and two degrees of freedom.
fn guided(mu: f64, beta: f64, k: f64, belt: f64) -> Model {
    let (sin, cos) = beta.sin_cos();
    Model::new(2, move |_, q, _, f| f.copy_from_slice(&[-k * q[0], -G]))
        .constraint("surface", ConstraintKind::Contact, 3)
        .gaps(move |_, q, gaps| gaps[0] = q[1] * cos)
        .rows(move |_, _, _, g, w| {
            g.copy_from_slice(&[0.0, cos, 1.0, 0.0, 0.0, sin]);
            w[1] = -belt;
        })
        .law(move |_, _, _, _| Law::Coulomb { mu })
}

#[test]
fn a_guided_slider_holds_and_slides_with_the_two_projected_coefficients() {
    let (mu, beta) = (0.5_f64, 50.0_f64.to_radians());
    let (sin, cos) = beta.sin_cos();
    // Sticking: friction across the guide adds to the normal pressure without any motion.
    let at_rest = mu / (cos * cos - mu * mu * sin * sin).sqrt();
    let mut motion = start(
        guided(mu, beta, 40.0, 0.2),
        0.05,
        0.0,
        &[0.0; 2],
        &[0.2, 0.0],
    );
    let stuck = run(&mut motion, 40);
    let slip = stuck.instants(0, |k| *k == EventKind::Slip);
    close(slip[0], at_rest * G / 40.0 / 0.2, 1e-9);
    // Sliding: only the friction along the guide.
    let mut motion = start(
        guided(mu, beta, 0.0, 0.0),
        0.05,
        0.0,
        &[0.0; 2],
        &[2.0, 0.0],
    );
    let slid = run(&mut motion, 2);
    close(slid.last().v[0], 2.0 - 0.1 * G * mu / cos, 1e-12);
}

#[test]
fn a_wedged_slider_holds_any_force() {
    // mu tan(beta) > 1: the harder it is pulled, the harder it is held.
    let beta = 65.0_f64.to_radians();
    let mut motion = start(
        guided(0.5, beta, 1e4, 0.2),
        0.05,
        0.0,
        &[0.0; 2],
        &[0.2, 0.0],
    );
    let held = run(&mut motion, 20);
    close(held.last().q[0], 0.2, 1e-12);
    assert_eq!(held.last().status[0], Status::Stick);
}

/// Feet of a table and the largest friction of each.
const FEET: [[f64; 2]; 4] = [[0.6, 0.4], [0.6, -0.4], [-0.6, 0.4], [-0.6, -0.4]];
const FRICTION: f64 = 25.0;

/// Power of friction in a motion (v_x, v_y, angular velocity).
fn power(w: [f64; 3]) -> f64 {
    let foot = |p: &[f64; 2]| (w[0] - w[2] * p[1]).hypot(w[1] + w[2] * p[0]);
    FRICTION * FEET.iter().map(foot).sum::<f64>()
}

/// The load factor at which a table begins to move: the least power of friction over all motions in
/// which the load has unit power (the kinematic theorem of limit analysis).
fn limit(load: [f64; 3]) -> f64 {
    // Minimised over the two free components by a shrinking cross of trial points.
    let motion = |x: [f64; 2]| {
        let turn = (1.0 - load[0] * x[0] - load[1] * x[1]) / load[2];
        [x[0], x[1], turn]
    };
    let (mut best, mut reach) = ([0.0; 2], 1.0);
    while reach > 1e-13 {
        let mut moved = false;
        for step in 0..16 {
            let (s, c) = (f64::from(step) * std::f64::consts::PI / 8.0).sin_cos();
            let trial = [best[0] + reach * c, best[1] + reach * s];
            if power(motion(trial)) < power(motion(best)) {
                (best, moved) = (trial, true);
            }
        }
        if !moved {
            reach *= 0.5;
        }
    }
    power(motion(best))
}

#[test]
fn a_table_on_four_feet_starts_at_the_load_of_limit_analysis() {
    // An eccentric push that grows with time: shares of the feet are undetermined until all are used.
    let load = [0.8, 0.6, 0.3];
    let mut model = Model::new(3, |_, _, _, _| {}).dynamics(move |t, _, _, mass, k| {
        mass.copy_from_slice(&[20.0, 0.0, 0.0, 0.0, 20.0, 0.0, 0.0, 0.0, 4.0]);
        (0..3).for_each(|i| k[i] = 100.0 * t * load[i]);
    });
    for name in ["a", "b", "c", "d"] {
        model = model.constraint(name, ConstraintKind::NonFirm, 2);
    }
    let model = model
        .rows(|i, _, q, g, _| {
            let (s, c) = q[2].sin_cos();
            let [x, y] = FEET[i];
            g.copy_from_slice(&[1.0, 0.0, -s * x - c * y, 0.0, 1.0, c * x - s * y]);
        })
        .bias(|i, _, q, v, b| {
            let (s, c) = q[2].sin_cos();
            let [x, y] = FEET[i];
            let square = v[2] * v[2];
            b.copy_from_slice(&[(-c * x + s * y) * square, (-s * x - c * y) * square]);
        })
        .law(|_, _, _, _| NonFirmSet::ball(2, FRICTION).unwrap().into_law());
    let mut motion = start(model, 0.05, 0.0, &[0.0; 3], &[0.0; 3]);
    let run = run(&mut motion, 24);
    let first = run.events.iter().find(|e| e.kind == EventKind::Slip);
    // The minimum is flat: the search knows its value to the square of 1e-8.
    close(100.0 * first.unwrap().t, limit(load), 1e-7);
    assert!(run.worst_energy < 1e-9, "{:e}", run.worst_energy);
    assert_eq!(run.missed, 0);
}
