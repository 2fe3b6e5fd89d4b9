//! The points of a contact manifold, and the persistence of their features.

use crate::space_kit;

use crate::space_kit::{Random, SpacePose, at, consistent, cuboid, least, polyhedron, touches};
use glam::{DQuat, DVec3};
use percuss_geometry::space::{ConvexPolyhedron, Shape};
use percuss_geometry::{ContactPoint, Pose, Space};

fn turned(x: f64, y: f64, z: f64, axis: DVec3, angle: f64) -> SpacePose {
    Pose {
        position: DVec3::new(x, y, z),
        rotation: DQuat::from_axis_angle(axis, angle),
    }
}

fn features(touches: &[ContactPoint<Space>]) -> Vec<u32> {
    let mut all: Vec<u32> = touches.iter().map(|t| t.feature).collect();
    all.sort_unstable();
    all
}

fn checked(
    a: (&Shape, &SpacePose),
    b: (&Shape, &SpacePose),
    reach: f64,
) -> Vec<ContactPoint<Space>> {
    let found = touches(a, b, reach);
    consistent(&found, a, b, reach);
    found
}

#[test]
fn a_box_on_a_half_space_touches_with_its_four_corners() {
    let (floor, block) = (Shape::HalfSpace, cuboid(1.0, 2.0, 3.0));
    let found = checked(
        (&floor, &at(0.0, 0.0, 0.0)),
        (&block, &at(5.0, 6.0, 1.5 - 1e-6)),
        0.0,
    );
    assert_eq!(features(&found), [0, 1, 2, 3]);
    for t in &found {
        assert_eq!(t.normal, DVec3::Z);
        assert!((t.gap + 1e-6).abs() < 1e-15);
        assert_eq!((t.point_b.x - 5.0).abs(), 0.5);
        assert_eq!((t.point_b.y - 6.0).abs(), 1.0);
    }
    let tilted = turned(0.0, 0.0, 1.5, DVec3::Y, 0.1);
    assert_eq!(
        checked((&floor, &at(0.0, 0.0, 0.0)), (&block, &tilted), 0.0).len(),
        2
    );
    assert!(checked((&floor, &at(0.0, 0.0, -1.0)), (&block, &tilted), 0.0).is_empty());
}

#[test]
fn a_box_flat_on_a_larger_one_touches_with_its_four_corners() {
    let (below, above) = (cuboid(4.0, 4.0, 1.0), cuboid(1.0, 2.0, 1.0));
    for gap in [-1e-3, -1e-12, 0.0, 1e-12, 1e-3] {
        let found = checked(
            (&below, &at(0.0, 0.0, 0.0)),
            (&above, &at(0.3, 0.2, 1.0 + gap)),
            1e-2,
        );
        // Vertices 0 to 3 of b are its lower ones, numbered after the eight of a.
        assert_eq!(features(&found), [8, 9, 10, 11], "gap {gap}");
        for t in &found {
            assert_eq!(t.normal, DVec3::Z);
            // Rounding of sums of numbers of size 1.
            assert!((t.gap - gap).abs() < 1e-15);
        }
    }
}

#[test]
fn a_box_turned_by_45_degrees_on_its_like_touches_at_eight_crossings() {
    let block = cuboid(1.0, 1.0, 1.0);
    let top = turned(0.0, 0.0, 1.0 - 1e-6, DVec3::Z, std::f64::consts::FRAC_PI_4);
    let found = checked((&block, &at(0.0, 0.0, 0.0)), (&block, &top), 0.0);
    assert_eq!(found.len(), 8);
    // Octagon: every corner at the same distance from the axis, (1/2)/cos(22.5°).
    let radius = 0.5 / (std::f64::consts::PI / 8.0).cos();
    for t in &found {
        assert!((t.point_a.truncate().length() - radius).abs() < 1e-14);
        assert!((t.gap + 1e-6).abs() < 1e-14);
    }
}

