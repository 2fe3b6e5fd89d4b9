//! The time-stepping schemes against closed forms and against each other.

use crate::native::{DoublePendulum, Part, Point, RodPendulum, state};
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{
    ConstraintKind, EventKind, ForceEvaluation, ImpactLaw, Integrator, Scheme, Settings,
    TimeStepper,
};

fn contact(rows: &[&[f64]], law: Law, e: f64) -> Part {
    Part {
        rows: rows.iter().map(|r| r.to_vec()).collect(),
        offset: 0.0,
        law,
        restitution: Restitution {
            normal: e,
            tangential: 0.0,
        },
    }
}

fn settings(h: f64) -> Settings {
    Settings {
        step: h,
        ..Settings::default()
    }
}

/// Runs to `until` and returns the positions there.
fn end_of<S: percuss_mechanism::System>(
    mut motion: TimeStepper<S>,
    until: f64,
    h: f64,
) -> Vec<f64> {
    for _ in 0..(until / h).round() as usize {
        motion.advance().unwrap();
        assert!(motion.step_report().reached, "at {}", motion.state().t);
    }
    motion.state().q.clone()
}

/// Least-squares slope of log error over log h.
fn order(rows: &[(f64, f64)]) -> f64 {
    let n = rows.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().map(|(h, e)| (h.ln(), e.ln())).unzip();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let up: f64 = x.iter().zip(&y).map(|(a, b)| (a - mx) * (b - my)).sum();
    up / x.iter().map(|a| (a - mx).powi(2)).sum::<f64>()
}

fn pendulum_order(forces: ForceEvaluation) -> f64 {
    let run = |h: f64| {
        let settings = Settings {
            force_evaluation: forces,
            ..settings(h)
        };
        let start = state(&[1.0, 0.5], &[0.0, 0.0]);
        end_of(
            TimeStepper::new(DoublePendulum::new(0.3), settings, start).unwrap(),
            1.0,
            h,
        )
    };
    let exact = {
        // Two fine runs of the second-order form, extrapolated: their error is of order h⁴.
        let settings = |h: f64| Settings { ..settings(h) };
        let fine = |h: f64| {
            let start = state(&[1.0, 0.5], &[0.0, 0.0]);
            end_of(
                TimeStepper::new(DoublePendulum::new(0.3), settings(h), start).unwrap(),
                1.0,
                h,
            )
        };
        let (a, b) = (fine(1e-4), fine(5e-5));
        [(4.0 * b[0] - a[0]) / 3.0, (4.0 * b[1] - a[1]) / 3.0]
    };
    let rows: Vec<(f64, f64)> = [8e-3, 4e-3, 2e-3, 1e-3]
        .iter()
        .map(|&h| {
            let q = run(h);
            (h, (q[0] - exact[0]).hypot(q[1] - exact[1]))
        })
        .collect();
    order(&rows)
}

#[test]
fn smooth_motion_is_second_order_with_forces_at_the_mean_velocity() {
    let p = pendulum_order(ForceEvaluation::Mean);
    assert!((p - 2.0).abs() < 0.1, "order {p}");
}

#[test]
fn smooth_motion_is_first_order_with_forces_at_the_begin_velocity() {
    let p = pendulum_order(ForceEvaluation::Begin);
    assert!((p - 1.0).abs() < 0.1, "order {p}");
}

#[test]
fn a_rod_keeps_its_length_and_the_energy() {
    let h = 1e-3;
    let start = state(&[1.0, 0.0], &[0.0, 0.0]);
    let mut motion = TimeStepper::new(RodPendulum::new(), settings(h), start).unwrap();
    let (mut crossings, mut last) = (Vec::new(), 0.0);
    let mut drift = 0.0_f64;
    for _ in 0..20_000 {
        motion.advance().unwrap();
        let (t, x) = (motion.state().t, motion.state().q[0]);
        if last > 0.0 && x <= 0.0 {
            crossings.push(t - h * x / (x - last));
        }
        last = x;
        drift = drift.max(motion.step_report().drift);
        let ledger = motion.step_report();
        assert!(ledger.energy < 1e-12 && ledger.momentum < 1e-12);
        // The energy of the pendulum oscillates with h² and does not drift.
        assert!((ledger.kinetic + ledger.potential).abs() < 1e-4);
    }
    assert!(drift < 1e-13, "{drift:e}");
    // T = 4 K(sin 45°)/√g, 90° amplitude; the scheme is of second order.
    let period = (crossings[7] - crossings[0]) / 7.0;
    assert!((period - 2.367_841_947_576_237).abs() < 5e-6, "{period}");
}

