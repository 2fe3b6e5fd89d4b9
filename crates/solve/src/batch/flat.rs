//! Four contacts of bodies in the plane, rows (n, t), two full 2 × 3 blocks of Ĝ.
//!
//! The law is that of `contact::law::coulomb2` without its branches: with u_n = 0 the tangential impulse
//! that sticks is −b/B, and the cone is left at r_n = −q_n/(h_nn ± μ h_nt) otherwise. Contacts whose
//! B vanishes to rounding are not treated here.

use contact::{FactoredDelassus, Problem};

use super::iterate::{Iterate, Lead, Mix, Past, Products, Sums};
use super::lanes::{F4, Four, LANES, dot, of};
use super::pack::{Pack, Seats, facts};
use super::row::{PlaneRow, Store, fetch, give};

/// Four contacts, each of N bodies.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Flat<const N: usize> {
    seats: Seats<N>,
    /// Rows of Ĝ for each side.
    block: [[[F4; 3]; 2]; N],
    /// h_nn, h_nt, h_tt.
    h: [F4; 3],
    /// 1/h_nn, h_nt/h_nn, 1/B.
    inverse: [F4; 3],
    /// 1/(h_nn − μ h_nt) and 1/(h_nn + μ h_nt); infinite where a slide that way would wedge.
    slide: [F4; 2],
    mu: F4,
    /// 1/κ.
    weight: F4,
    given: [F4; 2],
    iterate: Iterate<2>,
}

impl<const N: usize> Flat<N> {
    #[inline(always)]
    fn gather<L: Four>(&self, v: &impl Store<PlaneRow>) -> [L; 2] {
        let mut u: [L; 2] = of(&self.given);
        for n in 0..N {
            let [x, y, w, _] = fetch(v, n, &self.seats.at[n], 0);
            for i in 0..2 {
                u[i] = u[i] + dot(&of(&self.block[n][i]), &[x, y, w]);
            }
        }
        u
    }

    #[inline(always)]
    fn law<L: Four>(&self, r: &[L; 2], u: &[L; 2]) -> [L; 2] {
        let [h_nn, h_nt, h_tt]: [L; 3] = of(&self.h);
        let [inverse, c, stiff]: [L; 3] = of(&self.inverse);
        let (zero, mu) = (L::zero(), L::of(self.mu));
        let q_n = u[0] - (h_nn * r[0] + h_nt * r[1]);
        let q_t = u[1] - (h_nt * r[0] + h_tt * r[1]);
        let b = q_t - c * q_n;
        let stick = -(b * stiff);
        // Friction opposes b.
        let w = L::where_le(zero, b, -mu, mu);
        let slide = L::where_le(zero, b, L::of(self.slide[0]), L::of(self.slide[1]));
        let sliding = -(q_n * slide);
        let at_rest = (-(q_n + h_nt * stick) * inverse).positive();
        // Sticking needs no more than the cone gives where sliding would set in.
        let (size, bound) = (stick.size(), mu * sliding);
        let normal = L::where_le(size, bound, at_rest, sliding);
        let tangent = L::where_le(size, bound, stick, w * sliding);
        [
            L::where_le(zero, q_n, zero, normal),
            L::where_le(zero, q_n, zero, tangent),
        ]
    }

    #[inline(always)]
    fn scatter<L: Four>(&self, v: &mut impl Store<PlaneRow>, d: &[L; 2]) {
        for n in 0..N {
            let [g, f] = &self.block[n];
            let push = |k: usize| L::of(g[k]) * d[0] + L::of(f[k]) * d[1];
            give(v, n, &self.seats.at[n], 0, [push(0), push(1), push(2)]);
        }
    }
}

impl<const N: usize> Flat<N> {
    /// What follows from H, μ and κ.
    #[inline(always)]
    fn settle<L: Four>(&mut self, [h_nn, h_nt, h_tt]: [L; 3], mu: L, kappa: L) {
        let one = L::all(1.0);
        let (c, lean) = (h_nt.over(h_nn), mu * h_nt);
        let stiff = one.over(h_tt - c * h_nt);
        self.inverse = [one.over(h_nn).to(), c.to(), stiff.to()];
        // At least the least positive number: positive, and a number.
        let (least, never) = (L::all(f64::from_bits(1)), L::all(f64::INFINITY));
        for (to, room) in self.slide.iter_mut().zip([h_nn - lean, h_nn + lean]) {
            *to = L::where_le(least, room, one.over(room), never).to();
        }
        self.weight = one.over(kappa).to();
    }
}

