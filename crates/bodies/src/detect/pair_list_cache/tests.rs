//! Reused pair lists against new ones.

use super::super::Detector;
use super::{MAX_BACKOFF, PairListCache, VERLET_SKIN};
use crate::detect::aabbs::empty;
use crate::dynamics::Dynamics;
use percuss_geometry::Vector;
use percuss_geometry::{Aabb, Plane, Space};

/// A small generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector<D: Dynamics>(&mut self, size: f64) -> D::Vector {
        let all: Vec<f64> = (0..D::N).map(|_| (self.unit() - 0.5) * size).collect();
        D::Vector::from_components(&all)
    }
}

fn pairs<D: Dynamics>(
    detector: &mut Detector<D>,
    boxes: &[Aabb<D>],
    movable: &[bool],
) -> Vec<[u32; 2]> {
    detector
        .boxes
        .set(&detector.threads, boxes.len(), |i| boxes[i]);
    detector.update_pair_list(|i| movable[i]);
    detector.overlapping_pairs().collect()
}

/// A long walk of all boxes, in fits of different speed, in which boxes grow and shrink, are fixed and
/// set free, vanish and come back, and one is unbounded.
fn walk<D: Dynamics>(seed: u64, num: usize) {
    let mut random = Random(seed);
    let room = 0.9 * (num as f64).powf(1.0 / D::N as f64);
    let cube = |at: D::Vector, half: f64| Aabb {
        low: at - D::Vector::splat(half),
        high: at + D::Vector::splat(half),
    };
    let mut boxes: Vec<Aabb<D>> = Vec::new();
    for _ in 0..num {
        let half = 0.5 / (1.0 + 5.0 * random.unit());
        boxes.push(cube(random.vector::<D>(room), half));
    }
    boxes[0].high = D::Vector::splat(f64::INFINITY);
    let mut movable = vec![true; num];
    let mut kept = [1, 3].map(Detector::new);
    let mut served = 0;
    for step in 0..3000 {
        let fit = step / 100 % 5;
        let speed = [0.0, 1e-4, 1e-3, 1e-2, 1e-1][fit];
        for bounds in &mut boxes {
            let by = random.vector::<D>(speed);
            (bounds.low, bounds.high) = (bounds.low + by, bounds.high + by);
        }
        if random.unit() < 0.1 {
            let k = 1 + (random.unit() * (num - 1) as f64) as usize;
            let Aabb { low, high } = boxes[k];
            // Now and then some are no boxes for a while: in their place but inside out, or nowhere.
            match (step % 100 >= 80, step % 2) {
                (false, 0) => movable[k] = !movable[k],
                (false, _) => boxes[k] = cube(random.vector::<D>(room), random.unit()),
                (true, 0) => (boxes[k].low, boxes[k].high) = (high, low),
                (true, _) => boxes[k] = cube(D::Vector::splat(f64::INFINITY), 0.5),
            }
        }
        if step % 100 == 99 {
            for bounds in boxes.iter_mut().filter(|b| empty(b)) {
                *bounds = cube(random.vector::<D>(room), 0.3);
            }
        }
        let fresh = pairs(&mut Detector::new(1), &boxes, &movable);
        for detector in &mut kept {
            assert!(
                pairs(detector, &boxes, &movable) == fresh,
                "step {step}: {:?}",
                detector.pair_list_cache
            );
        }
        served += usize::from(kept[0].pair_list_cache.reuses > 0);
    }
    // Slow fits are two fifths of the time, and much of it nothing else happens.
    assert!(served > 400, "a list served in {served} steps");
}

#[test]
fn a_kept_list_is_as_good_as_a_new_one_in_space() {
    walk::<Space>(1, 150);
}

#[test]
fn a_kept_list_is_as_good_as_a_new_one_in_the_plane() {
    walk::<Plane>(2, 100);
}

#[test]
fn a_list_that_does_not_serve_is_made_without_a_skin_more_and_more_often() {
    let mut keep = PairListCache::default();
    let skins: Vec<u32> = (0..200).filter(|_| keep.next_skin(1.0) > 0.0).collect();
    // 1, 3, 7, 15, 31 and then always `MAX_BACKOFF` lists without a skin in between.
    let after = [62 + MAX_BACKOFF + 1, 62 + 2 * (MAX_BACKOFF + 1)];
    assert_eq!(skins, [[0, 2, 6, 14, 30, 62].as_slice(), &after].concat());
    // A list that is reused resets the back-off at once.
    while keep.next_skin(1.0) == 0.0 {}
    keep.count_reuse();
    keep.count_reuse();
    assert_eq!(keep.next_skin(1.0), VERLET_SKIN);
    assert!(keep.is_reusable());
}

#[test]
fn nothing_is_kept_of_few_bodies_or_of_sizes_that_are_no_number() {
    let mut keep = PairListCache::default();
    for typical in [0.0, f64::INFINITY, f64::NAN] {
        assert_eq!(keep.next_skin(typical), 0.0);
        assert!(!keep.is_reusable());
    }
}
