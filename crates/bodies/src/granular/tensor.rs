//! Second-order tensors (stress, fabric): principal values, mean, deviator.

/// A second-order tensor, row by row; the third row and column are 0 in the plane.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tensor(pub [[f64; 3]; 3]);

/// Largest number of sweeps of the cyclic Jacobi method: a 3 × 3 matrix needs four or five.
const SWEEPS: usize = 30;

impl Tensor {
    /// Adds w a ⊗ b.
    #[inline]
    pub fn add(&mut self, w: f64, a: &[f64; 3], b: &[f64; 3]) {
        for (row, x) in self.0.iter_mut().zip(a) {
            for (entry, y) in row.iter_mut().zip(b) {
                *entry += w * x * y;
            }
        }
    }

    /// The tensor times a number.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self(self.0.map(|row| row.map(|x| factor * x)))
    }

    /// Trace over the dimension; of a stress, the pressure.
    pub fn mean(&self, dimension: usize) -> f64 {
        let trace: f64 = (0..dimension).map(|k| self.0[k][k]).sum();
        trace / dimension as f64
    }

    /// Principal values of the symmetric part, in descending order, with their unit vectors (cyclic Jacobi method). NaN
    /// where an entry is not finite. In the plane the last pair is that of the third axis, which does not count.
    pub fn principal(&self, dimension: usize) -> ([f64; 3], [[f64; 3]; 3]) {
        // Symmetric part.
        let mut a = self.0;
        for i in 0..3 {
            for j in 0..i {
                let middle = 0.5 * (a[i][j] + a[j][i]);
                (a[i][j], a[j][i]) = (middle, middle);
            }
        }
        let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if a.iter().flatten().any(|x| !x.is_finite()) {
            return ([f64::NAN; 3], [[f64::NAN; 3]; 3]);
        }
        // Cyclic Jacobi sweeps until the off-diagonal part is exactly 0.
        for _ in 0..SWEEPS {
            let rest = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
            if rest == 0.0 {
                break;
            }
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                rotate(&mut a, &mut axes, p, q);
            }
        }
        let mut order = [0, 1, 2];
        order[..dimension].sort_by(|i, j| a[*j][*j].total_cmp(&a[*i][*i]));
        (order.map(|k| a[k][k]), order.map(|k| upright(axes[k])))
    }

    /// Deviator over mean: in the plane ½(σ₁ − σ₂) over ½(σ₁ + σ₂), in space √(3/2 s:s) over ⅓ tr σ. NaN where the mean
    /// is 0.
    pub fn deviator_ratio(&self, dimension: usize) -> f64 {
        let mean = self.mean(dimension);
        let ([a, b, c], _) = self.principal(dimension);
        let deviator = match dimension {
            2 => 0.5 * (a - b),
            _ => {
                let squares = (a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2);
                (0.5 * squares).sqrt()
            }
        };
        if mean == 0.0 {
            return f64::NAN;
        }
        deviator / mean
    }

    /// Largest minus smallest principal value.
    pub fn anisotropy(&self, dimension: usize) -> f64 {
        let (values, _) = self.principal(dimension);
        values[0] - values[dimension - 1]
    }
}

/// A Jacobi rotation that makes entry (p, q) zero. Rows of `axes` are the eigenvectors.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    // Tangent, cosine and sine of the rotation angle; the smaller root is the stable one.
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let off = a[p][q];
    a[p][p] -= t * off;
    a[q][q] += t * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    // The rest of the rows p and q, then the eigenvectors.
    let r = 3 - p - q;
    let (x, y) = (a[r][p], a[r][q]);
    (a[r][p], a[r][q]) = (c * x - s * y, s * x + c * y);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for k in 0..3 {
        let (x, y) = (axes[p][k], axes[q][k]);
        (axes[p][k], axes[q][k]) = (c * x - s * y, s * x + c * y);
    }
}

/// The sign of a principal axis is arbitrary: its first component that is not 0 is made positive.
fn upright(axis: [f64; 3]) -> [f64; 3] {
    let first = axis.iter().find(|x| x.abs() > 1e-12);
    match first {
        Some(x) if *x < 0.0 => axis.map(|x| -x),
        _ => axis,
    }
}
