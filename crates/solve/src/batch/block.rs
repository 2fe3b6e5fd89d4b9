//! Bodies that are treated together, and the contacts between two such lots.

use super::iterate::{ANDERSON_DEPTH, AndersonProducts};
use super::shelf::{PackSet, PackList};

/// Bodies that are near each other, and the contacts between them.
#[derive(Debug)]
pub(super) struct Partition<K: PackSet> {
    pub members: Vec<u32>,
    /// v̂ by body, one spare at the end.
    pub velocity: Vec<K::Velocity>,
    /// v̂ where the sweep began, and Ĝᵀ p.
    pub before: Vec<K::Velocity>,
    pub direction_velocity: Vec<K::Velocity>,
    /// Differences of v̂ of the last sweeps, body by body; empty where nobody mixes.
    pub velocity_history: Vec<[K::Velocity; ANDERSON_DEPTH]>,
    pub packs: PackList<K>,
    pub sums: [f64; 3],
    pub products: AndersonProducts<f64>,
}

/// Contacts between two blocks.
#[derive(Debug)]
pub(super) struct Interface<K: PackSet> {
    pub partitions: [usize; 2],
    pub packs: PackList<K>,
    pub sums: [f64; 3],
    pub products: AndersonProducts<f64>,
}

impl<K: PackSet> Default for Partition<K> {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            velocity: Vec::new(),
            before: Vec::new(),
            direction_velocity: Vec::new(),
            velocity_history: Vec::new(),
            packs: PackList::default(),
            sums: [0.0; 3],
            products: AndersonProducts::NONE,
        }
    }
}

impl<K: PackSet> Default for Interface<K> {
    fn default() -> Self {
        Self {
            partitions: [0; 2],
            packs: PackList::default(),
            sums: [0.0; 3],
            products: AndersonProducts::NONE,
        }
    }
}
