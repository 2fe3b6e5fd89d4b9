//! The event-driven integrator with joints, nonholonomic constraints, non-firm constraints and several contacts,
//! against closed forms.

use crate::common::{Model, close, run, start};
use percuss_contact::Law;
use percuss_contact::law::{NonFirmSet, Status};
use percuss_mechanism::{
    ConstraintKind, EventDriven, EventKind, Integrator, MechanismError, Scheme, Settings, State,
};

const G: f64 = 9.81;

/// A point (x, y) on the circle x² + y² = 1, with friction along it if `mu` is given.
fn circle(gravity: f64, mu: Option<f64>) -> Model {
    let (kind, rows) = match mu {
        Some(_) => (ConstraintKind::FrictionJoint { normal_rows: 1 }, 2),
        None => (ConstraintKind::Joint, 1),
    };
    Model::new(2, move |_, _, _, k| k.copy_from_slice(&[0.0, -gravity]))
        .constraint("rod", kind, rows)
        .potential(move |_, q| gravity * q[1])
        .gaps(|_, q, gaps| gaps[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0))
        .rows(move |_, _, q, g, _| {
            g[..2].copy_from_slice(q);
            if rows == 2 {
                g[2..].copy_from_slice(&[-q[1], q[0]]);
            }
        })
        .bias(move |_, _, _, v, b| {
            b[0] = v[0] * v[0] + v[1] * v[1];
            if rows == 2 {
                b[1] = 0.0;
            }
        })
        .law(move |_, _, _, _| Law::BilateralFriction {
            normal_rows: 1,
            mu: mu.unwrap_or(0.0),
        })
}

#[test]
fn a_pendulum_of_a_point_mass_and_a_joint_returns_after_its_period() {
    let period = 2.3678419475762373;
    let mut motion = start(
        circle(G, None),
        period / 50.0,
        0.0,
        &[1.0, 0.0],
        &[0.0, 0.0],
    );
    let run = run(&mut motion, 500);
    for k in 1..=10 {
        let state = &run.states[50 * k];
        // At the turning point the velocity is −g times the error in time.
        close(state.v[1], 0.0, 1e-10);
        close(state.q[0], 1.0, 1e-12);
    }
    assert!(run.worst_drift < 1e-13, "{:e}", run.worst_drift);
    assert!(run.worst_energy < 1e-12, "{:e}", run.worst_energy);
    assert!(run.worst_residual < 1e-12 && run.missed == 0);
}

#[test]
fn friction_in_a_circular_guide_slows_a_bead_with_the_angle() {
    // No force: v' = −mu v², so v = v0/(1 + mu v0 t) = v0 exp(−mu phi).
    let (mu, v0) = (0.3, 2.0);
    let mut motion = start(circle(0.0, Some(mu)), 0.1, 0.0, &[1.0, 0.0], &[0.0, v0]);
    let run = run(&mut motion, 30);
    for state in &run.states {
        let v = v0 / (1.0 + mu * v0 * state.t);
        close(state.v[0].hypot(state.v[1]), v, 1e-11);
        let phi = (1.0 + mu * v0 * state.t).ln() / mu;
        close(state.q[0], phi.cos(), 1e-11);
    }
}

#[test]
fn a_bead_with_friction_stops_where_its_threshold_holds_it() {
    // Released at 30 degrees from the lowest point with mu = 1: tan 30 < 1 holds it.
    let (s, c) = std::f64::consts::FRAC_PI_6.sin_cos();
    let mut motion = start(circle(G, Some(1.0)), 0.1, 0.0, &[s, -c], &[0.0, 0.0]);
    let held = run(&mut motion, 5);
    assert_eq!(held.last().status[0], Status::Stick);
    close(held.last().q[0], s, 1e-14);
    // With mu = 0.2 it slides, swings, and ends within the cone of friction.
    let mut motion = start(circle(G, Some(0.2)), 0.1, 0.0, &[s, -c], &[0.0, 0.0]);
    let slid = run(&mut motion, 60);
    assert_eq!(slid.last().status[0], Status::Stick);
    assert!((slid.last().q[0] / slid.last().q[1]).abs() <= 0.2 + 1e-9);
    assert!(slid.worst_energy < 1e-11, "{:e}", slid.worst_energy);
}

