//! Contact point of a polyhedron and a sphere.
//!
//! With the centre c in the axes of the polyhedron and s_f = n_f·c − o_f: inside (all s_f ≤ 0) the shortest exit is
//! through the face with the largest s_f. Outside, if the closest point lies inside a face, this is the face with the
//! largest s_f, as the distance is s_f there and no less than any other; if not, it lies on one of the edges of the
//! visible faces.

use glam::DVec3;

use super::closest_points::on_segment;
use super::pair::PairFrame;
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::ConvexPolyhedron;

/// Appends the contact point of polyhedron a with a sphere b.
pub(super) fn polyhedron_sphere(
    a: (&ConvexPolyhedron, &Pose<Space>),
    b: (f64, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let (body, radius) = (a.0, b.0);
    let apart = b.1.position - a.1.position;
    // Bounding spheres.
    let far = body.radius + radius + reach;
    if !(apart.length_squared() <= far * far) {
        return;
    }
    let home = PairFrame::new(a.1);
    let c = home.rotation.transpose() * apart;
    let found = match body.half_extents {
        Some(half) => of_box(half, c),
        None => of_faces(body, c, radius + reach),
    };
    let Some((x, n, distance)) = found else {
        return;
    };
    let gap = distance - radius;
    if gap <= reach {
        out.push(home.touch((x, c - radius * n), n, gap, 0));
    }
}

/// Closest point of the surface, its normal and the signed distance, for a box.
fn of_box(half: DVec3, c: DVec3) -> Option<(DVec3, DVec3, f64)> {
    let x = c.clamp(-half, half);
    let d = c - x;
    let distance = d.length();
    if distance > 0.0 {
        return Some((x, d / distance, distance));
    }
    // Inside: the nearest face.
    let s = c.abs() - half;
    // Ties by order: a centre on the diagonal exits along the first axis.
    let slack = 1e-12 * half.max_element();
    let mut k = 0;
    for i in [1, 2] {
        if s[i] > s[k] + slack {
            k = i;
        }
    }
    let mut n = DVec3::ZERO;
    n[k] = if c[k] < 0.0 { -1.0 } else { 1.0 };
    Some((c - s[k] * n, n, s[k]))
}

/// The same for any polyhedron; `None` if farther than `reach`.
fn of_faces(body: &ConvexPolyhedron, c: DVec3, reach: f64) -> Option<(DVec3, DVec3, f64)> {
    let slack = 1e-12 * body.radius;
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (f, face) in body.faces.iter().enumerate() {
        let s = face.normal.dot(c) - face.offset;
        if s > reach {
            return None;
        }
        if s > most + slack {
            (best, most) = (f, s);
        }
    }
    let n = body.faces[best].normal;
    if most <= 0.0 || over(body, best, c) {
        return Some((c - most * n, n, most));
    }
    // Closest point on the edges of the visible faces.
    let seen = |f: u32| {
        let face = &body.faces[f as usize];
        face.normal.dot(c) > face.offset
    };
    let (mut x, mut least) = (DVec3::ZERO, f64::INFINITY);
    for (e, edge) in body.edges.iter().enumerate() {
        if !seen(edge.left) && !seen(edge.right) {
            continue;
        }
        let (p, q) = body.edge_ends(e);
        let y = p + on_segment(c, p, q) * (q - p);
        let square = (c - y).length_squared();
        if square < least {
            (x, least) = (y, square);
        }
    }
    let distance = least.sqrt();
    // A centre on the edge itself, up to rounding: the difference has no direction.
    let n = if distance > 1e-14 * body.radius {
        (c - x) / distance
    } else {
        n
    };
    distance.is_finite().then_some((x, n, distance))
}

/// Whether a point lies over a face, between the planes through its edges along its normal.
fn over(body: &ConvexPolyhedron, face: usize, c: DVec3) -> bool {
    let n = body.faces[face].normal;
    let corners = body.face_loop(face);
    (0..corners.len()).all(|k| {
        let p = body.vertices[corners[k] as usize];
        let q = body.vertices[corners[if k + 1 < corners.len() { k + 1 } else { 0 }] as usize];
        n.cross(q - p).dot(c - p) >= 0.0
    })
}
