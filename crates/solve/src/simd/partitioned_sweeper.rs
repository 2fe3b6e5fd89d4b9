//! SIMD sweeps over all partitions and interfaces of a problem, in parallel.
//!
//! Every pass runs over the partitions, then over the colours of the interfaces; sums are added in the order of
//! partitions and interfaces, so that the number of threads changes no bit.

use std::sync::{Mutex, MutexGuard, PoisonError};

use percuss_contact::{DelassusOperator, Problem};
use rayon::prelude::*;

use super::body_velocity::{BodyVelocity, InterfaceVelocities, PartitionVelocities};
use super::instruction_set::InstructionSet;
use super::iterate::{ANDERSON_DEPTH, AndersonProducts, AndersonStep, CgStep};
use super::pack::NONE;
use super::pack_list::{
    AndersonKernel, FillKernel, PackList, PackSet, ResidualKernel, ScatterKernel, SweepKernel,
};
use super::packer::PackEntry;
use super::partition::{Interface, Partition};
use super::partitioning::Partitioning;
use super::velocity_update::{ExtrapolateKernel, MixKernel};

/// Sweeps after which the velocities are recomputed from the impulses: rounding errors have then grown to a few hundred
/// units in the last place.
const REFRESH: usize = 64;

/// Largest number of partitions that stay in a shared cache level from one sweep to the next: prefetching packs would
/// only cost there.
const NEARBY: usize = 4;

/// Partitioned SIMD sweeper; see the module.
#[derive(Debug)]
pub(super) struct PartitionedSweeper<K: PackSet> {
    partitioning: Partitioning,
    partitions: Vec<Mutex<Partition<K>>>,
    /// Sorted by colour; at least as many as the partitioning has, the rest is kept for reuse.
    interfaces: Vec<Interface<K>>,
    /// First interface of each colour, and their number at the end.
    colour: Vec<usize>,
    /// Σ κ ‖b‖².
    free: f64,
    since_refresh: usize,
    pub(super) instructions: InstructionSet,
}

impl<K: PackSet> Default for PartitionedSweeper<K> {
    fn default() -> Self {
        Self {
            partitioning: Partitioning::default(),
            partitions: Vec::new(),
            interfaces: Vec::new(),
            colour: Vec::new(),
            free: 0.0,
            since_refresh: 0,
            instructions: InstructionSet::default(),
        }
    }
}

