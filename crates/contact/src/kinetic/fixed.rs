//! What is asked of contacts whose number of rows is known.

use super::{Form, Kinetic};

impl Kinetic {
    /// How many groups contact `a` touches.
    #[inline]
    pub fn num_touches(&self, a: usize) -> usize {
        self.touches_of(a).len()
    }

    /// The blocks of contact `a` that are stored row-major in L entries.
    #[inline]
    pub fn stored_blocks<const L: usize>(&self, a: usize) -> impl Iterator<Item = &[f64; L]> {
        let dense = self.touches_of(a).iter().filter(|t| t.form == Form::Dense);
        dense.filter_map(|t| self.jacobian[t.block()..].first_chunk())
    }

    /// Given boundary velocities W_α of R rows from `first` on.
    #[inline(always)]
    pub fn boundaries<const R: usize>(&self, first: usize) -> [f64; R] {
        self.boundary.of(first)
    }

    /// Weighted begin velocities ρ U_I of R rows from `first` on.
    #[inline(always)]
    pub fn rebounds<const R: usize>(&self, first: usize) -> [f64; R] {
        self.rebound.of(first)
    }

    /// W_α + ρ U_I of R rows from `first` on.
    #[inline(always)]
    pub fn givens<const R: usize>(&self, first: usize) -> [f64; R] {
        let (mut given, rebound): ([f64; R], [f64; R]) =
            (self.boundary.of(first), self.rebound.of(first));
        for i in 0..R {
            given[i] += rebound[i];
        }
        given
    }

    /// u + (Ĝ v̂)_a for a contact of R rows. Numbers stay in registers: what is written one by one and
    /// read again in pairs has to wait.
    #[inline(always)]
    pub fn gather<const R: usize>(&self, a: usize, v: &[f64], mut u: [f64; R]) -> [f64; R] {
        for t in self.touches_of(a) {
            let flat = R == 2 && t.width == 3 && t.form == Form::Dense;
            let block = self.jacobian[t.block()..].first_chunk::<6>();
            match (block, v[t.first as usize..].first_chunk::<3>()) {
                (Some(g), Some(v)) if flat => {
                    u[0] += g[0] * v[0] + g[1] * v[1] + g[2] * v[2];
                    u[1] += g[3] * v[0] + g[4] * v[1] + g[5] * v[2];
                }
                _ => self.gather_touches(std::slice::from_ref(t), v, &mut u),
            }
        }
        u
    }
}
