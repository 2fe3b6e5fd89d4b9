//! Bodies on meshes: floors without ghost collisions, solids with a triangulated surface, uneven ground.

use crate::cylinder_kit;

use crate::mesh_kit::{distinct, grid, nearest, shape, skin};
use crate::space_kit::{Random, SpacePose, at, cuboid, least, polyhedron, touches};
use glam::{DQuat, DVec3};
use percuss_geometry::Pose;
use percuss_geometry::space::{Mesh, Shape};
use std::f64::consts::FRAC_PI_2;

/// Positions below 10: rounding.
const TINY: f64 = 1e-13;

#[test]
fn the_tree_finds_what_trying_all_triangles_finds() {
    let mut random = Random(3);
    let mesh = grid(20, 3.0, &mut random, |x, y| {
        (3.0 * x).sin() * (2.0 * y).cos()
    });
    let mut hits = 0;
    for _ in 0..2000 {
        let (x, y) = (
            3.0 * random.cube(),
            random.cube().abs() * random.within(0.01, 2.0),
        );
        let (low, high) = (x - y, x + y);
        let mut found: Vec<u32> = mesh.triangles_in_box(low, high).collect();
        found.sort_unstable();
        let all: Vec<u32> = (0..)
            .zip(mesh.triangles())
            .filter(|(_, t)| {
                let [p, q, r] = t.map(|v| mesh.vertices()[v as usize]);
                (0..3).all(|k| {
                    p[k].min(q[k]).min(r[k]) <= high[k] && p[k].max(q[k]).max(r[k]) >= low[k]
                })
            })
            .map(|(t, _)| t)
            .collect();
        hits += all.len();
        assert_eq!(found, all);
    }
    assert!(hits > 10_000);
}

#[test]
fn on_a_flat_floor_every_body_has_the_points_it_has_on_a_plane() {
    let mut random = Random(8);
    let floor = shape(grid(9, 5.0, &mut random, |_, _| 0.0));
    let bodies = [
        (Shape::sphere(0.4).unwrap(), 0.39, DQuat::IDENTITY, 1),
        (cuboid(2.0, 1.0, 0.6), 0.29, DQuat::IDENTITY, 4),
        (
            Shape::capsule(2.0, 0.3).unwrap(),
            0.29,
            DQuat::from_rotation_y(FRAC_PI_2),
            2,
        ),
        (Shape::cylinder(2.0, 0.6).unwrap(), 0.99, DQuat::IDENTITY, 8),
        (
            Shape::cylinder(2.0, 0.6).unwrap(),
            0.59,
            DQuat::from_rotation_y(FRAC_PI_2),
            2,
        ),
    ];
    for (body, height, stand, count) in &bodies {
        for k in 0..1000 {
            // Also exactly over edges and vertices of the floor.
            let step = |x: f64| {
                if k % 10 == 0 {
                    (x * 9.0).round() * 10.0 / 9.0 / 4.0
                } else {
                    x * 3.0
                }
            };
            let x = random.cube();
            let turn = if k % 20 == 0 {
                0.0
            } else {
                random.within(-3.0, 3.0)
            };
            let pose = Pose {
                position: DVec3::new(step(x.x), step(x.y), *height),
                rotation: DQuat::from_rotation_z(turn) * *stand,
            };
            let found = touches((&floor, &at(0.0, 0.0, 0.0)), (body, &pose), 0.0);
            distinct(&found);
            assert_eq!(found.len(), *count, "{body:?} {pose:?} {found:#?}");
            for t in &found {
                assert!(t.normal.distance(DVec3::Z) < 1e-15, "{t:?}");
                assert!((t.gap + 0.01).abs() < TINY && t.point_a.z.abs() < TINY);
            }
        }
    }
}

#[test]
fn leaning_bodies_touch_a_flat_floor_where_they_touch_a_plane() {
    let mut random = Random(9);
    let floor = shape(grid(9, 5.0, &mut random, |_, _| 0.0));
    let bodies = [
        Shape::sphere(0.4).unwrap(),
        cuboid(2.0, 1.0, 0.6),
        Shape::capsule(2.0, 0.3).unwrap(),
        Shape::cylinder(2.0, 0.6).unwrap(),
    ];
    for k in 0..2000 {
        let body = &bodies[k % 4];
        let mut pose = random.pose(2.0);
        pose.position.z = random.within(0.3, 1.4);
        let found = touches((&floor, &at(0.0, 0.0, 0.0)), (body, &pose), 0.02);
        let plane = touches((&Shape::HalfSpace, &at(0.0, 0.0, 0.0)), (body, &pose), 0.02);
        assert_eq!(found.is_empty(), plane.is_empty(), "{body:?} {pose:?}");
        if !found.is_empty() {
            assert!(
                (least(&found) - least(&plane)).abs() < TINY,
                "{body:?} {pose:?}"
            );
            // A cylinder computes the normal in its own axes: rounding of two rotations.
            assert!(
                found.iter().all(|t| t.normal.distance(DVec3::Z) < 1e-15),
                "{body:?} {pose:?} {found:#?}"
            );
        }
    }
}

