//! The event-driven method where several inequalities, a metric and a perturbation meet.

use crate::common::{method, orders, worst_error};
use percuss_sweep::{
    ConstraintRows, Inequalities, InequalitySet, Method, Metric, MovingPolyhedron, Process,
    Schedule,
};

/// The play of half width r on an input that is monotone between the given turning points:
/// each branch moves u to max(u, v − r) or min(u, v + r).
fn play(input: impl Fn(f64) -> f64, turns: &[f64], r: f64, t: f64) -> f64 {
    let mut u = 0.0_f64;
    let mut from = 0.0;
    for &end in turns.iter().chain([&f64::INFINITY]) {
        let v = input(t.min(end));
        u = if v >= input(from) {
            u.max(v - r)
        } else {
            u.min(v + r)
        };
        if t <= end {
            break;
        }
        from = end;
    }
    u
}

fn lissajous(t: f64) -> [f64; 2] {
    [1.5 * t.sin(), 2.0 * (1.3 * t).sin()]
}

#[test]
fn square_on_a_lissajous_path_is_followed_through_all_corners_to_1e_10() {
    let rows = ConstraintRows::dense(2, &[1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0]).expect("rows");
    let r = 0.4;
    let set = MovingPolyhedron::new(rows, move |t, b| {
        let [x, y] = lissajous(t);
        b.copy_from_slice(&[x + r, r - x, y + r, r - y]);
    })
    .expect("set")
    .with_rates(|t, b| {
        let (x, y) = (1.5 * t.cos(), 2.6 * (1.3 * t).cos());
        b.copy_from_slice(&[x, -x, y, -y]);
    });
    let quarter = std::f64::consts::FRAC_PI_2;
    let turns_x: Vec<f64> = (0..10).map(|k| quarter * f64::from(2 * k + 1)).collect();
    let turns_y: Vec<f64> = turns_x.iter().map(|t| t / 1.3).collect();
    let exact = |t: f64| {
        vec![
            play(|t| lissajous(t)[0], &turns_x, r, t),
            play(|t| lissajous(t)[1], &turns_y, r, t),
        ]
    };
    let mut process = Process::new(set, 0.0, &[0.0, 0.0])
        .and_then(|p| p.with_settings(method(Method::EventDriven)))
        .expect("process");
    // Few long steps: events must be found inside them.
    let error = worst_error(&mut process, &Schedule::fixed(12.0, 0.75), exact);
    assert!(error < 1e-10, "{error:e}");
    assert_eq!(process.summary().within_bound(), Some(true));
}

#[test]
fn rates_by_differences_are_as_good() {
    let make = || {
        let rows = ConstraintRows::dense(1, &[1.0, -1.0]).expect("rows");
        MovingPolyhedron::new(rows, |t: f64, b| {
            (b[0], b[1]) = (t.sin() + 0.3, 0.3 - t.sin())
        })
        .expect("set")
    };
    let run = |set: MovingPolyhedron| {
        let mut process = Process::new(set, 0.0, &[0.0])
            .and_then(|p| p.with_settings(method(Method::EventDriven)))
            .expect("process");
        let schedule = Schedule::fixed(10.0, 0.5);
        process.run(&schedule, |_, _| {}).expect("run");
        process.point()[0]
    };
    let given = run(make().with_rates(|t: f64, b| (b[0], b[1]) = (t.cos(), -t.cos())));
    assert!((run(make()) - given).abs() < 1e-11);
}

/// Intersection of two discs that moves and changes its size.
struct Lens;

fn lens(t: f64) -> [(f64, f64, f64); 2] {
    // Centre and squared radius.
    [
        (0.6 + t.sin(), 0.3 * t, 1.0 + 0.2 * t.cos()),
        (-0.6 + t.sin(), 0.3 * t, 1.3),
    ]
}

impl Inequalities for Lens {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        2
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        for (c, (a, b, square)) in out.iter_mut().zip(lens(t)) {
            *c = 0.5 * ((x[0] - a).powi(2) + (x[1] - b).powi(2) - square);
        }
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        for (g, (a, b, _)) in out.chunks_exact_mut(2).zip(lens(t)) {
            (g[0], g[1]) = (x[0] - a, x[1] - b);
        }
    }
    fn rates(&self, t: f64, x: &[f64], out: &mut [f64]) {
        let shrink = [-0.2 * t.sin(), 0.0];
        for (k, (a, b, _)) in lens(t).into_iter().enumerate() {
            out[k] = -(x[0] - a) * t.cos() - (x[1] - b) * 0.3 - 0.5 * shrink[k];
        }
    }
}

#[test]
fn catching_up_tends_to_the_event_driven_solution_in_a_metric_with_a_perturbation() {
    let metric = Metric::full(2, &[2.0, 0.5, 0.5, 1.0]).expect("metric");
    let run = |m: Method, h: f64| {
        let mut process = Process::new(InequalitySet::new(Lens).expect("set"), 0.0, &[0.0, 0.0])
            .and_then(|p| p.with_metric(metric.clone()))
            .and_then(|p| p.with_settings(method(m)))
            .expect("process")
            // A spring towards (0, 2) and a breeze.
            .with_perturbation(|t, u, f| (f[0], f[1]) = (u[0] - 0.2 * t.cos(), u[1] - 2.0));
        let mut path = Vec::new();
        process
            .run(&Schedule::fixed(6.0, h), |s, u| {
                if (s.time * 4.0 - (s.time * 4.0).round()).abs() < 1e-7 {
                    path.push([u[0], u[1]]);
                }
            })
            .expect("run");
        assert!(process.summary().certified(), "{:?}", process.summary());
        (path, process.summary().events)
    };
    let (exact, events) = run(Method::EventDriven, 0.25);
    // Both walls are met and left, and both are held at once for a while.
    assert!(events >= 4, "{events}");
    let mut errors = Vec::new();
    for h in [1.0 / 64.0, 1.0 / 128.0, 1.0 / 256.0, 1.0 / 512.0] {
        let path = run(Method::CatchingUp, h).0;
        let each = path.iter().zip(&exact);
        let worst = each
            .map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]))
            .fold(0.0, f64::max);
        errors.push((h, worst));
    }
    for order in orders(&errors) {
        assert!((order - 1.0).abs() < 0.2, "{errors:?}");
    }
    // A twice finer event-driven run changes nothing.
    let finer = run(Method::EventDriven, 0.125).0;
    for (a, b) in finer.iter().zip(&exact) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-10);
    }
}
