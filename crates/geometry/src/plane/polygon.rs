//! Convex polygons: validation, normals, area moments.
//!
//! ```text
//! area      A  = ½ Σ xᵢ × xᵢ₊₁
//! centroid  c  = Σ (xᵢ × xᵢ₊₁) (xᵢ + xᵢ₊₁) / 6A
//! moment    I  = Σ (xᵢ × xᵢ₊₁) (xᵢ·xᵢ + xᵢ·xᵢ₊₁ + xᵢ₊₁·xᵢ₊₁) / 12      about the centroid
//! ```
//!
//! Vertices are checked at the scale of the polygon: all tolerances are lengths relative to the largest distance of a
//! vertex from the mean of the vertices.

use glam::DVec2;

use super::small_polygon::SmallPolygon;
use crate::error::ShapeError;

/// Two vertices closer than this, or a vertex closer than this to the line through its neighbours, cannot be told
/// from rounding: coordinates are given to 2·10⁻¹⁶ of their size, a few operations on them (a rotation, a difference)
/// cost a few units more, and the file that a polygon is read from may be rounded to fifteen digits. Every visible
/// feature is far larger.
const SAME: f64 = 1e-12;

/// Largest number of vertices: a contact feature has 32 bits, fifteen of them for a vertex of each polygon.
const MOST: usize = 1 << 15;

/// A convex polygon, vertices anticlockwise, centroid at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolygon {
    pub(crate) vertices: Vec<DVec2>,
    /// Outward unit normal of the edge from vertex i to vertex i + 1.
    pub(crate) normals: Vec<DVec2>,
    /// The same in SIMD layout, for a triangle or a quadrilateral.
    pub(crate) small: Option<SmallPolygon>,
    /// Which edges are internal: cuts of a convex decomposition, not part of the surface. Empty if none is.
    pub(crate) cuts: Vec<bool>,
    /// Largest distance of a vertex from the centroid.
    pub(crate) radius: f64,
    pub(crate) area: f64,
    /// Second moment of the area about the centroid.
    pub(crate) moment: f64,
}

impl ConvexPolygon {
    /// A polygon from vertices in either sense of rotation; also returns the centroid, which is moved to the origin.
    /// Collinear vertices are dropped.
    ///
    /// # Errors
    /// Fewer than three vertices, no area, vertices that are not finite or not convex.
    pub fn new(vertices: &[DVec2]) -> Result<(Self, DVec2), ShapeError> {
        for (vertex, v) in vertices.iter().enumerate() {
            if let Some(value) = v.to_array().into_iter().find(|x| !x.is_finite()) {
                return Err(ShapeError::NotFinite { vertex, value });
            }
        }
        // In units of the size: repeated vertices dropped, anticlockwise, collinear vertices dropped, convex, one turn.
        let (middle, size) = frame(vertices)?;
        let mut kept = distinct(vertices, middle, size)?;
        if twice_area(&kept) < 0.0 {
            kept.reverse();
        }
        let kept = corners(kept, vertices)?;
        once_round(&kept)?;
        // Back to the given size, centroid at the origin.
        let scaled: Vec<DVec2> = kept.iter().map(|(_, v)| *v).collect();
        let centroid = centroid(&scaled);
        let body = scaled.iter().map(|v| (*v - centroid) * size).collect();
        let polygon = Self::of(body);
        if !(polygon.area.is_normal() && polygon.moment.is_normal()) {
            return Err(ShapeError::Degenerate(format!(
                "the polygon has area {} and moment {}: its size {size} is beyond the range of numbers",
                polygon.area, polygon.moment
            )));
        }
        Ok((polygon, middle + centroid * size))
    }

