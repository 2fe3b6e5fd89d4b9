//! The packs of a partition or interface, by kind.

use percuss_contact::Problem;

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
    sphere_one_body: Vec<K::SphereOneBody>,
    general_one_body: Vec<K::GeneralOneBody>,
    sphere_two_body: Vec<K::SphereTwoBody>,
    general_two_body: Vec<K::GeneralTwoBody>,
    scalar: Vec<ScalarContact>,
    history: PackHistories<K>,
    packers: [Packer; 4],
    scheduler: PackScheduler,
}

/// Anderson history by pack; empty without Anderson acceleration.
#[derive(Debug)]
struct PackHistories<K: PackSet> {
    sphere_one_body: Vec<<K::SphereOneBody as Pack>::History>,
    general_one_body: Vec<<K::GeneralOneBody as Pack>::History>,
    sphere_two_body: Vec<<K::SphereTwoBody as Pack>::History>,
    general_two_body: Vec<<K::GeneralTwoBody as Pack>::History>,
}

impl<K: PackSet> Default for PackList<K> {
    fn default() -> Self {
        Self {
            sphere_one_body: Vec::new(),
            general_one_body: Vec::new(),
            sphere_two_body: Vec::new(),
            general_two_body: Vec::new(),
            scalar: Vec::new(),
            history: PackHistories {
                sphere_one_body: Vec::new(),
                general_one_body: Vec::new(),
                sphere_two_body: Vec::new(),
                general_two_body: Vec::new(),
            },
            packers: Default::default(),
            scheduler: PackScheduler::default(),
        }
    }
}

/// Repeats an expression for the packs of every kind.
macro_rules! for_each_pack_kind {
    ($list:expr, $packs:ident => $what:expr) => {{
        let $packs = $list.sphere_one_body;
        $what;
        let $packs = $list.general_one_body;
        $what;
        let $packs = $list.sphere_two_body;
        $what;
        let $packs = $list.general_two_body;
        $what;
    }};
}

/// Runs a block for every pack, with or without prefetch. Two loops: a test at every pack whether to prefetch costs a
/// tenth of a local solve in the plane.
macro_rules! for_each_pack {
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
        // Packs and scalar contacts; the memory is kept.
        self.sphere_one_body.clear();
        self.general_one_body.clear();
        self.sphere_two_body.clear();
        self.general_two_body.clear();
        self.scalar.clear();
        self.packers
            .iter_mut()
            .for_each(|packer| packer.clear(apart));
    }

    /// Adds a contact.
    pub fn take(&mut self, kind: PackKind, entry: PackEntry) {
        match kind {
            PackKind::Scalar => self.scalar.push(ScalarContact::new(&entry)),
            kind => self.packers[kind as usize].take(entry),
        }
    }

    /// Builds the packs in the order of visits, after the last contact.
    pub fn close(&mut self, spare: [u32; 2]) {
        let Self {
            packers, scheduler, ..
        } = self;
        scheduler.begin(spare);
        let [
            sphere_one_body,
            general_one_body,
            sphere_two_body,
            general_two_body,
        ] = packers;
        // Order of visits, kind by kind.
        for (packer, sides) in [
            (sphere_one_body, 1),
            (general_one_body, 1),
            (sphere_two_body, 2),
            (general_two_body, 2),
        ] {
            packer.close();
            scheduler.schedule(packer, sides);
        }
        // Build the packs in that order.
        let [
            sphere_one_body,
            general_one_body,
            sphere_two_body,
            general_two_body,
        ] = &self.packers;
        put(&mut self.sphere_one_body, sphere_one_body.packs(), spare);
        put(&mut self.general_one_body, general_one_body.packs(), spare);
        put(&mut self.sphere_two_body, sphere_two_body.packs(), spare);
        put(&mut self.general_two_body, general_two_body.packs(), spare);
    }

    /// Sets the impulses and resets the search direction.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        for_each_pack_kind!(self.each_mut(), packs => load(packs, problem, impulse));
        // Contacts without a pack.
        for other in &mut self.scalar {
            other.forget();
            let r = &impulse[problem.rows(other.contact as usize)];
            other.y[..r.len()].copy_from_slice(r);
        }
    }

    /// Allocates the Anderson history. Old entries are not cleared: `history_len` says which are valid.
    pub fn reserve_history(&mut self) {
        // One history for each pack.
        let history = &mut self.history;
        history
            .sphere_one_body
            .resize(self.sphere_one_body.len(), Default::default());
        history
            .general_one_body
            .resize(self.general_one_body.len(), Default::default());
        history
            .sphere_two_body
            .resize(self.sphere_two_body.len(), Default::default());
        history
            .general_two_body
            .resize(self.general_two_body.len(), Default::default());
    }

    /// Writes the swept impulses.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        for_each_pack_kind!(self.each_mut(), packs => store(packs, problem, impulse));
        // Contacts without a pack.
        for other in &self.scalar {
            let r = &mut impulse[problem.rows(other.contact as usize)];
            r.copy_from_slice(&other.y[..r.len()]);
        }
    }

    fn each_mut(&mut self) -> Each<'_, K> {
        Each {
            sphere_one_body: &mut self.sphere_one_body,
            general_one_body: &mut self.general_one_body,
            sphere_two_body: &mut self.sphere_two_body,
            general_two_body: &mut self.general_two_body,
        }
    }
}

struct Each<'a, K: PackSet> {
    sphere_one_body: &'a mut [K::SphereOneBody],
    general_one_body: &'a mut [K::GeneralOneBody],
    sphere_two_body: &'a mut [K::SphereTwoBody],
    general_two_body: &'a mut [K::GeneralTwoBody],
}

fn put<P: Pack>(packs: &mut Vec<P>, lists: &[[PackEntry; LANES]], spare: [u32; 2]) {
    for entries in lists {
        // Empty lanes keep the spare body.
        let mut pack = P::new(spare);
        for (lane, entry) in entries.iter().enumerate() {
            if entry.contact != NONE {
                pack.set_lane(lane, entry.contact, entry.bodies, entry.flip);
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
