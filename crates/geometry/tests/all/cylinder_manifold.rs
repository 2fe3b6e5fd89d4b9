//! Contact points of standing, lying and inclined cylinders, where they are known.

use crate::space_kit;

use crate::cylinder_kit::{consistent, cylinder as any_cylinder};
use crate::space_kit::{Random, SpacePose, at, cuboid, polyhedron, touches};
use glam::{DQuat, DVec3};
use percuss_geometry::space::Shape;
use percuss_geometry::{ContactPoint, Pose, Space};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

fn turned(x: f64, y: f64, z: f64, rotation: DQuat) -> SpacePose {
    Pose {
        position: DVec3::new(x, y, z),
        rotation,
    }
}

fn lying() -> DQuat {
    DQuat::from_rotation_y(FRAC_PI_2)
}

fn features(found: &[ContactPoint<Space>]) -> Vec<u32> {
    let mut all: Vec<u32> = found.iter().map(|t| t.feature).collect();
    all.sort_unstable();
    all
}

/// Positions below 10: rounding.
const TINY: f64 = 1e-14;

#[test]
fn on_a_half_space_it_stands_on_its_rim_and_lies_on_a_generatrix() {
    let c = Shape::cylinder(2.0, 0.5).unwrap();
    let found = touches(
        (&c, &at(0.0, 0.0, 0.99)),
        (&Shape::HalfSpace, &at(0.0, 0.0, 0.0)),
        0.0,
    );
    consistent(
        &found,
        (&c, &at(0.0, 0.0, 0.99)),
        (&Shape::HalfSpace, &at(0.0, 0.0, 0.0)),
        0.0,
    );
    assert_eq!(found.len(), 8);
    assert!(
        found
            .iter()
            .all(|t| (t.gap + 0.01).abs() < TINY && t.normal == -DVec3::Z)
    );
    assert!(
        found
            .iter()
            .all(|t| (t.point_a.x.hypot(t.point_a.y) - 0.5).abs() < TINY)
    );

    let pose = turned(0.0, 0.0, 0.5, lying());
    let found = touches((&c, &pose), (&Shape::HalfSpace, &at(0.0, 0.0, 0.0)), 1e-12);
    assert_eq!(found.len(), 2);
    assert!(
        found
            .iter()
            .all(|t| (t.point_a.x.abs() - 1.0).abs() < TINY && t.point_a.y.abs() < TINY)
    );

    // Inclined by 0.3: one point at height z − half cos − radius sin.
    let pose = turned(0.0, 0.0, 1.0, DQuat::from_rotation_y(0.3));
    let found = touches((&c, &pose), (&Shape::HalfSpace, &at(0.0, 0.0, 0.0)), 0.0);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap - (1.0 - 0.3f64.cos() - 0.5 * 0.3f64.sin())).abs() < TINY);
}

#[test]
fn a_standing_one_that_rocks_keeps_its_numbers_and_rests_on_its_lowest_point() {
    let c = Shape::cylinder(2.0, 0.5).unwrap();
    let plane = (&Shape::HalfSpace, &at(0.0, 0.0, 0.0));
    let flat = features(&touches((&c, &at(0.0, 0.0, 0.999)), plane, 0.0));
    for tilt in [-1e-9, 1e-9, 1e-4] {
        for turn in [0.1, 0.4] {
            let axis = DVec3::new(f64::cos(turn), f64::sin(turn), 0.0);
            let pose = turned(0.0, 0.0, 0.999, DQuat::from_axis_angle(axis, tilt));
            let found = touches((&c, &pose), plane, 0.0);
            assert!(flat.iter().all(|f| features(&found).contains(f)));
            let deepest = 0.999 - f64::cos(tilt) - 0.5 * f64::sin(tilt.abs());
            // The lowest point is added where it is lower than the fixed ones by more than 1e-10 of the size.
            assert!((space_kit::least(&found) - deepest).abs() < 2e-10);
        }
    }
}

