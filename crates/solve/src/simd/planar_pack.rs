//! SIMD pack of four contacts of planar bodies: rows (n, t), full 2 × 3 blocks of Ĝ.
//!
//! The local solve is that of `percuss_contact::law::coulomb2` with selections in place of branches: with u_n = 0 the sticking
//! tangential impulse is −b/B, B the tangential Schur complement; otherwise the contact slides on the boundary of the
//! cone with r_n = −q_n/(h_nn ± μ h_nt). Contacts whose B vanishes to rounding are not packed.

use percuss_contact::{FactoredDelassus, Problem};

use super::body_velocity::{PlanarVelocity, VelocityStore, gather_bodies, scatter_add_bodies};
use super::iterate::{
    AndersonHistory, AndersonProducts, AndersonStep, CgStep, Iterate, ResidualSums,
};
use super::lanes::{F64x4, LANES, SimdVector, dot, load_array};
use super::pack::{LaneIndices, Pack, contact_data, methods_of_every_pack};

/// Four contacts with N bodies each.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct PlanarPack<const N: usize> {
    lanes: LaneIndices<N>,
    /// Rows of Ĝ for each side.
    block: [[[F64x4; 3]; 2]; N],
    /// h_nn, h_nt, h_tt.
    h: [F64x4; 3],
    /// 1/h_nn, h_nt/h_nn, 1/B.
    inverse: [F64x4; 3],
    /// 1/(h_nn − μ h_nt) and 1/(h_nn + μ h_nt); infinite where sliding in that direction would jam.
    slide: [F64x4; 2],
    mu: F64x4,
    /// 1/κ.
    weight: F64x4,
    given: [F64x4; 2],
    iterate: Iterate<2>,
}

impl<const N: usize> PlanarPack<N> {
    /// The rows of Ĝ are in the axes of the bodies: there is no frame.
    #[inline(always)]
    fn frame<L: SimdVector>(&self) {}

    #[inline(always)]
    fn gather<L: SimdVector>(&self, v: &impl VelocityStore<PlanarVelocity>, _frame: &()) -> [L; 2] {
        let mut u: [L; 2] = load_array(&self.given);
        for n in 0..N {
            let [x, y, w, _] = gather_bodies(v, n, &self.lanes.bodies[n], 0);
            for i in 0..2 {
                u[i] = u[i] + dot(&load_array(&self.block[n][i]), &[x, y, w]);
            }
        }
        u
    }

    #[inline(always)]
    fn law<L: SimdVector>(&self, r: &[L; 2], u: &[L; 2]) -> [L; 2] {
        let [h_nn, h_nt, h_tt]: [L; 3] = load_array(&self.h);
        let [inverse, c, stiff]: [L; 3] = load_array(&self.inverse);
        let (zero, mu) = (L::zero(), L::load(self.mu));
        // q = u − H r: velocity without the contact's own impulse.
        let q_n = u[0] - (h_nn * r[0] + h_nt * r[1]);
        let q_t = u[1] - (h_nt * r[0] + h_tt * r[1]);
        let b = q_t - c * q_n;
        let stick = -(b * stiff);
        // Friction opposes b.
        let w = L::select_le(zero, b, -mu, mu);
        let slide = L::select_le(zero, b, L::load(self.slide[0]), L::load(self.slide[1]));
        let sliding = -(q_n * slide);
        let at_rest = (-(q_n + h_nt * stick) * inverse).max_zero();
        // Sticking is admissible if it needs no more friction than the cone gives at the onset of sliding.
        let (size, bound) = (stick.abs(), mu * sliding);
        let normal = L::select_le(size, bound, at_rest, sliding);
        let tangent = L::select_le(size, bound, stick, w * sliding);
        // Open where q_n ≥ 0.
        [
            L::select_le(zero, q_n, zero, normal),
            L::select_le(zero, q_n, zero, tangent),
        ]
    }

