//! Convex polyhedra.
//!
//! ```text
//! P = conv{v_i} = {x : n_f · x ≤ o_f},   |n_f| = 1,   centre of mass 0,   ∫ x_i x_j dV = 0 for i ≠ j
//! ```
//!
//! Both descriptions are kept: vertices for the support function, faces for separating planes, and the edges with
//! their two faces. o_f is the support of *all* vertices along n_f, so that a face whose normal suffers from rounding
//! still has the whole body behind its plane.
//!
//! Limits: [`MAX_VERTICES`] vertices (so that a pair of edges fits a 32-bit feature) and [`MAX_FACE_VERTICES`]
//! vertices of a face (so that clipping works in fixed buffers).

mod build;
mod check;
mod coplanar_faces;
mod hull;

use glam::DVec3;

use crate::dim::{Pose, Space};
use crate::error::ShapeError;
use crate::space::moments::VolumeMoments;

pub(super) use check::length;

/// Largest number of vertices. A polyhedron with V vertices has at most 3V − 6 edges, and (3V)² < 2³².
pub const MAX_VERTICES: usize = 16_384;

/// Largest number of vertices of a face.
pub const MAX_FACE_VERTICES: usize = 256;

/// From this number of vertices on, the support vertex is found by hill climbing along edges, below by trying all.
const CLIMB: usize = 40;

/// A face: a convex polygon in its plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    /// Outward unit normal.
    pub normal: DVec3,
    /// normal · x ≤ offset for all points x of the body.
    pub offset: f64,
    /// Start of its loop in `loops`.
    pub start: u32,
    /// End of its loop in `loops`.
    pub end: u32,
}

/// An edge, traversed from `from` to `to` by the loop of its left face and backwards by that of its right one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    /// First vertex.
    pub from: u32,
    /// Second vertex.
    pub to: u32,
    /// The face on its left, seen from outside.
    pub left: u32,
    /// The face on its right.
    pub right: u32,
    /// Index of its direction in `axes`, up to the sign.
    pub axis: u32,
}

/// A convex polyhedron in principal axes, centre of mass at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolyhedron {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    pub(crate) edges: Vec<Edge>,
    /// Normals of the faces on the left and right of each edge, side by side (the ends of its arc on the Gauss map):
    /// the data that the edge–edge separating axis search reads most.
    pub(crate) edge_face_normals: Vec<[DVec3; 2]>,
    /// Unit directions of edges, parallel ones once.
    pub(crate) axes: Vec<DVec3>,
    /// Vertices of the faces, one loop after the other.
    loops: Vec<u32>,
    /// Edge from each entry of `loops` to the next.
    sides: Vec<u32>,
    /// Entries `starts[i]..starts[i + 1]` of `around` and `beside` belong to vertex i.
    starts: Vec<u32>,
    /// Faces at each vertex.
    around: Vec<u32>,
    /// Adjacent vertices of each vertex.
    beside: Vec<u32>,
    /// Half extents of a box whose vertex i has the signs of the bits of i.
    pub(crate) half_extents: Option<DVec3>,
    pub(crate) radius: f64,
    pub(crate) moments: VolumeMoments,
}

impl ConvexPolyhedron {
    /// The convex hull of points, coplanar triangles merged into faces. Also returns the pose of its body axes
    /// (principal axes, centre of mass) in the axes of the points.
    ///
    /// Points within 1e-10 of the size of a face's plane count as points of that plane.
    ///
    /// # Errors
    /// Fewer than four points, no volume, points that are not finite, too many vertices.
    pub fn hull(points: &[DVec3]) -> Result<(Self, Pose<Space>), ShapeError> {
        // Triangulated hull, then coplanar triangles merged into faces.
        check::finite(points)?;
        let triangles = hull::hull(points)?;
        let (vertices, loops) = coplanar_faces::faces(points, &triangles)?;
        Self::in_principal_axes(&vertices, loops)
    }

    /// From vertices and faces (loops of vertex indices, anticlockwise seen from outside), which must bound a convex
    /// body. Vertices that belong to no face are dropped.
    ///
    /// # Errors
    /// As [`ConvexPolyhedron::hull`]; faces that are not flat (to 1e-7 of the size), not convex, oriented inwards or do
    /// not close.
    pub fn new(
        vertices: &[DVec3],
        faces: &[Vec<usize>],
    ) -> Result<(Self, Pose<Space>), ShapeError> {
        let (vertices, loops) = check::polyhedron(vertices, faces)?;
        Self::in_principal_axes(&vertices, loops)
    }

