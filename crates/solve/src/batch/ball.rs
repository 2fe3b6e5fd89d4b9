//! Four contacts of balls in space: H is diagonal, and Coulomb's law is a closed form.
//!
//! ```text
//! u = frame · Σ s v + turned frame · Σ c ω,     H = diag(h_n, h_t, h_t)
//! r_n⁺ = max(0, r_n − u_n/h_n),   r_t⁺ = proj of r_t − u_t/h_t onto the disc of radius μ r_n⁺
//! ```
//!
//! Sticking is the point before the projection; sliding is along it, because H acts as a number on
//! tangents (JM92 7.4).

use contact::{FactoredDelassus, Problem};

use super::iterate::{Iterate, Lead, Mix, Past, Products, Sums};
use super::lanes::{F4, Four, LANES, V3, cross, dot, of};
use super::pack::{Fact, Pack, Seats, facts};
use super::row::{SpaceRow, Store, fetch, give};

/// Four contacts, each of N balls.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Ball<const N: usize> {
    seats: Seats<N>,
    normal: V3,
    tangent: V3,
    s: [F4; N],
    c: [F4; N],
    /// 1/h_n and 1/h_t.
    inverse: [F4; 2],
    mu: F4,
    /// 1/κ.
    weight: F4,
    given: V3,
    iterate: Iterate<3>,
}

/// The axes of the contacts.
struct Frame<L> {
    normal: [L; 3],
    tangent: [L; 3],
    third: [L; 3],
}

impl<const N: usize> Ball<N> {
    #[inline(always)]
    fn frame<L: Four>(&self) -> Frame<L> {
        let (normal, tangent) = (of(&self.normal), of(&self.tangent));
        let third = cross(&normal, &tangent);
        Frame {
            normal,
            tangent,
            third,
        }
    }

    #[inline(always)]
    fn gather<L: Four>(&self, v: &impl Store<SpaceRow>, frame: &Frame<L>) -> [L; 3] {
        let (mut x, mut w) = ([L::zero(); 3], [L::zero(); 3]);
        for n in 0..N {
            let (s, c) = (L::of(self.s[n]), L::of(self.c[n]));
            let velocity: [L; 4] = fetch(v, n, &self.seats.at[n], 0);
            let spin: [L; 4] = fetch(v, n, &self.seats.at[n], 1);
            for k in 0..3 {
                x[k] = x[k] + s * velocity[k];
                w[k] = w[k] + c * spin[k];
            }
        }
        let given: [L; 3] = of(&self.given);
        [
            given[0] + dot(&frame.normal, &x),
            given[1] + dot(&frame.tangent, &x) + dot(&frame.third, &w),
            given[2] + dot(&frame.third, &x) - dot(&frame.tangent, &w),
        ]
    }

    #[inline(always)]
    fn law<L: Four>(&self, r: &[L; 3], u: &[L; 3]) -> [L; 3] {
        let inverse: [L; 2] = of(&self.inverse);
        let normal = (r[0] - u[0] * inverse[0]).positive();
        let t1 = r[1] - u[1] * inverse[1];
        let t2 = r[2] - u[2] * inverse[1];
        let length = (t1 * t1 + t2 * t2).root();
        let bound = L::of(self.mu) * normal;
        let scale = L::where_le(length, bound, L::all(1.0), bound.over(length));
        [normal, t1 * scale, t2 * scale]
    }

    #[inline(always)]
    fn scatter<L: Four>(&self, v: &mut impl Store<SpaceRow>, frame: &Frame<L>, d: &[L; 3]) {
        let (n, t, o) = (&frame.normal, &frame.tangent, &frame.third);
        let (mut push, mut turn) = ([L::zero(); 3], [L::zero(); 3]);
        for k in 0..3 {
            push[k] = n[k] * d[0] + t[k] * d[1] + o[k] * d[2];
            turn[k] = o[k] * d[1] - t[k] * d[2];
        }
        for n in 0..N {
            let (s, c, at) = (L::of(self.s[n]), L::of(self.c[n]), &self.seats.at[n]);
            give(v, n, at, 0, [s * push[0], s * push[1], s * push[2]]);
            give(v, n, at, 1, [c * turn[0], c * turn[1], c * turn[2]]);
        }
    }

    /// Takes the numbers of the contact in a lane.
    fn set(&mut self, lane: usize, kinetic: &FactoredDelassus, fact: &Fact<'_>) {
        let Some(balls) = kinetic.sphere_contact(fact.contact) else {
            return;
        };
        let f = balls.frame_and_scales;
        let (mut h_n, mut h_t) = (0.0, 0.0);
        let present = balls.first_coordinates.iter().enumerate();
        let present = present.filter(|(_, first)| first.is_some());
        for (n, (which, _)) in present.enumerate().take(N) {
            let (s, c) = (f[9 + 2 * which], f[10 + 2 * which]);
            let side = self.seats.side(lane, n);
            self.s[side].0[lane] = s;
            self.c[side].0[lane] = c;
            h_n += s * s;
            h_t += s * s + c * c;
        }
        for k in 0..3 {
            self.normal[k].0[lane] = f[k];
            self.tangent[k].0[lane] = f[3 + k];
            self.given[k].0[lane] = fact.given[k];
        }
        self.inverse[0].0[lane] = 1.0 / h_n;
        self.inverse[1].0[lane] = 1.0 / h_t;
        self.mu.0[lane] = fact.mu;
        self.weight.0[lane] = 1.0 / fact.kappa;
    }
}

impl<const N: usize> Pack for Ball<N> {
    type Row = SpaceRow;
    type Past = Past<3>;
    const ROWS: usize = 3;

    fn new(spare: [u32; 2]) -> Self {
        Self {
            seats: Seats::new(spare),
            normal: Default::default(),
            tangent: Default::default(),
            s: [F4::default(); N],
            c: [F4::default(); N],
            inverse: [F4::default(); 2],
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
        let frame = self.frame::<L>();
        let u = self.gather(v, &frame);
        let r = self.iterate.extrapolate::<L>(lead);
        let next = self.law(&r, &u);
        let (change, square) = self.iterate.settle(&r, next);
        self.scatter(v, &frame, &change);
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
        let frame = self.frame::<L>();
        let u = self.gather(v, &frame);
        let r = self.iterate.blend(past, mix);
        let next = self.law(&r, &u);
        let weight = L::of(self.weight);
        let change = self.iterate.learn(past, mix, weight, [&r, &next], products);
        self.scatter(v, &frame, &change);
    }

    #[inline(always)]
    fn push<L: Four>(&self, v: &mut impl Store<SpaceRow>) {
        let frame = self.frame::<L>();
        self.scatter(v, &frame, &of(&self.iterate.y));
    }

    #[inline(always)]
    fn judge<L: Four>(&self, v: &impl Store<SpaceRow>, sums: &mut Sums<L>) {
        let frame = self.frame::<L>();
        let u = self.gather(v, &frame);
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
