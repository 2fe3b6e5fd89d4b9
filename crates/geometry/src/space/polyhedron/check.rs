//! Validation: whether vertices and faces bound a convex body.

use std::collections::HashMap;

use glam::DVec3;

use super::build::normal;
use crate::error::ShapeError;

/// Largest distance of a vertex of a face from its plane, relative to the size: files with seven digits pass, faces
/// that were never meant to be flat do not.
const FLAT: f64 = 1e-7;

type Faces = (Vec<DVec3>, Vec<Vec<u32>>);

/// Checks for a positive, finite length.
pub(in crate::space) fn length(what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ShapeError::Length { what, value })
    }
}

/// Checks for finite coordinates.
pub(super) fn finite(points: &[DVec3]) -> Result<(), ShapeError> {
    for (vertex, p) in points.iter().enumerate() {
        if let Some(value) = p.to_array().into_iter().find(|x| !x.is_finite()) {
            return Err(ShapeError::NotFinite { vertex, value });
        }
    }
    Ok(())
}

/// Used vertices and loops of a closed convex surface.
pub(super) fn polyhedron(vertices: &[DVec3], faces: &[Vec<usize>]) -> Result<Faces, ShapeError> {
    finite(vertices)?;
    if faces.len() < 4 {
        return Err(ShapeError::Degenerate(format!(
            "{} faces enclose nothing: four or more were expected",
            faces.len()
        )));
    }
    // Each face by itself, then closure, then convexity.
    for (f, corners) in faces.iter().enumerate() {
        face(vertices.len(), f, corners)?;
    }
    let loops: Vec<Vec<u32>> = faces
        .iter()
        .map(|corners| corners.iter().map(|i| *i as u32).collect())
        .collect();
    closed(&loops)?;
    convex(vertices, &loops, FLAT)?;
    Ok(used(vertices, loops))
}

fn face(count: usize, f: usize, corners: &[usize]) -> Result<(), ShapeError> {
    if let Some(&vertex) = corners.iter().find(|i| **i >= count) {
        return Err(ShapeError::UnknownVertex {
            face: f,
            vertex,
            count,
        });
    }
    if corners.len() < 3 {
        return Err(ShapeError::Degenerate(format!(
            "face {f} has {} vertices: three or more were expected",
            corners.len()
        )));
    }
    // Repeated vertices.
    let mut sorted = corners.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => Err(ShapeError::Degenerate(format!(
            "face {f} has vertex {} twice",
            w[0]
        ))),
        None => Ok(()),
    }
}

/// Every edge is traversed once in each direction, and the Euler characteristic is 2.
fn closed(loops: &[Vec<u32>]) -> Result<(), ShapeError> {
    let mut edges: HashMap<(u32, u32), usize> = HashMap::new();
    let run = |f: usize| {
        let c = &loops[f];
        (0..c.len()).map(move |k| (c[k], c[(k + 1) % c.len()]))
    };
    // Directed edges: no two alike, each with its reverse.
    for f in 0..loops.len() {
        for (from, to) in run(f) {
            if let Some(g) = edges.insert((from, to), f) {
                return Err(ShapeError::Orientation(format!(
                    "faces {g} and {f} both run from vertex {from} to vertex {to}: one of them is \
                     turned inwards"
                )));
            }
        }
    }
    for f in 0..loops.len() {
        for (from, to) in run(f) {
            if !edges.contains_key(&(to, from)) {
                return Err(ShapeError::NotClosed(format!(
                    "the edge of face {f} from vertex {from} to vertex {to} belongs to no other face"
                )));
            }
        }
    }
    // Euler's formula.
    let mut corners = loops.concat();
    corners.sort_unstable();
    corners.dedup();
    let (v, e, f) = (corners.len(), edges.len() / 2, loops.len());
    if v + f != e + 2 {
        return Err(ShapeError::NotClosed(format!(
            "{v} vertices, {e} edges and {f} faces: V - E + F is {}, and 2 for one convex surface",
            v as i64 - e as i64 + f as i64
        )));
    }
    Ok(())
}

