//! Narrow phase: contact points of all pairs, in the order of pairs and then of features.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use super::Candidate;
use super::aabbs::{AabbList, overlap};
use super::pair_list::PairList;
use super::periodic_images::PeriodicImages;
use crate::body::Body;
use crate::dynamics::Dynamics;
use crate::thread_pool::DetectionThreads;
use percuss_geometry::Vector;
use percuss_geometry::{ContactPoint, Pose};

/// Pairs per chunk of work.
const PIECE: usize = 4096;
/// Chunks per thread between two concatenations.
const PIECES: usize = 4;

/// The pair list, and the boxes that decide which of its entries overlap.
pub(super) type PairSource<'a, D> = (&'a PairList, &'a AabbList<D>);
/// Bodies, poses, margins, and in a periodic cell the images that entries represent.
pub(super) type NarrowInput<'a, D> = (
    &'a [Body<D>],
    &'a [Pose<D>],
    &'a [f64],
    Option<&'a PeriodicImages<D>>,
);

/// Buffers of the narrow phase, one for each chunk.
#[derive(Debug)]
pub(super) struct NarrowPhase<D: Dynamics> {
    pieces: Vec<NarrowChunk<D>>,
}

/// Candidates of one chunk of pairs.
#[derive(Debug)]
struct NarrowChunk<D: Dynamics> {
    touches: Vec<ContactPoint<D>>,
    found: Vec<Candidate<D>>,
    num_pairs: usize,
}

impl<D: Dynamics> Default for NarrowChunk<D> {
    fn default() -> Self {
        Self {
            touches: Vec::new(),
            found: Vec::new(),
            num_pairs: 0,
        }
    }
}

impl<D: Dynamics> Default for NarrowPhase<D> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<D: Dynamics> NarrowPhase<D> {
    pub(super) fn memory(&self) -> usize {
        let one = |p: &NarrowChunk<D>| {
            p.touches.capacity() * size_of::<ContactPoint<D>>()
                + p.found.capacity() * size_of::<Candidate<D>>()
        };
        self.pieces.iter().map(one).sum()
    }

    /// Writes the candidates of all pairs; returns the number of overlapping pairs.
    pub(super) fn run(
        &mut self,
        team: &DetectionThreads,
        listed: PairSource<'_, D>,
        given: NarrowInput<'_, D>,
        found: &mut Vec<Candidate<D>>,
    ) -> usize {
        let pairs = listed.0;
        found.clear();
        let Some(pool) = team.pool(pairs.len()) else {
            // Serial: directly into the result.
            self.pieces
                .resize_with(1.max(self.pieces.len()), NarrowChunk::default);
            let touches = &mut self.pieces[0].touches;
            return find_candidates(listed, 0..pairs.len(), given, touches, found);
        };
        let num = pool.current_num_threads() * PIECES;
        self.pieces.resize_with(num, NarrowChunk::default);
        let mut num_pairs = 0;
        // Parallel: fixed chunks of pairs, concatenated in order.
        for from in (0..pairs.len()).step_by(num * PIECE) {
            pool.install(|| {
                self.pieces
                    .par_iter_mut()
                    .enumerate()
                    .with_max_len(1)
                    .for_each(|(k, piece)| {
                        // Each chunk has its own buffers.
                        let begin = (from + k * PIECE).min(pairs.len());
                        let end = (begin + PIECE).min(pairs.len());
                        piece.found.clear();
                        let NarrowChunk { touches, found, .. } = piece;
                        piece.num_pairs =
                            find_candidates(listed, begin..end, given, touches, found);
                    });
            });
            // In the order of pairs, whichever thread was faster.
            for piece in &self.pieces {
                reserve(found, piece.found.len());
                found.extend_from_slice(&piece.found);
                num_pairs += piece.num_pairs;
            }
        }
        num_pairs
    }
}

/// Grows a list by a quarter instead of doubling it.
fn reserve<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4 + 64));
    }
}

/// Appends the candidates of consecutive entries of the pair list; returns how many of them overlap.
fn find_candidates<D: Dynamics>(
    (pairs, boxes): PairSource<'_, D>,
    range: Range<usize>,
    given: NarrowInput<'_, D>,
    touches: &mut Vec<ContactPoint<D>>,
    found: &mut Vec<Candidate<D>>,
) -> usize {
    let mut num_pairs = 0;
    // Body of the first entry, by binary search in the row pointers.
    let mut a = pairs
        .first
        .partition_point(|f| *f <= range.start)
        .saturating_sub(1);
    let mut pair = range.start;
    while pair < range.end {
        // Next body with pairs in the range.
        while pairs.first[a + 1] <= pair {
            a += 1;
        }
        let end = pairs.first[a + 1].min(range.end);
        let others = &pairs.other[pair..end];
        // All partners of one body at once; spheres have a path of their own.
        let round = given.3.is_none() && boxes.sphere_radius[a] > 0.0;
        num_pairs += match round {
            true => round_with((a, others), boxes, given, touches, found),
            false => any_with((a, others), boxes, given, touches, found),
        };
        pair = end;
    }
    num_pairs
}

