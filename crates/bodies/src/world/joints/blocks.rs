//! Assembly of the rows of joints: held rows, springs, motors, friction and limits as blocks of (★).

use contact::law::{Law, NonFirmSet};
use contact::{ProblemBuilder, ProblemError};

use super::super::{CLOSED, NO_GROUP, World};
use super::{BlockRole, JointBlock, JointScratch, WIDE, ball};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::{JacobianRow, JointCoordinate, JointFrame};
use crate::settings::Activation;

/// Blocks of Ĝ of some rows of a joint, and their velocities.
struct BlockRows {
    block: [[f64; WIDE * WIDE]; 2],
    /// W: from bodies that are not movable, at the end of the step.
    given: [f64; WIDE],
    /// U_I and U_L.
    begin: [f64; WIDE],
    free: [f64; WIDE],
}

impl<D: Dynamics> World<D> {
    /// Adds the blocks of all joints, behind those of the contacts.
    pub(in crate::world) fn push_joints(
        &mut self,
        builder: &mut ProblemBuilder,
    ) -> Result<(), WorldError> {
        // The scratch is taken out while the world is borrowed.
        let mut link = std::mem::replace(&mut self.joints, JointScratch::empty());
        link.blocks.clear();
        link.rows.clear();
        let mut pushed = Ok(());
        for number in 0..self.model.joints.len() {
            pushed = self
                .push_joint(builder, &mut link, number)
                .map_err(|error| {
                    let name = &self.model.joints[number].name;
                    WorldError::Joint(format!("joint `{name}`: {error}"))
                });
            if pushed.is_err() {
                break;
            }
        }
        self.joints = link;
        pushed
    }

    /// Adds the blocks of one joint: held rows first, friction after them, limits last.
    fn push_joint(
        &mut self,
        builder: &mut ProblemBuilder,
        link: &mut JointScratch<D>,
        number: usize,
    ) -> Result<(), ProblemError> {
        // Rows and coordinate at the midpoint.
        let joint = &self.model.joints[number];
        let ends = joint.placed_frames(&self.scratch.mid);
        link.held.clear();
        joint.bilateral_constraints(&ends, &mut link.held);
        let first = link.rows.len();
        let held = link.held.iter().map(|held| held.row);
        link.rows.extend(held);
        let count = link.rows.len() - first;
        // Coordinate for spring, motor, friction and limits.
        let row = joint.coordinate_row(&ends);
        let value = joint.value(&ends, joint.coordinate);
        let rubbing = joint.friction.map(|_| joint.friction_rows(&ends));
        // Held rows: bilateral, ρ U_I with ρ of the step.
        if count > 0 {
            let levers = self.levers(number, &link.rows[first..], 1.0);
            let all = (levers.begin.map(|u| link.restitution * u), Law::Bilateral);
            let block = block(number, BlockRole::Held, (first, count), 1.0);
            self.push_block(builder, link, block, &levers, all)?;
        }
        self.push_spring(builder, link, number, row, value)?;
        self.push_motor(builder, link, number, row)?;
        // Friction starts with the bound 0; the fixed-point iteration sets it.
        if let Some((rows, count)) = rubbing {
            let levers = self.levers(number, &rows[..count], 1.0);
            let block = block(number, BlockRole::Friction, (link.rows.len(), count), 1.0);
            link.rows.extend_from_slice(&rows[..count]);
            let all = ([0.0; WIDE], ball(count, 0.0));
            self.push_block(builder, link, block, &levers, all)?;
        }
        self.push_limits(builder, link, number, row, value)
    }

    /// Adds the motor's row: U_F − speed, with an impulse of at most h M, or bilateral without a bound.
    fn push_motor(
        &mut self,
        builder: &mut ProblemBuilder,
        link: &mut JointScratch<D>,
        number: usize,
        row: JacobianRow<D>,
    ) -> Result<(), ProblemError> {
        let Some(motor) = &self.model.joints[number].motor else {
            return Ok(());
        };
        // A motor without a bound is a velocity constraint.
        let law = match motor.bound.is_finite() {
            true => interval(self.settings.step * motor.bound),
            false => Law::Bilateral,
        };
        let mut levers = self.levers(number, &[row], 1.0);
        // The target speed enters as a boundary velocity.
        levers.given[0] -= link.speed.get(number).copied().unwrap_or(0.0);
        let block = block(number, BlockRole::Motor, (link.rows.len(), 1), 1.0);
        link.rows.push(row);
        self.push_block(builder, link, block, &levers, ([0.0; WIDE], law))
    }

