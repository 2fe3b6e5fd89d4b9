//! Features: identifiers of contact points that persist from step to step.
//!
//! A contact point of two polygons is a vertex of the first on an edge of the second, a vertex of the second on an
//! edge of the first, or the meeting of two vertices. The feature encodes these vertices and nothing else, so that it
//! persists as long as the point does, whichever shape is the reference:
//!
//! ```text
//! bits 31–30   1 vertex of the first, 2 vertex of the second, 3 both
//! bits 29–15   vertex of the second
//! bits 14–0    vertex of the first
//! ```
//!
//! With a chain the second part is a side (a vertex in a concave corner touches two sides) or an end of a side, and
//! the vertex and this part are packed as one number modulo 2³⁰.

const KIND: u32 = 30;
const HALF: u32 = 15;
const MASK: u32 = (1 << KIND) - 1;
const PART: u32 = (1 << HALF) - 1;

/// Feature of a point of two polygons, by the vertices that meet there.
pub(super) fn pair(first: Option<usize>, second: Option<usize>) -> u32 {
    let kind = u32::from(first.is_some()) + 2 * u32::from(second.is_some());
    let part = |v: Option<usize>| v.unwrap_or(0) as u32 & PART;
    kind << KIND | part(second) << HALF | part(first)
}

/// Feature of the same point with the two shapes exchanged.
pub(super) fn swapped(feature: u32) -> u32 {
    let kind = feature >> KIND;
    let kind = (kind & 1) << 1 | kind >> 1;
    kind << KIND | (feature & PART) << HALF | feature >> HALF & PART
}

/// Feature of a point on side `side` of a chain: at vertex `vertex` of a polygon of `count` vertices, at the end `end`
/// of the side, or both.
pub(super) fn chain(vertex: Option<usize>, end: Option<usize>, side: usize, count: usize) -> u32 {
    let (kind, number) = match (vertex, end) {
        (Some(v), None) => (1, side.wrapping_mul(count).wrapping_add(v)),
        (Some(v), Some(e)) => (3, e.wrapping_mul(count).wrapping_add(v)),
        (None, Some(e)) => (2, e),
        (None, None) => (0, side),
    };
    (kind << KIND) | (number as u32 & MASK)
}

/// The end of a side at which a contact point with a chain lies, if it does.
pub(super) fn chain_end(feature: u32, count: usize) -> Option<u32> {
    let number = feature & MASK;
    match feature >> KIND {
        2 => Some(number),
        3 => Some(number / count as u32),
        _ => None,
    }
}
