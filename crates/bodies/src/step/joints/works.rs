//! Works, impulses and reports of the joints in a step.
//!
//! ```text
//! E_F − E_I = … + Σ ½ S (U_I + U_F) − Σ ½ S (W_I + W_F)       over the rows of joints as of contacts
//! ```

use percuss_contact::Problem;

use super::BlockRole;
use crate::dynamics::Dynamics;
use crate::joint::{self, JointCoordinate, JointKind, JointReport};
use crate::model::Model;
use crate::state::State;
use crate::step::SolvedStep;
use crate::step::assemble::frame;
use crate::step::scratch::{Balance, ModelCache};
use percuss_geometry::Vector;

/// Works of the joints of a step, by kind of row.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::step) struct JointWorks {
    /// Motors.
    pub motor: f64,
    /// Springs and dampers.
    pub spring: f64,
    /// Friction.
    pub friction: f64,
    /// Limits.
    pub limit: f64,
    /// Held rows: rounding error with ρ = 1; a loss in a step that was solved again with ρ < 1 (`energy_gain`).
    pub bilateral: f64,
    /// Moving boundaries through joints.
    pub boundary: f64,
    /// Σ S·(U_F + ρU_I)/(1 + ρ) of held rows, friction and limits: ≤ 0 where their laws hold.
    pub lawful: f64,
    /// Whether held rows, friction or limits carry impulses.
    pub acts: bool,
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// Works of all joints; fills forces, torques and power of the reports.
    pub(in crate::step) fn joint_works(
        &self,
        problem: &Problem,
        end_velocity: &mut Vec<f64>,
        readings: &mut Vec<JointReport<D>>,
    ) -> JointWorks {
        let mut works = JointWorks::default();
        readings.clear();
        readings.resize(self.inputs.model.joints.len(), blank());
        // Blocks of joints follow the contacts in the problem.
        let (h, before) = (self.inputs.settings.step, self.assembly.active.len());
        for (k, block) in self.assembly.joints.blocks.iter().enumerate() {
            let sides = &self.inputs.model.joints[block.joint as usize].frames;
            let reading = &mut readings[block.joint as usize];
            for (i, at) in problem.rows(before + k).enumerate() {
                let row = &self.assembly.joints.rows[block.first + i];
                let s = self.solution.impulse[at];
                // U_F of the row, its work, and the share of bodies that are not movable.
                let velocity = |v: &[D::Dofs], held| {
                    block.sign * self.inputs.row_velocity(sides, row, v, held)
                };
                let end = velocity(&self.end.velocity, false);
                let done = 0.5 * s * (self.assembly.begin_velocity[at] + end);
                let carried = velocity(&self.inputs.state.velocities, true)
                    + velocity(&self.end.velocity, true);
                works.boundary -= 0.5 * s * carried;
                end_velocity.push(end);
                // Mean force and torque on the second body.
                let force = block.sign * s / h;
                match row.angular {
                    false => reading.force += row.direction * force,
                    true => add_turn::<D>(&mut reading.torque, row.direction, force),
                }
                // Works by kind of row.
                works.acts |=
                    s != 0.0 && !matches!(block.role, BlockRole::Spring | BlockRole::Motor);
                match block.role {
                    BlockRole::Held => {
                        works.bilateral += done;
                        works.lawful += done;
                    }
                    BlockRole::Spring => works.spring += done,
                    BlockRole::Friction => {
                        works.friction += done;
                        works.lawful += s * end;
                    }
                    BlockRole::Limit => {
                        works.limit += done;
                        let limits = &self.inputs.model.joints[block.joint as usize].limits;
                        let e = limits.as_ref().map_or(0.0, |limits| limits.restitution);
                        works.lawful +=
                            s * (end + e * self.assembly.begin_velocity[at]) / (1.0 + e);
                    }
                    BlockRole::Motor => {
                        works.motor += done;
                        reading.power += done / h;
                    }
                }
            }
        }
        self.read_clearances(problem, readings);
        works
    }

    /// Adds the contact forces of pins in their holes to the reports.
    fn read_clearances(&self, problem: &Problem, readings: &mut [JointReport<D>]) {
        for (contact, &touch) in self.assembly.active.iter().enumerate() {
            let found = &self.inputs.candidates()[touch as usize];
            let Some(number) = joint::clearance_joint(&self.inputs.model.joints, found) else {
                continue;
            };
            let frame = frame(self.inputs.model, self.inputs.midpoint, found);
            let pin = self.inputs.model.joints[number].frames[1].body;
            // The force is reported as it acts on the body of the pin, the second one.
            let sign = if pin == Some(found.bodies[1]) {
                1.0
            } else {
                -1.0
            };
            let impulse = &self.solution.impulse[problem.rows(contact)];
            for (axis, s) in frame.as_ref().iter().zip(impulse) {
                readings[number].force += *axis * (sign * s / self.inputs.settings.step);
            }
        }
    }

    /// Adds the wrenches of the joints on their bodies, from directions and points.
    pub(in crate::step) fn add_joint_impulses(&self, problem: &Problem, rest: &mut [D::Dofs]) {
        let before = self.assembly.active.len();
        for (k, block) in self.assembly.joints.blocks.iter().enumerate() {
            let sides = &self.inputs.model.joints[block.joint as usize].frames;
            for (i, at) in problem.rows(before + k).enumerate() {
                let row = &self.assembly.joints.rows[block.first + i];
                let s = block.sign * self.solution.impulse[at];
                // Opposite impulses on the two bodies.
                for (side, sign) in sides.iter().zip([-s, s]) {
                    let Some(body) = side.body.map(|body| body as usize) else {
                        continue;
                    };
                    let entries = self.inputs.midpoint.joint_row(self.inputs.cache, body, row);
                    for (sum, g) in rest[body].as_mut().iter_mut().zip(entries) {
                        *sum += sign * g;
                    }
                }
            }
        }
    }
}

