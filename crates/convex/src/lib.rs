#![doc = include_str!("../README.md")]

pub mod cone;
mod conic;
pub mod dense;
mod error;
pub mod excess;
mod metric;
pub mod qp;
mod sets;

pub use conic::ConicForm;
pub use error::{ConvexError, Result};
pub use metric::Metric;
pub use sets::{
    AxisBox, Ball, ConvexSet, Ellipsoid, HalfSpace, Intersection, Point, PolarCone, PolyhedralCone,
    Polyhedron, Polytope, Product, RECESSION_TOLERANCE, RollingCone, Scale, SecondOrderCone,
    Segment, Set, Simplex, Subspace, Support, Translate,
};
