//! State of a pack between sweeps (conjugate directions, Anderson history), and sums over contacts (products, R2).

use super::lanes::{F64x4, SimdVector, load_array};

/// The three vectors of NNCG for the D rows of four contacts: the swept impulse y, the search direction p and the last
/// step g = r − y.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Iterate<const D: usize> {
    pub y: [F64x4; D],
    pub p: [F64x4; D],
    pub g: [F64x4; D],
}

impl<const D: usize> Default for Iterate<D> {
    fn default() -> Self {
        let zero = [F64x4::default(); D];
        Self {
            y: zero,
            p: zero,
            g: zero,
        }
    }
}

/// Conjugate gradient step before the next sweep: r = y + β p, p ← β p − γ g. γ = 0 resets the direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CgStep {
    pub beta: f64,
    pub gamma: f64,
}

impl CgStep {
    /// No extrapolation: plain Gauss–Seidel.
    pub const PLAIN: Self = Self {
        beta: 0.0,
        gamma: 0.0,
    };

    /// β of Fletcher and Reeves from two squared norms; β > 1 resets the direction.
    pub fn fletcher_reeves(norm: f64, previous: f64) -> Self {
        // β > 1 and NaN reset the direction.
        let beta = norm / previous;
        if previous > 0.0 && beta <= 1.0 {
            Self { beta, gamma: 1.0 }
        } else {
            Self::PLAIN
        }
    }
}

impl<const D: usize> Iterate<D> {
    /// Resets the search direction.
    pub fn forget(&mut self) {
        self.p = [F64x4::default(); D];
        self.g = self.p;
    }

    /// Returns r = y + β p and updates the direction.
    #[inline(always)]
    pub fn extrapolate<L: SimdVector>(&mut self, cg_step: CgStep) -> [L; D] {
        let (beta, gamma) = (L::splat(cg_step.beta), L::splat(cg_step.gamma));
        let mut r: [L; D] = load_array(&self.y);
        // r = y + β p, p ← β p − γ g.
        for i in 0..D {
            let step = beta * L::load(self.p[i]);
            r[i] = r[i] + step;
            self.p[i] = (step - gamma * L::load(self.g[i])).store();
        }
        r
    }

    /// Stores the swept impulse y; returns y − r, and ‖g‖².
    #[inline(always)]
    pub fn accept<L: SimdVector>(&mut self, r: &[L; D], next: [L; D]) -> ([L; D], L) {
        let mut change = next;
        let mut square = L::zero();
        for i in 0..D {
            // g = r − y.
            change[i] = next[i] - r[i];
            self.g[i] = (-change[i]).store();
            self.y[i] = next[i].store();
            square = square + change[i] * change[i];
        }
        (change, square)
    }
}

/// Depth of the Anderson history: five differences are enough for the slow modes of sweeps, and older ones belong to
/// contacts that have changed their status since.
pub(crate) const ANDERSON_DEPTH: usize = 5;

/// Anderson step before the next sweep: r = y − Σ θ_k ΔY_k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AndersonStep {
    pub theta: [f64; ANDERSON_DEPTH],
    /// Number of valid differences, in the first slots. Other slots are neither read nor summed.
    pub history_len: usize,
    /// Slot that the newest differences are written to.
    pub slot: usize,
    /// Whether there is a sweep before to take differences with.
    pub fresh: bool,
}

/// Anderson history: ΔF and ΔY of the last sweeps, for the D rows of four contacts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct AndersonHistory<const D: usize> {
    df: [[F64x4; D]; ANDERSON_DEPTH],
    dy: [[F64x4; D]; ANDERSON_DEPTH],
}

impl<const D: usize> Default for AndersonHistory<D> {
    fn default() -> Self {
        Self {
            df: [[F64x4::default(); D]; ANDERSON_DEPTH],
            dy: [[F64x4::default(); D]; ANDERSON_DEPTH],
        }
    }
}

/// Inner products of f = y − r with ΔF_k, with itself and with the f before, in the metric 1/κ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AndersonProducts<L> {
    pub df: [L; ANDERSON_DEPTH],
    pub own: L,
    pub last: L,
}

#[allow(private_bounds)]
impl<L: SimdVector> AndersonProducts<L> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            df: [L::zero(); ANDERSON_DEPTH],
            own: L::zero(),
            last: L::zero(),
        }
    }

    /// Sums over the lanes.
    pub fn sum(&self) -> AndersonProducts<f64> {
        let mut df = [0.0; ANDERSON_DEPTH];
        for (to, from) in df.iter_mut().zip(self.df) {
            *to = from.store().sum();
        }
        AndersonProducts {
            df,
            own: self.own.store().sum(),
            last: self.last.store().sum(),
        }
    }
}

impl AndersonProducts<f64> {
    pub const NONE: Self = Self {
        df: [0.0; ANDERSON_DEPTH],
        own: 0.0,
        last: 0.0,
    };

    pub fn add(&mut self, other: &Self) {
        self.df
            .iter_mut()
            .zip(other.df)
            .for_each(|(sum, x)| *sum += x);
        self.own += other.own;
        self.last += other.last;
    }
}

