//! Levels of the hierarchical grid, and their cells.
//!
//! ```text
//! level ℓ      boxes whose largest side is within one octave
//! side c_k     (1 + 1/64) times the largest extent along axis k of its boxes and all smaller ones
//! cell of B    ⌊low(B)_k / c_k⌋
//! ```
//!
//! The sides of the cells follow the boxes axis by axis, so that a stack of plates has flat cells. Overlapping
//! boxes of one level are in the same or in neighbouring cells: the distance of their low corners is at most
//! the largest extent, c/(1 + 1/64), and a coordinate in cells is at most 2⁴⁰ with a relative rounding error of
//! 2⁻⁵², which is within the enlargement.
//!
//! Cells are numbered row by row along the x axis. Where the rectangle of occupied cells is not much larger
//! than the number of boxes, each cell has its own number (dense grid); otherwise blocks of cells are
//! distributed over a table by a hash (spatial hashing), and distant cells may share a number. Whole blocks are
//! hashed, so that boxes with close numbers are close in space and search the same coarser cells.

use rayon::prelude::*;

use super::aabbs::{AabbList, EMPTY, OCTAVE, UNBOUNDED, size_along, size_of_class, wide};
use crate::dynamics::Dynamics;
use crate::thread_pool::DetectionThreads;
use percuss_geometry::Aabb;

/// Sizes over more octaves than this share levels that are wider than an octave.
const OCTAVES: usize = 32;
/// Largest number of levels: that many octaves, of which the first and the last may be partial.
pub(super) const MOST: usize = OCTAVES + 2;
/// This many of the largest bodies are tested against all instead of being searched for by all.
const FEW: usize = 16;
/// Scenes with at most this many bodies are tested all against all.
const SMALL: usize = 64;
/// Level of a body that is tested against all.
const LARGE: u8 = u8::MAX;
/// Largest number of cells per box of a dense level.
const DENSE: f64 = 8.0;
/// Binary logarithms of the sides of a hash block in the plane and in space; 512 cells.
const BLOCK: [[u32; 3]; 2] = [[5, 4, 0], [5, 2, 2]];
/// Binary logarithm of the number of cells of a block.
const VOLUME: u32 = 9;

/// Integer coordinates of a cell; the third one is 0 in the plane.
pub(super) type Cell = [i64; 3];

/// A level of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    /// 1/c by axis.
    inverse: [f64; 3],
    /// Largest distance by which the low corner of a box can lie below a point that it contains.
    pub(super) depth: [f64; 3],
    /// Smallest cell coordinates.
    pub(super) first: Cell,
    /// Largest cell coordinates.
    pub(super) last: Cell,
    /// Lengths of a row and of a layer of rows in a dense level.
    stride: [i64; 2],
    /// Whether the level is hashed, so that cells may share numbers.
    hashed: bool,
    /// Hash mask 2^m − 1 of a hashed level.
    mask: u64,
    /// Number of its first cell among those of all levels.
    pub(super) offset: usize,
    /// Number of cells.
    pub(super) cells: usize,
}

/// Integer part towards −∞, without a call of the library function.
#[inline(always)]
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(whole as f64 > x)
}

impl Level {
    /// The cell that contains a point.
    #[inline(always)]
    pub(super) fn cell<D: Dynamics>(&self, point: impl Fn(usize) -> f64) -> Cell {
        let mut cell = [0; 3];
        for k in 0..D::N {
            cell[k] = floor(point(k) * self.inverse[k]);
        }
        cell
    }

    /// The number of a cell of this level.
    #[inline(always)]
    pub(super) fn number<D: Dynamics>(&self, cell: Cell) -> usize {
        if self.hashed {
            // Block coordinates are hashed, the position within the block follows.
            let sides = BLOCK[D::N - 2];
            let (mut block, mut within) = ([0; 3], 0);
            for k in (0..D::N).rev() {
                block[k] = cell[k] >> sides[k];
                within = (within << sides[k]) | (cell[k] & ((1 << sides[k]) - 1)) as usize;
            }
            self.offset + ((((scramble(block) & self.mask) as usize) << VOLUME) | within)
        } else {
            // Dense numbering, row by row.
            let [x, y, z] = self.first;
            let at =
                (cell[0] - x) + (cell[1] - y) * self.stride[0] + (cell[2] - z) * self.stride[1];
            self.offset + at as usize
        }
    }

    /// The last cell of a row, not beyond `x`, up to which the cell numbers from `from` on are consecutive.
    #[inline(always)]
    pub(super) fn run<D: Dynamics>(&self, from: i64, x: i64) -> i64 {
        if self.hashed {
            x.min(from | ((1 << BLOCK[D::N - 2][0]) - 1))
        } else {
            x
        }
    }
}

