//! Given forces from closures.

use std::fmt;

use percuss_bodies::{ForceContext, ForceField};

use crate::body::Dimension;

/// Force and moment about the centre of mass, world axes.
///
/// ```
/// use percuss::plane::Load;
/// let load = Load { moment: 0.5, ..[1.0, 0.0].into() };
/// assert_eq!((load.force.x, load.moment), (1.0, 0.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load<D: Dimension> {
    /// The force.
    pub force: D::Vector,
    /// The moment about the centre of mass: a number in the plane, a vector in space.
    pub moment: D::Spin,
}

/// What a force on a body may depend on: its state in the middle of a step.
///
/// ```
/// use percuss::plane::{Body, BodyState, World};
/// # fn main() -> percuss::Result<()> {
/// // A spring to the origin.
/// let mut world = World::builder()
///     .gravity([0.0, 0.0])
///     .body("mass", Body::disc(0.1).at([1.0, 0.0]).mass(1.0))
///     .force("mass", |at: &BodyState| [-4.0 * at.mass * at.position.x, 0.0])
///     .build()?;
/// world.run_until(1.0)?;
/// assert!((world.body("mass")?.position().x - 2.0_f64.cos()).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState<D: Dimension> {
    /// Time of the middle of the step.
    pub t: f64,
    /// Centre of mass.
    pub position: D::Vector,
    /// Rotation from body axes to world axes.
    pub rotation: D::Rotation,
    /// Velocity of the centre of mass at the beginning of the step.
    pub velocity: D::Vector,
    /// Angular velocity at the beginning of the step, world axes.
    pub spin: D::Spin,
    /// Mass.
    pub mass: f64,
}

/// A force law of the user.
pub(crate) type ForceFn<D> = Box<dyn FnMut(&BodyState<D>) -> Load<D> + Send>;

/// A force law on some bodies, as a force field of the engine.
pub(crate) struct ForceOn<D: Dimension> {
    /// Indices of the bodies.
    pub bodies: Vec<u32>,
    /// The law.
    pub law: ForceFn<D>,
}

impl<D: Dimension> fmt::Debug for ForceOn<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForceOn")
            .field("bodies", &self.bodies)
            .finish_non_exhaustive()
    }
}

impl<D: Dimension> ForceField<D> for ForceOn<D> {
    fn add_loads(&mut self, at: &ForceContext<'_, D>, loads: &mut [D::Dofs]) {
        for &body in &self.bodies {
            let i = body as usize;
            let (pose, velocity) = (&at.poses[i], &at.velocities[i]);
            let state = BodyState {
                t: at.t,
                position: pose.position,
                rotation: pose.rotation,
                velocity: linear::<D>(velocity),
                spin: D::spin_of(&pose.rotation, velocity),
                mass: at.bodies[i].mass.mass,
            };
            let load = (self.law)(&state);
            // The engine takes moments about body axes.
            let entries = D::dofs(&pose.rotation, load.force, load.moment);
            for (sum, entry) in loads[i].as_mut().iter_mut().zip(entries.as_ref()) {
                *sum += entry;
            }
        }
    }
}

/// The translation of a velocity.
pub(crate) fn linear<D: Dimension>(velocity: &D::Dofs) -> D::Vector {
    use percuss_bodies::Vector;
    D::Vector::from_components(&velocity.as_ref()[..D::N])
}
