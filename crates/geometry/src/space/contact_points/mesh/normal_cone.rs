//! Normal cones of the features of a mesh: the filter for internal edges (ghost collisions).
//!
//! ```text
//! edge:    n·d₁ ≤ 0 and n·d₂ ≤ 0,    dᵢ = Nᵢ × e into the triangle i
//! vertex:  n·(w − v) ≤ 0 for all neighbours w of v, n·Nᵢ > 0 for a triangle i
//! ```
//!
//! For a convex edge this is the arc between its normals, for a flat one the common normal; a concave one allows none.

use glam::DVec3;

use crate::space::mesh::{EdgeConvexity, Mesh};

/// Sine by which a normal may leave its cone.
const SLACK: f64 = 1e-9;

/// Whether n is in the normal cone of an edge.
pub(super) fn edge(mesh: &Mesh, edge: u32, n: DVec3) -> bool {
    let e = &mesh.edges[edge as usize];
    let [p, q] = e.ends.map(|v| mesh.vertices[v as usize]);
    let along = (q - p).normalize_or_zero();
    let [first, second] = e.triangles.map(|t| mesh.normals[t as usize]);
    if n.dot(first.cross(along)) > SLACK {
        return false;
    }
    match e.convexity {
        EdgeConvexity::Open => n.dot(first) >= -SLACK,
        _ => n.dot(along.cross(second)) <= SLACK && n.dot(first + second) >= -SLACK,
    }
}

/// Whether n is in the normal cone of a vertex: the vertex is higher than its neighbours, and visible from outside.
pub(super) fn vertex(mesh: &Mesh, vertex: u32, n: DVec3) -> bool {
    let v = mesh.vertices[vertex as usize];
    let mut outside = false;
    for &t in mesh.star(vertex) {
        outside |= n.dot(mesh.normals[t as usize]) > 0.0;
        for w in mesh.corners(t) {
            let to = w - v;
            if to.dot(n) > SLACK * to.length() {
                return false;
            }
        }
    }
    outside
}

/// Whether n is in the normal cone of the feature of triangle t that is highest along it.
pub(super) fn triangle(mesh: &Mesh, t: u32, n: DVec3) -> bool {
    let points = mesh.corners(t);
    let heights = points.map(|p| p.dot(n));
    let top = heights[0].max(heights[1]).max(heights[2]);
    let normal = mesh.normals[t as usize];
    let size = points[0]
        .distance(points[1])
        .max(points[0].distance(points[2]));
    // Face, edge or vertex, by the corners that are highest within the tolerance.
    let on = heights.map(|h| h >= top - SLACK * size);
    match on {
        [true, true, true] => n.dot(normal) > 0.0,
        [true, true, false] => edge(mesh, mesh.sides[t as usize][0], n),
        [false, true, true] => edge(mesh, mesh.sides[t as usize][1], n),
        [true, false, true] => edge(mesh, mesh.sides[t as usize][2], n),
        [true, false, false] => vertex(mesh, mesh.triangles[t as usize][0], n),
        [false, true, false] => vertex(mesh, mesh.triangles[t as usize][1], n),
        [false, false, _] => vertex(mesh, mesh.triangles[t as usize][2], n),
    }
}
