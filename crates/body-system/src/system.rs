//! Bodies as a system in generalised coordinates: one constraint for each pair of features, each joint and each limit.
//!
//! ```text
//! plane: q = (x, y, θ),  v = q̇          space: q = (x, y, z, quaternion),  v = (ẋ, ẏ, ż, Ω), Ω in body axes
//! A = diag(m, …, I, …),   K = m g + loads − Ω × IΩ + springs
//! ```
//!
//! Bodies at rest are part of the constraints, not of the coordinates.

use percuss_bodies::joint::{Joint, JointKind};
use percuss_bodies::{ForceContext, Freedom, Friction, Model, PairLaw, contact_law};
use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_geometry::Pose;
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, FeatureRange, StateRef, System, SystemError,
};

use crate::coordinates::{BodyDim, Embedded, Slot};
use crate::error::BodySystemError;
use crate::features::Features;
use crate::jet::{Placed, VectorJet};
use crate::joint_rows::PlacedJoint;
use crate::row::Row;
use crate::touch::{Bodies, Pair, Touch, pairs};

/// Largest number of pairs of features.
const MOST_PAIRS: usize = 6000;

/// Below this share of its radius a rim that lies flat on a face touches it.
const FLAT: f64 = 1e-6;

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
    rest: Vec<Pose<D>>,
    slots: Vec<Slot>,
    space: ConfigurationSpace,
    names: Vec<String>,
    constraints: Vec<Constraint>,
    participants: Vec<Participant>,
    /// Pair of features of each constraint that is a contact.
    features: Vec<Option<Pair>>,
    shapes: Vec<Features>,
}

/// A system of bodies at one state.
struct Lying<'a, D: BodyDim> {
    system: &'a BodySystem<D>,
    placed: Vec<Placed>,
}

fn unsupported<T>(what: String) -> Result<T, BodySystemError> {
    Err(BodySystemError::Unsupported { what })
}

impl<D: BodyDim> BodySystem<D> {
    /// The system of a model whose bodies begin at `poses`; `names` are those of the bodies, for messages.
    ///
    /// # Errors
    /// What has no event-driven form, by name.
    pub fn new(
        model: Model<D>,
        poses: &[Pose<D>],
        names: Vec<String>,
    ) -> Result<Self, BodySystemError> {
        refuse(&model, &names)?;
        let mut coordinates = Vec::new();
        let mut slots = Vec::with_capacity(model.bodies.len());
        for (i, body) in model.bodies.iter().enumerate() {
            let slot = Slot::append::<D>(body.freedom, &mut coordinates);
            slots.push(slot.or_else(|what| {
                unsupported(format!("the body `{}`, of which {what}", names[i]))
            })?);
        }
        let mut system = Self {
            rest: poses.to_vec(),
            slots,
            space: ConfigurationSpace::new(coordinates),
            names,
            constraints: Vec::new(),
            participants: Vec::new(),
            features: Vec::new(),
            shapes: Vec::new(),
            model,
        };
        system.add_contacts()?;
        system.add_joints();
        Ok(system)
    }

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

    /// Adds the pairs of features of all pairs of bodies.
    fn add_contacts(&mut self) -> Result<(), BodySystemError> {
        let excluded = excluded(&self.model.joints);
        let movable: Vec<bool> = self.slots.iter().map(|s| !s.entries.is_empty()).collect();
        for body in 0..self.slots.len() {
            // A shape that cannot be treated matters only where it can touch something.
            match D::features(&self.model.bodies[body].shape) {
                Ok(features) => self.shapes.push(features),
                Err(what) => {
                    return unsupported(format!("the shape of `{}`: {what}", self.names[body]));
                }
            }
        }
        for a in 0..self.slots.len() {
            for b in a + 1..self.slots.len() {
                if !(movable[a] || movable[b]) || excluded.contains(&[a, b]) {
                    continue;
                }
                self.add_pair([a, b])?;
            }
        }
        let count = self.constraints.len();
        if count > MOST_PAIRS {
            return Err(BodySystemError::TooMany {
                count,
                what: "pairs of vertices, edges and faces may touch".to_string(),
                limit: MOST_PAIRS,
            });
        }
        Ok(())
    }

    /// Adds the pairs of features of two bodies.
    fn add_pair(&mut self, bodies: [usize; 2]) -> Result<(), BodySystemError> {
        let [a, b] = bodies;
        let names = || format!("`{}` and `{}`", self.names[a], self.names[b]);
        let found = pairs(&self.shapes[a], &self.shapes[b]);
        let found = found.or_else(|what| unsupported(format!("the contact of {}: {what}", names())))?;
        let law = self.pair_law(bodies);
        if matches!(law.friction, Friction::Elliptic { .. } | Friction::Polygon { .. }) {
            let what = format!("the friction of {}: a section with directions", names());
            return unsupported(what);
        }
        let (_, rows) = contact_law::<D>(law, Status::Open);
        for (feature, pair) in found.into_iter().enumerate() {
            let name = format!("{} - {} ({feature})", self.names[a], self.names[b]);
            let known = Constraint::new(name, ConstraintKind::Contact, rows);
            let feature = feature as u32;
            self.push(known, Participant::Contact { bodies, feature }, Some(pair));
        }
        Ok(())
    }

