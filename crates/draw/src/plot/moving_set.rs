//! Plot of the moving set C(t) of a sweeping process with the path of the point.
//!
//! The boundary of C(t) is the zero contour of min_k gap_k, found by marching squares: in the plane of two
//! coordinates at a few instants, or over time for one coordinate. More coordinates have no such plot.

use percuss_mechanism::System;
use percuss_record::{PlotError, Record};
use percuss_scene::{Scene, SymbolicSystem};

use super::figure::{Figure, Series, SeriesStyle};

/// Name of the plot.
pub(super) const NAME: &str = "set";

/// Title in the list of plots.
pub(super) const TITLE: &str = "the moving set and the path of the point";

/// Number of instants at which a planar set is shown.
const INSTANTS: usize = 6;

/// Cells of the contour grid along each side: below a hundredth of the picture, finer than lines can be told
/// apart.
const CELLS: usize = 160;

/// Whether a scene has this plot.
pub(super) fn shows(scene: &Scene) -> bool {
    let swept = scene.mechanism().filter(|m| m.sweep.is_some());
    swept.is_some_and(|m| m.coordinates.len() <= 2 && !m.contacts.is_empty())
}

/// The plot; `None` for another name or another type of scene.
pub(super) fn figure(
    record: &Record,
    scene: &Scene,
    name: &str,
) -> Result<Option<Figure>, PlotError> {
    if name != NAME || !shows(scene) {
        return Ok(None);
    }
    // The recorded path.
    let mut system = scene.build_mechanism()?.system;
    let names: Vec<String> = (0..system.configuration_space().num_positions())
        .map(|i| system.position_name(i))
        .collect();
    let mut columns = vec!["t"];
    columns.extend(names.iter().map(String::as_str));
    let table = record.table("coordinates", Some(&columns))?;
    let t = table.numbers("t");
    let (Some(&first), Some(&last)) = (t.first(), t.last()) else {
        return Ok(Some(Figure::default()));
    };
    let one = names.len() == 1;
    let x = if one {
        t.clone()
    } else {
        table.numbers(&names[0])
    };
    let y = table.numbers(&names[names.len() - 1]);
    let mut series = vec![Series::line("path", &x, &y, 0)];
    // One coordinate: the boundary over time.
    if one {
        let window = Window::around(&x, &y, one, ROOM);
        let points = window.contour(|t, x| min_gap(&mut system, t, &[x]));
        series.push(boundary("boundary of C(t)".into(), points, 1));
    } else {
        // Two coordinates: the boundary at several instants.
        let mut sets = |room: f64| {
            let window = Window::around(&x, &y, one, room);
            let mut sets = Vec::new();
            for k in 0..INSTANTS {
                let t = first + (last - first) * k as f64 / (INSTANTS - 1) as f64;
                let points = window.contour(|x, y| min_gap(&mut system, t, &[x, y]));
                sets.push(boundary(format!("C({t:.4})"), points, k + 1));
            }
            let whole = sets.iter().all(|set| window.holds(&set.points));
            (sets, whole)
        };
        // Twice the margin where that shows every set completely; an unbounded set never is.
        let (narrow, whole) = sets(ROOM);
        let wide = Some(sets(2.0 * ROOM)).filter(|wide| !whole && wide.1);
        series.extend(wide.map_or(narrow, |wide| wide.0));
    }
    let title = &record.manifest().title;
    Ok(Some(Figure {
        title: format!("{title}: the moving set"),
        x_label: if one { "t".into() } else { names[0].clone() },
        y_label: names[names.len() - 1].clone(),
        series,
        equal_aspect: !one,
        ..Figure::default()
    }))
}

fn boundary(label: String, points: Vec<(f64, f64)>, colour: usize) -> Series {
    Series {
        label,
        points,
        style: SeriesStyle::Line,
        colour,
    }
}

/// The smallest gap, min_k gap_k; NaN where an expression fails.
fn min_gap(system: &mut SymbolicSystem, t: f64, q: &[f64]) -> f64 {
    let all = system.constraints().iter();
    let (count, contacts) = all.fold((0, 0), |(n, c), one| {
        (n + one.num_gaps(), c + usize::from(one.is_contact()))
    });
    let mut gaps = vec![0.0; count];
    match system.gaps(t, q, &mut gaps) {
        Ok(()) => gaps[..contacts]
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min),
        Err(_) => f64::NAN,
    }
}

