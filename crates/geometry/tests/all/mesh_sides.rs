//! One-sidedness of meshes: corners of floor and wall, thin walls, from the side that their triangles face.

use crate::mesh_kit::{distinct, shape, skin};
use crate::space_kit::{at, cuboid, touches};
use glam::DVec3;
use percuss_geometry::space::{Mesh, Shape};

/// Positions below 10: rounding.
const TINY: f64 = 1e-13;

#[test]
fn in_a_corner_of_floor_and_wall_both_hold_and_none_of_the_edges() {
    // Floor x ≥ 0 with z = 0, wall x = 0 for z ≥ 0: concave at x = z = 0.
    let v = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let vertices = [
        v(0.0, -2.0, 0.0),
        v(3.0, -2.0, 0.0),
        v(3.0, 2.0, 0.0),
        v(0.0, 2.0, 0.0),
        v(0.0, -2.0, 3.0),
        v(0.0, 2.0, 3.0),
    ];
    let triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]];
    let mesh = shape(Mesh::new(&vertices, &triangles).unwrap());
    let origin = at(0.0, 0.0, 0.0);
    for (body, pose, floor, wall) in [
        (Shape::sphere(0.5).unwrap(), at(0.49, 0.3, 0.49), 1, 1),
        (cuboid(1.0, 1.0, 1.0), at(0.49, 0.3, 0.49), 4, 4),
        (
            Shape::cylinder(1.0, 0.5).unwrap(),
            at(0.49, 0.3, 0.49),
            0,
            2,
        ),
    ] {
        let found = touches((&mesh, &origin), (&body, &pose), 0.0);
        distinct(&found);
        let along = |n: DVec3| {
            found
                .iter()
                .filter(|t| t.normal.distance(n) < 1e-14)
                .count()
        };
        assert_eq!(along(DVec3::Z) + along(DVec3::X), found.len(), "{found:#?}");
        assert!(
            along(DVec3::Z) >= floor && along(DVec3::X) == wall,
            "{found:#?}"
        );
        assert!(found.iter().all(|t| (t.gap + 0.01).abs() < TINY));
    }
}

#[test]
fn a_wall_holds_what_is_in_front_of_it_and_a_ball_until_its_surface_has_passed() {
    let wall = shape(skin(
        &percuss_geometry::space::ConvexPolyhedron::cuboid(DVec3::new(0.1, 6.0, 6.0)).unwrap(),
    ));
    let origin = at(0.0, 0.0, 0.0);
    let body = cuboid(1.0, 1.0, 1.0);
    // The box has gone 0.2 into a wall of thickness 0.1 from the right: it is still pushed to the right.
    let found = touches((&wall, &origin), (&body, &at(0.35, 0.1, 0.2)), 0.0);
    assert_eq!(found.len(), 4);
    assert!(
        found
            .iter()
            .all(|t| t.normal == DVec3::X && (t.gap + 0.2).abs() < TINY)
    );
    let ball = Shape::sphere(0.5).unwrap();
    for (x, side) in [(0.3, 1.0), (0.01, 1.0), (-0.01, -1.0)] {
        let found = touches((&wall, &origin), (&ball, &at(x, 0.1, 0.2)), 0.0);
        let first = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        assert!(
            (first.gap - (f64::abs(x) - 0.05 - 0.5)).abs() < TINY,
            "{found:?}"
        );
        assert_eq!(first.normal, DVec3::X * side);
    }
}