/// Hash of a block: a linear form, then one round of the finaliser of MurmurHash3.
#[inline(always)]
fn scramble(block: Cell) -> u64 {
    let [x, y, z] = block.map(|c| c as u64);
    let sum = x
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(y.wrapping_mul(0xbf58_476d_1ce4_e5b9))
        .wrapping_add(z.wrapping_mul(0x94d0_49bb_1331_11eb));
    let mixed = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

/// Count, largest size, and range of low corners of the boxes of a level.
#[derive(Debug, Clone, Copy)]
struct Extent {
    count: usize,
    size: [f64; 3],
    low: [f64; 3],
    high: [f64; 3],
}

const NOTHING: Extent = Extent {
    count: 0,
    size: [0.0; 3],
    low: [f64::INFINITY; 3],
    high: [f64::NEG_INFINITY; 3],
};

impl Extent {
    #[inline]
    fn add<D: Dynamics>(&mut self, bounds: &Aabb<D>) {
        self.count += 1;
        for k in 0..D::N {
            self.size[k] = self.size[k].max(size_along(bounds, k));
            self.low[k] = self.low[k].min(bounds.low[k]);
            self.high[k] = self.high[k].max(bounds.low[k]);
        }
    }

    fn join(mut self, other: &Self) -> Self {
        self.count += other.count;
        for k in 0..3 {
            self.size[k] = self.size[k].max(other.size[k]);
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
        }
        self
    }

    /// The level for these boxes, with cell numbers from `offset` on.
    fn level<D: Dynamics>(&self, offset: usize) -> Level {
        let mut level = Level {
            inverse: [0.0; 3],
            depth: [0.0; 3],
            first: [0; 3],
            last: [0; 3],
            stride: [0; 2],
            hashed: false,
            mask: 0,
            offset,
            cells: 1,
        };
        let (mut amount, mut length) = (1.0, [1; 3]);
        for k in 0..D::N {
            let inverse = 1.0 / (self.size[k] * (1.0 + 1.0 / 64.0));
            // All boxes are in one cell along an axis on which no box has a size.
            level.inverse[k] = if inverse.is_finite() { inverse } else { 0.0 };
            level.depth[k] = self.size[k] * (1.0 + 1.0 / 128.0);
            level.first[k] = floor(self.low[k] * level.inverse[k]);
            level.last[k] = floor(self.high[k] * level.inverse[k]);
            length[k] = level.last[k] - level.first[k] + 1;
            amount *= length[k] as f64;
        }
        // Dense numbering if the rectangle is small, else a hash table of blocks.
        if amount <= DENSE * self.count as f64 {
            level.stride = [length[0], length[0] * length[1]];
            level.cells = amount as usize;
        } else {
            level.hashed = true;
            let blocks = (self.count >> VOLUME).max(1).next_power_of_two();
            level.mask = blocks as u64 - 1;
            level.cells = blocks << VOLUME;
        }
        level
    }
}

/// The levels of the grid, from fine to coarse.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The levels.
    pub(super) all: Vec<Level>,
    /// Histogram: number of boxes by size class, from `smallest` on.
    amount: Vec<u32>,
    /// Level by size class, from `smallest` on.
    level: Vec<u8>,
    smallest: usize,
}

