//! Simple polygons that need not be convex: convex decomposition.
//!
//! ```text
//! P = ∪ P_k,   P_k convex,   int P_j ∩ int P_k = ∅
//! ```
//!
//! `convex` cuts the polygon at its reflex vertices along continued edges: at most one part more than there are
//! reflex vertices. `cross` decides by exact predicates whether edges intersect. Area, centroid and second moment
//! are those of the outline. O(n²) for n vertices.

mod convex;
mod cross;

use std::cmp::Ordering;
use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::polygon::ConvexPolygon;
use super::shape::Shape;
use crate::dim::{MassProperties, Plane, Pose};
use crate::error::ShapeError;
use crate::predicates::orient3d;
use crate::rotation::Angle;
use crate::shape::{Compound, SourceSurface};

/// Largest number of vertices: the cost grows with its square.
const MOST: usize = 4096;

/// Vertices closer than this to each other, or to the line through their neighbours, relative to the size, are
/// dropped: as for convex polygons.
const SAME: f64 = 1e-12;

impl Shape {
    /// A polygon from its vertices in either sense of rotation, convex or not; also returns the pose of its body axes.
    /// A polygon that is not convex becomes a compound of convex parts.
    ///
    /// # Errors
    /// Fewer than three vertices, no area, vertices that are not finite, edges that meet.
    pub fn polygon(vertices: &[DVec2]) -> Result<(Self, Pose<Plane>), ShapeError> {
        let placed = |position| Pose {
            position,
            rotation: Angle::default(),
        };
        match ConvexPolygon::new(vertices) {
            Ok((polygon, centroid)) => Ok((Self::Polygon(Arc::new(polygon)), placed(centroid))),
            Err(ShapeError::NotConvex(_)) => {
                let (compound, centroid) = simple(vertices)?;
                Ok((Self::Compound(Arc::new(compound)), placed(centroid)))
            }
            Err(error) => Err(error),
        }
    }
}

/// Convex decomposition of a simple polygon, and its centroid in the axes of the vertices.
fn simple(vertices: &[DVec2]) -> Result<(Compound<Plane>, DVec2), ShapeError> {
    if vertices.len() > MOST {
        return Err(ShapeError::TooMany {
            what: "vertices of a polygon that is not convex".into(),
            count: vertices.len(),
            most: MOST,
        });
    }
    // Normalise to unit size, drop redundant vertices, reject self-intersections, orient anticlockwise.
    let (middle, size) = frame(vertices);
    let mut corners: Vec<(usize, DVec2)> = vertices
        .iter()
        .map(|v| (*v - middle) / size)
        .enumerate()
        .collect();
    drop_flat(&mut corners);
    cross::check(&corners)?;
    if area(&corners) < 0.0 {
        corners.reverse();
    }
    let outline: Vec<DVec2> = corners.iter().map(|(_, v)| *v).collect();
    // Mass properties of the outline, then its convex parts.
    let (mass, centre) = moments(&outline, size);
    let place = |(polygon, position): (ConvexPolygon, DVec2)| {
        let rotation = Angle::default();
        (
            Shape::Polygon(Arc::new(polygon)),
            Pose { position, rotation },
        )
    };
    let parts = convex::parts(&outline, size)?.into_iter();
    let placed: Vec<_> = parts.map(place).collect();
    let axes = Pose {
        position: centre * size,
        rotation: Angle::default(),
    };
    let skin = SourceSurface {
        vertices: outline.iter().map(|v| *v * size).collect(),
        triangles: Vec::new(),
    };
    let compound = Compound::from_parts(&placed, mass, &axes, Some(skin))?;
    Ok((compound, middle + axes.position))
}

/// Exact orientation predicate (orient2d by orient3d): `Greater` if a, b, c turn to the left.
fn orientation(a: DVec2, b: DVec2, c: DVec2) -> Ordering {
    let [p, q, r] = [a, b, c].map(|v| DVec3::new(v.x, v.y, 0.0));
    orient3d(p, q, r, DVec3::new(a.x, a.y, 1.0))
}

/// Mean of the vertices and their largest distance from it. `ConvexPolygon::new` has checked before that this is a
/// positive, finite number.
fn frame(vertices: &[DVec2]) -> (DVec2, f64) {
    let count = vertices.len() as f64;
    let middle: DVec2 = vertices.iter().map(|v| *v / count).sum();
    let far = |s: f64, v: &DVec2| s.max((*v - middle).length());
    (middle, vertices.iter().fold(0.0, far))
}

/// Drops vertices that repeat another one or lie on the line between their neighbours.
fn drop_flat(corners: &mut Vec<(usize, DVec2)>) {
    // Cyclic passes until a whole one has dropped nothing; a triangle is left in any case.
    let (mut i, mut settled) = (0, 0);
    while settled < corners.len() && corners.len() > 3 {
        let n = corners.len();
        i %= n;
        let (before, at, after) = (
            corners[(i + n - 1) % n].1,
            corners[i].1,
            corners[(i + 1) % n].1,
        );
        let chord = after - before;
        let same = (at - before).length() <= SAME;
        let flat = chord.perp_dot(at - before).abs() <= SAME * chord.length()
            && (at - before).dot(after - at) >= 0.0;
        if same || flat {
            corners.remove(i);
            settled = 0;
        } else {
            settled += 1;
            i += 1;
        }
    }
}

fn area(corners: &[(usize, DVec2)]) -> f64 {
    let all: Vec<DVec2> = corners.iter().map(|(_, v)| *v).collect();
    twice(&all) / 2.0
}

fn twice(outline: &[DVec2]) -> f64 {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).map(|(p, q)| p.perp_dot(*q)).sum()
}

/// Mass and moment for density 1 of an outline given in units of `size`, and its centroid in these units.
fn moments(outline: &[DVec2], size: f64) -> (MassProperties<Plane>, DVec2) {
    let next = || outline.iter().cycle().skip(1);
    let area = twice(outline) / 2.0;
    // Centroid.
    let first: DVec2 = outline
        .iter()
        .zip(next())
        .map(|(p, q)| (*p + *q) * p.perp_dot(*q))
        .sum();
    let centre = first / (6.0 * area);
    // Second moment about the centroid.
    let about = |(p, q): (&DVec2, &DVec2)| {
        let (p, q) = (*p - centre, *q - centre);
        p.perp_dot(q) * (p.dot(p) + p.dot(q) + q.dot(q)) / 12.0
    };
    let moment: f64 = outline.iter().zip(next()).map(about).sum();
    let mass = MassProperties {
        mass: area * size * size,
        inertia: moment * size.powi(4),
    };
    (mass, centre)
}
