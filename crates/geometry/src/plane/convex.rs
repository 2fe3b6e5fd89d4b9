//! Convex shapes of the plane as parts of a compound: support function, face depths, farthest point, combined mass.

use glam::DVec2;

use super::shape::Shape;
use crate::dim::{MassProperties, Plane, Pose};
use crate::rotation::Angle;

/// Support function max n·x of a convex shape; infinite for boundaries and compounds.
pub(crate) fn support(shape: &Shape, n: DVec2) -> f64 {
    match shape {
        Shape::Disc { radius } => *radius,
        Shape::Capsule {
            half_length,
            radius,
        } => half_length * n.x.abs() + radius,
        Shape::Polygon(p) => p
            .vertices
            .iter()
            .fold(f64::NEG_INFINITY, |most, v| most.max(n.dot(*v))),
        Shape::HalfPlane | Shape::Chain(_) | Shape::Compound(_) => f64::INFINITY,
    }
}

/// Calls `visit` with the outward normal of every edge and the depth of x behind it. Round shapes have one, at the
/// surface point nearest to x.
pub(crate) fn visit_face_depths(shape: &Shape, x: DVec2, visit: &mut dyn FnMut(DVec2, f64)) {
    match shape {
        Shape::Disc { radius } => round(x, *radius, visit),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            // Nearest point of the segment.
            let foot = DVec2::new(x.x.clamp(-half_length, *half_length), 0.0);
            round(x - foot, *radius, visit);
        }
        Shape::Polygon(p) => {
            for (normal, vertex) in p.normals.iter().zip(&p.vertices) {
                visit(*normal, normal.dot(*vertex - x));
            }
        }
        Shape::HalfPlane | Shape::Chain(_) | Shape::Compound(_) => {}
    }
}

fn round(from: DVec2, radius: f64, visit: &mut dyn FnMut(DVec2, f64)) {
    let distance = from.length();
    let normal = if distance >= f64::MIN_POSITIVE {
        from / distance
    } else {
        DVec2::Y
    };
    visit(normal, radius - distance);
}

/// Calls `visit` with the direction of every straight piece of the outline that passes within `near` of x.
pub(crate) fn visit_straight_lines(
    shape: &Shape,
    x: DVec2,
    near: f64,
    visit: &mut dyn FnMut(DVec2),
) {
    match shape {
        Shape::Capsule {
            half_length,
            radius,
        } => {
            // One of the two straight sides.
            let beside = x.x.abs() <= *half_length && (x.y.abs() - radius).abs() <= near;
            if beside {
                visit(DVec2::X);
            }
        }
        Shape::Polygon(p) => {
            for (i, (normal, from)) in p.normals.iter().zip(&p.vertices).enumerate() {
                let to = p.vertices[(i + 1) % p.vertices.len()];
                // Within the edge, ends included, and on its line.
                let along = normal.perp();
                let place = along.dot(x - *from);
                let beyond = place < -near || place > along.dot(to - *from) + near;
                if !beyond && normal.dot(x - *from).abs() <= near {
                    visit(along);
                }
            }
        }
        Shape::Disc { .. } | Shape::HalfPlane | Shape::Chain(_) | Shape::Compound(_) => {}
    }
}

/// Largest distance of a point of a placed shape from the origin.
pub(crate) fn farthest(shape: &Shape, pose: &Pose<Plane>) -> f64 {
    let place = |v: DVec2| (pose.position + pose.rotation.rotate(v)).length();
    match shape {
        Shape::Disc { radius } => pose.position.length() + radius,
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let ends = [*half_length, -half_length].map(|x| place(DVec2::new(x, 0.0)));
            ends[0].max(ends[1]) + radius
        }
        Shape::Polygon(p) => p.vertices.iter().fold(0.0, |most, v| most.max(place(*v))),
        Shape::HalfPlane | Shape::Chain(_) => f64::INFINITY,
        Shape::Compound(c) => pose.position.length() + c.bounding_radius(),
    }
}

/// Combined mass properties of placed parts, and the pose of the common body axes: those of the description, moved to
/// the centre of mass.
pub(crate) fn combine_masses(
    parts: &[(MassProperties<Plane>, Pose<Plane>)],
) -> (MassProperties<Plane>, Pose<Plane>) {
    let mass: f64 = parts.iter().map(|(m, _)| m.mass).sum();
    let first: DVec2 = parts.iter().map(|(m, pose)| pose.position * m.mass).sum();
    let centre = first / mass;
    // Parallel-axis theorem.
    let about = |(m, pose): &(MassProperties<Plane>, Pose<Plane>)| {
        m.inertia + m.mass * (pose.position - centre).length_squared()
    };
    let inertia = parts.iter().map(about).sum();
    let axes = Pose {
        position: centre,
        rotation: Angle::default(),
    };
    (MassProperties { mass, inertia }, axes)
}
