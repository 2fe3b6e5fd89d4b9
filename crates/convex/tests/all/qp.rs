//! The prox onto polyhedra: optimality, degeneracy, conflicts, warm starts, impacts.

use crate::common::*;
use percuss_convex::qp::{LinearConstraints, ProxWorkspace, canonical_impact, prox};
use percuss_convex::{ConvexError, Metric};

/// The optimality conditions, which characterise the solution: each relative to the data.
fn check_kkt(
    metric: &Metric,
    rows: LinearConstraints<'_>,
    z: &[f64],
    v: &[f64],
    lambda: &[f64],
    tol: f64,
) {
    let n = z.len();
    let scale = 1.0 + norm(z) + norm(v);
    let mut force = vec![0.0; n];
    for (a, g) in rows.matrix.chunks_exact(n).enumerate() {
        let slack = rows.bounds[a] - dot(g, v);
        let unit = norm(g).max(1e-300);
        if a < rows.equalities {
            assert!(
                slack.abs() <= tol * scale * unit,
                "equation {a} off by {slack:e}"
            );
        } else {
            assert!(
                slack >= -tol * scale * unit,
                "row {a} violated by {slack:e}"
            );
            assert!(lambda[a] >= 0.0, "multiplier {a} is {}", lambda[a]);
            assert!(
                lambda[a] * slack <= tol * scale * scale * (1.0 + lambda[a] * unit),
                "row {a}: slack {slack:e} carries {}",
                lambda[a]
            );
        }
        for (f, gi) in force.iter_mut().zip(g) {
            *f += lambda[a] * gi;
        }
    }
    let mut moved = vec![0.0; n];
    metric.apply_into(&sub(z, v), &mut moved);
    let total: f64 = lambda
        .iter()
        .enumerate()
        .map(|(a, l)| l.abs() * norm(&rows.matrix[a * n..(a + 1) * n]))
        .sum();
    assert!(
        norm(&sub(&moved, &force)) <= tol * (scale + total + norm(&moved)),
        "A(z - v) is not the combination of the rows"
    );
}

/// Rows with a common interior point, some of them repeated, dependent or nearly so.
fn degenerate_rows(rng: &mut Rng, n: usize, m: usize, nearly: f64) -> (Vec<f64>, Vec<f64>) {
    let inner = rng.vec(n);
    let mut rows: Vec<f64> = Vec::new();
    for a in 0..m {
        let row = match rng.below(4) {
            0 if a > 0 => {
                let k = rng.below(a);
                let s = rng.range(0.2, 3.0);
                let mut r = times(&rows[k * n..(k + 1) * n], s);
                r[rng.below(n)] += nearly;
                r
            }
            1 if a > 1 => {
                let (i, j) = (rng.below(a), rng.below(a));
                let mut r = add(&rows[i * n..(i + 1) * n], &rows[j * n..(j + 1) * n]);
                r[rng.below(n)] += nearly;
                r
            }
            _ => rng.vec(n),
        };
        rows.extend(row);
    }
    let bounds = rows
        .chunks_exact(n)
        .map(|g| {
            dot(g, &inner)
                + if rng.below(3) == 0 {
                    0.0
                } else {
                    0.3 * rng.unit()
                }
        })
        .collect();
    (rows, bounds)
}

#[test]
fn random_and_degenerate_problems_meet_the_optimality_conditions() {
    for case in 0..4000u64 {
        let mut rng = Rng(case);
        let n = 1 + rng.below(8);
        let m = 1 + rng.below(3 * n + 2);
        let nearly = [0.0, 1e-10, 1e-6][rng.below(3)];
        let (rows, bounds) = degenerate_rows(&mut rng, n, m, nearly);
        let metric = Metric::new(n, &rng.spd(n, 2.0)).unwrap();
        let z = times(&rng.vec(n), 5.0);
        let r = LinearConstraints::inequalities(&rows, &bounds);
        let p = prox(&metric, r, &z).unwrap_or_else(|e| panic!("case {case}: {e}"));
        // Condition 1e4 of the metric times rounding, and rows dependent to 1e-10 leave 1e-9.
        check_kkt(
            &metric,
            r,
            &z,
            &p.point,
            &p.multipliers,
            if nearly > 0.0 { 1e-8 } else { 1e-10 },
        );
    }
}

