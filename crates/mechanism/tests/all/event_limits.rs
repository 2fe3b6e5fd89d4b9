//! The event-driven integrator where accelerations are missing, unbounded or not unique.

use crate::common;

use crate::common::{Model, close, run, start};
use crate::native::{Rod, state};
use percuss_contact::Law;
use percuss_mechanism::{
    ConstraintKind, EventDriven, EventKind, Integrator, MechanismError, Scheme, Settings, State,
    TimeStepper,
};

const ANGLE: f64 = std::f64::consts::FRAC_PI_3;

fn rod(mu: f64, v: [f64; 3]) -> EventDriven<Rod> {
    let settings = Settings {
        scheme: Scheme::Event,
        step: 1e-3,
        ..Settings::default()
    };
    let q = [0.0, Rod::HALF * ANGLE.sin(), ANGLE];
    EventDriven::new(Rod::new(mu, 9.81), settings, state(&q, &v)).unwrap()
}

#[test]
fn below_the_threshold_the_rod_slides_with_the_reaction_of_the_closed_form() {
    let mut motion = rod(1.0, [-1.0, 0.0, 0.0]);
    motion.advance().unwrap();
    let touches = motion.constraint_reports();
    // N = g/(1 + 3 cos² − 3 mu sin cos) at the beginning; it changes by O(h) over the interval.
    close(touches[0].impulse[0] / 1e-3, 21.753500957591275, 0.1);
    close(touches[0].impulse[1], touches[0].impulse[0], 1e-15);
    assert!(motion.step_report().gamma > 0.0);
}

#[test]
fn beyond_the_threshold_the_rod_stops_without_a_collision() {
    let mut motion = rod(1.6, [-1.0, 0.0, 0.0]);
    let v = motion.state().v.clone();
    // The tip stops: two impulse equations by hand (v⁺ and omega⁺).
    close(v[0], -0.5625, 1e-13);
    close(v[1], 0.3247595264191645, 1e-13);
    close(v[2], 1.2990381056766578, 1e-13);
    motion.advance().unwrap();
    let gamma = motion.events().iter().find_map(|e| match e.kind {
        EventKind::Painleve { gamma } => Some(gamma),
        _ => None,
    });
    let (s, c) = ANGLE.sin_cos();
    close(gamma.unwrap(), 1.0 + 3.0 * c * c - 4.8 * s * c, 1e-13);
    // The impulse of the jump is in the account of the first interval.
    let touches = motion.constraint_reports();
    assert!(touches[0].impulse[0] > 0.3247);
    // The loss of the jump, 0.21875 J, less what gravity does in a millisecond.
    close(
        motion.step_report().impact + motion.step_report().sliding,
        -0.21875,
        1e-10,
    );
}

#[test]
fn where_two_motions_are_possible_the_rod_leaves_and_says_so() {
    // omega = 6: the free normal acceleration is positive, gamma negative.
    let tip = 6.0 * Rod::HALF;
    let (s, c) = ANGLE.sin_cos();
    let v = [-1.0 - tip * s, tip * c, 6.0];
    let mut motion = rod(1.6, v);
    assert_eq!(motion.state().v, v);
    motion.advance().unwrap();
    let told = |k: &EventKind| matches!(k, EventKind::Painleve { gamma } if *gamma < 0.0);
    assert!(motion.events().iter().any(|e| told(&e.kind)));
    assert!(motion.constraint_reports().is_empty());
}

