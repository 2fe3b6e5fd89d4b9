//! `Dim` for [`Plane`]: vectors are `DVec2`, rotations an angle with its cosine and sine.

use glam::DVec2;

use super::{Dim, MassProperties, Plane, Pose};
use crate::rotation::Angle;

impl Dim for Plane {
    const NAME: &'static str = "plane";
    const N: usize = 2;
    const DOF: usize = 3;
    type Vector = DVec2;
    type Rotation = Angle;
    type Inertia = f64;
    type Dofs = [f64; 3];
    type Frame = [DVec2; 2];
    const ZERO_VELOCITY: [f64; 3] = [0.0; 3];

    #[inline]
    fn rotate(rotation: &Angle, v: DVec2) -> DVec2 {
        rotation.rotate(v)
    }

    #[inline]
    fn rotate_back(rotation: &Angle, v: DVec2) -> DVec2 {
        rotation.rotate_back(v)
    }

    #[inline]
    fn plane_angle(rotation: &Angle) -> f64 {
        rotation.angle()
    }

    #[inline]
    fn mass_diagonal(mass: &MassProperties<Self>) -> [f64; 3] {
        [mass.mass, mass.mass, mass.inertia]
    }

    #[inline]
    fn contact_frame(normal: DVec2) -> [DVec2; 2] {
        [normal, normal.perp()]
    }

    #[inline]
    fn frame_of(axis: impl Fn(usize) -> DVec2) -> [DVec2; 2] {
        std::array::from_fn(axis)
    }

    #[inline]
    fn contact_frame_along(normal: DVec2, _along: &[f64; 3], _rotation: &Angle) -> [DVec2; 2] {
        Self::contact_frame(normal)
    }

    #[inline]
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self> {
        Pose {
            // Position in the outer axes, then the product of the rotations.
            position: outer.position + outer.rotation.rotate(inner.position),
            rotation: outer.rotation.after(&inner.rotation),
        }
    }

    #[inline]
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self> {
        Pose {
            position: from.rotation.rotate_back(pose.position - from.position),
            rotation: from.rotation.inverse().after(&pose.rotation),
        }
    }

    #[inline]
    fn from_mass_diagonal(masses: &[f64; 3]) -> MassProperties<Self> {
        MassProperties {
            mass: masses[0],
            inertia: masses[2],
        }
    }

    #[inline]
    fn is_finite_pose(pose: &Pose<Self>) -> bool {
        pose.position.is_finite() && pose.rotation.angle().is_finite()
    }
}
