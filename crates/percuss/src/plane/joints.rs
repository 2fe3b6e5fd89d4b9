//! Constructors of the joints of the plane.

use glam::DVec2;
use percuss_bodies::Plane;
use percuss_bodies::joint::JointKind;

use crate::joint::{BodyRef, Joint};
use crate::law::ContactLaw;

impl Joint<Plane> {
    /// A hinge at a point, given in world axes at the start.
    ///
    /// ```
    /// use percuss::plane::Joint;
    /// let hinge = Joint::revolute("world", "arm", [0.0, 2.0]);
    /// assert_eq!(hinge.points[0].y, 2.0);
    /// ```
    pub fn revolute(a: impl Into<BodyRef>, b: impl Into<BodyRef>, at: impl Into<DVec2>) -> Self {
        Self::at_point(
            JointKind::Revolute,
            [a.into(), b.into()],
            at.into(),
            DVec2::X,
        )
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
        at: impl Into<DVec2>,
        axis: impl Into<DVec2>,
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
    pub fn weld(a: impl Into<BodyRef>, b: impl Into<BodyRef>, at: impl Into<DVec2>) -> Self {
        Self::at_point(JointKind::Fixed, [a.into(), b.into()], at.into(), DVec2::X)
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
        point_a: impl Into<DVec2>,
        point_b: impl Into<DVec2>,
    ) -> Self {
        let points = [point_a.into(), point_b.into()];
        Self::new(JointKind::Distance, [a.into(), b.into()], points, DVec2::X)
    }

    /// A pin of the second body in a larger hole of the first: unilateral contact with play.
    ///
    /// ```
    /// use percuss::{ContactLaw, plane::Joint};
    /// let pin = Joint::clearance("crank", "rod", [0.1, 0.0], 0.01, 1e-4, ContactLaw::coulomb(0.1));
    /// assert_eq!(pin.clearance.unwrap().pin, 0.01);
    /// ```
    pub fn clearance(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<DVec2>,
        pin: f64,
        play: f64,
        law: ContactLaw,
    ) -> Self {
        Self::at_point(
            JointKind::Clearance,
            [a.into(), b.into()],
            at.into(),
            DVec2::X,
        )
        .with_play(pin, play, law)
    }
}