#[test]
fn a_sliding_tip_is_followed_to_its_catastrophe_and_beyond() {
    // M88 example 15.3: a round tip slides while its body turns backwards; gamma falls to 0.
    let (k, mu, r) = (50.0_f64, 0.5_f64, 0.1_f64);
    let model = Model::new(3, |_, _, _, _| {})
        .dynamics(move |_, _, _, mass, f| {
            mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / k]);
            f.copy_from_slice(&[0.0, -9.81, 0.0]);
        })
        .constraint("tip", ConstraintKind::Contact, 2)
        .gaps(move |_, q, gaps| gaps[0] = q[1] - q[2].cos() - r)
        .rows(move |_, _, q, g, _| {
            let (s, c) = q[2].sin_cos();
            g.copy_from_slice(&[0.0, 1.0, s, 1.0, 0.0, c + r]);
        })
        .bias(|_, _, q, v, b| {
            let (s, c) = q[2].sin_cos();
            b.copy_from_slice(&[c * v[2] * v[2], -s * v[2] * v[2]]);
        })
        .law(move |_, _, _, _| Law::Coulomb { mu });
    let (s, c) = std::f64::consts::FRAC_PI_6.sin_cos();
    let (q, spin) = ([0.0, c + r, std::f64::consts::FRAC_PI_6], -0.6);
    let v = [5.0 - spin * (c + r), -spin * s, spin];
    let mut motion = start(model, 7.5e-4, 0.0, &q, &v);
    let run = run(&mut motion, 150);
    let jump = run.events.iter().find_map(|e| match e.kind {
        EventKind::Painleve { gamma } => Some((e.t, gamma)),
        _ => None,
    });
    let (t, gamma) = jump.unwrap();
    // Reactions grow without bound only at gamma = 0, where the last step ends.
    assert!(gamma.abs() < 1e-6, "{gamma:e}");
    let slide = |v: &[f64], q: &[f64]| v[0] + (q[2].cos() + r) * v[2];
    let before = &run.states[(t / 7.5e-4) as usize];
    let after = &run.states[(t / 7.5e-4) as usize + 2];
    assert!(slide(&before.v, &before.q) > 1.0);
    // Of all outcomes the one that stops the sliding; then the body leaves and flies freely.
    assert!(slide(&after.v, &after.q).abs() < 0.1);
    assert!(run.events.iter().any(|e| e.kind == EventKind::Detach));
    assert!(run.worst_energy < 1e-9, "{:e}", run.worst_energy);
}

