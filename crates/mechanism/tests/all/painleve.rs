//! Sliding without collision: γ, the outcomes, and what the schemes do (P15, M88 §14).

use crate::common::Model;
use crate::native::{Rod, state};
use percuss_contact::Law;
use percuss_mechanism::painleve::{Outcomes, analyse_sliding_contact, gamma};
use percuss_mechanism::{
    ConstraintKind, EventDriven, EventKind, Integrator, Scheme, Settings, State, StateRef,
    TimeStepper,
};

const ANGLE: f64 = std::f64::consts::FRAC_PI_3;

fn on_floor() -> [f64; 3] {
    [0.0, Rod::HALF * ANGLE.sin(), ANGLE]
}

#[test]
fn gamma_changes_sign_at_the_friction_of_the_closed_form() {
    // μ_P = (κ + cos²)/(sin cos), κ = 1/3 for a uniform rod.
    let (s, c) = ANGLE.sin_cos();
    let threshold = (1.0 / 3.0 + c * c) / (s * c);
    assert!((threshold - 1.347_150_628_109_126_8).abs() < 1e-14);
    let q = on_floor();
    for (mu, sign) in [(threshold - 1e-9, 1.0), (threshold + 1e-9, -1.0)] {
        let at = StateRef {
            t: 0.0,
            q: &q,
            v: &[-1.0, 0.0, 0.0],
        };
        let found = gamma(&mut Rod::new(mu, 9.81), 0, at).unwrap();
        assert!(found * sign > 0.0, "{found:e} at μ = {mu}");
    }
}

#[test]
fn beyond_the_threshold_the_rod_may_stop_or_slide_on() {
    let q = on_floor();
    let at = StateRef {
        t: 0.0,
        q: &q,
        v: &[-1.0, 0.0, 0.0],
    };
    let found = analyse_sliding_contact(&mut Rod::new(1.6, 9.81), 0, at, Scheme::Midpoint).unwrap();
    let Outcomes::Two { jump } = found.outcomes else {
        panic!("two outcomes expected, γ = {:e}", found.gamma);
    };
    // Tip at rest: v⁺ by hand from two impulse equations. The approach that selects the jump is
    // 1e-9 of the sliding velocity.
    let expected = [-0.5625, 0.324_759_526_419_164_5, 1.299_038_105_676_657_8];
    for (a, b) in jump.iter().zip(expected) {
        assert!((a - b).abs() < 1e-8, "{jump:?}");
    }
    // One direction of friction: the least energy is Coulomb's law.
    let least = analyse_sliding_contact(&mut Rod::new(1.6, 9.81), 0, at, Scheme::Paoli).unwrap();
    let Outcomes::Two { jump } = least.outcomes else {
        panic!("two outcomes expected, γ = {:e}", least.gamma);
    };
    assert!(
        jump.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8),
        "{jump:?}"
    );
    let below = analyse_sliding_contact(&mut Rod::new(1.0, 9.81), 0, at, Scheme::Midpoint).unwrap();
    assert_eq!(below.outcomes, Outcomes::One);
}

#[test]
fn a_step_jumps_without_a_collision_and_says_so() {
    for (h, tolerance) in [(1e-2, 0.1), (1e-3, 0.01), (1e-4, 0.001)] {
        let settings = Settings {
            step: h,
            ..Settings::default()
        };
        let start = state(&on_floor(), &[-1.0, 0.0, 0.0]);
        let mut motion = TimeStepper::new(Rod::new(1.6, 9.81), settings, start).unwrap();
        motion.advance().unwrap();
        let touches = motion.constraint_reports();
        // The jump's impulse (normal, tangential), to first order in h.
        let (n, t) = (touches[0].impulse[0], touches[0].impulse[1]);
        assert!((n - 0.324_759_526_419_164_5).abs() < tolerance, "{n}");
        assert!((t - 0.4375).abs() < tolerance, "{t}");
    }
}

