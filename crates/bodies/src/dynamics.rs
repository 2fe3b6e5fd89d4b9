//! The dynamics of rigid bodies that differs between the plane and space: kinematics of a pose, free rotation, Jacobian
//! rows. Everything else in this crate is generic in `D: Dynamics`.
//!
//! ```text
//! plane   v = (ẋ, ω)                       row of G in direction d at lever ℓ:  (d, ℓ × d)
//! space   v = (ẋ, Ω), ω = R Ω              row of G in direction d at lever ℓ:  (d, Rᵀ(ℓ × d))
//! velocity of a point p:  ẋ + ω × (p − x)
//! ```

mod plane;
mod space;

use percuss_contact::{Law, ProblemBuilder, ProblemError};
use percuss_geometry::dim::Pose;
use percuss_geometry::shape::Geometry;

/// The plane or space as rigid bodies move in it: kinematics, free rotation and Jacobian rows.
pub trait Dynamics: Geometry {
    /// Jacobian rows of a contact for one body: `[Dofs; N]`.
    type JacobianBlock: Copy + AsRef<[Self::Dofs]> + AsMut<[Self::Dofs]>;
    /// Jacobian block of zeros.
    const ZERO_BLOCK: Self::JacobianBlock;
    /// Pose after a time h with constant velocity. In space the rotation is updated by the Cayley map cay(hΩ),
    /// with which the free step conserves angular momentum (see `free_rotation`).
    fn advance_pose(pose: &Pose<Self>, velocity: &Self::Dofs, h: f64) -> Pose<Self>;
    /// Updates the spin entries of `velocity` over a free step of length h under a moment given in body axes (one
    /// entry in the plane, three in space): Euler's equations, gyroscopic terms implicit.
    fn advance_free_spin(
        inertia: &Self::Inertia,
        velocity: &mut Self::Dofs,
        moment: &[f64],
        h: f64,
    );
    /// Whether every axis through the centre of mass is a principal axis, so that the spin may be taken about
    /// world axes (space; in the plane there is only one axis and the answer is `false`).
    fn has_isotropic_inertia(inertia: &Self::Inertia) -> bool;
    /// Velocity with the spin converted from body axes to world axes.
    fn spin_to_world(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Dofs;
    /// Velocity with the spin converted from world axes to body axes.
    fn spin_to_body(rotation: &Self::Rotation, velocity: &Self::Dofs) -> Self::Dofs;
    /// Velocity of the point `at` (world coordinates) of a body.
    fn point_velocity(pose: &Pose<Self>, velocity: &Self::Dofs, at: Self::Vector) -> Self::Vector;
    /// Jacobian row of a body for the velocity, along `direction`, of the point at `lever` from the centre of mass
    /// (world axes); DOF entries.
    fn linear_jacobian_row(
        rotation: &Self::Rotation,
        lever: Self::Vector,
        direction: Self::Vector,
        out: &mut [f64],
    );
    /// Force and moment about the centre of mass (world axes) of a force that acts at `lever`.
    fn wrench(lever: Self::Vector, force: Self::Vector) -> Self::Dofs;
    /// Jacobian row for the angular velocity about `axis` (world axes; ignored in the plane).
    fn angular_jacobian_row(rotation: &Self::Rotation, axis: Self::Vector, out: &mut [f64]);
    /// Adds a contact with one row for each axis of the frame: the groups of the bodies with their Jacobian
    /// blocks, the boundary velocity W and the restitution term ρ U_I by row.
    ///
    /// # Errors
    /// Those of the problem builder.
    fn add_contact(
        builder: &mut ProblemBuilder,
        law: &Law,
        touches: &[(usize, &Self::JacobianBlock)],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError>;
}
