//! Assembly of the rows of joints: held rows, springs, motors, friction and limits as blocks of (★).

use percuss_contact::law::{Law, NonFirmSet};
use percuss_contact::{ProblemBuilder, ProblemError};

use super::{BlockRole, JointAssembly, JointBlock, WIDE, ball};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{JacobianRow, JointCoordinate, JointFrame};
use crate::settings::Activation;
use crate::step::{CLOSED, NO_GROUP, StepInputs};

/// Blocks of Ĝ of some rows of a joint, and their velocities.
struct BlockRows {
    block: [[f64; WIDE * WIDE]; 2],
    /// W: from bodies that are not movable, at the end of the step.
    given: [f64; WIDE],
    /// U_I and U_L.
    begin: [f64; WIDE],
    free: [f64; WIDE],
}

/// Which rows of the joints are assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::step) enum JointPart {
    /// All of them, at the midpoint.
    All,
    /// Held rows with U_F = 0, at the end of the step.
    HeldAtEnd,
}

/// Adds the rows of joints to the problem, with U_I and the starting impulses 0.
struct JointAssembler<'a, D: Dynamics> {
    inputs: StepInputs<'a, D>,
    part: JointPart,
    joints: &'a mut JointAssembly<D>,
    begin_velocity: &'a mut Vec<f64>,
    impulse: &'a mut Vec<f64>,
}

/// Adds the blocks of all joints, behind those of the contacts.
pub(in crate::step) fn push_joints<D: Dynamics>(
    inputs: StepInputs<'_, D>,
    part: JointPart,
    builder: &mut ProblemBuilder,
    joints: &mut JointAssembly<D>,
    begin_velocity: &mut Vec<f64>,
    impulse: &mut Vec<f64>,
) -> Result<(), WorldError> {
    joints.blocks.clear();
    joints.rows.clear();
    let mut assembler = JointAssembler {
        inputs,
        part,
        joints,
        begin_velocity,
        impulse,
    };
    for (number, joint) in inputs.model.joints.iter().enumerate() {
        assembler
            .push_joint(builder, number)
            .map_err(|error| WorldError::Joint(format!("joint `{}`: {error}", joint.name)))?;
    }
    Ok(())
}