/// Candidates of a disc or a sphere with its partners, most of which are spheres as well.
#[inline]
fn round_with<D: Dynamics>(
    (a, others): (usize, &[u32]),
    boxes: &AabbList<D>,
    given: NarrowInput<'_, D>,
    touches: &mut Vec<ContactPoint<D>>,
    found: &mut Vec<Candidate<D>>,
) -> usize {
    let (_, poses, growth, _) = given;
    let (own, radius, pose) = (&boxes.all[a], boxes.sphere_radius[a], &poses[a]);
    let grown = growth.get(a).copied().unwrap_or(0.0);
    let mut num_pairs = 0;
    for (k, other) in others.iter().enumerate() {
        let b = *other as usize;
        // With a skin the list contains pairs whose boxes do not overlap.
        if boxes.skin > 0.0 && !overlap(own, &boxes.all[b]) {
            continue;
        }
        let other_radius = boxes.sphere_radius[b];
        if !(other_radius > 0.0) {
            num_pairs += any_with((a, &others[k..=k]), boxes, given, touches, found);
            continue;
        }
        num_pairs += 1;
        // Contact margin of the pair.
        let reach = grown + growth.get(b).copied().unwrap_or(0.0);
        if let Some(touch) =
            D::sphere_contact_point((radius, pose), (other_radius, &poses[b]), reach)
        {
            reserve(found, 1);
            found.push(Candidate {
                bodies: [a as u32, b as u32],
                image: [0; 3],
                point: touch,
            });
        }
    }
    num_pairs
}

/// Candidates of a body of any shape with its partners.
fn any_with<D: Dynamics>(
    (a, others): (usize, &[u32]),
    boxes: &AabbList<D>,
    (bodies, poses, growth, images): NarrowInput<'_, D>,
    touches: &mut Vec<ContactPoint<D>>,
    found: &mut Vec<Candidate<D>>,
) -> usize {
    let growth = |i: usize| growth.get(i).copied().unwrap_or(0.0);
    let mut num_pairs = 0;
    for other in others {
        let b = *other as usize;
        if boxes.skin > 0.0 && !boxes.overlap(a, b) {
            continue;
        }
        // In a periodic cell: the bodies of the two entries, and the image of the second.
        let (mut ends, mut shift, mut far) = ([a, b], [0; 3], None);
        if let Some(images) = images {
            let Some((bodies, k)) = images.pair(a, b) else {
                continue;
            };
            far = Some(images.image(&poses[bodies[1]], k));
            (ends, shift) = (bodies, k);
        }
        num_pairs += 1;
        let [i, j] = ends;
        touches.clear();
        // Contact points of the two placed shapes, in the order of features.
        let place = far.as_ref().unwrap_or(&poses[j]);
        let (one, two) = ((&bodies[i].shape, &poses[i]), (&bodies[j].shape, place));
        D::contact_points(one, two, growth(i) + growth(j), touches);
        sort_by_feature(touches);
        reserve(found, touches.len());
        let bodies = [i as u32, j as u32];
        found.extend(touches.iter().map(|touch| Candidate {
            bodies,
            image: shift,
            point: *touch,
        }));
    }
    num_pairs
}

/// Sorts the contact points of a pair by feature, with fast paths for few or sorted points.
pub(crate) fn sort_by_feature<D: Dynamics>(touches: &mut [ContactPoint<D>]) {
    match touches {
        [] | [_] => {}
        [one, two] => {
            if by_feature(two, one) == Ordering::Less {
                std::mem::swap(one, two);
            }
        }
        more if more.is_sorted_by(|one, two| one.feature < two.feature) => {}
        more => more.sort_unstable_by(by_feature),
    }
}

/// Order by feature; points with the same feature by gap, positions and normal.
pub(super) fn by_feature<D: Dynamics>(one: &ContactPoint<D>, two: &ContactPoint<D>) -> Ordering {
    let vector = |a: D::Vector, b: D::Vector| {
        let each = a.components().iter().zip(b.components());
        each.map(|(x, y)| x.total_cmp(y))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    one.feature
        .cmp(&two.feature)
        .then_with(|| one.gap.total_cmp(&two.gap))
        .then_with(|| vector(one.point_a, two.point_a))
        .then_with(|| vector(one.point_b, two.point_b))
        .then_with(|| vector(one.normal, two.normal))
}
