//! The packs of a set of contacts, kind by kind.

use contact::Problem;

use super::ball::Ball;
use super::desk::{Desk, Guest, Spread};
use super::flat::Flat;
use super::lanes::LANES;
use super::other::Other;
use super::pack::{NONE, Pack};
use super::row::{PlaneRow, Row, SpaceRow};
use super::solid::Solid;

/// Which kinds of packs a dimension has: balls of one and two bodies, others of one and two.
pub(super) trait Kinds: Default + Send + Sync + std::fmt::Debug {
    type Row: Row;
    type BallOne: Pack<Row = Self::Row>;
    type BallTwo: Pack<Row = Self::Row>;
    type One: Pack<Row = Self::Row>;
    type Two: Pack<Row = Self::Row>;
    /// Coordinates of a body, and rows of a contact.
    const WIDTH: usize;
    const ROWS: usize;
}

/// Bodies of the plane. Discs have no form of their own.
#[derive(Debug, Default)]
pub(super) struct InPlane;

impl Kinds for InPlane {
    type Row = PlaneRow;
    type BallOne = Flat<1>;
    type BallTwo = Flat<2>;
    type One = Flat<1>;
    type Two = Flat<2>;
    const WIDTH: usize = 3;
    const ROWS: usize = 2;
}

/// Bodies of space.
#[derive(Debug, Default)]
pub(super) struct InSpace;

impl Kinds for InSpace {
    type Row = SpaceRow;
    type BallOne = Ball<1>;
    type BallTwo = Ball<2>;
    type One = Solid<1>;
    type Two = Solid<2>;
    const WIDTH: usize = 6;
    const ROWS: usize = 3;
}

/// The kind of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    BallOne,
    One,
    BallTwo,
    Two,
    Other,
}

/// See the module. Visited in this order.
#[derive(Debug)]
pub(super) struct Shelf<K: Kinds> {
    ball_one: Vec<K::BallOne>,
    one: Vec<K::One>,
    ball_two: Vec<K::BallTwo>,
    two: Vec<K::Two>,
    other: Vec<Other>,
    past: Pasts<K>,
    desk: [Desk; 4],
    spread: Spread,
}

/// Differences of the last sweeps, pack by pack; empty where nobody mixes.
#[derive(Debug)]
struct Pasts<K: Kinds> {
    ball_one: Vec<<K::BallOne as Pack>::Past>,
    one: Vec<<K::One as Pack>::Past>,
    ball_two: Vec<<K::BallTwo as Pack>::Past>,
    two: Vec<<K::Two as Pack>::Past>,
}

impl<K: Kinds> Default for Shelf<K> {
    fn default() -> Self {
        Self {
            ball_one: Vec::new(),
            one: Vec::new(),
            ball_two: Vec::new(),
            two: Vec::new(),
            other: Vec::new(),
            past: Pasts {
                ball_one: Vec::new(),
                one: Vec::new(),
                ball_two: Vec::new(),
                two: Vec::new(),
            },
            desk: Default::default(),
            spread: Spread::default(),
        }
    }
}

/// The same for the packs of every kind.
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

/// The same for pack after pack. Two loops, because the question at every pack whether to ask for others costs
/// a tenth of a visit in the plane.
macro_rules! visits {
    ($far:expr, $packs:ident, $v:ident, $pack:ident => $what:block) => {
        if $far {
            for at in 0..$packs.len() {
                ahead::<L, _, _>($packs, at, &$v);
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
mod jobs;

pub(super) use jobs::{Fill, Judge, Mixed, Push, Sweep};

impl<K: Kinds> Shelf<K> {
    /// Empty; `apart` where the two sides are lists of their own.
    pub fn clear(&mut self, apart: bool) {
        self.ball_one.clear();
        self.one.clear();
        self.ball_two.clear();
        self.two.clear();
        self.other.clear();
        self.desk.iter_mut().for_each(|desk| desk.clear(apart));
    }

    /// Takes a contact in.
    pub fn take(&mut self, kind: Kind, guest: Guest) {
        match kind {
            Kind::Other => self.other.push(Other::new(&guest)),
            kind => self.desk[kind as usize].take(guest),
        }
    }

    /// After the last contact: packs with their seats, in the order of visits.
    pub fn close(&mut self, spare: [u32; 2]) {
        let Self { desk, spread, .. } = self;
        spread.begin(spare);
        let [ball_one, one, ball_two, two] = desk;
        for (desk, sides) in [(ball_one, 1), (one, 1), (ball_two, 2), (two, 2)] {
            desk.close();
            spread.order(desk, sides);
        }
        let [ball_one, one, ball_two, two] = &self.desk;
        put(&mut self.ball_one, ball_one.packs(), spare);
        put(&mut self.one, one.packs(), spare);
        put(&mut self.ball_two, ball_two.packs(), spare);
        put(&mut self.two, two.packs(), spare);
    }

    /// Starts from these impulses, without a direction.
    pub fn load(&mut self, problem: &Problem, impulse: &[f64]) {
        packs!(self.each_mut(), packs => load(packs, problem, impulse));
        for other in &mut self.other {
            other.forget();
            let r = &impulse[problem.rows(other.contact as usize)];
            other.y[..r.len()].copy_from_slice(r);
        }
    }

    /// Makes room for the differences of sweeps. What was there is not cleared: it is not known.
    pub fn recall(&mut self) {
        let past = &mut self.past;
        past.ball_one
            .resize(self.ball_one.len(), Default::default());
        past.one.resize(self.one.len(), Default::default());
        past.ball_two
            .resize(self.ball_two.len(), Default::default());
        past.two.resize(self.two.len(), Default::default());
    }

    /// The swept impulses.
    pub fn store(&mut self, problem: &Problem, impulse: &mut [f64]) {
        packs!(self.each_mut(), packs => store(packs, problem, impulse));
        for other in &self.other {
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

struct Each<'a, K: Kinds> {
    ball_one: &'a mut [K::BallOne],
    one: &'a mut [K::One],
    ball_two: &'a mut [K::BallTwo],
    two: &'a mut [K::Two],
}

fn put<P: Pack>(packs: &mut Vec<P>, seats: &[[Guest; LANES]], spare: [u32; 2]) {
    for guests in seats {
        let mut pack = P::new(spare);
        for (lane, guest) in guests.iter().enumerate() {
            if guest.contact != NONE {
                pack.sit(lane, guest.contact, guest.at, guest.flip);
            }
        }
        packs.push(pack);
    }
}

fn load<P: Pack>(packs: &mut [P], problem: &Problem, impulse: &[f64]) {
    let offset = problem.offset();
    for pack in packs {
        pack.forget();
        let contact = *pack.contact();
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
        let contact = *pack.contact();
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
