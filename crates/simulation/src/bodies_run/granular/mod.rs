//! Granular measures of groups and regions: solid fraction, coordination, stress, fabric, force
//! chains.
//!
//! The bodies of a region are those whose centres are in it. Volumes, branch vectors and contacts
//! are clipped at its box instead: a body counts by the part of it that is inside, a contact by its
//! point. A group, and a side of a region at infinity, ends where its bodies end. See
//! [`percuss_bodies::measure`] for the formulas.
//!
//! Only requested measures are computed, and the force network once for all sets.

mod flow;
mod patch;

use percuss_bodies::World;
use percuss_bodies::measure::{ContactNetwork, force_chains};
use percuss_scene::bodies_scene::names::grain::GranularQuantity;

use super::observed_dim::ObservedDim;
use super::sets::BodySet;
use patch::SetMeasures;

/// The requested measures by set, and the contact forces of the last step.
#[derive(Debug, Default)]
pub(super) struct GranularMeasures {
    network: ContactNetwork,
    patches: Vec<(usize, SetMeasures)>,
}

impl GranularMeasures {
    /// Requests a measure of a set; there are `total` bodies.
    pub fn ask(&mut self, number: usize, set: &BodySet, what: GranularQuantity, total: usize) {
        // Measures of a set are requested once.
        let known = self.patches.iter().position(|(known, _)| *known == number);
        let place = known.unwrap_or_else(|| {
            self.patches.push((number, SetMeasures::new(set, total)));
            self.patches.len() - 1
        });
        self.patches[place].1.needs.add(what);
    }

    /// Computes the requested measures at the end of a step.
    pub fn update<D: ObservedDim>(&mut self, world: &World<D>, sets: &[(usize, BodySet)]) {
        if self.patches.is_empty() {
            return;
        }
        // The network of contact forces is shared by all sets.
        if self.patches.iter().any(|(_, patch)| patch.needs.links()) {
            self.network.update(world);
        }
        for (number, patch) in &mut self.patches {
            if let Some((_, set)) = sets.iter().find(|(known, _)| known == number) {
                patch.update(world, set, &self.network);
            }
        }
    }

    /// A measure of a set; NaN where there is none.
    pub fn value(&self, number: usize, what: GranularQuantity, dimension: usize) -> f64 {
        let found = self.patches.iter().find(|(known, _)| *known == number);
        found.map_or(f64::NAN, |(_, patch)| patch.value(what, dimension))
    }

    /// The contact forces of the last step.
    pub fn network(&self) -> &ContactNetwork {
        &self.network
    }

    /// The measures of the set of a number.
    pub fn patch(&self, number: usize) -> Option<&SetMeasures> {
        let found = self.patches.iter().find(|(known, _)| *known == number);
        found.map(|(_, patch)| patch)
    }
}

/// Lengths of the force chains of a set: contacts above the mean force that turn by less than
/// [`ANGLE`].
pub(super) fn chain_lengths(patch: &SetMeasures, network: &ContactNetwork) -> Vec<usize> {
    // Force chains of the contacts of the set.
    let struts: Vec<_> = patch
        .links(network)
        .map(|l| network.force_chain_contact(l))
        .collect();
    let mean = struts.iter().map(|s| s.force).sum::<f64>() / struts.len().max(1) as f64;
    force_chains(&struts, mean, ANGLE).lengths().collect()
}

/// The largest angle between successive contacts of a force chain.
pub const ANGLE: f64 = std::f64::consts::FRAC_PI_4;
