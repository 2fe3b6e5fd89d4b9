//! Bodies and joints of space: `use percuss::space::*`. Gravity is along −z.
//!
//! ```
//! use percuss::space::*;
//!
//! # fn main() -> percuss::Result<()> {
//! let mut world = World::builder()
//!     .law(ContactLaw::coulomb(0.5))
//!     .body("floor", Body::half_space())
//!     .body("ball", Body::sphere(0.1).at([0.0, 0.0, 0.1]).velocity([1.0, 0.0, 0.0]))
//!     .build()?;
//! world.run_until(1.0)?;
//! // It slid at first and now rolls with five sevenths of its speed.
//! assert!((world.body("ball")?.velocity().x - 5.0 / 7.0).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```

mod joints;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use percuss_bodies::space::{ConvexPolyhedron, Mesh, Shape as EngineShape};
use percuss_bodies::{Pose, ShapeError, Space};

use crate::body::{self, Dimension};
use crate::joint;
use crate::{force, world};

pub use crate::joint::{BodyId, BodyRef};
pub use crate::law::ContactLaw;
pub use glam::DVec3 as Vector;

/// A world of space.
///
/// ```
/// use percuss::space::World;
/// assert_eq!(World::builder().build().unwrap().num_bodies(), 0);
/// ```
pub type World = world::World<Space>;
/// The builder of a world of space.
///
/// ```
/// use percuss::space::{World, WorldBuilder};
/// let builder: WorldBuilder = World::builder();
/// assert!(builder.build().is_ok());
/// ```
pub type WorldBuilder = world::WorldBuilder<Space>;
/// A body of space.
///
/// ```
/// use percuss::space::Body;
/// assert_eq!(Body::default().density, 1000.0);
/// ```
pub type Body = body::Body<Space>;
/// A part of a compound of space.
///
/// ```
/// use percuss::space::{Part, Shape};
/// assert_eq!(Part::new(Shape::default()).density, 1.0);
/// ```
pub type Part = body::Part<Space>;
/// How a body of space moves.
///
/// ```
/// use percuss::space::Freedom;
/// assert!(matches!(Freedom::default(), Freedom::Free));
/// ```
pub type Freedom = body::Freedom<Space>;
/// A prescribed motion of space at an instant.
///
/// ```
/// use percuss::space::Displacement;
/// let drum = |t: f64| Displacement {
///     rotation: [0.0, 2.0 * t, 0.0].into(), // about the y axis
///     spin: [0.0, 2.0, 0.0].into(),
///     ..Displacement::default()
/// };
/// assert_eq!(drum(0.5).rotation.y, 1.0);
/// ```
pub type Displacement = body::Displacement<Space>;
/// A joint of space.
///
/// ```
/// use percuss::space::Joint;
/// assert!(Joint::weld("a", "b", [0.0, 0.0, 0.0]).limits.is_none());
/// ```
pub type Joint = joint::Joint<Space>;
/// Force and moment on a body of space, world axes.
///
/// ```
/// use percuss::space::Load;
/// assert_eq!(Load::from([1.0, 2.0, 3.0]).moment.x, 0.0);
/// ```
pub type Load = force::Load<Space>;
/// The state of a body of space that a force may depend on.
///
/// ```
/// use percuss::space::{BodyState, Load};
/// let wind = |at: &BodyState| Load::from([2.0 - at.velocity.x, 0.0, 0.0]);
/// # let _ = wind;
/// ```
pub type BodyState = force::BodyState<Space>;

/// A shape of space, in axes of its own.
///
/// ```
/// use percuss::space::{Body, Shape, World};
/// # fn main() -> percuss::Result<()> {
/// let points = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let world = World::builder().body("corner", Body::new(Shape::Hull { points })).build()?;
/// // The position of a body is that of its centre of mass.
/// assert!((world.body("corner")?.position().x - 1.0).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A sphere about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A box about the origin.
    Cuboid {
        /// Its lengths along x, y and z.
        sides: [f64; 3],
    },
    /// All points within `radius` of a segment on the z axis.
    Capsule {
        /// Length of the segment.
        length: f64,
        /// The radius.
        radius: f64,
    },
    /// A cylinder with its axis along z.
    Cylinder {
        /// Its length.
        length: f64,
        /// Its radius.
        radius: f64,
    },
    /// The convex hull of points.
    Hull {
        /// The points.
        points: Vec<[f64; 3]>,
    },
    /// The half-space z ≤ 0: a boundary.
    HalfSpace,
    /// A surface of triangles: a boundary.
    Mesh {
        /// Vertices.
        vertices: Vec<[f64; 3]>,
        /// Triangles, as indices of vertices.
        triangles: Vec<[u32; 3]>,
    },
    /// A rigid union of parts.
    Compound {
        /// The parts.
        parts: Vec<Part>,
    },
}

