//! A partition of bodies with its contacts, and the interface between two partitions.

use super::iterate::{ANDERSON_DEPTH, AndersonProducts};
use super::pack_list::{PackList, PackSet};

/// Neighbouring bodies and the contacts between them.
#[derive(Debug)]
pub(super) struct Partition<K: PackSet> {
    pub members: Vec<u32>,
    /// v̂ by body, and a spare body at the end for empty lanes.
    pub velocity: Vec<K::Velocity>,
    /// v̂ at the beginning of the sweep, and Ĝᵀ p of the search direction p.
    pub before: Vec<K::Velocity>,
    pub direction_velocity: Vec<K::Velocity>,
    /// Anderson history: differences of v̂ of the last sweeps by body; empty without Anderson acceleration.
    pub velocity_history: Vec<[K::Velocity; ANDERSON_DEPTH]>,
    pub packs: PackList<K>,
    pub sums: [f64; 3],
    pub products: AndersonProducts<f64>,
}

/// The contacts between two partitions.
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
