//! Periodic cell: initial checks, update at the end of a step, lattice reduction, displacement by the projection.

use super::MAX_MODES;
use crate::body::Freedom;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::periodic_cell as cell;
use crate::settings::Settings;
use crate::state::State;
use crate::step::scratch::{EndVelocity, ModelCache};
use percuss_geometry::Vector;

/// Checks the cell against the bodies and sets its initial strain rate.
pub(crate) fn init<D: Dynamics>(
    model: &mut Model<D>,
    state: &mut State<D>,
    end: &mut EndVelocity<D>,
) -> Result<(), WorldError> {
    let t = state.t;
    let refuse = |reason: &str| {
        let reason = reason.to_string();
        Err(WorldError::Cell { t, reason })
    };
    let (cell, lattice) = match (&mut model.cell, &mut state.cell) {
        (None, None) => return Ok(()),
        (Some(cell), Some(lattice)) => (cell, lattice),
        _ => return refuse("the model has one and the state has none, or the other way round"),
    };
    // Vectors, damping and inertia.
    let entries = lattice.vectors.iter().take(D::N);
    if !entries.clone().all(|vector| vector.is_finite()) || !(lattice.volume() > 0.0) {
        return refuse("its vectors span no volume, or are not in a right-handed order");
    }
    if cell.modes.len() > MAX_MODES || !(cell.damping >= 0.0 && cell.damping.is_finite()) {
        return refuse("its damping is not a number of at least 0, or it has too many modes");
    }
    let heavy = cell.mass > 0.0 && cell.mass.is_finite();
    if !cell.modes.is_empty() && !heavy {
        return refuse("its inertia is not a positive, finite number");
    }
    // Joints, and bodies that are not free, exclude a deforming cell.
    let all_free = model
        .bodies
        .iter()
        .all(|body| body.freedom == Freedom::Free);
    if !model.joints.is_empty() {
        return refuse("joints join bodies and not their images: take the joints or the cell away");
    }
    if cell.deforms() && !all_free {
        return refuse(
            "a cell that deforms takes all bodies with it, but there is one that is fixed, \
             held or has a given motion",
        );
    }
    // Initial strain rate: the imposed part, and the component of the state's rate along each mode.
    let given = cell.control.as_mut().map(|control| control.at(t));
    let mut rate = given.unwrap_or_default().rate;
    for mode in &cell.modes {
        let part = cell::contract(&lattice.rate, mode) / cell::contract(mode, mode);
        rate = cell::add(&rate, mode, part);
    }
    if !rate.as_flattened().iter().all(|x| x.is_finite()) {
        return refuse("its strain rate is not finite");
    }
    lattice.rate = rate;
    end.strain_rate = rate;
    check_room(model, state)
}

/// Checks that each distance between opposite faces exceeds twice the diameter of the largest body.
fn check_room<D: Dynamics>(model: &Model<D>, state: &State<D>) -> Result<(), WorldError> {
    let (Some(cell), Some(lattice)) = (&model.cell, &state.cell) else {
        return Ok(());
    };
    // Diameter of the largest bounded body.
    let sizes = model
        .bodies
        .iter()
        .map(|body| D::bounding_radius(&body.shape));
    let largest = 2.0 * sizes.filter(|r| r.is_finite()).fold(0.0, f64::max);
    let heights = lattice.heights();
    for k in (0..D::N).filter(|&k| cell.periodic[k]) {
        if !(heights[k] > 2.0 * largest) {
            return Err(WorldError::Cell {
                t: state.t,
                reason: format!(
                    "its faces along {} are {} apart; more than {}, twice the largest body, was \
                     expected. Use a larger cell or smaller bodies",
                    ["x", "y", "z"][k],
                    heights[k],
                    2.0 * largest
                ),
            });
        }
    }
    Ok(())
}

