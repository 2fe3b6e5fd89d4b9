//! The event-driven integrator with dry friction, against closed forms.

use crate::common::{Model, close, run, start};
use percuss_contact::Law;
use percuss_contact::law::{PolygonSection, StaticDynamic, Status};
use percuss_mechanism::{ConfigurationSpace, ConstraintKind, Coordinate, EventKind};

const G: f64 = 9.81;

/// A point (x, z) of unit mass on the floor z = 0 with a horizontal force.
fn slider(force: impl Fn(f64, f64, f64) -> f64 + 'static, belt: f64) -> Model {
    Model::new(2, move |t, q, v, k| {
        k[0] = force(t, q[0], v[0]);
        k[1] = -G;
    })
    .constraint("floor", ConstraintKind::Contact, 2)
    .gaps(|_, q, gaps| gaps[0] = q[1])
    .rows(move |_, _, _, g, w| {
        g[1] = 1.0;
        g[2] = 1.0;
        w[1] = -belt;
    })
}

/// A point (x, y, z) of unit mass on the plane z = 0.
fn puck(force: [f64; 3]) -> Model {
    Model::new(3, move |_, _, _, k| k.copy_from_slice(&force))
        .constraint("plane", ConstraintKind::Contact, 3)
        .gaps(|_, q, gaps| gaps[0] = q[2])
        .rows(|_, _, _, g, _| {
            g[2] = 1.0;
            g[3] = 1.0;
            g[7] = 1.0;
        })
}

#[test]
fn a_dry_oscillator_turns_where_coulomb_says_and_stops_off_centre() {
    let model = slider(|_, x, _| -100.0 * x, 0.0).law(|_, _, _, _| Law::Coulomb { mu: 0.1 });
    let half = std::f64::consts::PI / 10.0;
    let mut motion = start(model, half / 8.0, 0.0, &[0.1, 0.0], &[0.0, 0.0]);
    let run = run(&mut motion, 60);
    let turning = [0.1, -0.08038, 0.06076, -0.04114, 0.02152, -0.0019];
    for (k, x) in turning.iter().enumerate() {
        // Half cycles last pi/omega whatever the friction; a turning point is flat in time.
        close(run.states[8 * k].q[0], *x, 1e-12);
    }
    let stick = run.instants(0, |k| *k == EventKind::Stick);
    assert_eq!(stick.len(), 1);
    close(stick[0], std::f64::consts::FRAC_PI_2, 1e-10);
    close(run.last().q[0], -0.0019, 1e-12);
    assert_eq!(run.last().v[0], 0.0);
    assert_eq!(run.last().status[0], Status::Stick);
    assert!(run.worst_energy < 1e-12 && run.missed == 0);
}

#[test]
fn a_block_on_a_belt_sticks_and_slips_with_the_period_of_the_closed_form() {
    let friction = StaticDynamic {
        mu_static: 0.4,
        mu_dynamic: 0.25,
    };
    let model = slider(|_, x, _| -40.0 * x, 0.2)
        .law(move |_, _, _, previous| Law::StaticDynamic { friction, previous });
    let mut motion = start(model, 0.01, 0.0, &[0.0, 0.0], &[0.2, 0.0]);
    let run = run(&mut motion, 600);
    let slip = run.instants(0, |k| *k == EventKind::Slip);
    let stick = run.instants(0, |k| *k == EventKind::Stick);
    // From x = 0 the belt carries the block to mu_s g/k.
    close(slip[0], 0.4 * G / 40.0 / 0.2, 1e-11);
    for k in 0..4 {
        close(slip[k + 1] - slip[k], 1.089140294439632, 1e-10);
        close(slip[k + 1] - stick[k], 0.367875, 1e-10);
    }
    let highest = run.states.iter().fold(0.0_f64, |m, s| m.max(s.q[0]));
    // Largest of samples 0.01 apart, at a smooth maximum: k A dt²/8 below the true one.
    assert!(highest <= 0.10982353128413166 + 1e-12 && highest > 0.1096);
}

#[test]
fn a_puck_across_a_slope_of_its_own_friction_loses_half_its_speed() {
    let alpha = 0.4_f64.atan();
    let force = [0.0, G * alpha.sin(), -G * alpha.cos()];
    let model = puck(force).law(|_, _, _, _| Law::Coulomb { mu: 0.4 });
    let mut motion = start(model, 0.05, 0.0, &[0.0; 3], &[1.0, 0.0, 0.0]);
    let run = run(&mut motion, 20);
    let expected = [
        0.18282725500114347,
        0.4485363127539392,
        0.0011287034357122287,
        0.4999993630143435,
    ];
    let end = run.last();
    for (found, expected) in [end.q[0], end.q[1], end.v[0], end.v[1]]
        .iter()
        .zip(expected)
    {
        close(*found, expected, 1e-11);
    }
    for state in &run.states {
        // |v| + v_down is kept.
        close(state.v[0].hypot(state.v[1]) + state.v[1], 1.0, 1e-11);
    }
}

