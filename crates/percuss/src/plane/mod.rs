//! Bodies and joints of the plane: `use percuss::plane::*`.
//!
//! ```
//! use percuss::plane::*;
//!
//! # fn main() -> percuss::Result<()> {
//! let mut world = World::builder()
//!     .law(ContactLaw::coulomb(0.5))
//!     .body("floor", Body::half_plane())
//!     .body("disc", Body::disc(0.1).at([0.0, 0.1]).velocity([1.0, 0.0]))
//!     .build()?;
//! world.run_until(1.0)?;
//! // It slid at first and now rolls with two thirds of its speed.
//! assert!((world.body("disc")?.velocity().x - 2.0 / 3.0).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```

mod joints;

use std::sync::Arc;

use glam::DVec2;
use percuss_bodies::plane::{Angle, Chain, ConvexPolygon, Shape as EngineShape};
use percuss_bodies::{Plane, Pose, ShapeError};

use crate::body::{self, Dimension};
use crate::joint;
use crate::{force, world};

pub use crate::joint::{BodyId, BodyRef};
pub use crate::law::ContactLaw;
pub use glam::DVec2 as Vector;

/// A world of the plane.
///
/// ```
/// use percuss::plane::World;
/// assert_eq!(World::builder().build().unwrap().num_bodies(), 0);
/// ```
pub type World = world::World<Plane>;
/// The builder of a world of the plane.
///
/// ```
/// use percuss::plane::{World, WorldBuilder};
/// let builder: WorldBuilder = World::builder();
/// assert!(builder.build().is_ok());
/// ```
pub type WorldBuilder = world::WorldBuilder<Plane>;
/// A body of the plane.
///
/// ```
/// use percuss::plane::Body;
/// assert_eq!(Body::default().density, 1000.0);
/// ```
pub type Body = body::Body<Plane>;
/// A part of a compound of the plane.
///
/// ```
/// use percuss::plane::{Part, Shape};
/// assert_eq!(Part::new(Shape::default()).density, 1.0);
/// ```
pub type Part = body::Part<Plane>;
/// How a body of the plane moves.
///
/// ```
/// use percuss::plane::Freedom;
/// assert!(matches!(Freedom::default(), Freedom::Free));
/// ```
pub type Freedom = body::Freedom<Plane>;
/// A prescribed motion of the plane at an instant.
///
/// ```
/// use percuss::plane::Displacement;
/// assert_eq!(Displacement::default().rotation, 0.0);
/// ```
pub type Displacement = body::Displacement<Plane>;
/// A joint of the plane.
///
/// ```
/// use percuss::plane::Joint;
/// assert!(Joint::weld("a", "b", [0.0, 0.0]).limits.is_none());
/// ```
pub type Joint = joint::Joint<Plane>;
/// Force and moment on a body of the plane.
///
/// ```
/// use percuss::plane::Load;
/// assert_eq!(Load::from([1.0, 2.0]).moment, 0.0);
/// ```
pub type Load = force::Load<Plane>;
/// The state of a body of the plane that a force may depend on.
///
/// ```
/// use percuss::plane::{BodyState, Load};
/// let spring = |at: &BodyState| Load::from([-10.0 * at.position.x, 0.0]);
/// # let _ = spring;
/// ```
pub type BodyState = force::BodyState<Plane>;

