//! Sums over slices, each in the order of its terms.

/// Scalar product.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Euclidean norm.
#[inline]
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// out = left · block by rows: left d × d, block d × width.
#[inline]
pub fn multiply(left: &[f64], block: &[f64], d: usize, width: usize, out: &mut [f64]) {
    for i in 0..d {
        for j in 0..width {
            let mut sum = 0.0;
            for l in 0..d {
                sum += left[i * d + l] * block[l * width + j];
            }
            out[i * width + j] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_small_numbers_are_exact() {
        assert_eq!(dot(&[1.0, 2.0, 3.0], &[4.0, -5.0, 6.0]), 12.0);
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        // (1 2; 3 4) (1 0 2; 0 1 1) = (1 2 4; 3 4 10).
        let mut out = [0.0; 6];
        multiply(
            &[1.0, 2.0, 3.0, 4.0],
            &[1.0, 0.0, 2.0, 0.0, 1.0, 1.0],
            2,
            3,
            &mut out,
        );
        assert_eq!(out, [1.0, 2.0, 4.0, 3.0, 4.0, 10.0]);
    }
}