#[test]
fn a_ball_bounces_with_its_restitution_and_comes_to_rest() {
    let floor = contact(&[&[1.0]], Law::Frictionless, 0.5);
    let ball = Point::new(vec![-9.81], vec![("floor", ConstraintKind::Contact, floor)]);
    let h = 1e-4;
    let mut motion = TimeStepper::new(ball, settings(h), state(&[1.0], &[0.0])).unwrap();
    let mut impacts = Vec::new();
    for _ in 0..20_000 {
        motion.advance().unwrap();
        for event in motion.events() {
            if let EventKind::Impact { before, after } = event.kind {
                assert!((after + 0.5 * before).abs() < 1e-12);
                impacts.push(event.t);
            }
        }
        assert!(motion.step_report().gain == 0.0);
    }
    // Closed form: t1 = √(2/g), then intervals 2 t1 e^k. First order in h.
    let first = (2.0_f64 / 9.81).sqrt();
    let expected = [first, 2.0 * first, 2.5 * first, 2.75 * first];
    for (t, exact) in impacts.iter().zip(expected) {
        assert!((t - exact).abs() < 3.0 * h, "{t} for {exact}");
    }
    let end = motion.state();
    assert!(end.v[0].abs() < 1e-12 && end.q[0].abs() < 10.0 * h * h);
}

#[test]
fn a_block_sticks_below_the_friction_angle_and_slides_above_it() {
    // Plane tilted by 20°, μ = tan 15° and tan 25°.
    let tilt = 20.0_f64.to_radians();
    let force = vec![-9.81 * tilt.cos(), 9.81 * tilt.sin()];
    let run = |angle: f64| {
        let mu = angle.to_radians().tan();
        let law = Law::Coulomb { mu };
        let floor = contact(&[&[1.0, 0.0], &[0.0, 1.0]], law, 0.0);
        let block = Point::new(
            force.clone(),
            vec![("plane", ConstraintKind::Contact, floor)],
        );
        let start = state(&[0.0, 0.0], &[0.0, 0.0]);
        let mut motion = TimeStepper::new(block, settings(1e-3), start).unwrap();
        for _ in 0..1000 {
            motion.advance().unwrap();
        }
        motion.state().v[1]
    };
    assert!(run(25.0).abs() < 1e-14);
    let mu = 15.0_f64.to_radians().tan();
    // a = g (sin − μ cos), constant: the scheme is exact for velocities.
    let exact = 9.81 * (tilt.sin() - mu * tilt.cos());
    assert!((run(15.0) - exact).abs() < 1e-11);
}

/// n equal balls in a row, all touching, the first with velocity 1.
fn cradle(n: usize, law: ImpactLaw) -> Vec<f64> {
    let parts = (0..n - 1)
        .map(|i| {
            let mut row = vec![0.0; n];
            (row[i], row[i + 1]) = (-1.0, 1.0);
            let part = contact(&[&row], Law::Frictionless, 1.0);
            ("pair", ConstraintKind::Contact, part)
        })
        .collect();
    let balls = Point::new(vec![0.0; n], parts);
    let settings = Settings {
        impact: law,
        tolerance: 1e-13,
        ..settings(1e-3)
    };
    let mut v = vec![0.0; n];
    v[0] = 1.0;
    let mut motion = TimeStepper::new(balls, settings, state(&vec![0.0; n], &v)).unwrap();
    for _ in 0..3 {
        motion.advance().unwrap();
    }
    motion.state().v.clone()
}

#[test]
fn the_cradle_rebounds_together_or_one_by_one() {
    for n in [3, 5] {
        let (first, others) = (1.0 - 2.0 * (n - 1) as f64 / n as f64, 2.0 / n as f64);
        for law in [ImpactLaw::Moreau, ImpactLaw::Canonical] {
            let v = cradle(n, law);
            assert!((v[0] - first).abs() < 1e-10, "{v:?}");
            assert!(v[1..].iter().all(|x| (x - others).abs() < 1e-10), "{v:?}");
        }
        let v = cradle(n, ImpactLaw::Sequential);
        assert!((v[n - 1] - 1.0).abs() < 1e-12, "{v:?}");
        assert!(v[..n - 1].iter().all(|x| x.abs() < 1e-12), "{v:?}");
    }
}

#[test]
fn poisson_gives_back_the_share_of_the_compression() {
    // One ball on a floor: the same as Newton's, v⁺ = −e v⁻.
    let floor = contact(&[&[1.0]], Law::Frictionless, 0.3);
    let ball = Point::new(vec![0.0], vec![("floor", ConstraintKind::Contact, floor)]);
    let settings = Settings {
        impact: ImpactLaw::Poisson,
        ..settings(1e-3)
    };
    let mut motion = TimeStepper::new(ball, settings, state(&[0.0], &[-2.0])).unwrap();
    motion.advance().unwrap();
    assert!((motion.state().v[0] - 0.6).abs() < 1e-14);
}

