//! The configuration at the midpoint of a step, q_M = q_I + ½h u_I.

use super::cell_step;
use super::scratch::{Midpoint, ModelCache};
use super::{StepTime, check_pose};
use crate::body::Freedom;
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::joint::JacobianRow;
use crate::model::Model;
use crate::state::State;
use crate::thread_pool::DetectionThreads;

/// Largest number of velocity components of a body.
const WIDE: usize = 6;

/// Places all bodies at the midpoint; kinematic bodies by their prescribed motion.
pub(crate) fn place<D: Dynamics>(
    model: &mut Model<D>,
    state: &State<D>,
    cache: &ModelCache<D>,
    threads: &DetectionThreads,
    time: StepTime,
    out: &mut Midpoint<D>,
) -> Result<(), WorldError> {
    let (h, t) = (time.h, time.mid);
    let bodies = &model.bodies;
    // Free bodies: half a step with the velocity at its beginning. Fixed ones stay where they are.
    out.poses.clone_from(&state.poses);
    threads.for_chunks(&mut out.poses, |from, mid| {
        for (k, mid) in mid.iter_mut().enumerate() {
            let i = from + k;
            if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                *mid = D::advance_pose(&state.poses[i], &state.velocities[i], 0.5 * h);
            }
        }
    });
    // Kinematic bodies: one evaluation of each prescribed motion at the midpoint.
    for &i in &cache.kinematic {
        let i = i as usize;
        if let Freedom::Kinematic(guide) = bodies[i].freedom {
            let anchor = &state.kinematic_origins[guide as usize];
            let (pose, _) = model.prescribed_motions[guide as usize].at(anchor, t);
            check_pose(i, t, &pose)?;
            out.poses[i] = pose;
        }
    }
    // The lattice vectors at the midpoint, and the bodies carried along by the mean flow.
    cell_step::place_midpoint(model, state, h, out);
    Ok(())
}

impl<D: Dynamics> Midpoint<D> {
    /// Axes about which the kinetic coordinates of a body take its spin: body axes, or world axes (identity).
    #[inline]
    pub fn spin_axes(&self, cache: &ModelCache<D>, body: usize) -> D::Rotation {
        if cache.spin_in_world_axes[body] {
            D::Rotation::default()
        } else {
            self.poses[body].rotation
        }
    }

    /// Velocity of a body with its spin about these axes.
    #[inline]
    pub fn in_spin_axes(&self, cache: &ModelCache<D>, body: usize, velocity: &D::Dofs) -> D::Dofs {
        if cache.spin_in_world_axes[body] {
            D::spin_to_world(&self.poses[body].rotation, velocity)
        } else {
            *velocity
        }
    }

    /// Jacobian row of one body of a joint, its spin about the axes of its kinetic coordinates.
    pub fn joint_row(
        &self,
        cache: &ModelCache<D>,
        body: usize,
        row: &JacobianRow<D>,
    ) -> [f64; WIDE] {
        let mut entries = [0.0; WIDE];
        row.fill(
            &self.spin_axes(cache, body),
            self.poses[body].position,
            &mut entries,
        );
        entries
    }

    /// Displacement H k of a candidate's image.
    #[inline]
    pub fn offset(&self, found: &Candidate<D>) -> D::Vector {
        match &self.lattice {
            None => D::Vector::default(),
            Some(lattice) => lattice.offset(found.image),
        }
    }

    /// Centre of one of the two bodies of a candidate, of the second one at its image.
    #[inline]
    pub fn centre(&self, found: &Candidate<D>, side: usize) -> D::Vector {
        let at = self.poses[found.bodies[side] as usize].position;
        if side == 0 || found.image == [0; 3] {
            at
        } else {
            at + self.offset(found)
        }
    }

    /// Branch vector ℓ of a candidate: from the centre of the first body to that of the second.
    pub fn branch(&self, found: &Candidate<D>) -> D::Vector {
        self.centre(found, 1) - self.centre(found, 0)
    }
}
