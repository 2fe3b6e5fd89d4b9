//! Dense LU factorisation of one group of coordinates with row equilibration: P D A = L U, D the inverse row maxima.

/// Pivots of the equilibrated matrix below this are rounding of a singular matrix.
const PIVOT: f64 = 1e-14;

/// Whether |a_ij − a_ji| is at most `tolerance` times the largest entry (row-major, square).
pub(super) fn symmetric(a: &[f64], tolerance: f64) -> bool {
    let n = a.len().isqrt();
    let largest = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    (0..n).all(|i| (0..i).all(|j| (a[i * n + j] - a[j * n + i]).abs() <= tolerance * largest))
}

/// An LU factorisation with partial pivoting.
pub(super) struct Lu {
    n: usize,
    /// L without its unit diagonal, and U.
    factor: Vec<f64>,
    /// Row of the matrix in each row of the factor.
    order: Vec<usize>,
    /// Equilibration factor of each row of the matrix.
    scale: Vec<f64>,
}

impl Lu {
    /// Factors a row-major n × n matrix; fails with the column that has no pivot.
    pub(super) fn new(mut a: Vec<f64>, n: usize) -> Result<Self, usize> {
        // Equilibrate the rows.
        let mut scale = vec![1.0; n];
        for i in 0..n {
            let row = &mut a[i * n..(i + 1) * n];
            let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let inverse = largest.recip();
            if !inverse.is_finite() {
                return Err(i);
            }
            row.iter_mut().for_each(|v| *v *= inverse);
            scale[i] = inverse;
        }
        // Elimination with partial pivoting.
        let mut order: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let size = |i: usize| a[i * n + k].abs();
            let top = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            if size(top).is_nan() || size(top) <= PIVOT {
                return Err(k);
            }
            if top != k {
                order.swap(k, top);
                let (upper, lower) = a.split_at_mut(top * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            }
            let (upper, lower) = a.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n + k..(k + 1) * n];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] / pivot_row[0];
                row[k] = factor;
                if factor != 0.0 {
                    let rest = row[k + 1..].iter_mut().zip(&pivot_row[1..]);
                    rest.for_each(|(x, p)| *x -= factor * p);
                }
            }
        }
        Ok(Self {
            n,
            factor: a,
            order,
            scale,
        })
    }

    /// Replaces b by A⁻¹ b.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        // Scale and permute, then L, then U.
        let mut x: Vec<f64> = self.order.iter().map(|&i| self.scale[i] * b[i]).collect();
        for i in 0..n {
            let row = &self.factor[i * n..i * n + i];
            let known: f64 = row.iter().zip(&x).map(|(l, x)| l * x).sum();
            x[i] -= known;
        }
        for i in (0..n).rev() {
            let row = &self.factor[i * n + i..(i + 1) * n];
            let known: f64 = row[1..].iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
            x[i] = (x[i] - known) / row[0];
        }
        b.copy_from_slice(&x);
    }
}
