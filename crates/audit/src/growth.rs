//! Sensitivity: does a perturbation at the level of rounding grow exponentially (Lyapunov-type
//! growth)?
//!
//! ```text
//! d(t) ≈ d₀ e^{λt}     until the distance is of the size of the system: λ by least squares of ln d over t
//! ```
//!
//! Regular motions diverge as well, as a power of t: d = c tᵖ gains p ln 2 in ln d whenever t
//! doubles. The time until saturation is therefore divided into quarters. With x = t/T the mean of
//! ln xᵖ gains 0.52 p from the second quarter to the third and 0.34 p to the fourth: at most 2.1
//! and 1.4 for p ≤ 4. Growth is called exponential where both gains are larger than [`GAIN`], and
//! where no single interval between samples contains most of it (that is a jump: an impact that
//! falls into another step). The first quarter is not used: the residual of the solver raises a
//! distance of 1e-12 at once.
//!
//! The interval of λ is two standard errors of the slope, with the number of independent residuals
//! that their autocorrelation leaves.

use serde::Serialize;

/// Relative distance at which two motions are not related any more.
pub(super) const SATURATED: f64 = 0.1;

/// Smallest gain of ln d from a quarter to the next: more than t⁴ gives.
const GAIN: f64 = 2.2;

/// Smallest number of samples before saturation.
const FEWEST: usize = 12;

/// Largest share of the growth that may come in one interval.
const JUMP: f64 = 0.5;

/// A perturbation that has grown to this is reported even where it did not grow exponentially.
const SENSITIVE: f64 = 1e-6;

/// What becomes of a perturbation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SensitivityClass {
    /// It stays small.
    Regular,
    /// It grows exponentially.
    Chaotic,
    /// It becomes visible, but not exponentially: by jumps, or as a power of time.
    Sensitive,
    /// There is no perturbed run.
    Unknown,
}

impl SensitivityClass {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Chaotic => "chaotic",
            Self::Sensitive => "sensitive",
            Self::Unknown => "unknown",
        }
    }
}

/// What becomes of a perturbation of the initial positions by 1e-12 of the size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sensitivity {
    /// The class of the growth.
    pub verdict: SensitivityClass,
    /// Largest relative distance of the perturbed run.
    pub largest: Option<f64>,
    /// Rate λ of the growth e^{λt} (1/s), where it is exponential.
    pub rate: Option<f64>,
    /// The interval of two standard errors below and above it.
    pub interval: Option<[f64; 2]>,
    /// Start and end of the fit.
    pub fitted: Option<[f64; 2]>,
    /// ln d at the start of the fit, by the fit.
    pub level: Option<f64>,
    /// The time from which on the motions of different runs cannot be compared: the first instant
    /// at which one of them is further from the reference than a tenth of the size.
    pub incomparable_from: Option<f64>,
}

impl Sensitivity {
    /// There is no perturbed run.
    pub(super) fn unknown() -> Self {
        Self {
            verdict: SensitivityClass::Unknown,
            largest: None,
            rate: None,
            interval: None,
            fitted: None,
            level: None,
            incomparable_from: None,
        }
    }
}

/// The class of a perturbation, by its relative distances over time.
pub(super) fn sensitivity(times: &[f64], distances: &[f64]) -> Sensitivity {
    let largest = distances.iter().copied().fold(0.0, f64::max);
    let mut told = Sensitivity {
        verdict: match largest > SENSITIVE {
            true => SensitivityClass::Sensitive,
            false => SensitivityClass::Regular,
        },
        largest: Some(largest),
        ..Sensitivity::unknown()
    };
    // Samples before saturation.
    let before = distances.iter().take_while(|d| **d <= SATURATED).count();
    // The start is no sample of growth; a distance of 0 has no logarithm.
    let points: Vec<(f64, f64)> = (1..before.min(times.len()))
        .filter(|k| distances[*k] > 0.0)
        .map(|k| (times[k], distances[k].ln()))
        .collect();
    if points.len() < FEWEST || !exponential(&points) {
        return told;
    }
    // Fit of ln d over t; chaotic where λ > 0 within two standard errors.
    let line = Line::through(&points);
    let bound = 2.0 * line.error;
    if line.slope - bound > 0.0 {
        told.verdict = SensitivityClass::Chaotic;
        told.rate = Some(line.slope);
        told.interval = Some([line.slope - bound, line.slope + bound]);
        told.fitted = points.first().zip(points.last()).map(|(a, b)| [a.0, b.0]);
        told.level = points.first().map(|first| line.at(first.0));
    }
    told
}

