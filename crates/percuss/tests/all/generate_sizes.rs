//! Distributions of radii: drawn through grids of many grains, held against integrals of the densities.

use percuss_bodies::{Plane, Space};
use percuss_generate::{GrainShape, Grid, GridLattice, Sizes, grid};

use crate::generate_common::{Vec2, Vec3, disc, sphere};

const N: usize = 100_000;

fn draw(radius: Sizes) -> Vec<f64> {
    let pieces = grid(&Grid::<Plane> {
        radius,
        form: GrainShape::Round,
        counts: vec![400, 250],
        spacing: None,
        lattice: GridLattice::Square,
        jitter: 0.0,
        seed: 11,
        origin: Vec2::ZERO,
    });
    pieces.unwrap().iter().map(disc).collect()
}

/// Largest difference of the empirical distribution function and that of a density on [a, b]
/// (trapezium rule on a fine grid).
fn kolmogorov(mut sample: Vec<f64>, [a, b]: [f64; 2], density: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    assert!(sample[0] >= a && sample[sample.len() - 1] <= b);
    let cells = 200_000;
    let width = (b - a) / f64::from(cells);
    let mut sums = vec![0.0];
    for i in 0..cells {
        let x = a + width * f64::from(i);
        let last = sums[sums.len() - 1];
        sums.push(last + 0.5 * width * (density(x) + density(x + width)));
    }
    let total = sums[sums.len() - 1];
    let n = sample.len() as f64;
    let mut worst: f64 = 0.0;
    for (i, x) in sample.iter().enumerate() {
        let place = ((x - a) / width).min(f64::from(cells));
        let (cell, part) = (place.floor() as usize, place.fract());
        let next = sums[(cell + 1).min(sums.len() - 1)];
        let level = (sums[cell] + part * (next - sums[cell])) / total;
        worst = worst.max(
            (level - i as f64 / n)
                .abs()
                .max((level - (i as f64 + 1.0) / n).abs()),
        );
    }
    worst
}

// The difference exceeds 2.3/√n with a probability of 2·exp(−2·2.3²) = 5e-5.
fn limit() -> f64 {
    2.3 / (N as f64).sqrt()
}

#[test]
fn uniform_radii_are_uniform() {
    let worst = kolmogorov(draw(Sizes::Uniform([0.2, 0.7])), [0.2, 0.7], |_| 1.0);
    assert!(worst < limit(), "{worst}");
}

#[test]
fn normal_radii_follow_the_cut_bell_wherever_it_is_cut() {
    let (mean, deviation) = (1.0, 0.1);
    let bell = |x: f64| (-0.5 * ((x - mean) / deviation).powi(2)).exp();
    // Both sides, one side, a narrow middle, the edge of the middle, tails, a narrow piece of a tail.
    let cuts = [
        [0.5, 1.5],
        [0.95, 1.5],
        [0.98, 1.1],
        [1.0, 1.3],
        [1.4, 1.9],
        [0.3, 0.75],
        [1.6, 1.61],
    ];
    for between in cuts {
        let sample = draw(Sizes::Normal {
            mean,
            deviation,
            between,
        });
        let worst = kolmogorov(sample, between, bell);
        assert!(worst < limit(), "{between:?}: {worst}");
    }
}

