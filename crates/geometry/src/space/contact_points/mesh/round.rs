//! Contact points of spheres and cylinders with a mesh.

use glam::DVec3;

use super::mesh_collector::{MeshCollector, MeshFeature};
use super::{normal_cone as cone, triangle};
use crate::dim::{Pose, Space};
use crate::space::contact_points::closest_points::on_triangle;
use crate::space::contact_points::cylinder::contact_collector::{
    ContactCollector, OtherFeature, part, parts,
};
use crate::space::contact_points::cylinder::convex_core::ConvexCore;
use crate::space::contact_points::cylinder::cylinder_shape::Cylinder;
use crate::space::contact_points::cylinder::manifold::CylinderContact;
use crate::space::contact_points::cylinder::normal_search::search;
use crate::space::mesh::{EdgeConvexity, Mesh};

/// The point of a triangle closest to a centre.
struct Foot {
    triangle: u32,
    point: DVec3,
    spot: MeshFeature,
    /// From the point to the centre.
    to: DVec3,
    distance: f64,
    /// Height of the centre over the triangle's plane.
    height: f64,
}

fn foot(mesh: &Mesh, t: u32, x: DVec3) -> Foot {
    let [p, q, r] = mesh.corners(t);
    let [u, v, w] = on_triangle(x, p, q, r);
    let corners = mesh.triangles[t as usize];
    let sides = mesh.sides[t as usize];
    let normal = mesh.normals[t as usize];
    let height = normal.dot(x - p);
    // Feature by the barycentric coordinates that vanish.
    let (spot, point) = match [u > 0.0, v > 0.0, w > 0.0] {
        [true, true, true] => (MeshFeature::Facet(t), x - normal * height),
        [true, true, false] => (MeshFeature::Edge(sides[0]), p + (q - p) * v),
        [false, true, true] => (MeshFeature::Edge(sides[1]), q + (r - q) * w),
        [true, false, true] => (MeshFeature::Edge(sides[2]), r + (p - r) * u),
        [true, false, false] => (MeshFeature::Vertex(corners[0]), p),
        [false, true, false] => (MeshFeature::Vertex(corners[1]), q),
        [false, false, _] => (MeshFeature::Vertex(corners[2]), r),
    };
    let to = x - point;
    Foot {
        triangle: t,
        point,
        spot,
        to,
        distance: to.length(),
        height,
    }
}

/// Every foot that is a local minimum of the distance to the centre gives a contact point. With the centre behind the
/// nearest triangle only the nearest foot counts.
pub(super) fn sphere(
    mesh: &Mesh,
    near: (DVec3, DVec3),
    x: DVec3,
    radius: f64,
    merge: &mut MeshCollector,
) {
    let mut nearest: Option<Foot> = None;
    for t in mesh.triangles_in_box(near.0, near.1) {
        let f = foot(mesh, t, x);
        // At an edge or vertex the triangle with the largest height of the centre, before or behind it, decides the
        // side.
        let better = nearest.as_ref().is_none_or(|n| {
            let slack = 1e-12 * radius;
            f.distance < n.distance - slack
                || (f.distance <= n.distance + slack && f.height.abs() > n.height.abs())
        });
        if better {
            nearest = Some(f);
        }
    }
    match nearest {
        Some(f) if f.height < 0.0 => inside(mesh, &f, x, radius, merge),
        Some(_) => {
            for t in mesh.triangles_in_box(near.0, near.1) {
                outside(mesh, &foot(mesh, t, x), x, radius, merge);
            }
        }
        None => {}
    }
}

fn inside(mesh: &Mesh, f: &Foot, x: DVec3, radius: f64, merge: &mut MeshCollector) {
    let open = match f.spot {
        MeshFeature::Facet(_) => false,
        MeshFeature::Edge(e) => mesh.edges[e as usize].convexity == EdgeConvexity::Open,
        MeshFeature::Vertex(v) => mesh.vertex_is_open[v as usize],
    };
    if open || f.distance > radius {
        return;
    }
    let own = mesh.normals[f.triangle as usize];
    let normal = match f.spot {
        MeshFeature::Facet(_) => own,
        _ => (-f.to).try_normalize().unwrap_or(own),
    };
    merge.push(f.point, x - normal * radius, normal, f.spot, 0);
}

