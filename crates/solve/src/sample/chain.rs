//! A chain of rods joined by pins, with a heavy last link.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};

use super::rigid::{Body, SampleContact};

/// How the chain lies at the beginning of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attitude {
    /// Straight along x: gravity turns the links.
    Horizontal,
    /// Straight down: the pins carry the whole weight below them.
    Hanging,
}

/// Rods of length 1 pinned end to end (three bilateral rows each), the first to a fixed point.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Number of links.
    pub links: usize,
    /// Mass of the last link; the others have mass 1.
    pub load: f64,
    /// Initial attitude.
    pub attitude: Attitude,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Length of the step h.
    pub step: f64,
}

impl Default for Chain {
    /// Ten links, hanging, the last a thousand times as heavy.
    fn default() -> Self {
        Self {
            links: 10,
            load: 1000.0,
            attitude: Attitude::Hanging,
            gravity: 10.0,
            step: 0.01,
        }
    }
}

impl Chain {
    /// The one-step problem: one pin for each link, from the fixed end.
    ///
    /// # Errors
    /// A load that is not positive, numbers that are not finite.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let (along, axis) = match self.attitude {
            Attitude::Horizontal => ([1.0, 0.0, 0.0], 0),
            Attitude::Hanging => ([0.0, 0.0, -1.0], 2),
        };
        let mut builder = FactoredDelassus::builder();
        // Links.
        for k in 0..self.links {
            let m = if k + 1 == self.links { self.load } else { 1.0 };
            // A thin rod of length 1; 0.01 m about its own axis.
            let mut inertia = [m / 12.0; 3];
            inertia[axis] = 0.01 * m;
            let fall = [0.0, 0.0, -self.gravity * self.step];
            Body::at_rest(m, inertia, fall).add_to(&mut builder)?;
        }
        // Pins: three bilateral rows each.
        for k in 0..self.links {
            let touch = SampleContact {
                b: k,
                a: k.checked_sub(1),
                frame: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                lever_b: along.map(|x: f64| -0.5 * x),
                lever_a: along.map(|x: f64| 0.5 * x),
                advance: 0.0,
            };
            touch.add_to(&mut builder, Law::Bilateral)?;
        }
        builder.build()
    }
}