#[test]
fn a_box_that_slides_over_a_floor_keeps_its_four_numbers() {
    let mut random = Random(8);
    let floor = shape(grid(9, 5.0, &mut random, |_, _| 0.0));
    let body = cuboid(1.0, 0.7, 0.6);
    let numbers = |x: f64| {
        let pose = Pose {
            position: DVec3::new(x, 0.3 * x, 0.299),
            rotation: DQuat::from_rotation_z(x),
        };
        let mut all: Vec<u32> = touches((&floor, &at(0.0, 0.0, 0.0)), (&body, &pose), 0.0)
            .iter()
            .map(|t| t.feature)
            .collect();
        all.sort_unstable();
        all
    };
    let first = numbers(-3.0);
    assert_eq!(first.len(), 4);
    for k in 0..600 {
        assert_eq!(numbers(-3.0 + 0.01 * f64::from(k)), first);
    }
}

#[test]
fn a_floor_that_ends_under_a_box_carries_it_up_to_its_edge() {
    let mut random = Random(2);
    let floor = shape(grid(4, 2.0, &mut random, |_, _| 0.0));
    let body = cuboid(2.0, 1.0, 1.0);
    let pose = at(1.5, 0.1, 0.49);
    let found = touches((&floor, &at(0.0, 0.0, 0.0)), (&body, &pose), 0.0);
    distinct(&found);
    let mut on: Vec<(f64, f64)> = found.iter().map(|t| (t.point_a.x, t.point_a.y)).collect();
    on.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Two corners, two points where the box's edges pass the floor's end, and the vertex of the floor's
    // edge between them.
    let expected = [(0.5, -0.4), (0.5, 0.6), (2.0, -0.4), (2.0, 0.0), (2.0, 0.6)];
    assert_eq!(on.len(), expected.len(), "{found:#?}");
    for (x, e) in on.iter().zip(expected) {
        assert!((x.0 - e.0).abs() < TINY && (x.1 - e.1).abs() < TINY);
    }
}

/// The smallest gap on the triangulated surface of a solid is that on the solid, from far to 0.02 deep.
#[test]
fn a_solid_and_its_skin_touch_alike() {
    let mut random = Random(12);
    for kind in 0..4 {
        let mut met = 0;
        for _ in 0..10_000 {
            let solid = if random.below(2) == 0 {
                random.cuboid()
            } else {
                random.hull()
            };
            let mesh = shape(skin(&solid));
            let solid = polyhedron(solid);
            let body = match kind {
                0 => Shape::sphere(random.within(0.1, 0.8)).unwrap(),
                1 => Shape::capsule(random.within(0.2, 1.5), random.within(0.1, 0.5)).unwrap(),
                2 => cylinder_kit::cylinder(&mut random),
                _ => polyhedron(random.cuboid()),
            };
            let (p, q) = (random.pose(1.0), random.pose(1.2));
            let reach = 0.05;
            let whole = touches((&solid, &p), (&body, &q), reach);
            let found = touches((&mesh, &p), (&body, &q), reach);
            distinct(&found);
            let (g, h) = (least(&whole), least(&found));
            if g < -0.02 {
                // Deep: each facet knows its own exit only, but a body 0.1 deep (the smallest is 0.1 wide) whose centre
                // is outside is supported.
                let outside = cylinder_kit::surface(&solid, &p, q.position) > 0.0 && g > -0.1;
                assert!(
                    !found.is_empty() || !outside,
                    "{g} {body:?} {q:?} {solid:?} {p:?}"
                );
                continue;
            }
            assert_eq!(
                whole.is_empty(),
                found.is_empty(),
                "{g} {h} {body:?} {q:?} {solid:?} {p:?}"
            );
            if !whole.is_empty() {
                met += 1;
                // Both are measured between the same features: rounding.
                assert!(
                    (g - h).abs() < 1e-9,
                    "{g} {h} {body:?} {q:?} {solid:?} {p:?} {found:#?}"
                );
            }
        }
        assert!(met > 400, "{met}");
    }
}

