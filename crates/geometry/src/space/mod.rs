//! Shapes of space: spheres, capsules, cylinders, convex polyhedra, half-spaces, triangle meshes, compounds; their
//! mass properties, bounding boxes and contact points.
//!
//! | module | computes |
//! |---|---|
//! | `shape` | the shapes, their axis-aligned bounding boxes and mass properties |
//! | `moments` | volume, centre of mass, principal moments of inertia |
//! | `polyhedron` | convex polyhedra, convex hulls (Quickhull) |
//! | `mesh` | triangle meshes as boundaries, OBJ and STL readers, vertex welding |
//! | `convex_decomposition` | approximate convex decomposition (VHACD) of closed meshes |
//! | `geometry` | the trait `Geometry` for space |
//! | `convex` | support function and faces of a convex shape as part of a compound |
//! | `contact_points` | contact points of a pair: GJK, separating axes, clipping |

mod contact_points;
mod convex;
mod convex_decomposition;
mod geometry;
mod mesh;
mod moments;
mod polyhedron;
mod shape;

pub use crate::shape::DecompositionFit;
pub use contact_points::contact_points;
use contact_points::round_shapes::spheres as touch_spheres;
pub use convex_decomposition::{DecomposedMesh, DecompositionParams};
pub use mesh::{Mesh, MeshError, Triangles, read_obj, read_stl, weld};
pub use polyhedron::{ConvexPolyhedron, MAX_FACE_VERTICES, MAX_VERTICES};
pub use shape::Shape;
