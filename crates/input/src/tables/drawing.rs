//! `[[drawing]]`: the drawing of a mechanism; expressions are still text.
//!
//! Every entry is one element: a line, a mark, an obstacle, a path. Its one key of a shape says which;
//! the other keys are its style.

use crate::Formula;

/// A point: two expressions in the plane, three in space.
pub type PointSpec = Vec<Formula>;

/// A parameter of a curve or surface with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct OverSpec {
    /// Name of the parameter.
    pub name: String,
    /// Line in the file.
    pub line: usize,
    /// Start of the interval.
    pub from: Formula,
    /// End of the interval.
    pub to: Formula,
}

/// The shape of an element.
#[derive(Debug, Clone, PartialEq)]
pub enum DrawingShapeSpec {
    /// A polyline.
    Link(Vec<PointSpec>),
    /// Points; discs or balls where they have a radius, with a spoke where they have an angle.
    Tip {
        /// The points.
        at: Vec<PointSpec>,
        /// Radius of the discs or balls.
        radius: Option<Formula>,
        /// Angle of the spoke.
        angle: Option<Formula>,
    },
    /// A polyline that others touch.
    Obstacle(Vec<PointSpec>),
    /// A half-plane or half-space behind a line or plane; the normal points out of it.
    Half {
        /// A point of the boundary.
        at: PointSpec,
        /// The normal of the boundary.
        normal: PointSpec,
    },
    /// A circle or sphere that others touch.
    Round {
        /// The centre.
        at: PointSpec,
        /// The radius.
        radius: Formula,
    },
    /// A parametric curve.
    Curve {
        /// The point as a function of the parameter.
        point: PointSpec,
        /// The parameter.
        over: OverSpec,
    },
    /// A parametric surface in space.
    Surface {
        /// The point as a function of the two parameters.
        point: PointSpec,
        /// The parameters.
        over: [OverSpec; 2],
    },
    /// The path of a point up to the present time.
    Trace(PointSpec),
    /// A zigzag between two points.
    Spring([PointSpec; 2]),
    /// The moving set of a sweeping process; added automatically, never written in a file.
    Set,
}

/// One element of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawingSpec {
    /// Its name.
    pub name: String,
    /// Its name in messages.
    pub part: String,
    /// The key of its shape.
    pub key: &'static str,
    /// Line on which it begins.
    pub line: usize,
    /// Its shape.
    pub shape: DrawingShapeSpec,
    /// Whether the last point is joined to the first.
    pub closed: bool,
    /// Whether the interior is filled.
    pub filled: bool,
    /// Text beside it.
    pub label: Option<String>,
    /// Index in `COLOURS`.
    pub colour: Option<u8>,
    /// Line width.
    pub width: Option<Formula>,
    /// Contacts and joints it takes part in.
    pub contacts: Vec<Formula>,
}

/// Names of the colours: the palette of plots, and grey.
pub const COLOURS: [&str; 8] = [
    "blue",
    "vermilion",
    "green",
    "pink",
    "amber",
    "sky",
    "black",
    "grey",
];

impl DrawingShapeSpec {
    /// Dimension, 2 or 3.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Link(all) | Self::Obstacle(all) | Self::Tip { at: all, .. } => {
                all.first().map_or(2, Vec::len)
            }
            Self::Half { at, .. } | Self::Round { at, .. } | Self::Trace(at) => at.len(),
            Self::Curve { point, .. } | Self::Surface { point, .. } => point.len(),
            Self::Spring([a, _]) => a.len(),
            Self::Set => 2,
        }
    }
}