impl<const D: usize> Iterate<D> {
    /// Returns the mixed impulse r = y − Σ θ_k ΔY_k.
    #[inline(always)]
    pub fn blend<L: SimdVector>(
        &self,
        history: &AndersonHistory<D>,
        anderson_step: &AndersonStep,
    ) -> [L; D] {
        let mut r: [L; D] = load_array(&self.y);
        // Valid slots only.
        for (theta, dy) in anderson_step
            .theta
            .iter()
            .zip(&history.dy)
            .take(anderson_step.history_len)
        {
            let theta = L::splat(*theta);
            for i in 0..D {
                r[i] = r[i] - theta * L::load(dy[i]);
            }
        }
        r
    }

    /// Stores the swept impulse, the differences and the inner products; returns y − r.
    #[inline(always)]
    pub fn accept_mixed<L: SimdVector>(
        &mut self,
        history: &mut AndersonHistory<D>,
        anderson_step: &AndersonStep,
        weight: L,
        [r, next]: [&[L; D]; 2],
        products: &mut AndersonProducts<L>,
    ) -> [L; D] {
        // f = y − r, and f weighted by 1/κ.
        let mut change = *next;
        let mut weighted = *next;
        for i in 0..D {
            change[i] = next[i] - r[i];
            weighted[i] = weight * change[i];
        }
        // ⟨f, ΔF_k⟩ for the valid slots.
        let known = products
            .df
            .iter_mut()
            .zip(&history.df)
            .take(anderson_step.history_len);
        for (product, df) in known {
            for i in 0..D {
                *product = *product + weighted[i] * L::load(df[i]);
            }
        }
        // ⟨f, f⟩, ⟨f, f_before⟩ and the new differences.
        for i in 0..D {
            let f = change[i];
            let last = -L::load(self.g[i]);
            products.own = products.own + weighted[i] * f;
            products.last = products.last + weighted[i] * last;
            if anderson_step.fresh {
                history.df[anderson_step.slot][i] = (f - last).store();
                history.dy[anderson_step.slot][i] = (next[i] - L::load(self.y[i])).store();
            }
            self.g[i] = (-f).store();
            self.y[i] = next[i].store();
        }
        change
    }
}

/// The sums of R2 (see [`percuss_contact::ResidualEvaluator`]), lane by lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResidualSums<L> {
    pub residual: L,
    pub impulse: L,
    pub velocity: L,
}

/// Norm of a tangential part from its square; in the plane the absolute value of its only component.
#[inline(always)]
fn length_of<L: SimdVector, const D: usize>(last: L, square: L) -> L {
    if D == 2 { last.abs() } else { square.sqrt() }
}

impl<L: SimdVector> ResidualSums<L> {
    /// Zero sums.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            residual: L::zero(),
            impulse: L::zero(),
            velocity: L::zero(),
        }
    }

    /// Adds one pack with weight 1/κ: F = r − proj_K(r − κ(u + μ‖u_t‖ e_n)) for Coulomb's cone.
    #[inline(always)]
    pub fn add<const D: usize>(&mut self, weight: F64x4, mu: F64x4, r: &[F64x4; D], u: &[L; D]) {
        let (weight, mu, r): (L, L, [L; D]) = (L::load(weight), L::load(mu), load_array(r));
        let (zero, one) = (L::zero(), L::splat(1.0));
        let kappa = one.div(weight);
        // De Saxcé's shift needs ‖u_t‖.
        let mut slide = zero;
        for i in 1..D {
            slide = slide + u[i] * u[i];
        }
        // x = r − κ (u + μ‖u_t‖ e_n), the point to project.
        let mut x = r;
        for i in 0..D {
            x[i] = r[i] - kappa * u[i];
        }
        x[0] = x[0] - kappa * (mu * length_of::<L, D>(u[D - 1], slide));
        let mut square = zero;
        for i in 1..D {
            square = square + x[i] * x[i];
        }
        let length = length_of::<L, D>(x[D - 1], square);
        // Projection onto the cone: x itself inside, 0 in the polar cone, else the nearest point of the boundary.
        let along = (x[0] + mu * length).div(one + mu * mu);
        let normal = L::select_le(length, mu * x[0], x[0].max_zero(), along.max_zero());
        // Tangential part: scaled back onto the disc of radius μ r_n.
        let bound = mu * normal;
        let scale = L::select_le(length, bound, one, bound.div(length));
        // ‖F‖²/κ, ‖r‖²/κ and κ‖u‖².
        let (mut miss, mut impulse, mut velocity) = (zero, zero, zero);
        for i in 0..D {
            let projected = if i == 0 { normal } else { x[i] * scale };
            let f = r[i] - projected;
            miss = miss + f * f;
            impulse = impulse + r[i] * r[i];
            velocity = velocity + u[i] * u[i];
        }
        self.residual = self.residual + miss * weight;
        self.impulse = self.impulse + impulse * weight;
        self.velocity = self.velocity + kappa * velocity;
    }
}
