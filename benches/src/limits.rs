//! Limits of the machine: read bandwidth, triad bandwidth (STREAM), fused multiply-adds.

use std::hint::black_box;

use pulp::{Arch, Simd, WithSimd};

use crate::clock::{elapsed, timed};

/// Elements of an array: 64 MB, larger than the caches.
const LONG: usize = 8 << 20;

/// Minimal time of some repetitions, each on `threads` threads with separate state.
fn fastest<T: Send>(
    threads: usize,
    repeats: usize,
    make: impl Fn() -> T + Sync,
    work: impl Fn(&mut T) + Sync,
) -> f64 {
    let mut states: Vec<T> = (0..threads).map(|_| make()).collect();
    // The first pass touches the pages (page faults are not timed).
    states.iter_mut().for_each(&work);
    let mut least = f64::INFINITY;
    for _ in 0..repeats {
        let (seconds, ()) = if let [state] = states.as_mut_slice() {
            // The same clock as for sweeps on one thread, so that the ratio is meaningful.
            timed(|| work(state))
        } else {
            elapsed(|| {
                std::thread::scope(|scope| {
                    for state in &mut states {
                        scope.spawn(|| work(state));
                    }
                });
            })
        };
        least = least.min(seconds);
    }
    least
}

/// Read bandwidth in GB/s.
pub fn read(threads: usize, repeats: usize) -> f64 {
    let seconds = fastest(
        threads,
        repeats,
        || vec![1.0_f64; LONG],
        |data| {
            // Sixteen independent sums hide the latency of additions.
            let mut sums = [0.0; 16];
            for chunk in data.chunks_exact(16) {
                for (sum, x) in sums.iter_mut().zip(chunk) {
                    *sum += x;
                }
            }
            black_box(sums);
        },
    );
    (threads * LONG * 8) as f64 / seconds * 1e-9
}

/// Triad bandwidth in GB/s, including the write-allocate traffic.
pub fn triad(threads: usize, repeats: usize) -> f64 {
    let make = || [vec![0.0_f64; LONG], vec![1.0; LONG], vec![2.0; LONG]];
    let seconds = fastest(threads, repeats, make, |[a, b, c]| {
        for ((a, b), c) in a.iter_mut().zip(&*b).zip(&*c) {
            *a = b + 3.0 * c;
        }
        black_box(a);
    });
    (threads * LONG * 32) as f64 / seconds * 1e-9
}

/// Independent chains of fused multiply-adds.
struct Chains(usize);

impl WithSimd for Chains {
    /// Number of floating-point operations.
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let (a, b) = (simd.splat_f64s(0.999), simd.splat_f64s(1e-3));
        let mut x = [simd.splat_f64s(0.5); 12];
        for _ in 0..self.0 {
            for x in &mut x {
                *x = simd.mul_add_f64s(*x, a, b);
            }
        }
        black_box(x.map(|x| simd.reduce_sum_f64s(x)));
        (self.0 * 12 * 2 * S::F64_LANES) as f64
    }
}

/// GFLOP/s of fused multiply-adds.
pub fn multiply_add(threads: usize, repeats: usize) -> f64 {
    let arch = Arch::new();
    // Operations per call, from a call of one iteration.
    let done = arch.dispatch(Chains(1)) * 4e6;
    let seconds = fastest(
        threads,
        repeats,
        || (),
        |()| {
            black_box(arch.dispatch(Chains(black_box(4_000_000))));
        },
    );
    threads as f64 * done / seconds * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_count_their_operations() {
        let lanes = Arch::new().dispatch(Chains(1)) / 24.0;
        assert!([1.0, 2.0, 4.0, 8.0].contains(&lanes));
        assert_eq!(Arch::new().dispatch(Chains(10)), 240.0 * lanes);
    }
}