    /// Adds the constraints of the joints.
    fn add_joints(&mut self) {
        for j in 0..self.model.joints.len() {
            let joint = &self.model.joints[j];
            let name = joint.name.clone();
            let lying = self.at_rest();
            let rows = lying.joint(j).bilateral(joint).len();
            if rows > 0 {
                let known = Constraint::new(name.clone(), ConstraintKind::Joint, rows);
                self.push(known, Participant::Joint(j), None);
            }
            let joint = &self.model.joints[j];
            if let Some(clearance) = &joint.clearance {
                let (_, rows) = contact_law::<D>(&clearance.law, Status::Open);
                let known = Constraint::new(name.clone(), ConstraintKind::Contact, rows);
                self.push(known, Participant::Pin(j), None);
            }
            let joint = &self.model.joints[j];
            let Some(limits) = joint.limits else {
                continue;
            };
            for (bound, end, participant) in [
                (limits.low, "low", Participant::LowerLimit(j)),
                (limits.high, "high", Participant::UpperLimit(j)),
            ] {
                if bound.is_finite() {
                    let name = format!("{name} ({end})");
                    let known = Constraint::new(name, ConstraintKind::Contact, 1);
                    self.push(known, participant, None);
                }
            }
        }
    }

    fn push(&mut self, known: Constraint, participant: Participant, pair: Option<Pair>) {
        self.constraints.push(known);
        self.participants.push(participant);
        self.features.push(pair);
    }

    /// The law of a contact of two bodies.
    fn pair_law(&self, bodies: [usize; 2]) -> &PairLaw {
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

    fn at_rest(&self) -> Lying<'_, D> {
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

impl<D: BodyDim> Lying<'_, D> {
    /// The bodies of a joint, the world where it has none.
    fn sides(&self, j: usize) -> [&Placed; 2] {
        self.system.model.joints[j].frames.map(|side| {
            let body = side.body.and_then(|i| self.placed.get(i as usize));
            body.unwrap_or(&Placed::WORLD)
        })
    }

    fn joint(&self, j: usize) -> PlacedJoint {
        PlacedJoint::new(&self.system.model.joints[j], self.sides(j))
    }

    /// Two bodies with their features.
    fn bodies(&self, [a, b]: [usize; 2]) -> Bodies<'_> {
        Bodies {
            placed: [&self.placed[a], &self.placed[b]],
            features: [&self.system.shapes[a], &self.system.shapes[b]],
        }
    }

    /// The pair of features of a contact.
    fn touch(&self, i: usize) -> Touch {
        match (self.system.participants[i], self.system.features[i]) {
            (Participant::Contact { bodies, .. }, Some(pair)) => self.bodies(bodies).touch(pair),
            _ => unreachable!("only contacts have features"),
        }
    }

    /// Value of the position functions of a constraint.
    fn values(&self, i: usize, out: &mut Vec<f64>) -> Result<(), String> {
        match self.system.participants[i] {
            Participant::Contact { bodies, .. } => {
                let both = self.bodies(bodies);
                // Bodies far apart: the distance of their bounds stands for all gaps.
                let clear = both.clear();
                let gap = match clear > 0.0 {
                    true => clear,
                    false => {
                        let touch = self.touch(i);
                        if touch.flat && touch.gap.value < FLAT * both.size() {
                            return Err(
                                "stands flat on a circle, where it has no single touching point: \
                                 the event-driven integrator does not treat it"
                                    .to_string(),
                            );
                        }
                        touch.effective_gap()
                    }
                };
                out.push(gap);
            }
            Participant::Pin(j) => {
                let play = self.system.model.joints[j].clearance.as_ref();
                let play = play.map_or(0.0, |clearance| clearance.play);
                out.push(play - self.joint(j).distance().1);
            }
            Participant::Joint(j) => {
                let all = self.joint(j).bilateral(&self.system.model.joints[j]);
                out.extend(all.into_iter().map(|(_, value)| value));
            }
            Participant::LowerLimit(j) => out.push(self.coordinate(j) - self.limits(j)[0]),
            Participant::UpperLimit(j) => out.push(self.limits(j)[1] - self.coordinate(j)),
        }
        Ok(())
    }

    fn coordinate(&self, j: usize) -> f64 {
        self.joint(j).coordinate(&self.system.model.joints[j]).1
    }

    fn limits(&self, j: usize) -> [f64; 2] {
        let limits = self.system.model.joints[j].limits;
        limits.map_or([f64::NEG_INFINITY, f64::INFINITY], |l| [l.low, l.high])
    }

