//! Faces from the triangles of a convex hull: coplanar triangles are merged.
//!
//! Regions grow from the largest triangles: a triangle all of whose corners are within a tolerance of the plane of the
//! seed belongs to its face. Largest first, because the plane of a sliver is inaccurate. A vertex is kept if three or
//! more faces meet there; one with a single face lies inside that face, one with two on their common edge.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::check;
use crate::error::ShapeError;

/// Distances from a plane, relative to the size, up to which a point belongs to it. Coordinates are rounded to 1e-16
/// of the size, and after a few rotations to 1e-15. Where the first tolerance does not give a closed convex surface,
/// the next ones are tried; 0 leaves the triangles.
const COPLANAR: [f64; 3] = [1e-10, 1e-13, 0.0];

type Faces = (Vec<DVec3>, Vec<Vec<u32>>);

/// Remaining vertices, and the loops of the faces.
pub(super) fn faces(points: &[DVec3], triangles: &[[u32; 3]]) -> Result<Faces, ShapeError> {
    let mut last = None;
    for tolerance in COPLANAR {
        let group = gather(points, triangles, tolerance);
        if let Some(found) = outlines(points, triangles, &group) {
            match check::convex(&found.0, &found.1, 10.0 * tolerance + 1e-12) {
                Ok(()) => return Ok(found),
                Err(error) => last = Some(error),
            }
        }
    }
    Err(last.unwrap_or_else(|| {
        ShapeError::Degenerate("the hull of the points has no clear faces".into())
    }))
}

/// The triangle across each edge.
fn across(triangles: &[[u32; 3]]) -> HashMap<(u32, u32), usize> {
    let mut edges = HashMap::new();
    for (t, c) in triangles.iter().enumerate() {
        for k in 0..3 {
            edges.insert((c[(k + 1) % 3], c[k]), t);
        }
    }
    edges
}

/// Region growing: the seed triangle of each triangle's face.
fn gather(points: &[DVec3], triangles: &[[u32; 3]], tolerance: f64) -> Vec<usize> {
    // Tolerance relative to the diagonal of the bounding box.
    let low = points.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = points
        .iter()
        .fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    let within = tolerance * (high - low).length();
    let normal = |t: usize| {
        let [a, b, c] = triangles[t].map(|i| points[i as usize]);
        (b - a).cross(c - a)
    };
    // Seeds in the order of decreasing area.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|s, t| normal(*t).length().total_cmp(&normal(*s).length()));
    let edges = across(triangles);
    let mut group = vec![usize::MAX; triangles.len()];
    for first in order {
        if group[first] != usize::MAX {
            continue;
        }
        let (origin, n) = (
            points[triangles[first][0] as usize],
            normal(first).normalize_or_zero(),
        );
        group[first] = first;
        let mut open = vec![first];
        // Depth-first search over adjacent triangles within the tolerance of the seed's plane.
        while let Some(t) = open.pop() {
            let c = triangles[t];
            for k in 0..3 {
                let Some(&other) = edges.get(&(c[k], c[(k + 1) % 3])) else {
                    continue;
                };
                let near = |i: &u32| (points[*i as usize] - origin).dot(n).abs() <= within;
                if group[other] == usize::MAX && triangles[other].iter().all(near) {
                    group[other] = first;
                    open.push(other);
                }
            }
        }
    }
    group
}

/// The boundary loops of the regions, without vertices that are no corners. `None` if the boundary of a region is not
/// one loop.
fn outlines(points: &[DVec3], triangles: &[[u32; 3]], group: &[usize]) -> Option<Faces> {
    let edges = across(triangles);
    let mut meeting: HashMap<u32, HashSet<usize>> = HashMap::new();
    let mut next: HashMap<usize, HashMap<u32, u32>> = HashMap::new();
    // Faces that meet at each vertex, and the successor of each vertex on the boundary of each face.
    for (t, c) in triangles.iter().enumerate() {
        for k in 0..3 {
            meeting.entry(c[k]).or_default().insert(group[t]);
            let (from, to) = (c[k], c[(k + 1) % 3]);
            let other = *edges.get(&(from, to))?;
            if group[other] != group[t]
                && next.entry(group[t]).or_default().insert(from, to).is_some()
            {
                return None;
            }
        }
    }
    let mut number: HashMap<u32, u32> = HashMap::new();
    let (mut vertices, mut loops) = (Vec::new(), Vec::new());
    let mut faces: Vec<usize> = next.keys().copied().collect();
    faces.sort_unstable();
    // Walk each boundary once, keeping the vertices where three faces meet.
    for face in faces {
        let rim = &next[&face];
        let first = *rim.keys().min()?;
        let (mut at, mut corners, mut walked) = (first, Vec::new(), 0);
        loop {
            if meeting[&at].len() >= 3 {
                corners.push(*number.entry(at).or_insert_with(|| {
                    vertices.push(points[at as usize]);
                    vertices.len() as u32 - 1
                }));
            }
            walked += 1;
            at = *rim.get(&at)?;
            if at == first {
                break;
            }
        }
        if walked != rim.len() || corners.len() < 3 {
            return None;
        }
        loops.push(corners);
    }
    Some((vertices, loops))
}