#[test]
fn an_overhanging_box_touches_at_its_corners_and_at_those_below() {
    let block = cuboid(1.0, 1.0, 1.0);
    let found = checked(
        (&block, &at(0.0, 0.0, 0.0)),
        (&block, &at(0.5, 0.3, 1.0)),
        1e-9,
    );
    assert_eq!(found.len(), 4);
    let mut corners: Vec<(f64, f64)> = found.iter().map(|t| (t.point_a.x, t.point_a.y)).collect();
    corners.sort_by(|p, q| p.partial_cmp(q).unwrap());
    let expected = [(0.0, -0.2), (0.0, 0.5), (0.5, -0.2), (0.5, 0.5)];
    for (p, q) in corners.iter().zip(expected) {
        assert!(
            (p.0 - q.0).abs() < 1e-15 && (p.1 - q.1).abs() < 1e-15,
            "{corners:?}"
        );
    }
}

/// Blocks exactly over each other, or flush on one side as in a running bond, perturbed by rounding: sides that
/// coincide must not make points appear, vanish or change their features.
#[test]
fn flush_blocks_keep_four_points_and_their_numbers_under_rounding() {
    let block = cuboid(1.0, 0.6, 0.4);
    let mut random = Random(5);
    for shift in [0.0, 0.5, -0.25] {
        let bed = at(0.0, 0.0, 0.0);
        let first = checked((&block, &bed), (&block, &at(shift, 0.0, 0.4 - 1e-7)), 0.0);
        assert_eq!(first.len(), 4);
        for noise in [1e-16, 1e-14, 1e-12, 1e-10] {
            for _ in 0..200 {
                let jitter = noise * random.cube();
                let pose = Pose {
                    position: DVec3::new(shift, 0.0, 0.4 - 1e-7) + jitter,
                    rotation: DQuat::from_scaled_axis(noise * random.cube()),
                };
                let found = checked((&block, &bed), (&block, &pose), 0.0);
                assert_eq!(
                    features(&found),
                    features(&first),
                    "shift {shift} noise {noise}"
                );
            }
        }
    }
}

#[test]
fn rocking_by_a_billionth_keeps_the_points() {
    let (bed, block) = (cuboid(3.0, 3.0, 1.0), cuboid(1.0, 1.0, 1.0));
    for (spin, expected) in [(0.0, 4), (0.3, 4), (std::f64::consts::FRAC_PI_4, 4)] {
        let base = DQuat::from_rotation_z(spin);
        let mut last: Option<Vec<u32>> = None;
        for k in 0..100 {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            let axis = DVec3::new((k as f64).cos(), (k as f64).sin(), 0.0);
            let rotation = DQuat::from_axis_angle(axis, sign * 1e-9) * base;
            let pose = Pose {
                position: DVec3::new(0.0, 0.0, 1.0 - 1e-6),
                rotation,
            };
            let found = checked((&bed, &at(0.0, 0.0, 0.0)), (&block, &pose), 0.0);
            assert_eq!(found.len(), expected);
            if let Some(last) = &last {
                assert_eq!(*last, features(&found));
            }
            last = Some(features(&found));
        }
    }
}

/// Equal boxes, one turned: the axis of least depth changes among two faces and many edges as it
/// rocks, and the eight crossings stay.
#[test]
fn rocking_on_eight_points_keeps_them() {
    let block = cuboid(1.0, 1.0, 1.0);
    let base = DQuat::from_rotation_z(0.7);
    let mut last: Option<Vec<u32>> = None;
    for k in 0..1000 {
        let axis = DVec3::new((k as f64).cos(), (k as f64).sin(), 0.0);
        let angle = [1e-9, -1e-9, 1e-7, -1e-7][k % 4];
        let rotation = DQuat::from_axis_angle(axis, angle) * base;
        let pose = Pose {
            position: DVec3::new(0.0, 0.0, 1.0 - 1e-6),
            rotation,
        };
        let found = checked((&block, &at(0.0, 0.0, 0.0)), (&block, &pose), 0.0);
        assert_eq!(found.len(), 8, "step {k}");
        if let Some(last) = &last {
            assert_eq!(*last, features(&found));
        }
        last = Some(features(&found));
    }
}

