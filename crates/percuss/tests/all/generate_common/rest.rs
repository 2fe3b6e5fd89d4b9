//! Whether a grain is at rest on what it touches.

use super::Vec3;

/// Supports touch and nothing overlaps to this part of a radius.
pub const TOUCH: f64 = 1e-12;

/// Unit vectors from what a grain touches to its centre: earlier grains, side walls, floor.
pub fn supports(
    balls: &[(Vec3, f64)],
    which: usize,
    low: Vec3,
    high: Vec3,
    up: usize,
) -> Vec<Vec3> {
    let (p, r) = balls[which];
    let mut normals = Vec::new();
    for (q, s) in &balls[..which] {
        let d = p - *q;
        if (d.length() - r - s).abs() <= TOUCH * r.min(*s) {
            normals.push(d.normalize());
        }
    }
    for axis in 0..=up {
        let along = Vec3::AXES[axis];
        if (p[axis] - low[axis] - r).abs() <= TOUCH * r {
            normals.push(along);
        }
        if axis < up && (high[axis] - p[axis] - r).abs() <= TOUCH * r {
            normals.push(-along);
        }
    }
    normals
}

/// Whether supports carry a weight without friction: up is a combination of them with coefficients
/// ≥ 0. One to three always do when any number does (Caratheodory). A grain held down by an overhang
/// beside it counts as carried.
pub fn carried(normals: &[Vec3], up: Vec3, across: Option<Vec3>) -> bool {
    let slack = 1e-9;
    if normals.iter().any(|n| n.dot(up) > 1.0 - 1e-15) {
        return true;
    }
    let positive = |a: Vec3, b: Vec3, c: Vec3| {
        let det = a.dot(b.cross(c));
        let parts = [up.dot(b.cross(c)), a.dot(up.cross(c)), a.dot(b.cross(up))];
        det != 0.0 && parts.iter().all(|part| part / det >= -slack)
    };
    let n = normals.len();
    for i in 0..n {
        for j in 0..i {
            // In the plane two supports do; the direction across stands in for the third.
            if let Some(across) = across {
                if positive(normals[i], normals[j], across) {
                    return true;
                }
                continue;
            }
            if (0..j).any(|k| positive(normals[i], normals[j], normals[k])) {
                return true;
            }
        }
    }
    false
}
