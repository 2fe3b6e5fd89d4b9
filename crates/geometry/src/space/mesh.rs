//! Triangle meshes as boundaries.
//!
//! ```text
//! triangle (p0, p1, p2) anticlockwise seen from outside,   N = (p1 − p0)×(p2 − p0)/|·|,
//! solid on the side −N
//! ```
//!
//! A mesh may be open (a terrain) or closed. Each edge knows its two triangles and its convexity; triangles connected
//! by flat edges form one facet, identified by its first triangle, so that the feature of a contact point persists
//! while it slides over a flat floor of many triangles. A bounding volume hierarchy in a flat array (`triangle_tree`), built
//! once, finds the triangles near a box.

mod edge;
mod error;
mod obj;
mod stl;
mod triangle_tree;
mod weld;

use glam::DVec3;

use super::convex::distance_to_segment;
use crate::error::ShapeError;
pub(crate) use edge::{Edge, EdgeConvexity};
pub use error::MeshError;
pub use obj::read_obj;
pub use stl::read_stl;
pub use weld::weld;

/// Vertices and triangles as read from a file.
pub type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// A triangle whose height is below this fraction of its longest side has no accurate normal.
const SLIVER: f64 = 1e-12;

/// A surface of triangles, solid behind them (normals by the right-hand rule, outward).
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Unit normals of the triangles.
    pub(crate) normals: Vec<DVec3>,
    /// First triangle of the facet of each triangle.
    pub(crate) facets: Vec<u32>,
    /// Edge of side i (from corner i to corner i + 1) of each triangle.
    pub(crate) sides: Vec<[u32; 3]>,
    pub(crate) edges: Vec<Edge>,
    /// Triangles at vertex v: `star[star_start[v]..star_start[v + 1]]`.
    star: Vec<u32>,
    star_start: Vec<u32>,
    /// Whether a vertex is inside a flat part of the surface: all its edges are flat.
    pub(crate) vertex_is_flat: Vec<bool>,
    /// Whether a vertex is on the border of an open surface.
    pub(crate) vertex_is_open: Vec<bool>,
    tree: triangle_tree::TriangleTree,
}

impl Mesh {
    /// From vertices and triangles, open or closed.
    ///
    /// # Errors
    /// Vertices that are not finite, triangles without area or with unknown vertices, an edge that two triangles
    /// traverse in the same direction or that more than two share, a closed surface that is inside out.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        check_vertices(vertices)?;
        check_size(vertices, triangles)?;
        // Edges with their convexity, orientation of closed parts, facets of coplanar triangles, triangles at vertices.
        let normals = normals(vertices, triangles)?;
        let (edges, sides) = edge::edges(vertices, triangles, &normals)?;
        edge::check_outside(vertices, triangles, &edges)?;
        let facets = edge::groups(triangles.len(), &edges, |e| {
            e.convexity == EdgeConvexity::Flat
        });
        let (star_start, star) = edge::stars(vertices.len(), triangles);
        // Flat and open vertices from the convexity of their edges.
        let mut smooth = vec![true; vertices.len()];
        let mut open = vec![false; vertices.len()];
        for (edge, v) in edges.iter().flat_map(|e| e.ends.map(|v| (e, v as usize))) {
            smooth[v] &= edge.convexity == EdgeConvexity::Flat;
            open[v] |= edge.convexity == EdgeConvexity::Open;
        }
        Ok(Self {
            vertices: vertices.to_vec(),
            triangles: triangles.to_vec(),
            normals,
            facets,
            sides,
            edges,
            star,
            star_start,
            vertex_is_flat: smooth,
            vertex_is_open: open,
            tree: triangle_tree::TriangleTree::new(vertices, triangles),
        })
    }

    /// From the text of a Wavefront OBJ file: `v` and `f` lines, polygons triangulated as fans.
    ///
    /// # Errors
    /// A line that cannot be read (named), or as [`Mesh::new`].
    pub fn from_obj(text: &str) -> Result<Self, MeshError> {
        let (vertices, triangles) = read_obj(text)?;
        Ok(Self::new(&vertices, &triangles)?)
    }

    /// From the bytes of an STL file, binary or text. Equal vertices are merged.
    ///
    /// # Errors
    /// A line or length that cannot be read (named), or as [`Mesh::new`].
    pub fn from_stl(bytes: &[u8]) -> Result<Self, MeshError> {
        let (vertices, triangles) = read_stl(bytes)?;
        Ok(Self::new(&vertices, &triangles)?)
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether every edge has two triangles.
    pub fn closed(&self) -> bool {
        self.edges
            .iter()
            .all(|e| e.convexity != EdgeConvexity::Open)
    }

    /// The triangles whose own boxes overlap a box, in a fixed order; allocates nothing.
    pub fn triangles_in_box(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = u32> + '_ {
        // The leaves hold several triangles: each is tested by its own box.
        self.tree.near(low, high).filter(move |t| {
            let [p, q, r] = self.corners(*t);
            p.min(q).min(r).cmple(high).all() && p.max(q).max(r).cmpge(low).all()
        })
    }

    /// Whether no edge that is not flat is within `step` of x.
    pub(crate) fn is_smooth_near(&self, x: DVec3, step: f64) -> bool {
        let by = DVec3::splat(step);
        self.triangles_in_box(x - by, x + by).all(|t| {
            self.sides[t as usize].iter().all(|e| {
                let edge = &self.edges[*e as usize];
                let [p, q] = edge.ends.map(|v| self.vertices[v as usize]);
                edge.convexity == EdgeConvexity::Flat || distance_to_segment(x, p, q) > step
            })
        })
    }

    /// Corners of a triangle.
    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// The triangles at a vertex.
    pub(crate) fn star(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.star[self.star_start[v] as usize..self.star_start[v + 1] as usize]
    }
}