impl Default for Shape {
    fn default() -> Self {
        Self::Sphere { radius: 0.5 }
    }
}

impl Dimension for Space {
    type ShapeSpec = Shape;
    type Spin = DVec3;
    const X_AXIS: DVec3 = DVec3::X;

    fn make_shape(spec: &Shape) -> Result<(EngineShape, Pose<Self>), ShapeError> {
        let points = |all: &[[f64; 3]]| all.iter().map(|v| DVec3::from(*v)).collect::<Vec<_>>();
        Ok(match spec {
            Shape::Sphere { radius } => centred(EngineShape::sphere(*radius)?),
            Shape::Cuboid { sides } => {
                let cuboid = ConvexPolyhedron::cuboid(DVec3::from(*sides))?;
                centred(EngineShape::Polyhedron(Arc::new(cuboid)))
            }
            Shape::Capsule { length, radius } => centred(EngineShape::capsule(*length, *radius)?),
            Shape::Cylinder { length, radius } => centred(EngineShape::cylinder(*length, *radius)?),
            Shape::Hull { points: all } => {
                let (hull, axes) = ConvexPolyhedron::hull(&points(all))?;
                (EngineShape::Polyhedron(Arc::new(hull)), axes)
            }
            Shape::HalfSpace => centred(EngineShape::HalfSpace),
            Shape::Mesh {
                vertices,
                triangles,
            } => {
                let mesh = Mesh::new(&points(vertices), triangles)?;
                centred(EngineShape::Mesh(Arc::new(mesh)))
            }
            Shape::Compound { parts } => {
                let (compound, axes) = body::make_compound(parts)?;
                (EngineShape::Compound(Arc::new(compound)), axes)
            }
        })
    }

    fn down(magnitude: f64) -> DVec3 {
        DVec3::new(0.0, 0.0, -magnitude)
    }

    fn spin_components(spin: &DVec3) -> [f64; 3] {
        spin.to_array()
    }

    fn spin_of(rotation: &DQuat, velocity: &[f64; 6]) -> DVec3 {
        *rotation * DVec3::new(velocity[3], velocity[4], velocity[5])
    }

    fn dofs(rotation: &DQuat, linear: DVec3, spin: DVec3) -> [f64; 6] {
        // The engine has angular velocities and moments about body axes.
        let own = rotation.conjugate() * spin;
        [linear.x, linear.y, linear.z, own.x, own.y, own.z]
    }

    fn displaced(pose: &Pose<Self>, by: DVec3, angle: DVec3) -> Pose<Self> {
        Pose {
            position: pose.position + by,
            rotation: DQuat::from_scaled_axis(angle) * pose.rotation,
        }
    }

    fn inertia_components(inertia: &DVec3) -> [f64; 3] {
        inertia.to_array()
    }
}

