//! Partitioning (domain decomposition) and graph colouring of the contacts.
//!
//! Bodies are sorted along a space-filling curve where the problem gives its keys, and divided into partitions of equal
//! size: a partition and its contacts fit into the cache of one core. Contacts between two partitions form an
//! interface; interfaces are coloured greedily so that within a colour no partition occurs twice. A sweep runs over all
//! partitions in parallel, then over one colour of interfaces after the other, each colour in parallel. Within a
//! partition or interface the order is fixed, and tasks that run at the same time share no data: the bits do not
//! depend on the number of threads.
//!
//! The partitioning is a function of the problem. That of an unchanged list of contacts is kept.

use percuss_contact::{DelassusOperator, FactoredDelassus, Law, Problem};

use super::pack::NONE;
use super::pack_list::{PackKind, PackSet};
use super::scalar_contact::MAX_CONTACT_ROWS;

/// Largest number of bodies of a partition. With three contacts each, of 220 bytes, it is about as large as the cache
/// of a core; in space a quarter of the contacts then lie in interfaces.
pub(super) const PARTITION_SIZE: usize = 2048;

/// Largest number of colours that share a bit mask; an interface that needs more gets a colour of its own.
const COLOURS: u32 = u128::BITS;

/// Kind and groups of a contact: all that packing depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContactSignature {
    pub kind: PackKind,
    pub groups: [u32; 2],
}

/// Position of a group (body): its partition and its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PartitionSlot {
    pub partition: u32,
    pub row: u32,
}

/// The contacts of one interface: a range of [`Partitioning::interface_contacts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InterfaceRange {
    pub partitions: [u32; 2],
    pub first: usize,
    pub last: usize,
    pub colour: u32,
}

/// Partitions, interfaces and their colours; see the module.
#[derive(Debug, Default)]
pub(super) struct Partitioning {
    pub signatures: Vec<ContactSignature>,
    pub slots: Vec<PartitionSlot>,
    /// Groups in the order of the space-filling curve.
    pub order: Vec<u32>,
    pub num_partitions: usize,
    /// (partition, partition, contact) of the contacts between partitions, sorted.
    pub interface_contacts: Vec<(u32, u32, u32)>,
    /// Interfaces, sorted by colour.
    pub interfaces: Vec<InterfaceRange>,
    used: Vec<u128>,
    old: (Vec<ContactSignature>, Vec<PartitionSlot>),
}

/// Coordinates per group (3 or 6) where all groups are bodies, contacts have at most six rows and two bodies, and some
/// have Coulomb's law; `None` where the problem cannot be packed.
pub(super) fn packable_body_width(problem: &Problem) -> Option<usize> {
    let DelassusOperator::Factored(kinetic) = problem.operator() else {
        return None;
    };
    // All groups must have 3 or all 6 coordinates.
    let offset = kinetic.group_offset();
    let width = offset.get(1).copied().filter(|w| *w == 3 || *w == 6)?;
    let even = offset
        .iter()
        .enumerate()
        .all(|(k, first)| *first == width * k);
    let rows = problem.offset().windows(2).enumerate();
    let mut narrow = rows.map(|(a, rows)| {
        rows[1] - rows[0] <= MAX_CONTACT_ROWS && (1..=2).contains(&kinetic.num_groups_of(a))
    });
    // Without a Coulomb contact all would be visited one at a time, and nothing be gained.
    let packed = problem
        .laws()
        .iter()
        .any(|law| matches!(law, Law::Coulomb { .. }));
    (even && packed && narrow.all(|narrow| narrow)).then_some(width)
}

/// Below this fraction of h_tt the tangential Schur complement of a planar contact counts as singular, and the contact
/// is visited alone by the scalar law, which handles rounding: four orders above the limit of `percuss_contact::law`.
const SINGULAR: f64 = 1e-8;

impl Partitioning {
    /// Partitions the contacts of a problem; false if they are those of the last problem.
    pub fn fit<K: PackSet>(&mut self, problem: &Problem, kinetic: &FactoredDelassus) -> bool {
        // Keep the last signatures and slots for comparison.
        std::mem::swap(&mut self.signatures, &mut self.old.0);
        std::mem::swap(&mut self.slots, &mut self.old.1);
        self.signatures.clear();
        let contacts = 0..problem.num_contacts();
        self.signatures
            .extend(contacts.map(|a| signature::<K>(problem, kinetic, a)));
        // Unchanged contacts, kinds and slots: the packs stay as they are.
        self.assign_partitions(kinetic);
        if self.signatures == self.old.0 && self.slots == self.old.1 {
            return false;
        }
        // So that the next step, if it is like this one, allocates nothing.
        self.old.0.clear();
        self.old.0.reserve(self.signatures.len());
        self.old.1.clear();
        self.old.1.reserve(self.slots.len());
        self.colour_interfaces();
        true
    }

