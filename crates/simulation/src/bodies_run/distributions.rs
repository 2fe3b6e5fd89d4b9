//! Distributions (histograms) of granular quantities, counted at the recorded steps of a run.

use std::f64::consts::PI;

use percuss_bodies::World;
use percuss_bodies::measure::ContactForce;
use percuss_record::CountedDistribution;
use percuss_scene::DistributionQuantity;
use percuss_scene::bodies_scene::NameTable;
use percuss_scene::bodies_scene::names::grain::GranularQuantity;

use super::granular::{GranularMeasures, chain_lengths};
use super::observed_dim::ObservedDim;
use super::sets::BodySet;

/// Counts of all distributions so far.
#[derive(Debug, Default)]
pub(super) struct DistributionCounter {
    grains: GranularMeasures,
    sets: Vec<(usize, BodySet)>,
    /// The number of the body set, and the counts.
    all: Vec<(usize, CountedDistribution)>,
    every: usize,
}

impl DistributionCounter {
    /// The distributions of a scene; every `every`-th step is counted.
    ///
    /// # Errors
    /// A set whose bounds cannot be read.
    pub fn new(glossary: &NameTable<'_>, every: usize) -> Result<Self, String> {
        let mut bins = Self {
            every: every.max(1),
            ..Self::default()
        };
        let total = glossary.names.bodies.len();
        // Each set is compiled once.
        for distribution in &glossary.names.distributions {
            let Some(number) = glossary.set_named(&distribution.of) else {
                return Err(format!("there is no group or region `{}`", distribution.of));
            };
            if !bins.sets.iter().any(|(known, _)| *known == number) {
                bins.sets
                    .push((number, BodySet::compile(number, glossary)?));
            }
            if let Some((_, set)) = bins.sets.iter().find(|(known, _)| *known == number) {
                // Any contact measure will do here: it makes the force network available.
                bins.grains
                    .ask(number, set, GranularQuantity::NormalForce, total);
            }
            let counted = CountedDistribution::new(distribution.clone());
            bins.all.push((number, counted));
        }
        Ok(bins)
    }

    /// Counts the step if it is recorded and within the time span of a distribution.
    pub fn step<D: ObservedDim>(&mut self, step: usize, world: &World<D>, last: bool) {
        if self.all.is_empty() || !(last || step.is_multiple_of(self.every)) {
            return;
        }
        let t = world.state().t;
        let slack = 1e-6 * world.settings().step;
        // Spans include their ends, to rounding.
        let due = |of: &percuss_scene::bodies_scene::Distribution| {
            (of.from - slack..=of.to + slack).contains(&t)
        };
        if !self.all.iter().any(|(_, counted)| due(&counted.of)) {
            return;
        }
        // Members of the sets and the force network, once for all distributions.
        for (_, set) in &mut self.sets {
            set.update(world);
        }
        self.grains.update(world, &self.sets);
        for (number, counted) in &mut self.all {
            if due(&counted.of)
                && let Some((_, set)) = self.sets.iter().find(|(known, _)| known == number)
            {
                count(*number, counted, set, &self.grains, world);
            }
        }
    }

    /// Counts the last step of a run, unless it was counted as a recorded one.
    pub fn close<D: ObservedDim>(&mut self, step: usize, world: &World<D>) {
        if !step.is_multiple_of(self.every.max(1)) {
            self.step(step, world, true);
        }
    }

    /// Counts, number and sum of values of each distribution so far, for a checkpoint.
    pub fn checkpoint(&self) -> Vec<(Vec<usize>, usize, f64)> {
        let counts = self.all.iter();
        counts
            .map(|(_, counted)| (counted.counts.clone(), counted.total, counted.sum))
            .collect()
    }

    /// Continues from the counts of a checkpoint.
    pub fn restore(&mut self, memory: Vec<(Vec<usize>, usize, f64)>) {
        for ((_, counted), (counts, total, sum)) in self.all.iter_mut().zip(memory) {
            (counted.counts, counted.total, counted.sum) = (counts, total, sum);
        }
    }

    /// The final counts.
    pub fn into_counts(self) -> Vec<CountedDistribution> {
        self.all.into_iter().map(|(_, counted)| counted).collect()
    }
}

/// Adds the values of one step to a distribution.
fn count<D: ObservedDim>(
    number: usize,
    counted: &mut CountedDistribution,
    set: &BodySet,
    grains: &GranularMeasures,
    world: &World<D>,
) {
    let Some(patch) = grains.patch(number) else {
        return;
    };
    let network = grains.network();
    match counted.of.quantity {
        // Normal forces relative to their mean over the set.
        DistributionQuantity::NormalForce => {
            let mean = grains.value(number, GranularQuantity::NormalForce, D::N);
            let links = patch.links(network);
            links.for_each(|link| counted.add(link.normal_force / mean));
        }
        DistributionQuantity::Mobilised => {
            let links = patch.links(network);
            links.for_each(|link| counted.add(link.mobilised));
        }
        DistributionQuantity::ContactAngle => {
            let links = patch.links(network);
            links.for_each(|link| counted.add(direction::<D>(link)));
        }
        DistributionQuantity::ChainLength => {
            let lengths = chain_lengths(patch, network);
            lengths.iter().for_each(|n| counted.add(*n as f64));
        }
        // Radius of the disc or ball with the volume of the body.
        DistributionQuantity::Size => {
            for body in &set.now {
                let body = &world.model().bodies[*body as usize];
                let volume = D::volume(&body.shape);
                if volume > 0.0 {
                    counted.add(match D::N {
                        2 => (volume / PI).sqrt(),
                        _ => (0.75 * volume / PI).cbrt(),
                    });
                }
            }
        }
    }
}

/// Angle of a contact normal, which has no orientation: in the plane from x in [0, π), in space
/// from z in [0, π/2].
fn direction<D: ObservedDim>(link: &ContactForce) -> f64 {
    let [x, y, z] = link.normal;
    match D::N {
        2 => {
            let angle = y.atan2(x).rem_euclid(PI);
            // Rounding may give π, which is 0.
            if angle < PI { angle } else { 0.0 }
        }
        _ => z.abs().min(1.0).acos(),
    }
}
