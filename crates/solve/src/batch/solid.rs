//! Four contacts of bodies in space that are not balls: rows (n, t1, t2), full 3 × 6 blocks of Ĝ.
//!
//! Velocities are gathered and impulses scattered four at a time; the law of each lane is solved by
//! `contact::law::coulomb3`, whose iteration takes a different number of steps in each.

use contact::law::coulomb3;
use contact::{FactoredDelassus, Problem};

use super::iterate::{Iterate, Lead, Mix, Past, Products, Sums};
use super::lanes::{F4, Four, LANES, V3, dot, of};
use super::pack::{Fact, NONE, Pack, Seats, facts};
use super::row::{SpaceRow, Store, fetch, give};

/// Four contacts, each of N bodies.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Solid<const N: usize> {
    seats: Seats<N>,
    /// Rows of Ĝ for each side, velocity and spin.
    block: [[[V3; 2]; 3]; N],
    /// H of each lane.
    h: [[[f64; 3]; 3]; LANES],
    mu: F4,
    /// 1/κ.
    weight: F4,
    given: V3,
    iterate: Iterate<3>,
}

impl<const N: usize> Solid<N> {
    #[inline(always)]
    fn gather<L: Four>(&self, v: &impl Store<SpaceRow>) -> [L; 3] {
        let mut u: [L; 3] = of(&self.given);
        for n in 0..N {
            for part in 0..2 {
                let [x, y, z, _] = fetch(v, n, &self.seats.at[n], part);
                for i in 0..3 {
                    u[i] = u[i] + dot(&of(&self.block[n][i][part]), &[x, y, z]);
                }
            }
        }
        u
    }

    #[inline(always)]
    fn law<L: Four>(&self, r: &[L; 3], u: &[L; 3]) -> [L; 3] {
        let (r, u) = (r.map(L::to), u.map(L::to));
        let mut next = [F4::default(); 3];
        for lane in 0..LANES {
            if self.seats.contact[lane] == NONE {
                continue;
            }
            let h = &self.h[lane];
            let r = [r[0].0[lane], r[1].0[lane], r[2].0[lane]];
            let q = [0, 1, 2]
                .map(|i| u[i].0[lane] - (h[i][0] * r[0] + h[i][1] * r[1] + h[i][2] * r[2]));
            let (found, _) = coulomb3::solve(h, &q, self.mu.0[lane]);
            for i in 0..3 {
                next[i].0[lane] = found[i];
            }
        }
        of(&next)
    }

    #[inline(always)]
    fn scatter<L: Four>(&self, v: &mut impl Store<SpaceRow>, d: &[L; 3]) {
        for n in 0..N {
            for part in 0..2 {
                let [a, b, c] = &self.block[n];
                let mut push = [L::zero(); 3];
                for k in 0..3 {
                    let [a, b, c] = [L::of(a[part][k]), L::of(b[part][k]), L::of(c[part][k])];
                    push[k] = a * d[0] + b * d[1] + c * d[2];
                }
                give(v, n, &self.seats.at[n], part, push);
            }
        }
    }

    /// Takes the numbers of the contact in a lane.
    fn set(&mut self, lane: usize, kinetic: &FactoredDelassus, fact: &Fact<'_>) {
        for (n, (_, block)) in kinetic.dense_blocks(fact.contact).enumerate().take(N) {
            let side = self.seats.side(lane, n);
            for i in 0..3 {
                for k in 0..6 {
                    self.block[side][i][k / 3][k % 3].0[lane] = block[6 * i + k];
                }
            }
        }
        for i in 0..3 {
            self.h[lane][i].copy_from_slice(&fact.block[3 * i..3 * i + 3]);
            self.given[i].0[lane] = fact.given[i];
        }
        self.mu.0[lane] = fact.mu;
        self.weight.0[lane] = 1.0 / fact.kappa;
    }
}

impl<const N: usize> Pack for Solid<N> {
    type Row = SpaceRow;
    type Past = Past<3>;
    const ROWS: usize = 3;

    fn new(spare: [u32; 2]) -> Self {
        Self {
            seats: Seats::new(spare),
            block: [[[V3::default(); 2]; 3]; N],
            h: [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]; LANES],
            mu: F4::default(),
            weight: F4::all(1.0),
            given: Default::default(),
            iterate: Iterate::default(),
        }
    }

    fn sit(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool) {
        self.seats.sit(lane, contact, at, flip);
    }

    #[inline(always)]
    fn contact(&self) -> &[u32; LANES] {
        &self.seats.contact
    }

    #[inline(always)]
    fn expect<L: Four>(&self, v: &impl Store<SpaceRow>) {
        self.seats.expect::<L, _>(v);
    }

    #[inline(always)]
    fn fill<L: Four>(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        for (lane, fact) in facts(self.seats.contact, problem, kinetic, Self::ROWS) {
            self.set(lane, kinetic, &fact);
        }
    }

    #[inline(always)]
    fn sweep<L: Four>(&mut self, v: &mut impl Store<SpaceRow>, lead: Lead) -> L {
        let u: [L; 3] = self.gather(v);
        let r = self.iterate.extrapolate::<L>(lead);
        let next = self.law(&r, &u);
        let (change, square) = self.iterate.settle(&r, next);
        self.scatter(v, &change);
        square * L::of(self.weight)
    }

    #[inline(always)]
    fn mix<L: Four>(
        &mut self,
        v: &mut impl Store<SpaceRow>,
        past: &mut Past<3>,
        mix: &Mix,
        products: &mut Products<L>,
    ) {
        let u: [L; 3] = self.gather(v);
        let r = self.iterate.blend(past, mix);
        let next = self.law(&r, &u);
        let weight = L::of(self.weight);
        let change = self.iterate.learn(past, mix, weight, [&r, &next], products);
        self.scatter(v, &change);
    }

    #[inline(always)]
    fn push<L: Four>(&self, v: &mut impl Store<SpaceRow>) {
        self.scatter::<L>(v, &of(&self.iterate.y));
    }

    #[inline(always)]
    fn judge<L: Four>(&self, v: &impl Store<SpaceRow>, sums: &mut Sums<L>) {
        let u: [L; 3] = self.gather(v);
        sums.add(self.weight, self.mu, &self.iterate.y, &u);
    }

    #[inline(always)]
    fn impulse(&mut self, row: usize) -> &mut F4 {
        &mut self.iterate.y[row]
    }

    fn forget(&mut self) {
        self.iterate.forget();
    }
}