fn outside(mesh: &Mesh, f: &Foot, x: DVec3, radius: f64, merge: &mut MeshCollector) {
    let own = mesh.normals[f.triangle as usize];
    let normal = f.to.try_normalize().unwrap_or(own);
    let (normal, spot) = match f.spot {
        MeshFeature::Facet(t) if f.height >= 0.0 => (own, MeshFeature::Facet(t)),
        MeshFeature::Facet(_) => return,
        MeshFeature::Edge(e) if !cone::edge(mesh, e, normal) => return,
        MeshFeature::Vertex(v) if !cone::vertex(mesh, v, normal) => return,
        // Inside a flat part the normal cone is the face normal.
        MeshFeature::Edge(e) if mesh.edges[e as usize].convexity == EdgeConvexity::Flat => {
            (own, MeshFeature::Facet(f.triangle))
        }
        MeshFeature::Vertex(v) if mesh.vertex_is_flat[v as usize] => {
            (own, MeshFeature::Facet(f.triangle))
        }
        spot => (normal, spot),
    };
    merge.push(f.point, x - normal * radius, normal, spot, 0);
}

/// A cylinder against each triangle, as against any convex core.
pub(super) fn cylinder(
    mesh: &Mesh,
    near: (DVec3, DVec3),
    b: (f64, f64, &Pose<Space>),
    place: &Pose<Space>,
    merge: &mut MeshCollector,
) {
    let cylinder = Cylinder {
        half: b.0,
        radius: b.1,
    };
    let pose = b.2;
    let back = pose.rotation.conjugate();
    merge.parts = part::COUNT;
    for t in mesh.triangles_in_box(near.0, near.1) {
        let normal = mesh.normals[t as usize];
        if normal.dot(pose.position - mesh.corners(t)[0]) < 0.0 {
            continue;
        }
        // The triangle in the axes of the cylinder; the largest gap over the allowed normals.
        let mut core = triangle(mesh, t);
        if let ConvexCore::Simplex { points, normal, .. } = &mut core {
            *points = points.map(|p| back * (p - pose.position));
            *normal = back * *normal;
        }
        let allowed = |n: DVec3| cone::triangle(mesh, t, -(pose.rotation * n));
        let Some(found) = search(&cylinder, &core, merge.contact_margin, allowed) else {
            continue;
        };
        if !merge.accepts_triangle(t, -(pose.rotation * found.normal), found.second) {
            continue;
        }
        // Appended after the others, then mirrored and merged one by one.
        let start = merge.out.len();
        let (reach, near) = (merge.contact_margin, merge.near);
        let mut sink = ContactCollector {
            out: &mut *merge.out,
            from: start,
            pose: place,
            contact_margin: reach,
            near,
        };
        CylinderContact {
            cylinder: &cylinder,
            core: &core,
            round: 0.0,
            found,
        }
        .manifold(&mut sink);
        take_up(mesh, t, start, merge);
    }
}

/// Merges the contact points since `start`, from the cylinder to triangle t, into those of the mesh.
fn take_up(mesh: &Mesh, t: u32, start: usize, merge: &mut MeshCollector) {
    let end = merge.out.len();
    let mut kept = start;
    for k in start..end {
        let mut touch = merge.out[k];
        std::mem::swap(&mut touch.point_a, &mut touch.point_b);
        touch.normal = -touch.normal;
        // Rounding of two rotations must not tilt the normal of a face.
        let face = merge.pose.rotation * mesh.normals[t as usize];
        if touch.normal.distance_squared(face) < 1e-26 {
            touch.normal = face;
        }
        let (part, other) = parts(touch.feature);
        let spot = match other {
            OtherFeature::Vertex(i) => {
                MeshFeature::Vertex(mesh.triangles[t as usize][i as usize % 3])
            }
            OtherFeature::Edge(j) => MeshFeature::Edge(mesh.sides[t as usize][j as usize % 3]),
            OtherFeature::Any | OtherFeature::Round(_) => MeshFeature::Facet(t),
        };
        // The list is truncated to the merged points; at most one is added per turn.
        let waiting = merge.settle(kept, touch, spot, part);
        kept += usize::from(waiting);
    }
    merge.out.truncate(kept);
}
