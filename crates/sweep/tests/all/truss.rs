//! Elastoplastic bars and trusses against textbook forms and linear programming.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SupportedConeT, ZeroConeT,
};
use percuss_sweep::apps::truss::{self, Truss};
use percuss_sweep::{Schedule, SweepingError};

/// Three bars hang a node: vertical, and two at 45°.
fn three_bars(strength: f64) -> Truss {
    let nodes = vec![
        vec![-1.0, 1.0],
        vec![0.0, 1.0],
        vec![1.0, 1.0],
        vec![0.0, 0.0],
    ];
    let diagonal = 10.0 / 2.0_f64.sqrt(); // EA = 10, L = √2
    let bars = [(0, diagonal), (1, 10.0), (2, diagonal)].map(|(from, stiffness)| truss::TrussBar {
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
        SweepingError::Empty { time, .. } => assert!(time > limit && time - limit < 0.0101),
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
    let mut push = |row: usize, column: usize, value: f64| {
        i.push(row);
        j.push(column);
        v.push(value);
    };
    for (k, row) in rows.iter().enumerate() {
        for &(b, c) in row {
            push(k, b, c);
        }
        push(k, bars, -load[k]);
    }
    let mut rhs = vec![0.0; equations];
    for (b, &n) in strength.iter().enumerate() {
        for sign in [1.0, -1.0] {
            push(rhs.len(), b, sign);
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

/// Three storeys with both diagonals.
fn tower() -> (Vec<Vec<f64>>, Vec<truss::TrussBar>) {
    let nodes: Vec<Vec<f64>> = (0..4)
        .flat_map(|s| [vec![0.0, f64::from(s)], vec![1.0, f64::from(s)]])
        .collect();
    let mut bars = Vec::new();
    let mut add = |from: usize, to: usize, strength: f64| {
        let d = f64::hypot(nodes[to][0] - nodes[from][0], nodes[to][1] - nodes[from][1]);
        bars.push(truss::TrussBar {
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
    (nodes, bars)
}

#[test]
fn limit_load_of_a_braced_tower_is_that_of_linear_programming() {
    let (nodes, bars) = tower();
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
