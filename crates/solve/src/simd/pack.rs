//! The interface of a SIMD pack: four contacts of one kind, no two of which share a body.

use percuss_contact::{FactoredDelassus, Law, Problem};

use super::body_velocity::{BodyVelocity, VelocityStore};
use super::iterate::{AndersonProducts, AndersonStep, CgStep, ResidualSums};
use super::lanes::{F64x4, LANES, SimdVector};

/// Index of no contact and of no body.
pub(super) const NONE: u32 = u32::MAX;

/// Contacts of the lanes, and the indices of their bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct LaneIndices<const N: usize> {
    /// Contact of each lane; [`NONE`] in an empty lane.
    pub contact: [u32; LANES],
    /// Body indices by side.
    pub bodies: [[u32; LANES]; N],
    /// Whether the contact's second body is on the first side.
    pub flip: [bool; LANES],
}

impl<const N: usize> LaneIndices<N> {
    /// Empty lanes: they refer to the spare body and add zero to its velocity.
    pub fn new(spare: [u32; 2]) -> Self {
        // All lanes refer to the spare body of their side.
        let mut at = [[0; LANES]; N];
        for (at, spare) in at.iter_mut().zip(spare) {
            *at = [spare; LANES];
        }
        Self {
            contact: [NONE; LANES],
            bodies: at,
            flip: [false; LANES],
        }
    }

    /// Puts a contact into a lane.
    pub fn set_lane(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool) {
        // Contact, bodies by side, and whether they are exchanged.
        self.contact[lane] = contact;
        for (to, at) in self.bodies.iter_mut().zip(at) {
            to[lane] = at;
        }
        self.flip[lane] = flip;
    }

    /// Prefetches the velocities of the bodies.
    #[inline(always)]
    pub fn prefetch_bodies<L: SimdVector, R: BodyVelocity>(&self, v: &impl VelocityStore<R>) {
        // One cache line for each body.
        for (side, at) in self.bodies.iter().enumerate() {
            for &at in at {
                L::prefetch(v.body(side, at));
            }
        }
    }

    /// Side of body n of the contact in a lane.
    #[inline]
    pub fn side(&self, lane: usize, n: usize) -> usize {
        if N == 2 && self.flip[lane] { 1 - n } else { n }
    }
}

/// A SIMD pack: four contacts of one kind, no two of which share a body.
pub(super) trait Pack: Copy + Send + std::fmt::Debug {
    /// Velocity format of a body.
    type Velocity: BodyVelocity;
    /// Anderson history: differences of the last sweeps.
    type History: Copy + Default + Send + std::fmt::Debug;
    /// Rows of a contact.
    const ROWS: usize;

    /// Empty lanes, with the spare body of each side.
    fn new(spare: [u32; 2]) -> Self;

    /// Puts a contact with the bodies of its sides into a lane.
    fn set_lane(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool);

    /// Contact of each lane.
    fn contacts(&self) -> &[u32; LANES];

    /// Prefetches the velocities of the bodies.
    fn prefetch_bodies<L: SimdVector>(&self, v: &impl VelocityStore<Self::Velocity>);

    /// Copies the data of its contacts (rows of Ĝ, H, μ, κ) from the problem.
    fn fill<L: SimdVector>(&mut self, problem: &Problem, kinetic: &FactoredDelassus);

    /// Local solve from the extrapolated impulses; returns ‖g‖²/κ by lane.
    fn sweep<L: SimdVector>(
        &mut self,
        v: &mut impl VelocityStore<Self::Velocity>,
        cg_step: CgStep,
    ) -> L;

    /// Local solve from the Anderson-mixed impulses; adds to the inner products.
    fn anderson_sweep<L: SimdVector>(
        &mut self,
        v: &mut impl VelocityStore<Self::Velocity>,
        history: &mut Self::History,
        anderson_step: &AndersonStep,
        products: &mut AndersonProducts<L>,
    );

    /// v += Ĝᵀ y.
    fn scatter_impulse<L: SimdVector>(&self, v: &mut impl VelocityStore<Self::Velocity>);

    /// Adds to the sums of R2.
    fn add_residual<L: SimdVector>(
        &self,
        v: &impl VelocityStore<Self::Velocity>,
        sums: &mut ResidualSums<L>,
    );

    /// Swept impulse of a row, by lane.
    fn impulse(&mut self, row: usize) -> &mut F64x4;

    /// Resets the search direction.
    fn forget(&mut self);
}

