//! Meshes for contact tests.

use std::sync::Arc;

use glam::DVec3;
use percuss_geometry::space::{ConvexPolyhedron, Mesh, Shape};
use percuss_geometry::{ContactPoint, Space};

use crate::space_kit::Random;

/// A grid of n × n squares over [−size, size]², each cut along a random diagonal, heights by `height`.
pub fn grid(n: usize, size: f64, random: &mut Random, height: impl Fn(f64, f64) -> f64) -> Mesh {
    let at = |k: usize| size * (2.0 * k as f64 / n as f64 - 1.0);
    let mut vertices = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            vertices.push(DVec3::new(at(i), at(j), height(at(i), at(j))));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let v = |a: usize, b: usize| ((j + b) * (n + 1) + i + a) as u32;
            let (p, q, r, s) = (v(0, 0), v(1, 0), v(1, 1), v(0, 1));
            if random.below(2) == 0 {
                triangles.extend([[p, q, r], [p, r, s]]);
            } else {
                triangles.extend([[p, q, s], [q, r, s]]);
            }
        }
    }
    Mesh::new(&vertices, &triangles).unwrap()
}

/// The surface of a polyhedron, each face a fan.
pub fn skin(p: &ConvexPolyhedron) -> Mesh {
    let mut triangles = Vec::new();
    for f in p.faces() {
        triangles.extend((2..f.len()).map(|k| [f[0], f[k - 1], f[k]]));
    }
    Mesh::new(p.vertices(), &triangles).unwrap()
}

pub fn shape(mesh: Mesh) -> Shape {
    Shape::Mesh(Arc::new(mesh))
}

/// The point of a triangle closest to x: inside the prism over it, else on one of its sides.
pub fn nearest(x: DVec3, [p, q, r]: [DVec3; 3]) -> DVec3 {
    let n = (q - p).cross(r - p).normalize();
    let within = |a: DVec3, b: DVec3| n.cross(b - a).dot(x - a) >= 0.0;
    if within(p, q) && within(q, r) && within(r, p) {
        return x - n * n.dot(x - p);
    }
    let on = |a: DVec3, b: DVec3| {
        a + (b - a) * ((x - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0)
    };
    let all = [on(p, q), on(q, r), on(r, p)];
    all.into_iter()
        .min_by(|a, b| a.distance(x).total_cmp(&b.distance(x)))
        .unwrap()
}

/// Invariants of all contact points.
pub fn distinct(found: &[ContactPoint<Space>]) {
    for (k, t) in found.iter().enumerate() {
        assert!(((t.point_b - t.point_a).dot(t.normal) - t.gap).abs() < 1e-12);
        assert!((t.normal.length() - 1.0).abs() < 1e-13);
        assert!(
            found[..k].iter().all(|s| s.feature != t.feature),
            "{found:#?}"
        );
    }
}
