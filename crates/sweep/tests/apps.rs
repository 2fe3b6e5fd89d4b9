//! Applications against closed forms, linear programming and the event-driven referee.

mod common;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SupportedConeT, ZeroConeT,
};
use common::method;
use sweep::apps::bar::Bar;
use sweep::apps::cavity::Shaft;
use sweep::apps::circuit::Rectifier;
use sweep::apps::crowd::Room;
use sweep::apps::hysteresis::Stack;
use sweep::apps::truss::{self, Truss};
use sweep::{Discs, Method, MovingSet, Obstacle, Process, Schedule, Smooth, SweepError};

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
    let stack = Stack::new(&[0.2, 0.5, 0.9, 1.4], &[3.0, 1.0, 0.5, 2.0]).expect("stack");
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
    let stack = Stack::new(&[0.1, 0.3, 0.6], &[1.0; 3]).expect("stack");
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
    let bar = Bar {
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

    let soft = Bar {
        hardening: 0.0,
        ..bar
    };
    let mut process = soft.process(0.0, strain).expect("process");
    process
        .run(&Schedule::fixed(1.0, 1e-2), |_, _| {})
        .expect("run");
    assert!((soft.stress(0.02, process.point()) - 1.0).abs() < 1e-14);
}

/// Three bars hang a node: vertical, and two at 45°.
fn three_bars(strength: f64) -> Truss {
    let nodes = vec![
        vec![-1.0, 1.0],
        vec![0.0, 1.0],
        vec![1.0, 1.0],
        vec![0.0, 0.0],
    ];
    let diagonal = 10.0 / 2.0_f64.sqrt(); // EA = 10, L = √2
    let bars = [(0, diagonal), (1, 10.0), (2, diagonal)].map(|(from, stiffness)| truss::Bar {
        from,
        to: 3,
        stiffness,
        strength,
    });
    let supports: Vec<_> = (0..3).flat_map(|n| [(n, 0), (n, 1)]).collect();
    Truss::new(&nodes, &bars, &supports).expect("truss")
}

#[test]
fn three_bar_truss_yields_collapses_and_keeps_the_self_stress_of_the_textbook() {
    let truss = three_bars(1.0);
    // Elastic: middle P/(1 + 2cos³α), sides cos²α of it; limit N(1 + 2cosα).
    let c = 0.5_f64.sqrt();
    let share = 1.0 / (1.0 + 2.0 * c.powi(3));
    let limit = 1.0 + 2.0 * c;
    // Load up to 2.3, then off.
    let load = |t: f64, f: &mut [f64]| f[7] = -2.3 * (1.0 - (t - 1.0).abs());
    let mut process = truss.process(0.0, load).expect("process");
    let mut u = 0.0;
    let mut worst = 0.0_f64;
    for k in 1..=200 {
        let t = 0.01 * f64::from(k);
        process.advance(t).expect("step");
        u += truss.displacement(process.set())[7];
        let p = 2.3 * (1.0 - (t - 1.0).abs());
        let s = process.point();
        let (middle, down) = if t <= 1.0 {
            // The sides carry what the middle cannot; the node sinks with the sides.
            let middle = (share * p).min(1.0);
            let side = (p - middle) / (2.0 * c);
            (
                middle,
                if middle < 1.0 {
                    middle / 10.0
                } else {
                    side / (5.0 * 2.0_f64.sqrt()) / c
                },
            )
        } else {
            // Elastic unloading from the peak.
            let side = 1.3 / (2.0 * c);
            let drop = 2.3 - p;
            (
                1.0 - share * drop,
                side / (5.0 * 2.0_f64.sqrt()) / c - share * drop / 10.0,
            )
        };
        worst = worst.max((s[1] - middle).abs()).max((s[0] - s[2]).abs());
        worst = worst.max((u + down).abs());
    }
    // Yield falls within a step: forces are path independent here, displacements add exactly.
    assert!(worst < 1e-12, "{worst:e}");
    let alpha = truss
        .limit_load(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0])
        .expect("limit");
    assert!((alpha - limit).abs() < 1e-9, "{alpha} {limit}");
    // Loaded beyond, C(t) is empty at the instant the limit is passed.
    let mut process = truss.process(0.0, |t, f| f[7] = -t).expect("process");
    let error = process
        .run(&Schedule::fixed(4.0, 0.01), |_, _| {})
        .expect_err("collapse");
    match error {
        SweepError::Empty { time, .. } => assert!(time > limit && time - limit < 0.0101),
        other => panic!("{other}"),
    }
}

