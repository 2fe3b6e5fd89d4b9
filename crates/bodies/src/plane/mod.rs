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
pub use polygon::Polygon;
pub use shape::Shape;
pub use touch::touch;
pub(crate) use touch::touch_discs;
