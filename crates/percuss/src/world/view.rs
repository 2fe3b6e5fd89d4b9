//! What a user reads of a world: bodies, joints and contacts by name.

use percuss_bodies::joint::JointReport;
use percuss_bodies::{Body as EngineBody, Pose, World as EngineWorld};
use percuss_contact::law::Status;

use super::names::Names;
use crate::body::Dimension;
use crate::force::linear;
use crate::joint::BodyId;

/// A body of a world, as it is now.
///
/// ```
/// use percuss::plane::{Body, World};
/// # fn main() -> percuss::Result<()> {
/// let world = World::builder().body("disc", Body::disc(0.1).at([0.0, 2.0]).spin(1.5)).build()?;
/// let disc = world.body("disc")?;
/// assert_eq!((disc.name(), disc.position().y, disc.spin()), ("disc", 2.0, 1.5));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BodyView<'w, D: Dimension> {
    pub(super) id: BodyId,
    pub(super) name: &'w str,
    pub(super) body: &'w EngineBody<D>,
    pub(super) pose: &'w Pose<D>,
    pub(super) velocity: &'w D::Dofs,
    /// Pose of the body axes in the axes that the shape was described in.
    pub(super) shape_axes: &'w Pose<D>,
}

impl<'w, D: Dimension> BodyView<'w, D> {
    /// Its name.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// assert_eq!(world.body("disc").unwrap().name(), "disc");
    /// ```
    pub fn name(&self) -> &'w str {
        self.name
    }

    /// Its handle.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// let id = world.body("disc").unwrap().id();
    /// assert_eq!(world.body(id).unwrap().name(), "disc");
    /// ```
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// Its centre of mass.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1).at([3.0, 0.0])).build().unwrap();
    /// assert_eq!(world.body("disc").unwrap().position().x, 3.0);
    /// ```
    pub fn position(&self) -> D::Vector {
        self.pose.position
    }

    /// Its rotation, from body axes to world axes.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1).angle(0.5)).build().unwrap();
    /// assert_eq!(world.body("disc").unwrap().rotation().angle(), 0.5);
    /// ```
    pub fn rotation(&self) -> D::Rotation {
        self.pose.rotation
    }

    /// Its angle in the plane, never reduced modulo 2π; 0 in space.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1).angle(7.0)).build().unwrap();
    /// assert_eq!(world.body("disc").unwrap().angle(), 7.0);
    /// ```
    pub fn angle(&self) -> f64 {
        D::plane_angle(&self.pose.rotation)
    }

    /// Velocity of its centre of mass.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1).velocity([1.0, 0.0])).build().unwrap();
    /// assert_eq!(world.body("disc").unwrap().velocity().x, 1.0);
    /// ```
    pub fn velocity(&self) -> D::Vector {
        linear::<D>(self.velocity)
    }

    /// Its angular velocity: a number in the plane, a vector in world axes in space.
    ///
    /// ```
    /// # use percuss::space::{Body, World};
    /// # let world = World::builder().body("ball", Body::sphere(0.1).spin([0.0, 2.0, 0.0])).build().unwrap();
    /// assert_eq!(world.body("ball").unwrap().spin().y, 2.0);
    /// ```
    pub fn spin(&self) -> D::Spin {
        D::spin_of(&self.pose.rotation, self.velocity)
    }

    /// Its mass.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("brick", Body::rectangle(0.2, 0.1)).build().unwrap();
    /// assert!((world.body("brick").unwrap().mass() - 20.0).abs() < 1e-12);
    /// ```
    pub fn mass(&self) -> f64 {
        self.body.mass.mass
    }

    /// The place in the world of a point given in the axes that its shape was described in.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let triangle = Body::polygon([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]).at([5.0, 0.0]);
    /// # let world = World::builder().body("triangle", triangle).build().unwrap();
    /// let corner = world.body("triangle").unwrap().point([3.0, 0.0]);
    /// assert!((corner.x - 8.0).abs() < 1e-12);
    /// ```
    pub fn point(&self, point: impl Into<D::Vector>) -> D::Vector {
        let own = self.shape_axes;
        let inner = D::rotate_back(&own.rotation, point.into() - own.position);
        self.pose.position + D::rotate(&self.pose.rotation, inner)
    }
}

