//! Power-law fits.

/// Exponent p and factor c of y = c xᵖ by least squares in logarithms; `None` with fewer than two different x,
/// or with a value that has no logarithm.
pub fn power(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    if points.iter().any(|(x, y)| !(*x > 0.0 && *y > 0.0)) {
        return None;
    }
    // Least squares in logarithms.
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (mean_x, mean_y) = logs().fold((0.0, 0.0), |m, (x, y)| (m.0 + x / n, m.1 + y / n));
    let spread: f64 = logs().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let common: f64 = logs().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    if !(spread > 0.0) {
        return None;
    }
    let exponent = common / spread;
    Some((exponent, (mean_y - exponent * mean_x).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_again() {
        let points: Vec<_> = (1..9)
            .map(|k| (k as f64, 3.0 * (k as f64).powf(0.5)))
            .collect();
        let (exponent, factor) = power(&points).expect("a law");
        // Rounding errors of a few logarithms.
        assert!((exponent - 0.5).abs() < 1e-14 && (factor - 3.0).abs() < 1e-13);
    }

    #[test]
    fn the_fit_is_the_one_of_least_squares() {
        // Logarithms (0, 0), (1, 1), (2, 1): slope ½, mean 2/3 at 1.
        let e = std::f64::consts::E;
        let (exponent, factor) = power(&[(1.0, 1.0), (e, e), (e * e, e)]).expect("a law");
        assert!((exponent - 0.5).abs() < 1e-14 && (factor - (1.0_f64 / 6.0).exp()).abs() < 1e-14);
    }

    #[test]
    fn no_law_without_two_places_or_with_zeros() {
        assert_eq!(power(&[(2.0, 1.0), (2.0, 3.0)]), None);
        assert_eq!(power(&[(1.0, 0.0), (2.0, 3.0)]), None);
        assert_eq!(power(&[]), None);
    }
}
