//! Volumes of shapes clipped by boxes, against closed forms, sampling and additivity.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};
use percuss_geometry::ClippedVolume;
use percuss_geometry::plane::{self, Angle, ConvexPolygon};
use percuss_geometry::space::{self, ConvexPolyhedron};
use percuss_geometry::{Plane, Pose, Space};

const INF: f64 = f64::INFINITY;

/// Numbers in [0, 1) from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        // Knuth's MMIX; the upper bits are good.
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.next()
    }
}

fn plane_shapes() -> Vec<(plane::Shape, f64)> {
    let corners = [
        DVec2::new(-1.0, -0.7),
        DVec2::new(0.9, -0.8),
        DVec2::new(1.1, 0.4),
        DVec2::new(0.1, 1.2),
        DVec2::new(-0.9, 0.5),
    ];
    let (polygon, _) = ConvexPolygon::new(&corners).unwrap();
    let area = polygon.area();
    vec![
        (plane::Shape::disc(1.1).unwrap(), PI * 1.21),
        (plane::Shape::Polygon(Arc::new(polygon)), area),
        (
            plane::Shape::capsule(1.3, 0.6).unwrap(),
            1.3 * 1.2 + PI * 0.36,
        ),
    ]
}

fn space_shapes() -> Vec<space::Shape> {
    let points = [
        DVec3::new(-1.0, -0.7, -0.5),
        DVec3::new(0.9, -0.8, -0.6),
        DVec3::new(1.1, 0.4, 0.1),
        DVec3::new(0.1, 1.2, -0.3),
        DVec3::new(-0.9, 0.5, 0.2),
        DVec3::new(0.0, 0.1, 1.3),
    ];
    let (hull, _) = ConvexPolyhedron::hull(&points).unwrap();
    let cuboid = ConvexPolyhedron::cuboid(DVec3::new(1.0, 1.5, 2.0)).unwrap();
    vec![
        space::Shape::sphere(1.1).unwrap(),
        space::Shape::Polyhedron(Arc::new(hull)),
        space::Shape::Polyhedron(Arc::new(cuboid)),
        space::Shape::capsule(1.3, 0.6).unwrap(),
        space::Shape::cylinder(1.3, 0.6).unwrap(),
    ]
}

fn turned(random: &mut Random) -> Pose<Space> {
    let mut unit = || random.between(-1.0, 1.0);
    let rotation = DQuat::from_xyzw(unit(), unit(), unit(), unit()).normalize();
    let position = DVec3::new(unit(), unit(), unit());
    Pose { position, rotation }
}

#[test]
fn parts_of_the_plane_add_up_to_the_whole() {
    let mut random = Random(1);
    for (shape, area) in plane_shapes() {
        assert!((Plane::volume(&shape) - area).abs() < 1e-12);
        for _ in 0..200 {
            let pose = Pose::<Plane> {
                position: DVec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)),
                rotation: Angle::new(random.between(0.0, 7.0)),
            };
            let mut cuts = [[-INF, 0.0, 0.0, INF], [-INF, 0.0, 0.0, INF]];
            for axis in &mut cuts {
                axis[1] = random.between(-2.0, 2.0);
                axis[2] = random.between(axis[1], 2.0);
            }
            let mut sum = 0.0;
            for i in 0..3 {
                for j in 0..3 {
                    let (low, high) = (
                        [cuts[0][i], cuts[1][j], 0.0],
                        [cuts[0][i + 1], cuts[1][j + 1], 0.0],
                    );
                    let part = Plane::volume_in_box(&shape, &pose, &low, &high);
                    assert!((0.0..=area * (1.0 + 1e-12)).contains(&part));
                    sum += part;
                }
            }
            // Rounding of a dozen terms.
            assert!(
                (sum - area).abs() < 1e-12 * area,
                "{shape:?}: {sum} of {area}"
            );
        }
    }
}

#[test]
fn parts_of_space_add_up_to_the_whole() {
    let mut random = Random(2);
    for shape in space_shapes() {
        let volume = Space::volume(&shape);
        for _ in 0..30 {
            let pose = turned(&mut random);
            let mut cuts = [[-INF, 0.0, 0.0, INF]; 3];
            for axis in &mut cuts {
                axis[1] = random.between(-2.0, 2.0);
                axis[2] = random.between(axis[1], 2.0);
            }
            let mut sum = 0.0;
            for k in 0..27 {
                let at = [k / 9, k / 3 % 3, k % 3];
                let low = [0, 1, 2].map(|a| cuts[a][at[a]]);
                let high = [0, 1, 2].map(|a| cuts[a][at[a] + 1]);
                sum += Space::volume_in_box(&shape, &pose, &low, &high);
            }
            // Gauss–Legendre quadrature of the sections of the sphere leaves 1e-12; the others round.
            assert!(
                (sum - volume).abs() < 1e-10 * volume,
                "{shape:?}: {sum} of {volume}"
            );
        }
    }
}

#[test]
fn areas_are_those_of_sampling() {
    let mut random = Random(3);
    for (shape, area) in plane_shapes() {
        for _ in 0..5 {
            let angle = Angle::new(random.between(0.0, 7.0));
            let pose = Pose::<Plane> {
                position: DVec2::new(0.1, -0.2),
                rotation: angle,
            };
            let (x, y) = (random.between(-1.0, 0.3), random.between(-1.0, 0.3));
            let (low, high) = ([x, y, 0.0], [x + 0.9, y + 1.1, 0.0]);
            let mut hits = 0;
            const POINTS: usize = 100_000;
            for _ in 0..POINTS {
                let p = DVec2::new(
                    random.between(low[0], high[0]),
                    random.between(low[1], high[1]),
                );
                let local = pose.rotation.rotate_back(p - pose.position);
                hits += usize::from(has_plane(&shape, local));
            }
            let sampled = 0.99 * hits as f64 / POINTS as f64;
            let exact = Plane::volume_in_box(&shape, &pose, &low, &high);
            // Four standard deviations of a share, at most ½/√n, of the box of area 0.99.
            let tolerance = 4.0 * 0.5 / (POINTS as f64).sqrt() * 0.99;
            assert!(
                (sampled - exact).abs() < tolerance,
                "{shape:?}: {sampled}, {exact} of {area}"
            );
        }
    }
}