/// Margin around the path, as a fraction of its extent.
const ROOM: f64 = 0.75;

/// The window of the plot.
struct Window {
    x: (f64, f64),
    y: (f64, f64),
}

impl Window {
    /// The path with a margin for a set of its size; over time the margin is vertical only.
    fn around(x: &[f64], y: &[f64], time: bool, room: f64) -> Self {
        let span = |v: &[f64]| {
            let finite = || v.iter().copied().filter(|v| v.is_finite());
            (
                finite().fold(f64::INFINITY, f64::min),
                finite().fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let (sx, sy) = (span(x), span(y));
        let size = match time {
            true => sy.1 - sy.0,
            false => (sx.1 - sx.0).max(sy.1 - sy.0),
        };
        // A point that never moves gets a window of fixed size.
        let room = if size > 0.0 { room * size } else { 1.0 };
        let wide = if time { 0.0 } else { room };
        Self {
            x: (sx.0 - wide, sx.1 + wide),
            y: (sy.0 - room, sy.1 + room),
        }
    }

    /// Whether a contour does not reach the border of the window.
    fn holds(&self, points: &[(f64, f64)]) -> bool {
        let inside = |x: f64, span: (f64, f64)| {
            let border = 1e-6 * (span.1 - span.0);
            !(x <= span.0 + border || x >= span.1 - border)
        };
        let both = |&(x, y): &(f64, f64)| inside(x, self.x) && inside(y, self.y);
        points.iter().all(both)
    }

    /// Segments of the zero contour, with NaN breaks between them (marching squares).
    fn contour(&self, mut value: impl FnMut(f64, f64) -> f64) -> Vec<(f64, f64)> {
        let at = |span: (f64, f64), k: usize| span.0 + (span.1 - span.0) * k as f64 / CELLS as f64;
        let mut below: Vec<f64> = (0..=CELLS)
            .map(|i| value(at(self.x, i), at(self.y, 0)))
            .collect();
        let mut points = Vec::new();
        for j in 1..=CELLS {
            let above: Vec<f64> = (0..=CELLS)
                .map(|i| value(at(self.x, i), at(self.y, j)))
                .collect();
            for i in 1..=CELLS {
                let corners = [
                    (at(self.x, i - 1), at(self.y, j - 1), below[i - 1]),
                    (at(self.x, i), at(self.y, j - 1), below[i]),
                    (at(self.x, i), at(self.y, j), above[i]),
                    (at(self.x, i - 1), at(self.y, j), above[i - 1]),
                ];
                piece(&corners, &mut points);
            }
            below = above;
        }
        points
    }
}

/// The contour through one cell; edges are crossed in pairs.
fn piece(corners: &[(f64, f64, f64); 4], points: &mut Vec<(f64, f64)>) {
    let mut crossings = Vec::with_capacity(4);
    for k in 0..4 {
        let (a, b) = (corners[k], corners[(k + 1) % 4]);
        if (a.2 >= 0.0) != (b.2 >= 0.0) && a.2.is_finite() && b.2.is_finite() {
            let s = a.2 / (a.2 - b.2);
            crossings.push((a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1)));
        }
    }
    for pair in crossings.chunks_exact(2) {
        points.extend_from_slice(pair);
        points.push((f64::NAN, f64::NAN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_line_of_a_disc_is_its_circle() {
        let window = Window {
            x: (-2.0, 2.0),
            y: (-2.0, 2.0),
        };
        let points = window.contour(|x, y| 1.0 - x * x - y * y);
        let seen: Vec<_> = points.iter().filter(|p| p.0.is_finite()).collect();
        assert!(seen.len() > 200);
        // Linear interpolation on cells of 1/40: the error is at most an eighth of their square.
        assert!(seen.iter().all(|p| (p.0.hypot(p.1) - 1.0).abs() < 1e-4));
    }
}