#[test]
fn a_wide_normal_has_its_mean_and_deviation() {
    let sample = draw(Sizes::Normal {
        mean: 1.0,
        deviation: 0.05,
        between: [0.5, 1.5],
    });
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let deviation = (sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    // Standard errors 0.05/√n = 1.6e-4 and 0.05/√(2n) = 1.1e-4: four of them.
    assert!(
        (mean - 1.0).abs() < 6.4e-4 && (deviation - 0.05).abs() < 4.5e-4,
        "{mean} {deviation}"
    );
}

#[test]
fn lognormal_radii_follow_their_density() {
    let (median, sigma, between) = (0.3_f64, 0.4, [0.2, 1.0]);
    let density = |x: f64| (-0.5 * ((x / median).ln() / sigma).powi(2)).exp() / x;
    let sample = draw(Sizes::Lognormal {
        median,
        sigma,
        between,
    });
    let worst = kolmogorov(sample, between, density);
    assert!(worst < limit(), "{worst}");
}

#[test]
fn by_area_gives_equal_area_and_volume_to_equal_intervals_of_radius() {
    let bounds = [0.1, 1.0];
    let sample = draw(Sizes::ByArea(bounds));
    let worst = kolmogorov(sample, bounds, |r| r.powi(-2));
    assert!(worst < limit(), "{worst}");
    let balls = grid(&Grid::<Space> {
        radius: Sizes::ByArea(bounds),
        form: GrainShape::Round,
        counts: vec![100, 100, 10],
        spacing: None,
        lattice: GridLattice::Square,
        jitter: 0.0,
        seed: 3,
        origin: Vec3::ZERO,
    });
    let sample: Vec<f64> = balls.unwrap().iter().map(sphere).collect();
    let worst = kolmogorov(sample, bounds, |r| r.powi(-3));
    assert!(worst < limit(), "{worst}");
}

#[test]
fn a_mix_has_its_shares() {
    let sample = draw(Sizes::Mix(vec![(0.1, 3.0), (0.3, 0.0), (0.2, 1.0)]));
    let small = sample.iter().filter(|r| **r == 0.1).count() as f64 / N as f64;
    let large = sample.iter().filter(|r| **r == 0.2).count() as f64 / N as f64;
    // Deviation √(0.75·0.25/n) = 1.4e-3: four of them. Nothing of the share 0.
    assert!(
        (small - 0.75).abs() < 5.5e-3 && small + large == 1.0,
        "{small} {large}"
    );
    let mix = Sizes::Mix(vec![(0.1, 3.0), (0.3, 0.0), (0.2, 1.0)]);
    assert_eq!((mix.smallest(), mix.largest()), (0.1, 0.2));
}

#[test]
fn sizes_that_are_none_are_refused() {
    let between = [0.1, 0.2];
    let normal = |mean, deviation, between| Sizes::Normal {
        mean,
        deviation,
        between,
    };
    let wrong = [
        Sizes::Equal(0.0),
        Sizes::Equal(f64::NAN),
        Sizes::Uniform([0.2, 0.1]),
        Sizes::Uniform([-0.2, 0.1]),
        Sizes::ByArea([0.1, f64::INFINITY]),
        normal(-1.0, 0.1, between),
        normal(1.0, 0.0, between),
        normal(1.0, 0.1, [0.0, 1.0]),
        Sizes::Lognormal {
            median: 0.0,
            sigma: 1.0,
            between,
        },
        Sizes::Lognormal {
            median: 0.1,
            sigma: f64::NAN,
            between,
        },
        Sizes::Mix(vec![]),
        Sizes::Mix(vec![(0.1, 0.0)]),
        Sizes::Mix(vec![(0.1, -1.0), (0.2, 2.0)]),
        Sizes::Mix(vec![(-0.1, 1.0)]),
    ];
    for sizes in wrong {
        let error = sizes.check().unwrap_err();
        assert_eq!(error.key, "radius", "{sizes:?}");
    }
    assert!(Sizes::Uniform([0.1, 0.1]).check().is_ok());
}

#[test]
fn bounds_that_meet_give_that_radius() {
    for sizes in [
        Sizes::Uniform([0.1, 0.1]),
        Sizes::ByArea([0.1, 0.1]),
        Sizes::Normal {
            mean: 1.0,
            deviation: 0.01,
            between: [0.1, 0.1],
        },
        Sizes::Lognormal {
            median: 1.0,
            sigma: 0.1,
            between: [0.1, 0.1],
        },
    ] {
        assert!(draw(sizes).iter().all(|r| *r == 0.1));
    }
}

#[test]
fn a_sieve_curve_is_met_by_mass_in_the_plane_and_in_space() {
    let curve = vec![(0.1, 0.0), (0.2, 30.0), (0.4, 30.0), (0.8, 100.0)];
    let flat = draw(Sizes::Sieve(curve.clone()));
    let pieces = grid(&Grid::<Space> {
        radius: Sizes::Sieve(curve.clone()),
        form: GrainShape::Round,
        counts: vec![50, 50, 40],
        spacing: None,
        lattice: GridLattice::Square,
        jitter: 0.0,
        seed: 11,
        origin: Vec3::ZERO,
    });
    let deep: Vec<f64> = pieces.unwrap().iter().map(sphere).collect();
    for (radii, power) in [(flat, 2), (deep, 3)] {
        let mass = |below: f64| -> f64 {
            let taken = radii.iter().filter(|r| 2.0 * **r <= below);
            taken.map(|r| r.powi(power)).sum()
        };
        let total = mass(1.0);
        assert!(radii.iter().all(|r| (0.05..=0.4).contains(r)));
        // Points of the curve, and the middle of an interval of it over ln d: 30 + 70/2.
        let between = (0.4_f64 * 0.8).sqrt();
        for (opening, passing) in [(0.2, 30.0), (0.4, 30.0), (between, 65.0), (0.8, 100.0)] {
            let found = 100.0 * mass(opening) / total;
            // Few grains are large: of 100,000 about 7,000 (plane), 1,500 (space), with masses of
            // a spread like their mean: 100·0.46/√1500 = 1.2; three of them.
            assert!(
                (found - passing).abs() < 3.6,
                "{opening}: {found} {passing}"
            );
        }
    }
    let wrong = |curve: &[(f64, f64)]| Sizes::Sieve(curve.to_vec()).check().is_err();
    assert!(wrong(&[(0.1, 0.0)]) && wrong(&[(0.1, 5.0), (0.2, 100.0)]));
    assert!(wrong(&[(0.2, 0.0), (0.1, 100.0)]) && wrong(&[(0.1, 0.0), (0.2, -1.0)]));
    assert!(wrong(&[(0.1, 0.0), (0.2, 0.0)]) && wrong(&[(0.1, 0.0), (0.2, f64::NAN)]));
}
