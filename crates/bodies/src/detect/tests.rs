//! The broad phase held against all pairs tested one by one: random boxes and degenerate ones.

use glam::DVec3;

use super::aabbs::{AabbList, with_margin};
use super::levels::Levels;
use super::{Detector, narrow_phase as narrow};
use crate::dynamics::Dynamics;
use crate::thread_pool::DetectionThreads;
use percuss_geometry::Vector;
use percuss_geometry::{Aabb, ContactPoint, Plane, Space};

const THREADS: [usize; 4] = [1, 2, 3, 7];

/// A small generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    fn vector<D: Dynamics>(&mut self, low: f64, high: f64) -> D::Vector {
        let all: Vec<f64> = (0..D::N).map(|_| self.within(low, high)).collect();
        D::Vector::from_components(&all)
    }
}

/// Boxes and whether each is movable.
struct Scene<D: Dynamics>(Vec<(Aabb<D>, bool)>);

impl<D: Dynamics> Scene<D> {
    fn add(&mut self, low: D::Vector, high: D::Vector) {
        self.0.push((Aabb { low, high }, true));
    }

    fn cube(&mut self, at: D::Vector, half: f64) {
        self.add(at - D::Vector::splat(half), at + D::Vector::splat(half));
    }

    /// Boxes that have a point in common, straight from the definition.
    fn brute(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for (a, (one, first)) in self.0.iter().enumerate() {
            for (b, (two, second)) in self.0.iter().enumerate().skip(a + 1) {
                let common = (0..D::N).all(|k| {
                    let low = one.low[k].max(two.low[k]);
                    let high = one.high[k].min(two.high[k]);
                    let bounds = [one.low[k], one.high[k], two.low[k], two.high[k]];
                    low <= high
                        && bounds.iter().all(|x| !x.is_nan())
                        && low < f64::INFINITY
                        && high > f64::NEG_INFINITY
                });
                if common && (*first || *second) {
                    pairs.push([a as u32, b as u32]);
                }
            }
        }
        pairs
    }

    fn pairs(&self, detector: &mut Detector<D>) -> Vec<[u32; 2]> {
        let given = |i: usize| self.0[i].0;
        detector.boxes.set(&detector.threads, self.0.len(), given);
        detector.update_pair_list(|i| self.0[i].1);
        detector.overlapping_pairs().collect()
    }

    /// Compares with all pairs and returns their number.
    fn agrees(&self, detectors: &mut [Detector<D>], name: &str) -> usize {
        let brute = self.brute();
        for detector in detectors {
            assert!(
                self.pairs(detector) == brute,
                "{name}: {:?}",
                detector.threads
            );
        }
        brute.len()
    }
}

fn detectors<D: Dynamics>() -> Vec<Detector<D>> {
    THREADS.map(Detector::new).into()
}

/// `n` boxes: sizes over a ratio, some long, some unbounded, some immovable, at random positions.
fn scene<D: Dynamics>(random: &mut Random, n: usize) -> Scene<D> {
    let mut scene = Scene(Vec::new());
    let ratio = [1.0f64, 2.0, 10.0, 100.0, 1000.0][random.below(5)];
    let offset = D::Vector::splat([0.0, 0.0, 1e3, -1e6][random.below(4)]);
    let room = [0.2, 1.0, 3.0][random.below(3)] * (n as f64).powf(1.0 / D::N as f64);
    let odd = random.below(3) == 0;
    for _ in 0..n {
        let size = ratio.powf(-random.within(0.0, 1.0).sqrt());
        let mut half = random.vector::<D>(0.3 * size, 0.5 * size);
        let at = random.vector::<D>(0.0, room) + offset;
        if odd && random.below(20) == 0 {
            let mut long = [0.01; 3];
            long[random.below(D::N)] = room;
            half = D::Vector::from_components(&long[..D::N]);
        }
        let mut low = at - half;
        let mut high = at + half;
        if odd && random.below(60) == 0 {
            low = D::Vector::splat(f64::NEG_INFINITY);
            if random.below(2) == 0 {
                high = D::Vector::splat(f64::INFINITY);
            }
        }
        scene.0.push((Aabb { low, high }, random.below(3) > 0));
    }
    scene
}

fn random_scenes<D: Dynamics>(seed: u64, cases: usize) {
    let mut random = Random(seed);
    let mut detectors = detectors::<D>();
    let mut pairs = 0;
    for case in 0..cases {
        let n = match case % 4 {
            0 => 2 + random.below(70),
            _ => 60 + random.below(340),
        };
        let scene = scene::<D>(&mut random, n);
        pairs += scene.agrees(&mut detectors, &format!("case {case}, {n} bodies"));
    }
    assert!(pairs > cases * 20, "scenes in which boxes meet: {pairs}");
}

#[test]
fn none_is_missed_and_none_invented_in_the_plane() {
    random_scenes::<Plane>(1, 1000);
}

#[test]
fn none_is_missed_and_none_invented_in_space() {
    random_scenes::<Space>(2, 1000);
}

