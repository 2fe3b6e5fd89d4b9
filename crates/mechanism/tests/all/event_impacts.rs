//! The event-driven integrator through impacts, against closed forms.

use crate::common::{Model, ball, close, run, start};
use percuss_contact::law::Status;
use percuss_mechanism::{ConstraintKind, EventKind, Integrator};

#[test]
fn a_ball_of_half_restitution_bounces_and_rests_as_the_series_says() {
    let mut motion = start(ball(9.81, 0.5), 0.05, 0.0, &[1.0], &[0.0]);
    let run = run(&mut motion, 80);
    let first = (2.0_f64 / 9.81).sqrt();
    let impacts = run.impacts(0);
    assert!(impacts.len() >= 10);
    let mut expected = first;
    for (k, t) in impacts.iter().take(10).enumerate() {
        // Roots to rounding; errors add up over the bounces.
        close(*t, expected, 1e-12);
        expected += 2.0 * first * 0.5_f64.powi(k as i32 + 1);
    }
    let end = run.instants(0, |k| *k == EventKind::Accumulation);
    assert_eq!(end.len(), 1);
    // t1 (1 + e)/(1 − e); the extrapolation leaves 1e-6 of relative error in 1e-6 of time.
    close(end[0], 3.0 * first, 1e-11);
    let at = |i: usize| &run.states[i];
    close(at(14).q[0], 0.2474692639735212, 1e-12);
    close(at(14).v[0], -0.22282962289496933, 1e-11);
    close(at(26).q[0], 0.00024163733329498447, 1e-12);
    close(at(26).v[0], 0.12008010564099453, 1e-11);
    // Left alone below the rounding of the lengths at hand.
    close(run.last().q[0], 0.0, 1e-14);
    assert_eq!(run.last().v[0], 0.0);
    assert_eq!(run.last().status[0], Status::Stick);
    assert!(run.worst_penetration < 1e-15 && run.missed == 0);
    // Work of gravity and of the impacts against the kinetic energy.
    assert!(run.worst_energy < 1e-12, "{:e}", run.worst_energy);
}

#[test]
fn impacts_accumulate_at_three_in_the_counter_example() {
    // B02 counter-example 6: q'' = 2, q <= 0, e = 1/2, from (-1, 0).
    let model = Model::new(1, |_, _, _, k| k[0] = 2.0)
        .constraint("stop", ConstraintKind::Contact, 1)
        .gaps(|_, q, gaps| gaps[0] = -q[0])
        .rows(|_, _, _, g, _| g[0] = -1.0)
        .restitution(|_| 0.5);
    let mut motion = start(model, 0.01, 0.0, &[-1.0], &[0.0]);
    let run = run(&mut motion, 400);
    for (n, t) in run.impacts(0).iter().enumerate() {
        close(*t, 3.0 - 2.0_f64.powi(1 - n as i32), 1e-12);
    }
    let end = run.instants(0, |k| *k == EventKind::Accumulation);
    assert_eq!(end.len(), 1);
    close(end[0], 3.0, 1e-10);
    assert_eq!(run.last().v[0], 0.0);
}

#[test]
fn a_lively_ball_is_followed_bounce_by_bounce_to_its_rest() {
    let mut motion = start(ball(10.0, 0.9), 0.05, 0.0, &[1.0], &[0.0]);
    let run = run(&mut motion, 200);
    let impacts = run.impacts(0);
    // Intervals fall to 1e-6 of the run: 2 t1 0.9^n.
    assert!(impacts.len() > 100, "{}", impacts.len());
    close(impacts[11], 5.9709317447981105, 1e-11);
    close(run.states[80].q[0], 0.2806947381772422, 1e-11);
    close(run.states[80].v[0], -0.1862685321656823, 1e-10);
    let end = run.instants(0, |k| *k == EventKind::Accumulation);
    assert_eq!(end.len(), 1);
    // 131 impacts each to rounding, scaled by 1/(1 − e).
    close(end[0], 8.497058314499204, 1e-9);
}

#[test]
fn an_elastic_ball_never_comes_to_rest() {
    let mut motion = start(ball(10.0, 1.0), 0.1, 0.0, &[0.05], &[0.0]);
    let run = run(&mut motion, 200);
    // Period 2 sqrt(2 h/g) = 0.2.
    let impacts = run.impacts(0);
    assert_eq!(impacts.len(), 100);
    for (k, t) in impacts.iter().enumerate() {
        close(*t, 0.1 + 0.2 * k as f64, 1e-11);
    }
    assert!(
        run.instants(0, |k| *k == EventKind::Accumulation)
            .is_empty()
    );
}

