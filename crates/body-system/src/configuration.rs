//! The bodies of a system at one state: position functions and rows of its constraints.

use percuss_bodies::joint::Joint;
use percuss_geometry::Pose;

use crate::coordinates::{BodyDim, Embedded};
use crate::jet::{Placed, VectorJet};
use crate::joint_rows::PlacedJoint;
use crate::row::Row;
use crate::system::{BodySystem, ConstraintOrigin};
use crate::touch::{Bodies, Touch};

/// Below this share of its radius a rim that lies flat on a face touches it.
const FLAT: f64 = 1e-6;

/// A system of bodies at one state.
pub(crate) struct Configuration<'a, D: BodyDim> {
    pub system: &'a BodySystem<D>,
    pub placed: Vec<Placed>,
}

impl<D: BodyDim> Configuration<'_, D> {
    /// The bodies of a joint, the world where it has none.
    pub fn sides(&self, j: usize) -> [&Placed; 2] {
        self.system.model.joints[j].frames.map(|side| {
            let body = side.body.and_then(|i| self.placed.get(i as usize));
            body.unwrap_or(&Placed::WORLD)
        })
    }

    pub fn joint(&self, j: usize) -> PlacedJoint {
        PlacedJoint::new(&self.system.model.joints[j], self.sides(j))
    }

    /// Two bodies with their features.
    pub fn bodies(&self, [a, b]: [usize; 2]) -> Bodies<'_> {
        Bodies {
            placed: [&self.placed[a], &self.placed[b]],
            features: [&self.system.shapes[a], &self.system.shapes[b]],
        }
    }

    /// The pair of features of a contact.
    pub fn touch(&self, i: usize) -> Touch {
        match (self.system.origins[i], self.system.features[i]) {
            (ConstraintOrigin::Contact { bodies, .. }, Some(pair)) => {
                self.bodies(bodies).touch(pair)
            }
            _ => unreachable!("only contacts have features"),
        }
    }

    /// Value of the position functions of a constraint.
    pub fn values(&self, i: usize, out: &mut Vec<f64>) -> Result<(), String> {
        match self.system.origins[i] {
            ConstraintOrigin::Contact { bodies, .. } => {
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
            ConstraintOrigin::Pin(j) => {
                let play = self.system.model.joints[j].clearance.as_ref();
                let play = play.map_or(0.0, |clearance| clearance.play);
                out.push(play - self.joint(j).distance().1);
            }
            ConstraintOrigin::Joint(j) => {
                let all = self.joint(j).bilateral(&self.system.model.joints[j]);
                out.extend(all.into_iter().map(|(_, value)| value));
            }
            ConstraintOrigin::LowerLimit(j) => out.push(self.coordinate(j) - self.limits(j)[0]),
            ConstraintOrigin::UpperLimit(j) => out.push(self.limits(j)[1] - self.coordinate(j)),
        }
        Ok(())
    }

    pub fn coordinate(&self, j: usize) -> f64 {
        self.joint(j).coordinate(&self.system.model.joints[j]).1
    }

    pub fn limits(&self, j: usize) -> [f64; 2] {
        let limits = self.system.model.joints[j].limits;
        limits.map_or([f64::NEG_INFINITY, f64::INFINITY], |l| [l.low, l.high])
    }

    /// Rows of a constraint with the two bodies that they are between.
    pub fn rows(&self, i: usize) -> (Vec<Row>, [&Placed; 2], [Option<usize>; 2]) {
        let known = &self.system.constraints[i];
        match self.system.origins[i] {
            ConstraintOrigin::Contact { bodies, .. } => {
                let touch = self.touch(i);
                let rows = frame_rows::<D>(touch.normal, touch.point, known.rows);
                let placed = self.bodies(bodies).placed;
                (rows, placed, bodies.map(Some))
            }
            ConstraintOrigin::Pin(j) => {
                let joint = self.joint(j);
                let (toward, _) = joint.distance();
                let pin = self.system.model.joints[j].clearance.as_ref();
                let pin = pin.map_or(0.0, |clearance| clearance.pin);
                // The gap shrinks as the pin moves outwards; it touches on its far side.
                let at = joint.point() + toward * pin;
                let rows = frame_rows::<D>(-toward, at, known.rows);
                (rows, self.sides(j), self.joint_bodies(j))
            }
            ConstraintOrigin::Joint(j) => {
                let all = self.joint(j).bilateral(&self.system.model.joints[j]);
                let rows = all.into_iter().map(|(row, _)| row).collect();
                (rows, self.sides(j), self.joint_bodies(j))
            }
            ConstraintOrigin::LowerLimit(j) | ConstraintOrigin::UpperLimit(j) => {
                let (row, _) = self.joint(j).coordinate(&self.system.model.joints[j]);
                let upper = matches!(self.system.origins[i], ConstraintOrigin::UpperLimit(_));
                let row = if upper { row.reversed() } else { row };
                (vec![row], self.sides(j), self.joint_bodies(j))
            }
        }
    }

    /// Springs and dampers: joint, row of its coordinate, force along it.
    pub fn springs(&self) -> Vec<(usize, Row, f64)> {
        let joints = self.system.model.joints.iter().enumerate();
        let force = |(j, joint): (usize, &Joint<D>)| {
            let spring = joint.spring.as_ref()?;
            let (row, value) = self.joint(j).coordinate(joint);
            let [a, b] = self.sides(j);
            let speed = row.velocity(a, b).value;
            let pull = -spring.stiffness * (value - spring.rest) - spring.damping * speed;
            Some((j, row, pull))
        };
        joints.filter_map(force).collect()
    }

    pub fn joint_bodies(&self, j: usize) -> [Option<usize>; 2] {
        let frames = self.system.model.joints[j].frames;
        frames.map(|side| side.body.map(|i| i as usize))
    }

    /// Adds factor · Gᵀ of a row to a list over velocities.
    pub fn add_row(
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

impl<D: BodyDim> BodySystem<D> {
    /// Rows of a constraint at a state.
    pub(crate) fn rows_at(&self, i: usize, q: &[f64], v: &[f64]) -> Vec<Row> {
        self.at(q, v).rows(i).0
    }

    /// Springs and dampers at a state: joint, row of its coordinate, force along it.
    pub(crate) fn springs_at(&self, q: &[f64], v: &[f64]) -> Vec<(usize, Row, f64)> {
        self.at(q, v).springs()
    }

    /// All bodies at a state.
    pub(crate) fn at(&self, q: &[f64], v: &[f64]) -> Configuration<'_, D> {
        let place = |i: usize| {
            let slot = &self.slots[i];
            D::placed(&D::pose(slot, &self.rest[i], q), &slot.velocity::<D>(v))
        };
        Configuration {
            system: self,
            placed: (0..self.slots.len()).map(place).collect(),
        }
    }

    pub(crate) fn at_rest(&self) -> Configuration<'_, D> {
        let place = |pose: &Pose<D>| D::placed(pose, &D::ZERO_VELOCITY);
        Configuration {
            system: self,
            placed: self.rest.iter().map(place).collect(),
        }
    }
}
