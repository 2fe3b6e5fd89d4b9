//! Pair list: partners by slot of the grid become pairs sorted by the smaller index (CSR).
//!
//! A counting sort by the smaller index, then each body's partners by index. Threads divide the bodies: each
//! thread reads all partners by slot and keeps those of its own bodies.

use rayon::prelude::*;

use super::grid::IMMOVABLE_BIT;
use super::pair_search::PairSearch;
use crate::thread_pool::DetectionThreads;

/// Pairs, sorted by the smaller index and then by the larger one.
#[derive(Debug, Default)]
pub(super) struct PairList {
    /// Pairs of body a are `first[a]..first[a + 1]`.
    pub(super) first: Vec<usize>,
    /// The larger index of each pair.
    pub(super) other: Vec<u32>,
}

/// Work of a thread: consecutive bodies, the ends of their pairs, and their part of the list, from pair `base` on.
struct Share<'a> {
    from: usize,
    ends: &'a mut [usize],
    base: usize,
    pairs: &'a mut [u32],
}

impl PairList {
    pub(super) fn len(&self) -> usize {
        self.other.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.first.capacity() * size_of::<usize>() + self.other.capacity() * size_of::<u32>()
    }

    /// All pairs in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = [u32; 2]> {
        (0u32..)
            .zip(self.first.windows(2))
            .flat_map(|(a, ends)| self.other[ends[0]..ends[1]].iter().map(move |b| [a, *b]))
    }

    /// Sorts the result of the search for `n` bodies.
    pub(super) fn collect(
        &mut self,
        team: &DetectionThreads,
        search: &PairSearch,
        order: &[u32],
        n: usize,
    ) {
        super::set_len(&mut self.first, n + 1, 0);
        self.first.fill(0);
        let ends = &mut self.first[1..];
        // Count the pairs of each body by its smaller index.
        match team.pool(n) {
            Some(pool) => {
                let size = n.div_ceil(pool.current_num_threads());
                pool.install(|| {
                    ends.par_chunks_mut(size)
                        .enumerate()
                        .for_each(|(k, ends)| count(search, order, k * size, ends));
                });
            }
            None => count(search, order, 0, ends),
        }
        // Exclusive prefix sums: the first pair of each body.
        let mut sum = 0;
        for count in ends.iter_mut() {
            sum += std::mem::replace(count, sum);
        }
        // Write and sort the partners.
        super::set_varying_len(&mut self.other, sum, 0);
        let pairs = &mut self.other[..];
        match team.pool(n) {
            Some(pool) => {
                let mut shares = Vec::new();
                let size = n.div_ceil(pool.current_num_threads());
                let (mut rest, mut base) = (pairs, 0);
                // Disjoint parts of the list, one for each thread.
                let begins: Vec<usize> = ends.iter().step_by(size).copied().skip(1).collect();
                for (k, ends) in ends.chunks_mut(size).enumerate() {
                    let end = begins.get(k).copied().unwrap_or(sum);
                    let (pairs, after) = rest.split_at_mut(end - base);
                    let from = k * size;
                    shares.push(Share {
                        from,
                        ends,
                        base,
                        pairs,
                    });
                    (rest, base) = (after, end);
                }
                pool.install(|| shares.into_par_iter().for_each(|s| fill(search, order, s)));
            }
            None => fill(
                search,
                order,
                Share {
                    from: 0,
                    ends,
                    base: 0,
                    pairs,
                },
            ),
        }
    }
}

/// Calls `work` with each pair whose smaller index is in `from..from + num`: that index, counted from `from`,
/// and the larger one.
#[inline(always)]
fn each(
    search: &PairSearch,
    order: &[u32],
    (from, num): (usize, usize),
    mut work: impl FnMut(usize, u32),
) {
    let slots = order
        .chunks(search.piece)
        .zip(search.count.chunks(search.piece));
    for ((order, count), piece) in slots.zip(&search.pieces) {
        let mut rest = &piece.list[..];
        for (entry, count) in order.iter().zip(count) {
            let a = entry & !IMMOVABLE_BIT;
            // Partners of this slot.
            let (partners, after) = rest.split_at(*count as usize);
            rest = after;
            for b in partners {
                let smaller = (a.min(*b) as usize).wrapping_sub(from);
                if smaller < num {
                    work(smaller, a.max(*b));
                }
            }
        }
    }
}

/// Counts the pairs of each body from `from` on.
fn count(search: &PairSearch, order: &[u32], from: usize, counts: &mut [usize]) {
    each(search, order, (from, counts.len()), |a, _| counts[a] += 1);
}

/// Writes and sorts the partners of each body; the begin of its pairs becomes their end.
fn fill(search: &PairSearch, order: &[u32], share: Share<'_>) {
    let Share {
        from,
        ends,
        base,
        pairs,
    } = share;
    each(search, order, (from, ends.len()), |a, b| {
        pairs[ends[a] - base] = b;
        ends[a] += 1;
    });
    let mut begin = 0;
    for end in ends.iter() {
        pairs[begin..*end - base].sort_unstable();
        begin = *end - base;
    }
}
