//! What is done with all packs of a shelf: sweeps, pushes, judgements.

use contact::{FactoredDelassus, Problem};

use super::{Kinds, Shelf};
use crate::batch::iterate::{Lead, Mix, Products, Sums};
use crate::batch::lanes::Four;
use crate::batch::pack::Pack;
use crate::batch::row::Store;
use crate::batch::wide::Job;

/// Takes the numbers of all contacts from the problem.
pub(in crate::batch) struct Fill<'a, K: Kinds> {
    pub shelf: &'a mut Shelf<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
}

impl<K: Kinds> Job for Fill<'_, K> {
    type Out = ();

    #[inline(always)]
    fn run<L: Four>(self) {
        let (problem, kinetic) = (self.problem, self.kinetic);
        packs!(self.shelf.each_mut(), packs => for pack in packs.iter_mut() {
            pack.fill::<L>(problem, kinetic);
        });
    }
}

/// One sweep from the extrapolated impulses; gives Σ ‖g‖²/κ.
pub(in crate::batch) struct Sweep<'a, K: Kinds, S> {
    pub shelf: &'a mut Shelf<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    /// Whether the packs come from memory.
    pub far: bool,
    pub lead: Lead,
}

impl<K: Kinds, S: Store<K::Row>> Job for Sweep<'_, K, S> {
    type Out = f64;

    #[inline(always)]
    fn run<L: Four>(self) -> f64 {
        let (mut v, lead) = (self.v, self.lead);
        let mut total = L::zero();
        packs!(self.shelf.each_mut(), packs => visits!(self.far, packs, v, pack => {
            total = total + pack.sweep(&mut v, lead);
        }));
        let mut alone = 0.0;
        for other in &mut self.shelf.other {
            alone += other.sweep(self.problem, self.kinetic, &mut v, lead);
        }
        total.to().sum() + alone
    }
}

/// One sweep from a mixture of the last ones.
pub(in crate::batch) struct Mixed<'a, K: Kinds, S> {
    pub shelf: &'a mut Shelf<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    pub mix: &'a Mix,
}

impl<K: Kinds, S: Store<K::Row>> Job for Mixed<'_, K, S> {
    type Out = Products<f64>;

    #[inline(always)]
    fn run<L: Four>(self) -> Products<f64> {
        let (mut v, mix, shelf) = (self.v, self.mix, self.shelf);
        let mut products = Products::<L>::zero();
        let past = &mut shelf.past;
        for (pack, past) in shelf.ball_one.iter_mut().zip(&mut past.ball_one) {
            pack.mix(&mut v, past, mix, &mut products);
        }
        for (pack, past) in shelf.one.iter_mut().zip(&mut past.one) {
            pack.mix(&mut v, past, mix, &mut products);
        }
        for (pack, past) in shelf.ball_two.iter_mut().zip(&mut past.ball_two) {
            pack.mix(&mut v, past, mix, &mut products);
        }
        for (pack, past) in shelf.two.iter_mut().zip(&mut past.two) {
            pack.mix(&mut v, past, mix, &mut products);
        }
        let mut total = products.sum();
        for other in &mut shelf.other {
            other.mix(self.problem, self.kinetic, &mut v, mix, &mut total);
        }
        total
    }
}

/// v += Ĝᵀ y.
pub(in crate::batch) struct Push<'a, K: Kinds, S> {
    pub shelf: &'a mut Shelf<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    /// Whether the packs come from memory.
    pub far: bool,
}

impl<K: Kinds, S: Store<K::Row>> Job for Push<'_, K, S> {
    type Out = ();

    #[inline(always)]
    fn run<L: Four>(self) {
        let mut v = self.v;
        packs!(self.shelf.each_mut(), packs => visits!(self.far, packs, v, pack => {
            pack.push::<L>(&mut v);
        }));
        for other in &self.shelf.other {
            other.push(self.problem, self.kinetic, &mut v);
        }
    }
}

/// Residual, impulse and velocity parts of the dimensionless residual.
pub(in crate::batch) struct Judge<'a, K: Kinds, S> {
    pub shelf: &'a mut Shelf<K>,
    pub problem: &'a Problem,
    pub kinetic: &'a FactoredDelassus,
    pub v: S,
    /// Whether the packs come from memory.
    pub far: bool,
}

impl<K: Kinds, S: Store<K::Row>> Job for Judge<'_, K, S> {
    type Out = [f64; 3];

    #[inline(always)]
    fn run<L: Four>(self) -> [f64; 3] {
        let v = self.v;
        let mut sums = Sums::<L>::zero();
        packs!(self.shelf.each_mut(), packs => visits!(self.far, packs, v, pack => {
            pack.judge(&v, &mut sums);
        }));
        let mut total = [sums.residual, sums.impulse, sums.velocity].map(|x| x.to().sum());
        for other in &self.shelf.other {
            let parts = other.judge(self.problem, self.kinetic, &v);
            total.iter_mut().zip(parts).for_each(|(sum, x)| *sum += x);
        }
        total
    }
}

/// So many packs ahead of the one that is visited a pack is asked for, and the bodies of one. What comes from
/// memory takes as long as some visits, and the processor itself looks ahead by less than one.
const FAR: usize = 4;
const NEAR: usize = 3;

/// Asks for what the visits after this one read.
#[inline(always)]
fn ahead<L: Four, P: Pack, S: Store<P::Row>>(packs: &[P], at: usize, v: &S) {
    if at == 0 {
        packs.iter().take(FAR).for_each(L::soon);
    }
    if let Some(pack) = packs.get(at + FAR) {
        L::soon(pack);
    }
    if S::COLD
        && let Some(pack) = packs.get(at + NEAR)
    {
        pack.expect::<L>(v);
    }
}