/// Every face is flat and has all vertices behind it.
pub(super) fn convex(
    vertices: &[DVec3],
    loops: &[Vec<u32>],
    tolerance: f64,
) -> Result<(), ShapeError> {
    let mut corners = loops.concat();
    corners.sort_unstable();
    corners.dedup();
    let at = |i: u32| vertices[i as usize];
    // Size: diagonal of the bounding box of the used vertices.
    let low = corners
        .iter()
        .fold(DVec3::INFINITY, |low, i| low.min(at(*i)));
    let high = corners
        .iter()
        .fold(DVec3::NEG_INFINITY, |high, i| high.max(at(*i)));
    let size = (high - low).length();
    inside_out(vertices, loops)?;
    // Each face: area, flatness, all vertices behind it, convex outline.
    for (f, face) in loops.iter().enumerate() {
        let n = normal(vertices, face);
        if n == DVec3::ZERO {
            return Err(ShapeError::Degenerate(format!("face {f} has no area")));
        }
        let mean = face
            .iter()
            .fold(DVec3::ZERO, |sum, i| sum + at(*i) / face.len() as f64);
        let height = |i: u32| (at(i) - mean).dot(n) / size;
        if let Some(&i) = face.iter().find(|i| !(height(**i).abs() <= tolerance)) {
            return Err(ShapeError::NotFlat(format!(
                "face {f} is not flat: vertex {i} is {:e} of the size away from its plane",
                height(i).abs()
            )));
        }
        if let Some(&i) = corners.iter().find(|i| !(height(**i) <= tolerance)) {
            return Err(ShapeError::NotConvex(format!(
                "the body is not convex: vertex {i} lies {:e} of the size outside face {f}",
                height(i)
            )));
        }
        turns(vertices, f, face, n, tolerance * size)?;
    }
    Ok(())
}

/// The signed volume is not negative.
fn inside_out(vertices: &[DVec3], loops: &[Vec<u32>]) -> Result<(), ShapeError> {
    let origin = loops
        .first()
        .and_then(|l| l.first())
        .map_or(DVec3::ZERO, |i| vertices[*i as usize]);
    let at = |i: u32| vertices[i as usize] - origin;
    // Signed tetrahedra between one vertex and the triangle fans of the faces.
    let parts = loops
        .iter()
        .flat_map(|c| (2..c.len()).map(move |k| at(c[0]).dot(at(c[k - 1]).cross(at(c[k]))) / 6.0));
    let volume: f64 = parts.sum();
    if volume < 0.0 {
        return Err(ShapeError::Orientation(format!(
            "the polyhedron is inside out, its volume is {volume}: reverse the order of the faces' \
             vertices"
        )));
    }
    Ok(())
}

/// The loop of a face is convex: all its vertices lie to the left of each of its edges.
fn turns(
    vertices: &[DVec3],
    f: usize,
    face: &[u32],
    n: DVec3,
    tolerance: f64,
) -> Result<(), ShapeError> {
    let count = face.len();
    let at = |k: usize| vertices[face[k % count] as usize];
    for k in 0..count {
        let side = n.cross(at(k + 1) - at(k));
        let length = side.length();
        for other in 0..count {
            if (at(other) - at(k)).dot(side) < -tolerance * length {
                return Err(ShapeError::NotConvex(format!(
                    "face {f} is not convex: vertex {} lies outside its edge from vertex {} to \
                     vertex {}",
                    face[other],
                    face[k],
                    face[(k + 1) % count]
                )));
            }
        }
    }
    Ok(())
}

fn used(vertices: &[DVec3], loops: Vec<Vec<u32>>) -> Faces {
    let mut number = vec![u32::MAX; vertices.len()];
    for i in loops.iter().flatten() {
        number[*i as usize] = 0;
    }
    let mut kept = Vec::new();
    for (i, v) in vertices.iter().enumerate() {
        if number[i] == 0 {
            number[i] = kept.len() as u32;
            kept.push(*v);
        }
    }
    let renumbered = loops
        .iter()
        .map(|l| l.iter().map(|i| number[*i as usize]).collect());
    (kept, renumbered.collect())
}
