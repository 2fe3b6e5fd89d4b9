//! Configuration space: how positions follow from velocities.
//!
//! A velocity has one entry for each degree of freedom; a position may need more (a unit quaternion has four for
//! three). The configuration space says which positions belong to which velocities and integrates a constant velocity
//! over a time h:
//!
//! ```text
//! length, angle: q ← q + h v                       (angles are never reduced modulo 2π)
//! orientation:   q ← q ⊗ exp(½ h ω)                q unit quaternion (w, x, y, z), body to space;
//!                                                  ω the angular velocity in body axes, so A is constant there
//! ```

/// One coordinate of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coordinate {
    /// A length: one position, one velocity.
    Length,
    /// An angle, never reduced modulo 2π: one position, one velocity.
    Angle,
    /// An orientation in space: a unit quaternion (w, x, y, z) and the angular velocity in body axes.
    Orientation,
}

impl Coordinate {
    /// Number of positions.
    pub fn num_positions(self) -> usize {
        match self {
            Self::Length | Self::Angle => 1,
            Self::Orientation => 4,
        }
    }

    /// Number of velocities.
    pub fn num_velocities(self) -> usize {
        match self {
            Self::Length | Self::Angle => 1,
            Self::Orientation => 3,
        }
    }
}

/// The coordinates of a mechanism in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfigurationSpace {
    coordinates: Vec<Coordinate>,
    num_positions: usize,
    num_velocities: usize,
    /// No orientation: q̇ = v.
    is_euclidean: bool,
}

impl ConfigurationSpace {
    /// The coordinates in the order in which positions and velocities list them.
    pub fn new(coordinates: Vec<Coordinate>) -> Self {
        let num_positions = coordinates.iter().map(|c| c.num_positions()).sum();
        let num_velocities = coordinates.iter().map(|c| c.num_velocities()).sum();
        let flat = !coordinates.contains(&Coordinate::Orientation);
        Self {
            coordinates,
            num_positions,
            num_velocities,
            is_euclidean: flat,
        }
    }

    /// Configuration space ℝⁿ: `n` lengths.
    pub fn euclidean(n: usize) -> Self {
        Self::new(vec![Coordinate::Length; n])
    }

    /// The coordinates.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// Number of positions.
    pub fn num_positions(&self) -> usize {
        self.num_positions
    }

    /// Number of velocities, the degrees of freedom before constraints.
    pub fn num_velocities(&self) -> usize {
        self.num_velocities
    }

    /// Integrates the constant velocity `v` over the time `h`, from `q` in place; quaternions stay of unit length.
    pub fn integrate(&self, q: &mut [f64], v: &[f64], h: f64) {
        if self.is_euclidean {
            q.iter_mut().zip(v).for_each(|(q, v)| *q += h * v);
            return;
        }
        // p and s: first position and first velocity of the coordinate.
        let (mut p, mut s) = (0, 0);
        for coordinate in &self.coordinates {
            match coordinate {
                Coordinate::Length | Coordinate::Angle => q[p] += h * v[s],
                Coordinate::Orientation => integrate_quaternion(&mut q[p..p + 4], &v[s..s + 3], h),
            }
            p += coordinate.num_positions();
            s += coordinate.num_velocities();
        }
    }

    /// q̇ of a velocity: v itself for lengths and angles, ½ q ⊗ (0, ω) for orientations.
    pub fn position_rate_into(&self, q: &[f64], v: &[f64], rate: &mut [f64]) {
        if self.is_euclidean {
            rate.copy_from_slice(v);
            return;
        }
        let (mut p, mut s) = (0, 0);
        for coordinate in &self.coordinates {
            match coordinate {
                Coordinate::Length | Coordinate::Angle => rate[p] = v[s],
                Coordinate::Orientation => {
                    let spin = [0.0, v[s], v[s + 1], v[s + 2]];
                    let product = multiply(&q[p..p + 4], &spin);
                    (0..4).for_each(|i| rate[p + i] = 0.5 * product[i]);
                }
            }
            p += coordinate.num_positions();
            s += coordinate.num_velocities();
        }
    }

    /// Normalises every quaternion; returns the largest | |q| − 1 | found.
    pub fn normalise(&self, q: &mut [f64]) -> f64 {
        let (mut p, mut worst) = (0, 0.0_f64);
        for coordinate in &self.coordinates {
            if *coordinate == Coordinate::Orientation {
                worst = worst.max(unit(&mut q[p..p + 4]));
            }
            p += coordinate.num_positions();
        }
        worst
    }
}

/// q ← q ⊗ exp(½ h ω), normalised: the exponential map of a constant angular velocity.
fn integrate_quaternion(q: &mut [f64], spin: &[f64], h: f64) {
    let speed = (spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]).sqrt();
    let half = 0.5 * h * speed;
    // sin(x)/x by its series near 0, to the last digit.
    let sinc = if half.abs() < 1e-4 {
        1.0 - half * half / 6.0
    } else {
        half.sin() / half
    };
    let scale = 0.5 * h * sinc;
    let rotation = [
        half.cos(),
        scale * spin[0],
        scale * spin[1],
        scale * spin[2],
    ];
    let turned = multiply(q, &rotation);
    q.copy_from_slice(&turned);
    unit(q);
}

/// The product a ⊗ b of quaternions (w, x, y, z).
fn multiply(a: &[f64], b: &[f64]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Normalises a quaternion; returns | |q| − 1 |.
fn unit(q: &mut [f64]) -> f64 {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        q.iter_mut().for_each(|x| *x /= length);
    }
    (length - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_spin_turns_by_its_angle() {
        let chart = ConfigurationSpace::new(vec![Coordinate::Orientation]);
        let mut q = [1.0, 0.0, 0.0, 0.0];
        for _ in 0..100 {
            chart.integrate(&mut q, &[0.0, 0.0, 0.5], 0.02);
        }
        // One radian about the third axis; a hundred products of rounding.
        assert!((q[0] - 0.5_f64.cos()).abs() < 1e-14 && (q[3] - 0.5_f64.sin()).abs() < 1e-14);
    }

    #[test]
    fn the_rate_is_the_derivative_of_the_motion() {
        let chart = ConfigurationSpace::new(vec![Coordinate::Length, Coordinate::Orientation]);
        let q = [0.3, 0.5, -0.5, 0.5, 0.5];
        let v = [2.0, 0.3, -0.7, 1.1];
        let mut rate = [0.0; 5];
        chart.position_rate_into(&q, &v, &mut rate);
        let (mut ahead, mut behind) = (q, q);
        chart.integrate(&mut ahead, &v, 1e-5);
        chart.integrate(&mut behind, &v, -1e-5);
        for i in 0..5 {
            // Central difference: error of order h² = 1e-10.
            assert!((rate[i] - (ahead[i] - behind[i]) / 2e-5).abs() < 1e-9);
        }
    }
}
