//! Bodies as the user describes them: shape, place, velocity, mass, material, prescribed motion.

use std::fmt;
use std::sync::Arc;

use percuss_bodies::{Dim, Drag, Pose, ShapeError};

mod sealed {
    /// Implemented for the plane and for space only.
    pub trait Sealed {}
    impl Sealed for percuss_bodies::Plane {}
    impl Sealed for percuss_bodies::Space {}
}

/// The plane or space, as the builder of worlds sees it; implemented by [`Plane`](percuss_bodies::Plane) and
/// [`Space`](percuss_bodies::Space).
///
/// ```
/// use percuss::{Body, Dimension, Plane, Space};
///
/// fn rest<D: Dimension>(body: &Body<D>) -> bool {
///     body.velocity == D::Vector::default() && body.spin == D::Spin::default()
/// }
/// assert!(rest::<Plane>(&Body::disc(0.1)) && rest::<Space>(&Body::sphere(0.1)));
/// ```
pub trait Dimension: Dim + sealed::Sealed {
    /// Shapes, as the user describes them.
    type ShapeSpec: Clone + fmt::Debug + PartialEq + Default;
    /// Angles and angular velocities: a number in the plane, a vector in world axes in space.
    type Spin: Copy + fmt::Debug + PartialEq + Default + Send + Sync + 'static;
    /// The first axis.
    #[doc(hidden)]
    const X_AXIS: Self::Vector;

    /// Makes a shape; also returns the pose of its body axes in the axes that it is described in.
    #[doc(hidden)]
    fn make_shape(spec: &Self::ShapeSpec) -> Result<(Self::Shape, Pose<Self>), ShapeError>;
    /// Gravity of this magnitude, downwards.
    #[doc(hidden)]
    fn down(magnitude: f64) -> Self::Vector;
    /// The numbers of an angular velocity.
    #[doc(hidden)]
    fn spin_components(spin: &Self::Spin) -> [f64; 3];
    /// The angular velocity about world axes from that of the engine.
    #[doc(hidden)]
    fn spin_of(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Spin;
    /// The velocity (or force and moment) of the engine from vectors in world axes.
    #[doc(hidden)]
    fn dofs(rotation: &Self::Rotation, linear: Self::Vector, spin: Self::Spin) -> Self::Dofs;
    /// A pose displaced by a vector and turned by an angle.
    #[doc(hidden)]
    fn displaced(pose: &Pose<Self>, by: Self::Vector, angle: Self::Spin) -> Pose<Self>;
    /// The moments of inertia as numbers.
    #[doc(hidden)]
    fn inertia_components(inertia: &Self::Inertia) -> [f64; 3];
}

/// A prescribed motion at an instant: displacement from the initial place, and its rate.
///
/// ```
/// use percuss::plane::Displacement;
///
/// let at = |t: f64| Displacement { rotation: 2.0 * t, spin: 2.0, ..Displacement::default() };
/// assert_eq!(at(0.5).rotation, 1.0);
/// let shaken: Displacement = ([0.1, 0.0], [3.0, 0.0]).into(); // displacement and velocity
/// assert_eq!(shaken.velocity.x, 3.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Displacement<D: Dimension> {
    /// Displacement of the body's position, world axes.
    pub position: D::Vector,
    /// Angle turned since the start (in space: axis times angle, world axes).
    pub rotation: D::Spin,
    /// Time derivative of `position`.
    pub velocity: D::Vector,
    /// Angular velocity.
    pub spin: D::Spin,
}

/// A prescribed motion as a function of time.
pub(crate) type MotionFn<D> = Arc<dyn Fn(f64) -> Displacement<D> + Send + Sync>;

/// How a body moves.
///
/// ```
/// use percuss::plane::{Body, Freedom};
///
/// assert!(matches!(Body::disc(0.1).freedom, Freedom::Free));
/// assert!(matches!(Body::half_plane().freedom, Freedom::Fixed));
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Freedom<D: Dimension> {
    /// It follows forces and impulses.
    #[default]
    Free,
    /// It rests.
    Fixed,
    /// It follows forces, except for these components of its velocity, which stay 0 (translations first).
    Locked(Vec<usize>),
    /// Its motion is a given function of time.
    #[doc(hidden)]
    Prescribed(PrescribedFn<D>),
}

/// A prescribed motion as a function of time; made by [`Body::moved_by`].
#[derive(Clone)]
#[doc(hidden)]
pub struct PrescribedFn<D: Dimension>(pub(crate) MotionFn<D>);

impl<D: Dimension> fmt::Debug for Freedom<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("Free"),
            Self::Fixed => f.write_str("Fixed"),
            Self::Locked(components) => f.debug_tuple("Locked").field(components).finish(),
            Self::Prescribed(_) => f.write_str("Prescribed"),
        }
    }
}

