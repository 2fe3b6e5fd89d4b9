//! Accessors of the joints: reports, rows and drift of the last step.

use super::World;
use crate::dynamics::Dynamics;
use crate::joint::JointReport;
use crate::step::balance::largest_drift;
use crate::step::joints::visit_rows;
use crate::step::{JointRow, LargestDrift, NO_GROUP};

impl<D: Dynamics> World<D> {
    /// Number of joints.
    pub fn num_joints(&self) -> usize {
        self.model.joints.len()
    }

    /// Report of a joint over the last step; forces are 0 before the first one.
    pub fn joint(&self, number: usize) -> Option<&JointReport<D>> {
        self.scratch.balance.joint_reports.get(number)
    }

    /// For each redundant held row, one that depends on the others, the index of its joint: the degree of static
    /// indeterminacy of the joints at the start, and where it is.
    pub fn redundant_rows(&self) -> &[usize] {
        &self.scratch.projection.joints.redundant
    }

    /// The joint with the largest relative constraint violation at the present poses.
    pub fn largest_drift(&self) -> Option<LargestDrift> {
        largest_drift(
            &self.model,
            &self.scratch.cache,
            &self.scratch.balance.joint_reports,
        )
    }

    /// Calls `visit` with every row of every joint in the last step; with none before the first one.
    pub fn joint_rows(&self, visit: &mut dyn FnMut(&JointRow<D>)) {
        visit_rows(
            &self.scratch.assembly,
            &self.scratch.solution.impulse,
            &self.scratch.balance.end_velocity,
            visit,
        );
    }

    /// Pose of a movable body at the midpoint of the last step, and its velocity at the end of the step before
    /// joints and overlaps were projected; `None` before the first step and for bodies that are not movable.
    pub fn midpoint(&self, body: usize) -> Option<(&crate::Pose<D>, &D::Dofs)> {
        let follows = self
            .scratch
            .cache
            .group
            .get(body)
            .is_some_and(|g| *g != NO_GROUP);
        let both = (
            self.scratch.midpoint.poses.get(body)?,
            self.scratch.end.velocity.get(body)?,
        );
        follows.then_some(both)
    }

    /// The end velocity of the first pass, from which the gyroscopic moment of a body of a joint or of a
    /// persistent contact was taken in the last step; `None` for bodies without such a moment.
    pub fn first_velocity(&self, body: usize) -> Option<&D::Dofs> {
        // Only bodies with unequal moments of inertia have such a velocity.
        let uneven = self.model.bodies.get(body);
        let uneven = uneven.is_some_and(|body| !D::has_isotropic_inertia(&body.mass.inertia));
        let bodies = &self.scratch.coupling.gyroscopic;
        let member = uneven && bodies.binary_search(&body).is_ok();
        self.scratch
            .coupling
            .first_end_velocity
            .get(body)
            .filter(|_| member)
    }
}