/// A bar between two rails, the lower with friction: q = (x, y, theta) as in B02 example 14, with
/// the reaction of the lower rail as the normal of a joint with friction.
fn rails(mu: f64, angle: f64, push: [f64; 3]) -> Model {
    let (m, l) = (1.0, 1.0);
    Model::new(3, |_, _, _, _| {})
        .dynamics(move |_, q, v, mass, k| {
            let (s, c) = q[2].sin_cos();
            let (a, b) = (-0.5 * m * l * s, 0.5 * m * l * c);
            mass.copy_from_slice(&[m, 0.0, a, 0.0, m, b, a, b, m * l * l / 3.0]);
            k.copy_from_slice(&push);
            k[0] += 0.5 * m * l * c * v[2] * v[2];
            k[1] += 0.5 * m * l * s * v[2] * v[2];
        })
        .constraint("lower", ConstraintKind::FrictionJoint { normal_rows: 1 }, 2)
        .constraint("upper", ConstraintKind::Joint, 1)
        .gaps(move |_, q, gaps| {
            gaps[0] = q[1];
            gaps[1] = q[1] + l * q[2].sin() - l * angle.sin();
        })
        .rows(move |i, _, q, g, _| {
            if i == 0 {
                g.copy_from_slice(&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
            } else {
                g.copy_from_slice(&[0.0, 1.0, l * q[2].cos()]);
            }
        })
        .bias(move |i, _, q, v, b| {
            b.fill(0.0);
            if i == 1 {
                b[0] = -l * q[2].sin() * v[2] * v[2];
            }
        })
        .law(move |_, _, _, _| Law::BilateralFriction { normal_rows: 1, mu })
}

#[test]
fn a_bar_between_rails_slides_with_the_acceleration_of_its_equations() {
    // M x'' = f_x + R, R = −mu |R_y1|, R_y1 = tan/2 R − f_y + 2 f_theta/(...) : with f_theta = 0
    // and f_y = −F at the lower end, R_y1 = tan/2 R + F.
    let (mu, angle, force) = (0.5_f64, 0.7_f64, 3.0_f64);
    let half = 0.5 * angle.tan();
    let mut motion = start(
        rails(mu, angle, [0.0, -force, 0.0]),
        0.01,
        0.0,
        &[0.0, 0.0, angle],
        &[1.0, 0.0, 0.0],
    );
    let run = run(&mut motion, 10);
    // R = −mu (half R + F) while R_y1 > 0.
    let friction = -mu * force / (1.0 + mu * half);
    close(run.last().v[0], 1.0 + 0.1 * friction, 1e-12);
}

#[test]
fn a_bar_between_rails_locks_where_friction_feeds_on_itself() {
    // Moving against the incline, R = +mu |R_y1| with R_y1 = tan/2 R + F: no bounded R when
    // mu tan > 2, and the bar stops at once.
    let (mu, angle) = (1.5_f64, 1.0_f64);
    assert!(mu * angle.tan() > 2.0);
    let mut motion = start(
        rails(mu, angle, [0.0, -3.0, 0.0]),
        0.01,
        0.0,
        &[0.0, 0.0, angle],
        &[-1.0, 0.0, 0.0],
    );
    let run = run(&mut motion, 5);
    let locked = run.instants(0, |k| *k == EventKind::Locked);
    assert_eq!(locked, [0.0]);
    close(run.last().v[0], 0.0, 1e-14);
    close(run.last().q[0], 0.0, 1e-14);
}

#[test]
fn a_restitution_above_one_is_refused() {
    let settings = Settings {
        scheme: Scheme::Event,
        ..Settings::default()
    };
    let error = EventDriven::new(common::ball(9.81, 2.0), settings, state(&[1.0], &[0.0]));
    assert!(matches!(error, Err(MechanismError::Restitution { .. })));
}

#[test]
fn a_motion_that_fails_keeps_the_state_before() {
    // The force has no value beyond x = 1.
    let model = Model::new(1, |_, q, _, k| k[0] = (1.0 - q[0]).sqrt());
    let mut motion = start(model, 0.25, 0.0, &[0.0], &[1.0]);
    let mut last: State = motion.state().clone();
    let failed = loop {
        match motion.advance() {
            Ok(()) => last = motion.state().clone(),
            Err(e) => break e,
        }
        assert!(motion.state().t < 2.0);
    };
    assert_eq!(motion.state(), &last);
    assert!(matches!(
        failed,
        MechanismError::EventDriven { .. } | MechanismError::BlowUp { .. }
    ));
}

#[test]
fn time_stepping_approaches_the_event_driven_motion_with_order_one() {
    // A ball with friction and restitution thrown along a floor: positions at t = 1.5.
    let thrown = || {
        Model::new(2, |_, _, _, k| k.copy_from_slice(&[0.0, -9.81]))
            .constraint("floor", ConstraintKind::Contact, 2)
            .gaps(|_, q, gaps| gaps[0] = q[1])
            .rows(|_, _, _, g, _| g.copy_from_slice(&[0.0, 1.0, 1.0, 0.0]))
            .law(|_, _, _, _| Law::Coulomb { mu: 0.2 })
            .restitution(|_| 0.5)
    };
    let mut exact = start(thrown(), 0.1, 0.0, &[0.0, 0.3], &[3.0, 1.0]);
    let reference = run(&mut exact, 15);
    for h in [1e-2, 1e-3, 1e-4] {
        let settings = Settings {
            step: h,
            ..Settings::default()
        };
        let initial = state(&[0.0, 0.3], &[3.0, 1.0]);
        let mut motion = TimeStepper::new(thrown(), settings, initial).unwrap();
        let steps = (1.5 / h).round() as usize;
        (0..steps).for_each(|_| motion.advance().unwrap());
        let (a, b) = (&motion.state().q, &reference.last().q);
        let error = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
        // First order: C h with C of the size of the velocities.
        assert!(error < 5.0 * h, "{error:e} at {h:e}");
    }
}