    /// Rows of a constraint with the two bodies that they are between.
    fn rows(&self, i: usize) -> (Vec<Row>, [&Placed; 2], [Option<usize>; 2]) {
        let known = &self.system.constraints[i];
        match self.system.participants[i] {
            Participant::Contact { bodies, .. } => {
                let touch = self.touch(i);
                let rows = frame_rows::<D>(touch.normal, touch.point, known.rows);
                let placed = self.bodies(bodies).placed;
                (rows, placed, bodies.map(Some))
            }
            Participant::Pin(j) => {
                let joint = self.joint(j);
                let (toward, _) = joint.distance();
                let pin = self.system.model.joints[j].clearance.as_ref();
                let pin = pin.map_or(0.0, |clearance| clearance.pin);
                // The gap shrinks as the pin moves outwards; it touches on its far side.
                let at = joint.point() + toward * pin;
                let rows = frame_rows::<D>(-toward, at, known.rows);
                (rows, self.sides(j), self.joint_bodies(j))
            }
            Participant::Joint(j) => {
                let all = self.joint(j).bilateral(&self.system.model.joints[j]);
                let rows = all.into_iter().map(|(row, _)| row).collect();
                (rows, self.sides(j), self.joint_bodies(j))
            }
            Participant::LowerLimit(j) | Participant::UpperLimit(j) => {
                let (row, _) = self.joint(j).coordinate(&self.system.model.joints[j]);
                let upper = matches!(self.system.participants[i], Participant::UpperLimit(_));
                let row = if upper { row.reversed() } else { row };
                (vec![row], self.sides(j), self.joint_bodies(j))
            }
        }
    }

    fn joint_bodies(&self, j: usize) -> [Option<usize>; 2] {
        let frames = self.system.model.joints[j].frames;
        frames.map(|side| side.body.map(|i| i as usize))
    }

    /// Adds factor · Gᵀ of a row to a list over velocities.
    fn add_row(
        &self,
        row: &Row,
        placed: [&Placed; 2],
        bodies: [Option<usize>; 2],
        factor: f64,
        out: &mut [f64],
    ) {
        for (side, body) in bodies.into_iter().enumerate() {
            let Some(body) = body else { continue };
            let sign = if side == 0 { -factor } else { factor };
            let entries = D::entries(placed[side], row.factors(placed[side]));
            let slot = &self.system.slots[body];
            slot.scatter::<D>(|k, s| out[s] += sign * entries.as_ref()[k]);
        }
    }
}

/// Rows of a contact: the axes of its frame, then spins about the tangents and the normal.
fn frame_rows<D: Embedded>(normal: VectorJet, at: VectorJet, rows: usize) -> Vec<Row> {
    let axes: Vec<VectorJet> = match D::N {
        2 => vec![normal, normal.perpendicular()],
        _ => {
            let [first, second] = normal.tangents();
            vec![normal, first, second]
        }
    };
    let row = |i: usize| match (i < D::N, D::N) {
        (true, _) => Row::along(axes[i], at),
        (false, 2) => Row::about(VectorJet::constant(glam::DVec3::Z)),
        (false, _) => Row::about(axes[(i - D::N + 1) % D::N]),
    };
    (0..rows).map(row).collect()
}

/// Pairs of bodies whose joint excludes contact.
fn excluded<D: Embedded>(joints: &[Joint<D>]) -> Vec<[usize; 2]> {
    let mut all = Vec::new();
    for joint in joints.iter().filter(|joint| !joint.contact) {
        if let [Some(a), Some(b)] = joint.frames.map(|side| side.body) {
            all.push([a.min(b) as usize, a.max(b) as usize]);
        }
    }
    all
}

/// Refuses what has no event-driven form.
fn refuse<D: Embedded>(model: &Model<D>, names: &[String]) -> Result<(), BodySystemError> {
    if model.cell.is_some() {
        return unsupported("a periodic cell".to_string());
    }
    let moved = |freedom: Freedom| matches!(freedom, Freedom::Kinematic(_));
    if let Some(i) = model.bodies.iter().position(|body| moved(body.freedom)) {
        return unsupported(format!("the prescribed motion of `{}`", names[i]));
    }
    for joint in &model.joints {
        if joint.motor.is_some() {
            return unsupported(format!("the motor of the joint `{}`", joint.name));
        }
        if joint.friction.is_some() {
            return unsupported(format!("the friction of the joint `{}`", joint.name));
        }
        if joint.kind == JointKind::Clearance
            && let Some(clearance) = &joint.clearance
            && matches!(
                clearance.law.friction,
                Friction::Elliptic { .. } | Friction::Polygon { .. }
            )
        {
            return unsupported(format!("the friction of the joint `{}`", joint.name));
        }
    }
    Ok(())
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
        // Springs and dampers of joints.
        if self.model.joints.iter().any(|joint| joint.spring.is_some()) {
            let lying = self.at(q, v);
            for (j, joint) in self.model.joints.iter().enumerate() {
                let Some(spring) = &joint.spring else {
                    continue;
                };
                let (row, value) = lying.joint(j).coordinate(joint);
                let sides = lying.sides(j);
                let speed = row.velocity(sides[0], sides[1]).value;
                let pull =
                    -spring.stiffness * (value - spring.rest) - spring.damping * speed;
                lying.add_row(&row, sides, lying.joint_bodies(j), pull, force);
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