fn has_plane(shape: &plane::Shape, p: DVec2) -> bool {
    match shape {
        plane::Shape::Disc { radius } => p.length() <= *radius,
        plane::Shape::Capsule {
            half_length: l,
            radius,
        } => (p - DVec2::new(p.x.clamp(-l, *l), 0.0)).length() <= *radius,
        plane::Shape::Polygon(polygon) => {
            let all = polygon.vertices();
            let next = all.iter().cycle().skip(1);
            all.iter()
                .zip(next)
                .all(|(a, b)| (*b - *a).perp_dot(p - *a) >= 0.0)
        }
        _ => false,
    }
}

fn has_space(shape: &space::Shape, p: DVec3) -> bool {
    match shape {
        space::Shape::Sphere { radius } => p.length() <= *radius,
        space::Shape::Capsule {
            half_length: l,
            radius,
        } => (p - DVec3::Z * p.z.clamp(-l, *l)).length() <= *radius,
        space::Shape::Cylinder {
            half_length,
            radius,
        } => p.z.abs() <= *half_length && p.truncate().length() <= *radius,
        space::Shape::Polyhedron(polyhedron) => polyhedron.faces().all(|face| {
            let corner = |k: usize| polyhedron.vertices()[face[k] as usize];
            let normal = (corner(1) - corner(0)).cross(corner(2) - corner(0));
            normal.dot(p - corner(0)) <= 0.0
        }),
        _ => false,
    }
}

#[test]
fn volumes_are_those_of_sampling() {
    let mut random = Random(4);
    for shape in space_shapes() {
        let pose = turned(&mut random);
        let from = pose.position - DVec3::new(0.7, 0.5, 0.6);
        let (low, high) = (
            from.to_array(),
            (from + DVec3::new(1.0, 1.2, 0.9)).to_array(),
        );
        let mut hits = 0;
        const POINTS: usize = 100_000;
        for _ in 0..POINTS {
            let p = [0, 1, 2].map(|k| random.between(low[k], high[k]));
            let local = pose.rotation.inverse() * (DVec3::from_array(p) - pose.position);
            hits += usize::from(has_space(&shape, local));
        }
        let sampled = 1.08 * hits as f64 / POINTS as f64;
        let exact = Space::volume_in_box(&shape, &pose, &low, &high);
        // Four standard deviations; lattices of points add 1 % of the volume of the body.
        let round = matches!(
            shape,
            space::Shape::Capsule { .. } | space::Shape::Cylinder { .. }
        );
        let own = if round {
            0.01 * Space::volume(&shape)
        } else {
            0.0
        };
        let tolerance = 4.0 * 0.5 / (POINTS as f64).sqrt() * 1.08 + own;
        assert!(
            (sampled - exact).abs() < tolerance,
            "{shape:?}: {sampled}, {exact}"
        );
    }
}

#[test]
fn balls_have_the_closed_forms_of_caps_and_octants() {
    let ball = space::Shape::sphere(2.0).unwrap();
    let pose = Pose::<Space> {
        position: DVec3::new(1.0, 2.0, 3.0),
        rotation: DQuat::IDENTITY,
    };
    let whole = 4.0 / 3.0 * PI * 8.0;
    let inside = |low: [f64; 3], high: [f64; 3]| Space::volume_in_box(&ball, &pose, &low, &high);
    let all = [INF; 3];
    // Gauss–Legendre quadrature leaves 1e-13 of the whole.
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * whole, "{a}, {b}");
    near(inside([-INF; 3], all), whole);
    near(inside([1.0, -INF, -INF], all), whole / 2.0);
    near(inside([1.0, 2.0, -INF], all), whole / 4.0);
    near(inside([1.0, 2.0, 3.0], all), whole / 8.0);
    // Cap of height 0.5: π h² (3r − h)/3.
    near(
        inside([-INF, 3.5, -INF], all),
        PI * 0.25 * (6.0 - 0.5) / 3.0,
    );
    // Between two planes: π ∫ (r² − x²) dx from −1 to ½.
    let slab = PI * (4.0 * 1.5 - (0.125 + 1.0) / 3.0);
    near(inside([0.0, -INF, -INF], [1.5, INF, INF]), slab);
    // A box inside is full.
    near(inside([0.5, 1.5, 2.5], [1.5, 2.5, 3.5]), 1.0);
    assert_eq!(inside([3.1, -INF, -INF], all), 0.0);
}

#[test]
fn boundaries_have_no_volume_and_far_bodies_none_inside() {
    let half = plane::Shape::HalfPlane;
    let pose = Pose::<Plane> {
        position: DVec2::ZERO,
        rotation: Angle::new(0.0),
    };
    assert_eq!(
        Plane::volume_in_box(&half, &pose, &[-1.0; 3], &[1.0; 3]),
        0.0
    );
    let disc = plane::Shape::disc(1.0).unwrap();
    assert_eq!(
        Plane::volume_in_box(&disc, &pose, &[2.0; 3], &[3.0; 3]),
        0.0
    );
    // Bounds that are no numbers hold nothing.
    assert_eq!(
        Plane::volume_in_box(&disc, &pose, &[f64::NAN; 3], &[3.0; 3]),
        0.0
    );
}
