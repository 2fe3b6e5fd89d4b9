//! Standard errors of means of correlated series, against what is known of them.

use percuss_run::statistics::block::{NoStandardError, cell_means, running, standard_error};

/// Numbers with mean 0 and variance 1 from a seed, nearly normal.
fn noise(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        let mut sum = -6.0;
        for _ in 0..12 {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            sum += (seed >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum
    }
}

/// x' = φ x + ε.
fn autoregressive(phi: f64, count: usize, seed: u64) -> Vec<f64> {
    let mut next = noise(seed);
    let mut x = 0.0;
    // The start is forgotten first.
    (0..1000).for_each(|_| x = phi * x + next());
    (0..count)
        .map(|_| {
            x = phi * x + next();
            x
        })
        .collect()
}

#[test]
fn errors_are_those_of_the_autoregressive_series() {
    const COUNT: usize = 1 << 15;
    for phi in [0.0, 0.5, 0.9, 0.97] {
        // Var(mean) → 1/(n (1 − φ)²) for n (1 − φ) ≫ 1.
        let exact = 1.0 / ((COUNT as f64).sqrt() * (1.0 - phi));
        let mut sum = 0.0;
        for seed in 1..=20 {
            let error = standard_error(&autoregressive(phi, COUNT, seed)).unwrap() / exact;
            // Blocks at Wolff's optimum scatter by 1/√(2m), a tenth for the m ≥ 60 blocks left here.
            assert!(
                (error - 1.0).abs() < 0.35,
                "φ = {phi}, seed {seed}: {error}"
            );
            sum += error;
        }
        // The bias at the optimum is as large as the scatter of one series: a few per cent.
        assert!((sum / 20.0 - 1.0).abs() < 0.08, "φ = {phi}: {}", sum / 20.0);
    }
}

#[test]
fn a_mean_differs_from_its_value_by_about_its_error() {
    // |mean|/error ≤ 1 in 68 % of all series; of 60 between 29 and 53 are within four deviations.
    let within = (1..=60).filter(|seed| {
        let series = autoregressive(0.8, 4096, 1000 + seed);
        let mean = series.iter().sum::<f64>() / 4096.0;
        mean.abs() <= standard_error(&series).unwrap()
    });
    let count = within.count();
    assert!((27..=54).contains(&count), "{count}");
}

#[test]
fn short_and_long_correlated_series_have_no_error() {
    assert_eq!(standard_error(&[1.0; 10]), Err(NoStandardError::Few(10)));
    assert_eq!(standard_error(&[1.0; 100]), Ok(0.0));
    let drift: Vec<f64> = (0..1000).map(f64::from).collect();
    assert_eq!(standard_error(&drift), Err(NoStandardError::Correlated));
}

#[test]
fn cells_keep_the_integral_of_uneven_steps() {
    let points: Vec<(f64, f64)> = (0..50)
        .map(|k| {
            let t = f64::from(k).powf(1.3);
            (t, (0.1 * t).sin())
        })
        .collect();
    let trapezium: f64 = points
        .windows(2)
        .map(|p| 0.5 * (p[1].0 - p[0].0) * (p[0].1 + p[1].1))
        .sum();
    let length = points[49].0;
    let cells = cell_means(&points);
    assert_eq!(cells.len(), 49);
    let mean = cells.iter().sum::<f64>() / 49.0;
    // The same integral in another order.
    assert!((mean * length - trapezium).abs() < 1e-12 * length);
}

#[test]
fn running_means_end_with_the_mean_and_its_error() {
    let series = autoregressive(0.5, 3001, 7);
    let points: Vec<(f64, f64)> = series
        .iter()
        .enumerate()
        .map(|(k, x)| (k as f64, *x))
        .collect();
    let (means, errors) = running(&points);
    let trapezium: f64 = series.windows(2).map(|p| 0.5 * (p[0] + p[1])).sum::<f64>() / 3000.0;
    assert!((means[3000].1 - trapezium).abs() < 1e-12);
    let (t, mean, error) = *errors.last().unwrap();
    assert_eq!((t, mean), means[3000]);
    assert_eq!(Ok(error), standard_error(&cell_means(&points)));
    // A value that is none is left out.
    let (means, _) = running(&[(0.0, f64::NAN), (1.0, 2.0), (2.0, 4.0)]);
    assert_eq!(means, [(1.0, 2.0), (2.0, 3.0)]);
}