/// Enough for several pieces per thread, in a full box (cells numbered one by one) and in a sparse one
/// (cells by hash).
#[test]
fn threads_share_large_scenes_without_a_trace() {
    let mut random = Random(3);
    for (ratio, room) in [(1.0f64, 16.0), (30.0, 16.0), (1.0, 60.0), (30.0, 60.0)] {
        let mut scene = Scene::<Space>(Vec::new());
        for _ in 0..6000 {
            let size = ratio.powf(-random.within(0.0, 1.0));
            scene.cube(random.vector::<Space>(0.0, room), 0.5 * size);
        }
        scene.add(
            Vector::splat(f64::NEG_INFINITY),
            Vector::from_components(&[f64::INFINITY, f64::INFINITY, 3.0]),
        );
        assert!(scene.agrees(&mut detectors(), "large") > 100);
    }
}

#[test]
fn boxes_that_touch_exactly_are_found_on_any_lattice() {
    // Touching faces, edges and corners. Neighbours share their wall to the bit; sides and offsets
    // whose multiples are not binary numbers.
    let n = 7;
    for (side, offset) in [
        (1.0, 0.0),
        (0.1, 0.0),
        (0.1, 1e6),
        (1.0 / 3.0, -7.7e5),
        (1e-3, 1e3),
    ] {
        let mut scene = Scene::<Space>(Vec::new());
        let wall = |i: usize| i as f64 * side + offset;
        for k in 0..n * n * n {
            let at = [k % n, k / n % n, k / n / n];
            let (low, high) = (at.map(wall), at.map(|i| wall(i + 1)));
            scene.add(
                Vector::from_components(&low),
                Vector::from_components(&high),
            );
        }
        let faces = 3 * n * n * (n - 1);
        let edges = 6 * n * (n - 1) * (n - 1);
        let corners = 4 * (n - 1) * (n - 1) * (n - 1);
        let found = scene.agrees(&mut detectors(), &format!("{side} {offset}"));
        assert_eq!(found, faces + edges + corners);
    }
}

#[test]
fn degenerate_places_agree_with_brute_force() {
    let mut random = Random(4);
    let mut detectors = detectors::<Space>();
    for (name, spread) in [
        ("line along x", [400.0, 0.0, 0.0]),
        ("line along z", [0.0, 0.0, 400.0]),
        ("plane y z", [0.0, 20.0, 20.0]),
        ("one place", [0.0, 0.0, 0.0]),
        ("within a cell", [0.5, 0.5, 0.5]),
        ("very sparse", [1e12, 1e12, 1e12]),
        ("sparse line", [1e15, 0.0, 0.0]),
    ] {
        for offset in [0.0, 1e6, -1e6, 1e14] {
            let mut scene = Scene::<Space>(Vec::new());
            for _ in 0..300 {
                let at = spread.map(|s| offset + random.within(0.0, 1.0) * s);
                scene.cube(Vector::from_components(&at), random.within(0.25, 0.5));
            }
            scene.agrees(&mut detectors, &format!("{name} from {offset}"));
        }
    }
}