    /// Divides the bodies along the space-filling curve into partitions of equal size.
    fn assign_partitions(&mut self, kinetic: &FactoredDelassus) {
        let n = kinetic.num_groups();
        self.num_partitions = n.div_ceil(PARTITION_SIZE).max(1);
        let size = n.div_ceil(self.num_partitions).max(1);
        self.order.clear();
        self.order.extend(0..n as u32);
        // A single partition needs no order in space.
        let place = kinetic.curve_keys();
        if self.num_partitions > 1 && place.len() == n {
            self.order.sort_unstable_by_key(|&g| (place[g as usize], g));
        }
        self.slots.clear();
        self.slots.resize(n, PartitionSlot::default());
        for (k, &g) in self.order.iter().enumerate() {
            self.slots[g as usize] = PartitionSlot {
                partition: (k / size) as u32,
                row: (k % size) as u32,
            };
        }
    }

    /// Groups of a partition, in order.
    pub fn members(&self, block: usize) -> &[u32] {
        let size = self.order.len().div_ceil(self.num_partitions).max(1);
        self.order.chunks(size).nth(block).unwrap_or(&[])
    }

    /// Collects the contacts between partitions into interfaces and colours these.
    fn colour_interfaces(&mut self) {
        // Contacts whose bodies lie in different partitions.
        self.interface_contacts.clear();
        for (contact, sign) in self.signatures.iter().enumerate() {
            let [a, b] = self.partitions_of(sign);
            if a != b {
                self.interface_contacts
                    .push((a.min(b), a.max(b), contact as u32));
            }
        }
        self.interface_contacts.sort_unstable();
        // One interface per pair of partitions.
        self.interfaces.clear();
        for (at, &(a, b, _)) in self.interface_contacts.iter().enumerate() {
            match self.interfaces.last_mut() {
                Some(joint) if joint.partitions == [a, b] => joint.last = at + 1,
                _ => self.interfaces.push(InterfaceRange {
                    partitions: [a, b],
                    first: at,
                    last: at + 1,
                    colour: 0,
                }),
            }
        }
        // Greedy edge colouring: the lowest colour that neither partition has.
        self.used.clear();
        self.used.resize(self.num_partitions, 0);
        let mut beyond = COLOURS;
        for joint in &mut self.interfaces {
            let [a, b] = joint.partitions.map(|block| block as usize);
            joint.colour = (self.used[a] | self.used[b]).trailing_ones();
            if joint.colour < COLOURS {
                self.used[a] |= 1 << joint.colour;
                self.used[b] |= 1 << joint.colour;
            } else {
                joint.colour = beyond;
                beyond += 1;
            }
        }
        self.interfaces.sort_by_key(|joint| joint.colour);
    }

    /// The partitions of the bodies of a contact; the same twice where there is one body.
    fn partitions_of(&self, sign: &ContactSignature) -> [u32; 2] {
        let [a, b] = sign.groups;
        let first = self.slots[a as usize].partition;
        [
            first,
            if b == NONE {
                first
            } else {
                self.slots[b as usize].partition
            },
        ]
    }

    /// The partition that contains a contact; `None` for one of an interface.
    pub fn partition_containing(&self, sign: &ContactSignature) -> Option<usize> {
        let [a, b] = self.partitions_of(sign);
        (a == b).then_some(a as usize)
    }
}

/// Kind of pack and groups of a contact.
#[inline]
fn signature<K: PackSet>(
    problem: &Problem,
    kinetic: &FactoredDelassus,
    contact: usize,
) -> ContactSignature {
    // Bodies of the contact.
    let mut groups = [NONE; 2];
    let mut count = 0;
    for (to, first) in groups.iter_mut().zip(kinetic.first_coordinates(contact)) {
        *to = (first / K::WIDTH) as u32;
        count += 1;
    }
    let one = count == 1;
    // Kind of pack: law, shape of the block of Ĝ, number of bodies.
    let kind = if !is_packable::<K>(problem, contact) {
        PackKind::Scalar
    } else if K::WIDTH == 6 && kinetic.sphere_contact(contact).is_some() {
        if one {
            PackKind::SphereOneBody
        } else {
            PackKind::SphereTwoBody
        }
    } else if one {
        PackKind::GeneralOneBody
    } else {
        PackKind::GeneralTwoBody
    };
    ContactSignature { kind, groups }
}

/// Whether a contact has Coulomb's law in the usual rows, and a diagonal block that the packs can divide by.
fn is_packable<K: PackSet>(problem: &Problem, contact: usize) -> bool {
    let Law::Coulomb { .. } = problem.law(contact) else {
        return false;
    };
    if problem.dim(contact) != K::ROWS {
        return false;
    }
    let h = problem.diagonal_block(contact);
    K::WIDTH != 3 || h[3] * h[0] - h[1] * h[1] > SINGULAR * h[3] * h[0]
}
