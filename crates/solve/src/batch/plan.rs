//! Which bodies are treated together, and which contacts.
//!
//! Bodies are put in order along a space-filling curve where the problem says where they are, and cut into
//! blocks of equal size: a block and its contacts fit into the cache of one core. Contacts between two
//! blocks make a seam; seams are coloured so that in a colour no block occurs twice. A sweep is then all
//! blocks, then one colour of seams after the other, each in parallel: within a block or seam the order is
//! fixed, and what runs at the same time shares nothing. So the bits do not depend on the number of threads.
//!
//! All of it is a function of the problem. What was planned for the same list of contacts is kept.

use contact::{FactoredDelassus, Law, DelassusOperator, Problem};

use super::other::WIDE;
use super::pack::NONE;
use super::shelf::{Kind, Kinds};

/// Bodies of a block at most. With three contacts each, of 220 bytes, it is about as large as the cache
/// of a core; in space a quarter of the contacts are then in seams.
pub(super) const BLOCK: usize = 2048;

/// Colours told apart; what needs more has a colour of its own.
const COLOURS: u32 = u128::BITS;

/// What a contact is: its kind and its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    pub kind: Kind,
    pub groups: [u32; 2],
}

/// Where a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Home {
    pub block: u32,
    pub row: u32,
}

/// Contacts between two blocks: a part of `Plan::across`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joint {
    pub blocks: [u32; 2],
    pub first: usize,
    pub last: usize,
    pub colour: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub sign: Vec<Sign>,
    pub home: Vec<Home>,
    /// Groups along the curve.
    pub order: Vec<u32>,
    pub num_blocks: usize,
    /// (block, block, contact) of contacts between blocks, sorted.
    pub across: Vec<(u32, u32, u32)>,
    /// Seams, sorted by colour.
    pub joints: Vec<Joint>,
    used: Vec<u128>,
    old: (Vec<Sign>, Vec<Home>),
}

/// Coordinates of every group where they are bodies, contacts of at most six rows and two bodies, and some of
/// Coulomb's law: 3 or 6.
pub(super) fn width(problem: &Problem) -> Option<usize> {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return None;
    };
    let offset = kinetic.group_offset();
    let width = offset.get(1).copied().filter(|w| *w == 3 || *w == 6)?;
    let even = offset
        .iter()
        .enumerate()
        .all(|(k, first)| *first == width * k);
    let rows = problem.offset().windows(2).enumerate();
    let mut narrow = rows
        .map(|(a, rows)| rows[1] - rows[0] <= WIDE && (1..=2).contains(&kinetic.num_groups_of(a)));
    // Contacts that are all visited alone gain nothing here.
    let packed = problem
        .laws()
        .iter()
        .any(|law| matches!(law, Law::Coulomb { .. }));
    (even && packed && narrow.all(|narrow| narrow)).then_some(width)
}

/// Below this share of h_tt the tangential part of a planar contact is taken for singular and visited
/// alone, where rounding is looked at: four orders above where `contact::law` draws the line.
const SINGULAR: f64 = 1e-8;

impl Plan {
    /// Plans a problem; false if it is as before.
    pub fn fit<K: Kinds>(&mut self, problem: &Problem, kinetic: &FactoredDelassus) -> bool {
        std::mem::swap(&mut self.sign, &mut self.old.0);
        std::mem::swap(&mut self.home, &mut self.old.1);
        self.sign.clear();
        let contacts = 0..problem.num_contacts();
        self.sign
            .extend(contacts.map(|a| sign::<K>(problem, kinetic, a)));
        self.settle(kinetic);
        if self.sign == self.old.0 && self.home == self.old.1 {
            return false;
        }
        // So that the next step, if it is like this one, allocates nothing.
        self.old.0.clear();
        self.old.0.reserve(self.sign.len());
        self.old.1.clear();
        self.old.1.reserve(self.home.len());
        self.join();
        true
    }