    /// Adds the spring's row, S = −(α + β U_F): bilateral, with compliance 1/β as a kinetic coordinate of its own.
    fn push_spring(
        &mut self,
        builder: &mut ProblemBuilder,
        link: &mut JointScratch<D>,
        number: usize,
        row: JacobianRow<D>,
        value: f64,
    ) -> Result<(), ProblemError> {
        let h = self.settings.step;
        let Some(spring) = self.model.joints[number].spring else {
            return Ok(());
        };
        // Implicit midpoint rule: stretch and speed at the mean of both ends.
        let beta = 0.25 * h * h * spring.stiffness + 0.5 * h * spring.damping;
        if !(beta > 0.0) {
            return Ok(());
        }
        let mut levers = self.levers(number, &[row], 1.0);
        let begin = levers.begin[0];
        let stretch = value - spring.rest - 0.25 * h * begin;
        let alpha = h * spring.stiffness * stretch + 0.5 * h * spring.damping * begin;
        levers.given[0] += alpha / beta;
        // The additional coordinate, 1/√β wide, makes the row compliant.
        let own = builder.add_kinetic_group(&[0.0], &[0.0])?;
        let block = block(number, BlockRole::Spring, (link.rows.len(), 1), 1.0);
        link.rows.push(row);
        let wide = [1.0 / beta.sqrt()];
        let touches = self.touches(number, &levers, 1);
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
        link.blocks.push(block);
        self.scratch.begin_velocity.push(begin);
        self.scratch.impulse.push(0.0);
        Ok(())
    }

    /// Adds the rows of the limits that the coordinate has reached, or reaches within the step if activation is
    /// predicted.
    fn push_limits(
        &mut self,
        builder: &mut ProblemBuilder,
        link: &mut JointScratch<D>,
        number: usize,
        row: JacobianRow<D>,
        value: f64,
    ) -> Result<(), ProblemError> {
        let joint = &self.model.joints[number];
        let Some(limits) = joint.limits else {
            return Ok(());
        };
        // Tolerance of a closed limit: radians, or relative to the joint's length scale.
        let size = match joint.coordinate {
            JointCoordinate::Angle => 1.0,
            _ => link.length_scale[number],
        };
        let h = self.settings.step;
        // Lower and upper limit.
        for (gap, sign) in [(value - limits.low, 1.0), (limits.high - value, -1.0)] {
            let levers = self.levers(number, &[row], sign);
            let mut rebound = [0.0; WIDE];
            rebound[0] = limits.restitution * levers.begin[0];
            // An open gap is active only by prediction, with the law U_F + g/h ≥ 0.
            if gap > CLOSED * size {
                let approach = gap + h * levers.free[0].min(levers.begin[0]);
                let predicted = self.settings.activation == Activation::Predicted;
                if !predicted || limits.restitution > 0.0 || !(approach <= 0.0) {
                    continue;
                }
                rebound[0] = gap / h;
            }
            let block = block(number, BlockRole::Limit, (link.rows.len(), 1), sign);
            link.rows.push(row);
            let all = (rebound, Law::Frictionless);
            self.push_block(builder, link, block, &levers, all)?;
        }
        Ok(())
    }

    /// Adds a block with its law to the problem, with U_I and the starting impulse 0. Bodies that are not
    /// movable have no block.
    fn push_block(
        &mut self,
        builder: &mut ProblemBuilder,
        link: &mut JointScratch<D>,
        block: JointBlock,
        levers: &BlockRows,
        (rebound, law): ([f64; WIDE], Law),
    ) -> Result<(), ProblemError> {
        let count = block.count;
        // Between two movable bodies, or one and a boundary; nothing between boundaries.
        let touches = self.touches(block.joint as usize, levers, count);
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
        link.blocks.push(block);
        self.scratch
            .begin_velocity
            .extend_from_slice(&levers.begin[..count]);
        self.scratch.impulse.extend(std::iter::repeat_n(0.0, count));
        Ok(())
    }

    /// Kinetic groups of the movable bodies of a joint with their blocks.
    fn touches<'a>(
        &self,
        number: usize,
        levers: &'a BlockRows,
        count: usize,
    ) -> [Option<(usize, &'a [f64])>; 2] {
        let sides = &self.model.joints[number].frames;
        [0, 1].map(|k| {
            let group = self.scratch.group[sides[k].body? as usize];
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
            let root = self.scratch.inverse_sqrt_mass[body].as_ref();
            let u = self
                .scratch
                .in_spin_axes(body, &self.state.velocities[body]);
            let v = self.scratch.in_spin_axes(body, &self.scratch.end[body]);
            for (i, row) in rows.iter().enumerate().take(WIDE) {
                let entries = self.entries(body, row);
                let dot = |w: &[f64]| sense * (0..D::DOF).map(|c| entries[c] * w[c]).sum::<f64>();
                levers.begin[i] += dot(u.as_ref());
                levers.free[i] += dot(v.as_ref());
                // A body that is not movable contributes to W.
                if self.scratch.group[body] == NO_GROUP {
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

    /// Jacobian row of one body, its spin about the axes of its kinetic coordinates.
    pub(super) fn entries(&self, body: usize, row: &JacobianRow<D>) -> [f64; WIDE] {
        let mut entries = [0.0; WIDE];
        row.fill(
            &self.scratch.spin_axes(body),
            self.scratch.mid[body].position,
            &mut entries,
        );
        entries
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
            if held && self.scratch.group[body] != NO_GROUP {
                continue;
            }
            let entries = self.entries(body, row);
            let v = self.scratch.in_spin_axes(body, &v[body]);
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
