//! Errors of shapes.

/// Why a shape is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length that is not positive and finite.
    #[error("{what} is {value}: a positive, finite length was expected")]
    Length {
        /// Name of the length.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// Coordinates that are not finite.
    #[error("vertex {vertex} is not finite: {value}")]
    NotFinite {
        /// Index of the vertex, from 0.
        vertex: usize,
        /// Its first coordinate that is not finite.
        value: f64,
    },
    /// Vertices that span no area or volume, or too few vertices.
    #[error("{0}")]
    Degenerate(String),
    /// Vertices whose order or position makes the shape non-convex.
    #[error("{0}")]
    NotConvex(String),
    /// A surface whose triangles are oriented inwards or inconsistently.
    #[error("{0}")]
    Orientation(String),
    /// A face whose vertices are not coplanar.
    #[error("{0}")]
    NotFlat(String),
    /// A surface that is not closed, not simply connected, or in several pieces.
    #[error("{0}")]
    NotClosed(String),
    /// A face that refers to a vertex that does not exist.
    #[error("face {face} has vertex {vertex}, but there are only {count} vertices, from 0 on")]
    UnknownVertex {
        /// Index of the face, from 0.
        face: usize,
        /// Index of the vertex it refers to.
        vertex: usize,
        /// Number of vertices.
        count: usize,
    },
    /// A count above its limit.
    #[error("{count} {what}: at most {most} are allowed")]
    TooMany {
        /// Name of what is counted.
        what: String,
        /// The count given.
        count: usize,
        /// The largest count allowed.
        most: usize,
    },
}