/// A joint of a world, after the last step.
///
/// ```
/// use percuss::plane::{Body, Joint, World};
/// # fn main() -> percuss::Result<()> {
/// let mut world = World::builder()
///     .body("lamp", Body::disc(0.1).at([0.0, -1.0]).mass(2.0))
///     .joint("cord", Joint::distance("world", "lamp", [0.0, 0.0], [0.0, -1.0]))
///     .build()?;
/// world.step()?;
/// assert!((world.joint("cord")?.force().y - 2.0 * 9.81).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct JointView<'w, D: Dimension> {
    pub(super) name: &'w str,
    pub(super) report: JointReport<D>,
}

/// Functions that read one field of the report of a joint.
macro_rules! joint_readers {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $field:ident;)*) => {
        impl<'w, D: Dimension> JointView<'w, D> {
            /// Its name.
            ///
            /// ```
            /// # use percuss::plane::{Body, Joint, World};
            /// # let hinge = Joint::revolute("world", "arm", [0.0, 0.0]);
            /// # let arm = Body::rectangle(1.0, 0.1);
            /// # let world = World::builder().body("arm", arm).joint("hinge", hinge).build().unwrap();
            /// assert_eq!(world.joint("hinge").unwrap().name(), "hinge");
            /// ```
            pub fn name(&self) -> &'w str {
                self.name
            }
            $($(#[$doc])*
            ///
            /// ```
            /// # use percuss::plane::{Body, Joint, World};
            /// # let hinge = Joint::revolute("world", "arm", [0.0, 0.0]);
            /// # let arm = Body::rectangle(1.0, 0.1);
            /// # let world = World::builder().body("arm", arm).joint("hinge", hinge).build().unwrap();
            /// let hinge = world.joint("hinge").unwrap();
            #[doc = concat!("println!(\"{:?}\", hinge.", stringify!($name), "());")]
            /// ```
            pub fn $name(&self) -> $type {
                self.report.$field
            })*
        }
    };
}

joint_readers! {
    /// Its point, world axes.
    position: D::Vector = at;
    /// Rotation angle since the start; 0 for kinds that have none.
    angle: f64 = angle;
    /// Displacement along its axis since the start, or distance of its two points.
    displacement: f64 = slide;
    /// Rate of its coordinate.
    speed: f64 = speed;
    /// Force on the second body, mean over the step, world axes.
    force: D::Vector = force;
    /// Moment on the second body about the joint's point, mean over the step; in the plane the third entry.
    torque: [f64; 3] = torque;
    /// Power of its motor, mean over the step.
    motor_power: f64 = power;
}

/// An active contact of the last step.
///
/// ```
/// use percuss::plane::{Body, World};
/// # fn main() -> percuss::Result<()> {
/// let mut world = World::builder()
///     .body("floor", Body::half_plane())
///     .body("disc", Body::disc(0.1).at([0.0, 0.1]).mass(1.0))
///     .build()?;
/// world.step()?;
/// let contact = world.contacts().next().unwrap();
/// assert_eq!(contact.bodies, ["floor", "disc"]);
/// assert!((contact.force.y - 9.81).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<'w, D: Dimension> {
    /// Names of the two bodies; the normal points from the first to the second.
    pub bodies: [&'w str; 2],
    /// Handles of the two bodies.
    pub ids: [BodyId; 2],
    /// The point on the surface of the second body, at the middle of the step.
    pub point: D::Vector,
    /// Unit normal from the first body to the second.
    pub normal: D::Vector,
    /// Gap at the middle of the step, negative where the bodies overlap.
    pub gap: f64,
    /// Impulse on the second body over the step, world axes.
    pub impulse: D::Vector,
    /// Force on the second body, mean over the step, world axes.
    pub force: D::Vector,
    /// Relative velocity of the second body at the end of the step, world axes.
    pub velocity: D::Vector,
    /// Open, stick or slip.
    pub status: Status,
}

/// A contact of the engine with names and vectors in world axes.
pub(super) fn contact<'w, D: Dimension>(
    engine: &EngineWorld<D>,
    names: &'w Names,
    number: usize,
) -> Contact<'w, D> {
    let found = engine.contact(number);
    // Rows beyond the axes of the frame are rolling and spinning moments.
    let vector = |rows: &[f64]| {
        let mut sum = D::Vector::default();
        for (axis, value) in found.frame.as_ref().iter().zip(rows) {
            sum += *axis * *value;
        }
        sum
    };
    let impulse = vector(found.impulse);
    Contact {
        bodies: found.bodies.map(|body| names.of_body(BodyId(body))),
        ids: found.bodies.map(BodyId),
        point: found.point.point_b,
        normal: found.point.normal,
        gap: found.point.gap,
        impulse,
        force: impulse * (1.0 / engine.settings().step),
        velocity: vector(found.end),
        status: found.status,
    }
}
