//! Constructors of the joints of space.

use glam::DVec3;
use percuss_bodies::Space;
use percuss_bodies::joint::{JointCoordinate, JointKind};

use crate::joint::{BodyRef, Joint};
use crate::law::ContactLaw;

impl Joint<Space> {
    /// A hinge about an axis through a point, both given in world axes at the start.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// let hinge = Joint::revolute("world", "door", [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]);
    /// assert_eq!(hinge.axis.z, 1.0);
    /// ```
    pub fn revolute(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<DVec3>,
        axis: impl Into<DVec3>,
    ) -> Self {
        Self::at_point(
            JointKind::Revolute,
            [a.into(), b.into()],
            at.into(),
            axis.into(),
        )
    }

    /// A slider along an axis through a point.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// let lift = Joint::prismatic("world", "cabin", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    /// assert_eq!(lift.axis.z, 1.0);
    /// ```
    pub fn prismatic(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<DVec3>,
        axis: impl Into<DVec3>,
    ) -> Self {
        Self::at_point(
            JointKind::Prismatic,
            [a.into(), b.into()],
            at.into(),
            axis.into(),
        )
    }

    /// A ball and socket at a point.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// assert_eq!(Joint::spherical("hip", "leg", [0.0, 0.0, 1.0]).points[1].z, 1.0);
    /// ```
    pub fn spherical(a: impl Into<BodyRef>, b: impl Into<BodyRef>, at: impl Into<DVec3>) -> Self {
        Self::at_point(
            JointKind::Spherical,
            [a.into(), b.into()],
            at.into(),
            DVec3::X,
        )
    }

    /// A rotation about an axis and a translation along it; limits, motor and spring act on the translation unless
    /// [`Joint::about_angle`] is called.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// let bolt = Joint::cylindrical("plate", "bolt", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    /// assert!(bolt.coordinate.is_none());
    /// ```
    pub fn cylindrical(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<DVec3>,
        axis: impl Into<DVec3>,
    ) -> Self {
        Self::at_point(
            JointKind::Cylindrical,
            [a.into(), b.into()],
            at.into(),
            axis.into(),
        )
    }

    /// Limits, motor and spring of a cylindrical joint act on its angle.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// let bolt = Joint::cylindrical("plate", "bolt", [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]).about_angle();
    /// assert!(bolt.coordinate.is_some());
    /// ```
    pub fn about_angle(mut self) -> Self {
        self.coordinate = Some(JointCoordinate::Angle);
        self
    }

    /// A rigid connection.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// assert!(Joint::weld("a", "b", [0.0, 0.0, 0.0]).motor_bound.is_infinite());
    /// ```
    pub fn weld(a: impl Into<BodyRef>, b: impl Into<BodyRef>, at: impl Into<DVec3>) -> Self {
        Self::at_point(JointKind::Fixed, [a.into(), b.into()], at.into(), DVec3::X)
    }

    /// A rod between two points; with limits, a spring or a motor its length is free and only these act.
    ///
    /// ```
    /// use percuss::space::Joint;
    /// let strut = Joint::distance("world", "ball", [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]);
    /// assert_eq!(strut.points[0].z, 2.0);
    /// ```
    pub fn distance(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        point_a: impl Into<DVec3>,
        point_b: impl Into<DVec3>,
    ) -> Self {
        let points = [point_a.into(), point_b.into()];
        Self::new(JointKind::Distance, [a.into(), b.into()], points, DVec3::X)
    }

    /// A ball of the second body in a larger socket of the first: unilateral contact with play.
    ///
    /// ```
    /// use percuss::{ContactLaw, space::Joint};
    /// let at = [0.0, 0.0, 0.0];
    /// let socket = Joint::clearance("hip", "leg", at, 0.02, 1e-4, ContactLaw::coulomb(0.1));
    /// assert_eq!(socket.clearance.unwrap().pin, 0.02);
    /// ```
    pub fn clearance(
        a: impl Into<BodyRef>,
        b: impl Into<BodyRef>,
        at: impl Into<DVec3>,
        pin: f64,
        play: f64,
        law: ContactLaw,
    ) -> Self {
        Self::at_point(
            JointKind::Clearance,
            [a.into(), b.into()],
            at.into(),
            DVec3::X,
        )
        .with_play(pin, play, law)
    }
}