#[test]
fn support_motion_stresses_the_truss_as_elasticity_says() {
    let truss = three_bars(100.0);
    let settle = |t: f64, u: &mut [f64]| u[3] = 0.01 * t;
    let mut process = truss
        .process_with_settlement(0.0, |_, _| {}, settle)
        .expect("process");
    process
        .run(&Schedule::fixed(1.0, 0.1), |_, _| {})
        .expect("run");
    let mut ubar = vec![0.0; 8];
    settle(1.0, &mut ubar);
    let s = truss.forces(process.point(), &ubar).expect("forces");
    // Node rises by v: 10(0.01 − v) = 2·(10/√2)·(v/√2)·(1/√2), no force at the sides' plane.
    let v = 0.01 / (1.0 + 0.5_f64.sqrt());
    assert!((s[1] - 10.0 * (0.01 - v)).abs() < 1e-13, "{s:?}");
    assert!((s[0] + 10.0 / 2.0_f64.sqrt() * v / 2.0_f64.sqrt()).abs() < 1e-13);
}

/// The limit load by linear programming: max α with Bᵀs = αF, |s| ≤ N.
fn limit_by_linear_programme(rows: &[Vec<(usize, f64)>], load: &[f64], strength: &[f64]) -> f64 {
    let (bars, equations) = (strength.len(), rows.len());
    let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for (k, row) in rows.iter().enumerate() {
        for &(b, c) in row {
            (i.push(k), j.push(b), v.push(c));
        }
        (i.push(k), j.push(bars), v.push(-load[k]));
    }
    let mut rhs = vec![0.0; equations];
    for (b, &n) in strength.iter().enumerate() {
        for sign in [1.0, -1.0] {
            (i.push(rhs.len()), j.push(b), v.push(sign));
            rhs.push(n);
        }
    }
    let a = CscMatrix::new_from_triplets(rhs.len(), bars + 1, i, j, v);
    let p = CscMatrix::zeros((bars + 1, bars + 1));
    let mut q = vec![0.0; bars + 1];
    q[bars] = -1.0;
    let cones: [SupportedConeT<f64>; 2] = [ZeroConeT(equations), NonnegativeConeT(2 * bars)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-11,
        tol_gap_rel: 1e-11,
        tol_feas: 1e-11,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&p, &q, &a, &rhs, &cones, settings).expect("programme");
    solver.solve();
    solver.solution.x[bars]
}

