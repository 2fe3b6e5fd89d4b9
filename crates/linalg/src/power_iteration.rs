//! Power iteration for the largest eigenvalue of a positive semidefinite operator.

use crate::dense::norm;

/// Number of iterations: the eigenvalue is then right to some per cent.
const ITERATIONS: usize = 30;

/// λ_max of an operator on ℝⁿ to some per cent, from a fixed start; `apply` writes the product with its first argument
/// to the second. One where the operator is zero.
pub fn largest_eigenvalue(n: usize, mut apply: impl FnMut(&[f64], &mut [f64])) -> f64 {
    // A start without symmetry, so that it is not orthogonal to the eigenvector by accident.
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64).sin()).collect();
    let mut y = vec![0.0; n];
    let mut value = 1.0;
    for _ in 0..ITERATIONS {
        apply(&x, &mut y);
        // A product of zero says nothing more.
        let size = norm(&y);
        if !(size > 0.0) {
            break;
        }
        // Quotient of the norms, and the next unit vector.
        value = size / norm(&x);
        x.iter_mut().zip(&y).for_each(|(x, y)| *x = y / size);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagonal_matrix_gives_its_largest_entry() {
        let diagonal = [1.0, 4.0, 9.0, 0.5];
        let value = largest_eigenvalue(4, |x, y| {
            for i in 0..4 {
                y[i] = diagonal[i] * x[i];
            }
        });
        // The second eigenvalue is less than half: thirty iterations leave rounding.
        assert!((value - 9.0).abs() < 1e-12, "{value}");
    }

    #[test]
    fn the_zero_operator_gives_one() {
        assert_eq!(largest_eigenvalue(3, |_, y| y.fill(0.0)), 1.0);
    }
}