/// A rigid body: a shape at a place, and how it moves. All numbers are checked when the world is built.
///
/// ```
/// use percuss::plane::{Body, Shape};
///
/// let one = Body::disc(0.1).at([0.0, 1.0]).density(2400.0);
/// let same = Body {
///     shape: Shape::Disc { radius: 0.1 },
///     position: [0.0, 1.0].into(),
///     density: 2400.0,
///     ..Body::default()
/// };
/// assert_eq!(one.shape, same.shape);
/// ```
#[derive(Debug, Clone)]
pub struct Body<D: Dimension> {
    /// Its shape; by default a disc or sphere of diameter 1.
    pub shape: D::ShapeSpec,
    /// Place of the origin of the shape's axes.
    pub position: D::Vector,
    /// Rotation of the shape's axes.
    pub rotation: D::Rotation,
    /// Velocity of the centre of mass.
    pub velocity: D::Vector,
    /// Angular velocity (in space about world axes).
    pub spin: D::Spin,
    /// Mass over area (plane) or volume (space); 1000 by default.
    pub density: f64,
    /// Mass, instead of the density.
    pub mass: Option<f64>,
    /// Moment of inertia about the centre of mass, instead of that of the shape.
    pub inertia: Option<D::Inertia>,
    /// Name of its material, for laws between materials; empty by default.
    pub material: String,
    /// How it moves.
    pub freedom: Freedom<D>,
    /// Viscous drag.
    pub drag: Drag,
}

impl<D: Dimension> Default for Body<D> {
    fn default() -> Self {
        Self {
            shape: D::ShapeSpec::default(),
            position: D::Vector::default(),
            rotation: D::Rotation::default(),
            velocity: D::Vector::default(),
            spin: D::Spin::default(),
            density: 1000.0,
            mass: None,
            inertia: None,
            material: String::new(),
            freedom: Freedom::Free,
            drag: Drag::default(),
        }
    }
}

impl<D: Dimension> Body<D> {
    /// A free body of this shape at the origin.
    ///
    /// ```
    /// use percuss::plane::{Body, Shape};
    /// let body = Body::new(Shape::Disc { radius: 0.1 });
    /// assert_eq!(body.density, 1000.0);
    /// ```
    pub fn new(shape: D::ShapeSpec) -> Self {
        Self {
            shape,
            ..Self::default()
        }
    }

    /// Places the origin of its shape's axes.
    ///
    /// ```
    /// use percuss::plane::Body;
    /// assert_eq!(Body::disc(0.1).at([1.0, 2.0]).position.y, 2.0);
    /// ```
    pub fn at(mut self, position: impl Into<D::Vector>) -> Self {
        self.position = position.into();
        self
    }

    /// Gives it an initial velocity.
    ///
    /// ```
    /// use percuss::space::Body;
    /// assert_eq!(Body::sphere(0.1).velocity([0.0, 0.0, -1.0]).velocity.z, -1.0);
    /// ```
    pub fn velocity(mut self, velocity: impl Into<D::Vector>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// Gives it an initial angular velocity: a number in the plane, a vector in world axes in space.
    ///
    /// ```
    /// use percuss::{plane, space};
    /// assert_eq!(plane::Body::disc(0.1).spin(3.0).spin, 3.0);
    /// assert_eq!(space::Body::sphere(0.1).spin([0.0, 0.0, 3.0]).spin.z, 3.0);
    /// ```
    pub fn spin(mut self, spin: impl Into<D::Spin>) -> Self {
        self.spin = spin.into();
        self
    }

    /// Sets its density.
    ///
    /// ```
    /// use percuss::plane::Body;
    /// assert_eq!(Body::disc(0.1).density(7800.0).density, 7800.0);
    /// ```
    pub fn density(mut self, density: f64) -> Self {
        self.density = density;
        self
    }

    /// Sets its mass, instead of the density; the moments of inertia are those of its shape with this mass.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let world = World::builder().body("disc", Body::disc(0.1).mass(2.0)).build()?;
    /// assert!((world.body("disc")?.mass() - 2.0).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Sets its moment of inertia (plane) or principal moments (space), instead of those of the shape.
    ///
    /// ```
    /// use percuss::plane::Body;
    /// assert_eq!(Body::disc(0.1).mass(1.0).inertia(0.01).inertia, Some(0.01));
    /// ```
    pub fn inertia(mut self, inertia: impl Into<D::Inertia>) -> Self {
        self.inertia = Some(inertia.into());
        self
    }

    /// Names its material, for [laws between materials](crate::WorldBuilder::law_between).
    ///
    /// ```
    /// use percuss::plane::Body;
    /// assert_eq!(Body::disc(0.1).material("steel").material, "steel");
    /// ```
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = name.into();
        self
    }

    /// Keeps it at rest.
    ///
    /// ```
    /// use percuss::plane::{Body, Freedom};
    /// assert!(matches!(Body::rectangle(1.0, 0.1).fixed().freedom, Freedom::Fixed));
    /// ```
    pub fn fixed(mut self) -> Self {
        self.freedom = Freedom::Fixed;
        self
    }

