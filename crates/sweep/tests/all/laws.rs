//! Properties of every sweeping process: nonexpansion, rate independence, the bound of the variation, jumps; and the
//! errors.

use crate::common;

use crate::common::{MovingBall, method};
use percuss_convex::{AxisBox, Ball, Ellipsoid, Intersection, Set};
use percuss_sweep::{
    ConstraintRows, DiscConfiguration, InequalitySet, Method, Metric, MovingPolyhedron,
    MovingProduct, Process, Schedule, StartPolicy, StepSize, SweepingError, TransformedSet,
    WithExcessBound,
};
use proptest::prelude::*;

/// A random bounded convex set that contains a ball around 0, by kind.
fn some_set(kind: usize, n: usize, sizes: &[f64]) -> Set {
    let size = |i: usize| 0.5 + sizes[i % sizes.len()].abs();
    match kind {
        0 => Ball::new(&vec![0.0; n], size(0)).expect("ball").into(),
        1 => {
            let high: Vec<f64> = (0..n).map(size).collect();
            let low: Vec<f64> = (0..n).map(|i| -size(i + 3)).collect();
            AxisBox::new(&low, &high).expect("box").into()
        }
        2 => {
            let mut shape = vec![0.0; n * n];
            (0..n).for_each(|i| shape[i * n + i] = size(i));
            Ellipsoid::new(&vec![0.0; n], &shape)
                .expect("ellipsoid")
                .into()
        }
        _ => Intersection::new(vec![some_set(0, n, sizes), some_set(1, n, sizes)])
            .expect("intersection")
            .into(),
    }
}