#[test]
fn on_a_box_it_stands_on_the_part_that_is_on_it() {
    let c = Shape::cylinder(2.0, 0.5).unwrap();
    let table = cuboid(4.0, 4.0, 1.0);
    let found = touches((&c, &at(0.0, 0.0, 1.49)), (&table, &at(0.0, 0.0, 0.0)), 0.0);
    assert_eq!(found.len(), 8);
    assert!(
        found
            .iter()
            .all(|t| (t.gap + 0.01).abs() < TINY && t.normal == -DVec3::Z)
    );
    // Standing over the table's edge x = 2: five points of the rim are on it (x ≤ 2), two where the rim
    // crosses the edge coincide with those at angles ±90°.
    let pose = at(2.0, 0.0, 1.49);
    let found = touches((&c, &pose), (&table, &at(0.0, 0.0, 0.0)), 0.0);
    consistent(&found, (&c, &pose), (&table, &at(0.0, 0.0, 0.0)), 0.0);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|t| t.point_a.x <= 2.0 + TINY));
    let pose = at(1.9, 0.0, 1.49);
    let found = touches((&c, &pose), (&table, &at(0.0, 0.0, 0.0)), 0.0);
    assert_eq!(found.len(), 7);
    let right = found
        .iter()
        .filter(|t| (t.point_b.x - 2.0).abs() < TINY)
        .count();
    assert_eq!(right, 2, "{found:?}");
    // A small box under it: its four corners.
    let small = cuboid(0.2, 0.2, 1.0);
    let found = touches((&c, &at(0.0, 0.0, 1.49)), (&small, &at(0.0, 0.0, 0.0)), 0.0);
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|t| (t.point_b.x.abs() - 0.1).abs() < TINY));
}

#[test]
fn lying_on_a_box_it_has_two_points_clipped_where_the_box_ends() {
    let c = Shape::cylinder(2.0, 0.5).unwrap();
    let table = cuboid(4.0, 4.0, 1.0);
    for (x, ends) in [(0.0, [-1.0, 1.0]), (1.5, [0.5, 2.0])] {
        let pose = turned(x, 0.0, 0.99, lying());
        let found = touches((&c, &pose), (&table, &at(0.0, 0.0, 0.0)), 0.0);
        consistent(&found, (&c, &pose), (&table, &at(0.0, 0.0, 0.0)), 0.0);
        let mut on: Vec<f64> = found.iter().map(|t| t.point_a.x).collect();
        on.sort_by(f64::total_cmp);
        assert_eq!(on.len(), 2, "{found:?}");
        assert!(on.iter().zip(ends).all(|(x, e)| (x - e).abs() < 1e-13));
        assert!(found.iter().all(|t| (t.gap + 0.01).abs() < TINY));
    }
    // Along the edge of a box rotated by 45°: two points, which remain under a tiny rotation.
    let roof = turned(0.0, 0.0, 0.0, DQuat::from_rotation_x(FRAC_PI_4));
    let beam = cuboid(4.0, 1.0, 1.0);
    for skew in [0.0, 1e-9, -1e-9] {
        let height = 0.5 + 0.5f64.sqrt() - 1e-3;
        let pose = turned(0.0, 0.0, height, DQuat::from_rotation_z(skew) * lying());
        let found = touches((&c, &pose), (&beam, &roof), 0.0);
        consistent(&found, (&c, &pose), (&beam, &roof), 0.0);
        assert_eq!(found.len(), 2, "{skew}: {found:?}");
        assert!(
            found
                .iter()
                .all(|t| (t.gap + 1e-3).abs() < 1e-12 && (t.point_a.x.abs() - 1.0).abs() < 1e-8)
        );
    }
}

