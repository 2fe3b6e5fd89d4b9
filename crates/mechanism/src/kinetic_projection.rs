//! Projection of 1-forms onto the orthogonal complement of others in the kinetic metric.
//!
//! ```text
//! α' = α − c Φ,     (α − c Φ) A⁻¹ Φᵀ = 0                                                  (B02 §6.1, example 13)
//! ```
//!
//! Φ holds the gradients of constraints, α the rows of friction. Friction stated for α' does not depend on how the
//! constraint is written, nor on which of the forms that agree on the admissible velocities α is: α' is the
//! representative in T*S. Its reaction does no work against Φ and leaves the reactions of Φ unchanged.

use percuss_convex::dense;

use crate::inertia::cholesky;
use crate::least_norm;

/// The coefficients c (rows of α by rows of Φ), row-major; `None` where `mass` is not positive definite. Rows of Φ may be
/// dependent. `mass` is n × n, `held` and `rows` are matrices of n columns.
pub fn projection_coefficients(
    mass: &[f64],
    n: usize,
    held: &[f64],
    rows: &[f64],
) -> Option<Vec<f64>> {
    let mut factor = mass.to_vec();
    cholesky(&mut factor, n).ok()?;
    // Rows in kinetic coordinates, those of Φ at unit length.
    let hat = |matrix: &[f64]| {
        let mut hat = matrix.to_vec();
        hat.chunks_exact_mut(n)
            .for_each(|row| dense::solve_lower(&factor, n, row));
        hat
    };
    let (mut held, rows) = (hat(held), hat(rows));
    let count = held.len() / n;
    let mut scale = Vec::with_capacity(count);
    for row in held.chunks_exact_mut(n) {
        let length = dense::dot(row, row).sqrt();
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        row.iter_mut().for_each(|x| *x *= inverse);
        scale.push(inverse);
    }
    // Gram matrix of Φ; least-norm coefficients where it is singular.
    let mut gram = vec![0.0; count * count];
    for i in 0..count {
        for j in 0..count {
            gram[i * count + j] = dense::dot(&held[i * n..(i + 1) * n], &held[j * n..(j + 1) * n]);
        }
    }
    let mut coefficients = Vec::with_capacity(rows.len() / n * count);
    for row in rows.chunks_exact(n) {
        let right: Vec<f64> = held.chunks_exact(n).map(|h| dense::dot(h, row)).collect();
        let (c, _) = least_norm::solve_least_norm(&gram, &right);
        coefficients.extend(c.iter().zip(&scale).map(|(c, scale)| c * scale));
    }
    Some(coefficients)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass matrix of a uniform bar by its end point and its angle.
    fn bar(mass: f64, length: f64, theta: f64) -> [f64; 9] {
        let (s, c) = theta.sin_cos();
        let (x, y) = (-0.5 * mass * length * s, 0.5 * mass * length * c);
        let turning = mass * length * length / 3.0;
        [mass, 0.0, x, 0.0, mass, y, x, y, turning]
    }

    /// B02 example 13: dx against dy for a bar gives the coefficient −3 cos θ sin θ/(4 − 3 sin² θ).
    #[test]
    fn bar_on_a_rail_has_the_coefficient_of_the_paper() {
        let (mass, length) = (2.3, 0.7);
        for theta in [0.0_f64, 0.4, 1.1, 2.0] {
            let (s, c) = theta.sin_cos();
            let a = bar(mass, length, theta);
            let found = projection_coefficients(&a, 3, &[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0]).unwrap();
            let expected = -3.0 * c * s / (4.0 - 3.0 * s * s);
            // Rounding of a 3 × 3 factorisation.
            assert!((found[0] - expected).abs() < 1e-14, "{theta}: {found:?}");
            // The same rail written twice, and as 10 y: the same projected row.
            let twice = [0.0, 1.0, 0.0, 0.0, 10.0, 0.0];
            let again = projection_coefficients(&a, 3, &twice, &[1.0, 0.0, 0.0]).unwrap();
            assert!((again[0] + 10.0 * again[1] - expected).abs() < 1e-13);
        }
    }

    /// B02 example 14: dx against both rails gives dx − ½ L sin θ0 dθ.
    #[test]
    fn bar_between_two_rails_has_the_form_of_the_paper() {
        let (mass, length, theta) = (1.7, 1.3, 0.8_f64);
        let (s, c) = theta.sin_cos();
        let a = bar(mass, length, theta);
        let held = [0.0, 1.0, 0.0, 0.0, 1.0, length * c];
        let k = projection_coefficients(&a, 3, &held, &[1.0, 0.0, 0.0]).unwrap();
        let form: Vec<f64> = (0..3)
            .map(|j| f64::from(u8::from(j == 0)) - k[0] * held[j] - k[1] * held[3 + j])
            .collect();
        for (found, expected) in form.iter().zip([1.0, 0.0, -0.5 * length * s]) {
            assert!((found - expected).abs() < 1e-14, "{form:?}");
        }
    }
}