#[test]
fn the_ledger_reports_gamma_where_sliding_is_singular_and_only_there() {
    for (mu, singular) in [(1.0, false), (1.6, true)] {
        let start = state(&on_floor(), &[-1.0, 0.0, 0.0]);
        let settings = Settings {
            step: 1e-4,
            ..Settings::default()
        };
        let mut motion = TimeStepper::new(Rod::new(mu, 9.81), settings, start).unwrap();
        motion.advance().unwrap();
        let reported = motion.events().iter().find_map(|e| match e.kind {
            EventKind::Painleve { gamma } => Some(gamma),
            _ => None,
        });
        assert_eq!(reported.is_some(), singular);
        assert_eq!(motion.step_report().gamma <= 0.0, singular);
        // γ = 1 + cos²/κ − μ sin cos/κ, evaluated half a step on.
        let (s, c) = ANGLE.sin_cos();
        let exact = 1.0 + 3.0 * c * c - 3.0 * mu * s * c;
        assert!((motion.step_report().gamma - exact).abs() < 1e-12);
    }
}

/// The rod in space: position, angle to the floor, direction; the lower end slides on z = 0.
fn rod_in_space(mu: f64) -> Model {
    let (l, inertia) = (Rod::HALF, Rod::HALF * Rod::HALF / 3.0);
    Model::new(5, |_, _, _, _| {})
        .dynamics(move |_, q, v, mass, k| {
            let (s, c) = q[3].sin_cos();
            mass.fill(0.0);
            for (i, m) in [1.0, 1.0, 1.0, inertia, inertia * c * c].iter().enumerate() {
                mass[6 * i] = *m;
            }
            // Lagrange's terms of ½ I (θ'² + cos²θ φ'²), and the weight.
            k.copy_from_slice(&[
                0.0,
                0.0,
                -9.81,
                -inertia * s * c * v[4] * v[4],
                2.0 * inertia * s * c * v[3] * v[4],
            ]);
        })
        .constraint("tip", ConstraintKind::Contact, 3)
        .gaps(move |_, q, gaps| gaps[0] = q[2] - l * q[3].sin())
        .rows(move |_, _, q, g, w| {
            let ((s, c), (sp, cp)) = (q[3].sin_cos(), q[4].sin_cos());
            w.fill(0.0);
            g.copy_from_slice(&[
                0.0,
                0.0,
                1.0,
                -l * c,
                0.0, //
                1.0,
                0.0,
                0.0,
                l * s * cp,
                l * c * sp, //
                0.0,
                1.0,
                0.0,
                l * s * sp,
                -l * c * cp,
            ]);
        })
        .bias(move |_, _, q, v, b| {
            let ((s, c), (sp, cp)) = (q[3].sin_cos(), q[4].sin_cos());
            b[0] = l * s * v[3] * v[3];
            b[1] = l * (c * cp * (v[3] * v[3] + v[4] * v[4]) - 2.0 * s * sp * v[3] * v[4]);
            b[2] = l * (c * sp * (v[3] * v[3] + v[4] * v[4]) + 2.0 * s * cp * v[3] * v[4]);
        })
        .law(move |_, _, _, _| Law::Coulomb { mu })
}

