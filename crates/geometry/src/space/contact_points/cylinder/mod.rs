//! Contact points of cylinders with every shape but meshes.
//!
//! ```text
//! a: |z| ≤ half, x² + y² ≤ radius² in its own axes;   normal from a to b
//! ```
//!
//! The normal is that of the largest gap over all directions ([`normal_search`], [`pair`]): the Euclidean distance when
//! separated, the least depth when overlapping, exact to rounding, without faceting. The contact points follow from
//! the features that are parallel to the contact plane ([`manifold`]).

pub(crate) mod contact_collector;
pub(crate) mod convex_core;
mod cylinder_overlap;
pub(crate) mod cylinder_shape;
mod half;
pub(crate) mod manifold;
pub(crate) mod normal_search;
mod pair;

use glam::DVec3;

use self::contact_collector::part;
use self::manifold::CylinderContact;
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::shape::Shape;
use contact_collector::{ContactCollector, OtherFeature, feature};
use convex_core::ConvexCore;
use cylinder_shape::{Cylinder, radial};

/// Appends the contact points of the cylinder a and the shape b (no mesh) with gap ≤ `reach`.
pub(super) fn cylinder(
    a: (f64, f64, &Pose<Space>),
    b: (&Shape, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let cylinder = Cylinder {
        half: a.0,
        radius: a.1,
    };
    // Everything is computed in the axes of the cylinder.
    let pose = relative(a.2, b.1);
    let from = out.len();
    let near = 1e-7 * cylinder.size();
    let mut sink = ContactCollector {
        out,
        from,
        pose: a.2,
        contact_margin: reach,
        near,
    };
    match b.0 {
        Shape::Sphere { radius } => sphere(&cylinder, pose.position, *radius, &mut sink),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let along = pose.rotation * (DVec3::Z * *half_length);
            let core = ConvexCore::segment(pose.position - along, pose.position + along);
            touch(&cylinder, &core, *radius, &mut sink);
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            let other = Cylinder {
                half: *half_length,
                radius: *radius,
            };
            pair::cylinders(&cylinder, &other, &pose, &mut sink);
        }
        Shape::Polyhedron(hull) => {
            touch(&cylinder, &ConvexCore::Hull { hull, pose }, 0.0, &mut sink)
        }
        Shape::HalfSpace => half::half_space(&cylinder, &pose, &mut sink),
        // Meshes come first in the dispatch, compounds are split into parts before it.
        Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

/// Pose of b in the axes of a.
pub(crate) fn relative(a: &Pose<Space>, b: &Pose<Space>) -> Pose<Space> {
    let back = a.rotation.conjugate();
    Pose {
        position: back * (b.position - a.position),
        rotation: back * b.rotation,
    }
}

fn touch(cylinder: &Cylinder, core: &ConvexCore, round: f64, sink: &mut ContactCollector) {
    if let Some(found) =
        normal_search::search(cylinder, core, sink.contact_margin + round, |_| true)
    {
        CylinderContact {
            cylinder,
            core,
            round,
            found,
        }
        .manifold(sink);
    }
}

/// A sphere with centre x: the closest point of the surface; inside, the nearer of cap and side.
fn sphere(cylinder: &Cylinder, x: DVec3, radius: f64, sink: &mut ContactCollector) {
    let across = x.x.hypot(x.y);
    let (out, up) = (across - cylinder.radius, x.z.abs() - cylinder.half);
    let lower = u32::from(x.z < 0.0);
    let cap = DVec3::Z * 1f64.copysign(x.z);
    // Regions of the centre: beyond the rim, over a cap, beside the side.
    let (normal, gap, id) = if out > 0.0 && up > 0.0 {
        let to = radial(x) * out + cap * up;
        (to / out.hypot(up), out.hypot(up), part::LOWEST + lower)
    } else if up >= out {
        (cap, up, part::CAP + lower)
    } else {
        (radial(x), out, part::SIDE)
    };
    sink.push(
        x - normal * gap,
        x - normal * radius,
        normal,
        feature(id, OtherFeature::Any),
    );
}
