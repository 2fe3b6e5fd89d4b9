//! Face planes, edges and adjacency of a polyhedron from its vertices and loops.

use std::collections::HashMap;

use glam::DVec3;

use super::{ConvexPolyhedron, Edge, Face, MAX_FACE_VERTICES, MAX_VERTICES};
use crate::error::ShapeError;
use crate::space::moments::VolumeMoments;

/// Edges whose directions differ by less than this sine are parallel: one separating axis serves both. An axis off by
/// this much changes a depth by 1e-12 of the size.
const PARALLEL: f64 = 1e-12;

/// A polyhedron from vertices in body axes and loops that bound a convex body.
pub(super) fn build(
    vertices: Vec<DVec3>,
    loops: Vec<Vec<u32>>,
    moments: VolumeMoments,
) -> Result<ConvexPolyhedron, ShapeError> {
    if vertices.len() > MAX_VERTICES {
        return Err(ShapeError::TooMany {
            what: "vertices of a polyhedron".into(),
            count: vertices.len(),
            most: MAX_VERTICES,
        });
    }
    let faces = faces(&vertices, &loops)?;
    let (mut edges, sides) = edges(&loops)?;
    let axes = axes(&vertices, &mut edges);
    let arcs = edges
        .iter()
        .map(|e| [e.left, e.right].map(|f| faces[f as usize].normal))
        .collect();
    let (starts, around, beside) = neighbours(vertices.len(), &loops);
    let radius = vertices
        .iter()
        .fold(0.0, |most: f64, v| most.max(v.length()));
    Ok(ConvexPolyhedron {
        vertices,
        faces,
        edges,
        edge_face_normals: arcs,
        axes,
        loops: loops.concat(),
        sides,
        starts,
        around,
        beside,
        half_extents: None,
        radius,
        moments,
    })
}

fn faces(vertices: &[DVec3], loops: &[Vec<u32>]) -> Result<Vec<Face>, ShapeError> {
    let mut faces = Vec::with_capacity(loops.len());
    let mut start = 0;
    for (f, corners) in loops.iter().enumerate() {
        if corners.len() > MAX_FACE_VERTICES {
            return Err(ShapeError::TooMany {
                what: format!("vertices of face {f}"),
                count: corners.len(),
                most: MAX_FACE_VERTICES,
            });
        }
        let normal = normal(vertices, corners);
        // The support of all vertices, not the plane of this face's own.
        let offset = vertices
            .iter()
            .fold(f64::NEG_INFINITY, |most, v| most.max(v.dot(normal)));
        let end = start + corners.len() as u32;
        faces.push(Face {
            normal,
            offset,
            start,
            end,
        });
        start = end;
    }
    Ok(faces)
}

/// Newell's normal: the mean over all triangulations of the loop; relative to the first corner, so that there is no
/// cancellation far from the origin.
pub(super) fn normal(vertices: &[DVec3], corners: &[u32]) -> DVec3 {
    let at = |k: usize| vertices[corners[k] as usize];
    let mut sum = DVec3::ZERO;
    for k in 2..corners.len() {
        sum += (at(k - 1) - at(0)).cross(at(k) - at(0));
    }
    sum.normalize_or_zero()
}

fn edges(loops: &[Vec<u32>]) -> Result<(Vec<Edge>, Vec<u32>), ShapeError> {
    let mut found: HashMap<(u32, u32), u32> = HashMap::new();
    let (mut edges, mut sides) = (Vec::new(), Vec::new());
    for (f, corners) in loops.iter().enumerate() {
        // The second face traverses the edge backwards; twice in the same direction is an error.
        for (k, &from) in corners.iter().enumerate() {
            let to = corners[(k + 1) % corners.len()];
            if let Some(&e) = found.get(&(to, from)) {
                let edge: &mut Edge = &mut edges[e as usize];
                edge.right = f as u32;
                sides.push(e);
                continue;
            }
            let e = edges.len() as u32;
            let left = f as u32;
            edges.push(Edge {
                from,
                to,
                left,
                right: u32::MAX,
                axis: 0,
            });
            sides.push(e);
            if found.insert((from, to), e).is_some() {
                return Err(ShapeError::NotClosed(format!(
                    "face {f} runs from vertex {from} to vertex {to} as another face does"
                )));
            }
        }
    }
    match edges.iter().find(|e| e.right == u32::MAX) {
        Some(e) => Err(ShapeError::NotClosed(format!(
            "the edge from vertex {} to vertex {} has face {} on one side and none on the other",
            e.from, e.to, e.left
        ))),
        None => Ok((edges, sides)),
    }
}

fn axes(vertices: &[DVec3], edges: &mut [Edge]) -> Vec<DVec3> {
    let mut axes: Vec<DVec3> = Vec::new();
    // Parallel directions are united in small sets only: with many edges each has an axis of its own.
    let few = edges.len() <= 256;
    for edge in edges {
        let u = (vertices[edge.to as usize] - vertices[edge.from as usize]).normalize_or_zero();
        let known = |a: &DVec3| a.cross(u).length_squared() <= PARALLEL * PARALLEL;
        let place = if few {
            axes.iter().position(known)
        } else {
            None
        };
        edge.axis = place.unwrap_or_else(|| {
            axes.push(u);
            axes.len() - 1
        }) as u32;
    }
    axes
}

fn neighbours(count: usize, loops: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut lists: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
    for (f, corners) in loops.iter().enumerate() {
        for (k, &from) in corners.iter().enumerate() {
            // Each edge leaves its first vertex in one face and its second vertex in the other: every neighbour occurs
            // once.
            lists[from as usize].push((f as u32, corners[(k + 1) % corners.len()]));
        }
    }
    let mut starts = vec![0];
    let (mut around, mut beside) = (Vec::new(), Vec::new());
    for list in lists {
        for (face, vertex) in list {
            around.push(face);
            beside.push(vertex);
        }
        starts.push(around.len() as u32);
    }
    (starts, around, beside)
}
