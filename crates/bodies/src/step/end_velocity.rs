//! The end velocity u_F = u_L + A⁻¹ Σ Gᵀ S.

use percuss_contact::Problem;

use super::assemble::kinetic;
use super::scratch::{EndVelocity, FreeVelocity, Midpoint, ModelCache};
use super::{NO_GROUP, cell_step};
use crate::dynamics::Dynamics;
use crate::model::Model;

/// u_F: back from kinetic coordinates, v = A^-½ v̂, with the spin about body axes. Without contacts u_F = u_L.
pub(crate) fn compute<D: Dynamics>(
    model: &Model<D>,
    cache: &ModelCache<D>,
    midpoint: &Midpoint<D>,
    free: &FreeVelocity<D>,
    problem: Option<&Problem>,
    impulse: &[f64],
    out: &mut EndVelocity<D>,
) {
    out.velocity.clone_from(&free.velocity);
    cell_step::begin_end_rate(model, free, out);
    let Some(kinetic) = problem.and_then(kinetic) else {
        return;
    };
    // v̂_F = v̂_L + Σ Ĝᵀ S.
    out.kinetic.resize(kinetic.num_coordinates(), 0.0);
    kinetic.velocity_into(impulse, &mut out.kinetic);
    for (i, group) in cache.group.iter().enumerate() {
        if *group == NO_GROUP {
            continue;
        }
        let first = *group as usize * D::DOF;
        let hat = &out.kinetic[first..first + D::DOF];
        let root = cache.inverse_sqrt_mass[i].as_ref();
        let end = &mut out.velocity[i];
        for (k, v) in end.as_mut().iter_mut().enumerate() {
            *v = hat[k] * root[k];
        }
        if cache.spin_in_world_axes[i] {
            *end = D::spin_to_body(&midpoint.poses[i].rotation, end);
        }
    }
    cell_step::finish_end_rate(model, cache, free, out);
}
