//! Shapes of space: spheres, capsules, cylinders, convex polyhedra, half-spaces, triangle meshes, compounds; their
//! mass properties, bounding boxes and contact points.
//!
//! | module | computes |
//! |---|---|
//! | `shape` | the shapes, their axis-aligned bounding boxes and mass properties |
//! | `moments` | volume, centre of mass, principal moments of inertia |
//! | `polyhedron` | convex polyhedra, convex hulls (Quickhull), exact predicates |
//! | `mesh` | triangle meshes as boundaries, OBJ and STL readers, vertex welding |
//! | `solid` | approximate convex decomposition (VHACD) of closed meshes |
//! | `convex` | support function and faces of a convex shape as part of a compound |
//! | [`spin`] | free rotation: Cayley's map, implicit midpoint rule for Euler's equations |
//! | `touch` | contact points of a pair: GJK, separating axes, clipping |

pub(crate) mod convex;
mod mesh;
mod moments;
pub(crate) mod polyhedron;
mod shape;
mod solid;
pub mod spin;
mod touch;

pub use mesh::{Mesh, MeshError, Triangles, read_obj, read_stl, weld};
pub use polyhedron::{ConvexPolyhedron, MAX_FACE_VERTICES, MAX_VERTICES};
pub use shape::Shape;
pub use solid::{DecomposedMesh, DecompositionFit, DecompositionParams};
pub use touch::contact_points;
pub(crate) use touch::round::spheres as touch_spheres;