#[test]
fn plates_needles_and_points_agree_with_brute_force() {
    let mut random = Random(5);
    let mut detectors = detectors::<Space>();
    for sides in [
        [1.0, 1.0, 1e-3],
        [1e-4, 1.0, 1.0],
        [1e-3, 1e-3, 1.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
    ] {
        for mixed in [false, true] {
            let mut scene = Scene::<Space>(Vec::new());
            for _ in 0..300 {
                let mut sides = sides;
                if mixed {
                    sides.rotate_left(random.below(3));
                }
                let at = random.vector::<Space>(0.0, 3.0);
                scene.add(at, at + DVec3::from(sides));
            }
            scene.agrees(&mut detectors, &format!("{sides:?} {mixed}"));
        }
    }
}

/// Cells as flat as the tiles would be without number between the ends of a cube.
#[test]
fn cubes_among_tiles_without_thickness_agree_with_brute_force() {
    let mut random = Random(9);
    let mut scene = Scene::<Space>(Vec::new());
    for _ in 0..100 {
        let at = random.vector::<Space>(0.0, 10.0);
        scene.add(at, at + DVec3::new(5.0, 5.0, 0.0));
    }
    for _ in 0..300 {
        scene.cube(random.vector::<Space>(0.0, 10.0), random.within(0.1, 0.3));
    }
    assert!(scene.agrees(&mut detectors(), "tiles") > 100);
}

#[test]
fn sizes_over_all_numbers_agree_with_brute_force() {
    let mut random = Random(6);
    let mut scene = Scene::<Plane>(Vec::new());
    for _ in 0..600 {
        let half = 10f64.powf(random.within(-300.0, 300.0));
        let far = 10f64.powf(random.within(-300.0, 300.0));
        scene.cube(random.vector::<Plane>(-3.0, 3.0) * far, half);
    }
    for at in [f64::MIN_POSITIVE, 5e-324, f64::MAX, -f64::MAX, 0.0, -0.0] {
        scene.cube(Vector::splat(at), 5e-324);
        scene.cube(Vector::splat(at), f64::MAX);
    }
    scene.agrees(&mut detectors(), "all numbers");
}

#[test]
fn what_is_not_a_number_or_at_infinity_meets_nothing() {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for n in [10, 40, 400] {
        let mut random = Random(7);
        let mut scene = Scene::<Space>(Vec::new());
        for k in 0..n {
            scene.cube(random.vector::<Space>(0.0, 3.0), 0.5);
            let mut at = [1.0; 3];
            at[k % 3] = bad[k / 3 % 3];
            scene.cube(Vector::from_components(&at), 0.5);
            // One bound alone; an empty box.
            scene.add(Vector::splat(0.0), Vector::from_components(&at));
            scene.add(Vector::from_components(&at), Vector::splat(2.0));
            scene.add(Vector::splat(2.0), Vector::splat(1.0));
        }
        assert!(scene.agrees(&mut detectors(), "bad") > 0);
    }
}

/// A run that has diverged: bodies at infinity or not a number, and bodies of all magnitudes, each in another level.
#[test]
fn a_blown_up_scene_ends() {
    let mut scene = Scene::<Space>(Vec::new());
    for k in 0..30_000 {
        scene.cube(Vector::splat([f64::INFINITY, f64::NAN][k % 2]), 0.5);
    }
    let mut detector = Detector::new(1);
    assert!(scene.pairs(&mut detector).is_empty());
    for (k, (bounds, _)) in scene.0.iter_mut().enumerate() {
        let far = 2f64.powi(k as i32 % 2000 - 1000);
        let at = Vector::from_components(&[far, far * (1.0 + k as f64), -far]);
        *bounds = Aabb { low: at, high: at };
    }
    assert!(scene.pairs(&mut detector).is_empty());
}

#[test]
fn only_pairs_with_a_movable_body_are_listed() {
    for n in [30, 300] {
        let mut scene = Scene::<Plane>(Vec::new());
        for _ in 0..n {
            scene.cube(Vector::splat(0.0), 1.0);
        }
        scene.0.iter_mut().for_each(|b| b.1 = false);
        scene.cube(Vector::splat(0.5), 1.0);
        let pairs = scene.pairs(&mut Detector::new(1));
        assert_eq!(pairs, (0..n).map(|a| [a, n]).collect::<Vec<_>>());
    }
}

#[test]
fn a_box_grows_by_its_growth_on_all_sides() {
    let bounds: Aabb<Plane> = Aabb {
        low: Vector::from_components(&[-1.0, f64::NEG_INFINITY]),
        high: Vector::from_components(&[3.0, 5.0]),
    };
    let big = with_margin(bounds, Vector::splat(0.0), 0.25);
    // Beyond by rounding errors of numbers up to 5.25, and not by more.
    let close = |x: f64, wanted: f64, out: f64| {
        assert!(
            (x - wanted) * out > 0.0 && (x - wanted).abs() < 1e-13,
            "{x} {wanted}"
        );
    };
    close(big.low[0], -1.25, -1.0);
    close(big.high[0], 3.25, 1.0);
    close(big.high[1], 5.25, 1.0);
    assert_eq!(big.low[1], f64::NEG_INFINITY);
}

#[test]
fn sizes_of_one_octave_share_a_level() {
    // Wherever the octave begins: 1, 1.3 or 1.9 times a power of 2.
    for first in [1.0, 1.3, 1.9] {
        let mut boxes = AabbList::<Plane>::default();
        let team = DetectionThreads::new(1);
        boxes.set(&team, 1000, |i| Aabb {
            low: Vector::splat(0.0),
            high: Vector::splat(first * (1.0 + 0.7 * i as f64 / 1000.0)),
        });
        boxes.widen(&team, 0.0);
        let mut levels = Levels::default();
        levels.choose(&team, &boxes);
        assert_eq!(levels.all.len(), 1, "from {first}");
    }
}

#[test]
fn touches_are_in_an_order_that_does_not_depend_on_the_first_one() {
    let mut random = Random(8);
    let touch = |feature: u32, gap: f64, x: f64| ContactPoint::<Plane> {
        point_a: Vector::splat(x),
        point_b: Vector::splat(0.0),
        normal: Vector::splat(0.0),
        gap,
        feature,
    };
    let mut sorted = Vec::new();
    for feature in 0..10 {
        for (gap, x) in [(-0.0, 1.0), (0.0, 0.0), (0.0, 0.5), (0.0, 0.5), (1.0, -2.0)] {
            sorted.push(touch(feature, gap, x));
        }
    }
    for _ in 0..100 {
        let mut mixed = sorted.clone();
        for k in 0..mixed.len() {
            let other = random.below(k + 1);
            mixed.swap(k, other);
        }
        mixed.sort_unstable_by(narrow::by_feature);
        assert_eq!(mixed, sorted);
    }
}
