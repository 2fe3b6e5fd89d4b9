//! Free velocity u_L = u_I + h A⁻¹K: the end velocity without contacts. Forces are evaluated at the midpoint,
//! gyroscopic terms and drag are implicit.

use super::scratch::{FreeVelocity, Midpoint, ModelCache};
use super::{StepTime, cell_step, check_pose, not_finite};
use crate::body::{Body, Freedom};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::{Drag, ForceContext, Model};
use crate::state::State;
use crate::thread_pool::DetectionThreads;
use percuss_geometry::Vector;

/// Bound of the speed of the points of a body: ‖v‖ + ‖ω‖ times its bounding radius.
pub(super) fn speed_bound<D: Dynamics>(body: &Body<D>, velocity: &D::Dofs) -> f64 {
    let v = velocity.as_ref();
    let (move_, turn) = v.split_at(D::N);
    let spin = norm(turn);
    // Without spin an infinite radius does not matter.
    let turning = if spin > 0.0 {
        spin * D::bounding_radius(&body.shape)
    } else {
        0.0
    };
    norm(move_) + turning
}

/// Euclidean norm.
fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Writes u_L of every movable body, and the given velocity at the end of the step of every kinematic body. Forces
/// are evaluated at t_end − ½h.
pub(crate) fn compute<D: Dynamics>(
    model: &mut Model<D>,
    state: &State<D>,
    cache: &ModelCache<D>,
    threads: &DetectionThreads,
    midpoint: &Midpoint<D>,
    time: StepTime,
    out: &mut FreeVelocity<D>,
) -> Result<(), WorldError> {
    let (h, t_end) = (time.h, time.end);
    evaluate_force_fields(model, state, midpoint, t_end - 0.5 * h, &mut out.loads)?;
    out.velocity.resize(model.bodies.len(), D::ZERO_VELOCITY);
    let (bodies, drag, gravity) = (&model.bodies, &model.drag, model.gravity);
    let loads = &out.loads;
    // Movable bodies, in parallel.
    threads.for_chunks(&mut out.velocity, |from, free| {
        for (k, free) in free.iter_mut().enumerate() {
            let i = from + k;
            *free = match bodies[i].freedom {
                Freedom::Fixed | Freedom::Kinematic(_) => D::ZERO_VELOCITY,
                Freedom::Free | Freedom::Partial(_) => {
                    let load = loads.get(i).copied().unwrap_or(D::ZERO_VELOCITY);
                    let drag = drag.get(i).copied().unwrap_or_default();
                    body_free_velocity::<D>(
                        &bodies[i],
                        &state.velocities[i],
                        gravity,
                        &load,
                        drag,
                        h,
                    )
                }
            };
        }
    });
    // Kinematic bodies: their prescribed velocity at the end of the step.
    for &i in &cache.kinematic {
        let i = i as usize;
        if let Freedom::Kinematic(guide) = model.bodies[i].freedom {
            let anchor = &state.kinematic_origins[guide as usize];
            let (pose, velocity) = model.prescribed_motions[guide as usize].at(anchor, t_end);
            check_pose(i, t_end, &pose)?;
            if !velocity.as_ref().iter().all(|v| v.is_finite()) {
                return Err(not_finite(i, "given velocity", t_end));
            }
            out.velocity[i] = velocity;
        }
    }
    cell_step::set_free_velocity(model, state, midpoint, time, out)
}

/// Evaluates the force fields at the midpoint and checks that the loads are finite.
fn evaluate_force_fields<D: Dynamics>(
    model: &mut Model<D>,
    state: &State<D>,
    midpoint: &Midpoint<D>,
    t: f64,
    loads: &mut Vec<D::Dofs>,
) -> Result<(), WorldError> {
    loads.clear();
    if model.force_fields.is_empty() {
        return Ok(());
    }
    loads.resize(model.bodies.len(), D::ZERO_VELOCITY);
    let scenery = ForceContext {
        t,
        poses: &midpoint.poses,
        velocities: &state.velocities,
        bodies: &model.bodies,
    };
    for field in &mut model.force_fields {
        field.add_loads(&scenery, loads);
    }
    for (i, load) in loads.iter().enumerate() {
        let movable = model.bodies[i].freedom.movable();
        if movable && !load.as_ref().iter().all(|f| f.is_finite()) {
            return Err(not_finite(i, "force", t));
        }
    }
    Ok(())
}

/// u_L of one body. Drag acts on the mean velocity: m(v_L − v_I) = h(F − c ½(v_I + v_L)).
fn body_free_velocity<D: Dynamics>(
    body: &Body<D>,
    begin: &D::Dofs,
    gravity: D::Vector,
    load: &D::Dofs,
    drag: Drag,
    h: f64,
) -> D::Dofs {
    let mass = body.mass.mass;
    let mut end = *begin;
    // Spin: Euler's equations with the moment of the load.
    D::advance_free_spin(&body.mass.inertia, &mut end, &load.as_ref()[D::N..], h);
    let masses = D::mass_diagonal(&body.mass);
    for (k, v) in end.as_mut().iter_mut().enumerate() {
        if !body.freedom.is_free(k) {
            *v = 0.0;
            continue;
        }
        let (m, c) = if k < D::N {
            *v += h * (gravity.components()[k] + load.as_ref()[k] / mass);
            (mass, drag.translation)
        } else {
            (masses.as_ref()[k], drag.rotation)
        };
        if c > 0.0 {
            // Change without drag, then drag on the mean of begin and end.
            let (u, change) = (begin.as_ref()[k], *v - begin.as_ref()[k]);
            let share = 0.5 * h * c / m;
            *v = (u * (1.0 - share) + change) / (1.0 + share);
        }
    }
    end
}
