//! The packs of a partition or interface, by kind.

use contact::Problem;

use super::body_velocity::{BodyVelocity, PlanarVelocity, SpatialVelocity};
use super::lanes::LANES;
use super::pack::{NONE, Pack};
use super::packer::{PackEntry, PackScheduler, Packer};
use super::planar_pack::PlanarPack;
use super::scalar_contact::ScalarContact;
use super::spatial_pack::SpatialPack;
use super::sphere_pack::SpherePack;

/// The kinds of packs of a dimension: contacts of spheres with one and two bodies, general ones with one and two.
pub(super) trait PackSet: Default + Send + Sync + std::fmt::Debug {
    type Velocity: BodyVelocity;
    type SphereOneBody: Pack<Velocity = Self::Velocity>;
    type SphereTwoBody: Pack<Velocity = Self::Velocity>;
    type GeneralOneBody: Pack<Velocity = Self::Velocity>;
    type GeneralTwoBody: Pack<Velocity = Self::Velocity>;
    /// Coordinates of a body, and rows of a contact.
    const WIDTH: usize;
    const ROWS: usize;
}

/// Packs of planar bodies. Discs have no pack of their own.
#[derive(Debug, Default)]
pub(super) struct PlanarPacks;

impl PackSet for PlanarPacks {
    type Velocity = PlanarVelocity;
    type SphereOneBody = PlanarPack<1>;
    type SphereTwoBody = PlanarPack<2>;
    type GeneralOneBody = PlanarPack<1>;
    type GeneralTwoBody = PlanarPack<2>;
    const WIDTH: usize = 3;
    const ROWS: usize = 2;
}

/// Packs of bodies in space.
#[derive(Debug, Default)]
pub(super) struct SpatialPacks;

impl PackSet for SpatialPacks {
    type Velocity = SpatialVelocity;
    type SphereOneBody = SpherePack<1>;
    type SphereTwoBody = SpherePack<2>;
    type GeneralOneBody = SpatialPack<1>;
    type GeneralTwoBody = SpatialPack<2>;
    const WIDTH: usize = 6;
    const ROWS: usize = 3;
}

/// The kind of pack that a contact belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackKind {
    SphereOneBody,
    GeneralOneBody,
    SphereTwoBody,
    GeneralTwoBody,
    Scalar,
}

/// Packs and scalar contacts, visited in the order of the fields.
#[derive(Debug)]
pub(super) struct PackList<K: PackSet> {
    ball_one: Vec<K::SphereOneBody>,
    one: Vec<K::GeneralOneBody>,
    ball_two: Vec<K::SphereTwoBody>,
    two: Vec<K::GeneralTwoBody>,
    scalar: Vec<ScalarContact>,
    past: PackHistories<K>,
    packers: [Packer; 4],
    scheduler: PackScheduler,
}

/// Anderson history by pack; empty without Anderson acceleration.
#[derive(Debug)]
struct PackHistories<K: PackSet> {
    ball_one: Vec<<K::SphereOneBody as Pack>::History>,
    one: Vec<<K::GeneralOneBody as Pack>::History>,
    ball_two: Vec<<K::SphereTwoBody as Pack>::History>,
    two: Vec<<K::GeneralTwoBody as Pack>::History>,
}

impl<K: PackSet> Default for PackList<K> {
    fn default() -> Self {
        Self {
            ball_one: Vec::new(),
            one: Vec::new(),
            ball_two: Vec::new(),
            two: Vec::new(),
            scalar: Vec::new(),
            past: PackHistories {
                ball_one: Vec::new(),
                one: Vec::new(),
                ball_two: Vec::new(),
                two: Vec::new(),
            },
            packers: Default::default(),
            scheduler: PackScheduler::default(),
        }
    }
}

/// Repeats an expression for the packs of every kind.
macro_rules! packs {
    ($shelf:expr, $packs:ident => $what:expr) => {{
        let $packs = $shelf.ball_one;
        $what;
        let $packs = $shelf.one;
        $what;
        let $packs = $shelf.ball_two;
        $what;
        let $packs = $shelf.two;
        $what;
    }};
}

/// Runs a block for every pack, with or without prefetch. Two loops: a test at every pack whether to prefetch costs a
/// tenth of a local solve in the plane.
macro_rules! visits {
    ($far:expr, $packs:ident, $v:ident, $pack:ident => $what:block) => {
        if $far {
            for at in 0..$packs.len() {
                prefetch_ahead::<L, _, _>($packs, at, &$v);
                let $pack = &mut $packs[at];
                $what
            }
        } else {
            for $pack in $packs.iter_mut() {
                $what
            }
        }
    };
}

// After the macros, which it uses.
mod kernels;

