//! SIMD kernels over all packs of a list: fill, sweep, Anderson sweep, scatter, residual.

use percuss_contact::{FactoredDelassus, Problem};

use super::{PackList, PackSet};
use crate::simd::body_velocity::VelocityStore;
use crate::simd::instruction_set::SimdKernel;
use crate::simd::iterate::{AndersonProducts, AndersonStep, CgStep, ResidualSums};
use crate::simd::lanes::SimdVector;
use crate::simd::pack::Pack;

/// Copies the data of all contacts from the problem.
pub(in crate::simd) struct FillKernel<'a, K: PackSet> {
    pub packs: &'a mut PackList<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
}

impl<K: PackSet> SimdKernel for FillKernel<'_, K> {
    type Out = ();

    #[inline(always)]
    fn run<L: SimdVector>(self) {
        let (problem, kinetic) = (self.problem, self.kinetic);
        for_each_pack_kind!(self.packs.each_mut(), packs => for pack in packs.iter_mut() {
            pack.fill::<L>(problem, kinetic);
        });
    }
}

/// One Gauss–Seidel sweep from the extrapolated impulses; returns Σ ‖g‖²/κ.
pub(in crate::simd) struct SweepKernel<'a, K: PackSet, S> {
    pub packs: &'a mut PackList<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    /// Whether packs are prefetched (from memory).
    pub prefetch: bool,
    pub cg_step: CgStep,
}

impl<K: PackSet, S: VelocityStore<K::Velocity>> SimdKernel for SweepKernel<'_, K, S> {
    type Out = f64;

    #[inline(always)]
    fn run<L: SimdVector>(self) -> f64 {
        let (mut v, cg_step) = (self.v, self.cg_step);
        let mut total = L::zero();
        // Packs first, then the contacts that are visited one at a time.
        for_each_pack_kind!(self.packs.each_mut(), packs => for_each_pack!(self.prefetch, packs, v, pack => {
            total = total + pack.sweep(&mut v, cg_step);
        }));
        let mut alone = 0.0;
        for other in &mut self.packs.scalar {
            alone += other.sweep(self.problem, self.kinetic, &mut v, cg_step);
        }
        total.store().sum() + alone
    }
}

/// One Gauss–Seidel sweep from the Anderson-mixed impulses; returns the inner products.
pub(in crate::simd) struct AndersonKernel<'a, K: PackSet, S> {
    pub packs: &'a mut PackList<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    pub anderson_step: &'a AndersonStep,
}

impl<K: PackSet, S: VelocityStore<K::Velocity>> SimdKernel for AndersonKernel<'_, K, S> {
    type Out = AndersonProducts<f64>;

    #[inline(always)]
    fn run<L: SimdVector>(self) -> AndersonProducts<f64> {
        let (mut v, anderson_step, packs) = (self.v, self.anderson_step, self.packs);
        let mut products = AndersonProducts::<L>::zero();
        // Packs with their histories, kind by kind.
        let history = &mut packs.history;
        for (pack, history) in packs
            .sphere_one_body
            .iter_mut()
            .zip(&mut history.sphere_one_body)
        {
            pack.anderson_sweep(&mut v, history, anderson_step, &mut products);
        }
        for (pack, history) in packs
            .general_one_body
            .iter_mut()
            .zip(&mut history.general_one_body)
        {
            pack.anderson_sweep(&mut v, history, anderson_step, &mut products);
        }
        for (pack, history) in packs
            .sphere_two_body
            .iter_mut()
            .zip(&mut history.sphere_two_body)
        {
            pack.anderson_sweep(&mut v, history, anderson_step, &mut products);
        }
        for (pack, history) in packs
            .general_two_body
            .iter_mut()
            .zip(&mut history.general_two_body)
        {
            pack.anderson_sweep(&mut v, history, anderson_step, &mut products);
        }
        // Contacts that are visited one at a time.
        let mut total = products.sum();
        for other in &mut packs.scalar {
            other.anderson_sweep(
                self.problem,
                self.kinetic,
                &mut v,
                anderson_step,
                &mut total,
            );
        }
        total
    }
}

/// v += Ĝᵀ y for all contacts.
pub(in crate::simd) struct ScatterKernel<'a, K: PackSet, S> {
    pub packs: &'a mut PackList<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    /// Whether packs are prefetched (from memory).
    pub prefetch: bool,
}

impl<K: PackSet, S: VelocityStore<K::Velocity>> SimdKernel for ScatterKernel<'_, K, S> {
    type Out = ();

    #[inline(always)]
    fn run<L: SimdVector>(self) {
        let mut v = self.v;
        // Packs first, then single contacts.
        for_each_pack_kind!(self.packs.each_mut(), packs => for_each_pack!(self.prefetch, packs, v, pack => {
            pack.scatter_impulse::<L>(&mut v);
        }));
        for other in &self.packs.scalar {
            other.scatter_impulse(self.problem, self.kinetic, &mut v);
        }
    }
}

/// The three sums of R2: residual, impulse and velocity.
pub(in crate::simd) struct ResidualKernel<'a, K: PackSet, S> {
    pub packs: &'a mut PackList<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    /// Whether packs are prefetched (from memory).
    pub prefetch: bool,
}

impl<K: PackSet, S: VelocityStore<K::Velocity>> SimdKernel for ResidualKernel<'_, K, S> {
    type Out = [f64; 3];

    #[inline(always)]
    fn run<L: SimdVector>(self) -> [f64; 3] {
        let v = self.v;
        // Sums over the packs, lane by lane.
        let mut sums = ResidualSums::<L>::zero();
        for_each_pack_kind!(self.packs.each_mut(), packs => for_each_pack!(self.prefetch, packs, v, pack => {
            pack.add_residual(&v, &mut sums);
        }));
        // Sum of the lanes, then the single contacts.
        let mut total = [sums.residual, sums.impulse, sums.velocity].map(|x| x.store().sum());
        for other in &self.packs.scalar {
            let parts = other.residual_parts(self.problem, self.kinetic, &v);
            total.iter_mut().zip(parts).for_each(|(sum, x)| *sum += x);
        }
        total
    }
}

/// Prefetch distance in packs, for the pack (`FAR`) and for the velocities of its bodies (`NEAR`). A load from memory
/// takes as long as some local solves, and the out-of-order window of the processor covers less than one.
const FAR: usize = 4;
const NEAR: usize = 3;

/// Prefetches what the next packs will read.
#[inline(always)]
fn prefetch_ahead<L: SimdVector, P: Pack, S: VelocityStore<P::Velocity>>(
    packs: &[P],
    at: usize,
    v: &S,
) {
    // The first packs have nobody to prefetch them.
    if at == 0 {
        packs.iter().take(FAR).for_each(L::prefetch);
    }
    if let Some(pack) = packs.get(at + FAR) {
        L::prefetch(pack);
    }
    // Velocities of an interface may have left the cache.
    if S::PREFETCH
        && let Some(pack) = packs.get(at + NEAR)
    {
        pack.prefetch_bodies::<L>(v);
    }
}
