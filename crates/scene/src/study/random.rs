//! Random numbers that are the same everywhere.

/// The generator SplitMix64 (Steele, Lea, Flood 2014): a counter through a mixing function, so
/// neighbouring seeds give unrelated sequences.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of a seed and a name: two keys of one study never share theirs.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a of the name.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut random = Self(seed);
        random.0 = random.next() ^ hash;
        random
    }

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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_its_published_sequence() {
        // First outputs for the seed 1234567, as given with the reference implementation.
        let mut random = Random(1_234_567);
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
    fn numbers_are_uniform_and_keys_are_independent() {
        let (mut a, mut b) = (Random::new(1, "step"), Random::new(1, "mu"));
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
