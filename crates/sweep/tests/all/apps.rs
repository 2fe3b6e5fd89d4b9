//! Applications against closed forms and against the event-driven method.

use crate::common;

use crate::common::method;
use percuss_sweep::apps::bar::HardeningBar;
use percuss_sweep::apps::cavity::Shaft;
use percuss_sweep::apps::circuit::Rectifier;
use percuss_sweep::apps::crowd::Room;
use percuss_sweep::apps::hysteresis::PrandtlIshlinskii;
use percuss_sweep::{
    DiscConfiguration, InequalitySet, Method, MovingSet, Obstacle, Process, Schedule, SweepingError,
};

/// A triangle wave of amplitude a and period 4, starting at 0 upwards.
fn triangle(a: f64, t: f64) -> f64 {
    let s = t.rem_euclid(4.0);
    a * match s {
        s if s <= 1.0 => s,
        s if s <= 3.0 => 2.0 - s,
        s => s - 4.0,
    }
}

#[test]
fn stack_of_stops_loses_the_work_of_its_closed_form_and_closes_its_loops() {
    let stack =
        PrandtlIshlinskii::new(&[0.2, 0.5, 0.9, 1.4], &[3.0, 1.0, 0.5, 2.0]).expect("stack");
    let amplitude = 1.2;
    let mut process = stack
        .process(0.0, move |t| triangle(amplitude, t))
        .expect("process");
    let (mut last, mut work, mut cycle) = ((0.0, 0.0), 0.0, Vec::new());
    // 0.0005·1.2 divides no threshold: yields fall within steps.
    process
        .run(&Schedule::fixed(12.0, 5e-4), |s, u| {
            let v = triangle(amplitude, s.time);
            let force = stack.stop_output(v, u);
            work += 0.5 * (force + last.1) * (v - last.0);
            last = (v, force);
            if (s.time - 4.0 * (s.time / 4.0).round()).abs() < 1e-9 {
                cycle.push((work, force, u.to_vec()));
            }
        })
        .expect("run");
    let expected = stack.cycle_loss(amplitude);
    let loss = cycle[2].0 - cycle[1].0;
    // The trapezoidal rule loses ½ w δv² at each of eight yields, δv = 6e-4.
    assert!(
        (loss - expected).abs() < 1e-5 * expected,
        "{loss} {expected}"
    );
    // After the first cycle the loop is closed: same state, same force.
    for i in 0..4 {
        assert!((cycle[2].2[i] - cycle[1].2[i]).abs() < 1e-13);
    }
    assert_eq!(process.summary().within_bound(), Some(true));
}

#[test]
fn inner_loop_is_wiped_out_when_the_outer_branch_is_met_again() {
    let stack = PrandtlIshlinskii::new(&[0.1, 0.3, 0.6], &[1.0; 3]).expect("stack");
    // Up to 1; and up to 1 with an excursion 0.7 → 0.2 → 0.7 on the way.
    let plain = |t: f64| t.min(1.0);
    let detour = |t: f64| match t {
        t if t <= 0.7 => t,
        t if t <= 1.2 => 1.4 - t,
        t => (t - 1.0).min(1.0),
    };
    let run = |input: fn(f64) -> f64, end: f64| {
        let mut process = stack.process(0.0, input).expect("process");
        process
            .run(&Schedule::fixed(end, 1e-2), |_, _| {})
            .expect("run");
        process.point().to_vec()
    };
    let (one, two) = (run(plain, 1.0), run(detour, 2.0));
    for i in 0..3 {
        assert!((one[i] - two[i]).abs() < 1e-13);
    }
}

#[test]
fn hardening_bar_follows_the_bilinear_law_with_bauschinger_effect() {
    let bar = HardeningBar {
        modulus: 200.0,
        hardening: 50.0,
        strength: 1.0,
    };
    let tangent = 200.0 * 50.0 / 250.0;
    let strain = |t: f64| triangle(0.02, t);
    let mut process = bar.process(0.0, strain).expect("process");
    let yield_strain = 1.0 / 200.0;
    let peak = 1.0 + tangent * (0.02 - yield_strain);
    let mut worst = 0.0_f64;
    process
        .run(&Schedule::fixed(3.0, 1e-3), |s, w| {
            let e = strain(s.time);
            let stress = bar.stress(e, w);
            let exact = if s.time <= 1.0 {
                (200.0 * e).min(1.0 + tangent * (e - yield_strain))
            } else {
                // Elastic over a range of 2 σ_y, then the lower tangent.
                let back = 0.02 - e;
                let elastic = peak - 200.0 * back;
                elastic.max(peak - 2.0 - tangent * (back - 2.0 * yield_strain))
            };
            worst = worst.max((stress - exact).abs());
        })
        .expect("run");
    // Piecewise linear loading: the catching-up method is exact.
    assert!(worst < 1e-12, "{worst:e}");

    let soft = HardeningBar {
        hardening: 0.0,
        ..bar
    };
    let mut process = soft.process(0.0, strain).expect("process");
    process
        .run(&Schedule::fixed(1.0, 1e-2), |_, _| {})
        .expect("run");
    assert!((soft.stress(0.02, process.point()) - 1.0).abs() < 1e-14);
}

