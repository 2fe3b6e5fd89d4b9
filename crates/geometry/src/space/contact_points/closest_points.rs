//! Closest points of points, segments and triangles.

use glam::DVec3;

/// Parameter in \[0, 1\] of the point of the segment pq closest to x; 0 for a segment without length.
#[inline]
pub(crate) fn on_segment(x: DVec3, p: DVec3, q: DVec3) -> f64 {
    let u = q - p;
    let length = u.length_squared();
    if length > 0.0 {
        ((x - p).dot(u) / length).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Parameters (s, t) of the closest points of the segments p₁q₁ and p₂q₂.
///
/// ```text
/// min |p₁ + s u − p₂ − t v|²,   0 ≤ s, t ≤ 1
/// ```
///
/// The quadratic form is singular for parallel segments; then s = 0 is tried and alternating projection finds a closest
/// pair, though not the only one.
pub(crate) fn of_segments(p1: DVec3, q1: DVec3, p2: DVec3, q2: DVec3) -> (f64, f64) {
    let (u, v, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (uu, vv) = (u.length_squared(), v.length_squared());
    if uu <= 0.0 {
        return (0.0, on_segment(p1, p2, q2));
    }
    if vv <= 0.0 {
        return (on_segment(p2, p1, q1), 0.0);
    }
    // |u × v|² instead of uu·vv − uv²: no cancellation for nearly parallel segments.
    let w = u.cross(v);
    let ww = w.length_squared();
    let s = if ww > 1e-30 * uu * vv {
        // Cramer: s = −(r × v)·(u × v)/|u × v|².
        (-(r.cross(v)).dot(w) / ww).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let t = on_segment(p1 + s * u, p2, q2);
    // Where t was clamped, s is projected again.
    (on_segment(p2 + t * v, p1, q1), t)
}

/// Barycentric coordinates of the point of the triangle abc closest to x (Voronoi regions).
pub(crate) fn on_triangle(x: DVec3, a: DVec3, b: DVec3, c: DVec3) -> [f64; 3] {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d1, d2) = (ab.dot(ax), ac.dot(ax));
    // Voronoi regions of the vertices,
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bx = x - b;
    let (d3, d4) = (ab.dot(bx), ac.dot(bx));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let cx = x - c;
    let (d5, d6) = (ab.dot(cx), ac.dot(cx));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    // of the edges,
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    // and of the face.
    let sum = va + vb + vc;
    if sum > 0.0 {
        [va / sum, vb / sum, vc / sum]
    } else {
        // No area: only rounding leads here, and a corner is as good as any point.
        [1.0, 0.0, 0.0]
    }
}