#[test]
fn the_sleigh_of_chaplygin_turns_as_its_closed_form() {
    let (a, inertia) = (0.3, 0.2);
    let model = Model::new(3, |_, _, _, _| {})
        .dynamics(move |_, q, v, mass, k| {
            let (s, c) = q[2].sin_cos();
            mass.copy_from_slice(&[
                1.0,
                0.0,
                -a * s,
                0.0,
                1.0,
                a * c,
                -a * s,
                a * c,
                inertia + a * a,
            ]);
            k.copy_from_slice(&[a * c * v[2] * v[2], a * s * v[2] * v[2], 0.0]);
        })
        .constraint("blade", ConstraintKind::Nonholonomic, 1)
        .rows(|_, _, q, g, _| {
            let (s, c) = q[2].sin_cos();
            g.copy_from_slice(&[-s, c, 0.0]);
        })
        .bias(|_, _, q, v, b| {
            let (s, c) = q[2].sin_cos();
            b[0] = -(c * v[0] + s * v[1]) * v[2];
        });
    let mut motion = start(model, 0.1, 0.0, &[0.0; 3], &[0.1, 0.0, 2.0]);
    let run = run(&mut motion, 50);
    let end = run.last();
    close(end.q[0], -2.8702412162716566, 1e-9);
    close(end.q[1], 3.1479732804789404, 1e-9);
    close(end.q[2], 2.6413124981765805, 1e-10);
    close(end.v[2], 0.0136098569658149, 1e-11);
    let (s, c) = end.q[2].sin_cos();
    close(c * end.v[0] + s * end.v[1], 1.0816405520412395, 1e-10);
    // Nothing does work: A depends on q, and the balance must see it.
    assert!(run.worst_energy < 1e-11, "{:e}", run.worst_energy);
}

#[test]
fn a_smooth_ladder_leaves_the_wall_and_falls_flat_as_the_closed_form() {
    // Rod of length 2, unit mass; centre (x, y), angle from the vertical.
    let model = Model::new(3, |_, _, _, _| {})
        .dynamics(|_, _, _, mass, k| {
            mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0]);
            k.copy_from_slice(&[0.0, -G, 0.0]);
        })
        .potential(|_, q| G * q[1])
        .constraint("wall", ConstraintKind::Contact, 1)
        .constraint("floor", ConstraintKind::Contact, 1)
        .constraint("top", ConstraintKind::Contact, 1)
        .gaps(|_, q, gaps| {
            let (s, c) = q[2].sin_cos();
            gaps.copy_from_slice(&[q[0] - s, q[1] - c, q[1] + c]);
        })
        .rows(|i, _, q, g, _| {
            let (s, c) = q[2].sin_cos();
            let rows = [[1.0, 0.0, -c], [0.0, 1.0, s], [0.0, 1.0, -s]];
            g.copy_from_slice(&rows[i]);
        })
        .bias(|i, _, q, v, b| {
            let (s, c) = q[2].sin_cos();
            b[0] = [s, c, -c][i] * v[2] * v[2];
        });
    let angle = std::f64::consts::FRAC_PI_6;
    let q = [angle.sin(), angle.cos(), angle];
    let mut motion = start(model, 0.01, 0.0, &q, &[0.0; 3]);
    let run = run(&mut motion, 69);
    let leave = run.instants(0, |k| *k == EventKind::Detach);
    close(leave[0], 0.45966282637733, 1e-11);
    let hit = run.events.iter().find(|e| e.constraint == 2).unwrap();
    close(hit.t, 0.6861395157329032, 1e-11);
    close(run.states[60].v[0], 1.1899376181914578, 1e-11);
    assert!(run.worst_penetration < 1e-14 && run.worst_energy < 1e-11);
    assert!(run.missed == 0);
}

#[test]
fn a_rocking_block_hits_at_the_instants_of_the_exact_solution() {
    let (b, h) = (0.15_f64, 0.6_f64);
    let model = Model::new(3, |_, _, _, _| {})
        .dynamics(move |_, _, _, mass, k| {
            let inertia = (b * b + h * h) / 3.0;
            mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia]);
            k.copy_from_slice(&[0.0, -G, 0.0]);
        })
        .constraint("left", ConstraintKind::Contact, 2)
        .constraint("right", ConstraintKind::Contact, 2)
        .gaps(move |_, q, gaps| {
            let (s, c) = q[2].sin_cos();
            gaps.copy_from_slice(&[q[1] - b * s - h * c, q[1] + b * s - h * c]);
        })
        .rows(move |i, _, q, g, _| {
            let (s, c) = q[2].sin_cos();
            let side = if i == 0 { -b } else { b };
            g.copy_from_slice(&[0.0, 1.0, side * c + h * s, 1.0, 0.0, -side * s + h * c]);
        })
        .bias(move |i, _, q, v, bias| {
            let (s, c) = q[2].sin_cos();
            let side = if i == 0 { -b } else { b };
            let square = v[2] * v[2];
            bias.copy_from_slice(&[(-side * s + h * c) * square, (-side * c - h * s) * square]);
        })
        .law(|_, _, _, _| Law::Coulomb { mu: 0.6 });
    let angle = 0.12248933156343207_f64;
    let (s, c) = angle.sin_cos();
    let q = [-b + b * c - h * s, b * s + h * c, angle];
    let mut motion = start(model, 0.01, 0.0, &q, &[0.0; 3]);
    let run = run(&mut motion, 1000);
    let mut hits = run.impacts(0);
    hits.extend(run.impacts(1));
    hits.sort_by(f64::total_cmp);
    let exact = [
        0.3824983256607923,
        1.0050161240731332,
        1.5332296223932596,
        1.9912717962177329,
        2.393774061148096,
        2.7506229785151843,
    ];
    for (found, exact) in hits.iter().zip(exact) {
        close(*found, exact, 1e-9);
    }
    assert!(hits.len() > 20, "{}", hits.len());
    // Impacts accumulate, and the block ends upright and still.
    let end = run.instants(0, |k| *k == EventKind::Accumulation);
    assert_eq!(end.len(), 1);
    close(run.last().q[2], 0.0, 1e-10);
    close(run.last().v[2], 0.0, 1e-12);
    assert!(run.worst_penetration < 1e-13, "{:e}", run.worst_penetration);
}