impl<K: PackSet> PartitionedSweeper<K> {
    /// Packs the contacts of a problem. Allocates only if there are more than before.
    pub fn fit(&mut self, problem: &Problem) {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return;
        };
        // Rebuild packs only if contacts, kinds or bodies have changed.
        if self.partitioning.fit::<K>(problem, kinetic) {
            self.build_partitions();
            self.build_interfaces();
        }
        // Copy the data of all contacts into their packs.
        let width = self.instructions;
        let fill = |packs: &mut PackList<K>| {
            width.run(FillKernel {
                packs,
                problem,
                kinetic,
            });
        };
        self.for_each_partition(|partition| fill(&mut partition.packs));
        let count = self.partitioning.interfaces.len();
        each(&mut self.interfaces[..count], |interface| {
            fill(&mut interface.packs)
        });
        // Σ κ ‖b‖², a scale of R2.
        self.free = 0.0;
        for (a, rows) in problem.offset().windows(2).enumerate() {
            let b = &problem.free_velocity()[rows[0]..rows[1]];
            self.free += problem.kappa(a) * b.iter().map(|b| b * b).sum::<f64>();
        }
    }

    fn build_partitions(&mut self) {
        let plan = &self.partitioning;
        self.partitions
            .resize_with(plan.num_partitions, Default::default);
        // Bodies of each partition.
        for (at, partition) in self.partitions.iter_mut().enumerate() {
            let partition = own(partition);
            partition.packs.clear(false);
            partition.members.clear();
            partition.members.extend_from_slice(plan.members(at));
            let rows = partition.members.len() + 1;
            partition.velocity.resize(rows, K::Velocity::REST);
            partition.before.resize(rows, K::Velocity::REST);
            partition.direction_velocity.resize(rows, K::Velocity::REST);
        }
        // Contacts within a partition.
        for (contact, signature) in plan.signatures.iter().enumerate() {
            let Some(at) = plan.partition_containing(signature) else {
                continue;
            };
            let row = |group: u32| {
                let slot = plan.slots.get(group as usize);
                slot.map_or(NONE, |slot| slot.row)
            };
            let entry = PackEntry {
                contact: contact as u32,
                bodies: signature.groups.map(row),
                flip: false,
            };
            own(&mut self.partitions[at])
                .packs
                .take(signature.kind, entry);
        }
        // Build the packs; empty lanes refer to the spare body at the end.
        for partition in &mut self.partitions {
            let partition = own(partition);
            partition.packs.close([partition.members.len() as u32; 2]);
        }
    }

    fn build_interfaces(&mut self) {
        let plan = &self.partitioning;
        let count = plan.interfaces.len();
        if self.interfaces.len() < count {
            self.interfaces.resize_with(count, Default::default);
        }
        self.colour.clear();
        for (at, joint) in plan.interfaces.iter().enumerate() {
            // A new colour begins.
            if at == 0 || plan.interfaces[at - 1].colour != joint.colour {
                self.colour.push(at);
            }
            // Contacts of the interface; `flip` where the first body lies in the second partition.
            let interface = &mut self.interfaces[at];
            interface.partitions = joint.partitions.map(|partition| partition as usize);
            interface.packs.clear(true);
            let spare = interface
                .partitions
                .map(|b| own(&mut self.partitions[b]).members.len() as u32);
            for &(first, _, contact) in &plan.interface_contacts[joint.first..joint.last] {
                let signature = &plan.signatures[contact as usize];
                let slots = signature.groups.map(|group| plan.slots[group as usize]);
                let flip = slots[0].partition != first;
                let [a, b] = slots.map(|slot| slot.row);
                let entry = PackEntry {
                    contact,
                    bodies: if flip { [b, a] } else { [a, b] },
                    flip,
                };
                interface.packs.take(signature.kind, entry);
            }
            interface.packs.close(spare);
        }
        self.colour.push(count);
    }

    /// Sets the impulses, recomputes the velocities and resets the search direction.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        self.for_each_partition(|partition| partition.packs.load(problem, impulse));
        let count = self.partitioning.interfaces.len();
        each(&mut self.interfaces[..count], |interface| {
            interface.packs.load(problem, impulse);
        });
        // Velocities of these impulses, and no search direction.
        self.refresh(problem);
        self.for_each_partition(|partition| {
            partition.before.copy_from_slice(&partition.velocity);
            partition.direction_velocity.fill(K::Velocity::REST);
        });
    }

    /// Writes the swept impulses.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        for partition in &mut self.partitions {
            own(partition).packs.store(problem, impulse);
        }
        for interface in &mut self.interfaces[..self.partitioning.interfaces.len()] {
            interface.packs.store(problem, impulse);
        }
    }

    /// Recomputes v̂ = v̂_free + Ĝᵀ y.
    fn refresh(&mut self, problem: &Problem) {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return;
        };
        let (width, far) = (self.instructions, self.exceeds_cache());
        // Free velocities, then Ĝᵀ y of the contacts within partitions and of the interfaces.
        self.since_refresh = 0;
        self.for_each_partition(|partition| {
            for (row, &group) in partition.velocity.iter_mut().zip(&partition.members) {
                let first = K::WIDTH * group as usize;
                row.set(&kinetic.free()[first..first + K::WIDTH]);
            }
            width.run(ScatterKernel {
                packs: &mut partition.packs,
                problem,
                kinetic,
                v: PartitionVelocities(&mut partition.velocity),
                prefetch: far,
            });
        });
        self.for_each_interface(|interface, v| {
            width.run(ScatterKernel {
                packs: &mut interface.packs,
                problem,
                kinetic,
                v,
                prefetch: far,
            });
        });
    }

    /// One sweep from the extrapolated impulses; returns Σ ‖g‖²/κ.
    pub fn sweep(&mut self, problem: &Problem, cg_step: CgStep) -> f64 {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return 0.0;
        };
        let (width, far) = (self.instructions, self.exceeds_cache());
        self.since_refresh += 1;
        // Extrapolate the velocities of a partition, then visit its contacts.
        self.for_each_partition(|partition| {
            width.run(ExtrapolateKernel {
                velocity: &mut partition.velocity,
                before: &mut partition.before,
                drift: &mut partition.direction_velocity,
                cg_step,
            });
            partition.sums[0] = width.run(SweepKernel {
                packs: &mut partition.packs,
                problem,
                kinetic,
                v: PartitionVelocities(&mut partition.velocity),
                prefetch: far,
                cg_step,
            });
        });
        // Then the interfaces.
        self.for_each_interface(|interface, v| {
            interface.sums[0] = width.run(SweepKernel {
                packs: &mut interface.packs,
                problem,
                kinetic,
                v,
                prefetch: far,
                cg_step,
            });
        });
        self.total(0)
    }

    /// Allocates the history that [`Self::anderson_sweep`] keeps.
    pub fn reserve_history(&mut self) {
        self.for_each_partition(|partition| {
            // Velocities, then impulses.
            let none = [K::Velocity::REST; ANDERSON_DEPTH];
            partition
                .velocity_history
                .resize(partition.velocity.len(), none);
            partition.packs.reserve_history();
        });
        let count = self.partitioning.interfaces.len();
        each(&mut self.interfaces[..count], |interface| {
            interface.packs.reserve_history()
        });
    }

    /// One sweep from the Anderson-mixed impulses; `last` is the slot in which the sweep before stored its differences.
    pub fn anderson_sweep(
        &mut self,
        problem: &Problem,
        anderson_step: &AndersonStep,
        last: Option<usize>,
    ) -> AndersonProducts<f64> {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return AndersonProducts::NONE;
        };
        let width = self.instructions;
        self.since_refresh += 1;
        // Mix the velocities of a partition, then visit its contacts.
        self.for_each_partition(|partition| {
            width.run(MixKernel {
                velocity: &mut partition.velocity,
                before: &mut partition.before,
                history: &mut partition.velocity_history,
                anderson_step,
                last,
            });
            partition.products = width.run(AndersonKernel {
                packs: &mut partition.packs,
                problem,
                kinetic,
                v: PartitionVelocities(&mut partition.velocity),
                anderson_step,
            });
        });
        self.for_each_interface(|interface, v| {
            interface.products = width.run(AndersonKernel {
                packs: &mut interface.packs,
                problem,
                kinetic,
                v,
                anderson_step,
            });
        });
        // Add the inner products in a fixed order.
        let mut total = AndersonProducts::NONE;
        for partition in &mut self.partitions {
            total.add(&own(partition).products);
        }
        for interface in &self.interfaces[..self.partitioning.interfaces.len()] {
            total.add(&interface.products);
        }
        total
    }

    /// R2 of the swept impulses.
    pub fn residual(&mut self, problem: &Problem) -> f64 {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return f64::INFINITY;
        };
        let (width, far) = (self.instructions, self.exceeds_cache());
        // Remove accumulated rounding before the residual is computed.
        if self.since_refresh >= REFRESH {
            self.refresh(problem);
        }
        self.for_each_partition(|partition| {
            partition.sums = width.run(ResidualKernel {
                packs: &mut partition.packs,
                problem,
                kinetic,
                v: PartitionVelocities(&mut partition.velocity),
                prefetch: far,
            });
        });
        self.for_each_interface(|interface, v| {
            interface.sums = width.run(ResidualKernel {
                packs: &mut interface.packs,
                problem,
                kinetic,
                v,
                prefetch: far,
            });
        });
        // R2² = Σ‖F‖²/κ / max(Σ‖r‖²/κ, Σκ‖u‖², Σκ‖b‖²).
        let [miss, impulse, velocity] = [0, 1, 2].map(|k| self.total(k));
        let scale = impulse.max(velocity).max(self.free);
        // As in `ResidualEvaluator`: no division where everything is at rest.
        if scale <= f64::EPSILON * f64::EPSILON {
            return miss.sqrt();
        }
        (miss / scale).sqrt()
    }

    /// Sum `k` over partitions, then interfaces, in their order.
    fn total(&mut self, k: usize) -> f64 {
        let within: f64 = self
            .partitions
            .iter_mut()
            .map(|partition| own(partition).sums[k])
            .sum();
        let interfaces = &self.interfaces[..self.partitioning.interfaces.len()];
        within
            + interfaces
                .iter()
                .map(|interface| interface.sums[k])
                .sum::<f64>()
    }

    /// Whether the packs leave the shared cache between two sweeps.
    fn exceeds_cache(&self) -> bool {
        self.partitioning.num_partitions > NEARBY
    }

    fn for_each_partition(&mut self, what: impl Fn(&mut Partition<K>) + Sync) {
        each(&mut self.partitions, |partition| what(own(partition)));
    }

    /// Runs over the interfaces, colour by colour.
    fn for_each_interface(
        &mut self,
        what: impl Fn(&mut Interface<K>, InterfaceVelocities<'_, K::Velocity>) + Sync,
    ) {
        let partition = &self.partitions;
        for ends in self.colour.windows(2) {
            each(&mut self.interfaces[ends[0]..ends[1]], |interface| {
                let [a, b] = interface.partitions;
                // No thread waits here: a partition occurs once in a colour.
                let (mut a, mut b) = (lock(&partition[a]), lock(&partition[b]));
                what(
                    interface,
                    InterfaceVelocities(&mut a.velocity, &mut b.velocity),
                );
            });
        }
    }
}

/// Runs over the items, in parallel where the caller runs in a thread pool; tasks share no data.
fn each<T: Send>(items: &mut [T], what: impl Fn(&mut T) + Sync) {
    // Sequential outside of a thread pool.
    let pooled = rayon::current_thread_index().is_some();
    if items.len() > 1 && pooled && rayon::current_num_threads() > 1 {
        items.par_iter_mut().with_max_len(1).for_each(&what);
    } else {
        items.iter_mut().for_each(what);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own<T>(shared: &mut Mutex<T>) -> &mut T {
    shared.get_mut().unwrap_or_else(PoisonError::into_inner)
}
