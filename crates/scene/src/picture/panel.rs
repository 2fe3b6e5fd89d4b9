//! A rectangle of the page with a scale.

use super::window::Window;

/// A rectangle of the page that shows a window of the world, both directions to one scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Panel {
    /// Its upper left corner.
    pub at: (f64, f64),
    /// Its width and height in pixels.
    pub size: (f64, f64),
    /// What it shows.
    pub window: Window,
    /// Pixels for a length of 1.
    pub scale: f64,
    /// Its number on the page.
    pub number: usize,
}

impl Panel {
    /// A point of the picture in pixels.
    pub(super) fn to_pixels(&self, (u, v): (f64, f64)) -> (f64, f64) {
        (
            self.at.0 + (u - self.window.low.0) * self.scale,
            self.at.1 + (self.window.high.1 - v) * self.scale,
        )
    }

    /// Whether a circle around a point (both in pixels) is seen at all.
    pub(super) fn is_visible(&self, (x, y): (f64, f64), radius: f64) -> bool {
        x + radius >= self.at.0
            && x - radius <= self.at.0 + self.size.0
            && y + radius >= self.at.1
            && y - radius <= self.at.1 + self.size.1
    }

    /// Its middle in pixels.
    pub(super) fn middle(&self) -> (f64, f64) {
        (self.at.0 + 0.5 * self.size.0, self.at.1 + 0.5 * self.size.1)
    }

    /// Length of its diagonal in pixels.
    pub(super) fn diagonal(&self) -> f64 {
        self.size.0.hypot(self.size.1)
    }
}
