//! Joints as the user describes them, and references to bodies by name or handle.

use std::fmt;
use std::sync::Arc;

use percuss_bodies::PairLaw;
use percuss_bodies::joint::{
    Clearance, JointCoordinate, JointFriction, JointKind, Limits, PrescribedSpeed, Spring,
};

use crate::body::Dimension;
use crate::error::{self, Error, Result};
use crate::law::ContactLaw;

/// Handle of a body, given by [`WorldBuilder::add_body`](crate::WorldBuilder::add_body).
///
/// ```
/// use percuss::plane::{Body, World};
/// # fn main() -> percuss::Result<()> {
/// let mut builder = World::builder();
/// let disc = builder.add_body("disc", Body::disc(0.1));
/// assert_eq!(builder.build()?.body(disc)?.name(), "disc");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BodyId(pub(crate) u32);

/// A body by name or handle, or the world at rest, to which joints can be attached. `"world"` stands for the latter
/// unless a body has this name.
///
/// ```
/// use percuss::BodyRef;
/// assert_eq!(BodyRef::from("disc"), BodyRef::Name("disc".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyRef {
    /// The world at rest.
    World,
    /// The body of this name.
    Name(String),
    /// The body of this handle.
    Id(BodyId),
}

impl From<&str> for BodyRef {
    fn from(name: &str) -> Self {
        Self::Name(name.to_string())
    }
}

impl From<String> for BodyRef {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<&String> for BodyRef {
    fn from(name: &String) -> Self {
        Self::Name(name.clone())
    }
}

impl From<BodyId> for BodyRef {
    fn from(id: BodyId) -> Self {
        Self::Id(id)
    }
}

impl fmt::Display for BodyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => f.write_str("the world"),
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Id(id) => write!(f, "number {}", id.0),
        }
    }
}

/// Speed of a motor as a function of time.
#[derive(Clone)]
pub(crate) struct SpeedFn(Arc<dyn Fn(f64) -> f64 + Send + Sync>);

impl fmt::Debug for SpeedFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpeedFn")
    }
}

impl PrescribedSpeed for SpeedFn {
    fn at(&mut self, t: f64) -> f64 {
        (self.0)(t)
    }
}

/// Pin and hole of a clearance joint.
///
/// ```
/// use percuss::{ContactLaw, plane::Joint};
/// let pin = Joint::clearance("crank", "rod", [0.1, 0.0], 0.01, 1e-4, ContactLaw::coulomb(0.1));
/// assert_eq!(pin.clearance.unwrap().play, 1e-4);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Play {
    /// Radius of the pin, on the second body.
    pub pin: f64,
    /// Radius of the hole minus that of the pin.
    pub play: f64,
    /// Contact law between pin and hole.
    pub law: ContactLaw,
}

/// A joint between two bodies, or a body and the world: its kind, its place at the start, and what acts on its
/// coordinate. Its coordinate is 0 at the start; that of a distance joint is the distance.
///
/// ```
/// use percuss::plane::{Body, Joint, World};
/// # fn main() -> percuss::Result<()> {
/// // A pendulum of length 1 on a hinge that stops at 30 degrees.
/// let hinge = Joint::revolute("world", "bob", [0.0, 0.0]).limits(-0.5, 0.5);
/// let mut world = World::builder()
///     .body("bob", Body::disc(0.1).at([0.0, -1.0]).velocity([2.5, 0.0]))
///     .joint("hinge", hinge)
///     .build()?;
/// world.run_until(1.0)?;
/// assert!(world.joint("hinge")?.angle().abs() <= 0.5 + 1e-3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Joint<D: Dimension> {
    /// Kind of joint.
    pub kind: JointKind,
    /// The two bodies.
    pub between: [BodyRef; 2],
    /// The points of the two bodies that it joins, in world axes at the start; only a distance joint has two
    /// different ones.
    pub points: [D::Vector; 2],
    /// Its axis in world axes at the start.
    pub axis: D::Vector,
    /// The coordinate of a cylindrical joint that limits, motor and spring act on.
    pub coordinate: Option<JointCoordinate>,
    /// Bounds of the coordinate.
    pub limits: Option<Limits>,
    /// Dry friction.
    pub friction: Option<JointFriction>,
    /// Spring and damper on the coordinate.
    pub spring: Option<Spring>,
    /// Largest force or moment of the motor.
    pub motor_bound: f64,
    /// Pin and play of a clearance joint, and the law between pin and hole.
    pub clearance: Option<Play>,
    /// Whether the two bodies touch each other as other bodies do.
    pub contact: bool,
    pub(crate) motor: Option<SpeedFn>,
}

