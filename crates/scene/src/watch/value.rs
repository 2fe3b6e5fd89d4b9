//! The value of a quantity where the bodies are.

use bodies::{Vector, World};

use super::panel::Look;
use super::quantity::{Account, Fold, OfBody, OfJoint, OfSet, Quantity, Side};
use super::turn::Turn;

impl Look {
    /// NaN where there is none.
    pub(super) fn value<D: Turn>(&self, world: &World<D>, quantity: Quantity) -> f64 {
        let ledger = world.report();
        match quantity {
            Quantity::Time => world.state().t,
            Quantity::Account(account) => match account {
                Account::Kinetic => ledger.kinetic,
                Account::Potential => ledger.potential,
                Account::Energy => ledger.kinetic + ledger.potential + ledger.elastic,
                Account::Iterations => ledger.iterations as f64,
                Account::Residual => ledger.residual,
                Account::Penetration => ledger.penetration,
                Account::Drift => ledger.drift,
                Account::Elastic => ledger.elastic,
            },
            Quantity::Total(total) => self.totals.get(total),
            Quantity::Contacts => self.tally.carrying as f64,
            Quantity::Sliding => self.tally.sliding as f64,
            Quantity::Body { body, what } => self.of_body(world, body, what),
            Quantity::Set { set, what } => self.of_set(world, set, what),
            Quantity::Joint { joint, what } => of_joint(world, joint, what),
            Quantity::Watch { watch, what } => self.tally.seen(watch, what),
            Quantity::Cell(what) => super::cell::value(world, what),
        }
    }

    fn of_body<D: Turn>(&self, world: &World<D>, number: u32, what: OfBody) -> f64 {
        let (state, index) = (world.state(), number as usize);
        let (Some(body), Some(pose), Some(velocity)) = (
            world.model().bodies.get(index),
            state.poses.get(index),
            state.velocities.get(index),
        ) else {
            return f64::NAN;
        };
        let linear = || D::Vector::from_components(&velocity.as_ref()[..D::N]);
        match what {
            OfBody::Position(axis) => triple(pose.position)[axis],
            OfBody::Angle => D::angle(&pose.rotation),
            OfBody::Quaternion(k) => D::quaternion(&pose.rotation)[k],
            OfBody::Velocity(axis) => triple(linear())[axis],
            OfBody::Speed => linear().norm(),
            OfBody::Spin if D::N == 2 => D::spin(pose, velocity)[2],
            OfBody::Spin => size(D::spin(pose, velocity)),
            OfBody::SpinAbout(axis) => D::spin(pose, velocity)[axis],
            OfBody::Displacement => {
                let known = self.origin.binary_search_by_key(&number, |(b, _)| *b);
                let now = triple(pose.position);
                known.map_or(f64::NAN, |at| {
                    let from = self.origin[at].1;
                    size([0, 1, 2].map(|k| now[k] - from[k]))
                })
            }
            OfBody::Force(axis) => self.tally.pushed(number).force[axis],
            OfBody::Torque(axis) => self.tally.pushed(number).torque[axis],
            OfBody::Contacts => self.tally.pushed(number).contacts as f64,
            OfBody::Kinetic => {
                let masses = D::mass_diagonal(&body.mass);
                let parts = masses.as_ref().iter().zip(velocity.as_ref()).enumerate();
                let parts = parts.filter(|(k, _)| body.freedom.is_free(*k));
                0.5 * parts.map(|(_, (m, v))| m * v * v).sum::<f64>()
            }
            // The mass of what does not follow forces has no meaning.
            OfBody::Momentum(_) | OfBody::Mass if !body.freedom.movable() => 0.0,
            OfBody::Momentum(axis) => D::momentum(&body.mass, pose, velocity)[axis],
            OfBody::Extent(side) => {
                let bounds = D::aabb(&body.shape, pose);
                match side {
                    Side::Left => bounds.low[0],
                    Side::Right => bounds.high[0],
                    Side::Bottom => bounds.low[D::UP],
                    Side::Top => bounds.high[D::UP],
                }
            }
            OfBody::Mass => body.mass.mass,
        }
    }

    fn of_set<D: Turn>(&self, world: &World<D>, number: usize, what: OfSet) -> f64 {
        let Some(at) = self.sets.iter().position(|(known, _)| *known == number) else {
            return f64::NAN;
        };
        let members = &self.sets[at].1.now;
        let each = |what: OfBody| {
            let members = members.iter();
            members.map(move |body| self.of_body(world, *body, what))
        };
        match what {
            OfSet::Count => members.len() as f64,
            OfSet::Extent(side @ (Side::Left | Side::Bottom)) => least(each(OfBody::Extent(side))),
            OfSet::Extent(side) => largest(each(OfBody::Extent(side))),
            OfSet::Fold(fold, what) => match fold {
                Fold::Sum => each(what).sum(),
                Fold::Mean => each(what).sum::<f64>() / members.len() as f64,
                Fold::Max => largest(each(what)),
                Fold::Min => least(each(what)),
            },
            OfSet::Joints => self.joints.get(at).map_or(0.0, |(now, _)| *now as f64),
            OfSet::Grain(what) => self.grains.value(number, what, D::N),
            OfSet::Opened => self.joints.get(at).map_or(0.0, |(_, gone)| *gone as f64),
        }
    }
}

/// Of a joint over the last step; NaN where there is none.
fn of_joint<D: Turn>(world: &World<D>, number: usize, what: OfJoint) -> f64 {
    let Some(joint) = world.joint(number) else {
        return f64::NAN;
    };
    match what {
        OfJoint::Angle => joint.angle,
        OfJoint::Slide => joint.slide,
        OfJoint::Speed => joint.speed,
        OfJoint::Force => joint.force.norm(),
        OfJoint::ForceAlong(axis) => triple(joint.force)[axis],
        OfJoint::Torque if D::N == 2 => joint.torque[2],
        OfJoint::Torque => size(joint.torque),
        OfJoint::TorqueAbout(axis) => joint.torque[axis],
        OfJoint::Power => joint.power,
        OfJoint::Drift => joint.drift,
    }
}

/// The components of a vector; the third is 0 in the plane.
pub(super) fn triple<V: Vector>(vector: V) -> [f64; 3] {
    let mut all = [0.0; 3];
    for (entry, value) in all.iter_mut().zip(vector.components()) {
        *entry = *value;
    }
    all
}

fn size(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest; NaN where there is none.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NAN, f64::max)
}

/// The least; NaN where there is none.
fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NAN, f64::min)
}
