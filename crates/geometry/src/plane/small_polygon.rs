//! Polygons of three or four vertices in structure-of-arrays layout, for SIMD.
//!
//! Four numbers are compared at once, without branches. The fourth place of a triangle repeats its first vertex;
//! among equal values the first place wins, so that the repetition never changes a choice.

use glam::DVec2;

/// Four points or directions, x and y in separate arrays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Points4 {
    pub(crate) x: [f64; 4],
    pub(crate) y: [f64; 4],
}

/// A polygon of three or four vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SmallPolygon {
    /// Half extents, if it is a rectangle along the axes whose first vertex is the lower left one.
    pub(crate) half: Option<DVec2>,
    pub(crate) vertices: Points4,
    pub(crate) normals: Points4,
    /// Offset n · p of each edge.
    pub(crate) offset: [f64; 4],
}

impl Points4 {
    fn new(list: &[DVec2]) -> Option<Self> {
        let at = |k: usize| list.get(k).or(list.first()).copied();
        let four = [at(0)?, at(1)?, at(2)?, at(3)?];
        Some(Self {
            x: four.map(|v| v.x),
            y: four.map(|v| v.y),
        })
    }

    /// n · x for each of the four.
    #[inline(always)]
    pub(crate) fn along(&self, n: DVec2) -> [f64; 4] {
        let mut out = [0.0; 4];
        for k in 0..4 {
            out[k] = n.x * self.x[k] + n.y * self.y[k];
        }
        out
    }
}

impl SmallPolygon {
    /// `None` for more than four vertices.
    pub(crate) fn new(vertices: &[DVec2], normals: &[DVec2]) -> Option<Self> {
        if vertices.len() > 4 {
            return None;
        }
        // A rectangle along the axes, symmetric about the origin, in the order of `ConvexPolygon::rectangle`.
        let half = match (vertices, normals) {
            (&[a, b, c, d], &[DVec2::NEG_Y, DVec2::X, DVec2::Y, DVec2::NEG_X]) => {
                let upright = a == -c && b == DVec2::new(c.x, a.y) && d == -b;
                upright.then_some(c)
            }
            _ => None,
        };
        let (vertices, normals) = (Points4::new(vertices)?, Points4::new(normals)?);
        let offset =
            std::array::from_fn(|k| normals.x[k] * vertices.x[k] + normals.y[k] * vertices.y[k]);
        Some(Self {
            half,
            vertices,
            normals,
            offset,
        })
    }
}

/// The elementwise minimum.
#[inline(always)]
pub(crate) fn smaller(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let mut out = b;
    for k in 0..4 {
        out[k] = if a[k] < b[k] { a[k] } else { b[k] };
    }
    out
}

/// The minimum of four.
#[inline(always)]
pub(crate) fn least(a: [f64; 4]) -> f64 {
    let low = |x: f64, y: f64| if x < y { x } else { y };
    low(low(a[0], a[2]), low(a[1], a[3]))
}

/// Index of the first of four that is at most `most`; 0 if none is.
#[inline(always)]
pub(crate) fn first_within(a: [f64; 4], most: f64) -> usize {
    // Bit mask of the comparisons, with a sentinel bit for "none"; the first set bit without a branch.
    let bit = |k: usize| u32::from(a[k] <= most) << k;
    let found = bit(0) | bit(1) | bit(2) | bit(3) | 1 << 4;
    found.trailing_zeros() as usize & 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plane::ConvexPolygon;

    #[test]
    fn rectangles_are_known_as_such() -> Result<(), crate::error::ShapeError> {
        let half = |p: &ConvexPolygon| p.small.and_then(|few| few.half);
        assert_eq!(
            half(&ConvexPolygon::rectangle(0.6, 0.4)?),
            Some(DVec2::new(0.3, 0.2))
        );
        let skew = [(-1.0, -1.0), (1.0, -1.0), (1.5, 1.0), (-0.5, 1.0)].map(DVec2::from);
        assert_eq!(half(&ConvexPolygon::new(&skew)?.0), None);
        Ok(())
    }
}
