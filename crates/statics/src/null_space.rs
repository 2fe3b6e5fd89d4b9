//! Degree of hyperstaticity (static indeterminacy): the null space of Gᵀ on the admissible face.
//!
//! ```text
//! Gᵀ B x = 0,      rank by a QR factorisation with column pivoting
//! ```
//!
//! The rank is the number of diagonal entries of R above [`DROP`] of the first; the entries on
//! either side of the cut are reported, so that a doubtful decision can be seen. Dense: the cost grows
//! with the cube of the contacts of one connected component.

use faer::Mat;

/// A column depends on those before it if its diagonal entry of R is below this share of the largest.
/// Rounding leaves about 1e-15 times the size; geometry read from positions of 1e-12 relative
/// accuracy must not count as independent either.
const DROP: f64 = 1e-9;

/// Static indeterminacy of the impulses, with the figures behind the rank decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hyperstaticity {
    /// Degree of hyperstaticity: dimension of the null space of Gᵀ on the admissible face.
    pub degree: usize,
    /// Rank of Gᵀ there.
    pub rank: usize,
    /// Smallest diagonal entry of R above the cut, relative to the first; 1 without contacts.
    pub kept: f64,
    /// Largest one below the cut, relative to the first; 0 where none is.
    pub dropped: f64,
}

impl Hyperstaticity {
    /// That of an empty component.
    pub(crate) fn none() -> Self {
        Self {
            degree: 0,
            rank: 0,
            kept: 1.0,
            dropped: 0.0,
        }
    }

    /// That of two components together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            degree: self.degree + other.degree,
            rank: self.rank + other.rank,
            kept: self.kept.min(other.kept),
            dropped: self.dropped.max(other.dropped),
        }
    }
}

/// Hyperstaticity of a matrix (rows × columns, entries given) and for each column the size of its
/// row of the null space: 0 where the column is determined.
pub(crate) fn null_space(
    rows: usize,
    columns: usize,
    entries: &[(usize, usize, f64)],
) -> (Hyperstaticity, Vec<f64>) {
    // Dense matrix, QR with column pivoting.
    let mut matrix = Mat::<f64>::zeros(rows, columns);
    for &(row, column, value) in entries {
        matrix[(row, column)] += value;
    }
    // Rank from the diagonal of R.
    let qr = matrix.col_piv_qr();
    let r = qr.thin_R();
    let size = rows.min(columns);
    let first = if size > 0 { r[(0, 0)].abs() } else { 0.0 };
    let ratio = |k: usize| {
        if first > 0.0 {
            r[(k, k)].abs() / first
        } else {
            0.0
        }
    };
    let rank = (0..size).take_while(|k| ratio(*k) > DROP).count();
    let openness = Hyperstaticity {
        degree: columns - rank,
        rank,
        kept: if rank > 0 { ratio(rank - 1) } else { 1.0 },
        dropped: if rank < size { ratio(rank) } else { 0.0 },
    };
    // Null space N = P [−R11⁻¹ R12; 1]: every column of R12 by back substitution.
    let mut size_of = vec![0.0_f64; columns];
    let (forward, _) = qr.P().arrays();
    let mut x = vec![0.0; rank];
    for free in rank..columns {
        for i in 0..rank {
            x[i] = -r[(i, free)];
        }
        for i in (0..rank).rev() {
            x[i] /= r[(i, i)];
            for k in 0..i {
                x[k] -= r[(k, i)] * x[i];
            }
        }
        // Relative sizes of this null vector's entries.
        let largest = x.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        for (i, v) in x.iter().enumerate() {
            let entry = &mut size_of[forward[i]];
            *entry = entry.max(v.abs() / largest);
        }
        let entry = &mut size_of[forward[free]];
        *entry = entry.max(1.0 / largest);
    }
    (openness, size_of)
}
