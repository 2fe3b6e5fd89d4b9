//! Shapes that are none.

/// Why a shape cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that is not positive and finite.
    #[error("{what} is {value}: a positive, finite length was expected")]
    Length {
        /// Which one.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// Coordinates that are not finite.
    #[error("vertex {vertex} is not finite: {value}")]
    NotFinite {
        /// Which vertex, from 0.
        vertex: usize,
        /// The first coordinate that is not.
        value: f64,
    },
    /// Vertices that span no area or volume, or too few of them.
    #[error("{0}")]
    Degenerate(String),
    /// Vertices in an order or a place that is not convex.
    #[error("{0}")]
    NotConvex(String),
    /// A surface whose triangles point inwards, or not all the same way.
    #[error("{0}")]
    Orientation(String),
    /// A face whose vertices do not lie in a plane.
    #[error("{0}")]
    NotFlat(String),
    /// A surface with a hole, a handle, or in several pieces.
    #[error("{0}")]
    NotClosed(String),
    /// A face with a vertex that does not exist.
    #[error("face {face} has vertex {vertex}, but there are only {count} vertices, from 0 on")]
    UnknownVertex {
        /// Which face, from 0.
        face: usize,
        /// What it names.
        vertex: usize,
        /// How many there are.
        count: usize,
    },
    /// More than a shape can have.
    #[error("{count} {what}: at most {most} are allowed")]
    TooMany {
        /// Of what.
        what: String,
        /// How many were given.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

/// Why a collection cannot move, or cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// A movable body whose mass or moment is not positive and finite.
    #[error("body {body}: its {what} is {value}, a positive, finite number was expected")]
    Mass {
        /// Which body.
        body: usize,
        /// Mass or moment of inertia.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A number that is not finite.
    #[error("body {body}: its {what} at t = {t} is not finite")]
    NotFinite {
        /// Which body.
        body: usize,
        /// What.
        what: &'static str,
        /// When.
        t: f64,
    },
    /// Something the model refers to that is not there.
    #[error("{0}")]
    Reference(String),
    /// Joints that cannot be, or that exclude each other.
    #[error("{0}")]
    Joint(String),
    /// A setting out of range.
    #[error("{what} is {value}: {expected} was expected")]
    Setting {
        /// Which.
        what: &'static str,
        /// What was given.
        value: String,
        /// What would do.
        expected: &'static str,
    },
    /// A contact problem that cannot be posed.
    #[error("bodies {bodies:?} at t = {t}: {reason}")]
    Contact {
        /// The two bodies.
        bodies: [u32; 2],
        /// When.
        t: f64,
        /// Why.
        reason: String,
    },
    /// A periodic cell that is none, or no longer one.
    #[error("the periodic cell at t = {t}: {reason}")]
    Cell {
        /// When.
        t: f64,
        /// Why.
        reason: String,
    },
}
