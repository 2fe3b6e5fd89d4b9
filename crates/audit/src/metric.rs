//! Distance of two configurations.
//!
//! ```text
//! bodies       d = max over bodies of (|Δc| + R·2 sin(Δφ/2)) / size,   R the radius about the centre c: no point of
//!                                                               the body is further from where it was;
//!                                                               size: median diameter of bodies that can move
//! mechanism    d = ‖Δq‖_A / size,   ‖x‖² = xᵀ A(t,q) x with A at the configuration of the reference;
//!                                                               size: max over t of ‖q(t) − q(0)‖_A
//! ```
//!
//! The kinetic metric A makes the distance of mechanisms independent of the choice of coordinates.
//! The difference of orientations is their rotation vector in body axes, as for velocities.

use serde::Serialize;

use super::samples::{Samples, form};
use percuss_mechanism::{ConfigurationSpace, Coordinate};

/// The length to which distances are relative.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Size {
    /// Its value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it is.
    pub what: &'static str,
}

/// The metric of configurations.
#[derive(Debug)]
pub(super) enum Metric {
    /// Bodies in this dimension with these bounding radii.
    Bodies {
        dimension: usize,
        radii: Vec<f64>,
        size: f64,
    },
    /// A mechanism, with its mass matrix at every instant.
    Mechanism {
        chart: ConfigurationSpace,
        masses: Vec<Vec<f64>>,
        size: f64,
    },
}

impl Metric {
    /// The metric of bodies with these bounding radii.
    pub fn of_bodies(dimension: usize, radii: Vec<f64>) -> Self {
        // Median of the finite radii.
        let mut sorted: Vec<f64> = radii.iter().copied().filter(|r| r.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.5);
        Self::Bodies {
            dimension,
            radii,
            size: 2.0 * median,
        }
    }

    /// The metric of a mechanism, scaled by the extent of the reference's motion.
    pub fn of_mechanism(
        chart: ConfigurationSpace,
        masses: Vec<Vec<f64>>,
        reference: &Samples,
    ) -> Self {
        let mut metric = Self::Mechanism {
            chart,
            masses,
            size: 1.0,
        };
        // Largest distance from the start.
        let from_start = (1..reference.len())
            .map(|k| metric.distance(k, reference.at(0), reference.at(k)).0)
            .filter(|d| d.is_finite());
        let extent = from_start.fold(0.0, f64::max);
        if let Self::Mechanism { size, .. } = &mut metric
            && extent > 0.0
        {
            *size = extent;
        }
        metric
    }

    /// The length to which distances are relative.
    pub fn size(&self) -> Size {
        match self {
            Self::Bodies { size, .. } => Size {
                value: *size,
                unit: "m",
                what: "median diameter of the bodies that can move",
            },
            Self::Mechanism { size, .. } => Size {
                value: *size,
                unit: "√kg m",
                what: "extent of the motion in the kinetic metric",
            },
        }
    }

    /// Relative distance of two configurations at an instant, and the body that moved most.
    pub fn distance(&self, instant: usize, a: &[f64], b: &[f64]) -> (f64, usize) {
        match self {
            Self::Bodies {
                dimension,
                radii,
                size,
            } => {
                // Centre and axes of each body.
                let n = *dimension;
                let width = n + n * n;
                let pairs = a.chunks_exact(width).zip(b.chunks_exact(width)).zip(radii);
                // |R_a − R_b|_F / √2 = 2 sin(Δφ/2), in the plane and in space.
                let moved = pairs.map(|((a, b), radius)| {
                    let turned = length(&a[n..], &b[n..]) / std::f64::consts::SQRT_2;
                    length(&a[..n], &b[..n]) + radius * turned
                });
                let furthest = moved.enumerate().fold((0.0, 0), |worst, (k, moved)| {
                    // A body with a NaN position counts as the furthest.
                    if moved > worst.0 || moved.is_nan() {
                        return (moved, k);
                    }
                    worst
                });
                (furthest.0 / size, furthest.1)
            }
            Self::Mechanism {
                chart,
                masses,
                size,
            } => {
                // Kinetic norm of the difference.
                let difference = difference(chart, a, b);
                let mass = masses.get(instant).map_or(&[][..], Vec::as_slice);
                let square = form(mass, &difference).max(0.0);
                (square.sqrt() / size, 0)
            }
        }
    }
}