/// The methods of [`Pack`] that are the same for every kind of pack, by its `frame`, `gather`, `law` and `scatter`.
macro_rules! methods_of_every_pack {
    ($rows:literal) => {
        fn set_lane(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool) {
            self.lanes.set_lane(lane, contact, at, flip);
        }

        #[inline(always)]
        fn contacts(&self) -> &[u32; LANES] {
            &self.lanes.contact
        }

        #[inline(always)]
        fn prefetch_bodies<L: SimdVector>(&self, v: &impl VelocityStore<Self::Velocity>) {
            self.lanes.prefetch_bodies::<L, _>(v);
        }

        #[inline(always)]
        fn sweep<L: SimdVector>(
            &mut self,
            v: &mut impl VelocityStore<Self::Velocity>,
            cg_step: CgStep,
        ) -> L {
            // Gather, extrapolate, local solve; keep the new impulse and pass its change on to the bodies.
            let frame = self.frame::<L>();
            let u: [L; $rows] = self.gather(v, &frame);
            let r = self.iterate.extrapolate::<L>(cg_step);
            let next = self.law(&r, &u);
            let (change, square) = self.iterate.accept(&r, next);
            self.scatter::<L>(v, &frame, &change);
            square * L::load(self.weight)
        }

        #[inline(always)]
        fn anderson_sweep<L: SimdVector>(
            &mut self,
            v: &mut impl VelocityStore<Self::Velocity>,
            history: &mut AndersonHistory<$rows>,
            anderson_step: &AndersonStep,
            products: &mut AndersonProducts<L>,
        ) {
            let frame = self.frame::<L>();
            let u: [L; $rows] = self.gather(v, &frame);
            let r = self.iterate.blend(history, anderson_step);
            let next = self.law(&r, &u);
            let weight = L::load(self.weight);
            // Keep the new impulse and its differences, and add to the inner products.
            let change =
                self.iterate
                    .accept_mixed(history, anderson_step, weight, [&r, &next], products);
            self.scatter::<L>(v, &frame, &change);
        }

        #[inline(always)]
        fn scatter_impulse<L: SimdVector>(&self, v: &mut impl VelocityStore<Self::Velocity>) {
            let frame = self.frame::<L>();
            self.scatter::<L>(v, &frame, &load_array(&self.iterate.y));
        }

        #[inline(always)]
        fn add_residual<L: SimdVector>(
            &self,
            v: &impl VelocityStore<Self::Velocity>,
            sums: &mut ResidualSums<L>,
        ) {
            let frame = self.frame::<L>();
            let u: [L; $rows] = self.gather(v, &frame);
            // Natural residual, impulse and velocity in the metric of κ.
            sums.add(self.weight, self.mu, &self.iterate.y, &u);
        }

        #[inline(always)]
        fn impulse(&mut self, row: usize) -> &mut F64x4 {
            &mut self.iterate.y[row]
        }

        fn forget(&mut self) {
            self.iterate.forget();
        }
    };
}

pub(super) use methods_of_every_pack;

/// Data of a contact that all kinds of pack need.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactData<'a> {
    pub contact: usize,
    pub mu: f64,
    pub kappa: f64,
    pub given: [f64; 3],
    pub block: &'a [f64],
}

/// The occupied lanes with the data that all kinds of pack need.
#[inline(always)]
pub(super) fn contact_data<'a>(
    contact: [u32; LANES],
    problem: &'a Problem,
    kinetic: &'a FactoredDelassus,
    rows: usize,
) -> impl Iterator<Item = (usize, ContactData<'a>)> {
    // Empty lanes have no data.
    let occupied = (0..LANES).filter(move |&lane| contact[lane] != NONE);
    occupied.map(move |lane| {
        let contact = contact[lane] as usize;
        (lane, ContactData::of(problem, kinetic, contact, rows))
    })
}

impl<'a> ContactData<'a> {
    /// Data of a contact of `rows` rows.
    #[inline(always)]
    pub fn of(
        problem: &'a Problem,
        kinetic: &FactoredDelassus,
        contact: usize,
        rows: usize,
    ) -> Self {
        let first = problem.offset()[contact];
        // Affine terms of the rows, padded to three.
        let given = if rows == 2 {
            let [n, t] = kinetic.affine_terms(first);
            [n, t, 0.0]
        } else {
            kinetic.affine_terms(first)
        };
        // Only Coulomb contacts are packed.
        let mu = match problem.law(contact) {
            Law::Coulomb { mu } => *mu,
            _ => 0.0,
        };
        Self {
            contact,
            mu,
            kappa: problem.kappa(contact),
            given,
            block: problem.diagonal_block(contact),
        }
    }
}
