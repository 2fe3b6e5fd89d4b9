//! Pseudorandom numbers that are the same on every machine.

/// The generator SplitMix64 (Steele, Lea, Flood 2014): a counter through a mixing function, so that
/// neighbouring seeds give unrelated sequences.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The sequence of a seed and a name: two keys of one study have different sequences.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a of the name.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut random = Self(seed);
        random.0 = random.next() ^ hash;
        random
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1): 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and variance 1 (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        // 1 - u is in (0, 1]: its logarithm is finite.
        let (radius, turn) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    }

    /// A permutation of 0, …, count − 1, all equally likely (Fisher and Yates).
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            let other = (self.uniform() * (k + 1) as f64) as usize;
            all.swap(k, other.min(k));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_its_published_sequence() {
        // First outputs for the seed 1234567, as given with the reference implementation.
        let mut random = SplitMix64(1_234_567);
        let expected: [u64; 3] = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        for value in expected {
            assert_eq!(random.next(), value);
        }
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let mut random = SplitMix64::new(3, "mu");
        let n = 100_000;
        let all: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let moment = |p: i32| all.iter().map(|x| x.powi(p)).sum::<f64>() / f64::from(n);
        // Moments 0, 1, 0, 3 with variances 1, 2, 15, 96 over n: five standard deviations.
        let exact = [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)];
        for (p, mean, variance) in exact {
            let bound = 5.0 * f64::sqrt(variance / f64::from(n));
            assert!((moment(p) - mean).abs() < bound, "{p}: {}", moment(p));
        }
    }

    #[test]
    fn every_place_of_a_permutation_is_equally_likely() {
        let mut random = SplitMix64::new(1, "order");
        let mut counts = [[0u32; 4]; 4];
        let n = 40_000;
        for _ in 0..n {
            let order = random.permutation(4);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            order
                .iter()
                .enumerate()
                .for_each(|(k, to)| counts[k][*to] += 1);
        }
        // Mean n/4, standard deviation sqrt(3 n/16) = 87: five of them.
        for count in counts.as_flattened() {
            assert!(count.abs_diff(n / 4) < 435, "{counts:?}");
        }
    }

    #[test]
    fn numbers_are_uniform_and_keys_are_independent() {
        let (mut a, mut b) = (SplitMix64::new(1, "step"), SplitMix64::new(1, "mu"));
        let n = 100_000;
        let (mut mean, mut product) = (0.0, 0.0);
        for _ in 0..n {
            let (x, y) = (a.uniform(), b.uniform());
            assert!((0.0..1.0).contains(&x));
            mean += x / f64::from(n);
            product += (x - 0.5) * (y - 0.5) / f64::from(n);
        }
        // Standard deviations are 0.29/√n = 9e-4 and (1/12)/√n = 2.6e-4: five of them.
        assert!(
            (mean - 0.5).abs() < 4.6e-3 && product.abs() < 1.4e-3,
            "{mean} {product}"
        );
    }
}
