//! A few random planar contacts between a few random bodies: small enough to enumerate every combination of statuses.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError, Restitution};

use super::random::Random;
use super::rigid::{add_planar, plane_block};

/// Random planar bodies that collide at random points.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomContacts {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of contacts, each between two bodies or a body and a fixed boundary.
    pub contacts: usize,
    /// Friction coefficients are uniform between 0 and this; 0 makes every contact frictionless
    /// with a single row.
    pub friction: f64,
    /// Restitution of every contact.
    pub restitution: Restitution,
    /// Seed of the geometry, the masses and the velocities.
    pub seed: u64,
}

impl Default for RandomContacts {
    /// Three bodies, three contacts, friction up to 0.5, soft.
    fn default() -> Self {
        Self {
            bodies: 3,
            contacts: 3,
            friction: 0.5,
            restitution: Restitution::default(),
            seed: 0,
        }
    }
}

impl RandomContacts {
    /// The one-step problem: masses 0.3 to 3, inertias of discs of radius about 1, velocities of
    /// order 1, no given forces. An empty problem if there are no bodies.
    ///
    /// # Errors
    /// A friction coefficient or restitution that is negative or not finite.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let mut random = Random::new(self.seed);
        let mut builder = FactoredDelassus::builder();
        for _ in 0..self.bodies {
            // Random inertia and velocity.
            let mass = random.within(0.3, 3.0);
            let inertia = mass * random.within(0.2, 0.8);
            let velocity = [0; 3].map(|_| random.within(-1.0, 1.0));
            add_planar(&mut builder, mass, inertia, velocity, [0.0; 2])?;
        }
        let contacts = if self.bodies == 0 { 0 } else { self.contacts };
        for k in 0..contacts {
            let b = k % self.bodies;
            // The body itself as partner stands for the fixed boundary.
            let a = random.below(self.bodies);
            let normal = random.direction();
            let lever = |random: &mut Random| {
                let r = random.within(0.3, 1.0);
                random.direction().map(|x| r * x)
            };
            let (lever_b, lever_a) = (lever(&mut random), lever(&mut random));
            let block_b = plane_block(normal, lever_b, 1.0);
            let block_a = plane_block(normal, lever_a, -1.0);
            // Without friction a contact has its normal row only.
            let mu = random.unit() * self.friction;
            let (law, rows) = if self.friction == 0.0 {
                (Law::Frictionless, 1)
            } else {
                (Law::Coulomb { mu }, 2)
            };
            let mut touches: Vec<(usize, &[f64])> = vec![(b, &block_b[..3 * rows])];
            if a != b {
                touches.push((a, &block_a[..3 * rows]));
            }
            builder.add_contact(law, &touches, &[0.0; 2][..rows], self.restitution)?;
        }
        builder.build()
    }
}
