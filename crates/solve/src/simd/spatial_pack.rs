//! SIMD pack of four contacts of bodies in space other than spheres: rows (n, t1, t2), full 3 × 6 blocks of Ĝ.
//!
//! Velocities are gathered and impulses scattered in SIMD; the law of each lane is solved by `percuss_contact::law::coulomb3`,
//! whose iteration takes a different number of steps in each lane.

use percuss_contact::law::coulomb3;
use percuss_contact::{FactoredDelassus, Problem};

use super::body_velocity::{SpatialVelocity, VelocityStore, gather_bodies, scatter_add_bodies};
use super::iterate::{
    AndersonHistory, AndersonProducts, AndersonStep, CgStep, Iterate, ResidualSums,
};
use super::lanes::{F64x4, LANES, SimdVector, V3, dot, load_array};
use super::pack::{ContactData, LaneIndices, NONE, Pack, contact_data, methods_of_every_pack};

/// Four contacts with N bodies each.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct SpatialPack<const N: usize> {
    lanes: LaneIndices<N>,
    /// Rows of Ĝ for each side: linear and angular part.
    block: [[[V3; 2]; 3]; N],
    /// Diagonal block H of each lane.
    h: [[[f64; 3]; 3]; LANES],
    mu: F64x4,
    /// 1/κ.
    weight: F64x4,
    given: V3,
    iterate: Iterate<3>,
}

impl<const N: usize> SpatialPack<N> {
    /// The rows of Ĝ are in the axes of the bodies: there is no frame.
    #[inline(always)]
    fn frame<L: SimdVector>(&self) {}

    #[inline(always)]
    fn gather<L: SimdVector>(
        &self,
        v: &impl VelocityStore<SpatialVelocity>,
        _frame: &(),
    ) -> [L; 3] {
        // u = given + Σ Ĝ v̂ over the sides.
        let mut u: [L; 3] = load_array(&self.given);
        for n in 0..N {
            // Linear, then angular velocity.
            for part in 0..2 {
                let [x, y, z, _] = gather_bodies(v, n, &self.lanes.bodies[n], part);
                for i in 0..3 {
                    u[i] = u[i] + dot(&load_array(&self.block[n][i][part]), &[x, y, z]);
                }
            }
        }
        u
    }

    #[inline(always)]
    fn law<L: SimdVector>(&self, r: &[L; 3], u: &[L; 3]) -> [L; 3] {
        // From SIMD vectors to lanes.
        let (r, u) = (r.map(L::store), u.map(L::store));
        let mut next = [F64x4::default(); 3];
        for lane in 0..LANES {
            // Scalar local solve, lane by lane: q = u − H r.
            if self.lanes.contact[lane] == NONE {
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
        load_array(&next)
    }

    #[inline(always)]
    fn scatter<L: SimdVector>(
        &self,
        v: &mut impl VelocityStore<SpatialVelocity>,
        _frame: &(),
        d: &[L; 3],
    ) {
        for n in 0..N {
            for part in 0..2 {
                let [a, b, c] = &self.block[n];
                // Ĝᵀ d for one part of the velocity.
                let mut push = [L::zero(); 3];
                for k in 0..3 {
                    let [a, b, c] = [
                        L::load(a[part][k]),
                        L::load(b[part][k]),
                        L::load(c[part][k]),
                    ];
                    push[k] = a * d[0] + b * d[1] + c * d[2];
                }
                scatter_add_bodies(v, n, &self.lanes.bodies[n], part, push);
            }
        }
    }

    /// Copies the data of the contact in a lane.
    fn set(&mut self, lane: usize, kinetic: &FactoredDelassus, fact: &ContactData<'_>) {
        for (n, (_, block)) in kinetic.dense_blocks(fact.contact).enumerate().take(N) {
            // 3 × 6 block of one body.
            let side = self.lanes.side(lane, n);
            for i in 0..3 {
                for k in 0..6 {
                    self.block[side][i][k / 3][k % 3].0[lane] = block[6 * i + k];
                }
            }
        }
        // Diagonal block, given velocity, μ and 1/κ.
        for i in 0..3 {
            self.h[lane][i].copy_from_slice(&fact.block[3 * i..3 * i + 3]);
            self.given[i].0[lane] = fact.given[i];
        }
        self.mu.0[lane] = fact.mu;
        self.weight.0[lane] = 1.0 / fact.kappa;
    }
}

impl<const N: usize> Pack for SpatialPack<N> {
    type Velocity = SpatialVelocity;
    type History = AndersonHistory<3>;
    const ROWS: usize = 3;

    fn new(spare: [u32; 2]) -> Self {
        Self {
            lanes: LaneIndices::new(spare),
            block: [[[V3::default(); 2]; 3]; N],
            h: [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]; LANES],
            mu: F64x4::default(),
            weight: F64x4::splat(1.0),
            given: Default::default(),
            iterate: Iterate::default(),
        }
    }

    methods_of_every_pack!(3);

    #[inline(always)]
    fn fill<L: SimdVector>(&mut self, problem: &Problem, kinetic: &FactoredDelassus) {
        for (lane, fact) in contact_data(self.lanes.contact, problem, kinetic, Self::ROWS) {
            self.set(lane, kinetic, &fact);
        }
    }
}