impl<D: Dynamics> JointAssembler<'_, D> {
    /// Adds the blocks of one joint: held rows first, friction after them, limits last.
    fn push_joint(
        &mut self,
        builder: &mut ProblemBuilder,
        number: usize,
    ) -> Result<(), ProblemError> {
        // Rows and coordinate at the midpoint.
        let joint = &self.inputs.model.joints[number];
        let ends = joint.placed_frames(&self.inputs.midpoint.poses);
        self.joints.held.clear();
        joint.bilateral_constraints(&ends, &mut self.joints.held);
        let first = self.joints.rows.len();
        let held = self.joints.held.iter().map(|held| held.row);
        self.joints.rows.extend(held);
        let count = self.joints.rows.len() - first;
        // Coordinate for spring, motor, friction and limits.
        let row = joint.coordinate_row(&ends);
        let value = joint.value(&ends, joint.coordinate);
        let rubbing = joint.friction.map(|_| joint.friction_rows(&ends));
        // Held rows: bilateral, ρ U_I with ρ of the step.
        if count > 0 {
            let levers = self.inputs.levers(number, &self.joints.rows[first..], 1.0);
            let rho = match self.part {
                JointPart::All => self.joints.restitution,
                JointPart::HeldAtEnd => 0.0,
            };
            let all = (levers.begin.map(|u| rho * u), Law::Bilateral);
            let block = block(number, BlockRole::Held, (first, count), 1.0);
            self.push_block(builder, block, &levers, all)?;
        }
        if self.part == JointPart::HeldAtEnd {
            return Ok(());
        }
        self.push_spring(builder, number, row, value)?;
        self.push_motor(builder, number, row)?;
        // Friction starts with the bound 0; the fixed-point iteration sets it.
        if let Some((rows, count)) = rubbing {
            let levers = self.inputs.levers(number, &rows[..count], 1.0);
            let block = block(
                number,
                BlockRole::Friction,
                (self.joints.rows.len(), count),
                1.0,
            );
            self.joints.rows.extend_from_slice(&rows[..count]);
            let all = ([0.0; WIDE], ball(count, 0.0));
            self.push_block(builder, block, &levers, all)?;
        }
        self.push_limits(builder, number, row, value)
    }

    /// Adds the motor's row: U_F − speed, with an impulse of at most h M, or bilateral without a bound.
    fn push_motor(
        &mut self,
        builder: &mut ProblemBuilder,
        number: usize,
        row: JacobianRow<D>,
    ) -> Result<(), ProblemError> {
        let Some(motor) = &self.inputs.model.joints[number].motor else {
            return Ok(());
        };
        // A motor without a bound is a velocity constraint.
        let law = match motor.bound.is_finite() {
            true => interval(self.inputs.settings.step * motor.bound),
            false => Law::Bilateral,
        };
        let mut levers = self.inputs.levers(number, &[row], 1.0);
        // The target speed enters as a boundary velocity.
        levers.given[0] -= self.joints.speed.get(number).copied().unwrap_or(0.0);
        let block = block(number, BlockRole::Motor, (self.joints.rows.len(), 1), 1.0);
        self.joints.rows.push(row);
        self.push_block(builder, block, &levers, ([0.0; WIDE], law))
    }

    /// Adds the spring's row, S = −(α + β U_F): bilateral, with compliance 1/β as a kinetic coordinate of its own.
    fn push_spring(
        &mut self,
        builder: &mut ProblemBuilder,
        number: usize,
        row: JacobianRow<D>,
        value: f64,
    ) -> Result<(), ProblemError> {
        let h = self.inputs.settings.step;
        let Some(spring) = self.inputs.model.joints[number].spring else {
            return Ok(());
        };
        // Implicit midpoint rule: stretch and speed at the mean of both ends.
        let beta = 0.25 * h * h * spring.stiffness + 0.5 * h * spring.damping;
        if !(beta > 0.0) {
            return Ok(());
        }
        let mut levers = self.inputs.levers(number, &[row], 1.0);
        let begin = levers.begin[0];
        let stretch = value - spring.rest - 0.25 * h * begin;
        let alpha = h * spring.stiffness * stretch + 0.5 * h * spring.damping * begin;
        levers.given[0] += alpha / beta;
        // The additional coordinate, 1/√β wide, makes the row compliant.
        let own = builder.add_kinetic_group(&[0.0], &[0.0])?;
        let block = block(number, BlockRole::Spring, (self.joints.rows.len(), 1), 1.0);
        self.joints.rows.push(row);
        let wide = [1.0 / beta.sqrt()];
        let touches = self.inputs.touches(number, &levers, 1);
        let mut all = [(0, &[][..]); 3];
        let mut count = 0;
        for touch in touches.iter().flatten().chain([&(own, &wide[..])]) {
            all[count] = *touch;
            count += 1;
        }
        builder.add_contact_with_rebound(
            Law::Bilateral,
            &all[..count],
            &levers.given[..1],
            &[0.0],
        )?;
        self.joints.blocks.push(block);
        self.begin_velocity.push(begin);
        self.impulse.push(0.0);
        Ok(())
    }

    /// Adds the rows of the limits that the coordinate has reached, or reaches within the step if activation is
    /// predicted.
    fn push_limits(
        &mut self,
        builder: &mut ProblemBuilder,
        number: usize,
        row: JacobianRow<D>,
        value: f64,
    ) -> Result<(), ProblemError> {
        let joint = &self.inputs.model.joints[number];
        let Some(limits) = joint.limits else {
            return Ok(());
        };
        // Tolerance of a closed limit: radians, or relative to the joint's length scale.
        let size = match joint.coordinate {
            JointCoordinate::Angle => 1.0,
            _ => self.inputs.cache.joints.length_scale[number],
        };
        let h = self.inputs.settings.step;
        // Lower and upper limit.
        for (gap, sign) in [(value - limits.low, 1.0), (limits.high - value, -1.0)] {
            let levers = self.inputs.levers(number, &[row], sign);
            let mut rebound = [0.0; WIDE];
            rebound[0] = limits.restitution * levers.begin[0];
            // An open gap is active only by prediction, with the law U_F + g/h ≥ 0.
            if gap > CLOSED * size {
                let approach = gap + h * levers.free[0].min(levers.begin[0]);
                let predicted = self.inputs.settings.activation == Activation::Predicted;
                if !predicted || limits.restitution > 0.0 || !(approach <= 0.0) {
                    continue;
                }
                rebound[0] = gap / h;
            }
            let block = block(number, BlockRole::Limit, (self.joints.rows.len(), 1), sign);
            self.joints.rows.push(row);
            let all = (rebound, Law::Frictionless);
            self.push_block(builder, block, &levers, all)?;
        }
        Ok(())
    }

    /// Adds a block with its law to the problem, with U_I and the starting impulse 0. Bodies that are not
    /// movable have no block.
    fn push_block(
        &mut self,
        builder: &mut ProblemBuilder,
        block: JointBlock,
        levers: &BlockRows,
        (rebound, law): ([f64; WIDE], Law),
    ) -> Result<(), ProblemError> {
        let count = block.count;
        // Between two movable bodies, or one and a boundary; nothing between boundaries.
        let touches = self.inputs.touches(block.joint as usize, levers, count);
        let (given, rebound) = (&levers.given[..count], &rebound[..count]);
        match touches {
            [Some(one), Some(other)] => {
                builder.add_contact_with_rebound(law, &[one, other], given, rebound)?;
            }
            [Some(one), None] | [None, Some(one)] => {
                builder.add_contact_with_rebound(law, &[one], given, rebound)?;
            }
            [None, None] => return Ok(()),
        }
        self.joints.blocks.push(block);
        self.begin_velocity
            .extend_from_slice(&levers.begin[..count]);
        self.impulse.extend(std::iter::repeat_n(0.0, count));
        Ok(())
    }
}