    #[inline(always)]
    fn scatter<L: SimdVector>(
        &self,
        v: &mut impl VelocityStore<PlanarVelocity>,
        _frame: &(),
        d: &[L; 2],
    ) {
        for n in 0..N {
            let [g, f] = &self.block[n];
            // Ĝᵀ d of one body.
            let push = |k: usize| L::load(g[k]) * d[0] + L::load(f[k]) * d[1];
            scatter_add_bodies(v, n, &self.lanes.bodies[n], 0, [push(0), push(1), push(2)]);
        }
    }
}

impl<const N: usize> PlanarPack<N> {
    /// Derived quantities of H, μ and κ.
    #[inline(always)]
    fn settle<L: SimdVector>(&mut self, [h_nn, h_nt, h_tt]: [L; 3], mu: L, kappa: L) {
        let one = L::splat(1.0);
        // Elimination of the normal row: coupling, and the Schur complement of the tangential row.
        let (c, lean) = (h_nt.div(h_nn), mu * h_nt);
        let stiff = one.div(h_tt - c * h_nt);
        self.inverse = [one.div(h_nn).store(), c.store(), stiff.store()];
        // A denominator that is not positive, or not a number, gets an infinite reciprocal (jamming).
        let (least, never) = (L::splat(f64::from_bits(1)), L::splat(f64::INFINITY));
        for (to, room) in self.slide.iter_mut().zip([h_nn - lean, h_nn + lean]) {
            *to = L::select_le(least, room, one.div(room), never).store();
        }
        self.weight = one.div(kappa).store();
    }
}

impl<const N: usize> Pack for PlanarPack<N> {
    type Velocity = PlanarVelocity;
    type History = AndersonHistory<2>;
    const ROWS: usize = 2;

    fn new(spare: [u32; 2]) -> Self {
        let one = F64x4::splat(1.0);
        Self {
            lanes: LaneIndices::new(spare),
            block: [[[F64x4::default(); 3]; 2]; N],
            h: [one, F64x4::default(), one],
            inverse: [one, F64x4::default(), one],
            slide: [one; 2],
            mu: F64x4::default(),
            weight: one,
            given: Default::default(),
            iterate: Iterate::default(),
        }
    }

    methods_of_every_pack!(2);

    #[inline(always)]
    fn fill<L: SimdVector>(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        // Data by contact, transposed below into SIMD vectors.
        let mut blocks = [[&[0.0; 6]; LANES]; N];
        let mut own = [F64x4([1.0, 0.0, 0.0, 1.0]); LANES];
        let mut other = [F64x4([0.0, 0.0, 0.0, 1.0]); LANES];
        for (lane, fact) in contact_data(self.lanes.contact, problem, kinetic, 2) {
            let stored = kinetic.stored_blocks::<6>(fact.contact);
            for (n, block) in stored.enumerate().take(N) {
                blocks[self.lanes.side(lane, n)][lane] = block;
            }
            if let Some(h) = fact.block.first_chunk() {
                own[lane] = F64x4(*h);
            }
            other[lane] = F64x4([fact.given[0], fact.given[1], fact.mu, fact.kappa]);
        }
        // 2 × 3 blocks of Ĝ: two overlapping groups of four entries, each transposed.
        for (to, lanes) in self.block.iter_mut().zip(&blocks) {
            let (mut head, mut tail) = ([L::zero(); LANES], [L::zero(); LANES]);
            for lane in 0..LANES {
                let [a, b, c, d, e, f] = *lanes[lane];
                head[lane] = L::load(F64x4([a, b, c, d]));
                tail[lane] = L::load(F64x4([c, d, e, f]));
            }
            let [n_x, n_y, ..] = L::transpose(head);
            let [n_w, t_x, t_y, t_w] = L::transpose(tail);
            *to = [
                [n_x.store(), n_y.store(), n_w.store()],
                [t_x.store(), t_y.store(), t_w.store()],
            ];
        }
        // H, given velocities, μ and κ.
        let [h_nn, h_nt, _, h_tt] = L::transpose(load_array(&own));
        let [n, t, mu, kappa] = L::transpose(load_array(&other));
        self.h = [h_nn.store(), h_nt.store(), h_tt.store()];
        self.given = [n.store(), t.store()];
        self.mu = mu.store();
        self.settle([h_nn, h_nt, h_tt], mu, kappa);
    }
}