fn length(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// The velocity that leads from one configuration to another in unit time.
fn difference(chart: &ConfigurationSpace, a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(chart.num_velocities());
    let mut p = 0;
    for coordinate in chart.coordinates() {
        match coordinate {
            Coordinate::Length | Coordinate::Angle => all.push(b[p] - a[p]),
            Coordinate::Orientation => all.extend(rotation_vector(&a[p..p + 4], &b[p..p + 4])),
        }
        p += coordinate.num_positions();
    }
    all
}

/// The rotation vector ω with b = a ⊗ exp(½ω), body axes, |ω| ≤ π.
fn rotation_vector(a: &[f64], b: &[f64]) -> [f64; 3] {
    // ā ⊗ b.
    let w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    let y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
    let z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
    let sine = (x * x + y * y + z * z).sqrt();
    let angle = 2.0 * sine.atan2(w.abs());
    let scale = match sine > 0.0 {
        true => angle / sine * w.signum(),
        false => 0.0,
    };
    [scale * x, scale * y, scale * z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_body_is_as_far_as_its_furthest_point() {
        let metric = Metric::of_bodies(2, vec![0.5, 2.0, 1.0]);
        assert_eq!(metric.size().value, 2.0);
        let axes = |angle: f64| [angle.cos(), angle.sin(), -angle.sin(), angle.cos()];
        let place = |x: f64, angle: f64| [[x, 0.0].as_slice(), &axes(angle)].concat();
        let a = [place(0.0, 0.0), place(1.0, 0.0), place(2.0, 0.0)].concat();
        let b = [place(0.0, 0.0), place(1.0, 0.3), place(2.1, 0.0)].concat();
        let (distance, body) = metric.distance(0, &a, &b);
        // Chord of 0.3 rad at radius 2, relative to the diameter 2.
        let chord = 2.0 * 2.0 * 0.15_f64.sin();
        assert!((distance - chord / 2.0).abs() < 1e-15, "{distance}");
        assert_eq!(body, 1);
    }

    #[test]
    fn the_kinetic_metric_does_not_depend_on_the_unit_of_an_angle() {
        let run = |q: &[[f64; 1]]| Samples {
            width: 1,
            data: q.concat(),
            energies: vec![0.0; q.len()],
        };
        let radians = run(&[[0.0], [0.5]]);
        let metric = Metric::of_mechanism(
            ConfigurationSpace::euclidean(1),
            vec![vec![3.0]; 2],
            &radians,
        );
        let degree = 180.0 / std::f64::consts::PI;
        let degrees = run(&[[0.0], [0.5 * degree]]);
        let mass = vec![3.0 / degree / degree];
        let other = Metric::of_mechanism(ConfigurationSpace::euclidean(1), vec![mass; 2], &degrees);
        let (a, _) = metric.distance(1, &[0.5], &[0.51]);
        let (b, _) = other.distance(1, &[0.5 * degree], &[0.51 * degree]);
        assert!((a - 0.02).abs() < 1e-14 && (a - b).abs() < 1e-14, "{a} {b}");
        // √3 kg^½ m for half a radian.
        assert!((metric.size().value - 0.5 * 3.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn the_rotation_vector_is_the_inverse_of_the_motion() {
        let chart = ConfigurationSpace::new(vec![Coordinate::Orientation]);
        let a = [0.5, -0.5, 0.5, 0.5];
        for spin in [[0.3, -0.2, 0.9], [1e-9, 0.0, -2e-9], [0.0, 3.0, 0.0]] {
            let mut b = a;
            chart.integrate(&mut b, &spin, 1.0);
            // A quaternion and its opposite are the same orientation.
            for sign in [1.0, -1.0] {
                let b = b.map(|x| sign * x);
                let found = difference(&chart, &a, &b);
                for (x, y) in found.iter().zip(&spin) {
                    assert!((x - y).abs() < 1e-14, "{found:?} {spin:?}");
                }
            }
        }
    }
}
