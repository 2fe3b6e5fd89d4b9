//! Grain size distributions.
//!
//! ```text
//! uniform     p(r) = 1/(b − a)                        on [a, b]
//! normal      p(r) ∝ exp(−(r − m)²/2s²)               on [a, b]
//! lognormal   ln r normal with mean ln(median), σ     on [a, b]
//! by area     p(r) ∝ r^(−d),  d the dimension         on [a, b]: equal intervals of r hold equal
//!                                                     area (plane) or volume (space)
//! mix         given radii, by shares of the number of grains
//! sieve       a grading curve by mass (see `sieve`)
//! ```
//!
//! A grain takes a few random numbers, and no radius is ever outside its bounds: truncated
//! distributions are drawn by rejection with a proposal fitted to the interval (Robert 1995), which
//! accepts at least three in ten whatever the interval.

use std::f64::consts::PI;

use super::error::{self, GenerateError};
use super::random::SplitMix64;
use super::sieve;

/// Distribution of the radii of grains.
#[derive(Debug, Clone, PartialEq)]
pub enum Sizes {
    /// All equal.
    Equal(f64),
    /// Uniform between two bounds.
    Uniform([f64; 2]),
    /// Normal, truncated to an interval.
    Normal {
        /// Mean of the distribution before truncation.
        mean: f64,
        /// Its standard deviation.
        deviation: f64,
        /// Smallest and largest radius.
        between: [f64; 2],
    },
    /// Lognormal, truncated to an interval.
    Lognormal {
        /// Median of the distribution before truncation.
        median: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
        /// Smallest and largest radius.
        between: [f64; 2],
    },
    /// Equal area (plane) or volume (space) in equal intervals of radius between two bounds.
    ByArea([f64; 2]),
    /// Some radii, each with its share of the number of grains. Shares need not add up to 1.
    Mix(Vec<(f64, f64)>),
    /// Grading curve: sieve openings (diameters) and how much of the mass passes each; nothing passes the first.
    Sieve(Vec<(f64, f64)>),
}

impl Sizes {
    /// Checks the parameters.
    ///
    /// # Errors
    /// A radius is not positive, bounds are in the wrong order, or shares are invalid.
    pub fn check(&self) -> Result<(), GenerateError> {
        match self {
            Self::Equal(radius) => error::length("radius", *radius).map(|_| ()),
            Self::Uniform(bounds) | Self::ByArea(bounds) => ordered(bounds),
            Self::Normal {
                mean,
                deviation,
                between,
            } => {
                error::length("radius", *mean)?;
                error::length("radius", *deviation)?;
                ordered(between)
            }
            Self::Lognormal {
                median,
                sigma,
                between,
            } => {
                error::length("radius", *median)?;
                error::length("radius", *sigma)?;
                ordered(between)
            }
            Self::Mix(parts) => shares(parts),
            Self::Sieve(curve) => sieve::check(curve),
        }
    }

    /// Lower bound of the radii.
    pub fn smallest(&self) -> f64 {
        match self {
            Self::Equal(radius) => *radius,
            Self::Uniform([a, _]) | Self::ByArea([a, _]) => *a,
            Self::Normal { between, .. } | Self::Lognormal { between, .. } => between[0],
            Self::Mix(parts) => {
                let taken = parts.iter().filter(|part| part.1 > 0.0);
                taken.fold(f64::INFINITY, |least, part| least.min(part.0))
            }
            Self::Sieve(curve) => curve.first().map_or(0.0, |(size, _)| 0.5 * size),
        }
    }

