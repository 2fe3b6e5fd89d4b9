//! Contact points of two shapes of space (narrow phase).
//!
//! Each kind of pair has its own closed form or search; none keeps a state, none allocates. The algorithms:
//!
//! | module | computes |
//! |---|---|
//! | `closest_points` | closest points of points, segments, triangles |
//! | `projected_overlap` | overlap of two projected convex polygons |
//! | `gjk` | GJK: closest points of separated convex bodies |
//! | `gjk_extended`, `double_double` | GJK in double-double arithmetic, where `gjk` proves nothing |
//! | `separating_axes` | separating axes of polyhedra, also overlapping ones |
//! | `round_shapes`, `polyhedron_sphere`, `polyhedron_capsule`, `polyhedra` | spheres, capsules and polyhedra with each other and with half-spaces |
//! | `cylinder` | cylinders with everything but meshes |
//! | `mesh` | meshes with bounded shapes |

mod closest_points;
mod cylinder;
mod double_double;
mod gjk;
mod gjk_extended;
mod mesh;
mod pair;
mod polyhedra;
mod polyhedron_capsule;
mod polyhedron_sphere;
mod projected_overlap;
pub(super) mod round_shapes;
mod separating_axes;

use super::polyhedron::ConvexPolyhedron;
use super::shape::Shape;
use crate::dim::{ContactPoint, Pose, Space};
use crate::shape::compound_contact_points;

use round_shapes::CapsuleSegment;

/// Appends every contact point of a and b with gap ≤ `reach`; see [`crate::Geometry::contact_points`].
pub fn contact_points(
    a: (&Shape, &Pose<Space>),
    b: (&Shape, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    if matches!(
        (a.0, b.0),
        (Shape::Compound(_), _) | (_, Shape::Compound(_))
    ) {
        return compound_contact_points::<Space>(a, b, reach, out);
    }
    let placed = |pose: &Pose<Space>| pose.position.is_finite() && pose.rotation.is_finite();
    let boundaries = a.0.boundary_only() && b.0.boundary_only();
    if boundaries || !placed(a.1) || !placed(b.1) {
        return;
    }
    // The shape of lower rank first; the result of an exchanged pair is mirrored.
    if rank(a.0) <= rank(b.0) {
        ordered(a, b, reach, out);
    } else {
        let from = out.len();
        ordered(b, a, reach, out);
        swapped(out, from);
    }
}

/// Pairs are computed with the shape of lower rank first.
fn rank(shape: &Shape) -> u32 {
    match shape {
        Shape::Mesh(_) => 0,
        Shape::Cylinder { .. } => 1,
        Shape::HalfSpace => 2,
        Shape::Polyhedron(_) => 3,
        Shape::Sphere { .. } => 4,
        Shape::Capsule { .. } => 5,
        Shape::Compound(_) => 6,
    }
}

type PlacedShape<'a> = (&'a Shape, &'a Pose<Space>);

fn ordered(a: PlacedShape, b: PlacedShape, reach: f64, out: &mut Vec<ContactPoint<Space>>) {
    match *a.0 {
        Shape::Mesh(ref m) => mesh::mesh((m, a.1), b, reach, out),
        Shape::Cylinder {
            half_length: h,
            radius: r,
        } => {
            cylinder::cylinder((h, r, a.1), b, reach, out);
        }
        Shape::HalfSpace => half_space(a.1, b, reach, out),
        Shape::Polyhedron(ref p) => polyhedron((p, a.1), b, reach, out),
        Shape::Sphere { radius } => match *b.0 {
            Shape::Sphere { radius: r } => {
                out.extend(round_shapes::spheres((radius, a.1), (r, b.1), reach));
            }
            Shape::Capsule {
                half_length: h,
                radius: r,
            } => {
                round_shapes::sphere_capsule(
                    (radius, a.1),
                    CapsuleSegment::of(h, r, b.1),
                    reach,
                    out,
                );
            }
            // The others have lower rank.
            _ => {}
        },
        Shape::Capsule {
            half_length,
            radius,
        } => {
            if let Shape::Capsule {
                half_length: h,
                radius: r,
            } = *b.0
            {
                let a = CapsuleSegment::of(half_length, radius, a.1);
                round_shapes::capsules(a, CapsuleSegment::of(h, r, b.1), reach, out);
            }
        }
        // Split into parts before.
        Shape::Compound(_) => {}
    }
}

fn half_space(a: &Pose<Space>, b: PlacedShape, reach: f64, out: &mut Vec<ContactPoint<Space>>) {
    match *b.0 {
        Shape::Sphere { radius } => round_shapes::plane_sphere(a, (radius, b.1), reach, out),
        Shape::Capsule {
            half_length: h,
            radius: r,
        } => {
            round_shapes::plane_capsule(a, CapsuleSegment::of(h, r, b.1), reach, out);
        }
        Shape::Polyhedron(ref p) => round_shapes::plane_polyhedron(a, (p, b.1), reach, out),
        // Of lower rank, boundaries, or split into parts before.
        Shape::Cylinder { .. } | Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

fn polyhedron(
    a: (&ConvexPolyhedron, &Pose<Space>),
    b: PlacedShape,
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    match *b.0 {
        Shape::Sphere { radius } => {
            polyhedron_sphere::polyhedron_sphere(a, (radius, b.1), reach, out)
        }
        Shape::Capsule {
            half_length: h,
            radius: r,
        } => {
            polyhedron_capsule::polyhedron_capsule(a, (h, r, b.1), reach, out);
        }
        Shape::Polyhedron(ref p) => polyhedra::polyhedra(a, (p, b.1), reach, out),
        // Of lower rank, or split into parts before.
        Shape::Cylinder { .. } | Shape::HalfSpace | Shape::Mesh(_) | Shape::Compound(_) => {}
    }
}

/// Exchanges a and b in the contact points appended since `from`.
pub(crate) fn swapped(out: &mut [ContactPoint<Space>], from: usize) {
    for touch in out.iter_mut().skip(from) {
        std::mem::swap(&mut touch.point_a, &mut touch.point_b);
        touch.normal = -touch.normal;
    }
}
