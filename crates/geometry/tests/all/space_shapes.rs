//! Shapes of space: construction, rejection, mass properties, bounding boxes.

use crate::space_kit::{Random, at, cuboid, edges, place, planes, polyhedron};
use glam::{DQuat, DVec3};
use percuss_geometry::space::{ConvexPolyhedron, MAX_FACE_VERTICES, Shape};
use percuss_geometry::{Pose, ShapeError};

fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * a.abs().max(b.abs())
}

/// Convex, closed, flat faces with outward normals, by definition and not by the library's validation.
fn sound(p: &ConvexPolyhedron) {
    let size = p.vertices().iter().fold(0.0, |m: f64, v| m.max(v.length()));
    for (n, o) in planes(p) {
        for v in p.vertices() {
            assert!(n.dot(*v) <= o + 1e-9 * size, "a vertex lies outside a face");
        }
    }
    let (v, e, f) = (p.vertices().len(), edges(p).len(), p.faces().count());
    assert_eq!(v + f, e + 2, "Euler");
    for (k, v) in p.vertices().iter().enumerate() {
        let round = p.faces().filter(|l| l.contains(&(k as u32))).count();
        assert!(round >= 3, "vertex {v} has {round} faces");
    }
}

#[test]
fn hulls_of_random_points_are_sound_and_hold_the_points() {
    let mut random = Random(1);
    for k in 0..3_000 {
        let count = 4 + random.below(60);
        let scale = 10f64.powf(random.within(-6.0, 6.0));
        let shift = scale * random.cube();
        let round = k % 3 == 0;
        let points: Vec<DVec3> = (0..count)
            .map(|_| {
                shift
                    + scale
                        * if round {
                            random.direction()
                        } else {
                            random.cube()
                        }
            })
            .collect();
        let (hull, pose) = match ConvexPolyhedron::hull(&points) {
            Ok(made) => made,
            Err(error) => panic!("{count} points: {error}"),
        };
        sound(&hull);
        let planes = planes(&hull);
        for x in &points {
            let x = pose.rotation.conjugate() * (*x - pose.position);
            let out = planes
                .iter()
                .fold(-1.0, |m: f64, (n, o)| m.max(n.dot(x) - o));
            // Coplanar means within 1e-10 of the size.
            assert!(out <= 1e-9 * scale, "{out:e} outside");
        }
        // Vertices are among the points.
        for v in hull.vertices() {
            let x = place(&pose, *v);
            assert!(
                points
                    .iter()
                    .any(|p| (*p - x).length() < 1e-13 * scale * 10.0)
            );
        }
    }
}

#[test]
fn a_cloud_in_a_turned_cube_gives_six_square_faces() {
    let mut random = Random(2);
    for k in 0..500 {
        let rotation = random.rotation();
        let side = 10f64.powf(random.within(-6.0, 6.0));
        let mut points: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64))
            .collect();
        // Points on the faces, on the edges, inside, and twice the same.
        for _ in 0..60 {
            let mut x = 0.5 * (random.cube() + DVec3::ONE);
            x[random.below(3)] = random.below(2) as f64;
            points.push(x);
            x[random.below(3)] = random.below(2) as f64;
            points.push(x);
            points.push(0.5 * (random.cube() + DVec3::ONE));
            points.push(points[random.below(points.len())]);
        }
        // In another order each time.
        for i in (1..points.len()).rev() {
            points.swap(i, random.below(i + 1));
        }
        let far = if k % 2 == 0 { 0.0 } else { 10.0 };
        let turned: Vec<DVec3> = points
            .iter()
            .map(|x| side * (rotation * *x + DVec3::splat(far)))
            .collect();
        let (hull, pose) = ConvexPolyhedron::hull(&turned).unwrap();
        assert_eq!(hull.vertices().len(), 8);
        assert_eq!(hull.faces().count(), 6);
        assert!(hull.faces().all(|f| f.len() == 4));
        sound(&hull);
        assert!(close(hull.volume(), side.powi(3), 1e-12));
        let centre = side * (rotation * DVec3::splat(0.5) + DVec3::splat(far));
        assert!((pose.position - centre).length() < 1e-13 * side * (1.0 + far));
    }
}

