//! Levels of the hierarchy of grids, and cells.
//!
//! ```text
//! level ℓ      boxes whose largest side is within one octave
//! side c_k     (1 + 1/64) times the largest extent along axis k of its boxes and all smaller ones
//! cell of B    ⌊low(B)_k / c_k⌋
//! ```
//!
//! The sides of cells follow the boxes axis by axis, so that a stack of plates has flat cells. Boxes
//! of one level that meet are in the same or in neighbouring cells: their low corners are apart by no
//! more than the largest extent, c/(1 + 1/64), and a coordinate in cells is at most 2⁴⁰ with a relative
//! rounding of 2⁻⁵², which is within the widening.
//!
//! Cells are numbered by row, the x axis along the row. Where the rectangle of occupied cells is not
//! much larger than the number of boxes, each cell has its number; elsewhere blocks of cells are
//! spread over a table by a hash, and cells far from each other may share a number. Blocks, so that
//! boxes with numbers nearby are nearby and search in the same coarser cells.

use super::boxes::{AabbList, EMPTY, OCTAVE, UNBOUNDED, size_along, size_of_class, wide};
use super::team::DetectionThreads;
use crate::dim::Dim;
use crate::pose::Aabb;
use rayon::prelude::*;

/// Sizes over more octaves than this share levels that are wider than an octave.
const OCTAVES: usize = 32;
/// At most so many levels: that many octaves, of which the first and the last may be cut.
pub(super) const MOST: usize = OCTAVES + 2;
/// So many of the largest bodies are tested against all rather than searched for by all.
const FEW: usize = 16;
/// Scenes of so few bodies are tested all against all.
const SMALL: usize = 64;
/// Level of a body that is tested against all.
const LARGE: u8 = u8::MAX;
/// Cells numbered one by one per box of the level.
const DENSE: f64 = 8.0;
/// Binary logarithm of the sides of a block in the plane and in space; 512 cells.
const BLOCK: [[u32; 3]; 2] = [[5, 4, 0], [5, 2, 2]];
/// Binary logarithm of the number of cells of a block.
const VOLUME: u32 = 9;

/// A cell: its coordinates, 0 for the third one in the plane.
pub(super) type Cell = [i64; 3];

/// A level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level {
    /// 1/c by axis.
    inverse: [f64; 3],
    /// How far below a point the low corner of a box that holds it can be.
    pub(super) depth: [f64; 3],
    /// Smallest cell.
    pub(super) first: Cell,
    /// Largest cell.
    pub(super) last: Cell,
    /// Length of a row and of a layer of rows where each cell has its number.
    stride: [i64; 2],
    /// Whether cells share numbers.
    hashed: bool,
    /// 2^m − 1 where cells share numbers.
    mask: u64,
    /// Number of the first cell among those of all levels.
    pub(super) offset: usize,
    /// How many cells.
    pub(super) cells: usize,
}

#[inline(always)]
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(whole as f64 > x)
}

impl Level {
    /// The cell a point is in.
    #[inline(always)]
    pub(super) fn cell<D: Dim>(&self, point: impl Fn(usize) -> f64) -> Cell {
        let mut cell = [0; 3];
        for k in 0..D::N {
            cell[k] = floor(point(k) * self.inverse[k]);
        }
        cell
    }

    /// The number of a cell of this level.
    #[inline(always)]
    pub(super) fn number<D: Dim>(&self, cell: Cell) -> usize {
        if self.hashed {
            let sides = BLOCK[D::N - 2];
            let (mut block, mut within) = ([0; 3], 0);
            for k in (0..D::N).rev() {
                block[k] = cell[k] >> sides[k];
                within = (within << sides[k]) | (cell[k] & ((1 << sides[k]) - 1)) as usize;
            }
            self.offset + ((((scramble(block) & self.mask) as usize) << VOLUME) | within)
        } else {
            let [x, y, z] = self.first;
            let at =
                (cell[0] - x) + (cell[1] - y) * self.stride[0] + (cell[2] - z) * self.stride[1];
            self.offset + at as usize
        }
    }

    /// The last cell of a row, not beyond `x`, whose number follows that of the cell at `from` with
    /// all between.
    #[inline(always)]
    pub(super) fn run<D: Dim>(&self, from: i64, x: i64) -> i64 {
        if self.hashed {
            x.min(from | ((1 << BLOCK[D::N - 2][0]) - 1))
        } else {
            x
        }
    }
}

/// Spreads blocks over all numbers: a linear form, then a round of the finaliser of MurmurHash3.
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

/// The extents of the boxes of a level.
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
    fn add<D: Dim>(&mut self, bounds: &Aabb<D>) {
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

    /// The level whose numbers begin at `offset`.
    fn level<D: Dim>(&self, offset: usize) -> Level {
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
            // All boxes are in one cell along an axis on which nothing has a size.
            level.inverse[k] = if inverse.is_finite() { inverse } else { 0.0 };
            level.depth[k] = self.size[k] * (1.0 + 1.0 / 128.0);
            level.first[k] = floor(self.low[k] * level.inverse[k]);
            level.last[k] = floor(self.high[k] * level.inverse[k]);
            length[k] = level.last[k] - level.first[k] + 1;
            amount *= length[k] as f64;
        }
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

/// The levels that boxes are sorted into, from fine to coarse.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The levels.
    pub(super) all: Vec<Level>,
    /// How many boxes have each size class, from `smallest`.
    amount: Vec<u32>,
    /// Level of each size class, from `smallest`.
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

    /// A size that half the boxes reach; 0 where there are few.
    pub(super) fn median_size(&mut self, class: &[u16]) -> f64 {
        self.amount.clear();
        if class.len() <= SMALL {
            return 0.0;
        }
        self.count(class);
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

    /// Chooses the levels for boxes.
    pub(super) fn choose<D: Dim>(&mut self, team: &DetectionThreads, boxes: &AabbList<D>) {
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
        let mut extents = self.extents(team, boxes);
        let (mut offset, mut size) = (0, [0.0f64; 3]);
        for extent in &mut extents[..occupied] {
            // A smaller box must not reach over many cells of plates.
            for k in 0..D::N {
                size[k] = size[k].max(extent.size[k]);
            }
            extent.size = size;
            let level = extent.level::<D>(offset);
            offset += level.cells;
            self.all.push(level);
        }
    }

    /// Counts boxes by class.
    fn count(&mut self, class: &[u16]) {
        let bounded = |c: &&u16| **c != EMPTY && **c != UNBOUNDED;
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

    /// Gives each class a level and answers how many there are.
    fn divide(&mut self) -> usize {
        let classes = self.amount.len();
        let width = OCTAVE * (1 + classes / (OCTAVE * OCTAVES));
        // A body searches in every coarser level: the division with the least of that is the best.
        let best = (0..width).min_by_key(|shift| self.searches(width, *shift));
        let shift = best.unwrap_or(0);
        self.level.resize(classes, LARGE);
        // From coarse to fine: the coarsest levels are not worth a grid as long as they hold few.
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
        for level in self.level.iter_mut().filter(|l| **l != LARGE) {
            *level = numbered - 1 - *level;
        }
        usize::from(numbered)
    }

    /// How often bodies search coarser levels if a level begins at each class c for which `width`
    /// divides c + shift.
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

    fn extents<D: Dim>(&self, team: &DetectionThreads, boxes: &AabbList<D>) -> [Extent; MOST] {
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
