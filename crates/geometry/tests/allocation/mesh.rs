//! A warm detection with cylinders and meshes allocates nothing.

use crate::mesh_kit;
use crate::space_kit::{Random, at, polyhedron};
use crate::{allocations, count};
use percuss_geometry::space::{self, Shape};

#[test]
fn a_warm_detection_allocates_nothing() {
    let mut random = Random(4);
    let ground = mesh_kit::shape(mesh_kit::grid(20, 3.0, &mut random, |x, y| {
        (3.0 * x).sin() * y.cos()
    }));
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(1.0, 0.3).unwrap(),
        Shape::cylinder(1.0, 0.4).unwrap(),
        polyhedron(random.cuboid()),
        polyhedron(random.hull()),
    ];
    let cylinder = Shape::cylinder(1.2, 0.5).unwrap();
    let poses: Vec<_> = (0..200).map(|_| random.pose(1.0)).collect();
    let mut out = Vec::with_capacity(4096);
    // Seen from outside, or the compiler does without the box.
    let counted = allocations(|| drop(std::hint::black_box(Box::new(1))));
    assert!(counted > 0, "the counter counts");
    let before = count();
    let mut points = 0;
    for pose in &poses {
        for shape in &shapes {
            for boundary in [&ground, &cylinder, &Shape::HalfSpace] {
                out.clear();
                space::contact_points(
                    (boundary, &at(0.0, 0.0, 0.0)),
                    (shape, pose),
                    0.01,
                    &mut out,
                );
                points += out.len();
            }
        }
        out.clear();
        space::contact_points(
            (&cylinder, pose),
            (&Shape::HalfSpace, &at(0.0, 0.0, 0.0)),
            0.01,
            &mut out,
        );
        points += out.len();
    }
    assert_eq!(count(), before);
    assert!(points > 1000 && out.capacity() == 4096);
}
