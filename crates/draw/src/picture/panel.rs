//! Panel: a rectangle of the page that shows a window of the world.

use super::window::Window;

/// A rectangle of the page that shows a window of the world, with one scale in both directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Panel {
    /// Its upper left corner.
    pub at: (f64, f64),
    /// Its width and height in pixels.
    pub size: (f64, f64),
    /// The window that it shows.
    pub window: Window,
    /// Pixels per unit of length.
    pub scale: f64,
    /// Its index on the page.
    pub number: usize,
}

impl Panel {
    /// A point of the picture plane in pixels.
    pub(super) fn to_pixels(self, (u, v): (f64, f64)) -> (f64, f64) {
        (
            self.at.0 + (u - self.window.low.0) * self.scale,
            self.at.1 + (self.window.high.1 - v) * self.scale,
        )
    }

    /// Whether a circle (centre and radius in pixels) is at least partly inside.
    pub(super) fn is_visible(&self, (x, y): (f64, f64), radius: f64) -> bool {
        x + radius >= self.at.0
            && x - radius <= self.at.0 + self.size.0
            && y + radius >= self.at.1
            && y - radius <= self.at.1 + self.size.1
    }

    /// Its centre in pixels.
    pub(super) fn middle(&self) -> (f64, f64) {
        (self.at.0 + 0.5 * self.size.0, self.at.1 + 0.5 * self.size.1)
    }

    /// Length of its diagonal in pixels.
    pub(super) fn diagonal(&self) -> f64 {
        self.size.0.hypot(self.size.1)
    }
}
