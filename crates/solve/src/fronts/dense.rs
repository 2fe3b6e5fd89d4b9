//! Dense elimination of the pivots of one front.

use faer::linalg::matmul::matmul;
use faer::reborrow::*;
use faer::{Accum, MatMut, MatRef, Par};

/// Pivots that are eliminated before the rest of a front follows.
const PANEL: usize = 32;

/// Multiplications from which the general dense product pays.
const LARGE: usize = 60_000;

/// A pivot below this share of the largest entry of its front has lost all digits.
const VANISHING: f64 = 1e-16;

/// F (m × m, row-major) becomes [L₁₁\U₁₁ U₁₂; L₂₁ remainder] for the first `pivots` rows; L has ones on
/// its diagonal. False where a pivot vanishes.
pub(super) fn eliminate(front: &mut [f64], m: usize, pivots: usize) -> bool {
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
    let largest = front.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if !largest.is_finite() {
        return false;
    }
    let mut k = 0;
    while k < pivots {
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

/// Pivots k..end in the whole of the front, up to four at a time.
#[inline(always)]
fn narrow(front: &mut [f64], m: usize, k: usize, end: usize, least: f64) -> bool {
    let mut k = k;
    while k < end {
        let four = if k + 4 <= end { 4 } else { 1 };
        if !columns(front, m, k, k + four, least) {
            return false;
        }
        let next = k + four;
        rows(front, m, k, next);
        let (above, below) = front.split_at_mut(next * m);
        let above = &above[k * m..];
        if four == 4 {
            let (r0, tail) = above.split_at(m);
            let (r1, tail) = tail.split_at(m);
            let (r2, r3) = tail.split_at(m);
            let (r0, r1, r2, r3) = (&r0[next..], &r1[next..], &r2[next..], &r3[next..m]);
            for row in below.chunks_exact_mut(m) {
                let (left, right) = row.split_at_mut(next);
                let (l0, l1, l2, l3) = (left[k], left[k + 1], left[k + 2], left[k + 3]);
                let many = right.iter_mut().zip(r0).zip(r1).zip(r2).zip(r3);
                for ((((x, a), b), c), d) in many {
                    *x -= (l0 * a + l1 * b) + (l2 * c + l3 * d);
                }
            }
        } else {
            let r0 = &above[next..m];
            for row in below.chunks_exact_mut(m) {
                let (left, right) = row.split_at_mut(next);
                let l0 = left[k];
                right.iter_mut().zip(r0).for_each(|(x, a)| *x -= l0 * a);
            }
        }
        k = next;
    }
    true
}

/// LU of the columns k..end, all rows below included.
#[inline(always)]
fn columns(front: &mut [f64], m: usize, k: usize, end: usize, least: f64) -> bool {
    for j in k..end {
        let pivot = front[j * m + j];
        if !(pivot.abs() > least) {
            return false;
        }
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
    // L₂₁ and the remainder are different columns of the same rows.
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