    /// Blocks of bodies along the curve.
    fn settle(&mut self, kinetic: &FactoredDelassus) {
        let n = kinetic.num_groups();
        self.num_blocks = n.div_ceil(BLOCK).max(1);
        let size = n.div_ceil(self.num_blocks).max(1);
        self.order.clear();
        self.order.extend(0..n as u32);
        let place = kinetic.curve_keys();
        if self.num_blocks > 1 && place.len() == n {
            self.order.sort_unstable_by_key(|&g| (place[g as usize], g));
        }
        self.home.clear();
        self.home.resize(n, Home::default());
        for (k, &g) in self.order.iter().enumerate() {
            self.home[g as usize] = Home {
                block: (k / size) as u32,
                row: (k % size) as u32,
            };
        }
    }

    /// The members of a block, in order.
    pub fn members(&self, block: usize) -> &[u32] {
        let size = self.order.len().div_ceil(self.num_blocks).max(1);
        self.order.chunks(size).nth(block).unwrap_or(&[])
    }

    /// Seams and their colours.
    fn join(&mut self) {
        self.across.clear();
        for (contact, sign) in self.sign.iter().enumerate() {
            let [a, b] = self.blocks(sign);
            if a != b {
                self.across.push((a.min(b), a.max(b), contact as u32));
            }
        }
        self.across.sort_unstable();
        self.joints.clear();
        for (at, &(a, b, _)) in self.across.iter().enumerate() {
            match self.joints.last_mut() {
                Some(joint) if joint.blocks == [a, b] => joint.last = at + 1,
                _ => self.joints.push(Joint {
                    blocks: [a, b],
                    first: at,
                    last: at + 1,
                    colour: 0,
                }),
            }
        }
        self.used.clear();
        self.used.resize(self.num_blocks, 0);
        let mut beyond = COLOURS;
        for joint in &mut self.joints {
            let [a, b] = joint.blocks.map(|block| block as usize);
            joint.colour = (self.used[a] | self.used[b]).trailing_ones();
            if joint.colour < COLOURS {
                self.used[a] |= 1 << joint.colour;
                self.used[b] |= 1 << joint.colour;
            } else {
                joint.colour = beyond;
                beyond += 1;
            }
        }
        self.joints.sort_by_key(|joint| joint.colour);
    }

    /// The blocks of the bodies of a contact; the same twice where there is one body.
    fn blocks(&self, sign: &Sign) -> [u32; 2] {
        let [a, b] = sign.groups;
        let first = self.home[a as usize].block;
        [
            first,
            if b == NONE {
                first
            } else {
                self.home[b as usize].block
            },
        ]
    }

    /// Whether a contact is within a block, and which.
    pub fn within(&self, sign: &Sign) -> Option<usize> {
        let [a, b] = self.blocks(sign);
        (a == b).then_some(a as usize)
    }
}

/// Which pack a contact goes to, and its bodies.
#[inline]
fn sign<K: Kinds>(problem: &Problem, kinetic: &FactoredDelassus, contact: usize) -> Sign {
    let mut groups = [NONE; 2];
    let mut count = 0;
    for (to, first) in groups.iter_mut().zip(kinetic.first_coordinates(contact)) {
        *to = (first / K::WIDTH) as u32;
        count += 1;
    }
    let one = count == 1;
    let kind = if !usual::<K>(problem, contact) {
        Kind::Other
    } else if K::WIDTH == 6 && kinetic.sphere_contact(contact).is_some() {
        if one { Kind::BallOne } else { Kind::BallTwo }
    } else if one {
        Kind::One
    } else {
        Kind::Two
    };
    Sign { kind, groups }
}

/// Coulomb's law in the usual rows, and a block that the packs can divide by.
fn usual<K: Kinds>(problem: &Problem, contact: usize) -> bool {
    let Law::Coulomb { .. } = problem.law(contact) else {
        return false;
    };
    if problem.dim(contact) != K::ROWS {
        return false;
    }
    let h = problem.diagonal_block(contact);
    K::WIDTH != 3 || h[3] * h[0] - h[1] * h[1] > SINGULAR * h[3] * h[0]
}