/// A shape of the plane, in axes of its own.
///
/// ```
/// use percuss::plane::{Body, Shape, World};
/// # fn main() -> percuss::Result<()> {
/// let triangle = Shape::Polygon { vertices: vec![[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]] };
/// let world = World::builder().body("triangle", Body::new(triangle)).build()?;
/// // The position of a body is that of its centre of mass.
/// assert!((world.body("triangle")?.position().x - 1.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A disc about the origin.
    Disc {
        /// Its radius.
        radius: f64,
    },
    /// A rectangle about the origin.
    Rectangle {
        /// Its width, along x.
        width: f64,
        /// Its height, along y.
        height: f64,
    },
    /// A simple polygon, convex or not.
    Polygon {
        /// Its vertices in either sense of rotation.
        vertices: Vec<[f64; 2]>,
    },
    /// All points within `radius` of a segment on the x axis.
    Capsule {
        /// Length of the segment.
        length: f64,
        /// The radius.
        radius: f64,
    },
    /// The half-plane y ≤ 0: a boundary.
    HalfPlane,
    /// A polygonal chain, solid on the right when walking along it: a boundary.
    Chain {
        /// Its vertices.
        vertices: Vec<[f64; 2]>,
        /// Whether it is closed.
        closed: bool,
    },
    /// A rigid union of parts.
    Compound {
        /// The parts.
        parts: Vec<Part>,
    },
}

impl Default for Shape {
    fn default() -> Self {
        Self::Disc { radius: 0.5 }
    }
}

impl Dimension for Plane {
    type ShapeSpec = Shape;
    type Spin = f64;
    const X_AXIS: DVec2 = DVec2::X;

    fn make_shape(spec: &Shape) -> Result<(EngineShape, Pose<Self>), ShapeError> {
        let points = |all: &[[f64; 2]]| all.iter().map(|v| DVec2::from(*v)).collect::<Vec<_>>();
        Ok(match spec {
            Shape::Disc { radius } => centred(EngineShape::disc(*radius)?),
            Shape::Rectangle { width, height } => {
                let rectangle = ConvexPolygon::rectangle(*width, *height)?;
                centred(EngineShape::Polygon(Arc::new(rectangle)))
            }
            Shape::Polygon { vertices } => EngineShape::polygon(&points(vertices))?,
            Shape::Capsule { length, radius } => centred(EngineShape::capsule(*length, *radius)?),
            Shape::HalfPlane => centred(EngineShape::HalfPlane),
            Shape::Chain { vertices, closed } => {
                let chain = Chain::new(&points(vertices), *closed)?;
                centred(EngineShape::Chain(Arc::new(chain)))
            }
            Shape::Compound { parts } => {
                let (compound, axes) = body::make_compound(parts)?;
                (EngineShape::Compound(Arc::new(compound)), axes)
            }
        })
    }

    fn down(magnitude: f64) -> DVec2 {
        DVec2::new(0.0, -magnitude)
    }

    fn spin_components(spin: &f64) -> [f64; 3] {
        [*spin, 0.0, 0.0]
    }

    fn spin_of(_rotation: &Angle, velocity: &[f64; 3]) -> f64 {
        velocity[2]
    }

    fn dofs(_rotation: &Angle, linear: DVec2, spin: f64) -> [f64; 3] {
        [linear.x, linear.y, spin]
    }

    fn displaced(pose: &Pose<Self>, by: DVec2, angle: f64) -> Pose<Self> {
        Pose {
            position: pose.position + by,
            rotation: Angle::new(pose.rotation.angle() + angle),
        }
    }

    fn inertia_components(inertia: &f64) -> [f64; 3] {
        [*inertia; 3]
    }
}

/// A shape whose body axes are the axes that it is described in.
fn centred(shape: EngineShape) -> (EngineShape, Pose<Plane>) {
    let pose = Pose {
        position: DVec2::ZERO,
        rotation: Angle::default(),
    };
    (shape, pose)
}

impl From<([f64; 2], [f64; 2])> for body::Displacement<Plane> {
    fn from((position, velocity): ([f64; 2], [f64; 2])) -> Self {
        Self {
            position: position.into(),
            velocity: velocity.into(),
            ..Self::default()
        }
    }
}

impl From<[f64; 2]> for force::Load<Plane> {
    fn from(force: [f64; 2]) -> Self {
        Self {
            force: force.into(),
            moment: 0.0,
        }
    }
}

impl From<DVec2> for force::Load<Plane> {
    fn from(force: DVec2) -> Self {
        Self { force, moment: 0.0 }
    }
}

