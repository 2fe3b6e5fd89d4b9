//! Convex hull of points as triangles: Quickhull.
//!
//! A tetrahedron grows by the farthest of the points outside a face; the faces visible from the new point are replaced
//! by a cone over their horizon. Each outside point is assigned to one face that it sees; when this face is removed,
//! the point sees one of the new faces or is inside. Visibility is decided by an exact predicate (`predicates`), so that
//! the surface is closed and convex whatever the rounding; a point in the plane of a face does not see it, and
//! adjacent triangles may be coplanar (`merge` unites them).

use std::cmp::Ordering;
use std::collections::HashMap;

use glam::DVec3;

use crate::error::ShapeError;
use crate::predicates::orient3d;

/// A body thinner than this fraction of its size has no volume: the planes of its faces could not be distinguished
/// from rounding (coplanar means within 1e-10).
const THIN: f64 = 1e-8;

struct Triangle {
    corners: [u32; 3],
    /// Adjacent triangle across the edge from corner k to corner k + 1.
    across: [usize; 3],
    outside: Vec<u32>,
    gone: bool,
}

struct QuickHull {
    points: Vec<DVec3>,
    triangles: Vec<Triangle>,
}

/// Triangles of the convex hull, anticlockwise seen from outside.
pub(super) fn hull(points: &[DVec3]) -> Result<Vec<[u32; 3]>, ShapeError> {
    let points = scaled(points)?;
    let first = tetrahedron(&points)?;
    let mut hull = QuickHull::start(points, first);
    // New triangles are appended, and each is processed until it has no outside points left.
    let mut face = 0;
    while face < hull.triangles.len() {
        match hull.farthest(face) {
            Some(point) => hull.grow(face, point),
            None => face += 1,
        }
    }
    let kept = hull.triangles.iter().filter(|t| !t.gone);
    Ok(kept.map(|t| t.corners).collect())
}

/// The points mapped to [−1, 1]: translated by their middle and scaled by a power of two. The translation rounds by
/// 1e-16 of the size, which is the accuracy of such coordinates anyway.
fn scaled(points: &[DVec3]) -> Result<Vec<DVec3>, ShapeError> {
    if points.len() < 4 {
        return Err(ShapeError::Degenerate(format!(
            "{} points span no volume: four or more were expected",
            points.len()
        )));
    }
    // Bounding box; its halves are taken first, so that nothing overflows.
    let low = points.iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
    let high = points
        .iter()
        .fold(DVec3::NEG_INFINITY, |high, p| high.max(*p));
    let (middle, size) = (
        0.5 * low + 0.5 * high,
        (0.5 * high - 0.5 * low).max_element(),
    );
    if !(size > 0.0) {
        return Err(ShapeError::Degenerate(format!(
            "all {} points are the same",
            points.len()
        )));
    }
    let scale = (-size.log2().ceil()).exp2();
    Ok(points.iter().map(|p| (*p - middle) * scale).collect())
}

/// Initial simplex: four points far apart.
fn tetrahedron(points: &[DVec3]) -> Result<[u32; 4], ShapeError> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let mut best = (0, -1.0);
        for (i, p) in points.iter().enumerate() {
            let value = measure(*p);
            if value > best.1 {
                best = (i, value);
            }
        }
        best
    };
    // Farthest from the middle, from that point, from their line, from their plane.
    let (i, _) = farthest(&|p| p.length());
    let a = points[i];
    let (j, size) = farthest(&|p| (p - a).length());
    let line = (points[j] - a).normalize_or_zero();
    let (k, width) = farthest(&|p| (p - a).cross(line).length());
    if !(width > THIN * size) {
        return Err(ShapeError::Degenerate(format!(
            "the points lie on a line: they are within {:e} of it, their size is 1",
            width / size
        )));
    }
    let normal = line.cross(points[k] - a).normalize_or_zero();
    let (l, height) = farthest(&|p| (p - a).dot(normal).abs());
    if !(height > THIN * size) {
        return Err(ShapeError::Degenerate(format!(
            "the points lie in a plane: they are within {:e} of it, their size is 1",
            height / size
        )));
    }
    // Orient the base so that the fourth point is behind it.
    let mut four = [i as u32, j as u32, k as u32, l as u32];
    if orient3d(a, points[j], points[k], points[l]) == Ordering::Greater {
        four.swap(1, 2);
    }
    Ok(four)
}

