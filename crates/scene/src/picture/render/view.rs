//! From space to samples and back.

use super::super::camera::Camera;
use super::super::window::Window;
use super::buffer::Vector;

/// A camera over a window, with samples for lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenProjection {
    pub camera: Camera,
    pub window: Window,
    /// Samples for a length of 1.
    pub scale: f64,
    /// Depth that counts as 0: numbers of single precision are fine near 0.
    pub base: f64,
}

impl ScreenProjection {
    /// A point: samples right, down, towards the eye.
    pub(super) fn to_screen(&self, point: [f64; 3]) -> Vector {
        let (u, v) = self.camera.project(point);
        [
            (u - self.window.low.0) * self.scale,
            (self.window.high.1 - v) * self.scale,
            (self.camera.depth(point) - self.base) * self.scale,
        ]
    }

    /// A direction; its length stays.
    pub(super) fn direction_to_screen(&self, d: [f64; 3]) -> Vector {
        let (u, v) = self.camera.project(d);
        [u, -v, self.camera.depth(d)]
    }

    /// The point of space at a sample.
    pub(super) fn to_world(&self, at: Vector) -> [f64; 3] {
        let u = self.window.low.0 + at[0] / self.scale;
        let v = self.window.high.1 - at[1] / self.scale;
        self.combined([u, v, self.base + at[2] / self.scale])
    }

    /// The direction of space of one of the screen.
    pub(super) fn direction_to_world(&self, d: Vector) -> [f64; 3] {
        self.combined([d[0], -d[1], d[2]])
    }

    fn combined(&self, [u, v, d]: [f64; 3]) -> [f64; 3] {
        let Camera { right, up, toward } = self.camera;
        std::array::from_fn(|k| u * right[k] + v * up[k] + d * toward[k])
    }
}
