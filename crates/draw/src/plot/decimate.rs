//! Decimation: leaves out points that a picture cannot show.
//!
//! A run has up to millions of steps, a picture a thousand columns of pixels. A curve over time keeps, in every
//! column of pixels, its first, lowest, highest and last point, in order (min–max downsampling): the drawn
//! curve covers the same pixels. Other curves and point clouds keep a point only when its distance from the
//! last kept one exceeds a threshold.

/// A point in pixels; NaN breaks a curve.
pub(super) type Point = (f64, f64);

/// Points nearer than this to the last one kept are dropped, in pixels.
const SPOT: f64 = 0.25;

/// Columns per pixel: pictures are viewed enlarged.
const FINE: f64 = 2.0;

/// Decimates a curve, segment by segment between NaN points.
pub(super) fn decimate_curve(points: &[Point]) -> Vec<Vec<Point>> {
    let pieces = points.split(|p| !(p.0.is_finite() && p.1.is_finite()));
    let pieces = pieces.filter(|piece| !piece.is_empty());
    let thin = |piece: &[Point]| {
        if piece.windows(2).all(|w| w[0].0 <= w[1].0) {
            columns(piece)
        } else {
            spots(piece)
        }
    };
    pieces.map(thin).collect()
}

/// First, lowest, highest and last point of every column.
fn columns(points: &[Point]) -> Vec<Point> {
    let mut kept = Vec::new();
    let column = |p: &Point| (p.0 * FINE).floor();
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        let (mut low, mut high) = (0, 0);
        for (k, point) in group.iter().enumerate() {
            if point.1 < group[low].1 {
                low = k;
            }
            if point.1 > group[high].1 {
                high = k;
            }
        }
        let mut places = [0, low, high, group.len() - 1];
        places.sort_unstable();
        kept.push(group[0]);
        let rest = places.windows(2).filter(|w| w[0] != w[1]);
        kept.extend(rest.map(|w| group[w[1]]));
    }
    kept
}

/// Points further than the threshold from the last one kept, and the last point.
fn spots(points: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for (k, point) in points.iter().enumerate() {
        let seen = kept
            .last()
            .is_none_or(|last| (point.0 - last.0).abs() > SPOT || (point.1 - last.1).abs() > SPOT);
        if seen || k + 1 == points.len() {
            kept.push(*point);
        }
    }
    kept
}

/// Whether all points lie within a pixel.
pub(super) fn is_single_pixel(points: &[Point]) -> bool {
    let mut seen = points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
    let Some(first) = seen.next() else {
        return false;
    };
    seen.all(|p| (p.0 - first.0).abs() < 1.0 && (p.1 - first.1).abs() < 1.0)
}

/// Decimates a point cloud: one point per cell of the threshold's size, in order.
pub(super) fn decimate_points(points: &[Point]) -> Vec<Point> {
    let mut taken = std::collections::HashSet::new();
    let spot = |p: &Point| ((p.0 / SPOT).round() as i64, (p.1 / SPOT).round() as i64);
    let seen = points.iter().filter(|p| p.0.is_finite() && p.1.is_finite());
    seen.filter(|p| taken.insert(spot(p))).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_of_one_step_among_a_million_is_kept() {
        let n = 1_000_000;
        let mut points: Vec<Point> = (0..n)
            .map(|k| {
                (
                    f64::from(k) * 800.0 / f64::from(n),
                    (f64::from(k) * 0.01).sin(),
                )
            })
            .collect();
        points[123_456].1 = 55.0;
        let thin = decimate_curve(&points);
        assert_eq!(thin.len(), 1);
        assert!(thin[0].contains(&points[123_456]));
        // At most four points for each half pixel of 800.
        assert!(thin[0].len() <= 6400, "{}", thin[0].len());
        assert_eq!(
            (thin[0].first(), thin[0].last()),
            (points.first(), points.last())
        );
        assert!(thin[0].windows(2).all(|w| w[0].0 <= w[1].0));
    }

    #[test]
    fn a_loop_keeps_its_shape() {
        let round = |k: usize| (k as f64 * 1e-5 * std::f64::consts::TAU).sin_cos();
        let points: Vec<Point> = (0..=100_000)
            .map(|k| {
                let (s, c) = round(k);
                (200.0 + 100.0 * c, 200.0 + 100.0 * s)
            })
            .collect();
        let thin = &decimate_curve(&points)[0];
        assert!(thin.len() < 4000 && thin.len() > 1000, "{}", thin.len());
        // No two neighbours are further apart than a pixel: the circle still looks round.
        let gap = |w: &[Point]| (w[0].0 - w[1].0).hypot(w[0].1 - w[1].1);
        assert!(thin.windows(2).all(|w| gap(w) < 1.0));
    }

    #[test]
    fn what_is_no_number_breaks_a_curve() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 1.0), (3.0, 2.0)];
        let thin = decimate_curve(&points);
        assert_eq!(thin, [vec![(0.0, 1.0)], vec![(2.0, 1.0), (3.0, 2.0)]]);
        assert_eq!(decimate_points(&points).len(), 3);
        assert_eq!(decimate_points(&[(1.0, 1.0), (1.01, 1.0)]).len(), 1);
    }
}
