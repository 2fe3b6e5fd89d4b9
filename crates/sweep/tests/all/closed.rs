//! Processes whose solution is known in closed form.

use crate::common::{MovingBall, dragged, dragging, method, orders, tractrix, worst_error};
use percuss_convex::{AxisBox, Ball, HalfSpace};
use percuss_sweep::{
    ConstraintRows, InequalitySet, Method, MovingPolyhedron, Process, Schedule, TransformedSet,
};

fn oracle(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("oracle file");
    serde_json::from_str(&text).expect("oracle json")
}

fn number(v: &serde_json::Value) -> f64 {
    v.as_f64().expect("a number")
}

fn disc() -> TransformedSet {
    TransformedSet::new(Ball::new(&[0.0, 0.0], 1.0).expect("ball")).with_shift(dragged)
}

fn start() -> [f64; 2] {
    tractrix(0.0)
}

#[test]
fn play_operator_follows_its_oracle() {
    let data = oracle("sweep_play");
    let samples = data["samples"].as_array().expect("samples");
    let interval = AxisBox::new(&[-0.3], &[0.3]).expect("interval");
    let set = TransformedSet::new(interval).with_shift(|t, a| a[0] = t.sin());
    let mut process = Process::new(set, 0.0, &[0.0]).expect("process");
    let h = 1e-3;
    let mut seen = Vec::new();
    let summary = process
        .run(&Schedule::fixed(10.0, h), |s, u| seen.push((s.time, u[0])))
        .expect("run");
    for sample in samples {
        let (t, x) = (number(&sample[0]), number(&sample[1]));
        let (_, u) = seen[(t / h).round() as usize - 1];
        // O(h²): the turning point falls between two steps.
        assert!((u - x).abs() < 1e-6, "t = {t}: {u} against {x}");
    }
    assert_eq!(summary.within_bound(), Some(true));
    assert!(summary.certified());
}

#[test]
fn square_is_two_play_operators() {
    let data = oracle("sweep_square");
    let square = AxisBox::new(&[-1.0, -1.0], &[1.0, 1.0]).expect("square");
    let set = TransformedSet::new(square).with_shift(|t, a| {
        (a[0], a[1]) = (t, 0.5 * (2.0 * t).sin());
    });
    let mut process = Process::new(set, 0.0, &[0.0, 0.0]).expect("process");
    for (end, key) in [(3.0, "at_t3"), (5.0, "at_t5")] {
        process
            .run(&Schedule::fixed(end, 1e-3), |_, _| {})
            .expect("run");
        for i in 0..2 {
            let expected = number(&data[key][i]);
            // The wall that pushes is met exactly at the end of each step.
            assert!((process.point()[i] - expected).abs() < 1e-12);
        }
    }
}

#[test]
fn catching_up_has_the_tractrix_errors_of_the_oracle_and_order_one() {
    let data = oracle("sweep_tractrix");
    let mut errors = Vec::new();
    for row in data["catching_up_errors"].as_array().expect("errors") {
        let (h, expected) = (number(&row[0]), number(&row[1]));
        let mut process = Process::new(disc(), 0.0, &start()).expect("process");
        process
            .run(&Schedule::fixed(3.0, h), |_, _| {})
            .expect("run");
        // The oracle's error is that at t = 3.
        let (u, exact) = (process.point(), tractrix(3.0));
        let error = (u[0] - exact[0]).hypot(u[1] - exact[1]);
        assert!((error / expected - 1.0).abs() < 0.01, "h = {h}: {error:e}");
        errors.push((h, error));
    }
    for order in orders(&errors) {
        assert!((order - 1.0).abs() < 0.02, "{order}");
    }
}

#[test]
fn midpoint_rule_has_order_two_on_the_tractrix() {
    let mut errors = Vec::new();
    for h in [0.1, 0.05, 0.025, 0.0125] {
        let mut process = Process::new(disc(), 0.0, &start())
            .and_then(|p| p.with_settings(method(Method::Theta(0.5))))
            .expect("process");
        let error = worst_error(&mut process, &Schedule::fixed(5.0, h), |t| {
            tractrix(t).to_vec()
        });
        errors.push((h, error));
    }
    // Contact persists, so the scheme is the implicit midpoint rule of a smooth equation.
    for order in orders(&errors) {
        assert!((order - 2.0).abs() < 0.1, "{errors:?}");
    }
}

#[test]
fn theta_between_has_order_one_and_a_smaller_error_than_catching_up() {
    let run = |m: Method, h: f64| {
        let mut process = Process::new(disc(), 0.0, &start())
            .and_then(|p| p.with_settings(method(m)))
            .expect("process");
        worst_error(&mut process, &Schedule::fixed(5.0, h), |t| {
            tractrix(t).to_vec()
        })
    };
    let errors: Vec<_> = [0.02, 0.01, 0.005]
        .map(|h| (h, run(Method::Theta(0.75), h)))
        .to_vec();
    for order in orders(&errors) {
        assert!((order - 1.0).abs() < 0.1, "{errors:?}");
    }
    assert!(errors[1].1 < 0.7 * run(Method::CatchingUp, 0.01));
}