fn rectifier() -> Rectifier {
    Rectifier {
        inductance: 0.1,
        capacitance: 0.5,
        resistance: 0.2,
        load: 4.0,
    }
}

#[test]
fn rectifier_agrees_with_its_event_driven_solution_and_converges_with_order_one() {
    let run = |m: Method, h: f64| {
        let mut process = rectifier()
            .process(0.0, [0.0, 0.0], |t: f64| 2.0 * (3.0 * t).sin())
            .and_then(|p| p.with_settings(method(m)))
            .expect("process");
        let mut path = Vec::new();
        process
            .run(&Schedule::fixed(6.0, h), |s, x| {
                if (s.time * 10.0 - (s.time * 10.0).round()).abs() < 1e-6 {
                    path.push([x[0], x[1]]);
                }
            })
            .expect("run");
        assert!(process.summary().certified());
        (path, process.summary().events)
    };
    let apart = |a: &[[f64; 2]], b: &[[f64; 2]]| {
        assert_eq!(a.len(), b.len());
        let each = a.iter().zip(b);
        each.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]))
            .fold(0.0, f64::max)
    };
    let (exact, events) = run(Method::EventDriven, 0.1);
    assert!(events >= 5, "{events}");
    let errors: Vec<(f64, f64)> = [2e-3, 1e-3, 5e-4]
        .map(|h| (h, apart(&run(Method::CatchingUp, h).0, &exact)))
        .to_vec();
    for order in common::orders(&errors) {
        assert!((order - 1.0).abs() < 0.15, "{errors:?}");
    }
    let errors: Vec<(f64, f64)> = [4e-3, 2e-3, 1e-3]
        .map(|h| (h, apart(&run(Method::Trapezoidal, h).0, &exact)))
        .to_vec();
    // Order 2 between events; an event within a step costs up to h² as well, but unevenly.
    for order in common::orders(&errors) {
        assert!(order > 1.5, "{errors:?}");
    }
    assert!(errors[2].1 < 1e-4, "{errors:?}");
}

#[test]
fn blocked_rectifier_discharges_exponentially() {
    // V = −1: the diode blocks, v decays with R_load C = 2.
    let mut process = rectifier()
        .process(0.0, [0.0, 1.0], |_| -1.0)
        .and_then(|p| p.with_settings(method(Method::EventDriven)))
        .expect("process");
    process
        .run(&Schedule::fixed(2.0, 0.5), |_, _| {})
        .expect("run");
    assert!((process.point()[1] - (-1.0_f64).exp()).abs() < 1e-11);
    assert_eq!(process.point()[0], 0.0);
}

/// A shaft of radius 1 that is inclined to the right, then back to the left (an overhang).
fn leaning() -> InequalitySet<Shaft> {
    InequalitySet::new(Shaft {
        centre: vec![
            Box::new(|z: f64| (2.0 * z.sin(), 2.0 * z.cos())),
            Box::new(|_| (0.0, 0.0)),
        ],
        radius: Box::new(|_| (1.0, 0.0)),
    })
    .expect("shaft")
}

#[test]
fn water_falls_runs_down_the_wall_and_leaves_at_the_rim() {
    for (m, tolerance) in [(Method::EventDriven, 1e-10), (Method::CatchingUp, 4e-3)] {
        let mut process = Process::new(leaning(), 0.0, &[0.0, 0.6])
            .and_then(|p| p.with_settings(method(m)))
            .expect("process");
        let mut path = Vec::new();
        process
            .run(&Schedule::fixed(2.4, 1e-3), |s, u| {
                path.push((s.time, u[0], u[1]))
            })
            .expect("run");
        // Falls until the wall comes: (x − 2 sin z)² + 0.36 = 1 at 2 sin z = 0.8.
        let hit = 0.4_f64.asin();
        // On the wall it is a tractrix in the centre's path a = 2 sin z: y = sech(a − a₀).
        let start = (1.0_f64 / 0.6).acosh() - 0.8;
        for &(z, x, y) in &path {
            let (ex, ey) = if z < hit {
                (0.0, 0.6)
            } else {
                // The wall turns at z = π/2 (the rim): from there on the fall is vertical.
                let a = 2.0 * z.min(std::f64::consts::FRAC_PI_2).sin();
                let tau = a + start;
                (a - tau.tanh(), 1.0 / tau.cosh())
            };
            assert!(
                (x - ex).hypot(y - ey) < tolerance,
                "{m:?} at depth {z}: {x} {y}, {ex} {ey}"
            );
        }
        if m == Method::EventDriven {
            assert_eq!(process.summary().events, 2);
        }
    }
}

