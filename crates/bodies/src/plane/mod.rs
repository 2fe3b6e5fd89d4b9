//! Shapes of the plane: discs, convex polygons, capsules, half-planes, chains, compounds; their mass properties,
//! bounding boxes and contact points.
//!
//! | module | computes |
//! |---|---|
//! | `angle` | rotations of the plane |
//! | `shape` | the shapes, their axis-aligned bounding boxes and mass properties |
//! | `polygon`, `few` | convex polygons; those of three or four vertices for SIMD |
//! | `outline` | convex decomposition of simple polygons |
//! | `chain` | polygonal chains as one-sided boundaries |
//! | `convex` | support function and faces of a convex shape as part of a compound |
//! | `touch` | contact points of a pair: separating axes, reference-edge clipping |

mod angle;
mod chain;
pub(crate) mod convex;
mod few;
mod outline;
mod polygon;
mod shape;
mod touch;

pub use angle::Angle;
pub use chain::Chain;
pub use polygon::ConvexPolygon;
pub use shape::Shape;
pub use touch::contact_points;
pub(crate) use touch::disc_contact_point;