    /// Upper bound of the radii.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Equal(radius) => *radius,
            Self::Uniform([_, b]) | Self::ByArea([_, b]) => *b,
            Self::Normal { between, .. } | Self::Lognormal { between, .. } => between[1],
            Self::Mix(parts) => {
                let taken = parts.iter().filter(|part| part.1 > 0.0);
                taken.fold(0.0, |most, part| part.0.max(most))
            }
            Self::Sieve(curve) => curve.last().map_or(0.0, |(size, _)| 0.5 * size),
        }
    }

    /// Draws a radius; `dimension` is 2 or 3.
    pub fn draw(&self, dimension: usize, random: &mut SplitMix64) -> f64 {
        match self {
            Self::Equal(radius) => *radius,
            Self::Uniform([a, b]) => (a + (b - a) * random.uniform()).clamp(*a, *b),
            Self::Normal {
                mean,
                deviation,
                between: [a, b],
            } => {
                // Truncated standard normal, then scaled.
                let z = cut_normal((a - mean) / deviation, (b - mean) / deviation, random);
                (mean + deviation * z).clamp(*a, *b)
            }
            Self::Lognormal {
                median,
                sigma,
                between: [a, b],
            } => {
                // The logarithm is a truncated normal.
                let scale = |r: &f64| (r / median).ln() / sigma;
                let z = cut_normal(scale(a), scale(b), random);
                (median * (sigma * z).exp()).clamp(*a, *b)
            }
            // Inversion of the distribution function: r^(1−d) is uniform.
            Self::ByArea([a, b]) => {
                let power = 1.0 - dimension as f64;
                let ratio = (b / a).powf(power);
                let level = 1.0 - random.uniform() * (1.0 - ratio);
                (a * level.powf(1.0 / power)).clamp(*a, *b)
            }
            Self::Mix(parts) => mixed(parts, random.uniform()),
            Self::Sieve(curve) => {
                sieve::draw(curve, dimension, random).clamp(self.smallest(), self.largest())
            }
        }
    }
}

/// The radius of a mix that a uniform number selects.
fn mixed(parts: &[(f64, f64)], uniform: f64) -> f64 {
    let total: f64 = parts.iter().map(|part| part.1).sum();
    // Cumulative shares.
    let mut left = uniform * total;
    let mut radius = f64::NAN;
    for (size, share) in parts {
        if *share > 0.0 {
            radius = *size;
            left -= share;
            if left < 0.0 {
                break;
            }
        }
    }
    radius
}

fn ordered([a, b]: &[f64; 2]) -> Result<(), GenerateError> {
    error::length("radius", *a)?;
    error::length("radius", *b)?;
    if a <= b {
        return Ok(());
    }
    Err(GenerateError::new(
        "radius",
        format!("the bounds [{a}, {b}] are in the wrong order"),
        "The smaller one comes first",
    ))
}

fn shares(parts: &[(f64, f64)]) -> Result<(), GenerateError> {
    for (radius, share) in parts {
        error::length("radius", *radius)?;
        if !(*share >= 0.0 && share.is_finite()) {
            return Err(GenerateError::new(
                "radius",
                format!("the share {share} of the radius {radius} is not a number of at least 0"),
                "A share is a part of the number of grains",
            ));
        }
    }
    let total: f64 = parts.iter().map(|part| part.1).sum();
    match total > 0.0 && total.is_finite() {
        true => Ok(()),
        false => Err(GenerateError::new(
            "radius",
            "a mix without any share makes no grain",
            "Give radii and their shares: { mix = [[0.1, 0.7], [0.2, 0.3]] }",
        )),
    }
}

/// A standard normal number (Box–Muller).
fn normal(random: &mut SplitMix64) -> f64 {
    // 1 − u is in (0, 1]: its logarithm is finite.
    let length = (-2.0 * (1.0 - random.uniform()).ln()).sqrt();
    length * (2.0 * PI * random.uniform()).cos()
}

/// A standard normal number truncated to [a, b].
fn cut_normal(a: f64, b: f64, random: &mut SplitMix64) -> f64 {
    // By symmetry the interval may be taken on the positive side.
    if b < 0.0 {
        return -tail_or_middle(-b, -a, random);
    }
    tail_or_middle(a, b, random)
}

/// The same for b ≥ 0.
fn tail_or_middle(a: f64, b: f64, random: &mut SplitMix64) -> f64 {
    // So far out the tail decays within 1/a: it is its beginning to rounding.
    if a > 1e6 {
        return a;
    }
    if a >= 0.0 {
        // Proposal: exponential distribution on [a, b] with Robert's rate.
        let rate = (a + (a * a + 4.0).sqrt()) / 2.0;
        let mass = -(-rate * (b - a)).exp_m1();
        let best = rate.min(b);
        loop {
            let z = a - (-random.uniform() * mass).ln_1p() / rate;
            let (far, near) = (z - rate, best - rate);
            if random.uniform() <= (0.5 * (near * near - far * far)).exp() {
                return z;
            }
        }
    }
    // The mode is inside: wide intervals propose from the normal, narrow ones from the uniform distribution.
    let wide = b - a > (2.0 * PI).sqrt();
    loop {
        let z = match wide {
            true => normal(random),
            false => a + (b - a) * random.uniform(),
        };
        let taken = match wide {
            true => (a..=b).contains(&z),
            false => random.uniform() <= (-0.5 * z * z).exp(),
        };
        if taken {
            return z;
        }
    }
}