#[test]
fn a_freewheel_engages_where_the_speeds_meet() {
    let (i1, i2, torque) = (2.0, 3.0, 0.5);
    let model = Model::new(2, |_, _, _, _| {})
        .dynamics(move |_, _, _, mass, k| {
            mass.copy_from_slice(&[i1, 0.0, 0.0, i2]);
            k.copy_from_slice(&[torque, 0.0]);
        })
        .constraint("wheel", ConstraintKind::NonFirm, 1)
        .rows(|_, _, _, g, _| g.copy_from_slice(&[1.0, -1.0]))
        .law(|_, _, _, _| NonFirmSet::half_line_negative().into_law());
    let mut motion = start(model, 0.5, 0.0, &[0.0; 2], &[-1.0, 0.0]);
    let run = run(&mut motion, 20);
    let engage = run.instants(0, |k| *k == EventKind::Stick);
    close(engage[0], i1 / torque, 1e-12);
    let left = 10.0 - i1 / torque;
    close(run.last().v[0], torque / (i1 + i2) * left, 1e-12);
    close(run.last().v[1], torque / (i1 + i2) * left, 1e-12);
}

#[test]
fn a_threshold_of_given_force_holds_brakes_and_releases() {
    // x'' = sin t + r, |r| <= 1/2: starts at asin(1/2); it stops where the area is used up.
    let set = NonFirmSet::ball(1, 0.5).unwrap().into_law();
    let model = Model::new(1, |t, _, _, k| k[0] = t.sin())
        .constraint("brake", ConstraintKind::NonFirm, 1)
        .rows(|_, _, _, g, _| g[0] = 1.0)
        .law(move |_, _, _, _| set.clone());
    let mut motion = start(model, 0.1, 0.0, &[0.0], &[0.0]);
    let run = run(&mut motion, 40);
    let slip = run.instants(0, |k| *k == EventKind::Slip);
    let t0 = 0.5_f64.asin();
    close(slip[0], t0, 1e-11);
    // v = cos t0 − cos t − (t − t0)/2, at t = 2.
    close(
        run.states[20].v[0],
        t0.cos() - 2.0_f64.cos() - 0.5 * (2.0 - t0),
        1e-11,
    );
}

#[test]
fn a_table_on_four_legs_rests_although_its_reactions_are_undetermined() {
    // Height and two tilts, four unilateral legs: three equations for four reactions.
    let legs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let mut model = Model::new(3, |_, _, _, k| k.copy_from_slice(&[-G, 0.3 * G, 0.2 * G]));
    for name in ["a", "b", "c", "d"] {
        model = model.constraint(name, ConstraintKind::Contact, 1);
    }
    let model = model
        .gaps(move |_, q, gaps| {
            for (gap, leg) in gaps.iter_mut().zip(legs) {
                *gap = q[0] + leg[0] * q[1] + leg[1] * q[2];
            }
        })
        .rows(move |i, _, _, g, _| g.copy_from_slice(&[1.0, legs[i][0], legs[i][1]]));
    let mut motion = start(model, 0.1, 0.0, &[0.0; 3], &[0.0; 3]);
    let run = run(&mut motion, 5);
    let end = run.last();
    (0..3).for_each(|i| close(end.q[i], 0.0, 1e-13));
    // The sum of the reactions and their moments are determined.
    let sum: f64 = end.impulse.iter().sum();
    close(sum, 0.1 * G, 1e-12);
    end.impulse.iter().for_each(|s| assert!(*s >= -1e-14));
}

#[test]
fn contradictory_joints_are_named() {
    // Two joints ask for different accelerations of the same coordinate.
    let model = Model::new(1, |_, _, _, k| k[0] = 0.0)
        .constraint("slow", ConstraintKind::Joint, 1)
        .constraint("fast", ConstraintKind::Joint, 1)
        .gaps(|t, q, gaps| {
            gaps[0] = q[0];
            gaps[1] = q[0] - t * t;
        })
        .rows(|i, t, _, g, w| {
            g[0] = 1.0;
            w[0] = if i == 0 { 0.0 } else { -2.0 * t };
        })
        .bias(|i, _, _, _, b| b[0] = if i == 0 { 0.0 } else { -2.0 });
    let settings = Settings {
        scheme: Scheme::Event,
        ..Settings::default()
    };
    let initial = State {
        t: 0.0,
        q: vec![0.0],
        v: vec![0.0],
        impulse: Vec::new(),
        status: Vec::new(),
    };
    match EventDriven::new(model, settings, initial) {
        Err(MechanismError::Dependent { names, .. }) => {
            assert!(
                names.contains("`slow`") && names.contains("`fast`"),
                "{names}"
            );
        }
        Err(other) => panic!("{other}"),
        Ok(mut motion) => panic!("{:?}", motion.advance()),
    }
}