#[test]
fn points_without_volume_are_refused() {
    let flat: Vec<DVec3> = (0..20)
        .map(|i| DVec3::new(i as f64, (i * i % 7) as f64, 1.0))
        .collect();
    let line: Vec<DVec3> = (0..20).map(|i| DVec3::splat(i as f64)).collect();
    let same = vec![DVec3::ONE; 9];
    let few = vec![DVec3::X, DVec3::Y, DVec3::Z];
    for (points, words) in [
        (flat, "plane"),
        (line, "line"),
        (same, "the same"),
        (few, "four or more"),
    ] {
        match ConvexPolyhedron::hull(&points) {
            Err(ShapeError::Degenerate(message)) => assert!(message.contains(words), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    let bad = vec![DVec3::X, DVec3::Y, DVec3::new(0.0, f64::NAN, 0.0), DVec3::Z];
    let refused = ConvexPolyhedron::hull(&bad);
    assert!(matches!(
        refused,
        Err(ShapeError::NotFinite { vertex: 2, .. })
    ));
}

#[test]
fn faces_with_very_many_corners_are_refused_and_smaller_ones_are_not() {
    let prism = |count: usize| -> Vec<DVec3> {
        let turn = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
        (0..2 * count)
            .map(|k| {
                let (s, c) = turn(k % count).sin_cos();
                DVec3::new(c, s, if k < count { -1.0 } else { 1.0 })
            })
            .collect()
    };
    let (round, _) = ConvexPolyhedron::hull(&prism(MAX_FACE_VERTICES)).unwrap();
    assert_eq!(round.faces().count(), MAX_FACE_VERTICES + 2);
    let refused = ConvexPolyhedron::hull(&prism(MAX_FACE_VERTICES + 1));
    assert!(
        matches!(
            refused,
            Err(ShapeError::TooMany {
                most: MAX_FACE_VERTICES,
                ..
            })
        ),
        "{refused:?}"
    );
}

fn cube_faces() -> (Vec<DVec3>, Vec<Vec<usize>>) {
    let vertices = (0..8)
        .map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64))
        .collect();
    let faces = vec![
        vec![1, 3, 7, 5],
        vec![0, 4, 6, 2],
        vec![2, 6, 7, 3],
        vec![0, 1, 5, 4],
        vec![4, 5, 7, 6],
        vec![0, 2, 3, 1],
    ];
    (vertices, faces)
}

#[test]
fn a_polyhedron_from_its_faces_is_that_of_its_hull() {
    let (vertices, faces) = cube_faces();
    let (made, pose) = ConvexPolyhedron::new(&vertices, &faces).unwrap();
    sound(&made);
    assert_eq!(pose.position, DVec3::splat(0.5));
    assert_eq!(pose.rotation, DQuat::IDENTITY);
    // Vertices of no face are dropped, inside or outside.
    let mut more = vertices.clone();
    more.insert(0, DVec3::splat(9.0));
    let shifted: Vec<Vec<usize>> = faces
        .iter()
        .map(|f| f.iter().map(|i| i + 1).collect())
        .collect();
    let (same, _) = ConvexPolyhedron::new(&more, &shifted).unwrap();
    assert_eq!(same, made);
}

#[test]
fn faces_that_bound_no_convex_body_are_refused_by_name() {
    let (vertices, faces) = cube_faces();
    let message = |vertices: &[DVec3], faces: &[Vec<usize>]| {
        ConvexPolyhedron::new(vertices, faces)
            .unwrap_err()
            .to_string()
    };
    let mut moved = vertices.clone();
    moved[7] = DVec3::new(1.0, 1.0, 1.2);
    assert!(message(&moved, &faces).contains("face 4 is not flat: vertex"));

    let mut open = faces.clone();
    open.pop();
    assert!(message(&vertices, &open).contains("belongs to no other face"));

    let mut unknown = faces.clone();
    unknown[2][1] = 8;
    assert_eq!(
        message(&vertices, &unknown),
        "face 2 has vertex 8, but there are only 8 vertices, from 0 on"
    );

    let inward: Vec<Vec<usize>> = faces
        .iter()
        .map(|f| f.iter().rev().copied().collect())
        .collect();
    assert!(message(&vertices, &inward).contains("inside out"));

    let mut one = faces.clone();
    one[3].reverse();
    assert!(message(&vertices, &one).contains("turned inwards"));

    let mut twice = faces.clone();
    twice[1] = vec![0, 4, 4, 2];
    assert!(message(&vertices, &twice).contains("face 1 has vertex 4 twice"));

    // A roof pushed in: the pyramid's top below its base's plane, inside the box.
    let mut pushed = vertices.clone();
    pushed.push(DVec3::new(0.5, 0.5, 0.5));
    let mut dent: Vec<Vec<usize>> = faces[..4].to_vec();
    dent.push(faces[5].clone());
    for k in 0..4 {
        let top = [4, 5, 7, 6];
        dent.push(vec![top[k], top[(k + 1) % 4], 8]);
    }
    assert!(message(&pushed, &dent).contains("not convex: vertex"));
}

#[test]
fn two_bodies_in_one_are_refused() {
    let (mut vertices, mut faces) = cube_faces();
    let (more, other) = cube_faces();
    vertices.extend(more.iter().map(|x| *x + DVec3::splat(5.0)));
    faces.extend(
        other
            .iter()
            .map(|f| f.iter().map(|i| i + 8).collect::<Vec<_>>()),
    );
    let refused = ConvexPolyhedron::new(&vertices, &faces);
    assert!(
        matches!(refused, Err(ShapeError::NotClosed(_))),
        "{refused:?}"
    );
}

#[test]
fn lengths_that_are_none_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Shape::sphere(bad), Err(ShapeError::Length { .. })));
        assert!(Shape::capsule(1.0, bad).is_err() && Shape::capsule(bad, 1.0).is_err());
        assert!(Shape::cylinder(1.0, bad).is_err() && Shape::cylinder(bad, 1.0).is_err());
        assert!(ConvexPolyhedron::cuboid(DVec3::new(1.0, bad, 1.0)).is_err());
    }
}

