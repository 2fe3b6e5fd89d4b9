//! One pass over the contacts of a step for all observables of contact forces and watches.

use percuss_bodies::{Contact, Vector, World};
use percuss_contact::law::Status;
use percuss_scene::bodies_scene::Watch;
use percuss_scene::bodies_scene::names::quantity::WatchQuantity;

use super::observed_dim::ObservedDim;

/// Slot of a body whose forces are not requested.
const NOBODY: u32 = u32::MAX;

/// Contact forces on the requested bodies and at the requested watches in the last step.
#[derive(Debug, Default)]
pub(super) struct ContactTally {
    /// Whether anything is requested.
    needed: bool,
    /// Slot of each body; empty where no body is requested.
    slots: Vec<u32>,
    bodies: Vec<Pushed>,
    watches: Vec<(usize, Sides, Seen)>,
    /// Number of contacts with an impulse.
    pub carrying: usize,
    /// Number of those that slide.
    pub sliding: usize,
}

/// Sum of the contact forces on a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pushed {
    pub force: [f64; 3],
    pub torque: [f64; 3],
    pub contacts: usize,
}

/// Side of a watch each body is on: bit 0 the first, bit 1 the second.
#[derive(Debug)]
pub(super) struct Sides(Vec<u8>);

impl Sides {
    pub fn of(watch: &Watch, bodies: usize) -> Self {
        // A body may be on both sides.
        let mut sides = vec![0; bodies];
        for (members, bit) in [(&watch.first, 1), (&watch.second, 2)] {
            for &body in members {
                if let Some(side) = sides.get_mut(body as usize) {
                    *side |= bit;
                }
            }
        }
        Self(sides)
    }

    /// Whether a pair has one body on each side.
    pub fn watches(&self, [a, b]: [u32; 2]) -> bool {
        let side = |body: u32| self.0.get(body as usize).copied().unwrap_or(0);
        let (a, b) = (side(a), side(b));
        a & 1 != 0 && b & 2 != 0 || a & 2 != 0 && b & 1 != 0
    }
}

/// Contacts of a watch in the last step.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    detected: bool,
    contacts: usize,
    sliding: usize,
    gap: f64,
    force: f64,
    friction: f64,
    slip: f64,
}

impl ContactTally {
    /// Requests the numbers of contacts.
    pub fn count(&mut self) {
        self.needed = true;
    }

    /// Requests the forces on these bodies; there are `total` bodies.
    pub fn follow(&mut self, bodies: &[u32], total: usize) {
        self.needed = true;
        self.slots.resize(total, NOBODY);
        // A slot for each requested body, the same for repeated requests.
        for &body in bodies {
            if let Some(slot) = self.slots.get_mut(body as usize)
                && *slot == NOBODY
            {
                *slot = self.bodies.len() as u32;
                self.bodies.push(Pushed::default());
            }
        }
    }

    /// Requests a watch.
    pub fn watch(&mut self, number: usize, watch: &Watch, total: usize) {
        self.needed = true;
        if !self.watches.iter().any(|(known, ..)| *known == number) {
            let entry = (number, Sides::of(watch, total), Seen::default());
            self.watches.push(entry);
        }
    }

    /// Contact forces on a requested body.
    pub fn pushed(&self, body: u32) -> Pushed {
        let slot = self.slots.get(body as usize).copied().unwrap_or(NOBODY);
        self.bodies.get(slot as usize).copied().unwrap_or_default()
    }

    /// A quantity of a watch.
    pub fn seen(&self, number: usize, what: WatchQuantity) -> f64 {
        let entry = self.watches.iter().find(|(known, ..)| *known == number);
        let Some((_, _, seen)) = entry else {
            return 0.0;
        };
        match what {
            WatchQuantity::Contacts => seen.contacts as f64,
            WatchQuantity::Sliding => seen.sliding as f64,
            WatchQuantity::Gap => seen.gap,
            WatchQuantity::Force => seen.force,
            WatchQuantity::Friction => seen.friction,
            WatchQuantity::Slip => seen.slip,
        }
    }