#[test]
fn event_driven_follows_the_tractrix_to_1e_10() {
    let ball = MovingBall {
        dim: 2,
        radius: 1.0,
        centre: dragged,
        speed: dragging,
    };
    let mut process = Process::new(InequalitySet::new(ball).expect("set"), 0.0, &start())
        .and_then(|p| p.with_settings(method(Method::EventDriven)))
        .expect("process");
    let error = worst_error(&mut process, &Schedule::fixed(5.0, 0.25), |t| {
        tractrix(t).to_vec()
    });
    assert!(error < 1e-10, "{error:e}");
}

/// The play of sin t with half width 0.3, started at 0: u = sin t − 0.3 while pushed up, then it
/// rests at 0.7 until the other wall comes, and so on.
fn play(t: f64) -> f64 {
    let tau = std::f64::consts::TAU;
    let first = 0.3_f64.asin();
    if t <= first {
        return 0.0;
    }
    if t <= 0.25 * tau {
        return t.sin() - 0.3;
    }
    // From the first crest on the motion repeats; sin t = 0.4 marks the other wall's arrival.
    let s = (t - 0.25 * tau) % tau;
    let rest = 0.4_f64.acos();
    match s {
        s if s <= rest => 0.7,
        s if s <= 0.5 * tau => s.cos() + 0.3,
        s if s <= 0.5 * tau + rest => -0.7,
        s => s.cos() - 0.3,
    }
}

#[test]
fn event_driven_finds_every_turn_of_the_play_to_1e_10() {
    let rows = ConstraintRows::dense(1, &[1.0, -1.0]).expect("rows");
    let set = MovingPolyhedron::new(rows, |t: f64, b| {
        (b[0], b[1]) = (t.sin() + 0.3, 0.3 - t.sin());
    })
    .expect("set")
    .with_rates(|t: f64, b| (b[0], b[1]) = (t.cos(), -t.cos()));
    let mut process = Process::new(set, 0.0, &[0.0])
        .and_then(|p| p.with_settings(method(Method::EventDriven)))
        .expect("process");
    let schedule = Schedule::fixed(20.0, 0.1);
    let error = worst_error(&mut process, &schedule, |t| vec![play(t)]);
    assert!(error < 1e-10, "{error:e}");
    // Six crests and troughs up to t = 20, and the wall met again after each.
    assert_eq!(process.summary().events, 13);
    assert_eq!(process.summary().within_bound(), Some(true));
}

#[test]
fn point_on_a_turning_line_stays_on_its_circle() {
    // C(t) = half-plane below a line through 0 that turns: u̇ is normal to the line, which leaves
    // |u| alone. Catching-up multiplies |u| by cos Δφ at every step, exactly.
    for steps in [10_u32, 100] {
        let half = HalfSpace::new(&[0.0, 1.0], 0.0).expect("half-plane");
        let set = TransformedSet::new(half).with_angle(|t| -t);
        let mut process = Process::new(set, 0.0, &[1.0, 0.0]).expect("process");
        let h = 1.0 / f64::from(steps);
        process
            .run(&Schedule::fixed(1.0, h), |_, _| {})
            .expect("run");
        let length = process.point()[0].hypot(process.point()[1]);
        let expected = h.cos().powi(i32::try_from(steps).expect("few"));
        // A hundred products: a hundred roundings.
        assert!((length - expected).abs() < 1e-14 * f64::from(steps));
        let angle = process.point()[1].atan2(process.point()[0]);
        assert!((angle + 1.0).abs() < 1e-13);
    }
}

#[test]
fn point_at_the_corner_of_a_wedge_goes_with_the_corner() {
    // Two half-planes at 60°; the corner moves against the wedge, within its normal cone.
    let (c, s) = (0.5, 0.75_f64.sqrt());
    let rows = ConstraintRows::dense(2, &[-s, c, -s, -c]).expect("rows");
    let set = MovingPolyhedron::new(rows, move |t: f64, b| {
        // Corner at (t + 0.1 sin t, 0).
        let x = t + 0.1 * t.sin();
        (b[0], b[1]) = (-s * x, -s * x);
    })
    .expect("set");
    let mut process = Process::new(set, 0.0, &[0.0, 0.0]).expect("process");
    let error = worst_error(&mut process, &Schedule::fixed(3.0, 0.1), |t| {
        vec![t + 0.1 * t.sin(), 0.0]
    });
    // Exact at every step: the corner is the nearest point.
    assert!(error < 1e-14, "{error:e}");
}

#[test]
fn shrinking_ball_in_space_draws_its_rim_inwards() {
    let ball = Ball::new(&[0.0; 3], 1.0).expect("ball");
    let set = TransformedSet::new(ball).with_scale(|t| 2.0 - t);
    let u0 = [1.0, 1.0, 0.5]; // |u0| = 1.5: reached at t = 0.5
    let mut process = Process::new(set, 0.0, &u0).expect("process");
    let error = worst_error(&mut process, &Schedule::fixed(1.5, 0.01), |t| {
        let length = (2.0 - t).min(1.5);
        u0.iter().map(|x| x * length / 1.5).collect()
    });
    assert!(error < 1e-14, "{error:e}");
    assert_eq!(process.summary().within_bound(), Some(true));
}
