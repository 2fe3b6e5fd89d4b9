//! Kernels on single blocks of Ĝ: gather u += Ĝ v̂, scatter v̂ += Ĝᵀ dr, expansion of a sphere's block.

/// Expands a sphere's block to a row-major 3 × 6 matrix.
pub(super) fn sphere_block(record: &[f64], which: u8) -> [f64; 18] {
    let (frame, scale) = record.split_at(9);
    let (s, c) = (scale[2 * which as usize], scale[2 * which as usize + 1]);
    let mut block = [0.0; 18];
    // Rows (s n, 0), (s t1, c t2), (s t2, −c t1).
    for k in 0..3 {
        block[k] = s * frame[k];
        block[6 + k] = s * frame[3 + k];
        block[9 + k] = c * frame[6 + k];
        block[12 + k] = s * frame[6 + k];
        block[15 + k] = -c * frame[3 + k];
    }
    block
}

/// A block of Ĝ, row-major: borrowed, or expanded from compressed storage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JacobianBlock<'a> {
    /// A dense block, borrowed.
    Stored(&'a [f64]),
    /// A sphere's block, expanded: 3 × 6.
    Sphere([f64; 18]),
}

impl std::ops::Deref for JacobianBlock<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::Stored(block) => block,
            Self::Sphere(block) => block,
        }
    }
}

/// u += Ĝ v̂ for a sphere: s v and c ω in the contact frame.
#[inline(always)]
pub(crate) fn gather_sphere(record: &[f64], which: u8, v: &[f64], u: &mut [f64]) {
    let f: &[f64; 13] = match record.first_chunk() {
        Some(f) => f,
        None => return,
    };
    let (s, c) = (f[9 + 2 * which as usize], f[10 + 2 * which as usize]);
    // (x, y, z) = s v, (a, b, d) = c ω.
    let (x, y, z) = (s * v[0], s * v[1], s * v[2]);
    let (a, b, d) = (c * v[3], c * v[4], c * v[5]);
    u[0] += f[0] * x + f[1] * y + f[2] * z;
    u[1] += f[3] * x + f[4] * y + f[5] * z + (f[6] * a + f[7] * b + f[8] * d);
    u[2] += f[6] * x + f[7] * y + f[8] * z - (f[3] * a + f[4] * b + f[5] * d);
}

/// v̂ += Ĝᵀ dr for a sphere.
#[inline(always)]
pub(super) fn scatter_sphere(record: &[f64], which: u8, dr: &[f64], v: &mut [f64]) {
    let f: &[f64; 13] = match record.first_chunk() {
        Some(f) => f,
        None => return,
    };
    let (s, c) = (f[9 + 2 * which as usize], f[10 + 2 * which as usize]);
    for k in 0..3 {
        v[k] += s * (f[k] * dr[0] + f[3 + k] * dr[1] + f[6 + k] * dr[2]);
        v[3 + k] += c * (f[6 + k] * dr[1] - f[3 + k] * dr[2]);
    }
}

/// u += Ĝ v̂ for a D × M block.
#[inline(always)]
pub(super) fn gather_fixed<const D: usize, const M: usize>(
    block: &[f64],
    v: &[f64],
    u: &mut [f64],
) {
    for i in 0..D {
        let mut sum = 0.0;
        for j in 0..M {
            sum += block[i * M + j] * v[j];
        }
        u[i] += sum;
    }
}

/// v̂ += Ĝᵀ dr for a D × M block.
#[inline(always)]
pub(super) fn scatter_fixed<const D: usize, const M: usize>(
    block: &[f64],
    dr: &[f64],
    v: &mut [f64],
) {
    for j in 0..M {
        let mut sum = 0.0;
        for i in 0..D {
            sum += block[i * M + j] * dr[i];
        }
        v[j] += sum;
    }
}
