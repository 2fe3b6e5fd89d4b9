//! Contact normals on chains, meshes and nonconvex polygons: the normal of the segment or triangle that the point
//! lies on.

use percuss_record::{Faces, RecordedShape};

use super::super::vector::{V3, cross, norm, rotate_back, sub, unit};
use super::shape::{of_triangle, on_segment};

/// Distance of `n` from the outward normal of a segment or triangle within `near` of the point, all in body axes;
/// infinite where there is none.
pub(super) fn face_normal_defect(outline: &RecordedShape, p: V3, n: V3, near: f64) -> f64 {
    match outline {
        // A polygon is solid on the left of its edges, a chain on the right.
        RecordedShape::Polygon(vertices) => segments(vertices, true, 1.0, (p, n, near)),
        RecordedShape::Chain { vertices, closed } => {
            segments(vertices, *closed, -1.0, (p, n, near))
        }
        RecordedShape::Polyhedron(faces) | RecordedShape::Mesh(faces) => {
            triangles(faces, p, n, near)
        }
        RecordedShape::Compound(members) => members.iter().fold(f64::INFINITY, |least, member| {
            let point = rotate_back(member.rotation, sub(p, member.position));
            let normal = rotate_back(member.rotation, n);
            least.min(face_normal_defect(&member.shape, point, normal, near))
        }),
        _ => f64::INFINITY,
    }
}

fn segments(vertices: &[[f64; 2]], closed: bool, side: f64, (p, n, near): (V3, V3, f64)) -> f64 {
    let count = vertices.len();
    let last = if closed {
        count
    } else {
        count.saturating_sub(1)
    };
    let at = |k: usize| [vertices[k % count][0], vertices[k % count][1], 0.0];
    (0..last).fold(f64::INFINITY, |least, k| {
        let (a, b) = (at(k), at(k + 1));
        let e = unit(sub(b, a));
        match norm(sub(p, on_segment(a, b, p))) <= near {
            true => least.min(norm(sub([side * e[1], -side * e[0], 0.0], n))),
            false => least,
        }
    })
}

fn triangles(faces: &Faces, p: V3, n: V3, near: f64) -> f64 {
    let mut least = f64::INFINITY;
    for face in &faces.faces {
        let at = |k: usize| faces.vertices[face[k] as usize];
        for k in 1..face.len().saturating_sub(1) {
            let [a, b, c] = [at(0), at(k), at(k + 1)];
            if of_triangle([a, b, c], p, near) <= near {
                least = least.min(norm(sub(unit(cross(sub(b, a), sub(c, a))), n)));
            }
        }
    }
    least
}
