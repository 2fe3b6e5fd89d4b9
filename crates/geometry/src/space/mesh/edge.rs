//! Edges of a mesh: their triangles, their convexity, and the orientation of closed surfaces.

use glam::DVec3;

use crate::error::ShapeError;

/// Sine of the angle below which two triangles are coplanar.
const FLAT: f64 = 1e-9;

/// Convexity of the solid at an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeConvexity {
    /// The solid is convex here.
    Convex,
    /// Both triangles lie in one plane.
    Flat,
    /// The solid is concave here.
    Concave,
    /// Border of an open surface: one triangle only.
    Open,
}

/// An edge with its triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    /// Its ends, in the order in which the first triangle traverses it.
    pub ends: [u32; 2],
    /// Its triangles; an open edge names its only one twice.
    pub triangles: [u32; 2],
    pub convexity: EdgeConvexity,
}

/// One side of a triangle, as a half-edge sorted by edge and then by triangle.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    low: u32,
    high: u32,
    triangle: u32,
    side: u32,
}

/// The edges, and the edge of each side of each triangle.
pub(super) fn edges(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    normals: &[DVec3],
) -> Result<(Vec<Edge>, Vec<[u32; 3]>), ShapeError> {
    // All sides of all triangles, sorted by edge.
    let mut all = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0..).zip(triangles) {
        for side in 0..3 {
            let (p, q) = (corners[side as usize], corners[(side as usize + 1) % 3]);
            all.push(Side {
                low: p.min(q),
                high: p.max(q),
                triangle,
                side,
            });
        }
    }
    all.sort_unstable();
    let extent = vertices
        .iter()
        .fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    let mut edges = Vec::with_capacity(all.len() / 2 + 1);
    let mut sides = vec![[0; 3]; triangles.len()];
    // Sides of the same edge are neighbours in the sorted list.
    for shared in all.chunk_by(|s, t| (s.low, s.high) == (t.low, t.high)) {
        for s in shared {
            sides[s.triangle as usize][s.side as usize] = edges.len() as u32;
        }
        edges.push(edge(shared, triangles, vertices, normals, extent)?);
    }
    Ok((edges, sides))
}

fn edge(
    shared: &[Side],
    triangles: &[[u32; 3]],
    vertices: &[DVec3],
    normals: &[DVec3],
    extent: f64,
) -> Result<Edge, ShapeError> {
    let ends = |s: &Side| {
        let t = triangles[s.triangle as usize];
        [t[s.side as usize], t[(s.side as usize + 1) % 3]]
    };
    let first = &shared[0];
    let [p, q] = ends(first);
    match shared {
        [_] => Ok(Edge {
            ends: [p, q],
            triangles: [first.triangle; 2],
            convexity: EdgeConvexity::Open,
        }),
        [_, second] if ends(second) == [p, q] => Err(ShapeError::Orientation(format!(
            "triangles {} and {} both run from vertex {p} to vertex {q}: one of them is turned the \
             wrong way, reverse the order of its vertices",
            first.triangle, second.triangle
        ))),
        // The third corner of the second triangle, above or below the plane of the first.
        [_, second] => {
            let opposite = triangles[second.triangle as usize][(second.side as usize + 2) % 3];
            let bend = bend(
                [first.triangle, second.triangle].map(|t| normals[t as usize]),
                vertices[opposite as usize] - vertices[p as usize],
                extent,
            );
            Ok(Edge {
                ends: [p, q],
                triangles: [first.triangle, second.triangle],
                convexity: bend,
            })
        }
        _ => Err(ShapeError::Orientation(format!(
            "the edge from vertex {p} to vertex {q} belongs to {} triangles ({}): at most 2 can share one",
            shared.len(),
            shared
                .iter()
                .map(|s| s.triangle.to_string())
                .collect::<Vec<_>>()
                .join(", ")
        ))),
    }
}

/// Convexity of an edge; `to` leads from the edge to the third corner of the second triangle.
fn bend(normals: [DVec3; 2], to: DVec3, extent: f64) -> EdgeConvexity {
    let height = to.dot(normals[0]);
    let same_side = normals[0].dot(normals[1]) > 0.0;
    let sine = normals[0].cross(normals[1]).length();
    // Coordinates are accurate only to the rounding of the largest.
    if same_side && (sine <= FLAT || height.abs() <= 8.0 * f64::EPSILON * extent) {
        EdgeConvexity::Flat
    } else if height < 0.0 || (height == 0.0 && !same_side) {
        EdgeConvexity::Convex
    } else {
        EdgeConvexity::Concave
    }
}