/// Two directions of friction. Paoli's ũ by hand: the best of the two edges of the cone where the stick is outside of it.
/// Coulomb's law has no jump there, and the midpoint scheme and the event-driven integrator slide on without a warning; ũ
/// was told as an outcome of theirs, equal to u⁻.
#[test]
fn in_space_the_outcomes_are_those_of_the_law_of_the_scheme() {
    let (s, c) = ANGLE.sin_cos();
    let (normal, cross, along, side) = (1.0 + 3.0 * c * c, -3.0 * s * c, 1.0 + 3.0 * s * s, 4.0);
    let mu = 1.6_f64;
    let (wx, wy) = (
        -normal / cross,
        -(mu * mu - (normal / cross).powi(2)).sqrt(),
    );
    let q = [0.0, 0.0, Rod::HALF * s, ANGLE, 0.0];
    let v = [-1.0, 2.0, 0.0, 0.0, 0.0];
    let at = StateRef {
        t: 0.0,
        q: &q,
        v: &v,
    };
    let found = analyse_sliding_contact(&mut rod_in_space(mu), 0, at, Scheme::Paoli).unwrap();
    assert!((found.gamma - (normal + mu * cross)).abs() < 1e-12);
    let Outcomes::Two { jump } = found.outcomes else {
        panic!("two outcomes expected: {found:?}");
    };
    let size = -(-wx + 2.0 * wy) / (wx * (cross + along * wx) + side * wy * wy);
    let tip = [jump[0] + 0.5 * s * jump[3], jump[1] - 0.5 * c * jump[4]];
    let wanted = [-1.0 + size * (cross + along * wx), 2.0 + size * side * wy];
    for (a, b) in tip.iter().zip(wanted) {
        assert!((a - b).abs() < 1e-12, "{tip:?}, not {wanted:?}");
    }
    // Coulomb's law: neither a stick nor a slip.
    let found = analyse_sliding_contact(&mut rod_in_space(mu), 0, at, Scheme::Midpoint).unwrap();
    assert_eq!(found.outcomes, Outcomes::One);
    for scheme in [Scheme::Midpoint, Scheme::Event] {
        let settings = Settings {
            scheme,
            step: 1e-4,
            ..Settings::default()
        };
        let mut motion = start_motion(rod_in_space(mu), settings, state(&q, &v));
        for _ in 0..10 {
            motion.advance().unwrap();
            assert!(motion.step_report().gamma > 0.0, "{scheme:?}");
            assert!(motion.events().iter().all(|e| !is_painleve(e.kind)));
        }
        // It slides on: friction slows the side by less than μ N t (W_yy).
        assert!(motion.state().v[1] > 1.5, "{scheme:?}");
    }
    // With less to the side all of them stop dead, and say so.
    let v = [-1.0, 0.5, 0.0, 0.0, 0.0];
    for scheme in [Scheme::Midpoint, Scheme::Paoli, Scheme::Event] {
        let settings = Settings {
            scheme,
            step: 1e-4,
            ..Settings::default()
        };
        let mut motion = start_motion(rod_in_space(mu), settings, state(&q, &v));
        motion.advance().unwrap();
        assert!(motion.step_report().gamma <= 0.0, "{scheme:?}");
        assert!(
            motion.events().iter().any(|e| is_painleve(e.kind)),
            "{scheme:?}"
        );
        let v = &motion.state().v;
        let tip = [v[0] + 0.5 * s * v[3], v[1] - 0.5 * c * v[4]];
        // The rod turns with 1.3 rad/s for a step.
        assert!(tip[0].hypot(tip[1]) < 1e-3, "{scheme:?}: {tip:?}");
    }
}

/// The problem with the shift of least energy has other solutions where γ < 0: one of them was found in every round for
/// steps in which gravity matters, and the step missed its tolerance.
#[test]
fn paolis_scheme_jumps_by_the_least_energy_for_every_step() {
    let q = [0.0, 0.0, Rod::HALF * ANGLE.sin(), ANGLE, 0.0];
    let v = [-1.0, 2.0, 0.0, 0.0, 0.0];
    let at = StateRef {
        t: 0.0,
        q: &q,
        v: &v,
    };
    let found = analyse_sliding_contact(&mut rod_in_space(1.6), 0, at, Scheme::Paoli).unwrap();
    let Outcomes::Two { jump } = found.outcomes else {
        panic!("two outcomes expected: {found:?}");
    };
    for step in [1e-2, 3e-3, 1e-3, 1.3e-4, 1e-4, 0.7e-4, 1e-6, 1e-9] {
        let settings = Settings {
            scheme: Scheme::Paoli,
            step,
            ..Settings::default()
        };
        let mut motion = start_motion(rod_in_space(1.6), settings, state(&q, &v));
        motion.advance().unwrap();
        let report = motion.step_report();
        assert!(report.reached, "step {step}: residual {}", report.residual);
        // Weight and turning change velocities of order 1 to 10 in a step by a multiple of it; the force that the
        // weight adds is magnified by 1/|γ| = 3 at most.
        let off =
            (motion.state().v.iter().zip(&jump)).fold(0.0_f64, |m, (v, j)| m.max((v - j).abs()));
        assert!(
            off < 200.0 * step + 1e-8,
            "step {step}: {:?}, not {jump:?}",
            motion.state().v
        );
    }
}

fn is_painleve(kind: EventKind) -> bool {
    matches!(kind, EventKind::Painleve { .. })
}

fn start_motion(model: Model, settings: Settings, start: State) -> Box<dyn Integrator> {
    match settings.scheme {
        Scheme::Event => Box::new(EventDriven::new(model, settings, start).unwrap()),
        _ => Box::new(TimeStepper::new(model, settings, start).unwrap()),
    }
}