fn bumpy(random: &mut Random) -> Mesh {
    grid(16, 4.0, random, |x, y| {
        0.4 * (2.0 * x).sin() * (1.5 * y).cos() + 0.1 * (7.0 * x + 3.0 * y).sin()
    })
}

#[test]
fn a_ball_over_bumpy_ground_meets_the_nearest_point_of_all_triangles() {
    let mut random = Random(21);
    let mesh = bumpy(&mut random);
    let ground = shape(mesh.clone());
    let (mut met, mut several) = (0, 0);
    for _ in 0..5000 {
        let x = DVec3::new(3.0, 3.0, 0.0) * random.cube() + DVec3::Z * random.within(0.0, 1.2);
        let radius = random.within(0.1, 0.7);
        let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices()[v as usize]);
        let point = mesh
            .triangles()
            .iter()
            .map(|t| nearest(x, corners(t)))
            .min_by(|a, b| a.distance(x).total_cmp(&b.distance(x)))
            .unwrap();
        // Over the ground the centre is above it: rays down from the sky meet it once.
        let above = mesh.triangles().iter().any(|t| {
            let [p, q, r] = corners(t);
            let side = |a: DVec3, b: DVec3| (b - a).cross(x - a).z >= 0.0;
            side(p, q) && side(q, r) && side(r, p) && (q - p).cross(r - p).dot(x - p) > 0.0
        });
        let body = Shape::sphere(radius).unwrap();
        let found = touches(
            (&ground, &at(0.0, 0.0, 0.0)),
            (&body, &at(x.x, x.y, x.z)),
            0.01,
        );
        distinct(&found);
        let distance = point.distance(x);
        let gap = if above {
            distance - radius
        } else {
            -distance - radius
        };
        if gap > 0.01 || (!above && distance > radius) {
            assert!(found.is_empty(), "{gap} {found:#?}");
        } else {
            met += 1;
            several += usize::from(found.len() > 1);
            assert!(
                (least(&found) - gap).abs() < 1e-12,
                "{gap} {above} {found:#?}"
            );
            let first = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
            // Two nearest points may tie; the gap does not tell which is taken.
            assert!(first.point_a.distance(x) - distance < 1e-12);
            for t in &found {
                let away = mesh
                    .triangles()
                    .iter()
                    .map(|c| nearest(t.point_a, corners(c)).distance(t.point_a));
                assert!(away.fold(f64::INFINITY, f64::min) < 1e-12);
            }
        }
    }
    assert!(met > 1500 && several > 50, "{met} {several}");
}

#[test]
fn moving_mesh_and_body_together_moves_the_touches_along() {
    let mut random = Random(31);
    let ground = shape(bumpy(&mut random));
    let mut met = 0;
    for k in 0..1500 {
        let body = match k % 4 {
            0 => Shape::sphere(0.4).unwrap(),
            1 => Shape::capsule(1.0, 0.2).unwrap(),
            2 => Shape::cylinder(0.8, 0.3).unwrap(),
            _ => polyhedron(random.cuboid()),
        };
        let mut pose = random.pose(2.5);
        pose.position.z = random.within(0.2, 1.0);
        let by = random.pose(3.0);
        let moved = |x: &SpacePose| Pose {
            position: by.position + by.rotation * x.position,
            rotation: (by.rotation * x.rotation).normalize(),
        };
        let here = touches((&ground, &at(0.0, 0.0, 0.0)), (&body, &pose), 0.01);
        let there = touches(
            (&ground, &moved(&at(0.0, 0.0, 0.0))),
            (&body, &moved(&pose)),
            0.01,
        );
        distinct(&here);
        assert_eq!(here.len(), there.len());
        for (t, m) in here.iter().zip(&there) {
            met += 1;
            assert_eq!(t.feature, m.feature);
            // Rounding, magnified by products of nearly parallel edges.
            assert!(
                (t.gap - m.gap).abs() < 1e-11 && (by.rotation * t.normal).distance(m.normal) < 1e-9
            );
        }
        let turned = touches((&body, &pose), (&ground, &at(0.0, 0.0, 0.0)), 0.01);
        assert_eq!(turned.len(), here.len());
        assert!(
            here.iter()
                .zip(&turned)
                .all(|(t, s)| t.normal == -s.normal && t.point_a == s.point_b)
        );
    }
    assert!(met > 1000);
}