    /// Sums over all contacts of the last step.
    pub fn update<D: ObservedDim>(&mut self, world: &World<D>) {
        if !self.needed {
            return;
        }
        // Sums start from zero.
        (self.carrying, self.sliding) = (0, 0);
        self.bodies.fill(Pushed::default());
        for (_, _, seen) in &mut self.watches {
            *seen = Seen::default();
        }
        // Forces are impulses over the length of the step.
        let h = world.report().h;
        for index in 0..world.num_contacts() {
            let contact = world.contact(index);
            let carries = carries(&contact);
            if carries {
                self.carrying += 1;
                self.sliding += usize::from(contact.status == Status::Slip);
                self.push(&contact, h);
            }
            for (_, sides, seen) in &mut self.watches {
                if sides.watches(contact.bodies) {
                    seen.add(&contact, carries, h);
                }
            }
        }
    }

    /// Adds the impulse of a contact, over h, to the requested bodies.
    fn push<D: ObservedDim>(&mut self, contact: &Contact<'_, D>, h: f64) {
        if self.slots.is_empty() || !(h > 0.0) {
            return;
        }
        // Force from the first D rows, moment from the rolling and spinning rows.
        let frame = contact.frame.as_ref();
        let (mut force, mut moment) = (D::Vector::default(), [0.0; 3]);
        for (row, s) in contact.impulse.iter().enumerate() {
            if row < D::N {
                if let Some(axis) = frame.get(row) {
                    force += *axis * (s / h);
                }
            } else if let Some(axis) = frame.get((row - D::N + 1) % D::N) {
                // Moment rows: rolling about the tangents, then spinning about the normal.
                let axis = D::axis(*axis);
                moment = [0, 1, 2].map(|k| moment[k] + axis[k] * s / h);
            }
        }
        // Midpoint of the two contact points.
        let at = (contact.point.point_a + contact.point.point_b) * 0.5;
        let sides = contact.bodies.iter().zip(contact.centres).zip([-1.0, 1.0]);
        for ((&body, centre), sign) in sides {
            let slot = self.slots.get(body as usize).copied().unwrap_or(NOBODY);
            let Some(pushed) = self.bodies.get_mut(slot as usize) else {
                continue;
            };
            // The impulse acts at the midpoint of the step.
            let about = D::moment(at - centre, force);
            for k in 0..3 {
                pushed.force[k] += sign * force.components().get(k).copied().unwrap_or(0.0);
                pushed.torque[k] += sign * (about[k] + moment[k]);
            }
            pushed.contacts += 1;
        }
    }
}

impl Seen {
    fn add<D: ObservedDim>(&mut self, contact: &Contact<'_, D>, carries: bool, h: f64) {
        // The gap counts for all detected contacts, forces only for those with an impulse.
        let gap = contact.point.gap;
        self.gap = if self.detected {
            self.gap.min(gap)
        } else {
            gap
        };
        self.detected = true;
        if !carries {
            return;
        }
        self.contacts += 1;
        self.sliding += usize::from(contact.status == Status::Slip);
        if h > 0.0 {
            self.force += contact.impulse.first().copied().unwrap_or(0.0) / h;
            self.friction += tangential::<D>(contact.impulse) / h;
        }
        self.slip = self.slip.max(tangential::<D>(contact.end));
    }
}

/// Whether a contact carries a normal impulse.
pub(super) fn carries<D: ObservedDim>(contact: &Contact<'_, D>) -> bool {
    contact.impulse.first().is_some_and(|s| *s > 0.0)
}

/// Magnitude of the tangential rows.
fn tangential<D: ObservedDim>(rows: &[f64]) -> f64 {
    let rows = rows.iter().take(D::N).skip(1);
    rows.map(|x| x * x).sum::<f64>().sqrt()
}
