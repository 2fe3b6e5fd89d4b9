//! Gyroscopic moments of jointed bodies: a second pass with the midpoint spin of the solution.
//!
//! ```text
//! J (Ω_F − Ω_I) = h (M − Ω̄ × J Ω̄) + impulses,      Ω̄ = ½(Ω_I + Ω_F)
//! ```
//!
//! The free velocity takes Ω̄ from the motion without impulses. This is sufficient for a contact that acts for
//! an instant; a joint acts all the time, and the moment would do work of order h² in every step. So the step
//! is solved once more with Ω̄ from its own solution: the remaining error is of order h³. The plane has no
//! gyroscopic moment, nor have bodies with isotropic inertia.

use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::state::State;
use crate::step::scratch::{Coupling, FreeVelocity};
use crate::step::{NO_GROUP, SolvedStep, StepInputs};

/// Whether some of these bodies have gyroscopic moments.
pub(super) fn has_gyroscopic_moments<D: Dynamics>(model: &Model<D>, bodies: &[Vec<usize>]) -> bool {
    let uneven = |&body: &usize| {
        let body = &model.bodies[body];
        !D::has_isotropic_inertia(&body.mass.inertia)
    };
    D::N == 3 && bodies.iter().flatten().any(uneven)
}

/// Lists the bodies whose gyroscopic moments a second pass takes from the first solution: those of joints, and those of
/// persistent contacts with unequal moments of inertia. False where there is none.
pub(super) fn select_bodies<D: Dynamics>(
    step: SolvedStep<'_, D>,
    coupling: &mut Coupling<D>,
) -> bool {
    let StepInputs { model, cache, .. } = step.inputs;
    let bodies = &mut coupling.gyroscopic;
    bodies.clear();
    if D::N != 3 {
        return false;
    }
    if cache.joints.gyroscopic {
        bodies.extend(cache.joints.component_bodies.iter().flatten());
    }
    // A persistent contact acts all the time, as a joint does.
    let active = step.assembly.active.iter().zip(&step.assembly.persistent);
    for (&touch, _) in active.filter(|(_, persists)| **persists) {
        for body in step.inputs.candidates()[touch as usize].bodies {
            let body = body as usize;
            let movable = cache.group[body] != NO_GROUP;
            if movable && !D::has_isotropic_inertia(&model.bodies[body].mass.inertia) {
                bodies.push(body);
            }
        }
    }
    bodies.sort_unstable();
    bodies.dedup();
    !bodies.is_empty()
}

/// Replaces the gyroscopic moment of the free motion by that of the first solution.
pub(crate) fn correct_free_velocity<D: Dynamics>(
    model: &Model<D>,
    state: &State<D>,
    coupling: &Coupling<D>,
    h: f64,
    free: &mut FreeVelocity<D>,
) {
    for &body in &coupling.gyroscopic {
        let known = &model.bodies[body];
        let masses = D::mass_diagonal(&known.mass);
        let begin = &state.velocities[body];
        let moment = |end: &D::Dofs| moment(masses.as_ref(), begin.as_ref(), end.as_ref());
        let wanted = moment(&coupling.first_end_velocity[body]);
        let taken = moment(&free.velocity[body]);
        let spin = free.velocity[body].as_mut().iter_mut().enumerate();
        for (k, (at, v)) in spin.skip(D::N).enumerate() {
            if known.freedom.is_free(at) {
                *v += h * (wanted[k] - taken[k]) / masses.as_ref()[at];
            }
        }
    }
}

/// −Ω̄ × J Ω̄ in body axes, for velocities of space.
fn moment(masses: &[f64], begin: &[f64], end: &[f64]) -> [f64; 3] {
    let [Some(j), Some(a), Some(b)] = [masses, begin, end].map(|all| all.get(3..6)) else {
        return [0.0; 3];
    };
    // Mean spin and angular momentum, then their vector product.
    let w: [f64; 3] = std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
    let l: [f64; 3] = std::array::from_fn(|k| j[k] * w[k]);
    [
        l[1] * w[2] - l[2] * w[1],
        l[2] * w[0] - l[0] * w[2],
        l[0] * w[1] - l[1] * w[0],
    ]
}
