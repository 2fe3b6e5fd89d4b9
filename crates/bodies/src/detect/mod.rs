//! Which bodies touch where: broad phase, narrow phase, in a fixed order.
//!
//! ```text
//! given   a box B_i ⊇ shape i at its pose, grown by growth_i,   i = 0..n
//! pairs   P = { (a, b) : a < b,  B_a ∩ B_b ≠ ∅,  a or b movable }
//! found   all touches of D::touch over P with gap ≤ growth_a + growth_b
//! ```
//!
//! The boxes are closed and widened by a few rounding errors, so that a touch with a gap of exactly
//! the reach is never lost to the rounding of a box. P is listed by (a, b), what is found by (a, b,
//! feature): the lists depend on the bodies, their poses and the growths and on nothing else, neither
//! on the number of threads nor on what was detected before. What is kept from one detection to the
//! next, a list of pairs of wider boxes (`keep`), saves time and changes nothing.
//!
//! Broad phase: a hierarchy of grids (`levels`, `grid`), one level per octave of the size of boxes. A
//! body is in one cell of its level, meets its own level in half the neighbourhood and coarser levels
//! in all of it. The few largest bodies, and unbounded ones, are tested against all boxes. Work and
//! memory are proportional to the number of bodies and pairs, whatever the sizes and the extent of
//! the scene, with one limit: a cell holds many bodies that do not meet where long and thin bodies of
//! several directions lie densely in the same place.
//!
//! Boxes that are not numbers, or at infinity, meet nothing.

mod boxes;
mod grid;
mod images;
mod keep;
mod levels;
mod narrow;
mod pairs;
mod search;
mod team;
#[cfg(test)]
mod tests;

use crate::cell::Lattice;
use crate::dim::Dim;
use crate::model::{Body, Model};
use crate::pose::{Pose, ContactPoint};

use boxes::{AabbList, with_margin};
use grid::Grid;
use images::PeriodicImages;
use keep::PairListCache;
use narrow::NarrowPhase;
pub(crate) use narrow::sort_by_feature;
use pairs::PairList;
use search::PairSearch;
pub(crate) use team::DetectionThreads;

/// Sets the length of a list whose entries are all written next, one for each body: no spare room.
fn set_len<T: Clone>(list: &mut Vec<T>, len: usize, filler: T) {
    if len > list.capacity() {
        list.reserve_exact(len - list.len());
    }
    list.resize(len, filler);
}

/// The same where the length is another one each time: some spare room, but not twice as much.
fn set_varying_len<T: Clone>(list: &mut Vec<T>, len: usize, filler: T) {
    if len > list.capacity() {
        list.reserve_exact(len - list.len() + len / 16 + 1024);
    }
    list.resize(len, filler);
}

/// A touch with the bodies it is between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<D: Dim> {
    /// The two bodies, the smaller number first; the normal points from the first to the second.
    pub bodies: [u32; 2],
    /// Which image of the second body this is, x + H k; 0 without a periodic cell.
    pub image: [i32; 3],
    /// Where.
    pub point: ContactPoint<D>,
}

/// Finds contacts; holds buffers that are used again from step to step.
#[derive(Debug)]
pub struct Detector<D: Dim> {
    threads: DetectionThreads,
    boxes: AabbList<D>,
    grid: Grid<D>,
    pair_list_cache: PairListCache,
    search: PairSearch,
    pairs: PairList,
    narrow: NarrowPhase<D>,
    candidates: Vec<Candidate<D>>,
    num_pairs: usize,
    images: PeriodicImages<D>,
}

impl<D: Dim> Detector<D> {
    /// A detector that may use this many threads; what it finds does not depend on it. Where the
    /// system gives no threads it works without.
    pub fn new(threads: usize) -> Self {
        Self {
            threads: DetectionThreads::new(threads),
            boxes: AabbList::default(),
            grid: Grid::default(),
            pair_list_cache: PairListCache::default(),
            search: PairSearch::default(),
            pairs: PairList::default(),
            narrow: NarrowPhase::default(),
            candidates: Vec::new(),
            num_pairs: 0,
            images: PeriodicImages::default(),
        }
    }

    /// Finds every touch with gap ≤ reach between two bodies of which at least one is movable. The
    /// reach of a pair is the sum of `growth` of its bodies; an empty slice is 0 for all.
    pub fn detect(&mut self, bodies: &[Body<D>], poses: &[Pose<D>], growth: &[f64]) {
        self.boxes.measure(&self.threads, bodies, poses, growth);
        self.update_pair_list(|i| bodies[i].freedom.movable());
        self.num_pairs = self.narrow.run(
            &self.threads,
            (&self.pairs, &self.boxes),
            (bodies, poses, growth, None),
            &mut self.candidates,
        );
    }

