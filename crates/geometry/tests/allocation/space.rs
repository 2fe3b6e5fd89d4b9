//! The narrow phase of space allocates nothing once the list is large enough.

use crate::count;
use crate::space_kit::{Random, SpacePose, polyhedron};
use glam::DVec3;
use percuss_geometry::Space;
use percuss_geometry::space::{self, ConvexPolyhedron, Shape};

#[test]
fn a_warm_search_for_contacts_allocates_nothing() {
    let mut random = Random(31);
    let ball: Vec<DVec3> = (0..300).map(|_| random.direction()).collect();
    let shapes = [
        Shape::HalfSpace,
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(1.0, 0.3).unwrap(),
        polyhedron(random.cuboid()),
        polyhedron(random.hull()),
        polyhedron(ConvexPolyhedron::hull(&ball).unwrap().0),
    ];
    let poses: Vec<SpacePose> = (0..200).map(|_| random.pose(0.7)).collect();
    let mut out: Vec<percuss_geometry::ContactPoint<Space>> = Vec::with_capacity(1000);
    let mut found = 0;
    let before = count();
    for a in &shapes {
        for b in &shapes {
            for pair in poses.windows(2) {
                for reach in [0.0, 0.1] {
                    out.clear();
                    space::contact_points((a, &pair[0]), (b, &pair[1]), reach, &mut out);
                    found += out.len();
                }
            }
        }
    }
    let count = count() - before;
    assert!(found > 10_000, "{found}");
    assert_eq!(count, 0);
}
