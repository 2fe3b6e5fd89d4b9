//! Bounding box of a drawing, and the extent of half-planes in it.

use super::drawing_data::{DrawingBounds, Kind};
use super::evaluated_items::EvaluatedItem;

/// Margin around all items, as a fraction of the largest extent.
const ROOM: f64 = 0.06;

/// The same margin where an unbounded set is cut off.
const WIDE: f64 = 0.3;

/// Smallest extent along an axis, as a fraction of the largest.
const FLAT: f64 = 0.12;

/// Depth to which half-planes are drawn, as a fraction of the diagonal.
const DEPTH: f64 = 0.05;

/// Bounding box of all items with a margin; an unbounded set is left out.
pub(super) fn of(pieces: &[EvaluatedItem], dimension: usize, whole: bool) -> DrawingBounds {
    around(&pieces.iter().collect::<Vec<_>>(), dimension, whole)
}

fn around(pieces: &[&EvaluatedItem], dimension: usize, whole: bool) -> DrawingBounds {
    let mut low = vec![f64::INFINITY; dimension];
    let mut high = vec![f64::NEG_INFINITY; dimension];
    for piece in pieces {
        if piece.item.kind == Kind::Set && !whole {
            continue;
        }
        let radius = piece.item.radius.unwrap_or(0.0);
        // Of a half-plane, the point counts and not the normal.
        let stride = if piece.half { 2 } else { 1 };
        let points = piece.points.chunks_exact(dimension).step_by(stride);
        for point in points.filter(|p| p.iter().all(|x| x.is_finite())) {
            for (axis, x) in point.iter().enumerate() {
                low[axis] = low[axis].min(x - radius);
                high[axis] = high[axis].max(x + radius);
            }
        }
    }
    if low.iter().zip(&high).any(|(a, b)| a > b) {
        (low, high) = (vec![-1.0; dimension], vec![1.0; dimension]);
    }
    let spans = low.iter().zip(&high).map(|(a, b)| b - a);
    let most = spans.fold(0.0, f64::max);
    // A point that never moves is shown in a square about it.
    let most = if most > 0.0 { most } else { 1.0 };
    let room = if whole { ROOM } else { WIDE } * most;
    for (a, b) in low.iter_mut().zip(&mut high) {
        let lack = (FLAT * most - (*b - *a)).max(0.0);
        *a -= room + 0.5 * lack;
        *b += room + 0.5 * lack;
    }
    DrawingBounds {
        min: low,
        max: high,
    }
}

/// Bounds of a crowd drawing: the room, and the same length again in front of its door; people who have left
/// walk on.
pub(super) fn of_room(pieces: &[EvaluatedItem]) -> DrawingBounds {
    let room: Vec<&EvaluatedItem> = pieces
        .iter()
        .filter(|piece| piece.item.kind == Kind::Obstacle)
        .collect();
    let mut corners = around(&room, 2, true);
    if let (Some(left), Some(right)) = (corners.min.first(), corners.max.first_mut()) {
        *right += 0.6 * (*right - left);
    }
    corners
}

/// Replaces the point and normal of each half-plane by four corners: a strip across the whole picture, or a
/// square of a plane in space.
pub(super) fn extend(pieces: &mut [EvaluatedItem], corners: &DrawingBounds, dimension: usize) {
    let pairs = || corners.min.iter().zip(&corners.max);
    let halves: Vec<f64> = pairs().map(|(a, b)| 0.5 * (b - a)).collect();
    let diagonal = 2.0 * halves.iter().map(|h| h * h).sum::<f64>().sqrt();
    let centre: Vec<f64> = pairs().map(|(a, b)| 0.5 * (a + b)).collect();
    for piece in pieces.iter_mut().filter(|piece| piece.half) {
        let mut points = Vec::with_capacity(2 * piece.points.len());
        for pair in piece.points.chunks_exact(2 * dimension) {
            let (at, normal) = pair.split_at(dimension);
            match dimension {
                2 => strip(&mut points, at, normal, &centre, diagonal),
                _ => square(&mut points, at, normal, (&centre, &halves)),
            }
        }
        piece.counts.fill(4);
        piece.points = points;
        piece.half = false;
    }
}

fn unit(v: &[f64]) -> Vec<f64> {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    // 0/0 is NaN: a wall with a zero normal is not drawn.
    v.iter().map(|x| x / length).collect()
}

/// Projection of the picture's centre onto the line or plane.
fn foot(at: &[f64], n: &[f64], centre: &[f64]) -> Vec<f64> {
    let above: f64 = centre
        .iter()
        .zip(at)
        .zip(n)
        .map(|((c, a), n)| (c - a) * n)
        .sum();
    centre.iter().zip(n).map(|(c, n)| c - above * n).collect()
}

fn strip(points: &mut Vec<f64>, at: &[f64], normal: &[f64], centre: &[f64], diagonal: f64) {
    let n = unit(normal);
    let foot = foot(at, &n, centre);
    let (half, deep) = (diagonal, DEPTH * diagonal);
    for (along, down) in [(-half, 0.0), (half, 0.0), (half, deep), (-half, deep)] {
        let corner = [
            foot[0] + along * n[1] - down * n[0],
            foot[1] - along * n[0] - down * n[1],
        ];
        points.extend(corner);
    }
}

fn square(points: &mut Vec<f64>, at: &[f64], normal: &[f64], (centre, halves): (&[f64], &[f64])) {
    let n = unit(normal);
    let foot = foot(at, &n, centre);
    // Tangents: start from the axes that are least aligned with the normal.
    let first = match n[0].abs() <= n[1].abs() {
        true => [1.0, 0.0, 0.0],
        false => [0.0, 1.0, 0.0],
    };
    let over: f64 = first.iter().zip(&n).map(|(a, b)| a * b).sum();
    let a: Vec<f64> = first.iter().zip(&n).map(|(f, n)| f - over * n).collect();
    let a = unit(&a);
    let b = [
        n[1] * a[2] - n[2] * a[1],
        n[2] * a[0] - n[0] * a[2],
        n[0] * a[1] - n[1] * a[0],
    ];
    // Half-extent of the bounding box along a direction.
    let reach = |axis: &[f64]| {
        axis.iter()
            .zip(halves)
            .map(|(x, h)| x.abs() * h)
            .sum::<f64>()
    };
    let (wide, long) = (reach(&a), reach(&b));
    for (s, r) in [(-wide, -long), (wide, -long), (wide, long), (-wide, long)] {
        points.extend((0..3).map(|k| foot[k] + s * a[k] + r * b[k]));
    }
}
