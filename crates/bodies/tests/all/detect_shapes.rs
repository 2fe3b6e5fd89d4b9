//! Detection with all shapes against the contact points of all pairs: none missed, none spurious, sorted, the same bits
//! for any number of threads and whatever was detected before.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::plane::{self, Angle, Chain, ConvexPolygon};
use percuss_bodies::space::{self, ConvexPolyhedron, Mesh};
use percuss_bodies::{
    Body, Candidate, ContactPoint, Detector, Dynamics, Freedom, MassProperties, Plane, Pose, Space,
    Vector,
};

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

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn freedom(&mut self) -> Freedom {
        match self.below(8) {
            0 => Freedom::Fixed,
            1 => Freedom::Kinematic(0),
            2 => Freedom::Partial(0),
            3 => Freedom::Partial(2),
            _ => Freedom::Free,
        }
    }
}

struct Scene<D: Dynamics> {
    bodies: Vec<Body<D>>,
    poses: Vec<Pose<D>>,
    growth: Vec<f64>,
}

impl<D: Dynamics> Scene<D> {
    /// A body; its mass has no part in detection.
    fn add(&mut self, shape: D::Shape, pose: Pose<D>, freedom: Freedom, inertia: D::Inertia) {
        let boundary = D::boundary_only(&shape);
        self.bodies.push(Body {
            shape,
            mass: MassProperties { mass: 1.0, inertia },
            material: 0,
            freedom: if boundary { Freedom::Fixed } else { freedom },
        });
        self.poses.push(pose);
    }

    fn brute(&self) -> Vec<Candidate<D>> {
        let growth = |i: usize| self.growth.get(i).copied().unwrap_or(0.0);
        let mut found: Vec<Candidate<D>> = Vec::new();
        let mut touches: Vec<ContactPoint<D>> = Vec::new();
        for a in 0..self.bodies.len() {
            for b in a + 1..self.bodies.len() {
                if !self.bodies[a].freedom.movable() && !self.bodies[b].freedom.movable() {
                    continue;
                }
                touches.clear();
                let one = (&self.bodies[a].shape, &self.poses[a]);
                let two = (&self.bodies[b].shape, &self.poses[b]);
                D::contact_points(one, two, growth(a) + growth(b), &mut touches);
                touches.sort_by_key(|t| t.feature);
                let bodies = [a as u32, b as u32];
                found.extend(touches.iter().map(|t| Candidate {
                    bodies,
                    image: [0; 3],
                    point: *t,
                }));
            }
        }
        found
    }

    /// Detects with detectors that have worked before; returns the number of contact points.
    fn agrees(&self, detectors: &mut [Detector<D>], name: &str) -> usize {
        let brute = self.brute();
        for detector in detectors.iter_mut() {
            detector.detect(&self.bodies, &self.poses, &self.growth);
            let keys = |all: &[Candidate<D>]| -> Vec<[u32; 3]> {
                let key = |f: &Candidate<D>| [f.bodies[0], f.bodies[1], f.point.feature];
                all.iter().map(key).collect()
            };
            let (found, wanted) = (keys(detector.candidates()), keys(&brute));
            assert!(found.is_sorted(), "{name}");
            assert_eq!(found, wanted, "{name}");
            assert!(bits(detector.candidates()) == bits(&brute), "{name}: bits");
        }
        brute.len()
    }
}

fn bits<D: Dynamics>(found: &[Candidate<D>]) -> Vec<u64> {
    let mut bits = Vec::new();
    for f in found {
        bits.push(f.point.gap.to_bits());
        for v in [f.point.point_a, f.point.point_b, f.point.normal] {
            bits.extend(v.components().iter().map(|x| x.to_bits()));
        }
    }
    bits
}

fn detectors<D: Dynamics>() -> Vec<Detector<D>> {
    [1, 2, 3, 7].map(Detector::new).into()
}

fn shape_of_space(random: &mut Random, size: f64) -> space::Shape {
    match random.below(5) {
        0 => space::Shape::capsule(size, 0.2 * size).unwrap(),
        1 => space::Shape::cylinder(size, 0.3 * size).unwrap(),
        2 => {
            let sides = DVec3::new(size, 0.6 * size, 0.5 * size);
            space::Shape::Polyhedron(Arc::new(ConvexPolyhedron::cuboid(sides).unwrap()))
        }
        _ => space::Shape::sphere(0.5 * size).unwrap(),
    }
}

