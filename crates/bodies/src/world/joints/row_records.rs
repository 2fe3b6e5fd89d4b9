//! Rows of the joints as callers read them: direction, point, velocities and impulse of each.

use super::super::{NO_GROUP, World};
use super::{BlockRole, JointScratch};
use crate::dynamics::Dynamics;

/// A row of a joint in the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRow<D: Dynamics> {
    /// Index of the joint.
    pub joint: usize,
    /// Kind of the row: `held`, `spring`, `motor`, `friction` or `limit`.
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

impl<D: Dynamics> JointScratch<D> {
    /// Invalidates the rows of the last step: they no longer belong to the problem.
    pub(in crate::world) fn forget(&mut self) {
        self.blocks.clear();
    }
}

impl<D: Dynamics> World<D> {
    /// Calls `visit` with every row of every joint in the last step; with none before the first one.
    pub fn joint_rows(&self, visit: &mut dyn FnMut(&JointRow<D>)) {
        let Some(problem) = &self.scratch.problem else {
            return;
        };
        let blocks = &self.joints.blocks;
        let Some(before) = problem.num_contacts().checked_sub(blocks.len()) else {
            return;
        };
        for (k, block) in blocks.iter().enumerate() {
            for (row, at) in problem.rows(before + k).enumerate() {
                // A reversed row, of an upper limit, has the opposite direction.
                let known = &self.joints.rows[block.first + row];
                let value = |all: &[f64]| all.get(at).copied().unwrap_or(0.0);
                let plane = D::N == 2 && known.angular;
                visit(&JointRow {
                    joint: block.joint as usize,
                    part: match block.role {
                        BlockRole::Held => "held",
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
                    begin: value(&self.scratch.begin_velocity),
                    end: value(&self.scratch.end_velocity),
                    impulse: value(&self.scratch.impulse),
                });
            }
        }
    }

    /// Pose of a movable body at the midpoint of the last step, and its velocity at the end of the step before
    /// joints and overlaps were projected; `None` before the first step and for bodies that are not movable.
    pub fn midpoint(&self, body: usize) -> Option<(&crate::Pose<D>, &D::Dofs)> {
        let follows = self.scratch.group.get(body).is_some_and(|g| *g != NO_GROUP);
        let both = (self.scratch.mid.get(body)?, self.scratch.end.get(body)?);
        follows.then_some(both)
    }

    /// The end velocity of the first pass, from which the gyroscopic moment of a jointed body was taken in the
    /// last step; `None` for bodies without such a moment.
    pub fn first_velocity(&self, body: usize) -> Option<&D::Dofs> {
        // Only bodies of joints with anisotropic inertia have such a velocity.
        let members = self.joints.component_bodies.iter().flatten();
        let uneven = self.model.bodies.get(body);
        let uneven = uneven.is_some_and(|body| !D::has_isotropic_inertia(&body.mass.inertia));
        let member = self.joints.gyroscopic && uneven && members.into_iter().any(|&m| m == body);
        self.joints.first_end_velocity.get(body).filter(|_| member)
    }
}