impl<D: Dynamics> StepInputs<'_, D> {
    /// Kinetic groups of the movable bodies of a joint with their blocks.
    fn touches<'a>(
        &self,
        number: usize,
        levers: &'a BlockRows,
        count: usize,
    ) -> [Option<(usize, &'a [f64])>; 2] {
        let sides = &self.model.joints[number].frames;
        [0, 1].map(|k| {
            let group = self.cache.group[sides[k].body? as usize];
            let block = &levers.block[k][..count * D::DOF];
            (group != NO_GROUP).then_some((group as usize, block))
        })
    }

    /// Blocks of Ĝ and velocities of some rows of a joint at the midpoint.
    fn levers(&self, number: usize, rows: &[JacobianRow<D>], sign: f64) -> BlockRows {
        let mut levers = BlockRows {
            block: [[0.0; WIDE * WIDE]; 2],
            given: [0.0; WIDE],
            begin: [0.0; WIDE],
            free: [0.0; WIDE],
        };
        let sides = &self.model.joints[number].frames;
        for (k, (side, sense)) in sides.iter().zip([-sign, sign]).enumerate() {
            let Some(body) = side.body.map(|body| body as usize) else {
                continue;
            };
            let root = self.cache.inverse_sqrt_mass[body].as_ref();
            let u = self
                .midpoint
                .in_spin_axes(self.cache, body, &self.state.velocities[body]);
            let v = self
                .midpoint
                .in_spin_axes(self.cache, body, &self.free.velocity[body]);
            for (i, row) in rows.iter().enumerate().take(WIDE) {
                let entries = self.midpoint.joint_row(self.cache, body, row);
                let dot = |w: &[f64]| sense * (0..D::DOF).map(|c| entries[c] * w[c]).sum::<f64>();
                levers.begin[i] += dot(u.as_ref());
                levers.free[i] += dot(v.as_ref());
                // A body that is not movable contributes to W.
                if self.cache.group[body] == NO_GROUP {
                    levers.given[i] += dot(v.as_ref());
                    continue;
                }
                for c in 0..D::DOF {
                    levers.block[k][i * D::DOF + c] = sense * entries[c] * root[c];
                }
            }
        }
        levers
    }

    /// Velocity U of a row with these velocities; with `held` only of bodies that are not movable.
    pub(super) fn row_velocity(
        &self,
        sides: &[JointFrame<D>; 2],
        row: &JacobianRow<D>,
        v: &[D::Dofs],
        held: bool,
    ) -> f64 {
        let mut sum = 0.0;
        for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
            let Some(body) = side.body.map(|body| body as usize) else {
                continue;
            };
            if held && self.cache.group[body] != NO_GROUP {
                continue;
            }
            let entries = self.midpoint.joint_row(self.cache, body, row);
            let v = self.midpoint.in_spin_axes(self.cache, body, &v[body]);
            let parts = entries.iter().zip(v.as_ref());
            sum += sign * parts.map(|(g, v)| g * v).sum::<f64>();
        }
        sum
    }
}

/// A block with friction bound 0.
fn block(joint: usize, role: BlockRole, (first, count): (usize, usize), sign: f64) -> JointBlock {
    JointBlock {
        joint: joint as u32,
        role,
        first,
        count,
        sign,
        threshold: 0.0,
    }
}

/// Law of one row with |S| ≤ bound.
fn interval(bound: f64) -> Law {
    NonFirmSet::interval(-bound, bound).map_or(Law::Bilateral, NonFirmSet::into_law)
}