pub(super) use kernels::{AndersonKernel, FillKernel, ResidualKernel, ScatterKernel, SweepKernel};

impl<K: PackSet> PackList<K> {
    /// Removes all contacts; `apart` where each side has its own list of bodies.
    pub fn clear(&mut self, apart: bool) {
        self.ball_one.clear();
        self.one.clear();
        self.ball_two.clear();
        self.two.clear();
        self.scalar.clear();
        self.packers.iter_mut().for_each(|desk| desk.clear(apart));
    }

    /// Adds a contact.
    pub fn take(&mut self, kind: PackKind, guest: PackEntry) {
        match kind {
            PackKind::Scalar => self.scalar.push(ScalarContact::new(&guest)),
            kind => self.packers[kind as usize].take(guest),
        }
    }

    /// Builds the packs in the order of visits, after the last contact.
    pub fn close(&mut self, spare: [u32; 2]) {
        let Self {
            packers: desk,
            scheduler: spread,
            ..
        } = self;
        spread.begin(spare);
        let [ball_one, one, ball_two, two] = desk;
        // Order of visits, kind by kind.
        for (desk, sides) in [(ball_one, 1), (one, 1), (ball_two, 2), (two, 2)] {
            desk.close();
            spread.schedule(desk, sides);
        }
        // Build the packs in that order.
        let [ball_one, one, ball_two, two] = &self.packers;
        put(&mut self.ball_one, ball_one.packs(), spare);
        put(&mut self.one, one.packs(), spare);
        put(&mut self.ball_two, ball_two.packs(), spare);
        put(&mut self.two, two.packs(), spare);
    }

    /// Sets the impulses and resets the search direction.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        packs!(self.each_mut(), packs => load(packs, problem, impulse));
        // Contacts without a pack.
        for other in &mut self.scalar {
            other.forget();
            let r = &impulse[problem.rows(other.contact as usize)];
            other.y[..r.len()].copy_from_slice(r);
        }
    }

    /// Allocates the Anderson history. Old entries are not cleared: `history_len` says which are valid.
    pub fn reserve_history(&mut self) {
        let past = &mut self.past;
        past.ball_one
            .resize(self.ball_one.len(), Default::default());
        past.one.resize(self.one.len(), Default::default());
        past.ball_two
            .resize(self.ball_two.len(), Default::default());
        past.two.resize(self.two.len(), Default::default());
    }

    /// Writes the swept impulses.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        packs!(self.each_mut(), packs => store(packs, problem, impulse));
        for other in &self.scalar {
            let r = &mut impulse[problem.rows(other.contact as usize)];
            r.copy_from_slice(&other.y[..r.len()]);
        }
    }

    fn each_mut(&mut self) -> Each<'_, K> {
        Each {
            ball_one: &mut self.ball_one,
            one: &mut self.one,
            ball_two: &mut self.ball_two,
            two: &mut self.two,
        }
    }
}

struct Each<'a, K: PackSet> {
    ball_one: &'a mut [K::SphereOneBody],
    one: &'a mut [K::GeneralOneBody],
    ball_two: &'a mut [K::SphereTwoBody],
    two: &'a mut [K::GeneralTwoBody],
}

fn put<P: Pack>(packs: &mut Vec<P>, seats: &[[PackEntry; LANES]], spare: [u32; 2]) {
    for guests in seats {
        // Empty lanes keep the spare body.
        let mut pack = P::new(spare);
        for (lane, guest) in guests.iter().enumerate() {
            if guest.contact != NONE {
                pack.set_lane(lane, guest.contact, guest.bodies, guest.flip);
            }
        }
        packs.push(pack);
    }
}

fn load<P: Pack>(packs: &mut [P], problem: &Problem, impulse: &[f64]) {
    let offset = problem.offset();
    for pack in packs {
        pack.forget();
        // Copy the impulses into the lanes.
        let contact = *pack.contacts();
        for lane in 0..LANES {
            if contact[lane] != NONE {
                let rows = &impulse[offset[contact[lane] as usize]..][..P::ROWS];
                for (i, r) in rows.iter().enumerate() {
                    pack.impulse(i).0[lane] = *r;
                }
            }
        }
    }
}

fn store<P: Pack>(packs: &mut [P], problem: &Problem, impulse: &mut [f64]) {
    let offset = problem.offset();
    for pack in packs {
        // Copy the impulses out of the lanes.
        let contact = *pack.contacts();
        for lane in 0..LANES {
            if contact[lane] != NONE {
                let rows = &mut impulse[offset[contact[lane] as usize]..][..P::ROWS];
                for (i, r) in rows.iter_mut().enumerate() {
                    *r = pack.impulse(i).0[lane];
                }
            }
        }
    }
}
