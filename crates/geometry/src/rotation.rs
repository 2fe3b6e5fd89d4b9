//! Rotations of the plane.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// A rotation of the plane: an angle that is never reduced modulo 2π, with its cosine and sine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Angle {
    angle: f64,
    axis: DVec2,
}

impl Default for Angle {
    fn default() -> Self {
        Self::new(0.0)
    }
}

impl Angle {
    /// The rotation by an angle in radians, anticlockwise.
    #[inline]
    pub fn new(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self {
            angle,
            axis: DVec2::new(cos, sin),
        }
    }

    /// The angle in radians.
    #[inline]
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// A reference to the stored angle.
    #[inline]
    pub fn angle_ref(&self) -> &f64 {
        &self.angle
    }

    /// Composition `self` ∘ `inner`; cosine and sine follow from the addition theorems.
    #[inline]
    pub(crate) fn after(&self, inner: &Self) -> Self {
        Self {
            angle: self.angle + inner.angle,
            axis: self.rotate(inner.axis),
        }
    }

    /// The inverse rotation.
    #[inline]
    pub(crate) fn inverse(&self) -> Self {
        Self {
            angle: -self.angle,
            axis: DVec2::new(self.axis.x, -self.axis.y),
        }
    }

    /// Body axes to world axes.
    #[inline]
    pub fn rotate(&self, v: DVec2) -> DVec2 {
        DVec2::new(
            self.axis.x * v.x - self.axis.y * v.y,
            self.axis.y * v.x + self.axis.x * v.y,
        )
    }

    /// World axes to body axes.
    #[inline]
    pub fn rotate_back(&self, v: DVec2) -> DVec2 {
        DVec2::new(
            self.axis.x * v.x + self.axis.y * v.y,
            self.axis.x * v.y - self.axis.y * v.x,
        )
    }

    /// The image of the x axis: (cosine, sine).
    #[inline]
    pub(super) fn axis(&self) -> DVec2 {
        self.axis
    }
}
