//! What a pack of four contacts can do.

use contact::{FactoredDelassus, Law, Problem};

use super::iterate::{Lead, Mix, Products, Sums};
use super::lanes::{F4, Four, LANES};
use super::row::{Row, Store};

/// No contact, no body.
pub(super) const NONE: u32 = u32::MAX;

/// Which contacts are in the lanes and where their bodies are.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub(super) struct Seats<const N: usize> {
    /// [`NONE`] in an empty lane.
    pub contact: [u32; LANES],
    /// Rows of the bodies of each side.
    pub at: [[u32; LANES]; N],
    /// Whether the contact's second body is on the first side.
    pub flip: [bool; LANES],
}

impl<const N: usize> Seats<N> {
    /// Empty lanes: they move the spare body, by nothing.
    pub fn new(spare: [u32; 2]) -> Self {
        let mut at = [[0; LANES]; N];
        for (at, spare) in at.iter_mut().zip(spare) {
            *at = [spare; LANES];
        }
        Self {
            contact: [NONE; LANES],
            at,
            flip: [false; LANES],
        }
    }

    /// Puts a contact into a lane.
    pub fn sit(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool) {
        self.contact[lane] = contact;
        for (to, at) in self.at.iter_mut().zip(at) {
            to[lane] = at;
        }
        self.flip[lane] = flip;
    }

    /// Asks for the velocities of the bodies.
    #[inline(always)]
    pub fn expect<L: Four, R: Row>(&self, v: &impl Store<R>) {
        for (side, at) in self.at.iter().enumerate() {
            for &at in at {
                L::soon(v.row(side, at));
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
    type Row: Row;
    /// Differences of the last sweeps.
    type Past: Copy + Default + Send + std::fmt::Debug;
    /// Rows of a contact.
    const ROWS: usize;

    /// Empty lanes; the spare body of each side.
    fn new(spare: [u32; 2]) -> Self;

    /// Puts a contact into a lane: its bodies by side.
    fn sit(&mut self, lane: usize, contact: u32, at: [u32; 2], flip: bool);

    /// Which contact each lane is.
    fn contact(&self) -> &[u32; LANES];

    /// Asks for the velocities of its bodies.
    fn expect<L: Four>(&self, v: &impl Store<Self::Row>);

    /// Takes the numbers of its contacts from the problem.
    fn fill<L: Four>(&mut self, problem: &Problem, kinetic: &FactoredDelassus);

    /// One visit; returns ‖g‖²/κ by lane.
    fn sweep<L: Four>(&mut self, v: &mut impl Store<Self::Row>, lead: Lead) -> L;

    /// One visit that starts from a mixture of the last ones; adds to the products.
    fn mix<L: Four>(
        &mut self,
        v: &mut impl Store<Self::Row>,
        past: &mut Self::Past,
        mix: &Mix,
        products: &mut Products<L>,
    );

    /// v += Ĝᵀ y.
    fn push<L: Four>(&self, v: &mut impl Store<Self::Row>);

    /// Adds to the sums of the residual.
    fn judge<L: Four>(&self, v: &impl Store<Self::Row>, sums: &mut Sums<L>);

    /// The swept impulse of a row.
    fn impulse(&mut self, row: usize) -> &mut F4;

    /// No direction.
    fn forget(&mut self);
}

/// What is the same for all kinds of contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fact<'a> {
    pub contact: usize,
    pub mu: f64,
    pub kappa: f64,
    pub given: [f64; 3],
    pub block: &'a [f64],
}

/// The lanes that are not empty, with what is the same for all kinds.
#[inline(always)]
pub(super) fn facts<'a>(
    contact: [u32; LANES],
    problem: &'a Problem,
    kinetic: &'a FactoredDelassus,
    rows: usize,
) -> impl Iterator<Item = (usize, Fact<'a>)> {
    let seated = (0..LANES).filter(move |&lane| contact[lane] != NONE);
    seated.map(move |lane| {
        let contact = contact[lane] as usize;
        (lane, Fact::of(problem, kinetic, contact, rows))
    })
}

impl<'a> Fact<'a> {
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