/// Whether ln d grows steadily, faster than any power of t up to the fourth.
fn exponential(points: &[(f64, f64)]) -> bool {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return false;
    };
    // Means of ln d over quarters of the time; the first one is not used.
    let quarter = |k: usize| {
        let part = |x: f64| ((4.0 * (x - first.0) / (last.0 - first.0)) as usize).min(3);
        let own: Vec<f64> = points
            .iter()
            .filter(|p| part(p.0) == k)
            .map(|p| p.1)
            .collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let means = [quarter(1), quarter(2), quarter(3)];
    let gains = [means[1] - means[0], means[2] - means[1]];
    // A quarter without samples has no mean, and NaN is not larger.
    let steady = gains.iter().all(|gain| *gain > GAIN);
    // No single interval may contain most of the growth.
    let later = &points[points.len() / 4..];
    let total = later.last().map_or(0.0, |p| p.1) - later.first().map_or(0.0, |p| p.1);
    let steps = later.windows(2).map(|w| w[1].1 - w[0].1);
    steady && steps.fold(0.0, f64::max) <= JUMP * total
}

/// A regression line.
struct Line {
    slope: f64,
    /// Standard error of the slope.
    error: f64,
    mean: (f64, f64),
}

impl Line {
    fn at(&self, t: f64) -> f64 {
        self.mean.1 + self.slope * (t - self.mean.0)
    }

    /// Least squares; the standard error takes the autocorrelation of the residuals into account.
    fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let sum = points
            .iter()
            .fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
        let mean = (sum.0 / n, sum.1 / n);
        let centred = points.iter().map(|p| (p.0 - mean.0, p.1 - mean.1));
        let (xx, xy) = centred.fold((0.0, 0.0), |s, (x, y)| (s.0 + x * x, s.1 + x * y));
        let mut line = Self {
            slope: xy / xx,
            error: 0.0,
            mean,
        };
        // Residuals and their lag-one autocorrelation.
        let rest: Vec<f64> = points.iter().map(|p| p.1 - line.at(p.0)).collect();
        let square = rest.iter().map(|r| r * r).sum::<f64>();
        let beside: f64 = rest.windows(2).map(|w| w[0] * w[1]).sum();
        // Neighbouring residuals are correlated: (1 + r)/(1 − r) of them count as one.
        let r = if square > 0.0 {
            (beside / square).clamp(0.0, 0.99)
        } else {
            0.0
        };
        let alike = (1.0 + r) / (1.0 - r);
        line.error = (square / (n - 2.0) / xx * alike).sqrt();
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times() -> Vec<f64> {
        (0..=400).map(|k| 0.05 * f64::from(k)).collect()
    }

    fn told(of: impl Fn(f64) -> f64) -> Sensitivity {
        let times = times();
        let distances: Vec<f64> = times.iter().map(|t| of(*t)).collect();
        sensitivity(&times, &distances)
    }

    #[test]
    fn exponential_growth_is_chaotic_with_its_rate_inside_the_interval() {
        for rate in [0.6, 1.0, 2.5] {
            let wobble = |t: f64| (3.0 * t).sin() + 0.5 * (17.0 * t).cos();
            let found = told(|t| (1e-12 * (rate * t + wobble(t)).exp()).min(1.0));
            assert_eq!(found.verdict, SensitivityClass::Chaotic, "{rate}");
            let [low, high] = found.interval.unwrap_or_default();
            assert!(low < rate && rate < high, "{found:?}");
            // A wobble of ±1.5 tilts a line over the span by 3 at most.
            let [from, to] = found.fitted.unwrap_or_default();
            assert!(high - low < 2.0 * 3.0 / (to - from), "{found:?}");
        }
    }

    #[test]
    fn powers_of_time_and_small_distances_are_not_chaotic() {
        for p in 0..=4 {
            let found = told(|t| 1e-12 * (1.0 + t.powi(p)));
            assert_eq!(found.verdict, SensitivityClass::Regular, "t^{p}");
            let noisy = told(|t| 1e-9 * t.powi(p) * (1.0 + 0.9 * (40.0 * t).sin()));
            assert_ne!(noisy.verdict, SensitivityClass::Chaotic, "t^{p}");
        }
        assert_eq!(told(|_| 0.0).verdict, SensitivityClass::Regular);
        // An unstable start that ends: exponential for a fifth of the time.
        let ends = told(|t| 1e-12 * (2.0 * t.min(4.0)).exp());
        assert_eq!(ends.verdict, SensitivityClass::Regular);
    }

    #[test]
    fn a_jump_is_sensitive_and_not_chaotic() {
        let found = told(|t| if t < 11.0 { 1e-12 } else { 1e-3 });
        assert_eq!(found.verdict, SensitivityClass::Sensitive);
        assert_eq!(found.rate, None);
    }
}
