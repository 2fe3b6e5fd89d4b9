//! Inner products that the compiler turns into SIMD instructions.
//!
//! Eight partial sums (SIMD lanes) in a fixed order: the same bits on every machine with the same arithmetic, and a
//! loop limited by memory bandwidth instead of by the latency of one addition per entry.

/// Inner product in eight lanes.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (ca, cb) = (a.chunks_exact(8), b.chunks_exact(8));
    // Entries beyond the last full group of eight.
    let rest: f64 = ca
        .remainder()
        .iter()
        .zip(cb.remainder())
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in ca.zip(cb) {
        for k in 0..8 {
            lanes[k] += x[k] * y[k];
        }
    }
    // Reduction of the lanes in a fixed order.
    let pairs = [
        lanes[0] + lanes[4],
        lanes[1] + lanes[5],
        lanes[2] + lanes[6],
        lanes[3] + lanes[7],
    ];
    (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]) + rest
}

/// y ← y + s x.
#[inline]
pub(crate) fn axpy(s: f64, x: &[f64], y: &mut [f64]) {
    for (b, a) in y.iter_mut().zip(x) {
        *b += s * a;
    }
}

/// √⟨x, x⟩.
#[inline]
pub(crate) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// a − b.
pub(crate) fn sub(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}
