//! Solids bounded by a closed mesh that need not be convex: approximate convex decomposition (VHACD).
//!
//! ```text
//! S ≈ ∪ P_k,   P_k convex hulls of pieces of the surface of S
//! ```
//!
//! The mass properties are those of S, exactly: integrals over its surface (see `moments`). For contact S is replaced
//! by convex parts (volumetric approximate convex decomposition on a voxel grid, from the library `parry3d`). The user
//! chooses the largest number of parts and the resolution of the grid, and [`DecompositionFit`] says how far the union
//! of the parts is from S. A convex surface is taken as it is.

mod fit;
#[cfg(feature = "vhacd")]
mod merge_hulls;
#[cfg(feature = "vhacd")]
mod vhacd;

use std::sync::Arc;

use glam::DVec3;

use super::mesh::{EdgeConvexity, Mesh};
use super::moments::VolumeMoments;
use super::polyhedron::ConvexPolyhedron;
use super::shape::Shape;
use crate::dim::{Pose, Space};
use crate::error::ShapeError;
use crate::shape::{Compound, DecompositionFit, SourceSurface};
use fit::measure_fit;
#[cfg(feature = "vhacd")]
use vhacd::decompose;

/// Parameters of the approximate convex decomposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecompositionParams {
    /// Largest number of parts.
    pub parts: usize,
    /// Voxels along the longest side.
    pub resolution: usize,
}

impl DecompositionParams {
    /// Bound of `parts`.
    pub const MAX_PARTS: usize = 1024;
    /// Lower bound of `resolution`: fewer voxels cannot resolve a hole.
    pub const MIN_RESOLUTION: usize = 8;
    /// Upper bound of `resolution`: the number of voxels is its cube.
    pub const MAX_RESOLUTION: usize = 256;
}

impl Default for DecompositionParams {
    fn default() -> Self {
        Self {
            parts: 16,
            resolution: 64,
        }
    }
}

/// A closed mesh as a solid body.
#[derive(Debug, Clone, PartialEq)]
pub struct DecomposedMesh {
    /// A polyhedron where the mesh is convex, otherwise a compound.
    pub shape: Shape,
    /// Pose of its body axes in the axes of the mesh.
    pub axes: Pose<Space>,
    /// How well the parts approximate the mesh.
    pub fit: DecompositionFit,
}

impl DecomposedMesh {
    /// From a closed mesh, triangles anticlockwise seen from outside.
    ///
    /// # Errors
    /// As [`Mesh::new`]; a surface that is not closed, [`DecompositionParams`] out of range.
    pub fn new(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        fineness: DecompositionParams,
    ) -> Result<Self, ShapeError> {
        check(&fineness)?;
        let mesh = Mesh::new(vertices, triangles)?;
        require_closed(&mesh)?;
        // Exact mass properties; a convex mesh needs no decomposition.
        let loops: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
        let (moments, axes) = VolumeMoments::polyhedron(vertices, &loops)?;
        if let Some((polyhedron, axes)) = convex(&mesh) {
            let fit = DecompositionFit::exact(moments.volume);
            let shape = Shape::Polyhedron(Arc::new(polyhedron));
            return Ok(Self { shape, axes, fit });
        }
        let hulls = decompose(vertices, triangles, &fineness)?;
        // Measured difference, then the compound in the principal axes of the mesh.
        let fit = measure_fit(&mesh, &hulls, moments.volume);
        let parts: Vec<(Shape, Pose<Space>)> = hulls
            .into_iter()
            .map(|(hull, pose)| (Shape::Polyhedron(Arc::new(hull)), pose))
            .collect();
        let skin = SourceSurface {
            vertices: vertices.to_vec(),
            triangles: triangles.to_vec(),
        };
        let compound = Compound::from_parts(&parts, moments.with_density(1.0), &axes, Some(skin))?;
        let shape = Shape::Compound(Arc::new(compound.with_fit(fit)));
        Ok(Self { shape, axes, fit })
    }
}

fn check(fineness: &DecompositionParams) -> Result<(), ShapeError> {
    let DecompositionParams { parts, resolution } = *fineness;
    if parts == 0 || parts > DecompositionParams::MAX_PARTS {
        return Err(ShapeError::Degenerate(format!(
            "{parts} parts: from 1 to {} were expected",
            DecompositionParams::MAX_PARTS
        )));
    }
    let (least, most) = (
        DecompositionParams::MIN_RESOLUTION,
        DecompositionParams::MAX_RESOLUTION,
    );
    if !(least..=most).contains(&resolution) {
        return Err(ShapeError::Degenerate(format!(
            "a resolution of {resolution}: from {least} to {most} was expected"
        )));
    }
    Ok(())
}

/// Every edge must have two triangles.
fn require_closed(mesh: &Mesh) -> Result<(), ShapeError> {
    let mut open = mesh
        .edges
        .iter()
        .filter(|e| e.convexity == EdgeConvexity::Open);
    let Some(first) = open.next() else {
        return Ok(());
    };
    let [p, q] = first.ends.map(|v| mesh.vertices[v as usize]);
    Err(ShapeError::NotClosed(format!(
        "the surface is open: {} of its {} edges have one triangle only, the first from ({}, {}, {}) to \
         ({}, {}, {}); a body needs a closed surface",
        open.count() + 1,
        mesh.edges.len(),
        p.x,
        p.y,
        p.z,
        q.x,
        q.y,
        q.z
    )))
}

/// The polyhedron of a mesh without concave edges that is connected and winds once: no vertex lies outside the
/// polyhedron.
fn convex(mesh: &Mesh) -> Option<(ConvexPolyhedron, Pose<Space>)> {
    if mesh
        .edges
        .iter()
        .any(|e| e.convexity == EdgeConvexity::Concave)
    {
        return None;
    }
    // Validates the mesh as a convex surface, then takes its hull to merge coplanar triangles.
    let corners = |t: &[u32; 3]| t.iter().map(|i| *i as usize).collect();
    let faces: Vec<Vec<usize>> = mesh.triangles.iter().map(corners).collect();
    ConvexPolyhedron::new(&mesh.vertices, &faces).ok()?;
    let used = mesh.triangles.iter().flatten();
    let used: Vec<DVec3> = used.map(|i| mesh.vertices[*i as usize]).collect();
    ConvexPolyhedron::hull(&used).ok()
}

type PlacedHull = (ConvexPolyhedron, Pose<Space>);

/// Without the cargo feature `vhacd` there is no decomposition.
#[cfg(not(feature = "vhacd"))]
fn decompose(
    _vertices: &[DVec3],
    _triangles: &[[u32; 3]],
    _fineness: &DecompositionParams,
) -> Result<Vec<PlacedHull>, ShapeError> {
    Err(ShapeError::Degenerate(
        "the surface is not convex and has to be cut into convex parts, but percuss was built without the \
         decomposition: build it with the cargo feature `vhacd`"
            .into(),
    ))
}