#[test]
fn sliding_keeps_the_numbers_of_the_corners() {
    let (bed, block) = (cuboid(30.0, 3.0, 1.0), cuboid(1.0, 1.0, 1.0));
    for k in 0..1000 {
        let x = -10.0 + 0.02 * k as f64;
        let pose = at(x, 0.1, 1.0 - 1e-6);
        let found = checked((&bed, &at(0.0, 0.0, 0.0)), (&block, &pose), 0.0);
        assert_eq!(features(&found), [8, 9, 10, 11]);
    }
}

#[test]
fn crossing_edges_touch_at_one_point() {
    let block = cuboid(1.0, 1.0, 1.0);
    let quarter = std::f64::consts::FRAC_PI_4;
    let lower = turned(0.0, 0.0, 0.0, DVec3::X, quarter);
    for gap in [-1e-3, 1e-3] {
        let height = 2.0 * 0.5f64.sqrt() + gap;
        let upper = turned(0.1, 0.2, height, DVec3::Y, quarter);
        let found = checked((&block, &lower), (&block, &upper), 1e-2);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].gap - gap).abs() < 1e-15);
        assert!((found[0].normal - DVec3::Z).length() < 1e-15);
        // The lower edge runs along x below the point (0.1, 0), the upper one along y.
        assert!((found[0].point_a - DVec3::new(0.1, 0.0, 0.5f64.sqrt())).length() < 1e-15);
    }
}

#[test]
fn edges_along_each_other_touch_at_two_points() {
    let block = cuboid(1.0, 1.0, 1.0);
    let quarter = std::f64::consts::FRAC_PI_4;
    let lower = turned(0.0, 0.0, 0.0, DVec3::X, quarter);
    let upper = turned(0.3, 0.0, 2.0 * 0.5f64.sqrt() + 1e-3, DVec3::X, quarter);
    let found = checked((&block, &lower), (&block, &upper), 2e-3);
    assert_eq!(found.len(), 2, "{found:?}");
    let mut along: Vec<f64> = found.iter().map(|t| t.point_a.x).collect();
    along.sort_by(f64::total_cmp);
    assert!((along[0] + 0.2).abs() < 1e-14 && (along[1] - 0.5).abs() < 1e-14);
    assert!(
        found
            .iter()
            .all(|t| (t.gap - 1e-3).abs() < 1e-14 && t.normal.z > 1.0 - 1e-15)
    );
}

#[test]
fn a_corner_on_a_face_is_one_point() {
    let (bed, block) = (cuboid(4.0, 4.0, 1.0), cuboid(1.0, 1.0, 1.0));
    // The diagonal upright: half of it is the height of the centre.
    let diagonal = DVec3::ONE.normalize();
    let rotation = DQuat::from_rotation_arc(diagonal, DVec3::Z);
    let z = 0.5 + 0.75f64.sqrt() - 1e-4;
    let pose = Pose {
        position: DVec3::new(0.1, 0.2, z),
        rotation,
    };
    let found = checked((&bed, &at(0.0, 0.0, 0.0)), (&block, &pose), 0.0);
    assert_eq!(features(&found), [8]);
    assert!((found[0].gap + 1e-4).abs() < 1e-15);
}

#[test]
fn exactly_touching_and_coincident_boxes_give_finite_points() {
    let block = cuboid(1.0, 1.0, 1.0);
    let origin = at(0.0, 0.0, 0.0);
    // Corner to corner, edge to edge, face to face, and one in the place of the other.
    for (x, y, z, most) in [
        (1.0, 1.0, 1.0, 4),
        (1.0, 1.0, 0.0, 4),
        (1.0, 0.0, 0.0, 4),
        (0.0, 0.0, 0.0, 4),
    ] {
        let found = checked((&block, &origin), (&block, &at(x, y, z)), 1e-12);
        assert!(!found.is_empty() && found.len() <= most, "{found:?}");
        let depth = if x == 0.0 { -1.0 } else { 0.0 };
        assert!((least(&found) - depth).abs() < 1e-15);
    }
}