impl Levels {
    /// The level of a size class; `None` for bodies that are tested against all.
    #[inline(always)]
    pub(super) fn of(&self, class: u16) -> Option<usize> {
        let at = usize::from(class).wrapping_sub(self.smallest);
        match self.level.get(at) {
            None | Some(&LARGE) => None,
            Some(level) => Some(usize::from(*level)),
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.all.capacity() * size_of::<Level>()
            + self.amount.capacity() * size_of::<u32>()
            + self.level.capacity()
    }

    /// Median size of the boxes; 0 where there are few.
    pub(super) fn median_size(&mut self, class: &[u16]) -> f64 {
        self.amount.clear();
        if class.len() <= SMALL {
            return 0.0;
        }
        self.count(class);
        // First class up to which more than half of the boxes are.
        let all: u64 = self.amount.iter().map(|a| u64::from(*a)).sum();
        let mut sum = 0;
        let middle = self.amount.iter().position(|a| {
            sum += u64::from(*a);
            2 * sum > all
        });
        middle.map_or(0.0, |k| size_of_class(self.smallest + k))
    }

    /// Number of cells of all levels.
    pub(super) fn num_cells(&self) -> usize {
        self.all.last().map_or(0, |l| l.offset + l.cells)
    }

    /// Chooses the levels and cells for the boxes.
    pub(super) fn choose<D: Dynamics>(&mut self, team: &DetectionThreads, boxes: &AabbList<D>) {
        self.all.clear();
        self.level.clear();
        self.amount.clear();
        if boxes.len() <= SMALL {
            return;
        }
        self.count(&boxes.class);
        self.level.reserve(self.amount.capacity());
        self.all.reserve(MOST);
        let occupied = self.divide();
        // From fine to coarse: each level's cells are at least as large as those of the finer ones.
        let mut extents = self.extents(team, boxes);
        let (mut offset, mut size) = (0, [0.0f64; 3]);
        for extent in &mut extents[..occupied] {
            // Cells are at least as large as the boxes of finer levels: a smaller box must not cover many cells
            // of thin plates.
            for k in 0..D::N {
                size[k] = size[k].max(extent.size[k]);
            }
            extent.size = size;
            let level = extent.level::<D>(offset);
            offset += level.cells;
            self.all.push(level);
        }
    }

    /// Counts the boxes by size class.
    fn count(&mut self, class: &[u16]) {
        let bounded = |c: &&u16| **c != EMPTY && **c != UNBOUNDED;
        // Range of the classes, then the histogram over it.
        let (mut low, mut high) = (u16::MAX, 0);
        for c in class.iter().filter(bounded) {
            low = low.min(*c);
            high = high.max(*c);
        }
        self.smallest = usize::from(low);
        if low > high {
            return;
        }
        self.amount.resize(usize::from(high - low) + 1, 0);
        for c in class.iter().filter(bounded) {
            self.amount[usize::from(c - low)] += 1;
        }
    }

    /// Assigns a level to each class; returns the number of levels.
    fn divide(&mut self) -> usize {
        let classes = self.amount.len();
        // Classes per level: one octave, or more where the sizes span too many.
        let width = OCTAVE * (1 + classes / (OCTAVE * OCTAVES));
        // A body searches every coarser level: the division with the fewest such searches is chosen.
        let best = (0..width).min_by_key(|shift| self.searches(width, *shift));
        let shift = best.unwrap_or(0);
        self.level.resize(classes, LARGE);
        // From coarse to fine: the coarsest levels get no grid as long as they contain few boxes.
        let (mut large, mut grids, mut numbered) = (0, false, 0u8);
        let mut end = classes;
        while end > 0 {
            let begin = ((end - 1 + shift) / width * width).saturating_sub(shift);
            let amount: usize = self.amount[begin..end].iter().map(|a| *a as usize).sum();
            if !grids && large + amount <= FEW {
                large += amount;
            } else if amount > 0 {
                grids = true;
                self.level[begin..end].fill(numbered);
                numbered += 1;
            }
            end = begin;
        }
        // Renumber from fine to coarse.
        for level in self.level.iter_mut().filter(|l| **l != LARGE) {
            *level = numbered - 1 - *level;
        }
        usize::from(numbered)
    }

    /// Number of searches of coarser levels if a level begins at each class c for which `width` divides c + shift.
    fn searches(&self, width: usize, shift: usize) -> u64 {
        let (mut finer, mut searches, mut amount) = (0, 0, 0u64);
        for (c, count) in self.amount.iter().enumerate() {
            if (c + shift).is_multiple_of(width) && amount > 0 {
                searches += finer;
                finer += amount;
                amount = 0;
            }
            amount += u64::from(*count);
        }
        if amount > 0 {
            searches += finer;
        }
        searches
    }

    /// Sizes and ranges of the boxes by level, in parallel; minimum and maximum do not depend on the order.
    fn extents<D: Dynamics>(&self, team: &DetectionThreads, boxes: &AabbList<D>) -> [Extent; MOST] {
        let part = |all: &[Aabb<D>], class: &[u16]| {
            let mut extents = [NOTHING; MOST];
            for (bounds, class) in all.iter().zip(class) {
                if let Some(level) = self.of(*class) {
                    extents[level].add(&wide(bounds, boxes.skin));
                }
            }
            extents
        };
        let Some(pool) = team.pool(boxes.len()) else {
            return part(&boxes.all, &boxes.class);
        };
        let size = team.chunk_len(boxes.len());
        pool.install(|| {
            boxes
                .all
                .par_chunks(size)
                .zip(boxes.class.par_chunks(size))
                .map(|(all, class)| part(all, class))
                .reduce(
                    || [NOTHING; MOST],
                    |a, b| std::array::from_fn(|k| a[k].join(&b[k])),
                )
        })
    }
}