#[test]
fn a_puck_that_stops_on_a_slope_does_so_in_a_spiral_and_then_holds() {
    // mu > tan: it stops. |v| and v_down obey d|v| = (tan·v_d/|v| − mu) g' dt, so that
    // T = (mu |v| + tan v_d)/(g' (mu² − tan²)) is the time left (its rate is −1).
    let (slope, mu) = (0.3, 0.5);
    let model = puck([0.0, G * slope, -G]).law(move |_, _, _, _| Law::Coulomb { mu });
    let mut motion = start(model, 0.05, 0.0, &[0.0; 3], &[1.0, -0.4, 0.0]);
    let run = run(&mut motion, 40);
    let speed = 1.0_f64.hypot(-0.4);
    let time = (mu * speed + slope * -0.4) / (G * (mu * mu - slope * slope));
    let stick = run.instants(0, |k| *k == EventKind::Stick);
    assert_eq!(stick.len(), 1);
    close(stick[0], time, 1e-9);
    assert_eq!(run.last().status[0], Status::Stick);
    close(run.last().v[0].hypot(run.last().v[1]), 0.0, 1e-15);
}

#[test]
fn friction_with_a_square_section_stops_each_axis_on_its_own() {
    let mu = 0.3;
    let square = [[mu, mu], [-mu, mu], [-mu, -mu], [mu, -mu]];
    let section = PolygonSection::new(&square).unwrap().into_law();
    let model = puck([0.0, 0.0, -G]).law(move |_, _, _, _| section.clone());
    let mut motion = start(model, 0.05, 0.0, &[0.0; 3], &[2.0, -1.0, 0.0]);
    let run = run(&mut motion, 20);
    let a = mu * G;
    // Axis 2 stops first, at 1/a; axis 1 at 2/a.
    close(run.last().q[0], 2.0 / a, 1e-11);
    close(run.last().q[1], -0.5 / a, 1e-11);
    let state = &run.states[10];
    close(state.v[0], 2.0 - a * 0.5, 1e-11);
    close(state.v[1], 0.0, 1e-14);
    let stick = run.instants(0, |k| *k == EventKind::Stick);
    close(*stick.last().unwrap(), 2.0 / a, 1e-10);
}

#[test]
fn friction_with_an_elliptic_section_keeps_its_invariant_and_comes_to_rest() {
    let (a, b) = (0.2_f64, 0.4_f64);
    let model = puck([0.0, 0.0, -G]).law(move |_, _, _, _| Law::CoulombElliptic { mu1: a, mu2: b });
    let mut motion = start(model, 0.02, 0.0, &[0.0; 3], &[1.0, 0.7, 0.0]);
    let run = run(&mut motion, 40);
    // dv1/dv2 = (a² v1)/(b² v2): v1^(b²)/v2^(a²) is kept while it moves.
    let invariant = |v: &[f64]| v[0].powf(b * b) / v[1].powf(a * a);
    for state in &run.states {
        if state.status[0] == Status::Slip && state.v[1] > 1e-6 {
            close(invariant(&state.v), invariant(&[1.0, 0.7]), 1e-10);
        }
    }
    assert_eq!(run.last().status[0], Status::Stick);
}

#[test]
fn asymmetric_friction_brakes_each_sense_by_its_own_coefficient() {
    for (v, mu) in [(1.0, 0.2), (-1.0, 0.5)] {
        let model = slider(|_, _, _| 0.0, 0.0).law(|_, _, _, _| Law::CoulombAsymmetric {
            plus: 0.5,
            minus: 0.2,
        });
        let mut motion = start(model, 0.1, 0.0, &[0.0, 0.0], &[v, 0.0]);
        let run = run(&mut motion, 10);
        close(run.last().q[0], v / (2.0 * mu * G), 1e-12);
        close(
            run.instants(0, |k| *k == EventKind::Stick)[0],
            1.0 / (mu * G),
            1e-11,
        );
    }
}

#[test]
fn a_disc_slides_and_then_rolls_at_the_instant_of_the_closed_form() {
    // (x, z, phi), radius 1, I = 1/2: U_t = x' − phi'.
    let model = Model::new(3, |_, _, _, k| k.copy_from_slice(&[0.0, -G, 0.0]))
        .dynamics(|_, _, _, mass, k| {
            mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5]);
            k.copy_from_slice(&[0.0, -G, 0.0]);
        })
        .constraint("floor", ConstraintKind::Contact, 2)
        .gaps(|_, q, gaps| gaps[0] = q[1] - 1.0)
        .rows(|_, _, _, g, _| g.copy_from_slice(&[0.0, 1.0, 0.0, 1.0, 0.0, -1.0]))
        .law(|_, _, _, _| Law::Coulomb { mu: 0.2 });
    let mut motion = start(model, 0.05, 0.0, &[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0]);
    let run = run(&mut motion, 10);
    let roll = run.instants(0, |k| *k == EventKind::Stick);
    close(roll[0], 0.16989466530750932, 1e-12);
    close(run.last().v[0], 2.0 / 3.0, 1e-12);
    close(run.last().v[2], 2.0 / 3.0, 1e-12);
}

