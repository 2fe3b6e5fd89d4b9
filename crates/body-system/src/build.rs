//! Construction of a system: the coordinates of the bodies, a constraint for each pair of features, joint and limit.

use percuss_bodies::joint::{Joint, JointKind};
use percuss_bodies::{Freedom, Friction, Model, contact_law};
use percuss_contact::law::Status;
use percuss_geometry::Pose;
use percuss_mechanism::{ConfigurationSpace, Constraint, ConstraintKind};

use crate::coordinates::{BodyDim, Embedded, Slot};
use crate::error::BodySystemError;
use crate::system::{BodySystem, ConstraintOrigin};
use crate::touch::{Pair, pairs};

/// Largest number of pairs of features.
const MOST_PAIRS: usize = 6000;

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
            origins: Vec::new(),
            features: Vec::new(),
            shapes: Vec::new(),
            model,
        };
        system.add_contacts()?;
        system.add_joints();
        Ok(system)
    }

    /// Adds the pairs of features of all pairs of bodies.
    fn add_contacts(&mut self) -> Result<(), BodySystemError> {
        let excluded = excluded(&self.model.joints);
        let movable: Vec<bool> = self.slots.iter().map(|s| !s.entries.is_empty()).collect();
        for body in 0..self.slots.len() {
            // Shapes without smooth features are refused, whether they can touch another body or not.
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
        let found =
            found.or_else(|what| unsupported(format!("the contact of {}: {what}", names())))?;
        let law = self.pair_law(bodies);
        if matches!(
            law.friction,
            Friction::Elliptic { .. } | Friction::Polygon { .. }
        ) {
            let what = format!("the friction of {}: a section with directions", names());
            return unsupported(what);
        }
        let (_, rows) = contact_law::<D>(law, Status::Open);
        for (feature, pair) in found.into_iter().enumerate() {
            let name = format!("{} - {} ({feature})", self.names[a], self.names[b]);
            let known = Constraint::new(name, ConstraintKind::Contact, rows);
            let feature = feature as u32;
            self.push(
                known,
                ConstraintOrigin::Contact { bodies, feature },
                Some(pair),
            );
        }
        Ok(())
    }

    /// Adds the constraints of the joints.
    fn add_joints(&mut self) {
        for j in 0..self.model.joints.len() {
            let joint = &self.model.joints[j];
            let name = joint.name.clone();
            let configuration = self.at_rest();
            let rows = configuration.joint(j).bilateral(joint).len();
            if rows > 0 {
                let known = Constraint::new(name.clone(), ConstraintKind::Joint, rows);
                self.push(known, ConstraintOrigin::Joint(j), None);
            }
            let joint = &self.model.joints[j];
            if let Some(clearance) = &joint.clearance {
                let (_, rows) = contact_law::<D>(&clearance.law, Status::Open);
                let known = Constraint::new(name.clone(), ConstraintKind::Contact, rows);
                self.push(known, ConstraintOrigin::Pin(j), None);
            }
            let joint = &self.model.joints[j];
            let Some(limits) = joint.limits else {
                continue;
            };
            for (bound, end, origin) in [
                (limits.low, "low", ConstraintOrigin::LowerLimit(j)),
                (limits.high, "high", ConstraintOrigin::UpperLimit(j)),
            ] {
                if bound.is_finite() {
                    let name = format!("{name} ({end})");
                    let known = Constraint::new(name, ConstraintKind::Contact, 1);
                    self.push(known, origin, None);
                }
            }
        }
    }

    fn push(&mut self, known: Constraint, origin: ConstraintOrigin, pair: Option<Pair>) {
        self.constraints.push(known);
        self.origins.push(origin);
        self.features.push(pair);
    }
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
