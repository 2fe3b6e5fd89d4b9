//! Random pairs against two references: brute force over all features, and the library parry.

use crate::space_kit::{
    Hull, Random, SpacePose, consistent, least, parry, polyhedron, referee, touches,
};
use glam::DVec3;
use percuss_geometry::space::{ConvexPolyhedron, Shape};

const PAIRS: usize = 20_000;

type Maker = fn(&mut Random) -> Shape;

fn ball(random: &mut Random) -> Shape {
    Shape::sphere(random.within(0.1, 1.0)).unwrap()
}

fn capsule(random: &mut Random) -> Shape {
    Shape::capsule(random.within(0.1, 2.0), random.within(0.1, 0.6)).unwrap()
}

fn brick(random: &mut Random) -> Shape {
    polyhedron(random.cuboid())
}

fn hull(random: &mut Random) -> Shape {
    polyhedron(random.hull())
}

#[derive(Default, Debug)]
struct Tally {
    touching: usize,
    apart: usize,
    missed: usize,
    invented: usize,
    worst_gap: f64,
    worst_normal: f64,
    /// Pairs that overlap, and those of them in which parry's depth is the same to 1e-9.
    overlapping: usize,
    same_depth: usize,
    /// Pairs in which parry reports a contact and the library does not, or the other way round.
    contradicted: usize,
}

fn compare(first: Maker, second: Maker, seed: u64) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for k in 0..PAIRS {
        let (a, b) = (first(&mut random), second(&mut random));
        let (pa, pb) = (random.pose(1.0), random.pose(1.0));
        let reach = if k % 2 == 0 { 0.0 } else { 0.3 };
        one(&mut tally, (&a, &pa), (&b, &pb), reach);
    }
    tally
}

fn one(tally: &mut Tally, a: (&Shape, &SpacePose), b: (&Shape, &SpacePose), reach: f64) {
    let found = touches(a, b, reach);
    consistent(&found, a, b, reach);
    let (s, n, unique) = referee(&Hull::of(a.0, a.1), &Hull::of(b.0, b.1));
    if found.is_empty() {
        tally.apart += 1;
        // A separation within 1e-9 of the contact margin is decided by rounding.
        tally.missed += usize::from(s < reach - 1e-9);
    } else {
        tally.touching += 1;
        tally.invented += usize::from(s > reach + 1e-9);
        let gap = least(&found);
        tally.worst_gap = tally.worst_gap.max((gap - s).abs());
        if unique > 1e-9 && s.abs() > 1e-3 {
            // Nearly parallel capsules have a normal of their own at each end: the deepest counts.
            let deepest = found.iter().filter(|t| t.gap == gap);
            let off = deepest.fold(0.0, |m: f64, t| m.max((t.normal - n).length()));
            tally.worst_normal = tally.worst_normal.max(off);
        }
    }
    let other = parry(a, b, reach);
    let depth = other.map_or(f64::INFINITY, |x| x.0);
    let (ours, theirs) = (least(&found) < reach - 1e-9, depth < reach - 1e-9);
    let clear = (s - reach).abs() > 1e-9;
    tally.contradicted += usize::from(clear && ours != theirs);
    if s < -1e-9 {
        tally.overlapping += 1;
        tally.same_depth += usize::from((depth - s).abs() < 1e-9);
    }
}

/// `agreeing` is the part of the overlapping pairs in which parry finds the same depth. It is less than
/// one because its penetration search stops early in some pairs; brute force decides.
fn check(tally: &Tally, agreeing: f64) {
    println!("{tally:?}");
    assert!(
        tally.touching > PAIRS / 20 && tally.apart > PAIRS / 20,
        "{tally:?}"
    );
    assert_eq!((tally.missed, tally.invented), (0, 0), "{tally:?}");
    // Rounding is 1e-15 for gaps; normals of crossing edges lose digits with the sine of their angle.
    assert!(
        tally.worst_gap < 1e-13 && tally.worst_normal < 1e-9,
        "{tally:?}"
    );
    assert_eq!(tally.contradicted, 0, "{tally:?}");
    let part = tally.same_depth as f64 / tally.overlapping as f64;
    assert!(part >= agreeing, "{part}: {tally:?}");
}

#[test]
fn boxes_agree() {
    check(&compare(brick, brick, 1), 0.99);
}

#[test]
fn hulls_agree() {
    check(&compare(hull, hull, 2), 0.99);
}

#[test]
fn hull_and_box_agree() {
    check(&compare(hull, brick, 3), 0.99);
}

#[test]
fn ball_and_box_agree() {
    check(&compare(brick, ball, 4), 1.0);
}

#[test]
fn hull_and_ball_agree() {
    check(&compare(hull, ball, 5), 1.0);
}

#[test]
fn capsule_and_box_agree() {
    check(&compare(brick, capsule, 6), 0.99);
}

#[test]
fn hull_and_capsule_agree() {
    check(&compare(hull, capsule, 7), 0.99);
}

#[test]
fn capsules_agree() {
    check(&compare(capsule, capsule, 8), 0.95);
}

#[test]
fn balls_and_capsules_agree() {
    check(&compare(ball, capsule, 9), 1.0);
    check(&compare(ball, ball, 10), 1.0);
}

/// Hulls with hundreds of faces, where support vertices are found by hill climbing and axes along arcs.
#[test]
fn large_hulls_agree() {
    let mut random = Random(12);
    let mut large = |count: usize| {
        let points: Vec<DVec3> = (0..count).map(|_| random.direction()).collect();
        let stretch = DVec3::new(1.0, 0.8, 0.5);
        let points: Vec<DVec3> = points.iter().map(|x| *x * stretch).collect();
        polyhedron(ConvexPolyhedron::hull(&points).unwrap().0)
    };
    let shapes = [large(60), large(100), large(150)];
    let mut random = Random(13);
    let mut tally = Tally::default();
    for k in 0..90 {
        let (a, b) = (&shapes[k % 3], &shapes[k / 3 % 3]);
        let (pa, mut pb) = (random.pose(0.1), random.pose(0.1));
        // From deep inside each other to apart.
        pb.position += random.within(0.0, 2.8) * random.direction();
        let reach = [0.0, 0.3][k % 2];
        one(&mut tally, (a, &pa), (b, &pb), reach);
    }
    assert!(tally.touching > 30 && tally.apart > 10, "{tally:?}");
    assert_eq!(
        (tally.missed, tally.invented, tally.contradicted),
        (0, 0, 0),
        "{tally:?}"
    );
    assert!(
        tally.worst_gap < 1e-13 && tally.worst_normal < 1e-9,
        "{tally:?}"
    );
}