/// Union–find: connects triangles over the chosen edges; each gets the first triangle of its group.
pub(super) fn groups(count: usize, edges: &[Edge], joins: impl Fn(&Edge) -> bool) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    // Root of the union–find tree, with path halving.
    fn root(parent: &mut [u32], mut t: u32) -> u32 {
        while parent[t as usize] != t {
            let up = parent[parent[t as usize] as usize];
            parent[t as usize] = up;
            t = up;
        }
        t
    }
    for edge in edges.iter().filter(|e| joins(e)) {
        let [s, t] = edge.triangles.map(|t| root(&mut parent, t));
        // The smaller index stays the root, whatever the order of the edges.
        parent[s.max(t) as usize] = s.min(t);
    }
    (0..count as u32).map(|t| root(&mut parent, t)).collect()
}

/// Triangles at each vertex in compressed rows: offsets, then the triangles.
pub(super) fn stars(vertices: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    // Counting sort: counts, prefix sums, fill.
    let mut start = vec![0u32; vertices + 1];
    for v in triangles.iter().flatten() {
        start[*v as usize + 1] += 1;
    }
    for v in 0..vertices {
        start[v + 1] += start[v];
    }
    let mut next = start.clone();
    let mut star = vec![0; 3 * triangles.len()];
    for (t, corners) in (0..).zip(triangles) {
        for v in corners {
            star[next[*v as usize] as usize] = t;
            next[*v as usize] += 1;
        }
    }
    (start, star)
}

/// Volume, area and box of one connected component of the surface.
struct Part {
    low: DVec3,
    high: DVec3,
    /// Six times the signed volume.
    volume: f64,
    /// Twice the area.
    area: f64,
    open: bool,
}

/// Rejects closed components with the solid outside, unless they lie in a closed component around them (a cavity):
/// then their box lies in the other's.
pub(super) fn check_outside(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    edges: &[Edge],
) -> Result<(), ShapeError> {
    let part_of = groups(triangles.len(), edges, |_| true);
    let mut parts: Vec<Option<Part>> = Vec::new();
    parts.resize_with(triangles.len(), || None);
    // Volume and area of each component, relative to one of its vertices.
    for (triangle, part) in triangles.iter().zip(&part_of) {
        let origin = vertices[triangles[*part as usize][0] as usize];
        let [p, q, r] = triangle.map(|v| vertices[v as usize] - origin);
        let part = parts[*part as usize].get_or_insert(Part {
            low: origin,
            high: origin,
            volume: 0.0,
            area: 0.0,
            open: false,
        });
        part.low = part.low.min(p.min(q).min(r) + origin);
        part.high = part.high.max(p.max(q).max(r) + origin);
        part.volume += p.cross(q).dot(r);
        part.area += (q - p).cross(r - p).length();
    }
    for edge in edges.iter().filter(|e| e.convexity == EdgeConvexity::Open) {
        if let Some(part) = &mut parts[part_of[edge.triangles[0] as usize] as usize] {
            part.open = true;
        }
    }
    // Closed components: volume zero is degenerate, negative is inside out unless it is a cavity.
    let closed = || {
        parts
            .iter()
            .enumerate()
            .filter_map(|(t, p)| Some((t, p.as_ref()?)).filter(|p| !p.1.open))
    };
    for (t, part) in closed() {
        let flat = part.volume.abs() <= 1e-14 * part.area * (part.high - part.low).length();
        if flat {
            return Err(ShapeError::Degenerate(format!(
                "the closed surface of triangle {t} encloses no volume"
            )));
        }
        let cavity = || {
            closed().any(|(_, other)| {
                other.volume > 0.0
                    && other.low.cmple(part.low).all()
                    && part.high.cmple(other.high).all()
            })
        };
        if part.volume < 0.0 && !cavity() {
            return Err(ShapeError::Orientation(format!(
                "the closed surface of triangle {t} is inside out (its volume is {}): reverse the order \
                 of the triangles' vertices",
                part.volume / 6.0
            )));
        }
    }
    Ok(())
}
