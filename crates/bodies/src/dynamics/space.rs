//! `Dynamics` for [`Space`]: the spin is taken about the body axes.

use glam::{DQuat, DVec3};
use percuss_contact::{Law, ProblemBuilder, ProblemError};
use percuss_geometry::dim::{Pose, Space};

use super::Dynamics;
use crate::free_rotation;

impl Dynamics for Space {
    type JacobianBlock = [[f64; 6]; 3];
    const ZERO_BLOCK: [[f64; 6]; 3] = [[0.0; 6]; 3];

    #[inline]
    fn advance_pose(pose: &Pose<Self>, velocity: &[f64; 6], h: f64) -> Pose<Self> {
        let [x, y, z, a, b, c] = *velocity;
        Pose {
            // Position by the end velocity, orientation by Cayley's map of the spin about body axes.
            position: pose.position + DVec3::new(x, y, z) * h,
            rotation: free_rotation::cayley_update(pose.rotation, DVec3::new(a, b, c) * h),
        }
    }

    #[inline]
    fn advance_free_spin(inertia: &DVec3, velocity: &mut [f64; 6], moment: &[f64], h: f64) {
        let spin = DVec3::new(velocity[3], velocity[4], velocity[5]);
        let moment = DVec3::new(moment[0], moment[1], moment[2]);
        let end = free_rotation::free_spin(*inertia, spin, moment, h);
        velocity[3..6].copy_from_slice(&end.to_array());
    }

    #[inline]
    fn has_isotropic_inertia(inertia: &DVec3) -> bool {
        inertia.x == inertia.y && inertia.y == inertia.z
    }

    #[inline]
    fn spin_to_world(rotation: &DQuat, velocity: &[f64; 6]) -> [f64; 6] {
        let [x, y, z, a, b, c] = *velocity;
        let spin = *rotation * DVec3::new(a, b, c);
        [x, y, z, spin.x, spin.y, spin.z]
    }

    #[inline]
    fn spin_to_body(rotation: &DQuat, velocity: &[f64; 6]) -> [f64; 6] {
        Self::spin_to_world(&rotation.conjugate(), velocity)
    }

    #[inline]
    fn point_velocity(pose: &Pose<Self>, velocity: &[f64; 6], at: DVec3) -> DVec3 {
        let [x, y, z, a, b, c] = *velocity;
        // Spin in world axes.
        let spin = pose.rotation * DVec3::new(a, b, c);
        DVec3::new(x, y, z) + spin.cross(at - pose.position)
    }

    #[inline]
    fn linear_jacobian_row(rotation: &DQuat, lever: DVec3, direction: DVec3, out: &mut [f64]) {
        // Moment of the direction about the centre of mass, in body axes like the spin it multiplies.
        let moment = rotation.conjugate() * lever.cross(direction);
        out[..3].copy_from_slice(&direction.to_array());
        out[3..6].copy_from_slice(&moment.to_array());
    }

    #[inline]
    fn wrench(lever: DVec3, force: DVec3) -> [f64; 6] {
        let moment = lever.cross(force);
        [force.x, force.y, force.z, moment.x, moment.y, moment.z]
    }

    #[inline]
    fn angular_jacobian_row(rotation: &DQuat, axis: DVec3, out: &mut [f64]) {
        // A row of pure rotation: no linear part.
        let axis = rotation.conjugate() * axis;
        out[..3].fill(0.0);
        out[3..6].copy_from_slice(&axis.to_array());
    }

    #[inline]
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &[[f64; 6]; 3])],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        builder.add_body_contact(law, touches, boundary, rebound)
    }
}
