//! Bodies as a system in generalised coordinates: one constraint for each pair of features, each joint and each limit.
//!
//! ```text
//! plane: q = (x, y, θ),  v = q̇          space: q = (x, y, z, quaternion),  v = (ẋ, ẏ, ż, Ω), Ω in body axes
//! A = diag(m, …, I, …),   K = m g + loads − Ω × IΩ + springs
//! ```
//!
//! Bodies at rest are part of the constraints, not of the coordinates.

use percuss_bodies::{ForceContext, Model, PairLaw, contact_law};
use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_geometry::Pose;
use percuss_mechanism::{
    ConfigurationSpace, Constraint, FeatureRange, StateRef, System, SystemError,
};

use crate::coordinates::{BodyDim, Slot};
use crate::features::Features;
use crate::lying::Lying;
use crate::row::Row;
use crate::touch::Pair;

/// What a constraint of the system belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Participant {
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
    pub(crate) participants: Vec<Participant>,
    /// Pair of features of each constraint that is a contact.
    pub(crate) features: Vec<Option<Pair>>,
    pub(crate) shapes: Vec<Features>,
}

impl<D: BodyDim> BodySystem<D> {
    /// What each constraint belongs to.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
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

    /// Rows of a constraint at a state.
    pub(crate) fn rows_at(&self, i: usize, q: &[f64], v: &[f64]) -> Vec<Row> {
        self.at(q, v).rows(i).0
    }

    /// Springs and dampers at a state: joint, row of its coordinate, force along it.
    pub(crate) fn springs_at(&self, q: &[f64], v: &[f64]) -> Vec<(usize, Row, f64)> {
        self.at(q, v).springs()
    }

    /// The law of a contact of two bodies.
    pub(crate) fn pair_law(&self, bodies: [usize; 2]) -> &PairLaw {
        let [a, b] = bodies.map(|i| self.model.bodies[i].material);
        self.model.materials.law(a, b).0
    }

    /// The law of a contact or of a pin; `None` for joints and limits.
    fn law_of(&self, i: usize) -> Option<&PairLaw> {
        match self.participants[i] {
            Participant::Contact { bodies, .. } => Some(self.pair_law(bodies)),
            Participant::Pin(j) => self.model.joints[j].clearance.as_ref().map(|c| &c.law),
            _ => None,
        }
    }

    /// All bodies as they lie.
    fn at(&self, q: &[f64], v: &[f64]) -> Lying<'_, D> {
        let place = |i: usize| {
            let slot = &self.slots[i];
            D::placed(&D::pose(slot, &self.rest[i], q), &slot.velocity::<D>(v))
        };
        Lying {
            system: self,
            placed: (0..self.slots.len()).map(place).collect(),
        }
    }

    pub(crate) fn at_rest(&self) -> Lying<'_, D> {
        let place = |pose: &Pose<D>| D::placed(pose, &D::ZERO_VELOCITY);
        Lying {
            system: self,
            placed: self.rest.iter().map(place).collect(),
        }
    }

    /// Forces of gravity, drag, force fields and gyroscopic moments, by body and velocity component.
    fn loads(&mut self, t: f64, q: &[f64], v: &[f64]) -> Vec<D::Dofs> {
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
    fn finite(&self, what: &str, t: f64, values: &[f64]) -> Result<(), SystemError> {
        match values.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(SystemError {
                what: what.to_string(),
                problem: "is not finite".to_string(),
                t,
            }),
        }
    }
}

