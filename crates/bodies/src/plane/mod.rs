//! Shapes of the plane and where they touch.

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