    /// A rectangle along the axes.
    ///
    /// # Errors
    /// A side that is not a positive, finite length.
    pub fn rectangle(width: f64, height: f64) -> Result<Self, ShapeError> {
        for (what, value) in [("width", width), ("height", height)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(ShapeError::Length { what, value });
            }
        }
        let (x, y) = (width / 2.0, height / 2.0);
        let corners = [(-x, -y), (x, -y), (x, y), (-x, y)].map(DVec2::from);
        let mut polygon = Self::of(corners.to_vec());
        // The unit vectors exactly, whatever the rounding of the quotients.
        polygon.normals = vec![DVec2::NEG_Y, DVec2::X, DVec2::Y, DVec2::NEG_X];
        polygon.small = SmallPolygon::new(&polygon.vertices, &polygon.normals);
        Ok(polygon)
    }

    /// From validated vertices, anticlockwise, centroid at the origin.
    fn of(vertices: Vec<DVec2>) -> Self {
        // Area and second moment by Green's theorem, normals, radius.
        let next = |i: usize| vertices[(i + 1) % vertices.len()];
        let mut normals = Vec::with_capacity(vertices.len());
        let (mut area, mut moment, mut radius) = (0.0, 0.0, 0.0_f64);
        for (i, &p) in vertices.iter().enumerate() {
            let q = next(i);
            let cross = p.perp_dot(q);
            area += cross / 2.0;
            moment += cross * (p.dot(p) + p.dot(q) + q.dot(q)) / 12.0;
            // A quotient is exact for edges along an axis, a product with the reciprocal is not.
            normals.push(-(q - p).perp() / (q - p).length());
            radius = radius.max(p.length());
        }
        Self {
            small: SmallPolygon::new(&vertices, &normals),
            vertices,
            normals,
            cuts: Vec::new(),
            radius,
            area,
            moment,
        }
    }

    /// Marks as cuts (internal edges) those for which `cut`, called with the two ends, returns true.
    pub(crate) fn with_cuts(mut self, cut: impl Fn(DVec2, DVec2) -> bool) -> Self {
        let next = self.vertices.iter().cycle().skip(1);
        self.cuts = self
            .vertices
            .iter()
            .zip(next)
            .map(|(p, q)| cut(*p, *q))
            .collect();
        self
    }

    /// The vertices, anticlockwise, in body axes.
    pub fn vertices(&self) -> &[DVec2] {
        &self.vertices
    }

    /// Area.
    pub fn area(&self) -> f64 {
        self.area
    }
}

/// Mean of the vertices and their largest distance from it.
fn frame(vertices: &[DVec2]) -> Result<(DVec2, f64), ShapeError> {
    let count = vertices.len();
    if count < 3 {
        return Err(ShapeError::Degenerate(format!(
            "{count} vertices were given: a polygon has at least 3"
        )));
    }
    if count > MOST {
        return Err(ShapeError::Degenerate(format!(
            "{count} vertices were given: a polygon has at most {MOST}"
        )));
    }
    // Divided before the summation, so that large numbers do not overflow.
    let middle: DVec2 = vertices.iter().map(|v| *v / count as f64).sum();
    let size = vertices
        .iter()
        .fold(0.0_f64, |s, v| s.max((*v - middle).length()));
    if !(size > 0.0) {
        return Err(ShapeError::Degenerate(format!(
            "all {count} vertices are the point ({}, {}): 3 distinct ones are needed",
            middle.x, middle.y
        )));
    }
    if !size.is_finite() {
        return Err(ShapeError::Degenerate(
            "the polygon is too large for its size to be a number".into(),
        ));
    }
    Ok((middle, size))
}

/// Vertices relative to `middle` in units of `size`, with their indices; repeated ones dropped.
fn distinct(
    vertices: &[DVec2],
    middle: DVec2,
    size: f64,
) -> Result<Vec<(usize, DVec2)>, ShapeError> {
    let mut kept: Vec<(usize, DVec2)> = Vec::with_capacity(vertices.len());
    for (i, v) in vertices.iter().enumerate() {
        let v = (*v - middle) / size;
        if kept
            .last()
            .is_none_or(|(_, last)| (v - *last).length() > SAME)
        {
            kept.push((i, v));
        }
    }
    // The outline may be closed by a repetition of its first vertex.
    while kept.len() > 1 && (kept[0].1 - kept[kept.len() - 1].1).length() <= SAME {
        kept.pop();
    }
    if kept.len() < 3 {
        return Err(ShapeError::Degenerate(format!(
            "only {} of the {} vertices are distinct: a polygon has at least 3",
            kept.len(),
            vertices.len()
        )));
    }
    Ok(kept)
}

