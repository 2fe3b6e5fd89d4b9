//! Rows of the joints as callers read them: direction, point, velocities and impulse of each.

use super::BlockRole;
use crate::dynamics::Dynamics;
use crate::step::scratch::Assembly;

/// A row of a joint in the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRow<D: Dynamics> {
    /// Index of the joint.
    pub joint: usize,
    /// Kind of the row: `bilateral`, `spring`, `motor`, `friction` or `limit`.
    pub part: &'static str,
    /// Index of the row within its block.
    pub row: usize,
    /// 0 for a linear row, the velocity of b relative to a along the direction, at the point; 1 for an angular
    /// row, their relative spin about it. In the plane the spin is about the third axis, with this sign.
    pub turn: f64,
    /// Direction or axis, world axes, at the midpoint; 0 for angular rows of the plane.
    pub direction: D::Vector,
    /// The point, at the midpoint.
    pub at: D::Vector,
    /// U_I.
    pub begin: f64,
    /// U_F, before positions and velocities are projected.
    pub end: f64,
    /// Impulse S on b.
    pub impulse: f64,
}

/// Calls `visit` with every row of every joint of a step; `end_velocity` is U_F by row.
pub(crate) fn visit_rows<D: Dynamics>(
    assembly: &Assembly<D>,
    impulse: &[f64],
    end_velocity: &[f64],
    visit: &mut dyn FnMut(&JointRow<D>),
) {
    let Some(problem) = &assembly.problem else {
        return;
    };
    let blocks = &assembly.joints.blocks;
    let Some(before) = problem.num_contacts().checked_sub(blocks.len()) else {
        return;
    };
    for (k, block) in blocks.iter().enumerate() {
        for (row, at) in problem.rows(before + k).enumerate() {
            // A reversed row, of an upper limit, has the opposite direction.
            let known = &assembly.joints.rows[block.first + row];
            let value = |all: &[f64]| all.get(at).copied().unwrap_or(0.0);
            let plane = D::N == 2 && known.angular;
            visit(&JointRow {
                joint: block.joint as usize,
                part: match block.role {
                    BlockRole::Held => "bilateral",
                    BlockRole::Spring => "spring",
                    BlockRole::Motor => "motor",
                    BlockRole::Friction => "friction",
                    BlockRole::Limit => "limit",
                },
                row,
                turn: match (known.angular, plane) {
                    (false, _) => 0.0,
                    (true, true) => block.sign,
                    (true, false) => 1.0,
                },
                direction: match plane {
                    true => D::Vector::default(),
                    false => known.direction * block.sign,
                },
                at: known.at,
                begin: value(&assembly.begin_velocity),
                end: value(end_velocity),
                impulse: value(impulse),
            });
        }
    }
}
