//! Numbers of contact points.
//!
//! A contact point of two cores is a vertex of the first on an edge of the second, a vertex of the
//! second on an edge of the first, or the meeting of two vertices. The number says which vertices
//! and nothing else, so that it stays while the point stays, whichever shape is the reference:
//!
//! ```text
//! bits 31–30   1 vertex of the first, 2 vertex of the second, 3 both
//! bits 29–15   vertex of the second
//! bits 14–0    vertex of the first
//! ```
//!
//! With a chain the second shape's part is a side (kind 2: which side the vertex lies on, a vertex in
//! a hollow corner touches two) or an end of a side, and both are packed as one number modulo 2³⁰.

const KIND: u32 = 30;
const HALF: u32 = 15;
const MASK: u32 = (1 << KIND) - 1;
const PART: u32 = (1 << HALF) - 1;

/// A point of two cores, by the vertices that meet there.
pub(super) fn pair(first: Option<usize>, second: Option<usize>) -> u32 {
    let kind = u32::from(first.is_some()) + 2 * u32::from(second.is_some());
    let part = |v: Option<usize>| v.unwrap_or(0) as u32 & PART;
    kind << KIND | part(second) << HALF | part(first)
}

/// The number of the same point when the two shapes change their places.
pub(super) fn swapped(feature: u32) -> u32 {
    let kind = feature >> KIND;
    let kind = (kind & 1) << 1 | kind >> 1;
    kind << KIND | (feature & PART) << HALF | feature >> HALF & PART
}

/// A point of a core on side `side` of a chain: at vertex `vertex` of the core's `count`, at the
/// end `end` of the side, or both.
pub(super) fn chain(vertex: Option<usize>, end: Option<usize>, side: usize, count: usize) -> u32 {
    let (kind, number) = match (vertex, end) {
        (Some(v), None) => (1, side.wrapping_mul(count).wrapping_add(v)),
        (Some(v), Some(e)) => (3, e.wrapping_mul(count).wrapping_add(v)),
        (None, Some(e)) => (2, e),
        (None, None) => (0, side),
    };
    (kind << KIND) | (number as u32 & MASK)
}

/// The end of a side a point with a chain is at, if it is at one.
pub(super) fn chain_end(feature: u32, count: usize) -> Option<u32> {
    let number = feature & MASK;
    match feature >> KIND {
        2 => Some(number),
        3 => Some(number / count as u32),
        _ => None,
    }
}
