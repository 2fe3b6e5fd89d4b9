//! Constructors of the joints of the plane.

use glam::DVec2;
use percuss_bodies::Plane;
use percuss_bodies::joint::JointKind;

use crate::joint::{BodyRef, Joint};

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
}
