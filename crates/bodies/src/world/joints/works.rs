//! Works, impulses and reports of the joints in a step.
//!
//! ```text
//! E_F − E_I = … + Σ ½ S (U_I + U_F) − Σ ½ S (W_I + W_F)       over the rows of joints as of contacts
//! ```

use contact::Problem;

use super::super::World;
use super::BlockRole;
use crate::dynamics::Dynamics;
use crate::joint::{self, JointCoordinate, JointKind, JointReport};
use percuss_geometry::Vector;

/// Works of the joints of a step, by kind of row.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::world) struct JointWorks {
    /// Motors.
    pub motor: f64,
    /// Springs and dampers.
    pub spring: f64,
    /// Friction.
    pub rub: f64,
    /// Limits.
    pub limit: f64,
    /// Held rows: rounding error with ρ = 1; a loss in a step that was solved again with ρ < 1 (`joint::gain`).
    pub held: f64,
    /// Moving boundaries through joints.
    pub boundary: f64,
    /// Σ S·(U_F + ρU_I)/(1 + ρ) of held rows, friction and limits: ≤ 0 where their laws hold.
    pub lawful: f64,
    /// Whether held rows, friction or limits carry impulses.
    pub acts: bool,
}

impl<D: Dynamics> World<D> {
    /// Works of all joints; fills forces, torques and power of the reports.
    pub(in crate::world) fn joint_works(&mut self, problem: &Problem) -> JointWorks {
        let mut works = JointWorks::default();
        let mut readings = std::mem::take(&mut self.joints.reports);
        readings.clear();
        readings.resize(self.model.joints.len(), blank());
        // Blocks of joints follow the contacts in the problem.
        let (h, before) = (self.settings.step, self.scratch.active.len());
        for (k, block) in self.joints.blocks.iter().enumerate() {
            let sides = &self.model.joints[block.joint as usize].frames;
            let reading = &mut readings[block.joint as usize];
            for (i, at) in problem.rows(before + k).enumerate() {
                let row = &self.joints.rows[block.first + i];
                let s = self.scratch.impulse[at];
                // U_F of the row, its work, and the share of bodies that are not movable.
                let velocity =
                    |v: &[D::Dofs], held| block.sign * self.row_velocity(sides, row, v, held);
                let end = velocity(&self.scratch.end, false);
                let done = 0.5 * s * (self.scratch.begin_velocity[at] + end);
                let carried =
                    velocity(&self.state.velocities, true) + velocity(&self.scratch.end, true);
                works.boundary -= 0.5 * s * carried;
                self.scratch.end_velocity.push(end);
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
                        works.held += done;
                        works.lawful += done;
                    }
                    BlockRole::Spring => works.spring += done,
                    BlockRole::Friction => {
                        works.rub += done;
                        works.lawful += s * end;
                    }
                    BlockRole::Limit => {
                        works.limit += done;
                        let limits = &self.model.joints[block.joint as usize].limits;
                        let e = limits.as_ref().map_or(0.0, |limits| limits.restitution);
                        works.lawful += s * (end + e * self.scratch.begin_velocity[at]) / (1.0 + e);
                    }
                    BlockRole::Motor => {
                        works.motor += done;
                        reading.power += done / h;
                    }
                }
            }
        }
        self.read_clearances(problem, &mut readings);
        self.joints.reports = readings;
        works
    }

    /// Adds the contact forces of pins in their holes to the reports.
    fn read_clearances(&self, problem: &Problem, readings: &mut [JointReport<D>]) {
        for (contact, &touch) in self.scratch.active.iter().enumerate() {
            let found = &self.scratch.detector.candidates()[touch as usize];
            let Some(number) = joint::clearance_joint(&self.model.joints, found) else {
                continue;
            };
            let frame = self.frame(touch);
            let pin = self.model.joints[number].frames[1].body;
            // The force is reported as it acts on the body of the pin, the second one.
            let sign = if pin == Some(found.bodies[1]) {
                1.0
            } else {
                -1.0
            };
            let impulse = &self.scratch.impulse[problem.rows(contact)];
            for (axis, s) in frame.as_ref().iter().zip(impulse) {
                readings[number].force += *axis * (sign * s / self.settings.step);
            }
        }
    }

    /// Adds the wrenches of the joints on their bodies, from directions and points.
    pub(in crate::world) fn add_joint_impulses(&self, problem: &Problem, rest: &mut [D::Dofs]) {
        let before = self.scratch.active.len();
        for (k, block) in self.joints.blocks.iter().enumerate() {
            let sides = &self.model.joints[block.joint as usize].frames;
            for (i, at) in problem.rows(before + k).enumerate() {
                let row = &self.joints.rows[block.first + i];
                let s = block.sign * self.scratch.impulse[at];
                // Opposite impulses on the two bodies.
                for (side, sign) in sides.iter().zip([-s, s]) {
                    let Some(body) = side.body.map(|body| body as usize) else {
                        continue;
                    };
                    let entries = self.entries(body, row);
                    for (sum, g) in rest[body].as_mut().iter_mut().zip(entries) {
                        *sum += sign * g;
                    }
                }
            }
        }
    }

    /// Fills position, coordinate, speed and drift of the reports at the end of the step; returns the elastic
    /// energy of the springs and the largest drift.
    pub(in crate::world) fn read_joints(&mut self) -> (f64, f64) {
        let mut readings = std::mem::take(&mut self.joints.reports);
        readings.resize(self.model.joints.len(), blank());
        let (mut elastic, mut worst) = (0.0, 0.0_f64);
        let mut held = std::mem::take(&mut self.joints.held);
        for (number, joint) in self.model.joints.iter().enumerate() {
            let ends = joint.placed_frames(&self.state.poses);
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
                    self.now(&joint.frames, &row)
                }
                false => 0.0,
            };
            if let Some(spring) = &joint.spring {
                let stretch = joint.value(&ends, joint.coordinate) - spring.rest;
                elastic += 0.5 * spring.stiffness * stretch * stretch;
            }
            // Largest constraint violation, angles times a length.
            held.clear();
            joint.bilateral_constraints(&ends, &mut held);
            let size = self.joints.length_scale[number];
            reading.drift = held.iter().fold(0.0, |most: f64, held| {
                let factor = if held.row.angular { size } else { 1.0 };
                most.max(factor * held.value.abs())
            });
            worst = worst.max(reading.drift);
        }
        self.joints.held = held;
        self.joints.reports = readings;
        (elastic, worst)
    }

    /// Velocity U of a row at the present poses and velocities.
    fn now(&self, sides: &[joint::JointFrame<D>; 2], row: &joint::JacobianRow<D>) -> f64 {
        let mut sum = 0.0;
        for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
            let Some(body) = side.body.map(|body| body as usize) else {
                continue;
            };
            let pose = &self.state.poses[body];
            let mut entries = [0.0; super::WIDE];
            row.fill(&pose.rotation, pose.position, &mut entries);
            let v = self.state.velocities[body].as_ref();
            sum += sign * entries.iter().zip(v).map(|(g, v)| g * v).sum::<f64>();
        }
        sum
    }

    /// Number of joints.
    pub fn num_joints(&self) -> usize {
        self.model.joints.len()
    }

    /// Report of a joint over the last step; forces are 0 before the first one.
    pub fn joint(&self, number: usize) -> Option<&JointReport<D>> {
        self.joints.reports.get(number)
    }

    /// For each redundant held row, one that depends on the others, the index of its joint: the degree of static
    /// indeterminacy of the joints at the start, and where it is.
    pub fn redundant_rows(&self) -> &[usize] {
        &self.joints.redundant
    }
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
