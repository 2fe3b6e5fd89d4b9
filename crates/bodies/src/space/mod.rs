//! Shapes of space and where they touch.

pub(crate) mod convex;
mod mesh;
mod moments;
pub(crate) mod polyhedron;
mod shape;
mod solid;
pub mod spin;
mod touch;

pub use mesh::{Mesh, MeshError, Triangles, read_obj, read_stl, weld};
pub use polyhedron::{MAX_FACE_VERTICES, MAX_VERTICES, ConvexPolyhedron};
pub use shape::Shape;
pub use solid::{DecompositionParams, DecompositionFit, DecomposedMesh};
pub(crate) use touch::round::spheres as touch_spheres;
pub use touch::contact_points;
