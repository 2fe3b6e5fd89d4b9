//! Least-norm solution of small square systems M y = b that may be singular.
//!
//! Regular systems are solved by LU factorisation. Where a pivot is lost in rounding (dependent constraints: more
//! contacts than degrees of freedom), M = U Σ Vᵀ by one-sided Jacobi rotations, which is accurate for every singular
//! value, and y = V Σ⁺ Uᵀ b (pseudoinverse).

use percuss_convex::dense;

/// Rank tolerance: pivots and singular values below this share of the largest are zero. Dependent rows leave 1e-16
/// times the condition of the others, independent ones in use stay far above.
const RANK: f64 = 1e-10;

/// Solves M y = b (n × n, row-major, rows and columns of length about one) for the y of least norm. Returns y and
/// whether M is regular.
pub(crate) fn solve_least_norm(m: &[f64], b: &[f64]) -> (Vec<f64>, bool) {
    let n = b.len();
    let mut lu = m.to_vec();
    let mut pivots = vec![0; n];
    if dense::lu_in_place(&mut lu, n, &mut pivots).is_ok() {
        // Regular by the ratio of the pivots: solve, and refine once.
        let sizes = (0..n).map(|i| lu[i * n + i].abs());
        let (low, high) = sizes.fold((f64::INFINITY, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
        if low > RANK * high {
            let mut y = b.to_vec();
            dense::lu_solve(&lu, n, &pivots, &mut y);
            refine(m, b, &lu, &pivots, &mut y);
            return (y, true);
        }
    }
    (svd_solve(m, b), false)
}

/// One step of iterative refinement, y ← y + M⁻¹(b − M y).
fn refine(m: &[f64], b: &[f64], lu: &[f64], pivots: &[usize], y: &mut [f64]) {
    let n = b.len();
    let mut rest = vec![0.0; n];
    dense::mul_into(m, y, &mut rest);
    rest.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
    dense::lu_solve(lu, n, pivots, &mut rest);
    y.iter_mut().zip(&rest).for_each(|(y, r)| *y += r);
}

/// One-sided Jacobi SVD: rotates columns until they are orthogonal, M V = U Σ. Returns U Σ and V, by columns.
fn jacobi_svd(mut column: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let n = column.len();
    let mut v: Vec<Vec<f64>> = (0..n)
        .map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect())
        .collect();
    let sizes = column.iter().map(|c| dense::dot(c, c));
    // The remainder of a dependent column is rounding, which cannot be made orthogonal.
    let gone = f64::EPSILON * f64::EPSILON * sizes.fold(0.0, f64::max);
    for _ in 0..60 {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= orthogonalise(&mut column, &mut v, (p, q), gone);
            }
        }
        if !rotated {
            break;
        }
    }
    (column, v)
}

/// Pseudoinverse solution V Σ⁺ Uᵀ b.
fn svd_solve(m: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let column = (0..n).map(|j| (0..n).map(|i| m[i * n + j]).collect());
    let (column, v) = jacobi_svd(column.collect());
    let squares: Vec<f64> = column.iter().map(|c| dense::dot(c, c)).collect();
    let largest = squares.iter().fold(0.0_f64, |m, &s| m.max(s)).sqrt();
    let mut y = vec![0.0; n];
    for j in 0..n {
        if squares[j].sqrt() > RANK * largest {
            let share = dense::dot(&column[j], b) / squares[j];
            dense::axpy(share, &v[j], &mut y);
        }
    }
    y
}

/// Orthonormal basis of the null space, from the columns of a matrix.
pub(crate) fn null_space(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let (column, v) = jacobi_svd(columns);
    let sizes: Vec<f64> = column.iter().map(|c| dense::dot(c, c).sqrt()).collect();
    let largest = sizes.iter().fold(0.0_f64, |m, &s| m.max(s));
    let gone = |(v, size): (Vec<f64>, f64)| (size <= RANK * largest).then_some(v);
    v.into_iter().zip(sizes).filter_map(gone).collect()
}

/// Jacobi rotation that makes columns p and q orthogonal. Returns false if they are already, or if the square of one is
/// below `gone`.
fn orthogonalise(
    column: &mut [Vec<f64>],
    v: &mut [Vec<f64>],
    (p, q): (usize, usize),
    gone: f64,
) -> bool {
    let (a, b) = (
        dense::dot(&column[p], &column[p]),
        dense::dot(&column[q], &column[q]),
    );
    let c = dense::dot(&column[p], &column[q]);
    if a.min(b) <= gone || c.abs() <= f64::EPSILON * (a * b).sqrt() {
        return false;
    }
    // Angle of the rotation, by the smaller root of t² + 2ζt − 1 = 0.
    let zeta = (b - a) / (2.0 * c);
    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for m in [column, v] {
        for i in 0..m[p].len() {
            let (x, y) = (m[p][i], m[q][i]);
            m[p][i] = cosine * x - sine * y;
            m[q][i] = sine * x + cosine * y;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_singular_consistent_system_gets_its_shortest_solution() {
        // Three equal rows: y1 + y2 + y3 = 3 has the shortest solution (1, 1, 1).
        let (y, regular) = solve_least_norm(&[1.0; 9], &[3.0; 3]);
        assert!(!regular);
        // Rounding of a few rotations.
        y.iter().for_each(|y| assert!((y - 1.0).abs() < 1e-14));
    }

    #[test]
    fn an_unsymmetric_system_is_solved_to_rounding() {
        let m = [2.0, -1.0, 0.5, 0.25, 1.0, 3.0, -1.0, 0.0, 1.5];
        let want = [1.0, -2.0, 0.75];
        let mut b = [0.0; 3];
        dense::mul_into(&m, &want, &mut b);
        let (y, regular) = solve_least_norm(&m, &b);
        assert!(regular);
        // Condition about 10.
        (0..3).for_each(|i| assert!((y[i] - want[i]).abs() < 1e-14));
        let short = svd_solve(&m, &b);
        (0..3).for_each(|i| assert!((short[i] - want[i]).abs() < 1e-13));
    }
}