impl<D: BodyDim> System for BodySystem<D> {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.space
    }

    fn position_name(&self, i: usize) -> String {
        self.name_of(i, true)
    }

    fn velocity_name(&self, i: usize) -> String {
        self.name_of(i, false)
    }

    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    fn dynamics(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        let n = v.len();
        mass.fill(0.0);
        force.fill(0.0);
        let loads = self.loads(t, q, v);
        for (i, slot) in self.slots.iter().enumerate() {
            let masses = D::mass_diagonal(&self.model.bodies[i].mass);
            slot.scatter::<D>(|k, s| {
                mass[s * n + s] = masses.as_ref()[k];
                force[s] = loads[i].as_ref()[k];
            });
        }
        if self.model.joints.iter().any(|joint| joint.spring.is_some()) {
            let lying = self.at(q, v);
            for (j, row, pull) in lying.springs() {
                lying.add_row(&row, lying.sides(j), lying.joint_bodies(j), pull, force);
            }
        }
        self.finite("a force", t, force)
    }

    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        let lying = self.at(q, &vec![0.0; self.space.num_velocities()]);
        let mut potential = 0.0;
        for (i, slot) in self.slots.iter().enumerate() {
            if !slot.entries.is_empty() {
                let mass = self.model.bodies[i].mass.mass;
                let gravity = D::embed(self.model.gravity);
                potential -= mass * gravity.dot(lying.placed[i].position.value);
            }
        }
        for (j, joint) in self.model.joints.iter().enumerate() {
            if let Some(spring) = &joint.spring {
                let off = lying.coordinate(j) - spring.rest;
                potential += 0.5 * spring.stiffness * off * off;
            }
        }
        Ok(potential)
    }

    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        let lying = self.at(q, &vec![0.0; self.space.num_velocities()]);
        let mut all = Vec::with_capacity(gaps.len());
        for i in 0..self.constraints.len() {
            lying.values(i, &mut all).map_err(|problem| SystemError {
                what: format!("the contact `{}`", self.constraints[i].name),
                problem,
                t,
            })?;
        }
        gaps.copy_from_slice(&all);
        self.finite("a gap", t, gaps)
    }

    fn rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let n = self.space.num_velocities();
        jacobian.fill(0.0);
        boundary.fill(0.0);
        let lying = self.at(q, &vec![0.0; n]);
        let (rows, placed, bodies) = lying.rows(constraint);
        for (row, out) in rows.iter().zip(jacobian.chunks_mut(n)) {
            lying.add_row(row, placed, bodies, 1.0, out);
        }
        self.finite("a row of G", t, jacobian)
    }

    fn bias(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        let lying = self.at(q, v);
        let (rows, [a, b], _) = lying.rows(constraint);
        for (row, bias) in rows.iter().zip(bias.iter_mut()) {
            *bias = row.velocity(a, b).rate;
        }
        self.finite("the rate of a row of G", t, bias)
    }

    fn law(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(match self.participants[constraint] {
            Participant::Joint(_) => Law::Bilateral,
            Participant::LowerLimit(_) | Participant::UpperLimit(_) => Law::Frictionless,
            Participant::Contact { .. } | Participant::Pin(_) => match self.law_of(constraint) {
                Some(law) => contact_law::<D>(law, previous).0,
                None => Law::Frictionless,
            },
        })
    }

    fn restitution(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        Ok(match self.participants[constraint] {
            Participant::LowerLimit(j) | Participant::UpperLimit(j) => {
                let limits = self.model.joints[j].limits;
                Restitution {
                    normal: limits.map_or(0.0, |limits| limits.restitution),
                    tangential: 0.0,
                }
            }
            _ => self
                .law_of(constraint)
                .map_or_else(Restitution::default, |law| law.restitution),
        })
    }

    fn range(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<Option<FeatureRange>, SystemError> {
        let Participant::Contact { .. } = self.participants[constraint] else {
            return Ok(None);
        };
        let range = self.at(at.q, at.v).touch(constraint).range;
        Ok(Some(FeatureRange {
            inside: range.value,
            rate: range.rate,
        }))
    }

    fn length_scale(&self, constraint: usize) -> Option<f64> {
        match self.participants[constraint] {
            Participant::Contact { bodies, .. } => {
                Some(self.shapes[bodies[0]].size.min(self.shapes[bodies[1]].size))
            }
            _ => None,
        }
    }
}

impl<D: BodyDim> BodySystem<D> {
    /// Name of a position or of a velocity: its body and its number there.
    fn name_of(&self, entry: usize, position: bool) -> String {
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