/// Fills position, coordinate, speed and drift of the reports at the end of the step; returns the elastic
/// energy of the springs and the largest drift.
pub(crate) fn read_joints<D: Dynamics>(
    model: &Model<D>,
    state: &State<D>,
    cache: &ModelCache<D>,
    out: &mut Balance<D>,
) -> (f64, f64) {
    let Balance {
        joint_reports: readings,
        held,
        ..
    } = out;
    readings.resize(model.joints.len(), blank());
    let (mut elastic, mut worst) = (0.0, 0.0_f64);
    for (number, joint) in model.joints.iter().enumerate() {
        let ends = joint.placed_frames(&state.poses);
        let reading = &mut readings[number];
        reading.at = ends.points[1];
        reading.axis = ends.axis();
        // Angle, displacement and speed of the coordinate.
        let turns = matches!(joint.kind, JointKind::Revolute | JointKind::Cylindrical);
        reading.angle = match turns {
            true => joint.value(&ends, JointCoordinate::Angle),
            false => 0.0,
        };
        reading.slide = match joint.kind {
            JointKind::Prismatic | JointKind::Cylindrical => {
                joint.value(&ends, JointCoordinate::Displacement)
            }
            JointKind::Distance | JointKind::Clearance => {
                joint.value(&ends, JointCoordinate::Distance)
            }
            _ => 0.0,
        };
        reading.speed = match joint.has_coordinate() {
            true => {
                let row = joint.coordinate_row(&ends);
                now(state, &joint.frames, &row)
            }
            false => 0.0,
        };
        if let Some(spring) = &joint.spring {
            let stretch = joint.value(&ends, joint.coordinate) - spring.rest;
            elastic += 0.5 * spring.stiffness * stretch * stretch;
        }
        // Largest constraint violation, angles times a length.
        held.clear();
        joint.bilateral_constraints(&ends, held);
        let size = cache.joints.length_scale[number];
        reading.drift = held.iter().fold(0.0, |most: f64, held| {
            let factor = if held.row.angular { size } else { 1.0 };
            most.max(factor * held.value.abs())
        });
        worst = worst.max(reading.drift);
    }
    (elastic, worst)
}

/// Velocity U of a row at the present poses and velocities.
fn now<D: Dynamics>(
    state: &State<D>,
    sides: &[joint::JointFrame<D>; 2],
    row: &joint::JacobianRow<D>,
) -> f64 {
    let mut sum = 0.0;
    for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
        let Some(body) = side.body.map(|body| body as usize) else {
            continue;
        };
        let pose = &state.poses[body];
        let mut entries = [0.0; super::WIDE];
        row.fill(&pose.rotation, pose.position, &mut entries);
        let v = state.velocities[body].as_ref();
        sum += sign * entries.iter().zip(v).map(|(g, v)| g * v).sum::<f64>();
    }
    sum
}

/// Adds a moment about an axis to a torque; in the plane its third entry.
fn add_turn<D: Dynamics>(torque: &mut [f64; 3], axis: D::Vector, moment: f64) {
    match D::N {
        2 => torque[2] += moment,
        _ => {
            for (sum, axis) in torque.iter_mut().zip(axis.components()) {
                *sum += axis * moment;
            }
        }
    }
}

/// A report with all entries zero.
fn blank<D: Dynamics>() -> JointReport<D> {
    JointReport {
        at: D::Vector::default(),
        axis: D::Vector::default(),
        angle: 0.0,
        slide: 0.0,
        speed: 0.0,
        force: D::Vector::default(),
        torque: [0.0; 3],
        power: 0.0,
        drift: 0.0,
    }
}
