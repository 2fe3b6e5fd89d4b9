//! The scheme `projected`: persistent contacts at position and velocity level.

use crate::common::{Model, ball, close, start};
use crate::native::state;
use crate::persistent_systems::spinning;
use percuss_contact::Law;
use percuss_mechanism::{
    ConstraintKind, EventKind, ImpactLaw, Integrator, MechanismError, Scheme, Settings, TimeStepper,
};

/// A stepper of `model` from a state.
pub fn stepper(
    model: Model,
    scheme: Scheme,
    step: f64,
    q: &[f64],
    v: &[f64],
) -> TimeStepper<Model> {
    let settings = Settings {
        scheme,
        step,
        ..Settings::default()
    };
    TimeStepper::new(model, settings, state(q, v)).unwrap()
}

/// Advances to time `until`; every step has to meet its tolerance and to gain no energy through contacts.
fn advance(motion: &mut TimeStepper<Model>, h: f64, until: f64) {
    for _ in 0..(until / h).round() as usize {
        motion.advance().unwrap();
        let report = motion.step_report();
        assert!(
            report.reached,
            "t = {}: residual {:e}",
            report.t, report.residual
        );
        assert!(
            report.excess <= 1e-9,
            "t = {}: gain {:e}",
            report.t,
            report.excess
        );
        // The momentum balance holds with the impulses of both solves.
        assert!(
            report.momentum <= 1e-9,
            "t = {}: {:e}",
            report.t,
            report.momentum
        );
        assert!(
            report.energy <= 1e-9,
            "t = {}: {:e}",
            report.t,
            report.energy
        );
    }
}

/// A bead inside the unit circle under gravity `g` with friction `mu` and restitution `e`.
fn bead(g: f64, mu: f64, e: f64) -> Model {
    Model::new(2, move |_, _, _, k| {
        k[0] = 0.0;
        k[1] = -g;
    })
    .constraint("circle", ConstraintKind::Contact, 2)
    .potential(move |_, q| g * q[1])
    .gaps(|_, q, gaps| gaps[0] = 1.0 - q[0].hypot(q[1]))
    .rows(|_, _, q, rows, _| {
        let r = q[0].hypot(q[1]);
        rows.copy_from_slice(&[-q[0] / r, -q[1] / r, -q[1] / r, q[0] / r]);
    })
    .law(move |_, _, _, _| Law::Coulomb { mu })
    .restitution(move |_| e)
}

