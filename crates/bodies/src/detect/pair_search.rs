//! Search of the grid: for each slot the bodies whose boxes overlap its box and that are to be found from there.
//!
//! Each pair is found once: within a level from the slot whose cell comes first, between two levels from the
//! finer one, with a body that is tested against all from the other one.

use std::ops::Range;

use rayon::prelude::*;

use super::aabbs::overlap;
use super::grid::{Grid, IMMOVABLE_BIT};
use super::levels::{Cell, Level, MOST};
use crate::dynamics::Dynamics;
use crate::thread_pool::DetectionThreads;

/// Partners by slot.
#[derive(Debug, Default)]
pub(super) struct PairSearch {
    /// Number of partners of each slot.
    pub(super) count: Vec<u32>,
    /// Partners, for each chunk of slots.
    pub(super) pieces: Vec<SlotChunk>,
    /// Slots per chunk.
    pub(super) piece: usize,
}

/// Partners of consecutive slots.
#[derive(Debug, Default)]
pub(super) struct SlotChunk {
    /// The partners, slot by slot.
    pub(super) list: Vec<u32>,
    /// Slots around the present one in each coarser level, kept while the searched cells stay the same.
    around: Vec<CellNeighbourhood>,
}

/// The slots in a rectangle of cells.
#[derive(Debug)]
struct CellNeighbourhood {
    from: Cell,
    to: Cell,
    slots: Vec<u32>,
}

impl PairSearch {
    pub(super) fn memory(&self) -> usize {
        let one = |p: &SlotChunk| {
            let around = p.around.iter().map(|a| a.slots.capacity()).sum::<usize>();
            (p.list.capacity() + around) * size_of::<u32>()
                + p.around.capacity() * size_of::<CellNeighbourhood>()
        };
        self.count.capacity() * size_of::<u32>() + self.pieces.iter().map(one).sum::<usize>()
    }

    /// Searches the partners of all slots.
    pub(super) fn run<D: Dynamics>(&mut self, team: &DetectionThreads, grid: &Grid<D>) {
        let slots = grid.order().len();
        super::set_len(&mut self.count, slots, 0);
        // Chunks of slots, one buffer each.
        let length = team.chunk_len(slots);
        self.piece = length;
        let num = slots.div_ceil(length);
        if self.pieces.len() < num {
            self.pieces.resize_with(num, SlotChunk::default);
        }
        for piece in &mut self.pieces {
            piece.list.clear();
        }
        let (count, pieces) = (&mut self.count[..], &mut self.pieces[..num]);
        match team.pool(slots) {
            Some(pool) => pool.install(|| {
                let shares = count.par_chunks_mut(length).zip(pieces);
                shares
                    .enumerate()
                    .for_each(|(k, (count, piece))| piece.search(grid, k * length, count));
            }),
            None => {
                for piece in pieces {
                    piece.search(grid, 0, count);
                }
            }
        }
    }
}

/// Searches the partners of the slots from `from` on and writes their numbers to `count`.
impl SlotChunk {
    fn search<D: Dynamics>(&mut self, grid: &Grid<D>, from: usize, count: &mut [u32]) {
        let levels = &grid.levels.all;
        // For the largest number of levels, so that a later search with more levels allocates nothing.
        if self.around.is_empty() && !levels.is_empty() {
            self.around.resize_with(MOST, CellNeighbourhood::new);
        }
        for around in &mut self.around {
            around.forget();
        }
        let mut own = 0;
        for (k, count) in count.iter_mut().enumerate() {
            let slot = from + k;
            let before = self.list.len();
            let list = &mut self.list;
            let mut seeker = SlotQuery { grid, slot, list };
            let mut all = slot + 1;
            // Own level, then the coarser ones.
            if slot < grid.in_cells() {
                while own + 1 < levels.len() && slot >= grid.end(&levels[own]) {
                    own += 1;
                }
                seeker.level(&levels[own]);
                let coarser = levels.iter().zip(&mut self.around).skip(own + 1);
                for (level, around) in coarser {
                    seeker.coarser(level, around);
                }
                all = grid.in_cells();
            }
            // Bodies that are tested against all.
            seeker.slots(all..grid.order().len());
            *count = (self.list.len() - before) as u32;
        }
    }
}

impl CellNeighbourhood {
    fn new() -> Self {
        Self {
            from: [0; 3],
            to: [-1; 3],
            slots: Vec::with_capacity(256),
        }
    }

    /// Marks the neighbourhood as unknown: a searched rectangle is never empty.
    fn forget(&mut self) {
        self.to = [-1; 3];
        self.from = [0; 3];
    }

