//! Shapes of the plane: discs, convex polygons, capsules, half-planes, chains, compounds; their mass properties,
//! bounding boxes and contact points.
//!
//! | module | computes |
//! |---|---|
//! | `shape` | the shapes, their axis-aligned bounding boxes and mass properties |
//! | `polygon`, `small_polygon` | convex polygons; those of three or four vertices for SIMD |
//! | `simple_polygon` | convex decomposition of simple polygons |
//! | `chain` | polygonal chains as one-sided boundaries |
//! | `geometry` | the trait `Geometry` for the plane |
//! | `convex` | support function and faces of a convex shape as part of a compound |
//! | `contact_points` | contact points of a pair: separating axes, reference-edge clipping |

mod chain;
mod contact_points;
mod convex;
mod geometry;
mod polygon;
mod shape;
mod simple_polygon;
mod small_polygon;

pub use crate::rotation::Angle;
pub use chain::Chain;
pub use contact_points::contact_points;
use contact_points::disc_contact_point;
pub use polygon::ConvexPolygon;
pub use shape::Shape;