impl body::Body<Plane> {
    /// A disc.
    ///
    /// ```
    /// use percuss::plane::{Body, Shape};
    /// assert_eq!(Body::disc(0.1).shape, Shape::Disc { radius: 0.1 });
    /// ```
    pub fn disc(radius: f64) -> Self {
        Self::new(Shape::Disc { radius })
    }

    /// A rectangle about its position.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let world = World::builder().body("brick", Body::rectangle(0.2, 0.1)).build()?;
    /// assert!((world.body("brick")?.mass() - 20.0).abs() < 1e-12); // 1000 kg/m²
    /// # Ok(())
    /// # }
    /// ```
    pub fn rectangle(width: f64, height: f64) -> Self {
        Self::new(Shape::Rectangle { width, height })
    }

    /// A simple polygon, convex or not.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    /// let error = World::builder().body("tie", Body::polygon(bow_tie)).build().unwrap_err();
    /// assert!(error.to_string().starts_with("body `tie`: "));
    /// ```
    pub fn polygon(vertices: impl IntoIterator<Item = [f64; 2]>) -> Self {
        Self::new(Shape::Polygon {
            vertices: vertices.into_iter().collect(),
        })
    }

    /// A capsule along the x axis: all points within `radius` of a segment of this length.
    ///
    /// ```
    /// use percuss::plane::{Body, Shape};
    /// assert_eq!(Body::capsule(1.0, 0.1).shape, Shape::Capsule { length: 1.0, radius: 0.1 });
    /// ```
    pub fn capsule(length: f64, radius: f64) -> Self {
        Self::new(Shape::Capsule { length, radius })
    }

    /// The half-plane below its position, at rest; [`Body::angle`] inclines it.
    ///
    /// ```
    /// use percuss::plane::Body;
    /// let incline = Body::half_plane().angle(20_f64.to_radians());
    /// assert!(incline.rotation.angle() > 0.3);
    /// ```
    pub fn half_plane() -> Self {
        Self::new(Shape::HalfPlane).fixed()
    }

    /// A polygonal chain at rest, solid on the right when walking along it.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// let valley = Body::chain([[-2.0, 1.0], [0.0, 0.0], [2.0, 1.0]]);
    /// assert!(World::builder().body("valley", valley).build().is_ok());
    /// ```
    pub fn chain(vertices: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let vertices = vertices.into_iter().collect();
        Self::new(Shape::Chain {
            vertices,
            closed: false,
        })
        .fixed()
    }

    /// A rigid union of parts.
    ///
    /// ```
    /// use percuss::plane::{Body, Part, Shape, World};
    /// let leg = |x: f64| Part::new(Shape::Rectangle { width: 0.1, height: 1.0 }).at([x, 0.5]);
    /// let top = Part::new(Shape::Rectangle { width: 2.0, height: 0.1 }).at([0.0, 1.05]);
    /// let table = Body::compound([leg(-0.9), leg(0.9), top]);
    /// assert!(World::builder().body("table", table).build().is_ok());
    /// ```
    pub fn compound(parts: impl IntoIterator<Item = body::Part<Plane>>) -> Self {
        Self::new(Shape::Compound {
            parts: parts.into_iter().collect(),
        })
    }

    /// Turns it by an angle in radians, anticlockwise.
    ///
    /// ```
    /// use percuss::plane::Body;
    /// assert_eq!(Body::rectangle(1.0, 0.2).angle(0.5).rotation.angle(), 0.5);
    /// ```
    pub fn angle(mut self, angle: f64) -> Self {
        self.rotation = Angle::new(angle);
        self
    }
}

impl body::Part<Plane> {
    /// Turns it by an angle in radians, anticlockwise.
    ///
    /// ```
    /// use percuss::plane::{Part, Shape};
    /// assert_eq!(Part::new(Shape::default()).angle(0.5).rotation.angle(), 0.5);
    /// ```
    pub fn angle(mut self, angle: f64) -> Self {
        self.rotation = Angle::new(angle);
        self
    }
}
