//! How contacts are put into packs.
//!
//! The contacts of a pack share no body, so that the four visits are one. Packs are filled in contact order
//! with a few open at a time: each contact goes to the first open pack where it meets none of its
//! bodies. Neighbours in the list stay neighbours in time, and the order depends on nothing but the
//! problem.

use super::lanes::LANES;
use super::pack::NONE;

/// Packs that are open at a time.
const OPEN: usize = 8;

/// A contact on its way to a pack: its bodies by side.
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

/// A pack that is being filled.
#[derive(Debug, Clone, Copy)]
struct OpenPack {
    guests: [PackEntry; LANES],
    filled: usize,
}

impl OpenPack {
    const EMPTY: Self = Self {
        guests: [PackEntry::EMPTY; LANES],
        filled: 0,
    };
}

/// The packs of one kind.
#[derive(Debug, Default)]
pub(super) struct Packer {
    open: Vec<OpenPack>,
    full: Vec<[PackEntry; LANES]>,
    /// Whether the sides are lists of their own: the same number is then another body.
    separate_sides: bool,
}

impl Packer {
    /// Empty.
    pub fn clear(&mut self, apart: bool) {
        self.open.clear();
        self.full.clear();
        self.separate_sides = apart;
    }

    fn share_body(&self, a: &PackEntry, b: &PackEntry) -> bool {
        let same = |x: u32, y: u32| x == y && x != NONE;
        let across = same(a.bodies[0], b.bodies[1]) || same(a.bodies[1], b.bodies[0]);
        same(a.bodies[0], b.bodies[0]) || same(a.bodies[1], b.bodies[1]) || (!self.separate_sides && across)
    }

    /// Takes a contact in. Where there is no room the oldest pack is left as it is.
    pub fn take(&mut self, guest: PackEntry) {
        let place = self.open.iter().position(|draft| {
            let sitting = &draft.guests[..draft.filled];
            !sitting.iter().any(|other| self.share_body(other, &guest))
        });
        let at = place.unwrap_or_else(|| {
            if self.open.len() == OPEN {
                self.full.push(self.open.remove(0).guests);
            }
            self.open.push(OpenPack::EMPTY);
            self.open.len() - 1
        });
        let draft = &mut self.open[at];
        draft.guests[draft.filled] = guest;
        draft.filled += 1;
        if draft.filled == LANES {
            self.full.push(self.open.remove(at).guests);
        }
    }

    /// After the last contact.
    pub fn close(&mut self) {
        let rest = self.open.drain(..).map(|draft| draft.guests);
        self.full.extend(rest);
    }

    /// All packs, in order.
    pub fn packs(&self) -> &[[PackEntry; LANES]] {
        &self.full
    }
}

/// Packs in an order in which neighbours share no body, as far as a short look ahead finds one: a visit
/// then need not wait for what the one before has written.
#[derive(Debug, Default)]
pub(super) struct PackScheduler {
    /// When a body of each side was last visited.
    last: [Vec<u32>; 2],
    now: u32,
    waiting: Vec<[PackEntry; LANES]>,
    out: Vec<[PackEntry; LANES]>,
}

/// Packs that are looked at for the next one, and visits between two of the same body.
const AHEAD: usize = 24;
const APART: u32 = 4;

impl PackScheduler {
    /// For lists with these numbers of bodies.
    pub fn begin(&mut self, bodies: [u32; 2]) {
        for (last, bodies) in self.last.iter_mut().zip(bodies) {
            last.clear();
            last.resize(bodies as usize, 0);
        }
        self.now = APART;
    }

    /// Orders the packs of a desk.
    pub fn schedule(&mut self, desk: &mut Packer, sides: usize) {
        self.out.clear();
        self.waiting.clear();
        let mut coming = std::mem::take(&mut desk.full);
        let mut next = coming.drain(..);
        loop {
            while self.waiting.len() < AHEAD
                && let Some(pack) = next.next()
            {
                self.waiting.push(pack);
            }
            if self.waiting.is_empty() {
                break;
            }
            let rested = |pack: &[PackEntry; LANES]| self.rest(pack, desk.separate_sides, sides);
            let chosen = self.waiting.iter().position(|p| rested(p) >= APART);
            let pack = self.waiting.remove(chosen.unwrap_or(0));
            self.visit(&pack, desk.separate_sides, sides);
            self.out.push(pack);
        }
        drop(next);
        desk.full = coming;
        std::mem::swap(&mut desk.full, &mut self.out);
    }

    /// Visits since a body of the pack was visited.
    fn rest(&self, pack: &[PackEntry; LANES], apart: bool, sides: usize) -> u32 {
        let mut last = 0;
        for guest in pack.iter().filter(|guest| guest.contact != NONE) {
            for side in 0..sides {
                let list = &self.last[if apart { side } else { 0 }];
                last = last.max(list.get(guest.bodies[side] as usize).copied().unwrap_or(0));
            }
        }
        self.now - last
    }

    fn visit(&mut self, pack: &[PackEntry; LANES], apart: bool, sides: usize) {
        self.now += 1;
        for guest in pack.iter().filter(|guest| guest.contact != NONE) {
            for side in 0..sides {
                let list = &mut self.last[if apart { side } else { 0 }];
                if let Some(last) = list.get_mut(guest.bodies[side] as usize) {
                    *last = self.now;
                }
            }
        }
    }
}