fn twice_area(kept: &[(usize, DVec2)]) -> f64 {
    (0..kept.len())
        .map(|i| kept[i].1.perp_dot(kept[(i + 1) % kept.len()].1))
        .sum()
}

/// Drops collinear vertices; rejects reflex vertices and those where the outline reverses.
fn corners(kept: Vec<(usize, DVec2)>, given: &[DVec2]) -> Result<Vec<(usize, DVec2)>, ShapeError> {
    let mut all = kept;
    let mut i = 0;
    let mut settled = 0;
    // Cyclic passes until a whole one has dropped nothing.
    while settled < all.len() {
        if all.len() < 3 {
            return Err(ShapeError::Degenerate(format!(
                "the {} vertices lie on a line: no area",
                given.len()
            )));
        }
        let n = all.len();
        i %= n;
        let (before, (number, at), after) = (all[(i + n - 1) % n].1, all[i], all[(i + 1) % n].1);
        let chord = after - before;
        // Height of the vertex over the line through its neighbours; positive to the right of the line, where the
        // vertices of an anticlockwise convex polygon lie.
        let height = if chord.length() > SAME {
            -chord.perp_dot(at - before) / chord.length()
        } else {
            0.0
        };
        let back = (at - before).dot(after - at) < 0.0;
        if height.abs() <= SAME && !back {
            all.remove(i);
            settled = 0;
            continue;
        }
        // Not convex here; vertices on a line are reported as a polygon without area.
        if height < -SAME || height.abs() <= SAME {
            let v = given[number];
            let what = if height < -SAME {
                format!(
                    "is {:.3e} of the size inside the line through its neighbours",
                    -height
                )
            } else {
                "turns straight back".into()
            };
            return Err(if thin(&all) {
                ShapeError::Degenerate(format!(
                    "the {} vertices lie on a line: no area",
                    given.len()
                ))
            } else {
                ShapeError::NotConvex(format!("vertex {number} ({}, {}) {what}", v.x, v.y))
            });
        }
        settled += 1;
        i += 1;
    }
    Ok(all)
}

/// Whether all vertices lie on one line.
fn thin(all: &[(usize, DVec2)]) -> bool {
    let origin = all[0].1;
    let far = all
        .iter()
        .map(|(_, v)| *v - origin)
        .fold(
            DVec2::ZERO,
            |m, v| if v.length() > m.length() { v } else { m },
        );
    all.iter()
        .all(|(_, v)| far.perp_dot(*v - origin).abs() <= SAME * far.length())
}

/// Rejects polygons that turn left at every vertex but wind more than once (a pentagram).
fn once_round(all: &[(usize, DVec2)]) -> Result<(), ShapeError> {
    let n = all.len();
    let edge = |i: usize| all[(i + 1) % n].1 - all[i % n].1;
    // Total turning of the edges: 2π times the winding number.
    let turn: f64 = (0..n)
        .map(|i| {
            edge(i)
                .perp_dot(edge(i + 1))
                .atan2(edge(i).dot(edge(i + 1)))
        })
        .sum();
    let turns = turn / std::f64::consts::TAU;
    if turns > 1.5 {
        return Err(ShapeError::NotConvex(format!(
            "the edges cross each other: they go round {turns:.0} times"
        )));
    }
    Ok(())
}

fn centroid(vertices: &[DVec2]) -> DVec2 {
    let (mut area, mut sum) = (0.0, DVec2::ZERO);
    for (i, p) in vertices.iter().enumerate() {
        let q = vertices[(i + 1) % vertices.len()];
        let cross = p.perp_dot(q);
        area += cross;
        sum += (*p + q) * cross;
    }
    sum / (3.0 * area)
}
