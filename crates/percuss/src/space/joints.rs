//! Constructors of the joints of space.

use glam::DVec3;
use percuss_bodies::Space;
use percuss_bodies::joint::{JointCoordinate, JointKind};

use crate::joint::{BodyRef, Joint};

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
}
