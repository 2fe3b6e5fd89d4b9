//! A tower of boxes with four contact points at each interface.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};

use super::rigid::{Body, SampleContact};

/// Boxes stacked on a fixed floor, at rest, for one step under gravity.
#[derive(Debug, Clone, PartialEq)]
pub struct Tower {
    /// Mass of each box, from below: its length is the number of boxes.
    pub masses: Vec<f64>,
    /// Edges (x, y, z) of every box.
    pub size: [f64; 3],
    /// Friction coefficient.
    pub friction: f64,
    /// Lateral acceleration along x as a multiple of gravity.
    pub push: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Length of the step h.
    pub step: f64,
}

impl Default for Tower {
    /// Ten unit cubes of unit mass, friction 0.6, no push.
    fn default() -> Self {
        Self {
            masses: vec![1.0; 10],
            size: [1.0; 3],
            friction: 0.6,
            push: 0.0,
            gravity: 10.0,
            step: 0.01,
        }
    }
}

impl Tower {
    /// `n` equal boxes.
    #[must_use]
    pub fn of(n: usize) -> Self {
        Self {
            masses: vec![1.0; n],
            ..Self::default()
        }
    }

    /// `n` boxes, the uppermost `ratio` times as heavy as the others.
    #[must_use]
    pub fn heavy_top(n: usize, ratio: f64) -> Self {
        let mut tower = Self::of(n);
        if let Some(top) = tower.masses.last_mut() {
            *top = ratio;
        }
        tower
    }

    /// `n` boxes of masses 1, `ratio`, 1, `ratio`, … from below.
    #[must_use]
    pub fn alternating(n: usize, ratio: f64) -> Self {
        let masses = (0..n)
            .map(|k| if k % 2 == 0 { 1.0 } else { ratio })
            .collect();
        Self {
            masses,
            ..Self::default()
        }
    }

    /// The one-step problem: 4 contacts for each box, interface by interface from below.
    ///
    /// # Errors
    /// Masses or sizes that are not positive, numbers that are not finite.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let [sx, sy, sz] = self.size;
        let drop = self.gravity * self.step;
        let mut builder = FactoredDelassus::builder();
        for &m in &self.masses {
            // Moments of inertia of a box.
            let inertia = [
                m * (sy * sy + sz * sz) / 12.0,
                m * (sx * sx + sz * sz) / 12.0,
                m * (sx * sx + sy * sy) / 12.0,
            ];
            Body::at_rest(m, inertia, [self.push * drop, 0.0, -drop]).add_to(&mut builder)?;
        }
        for b in 0..self.masses.len() {
            // Four corners of the lower face of box b.
            for (cx, cy) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
                let touch = SampleContact {
                    b,
                    a: b.checked_sub(1),
                    frame: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                    lever_b: [cx * sx, cy * sy, -0.5 * sz],
                    lever_a: [cx * sx, cy * sy, 0.5 * sz],
                    advance: 0.0,
                };
                touch.add_to(&mut builder, Law::Coulomb { mu: self.friction })?;
            }
        }
        builder.build()
    }
}
