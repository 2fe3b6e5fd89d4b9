//! Shapes of either dimension: the trait [`Geometry`], rigid unions of convex parts ([`Compound`]) and the smallest
//! width of a shape.

mod compound;
mod fit;
pub(crate) mod forward;
mod min_width;

use std::fmt::Debug;

use crate::dim::{Aabb, ContactPoint, Dim, MassProperties, Pose};

pub(crate) use compound::contact_points as compound_contact_points;
pub use compound::{Compound, CompoundPiece, MAX_PARTS, Part, SourceSurface};
pub use fit::DecompositionFit;
pub use min_width::min_width;

/// The shapes of a dimension: bounds, mass properties, support functions and contact points of pairs.
pub trait Geometry: Dim {
    /// Shapes of this dimension.
    type Shape: Clone + Debug + PartialEq + Send + Sync;
    /// Whether the shape is a sphere of space, whose lever arms are parallel to the contact normals.
    fn is_sphere(shape: &Self::Shape) -> bool;
    /// Smallest axis-aligned bounding box of a placed shape.
    fn aabb(shape: &Self::Shape, pose: &Pose<Self>) -> Aabb<Self>;
    /// Whether a shape can only be a boundary and cannot move under forces (half-space, mesh, chain).
    fn boundary_only(shape: &Self::Shape) -> bool;
    /// Bounding radius: largest distance of a point of the shape from the origin of body axes; infinite if
    /// unbounded.
    fn bounding_radius(shape: &Self::Shape) -> f64;
    /// Mass properties for a density per area (plane) or volume (space); `None` for boundaries.
    fn mass_properties(shape: &Self::Shape, density: f64) -> Option<MassProperties<Self>>;
    /// The convex parts of a compound; `None` for other shapes.
    fn compound(shape: &Self::Shape) -> Option<&Compound<Self>>;
    /// Total mass properties of placed bodies by the parallel-axis theorem, and the pose of their principal axes.
    fn combine_masses(
        parts: &[(MassProperties<Self>, Pose<Self>)],
    ) -> (MassProperties<Self>, Pose<Self>);
    /// Largest distance of a point of a placed shape from the origin.
    fn farthest(shape: &Self::Shape, pose: &Pose<Self>) -> f64;
    /// Support function max n·x of a convex shape; infinite for others.
    fn support(shape: &Self::Shape, n: Self::Vector) -> f64;
    /// Calls `visit` with the normal of every face of a convex shape and the depth of x behind it.
    fn visit_face_depths(
        shape: &Self::Shape,
        x: Self::Vector,
        visit: &mut dyn FnMut(Self::Vector, f64),
    );
    /// Calls `visit` with the direction of every straight line in the surface of a convex shape that passes
    /// within `near` of x: edges, and generators of cylindrical faces.
    fn visit_straight_lines(
        shape: &Self::Shape,
        x: Self::Vector,
        near: f64,
        visit: &mut dyn FnMut(Self::Vector),
    );
    /// Whether a boundary has no edge or corner within the distance `step` of x.
    fn is_smooth_near(shape: &Self::Shape, x: Self::Vector, step: f64) -> bool;
    /// Radius of a disc or a sphere; `None` for other shapes.
    fn sphere_radius(shape: &Self::Shape) -> Option<f64>;
    /// What [`Geometry::contact_points`] finds between two discs or two spheres whose poses are finite.
    fn sphere_contact_point(
        a: (f64, &Pose<Self>),
        b: (f64, &Pose<Self>),
        reach: f64,
    ) -> Option<ContactPoint<Self>>;
    /// Appends every contact point of b with a whose gap is at most `reach` (the contact margin, ≥ 0), in a fixed
    /// order. Depends on the arguments alone and allocates only if `out` must grow. Two boundaries have no contact.
    fn contact_points(
        a: (&Self::Shape, &Pose<Self>),
        b: (&Self::Shape, &Pose<Self>),
        reach: f64,
        out: &mut Vec<ContactPoint<Self>>,
    );
}
