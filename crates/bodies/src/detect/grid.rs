//! Cell lists of the hierarchical grid: boxes sorted by cell.
//!
//! A slot is a position in the sorted list: first the boxes of the finest level by cell number, then those of
//! coarser levels, then those that are tested against all. One counting sort, flat arrays (CSR).

use rayon::prelude::*;

use super::aabbs::{AabbList, EMPTY, empty, wide, within};
use super::levels::{Level, Levels};
use crate::dynamics::Dynamics;
use crate::thread_pool::DetectionThreads;
use percuss_geometry::Aabb;
use percuss_geometry::Vector;

/// Bit of a slot's entry that marks a body that is not movable.
pub(super) const IMMOVABLE_BIT: u32 = 1 << 31;
/// Cell number of a box that is in no cell.
const NONE: u32 = u32::MAX;

/// Boxes sorted by cell.
#[derive(Debug)]
pub(super) struct Grid<D: Dynamics> {
    pub(super) levels: Levels,
    /// Cell number by body.
    cell: Vec<u32>,
    /// Boxes of cell c are in the slots `start[c]..start[c + 1]`.
    start: Vec<u32>,
    /// Body by slot, with `IMMOVABLE_BIT`.
    order: Vec<u32>,
    /// Enlarged box by slot.
    boxes: Vec<Aabb<D>>,
    /// Number of slots in cells.
    in_cells: usize,
}

impl<D: Dynamics> Default for Grid<D> {
    fn default() -> Self {
        Self {
            levels: Levels::default(),
            cell: Vec::new(),
            start: Vec::new(),
            order: Vec::new(),
            boxes: Vec::new(),
            in_cells: 0,
        }
    }
}

impl<D: Dynamics> Grid<D> {
    /// Body by slot, with `IMMOVABLE_BIT`.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Enlarged box by slot.
    pub(super) fn boxes(&self) -> &[Aabb<D>] {
        &self.boxes
    }

    /// Number of slots in cells; the others are tested against all.
    pub(super) fn in_cells(&self) -> usize {
        self.in_cells
    }

    /// First slot after those of a level.
    pub(super) fn end(&self, level: &Level) -> usize {
        self.start[level.offset + level.cells] as usize
    }

    /// Slots of the cells with the numbers `first..=last`.
    #[inline(always)]
    pub(super) fn slots(&self, first: usize, last: usize) -> std::ops::Range<usize> {
        self.start[first] as usize..self.start[last + 1] as usize
    }

    pub(super) fn memory(&self) -> usize {
        let numbers = self.cell.capacity() + self.start.capacity() + self.order.capacity();
        self.levels.memory()
            + numbers * size_of::<u32>()
            + self.boxes.capacity() * size_of::<Aabb<D>>()
    }

    /// Whether the pair list is still valid: every box lies within the enlarged box it was sorted with, and is
    /// as movable as then. The pairs of enlarged boxes then contain all pairs of boxes.
    pub(super) fn covers(
        &self,
        team: &DetectionThreads,
        boxes: &AabbList<D>,
        movable: impl Fn(usize) -> bool + Sync,
    ) -> bool {
        let all = |(entry, outer): (&u32, &Aabb<D>)| {
            // Still inside its enlarged box, valid, and as movable as before.
            let body = (entry & !IMMOVABLE_BIT) as usize;
            let inner = &boxes.all[body];
            within(inner, outer) && !empty(inner) && movable(body) == (entry & IMMOVABLE_BIT == 0)
        };
        // A body whose box was empty is in no slot, and may have come back.
        if self.order.len() != boxes.len() {
            return false;
        }
        match team.pool(boxes.len()) {
            None => self.order.iter().zip(&self.boxes).all(all),
            Some(pool) => pool.install(|| self.order.par_iter().zip(&self.boxes).all(all)),
        }
    }

    /// Sorts the enlarged boxes by cell; `movable` tells which bodies are movable.
    pub(super) fn build(
        &mut self,
        team: &DetectionThreads,
        boxes: &AabbList<D>,
        movable: impl Fn(usize) -> bool,
    ) {
        self.levels.choose(team, boxes);
        self.number(team, boxes);
        self.sort(boxes, movable);
        let zero = Aabb {
            low: D::Vector::splat(0.0),
            high: D::Vector::splat(0.0),
        };
        // Copies in the order of slots, for locality in the search.
        super::set_len(&mut self.boxes, self.order.len(), zero);
        let order = &self.order;
        team.for_chunks(&mut self.boxes, |from, piece| {
            for (to, entry) in piece.iter_mut().zip(&order[from..]) {
                *to = wide(&boxes.all[(entry & !IMMOVABLE_BIT) as usize], boxes.skin);
            }
        });
    }

    /// Computes the cell number of each box.
    fn number(&mut self, team: &DetectionThreads, boxes: &AabbList<D>) {
        super::set_len(&mut self.cell, boxes.len(), NONE);
        let levels = &self.levels;
        team.for_chunks(&mut self.cell, |from, piece| {
            let given = boxes.all[from..].iter().zip(&boxes.class[from..]);
            for (to, (bounds, class)) in piece.iter_mut().zip(given) {
                *to = match levels.of(*class) {
                    Some(k) => {
                        let level = &levels.all[k];
                        let low = wide(bounds, boxes.skin).low;
                        level.number::<D>(level.cell::<D>(|k| low[k])) as u32
                    }
                    None => NONE,
                };
            }
        });
    }

    /// Counting sort: `start[c + 1]` is first a count, then the position of the next box of cell c, and finally
    /// the end of cell c.
    fn sort(&mut self, boxes: &AabbList<D>, movable: impl Fn(usize) -> bool) {
        let cells = self.levels.num_cells();
        super::set_varying_len(&mut self.start, cells + 1, 0);
        self.start.fill(0);
        // Count, then exclusive prefix sums.
        let counted = self.cell.iter().filter(|c| **c != NONE);
        for cell in counted {
            self.start[*cell as usize + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut self.start[1..] {
            sum += std::mem::replace(count, sum);
        }
        self.in_cells = sum as usize;
        // Distribute the bodies; those in no cell go to the end.
        super::set_len(&mut self.order, boxes.len(), 0);
        let mut last = self.in_cells;
        for (i, cell) in self.cell.iter().enumerate() {
            // Slot: next of its cell, or at the end for boxes in no cell; empty boxes get none.
            let held = if movable(i) { 0 } else { IMMOVABLE_BIT };
            let slot = match *cell {
                NONE if boxes.class[i] == EMPTY => continue,
                NONE => {
                    last += 1;
                    last - 1
                }
                cell => {
                    let next = &mut self.start[cell as usize + 1];
                    *next += 1;
                    *next as usize - 1
                }
            };
            self.order[slot] = i as u32 | held;
        }
        self.order.truncate(last);
    }
}