impl QuickHull {
    /// The tetrahedron [a, b, c, d] with d behind abc.
    fn start(points: Vec<DVec3>, [a, b, c, d]: [u32; 4]) -> Self {
        let plain = |corners, across| Triangle {
            corners,
            across,
            outside: Vec::new(),
            gone: false,
        };
        let triangles = vec![
            plain([a, b, c], [1, 2, 3]),
            plain([b, a, d], [0, 3, 2]),
            plain([c, b, d], [0, 1, 3]),
            plain([a, c, d], [0, 2, 1]),
        ];
        let mut hull = Self { points, triangles };
        for point in 0..hull.points.len() as u32 {
            hull.hand(point, 0);
        }
        hull
    }

    fn sees(&self, point: u32, triangle: usize) -> bool {
        let at = |i: u32| self.points[i as usize];
        let [a, b, c] = self.triangles[triangle].corners;
        orient3d(at(a), at(b), at(c), at(point)) == Ordering::Greater
    }

    /// Assigns a point to a triangle, from index `from` on, that it sees. A point that sees none is inside.
    fn hand(&mut self, point: u32, from: usize) {
        let seen = (from..self.triangles.len()).find(|t| self.sees(point, *t));
        if let Some(t) = seen {
            self.triangles[t].outside.push(point);
        }
    }

    fn farthest(&self, triangle: usize) -> Option<u32> {
        let t = &self.triangles[triangle];
        if t.gone {
            return None;
        }
        let [a, b, c] = t.corners.map(|i| self.points[i as usize]);
        let normal = (b - a).cross(c - a);
        let height = |i: &u32| (self.points[*i as usize] - a).dot(normal);
        t.outside
            .iter()
            .copied()
            .max_by(|i, j| height(i).total_cmp(&height(j)))
    }

    fn grow(&mut self, face: usize, point: u32) {
        let (seen, rim) = self.horizon(face, point);
        let from = self.triangles.len();
        let mut starts = HashMap::new();
        // One new triangle per horizon edge, linked to the triangle beyond it.
        for (n, &(a, b, beyond)) in rim.iter().enumerate() {
            starts.insert(a, from + n);
            let corners = [a, b, point];
            let across = [beyond, usize::MAX, usize::MAX];
            self.triangles.push(Triangle {
                corners,
                across,
                outside: Vec::new(),
                gone: false,
            });
            let other = &mut self.triangles[beyond];
            for k in 0..3 {
                if other.corners[k] == b && other.corners[(k + 1) % 3] == a {
                    other.across[k] = from + n;
                }
            }
        }
        // The horizon is a loop: the triangle at a → b is followed by the one that starts at b.
        for n in from..self.triangles.len() {
            let b = self.triangles[n].corners[1];
            if let Some(&next) = starts.get(&b) {
                self.triangles[n].across[1] = next;
                self.triangles[next].across[2] = n;
            }
        }
        // The outside points of the removed triangles go to the new ones.
        for t in seen {
            for p in std::mem::take(&mut self.triangles[t].outside) {
                if p != point {
                    self.hand(p, from);
                }
            }
        }
    }

    /// The triangles visible from a point, which are marked as removed, and the horizon of this region: edges with the
    /// triangle beyond.
    fn horizon(&mut self, face: usize, point: u32) -> (Vec<usize>, Vec<(u32, u32, usize)>) {
        let (mut seen, mut rim) = (vec![face], Vec::new());
        self.triangles[face].gone = true;
        let mut next = 0;
        // Breadth-first search over the visible triangles.
        while next < seen.len() {
            let (corners, across) = {
                let t = &self.triangles[seen[next]];
                (t.corners, t.across)
            };
            for k in 0..3 {
                let other = across[k];
                if self.triangles[other].gone {
                    continue;
                }
                if self.sees(point, other) {
                    self.triangles[other].gone = true;
                    seen.push(other);
                } else {
                    rim.push((corners[k], corners[(k + 1) % 3], other));
                }
            }
            next += 1;
        }
        (seen, rim)
    }
}
