//! Page layout: positions of title, panels, axes and legend.

use super::body_colours::ColourLegend;
use super::legend as key;
use super::panel::Panel;
use super::window::Window;

/// Room for a single panel and for several together, in pixels.
const ONE: (f64, f64) = (760.0, 620.0);
const SEVERAL: (f64, f64) = (1080.0, 800.0);

/// Smallest panel: a tall thin one still needs room for a title.
const SMALLEST: (f64, f64) = (360.0, 160.0);

/// Heights and gaps in pixels.
const TITLE: f64 = 46.0;
const CAPTION: f64 = 22.0;
const GAP: f64 = 14.0;
const FOOT: f64 = 46.0;

/// Margin left of a panel, with and without axes, and between a panel and the legend.
const AXES: f64 = 66.0;
const LEFT: f64 = 20.0;
const BESIDE: f64 = 18.0;

/// Positions on a page.
pub(super) struct Layout {
    pub page: (f64, f64),
    /// Upper left corner of the first panel.
    pub at: (f64, f64),
    /// Size of a panel.
    pub size: (f64, f64),
    columns: usize,
    /// Offset from one panel to the next.
    stride: (f64, f64),
    window: Window,
    pub scale: f64,
    /// Left end of the legend, height of all panels.
    pub key_at: f64,
    pub tall: f64,
}

impl Layout {
    pub(super) fn of(seen: &Window, count: usize, flat: bool, key: &ColourLegend) -> Self {
        let count = count.max(1);
        let (room, caption, smallest) = match count {
            1 => (ONE, 0.0, SMALLEST),
            _ => (SEVERAL, CAPTION, (90.0, 60.0)),
        };
        let (w, h) = seen.size();
        // Number of columns: the one that makes the panels largest.
        let scale_of = |columns: usize| {
            let rows = count.div_ceil(columns) as f64;
            let columns = columns as f64;
            let wide = (room.0 - (columns - 1.0) * GAP) / columns;
            let high = (room.1 - (rows - 1.0) * GAP) / rows - caption;
            (wide / w).min(high / h)
        };
        // Empty cells of the grid of panels count against a number of columns.
        let filled = |columns: usize| count as f64 / (columns * count.div_ceil(columns)) as f64;
        let worth = |columns: usize| scale_of(columns) * filled(columns);
        let best = (1..=count).max_by(|a, b| worth(*a).total_cmp(&worth(*b)));
        let columns = best.unwrap_or(1);
        let scale = scale_of(columns);
        let window = seen.at_least((smallest.0 / scale, smallest.1 / scale));
        let size = (window.size().0 * scale, window.size().1 * scale);
        let rows = count.div_ceil(columns) as f64;
        let stride = (size.0 + GAP, size.1 + GAP + caption);
        let axes = flat && count == 1;
        let at = (if axes { AXES } else { LEFT }, TITLE + caption);
        let wide = columns as f64 * stride.0 - GAP;
        let tall = rows * stride.1 - GAP - caption;
        let key_at = at.0 + wide + BESIDE;
        Self {
            page: (key_at + key::width(key), at.1 + tall + FOOT),
            at,
            size,
            columns,
            stride,
            window,
            scale,
            key_at,
            tall,
        }
    }

    /// One panel on a page of given size: the window is widened to fill it.
    pub(super) fn fitted(seen: &Window, flat: bool, key: &ColourLegend, page: (f64, f64)) -> Self {
        let at = (if flat { AXES } else { LEFT }, TITLE);
        let room = (
            (page.0 - at.0 - BESIDE - key::width(key)).max(1.0),
            (page.1 - at.1 - FOOT).max(1.0),
        );
        // The largest scale that fits, with the window widened to the panel.
        let (w, h) = seen.size();
        let scale = (room.0 / w).min(room.1 / h);
        let window = seen.at_least((room.0 / scale, room.1 / scale));
        Self {
            page,
            at,
            size: room,
            columns: 1,
            stride: room,
            window,
            scale,
            key_at: at.0 + room.0 + BESIDE,
            tall: room.1,
        }
    }

    pub(super) fn panel(&self, number: usize) -> Panel {
        let (row, column) = (number / self.columns, number % self.columns);
        Panel {
            at: (
                self.at.0 + column as f64 * self.stride.0,
                self.at.1 + row as f64 * self.stride.1,
            ),
            size: self.size,
            window: self.window,
            scale: self.scale,
            number,
        }
    }
}
