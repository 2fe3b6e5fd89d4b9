//! Dense partial LU factorisation of one front.

use faer::linalg::matmul::matmul;
use faer::reborrow::*;
use faer::{Accum, MatMut, MatRef, Par};

/// Panel width: pivots that are eliminated before the trailing part of a front is updated.
const PANEL: usize = 32;

/// Number of multiplications from which the general matrix product (faer) pays.
const LARGE: usize = 60_000;

/// A pivot below this fraction of the largest entry of its front has lost all digits.
const VANISHING: f64 = 1e-16;

/// F (m × m, row-major) becomes [L₁₁\U₁₁ U₁₂; L₂₁ update] for the first `pivots` rows, `update` being the Schur
/// complement; L has a unit diagonal. False where a pivot vanishes.
pub(super) fn factor_front(front: &mut [f64], m: usize, pivots: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        #[allow(unsafe_code)]
        return unsafe { eliminate_avx2(front, m, pivots) };
    }
    eliminate_any(front, m, pivots)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn eliminate_avx2(front: &mut [f64], m: usize, pivots: usize) -> bool {
    eliminate_any(front, m, pivots)
}

#[inline(always)]
fn eliminate_any(front: &mut [f64], m: usize, pivots: usize) -> bool {
    // Reference for vanishing pivots; rejects values that are not finite.
    let largest = front.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if !largest.is_finite() {
        return false;
    }
    let mut k = 0;
    while k < pivots {
        // One panel: blocked update by a matrix product in large fronts, row-wise elimination in small ones.
        let end = (k + PANEL).min(pivots);
        let rest = m - end;
        if rest * rest * (end - k) >= LARGE {
            if !columns(front, m, k, end, VANISHING * largest) {
                return false;
            }
            rows(front, m, k, end);
            product(front, m, k, end);
        } else if !narrow(front, m, k, end, VANISHING * largest) {
            return false;
        }
        k = end;
    }
    true
}

/// Eliminates the pivots k..end from the whole front, up to four at a time.
#[inline(always)]
fn narrow(front: &mut [f64], m: usize, k: usize, end: usize, least: f64) -> bool {
    let mut k = k;
    while k + 4 <= end {
        if !few::<4>(front, m, k, least) {
            return false;
        }
        k += 4;
    }
    match end - k {
        3 => few::<3>(front, m, k, least),
        2 => few::<2>(front, m, k, least),
        1 => few::<1>(front, m, k, least),
        _ => true,
    }
}

/// Eliminates the pivots k..k + B from the whole front in one pass over the rows below.
#[inline(always)]
fn few<const B: usize>(front: &mut [f64], m: usize, k: usize, least: f64) -> bool {
    let next = k + B;
    let mut inverse = [0.0; B];
    // LU of the B × B pivot block.
    for j in 0..B {
        let at = |i: usize, c: usize| (k + i) * m + k + c;
        let pivot = front[at(j, j)];
        if !(pivot.abs() > least) {
            return false;
        }
        inverse[j] = 1.0 / pivot;
        for i in j + 1..B {
            let l = front[at(i, j)] * inverse[j];
            front[at(i, j)] = l;
            for c in j + 1..B {
                front[at(i, c)] -= l * front[at(j, c)];
            }
        }
    }
    rows(front, m, k, next);
    // Rows below: their part of L, then the update.
    let (above, below) = front.split_at_mut(next * m);
    let mut upper = [[0.0; B]; B];
    let mut right = [&above[..0]; B];
    for (j, row) in above[k * m..].chunks_exact(m).enumerate().take(B) {
        upper[j].copy_from_slice(&row[k..next]);
        right[j] = &row[next..];
    }
    for row in below.chunks_exact_mut(m) {
        let (left, own) = row.split_at_mut(next);
        let Some(left) = left.last_chunk_mut::<B>() else {
            return false;
        };
        let mut l = *left;
        for j in 0..B {
            l[j] *= inverse[j];
            for c in j + 1..B {
                l[c] -= l[j] * upper[j][c];
            }
        }
        *left = l;
        subtract(own, &l, &right);
    }
    true
}

/// x −= Σ l_j u_j: four terms in two pairs, fewer one after the other.
#[inline(always)]
fn subtract<const B: usize>(x: &mut [f64], l: &[f64; B], u: &[&[f64]; B]) {
    match (l.as_slice(), u.as_slice()) {
        (&[l0, l1, l2, l3], &[r0, r1, r2, r3]) => {
            let many = x.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3);
            for ((((x, a), b), c), d) in many {
                *x -= (l0 * a + l1 * b) + (l2 * c + l3 * d);
            }
        }
        (&[l0, l1, l2], &[r0, r1, r2]) => {
            for (((x, a), b), c) in x.iter_mut().zip(r0).zip(r1).zip(r2) {
                *x = *x - l0 * a - l1 * b - l2 * c;
            }
        }
        (&[l0, l1], &[r0, r1]) => {
            for ((x, a), b) in x.iter_mut().zip(r0).zip(r1) {
                *x = *x - l0 * a - l1 * b;
            }
        }
        (l, u) => {
            for (l, u) in l.iter().zip(u) {
                x.iter_mut().zip(*u).for_each(|(x, u)| *x -= l * u);
            }
        }
    }
}

/// LU of the columns k..end, including all rows below.
#[inline(always)]
fn columns(front: &mut [f64], m: usize, k: usize, end: usize, least: f64) -> bool {
    for j in k..end {
        let pivot = front[j * m + j];
        if !(pivot.abs() > least) {
            return false;
        }
        // Scale the column, update the columns of the panel to its right.
        let inverse = 1.0 / pivot;
        let (above, below) = front.split_at_mut((j + 1) * m);
        let own = &above[j * m + j + 1..j * m + end];
        for row in below.chunks_exact_mut(m) {
            let l = row[j] * inverse;
            row[j] = l;
            row[j + 1..end]
                .iter_mut()
                .zip(own)
                .for_each(|(x, u)| *x -= l * u);
        }
    }
    true
}

/// U₁₂ = L₁₁⁻¹ F₁₂ for the rows k..end.
#[inline(always)]
fn rows(front: &mut [f64], m: usize, k: usize, end: usize) {
    for i in k + 1..end {
        let (above, below) = front.split_at_mut(i * m);
        let (left, right) = below[..m].split_at_mut(end);
        for j in k..i {
            let l = left[j];
            let own = &above[j * m + end..(j + 1) * m];
            right.iter_mut().zip(own).for_each(|(x, u)| *x -= l * u);
        }
    }
}

/// F₂₂ −= L₂₁ U₁₂ for the pivots k..end, written for the transposes, whose columns are these rows.
fn product(front: &mut [f64], m: usize, k: usize, end: usize) {
    let rest = m - end;
    let (above, below) = front.split_at_mut(end * m);
    let upper = MatRef::from_column_major_slice_with_stride(&above[k * m..], m, end - k, m);
    let mut lower = MatMut::from_column_major_slice_with_stride_mut(below, m, rest, m);
    // L₂₁ and the trailing block are different columns of the same rows.
    let (left, right) = lower.rb_mut().split_at_row_mut(end);
    matmul(
        right,
        Accum::Add,
        upper.subrows(end, rest),
        left.rb().subrows(k, end - k),
        -1.0,
        Par::Seq,
    );
}