#[test]
fn equality_rows_repeated_and_mixed_are_solved() {
    for case in 0..1000u64 {
        let mut rng = Rng(case + 77);
        let n = 2 + rng.below(6);
        let inner = rng.vec(n);
        let first = rng.vec(n);
        // The second equation repeats the first in another scale.
        let mut rows = [first.clone(), times(&first, -2.5)].concat();
        let mut bounds = vec![dot(&first, &inner), -2.5 * dot(&first, &inner)];
        for _ in 0..rng.below(6) {
            let g = rng.vec(n);
            bounds.push(dot(&g, &inner) + 0.1 * rng.unit());
            rows.extend(g);
        }
        let metric = Metric::new(n, &rng.spd(n, 1.0)).unwrap();
        let z = times(&rng.vec(n), 3.0);
        let r = LinearConstraints {
            matrix: &rows,
            bounds: &bounds,
            equalities: 2,
        };
        let p = prox(&metric, r, &z).unwrap_or_else(|e| panic!("case {case}: {e}"));
        check_kkt(&metric, r, &z, &p.point, &p.multipliers, 1e-11);
    }
}

#[test]
fn larger_problems_with_many_repeated_rows_terminate() {
    for case in 0..20u64 {
        let mut rng = Rng(case + 5);
        let n = 40;
        let (rows, bounds) = degenerate_rows(&mut rng, n, 150, 0.0);
        let metric = Metric::new(n, &rng.spd(n, 1.0)).unwrap();
        let z = times(&rng.vec(n), 10.0);
        let r = LinearConstraints::inequalities(&rows, &bounds);
        let p = prox(&metric, r, &z).unwrap_or_else(|e| panic!("case {case}: {e}"));
        check_kkt(&metric, r, &z, &p.point, &p.multipliers, 1e-9);
    }
}

#[test]
fn contradictory_rows_give_a_farkas_certificate() {
    for case in 0..2000u64 {
        let mut rng = Rng(case + 31);
        let n = 1 + rng.below(5);
        let k = 1 + rng.below(n);
        let mut rows = rng.vec(n * k);
        let weights: Vec<f64> = (0..k).map(|_| rng.range(0.1, 2.0)).collect();
        // Last row = −Σ weights·rows, its bound 0.1 below what the others allow.
        let mut last = vec![0.0; n];
        let mut bounds = rng.vec(k);
        for (w, g) in weights.iter().zip(rows.chunks_exact(n)) {
            last = sub(&last, &times(g, *w));
        }
        bounds.push(-dot(&weights, &bounds) - 0.1);
        rows.extend(last);
        // A row that takes no part in the contradiction.
        rows.extend(rng.vec(n));
        bounds.push(50.0);
        let z = times(&rng.vec(n), 2.0);
        let metric = Metric::new(n, &rng.spd(n, 1.0)).unwrap();
        match prox(&metric, LinearConstraints::inequalities(&rows, &bounds), &z) {
            Err(ConvexError::Inconsistent {
                rows: which,
                weights,
                combined,
            }) => {
                assert!(combined < 0.0);
                let mut sum = vec![0.0; n];
                let mut bound = 0.0;
                for (&a, &w) in which.iter().zip(&weights) {
                    assert!(w >= 0.0, "case {case}");
                    sum = add(&sum, &times(&rows[a * n..(a + 1) * n], w));
                    bound += w * bounds[a];
                }
                let size: f64 = weights.iter().sum();
                // Σ w g = 0 and Σ w c < 0, which no point can satisfy.
                assert!(norm(&sum) <= 1e-9 * size, "case {case}: {sum:?}");
                assert!(bound < 0.0, "case {case}: {bound}");
            }
            other => panic!("case {case}: expected a conflict, got {other:?}"),
        }
    }
}

