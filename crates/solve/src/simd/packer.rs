//! Packing: greedy assignment of contacts to SIMD packs, and the order of the packs.
//!
//! The contacts of a pack share no body, so that their four local solves are independent. Packs are filled in contact
//! order with a few open at a time: each contact goes to the first open pack that contains none of its bodies.
//! Neighbours in the list stay close in the sweep, and the order depends on nothing but the problem.

use super::lanes::LANES;
use super::pack::NONE;

/// Largest number of open packs.
const OPEN: usize = 8;

/// A contact to be packed, with its bodies by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PackEntry {
    pub contact: u32,
    pub bodies: [u32; 2],
    pub flip: bool,
}

impl PackEntry {
    const EMPTY: Self = Self {
        contact: NONE,
        bodies: [NONE; 2],
        flip: false,
    };
}

/// A pack with free lanes.
#[derive(Debug, Clone, Copy)]
struct OpenPack {
    entries: [PackEntry; LANES],
    filled: usize,
}

impl OpenPack {
    const EMPTY: Self = Self {
        entries: [PackEntry::EMPTY; LANES],
        filled: 0,
    };
}

/// Packs of one kind.
#[derive(Debug, Default)]
pub(super) struct Packer {
    open: Vec<OpenPack>,
    full: Vec<[PackEntry; LANES]>,
    /// Whether each side has its own list of bodies (interfaces): equal indices on different sides are then different
    /// bodies.
    separate_sides: bool,
}

impl Packer {
    /// Removes all packs.
    pub fn clear(&mut self, apart: bool) {
        self.open.clear();
        self.full.clear();
        self.separate_sides = apart;
    }

    fn share_body(&self, a: &PackEntry, b: &PackEntry) -> bool {
        let same = |x: u32, y: u32| x == y && x != NONE;
        // In one common list a body may be on either side.
        let across = same(a.bodies[0], b.bodies[1]) || same(a.bodies[1], b.bodies[0]);
        same(a.bodies[0], b.bodies[0])
            || same(a.bodies[1], b.bodies[1])
            || (!self.separate_sides && across)
    }

    /// Adds a contact. Where no open pack can take it and all are in use, the oldest is closed with empty lanes.
    pub fn take(&mut self, entry: PackEntry) {
        // First open pack without a common body.
        let place = self.open.iter().position(|draft| {
            let present = &draft.entries[..draft.filled];
            !present.iter().any(|other| self.share_body(other, &entry))
        });
        // Otherwise open a new one.
        let at = place.unwrap_or_else(|| {
            if self.open.len() == OPEN {
                self.full.push(self.open.remove(0).entries);
            }
            self.open.push(OpenPack::EMPTY);
            self.open.len() - 1
        });
        let draft = &mut self.open[at];
        draft.entries[draft.filled] = entry;
        draft.filled += 1;
        if draft.filled == LANES {
            self.full.push(self.open.remove(at).entries);
        }
    }

    /// Closes the remaining packs after the last contact.
    pub fn close(&mut self) {
        let rest = self.open.drain(..).map(|draft| draft.entries);
        self.full.extend(rest);
    }

    /// All packs, in order.
    pub fn packs(&self) -> &[[PackEntry; LANES]] {
        &self.full
    }
}

/// Orders packs so that successive ones share no body, as far as a short look-ahead finds one. A pack that reads a
/// velocity just written would wait for the store (latency, and a store-forwarding stall where the sizes differ).
#[derive(Debug, Default)]
pub(super) struct PackScheduler {
    /// By side and body: time of its last visit.
    last: [Vec<u32>; 2],
    now: u32,
    waiting: Vec<[PackEntry; LANES]>,
    out: Vec<[PackEntry; LANES]>,
}

/// Packs of the look-ahead window, and the wanted distance between two visits of a body.
const AHEAD: usize = 24;
const APART: u32 = 4;

impl PackScheduler {
    /// Resets the times for lists with these numbers of bodies.
    pub fn begin(&mut self, bodies: [u32; 2]) {
        for (last, bodies) in self.last.iter_mut().zip(bodies) {
            last.clear();
            last.resize(bodies as usize, 0);
        }
        self.now = APART;
    }

    /// Orders the packs of `packer`.
    pub fn schedule(&mut self, packer: &mut Packer, sides: usize) {
        self.out.clear();
        self.waiting.clear();
        let mut coming = std::mem::take(&mut packer.full);
        let mut next = coming.drain(..);
        loop {
            // Refill the window.
            while self.waiting.len() < AHEAD
                && let Some(pack) = next.next()
            {
                self.waiting.push(pack);
            }
            if self.waiting.is_empty() {
                break;
            }
            // First pack whose bodies were not visited lately, else the oldest.
            let rested = |pack: &[PackEntry; LANES]| self.rest(pack, packer.separate_sides, sides);
            let chosen = self.waiting.iter().position(|p| rested(p) >= APART);
            let pack = self.waiting.remove(chosen.unwrap_or(0));
            self.visit(&pack, packer.separate_sides, sides);
            self.out.push(pack);
        }
        drop(next);
        packer.full = coming;
        std::mem::swap(&mut packer.full, &mut self.out);
    }

    /// Number of packs since a body of the pack was last visited.
    fn rest(&self, pack: &[PackEntry; LANES], apart: bool, sides: usize) -> u32 {
        let mut last = 0;
        for entry in pack.iter().filter(|entry| entry.contact != NONE) {
            for side in 0..sides {
                let list = &self.last[if apart { side } else { 0 }];
                last = last.max(list.get(entry.bodies[side] as usize).copied().unwrap_or(0));
            }
        }
        self.now - last
    }

    fn visit(&mut self, pack: &[PackEntry; LANES], apart: bool, sides: usize) {
        // Time stamps of the bodies.
        self.now += 1;
        for entry in pack.iter().filter(|entry| entry.contact != NONE) {
            for side in 0..sides {
                let list = &mut self.last[if apart { side } else { 0 }];
                if let Some(last) = list.get_mut(entry.bodies[side] as usize) {
                    *last = self.now;
                }
            }
        }
    }
}
