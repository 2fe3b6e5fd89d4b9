//! Cost of contact detection: time per body and per pair, and memory per body, for spheres on a jittered lattice
//! whose neighbours touch, for mixtures of sizes and for arrangements that are hard for a grid. Once with a new pair
//! list in every detection (new), once with bodies so slow that the Verlet list is reused (kept).
//!
//! `cargo run --release -p percuss-bodies --example detect_speed [largest number of bodies]`

use std::time::{Duration, Instant};

use glam::{DQuat, DVec3};
use percuss_bodies::space::Shape;
use percuss_bodies::{Body, Detector, Freedom, MassProperties, Pose, Space};

/// Pseudorandom numbers (splitmix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }
}

#[derive(Default)]
struct Scene {
    bodies: Vec<Body<Space>>,
    poses: Vec<Pose<Space>>,
}

impl Scene {
    fn add(&mut self, shape: Shape, position: DVec3, freedom: Freedom) {
        let mass = MassProperties {
            mass: 1.0,
            inertia: DVec3::ONE,
        };
        self.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.poses.push(Pose {
            position,
            rotation: DQuat::IDENTITY,
        });
    }

    fn sphere(&mut self, position: DVec3, radius: f64) {
        self.add(Shape::Sphere { radius }, position, Freedom::Free);
    }

    /// Random order of the bodies: indices without relation to positions, as after a long flow.
    fn shuffled(mut self, random: &mut Random) -> Self {
        for k in (1..self.bodies.len()).rev() {
            let other = (random.unit() * (k + 1) as f64) as usize;
            self.bodies.swap(k, other);
            self.poses.swap(k, other);
        }
        self
    }
}

/// Unit spheres at the points of a lattice, a little off; neighbours along the axes touch or nearly.
/// `sides`: relative lengths of the box.
fn lattice(n: usize, sides: [f64; 3], offset: f64) -> Scene {
    let mut random = Random(1);
    let mut scene = Scene::default();
    let volume: f64 = sides.iter().product();
    let scale = (n as f64 / volume).cbrt();
    let num = sides.map(|s| ((s * scale).round() as usize).max(1));
    for k in 0..n {
        let at = [k % num[0], k / num[0] % num[1], k / num[0] / num[1]];
        let at = DVec3::from(at.map(|i| i as f64)) * 0.99;
        let jitter = 0.02 * random.vector();
        scene.sphere(at + jitter + offset, 0.5);
    }
    scene.add(Shape::HalfSpace, DVec3::splat(offset - 0.5), Freedom::Fixed);
    scene
}

/// Spheres with diameters in 1/ratio..1, each octave with the same share of 0.4 of the volume; they
/// overlap at random places as much as that gives.
fn mixture(n: usize, ratio: f64) -> Scene {
    let mut random = Random(2);
    let mut scene = Scene::default();
    // p(d) ~ d⁻⁴: the same volume per octave. The inverse of its distribution.
    let top = ratio.powi(3);
    let mut radii = Vec::with_capacity(n);
    for _ in 0..n {
        let d = (top - random.unit() * (top - 1.0)).powf(-1.0 / 3.0);
        radii.push(0.5 * d);
    }
    let solid: f64 = radii
        .iter()
        .map(|r| 4.0 / 3.0 * std::f64::consts::PI * r.powi(3))
        .sum();
    let room = (solid / 0.4).cbrt();
    for radius in radii {
        scene.sphere(random.vector() * room, radius);
    }
    scene.add(Shape::HalfSpace, DVec3::ZERO, Freedom::Fixed);
    scene
}

/// Time of the fastest of several detections, before each of which all bodies move by `step`.
fn fastest(detector: &mut Detector<Space>, scene: &mut Scene, step: f64) -> f64 {
    let n = scene.bodies.len();
    let mut best = Duration::MAX;
    for k in 0..(2_000_000 / n).clamp(4, 200) {
        let by = if k % 2 == 0 { step } else { -step };
        for pose in &mut scene.poses {
            pose.position.x += by;
        }
        let start = Instant::now();
        detector.detect(&scene.bodies, &scene.poses, &[]);
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64
}

/// With steps too large for the pair list to be reused, and with small ones.
fn measure(name: &str, mut scene: Scene) {
    let n = scene.bodies.len();
    for threads in [1, 2] {
        let mut detector = Detector::new(threads);
        let far = fastest(&mut detector, &mut scene, 3.0);
        let mut detector = Detector::new(threads);
        let near = fastest(&mut detector, &mut scene, 1e-5);
        let (broad, found) = detector.memory();
        let per_body = |x: usize| x as f64 / n as f64;
        println!(
            "{name:<20} {n:>8} {threads:>7} {:>9.3} {:>8.0} {:>8.0} {:>9.3} {:>8.0} {:>10.2} {:>10.2} {:>7.0} {:>7.0}",
            far * 1e-6,
            far / n as f64,
            far / detector.num_pairs().max(1) as f64,
            near * 1e-6,
            near / n as f64,
            per_body(detector.num_pairs()),
            per_body(detector.candidates().len()),
            per_body(broad),
            per_body(found),
        );
    }
}

fn main() {
    let most = std::env::args().nth(1).and_then(|s| s.parse().ok());
    let most: usize = most.unwrap_or(1_000_000);
    println!(
        "{:<20} {:>8} {:>7} {:>9} {:>8} {:>8} {:>9} {:>8} {:>10} {:>10} {:>7} {:>7}",
        "scene",
        "bodies",
        "threads",
        "ms new",
        "ns/body",
        "ns/pair",
        "ms kept",
        "ns/body",
        "pairs/body",
        "found/body",
        "B/body",
        "B found"
    );
    let cube = [1.0; 3];
    let sizes = [1_000, 10_000, 100_000, 1_000_000];
    for n in sizes.into_iter().filter(|n| *n <= most) {
        measure("lattice", lattice(n, cube, 0.0));
    }
    for n in sizes.into_iter().filter(|n| *n <= most) {
        measure(
            "lattice, shuffled",
            lattice(n, cube, 0.0).shuffled(&mut Random(3)),
        );
    }
    for n in sizes.into_iter().filter(|n| *n <= most) {
        measure("mixture 1:100", mixture(n, 100.0));
    }
    for ratio in [3.0, 10.0, 30.0, 1000.0] {
        measure(&format!("mixture 1:{ratio}"), mixture(most / 10, ratio));
    }
    for (name, sides, offset) in [
        ("line", [1e12, 1.0, 1.0], 0.0),
        ("line along z", [1.0, 1.0, 1e12], 0.0),
        ("layer", [1e3, 1e3, 1e-3], 0.0),
        ("wall", [1e-3, 1e3, 1e3], 0.0),
        ("lattice from 1e6", cube, 1e6),
    ] {
        measure(name, lattice(most / 10, sides, offset));
    }
    let mut away = lattice(most / 10, cube, 0.0);
    away.sphere(DVec3::splat(-1e9), 0.5);
    measure("one far away", away);
    let mut gas = Scene::default();
    let mut random = Random(4);
    for _ in 0..most / 10 {
        gas.sphere(random.vector() * 1e4, 0.5);
    }
    measure("gas", gas);
}