fn turned(random: &mut Random) -> DQuat {
    let axis = [(); 3].map(|()| random.within(-3.0, 3.0));
    DQuat::from_scaled_axis(DVec3::from(axis))
}

fn scene_of_space(random: &mut Random, n: usize) -> Scene<Space> {
    let mut scene = Scene {
        bodies: Vec::new(),
        poses: Vec::new(),
        growth: Vec::new(),
    };
    let ratio: f64 = [1.0, 10.0, 100.0][random.below(3)];
    let room = 0.9 * (n as f64).cbrt();
    for _ in 0..n {
        let size = ratio.powf(-random.unit());
        let shape = shape_of_space(random, size);
        let position = DVec3::from([(); 3].map(|()| random.within(0.0, room)));
        let rotation = turned(random);
        let freedom = random.freedom();
        scene.add(shape, Pose { position, rotation }, freedom, DVec3::ONE);
    }
    let tilted = Pose {
        position: DVec3::splat(0.1 * room),
        rotation: turned(random),
    };
    let level = Pose {
        position: DVec3::new(0.0, 0.0, 0.2 * room),
        rotation: DQuat::IDENTITY,
    };
    scene.add(space::Shape::HalfSpace, tilted, Freedom::Fixed, DVec3::ONE);
    scene.add(space::Shape::HalfSpace, level, Freedom::Fixed, DVec3::ONE);
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let corners = corners.map(|[x, y]| DVec3::new(x * room, y * room, 0.5 * room));
    let mesh = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let still = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    scene.add(
        space::Shape::Mesh(Arc::new(mesh)),
        still,
        Freedom::Fixed,
        DVec3::ONE,
    );
    if random.below(2) == 0 {
        let growth = (0..scene.bodies.len()).map(|_| random.within(0.0, 0.1));
        scene.growth = growth.collect();
    }
    scene
}

fn scene_of_plane(random: &mut Random, n: usize) -> Scene<Plane> {
    let mut scene = Scene {
        bodies: Vec::new(),
        poses: Vec::new(),
        growth: Vec::new(),
    };
    let ratio: f64 = [1.0, 10.0, 100.0][random.below(3)];
    let room = 0.9 * (n as f64).sqrt();
    for _ in 0..n {
        let size = ratio.powf(-random.unit());
        let shape = match random.below(3) {
            0 => plane::Shape::capsule(size, 0.2 * size).unwrap(),
            1 => plane::Shape::Polygon(Arc::new(
                ConvexPolygon::rectangle(size, 0.5 * size).unwrap(),
            )),
            _ => plane::Shape::disc(0.5 * size).unwrap(),
        };
        let pose = Pose {
            position: DVec2::new(random.within(0.0, room), random.within(0.0, room)),
            rotation: Angle::new(random.within(-4.0, 4.0)),
        };
        let freedom = random.freedom();
        scene.add(shape, pose, freedom, 1.0);
    }
    let tilted = Pose {
        position: DVec2::splat(0.1 * room),
        rotation: Angle::new(random.within(-4.0, 4.0)),
    };
    scene.add(plane::Shape::HalfPlane, tilted, Freedom::Fixed, 1.0);
    let line = [[0.0, 0.4], [0.5, 0.5], [1.0, 0.4]].map(|p| DVec2::from(p) * room);
    let chain = Chain::new(&line, false).unwrap();
    let still = Pose {
        position: DVec2::ZERO,
        rotation: Angle::default(),
    };
    scene.add(
        plane::Shape::Chain(Arc::new(chain)),
        still,
        Freedom::Fixed,
        1.0,
    );
    if random.below(2) == 0 {
        let growth = (0..scene.bodies.len()).map(|_| random.within(0.0, 0.1));
        scene.growth = growth.collect();
    }
    scene
}

