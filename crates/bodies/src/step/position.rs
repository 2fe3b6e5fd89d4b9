//! The end position q_F = q_I + ½h (u_I + u_F), and the contacts stored for the next step.

use super::assemble::frame;
use super::scratch::{Assembly, Balance, Detection, EndVelocity, Midpoint, ModelCache, Solution};
use super::{cell_step, not_finite};
use crate::body::Freedom;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::{PersistentContact, State};
use crate::thread_pool::DetectionThreads;

/// Moves the state to the end of the step. No pose is written before all velocities of movable bodies are known to be
/// finite; the cell is checked afterwards.
pub(crate) fn advance<D: Dynamics>(
    model: &mut Model<D>,
    state: &mut State<D>,
    settings: &Settings,
    cache: &ModelCache<D>,
    threads: &DetectionThreads,
    end: &EndVelocity<D>,
    t_end: f64,
) -> Result<(), WorldError> {
    let h = settings.step;
    for (i, body) in model.bodies.iter().enumerate() {
        let finite = end.velocity[i].as_ref().iter().all(|v| v.is_finite());
        if body.freedom.movable() && !finite {
            return Err(not_finite(i, "velocity", t_end));
        }
    }
    // Free bodies move with the mean of the velocities at both ends of the step.
    let bodies = &model.bodies;
    let velocities = &state.velocities;
    threads.for_chunks(&mut state.poses, |from, poses| {
        for (k, pose) in poses.iter_mut().enumerate() {
            let i = from + k;
            if let Freedom::Free | Freedom::Partial(_) = bodies[i].freedom {
                let mut mean = end.velocity[i];
                for (v, begin) in mean.as_mut().iter_mut().zip(velocities[i].as_ref()) {
                    *v = 0.5 * (*v + begin);
                }
                *pose = D::advance_pose(pose, &mean, h);
            }
        }
    });
    // Kinematic bodies by their prescribed motion.
    for &i in &cache.kinematic {
        if let Freedom::Kinematic(guide) = bodies[i as usize].freedom {
            let anchor = &state.kinematic_origins[guide as usize];
            let (pose, _) = model.prescribed_motions[guide as usize].at(anchor, t_end);
            state.poses[i as usize] = pose;
        }
    }
    cell_step::advance(model, state, settings, end)?;
    state.velocities.copy_from_slice(&end.velocity);
    state.t = t_end;
    Ok(())
}

/// Stores the active contacts with impulse, velocity and status: warm start and history of the next step. The frames
/// are those at the midpoint.
pub(crate) fn store_contacts<D: Dynamics>(
    model: &Model<D>,
    midpoint: &Midpoint<D>,
    detection: &Detection<D>,
    assembly: &Assembly<D>,
    solution: &Solution,
    balance: &Balance<D>,
    memory: &mut Vec<PersistentContact<D>>,
) {
    let Some(problem) = &assembly.problem else {
        memory.clear();
        return;
    };
    // One entry per active contact, in the order of the next merge.
    memory.resize(assembly.active.len(), PersistentContact::empty());
    let rows = problem.offset().windows(2);
    let each = assembly
        .active
        .iter()
        .zip(&balance.contact_impulse)
        .zip(&balance.status);
    for ((((&touch, &vector), &status), rows), kept) in each.zip(rows).zip(memory) {
        let found = &detection.detector.candidates()[touch as usize];
        let impulse = &solution.impulse[rows[0]..rows[1]];
        // Each field is written in place: assembling the entry elsewhere and copying it as a whole causes a
        // store-forwarding stall.
        kept.bodies = found.bodies;
        kept.image = found.image;
        kept.feature = found.point.feature;
        kept.status = status;
        kept.persistent = false;
        kept.impulse = vector;
        kept.velocity = D::Vector::default();
        // Velocity and impulse are kept in world axes: the frame of the next step is another one.
        let axes = frame(model, midpoint, found);
        for (axis, u) in axes
            .as_ref()
            .iter()
            .zip(&balance.end_velocity[rows[0]..rows[1]])
        {
            kept.velocity += *axis * *u;
        }
        kept.moment = [0.0; 3];
        for (kept, s) in kept.moment.iter_mut().zip(impulse.iter().skip(D::N)) {
            *kept = *s;
        }
    }
}
