//! Rows of G: a relative velocity of two bodies at a point, or a relative spin, with its rate at constant velocities.

use glam::DVec3;

use crate::jet::{Jet, Placed, VectorJet};

/// Velocity of b relative to a along a direction at a point, or their relative spin about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    pub angular: bool,
    pub direction: VectorJet,
    pub at: VectorJet,
}

impl Row {
    /// Relative velocity of a point along a direction.
    pub fn along(direction: VectorJet, at: VectorJet) -> Self {
        Self {
            angular: false,
            direction,
            at,
        }
    }

    /// Relative spin about an axis.
    pub fn about(direction: VectorJet) -> Self {
        Self {
            angular: true,
            direction,
            at: VectorJet::default(),
        }
    }

    /// The row with the opposite sign.
    pub fn reversed(self) -> Self {
        Self {
            direction: -self.direction,
            ..self
        }
    }

    /// U, and its rate while the velocities of both bodies are constant: Ġ v.
    pub fn velocity(&self, a: &Placed, b: &Placed) -> Jet {
        let relative = match self.angular {
            true => VectorJet::constant(b.spin - a.spin),
            false => b.velocity_at(self.at) - a.velocity_at(self.at),
        };
        self.direction.dot(relative)
    }

    /// What multiplies the velocity of the centre of a body, and its spin, both in world axes.
    pub fn factors(&self, body: &Placed) -> [DVec3; 2] {
        let direction = self.direction.value;
        match self.angular {
            true => [DVec3::ZERO, direction],
            false => {
                let lever = self.at.value - body.position.value;
                [direction, lever.cross(direction)]
            }
        }
    }
}