#[test]
fn the_impact_oscillator_returns_on_its_periodic_orbit() {
    let (omega, r, speed) = (2.3, 0.8, 1.214003713473957);
    let model = Model::new(1, move |t, q, _, k| k[0] = (omega * t).cos() - q[0])
        .constraint("stop", ConstraintKind::Contact, 1)
        .gaps(|_, q, gaps| gaps[0] = -q[0])
        .rows(|_, _, _, g, _| g[0] = -1.0)
        .restitution(move |_| r);
    let t0 = 2.913173436692208 / omega;
    let mut motion = start(model, 0.05, t0, &[0.0], &[-r * speed]);
    let run = run(&mut motion, 300);
    let period = 2.7318196987737333;
    for (k, t) in run.impacts(0).iter().enumerate() {
        // The reference has 16 digits and its error shrinks by 0.8 with each return.
        close(*t, t0 + period * (k + 1) as f64, 1e-11);
    }
    assert_eq!(run.impacts(0).len(), 5);
}

#[test]
fn three_balls_in_a_row_share_an_impact_as_moreau_says() {
    let model = Model::new(3, |_, _, _, k| k.fill(0.0))
        .constraint("ab", ConstraintKind::Contact, 1)
        .constraint("bc", ConstraintKind::Contact, 1)
        .gaps(|_, q, gaps| {
            gaps[0] = q[1] - q[0] - 1.0;
            gaps[1] = q[2] - q[1] - 1.0;
        })
        .rows(|c, _, _, g, _| {
            g[c] = -1.0;
            g[c + 1] = 1.0;
        })
        .restitution(|_| 1.0);
    let mut motion = start(model, 0.1, 0.0, &[-0.25, 1.0, 2.0], &[1.0, 0.0, 0.0]);
    let run = run(&mut motion, 5);
    let v = &run.last().v;
    // cradle_simultaneous: (-1/3, 2/3, 2/3); impulses (4/3, 2/3).
    close(v[0], -1.0 / 3.0, 1e-12);
    close(v[1], 2.0 / 3.0, 1e-12);
    close(v[2], 2.0 / 3.0, 1e-12);
    close(run.impacts(0)[0], 0.25, 1e-15);
    let impulse = run.states.iter().fold((0.0, 0.0), |sum, s| {
        (sum.0 + s.impulse[0], sum.1 + s.impulse[1])
    });
    close(impulse.0, 4.0 / 3.0, 1e-12);
    close(impulse.1, 2.0 / 3.0, 1e-12);
}

#[test]
fn a_plastic_ball_leaves_a_shaken_plate_where_its_acceleration_does() {
    // inelastic_bouncer, Gamma = 2: take-off at asin(1/2), flight of 4.658851475711561 rad.
    let (gamma, omega, g) = (2.0_f64, 10.0_f64, 9.81_f64);
    let a = gamma * g / (omega * omega);
    let model = Model::new(1, move |_, _, _, k| k[0] = -g)
        .constraint("plate", ConstraintKind::Contact, 1)
        .gaps(move |t, q, gaps| gaps[0] = q[0] - a * (omega * t).sin())
        .rows(move |_, t, _, g, w| {
            g[0] = 1.0;
            w[0] = -a * omega * (omega * t).cos();
        })
        .bias(move |_, t, _, _, b| b[0] = a * omega * omega * (omega * t).sin());
    let mut motion = start(model, 0.01, 0.0, &[0.0], &[a * omega]);
    let run = run(&mut motion, 60);
    let leave = run.instants(0, |k| *k == EventKind::Detach);
    let land = run.impacts(0);
    close(omega * leave[0], 0.5_f64.asin(), 1e-11);
    close(omega * (land[0] - leave[0]), 4.658851475711561, 1e-10);
    assert!(run.worst_energy < 1e-11, "{:e}", run.worst_energy);
}

#[test]
fn outputs_fall_on_multiples_of_the_interval() {
    let mut motion = start(ball(9.81, 0.5), 0.3, 0.7, &[1.0], &[0.0]);
    for k in 1..=10 {
        motion.advance().unwrap();
        assert_eq!(motion.state().t, 0.7 + f64::from(k) * 0.3);
    }
}
