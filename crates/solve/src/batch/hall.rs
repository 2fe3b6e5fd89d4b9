//! All contacts of a problem in packs, and the velocities of its bodies, block by block.

use std::sync::{Mutex, MutexGuard, PoisonError};

use contact::{DelassusOperator, Problem};
use rayon::prelude::*;

use super::block::{Block, Seam};
use super::desk::Guest;
use super::iterate::{DEPTH, Lead, Mix, Products};
use super::motion::{Blend, Follow};
use super::pack::NONE;
use super::plan::Plan;
use super::row::{Between, Row, Within};
use super::shelf::{Fill, Judge, Kinds, Mixed, Push, Shelf, Sweep};
use super::wide::Width;

/// Sweeps after which velocities are computed again from the impulses: rounding has then grown to a
/// few hundred units of the last place.
const REFRESH: usize = 64;

/// So many blocks are in the caches from one sweep to the next, if not in that of the core: asking for packs
/// ahead would only cost there.
const NEARBY: usize = 4;

/// See the module.
#[derive(Debug)]
pub(super) struct Hall<K: Kinds> {
    plan: Plan,
    block: Vec<Mutex<Block<K>>>,
    /// By colour; as many as there are in the plan, and some that were needed before.
    seam: Vec<Seam<K>>,
    /// First seam of each colour, one more at the end.
    colour: Vec<usize>,
    /// Σ κ ‖b‖².
    free: f64,
    since_refresh: usize,
    pub(super) width: Width,
}

impl<K: Kinds> Default for Hall<K> {
    fn default() -> Self {
        Self {
            plan: Plan::default(),
            block: Vec::new(),
            seam: Vec::new(),
            colour: Vec::new(),
            free: 0.0,
            since_refresh: 0,
            width: Width::default(),
        }
    }
}

