//! `Dim` for [`Space`]: vectors are `DVec3`, rotations unit quaternions, the spin is taken about the body axes.

use glam::{DQuat, DVec3};

use super::{Dim, MassProperties, Pose, Space};

impl Dim for Space {
    const NAME: &'static str = "space";
    const N: usize = 3;
    const DOF: usize = 6;
    type Vector = DVec3;
    type Rotation = DQuat;
    type Inertia = DVec3;
    type Dofs = [f64; 6];
    type Frame = [DVec3; 3];
    const ZERO_VELOCITY: [f64; 6] = [0.0; 6];

    #[inline]
    fn rotate(rotation: &DQuat, v: DVec3) -> DVec3 {
        *rotation * v
    }

    #[inline]
    fn rotate_back(rotation: &DQuat, v: DVec3) -> DVec3 {
        rotation.conjugate() * v
    }

    #[inline]
    fn plane_angle(_rotation: &DQuat) -> f64 {
        0.0
    }

    #[inline]
    fn mass_diagonal(mass: &MassProperties<Self>) -> [f64; 6] {
        let (m, i) = (mass.mass, mass.inertia);
        [m, m, m, i.x, i.y, i.z]
    }

    #[inline]
    fn contact_frame(normal: DVec3) -> [DVec3; 3] {
        let (t1, t2) = normal.any_orthonormal_pair();
        [normal, t1, t2]
    }

    #[inline]
    fn frame_of(axis: impl Fn(usize) -> DVec3) -> [DVec3; 3] {
        std::array::from_fn(axis)
    }

    #[inline]
    fn contact_frame_along(normal: DVec3, along: &[f64; 3], rotation: &DQuat) -> [DVec3; 3] {
        // The given direction in world axes, projected into the tangent plane.
        let along = *rotation * DVec3::from_array(*along);
        let t1 = along - normal * along.dot(normal);
        // Below this the projection of a unit vector is rounding and has no direction.
        if !(t1.length() > 1e-9 * along.length()) {
            return Self::contact_frame(normal);
        }
        let t1 = t1.normalize();
        [normal, t1, normal.cross(t1)]
    }

    #[inline]
    fn compose(outer: &Pose<Self>, inner: &Pose<Self>) -> Pose<Self> {
        Pose {
            position: outer.position + outer.rotation * inner.position,
            rotation: (outer.rotation * inner.rotation).normalize(),
        }
    }

    #[inline]
    fn relative(from: &Pose<Self>, pose: &Pose<Self>) -> Pose<Self> {
        let back = from.rotation.conjugate();
        Pose {
            position: back * (pose.position - from.position),
            rotation: (back * pose.rotation).normalize(),
        }
    }

    #[inline]
    fn from_mass_diagonal(masses: &[f64; 6]) -> MassProperties<Self> {
        MassProperties {
            mass: masses[0],
            inertia: DVec3::new(masses[3], masses[4], masses[5]),
        }
    }

    #[inline]
    fn is_finite_pose(pose: &Pose<Self>) -> bool {
        pose.position.is_finite() && pose.rotation.is_finite()
    }
}
