//! Solids almost in contact, in every combination of their features, against bounds that need no search.
//!
//! ```text
//! s(n) = min_{y∈B} n·y − max_{x∈A} n·x,    max_n s(n) ≤ separation ≤ |y − x|  for any x ∈ A, y ∈ B
//! ```
//!
//! The normal of a contact point is correct if s(n), over all vertices, is the reported gap, and the gap is correct if
//! no pair of features is closer and, where solids overlap, no axis is better.

use crate::space_kit::{Hull, Random, SpacePose, consistent, least, planes, polyhedron, touches};
use glam::{DQuat, DVec3};
use percuss_geometry::Pose;
use percuss_geometry::space::{ConvexPolyhedron, Shape};

/// Gaps at which solids are placed.
const GAPS: [f64; 13] = [
    0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-8, -1e-8, 4e-7, -4e-7, 1e-6, -1e-6, 1e-4, -1e-4,
];

const REACH: f64 = 2e-3;

fn ring(count: usize, radius: f64, height: f64) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |k| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
        DVec3::new(radius * cos, radius * sin, height)
    })
}

/// Boxes, voussoirs of a dome, drums of columns, pebbles.
fn solid(random: &mut Random) -> ConvexPolyhedron {
    let hull = |points: &[DVec3]| ConvexPolyhedron::hull(points).expect("a solid").0;
    match random.below(5) {
        0 => random.cuboid(),
        1 => {
            // Between two spheres, two meridians and two cones.
            let (inner, outer): (f64, f64) = (1.0, random.within(1.1, 1.5));
            let (from, to): (f64, f64) = (random.within(0.3, 0.8), random.within(0.9, 1.3));
            let wide: f64 = random.within(0.1, 0.3);
            let mut points = Vec::new();
            for (radius, polar) in [(inner, from), (inner, to), (outer, from), (outer, to)] {
                for turn in [-wide, wide] {
                    let across: f64 = radius * f64::sin(polar);
                    points.push(DVec3::new(
                        across * turn.cos(),
                        across * turn.sin(),
                        radius * polar.cos(),
                    ));
                }
            }
            hull(&points)
        }
        2 => {
            let sides = 3 + random.below(10);
            let (top, height) = (random.within(0.4, 1.0), random.within(0.1, 0.8));
            let points: Vec<DVec3> = ring(sides, 0.8, -height)
                .chain(ring(sides, 0.8 * top, height))
                .collect();
            hull(&points)
        }
        3 => {
            // More than 40 vertices: support vertices are found by hill climbing.
            let points: Vec<DVec3> = ring(22, 0.7, -0.4).chain(ring(22, 0.7, 0.4)).collect();
            hull(&points)
        }
        _ => random.hull(),
    }
}

/// A point of a feature, an outward normal there, and a direction within the feature.
fn feature(random: &mut Random, body: &ConvexPolyhedron, kind: usize) -> (DVec3, DVec3, DVec3) {
    let v = body.vertices();
    let loops: Vec<&[u32]> = body.faces().collect();
    let normals: Vec<DVec3> = planes(body).iter().map(|p| p.0).collect();
    let face = random.below(loops.len());
    let corner = |k: usize| loops[face][k % loops[face].len()];
    let k = random.below(loops[face].len());
    let (i, j) = (corner(k), corner(k + 1));
    let (p, q) = (v[i as usize], v[j as usize]);
    let along = (q - p).normalize();
    let mix = |random: &mut Random, with: &[u32]| {
        let around = (0..loops.len()).filter(|f| with.iter().all(|x| loops[*f].contains(x)));
        around
            .fold(DVec3::ZERO, |sum, f| {
                sum + random.within(0.05, 1.0) * normals[f]
            })
            .normalize()
    };
    match kind {
        0 => {
            let weights: Vec<f64> = loops[face]
                .iter()
                .map(|_| random.within(0.0, 1.0))
                .collect();
            let sum: f64 = weights.iter().sum();
            let point = loops[face].iter().zip(&weights);
            let point = point.fold(DVec3::ZERO, |x, (i, w)| x + *w / sum * v[*i as usize]);
            (point, normals[face], along)
        }
        1 => (
            p.lerp(q, random.within(0.0, 1.0)),
            mix(random, &[i, j]),
            along,
        ),
        _ => (p, mix(random, &[i]), along),
    }
}