impl<const N: usize> Pack for Flat<N> {
    type Row = PlaneRow;
    type Past = Past<2>;
    const ROWS: usize = 2;

    fn new(spare: [u32; 2]) -> Self {
        let one = F4::all(1.0);
        Self {
            seats: Seats::new(spare),
            block: [[[F4::default(); 3]; 2]; N],
            h: [one, F4::default(), one],
            inverse: [one, F4::default(), one],
            slide: [one; 2],
            mu: F4::default(),
            weight: one,
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
    fn expect<L: Four>(&self, v: &impl Store<PlaneRow>) {
        self.seats.expect::<L, _>(v);
    }

    #[inline(always)]
    fn fill<L: Four>(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        // Rows of numbers by lane, turned into lanes by number.
        let mut blocks = [[&[0.0; 6]; LANES]; N];
        let mut own = [F4([1.0, 0.0, 0.0, 1.0]); LANES];
        let mut other = [F4([0.0, 0.0, 0.0, 1.0]); LANES];
        for (lane, fact) in facts(self.seats.contact, problem, kinetic, 2) {
            let stored = kinetic.stored_blocks::<6>(fact.contact);
            for (n, block) in stored.enumerate().take(N) {
                blocks[self.seats.side(lane, n)][lane] = block;
            }
            if let Some(h) = fact.block.first_chunk() {
                own[lane] = F4(*h);
            }
            other[lane] = F4([fact.given[0], fact.given[1], fact.mu, fact.kappa]);
        }
        for (to, lanes) in self.block.iter_mut().zip(&blocks) {
            let (mut head, mut tail) = ([L::zero(); LANES], [L::zero(); LANES]);
            for lane in 0..LANES {
                let [a, b, c, d, e, f] = *lanes[lane];
                head[lane] = L::of(F4([a, b, c, d]));
                tail[lane] = L::of(F4([c, d, e, f]));
            }
            let [n_x, n_y, ..] = L::turn(head);
            let [n_w, t_x, t_y, t_w] = L::turn(tail);
            *to = [
                [n_x.to(), n_y.to(), n_w.to()],
                [t_x.to(), t_y.to(), t_w.to()],
            ];
        }
        let [h_nn, h_nt, _, h_tt] = L::turn(of(&own));
        let [n, t, mu, kappa] = L::turn(of(&other));
        self.h = [h_nn.to(), h_nt.to(), h_tt.to()];
        self.given = [n.to(), t.to()];
        self.mu = mu.to();
        self.settle([h_nn, h_nt, h_tt], mu, kappa);
    }

    #[inline(always)]
    fn sweep<L: Four>(&mut self, v: &mut impl Store<PlaneRow>, lead: Lead) -> L {
        let u: [L; 2] = self.gather(v);
        let r = self.iterate.extrapolate::<L>(lead);
        let next = self.law(&r, &u);
        let (change, square) = self.iterate.settle(&r, next);
        self.scatter(v, &change);
        square * L::of(self.weight)
    }

    #[inline(always)]
    fn mix<L: Four>(
        &mut self,
        v: &mut impl Store<PlaneRow>,
        past: &mut Past<2>,
        mix: &Mix,
        products: &mut Products<L>,
    ) {
        let u: [L; 2] = self.gather(v);
        let r = self.iterate.blend(past, mix);
        let next = self.law(&r, &u);
        let weight = L::of(self.weight);
        let change = self.iterate.learn(past, mix, weight, [&r, &next], products);
        self.scatter(v, &change);
    }

    #[inline(always)]
    fn push<L: Four>(&self, v: &mut impl Store<PlaneRow>) {
        self.scatter::<L>(v, &of(&self.iterate.y));
    }

    #[inline(always)]
    fn judge<L: Four>(&self, v: &impl Store<PlaneRow>, sums: &mut Sums<L>) {
        let u: [L; 2] = self.gather(v);
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
