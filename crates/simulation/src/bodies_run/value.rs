//! Values of observable quantities at the end of a step.

use percuss_bodies::{Vector, World};
use percuss_scene::bodies_scene::names::quantity::{
    BodyQuantity, Fold, JointQuantity, Quantity, ReportColumn, SetQuantity, Side,
};

use super::observables::ObservableInputs;
use super::observed_dim::ObservedDim;

impl ObservableInputs {
    /// The value of a quantity; NaN where there is none.
    pub(super) fn value<D: ObservedDim>(&self, world: &World<D>, quantity: Quantity) -> f64 {
        let ledger = world.report();
        match quantity {
            Quantity::Time => world.state().t,
            // Columns of the step report.
            Quantity::Report(account) => match account {
                ReportColumn::Kinetic => ledger.kinetic,
                ReportColumn::Potential => ledger.potential,
                ReportColumn::Energy => ledger.kinetic + ledger.potential + ledger.elastic,
                ReportColumn::Iterations => ledger.iterations as f64,
                ReportColumn::Residual => ledger.residual,
                ReportColumn::Penetration => ledger.penetration,
                ReportColumn::Drift => ledger.drift,
                ReportColumn::Elastic => ledger.elastic,
            },
            // Sums, contacts and parts of the scene.
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

    /// A quantity of one body.
    fn of_body<D: ObservedDim>(&self, world: &World<D>, number: u32, what: BodyQuantity) -> f64 {
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
            // Position, orientation, velocities.
            BodyQuantity::Position(axis) => triple(pose.position)[axis],
            BodyQuantity::Angle => D::angle(&pose.rotation),
            BodyQuantity::Quaternion(k) => D::quaternion(&pose.rotation)[k],
            BodyQuantity::Velocity(axis) => triple(linear())[axis],
            BodyQuantity::Speed => linear().norm(),
            BodyQuantity::Spin if D::N == 2 => D::spin(pose, velocity)[2],
            BodyQuantity::Spin => size(D::spin(pose, velocity)),
            BodyQuantity::SpinAbout(axis) => D::spin(pose, velocity)[axis],
            BodyQuantity::Displacement => {
                let known = self.origin.binary_search_by_key(&number, |(b, _)| *b);
                let now = triple(pose.position);
                known.map_or(f64::NAN, |at| {
                    let from = self.origin[at].1;
                    size([0, 1, 2].map(|k| now[k] - from[k]))
                })
            }
            // Contact forces, from the tally of the step.
            BodyQuantity::Force(axis) => self.tally.pushed(number).force[axis],
            BodyQuantity::Torque(axis) => self.tally.pushed(number).torque[axis],
            BodyQuantity::Contacts => self.tally.pushed(number).contacts as f64,
            // Free coordinates only: the mass of a prescribed one has no meaning.
            BodyQuantity::Kinetic => {
                let masses = D::mass_diagonal(&body.mass);
                let parts = masses.as_ref().iter().zip(velocity.as_ref()).enumerate();
                let parts = parts.filter(|(k, _)| body.freedom.is_free(*k));
                0.5 * parts.map(|(_, (m, v))| m * v * v).sum::<f64>()
            }
            // The mass of a fixed or kinematic body has no meaning.
            BodyQuantity::Momentum(_) | BodyQuantity::Mass if !body.freedom.movable() => 0.0,
            BodyQuantity::Momentum(axis) => D::momentum(&body.mass, pose, velocity)[axis],
            BodyQuantity::Extent(side) => {
                let bounds = D::aabb(&body.shape, pose);
                match side {
                    Side::Left => bounds.low[0],
                    Side::Right => bounds.high[0],
                    Side::Bottom => bounds.low[D::UP],
                    Side::Top => bounds.high[D::UP],
                }
            }
            BodyQuantity::Mass => body.mass.mass,
        }
    }

    /// A quantity of the members of a set.
    fn of_set<D: ObservedDim>(&self, world: &World<D>, number: usize, what: SetQuantity) -> f64 {
        let Some(at) = self.sets.iter().position(|(known, _)| *known == number) else {
            return f64::NAN;
        };
        // Members at the end of this step.
        let members = &self.sets[at].1.now;
        let each = |what: BodyQuantity| {
            let members = members.iter();
            members.map(move |body| self.of_body(world, *body, what))
        };
        match what {
            SetQuantity::Count => members.len() as f64,
            SetQuantity::Extent(side @ (Side::Left | Side::Bottom)) => {
                least(each(BodyQuantity::Extent(side)))
            }
            SetQuantity::Extent(side) => largest(each(BodyQuantity::Extent(side))),
            // Reductions over the members.
            SetQuantity::Fold(fold, what) => match fold {
                Fold::Sum => each(what).sum(),
                Fold::Mean => each(what).sum::<f64>() / members.len() as f64,
                Fold::Max => largest(each(what)),
                Fold::Min => least(each(what)),
            },
            SetQuantity::Joints => self.joints.get(at).map_or(0.0, |(now, _)| *now as f64),
            SetQuantity::Grain(what) => self.grains.value(number, what, D::N),
            SetQuantity::Opened => self.joints.get(at).map_or(0.0, |(_, gone)| *gone as f64),
        }
    }
}

/// A quantity of a joint over the last step; NaN where there is none.
fn of_joint<D: ObservedDim>(world: &World<D>, number: usize, what: JointQuantity) -> f64 {
    let Some(joint) = world.joint(number) else {
        return f64::NAN;
    };
    match what {
        // Kinematics of the free axis, reactions, power, drift.
        JointQuantity::Angle => joint.angle,
        JointQuantity::Slide => joint.slide,
        JointQuantity::Speed => joint.speed,
        JointQuantity::Force => joint.force.norm(),
        JointQuantity::ForceAlong(axis) => triple(joint.force)[axis],
        JointQuantity::Torque if D::N == 2 => joint.torque[2],
        JointQuantity::Torque => size(joint.torque),
        JointQuantity::TorqueAbout(axis) => joint.torque[axis],
        JointQuantity::Power => joint.power,
        JointQuantity::Drift => joint.drift,
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