/// Places b so that a feature of it lies over one of a, `gap` apart, and tilts it slightly.
fn placed(
    random: &mut Random,
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    kinds: [usize; 2],
    gap: f64,
) -> [SpacePose; 2] {
    let (p, m, u) = feature(random, a, kinds[0]);
    let (q, l, w) = feature(random, b, kinds[1]);
    let mut turn = DQuat::from_rotation_arc(l, -m);
    let twist = if random.below(2) == 0 {
        // The directions within the features along each other.
        let (w, v) = (turn * w, m.cross(u));
        (-w.dot(v)).atan2(w.dot(u))
    } else {
        random.within(-3.0, 3.0)
    };
    turn = DQuat::from_axis_angle(m, twist) * turn;
    if random.below(4) > 0 {
        let angle = 10.0_f64.powf(random.within(-12.0, -3.0));
        turn = DQuat::from_axis_angle(random.direction(), angle) * turn;
    }
    let there: SpacePose = Pose {
        position: p + gap * m - turn * q,
        rotation: turn.normalize(),
    };
    let whole = random.pose(1.0);
    let moved = Pose {
        position: whole.position + whole.rotation * there.position,
        rotation: (whole.rotation * there.rotation).normalize(),
    };
    [whole, moved]
}

/// s(n), with every vertex.
fn along(a: &Hull, b: &Hull, n: DVec3) -> f64 {
    let low = b
        .vertices
        .iter()
        .map(|y| y.dot(n))
        .fold(f64::INFINITY, f64::min);
    let high = a
        .vertices
        .iter()
        .map(|x| x.dot(n))
        .fold(f64::NEG_INFINITY, f64::max);
    low - high
}

/// The largest s(n) of all normals of faces and of pairs of edges.
fn best_axis(a: &Hull, b: &Hull) -> f64 {
    let faces = a
        .normals
        .iter()
        .copied()
        .chain(b.normals.iter().map(|n| -*n));
    let mut most = faces
        .map(|n| along(a, b, n))
        .fold(f64::NEG_INFINITY, f64::max);
    for (p, q) in &a.edges {
        for (x, y) in &b.edges {
            let (u, v) = ((*q - *p).normalize(), (*y - *x).normalize());
            let n = u.cross(v);
            // Flatter ones span faces of B − A that are narrower than the bound below: their neighbours are
            // as deep.
            if n.length() > 1e-10 {
                let n = n.normalize();
                most = most.max(along(a, b, n)).max(along(a, b, -n));
            }
        }
    }
    most
}

fn on_segment(x: DVec3, p: DVec3, q: DVec3) -> DVec3 {
    let u = q - p;
    p + ((x - p).dot(u) / u.length_squared()).clamp(0.0, 1.0) * u
}

/// The least distance of a point of one solid's features from one of the other's: vertices from faces, and
/// edges from edges, all nearest points clamped to their features, so that each distance is one of two points
/// of the solids.
fn nearest_features(a: &Hull, b: &Hull) -> f64 {
    let mut best = f64::INFINITY;
    for (from, to) in [(a, b), (b, a)] {
        for x in &from.vertices {
            for (face, n) in to.faces.iter().zip(&to.normals) {
                let h = (*x - face[0]).dot(*n);
                let foot = *x - h * *n;
                let inside = (0..face.len()).all(|k| {
                    let (p, q) = (face[k], face[(k + 1) % face.len()]);
                    n.cross(q - p).dot(foot - p) >= 0.0
                });
                if inside {
                    best = best.min(h.abs());
                }
            }
            for (p, q) in &to.edges {
                best = best.min((on_segment(*x, *p, *q) - *x).length());
            }
        }
    }
    for (p, q) in &a.edges {
        for (x, y) in &b.edges {
            let (u, v, r) = (*q - *p, *y - *x, *p - *x);
            let w = u.cross(v);
            let s = -(r.cross(v)).dot(w) / w.length_squared();
            if s.is_finite() {
                let on_a = *p + s.clamp(0.0, 1.0) * u;
                let on_b = on_segment(on_a, *x, *y);
                best = best.min((on_segment(on_b, *p, *q) - on_b).length());
            }
        }
    }
    best
}