#[test]
fn limit_load_of_a_braced_tower_is_that_of_linear_programming() {
    // Three storeys, both diagonals: six degrees of redundancy less the supports.
    let nodes: Vec<Vec<f64>> = (0..4)
        .flat_map(|s| [vec![0.0, f64::from(s)], vec![1.0, f64::from(s)]])
        .collect();
    let mut bars = Vec::new();
    let mut add = |from: usize, to: usize, strength: f64| {
        let d = f64::hypot(nodes[to][0] - nodes[from][0], nodes[to][1] - nodes[from][1]);
        bars.push(truss::Bar {
            from,
            to,
            stiffness: 30.0 / d,
            strength,
        });
    };
    for s in 0..3 {
        let (l, r) = (2 * s, 2 * s + 1);
        add(l, l + 2, 2.0 - 0.3 * s as f64);
        add(r, r + 2, 2.0 - 0.2 * s as f64);
        add(l, r + 2, 1.0);
        add(r, l + 2, 0.7 + 0.1 * s as f64);
        add(l + 2, r + 2, 0.5);
    }
    let supports = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let truss = Truss::new(&nodes, &bars, &supports).expect("truss");
    let mut load = vec![0.0; 16];
    (load[14], load[12], load[15], load[8]) = (0.6, 0.4, -0.3, 0.2);
    let mut rows = vec![Vec::new(); 12];
    for (b, bar) in bars.iter().enumerate() {
        let (from, to) = (&nodes[bar.from], &nodes[bar.to]);
        let d = f64::hypot(to[0] - from[0], to[1] - from[1]);
        for axis in 0..2 {
            let c = (to[axis] - from[axis]) / d;
            for (node, sign) in [(bar.from, -1.0), (bar.to, 1.0)] {
                if node >= 2 {
                    rows[2 * (node - 2) + axis].push((b, sign * c));
                }
            }
        }
    }
    let strengths: Vec<f64> = bars.iter().map(|b| b.strength).collect();
    let programme = limit_by_linear_programme(&rows, &load[4..], &strengths);
    let alpha = truss.limit_load(&load).expect("limit");
    assert!(
        (alpha - programme).abs() < 1e-8 * programme,
        "{alpha} {programme}"
    );
    // And the process meets it: carried just below, empty just above.
    for (factor, carried) in [(1.0 - 1e-6, true), (1.0 + 1e-6, false)] {
        let fixed = load.clone();
        let goal = factor * alpha;
        let mut process = truss
            .process(0.0, move |t, f| {
                f.iter_mut()
                    .zip(&fixed)
                    .for_each(|(f, l)| *f = t * goal * l)
            })
            .expect("process");
        let end = process.run(&Schedule::fixed(1.0, 0.02), |_, _| {});
        assert_eq!(end.is_ok(), carried, "{factor}: {end:?}");
    }
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

/// A shaft of radius 1 that leans to the right, then back to the left (an overhang).
fn leaning() -> Smooth<Shaft> {
    Smooth::new(Shaft {
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
    let set = Smooth::new(Shaft {
        centre: vec![Box::new(|_| (0.0, 0.0)), Box::new(|_| (0.0, 0.0))],
        radius: Box::new(|z| (1.0 - z, -1.0)),
    })
    .expect("shaft");
    let mut process = Process::new(set, 0.0, &[0.3, 0.0]).expect("process");
    let error = process
        .run(&Schedule::fixed(2.0, 0.0625), |_, _| {})
        .expect_err("closed");
    match error {
        SweepError::Empty { time, .. } => assert!((1.0..=1.0625).contains(&time), "{time}"),
        other => panic!("{other}"),
    }
}

#[test]
fn admissible_radius_of_two_touching_discs_is_that_of_the_cylinder() {
    // In R⁴ the forbidden set |q₂ − q₁| < 2r is a cylinder of radius 2r/√2.
    let mut set = Discs::new(2, &[0.3, 0.3]).expect("discs");
    set.anchor(0.0, &[0.0, 0.0, 0.6, 0.0]).expect("anchor");
    let radius = set.radius().expect("radius").expect("finite");
    assert!((radius - 0.6 / 2.0_f64.sqrt()).abs() < 1e-14, "{radius}");
    // A disc between two half-planes that leave it no room: normals contradict, radius 0; a
    // disc in a corner touches only flat walls: no curvature, every distance will do.
    let wall = |normal: [f64; 2], offset: f64| Obstacle::HalfSpace {
        normal: normal.to_vec(),
        offset,
    };
    let mut corner = Discs::new(2, &[0.5])
        .expect("disc")
        .with_obstacles(move |_| vec![wall([1.0, 0.0], 0.0), wall([0.0, 1.0], 0.0)]);
    corner.anchor(0.0, &[0.5, 0.5]).expect("anchor");
    assert_eq!(corner.radius().expect("radius"), Some(f64::INFINITY));
}

#[test]
fn two_walkers_head_on_stop_where_they_touch() {
    let set = Discs::new(2, &[0.2, 0.3]).expect("discs");
    let mut process = Process::new(set, 0.0, &[-1.0, 0.0, 2.0, 0.0])
        .expect("process")
        .with_flow(|_, _, f| f.copy_from_slice(&[-1.0, 0.0, 1.0, 0.0]));
    process
        .run(&Schedule::fixed(3.0, 0.01), |_, _| {})
        .expect("run");
    // Equal and opposite wishes: after the touch at t = 1.25 nobody moves.
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