/// Proposition 1 of P15 with a mass matrix that is full and varies with q: in every step of Paoli's scheme r is in the cone,
/// ⟨u, r⟩ ≤ 0, and ‖u_F‖ ≤ ‖u_I‖ + h ‖M^{−1/2}‖ ‖f‖ in the kinetic metric at the end of the step. Collisions, sliding and
/// flight are all met.
#[test]
fn paolis_scheme_is_stable_where_the_mass_matrix_varies() {
    let mass_at = |q: &[f64]| {
        let (a, b) = (0.5 * q[0].sin(), 0.4 * (q[1] + 2.0 * q[2]).cos());
        [2.0 + a, b, a, b, 1.5, -0.3, a, -0.3, 1.2 - 0.3 * q[0].cos()]
    };
    let force_at = |t: f64, v: &[f64]| {
        [
            0.6 * (3.0 * t).sin() - 0.1 * v[0],
            0.5 * t.cos() + 0.2 * v[2] * v[0],
            -3.0 - 0.2 * v[2],
        ]
    };
    let mu = 0.8;
    let model = Model::new(3, |_, _, _, _| {})
        .dynamics(move |t, q, v, mass, k| {
            mass.copy_from_slice(&mass_at(q));
            k.copy_from_slice(&force_at(t, v));
        })
        .constraint("floor", ConstraintKind::Contact, 3)
        .gaps(|_, q, gaps| gaps[0] = q[2])
        .rows(|_, _, _, g, w| {
            w.fill(0.0);
            g.copy_from_slice(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        })
        .law(move |_, _, _, _| Law::Coulomb { mu });
    let h = 1e-2;
    let settings = Settings {
        scheme: Scheme::Paoli,
        step: h,
        ..Settings::default()
    };
    let first = state(&[0.3, -0.2, 0.5], &[2.0, -1.0, 0.5]);
    let mut motion = TimeStepper::new(model, settings, first).unwrap();
    let norm = |m: &[f64], v: &[f64]| -> f64 {
        let terms = (0..9).map(|k| v[k / 3] * m[k] * v[k % 3]);
        terms.sum::<f64>().sqrt()
    };
    let (mut slid, mut flew, mut struck) = (0, 0, 0);
    for _ in 0..2000 {
        let before = motion.state().clone();
        motion.advance().unwrap();
        assert!(motion.step_report().reached);
        let after = motion.state();
        let metric = mass_at(&after.q);
        let f = force_at(after.t, &before.v);
        // ‖M^{−1/2}‖ = 1/√(smallest eigenvalue), by inverse iteration from three starts.
        let smallest = smallest_eigenvalue(&metric);
        let size = f.iter().map(|x| x * x).sum::<f64>().sqrt();
        let bound = norm(&metric, &before.v) + h * size / smallest.sqrt();
        assert!(
            norm(&metric, &after.v) <= bound * (1.0 + 1e-12),
            "t = {}",
            after.t
        );
        // r = M(u_F − u_I) − h f, of which the contact's impulse is (r_z; r_x, r_y).
        let r: Vec<f64> = (0..3)
            .map(|i| {
                let change = (0..3).map(|j| metric[3 * i + j] * (after.v[j] - before.v[j]));
                change.sum::<f64>() - h * f[i]
            })
            .collect();
        let rounding = 1e-9;
        assert!(r[0].hypot(r[1]) <= mu * r[2] + rounding, "outside: {r:?}");
        let power: f64 = r.iter().zip(&after.v).map(|(r, u)| r * u).sum();
        assert!(power <= rounding, "<u, r> = {power}");
        flew += i32::from(r[2] < rounding);
        slid += i32::from(r[2] > rounding && after.v[0].hypot(after.v[1]) > 1e-6);
        struck += i32::from(before.v[2] < -0.5 && r[2] > rounding);
    }
    assert!(
        slid > 50 && flew > 20 && struck > 0,
        "{slid} slid, {flew} flew, {struck} struck"
    );
}

/// Smallest eigenvalue of a symmetric 3 × 3 matrix, by bisection on the characteristic polynomial.
fn smallest_eigenvalue(m: &[f64; 9]) -> f64 {
    let det = |x: f64| {
        let a = |i: usize, j: usize| m[3 * i + j] - if i == j { x } else { 0.0 };
        a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1))
            - a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0))
            + a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0))
    };
    // It is below the smallest diagonal entry; det > 0 below it. The others are above 1 here.
    let (mut low, mut high) = (0.0, m[0].min(m[4]).min(m[8]));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        match det(middle) > 0.0 {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}
