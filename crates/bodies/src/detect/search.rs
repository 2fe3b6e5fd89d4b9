//! Partners: for each slot the bodies whose boxes meet its box and that are to be found from there.
//!
//! A pair within a level is found from the slot whose cell comes first, a pair of two levels from the
//! finer one, a pair with a body that is tested against all from the other one.

use std::ops::Range;

use rayon::prelude::*;

use super::boxes::overlap;
use super::grid::{Grid, IMMOVABLE_BIT};
use super::levels::{Cell, Level, MOST};
use super::team::DetectionThreads;
use crate::dim::Dim;

/// Partners by slot.
#[derive(Debug, Default)]
pub(super) struct PairSearch {
    /// How many partners each slot has.
    pub(super) count: Vec<u32>,
    /// Partners, for each piece of slots.
    pub(super) pieces: Vec<SlotChunk>,
    /// Length of pieces.
    pub(super) piece: usize,
}

/// Partners of consecutive slots.
#[derive(Debug, Default)]
pub(super) struct SlotChunk {
    /// The partners, slot by slot.
    pub(super) list: Vec<u32>,
    /// What is around in each coarser level, kept while the cells to search stay the same.
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
    pub(super) fn run<D: Dim>(&mut self, team: &DetectionThreads, grid: &Grid<D>) {
        let slots = grid.order().len();
        super::set_len(&mut self.count, slots, 0);
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

impl SlotChunk {
    fn search<D: Dim>(&mut self, grid: &Grid<D>, from: usize, count: &mut [u32]) {
        let levels = &grid.levels.all;
        // For as many levels as there may ever be, so that more of them another time allocate nothing.
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

    /// No rectangle that is searched in is empty.
    fn forget(&mut self) {
        self.to = [-1; 3];
        self.from = [0; 3];
    }

    /// Makes the slots those of a rectangle of cells.
    #[inline]
    fn turn_to<D: Dim>(&mut self, grid: &Grid<D>, level: &Level, from: Cell, to: Cell) {
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

/// Calls `work` with the slots of each run of cells with consecutive numbers that the cells from `x[0]`
/// to `x[1]` of a row consist of.
///
/// Cells that share a number are apart by a side of a block at least, which is more than the three
/// cells along an axis that are searched at once: no slot is met twice in a search, and boxes that are
/// met by sharing alone are too far away to meet the own one.
#[inline(always)]
fn each_run<D: Dim>(
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

/// Whoever searches.
struct SlotQuery<'a, D: Dim> {
    grid: &'a Grid<D>,
    slot: usize,
    list: &'a mut Vec<u32>,
}

impl<D: Dim> SlotQuery<'_, D> {
    #[inline(always)]
    fn add(&mut self, entry: u32) {
        if self.list.len() == self.list.capacity() {
            self.list.reserve_exact(self.list.len() / 8 + 1024);
        }
        self.list.push(entry & !IMMOVABLE_BIT);
    }

    /// Adds those among these slots whose boxes meet.
    #[inline(always)]
    fn slots(&mut self, slots: Range<usize>) {
        if slots.start >= slots.end {
            return;
        }
        let (order, boxes) = (self.grid.order(), self.grid.boxes());
        let (own, held) = (&boxes[self.slot], order[self.slot] & IMMOVABLE_BIT);
        for (other, entry) in boxes[slots.clone()].iter().zip(&order[slots]) {
            if overlap(own, other) && held & entry == 0 {
                self.add(*entry);
            }
        }
    }

    /// Adds partners in the cells from `x[0]` to `x[1]` of a row.
    #[inline(always)]
    fn row(&mut self, level: &Level, x: [i64; 2], y: i64, z: i64) {
        let grid = self.grid;
        each_run(grid, level, x, y, z, |slots| self.slots(slots));
    }

    /// Partners of the own level, in half the neighbourhood.
    fn level(&mut self, level: &Level) {
        let grid = self.grid;
        let low = grid.boxes()[self.slot].low;
        let [x, y, z] = level.cell::<D>(|k| low[k]);
        // The own cell from the next slot on, with the next cell of the row if its slots follow.
        let to = level.run::<D>(x, (x + 1).min(level.last[0]));
        let first = level.number::<D>([x, y, z]);
        let slots = self.slot + 1..grid.slots(first, first + (to - x) as usize).end;
        self.slots(slots);
        if to == x {
            self.row(level, [x + 1, x + 1], y, z);
        }
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

    /// Partners of a coarser level.
    #[inline]
    fn coarser(&mut self, level: &Level, around: &mut CellNeighbourhood) {
        let (order, boxes) = (self.grid.order(), self.grid.boxes());
        let (own, held) = (&boxes[self.slot], order[self.slot] & IMMOVABLE_BIT);
        let mut from: Cell = level.cell::<D>(|k| own.low[k] - level.depth[k]);
        let mut to: Cell = level.cell::<D>(|k| own.high[k]);
        for k in 0..3 {
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