    /// Collects the slots of a rectangle of cells, unless they are known.
    #[inline]
    fn turn_to<D: Dynamics>(&mut self, grid: &Grid<D>, level: &Level, from: Cell, to: Cell) {
        if self.from == from && self.to == to {
            return;
        }
        (self.from, self.to) = (from, to);
        self.slots.clear();
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                each_run(grid, level, [from[0], to[0]], y, z, |slots| {
                    self.slots.extend(slots.map(|slot| slot as u32));
                });
            }
        }
    }
}

/// Calls `work` with the slots of each run of consecutively numbered cells in the cells from `x[0]` to `x[1]`
/// of a row.
///
/// Cells that share a number are at least one block side apart, which is more than the three cells along an
/// axis that are searched at once: no slot is visited twice in a search, and boxes that are visited only
/// because of a shared number are too far away to overlap.
#[inline(always)]
fn each_run<D: Dynamics>(
    grid: &Grid<D>,
    level: &Level,
    x: [i64; 2],
    y: i64,
    z: i64,
    mut work: impl FnMut(Range<usize>),
) {
    let last = x[1].min(level.last[0]);
    let mut from = x[0].max(level.first[0]);
    while from <= last {
        let to = level.run::<D>(from, last);
        let first = level.number::<D>([from, y, z]);
        work(grid.slots(first, first + (to - from) as usize));
        from = to + 1;
    }
}

/// The search for the partners of one slot.
struct SlotQuery<'a, D: Dynamics> {
    grid: &'a Grid<D>,
    slot: usize,
    list: &'a mut Vec<u32>,
}

impl<D: Dynamics> SlotQuery<'_, D> {
    /// Appends a partner; the list grows by an eighth.
    #[inline(always)]
    fn add(&mut self, entry: u32) {
        if self.list.len() == self.list.capacity() {
            self.list.reserve_exact(self.list.len() / 8 + 1024);
        }
        self.list.push(entry & !IMMOVABLE_BIT);
    }

    /// Adds those of these slots whose boxes overlap, unless both bodies are immovable.
    #[inline(always)]
    fn slots(&mut self, slots: Range<usize>) {
        if slots.start >= slots.end {
            return;
        }
        let (order, boxes) = (self.grid.order(), self.grid.boxes());
        // Linear scan over contiguous boxes; pairs of two immovable bodies are skipped.
        let (own, held) = (&boxes[self.slot], order[self.slot] & IMMOVABLE_BIT);
        for (other, entry) in boxes[slots.clone()].iter().zip(&order[slots]) {
            if overlap(own, other) && held & entry == 0 {
                self.add(*entry);
            }
        }
    }

    /// Adds the partners in the cells from `x[0]` to `x[1]` of a row.
    #[inline(always)]
    fn row(&mut self, level: &Level, x: [i64; 2], y: i64, z: i64) {
        let grid = self.grid;
        each_run(grid, level, x, y, z, |slots| self.slots(slots));
    }

    /// Partners in the own level, in half of the neighbouring cells.
    fn level(&mut self, level: &Level) {
        let grid = self.grid;
        let low = grid.boxes()[self.slot].low;
        let [x, y, z] = level.cell::<D>(|k| low[k]);
        // The own cell from the next slot on, together with the next cell of the row if its slots follow.
        let to = level.run::<D>(x, (x + 1).min(level.last[0]));
        let first = level.number::<D>([x, y, z]);
        let slots = self.slot + 1..grid.slots(first, first + (to - x) as usize).end;
        self.slots(slots);
        if to == x {
            self.row(level, [x + 1, x + 1], y, z);
        }
        // Rows y + 1 of this layer, and three rows of the next layer.
        let around = [x - 1, x + 1];
        if y < level.last[1] {
            self.row(level, around, y + 1, z);
        }
        if D::N == 3 && z < level.last[2] {
            for y in (y - 1).max(level.first[1])..=(y + 1).min(level.last[1]) {
                self.row(level, around, y, z + 1);
            }
        }
    }

    /// Partners in a coarser level.
    #[inline]
    fn coarser(&mut self, level: &Level, around: &mut CellNeighbourhood) {
        let (order, boxes) = (self.grid.order(), self.grid.boxes());
        let (own, held) = (&boxes[self.slot], order[self.slot] & IMMOVABLE_BIT);
        // Cells in which the low corner of an overlapping box can be.
        let mut from: Cell = level.cell::<D>(|k| own.low[k] - level.depth[k]);
        let mut to: Cell = level.cell::<D>(|k| own.high[k]);
        for k in 0..3 {
            // Clipped to the occupied cells.
            from[k] = from[k].max(level.first[k]);
            to[k] = to[k].min(level.last[k]);
            if from[k] > to[k] {
                return;
            }
        }
        around.turn_to(self.grid, level, from, to);
        for slot in &around.slots {
            let slot = *slot as usize;
            if overlap(own, &boxes[slot]) && held & order[slot] == 0 {
                self.add(order[slot]);
            }
        }
    }
}
