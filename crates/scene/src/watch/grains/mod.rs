//! Measures of granular matter for groups and regions.
//!
//! Bodies of a region are those whose centres are in it; volumes, branches and contacts are cut at its
//! box instead: a body counts by the part of it that is inside, a contact by its point. A group, and a
//! side of a region at infinity, ends where its bodies end. See [`bodies::measure`] for the formulas.
//!
//! Nothing is computed but what is asked for, and the network of forces once for all sets.

mod flow;
mod name;
mod patch;

use bodies::World;
use bodies::measure::{ContactNetwork, force_chains};

pub(crate) use name::{ANGLE, GranularQuantity, granular_quantities};

use super::sets::BodySet;
use super::turn::ObservedDim;
use patch::SetMeasures;

/// What is asked of which sets, and the forces of the last step.
#[derive(Debug, Default)]
pub(super) struct GranularMeasures {
    network: ContactNetwork,
    patches: Vec<(usize, SetMeasures)>,
}

impl GranularMeasures {
    /// A measure of a set is asked for; there are `total` bodies.
    pub fn ask(&mut self, number: usize, set: &BodySet, what: GranularQuantity, total: usize) {
        let known = self.patches.iter().position(|(known, _)| *known == number);
        let place = known.unwrap_or_else(|| {
            self.patches.push((number, SetMeasures::new(set, total)));
            self.patches.len() - 1
        });
        self.patches[place].1.needs.add(what);
    }

    /// Looks at the last step.
    pub fn update<D: ObservedDim>(&mut self, world: &World<D>, sets: &[(usize, BodySet)]) {
        if self.patches.is_empty() {
            return;
        }
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

    /// The forces of the last step.
    pub fn network(&self) -> &ContactNetwork {
        &self.network
    }

    /// The set of a number.
    pub fn patch(&self, number: usize) -> Option<&SetMeasures> {
        let found = self.patches.iter().find(|(known, _)| *known == number);
        found.map(|(_, patch)| patch)
    }
}

/// Lengths of the force chains of a patch.
pub(super) fn chain_lengths(patch: &SetMeasures, network: &ContactNetwork) -> Vec<usize> {
    let struts: Vec<_> = patch
        .links(network)
        .map(|l| network.force_chain_contact(l))
        .collect();
    let mean = struts.iter().map(|s| s.force).sum::<f64>() / struts.len().max(1) as f64;
    force_chains(&struts, mean, ANGLE).lengths().collect()
}