#[test]
fn all_touches_of_space_are_found_and_no_others() {
    let mut random = Random(1);
    let mut detectors = detectors();
    let mut touches = 0;
    for case in 0..60 {
        let n = [20, 100, 250][case % 3];
        let scene = scene_of_space(&mut random, n);
        touches += scene.agrees(&mut detectors, &format!("case {case}"));
    }
    assert!(touches > 2000, "scenes in which things touch: {touches}");
}

#[test]
fn all_touches_of_the_plane_are_found_and_no_others() {
    let mut random = Random(2);
    let mut detectors = detectors();
    let mut touches = 0;
    for case in 0..60 {
        let n = [20, 100, 250][case % 3];
        let scene = scene_of_plane(&mut random, n);
        touches += scene.agrees(&mut detectors, &format!("case {case}"));
    }
    assert!(touches > 2000, "scenes in which things touch: {touches}");
}

fn lattice(n: usize, step: f64, radius: f64, offset: f64) -> Scene<Space> {
    let mut scene = Scene {
        bodies: Vec::new(),
        poses: Vec::new(),
        growth: Vec::new(),
    };
    for k in 0..n * n * n {
        let at = [k % n, k / n % n, k / n / n].map(|i| i as f64 * step + offset);
        let pose = Pose {
            position: DVec3::from(at),
            rotation: DQuat::IDENTITY,
        };
        let sphere = space::Shape::sphere(radius).unwrap();
        scene.add(sphere, pose, Freedom::Free, DVec3::ONE);
    }
    scene
}

/// Gaps of exactly 0, or off by a rounding error: the narrow phase decides which of them count, and the bounding boxes
/// must not decide otherwise.
#[test]
fn spheres_that_just_touch_are_not_lost_to_rounding() {
    for (step, offset) in [
        (1.0, 0.0),
        (0.1, 0.0),
        (0.1, 1e6),
        (1.0 / 3.0, -7.7e5),
        (1e-3, 12.3),
    ] {
        let scene = lattice(6, step, 0.5 * step, offset);
        let found = scene.agrees(&mut detectors(), &format!("{step} from {offset}"));
        assert!(found > 0, "{step} from {offset}");
    }
}

/// Enough pairs for several rounds of several threads.
#[test]
fn threads_leave_no_trace_in_many_pairs() {
    let mut random = Random(3);
    let mut scene = lattice(24, 0.98, 0.5, 0.0);
    for pose in &mut scene.poses {
        pose.position += DVec3::from([(); 3].map(|()| random.within(0.0, 0.02)));
    }
    let mut one = Detector::new(1);
    one.detect(&scene.bodies, &scene.poses, &[]);
    assert!(one.num_pairs() > 100_000 && one.candidates().len() > 35_000);
    assert!(one.overlapping_pairs().is_sorted());
    for threads in [2, 3, 7] {
        let mut many = Detector::new(threads);
        many.detect(&scene.bodies, &scene.poses, &[]);
        assert!(
            many.candidates() == one.candidates()
                && bits(many.candidates()) == bits(one.candidates())
        );
        assert!(many.overlapping_pairs().eq(one.overlapping_pairs()));
    }
}

#[test]
fn bodies_that_are_nowhere_touch_nothing() {
    for (k, bad) in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
        .into_iter()
        .enumerate()
    {
        let mut scene = scene_of_space(&mut Random(k as u64), 100);
        for pose in scene.poses.iter_mut().take(50) {
            pose.position[k] = bad;
        }
        for mut detector in detectors() {
            detector.detect(&scene.bodies, &scene.poses, &scene.growth);
            assert!(detector.candidates().iter().all(|f| f.bodies[0] >= 50));
            assert!(!detector.candidates().is_empty());
        }
    }
}

#[test]
fn nothing_and_one_body_are_scenes() {
    for mut detector in detectors() {
        let mut scene = lattice(1, 1.0, 0.5, 0.0);
        detector.detect(&scene.bodies, &scene.poses, &[]);
        assert!(detector.candidates().is_empty() && detector.num_pairs() == 0);
        scene.bodies.clear();
        scene.poses.clear();
        detector.detect(&scene.bodies, &scene.poses, &[]);
        assert!(detector.candidates().is_empty() && detector.num_pairs() == 0);
    }
}