#[test]
fn contradictory_equations_are_named() {
    let rows = [1.0, 2.0, 0.0, 1.0, 2.0, 4.0];
    let bounds = [1.0, 0.0, 2.5];
    let r = LinearConstraints {
        matrix: &rows,
        bounds: &bounds,
        equalities: 3,
    };
    let error = prox(&Metric::euclidean(2), r, &[0.0, 0.0]).unwrap_err();
    let ConvexError::Inconsistent { rows, .. } = &error else {
        panic!("{error}")
    };
    let mut named = rows.clone();
    named.sort_unstable();
    assert_eq!(named, vec![0, 2], "{error}");
    assert!(error.to_string().contains("contradict"), "{error}");
}

#[test]
fn zero_rows_are_ignored_or_refused_by_their_bound() {
    let m = Metric::euclidean(2);
    let fine = prox(
        &m,
        LinearConstraints::inequalities(&[0.0, 0.0, 1.0, 0.0], &[1.0, -1.0]),
        &[3.0, 4.0],
    )
    .unwrap();
    assert_eq!(fine.point, vec![-1.0, 4.0]);
    let bad = prox(
        &m,
        LinearConstraints::inequalities(&[0.0, 0.0], &[-1.0]),
        &[3.0, 4.0],
    );
    assert!(
        matches!(bad, Err(ConvexError::Inconsistent { ref rows, .. }) if rows == &vec![0]),
        "{bad:?}"
    );
}

#[test]
fn warm_start_reaches_the_same_point_in_fewer_steps() {
    let (mut cold_total, mut warm_total) = (0, 0);
    let mut ws = ProxWorkspace::new();
    for case in 0..500u64 {
        let mut rng = Rng(case + 9);
        let n = 3 + rng.below(8);
        let (rows, bounds) = degenerate_rows(&mut rng, n, 3 * n, 0.0);
        let metric = Metric::new(n, &rng.spd(n, 1.0)).unwrap();
        let r = LinearConstraints::inequalities(&rows, &bounds);
        let z = times(&rng.vec(n), 4.0);
        ws.solve(&metric, r, &z).unwrap();
        let active = ws.active().to_vec();
        let near = add(&z, &times(&rng.vec(n), 1e-3));
        let cold = ws.solve(&metric, r, &near).unwrap().iterations;
        let cold_point = ws.point().to_vec();
        let warm = ws
            .solve_warm(&metric, r, &near, &active)
            .unwrap()
            .iterations;
        assert!(
            norm(&sub(ws.point(), &cold_point)) <= 1e-9 * (1.0 + norm(&z)),
            "case {case}"
        );
        // Invalid rows in the warm start are ignored.
        ws.solve_warm(&metric, r, &near, &[9999, 0, 0, 1, 2, 3])
            .unwrap();
        assert!(
            norm(&sub(ws.point(), &cold_point)) <= 1e-9 * (1.0 + norm(&z)),
            "case {case}"
        );
        cold_total += cold;
        warm_total += warm;
    }
    assert!(
        3 * warm_total < cold_total,
        "warm {warm_total}, cold {cold_total}"
    );
}