/// Observed order of errors at halved steps.
fn order(errors: &[f64]) -> f64 {
    (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64
}

/// The midpoint scheme loses the normal part of the velocity that the curvature makes in every step: the speed falls from
/// 2 to 1.155 and the bead sinks 0.73 radii. Without gravity the scheme `projected` keeps both to rounding.
#[test]
fn bead_in_a_circle_keeps_its_speed_and_stays_on_it() {
    let h = 0.01;
    let mut motion = stepper(
        bead(0.0, 0.0, 0.0),
        Scheme::Projected,
        h,
        &[1.0, 0.0],
        &[0.0, 2.0],
    );
    advance(&mut motion, h, 100.0);
    let state = motion.state();
    // 10⁴ steps of rounding.
    close(state.v[0].hypot(state.v[1]), 2.0, 1e-10);
    close(state.q[0].hypot(state.q[1]), 1.0, 1e-12);
    assert!(motion.step_report().lasting.abs() < 1e-12);
}

/// v̇ = −μ v² on the circle: v = v₀ / (1 + μ v₀ t).
#[test]
fn friction_on_a_circle_is_of_second_order() {
    let errors: Vec<f64> = [0.02, 0.01, 0.005, 0.0025]
        .map(|h| {
            let model = bead(0.0, 0.1, 0.0);
            let mut motion = stepper(model, Scheme::Projected, h, &[1.0, 0.0], &[0.0, 2.0]);
            advance(&mut motion, h, 5.0);
            let v = &motion.state().v;
            (v[0].hypot(v[1]) - 1.0).abs()
        })
        .to_vec();
    close(order(&errors), 2.0, 0.1);
    assert!(errors[3] < 2e-6, "{errors:?}");
}

/// A bead that climbs the circle with v₀² = 3.5 g R leaves it at height R/2 (v² = g y); then it flies, and its energy stays.
#[test]
fn bead_leaves_a_loop_where_the_normal_force_vanishes() {
    let heights = [0.004, 0.002, 0.001].map(|h| {
        let model = bead(1.0, 0.0, 0.0);
        let start = 3.5_f64.sqrt();
        let mut motion = stepper(model, Scheme::Projected, h, &[0.0, -1.0], &[start, 0.0]);
        let mut height = f64::NAN;
        while height.is_nan() {
            motion.advance().unwrap();
            if motion.state().impulse[0] == 0.0 {
                height = motion.state().q[1];
            }
        }
        let report = motion.step_report();
        // Smooth error of the step, of order h².
        close(report.kinetic + report.potential, 0.75, 2.0 * h * h);
        height
    });
    // The instant is known to within a step: v h = 0.7 h.
    for (h, height) in [0.004, 0.002, 0.001].iter().zip(heights) {
        close(height, 0.5, h * 1.0);
    }
}

/// Energy over 10⁵ steps of full loops under gravity: error 1e-3 at h = 0.01 at most, without growth beyond that.
#[test]
fn energy_over_long_times() {
    let h = 0.01;
    let mut motion = stepper(
        bead(1.0, 0.0, 0.0),
        Scheme::Projected,
        h,
        &[0.0, -1.0],
        &[2.5, 0.0],
    );
    let mut worst = 0.0_f64;
    for _ in 0..100_000 {
        motion.advance().unwrap();
        let report = motion.step_report();
        worst = worst.max((report.kinetic + report.potential - 2.125).abs());
    }
    // h² times a length scale of the motion of 10.
    assert!(worst < 1e-3, "{worst:e}");
}

/// A thin disc that rolls on its rim (Euler's disc): the contact point is where the rim is lowest.
fn disc() -> Model {
    let r = 0.1_f64;
    let inertia = [0.25 * r * r, 0.25 * r * r, 0.5 * r * r];
    let lowest = move |m: &[[f64; 3]; 3]| {
        let n = m[2][0].hypot(m[2][1]);
        [-r * m[2][0] / n, -r * m[2][1] / n, 0.0]
    };
    spinning(inertia, 0.8, lowest).potential(|_, q| 9.81 * q[2])
}

pub fn rotation(q: &[f64]) -> [[f64; 3]; 3] {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

/// Rolling without slip keeps the energy. Near the steady precession Ω² = 4g/(R sin θ): order 2, and at h = 1 ms at most
/// 0.1 % in a second, where the midpoint scheme loses 14 %.
#[test]
fn eulers_disc_keeps_its_energy() {
    let tilt = 0.6_f64;
    let precession = (4.0 * 9.81 / (0.1 * tilt.sin())).sqrt();
    // Angular velocity along the radius to the contact point, 2 % faster than steady, and a slow spin.
    let spin = [0.0, 1.02 * precession * tilt.sin(), 0.3];
    let q = [
        0.0,
        0.0,
        0.1 * tilt.sin(),
        (0.5 * tilt).cos(),
        (0.5 * tilt).sin(),
        0.0,
        0.0,
    ];
    // No slip: v = −R (ω × p), p = (0, −r, 0) in the body.
    let m = rotation(&q[3..7]);
    let p = [0.0, -0.1, 0.0];
    let cross = [
        spin[1] * p[2] - spin[2] * p[1],
        spin[2] * p[0] - spin[0] * p[2],
        spin[0] * p[1] - spin[1] * p[0],
    ];
    let v: Vec<f64> = (0..3)
        .map(|i| -(0..3).map(|j| m[i][j] * cross[j]).sum::<f64>())
        .chain(spin)
        .collect();
    let error = |scheme, h: f64| {
        let mut motion = stepper(disc(), scheme, h, &q, &v);
        let begin = motion.step_report().kinetic + motion.step_report().potential;
        for _ in 0..(1.0 / h).round() as usize {
            motion.advance().unwrap();
        }
        let report = motion.step_report();
        assert!(report.penetration < 1e-12);
        ((report.kinetic + report.potential - begin) / begin).abs()
    };
    let errors = [2e-3, 1e-3, 5e-4].map(|h| error(Scheme::Projected, h));
    assert!(errors[1] < 1e-3, "{errors:?}");
    // Order 2 or better: the two largest errors partly cancel.
    assert!(order(&errors) > 1.8, "{errors:?}");
}

/// With restitution the contact rebounds, at most a step early or late; when the bounces are shorter than a step the ball
/// rests on the floor. It is never below it.
#[test]
fn bouncing_ball_comes_to_rest_on_the_floor() {
    let h = 1e-3;
    let mut projected = stepper(ball(10.0, 0.5), Scheme::Projected, h, &[1.0], &[0.0]);
    let mut event = start(ball(10.0, 0.5), 0.1, 0.0, &[1.0], &[0.0]);
    for _ in 0..600 {
        projected.advance().unwrap();
        assert!(projected.step_report().penetration < 1e-15);
    }
    for _ in 0..6 {
        event.advance().unwrap();
    }
    // The impact is known to within a step: v h.
    close(projected.state().q[0], event.state().q[0], 5.0 * h);
    // All bounces end at t = sqrt(2/g)(1 + e)/(1 − e) = 1.34.
    for _ in 600..2000 {
        projected.advance().unwrap();
        let gain = projected.step_report().excess;
        assert!(gain <= 1e-12, "{gain:e}");
        assert!(projected.step_report().penetration < 1e-15);
    }
    assert!(projected.state().q[0].abs() < 1e-15);
    assert_eq!(projected.state().v[0], 0.0);
}

/// An inelastic impact ends on the surface, in the step in which it happens.
#[test]
fn inelastic_impact_ends_on_the_surface() {
    let h = 0.01;
    let mut motion = stepper(ball(10.0, 0.0), Scheme::Projected, h, &[1.0], &[0.0]);
    let mut impacts = 0;
    for _ in 0..100 {
        motion.advance().unwrap();
        impacts += motion
            .events()
            .iter()
            .filter(|e| matches!(e.kind, EventKind::Impact { .. }))
            .count();
        assert!(motion.step_report().penetration < 1e-14);
    }
    assert_eq!(impacts, 1);
}

/// A checkpoint taken while a contact persists continues to the same bits.
#[test]
fn checkpoint_continues_to_the_same_bits() {
    let h = 0.01;
    let mut whole = stepper(
        bead(1.0, 0.2, 0.0),
        Scheme::Projected,
        h,
        &[0.0, -1.0],
        &[2.5, 0.0],
    );
    let mut other = stepper(
        bead(1.0, 0.2, 0.0),
        Scheme::Projected,
        h,
        &[0.0, -1.0],
        &[2.5, 0.0],
    );
    advance(&mut whole, h, 0.3);
    other.restore(whole.save().unwrap()).unwrap();
    for _ in 0..200 {
        whole.advance().unwrap();
        other.advance().unwrap();
        assert_eq!(whole.state(), other.state());
    }
}

/// Sequential and Poisson's law act on the velocity before a step, in which a persistent contact on a curved surface
/// approaches: refused.
#[test]
fn impact_laws_before_the_step_are_refused() {
    let settings = Settings {
        scheme: Scheme::Projected,
        impact: ImpactLaw::Poisson,
        ..Settings::default()
    };
    let found = TimeStepper::new(ball(10.0, 0.5), settings, state(&[1.0], &[0.0]));
    assert_eq!(
        found.err(),
        Some(MechanismError::SchemeWithImpactLaw { law: "Poisson" })
    );
}
