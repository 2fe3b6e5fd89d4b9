//! Bodies as a system in generalised coordinates: one constraint for each pair of features, each joint and each limit.
//!
//! ```text
//! plane: q = (x, y, θ),  v = q̇          space: q = (x, y, z, quaternion),  v = (ẋ, ẏ, ż, Ω), Ω in body axes
//! A = diag(m, …, I, …),   K = m g + loads − Ω × IΩ + springs
//! ```
//!
//! Bodies at rest are part of the constraints, not of the coordinates.

use percuss_bodies::{ForceContext, Model, PairLaw};
use percuss_geometry::Pose;
use percuss_mechanism::{ConfigurationSpace, Constraint, SystemError};

use crate::coordinates::{BodyDim, Slot};
use crate::features::Features;
use crate::touch::Pair;

/// What a constraint of the system belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintOrigin {
    /// A contact of two bodies, the smaller index first, by two of their features.
    Contact {
        /// The bodies.
        bodies: [usize; 2],
        /// Number of the pair of features among those of these bodies.
        feature: u32,
    },
    /// The pin of a joint with clearance in its hole.
    Pin(usize),
    /// The bilateral constraints of a joint.
    Joint(usize),
    /// The lower limit of a joint.
    LowerLimit(usize),
    /// The upper limit of a joint.
    UpperLimit(usize),
}

/// A few bodies as a system.
#[derive(Debug)]
pub struct BodySystem<D: BodyDim> {
    pub(crate) model: Model<D>,
    /// Poses at the start; of bodies at rest always.
    pub(crate) rest: Vec<Pose<D>>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) space: ConfigurationSpace,
    pub(crate) names: Vec<String>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) origins: Vec<ConstraintOrigin>,
    /// Pair of features of each constraint that is a contact.
    pub(crate) features: Vec<Option<Pair>>,
    pub(crate) shapes: Vec<Features>,
}

impl<D: BodyDim> BodySystem<D> {
    /// What each constraint belongs to.
    pub fn origins(&self) -> &[ConstraintOrigin] {
        &self.origins
    }

    /// Names of the bodies.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The model.
    pub fn model(&self) -> &Model<D> {
        &self.model
    }

    /// Poses and velocities of all bodies at a state of the system.
    pub fn unpack(&self, q: &[f64], v: &[f64]) -> (Vec<Pose<D>>, Vec<D::Dofs>) {
        let pose = |i: usize| D::pose(&self.slots[i], &self.rest[i], q);
        let velocity = |i: usize| self.slots[i].velocity::<D>(v);
        let all = 0..self.slots.len();
        (all.clone().map(pose).collect(), all.map(velocity).collect())
    }

    /// Positions and velocities of the system from poses and velocities of all bodies.
    pub fn pack(&self, poses: &[Pose<D>], velocities: &[D::Dofs]) -> (Vec<f64>, Vec<f64>) {
        let mut q = vec![0.0; self.space.num_positions()];
        let mut v = vec![0.0; self.space.num_velocities()];
        for (i, slot) in self.slots.iter().enumerate() {
            D::write(slot, &poses[i], &mut q);
            slot.scatter::<D>(|k, s| v[s] = velocities[i].as_ref()[k]);
        }
        (q, v)
    }

    /// The law of a contact of two bodies.
    pub(crate) fn pair_law(&self, bodies: [usize; 2]) -> &PairLaw {
        let [a, b] = bodies.map(|i| self.model.bodies[i].material);
        self.model.materials.law(a, b).0
    }

    /// The law of a contact or of a pin; `None` for joints and limits.
    pub(crate) fn law_of(&self, i: usize) -> Option<&PairLaw> {
        match self.origins[i] {
            ConstraintOrigin::Contact { bodies, .. } => Some(self.pair_law(bodies)),
            ConstraintOrigin::Pin(j) => self.model.joints[j].clearance.as_ref().map(|c| &c.law),
            _ => None,
        }
    }

    /// Forces of gravity, drag, force fields and gyroscopic moments, by body and velocity component.
    pub(crate) fn loads(&mut self, t: f64, q: &[f64], v: &[f64]) -> Vec<D::Dofs> {
        let (poses, velocities) = self.unpack(q, v);
        let mut loads = vec![D::ZERO_VELOCITY; poses.len()];
        let Model {
            bodies,
            force_fields,
            ..
        } = &mut self.model;
        for field in force_fields.iter_mut() {
            let context = ForceContext {
                t,
                poses: &poses,
                velocities: &velocities,
                bodies: &*bodies,
            };
            field.add_loads(&context, &mut loads);
        }
        for (i, load) in loads.iter_mut().enumerate() {
            let masses = D::mass_diagonal(&self.model.bodies[i].mass);
            let turning = D::gyroscopic(&masses, &velocities[i]);
            let drag = self.model.drag.get(i).copied().unwrap_or_default();
            for k in 0..D::DOF {
                let (gravity, drag) = match k < D::N {
                    true => (self.model.gravity[k], drag.translation),
                    false => (0.0, drag.rotation),
                };
                let speed = velocities[i].as_ref()[k];
                load.as_mut()[k] +=
                    masses.as_ref()[k] * gravity + turning.as_ref()[k] - drag * speed;
            }
        }
        loads
    }

    /// Error where a value is not finite.
    pub(crate) fn finite(&self, what: &str, t: f64, values: &[f64]) -> Result<(), SystemError> {
        match values.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(SystemError {
                what: what.to_string(),
                problem: "is not finite".to_string(),
                t,
            }),
        }
    }

    /// Name of a position or of a velocity: its body and its number there.
    pub(crate) fn name_of(&self, entry: usize, position: bool) -> String {
        for (i, slot) in self.slots.iter().enumerate() {
            for &(k, p, s) in &slot.entries {
                let kind = D::coordinate(k);
                let (first, width) = match position {
                    true => (p, kind.map_or(1, |c| c.num_positions())),
                    false => (s, kind.map_or(1, |c| c.num_velocities())),
                };
                if (first..first + width).contains(&entry) {
                    return format!("{} [{}]", self.names[i], k + entry - first);
                }
            }
        }
        format!("[{entry}]")
    }
}
