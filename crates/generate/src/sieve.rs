//! Grain sizes from a grading curve (sieve curve): the fraction of the mass that passes each sieve.
//!
//! ```text
//! given      openings d_0 < d_1 < … < d_n,  passing P_0 = 0 ≤ P_1 ≤ … ≤ P_n (any unit)
//! by mass    between two sieves uniform in ln d, as the curve is drawn
//! by number  n(d) ∝ (P_k − P_(k−1))/ln(d_k/d_(k−1)) · d^(−1−N),  N the dimension: d^(−N) is uniform
//! ```

use super::error::{self, GenerateError};
use super::random::SplitMix64;

/// Checks a grading curve.
pub(super) fn check(curve: &[(f64, f64)]) -> Result<(), GenerateError> {
    let wrong = |problem: String, advice: &str| Err(GenerateError::new("radius", problem, advice));
    const EXAMPLE: &str = "Write for example { sieve = [[0.5, 0], [1, 30], [2, 100]] }: openings and \
                           what passes, by mass";
    let (Some(first), true) = (curve.first(), curve.len() >= 2) else {
        return wrong("a sieve curve has two points or more".into(), EXAMPLE);
    };
    for (opening, passing) in curve {
        error::length("radius", *opening)?;
        if !passing.is_finite() {
            return wrong(
                format!("{passing} passing {opening} is not finite"),
                EXAMPLE,
            );
        }
    }
    // The curve begins with nothing passing and does not decrease.
    if first.1 != 0.0 {
        let problem = format!("{} passes the finest sieve, {}", first.1, first.0);
        return wrong(
            problem,
            "The first point is the smallest grain: nothing passes it",
        );
    }
    for pair in curve.windows(2) {
        let ((a, p), (b, q)) = (pair[0], pair[1]);
        if !(a < b && p <= q) {
            let problem = format!("[{b}, {q}] does not follow [{a}, {p}]");
            return wrong(
                problem,
                "Openings grow, and what passes does not become less",
            );
        }
    }
    match curve.last() {
        Some((_, all)) if *all > 0.0 => Ok(()),
        _ => wrong("nothing passes the coarsest sieve".into(), EXAMPLE),
    }
}

/// Draws a radius, half a diameter of the curve.
pub(super) fn draw(curve: &[(f64, f64)], dimension: usize, random: &mut SplitMix64) -> f64 {
    let power = -(dimension as f64);
    // Number of grains between two sieves, and d^(−N) at both.
    let class = |pair: &[(f64, f64)]| {
        let ((a, p), (b, q)) = (pair[0], pair[1]);
        // d^(−N) relative to that of the finest grain stays within the range of doubles.
        let scale = |d: f64| (d / curve[0].0).powf(power);
        let number = (q - p) / (b / a).ln() * (scale(a) - scale(b));
        (number, [scale(a), scale(b)])
    };
    // Choose a class by number, then d^(−N) uniformly within it.
    let total: f64 = curve.windows(2).map(|pair| class(pair).0).sum();
    let mut left = random.uniform() * total;
    let mut ends = [1.0, 1.0];
    for pair in curve.windows(2) {
        let (number, of) = class(pair);
        if number > 0.0 {
            ends = of;
            left -= number;
            if left < 0.0 {
                break;
            }
        }
    }
    let level = ends[0] + (ends[1] - ends[0]) * random.uniform();
    0.5 * curve[0].0 * level.powf(1.0 / power)
}
