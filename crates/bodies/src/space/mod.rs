//! Shapes of space and where they touch.

mod mesh;
mod moments;
mod polyhedron;
mod shape;
pub mod spin;
mod touch;

pub use mesh::{Mesh, MeshError, Triangles, read_obj, read_stl};
pub use polyhedron::{MOST_SIDES, MOST_VERTICES, Polyhedron};
pub use shape::Shape;
pub use touch::touch;