#[test]
fn two_cylinders_meet_cap_to_cap_side_to_side_and_crosswise() {
    let (c, d) = (
        Shape::cylinder(2.0, 0.5).unwrap(),
        Shape::cylinder(1.0, 0.3).unwrap(),
    );
    let own = at(0.0, 0.0, 0.0);
    let check = |other: &Shape, pose: SpacePose, count: usize, gap: f64| {
        let found = touches((&c, &own), (other, &pose), 0.0);
        consistent(&found, (&c, &own), (other, &pose), 0.0);
        assert_eq!(found.len(), count, "{found:#?}");
        assert!(
            found.iter().all(|t| (t.gap - gap).abs() < 1e-12),
            "{found:#?}"
        );
        found
    };
    // The smaller cap inside the larger one; equal caps on one another; caps beside one another.
    check(&d, at(0.1, 0.0, 1.49), 8, -0.01);
    check(&c, at(0.0, 0.0, 1.99), 8, -0.01);
    check(
        &c,
        turned(0.0, 0.0, 1.99, DQuat::from_rotation_z(0.2)),
        16,
        -0.01,
    );
    let lens = check(&c, at(0.6, 0.0, 1.99), 8, -0.01);
    assert!(lens.iter().any(|t| (t.point_a.y - 0.4).abs() < 1e-13));
    // Parallel sides: the two ends of the common interval.
    let ends = check(&c, at(0.99, 0.0, 0.5), 2, -0.01);
    assert!(
        ends.iter()
            .all(|t| (t.point_a.z - 0.25).abs() - 0.75 < 1e-12 && t.normal.x > 0.99)
    );
    check(&d, at(0.79, 0.0, 0.2), 2, -0.01);
    // Under a tiny rotation they are still two.
    for skew in [1e-9, -1e-9] {
        let pose = turned(0.99, 0.0, 0.5, DQuat::from_rotation_x(skew));
        assert_eq!(touches((&c, &own), (&c, &pose), 0.0).len(), 2);
        let pose = turned(0.99, 0.0, 0.5, DQuat::from_rotation_y(skew));
        assert_eq!(touches((&c, &own), (&c, &pose), 0.0).len(), 2);
    }
    // Crosswise: one point.
    check(
        &c,
        turned(0.99, 0.0, 0.0, DQuat::from_rotation_x(FRAC_PI_2)),
        1,
        -0.01,
    );
    // Lying on a cap: the generatrix within the disc.
    let line = check(&c, turned(0.0, 0.0, 1.49, lying()), 2, -0.01);
    assert!(line.iter().all(|t| (t.point_a.x.abs() - 0.5).abs() < 1e-13));
}

#[test]
fn a_capsule_lies_on_a_cap_and_on_a_side_with_two_points() {
    let c = Shape::cylinder(2.0, 0.5).unwrap();
    let k = Shape::capsule(0.6, 0.2).unwrap();
    let own = at(0.0, 0.0, 0.0);
    for (pose, far) in [
        (turned(0.0, 0.0, 1.19, lying()), 0.3),
        (turned(0.4, 0.0, 1.19, lying()), 0.4),
        (at(0.69, 0.0, 0.0), 0.3),
    ] {
        let found = touches((&c, &own), (&k, &pose), 0.0);
        consistent(&found, (&c, &own), (&k, &pose), 0.0);
        assert_eq!(found.len(), 2, "{far}: {found:#?}");
        assert!(found.iter().all(|t| (t.gap + 0.01).abs() < 1e-13));
    }
}

/// Exchanging the bodies mirrors the contact points; moving both moves them along.
#[test]
fn swapping_and_moving_a_pair_changes_nothing_else() {
    let mut random = Random(5);
    let mut met = 0;
    for k in 0..6000 {
        let a = any_cylinder(&mut random);
        let b = match k % 5 {
            0 => Shape::sphere(0.4).unwrap(),
            1 => Shape::capsule(1.0, 0.3).unwrap(),
            2 => any_cylinder(&mut random),
            3 => polyhedron(random.cuboid()),
            _ => Shape::HalfSpace,
        };
        let (p, q, by) = (random.pose(0.8), random.pose(0.8), random.pose(3.0));
        let found = touches((&a, &p), (&b, &q), 0.01);
        let swapped = touches((&b, &q), (&a, &p), 0.01);
        assert_eq!(found.len(), swapped.len(), "{a:?} {b:?}");
        let moved = |x: &SpacePose| Pose {
            position: by.position + by.rotation * x.position,
            rotation: (by.rotation * x.rotation).normalize(),
        };
        let (far_p, far_q) = (moved(&p), moved(&q));
        let away = touches((&a, &far_p), (&b, &far_q), 0.01);
        assert_eq!(found.len(), away.len());
        for (t, m) in found.iter().zip(&away) {
            met += 1;
            // Rotating by unit quaternions of length 1 ± 1e-16 and back; rim and edge may be
            // ill-conditioned by 1e4.
            assert_eq!(t.feature, m.feature);
            assert!((t.gap - m.gap).abs() < 1e-12);
            assert!((by.rotation * t.normal).distance(m.normal) < 1e-9);
        }
        for s in &swapped {
            let same = found.iter().any(|t| {
                (t.gap - s.gap).abs() < 1e-11
                    && t.point_a.distance(s.point_b) < 1e-7
                    && (t.normal + s.normal).length() < 1e-7
            });
            assert!(same, "{found:#?} {swapped:#?}");
        }
    }
    assert!(met > 1000);
}
