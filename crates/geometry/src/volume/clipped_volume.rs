//! Volumes of shapes of space clipped by boxes.
//!
//! A polyhedron is clipped by the six planes of the box, face by face (Sutherland–Hodgman). Each cut is closed by
//! the polygon of its vertices, sorted by angle about their mean (the section of a convex body is convex), and the
//! volume is ⅙ Σ x₀·(x₁ × x₂) over the triangles of the faces. Capsules and cylinders are counted on a lattice of
//! 24³ cell centres of their bounding box in body axes: the error is below 1 % of their volume.

use glam::DVec3;

use super::sphere_in_box::ball;
use super::{ClippedVolume, by_centre};
use crate::dim::{Pose, Space};
use crate::space::Shape;

/// Lattice points along each axis.
const LATTICE: usize = 24;

impl ClippedVolume for Space {
    fn clipped_volume(shape: &Shape, pose: &Pose<Self>, low: &[f64; 3], high: &[f64; 3]) -> f64 {
        let centre = pose.position.to_array();
        // The box relative to the centre of the body.
        let from = |bounds: &[f64; 3]| [0, 1, 2].map(|k| bounds[k] - centre[k]);
        let (low_c, high_c) = (from(low), from(high));
        match shape {
            Shape::Sphere { radius } => ball(*radius, low_c, high_c),
            Shape::Polyhedron(polyhedron) => {
                // Faces in world axes about the centre, clipped by the six planes.
                let place = |k: &u32| pose.rotation * polyhedron.vertices()[*k as usize];
                let faces = polyhedron.faces();
                let mut faces: Vec<Vec<DVec3>> =
                    faces.map(|face| face.iter().map(place).collect()).collect();
                for axis in 0..3 {
                    let unit = DVec3::AXES[axis];
                    for (normal, bound) in [(unit, high_c[axis]), (-unit, -low_c[axis])] {
                        if bound.is_finite() {
                            faces = clip(&faces, normal, bound);
                        }
                    }
                }
                volume(&faces)
            }
            Shape::Capsule {
                half_length,
                radius,
            } => {
                let (l, r) = (*half_length, *radius);
                let has = |p: DVec3| {
                    let z = p.z - p.z.clamp(-l, l);
                    p.x * p.x + p.y * p.y + z * z <= r * r
                };
                let share = counted(DVec3::new(r, r, l + r), has, pose, low, high);
                share * Self::volume(shape)
            }
            Shape::Cylinder {
                half_length,
                radius,
            } => {
                let (l, r) = (*half_length, *radius);
                let has = |p: DVec3| p.x * p.x + p.y * p.y <= r * r;
                let share = counted(DVec3::new(r, r, l), has, pose, low, high);
                share * Self::volume(shape)
            }
            _ => by_centre::<Self>(shape, pose, low, high),
        }
    }
}

/// The share of a body's lattice points that lie in the box.
fn counted(
    half: DVec3,
    has: impl Fn(DVec3) -> bool,
    pose: &Pose<Space>,
    low: &[f64; 3],
    high: &[f64; 3],
) -> f64 {
    let (mut all, mut inside) = (0_usize, 0_usize);
    let at = |k: usize| (2 * k + 1) as f64 / LATTICE as f64 - 1.0;
    for i in 0..LATTICE {
        for j in 0..LATTICE {
            for k in 0..LATTICE {
                let point = half * DVec3::new(at(i), at(j), at(k));
                if !has(point) {
                    continue;
                }
                all += 1;
                let there = pose.position + pose.rotation * point;
                let within = (0..3).all(|k| there[k] >= low[k] && there[k] < high[k]);
                inside += usize::from(within);
            }
        }
    }
    inside as f64 / all.max(1) as f64
}

/// The part of a convex polyhedron with normal·x ≤ bound.
fn clip(faces: &[Vec<DVec3>], normal: DVec3, bound: f64) -> Vec<Vec<DVec3>> {
    let over = |p: &DVec3| normal.dot(*p) - bound;
    let mut kept: Vec<Vec<DVec3>> = Vec::with_capacity(faces.len() + 1);
    let mut cut: Vec<DVec3> = Vec::new();
    // Clip each face; collect the points on the cutting plane.
    for face in faces {
        let mut out = Vec::with_capacity(face.len() + 1);
        let next = face.iter().cycle().skip(1);
        for (a, b) in face.iter().zip(next) {
            let (over_a, over_b) = (over(a), over(b));
            if over_a <= 0.0 {
                out.push(*a);
            }
            if (over_a < 0.0 && over_b > 0.0) || (over_a > 0.0 && over_b < 0.0) {
                let crossing = *a + (*b - *a) * (over_a / (over_a - over_b));
                out.push(crossing);
                cut.push(crossing);
            }
            if over_a == 0.0 {
                cut.push(*a);
            }
        }
        if out.len() > 2 {
            kept.push(out);
        }
    }
    // A face that lies in the cutting plane closes the cut by itself.
    let closed = kept.iter().any(|face| face.iter().all(|p| over(p) == 0.0));
    if cut.len() > 2 && !closed && kept.iter().flatten().any(|p| over(p) < 0.0) {
        kept.push(in_order(cut, normal));
    }
    kept
}

/// Points of a plane sorted anticlockwise about their mean, seen against the normal.
fn in_order(mut points: Vec<DVec3>, normal: DVec3) -> Vec<DVec3> {
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let (u, v) = normal.any_orthonormal_pair();
    // Orient (u, v) so that u × v = normal.
    let v = if u.cross(v).dot(normal) > 0.0 { v } else { -v };
    let angle = |p: &DVec3| v.dot(*p - middle).atan2(u.dot(*p - middle));
    points.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    points
}

fn volume(faces: &[Vec<DVec3>]) -> f64 {
    let Some(origin) = faces.first().and_then(|face| face.first()) else {
        return 0.0;
    };
    // Triangle fan of a face about its first vertex, relative to one common vertex of the polyhedron.
    let fan = |face: &Vec<DVec3>| {
        let pairs = face.windows(2).skip(1);
        let apex = face[0] - *origin;
        pairs
            .map(|p| apex.dot((p[0] - *origin).cross(p[1] - *origin)))
            .sum::<f64>()
    };
    faces.iter().map(fan).sum::<f64>() / 6.0
}
