//! Dense Gaussian elimination for blocks of a few rows, in stack buffers.

/// Largest number of rows of a bilateral or non-firm block; the stack buffers of the local solves have this
/// size. Larger bilateral groups can be split into several blocks without changing the problem.
pub const MAX_ROWS: usize = 32;

/// Calls `f` with a zeroed buffer of `len <= MAX_ROWS²` numbers. Two sizes, so that the usual
/// blocks of up to six rows do not pay for clearing the large one.
#[inline]
pub(super) fn with_buffer<R>(len: usize, f: impl FnOnce(&mut [f64]) -> R) -> R {
    if len <= 36 {
        f(&mut [0.0; 36][..len])
    } else {
        f(&mut [0.0; MAX_ROWS * MAX_ROWS][..len])
    }
}

/// Solves a x = b in place (row-major n x n, x replaces b) with partial pivoting.
/// False if a pivot vanishes or is not a number; b is then meaningless.
#[inline]
pub(super) fn solve(a: &mut [f64], n: usize, b: &mut [f64]) -> bool {
    for k in 0..n {
        // Largest entry of the column.
        let mut p = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[p * n + k].abs() {
                p = i;
            }
        }
        let pivot = a[p * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        if p != k {
            for j in k..n {
                a.swap(k * n + j, p * n + j);
            }
            b.swap(k, p);
        }
        // Eliminate below the pivot.
        for i in k + 1..n {
            let f = a[i * n + k] / pivot;
            if f != 0.0 {
                for j in k + 1..n {
                    a[i * n + j] -= f * a[k * n + j];
                }
                b[i] -= f * b[k];
            }
        }
    }
    // Back substitution.
    for k in (0..n).rev() {
        let mut s = b[k];
        for j in k + 1..n {
            s -= a[k * n + j] * b[j];
        }
        b[k] = s / a[k * n + k];
    }
    true
}

/// Solves a x = b for a matrix that may be singular: rows and columns are first scaled by
/// |a_ii|^(-1/2) (equilibration, so that rows of different units compare), then eliminated with complete pivoting;
/// unknowns whose pivot is rounding are set to zero. For a consistent system the answer is one of its solutions,
/// exact to rounding. `a` is destroyed, x replaces b.
pub(super) fn solve_any_rank(a: &mut [f64], n: usize, b: &mut [f64]) {
    debug_assert!(n <= MAX_ROWS);
    // Equilibrate.
    let mut scale = [1.0; MAX_ROWS];
    for i in 0..n {
        let d = a[i * n + i].abs();
        if d > 0.0 && d.is_finite() {
            scale[i] = 1.0 / d.sqrt();
        }
    }
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] *= scale[i] * scale[j];
        }
        b[i] *= scale[i];
    }
    let mut column = [0usize; MAX_ROWS];
    for (j, c) in column.iter_mut().enumerate() {
        *c = j;
    }
    let rank = eliminate_fully(a, n, b, &mut column);
    // Back substitution on the leading rank × rank block.
    let mut x = [0.0; MAX_ROWS];
    for k in (0..rank).rev() {
        let mut s = b[k];
        for j in k + 1..rank {
            s -= a[k * n + j] * x[j];
        }
        x[k] = s / a[k * n + k];
    }
    // Undo the column permutation and the scaling.
    for k in 0..n {
        b[column[k]] = x[k] * scale[column[k]];
    }
    if b.iter().any(|v| !v.is_finite()) {
        b.fill(0.0);
    }
}

/// Gaussian elimination with complete pivoting; returns the numerical rank.
fn eliminate_fully(a: &mut [f64], n: usize, b: &mut [f64], column: &mut [usize]) -> usize {
    let largest = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    // A pivot below this is the rounding of the elimination itself.
    let floor = 4.0 * n as f64 * f64::EPSILON * largest;
    for k in 0..n {
        // Largest entry of the remaining block.
        let (mut pi, mut pj) = (k, k);
        for i in k..n {
            for j in k..n {
                if a[i * n + j].abs() > a[pi * n + pj].abs() {
                    (pi, pj) = (i, j);
                }
            }
        }
        if a[pi * n + pj].abs() <= floor || a[pi * n + pj].is_nan() {
            return k;
        }
        for j in 0..n {
            a.swap(k * n + j, pi * n + j);
        }
        b.swap(k, pi);
        for i in 0..n {
            a.swap(i * n + k, i * n + pj);
        }
        column.swap(k, pj);
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            for j in k + 1..n {
                a[i * n + j] -= f * a[k * n + j];
            }
            b[i] -= f * b[k];
        }
    }
    n
}

/// Euclidean norm without overflow or underflow.
#[inline]
pub(super) fn norm(x: &[f64]) -> f64 {
    match x {
        [] => 0.0,
        [a] => a.abs(),
        _ => {
            let s = x.iter().map(|v| v * v).sum::<f64>();
            if s > 1e-280 && s < 1e280 {
                return s.sqrt();
            }
            let m = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if m == 0.0 || !m.is_finite() {
                return m;
            }
            m * x.iter().map(|v| (v / m) * (v / m)).sum::<f64>().sqrt()
        }
    }
}

/// Scalar product.
#[inline]
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// Trace of a row-major d x d block.
#[inline]
pub(super) fn trace(h: &[f64], d: usize) -> f64 {
    (0..d).map(|i| h[i * d + i]).sum()
}
