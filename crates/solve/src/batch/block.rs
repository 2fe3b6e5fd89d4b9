//! Bodies that are treated together, and the contacts between two such lots.

use super::iterate::{DEPTH, Products};
use super::shelf::{Kinds, Shelf};

/// Bodies that are near each other, and the contacts between them.
#[derive(Debug)]
pub(super) struct Block<K: Kinds> {
    pub members: Vec<u32>,
    /// v̂ by body, one spare at the end.
    pub velocity: Vec<K::Row>,
    /// v̂ where the sweep began, and Ĝᵀ p.
    pub before: Vec<K::Row>,
    pub drift: Vec<K::Row>,
    /// Differences of v̂ of the last sweeps, body by body; empty where nobody mixes.
    pub past: Vec<[K::Row; DEPTH]>,
    pub shelf: Shelf<K>,
    pub sums: [f64; 3],
    pub products: Products<f64>,
}

/// Contacts between two blocks.
#[derive(Debug)]
pub(super) struct Seam<K: Kinds> {
    pub blocks: [usize; 2],
    pub shelf: Shelf<K>,
    pub sums: [f64; 3],
    pub products: Products<f64>,
}

impl<K: Kinds> Default for Block<K> {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            velocity: Vec::new(),
            before: Vec::new(),
            drift: Vec::new(),
            past: Vec::new(),
            shelf: Shelf::default(),
            sums: [0.0; 3],
            products: Products::NONE,
        }
    }
}

impl<K: Kinds> Default for Seam<K> {
    fn default() -> Self {
        Self {
            blocks: [0; 2],
            shelf: Shelf::default(),
            sums: [0.0; 3],
            products: Products::NONE,
        }
    }
}