/// The set moved by waves of all kinds, along the clock t^power.
fn moving(kind: usize, n: usize, sizes: Vec<f64>, power: f64) -> TransformedSet {
    let (a, b) = (sizes[0], sizes[1]);
    let set = TransformedSet::new(some_set(kind, n, &sizes))
        .with_shift(move |t, x| {
            let t = t.powf(power);
            for (i, x) in x.iter_mut().enumerate() {
                *x = 2.0 * (a + i as f64) * ((1.0 + b) * t + i as f64).sin();
            }
        })
        .with_scale(move |t| 1.0 + 0.5 * (3.0 * t.powf(power) * a).sin());
    if n == 2 {
        set.with_angle(move |t| 2.0 * b * t.powf(power))
    } else {
        set
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn two_starts_never_drift_apart(
        kind in 0_usize..4,
        n in 1_usize..4,
        sizes in prop::collection::vec(-1.0..1.0_f64, 6),
        starts in prop::collection::vec(-3.0..3.0_f64, 8),
        which in 0_usize..4,
        weights in prop::collection::vec(0.3..3.0_f64, 3),
    ) {
        // The θ-version is left out: only θ = 1 has the property step by step.
        let method = [Method::CatchingUp, Method::Regularised(7.0), Method::Theta(1.0), Method::Trapezoidal][which];
        let metric = Metric::diagonal(&weights[..n]).expect("metric");
        let settings = percuss_sweep::Settings { method, start: StartPolicy::Project, ..Default::default() };
        let run = |from: &[f64]| {
            Process::new(moving(kind, n, sizes.clone(), 1.0), 0.0, from)
                .and_then(|p| p.with_metric(metric.clone()))
                .and_then(|p| p.with_settings(settings))
                .expect("process")
        };
        let (mut one, mut two) = (run(&starts[..n]), run(&starts[4..4 + n]));
        one.begin().expect("begin");
        two.begin().expect("begin");
        let apart = |a: &Process<TransformedSet>, b: &Process<TransformedSet>| {
            let d: Vec<f64> = a.point().iter().zip(b.point()).map(|(x, y)| x - y).collect();
            metric.norm(&d)
        };
        let mut before = apart(&one, &two);
        for k in 1..=40 {
            let t = 0.1 * f64::from(k);
            one.advance(t).expect("step");
            two.advance(t).expect("step");
            let now = apart(&one, &two);
            // Projections are accurate to 1e-12 of their data, which is below 10.
            prop_assert!(now <= before + 1e-11, "{before} -> {now} at t = {t}");
            before = now;
        }
        prop_assert!(one.summary().certified());
    }

    #[test]
    fn variation_never_exceeds_the_retraction(
        kind in 0_usize..4,
        n in 1_usize..4,
        sizes in prop::collection::vec(-1.0..1.0_f64, 6),
        h in 0.01..0.3_f64,
    ) {
        let mut process = Process::new(moving(kind, n, sizes, 1.0), 0.0, &vec![0.0; n])
            .and_then(|p| p.with_settings(percuss_sweep::Settings { start: StartPolicy::Project, ..Default::default() }))
            .expect("process");
        let summary = process.run(&Schedule::fixed(3.0, h), |_, _| {}).expect("run");
        prop_assert_eq!(summary.within_bound(), Some(true));
        prop_assert!(summary.variation <= summary.bound.expect("known"));
    }

    #[test]
    fn time_may_be_run_at_any_rate(
        kind in 0_usize..4,
        sizes in prop::collection::vec(-1.0..1.0_f64, 6),
        power in 0.3..3.0_f64,
    ) {
        // C(π(t')), π(t') = t'^p, at the instants τ_k^(1/p) passes through the sets C(τ_k).
        let start = percuss_sweep::Settings { start: StartPolicy::Project, ..Default::default() };
        let run = |power: f64| {
            Process::new(moving(kind, 2, sizes.clone(), power), 0.0, &[0.0, 0.0])
                .and_then(|p| p.with_settings(start))
                .expect("process")
        };
        let (mut plain, mut warped) = (run(1.0), run(power));
        for k in 1..=30 {
            let tau = 0.1 * f64::from(k);
            plain.advance(tau).expect("step");
            warped.advance(tau.powf(1.0 / power)).expect("step");
            for i in 0..2 {
                // Instants differ by rounding, sets move at up to 15 per unit of time.
                prop_assert!((plain.point()[i] - warped.point()[i]).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn jumps_project_and_the_account_shows_them() {
    // An interval that jumps by 1 at t = 1 and back at t = 2; u⁺ = proj(C, u⁻).
    let set = TransformedSet::new(AxisBox::new(&[-0.25], &[0.25]).expect("interval")).with_shift(
        |t, a| {
            a[0] = if (1.0..2.0).contains(&t) { 1.0 } else { 0.0 };
        },
    );
    let mut process = Process::new(set, 0.0, &[0.1]).expect("process");
    let schedule = Schedule {
        jumps: vec![1.0, 2.0],
        ..Schedule::fixed(3.0, 0.3)
    };
    let mut seen = Vec::new();
    process
        .run(&schedule, |s, u| seen.push((s.time, s.moved, u[0])))
        .expect("run");
    for (t, moved, u) in &seen {
        let (expected, jump) = match *t {
            t if t < 1.0 => (0.1, 0.0),
            1.0 => (0.75, 0.65),
            t if t < 2.0 => (0.75, 0.0),
            2.0 => (0.25, 0.5),
            _ => (0.25, 0.0),
        };
        assert!((u - expected).abs() < 1e-15 && (moved - jump).abs() < 1e-15);
    }
    assert_eq!(seen.iter().filter(|s| s.1 > 0.0).count(), 2);
    assert_eq!(process.summary().within_bound(), Some(true));
}

#[test]
fn jump_of_a_disc_lands_on_the_nearest_point() {
    for m in [
        Method::CatchingUp,
        Method::Theta(0.5),
        Method::Regularised(50.0),
    ] {
        let set =
            TransformedSet::new(Ball::new(&[0.0, 0.0], 1.0).expect("disc")).with_shift(|t, a| {
                (a[0], a[1]) = if t >= 0.5 { (3.0, 4.0) } else { (0.0, 0.0) };
            });
        let mut process = Process::new(set, 0.0, &[0.0, 0.0])
            .and_then(|p| p.with_settings(method(m)))
            .expect("process");
        let schedule = Schedule {
            jumps: vec![0.5],
            ..Schedule::fixed(0.5, 0.1)
        };
        process.run(&schedule, |_, _| {}).expect("run");
        // From 0 towards (3, 4), all but the radius.
        let u = process.point();
        assert!((u[0] - 2.4).abs() < 1e-12 && (u[1] - 3.2).abs() < 1e-12);
    }
}

#[test]
fn start_outside_is_refused_with_its_distance_and_projected_if_asked() {
    let set = || TransformedSet::new(Ball::new(&[0.0, 0.0], 1.0).expect("disc"));
    let mut process = Process::new(set(), 2.0, &[3.0, 4.0]).expect("process");
    match process.advance(2.1).expect_err("outside") {
        SweepingError::StartOutside { time, distance } => {
            assert_eq!(time, 2.0);
            assert!((distance - 4.0).abs() < 1e-14);
        }
        other => panic!("{other}"),
    }
    let mut process = Process::new(set(), 2.0, &[3.0, 4.0])
        .and_then(|p| {
            p.with_settings(percuss_sweep::Settings {
                start: StartPolicy::Project,
                ..Default::default()
            })
        })
        .expect("process");
    process.advance(2.1).expect("step");
    assert!((process.point()[0] - 0.6).abs() < 1e-15 && (process.point()[1] - 0.8).abs() < 1e-15);
}

#[test]
fn polyhedron_that_becomes_empty_is_named_with_rows_and_instant() {
    // x ≤ 1 − t and x ≥ t: empty after t = ½.
    let rows = ConstraintRows::dense(1, &[1.0, -1.0]).expect("rows");
    let set = MovingPolyhedron::new(rows, |t, b| (b[0], b[1]) = (1.0 - t, -t)).expect("set");
    let mut process = Process::new(set, 0.0, &[0.2]).expect("process");
    let error = process
        .run(&Schedule::fixed(1.0, 0.0625), |_, _| {})
        .expect_err("empty");
    match &error {
        SweepingError::Empty { time, rows, .. } => {
            assert_eq!(*time, 0.5625);
            assert_eq!(rows, &[0, 1]);
        }
        other => panic!("{other}"),
    }
    // At t = ½ the set was one point and u was in it.
    assert_eq!(process.point(), [0.5]);
}

#[test]
fn functions_that_are_no_numbers_are_named_with_the_instant() {
    let rows = ConstraintRows::dense(1, &[1.0]).expect("rows");
    let set = MovingPolyhedron::new(rows, |t: f64, b| b[0] = (0.5 - t).sqrt()).expect("set");
    let mut process = Process::new(set, 0.0, &[0.0]).expect("process");
    let error = process
        .run(&Schedule::fixed(1.0, 0.25), |_, _| {})
        .expect_err("nan");
    assert!(
        matches!(error, SweepingError::NotFinite { time, index: 0, .. } if time == 0.75),
        "{error}"
    );
}

#[test]
fn adaptive_steps_keep_the_retraction_and_refuse_undeclared_jumps() {
    // Centre at t⁴: slow first, fast later.
    let set = || {
        TransformedSet::new(Ball::new(&[0.0, 0.0], 1.0).expect("disc"))
            .with_shift(|t, a| (a[0], a[1]) = (t.powi(4), 0.2 * t))
    };
    let pace = |excess: f64| Schedule {
        step_size: StepSize::Adaptive {
            excess,
            shortest: 1e-9,
            longest: 1.0,
        },
        ..Schedule::fixed(2.0, 1.0)
    };
    let mut steps = Vec::new();
    let mut process = Process::new(set(), 0.0, &[0.0, 0.0]).expect("process");
    process
        .run(&pace(0.01), |s, _| {
            steps.push((s.length, s.retraction.expect("known")))
        })
        .expect("run");
    assert!(steps.iter().all(|s| s.1 <= 0.01));
    // The length of the path is 16.06; steps of at most 0.01, mostly well used.
    assert!((1606..3200).contains(&steps.len()), "{}", steps.len());
    assert!(steps[5].0 > 10.0 * steps[steps.len() - 2].0);

    let jumping = TransformedSet::new(Ball::new(&[0.0], 1.0).expect("interval"))
        .with_shift(|t, a| a[0] = if t < 1.0 { 0.0 } else { 2.0 });
    let mut process = Process::new(jumping, 0.0, &[0.0]).expect("process");
    let error = process.run(&pace(0.01), |_, _| {}).expect_err("a jump");
    assert!(
        matches!(error, SweepingError::NotConverged { time, .. } if (time - 1.0).abs() < 1e-6),
        "{error}"
    );
}

#[test]
fn product_of_sets_is_the_processes_side_by_side() {
    let disc = || {
        TransformedSet::new(Ball::new(&[0.0, 0.0], 0.5).expect("disc"))
            .with_shift(|t, a| (a[0], a[1]) = (t.sin(), t.cos()))
    };
    let line = || {
        let rows = ConstraintRows::dense(1, &[1.0, -1.0]).expect("rows");
        MovingPolyhedron::new(rows, |t: f64, b| (b[0], b[1]) = (0.2 + t, 0.2 - t)).expect("set")
    };
    let product = MovingProduct::new(vec![Box::new(disc()), Box::new(line())]).expect("product");
    let mut all = Process::new(product, 0.0, &[0.0, 1.0, 0.0]).expect("process");
    let mut one = Process::new(disc(), 0.0, &[0.0, 1.0]).expect("process");
    let mut two = Process::new(line(), 0.0, &[0.0]).expect("process");
    for k in 1..=50 {
        let t = 0.05 * f64::from(k);
        all.advance(t).expect("step");
        one.advance(t).expect("step");
        two.advance(t).expect("step");
        assert_eq!(&all.point()[..2], one.point());
        assert_eq!(&all.point()[2..], two.point());
    }
    assert_eq!(all.summary().within_bound(), Some(true));
    // A metric that couples the factors is refused.
    let coupled = Metric::full(3, &[2.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0]).expect("metric");
    let product = MovingProduct::new(vec![Box::new(disc()), Box::new(line())]).expect("product");
    let refused = Process::new(product, 0.0, &[0.0; 3]).and_then(|p| p.with_metric(coupled));
    assert!(matches!(
        refused.err(),
        Some(SweepingError::Unsupported { .. })
    ));
}

#[test]
fn bad_settings_are_refused_by_name() {
    let set = || TransformedSet::new(Ball::new(&[0.0], 1.0).expect("interval"));
    let with =
        |m: Method| Process::new(set(), 0.0, &[0.0]).and_then(|p| p.with_settings(method(m)));
    for m in [
        Method::Theta(0.3),
        Method::Theta(f64::NAN),
        Method::Regularised(0.0),
        Method::Regularised(f64::INFINITY),
    ] {
        assert!(
            matches!(with(m).err(), Some(SweepingError::Invalid { .. })),
            "{m:?}"
        );
    }
    let mut process = with(Method::EventDriven).expect("process");
    assert!(matches!(
        process.advance(1.0),
        Err(SweepingError::Unsupported { .. })
    ));
    let mut process = with(Method::CatchingUp).expect("process");
    assert!(process.advance(0.0).is_err() && process.advance(f64::NAN).is_err());
    assert!(process.run(&Schedule::fixed(1.0, 0.0), |_, _| {}).is_err());
    assert!(Process::new(set(), 0.0, &[0.0, 1.0]).is_err());
    assert!(DiscConfiguration::new(2, &[0.1, -1.0]).is_err());
    let bad = TransformedSet::new(Ball::new(&[0.0, 0.0], 1.0).expect("disc"))
        .with_rotation(|_, r| r.copy_from_slice(&[1.0, 0.0, 0.0, 2.0]));
    assert!(
        Process::new(bad, 0.0, &[0.0, 0.0])
            .expect("process")
            .advance(1.0)
            .is_err()
    );
}

#[test]
fn bound_of_the_author_is_used_in_the_account() {
    let ball = MovingBall {
        dim: 2,
        radius: 1.0,
        centre: common::dragged,
        speed: common::dragging,
    };
    let set = WithExcessBound::new(InequalitySet::new(ball).expect("set"), |s, t| t - s);
    let mut process = Process::new(set, 0.0, &common::tractrix(0.0)).expect("process");
    let summary = process
        .run(&Schedule::fixed(3.0, 0.01), |_, _| {})
        .expect("run");
    assert!((summary.bound.expect("known") - 3.0).abs() < 1e-12);
    assert_eq!(summary.within_bound(), Some(true));
}
