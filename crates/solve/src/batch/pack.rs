//! What a pack of four contacts can do.

use contact::{FactoredDelassus, Law, Problem};

use super::iterate::{CgStep, AndersonStep, AndersonProducts, ResidualSums};
use super::lanes::{F64x4, SimdVector, LANES};
use super::row::{BodyVelocity, VelocityStore};

/// No contact, no body.
pub(super) const NONE: u32 = u32::MAX;

/// Which contacts are in the lanes and where their bodies are.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct LaneIndices<const N: usize> {
    /// [`NONE`] in an empty lane.
    pub contact: [u32; LANES],
    /// Rows of the bodies of each side.
    pub bodies: [[u32; LANES]; N],
    /// Whether the contact's second body is on the first side.
    pub flip: [bool; LANES],
}

impl<const N: usize> LaneIndices<N> {
    /// Empty lanes: they move the spare body, by nothing.
    pub fn new(spare: [u32; 2]) -> Self {
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
        self.contact[lane] = contact;
        for (to, at) in self.bodies.iter_mut().zip(at) {
            to[lane] = at;
        }
        self.flip[lane] = flip;
    }

    /// Asks for the velocities of the bodies.
    #[inline(always)]
    pub fn prefetch_bodies<L: SimdVector, R: BodyVelocity>(&self, v: &impl VelocityStore<R>) {
        for (side, at) in self.bodies.iter().enumerate() {
            for &at in at {
                L::prefetch(v.body(side, at));
            }
        }
    }

    /// The side on which body n of the contact in a lane is.
    #[inline]
    pub fn side(&self, lane: usize, n: usize) -> usize {
        if N == 2 && self.flip[lane] { 1 - n } else { n }
    }
}

/// Four contacts of one kind, no two of which share a body.
pub(super) trait Pack: Copy + Send + std::fmt::Debug {
    /// Velocity of a body.
    type Velocity: BodyVelocity;
    /// Differences of the last sweeps.
    type History: Copy + Default + Send + std::fmt::Debug;
    /// Rows of a contact.
    const ROWS: usize;

    /// Empty lanes; the spare body of each side.
    fn new(spare: [u32; 2]) -> Self;

    /// Puts a contact into a lane: its bodies by side.
    fn set_lane(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool);

    /// Which contact each lane is.
    fn contacts(&self) -> &[u32; LANES];

    /// Asks for the velocities of its bodies.
    fn prefetch_bodies<L: SimdVector>(&self, v: &impl VelocityStore<Self::Velocity>);

    /// Takes the numbers of its contacts from the problem.
    fn fill<L: SimdVector>(&mut self, problem: &Problem, kinetic: &FactoredDelassus);

    /// One visit; returns ‖g‖²/κ by lane.
    fn sweep<L: SimdVector>(&mut self, v: &mut impl VelocityStore<Self::Velocity>, lead: CgStep) -> L;

    /// One visit that starts from a mixture of the last ones; adds to the products.
    fn anderson_sweep<L: SimdVector>(
        &mut self,
        v: &mut impl VelocityStore<Self::Velocity>,
        past: &mut Self::History,
        mix: &AndersonStep,
        products: &mut AndersonProducts<L>,
    );

    /// v += Ĝᵀ y.
    fn scatter_impulse<L: SimdVector>(&self, v: &mut impl VelocityStore<Self::Velocity>);

    /// Adds to the sums of the residual.
    fn add_residual<L: SimdVector>(&self, v: &impl VelocityStore<Self::Velocity>, sums: &mut ResidualSums<L>);

    /// The swept impulse of a row.
    fn impulse(&mut self, row: usize) -> &mut F64x4;

    /// No direction.
    fn forget(&mut self);
}

/// What is the same for all kinds of contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactData<'a> {
    pub contact: usize,
    pub mu: f64,
    pub kappa: f64,
    pub given: [f64; 3],
    pub block: &'a [f64],
}

/// The lanes that are not empty, with what is the same for all kinds.
#[inline(always)]
pub(super) fn contact_data<'a>(
    contact: [u32; LANES],
    problem: &'a Problem,
    kinetic: &'a FactoredDelassus,
    rows: usize,
) -> impl Iterator<Item = (usize, ContactData<'a>)> {
    let seated = (0..LANES).filter(move |&lane| contact[lane] != NONE);
    seated.map(move |lane| {
        let contact = contact[lane] as usize;
        (lane, ContactData::of(problem, kinetic, contact, rows))
    })
}

impl<'a> ContactData<'a> {
    /// Of a contact of `rows` rows.
    #[inline(always)]
    pub fn of(problem: &'a Problem, kinetic: &FactoredDelassus, contact: usize, rows: usize) -> Self {
        let first = problem.offset()[contact];
        let given = if rows == 2 {
            let [n, t] = kinetic.affine_terms(first);
            [n, t, 0.0]
        } else {
            kinetic.affine_terms(first)
        };
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