impl<K: Kinds> Hall<K> {
    /// Takes the contacts of a problem in. Allocates only if there are more than before.
    pub fn fit(&mut self, problem: &Problem) {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return;
        };
        if self.plan.fit::<K>(problem, kinetic) {
            self.seat_blocks();
            self.seat_seams();
        }
        let width = self.width;
        let fill = |shelf: &mut Shelf<K>| {
            width.run(Fill {
                shelf,
                problem,
                kinetic,
            });
        };
        self.each_block(|block| fill(&mut block.shelf));
        let count = self.plan.joints.len();
        each(&mut self.seam[..count], |seam| fill(&mut seam.shelf));
        self.free = 0.0;
        for (a, rows) in problem.offset().windows(2).enumerate() {
            let b = &problem.free_velocity()[rows[0]..rows[1]];
            self.free += problem.kappa(a) * b.iter().map(|b| b * b).sum::<f64>();
        }
    }

    fn seat_blocks(&mut self) {
        let plan = &self.plan;
        self.block.resize_with(plan.num_blocks, Default::default);
        for (at, block) in self.block.iter_mut().enumerate() {
            let block = own(block);
            block.shelf.clear(false);
            block.members.clear();
            block.members.extend_from_slice(plan.members(at));
            let rows = block.members.len() + 1;
            block.velocity.resize(rows, K::Row::REST);
            block.before.resize(rows, K::Row::REST);
            block.drift.resize(rows, K::Row::REST);
        }
        for (contact, sign) in plan.sign.iter().enumerate() {
            let Some(at) = plan.within(sign) else {
                continue;
            };
            let row = |group: u32| {
                let home = plan.home.get(group as usize);
                home.map_or(NONE, |home| home.row)
            };
            let guest = Guest {
                contact: contact as u32,
                at: sign.groups.map(row),
                flip: false,
            };
            own(&mut self.block[at]).shelf.take(sign.kind, guest);
        }
        for block in &mut self.block {
            let block = own(block);
            block.shelf.close([block.members.len() as u32; 2]);
        }
    }

    fn seat_seams(&mut self) {
        let plan = &self.plan;
        let count = plan.joints.len();
        if self.seam.len() < count {
            self.seam.resize_with(count, Default::default);
        }
        self.colour.clear();
        for (at, joint) in plan.joints.iter().enumerate() {
            if at == 0 || plan.joints[at - 1].colour != joint.colour {
                self.colour.push(at);
            }
            let seam = &mut self.seam[at];
            seam.blocks = joint.blocks.map(|block| block as usize);
            seam.shelf.clear(true);
            let spare = seam
                .blocks
                .map(|b| own(&mut self.block[b]).members.len() as u32);
            for &(first, _, contact) in &plan.across[joint.first..joint.last] {
                let sign = &plan.sign[contact as usize];
                let homes = sign.groups.map(|group| plan.home[group as usize]);
                let flip = homes[0].block != first;
                let [a, b] = homes.map(|home| home.row);
                let guest = Guest {
                    contact,
                    at: if flip { [b, a] } else { [a, b] },
                    flip,
                };
                seam.shelf.take(sign.kind, guest);
            }
            seam.shelf.close(spare);
        }
        self.colour.push(count);
    }

    /// Starts from these impulses.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        self.each_block(|block| block.shelf.load(problem, impulse));
        let count = self.plan.joints.len();
        each(&mut self.seam[..count], |seam| {
            seam.shelf.load(problem, impulse);
        });
        self.refresh(problem);
        self.each_block(|block| {
            block.before.copy_from_slice(&block.velocity);
            block.drift.fill(K::Row::REST);
        });
    }

    /// The swept impulses.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        for block in &mut self.block {
            own(block).shelf.store(problem, impulse);
        }
        for seam in &mut self.seam[..self.plan.joints.len()] {
            seam.shelf.store(problem, impulse);
        }
    }

    /// v̂ = v̂_free + Ĝᵀ y.
    fn refresh(&mut self, problem: &Problem) {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return;
        };
        let (width, far) = (self.width, self.far());
        self.since_refresh = 0;
        self.each_block(|block| {
            for (row, &group) in block.velocity.iter_mut().zip(&block.members) {
                let first = K::WIDTH * group as usize;
                row.set(&kinetic.free()[first..first + K::WIDTH]);
            }
            width.run(Push {
                shelf: &mut block.shelf,
                problem,
                kinetic,
                v: Within(&mut block.velocity),
                far,
            });
        });
        self.each_seam(|seam, v| {
            width.run(Push {
                shelf: &mut seam.shelf,
                problem,
                kinetic,
                v,
                far,
            });
        });
    }

    /// One sweep from the extrapolated impulses; returns Σ ‖g‖²/κ.
    pub fn sweep(&mut self, problem: &Problem, lead: Lead) -> f64 {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return 0.0;
        };
        let (width, far) = (self.width, self.far());
        self.since_refresh += 1;
        self.each_block(|block| {
            width.run(Follow {
                velocity: &mut block.velocity,
                before: &mut block.before,
                drift: &mut block.drift,
                lead,
            });
            block.sums[0] = width.run(Sweep {
                shelf: &mut block.shelf,
                problem,
                kinetic,
                v: Within(&mut block.velocity),
                far,
                lead,
            });
        });
        self.each_seam(|seam, v| {
            seam.sums[0] = width.run(Sweep {
                shelf: &mut seam.shelf,
                problem,
                kinetic,
                v,
                far,
                lead,
            });
        });
        self.total(0)
    }

    /// Makes room for the differences that [`Self::mix`] keeps.
    pub fn recall(&mut self) {
        self.each_block(|block| {
            let none = [K::Row::REST; DEPTH];
            block.past.resize(block.velocity.len(), none);
            block.shelf.recall();
        });
        let count = self.plan.joints.len();
        each(&mut self.seam[..count], |seam| seam.shelf.recall());
    }

    /// One sweep from a mixture of the last ones; `last` is where the sweep before put its differences.
    pub fn mix(&mut self, problem: &Problem, mix: &Mix, last: Option<usize>) -> Products<f64> {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return Products::NONE;
        };
        let width = self.width;
        self.since_refresh += 1;
        self.each_block(|block| {
            width.run(Blend {
                velocity: &mut block.velocity,
                before: &mut block.before,
                past: &mut block.past,
                mix,
                last,
            });
            block.products = width.run(Mixed {
                shelf: &mut block.shelf,
                problem,
                kinetic,
                v: Within(&mut block.velocity),
                mix,
            });
        });
        self.each_seam(|seam, v| {
            seam.products = width.run(Mixed {
                shelf: &mut seam.shelf,
                problem,
                kinetic,
                v,
                mix,
            });
        });
        let mut total = Products::NONE;
        for block in &mut self.block {
            total.add(&own(block).products);
        }
        for seam in &self.seam[..self.plan.joints.len()] {
            total.add(&seam.products);
        }
        total
    }

    /// The dimensionless residual of the swept impulses.
    pub fn residual(&mut self, problem: &Problem) -> f64 {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return f64::INFINITY;
        };
        let (width, far) = (self.width, self.far());
        if self.since_refresh >= REFRESH {
            self.refresh(problem);
        }
        self.each_block(|block| {
            block.sums = width.run(Judge {
                shelf: &mut block.shelf,
                problem,
                kinetic,
                v: Within(&mut block.velocity),
                far,
            });
        });
        self.each_seam(|seam, v| {
            seam.sums = width.run(Judge {
                shelf: &mut seam.shelf,
                problem,
                kinetic,
                v,
                far,
            });
        });
        let [miss, impulse, velocity] = [0, 1, 2].map(|k| self.total(k));
        let scale = impulse.max(velocity).max(self.free);
        // The same rule as the judge's: a problem at rest is not divided.
        if scale <= f64::EPSILON * f64::EPSILON {
            return miss.sqrt();
        }
        (miss / scale).sqrt()
    }

    /// A sum over blocks, then seams, in their order.
    fn total(&mut self, k: usize) -> f64 {
        let within: f64 = self.block.iter_mut().map(|block| own(block).sums[k]).sum();
        let seams = &self.seam[..self.plan.joints.len()];
        within + seams.iter().map(|seam| seam.sums[k]).sum::<f64>()
    }

    /// Whether contacts leave the caches between two sweeps.
    fn far(&self) -> bool {
        self.plan.num_blocks > NEARBY
    }

    fn each_block(&mut self, what: impl Fn(&mut Block<K>) + Sync) {
        each(&mut self.block, |block| what(own(block)));
    }

    /// Colour by colour.
    fn each_seam(&mut self, what: impl Fn(&mut Seam<K>, Between<'_, K::Row>) + Sync) {
        let block = &self.block;
        for ends in self.colour.windows(2) {
            each(&mut self.seam[ends[0]..ends[1]], |seam| {
                let [a, b] = seam.blocks;
                // Nobody waits here: a block occurs once in a colour.
                let (mut a, mut b) = (lock(&block[a]), lock(&block[b]));
                what(seam, Between(&mut a.velocity, &mut b.velocity));
            });
        }
    }
}

/// In parallel where the caller runs in a pool of threads; what is done shares nothing.
fn each<T: Send>(items: &mut [T], what: impl Fn(&mut T) + Sync) {
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