/// Random faces laid on each other: the points are the corners of the overlap of two polygons, found here by clipping
/// one polygon by the sides of the other, one after the other (Sutherland–Hodgman).
#[test]
fn points_are_the_corners_of_the_overlap_of_the_faces() {
    let mut random = Random(11);
    let mut total = 0;
    for _ in 0..5_000 {
        let (a, b) = (random.hull(), random.hull());
        let (pa, fa) = on_face(&a, &mut random, DVec3::Z);
        let (mut pb, fb) = on_face(&b, &mut random, -DVec3::Z);
        pb.position += DVec3::new(random.within(-0.3, 0.3), random.within(-0.3, 0.3), -1e-5);
        let flat = |p: &ConvexPolyhedron, f: usize, pose: &SpacePose| -> Vec<DVec3> {
            let corners = p.faces().nth(f).unwrap().iter();
            corners
                .map(|i| space_kit::place(pose, p.vertices()[*i as usize]))
                .collect()
        };
        let (mut below, above) = (flat(&a, fa, &pa), flat(&b, fb, &pb));
        for k in 0..above.len() {
            // Clockwise seen from above, because b looks down.
            below = cut(&below, above[k], above[(k + 1) % above.len()]);
        }
        let (a, b) = (polyhedron(a), polyhedron(b));
        let found = checked((&a, &pa), (&b, &pb), 0.0);
        // Where the overlap is narrower than the depth another axis may have the lesser depth, and corners within
        // 1e-7 of each other coincide.
        if below.is_empty() || found.is_empty() || found[0].normal.z < 1.0 - 1e-9 {
            continue;
        }
        total += 1;
        for x in &below {
            let near = found
                .iter()
                .fold(1.0, |m: f64, t| m.min((t.point_a - *x).length()));
            assert!(near < 3e-7, "corner {x} is {near:e} from the next point");
        }
        for t in &found {
            let near = below
                .iter()
                .fold(1.0, |m: f64, x| m.min((t.point_a - *x).length()));
            assert!(
                near < 3e-7,
                "point {} is {near:e} from the next corner",
                t.point_a
            );
        }
    }
    assert!(total > 3_000, "{total}");
}

/// A pose in which a face of the body lies in the plane z = 0 and looks along `up`.
fn on_face(p: &ConvexPolyhedron, random: &mut Random, up: DVec3) -> (SpacePose, usize) {
    let planes = space_kit::planes(p);
    let f = random.below(planes.len());
    let (n, o) = planes[f];
    let rotation =
        DQuat::from_axis_angle(up, random.within(0.0, 6.0)) * DQuat::from_rotation_arc(n, up);
    // From the middle of the face to the origin.
    let corners: Vec<DVec3> = p
        .faces()
        .nth(f)
        .unwrap()
        .iter()
        .map(|i| p.vertices()[*i as usize])
        .collect();
    let middle = corners
        .iter()
        .fold(DVec3::ZERO, |s, x| s + *x / corners.len() as f64);
    let mut position = -(rotation * middle);
    position.z = -(rotation * (o * n)).z;
    (Pose { position, rotation }, f)
}

fn cut(polygon: &[DVec3], p: DVec3, q: DVec3) -> Vec<DVec3> {
    // b's loop is clockwise seen from above: inside is on its right.
    let side = |x: DVec3| {
        let (u, v) = ((q - p).truncate(), (x - p).truncate());
        -u.perp_dot(v)
    };
    let mut kept = Vec::new();
    for k in 0..polygon.len() {
        let (x, y) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (sx, sy) = (side(x), side(y));
        if sx >= 0.0 {
            kept.push(x);
        }
        if sx * sy < 0.0 {
            kept.push(x + sx / (sx - sy) * (y - x));
        }
    }
    kept
}
