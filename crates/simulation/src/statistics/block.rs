//! Standard error of the mean of a correlated time series, by block averages (Flyvbjerg–Petersen
//! blocking).
//!
//! ```text
//! s_b² = 1/(m(m−1)) Σ (x̄_k − x̄)²          m blocks of b values each, x̄_k their means
//! ```
//!
//! Successive values are correlated, so s_1 is too small; s_b grows with b until blocks are
//! independent, and scatters as b grows further. The shortest block b = 2^k with b³ > 2 n
//! (s_b/s_1)⁴ is taken (Wolff 2004), at which systematic and statistical error are about equal.
//! Limit: the span must contain many correlation times; where no block satisfies the condition
//! there is no value.

/// Smallest number of blocks for a variance.
const BLOCKS: usize = 8;

/// Smallest number of values.
pub const FEWEST: usize = 2 * BLOCKS;

/// Why there is no standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoStandardError {
    /// Too few values; this many.
    Few(usize),
    /// Still correlated over an eighth of the span.
    Correlated,
}

impl std::fmt::Display for NoStandardError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Few(count) => write!(
                f,
                "a standard error takes at least {FEWEST} values, the span has {count}"
            ),
            Self::Correlated => write!(
                f,
                "the values are still correlated over an eighth of the span: it is too short for a \
                 standard error"
            ),
        }
    }
}

/// The standard error of the mean of equidistant values in time.
///
/// # Errors
/// There are too few values, or they are correlated for too long.
pub fn standard_error(values: &[f64]) -> Result<f64, NoStandardError> {
    let n = values.len();
    if n < FEWEST {
        return Err(NoStandardError::Few(n));
    }
    let mut means = values.to_vec();
    let naive = error_of(&means);
    if naive == 0.0 {
        return Ok(0.0);
    }
    let mut length = 1_usize;
    // Double the block length until the condition holds.
    while means.len() >= BLOCKS {
        let error = error_of(&means);
        let b = length as f64;
        if b * b * b > 2.0 * n as f64 * (error / naive).powi(4) {
            return Ok(error);
        }
        // An odd value at the end is left out of longer blocks.
        means = means.chunks_exact(2).map(|p| 0.5 * (p[0] + p[1])).collect();
        length *= 2;
    }
    Err(NoStandardError::Correlated)
}

/// The standard error of the mean of independent values.
fn error_of(values: &[f64]) -> f64 {
    let m = values.len() as f64;
    let mean = values.iter().sum::<f64>() / m;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (squares / (m * (m - 1.0))).sqrt()
}

/// Means of a piecewise linear function over as many equal cells of its span as it has pieces.
pub fn cell_means(points: &[(f64, f64)]) -> Vec<f64> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let count = points.len() - 1;
    let width = (last.0 - first.0) / count.max(1) as f64;
    let mut cells = Vec::with_capacity(count);
    let mut piece = 0;
    for k in 0..count {
        let begin = first.0 + k as f64 * width;
        let end = if k + 1 == count {
            last.0
        } else {
            begin + width
        };
        // Exact integral over the cell, piece by piece.
        let (mut from, mut sum) = (begin, 0.0);
        while from < end && piece < count {
            let (a, b) = (points[piece], points[piece + 1]);
            let to = end.min(b.0);
            if to > from && b.0 > a.0 {
                let at = |t: f64| a.1 + (t - a.0) / (b.0 - a.0) * (b.1 - a.1);
                sum += 0.5 * (to - from) * (at(from) + at(to));
            }
            from = from.max(to);
            if b.0 > end {
                break;
            }
            piece += 1;
        }
        cells.push(sum / (end - begin));
    }
    cells
}

/// Number of instants at which the standard error of a running mean is given.
const SHOWN: usize = 60;

/// Time, mean up to it, standard error of that mean.
pub type Known = (f64, f64, f64);

/// The mean from the first point up to every point, and its standard error at some of them.
pub fn running(points: &[(f64, f64)]) -> (Vec<(f64, f64)>, Vec<Known>) {
    let known: Vec<(f64, f64)> = points.iter().copied().filter(|p| p.1.is_finite()).collect();
    let Some(first) = known.first().copied() else {
        return (Vec::new(), Vec::new());
    };
    // Running mean by the trapezoidal rule.
    let (mut means, mut integral) = (vec![first], 0.0);
    for pair in known.windows(2) {
        integral += 0.5 * (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1);
        means.push((pair[1].0, integral / (pair[1].0 - first.0)));
    }
    // Standard errors of the mean over growing spans.
    let all = cell_means(&known);
    let mut errors = Vec::new();
    for k in 1..=SHOWN {
        let upto = all.len() * k / SHOWN;
        if let Ok(error) = standard_error(&all[..upto]) {
            let (t, mean) = means[upto];
            errors.push((t, mean, error));
        }
    }
    (means, errors)
}
