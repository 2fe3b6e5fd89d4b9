//! Meshes against spheres, capsules, cylinders and polyhedra.
//!
//! ```text
//! for every triangle T near b:   maximise gap(n) = min n·b − max n·T   over the normals allowed at T
//! ```
//!
//! A normal is allowed if the feature of T that it selects supports the whole surface around it: at a
//! face the face's own normal, at an edge or vertex a normal in the cone of the adjacent faces
//! ([`cone`]). So nothing catches at edges inside a flat floor or at the foot of a wall, and an edge
//! seen by both its triangles gives one contact. Points are where the features really lie over one
//! another along n; points shared by triangles of one facet have one number.
//!
//! Where a normal that is not allowed would be better still, the triangle may be the wrong one to ask:
//! a corner of a solid sticks out of b more easily on one triangle than on all. Then its face speaks
//! for points that have no shorter way out beyond one of its convex edges; all else that it would say
//! is heard at the end, and kept where no firm point lies as near as b is deep.
//!
//! Sides: a triangle counts only for bodies whose centre of mass lies in front of its plane; a body
//! that has sunk in beyond its centre is no longer held by it. A ball is held until its surface has
//! passed: with its centre inside the solid it is pushed to the nearest point of the surface, so that
//! through a wall thinner than the ball it may be pushed to the other side. Open edges hold bodies in
//! front of their triangle only.
//!
//! Numbers: the mesh's features are its facets (numbered as their first triangles), edges and
//! vertices; feature = mesh feature · (features of b) + feature of b. They are unique as long as this
//! product fits 32 bits (meshes of 10⁷ triangles for boxes and cylinders); beyond that it wraps, and of
//! two points with the same number the second gets the next free one.

mod cone;
mod merge;
mod overlay;
mod round;
mod solid;

use glam::DVec3;

use self::merge::MeshCollector;
use super::cylinder::core::ConvexCore;
use super::cylinder::relative;
use crate::dim::Space;
use crate::pose::{Pose, ContactPoint};
use crate::space::mesh::{EdgeConvexity, Mesh};
use crate::space::shape::Shape;

/// Appends the points where b touches the mesh a with gap ≤ `reach`; normals point out of the solid.
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
    let bounds = b.0.aabb(&pose);
    let (low, high) = (
        bounds.low - DVec3::splat(reach),
        bounds.high + DVec3::splat(reach),
    );
    let near = 1e-7 * b.0.bounding_radius();
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

/// Goes through the triangles near b, whose placement in the axes of the mesh is `pose`.
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
            solid::solid(mesh, (low, high), pose.position, &core, *radius, merge);
        }
        Shape::Cylinder {
            half_length,
            radius,
        } => {
            round::cylinder(mesh, (low, high), (*half_length, *radius, pose), b.1, merge);
        }
        Shape::Polyhedron(hull) => {
            let core = ConvexCore::Hull { hull, pose: *pose };
            merge.parts = 1 + hull.vertices.len() as u32 + hull.edges.len() as u32;
            solid::solid(mesh, (low, high), pose.position, &core, 0.0, merge);
        }
        Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

/// A triangle as a body with corners, in the axes of the mesh.
fn triangle(mesh: &Mesh, t: u32) -> ConvexCore<'static> {
    let flat = |i: usize| mesh.edges[mesh.sides[t as usize][i] as usize].convexity == EdgeConvexity::Flat;
    let smooth = mesh.triangles[t as usize].map(|v| mesh.vertex_is_flat[v as usize]);
    ConvexCore::Simplex {
        points: mesh.corners(t),
        count: 3,
        normal: mesh.normals[t as usize],
        mute: [[flat(0), flat(1), flat(2)], smooth],
    }
}
