//! Factorisations against the matrices they factor.

use crate::common::*;
use percuss_convex::dense::{
    cholesky_in_place, ldlt_in_place, ldlt_solve, lu_in_place, lu_solve, row_space, solve_spd,
    symmetric_eigen,
};

fn apply(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len()).map(|r| dot(r, x)).collect()
}

#[test]
fn cholesky_ldlt_and_lu_solve_what_they_factored() {
    for case in 0..300u64 {
        let mut rng = Rng(case);
        let n = 1 + rng.below(12);
        let (a, x) = (rng.spd(n, 1.0), rng.vec(n));
        let b = apply(&a, &x);
        let (mut l, mut d, mut lu) = (a.clone(), a.clone(), a.clone());
        let mut pivots = vec![0; n];
        cholesky_in_place(&mut l, n).unwrap();
        ldlt_in_place(&mut d, n).unwrap();
        lu_in_place(&mut lu, n, &mut pivots).unwrap();
        let (mut p, mut q, mut r) = (b.clone(), b.clone(), b.clone());
        solve_spd(&l, n, &mut p);
        ldlt_solve(&d, n, &mut q);
        lu_solve(&lu, n, &pivots, &mut r);
        for y in [p, q, r] {
            // Residuals are backward stable; errors carry the condition, at most 1e4 here.
            assert!(
                norm(&sub(&apply(&a, &y), &b)) <= 1e-12 * (norm(&b) + norm(&a)),
                "case {case}"
            );
            assert!(norm(&sub(&x, &y)) <= 1e-9, "case {case}");
        }
    }
}

#[test]
fn ldlt_takes_quasi_definite_matrices_and_lu_needs_its_pivots() {
    let a = [2.0, 1.0, 1.0, -3.0];
    let mut f = a;
    ldlt_in_place(&mut f, 2).unwrap();
    let mut x = [1.0, 2.0];
    ldlt_solve(&f, 2, &mut x);
    assert!((2.0 * x[0] + x[1] - 1.0).abs() < 1e-15 && (x[0] - 3.0 * x[1] - 2.0).abs() < 1e-15);
    let mut swap = [0.0, 1.0, 1.0, 0.0];
    let mut pivots = [0; 2];
    lu_in_place(&mut swap, 2, &mut pivots).unwrap();
    let mut y = [3.0, 5.0];
    lu_solve(&swap, 2, &pivots, &mut y);
    assert_eq!(y, [5.0, 3.0]);
    let singular = lu_in_place(&mut [1.0, 2.0, 2.0, 4.0], 2, &mut pivots).unwrap_err();
    assert_eq!(
        singular.to_string(),
        "matrix is singular: no pivot left in column 1"
    );
    assert!(cholesky_in_place(&mut [1.0, 0.0, 0.0, -1.0], 2).is_err());
}

#[test]
fn row_space_splits_orthonormally_and_counts_the_rank() {
    for case in 0..300u64 {
        let mut rng = Rng(case + 1);
        let n = 1 + rng.below(7);
        let rank = rng.below(n + 1);
        let base = rng.vec(rank * n);
        // More rows than the rank, all combinations of `rank` of them.
        let mut rows = base.clone();
        for _ in 0..rng.below(4) {
            let mut r = vec![0.0; n];
            for b in base.chunks_exact(n) {
                r = add(&r, &times(b, rng.range(-1.0, 1.0)));
            }
            rows.extend(r);
        }
        let split = row_space(&rows, n, 1e-11);
        assert_eq!(split.rank, rank, "case {case}");
        let e: Vec<&[f64]> = split.basis.chunks_exact(n).collect();
        for i in 0..n {
            for j in 0..n {
                let want = f64::from(i == j);
                assert!((dot(e[i], e[j]) - want).abs() <= 1e-14, "case {case}");
            }
            for r in rows.chunks_exact(n) {
                if i >= rank {
                    assert!(dot(e[i], r).abs() <= 1e-13 * (1.0 + norm(r)), "case {case}");
                }
            }
        }
    }
}

#[test]
fn jacobi_diagonalises_and_keeps_small_eigenvalues() {
    for case in 0..200u64 {
        let mut rng = Rng(case + 2);
        let n = 1 + rng.below(8);
        let a = rng.spd(n, 2.0);
        let (mut d, mut v) = (a.clone(), vec![0.0; n * n]);
        symmetric_eigen(&mut d, n, &mut v);
        for i in 0..n {
            let e = &v[i * n..(i + 1) * n];
            let lambda = d[i * n + i];
            assert!(lambda > 0.0);
            assert!((norm(e) - 1.0).abs() <= 1e-13);
            assert!(
                norm(&sub(&apply(&a, e), &times(e, lambda))) <= 1e-13 * norm(&a),
                "case {case}"
            );
        }
    }
    // Graded matrix diag(s) [[1, ½], [½, 1]] diag(s) with s = (1, 1e-8): det = ¾·1e-16, so the
    // small eigenvalue is 0.75e-16 to relative rounding.
    let (mut d, mut v) = ([1.0, 0.5e-8, 0.5e-8, 1e-16], [0.0; 4]);
    symmetric_eigen(&mut d, 2, &mut v);
    let small = d[0].min(d[3]);
    assert!((small / 0.75e-16 - 1.0).abs() <= 1e-14, "{small:e}");
    // Indefinite and repeated eigenvalues.
    let (mut d, mut v) = ([0.0, 1.0, 1.0, 0.0], [0.0; 4]);
    symmetric_eigen(&mut d, 2, &mut v);
    assert!((d[0].min(d[3]) + 1.0).abs() <= 1e-15 && (d[0].max(d[3]) - 1.0).abs() <= 1e-15);
}
