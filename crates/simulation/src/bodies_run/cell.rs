//! Observables of the periodic cell: vectors, strain, stress, solid fraction, coordination,
//! unbalanced force.

use percuss_bodies::{Vector, World};
use percuss_scene::bodies_scene::names::quantity::CellQuantity;

use super::network::{ForceNetworkCore, Link};
use super::observed_dim::ObservedDim;

/// The value of a quantity; NaN without a cell.
pub(super) fn value<D: ObservedDim>(world: &World<D>, what: CellQuantity) -> f64 {
    let Some(lattice) = &world.state().cell else {
        return f64::NAN;
    };
    match what {
        CellQuantity::Vector(row, column) => lattice.vectors[column][row],
        CellQuantity::Volume => lattice.volume(),
        CellQuantity::Strain(row, column) => lattice.strain[row][column],
        CellQuantity::Stress(row, column) => world.cell_stress()[row][column],
        CellQuantity::Fraction => fraction(world).unwrap_or(f64::NAN),
        CellQuantity::Coordination => network(world).coordination(),
        // Rattlers: movable bodies outside the m-core of the force network.
        CellQuantity::Rattlers => {
            let movable = world.model().bodies.iter();
            let movable = movable.filter(|body| body.freedom.movable()).count();
            (movable - network(world).bodies.min(movable)) as f64
        }
        CellQuantity::Unbalanced => unbalanced(world),
    }
}

/// Solid fraction of the cell, if there is one.
pub(super) fn fraction<D: ObservedDim>(world: &World<D>) -> Option<f64> {
    let volume = world.state().cell.as_ref()?.volume();
    let bodies = world.model().bodies.iter();
    let sizes = bodies.filter_map(|body| D::mass_properties(&body.shape, 1.0));
    Some(sizes.map(|size| size.mass).sum::<f64>() / volume)
}

/// The m-core of the force network of the last step. A body is held by D + 1 contacts without
/// friction, by two with friction.
fn network<D: ObservedDim>(world: &World<D>) -> ForceNetworkCore {
    let contacts = || (0..world.num_contacts()).map(|index| world.contact(index));
    let links: Vec<Link> = contacts()
        .map(|contact| {
            let normal = contact.impulse.first().copied().unwrap_or(0.0);
            (contact.bodies, normal)
        })
        .collect();
    let rubs = contacts().any(|contact| contact.impulse.len() > 1);
    let least = if rubs { 2 } else { D::N + 1 };
    let bodies = &world.model().bodies;
    let movable = |body: usize| bodies[body].freedom.movable();
    ForceNetworkCore::new(bodies.len(), movable, &links, least)
}

/// Unbalanced force ratio: mean of |Σ S| over the bodies with contacts, over the mean of S_n over
/// the contacts.
fn unbalanced<D: ObservedDim>(world: &World<D>) -> f64 {
    // Net impulse of each body, and whether it has a contact.
    let mut net = vec![(D::Vector::default(), false); world.model().bodies.len()];
    let (mut sum, mut count) = (0.0, 0_usize);
    for index in 0..world.num_contacts() {
        let contact = world.contact(index);
        let normal = contact.impulse.first().copied().unwrap_or(0.0);
        if !(normal > 0.0) {
            continue;
        }
        (sum, count) = (sum + normal, count + 1);
        // Impulse in world axes; body a receives the opposite one.
        let mut force = D::Vector::default();
        for (axis, s) in contact.frame.as_ref().iter().zip(contact.impulse) {
            force += *axis * *s;
        }
        for (body, sign) in contact.bodies.iter().zip([-1.0, 1.0]) {
            if let Some(entry) = net.get_mut(*body as usize) {
                *entry = (entry.0 + force * sign, true);
            }
        }
    }
    // Bodies without contacts do not count.
    let pushed = net.iter().filter(|(_, pushed)| *pushed);
    let (number, total) = pushed.fold((0_usize, 0.0), |(n, t), (f, _)| (n + 1, t + f.norm()));
    (total / number as f64) / (sum / count as f64)
}