fn check_vertices(vertices: &[DVec3]) -> Result<(), ShapeError> {
    for (vertex, p) in vertices.iter().enumerate() {
        if let Some(value) = p.to_array().into_iter().find(|x| !x.is_finite()) {
            return Err(ShapeError::NotFinite { vertex, value });
        }
        // Products of three coordinates must stay finite for the volume.
        if p.abs().max_element() > 1e90 {
            return Err(ShapeError::Degenerate(format!(
                "vertex {vertex} is at {}: coordinates above 1e90 cannot be computed with",
                p.abs().max_element()
            )));
        }
    }
    Ok(())
}

fn check_size(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), ShapeError> {
    if triangles.is_empty() {
        return Err(ShapeError::Degenerate(
            "a mesh needs at least one triangle".into(),
        ));
    }
    // Edge indices must fit 32 bits; the features of contact points have a bound of their own.
    if triangles.len() > 1 << 28 || vertices.len() > 1 << 30 {
        return Err(ShapeError::Degenerate(format!(
            "the mesh has {} triangles and {} vertices: at most {} and {} can be numbered",
            triangles.len(),
            vertices.len(),
            1 << 28,
            1 << 30
        )));
    }
    for (t, triangle) in triangles.iter().enumerate() {
        if let Some(v) = triangle.iter().find(|v| **v as usize >= vertices.len()) {
            return Err(ShapeError::Degenerate(format!(
                "triangle {t} names vertex {v}, but there are only {} vertices, counted from 0",
                vertices.len()
            )));
        }
    }
    Ok(())
}

fn normals(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Vec<DVec3>, ShapeError> {
    let mut normals = Vec::with_capacity(triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        let [p, q, r] = triangle.map(|v| vertices[v as usize]);
        let sides = [q - p, r - q, p - r];
        let longest = sides.iter().map(|s| s.length()).fold(0.0, f64::max);
        // Scaled by the longest side, so that neither tiny nor huge triangles overflow or underflow.
        let twice_area = if longest > 0.0 {
            (sides[0] / longest).cross(sides[1] / longest)
        } else {
            DVec3::ZERO
        };
        if !(twice_area.length() > SLIVER) {
            let [a, b, c] = triangle;
            return Err(ShapeError::Degenerate(format!(
                "triangle {t} (vertices {a}, {b}, {c}) has no area: longest side {longest}, height {}",
                twice_area.length() * longest
            )));
        }
        normals.push(twice_area.normalize());
    }
    Ok(normals)
}