    /// Keeps these components of its velocity at 0: 0 and 1 are translations of the plane and 2 its rotation, 0 to 2
    /// are translations of space and 3 to 5 its rotations about body axes.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let bead = Body::disc(0.1).locked([0, 2]).velocity([5.0, 0.0]);
    /// let mut world = World::builder().body("bead", bead).build()?;
    /// world.run_until(0.1)?;
    /// assert_eq!(world.body("bead")?.position().x, 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn locked(mut self, components: impl IntoIterator<Item = usize>) -> Self {
        self.freedom = Freedom::Locked(components.into_iter().collect());
        self
    }

    /// Moves it by a function of time: the displacement from its initial place and the velocity of that, either as a
    /// pair or as a [`Displacement`].
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let ground = Body::half_plane().moved_by(|t: f64| ([(3.0 * t).sin(), 0.0], [3.0 * (3.0 * t).cos(), 0.0]));
    /// let mut world = World::builder().body("ground", ground).build()?;
    /// world.run_until(0.5)?;
    /// assert!((world.body("ground")?.position().x - 1.5_f64.sin()).abs() < 1e-9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn moved_by<M: Into<Displacement<D>>>(
        mut self,
        motion: impl Fn(f64) -> M + Send + Sync + 'static,
    ) -> Self {
        self.freedom = Freedom::Prescribed(PrescribedFn(Arc::new(move |t| motion(t).into())));
        self
    }

    /// Viscous drag of a fluid at rest: force over velocity, moment over angular velocity.
    ///
    /// ```
    /// use percuss::plane::Body;
    /// assert_eq!(Body::disc(0.1).drag(2.0, 0.0).drag.translation, 2.0);
    /// ```
    pub fn drag(mut self, translation: f64, rotation: f64) -> Self {
        self.drag = Drag {
            translation,
            rotation,
        };
        self
    }
}

/// A part of a compound: a shape at a place in the axes of the compound.
///
/// ```
/// use percuss::plane::{Body, Part, Shape, World};
/// # fn main() -> percuss::Result<()> {
/// // A dumb-bell: two discs on a bar.
/// let disc = |x: f64| Part::new(Shape::Disc { radius: 0.2 }).at([x, 0.0]);
/// let bar = Part::new(Shape::Rectangle { width: 1.0, height: 0.05 });
/// let body = Body::compound([disc(-0.5), bar, disc(0.5)]);
/// let world = World::builder().body("dumb-bell", body).build()?;
/// assert!(world.body("dumb-bell")?.position().x.abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Part<D: Dimension> {
    /// Its shape.
    pub shape: D::ShapeSpec,
    /// Place of the origin of its axes.
    pub position: D::Vector,
    /// Rotation of its axes.
    pub rotation: D::Rotation,
    /// Density relative to that of the body.
    pub density: f64,
}

impl<D: Dimension> Part<D> {
    /// A part at the origin with the density of the body.
    ///
    /// ```
    /// use percuss::plane::{Part, Shape};
    /// assert_eq!(Part::new(Shape::Disc { radius: 0.1 }).density, 1.0);
    /// ```
    pub fn new(shape: D::ShapeSpec) -> Self {
        Self {
            shape,
            position: D::Vector::default(),
            rotation: D::Rotation::default(),
            density: 1.0,
        }
    }

    /// Places the origin of its axes.
    ///
    /// ```
    /// use percuss::plane::{Part, Shape};
    /// assert_eq!(Part::new(Shape::Disc { radius: 0.1 }).at([0.5, 0.0]).position.x, 0.5);
    /// ```
    pub fn at(mut self, position: impl Into<D::Vector>) -> Self {
        self.position = position.into();
        self
    }

    /// Its density relative to that of the body.
    ///
    /// ```
    /// use percuss::plane::{Part, Shape};
    /// assert_eq!(Part::new(Shape::Disc { radius: 0.1 }).density(0.5).density, 0.5);
    /// ```
    pub fn density(mut self, relative: f64) -> Self {
        self.density = relative;
        self
    }
}

/// Makes a compound of parts; also returns the pose of its body axes in the axes of the parts.
pub(crate) fn make_compound<D: Dimension>(
    parts: &[Part<D>],
) -> Result<(percuss_bodies::Compound<D>, Pose<D>), ShapeError> {
    let mut pieces = Vec::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate() {
        let (shape, own) = D::make_shape(&part.shape)?;
        let place = Pose {
            position: part.position,
            rotation: part.rotation,
        };
        // Numbers that are not finite would go through the masses unnoticed.
        if !D::is_finite_pose(&place) {
            return Err(ShapeError::Degenerate(format!(
                "part {number} is at a place that is not finite"
            )));
        }
        pieces.push((shape, D::compose(&place, &own), part.density));
    }
    percuss_bodies::Compound::new(&pieces)
}