/// A shape whose body axes are the axes that it is described in.
fn centred(shape: EngineShape) -> (EngineShape, Pose<Space>) {
    let pose = Pose {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    (shape, pose)
}

impl From<([f64; 3], [f64; 3])> for body::Displacement<Space> {
    fn from((position, velocity): ([f64; 3], [f64; 3])) -> Self {
        Self {
            position: position.into(),
            velocity: velocity.into(),
            ..Self::default()
        }
    }
}

impl From<[f64; 3]> for force::Load<Space> {
    fn from(force: [f64; 3]) -> Self {
        Self::from(DVec3::from(force))
    }
}

impl From<DVec3> for force::Load<Space> {
    fn from(force: DVec3) -> Self {
        Self {
            force,
            moment: DVec3::ZERO,
        }
    }
}

/// The rotation about an axis by an angle; not finite where the axis has no direction.
fn rotation(axis: DVec3, angle: f64) -> DQuat {
    DQuat::from_axis_angle(axis / axis.length(), angle)
}

impl body::Body<Space> {
    /// A sphere.
    ///
    /// ```
    /// use percuss::space::{Body, Shape};
    /// assert_eq!(Body::sphere(0.1).shape, Shape::Sphere { radius: 0.1 });
    /// ```
    pub fn sphere(radius: f64) -> Self {
        Self::new(Shape::Sphere { radius })
    }

    /// A box about its position, by its lengths along x, y and z.
    ///
    /// ```
    /// use percuss::space::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let world = World::builder().body("crate", Body::cuboid([1.0, 0.5, 0.2])).build()?;
    /// assert!((world.body("crate")?.mass() - 100.0).abs() < 1e-12); // 1000 kg/m³
    /// # Ok(())
    /// # }
    /// ```
    pub fn cuboid(sides: [f64; 3]) -> Self {
        Self::new(Shape::Cuboid { sides })
    }

    /// A capsule along the z axis: all points within `radius` of a segment of this length.
    ///
    /// ```
    /// use percuss::space::{Body, Shape};
    /// assert_eq!(Body::capsule(1.0, 0.1).shape, Shape::Capsule { length: 1.0, radius: 0.1 });
    /// ```
    pub fn capsule(length: f64, radius: f64) -> Self {
        Self::new(Shape::Capsule { length, radius })
    }

    /// A cylinder along the z axis.
    ///
    /// ```
    /// use percuss::space::{Body, Shape};
    /// assert_eq!(Body::cylinder(1.0, 0.1).shape, Shape::Cylinder { length: 1.0, radius: 0.1 });
    /// ```
    pub fn cylinder(length: f64, radius: f64) -> Self {
        Self::new(Shape::Cylinder { length, radius })
    }

    /// The convex hull of points.
    ///
    /// ```
    /// use percuss::space::{Body, World};
    /// let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let error = World::builder().body("leaf", Body::hull(flat)).build().unwrap_err();
    /// assert!(error.to_string().starts_with("body `leaf`: "));
    /// ```
    pub fn hull(points: impl IntoIterator<Item = [f64; 3]>) -> Self {
        Self::new(Shape::Hull {
            points: points.into_iter().collect(),
        })
    }

    /// The half-space below its position, at rest; [`Body::turned`] inclines it.
    ///
    /// ```
    /// use percuss::space::Body;
    /// let incline = Body::half_space().turned([0.0, 1.0, 0.0], 0.3);
    /// assert!(incline.rotation.is_normalized());
    /// ```
    pub fn half_space() -> Self {
        Self::new(Shape::HalfSpace).fixed()
    }

    /// A surface of triangles at rest.
    ///
    /// ```
    /// use percuss::space::{Body, World};
    /// let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let ramp = Body::mesh(vertices, vec![[0, 1, 2]]);
    /// assert!(World::builder().body("ramp", ramp).build().is_ok());
    /// ```
    pub fn mesh(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self::new(Shape::Mesh {
            vertices,
            triangles,
        })
        .fixed()
    }

    /// A rigid union of parts.
    ///
    /// ```
    /// use percuss::space::{Body, Part, Shape, World};
    /// let head = Part::new(Shape::Cuboid { sides: [0.3, 0.1, 0.1] }).density(7.8);
    /// let handle = Part::new(Shape::Cylinder { length: 0.8, radius: 0.02 }).at([0.0, 0.0, -0.45]);
    /// let hammer = Body::compound([head, handle]);
    /// assert!(World::builder().body("hammer", hammer).build().is_ok());
    /// ```
    pub fn compound(parts: impl IntoIterator<Item = body::Part<Space>>) -> Self {
        Self::new(Shape::Compound {
            parts: parts.into_iter().collect(),
        })
    }

    /// Turns it about an axis by an angle in radians.
    ///
    /// ```
    /// use percuss::space::{Body, World};
    /// let error = World::builder().body("rod", Body::capsule(1.0, 0.1).turned([0.0, 0.0, 0.0], 1.0)).build();
    /// assert!(error.is_err()); // this axis has no direction
    /// ```
    pub fn turned(mut self, axis: impl Into<DVec3>, angle: f64) -> Self {
        self.rotation = rotation(axis.into(), angle);
        self
    }
}

impl body::Part<Space> {
    /// Turns it about an axis by an angle in radians.
    ///
    /// ```
    /// use percuss::space::{Part, Shape};
    /// let bar = Part::new(Shape::Capsule { length: 1.0, radius: 0.1 }).turned([1.0, 0.0, 0.0], 1.57);
    /// assert!(bar.rotation.is_normalized());
    /// ```
    pub fn turned(mut self, axis: impl Into<DVec3>, angle: f64) -> Self {
        self.rotation = rotation(axis.into(), angle);
        self
    }
}