    /// A box with these sides along the axes.
    ///
    /// # Errors
    /// A side that is not a positive, finite length.
    pub fn cuboid(sides: DVec3) -> Result<Self, ShapeError> {
        let names = [
            "side of the box along x",
            "side of the box along y",
            "side of the box along z",
        ];
        for (what, value) in names.into_iter().zip(sides.to_array()) {
            check::length(what, value)?;
        }
        // Vertex i has the signs of the bits of i; faces in the order +x, −x, +y, −y, +z, −z.
        let half = 0.5 * sides;
        let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
        let vertices: Vec<DVec3> = (0..8)
            .map(|i| half * DVec3::new(sign(i & 1), sign(i & 2), sign(i & 4)))
            .collect();
        let loops = [
            [1, 3, 7, 5],
            [0, 4, 6, 2],
            [2, 6, 7, 3],
            [0, 1, 5, 4],
            [4, 5, 7, 6],
            [0, 2, 3, 1],
        ];
        let loops = loops.iter().map(|l| l.to_vec()).collect();
        let mut built = build::build(vertices, loops, VolumeMoments::cuboid(sides))?;
        built.half_extents = Some(half);
        // Normals and offsets exactly, which normalisation does not guarantee.
        for (k, face) in built.faces.iter_mut().enumerate() {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            face.normal = sign * DVec3::AXES[k / 2];
            face.offset = half[k / 2];
        }
        for (arc, e) in built.edge_face_normals.iter_mut().zip(&built.edges) {
            *arc = [e.left, e.right].map(|f| built.faces[f as usize].normal);
        }
        Ok(built)
    }

    fn in_principal_axes(
        vertices: &[DVec3],
        loops: Vec<Vec<u32>>,
    ) -> Result<(Self, Pose<Space>), ShapeError> {
        // Vertices in principal axes about the centre of mass.
        let (moments, pose) = VolumeMoments::polyhedron(vertices, &loops)?;
        let back = pose.rotation.conjugate();
        let vertices = vertices.iter().map(|x| back * (*x - pose.position));
        let built = build::build(vertices.collect(), loops, moments)?;
        Ok((built, pose))
    }

    /// The vertices in body axes.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The faces: loops of vertex indices, anticlockwise seen from outside.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.faces.len()).map(|f| self.face_loop(f))
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        self.moments.volume
    }

    /// Vertices of a face, anticlockwise.
    #[inline]
    pub(crate) fn face_loop(&self, face: usize) -> &[u32] {
        let f = &self.faces[face];
        &self.loops[f.start as usize..f.end as usize]
    }

    /// Edges of a face: entry k runs from vertex k of its loop to the next (in either direction).
    #[inline]
    pub(crate) fn face_edges(&self, face: usize) -> &[u32] {
        let f = &self.faces[face];
        &self.sides[f.start as usize..f.end as usize]
    }

    /// Faces that meet at a vertex.
    #[inline]
    pub(crate) fn faces_around(&self, vertex: usize) -> &[u32] {
        &self.around[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Vertices adjacent to a vertex.
    #[inline]
    pub(crate) fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.beside[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Ends of an edge.
    #[inline]
    pub(crate) fn edge_ends(&self, edge: usize) -> (DVec3, DVec3) {
        let e = &self.edges[edge];
        (self.vertices[e.from as usize], self.vertices[e.to as usize])
    }

    /// The edge between two vertices.
    pub(crate) fn edge_between(&self, i: u32, j: u32) -> Option<u32> {
        // Along the loops of the faces at the first vertex.
        self.faces_around(i as usize).iter().find_map(|f| {
            let (corners, sides) = (self.face_loop(*f as usize), self.face_edges(*f as usize));
            (0..corners.len()).find_map(|k| {
                let next = corners[if k + 1 < corners.len() { k + 1 } else { 0 }];
                let same = (corners[k], next) == (i, j) || (corners[k], next) == (j, i);
                same.then_some(sides[k])
            })
        })
    }

    /// Support function max v·d over the vertices.
    #[inline]
    pub(crate) fn support_value(&self, d: DVec3) -> f64 {
        match self.half_extents {
            Some(half) => half.dot(d.abs()),
            None => self.vertices[self.support(d, 0) as usize].dot(d),
        }
    }

    /// A support vertex along d; on large polyhedra by hill climbing from the vertex `hint`.
    #[inline]
    pub(crate) fn support(&self, d: DVec3, hint: u32) -> u32 {
        // A box: the signs of d are the bits of the vertex.
        if self.half_extents.is_some() {
            return u32::from(d.x > 0.0) | u32::from(d.y > 0.0) << 1 | u32::from(d.z > 0.0) << 2;
        }
        if self.vertices.len() >= CLIMB {
            return self.climb(d, hint);
        }
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for (i, v) in self.vertices.iter().enumerate() {
            let value = v.dot(d);
            if value > most {
                (best, most) = (i, value);
            }
        }
        best as u32
    }

    /// Hill climbing: on a convex body a vertex above its neighbours is above all.
    fn climb(&self, d: DVec3, hint: u32) -> u32 {
        let mut best = (hint as usize).min(self.vertices.len() - 1);
        let mut most = self.vertices[best].dot(d);
        loop {
            let before = best;
            for &i in self.neighbours(before) {
                let value = self.vertices[i as usize].dot(d);
                if value > most {
                    (best, most) = (i as usize, value);
                }
            }
            // Values increase strictly, so that no vertex is visited twice.
            if best == before {
                return best as u32;
            }
        }
    }
}
