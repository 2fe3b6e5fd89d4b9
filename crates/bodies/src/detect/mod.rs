//! Contact detection: broad phase (hierarchical grid, Verlet list), narrow phase, results in a fixed order.
//!
//! ```text
//! input        box B_i ⊇ shape i at its pose, with the margin growth_i (aabb_margin),   i = 0..n
//! pairs        P = { (a, b) : a < b,  B_a ∩ B_b ≠ ∅,  a or b movable }
//! candidates   all contact points of `Dynamics::contact_points` over P with gap ≤ growth_a + growth_b
//! ```
//!
//! The boxes are closed and enlarged by a few rounding errors, so that a contact point whose gap equals the
//! contact margin is never lost to the rounding of a box. P is sorted by (a, b), candidates by (a, b, feature):
//! the lists depend on the bodies, their poses and margins alone, neither on the number of threads nor on
//! earlier detections. The pair list that is kept from one detection to the next (`pair_list_cache`) saves time and does
//! not change the result.
//!
//! Broad phase: a hierarchical grid (multi-level cell list; `levels`, `grid`, `pair_search`), one level per octave
//! of box size. A body is in one cell of its level and searches half the neighbourhood in its own level and all
//! of it in coarser ones. The few largest bodies, and unbounded ones, are tested against all boxes. Work and
//! memory are proportional to the number of bodies and pairs for any sizes and any extent of the scene, with
//! one limit: where long and thin bodies of several directions are densely packed, a cell contains many bodies
//! that do not overlap.
//!
//! Boxes that are not a number or at infinity overlap nothing.

mod aabbs;
mod grid;
mod levels;
mod narrow_phase;
mod pair_list;
mod pair_list_cache;
mod pair_search;
mod periodic_images;
#[cfg(test)]
mod tests;

use crate::body::Body;
pub use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::periodic_cell::Lattice;
use crate::thread_pool::DetectionThreads;
use aabbs::{AabbList, with_margin};
use grid::Grid;
use narrow_phase::NarrowPhase;
pub(crate) use narrow_phase::sort_by_feature;
use pair_list::PairList;
use pair_list_cache::PairListCache;
use pair_search::PairSearch;
use percuss_geometry::Pose;
use periodic_images::PeriodicImages;

/// Sets the length of a list with one entry per body, all of which are written next: no spare capacity.
fn set_len<T: Clone>(list: &mut Vec<T>, len: usize, filler: T) {
    if len > list.capacity() {
        list.reserve_exact(len - list.len());
    }
    list.resize(len, filler);
}

/// The same where the length varies from call to call: some spare capacity, but not doubled.
fn set_varying_len<T: Clone>(list: &mut Vec<T>, len: usize, filler: T) {
    if len > list.capacity() {
        list.reserve_exact(len - list.len() + len / 16 + 1024);
    }
    list.resize(len, filler);
}

/// Contact detector; its buffers and its pair list are reused from step to step.
#[derive(Debug)]
pub struct Detector<D: Dynamics> {
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

impl<D: Dynamics> Detector<D> {
    /// A detector with this many threads; the candidates do not depend on it. Where the system grants no
    /// threads it works serially.
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

    /// Finds every contact point with gap ≤ contact margin between two bodies of which at least one is movable.
    /// The contact margin of a pair is the sum of the margins `growth` of its bodies; an empty slice means 0
    /// for all.
    pub fn detect(&mut self, bodies: &[Body<D>], poses: &[Pose<D>], growth: &[f64]) {
        // Broad phase: boxes, pair list.
        self.boxes.measure(&self.threads, bodies, poses, growth);
        self.update_pair_list(|i| bodies[i].freedom.movable());
        // Narrow phase: contact points of the overlapping pairs.
        self.num_pairs = self.narrow.run(
            &self.threads,
            (&self.pairs, &self.boxes),
            (bodies, poses, growth, None),
            &mut self.candidates,
        );
    }

    /// The same in a periodic cell, with images along the vectors that are `periodic`. Bodies may be outside
    /// the cell; two images of one body have no contact.
    pub fn detect_periodic(
        &mut self,
        bodies: &[Body<D>],
        poses: &[Pose<D>],
        growth: &[f64],
        (lattice, periodic): (&Lattice<D>, [bool; 3]),
    ) {
        let images = &mut self.images;
        // Wrapped bodies and ghosts are the entries of the broad phase.
        images.place(bodies, poses, growth, (lattice, periodic));
        self.boxes.set(&self.threads, images.at.len(), |entry| {
            let (body, pose) = (images.body(entry), &images.at[entry]);
            let growth = growth.get(body).copied().unwrap_or(0.0);
            // The margin covers the rounding error of the wrapped position: it is scaled by the unwrapped one.
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

    /// Detects the candidates of the bodies of a model, in its periodic cell if it has one.
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

    /// Makes sure that the pair list contains all pairs of the present boxes: reuses the last one or builds a
    /// new one.
    fn update_pair_list(&mut self, movable: impl Fn(usize) -> bool + Sync) {
        // Reuse while no body has left its enlarged box.
        if self.pair_list_cache.is_reusable()
            && self.grid.covers(&self.threads, &self.boxes, &movable)
        {
            self.pair_list_cache.count_reuse();
            return;
        }
        // Median box size without skin, then the boxes with it.
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

    /// Removes the candidates of excluded pairs (sorted) and adds candidates that do not come from shapes (sorted).
    pub(crate) fn exclude_and_insert(&mut self, excluded: &[[u32; 2]], more: &[Candidate<D>]) {
        if !excluded.is_empty() {
            self.candidates
                .retain(|found| excluded.binary_search(&found.bodies).is_err());
        }
        if !more.is_empty() {
            self.candidates.extend_from_slice(more);
            // A stable merge sort, fast on two sorted lists.
            self.candidates
                .sort_by_key(|found| (found.bodies, found.image, found.point.feature));
        }
    }

    /// The thread pool.
    pub(crate) fn threads(&self) -> &DetectionThreads {
        &self.threads
    }

    /// The candidates of the last detection, sorted by bodies, image, then feature.
    pub fn candidates(&self) -> &[Candidate<D>] {
        &self.candidates
    }

    /// Number of pairs of bodies whose boxes overlapped.
    pub fn num_pairs(&self) -> usize {
        self.num_pairs
    }

    /// The pairs of bodies whose boxes overlapped, sorted, the smaller index first. In a periodic cell indices
    /// from the number of bodies on are images.
    pub fn overlapping_pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let met = |[a, b]: &[u32; 2]| self.boxes.overlap(*a as usize, *b as usize);
        self.pairs.iter().filter(met)
    }

    /// Bytes of memory: of the broad phase, and of the candidates with the narrow phase.
    pub fn memory(&self) -> (usize, usize) {
        let broad =
            self.boxes.memory() + self.grid.memory() + self.search.memory() + self.pairs.memory();
        let found = self.candidates.capacity() * size_of::<Candidate<D>>() + self.narrow.memory();
        (broad, found)
    }
}
