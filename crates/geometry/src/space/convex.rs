//! Convex shapes of space as parts of a compound: support function, face depths, farthest point, combined mass.

use glam::{DMat3, DQuat, DVec3};

use super::moments::principal;
use super::shape::Shape;
use crate::dim::{MassProperties, Pose, Space};

/// Support function max n·x of a convex shape, |n| = 1; infinite for boundaries and compounds.
pub(crate) fn support(shape: &Shape, n: DVec3) -> f64 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Capsule {
            half_length,
            radius,
        } => half_length * n.z.abs() + radius,
        Shape::Cylinder {
            half_length,
            radius,
        } => half_length * n.z.abs() + radius * n.x.hypot(n.y),
        Shape::Polyhedron(p) => p
            .vertices
            .iter()
            .fold(f64::NEG_INFINITY, |most, v| most.max(n.dot(*v))),
        Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => f64::INFINITY,
    }
}

/// Calls `visit` with the outward normal of every face and the depth of x behind it. Of a curved face the normal at
/// the surface point nearest to x is taken.
pub(crate) fn visit_face_depths(shape: &Shape, x: DVec3, visit: &mut dyn FnMut(DVec3, f64)) {
    match shape {
        Shape::Sphere { radius } => round(x, *radius, visit),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let foot = DVec3::new(0.0, 0.0, x.z.clamp(-half_length, *half_length));
            round(x - foot, *radius, visit);
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            visit(DVec3::Z, half_length - x.z);
            visit(DVec3::NEG_Z, half_length + x.z);
            round(DVec3::new(x.x, x.y, 0.0), *radius, visit);
        }
        Shape::Polyhedron(p) => {
            for face in &p.faces {
                visit(face.normal, face.offset - face.normal.dot(x));
            }
        }
        Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

fn round(from: DVec3, radius: f64, visit: &mut dyn FnMut(DVec3, f64)) {
    let distance = from.length();
    let normal = if distance >= f64::MIN_POSITIVE {
        from / distance
    } else {
        DVec3::X
    };
    visit(normal, radius - distance);
}

/// Calls `visit` with the direction of every straight edge or generatrix of the surface within `near` of x.
pub(crate) fn visit_straight_lines(
    shape: &Shape,
    x: DVec3,
    near: f64,
    visit: &mut dyn FnMut(DVec3),
) {
    match shape {
        Shape::Capsule {
            half_length,
            radius,
        }
        | Shape::Cylinder {
            half_length,
            radius,
        } => {
            // On the cylindrical part: its generatrix through x.
            let beside = x.z.abs() <= half_length + near && (x.x.hypot(x.y) - radius).abs() <= near;
            if beside {
                visit(DVec3::Z);
            }
        }
        Shape::Polyhedron(p) => {
            for edge in &p.edges {
                let (from, to) = (p.vertices[edge.from as usize], p.vertices[edge.to as usize]);
                if distance_to_segment(x, from, to) <= near {
                    visit((to - from).normalize());
                }
            }
        }
        Shape::Sphere { .. } | Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

/// Distance of x from a segment.
pub(crate) fn distance_to_segment(x: DVec3, from: DVec3, to: DVec3) -> f64 {
    // Clamped projection on the segment.
    let along = to - from;
    let share = (x - from).dot(along) / along.length_squared();
    x.distance(from + along * share.clamp(0.0, 1.0))
}

/// Largest distance of a point of a placed shape from the origin.
pub(crate) fn farthest(shape: &Shape, pose: &Pose<Space>) -> f64 {
    let place = |v: DVec3| pose.position + pose.rotation * v;
    let ends = |h: f64| [h, -h].map(|z| place(DVec3::new(0.0, 0.0, z)));
    match shape {
        Shape::Sphere { radius } => pose.position.length() + radius,
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let [p, q] = ends(*half_length);
            p.length().max(q.length()) + radius
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            // Farthest point of the rim of an end: in the plane of the axis and the centre of the end.
            let axis = pose.rotation * DVec3::Z;
            let rim = |centre: DVec3| {
                let along = centre.dot(axis);
                let aside = (centre - axis * along).length();
                along.hypot(aside + radius)
            };
            let [p, q] = ends(*half_length);
            rim(p).max(rim(q))
        }
        Shape::Polyhedron(p) => p
            .vertices
            .iter()
            .fold(0.0, |most, v| most.max(place(*v).length())),
        Shape::HalfSpace | Shape::Mesh(_) => f64::INFINITY,
        Shape::Compound(c) => pose.position.length() + c.bounding_radius(),
    }
}

/// Combined mass properties of placed parts, and the pose of their principal axes. Axes of the description that are
/// principal already are kept.
pub(crate) fn combine_masses(
    parts: &[(MassProperties<Space>, Pose<Space>)],
) -> (MassProperties<Space>, Pose<Space>) {
    let mass: f64 = parts.iter().map(|(m, _)| m.mass).sum();
    let first: DVec3 = parts.iter().map(|(m, pose)| pose.position * m.mass).sum();
    let centre = first / mass;
    // Inertia tensor about the centre of mass: each part's own, rotated, and the parallel-axis theorem.
    let mut tensor = DMat3::ZERO;
    for (m, pose) in parts {
        let axes = DMat3::from_quat(pose.rotation);
        let own = axes * DMat3::from_diagonal(m.inertia) * axes.transpose();
        let d = pose.position - centre;
        let square = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        let away = DMat3::from_diagonal(DVec3::splat(d.length_squared())) - square;
        tensor += own + away * m.mass;
    }
    // Symmetric to the last bit, which the Jacobi rotations assume.
    let tensor = (tensor + tensor.transpose()) * 0.5;
    let (inertia, axes) = principal(tensor);
    let rotation = DQuat::from_mat3(&axes).normalize();
    let axes = Pose {
        position: centre,
        rotation,
    };
    (MassProperties { mass, inertia }, axes)
}
