//! `Dynamics` for [`Plane`].

use glam::DVec2;
use percuss_contact::{Law, ProblemBuilder, ProblemError};
use percuss_geometry::dim::{Plane, Pose};
use percuss_geometry::rotation::Angle;

use super::Dynamics;

impl Dynamics for Plane {
    type JacobianBlock = [[f64; 3]; 2];
    const ZERO_BLOCK: [[f64; 3]; 2] = [[0.0; 3]; 2];

    #[inline]
    fn advance_pose(pose: &Pose<Self>, velocity: &[f64; 3], h: f64) -> Pose<Self> {
        Pose {
            // Explicit step of the position; the angle is not reduced modulo 2π.
            position: pose.position + DVec2::new(velocity[0], velocity[1]) * h,
            rotation: Angle::new(pose.rotation.angle() + h * velocity[2]),
        }
    }

    #[inline]
    fn advance_free_spin(inertia: &f64, velocity: &mut [f64; 3], moment: &[f64], h: f64) {
        // No gyroscopic term in the plane.
        velocity[2] += h * moment[0] / inertia;
    }

    #[inline]
    fn has_isotropic_inertia(_inertia: &f64) -> bool {
        false
    }

    #[inline]
    fn spin_to_world(_rotation: &Angle, velocity: &[f64; 3]) -> [f64; 3] {
        *velocity
    }

    #[inline]
    fn spin_to_body(_rotation: &Angle, velocity: &[f64; 3]) -> [f64; 3] {
        *velocity
    }

    #[inline]
    fn point_velocity(pose: &Pose<Self>, velocity: &[f64; 3], at: DVec2) -> DVec2 {
        // v + ω × ℓ, with ω × ℓ = ω times ℓ turned by a right angle.
        let lever = at - pose.position;
        DVec2::new(velocity[0], velocity[1]) + lever.perp() * velocity[2]
    }

    #[inline]
    fn linear_jacobian_row(_rotation: &Angle, lever: DVec2, direction: DVec2, out: &mut [f64]) {
        out[0] = direction.x;
        out[1] = direction.y;
        // Moment arm ℓ × d.
        out[2] = lever.perp_dot(direction);
    }

    #[inline]
    fn wrench(lever: DVec2, force: DVec2) -> [f64; 3] {
        [force.x, force.y, lever.perp_dot(force)]
    }

    #[inline]
    fn angular_jacobian_row(_rotation: &Angle, _axis: DVec2, out: &mut [f64]) {
        out[0] = 0.0;
        out[1] = 0.0;
        out[2] = 1.0;
    }

    #[inline]
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &[[f64; 3]; 2])],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        // The builder wants as many entries as the contact has rows.
        let two = |rows: &[f64; 3]| [rows[0], rows[1]];
        builder.add_body_contact(law, touches, &two(boundary), &two(rebound))
    }
}
