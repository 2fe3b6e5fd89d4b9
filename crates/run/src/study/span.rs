//! Values in an interval: equally spaced, or a Latin hypercube sample.
//!
//! ```text
//! x(s) = a + s (b − a)      or      x(s) = a (b/a)^s,      s ∈ [0, 1]
//! Latin hypercube of n: s_k = (p(k) + u_k)/n,  p a random permutation of 0 … n−1,  u_k uniform
//! ```
//!
//! Whole numbers are the floor of x over [a, b + 1): all are equally likely, both ends included.

use percuss_generate::random::SplitMix64;
use percuss_scene::{Formula, Scene, SceneError, Spacing, Study, Vary};

use crate::study::points::wrong;

/// An interval from which values are taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    from: f64,
    to: f64,
    spacing: Spacing,
}

impl Span {
    /// Evaluates the ends.
    pub fn of(
        scene: &Scene,
        study: &Study,
        vary: &Vary,
        (from, to): (&Formula, &Formula),
        spacing: Spacing,
    ) -> Result<Self, SceneError> {
        let part = format!("study `{}`, vary, {}", study.name, vary.key);
        let (from, to) = (
            scene.evaluate(&part, "from", from)?,
            scene.evaluate(&part, "to", to)?,
        );
        let fail = |problem: String| Err(wrong(scene, study, &vary.key, vary.line, problem));
        if spacing.log && !(from > 0.0 && to > 0.0) {
            return fail(format!(
                "`scale = \"log\"`: ends above 0 were expected, not {from} and {to}"
            ));
        }
        // Whole numbers within the interval.
        let (low, high) = (from.min(to).ceil(), from.max(to).floor());
        if spacing.whole && (low > high || (spacing.log && low < 1.0)) {
            return fail(format!("there is no whole number from {from} to {to}"));
        }
        Ok(Self { from, to, spacing })
    }

    /// The value at a share of the interval; the ends exactly.
    fn at(&self, share: f64) -> f64 {
        let between = |a: f64, b: f64| match (share, self.spacing.log) {
            (0.0, _) => a,
            (1.0, _) => b,
            (s, false) => a + (b - a) * s,
            (s, true) => a * (b / a).powf(s),
        };
        if !self.spacing.whole {
            return between(self.from, self.to);
        }
        // Whole numbers: the floor over an interval that is longer by one.
        let (low, high) = (
            self.from.min(self.to).ceil(),
            self.from.max(self.to).floor(),
        );
        let value = between(low, high + 1.0).floor().clamp(low, high);
        match self.from <= self.to {
            true => value,
            false => low + high - value,
        }
    }

    /// `count` equally spaced values, both ends included.
    pub fn even(&self, count: usize) -> Vec<f64> {
        let last = count.saturating_sub(1).max(1) as f64;
        let mut values: Vec<f64> = (0..count).map(|k| self.at(k as f64 / last)).collect();
        if self.spacing.whole {
            // More values than whole numbers: each once.
            values.dedup();
        }
        values
    }

    /// One value in each of `count` equal parts, in random order.
    pub fn latin(&self, count: usize, random: &mut SplitMix64) -> Vec<f64> {
        let order = random.permutation(count);
        let share = |part: usize, within: f64| (part as f64 + within) / count as f64;
        let each = order.into_iter();
        each.map(|part| self.at(share(part, random.uniform())))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: f64, to: f64, log: bool, whole: bool) -> Span {
        let spacing = Spacing { log, whole };
        Span { from, to, spacing }
    }

    #[test]
    fn each_part_of_a_latin_hypercube_is_met_once() {
        for (seed, count) in [(1, 1), (2, 7), (3, 64), (4, 1000)] {
            for (log, share) in [
                (false, (|x| (x - 2.0) / 30.0) as fn(f64) -> f64),
                (true, |x| (x / 2.0).ln() / 16f64.ln()),
            ] {
                let mut random = SplitMix64::new(seed, "key");
                let drawn = span(2.0, 32.0, log, false).latin(count, &mut random);
                let mut met = vec![0; count];
                for x in drawn {
                    met[(share(x) * count as f64) as usize] += 1;
                }
                assert!(met.iter().all(|n| *n == 1), "{count}: {met:?}");
            }
        }
    }

    #[test]
    fn whole_numbers_have_equal_shares_and_both_ends() {
        let mut random = SplitMix64::new(1, "n");
        let drawn = span(1.0, 4.0, false, true).latin(400, &mut random);
        for n in 1..=4 {
            assert_eq!(drawn.iter().filter(|x| **x == f64::from(n)).count(), 100);
        }
        assert_eq!(span(1.0, 3.0, false, true).even(9), [1.0, 2.0, 3.0]);
        assert_eq!(span(3.0, 1.0, false, true).even(3), [3.0, 2.0, 1.0]);
        let log = span(1.0, 1000.0, true, true).even(4);
        assert_eq!((log[0], log[3]), (1.0, 1000.0));
        assert!(log.iter().all(|x| x.fract() == 0.0), "{log:?}");
    }

    #[test]
    fn equal_ratios_make_a_geometric_sequence_with_exact_ends() {
        let values = span(1e-4, 1e-1, true, false).even(4);
        assert_eq!((values[0], values[3]), (1e-4, 1e-1));
        // Rounding of powers.
        for pair in values.windows(2) {
            assert!((pair[1] / pair[0] - 10.0).abs() < 1e-12, "{values:?}");
        }
    }
}
