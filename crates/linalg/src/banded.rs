//! LDLᵀ factorisation of symmetric pentadiagonal matrices.

/// Solves M x = b in place of b. Row k of `matrix` holds M_kk, M_k,k+1 and M_k,k+2 and is overwritten; `ridge` times
/// the mean diagonal entry is added to every one. False where a pivot is not positive or a result is not finite.
pub fn solve_pentadiagonal(matrix: &mut [[f64; 3]], ridge: f64, x: &mut [f64]) -> bool {
    let n = matrix.len();
    let mean = matrix.iter().map(|row| row[0]).sum::<f64>() / n.max(1) as f64;
    // Factorisation and forward substitution.
    for k in 0..n {
        matrix[k][0] += ridge * mean;
        if !(matrix[k][0] > 0.0 && matrix[k][0].is_finite()) {
            return false;
        }
        // Multipliers of the two rows below, and what they take away.
        let [d, one, two] = matrix[k];
        let [by_one, by_two] = [one / d, two / d];
        if k + 1 < n {
            matrix[k + 1][0] -= by_one * one;
            matrix[k + 1][1] -= by_one * two;
            x[k + 1] -= by_one * x[k];
        }
        if k + 2 < n {
            matrix[k + 2][0] -= by_two * two;
            x[k + 2] -= by_two * x[k];
        }
    }
    // Backward substitution.
    for k in (0..n).rev() {
        let [d, one, two] = matrix[k];
        let above = |j: usize| x.get(k + j).copied().unwrap_or(0.0);
        x[k] = (x[k] - one * above(1) - two * above(2)) / d;
    }
    x.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_system_with_a_known_solution() {
        // Diagonally dominant, so that the condition number is below ten.
        let n = 12;
        let band: Vec<[f64; 3]> = (0..n)
            .map(|k| [6.0, -1.0 + 0.1 * (k as f64).sin(), 0.5])
            .collect();
        let exact: Vec<f64> = (0..n).map(|k| (1.0 + k as f64).cos()).collect();
        // b = M x from the band and its mirror.
        let mut x = vec![0.0; n];
        for k in 0..n {
            x[k] += band[k][0] * exact[k];
            for j in 1..3 {
                if k + j < n {
                    x[k] += band[k][j] * exact[k + j];
                    x[k + j] += band[k][j] * exact[k];
                }
            }
        }
        assert!(solve_pentadiagonal(&mut band.clone(), 0.0, &mut x));
        for (a, b) in x.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
    }

    #[test]
    fn a_zero_row_needs_the_ridge() {
        let band = [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        assert!(!solve_pentadiagonal(
            &mut band.clone(),
            0.0,
            &mut [2.0, 0.0]
        ));
        // The mean diagonal entry is one.
        let mut x = [2.5, 0.5];
        assert!(solve_pentadiagonal(&mut band.clone(), 0.5, &mut x));
        assert_eq!(x, [1.0, 1.0]);
    }
}