/// x_F and H_F: adds the mean flow to bodies that have already moved by h c̄.
pub(crate) fn advance<D: Dynamics>(
    model: &Model<D>,
    state: &mut State<D>,
    settings: &Settings,
    end: &EndVelocity<D>,
) -> Result<(), WorldError> {
    let Some(cell) = &model.cell else {
        return Ok(());
    };
    let moves = cell.deforms();
    let Some(lattice) = state.cell.as_mut().filter(|_| moves) else {
        return Ok(());
    };
    let (end_rate, h) = (end.strain_rate, settings.step);
    // 2 L̄; the factors below contain the ½.
    let mean = cell::add(&lattice.rate, &end_rate, 1.0);
    // x_F = (1 − ½hL̄)⁻¹ ((x_I + h c̄) + ½hL̄ x_I) = x* + (1 − ½hL̄)⁻¹ h L̄ (x_I + ½h c̄), x* = x_I + h c̄.
    let behind = cell::inverse(&cell::add(&cell::identity(), &mean, -0.25 * h));
    let flow = cell::product(&behind, &mean).map(|row| row.map(|x| 0.5 * h * x));
    if !flow.as_flattened().iter().all(|x| x.is_finite()) {
        return Err(WorldError::Cell {
            t: state.t,
            reason: "its strain rate is not finite".to_string(),
        });
    }
    // Bodies: the flow at the middle of their way.
    for (i, pose) in state.poses.iter_mut().enumerate() {
        let (begin, last) = (&state.velocities[i], &end.velocity[i]);
        let mut half = [0.0; 3];
        for k in 0..D::N {
            half[k] = 0.25 * h * (begin.as_ref()[k] + last.as_ref()[k]);
        }
        let middle = pose.position - D::Vector::from_components(&half[..D::N]);
        pose.position += cell::apply::<D>(&flow, middle);
    }
    // The cell's vectors, strain and strain rate.
    for vector in lattice.vectors.iter_mut().take(D::N) {
        *vector += cell::apply::<D>(&flow, *vector);
    }
    lattice.strain = cell::add(&lattice.strain, &mean, 0.5 * h);
    lattice.rate = end_rate;
    Ok(())
}

/// Lattice reduction where shear has made the vectors long, then the check of the distances between faces.
pub(crate) fn reduce<D: Dynamics>(
    model: &Model<D>,
    state: &mut State<D>,
) -> Result<(), WorldError> {
    let (Some(cell), Some(lattice)) = (&model.cell, &mut state.cell) else {
        return Ok(());
    };
    if !cell.deforms() {
        return Ok(());
    }
    let mut changed = false;
    while let Some((i, j, times)) = lattice.reduce(cell.periodic) {
        changed = true;
        // The image stays the same: h_j k_j = (h_j − m h_i) k_j + h_i m k_j.
        for memory in &mut state.contacts {
            let more = times.wrapping_mul(memory.image[j]);
            memory.image[i] = memory.image[i].wrapping_add(more);
        }
    }
    if changed {
        let memory = &mut state.contacts;
        memory.sort_unstable_by_key(|m| (m.bodies, m.image, m.feature));
    }
    check_room(model, state)
}

/// Deforms the cell and the bodies with it by the last entries of a displacement in kinetic coordinates.
pub(crate) fn shift<D: Dynamics>(
    model: &Model<D>,
    state: &mut State<D>,
    cache: &ModelCache<D>,
    hat: &[f64],
) {
    let (Some(cell), Some(lattice)) = (&model.cell, &mut state.cell) else {
        return;
    };
    let root = &cache.cell.inverse_sqrt_mass;
    let Some(first) = hat
        .len()
        .checked_sub(root.len())
        .filter(|_| !root.is_empty())
    else {
        return;
    };
    // Deformation from the modes' displacements.
    let mut flow = [[0.0; 3]; 3];
    for (mode, (hat, root)) in cell.modes.iter().zip(hat[first..].iter().zip(root)) {
        flow = cell::add(&flow, mode, hat * root);
    }
    if !flow.as_flattened().iter().all(|x| x.is_finite()) {
        return;
    }
    for pose in &mut state.poses {
        pose.position += cell::apply::<D>(&flow, pose.position);
    }
    for vector in lattice.vectors.iter_mut().take(D::N) {
        *vector += cell::apply::<D>(&flow, *vector);
    }
    lattice.strain = cell::add(&lattice.strain, &flow, 1.0);
}