#[test]
fn bounds_are_the_smallest_box() {
    let mut random = Random(6);
    for k in 0..2_000 {
        let shape = match k % 5 {
            0 => Shape::sphere(0.7).unwrap(),
            1 => Shape::capsule(1.2, 0.3).unwrap(),
            2 => Shape::cylinder(1.2, 0.3).unwrap(),
            3 => polyhedron(random.cuboid()),
            _ => polyhedron(random.hull()),
        };
        let pose = random.pose(3.0);
        let bounds = shape.aabb(&pose);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for sign in [1.0, -1.0] {
                let local = pose.rotation.conjugate() * (sign * axis);
                let across = local.truncate().length();
                let most = match &shape {
                    Shape::Sphere { radius } => *radius,
                    Shape::Capsule {
                        half_length,
                        radius,
                    } => half_length * local.z.abs() + radius,
                    Shape::Cylinder {
                        half_length,
                        radius,
                    } => half_length * local.z.abs() + radius * across,
                    Shape::Polyhedron(p) => p
                        .vertices()
                        .iter()
                        .fold(-9.0, |m: f64, v| m.max(v.dot(local))),
                    _ => unreachable!(),
                };
                let edge = if sign > 0.0 { bounds.high } else { -bounds.low };
                let expected = pose.position.dot(sign * axis) + most;
                assert!((edge.dot(axis) - expected).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn a_half_space_is_bounded_only_along_its_normal() {
    let floor = Shape::HalfSpace.aabb(&at(1.0, 2.0, 3.0));
    assert_eq!(floor.high, DVec3::new(f64::INFINITY, f64::INFINITY, 3.0));
    assert_eq!(floor.low, DVec3::NEG_INFINITY);
    let slope = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::from_rotation_x(0.1),
    };
    let slope = Shape::HalfSpace.aabb(&slope);
    assert_eq!(
        (slope.low, slope.high),
        (DVec3::NEG_INFINITY, DVec3::INFINITY)
    );
    assert!(Shape::HalfSpace.boundary_only() && Shape::HalfSpace.mass_properties(1.0).is_none());
    assert_eq!(Shape::HalfSpace.bounding_radius(), f64::INFINITY);
}

#[test]
fn the_radius_is_the_distance_of_the_farthest_point() {
    assert_eq!(Shape::sphere(2.0).unwrap().bounding_radius(), 2.0);
    assert_eq!(Shape::capsule(2.0, 0.5).unwrap().bounding_radius(), 1.5);
    assert_eq!(Shape::cylinder(8.0, 3.0).unwrap().bounding_radius(), 5.0);
    assert!(close(cuboid(2.0, 4.0, 4.0).bounding_radius(), 3.0, 1e-15));
}
