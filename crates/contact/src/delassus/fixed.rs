//! Access to contacts whose number of rows is known at compile time: arrays instead of slices, unrolled loops.

use super::{BlockStorage, FactoredDelassus, GroupBlock};

impl FactoredDelassus {
    /// Number of groups that contact `a` acts on.
    #[inline]
    pub fn num_groups_of(&self, a: usize) -> usize {
        self.blocks_of(a).len()
    }

    /// The dense blocks of contact `a` that have L entries, row-major.
    #[inline]
    pub fn stored_blocks<const L: usize>(&self, a: usize) -> impl Iterator<Item = &[f64; L]> {
        let dense = self
            .blocks_of(a)
            .iter()
            .filter(|t| t.storage == BlockStorage::Dense);
        dense.filter_map(|t| self.jacobian[t.start()..].first_chunk())
    }

    /// Boundary velocities W_α of the R rows from `first` on.
    #[inline(always)]
    pub fn boundaries<const R: usize>(&self, first: usize) -> [f64; R] {
        self.boundary.of(first)
    }

    /// Weighted begin velocities ρ U_I of the R rows from `first` on.
    #[inline(always)]
    pub fn rebounds<const R: usize>(&self, first: usize) -> [f64; R] {
        self.rebound.of(first)
    }

    /// W_α + ρ U_I of the R rows from `first` on.
    #[inline(always)]
    pub fn affine_terms<const R: usize>(&self, first: usize) -> [f64; R] {
        let (mut given, rebound): ([f64; R], [f64; R]) =
            (self.boundary.of(first), self.rebound.of(first));
        for i in 0..R {
            given[i] += rebound[i];
        }
        given
    }

    /// v̂ += Ĝᵀ r for the group blocks of a contact of two rows.
    #[inline(always)]
    pub(super) fn scatter_planar(&self, touches: &[GroupBlock], r: [f64; 2], v: &mut [f64]) {
        let Some((g, [first, second])) = self.planar_pair(touches) else {
            return self.scatter_blocks(touches, &r, v);
        };
        // Two bodies of the plane: impulse times the columns of both 2 × 3 blocks.
        let push = |side: usize, k: usize| g[side][k] * r[0] + g[side][3 + k] * r[1];
        for (side, first) in [(0, first), (1, second)] {
            if let Some(v) = v[first..].first_chunk_mut::<3>() {
                for k in 0..3 {
                    v[k] += push(side, k);
                }
            }
        }
    }

    /// u + (Ĝ v̂)_a for a contact of R rows. Values stay in registers: storing single numbers and loading them
    /// again as a vector would cause a store-forwarding stall.
    #[inline(always)]
    pub fn gather<const R: usize>(&self, a: usize, v: &[f64], mut u: [f64; R]) -> [f64; R] {
        let touches = self.blocks_of(a);
        let pair = if R == 2 {
            self.planar_pair(touches)
        } else {
            None
        };
        let Some((g, firsts)) = pair else {
            self.gather_blocks(touches, v, &mut u);
            return u;
        };
        // Two bodies of the plane: both 2 × 3 products written out.
        let [p, q] = firsts.map(|first| v[first..].first_chunk::<3>());
        if let (Some(v), Some(w)) = (p, q) {
            for i in 0..R {
                let own = |g: &[f64; 6], v: &[f64; 3]| {
                    let [x, y, z] = [g[3 * i], g[3 * i + 1], g[3 * i + 2]];
                    x * v[0] + y * v[1] + z * v[2]
                };
                u[i] = u[i] + own(g[0], v) + own(g[1], w);
            }
        }
        u
    }

    /// Blocks and first coordinates of a contact of two rows between two bodies of the plane.
    #[inline(always)]
    fn planar_pair(&self, touches: &[GroupBlock]) -> Option<([&[f64; 6]; 2], [usize; 2])> {
        let [one, two] = touches else {
            return None;
        };
        let flat = |t: &GroupBlock| (t.width == 3) & (t.storage == BlockStorage::Dense);
        if !(flat(one) & flat(two)) {
            return None;
        }
        let block = |t: &GroupBlock| self.jacobian[t.start()..].first_chunk();
        let blocks = [block(one)?, block(two)?];
        Some((
            blocks,
            [one.first_coordinate as usize, two.first_coordinate as usize],
        ))
    }
}
