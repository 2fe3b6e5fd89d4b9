//! Projection between world coordinates and samples of the screen.

use super::super::camera::Camera;
use super::super::window::Window;
use super::depth_buffer::Vector;

/// Camera and window, with lengths in samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenProjection {
    pub camera: Camera,
    pub window: Window,
    /// Samples per unit of length.
    pub scale: f64,
    /// Depth origin: single precision is accurate near 0.
    pub base: f64,
}

impl ScreenProjection {
    /// A point in screen axes: right, down, towards the viewer, in samples.
    pub(super) fn to_screen(self, point: [f64; 3]) -> Vector {
        let (u, v) = self.camera.project(point);
        [
            (u - self.window.low.0) * self.scale,
            (self.window.high.1 - v) * self.scale,
            (self.camera.depth(point) - self.base) * self.scale,
        ]
    }

    /// A direction in screen axes; its length is unchanged.
    pub(super) fn direction_to_screen(&self, d: [f64; 3]) -> Vector {
        let (u, v) = self.camera.project(d);
        [u, -v, self.camera.depth(d)]
    }

    /// The world point at a sample and depth.
    pub(super) fn to_world(self, at: Vector) -> [f64; 3] {
        let u = self.window.low.0 + at[0] / self.scale;
        let v = self.window.high.1 - at[1] / self.scale;
        self.combined([u, v, self.base + at[2] / self.scale])
    }

    /// A screen direction in world axes.
    pub(super) fn direction_to_world(&self, d: Vector) -> [f64; 3] {
        self.combined([d[0], -d[1], d[2]])
    }

    fn combined(&self, [u, v, d]: [f64; 3]) -> [f64; 3] {
        let Camera { right, up, toward } = self.camera;
        std::array::from_fn(|k| u * right[k] + v * up[k] + d * toward[k])
    }
}