#[derive(Default, Debug)]
struct Tally {
    seen: usize,
    apart: usize,
    overlapping: usize,
    /// Contact points whose normal does not separate the solids by the gap.
    normal: usize,
    /// Gaps that are not the distance, or not the least depth.
    gap: usize,
    missed: usize,
    worst_normal: f64,
    worst_gap: f64,
}

fn judge(tally: &mut Tally, a: (&Shape, &SpacePose), b: (&Shape, &SpacePose)) {
    let found = touches(a, b, REACH);
    let (ha, hb) = (Hull::of(a.0, a.1), Hull::of(b.0, b.1));
    let (axis, features) = (best_axis(&ha, &hb), nearest_features(&ha, &hb));
    tally.seen += 1;
    if found.is_empty() {
        // Features that are `REACH` apart are decided by rounding.
        tally.missed += usize::from(axis < 0.0 || features < REACH - 1e-12);
        return;
    }
    consistent(&found, a, b, REACH);
    let gap = least(&found);
    let n = found[0].normal;
    assert!(found.iter().all(|t| t.normal == n), "one normal: {found:?}");
    // Depths are chosen within some 1e-12 of the sizes, which are below 4, as are distances up to 1e-11 of
    // them: faces go before edges. Larger distances are as exact as the places of vertices, which are below 4
    // away from the origin.
    let overlap = axis <= 4e-11;
    let within = if overlap { 1e-11 } else { 1e-14 };
    let off_normal = (along(&ha, &hb, n) - gap).abs();
    // A gap that the normal verifies may be larger than the best of the axes above, not smaller.
    let off_gap = if overlap {
        axis - gap
    } else {
        (gap - features).abs()
    };
    if overlap {
        tally.overlapping += 1;
    } else {
        tally.apart += 1;
    }
    tally.worst_normal = tally.worst_normal.max(off_normal);
    tally.worst_gap = tally.worst_gap.max(off_gap);
    tally.normal += usize::from(!(off_normal <= within));
    tally.gap += usize::from(!(off_gap <= within));
}

fn tally(count: usize, kinds: [usize; 2], seed: u64) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for k in 0..count {
        let (a, b) = (solid(&mut random), solid(&mut random));
        let poses = placed(&mut random, &a, &b, kinds, GAPS[k % GAPS.len()]);
        let (a, b) = (polyhedron(a), polyhedron(b));
        judge(&mut tally, (&a, &poses[0]), (&b, &poses[1]));
    }
    tally
}

fn check(kinds: [usize; 2], seed: u64) {
    let count = 1_300;
    let tally = tally(count, kinds, seed);
    println!("{kinds:?} {tally:?}");
    assert_eq!(
        (tally.missed, tally.normal, tally.gap),
        (0, 0, 0),
        "{tally:?}"
    );
    assert!(
        tally.apart > count / 4 && tally.overlapping > count / 4,
        "{tally:?}"
    );
}

#[test]
fn a_face_near_a_face_has_the_normal_and_gap_that_separate_best() {
    check([0, 0], 41);
}

#[test]
fn an_edge_near_a_face_has_the_normal_and_gap_that_separate_best() {
    check([1, 0], 42);
    check([0, 1], 43);
}

#[test]
fn a_vertex_near_a_face_has_the_normal_and_gap_that_separate_best() {
    check([2, 0], 44);
    check([0, 2], 45);
}

#[test]
fn edges_near_each_other_have_the_normal_and_gap_that_separate_best() {
    check([1, 1], 46);
}

#[test]
fn vertices_near_edges_and_vertices_have_the_normal_and_gap_that_separate_best() {
    check([2, 1], 47);
    check([1, 2], 48);
    check([2, 2], 49);
}
