//! Square cannonball pyramids.
//!
//! Layer k has (n−k)² spheres of diameter 1 in a square array, each in the hollow of four below. With 6 layers and
//! friction 1, Gauss–Seidel with exact local solves cycles at a residual of 3e-4 for ever, whatever the order of its
//! sweeps: the regression case of every stagnation guard.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};

use super::rigid::{Body, SampleContact, Vec3, frame, length, minus, scaled};

/// A pyramid of equal spheres on a fixed floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Pyramid {
    /// Number of layers.
    pub layers: usize,
    /// Friction coefficient.
    pub friction: f64,
    /// Angle of gravity against the vertical, towards +x, in radians.
    pub tilt: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Length of the step h.
    pub step: f64,
}

impl Default for Pyramid {
    /// The cycling case: six layers, 91 spheres, 396 contacts, friction 1.
    fn default() -> Self {
        Self {
            layers: 6,
            friction: 1.0,
            tilt: 0.0,
            gravity: 10.0,
            step: 0.01,
        }
    }
}

/// Radius of the spheres.
const RADIUS: f64 = 0.5;
/// Slack in the distance of touching spheres: their centres are exact to rounding only.
const SLACK: f64 = 1e-6;

impl Pyramid {
    /// The one-step problem: each sphere's floor contact, then its contacts with earlier spheres.
    ///
    /// # Errors
    /// Numbers that are not finite, a negative friction coefficient.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let centers = self.centers();
        let drop = self.gravity * self.step;
        let fall = [drop * self.tilt.sin(), 0.0, -drop * self.tilt.cos()];
        let mut builder = FactoredDelassus::builder();
        for _ in &centers {
            Body::ball(1.0, RADIUS, fall).add_to(&mut builder)?;
        }
        let law = Law::Coulomb { mu: self.friction };
        // Floor contacts of the lowest layer, then pairs at the distance of a diameter.
        for (i, x) in centers.iter().enumerate() {
            if x[2] < RADIUS + SLACK {
                touch(i, None, [0.0, 0.0, 1.0]).add_to(&mut builder, law.clone())?;
            }
            for (j, y) in centers[..i].iter().enumerate() {
                let apart = minus(x, y);
                let distance = length(&apart);
                if distance < 2.0 * RADIUS + SLACK {
                    let normal = scaled(&apart, 1.0 / distance);
                    touch(i, Some(j), normal).add_to(&mut builder, law.clone())?;
                }
            }
        }
        builder.build()
    }

    fn centers(&self) -> Vec<Vec3> {
        let mut centers = Vec::new();
        for k in 0..self.layers {
            // Each layer is inset by half a diameter and raised by √½.
            let inset = 0.5 * k as f64;
            let height = RADIUS + k as f64 * 0.5_f64.sqrt();
            for i in 0..self.layers - k {
                for j in 0..self.layers - k {
                    centers.push([inset + i as f64, inset + j as f64, height]);
                }
            }
        }
        centers
    }
}

fn touch(b: usize, a: Option<usize>, normal: Vec3) -> SampleContact {
    SampleContact {
        b,
        a,
        frame: frame(normal),
        lever_b: scaled(&normal, -RADIUS),
        lever_a: scaled(&normal, RADIUS),
        advance: 0.0,
    }
}
