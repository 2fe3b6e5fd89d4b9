//! A table on four legs: three equations of balance for four normal impulses.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};

use super::rigid::{Body, SampleContact};

/// A rigid table on a fixed floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Half the distance of the legs along x and along y.
    pub half: [f64; 2],
    /// Height of the centre of mass.
    pub height: f64,
    /// Position of the centre of mass in the plane, from the middle of the legs.
    pub offset: [f64; 2],
    /// Mass; the inertia is that of a plate of the size of the legs' rectangle.
    pub mass: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Lateral acceleration (x, y) as a multiple of gravity.
    pub push: [f64; 2],
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Length of the step h.
    pub step: f64,
}

impl Default for Table {
    /// 2 × 1, centre of mass 0.7 high in the middle, mass 20, friction 0.5.
    fn default() -> Self {
        Self {
            half: [1.0, 0.5],
            height: 0.7,
            offset: [0.0; 2],
            mass: 20.0,
            friction: 0.5,
            push: [0.0; 2],
            gravity: 10.0,
            step: 0.01,
        }
    }
}

impl Table {
    /// The one-step problem: four contacts in the order (−,−), (−,+), (+,−), (+,+).
    ///
    /// # Errors
    /// A mass or size that is not positive, numbers that are not finite.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let [a, b] = self.half;
        let drop = self.gravity * self.step;
        // A thin plate 2a × 2b about its centre.
        let (ix, iy) = (self.mass * b * b / 3.0, self.mass * a * a / 3.0);
        let fall = [self.push[0] * drop, self.push[1] * drop, -drop];
        let mut builder = FactoredDelassus::builder();
        let body = Body::at_rest(self.mass, [ix, iy, ix + iy], fall).add_to(&mut builder)?;
        // One contact per leg.
        for (sx, sy) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let touch = SampleContact {
                b: body,
                a: None,
                frame: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                lever_b: [
                    sx * a - self.offset[0],
                    sy * b - self.offset[1],
                    -self.height,
                ],
                lever_a: [0.0; 3],
                advance: 0.0,
            };
            touch.add_to(&mut builder, Law::Coulomb { mu: self.friction })?;
        }
        builder.build()
    }
}