#[test]
fn closing_shaft_is_empty_with_its_depth() {
    let set = InequalitySet::new(Shaft {
        centre: vec![Box::new(|_| (0.0, 0.0)), Box::new(|_| (0.0, 0.0))],
        radius: Box::new(|z| (1.0 - z, -1.0)),
    })
    .expect("shaft");
    let mut process = Process::new(set, 0.0, &[0.3, 0.0]).expect("process");
    let error = process
        .run(&Schedule::fixed(2.0, 0.0625), |_, _| {})
        .expect_err("closed");
    match error {
        SweepingError::Empty { time, .. } => assert!((1.0..=1.0625).contains(&time), "{time}"),
        other => panic!("{other}"),
    }
}

#[test]
fn admissible_radius_of_two_touching_discs_is_that_of_the_cylinder() {
    // In R⁴ the forbidden set |q₂ − q₁| < 2r is a cylinder of radius 2r/√2.
    let mut set = DiscConfiguration::new(2, &[0.3, 0.3]).expect("discs");
    set.linearise_at(0.0, &[0.0, 0.0, 0.6, 0.0])
        .expect("anchor");
    let radius = set
        .prox_regularity_radius()
        .expect("radius")
        .expect("finite");
    assert!((radius - 0.6 / 2.0_f64.sqrt()).abs() < 1e-14, "{radius}");
    // A disc between two half-planes that leave it no room: normals contradict, radius 0; a
    // disc in a corner touches only flat walls: no curvature, every distance will do.
    let wall = |normal: [f64; 2], offset: f64| Obstacle::HalfSpace {
        normal: normal.to_vec(),
        offset,
    };
    let mut corner = DiscConfiguration::new(2, &[0.5])
        .expect("disc")
        .with_obstacles(move |_| vec![wall([1.0, 0.0], 0.0), wall([0.0, 1.0], 0.0)]);
    corner.linearise_at(0.0, &[0.5, 0.5]).expect("anchor");
    assert_eq!(
        corner.prox_regularity_radius().expect("radius"),
        Some(f64::INFINITY)
    );
}

#[test]
fn two_walkers_head_on_stop_where_they_touch() {
    let set = DiscConfiguration::new(2, &[0.2, 0.3]).expect("discs");
    let mut process = Process::new(set, 0.0, &[-1.0, 0.0, 2.0, 0.0])
        .expect("process")
        .with_perturbation(|_, _, f| f.copy_from_slice(&[-1.0, 0.0, 1.0, 0.0]));
    process
        .run(&Schedule::fixed(3.0, 0.01), |_, _| {})
        .expect("run");
    // Equal and opposite desired velocities: after the touch at t = 1.25 nobody moves.
    let q = process.point();
    assert!(
        (q[0] - 0.25).abs() < 1e-12 && (q[2] - 0.75).abs() < 1e-12,
        "{q:?}"
    );
}

#[test]
fn crowd_leaves_the_room_without_overlap() {
    let room = Room {
        depth: 6.0,
        width: 5.0,
        door: 1.1,
        radius: 0.25,
        speed: 1.2,
    };
    let q = room.fill(8, 6, 0.9, 3).expect("people");
    let mut process = room.process(&q).expect("process");
    let mut out = Vec::new();
    let mut least = f64::INFINITY;
    let summary = process
        .run(&Schedule::fixed(20.0, 0.02), |_, q| {
            out.push(room.outside(q))
        })
        .expect("run");
    least = least.min(process.set().least_gap(20.0, process.point()));
    // Overlap is excluded by convexity of the gaps, to rounding of positions below 30.
    assert!(summary.worst_after < 1e-12, "{:e}", summary.worst_after);
    assert!(least > -1e-12);
    assert!(summary.certified(), "{summary:?}");
    // Nobody comes back, many get out; the door slows them down: alone a person needs 5 s.
    assert!(out.windows(2).all(|w| w[0] <= w[1]));
    assert!(*out.last().expect("steps") >= 24, "{:?}", out.last());
    assert!(out[250] < 48);
    assert!(summary.least_radius.expect("not convex") < 0.4);
}