/// First two rows of the rotation matrix of a quaternion.
fn turned(q: &[f64]) -> [[f64; 3]; 2] {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    [
        [
            w * w + x * x - y * y - z * z,
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            w * w - x * x + y * y - z * z,
            2.0 * (y * z - w * x),
        ],
    ]
}

/// A sphere of unit mass on the floor; its spin is in body axes, so U needs the rotation matrix.
fn sphere(radius: f64, mu: f64) -> Model {
    let mut chart = vec![Coordinate::Length; 3];
    chart.push(Coordinate::Orientation);
    let inertia = 0.4 * radius * radius;
    Model::new(6, |_, _, _, _| {})
        .chart(ConfigurationSpace::new(chart))
        .dynamics(move |_, _, _, mass, k| {
            mass.fill(0.0);
            k.fill(0.0);
            for i in 0..6 {
                mass[i * 7] = if i < 3 { 1.0 } else { inertia };
            }
            k[2] = -G;
        })
        .constraint("floor", ConstraintKind::Contact, 3)
        .gaps(move |_, q, gaps| gaps[0] = q[2] - radius)
        .rows(move |_, _, q, g, _| {
            let turn = turned(&q[3..]);
            g[2] = 1.0;
            g[6] = 1.0;
            g[13] = 1.0;
            for i in 0..3 {
                // v + spin x (−R e_z): (v_x − R spin_y, v_y + R spin_x).
                g[9 + i] = -radius * turn[1][i];
                g[15 + i] = radius * turn[0][i];
            }
        })
        .law(move |_, _, _, _| Law::Coulomb { mu })
}

#[test]
fn a_spinning_sphere_in_space_rolls_off_in_its_own_direction() {
    let q = [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0];
    let v = [2.0, 0.0, 0.0, 5.0, 3.0, 0.0];
    let mut motion = start(sphere(0.1, 0.3), 0.05, 0.0, &q, &v);
    let run = run(&mut motion, 8);
    let roll = run.instants(0, |k| *k == EventKind::Stick);
    close(roll[0], 0.1720309222529911, 1e-10);
    let end = run.last();
    close(end.v[0], 1.5142857142857142, 1e-10);
    close(end.v[1], -0.14285714285714285, 1e-10);
    // From the oracle's place at the beginning of rolling on, straight.
    let left = 0.4 - 0.1720309222529911;
    close(
        end.q[0],
        0.3022829062445415 + left * 1.5142857142857142,
        1e-10,
    );
    close(
        end.q[1],
        -0.012287923018070792 - left * 0.14285714285714285,
        1e-10,
    );
}

#[test]
fn rolling_resistance_brakes_a_rolling_ball_as_the_closed_form() {
    // (x, z, phi), solid sphere of radius 0.1: decel = (5/7) g mu_roll/R, to rest.
    let (radius, bound) = (0.1, 0.02);
    let model = Model::new(3, |_, _, _, _| {})
        .dynamics(move |_, _, _, mass, k| {
            let inertia = 0.4 * radius * radius;
            mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia]);
            k.copy_from_slice(&[0.0, -G, 0.0]);
        })
        .constraint("floor", ConstraintKind::Contact, 3)
        .gaps(move |_, q, gaps| gaps[0] = q[1] - radius)
        .rows(move |_, _, _, g, _| {
            g.copy_from_slice(&[0.0, 1.0, 0.0, 1.0, 0.0, -radius, 0.0, 0.0, 1.0]);
        })
        .law(move |_, _, _, _| Law::RollingPlane {
            mu: 0.5,
            mu_roll: bound,
        });
    let mut motion = start(model, 0.1, 0.0, &[0.0, radius, 0.0], &[1.0, 0.0, 10.0]);
    let run = run(&mut motion, 10);
    let braking = 5.0 / 7.0 * G * bound / radius;
    close(run.states[5].v[0], 1.0 - 0.5 * braking, 1e-12);
    close(
        run.instants(0, |k| *k == EventKind::Stick)[0],
        1.0 / braking,
        1e-11,
    );
    close(run.last().q[0], 0.5 / braking, 1e-12);
    assert_eq!(run.last().status[0], Status::Stick);
}