    /// The same in a periodic cell, with images along the vectors that are `periodic`. Bodies may be
    /// anywhere; no two images of one body touch.
    pub fn detect_periodic(
        &mut self,
        bodies: &[Body<D>],
        poses: &[Pose<D>],
        growth: &[f64],
        (lattice, periodic): (&Lattice<D>, [bool; 3]),
    ) {
        let images = &mut self.images;
        images.place(bodies, poses, growth, (lattice, periodic));
        self.boxes.set(&self.threads, images.at.len(), |entry| {
            let (body, pose) = (images.body(entry), &images.at[entry]);
            let growth = growth.get(body).copied().unwrap_or(0.0);
            // Shifts are rounded: wider by that.
            let bounds = D::aabb(&bodies[body].shape, pose);
            with_margin(bounds, poses[body].position, growth)
        });
        let images = std::mem::take(&mut self.images);
        self.update_pair_list(|entry| bodies[images.body(entry)].freedom.movable());
        self.num_pairs = self.narrow.run(
            &self.threads,
            (&self.pairs, &self.boxes),
            (bodies, poses, growth, Some(&images)),
            &mut self.candidates,
        );
        self.images = images;
        PeriodicImages::sort(&mut self.candidates);
    }

    /// The touches of the bodies of a model, in its periodic cell if it has one.
    pub fn detect_model(
        &mut self,
        (model, lattice): (&Model<D>, Option<&Lattice<D>>),
        poses: &[Pose<D>],
        growth: &[f64],
    ) {
        match (&model.cell, lattice) {
            (Some(cell), Some(lattice)) => {
                let cell = (lattice, cell.periodic);
                self.detect_periodic(&model.bodies, poses, growth, cell);
            }
            _ => self.detect(&model.bodies, poses, growth),
        }
    }

    /// A list that holds the pairs of the boxes as they are: the last one, or a new one.
    fn update_pair_list(&mut self, movable: impl Fn(usize) -> bool + Sync) {
        if self.pair_list_cache.is_reusable() && self.grid.covers(&self.threads, &self.boxes, &movable) {
            self.pair_list_cache.count_reuse();
            return;
        }
        self.boxes.widen(&self.threads, 0.0);
        let typical = self.grid.levels.median_size(&self.boxes.class);
        let skin = self.pair_list_cache.next_skin(typical);
        if skin > 0.0 {
            self.boxes.widen(&self.threads, skin);
        }
        self.grid.build(&self.threads, &self.boxes, movable);
        self.search.run(&self.threads, &self.grid);
        self.pairs.collect(
            &self.threads,
            &self.search,
            self.grid.order(),
            self.boxes.len(),
        );
    }

    /// Drops what was found between these pairs (sorted) and adds touches that no shapes have (sorted).
    pub(crate) fn exclude_and_insert(&mut self, excluded: &[[u32; 2]], more: &[Candidate<D>]) {
        if !excluded.is_empty() {
            self.candidates
                .retain(|found| excluded.binary_search(&found.bodies).is_err());
        }
        if !more.is_empty() {
            self.candidates.extend_from_slice(more);
            // Stable and on a list that is two sorted ones.
            self.candidates
                .sort_by_key(|found| (found.bodies, found.image, found.point.feature));
        }
    }

    /// The threads.
    pub(crate) fn threads(&self) -> &DetectionThreads {
        &self.threads
    }

    /// What was found last, sorted by bodies, shift, then feature.
    pub fn candidates(&self) -> &[Candidate<D>] {
        &self.candidates
    }

    /// Pairs of bodies whose boxes met.
    pub fn num_pairs(&self) -> usize {
        self.num_pairs
    }

    /// The pairs of bodies whose boxes met, sorted; the smaller number first. In a periodic cell
    /// numbers from that of the bodies on are images.
    pub fn overlapping_pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let met = |[a, b]: &[u32; 2]| self.boxes.overlap(*a as usize, *b as usize);
        self.pairs.iter().filter(met)
    }

    /// Bytes held: for the search of pairs, and for what was found.
    pub fn memory(&self) -> (usize, usize) {
        let broad =
            self.boxes.memory() + self.grid.memory() + self.search.memory() + self.pairs.memory();
        let found = self.candidates.capacity() * size_of::<Candidate<D>>() + self.narrow.memory();
        (broad, found)
    }
}
