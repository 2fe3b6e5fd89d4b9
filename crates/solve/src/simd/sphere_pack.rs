//! SIMD pack of four contacts of spheres: H is diagonal, and the local solve of Coulomb's law has a closed form.
//!
//! ```text
//! u = frame · Σ s v + rotated frame · Σ c ω,     H = diag(h_n, h_t, h_t)
//! r_n⁺ = max(0, r_n − u_n/h_n),   r_t⁺ = proj of r_t − u_t/h_t onto the disc of radius μ r_n⁺
//! ```
//!
//! A tangential impulse inside the disc sticks; outside it slides along its own direction, because H acts as a scalar
//! on tangents (JM92 7.4). s and c are the coefficients of the velocity and of the spin of a sphere.

use percuss_contact::{FactoredDelassus, Problem};

use super::body_velocity::{SpatialVelocity, VelocityStore, gather_bodies, scatter_add_bodies};
use super::iterate::{
    AndersonHistory, AndersonProducts, AndersonStep, CgStep, Iterate, ResidualSums,
};
use super::lanes::{F64x4, LANES, SimdVector, V3, cross, dot, load_array};
use super::pack::{ContactData, LaneIndices, Pack, contact_data, methods_of_every_pack};

/// Four contacts with N spheres each.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct SpherePack<const N: usize> {
    lanes: LaneIndices<N>,
    normal: V3,
    tangent: V3,
    s: [F64x4; N],
    c: [F64x4; N],
    /// 1/h_n and 1/h_t.
    inverse: [F64x4; 2],
    mu: F64x4,
    /// 1/κ.
    weight: F64x4,
    given: V3,
    iterate: Iterate<3>,
}

/// The frames of the contacts.
struct Frame<L> {
    normal: [L; 3],
    tangent: [L; 3],
    third: [L; 3],
}

impl<const N: usize> SpherePack<N> {
    #[inline(always)]
    fn frame<L: SimdVector>(&self) -> Frame<L> {
        let (normal, tangent) = (load_array(&self.normal), load_array(&self.tangent));
        // The third axis is computed, not stored.
        let third = cross(&normal, &tangent);
        Frame {
            normal,
            tangent,
            third,
        }
    }

    #[inline(always)]
    fn gather<L: SimdVector>(
        &self,
        v: &impl VelocityStore<SpatialVelocity>,
        frame: &Frame<L>,
    ) -> [L; 3] {
        // Σ s v and Σ c ω over the spheres, then the rows of the frame.
        let (mut x, mut w) = ([L::zero(); 3], [L::zero(); 3]);
        for n in 0..N {
            let (s, c) = (L::load(self.s[n]), L::load(self.c[n]));
            let velocity: [L; 4] = gather_bodies(v, n, &self.lanes.bodies[n], 0);
            let spin: [L; 4] = gather_bodies(v, n, &self.lanes.bodies[n], 1);
            for k in 0..3 {
                x[k] = x[k] + s * velocity[k];
                w[k] = w[k] + c * spin[k];
            }
        }
        // Normal row, then the tangential rows with the spin.
        let given: [L; 3] = load_array(&self.given);
        [
            given[0] + dot(&frame.normal, &x),
            given[1] + dot(&frame.tangent, &x) + dot(&frame.third, &w),
            given[2] + dot(&frame.third, &x) - dot(&frame.tangent, &w),
        ]
    }

    #[inline(always)]
    fn law<L: SimdVector>(&self, r: &[L; 3], u: &[L; 3]) -> [L; 3] {
        let inverse: [L; 2] = load_array(&self.inverse);
        // Normal: Signorini. Tangent: projection onto the disc of radius μ r_n.
        let normal = (r[0] - u[0] * inverse[0]).max_zero();
        let t1 = r[1] - u[1] * inverse[1];
        let t2 = r[2] - u[2] * inverse[1];
        // Sticks inside the disc, is cut to its radius outside.
        let length = (t1 * t1 + t2 * t2).sqrt();
        let bound = L::load(self.mu) * normal;
        let scale = L::select_le(length, bound, L::splat(1.0), bound.div(length));
        [normal, t1 * scale, t2 * scale]
    }

    #[inline(always)]
    fn scatter<L: SimdVector>(
        &self,
        v: &mut impl VelocityStore<SpatialVelocity>,
        frame: &Frame<L>,
        d: &[L; 3],
    ) {
        let (n, t, o) = (&frame.normal, &frame.tangent, &frame.third);
        let (mut push, mut turn) = ([L::zero(); 3], [L::zero(); 3]);
        // Force and torque directions of the change d.
        for k in 0..3 {
            push[k] = n[k] * d[0] + t[k] * d[1] + o[k] * d[2];
            turn[k] = o[k] * d[1] - t[k] * d[2];
        }
        // Velocity and spin of each sphere.
        for n in 0..N {
            let (s, c, at) = (
                L::load(self.s[n]),
                L::load(self.c[n]),
                &self.lanes.bodies[n],
            );
            scatter_add_bodies(v, n, at, 0, [s * push[0], s * push[1], s * push[2]]);
            scatter_add_bodies(v, n, at, 1, [c * turn[0], c * turn[1], c * turn[2]]);
        }
    }

    /// Copies the data of the contact in a lane.
    fn set(&mut self, lane: usize, kinetic: &FactoredDelassus, fact: &ContactData<'_>) {
        let Some(balls) = kinetic.sphere_contact(fact.contact) else {
            return;
        };
        let f = balls.frame_and_scales;
        let (mut h_n, mut h_t) = (0.0, 0.0);
        let present = balls.first_coordinates.iter().enumerate();
        let present = present.filter(|(_, first)| first.is_some());
        // Coefficients by side; h_n = Σ s², h_t = Σ (s² + c²).
        for (n, (which, _)) in present.enumerate().take(N) {
            let (s, c) = (f[9 + 2 * which], f[10 + 2 * which]);
            let side = self.lanes.side(lane, n);
            self.s[side].0[lane] = s;
            self.c[side].0[lane] = c;
            h_n += s * s;
            h_t += s * s + c * c;
        }
        // Frame and given velocity.
        for k in 0..3 {
            self.normal[k].0[lane] = f[k];
            self.tangent[k].0[lane] = f[3 + k];
            self.given[k].0[lane] = fact.given[k];
        }
        // Reciprocals: the local solve divides by nothing but the length of the tangent.
        self.inverse[0].0[lane] = 1.0 / h_n;
        self.inverse[1].0[lane] = 1.0 / h_t;
        self.mu.0[lane] = fact.mu;
        self.weight.0[lane] = 1.0 / fact.kappa;
    }
}

impl<const N: usize> Pack for SpherePack<N> {
    type Velocity = SpatialVelocity;
    type History = AndersonHistory<3>;
    const ROWS: usize = 3;

    fn new(spare: [u32; 2]) -> Self {
        Self {
            lanes: LaneIndices::new(spare),
            normal: Default::default(),
            tangent: Default::default(),
            s: [F64x4::default(); N],
            c: [F64x4::default(); N],
            inverse: [F64x4::default(); 2],
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
