//! Connected components by union–find, and norms over the coordinates of a component.

/// Union–find: root of a tree in the forest, with path halving.
pub(super) fn find_root(parent: &mut [usize], mut x: usize) -> usize {
    while parent[x] != x {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    x
}

/// Norm of the part of v at these coordinates.
pub(super) fn length_at(v: &[f64], coordinates: &[usize]) -> f64 {
    let squares = coordinates.iter().map(|&c| v[c] * v[c]);
    squares.sum::<f64>().sqrt()
}