#[test]
fn solution_does_not_depend_on_units() {
    for case in 0..300u64 {
        let mut rng = Rng(case + 400);
        let n = 2 + rng.below(5);
        let (rows, bounds) = degenerate_rows(&mut rng, n, 2 * n, 0.0);
        let a = rng.spd(n, 1.0);
        let z = times(&rng.vec(n), 4.0);
        let base = prox(
            &Metric::new(n, &a).unwrap(),
            LinearConstraints::inequalities(&rows, &bounds),
            &z,
        )
        .unwrap();
        // Lengths × 1e-9, masses × 1e7, each row in its own unit.
        let (len, mass) = (1e-9, 1e7);
        let mut rows2 = rows.clone();
        let mut bounds2 = bounds.clone();
        for k in 0..bounds.len() {
            let s = 10f64.powf(rng.range(-6.0, 6.0));
            for x in &mut rows2[k * n..(k + 1) * n] {
                *x *= s;
            }
            bounds2[k] *= s * len;
        }
        let other = prox(
            &Metric::new(n, &times(&a, mass)).unwrap(),
            LinearConstraints::inequalities(&rows2, &bounds2),
            &times(&z, len),
        )
        .unwrap();
        let back = times(&other.point, 1.0 / len);
        assert!(
            norm(&sub(&back, &base.point)) <= 1e-9 * (1.0 + norm(&z)),
            "case {case}"
        );
    }
}

#[test]
fn bad_arguments_of_the_prox_and_the_impact_are_named() {
    let m = Metric::euclidean(2);
    let say = |e: ConvexError| e.to_string();
    assert_eq!(
        say(prox(
            &m,
            LinearConstraints::inequalities(&[1.0], &[0.0]),
            &[0.0, 0.0]
        )
        .unwrap_err()),
        "row matrix has length 1, expected 2"
    );
    assert_eq!(
        say(prox(
            &m,
            LinearConstraints::inequalities(&[], &[]),
            &[0.0, f64::NAN]
        )
        .unwrap_err()),
        "point to project[1] is NaN, expected a finite number"
    );
    assert_eq!(
        say(canonical_impact(&[0.0, 0.0], &[1.0, 0.0], 0, &m, 1.5).unwrap_err()),
        "restitution is 1.5, expected a number in [0, 1]"
    );
    assert_eq!(
        say(canonical_impact(&[0.0], &[1.0, 0.0], 0, &m, 0.5).unwrap_err()),
        "velocity before impact has length 1, expected 2"
    );
    assert!(
        say(canonical_impact(&[1.0, 0.0], &[1.0, 0.0], 1, &m, 0.5).unwrap_err())
            .contains("bilateral")
    );
    let eq = LinearConstraints {
        matrix: &[1.0, 0.0],
        bounds: &[0.0],
        equalities: 2,
    };
    assert_eq!(
        say(prox(&m, eq, &[0.0, 0.0]).unwrap_err()),
        "number of equality rows is 2, expected at most the number of rows"
    );
    assert_eq!(
        say(Metric::new(2, &[1.0, 0.0, 0.0, -1.0]).unwrap_err()),
        "metric is not positive definite: pivot 1 is -1"
    );
    assert!(say(Metric::new(2, &[1.0, 0.5, 0.0, 1.0]).unwrap_err()).contains("not symmetric"));
}

#[test]
fn repeated_solves_keep_their_storage() {
    let mut rng = Rng(12);
    let n = 6;
    let (rows, bounds) = degenerate_rows(&mut rng, n, 15, 0.0);
    let mut metric = Metric::new(n, &rng.spd(n, 1.0)).unwrap();
    let mut ws = ProxWorkspace::new();
    ws.solve(
        &metric,
        LinearConstraints::inequalities(&rows, &bounds),
        &rng.vec(n),
    )
    .unwrap();
    let place = |ws: &ProxWorkspace, m: &Metric| {
        (
            ws.point().as_ptr(),
            ws.multipliers().as_ptr(),
            ws.active().as_ptr(),
            m.factor().as_ptr(),
        )
    };
    let first = place(&ws, &metric);
    for _ in 0..200 {
        metric.reset(&rng.spd(n, 1.0)).unwrap();
        let z = times(&rng.vec(n), 5.0);
        ws.solve(&metric, LinearConstraints::inequalities(&rows, &bounds), &z)
            .unwrap();
        assert_eq!(place(&ws, &metric), first);
    }
}