/// An elastic impact keeps the energy to the last bit, and the step took that for no impact: forces that depend on the
/// velocity were those of v⁻.
#[test]
fn forces_after_an_elastic_impact_are_those_of_the_velocity_after_it() {
    use crate::common::Model;
    let (c, h) = (0.5, 1e-2);
    for law in [ImpactLaw::Sequential, ImpactLaw::Poisson] {
        let ball = Model::new(1, move |_, _, v, k| k[0] = -c * v[0])
            .constraint("floor", ConstraintKind::Contact, 1)
            .gaps(|_, q, gaps| gaps[0] = q[0])
            .rows(|_, _, _, g, w| (g[0], w[0]) = (1.0, 0.0))
            .restitution(|_| 1.0);
        let settings = Settings {
            impact: law,
            force_evaluation: ForceEvaluation::Begin,
            ..settings(h)
        };
        let mut motion = TimeStepper::new(ball, settings, state(&[0.0], &[-1.0])).unwrap();
        motion.advance().unwrap();
        // v_F = v⁺ − h c v⁺ with v⁺ = 1; with the drag of v⁻ = −1 it would be 1 + h c. Three roundings.
        let v = motion.state().v[0];
        assert!((v - (1.0 - h * c)).abs() < 1e-15, "{law:?}: {v}");
    }
}

/// A time stepper ran the midpoint scheme where the settings named the event-driven integrator.
#[test]
fn a_time_stepper_refuses_the_scheme_of_the_event_driven_integrator() {
    let settings = Settings {
        scheme: Scheme::Event,
        ..settings(1e-3)
    };
    let ball = Point::new(vec![0.0], Vec::new());
    let refused = TimeStepper::new(ball, settings, state(&[0.0], &[1.0])).unwrap_err();
    assert!(refused.to_string().contains("EventDriven"), "{refused}");
}

#[test]
fn all_schemes_go_to_the_same_limit() {
    // A ball with e = 1/2 at t = 0.7, in flight after its first bounce: exact position.
    let exact = 0.247_469_263_973_521_2;
    let error = |scheme: Scheme, h: f64| {
        let floor = contact(&[&[1.0]], Law::Frictionless, 0.5);
        let ball = Point::new(vec![-9.81], vec![("floor", ConstraintKind::Contact, floor)]);
        let settings = Settings {
            scheme,
            ..settings(h)
        };
        let motion = TimeStepper::new(ball, settings, state(&[1.0], &[0.0])).unwrap();
        (end_of(motion, 0.7, h)[0] - exact).abs()
    };
    for scheme in [
        Scheme::Midpoint,
        Scheme::Theta(0.5),
        Scheme::Theta(1.0),
        Scheme::Paoli,
    ] {
        for h in [1e-3, 1e-4, 1e-5] {
            // First order: the bounce is placed to within a step at 4.4 m/s (1 + e).
            let found = error(scheme, h);
            assert!(found < 10.0 * h, "{scheme:?} at {h}: {found:e}");
        }
    }
}

#[test]
fn restitution_above_one_is_refused() {
    let floor = contact(&[&[1.0]], Law::Frictionless, 2.0);
    let ball = Point::new(vec![-9.81], vec![("floor", ConstraintKind::Contact, floor)]);
    let error = TimeStepper::new(ball, settings(1e-3), state(&[1.0], &[0.0])).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`floor` is 2") && text.contains("B02 1.12"),
        "{text}"
    );
}

#[test]
fn variable_steps_meet_their_tolerance_in_smooth_motion() {
    let start = || state(&[1.0, 0.5], &[0.0, 0.0]);
    let reference = {
        let h = 2e-5;
        let motion = TimeStepper::new(DoublePendulum::new(0.0), settings(h), start()).unwrap();
        end_of(motion, 1.0, h)
    };
    let run = |tolerance: f64| {
        let adaptive = percuss_mechanism::AdaptiveStep {
            tolerance,
            smallest: 1e-6,
            largest: 0.1,
        };
        let settings = Settings {
            adaptive: Some(adaptive),
            ..settings(1e-2)
        };
        let mut motion = TimeStepper::new(DoublePendulum::new(0.0), settings, start()).unwrap();
        motion.set_end_time(1.0);
        let mut steps = 0;
        while motion.state().t < 1.0 {
            motion.advance().unwrap();
            steps += 1;
        }
        assert_eq!(motion.state().t, 1.0);
        let q = &motion.state().q;
        ((q[0] - reference[0]).hypot(q[1] - reference[1]), steps)
    };
    let (coarse, few) = run(1e-6);
    let (fine, many) = run(1e-9);
    // Local errors add up over some hundred steps.
    assert!(coarse < 1e-3 && fine < 1e-5 && fine < 0.05 * coarse);
    assert!(few < many && many < 10_000, "{few} {many}");
}
