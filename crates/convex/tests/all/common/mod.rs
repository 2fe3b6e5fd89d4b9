//! Shared by the tests: a generator of numbers and random sets with a membership test
//! written by hand from each definition, independent of the projections under test.

mod samples;

pub use samples::{Excess, KINDS, sample};

use percuss_convex::Metric;

/// SplitMix64: the seed is the whole state, so that a failing case is one number.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn range(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub fn vec(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.range(-1.0, 1.0)).collect()
    }
    /// Symmetric positive definite with condition number up to about 10^(2 decades).
    pub fn spd(&mut self, n: usize, decades: f64) -> Vec<f64> {
        let scale: Vec<f64> = (0..n)
            .map(|_| 10f64.powf(self.range(-decades, decades) * 0.5))
            .collect();
        let mut a = vec![0.0; n * n];
        for _ in 0..n + 2 {
            let v: Vec<f64> = (0..n).map(|i| self.range(-1.0, 1.0) * scale[i]).collect();
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] += v[i] * v[j];
                }
            }
        }
        for i in 0..n {
            a[i * n + i] += 0.1 * scale[i] * scale[i];
        }
        a
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
pub fn sub(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}
pub fn add(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}
pub fn times(a: &[f64], s: f64) -> Vec<f64> {
    a.iter().map(|x| x * s).collect()
}

pub fn random_metric(n: usize, rng: &mut Rng) -> Metric {
    Metric::new(n, &rng.spd(n, 1.0)).unwrap()
}
