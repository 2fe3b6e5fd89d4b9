//! Orthogonal transformations: Givens rotations, and the row space of a matrix by Householder
//! reflections with row pivoting (the longest remaining row first).

use super::{dot, norm};

/// Rotation (c, s, r) with c a + s b = r and −s a + c b = 0.
#[inline]
pub fn givens(a: f64, b: f64) -> (f64, f64, f64) {
    if b == 0.0 {
        return (1.0, 0.0, a);
    }
    let r = a.hypot(b);
    (a / r, b / r, r)
}

/// Applies the rotation (c, s) to rows i and j of a matrix with n columns.
#[inline]
pub fn rotate_rows(m: &mut [f64], n: usize, i: usize, j: usize, c: f64, s: f64) {
    for k in 0..n {
        let (a, b) = (m[i * n + k], m[j * n + k]);
        m[i * n + k] = c * a + s * b;
        m[j * n + k] = c * b - s * a;
    }
}

/// An orthonormal basis of Rⁿ split by the rows of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSpace {
    /// Numerical rank: how many of the basis vectors span the rows.
    pub rank: usize,
    /// n×n orthogonal matrix by rows: the first `rank` span the row space, the others are
    /// orthogonal to every row (a basis of the null space).
    pub basis: Vec<f64>,
}

/// Splits Rⁿ into the row space of the m×n matrix `rows` and its orthogonal complement.
///
/// Householder reflections take the longest remaining row first; a row whose remainder is shorter than
/// `tolerance` times the longest row is dependent.
pub fn row_space(rows: &[f64], n: usize, tolerance: f64) -> RowSpace {
    let mut basis = vec![0.0; n * n];
    for i in 0..n {
        basis[i * n + i] = 1.0;
    }
    if n == 0 {
        return RowSpace { rank: 0, basis };
    }
    // Remaining rows, transformed by the reflectors so far.
    let mut work: Vec<Vec<f64>> = rows.chunks_exact(n).map(<[f64]>::to_vec).collect();
    let longest = work.iter().map(|r| norm(r)).fold(0.0, f64::max);
    let mut reflectors: Vec<Vec<f64>> = Vec::new();
    while reflectors.len() < n {
        let k = reflectors.len();
        // Pivot: the longest remainder.
        let pick =
            (0..work.len()).max_by(|&i, &j| norm(&work[i][k..]).total_cmp(&norm(&work[j][k..])));
        let Some(row) = pick.map(|i| work.swap_remove(i)) else {
            break;
        };
        let len = norm(&row[k..]);
        if len <= tolerance * longest || len == 0.0 {
            break;
        }
        // Reflector that maps the remainder of the row to the k-th axis.
        let mut v = vec![0.0; n];
        v[k..].copy_from_slice(&row[k..]);
        v[k] += len.copysign(row[k]);
        let vv = dot(&v, &v);
        for w in &mut work {
            reflect(&v, vv, w);
        }
        reflectors.push(v);
    }
    // Row k of the basis is H_1 … H_r e_k.
    for row in basis.chunks_exact_mut(n) {
        for v in reflectors.iter().rev() {
            reflect(v, dot(v, v), row);
        }
    }
    RowSpace {
        rank: reflectors.len(),
        basis,
    }
}

/// x ← (I − 2 v vᵀ/vᵀv) x.
fn reflect(v: &[f64], vv: f64, x: &mut [f64]) {
    let s = 2.0 * dot(v, x) / vv;
    super::axpy(-s, v, x);
}