impl<D: Dimension> Joint<D> {
    /// A joint of a kind at a place, with an axis.
    pub(crate) fn new(
        kind: JointKind,
        between: [BodyRef; 2],
        points: [D::Vector; 2],
        axis: D::Vector,
    ) -> Self {
        Self {
            kind,
            between,
            points,
            axis,
            coordinate: None,
            limits: None,
            friction: None,
            spring: None,
            motor_bound: f64::INFINITY,
            clearance: None,
            contact: false,
            motor: None,
        }
    }

    /// A joint at one point of both bodies.
    pub(crate) fn at_point(
        kind: JointKind,
        between: [BodyRef; 2],
        at: D::Vector,
        axis: D::Vector,
    ) -> Self {
        Self::new(kind, between, [at; 2], axis)
    }

    /// A slider along an axis through a point.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let slider = Joint::prismatic("world", "piston", [0.0, 0.0], [1.0, 0.0]);
    /// assert_eq!(slider.axis.x, 1.0);
    /// ```
    pub fn prismatic(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<D::Vector>,
        axis: impl Into<D::Vector>,
    ) -> Self {
        Self::at_point(
            JointKind::Prismatic,
            [a.into(), b.into()],
            at.into(),
            axis.into(),
        )
    }

    /// A rigid connection.
    ///
    /// ```
    /// use percuss::plane::{Body, Joint, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut world = World::builder()
    ///     .body("sign", Body::rectangle(1.0, 0.5))
    ///     .joint("bracket", Joint::weld("world", "sign", [-0.5, 0.0]))
    ///     .build()?;
    /// world.run_until(0.1)?;
    /// assert!((world.joint("bracket")?.force().y - 500.0 * 9.81).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn weld(a: impl Into<BodyRef>, b: impl Into<BodyRef>, at: impl Into<D::Vector>) -> Self {
        Self::at_point(JointKind::Fixed, [a.into(), b.into()], at.into(), D::X_AXIS)
    }

    /// A rod between two points; with limits, a spring or a motor its length is free and only these act.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let rope = Joint::distance("world", "ball", [0.0, 2.0], [0.0, 0.0]).limits(0.0, 2.0);
    /// assert_eq!(rope.limits.unwrap().high, 2.0);
    /// ```
    pub fn distance(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        point_a: impl Into<D::Vector>,
        point_b: impl Into<D::Vector>,
    ) -> Self {
        let points = [point_a.into(), point_b.into()];
        Self::new(JointKind::Distance, [a.into(), b.into()], points, D::X_AXIS)
    }

    /// A pin of the second body in a larger hole of the first, in space a ball in a larger socket: unilateral contact
    /// with play.
    ///
    /// ```
    /// use percuss::{ContactLaw, plane::Joint};
    /// let pin = Joint::clearance("crank", "rod", [0.1, 0.0], 0.01, 1e-4, ContactLaw::coulomb(0.1));
    /// assert_eq!(pin.clearance.unwrap().pin, 0.01);
    /// ```
    pub fn clearance(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<D::Vector>,
        pin: f64,
        play: f64,
        law: ContactLaw,
    ) -> Self {
        let between = [a.into(), b.into()];
        let clearance = Some(Play { pin, play, law });
        Self {
            clearance,
            ..Self::at_point(JointKind::Clearance, between, at.into(), D::X_AXIS)
        }
    }

    /// Keeps its coordinate between two bounds; ±∞ for none.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let slider = Joint::prismatic("world", "piston", [0.0, 0.0], [1.0, 0.0]).limits(0.0, 0.2);
    /// assert_eq!(slider.limits.unwrap().high, 0.2);
    /// ```
    pub fn limits(mut self, low: f64, high: f64) -> Self {
        let restitution = self.limits.map_or(0.0, |limits| limits.restitution);
        self.limits = Some(Limits {
            low,
            high,
            restitution,
        });
        self
    }

    /// Coefficient of restitution at its limits, 0 to 1.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let door = Joint::revolute("world", "door", [0.0, 0.0]).limits(0.0, 1.5).limit_restitution(0.4);
    /// assert_eq!(door.limits.unwrap().restitution, 0.4);
    /// ```
    pub fn limit_restitution(mut self, restitution: f64) -> Self {
        let limits = self.limits.get_or_insert(Limits {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            restitution,
        });
        limits.restitution = restitution;
        self
    }

    /// Drives its coordinate with a constant speed.
    ///
    /// ```
    /// use percuss::plane::{Body, Joint, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut world = World::builder()
    ///     .body("wheel", Body::disc(0.5))
    ///     .joint("axle", Joint::revolute("world", "wheel", [0.0, 0.0]).motor(2.0))
    ///     .build()?;
    /// world.run_until(1.0)?;
    /// assert!((world.joint("axle")?.speed() - 2.0).abs() < 1e-9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn motor(self, speed: f64) -> Self {
        self.motor_by(move |_| speed)
    }

    /// Drives its coordinate with a speed that is a function of time.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let axle = Joint::revolute("world", "wheel", [0.0, 0.0]).motor_by(|t| t.sin()).motor_bound(5.0);
    /// assert_eq!(axle.motor_bound, 5.0);
    /// ```
    pub fn motor_by(mut self, speed: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        self.motor = Some(SpeedFn(Arc::new(speed)));
        self
    }

    /// Largest force or moment of its motor; infinite by default.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// assert_eq!(Joint::revolute("world", "wheel", [0.0, 0.0]).motor_bound, f64::INFINITY);
    /// ```
    pub fn motor_bound(mut self, bound: f64) -> Self {
        self.motor_bound = bound;
        self
    }

    /// Dry friction proportional to its reaction; `radius` is that of the pin, for rotations.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let hinge = Joint::revolute("world", "arm", [0.0, 0.0]).friction(0.2, 0.01);
    /// assert_eq!(hinge.friction.unwrap().radius, 0.01);
    /// ```
    pub fn friction(mut self, coefficient: f64, radius: f64) -> Self {
        self.friction = Some(JointFriction {
            coefficient,
            radius,
        });
        self
    }

    /// A spring and a damper on its coordinate, −stiffness (c − rest) − damping ċ.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let strut = Joint::distance("world", "block", [0.0, 1.0], [0.0, 0.0]).spring(100.0, 1.0, 2.0);
    /// assert_eq!(strut.spring.unwrap().stiffness, 100.0);
    /// ```
    pub fn spring(mut self, stiffness: f64, rest: f64, damping: f64) -> Self {
        self.spring = Some(Spring {
            stiffness,
            rest,
            damping,
        });
        self
    }

    /// Detects contacts between its two bodies, which are otherwise left out.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// assert!(Joint::revolute("a", "b", [0.0, 0.0]).with_contact().contact);
    /// ```
    pub fn with_contact(mut self) -> Self {
        self.contact = true;
        self
    }

    /// Checks the numbers that the engine does not name one by one.
    pub(crate) fn check(&self, part: &str) -> Result<()> {
        if let Some(limits) = &self.limits {
            error::share(part, "limit_restitution", limits.restitution)?;
            if !(limits.low <= limits.high) {
                let Limits { low, high, .. } = limits;
                let problem = format!("`limits = {low} to {high}`: low ≤ high was expected");
                return Err(Error::part(part, problem));
            }
        }
        if let Some(friction) = &self.friction {
            error::not_negative(part, "friction", friction.coefficient)?;
            error::not_negative(part, "friction.radius", friction.radius)?;
        }
        if let Some(spring) = &self.spring {
            error::not_negative(part, "spring.stiffness", spring.stiffness)?;
            error::not_negative(part, "spring.damping", spring.damping)?;
            error::finite(part, "spring.rest", &[spring.rest])?;
        }
        if !(self.motor_bound > 0.0) {
            let expected = "a positive number";
            return Err(Error::value(
                part,
                "motor_bound",
                self.motor_bound,
                expected,
            ));
        }
        if let Some(motor) = &self.motor {
            error::finite(part, "motor", &[(motor.0)(0.0)])?;
        }
        Ok(())
    }

    /// Pin, play and law of a clearance joint.
    pub(crate) fn checked_clearance(&self, part: &str) -> Result<Option<Clearance>> {
        let Some(Play { pin, play, law }) = &self.clearance else {
            return Ok(None);
        };
        let law: PairLaw = law.checked(part)?;
        Ok(Some(Clearance {
            pin: error::positive(part, "pin", *pin)?,
            play: error::positive(part, "play", *play)?,
            law,
        }))
    }
}
