//! Contact points of meshes with spheres, capsules, cylinders and polyhedra.
//!
//! ```text
//! for every triangle T near b:   maximise gap(n) = min n·b − max n·T   over the normals allowed at T
//! ```
//!
//! A normal is allowed if the feature of T that it selects supports the whole surface around it: at a face the face
//! normal, at an edge or vertex a normal in the normal cone of the adjacent faces ([`normal_cone`]). So nothing catches on
//! internal edges of a flat floor or at the foot of a wall (ghost collisions), and an edge found from both its
//! triangles gives one contact. Contact points are where the features overlap along n; points shared by triangles of
//! one facet have one feature.
//!
//! Where a normal that is not allowed has a larger gap, the triangle may be the wrong one: a corner of a solid leaves b
//! more easily past one triangle than past all of them. Then its face gives only points that have no shorter exit
//! beyond one of its convex edges; everything else is doubtful, is evaluated in a second pass, and is kept where no
//! firm contact point lies within the depth of b.
//!
//! Sides: a triangle counts only for bodies whose centre of mass lies in front of its plane; a body that has penetrated
//! beyond its centre is no longer supported by it. A sphere is supported until its whole surface has passed: with its
//! centre inside the solid it is pushed to the closest point of the surface, so that through a wall thinner than the
//! sphere it may be pushed to the other side. Open edges support only bodies in front of their triangle.
//!
//! Features: those of the mesh are its facets (numbered as their first triangles), edges and vertices;
//! feature = mesh feature · (number of features of b) + feature of b. They are unique as long as this product fits 32
//! bits (meshes of 10⁷ triangles for boxes and cylinders); beyond that it wraps, and of two points with the same
//! feature the second gets the next free one.

mod convex_on_mesh;
mod mesh_collector;
mod normal_cone;
mod overlay;
mod round;

use glam::DVec3;

use super::cylinder::convex_core::ConvexCore;
use super::cylinder::relative;
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::mesh::{EdgeConvexity, Mesh};
use crate::space::shape::Shape;
use mesh_collector::MeshCollector;

/// Appends the contact points of the mesh a and b with gap ≤ `reach`; normals point out of the solid.
pub(super) fn mesh(
    a: (&Mesh, &Pose<Space>),
    b: (&Shape, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let (mesh, pose) = (a.0, relative(a.1, b.1));
    if b.0.boundary_only() {
        return;
    }
    // Query box in the axes of the mesh, enlarged by the contact margin.
    let bounds = b.0.aabb(&pose);
    let (low, high) = (
        bounds.low - DVec3::splat(reach),
        bounds.high + DVec3::splat(reach),
    );
    let near = 1e-7 * b.0.bounding_radius();
    // First pass: firm contact points; second pass, if there are any: doubtful ones.
    let mut merge = MeshCollector {
        out,
        mesh,
        pose: a.1,
        contact_margin: reach,
        near,
        from: 0,
        parts: 1,
        exit: None,
        doubt: false,
        firm: None,
    };
    merge.from = merge.out.len();
    meet(b, &pose, (low, high), &mut merge);
    if merge.doubt {
        merge.firm = Some(merge.out.len());
        meet(b, &pose, (low, high), &mut merge);
    }
}

/// Processes the triangles near b, whose pose in the axes of the mesh is `pose`.
fn meet(
    b: (&Shape, &Pose<Space>),
    pose: &Pose<Space>,
    (low, high): (DVec3, DVec3),
    merge: &mut MeshCollector,
) {
    let mesh = merge.mesh;
    match b.0 {
        Shape::Sphere { radius } => round::sphere(mesh, (low, high), pose.position, *radius, merge),
        Shape::Capsule {
            half_length,
            radius,
        } => {
            let along = pose.rotation * (DVec3::Z * *half_length);
            let core = ConvexCore::segment(pose.position - along, pose.position + along);
            merge.parts = 4;
            convex_on_mesh::solid(mesh, (low, high), pose.position, &core, *radius, merge);
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            round::cylinder(mesh, (low, high), (*half_length, *radius, pose), b.1, merge);
        }
        // Features of a polyhedron: none, its vertices, its edges.
        Shape::Polyhedron(hull) => {
            let core = ConvexCore::Hull { hull, pose: *pose };
            merge.parts = 1 + hull.vertices.len() as u32 + hull.edges.len() as u32;
            convex_on_mesh::solid(mesh, (low, high), pose.position, &core, 0.0, merge);
        }
        Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

/// A triangle as a convex core, in the axes of the mesh, with its internal edges and vertices.
fn triangle(mesh: &Mesh, t: u32) -> ConvexCore<'static> {
    let flat =
        |i: usize| mesh.edges[mesh.sides[t as usize][i] as usize].convexity == EdgeConvexity::Flat;
    let smooth = mesh.triangles[t as usize].map(|v| mesh.vertex_is_flat[v as usize]);
    ConvexCore::Simplex {
        points: mesh.corners(t),
        count: 3,
        normal: mesh.normals[t as usize],
        mute: [[flat(0), flat(1), flat(2)], smooth],
    }
}
