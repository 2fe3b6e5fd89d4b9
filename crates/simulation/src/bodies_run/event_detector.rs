//! Event detector: impacts, touches, detachments, stick and slip transitions at the contacts of a
//! watch.
//!
//! A pair of bodies counts as one contact, whatever the number of its contact points. As for
//! mechanisms, a pair in persistent contact may be open for a step or two and close again with the
//! speed that the forces give in one step; this is an effect of the finite step. A pair has
//! detached when it stays open for more than [`GRACE`] steps, and a closing speed above [`SPEED`]
//! times what the forces explain is an impact.

use std::collections::BTreeMap;

use std::any::Any;

use percuss_bodies::{Contact, Vector, World};
use percuss_body_system::{BodyEvent, BodyMotion, EventSource};
use percuss_contact::law::Status;
use percuss_mechanism::{Event, EventKind};
use percuss_scene::bodies_scene::NameTable;
use serde::{Deserialize, Serialize};

use super::contact_tally::{Sides, carries};
use super::observed_dim::ObservedDim;

/// Number of steps for which a closed pair may be open before it counts as detached.
const GRACE: usize = 4;

/// A pair that closes within the grace period has an impact if its approach speed exceeds this
/// multiple of the larger of two speeds: what the forces give in a step, and the approach of its
/// last step.
const SPEED: f64 = 4.0;

/// A watched pair that counts as closed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Pair {
    /// Steps since it last carried an impulse.
    open: usize,
    /// Instant at which it last carried an impulse.
    last: f64,
    /// Its contact status then.
    #[serde(with = "percuss_bodies::did")]
    status: Status,
    /// Its approach speed then.
    approach: f64,
    /// Its normal velocity at the end of that step.
    parting: f64,
}

/// The contact points of a pair in a step in which it carries an impulse, taken together.
#[derive(Debug, Clone, Copy)]
struct Strike {
    bodies: [u32; 2],
    /// Normal velocities, before and after, of the point that approaches fastest.
    before: f64,
    after: f64,
    /// Sliding if all points slide.
    status: Status,
}

/// One watch, with its closed pairs.
#[derive(Debug)]
struct Watched {
    number: usize,
    what: Target,
    pairs: BTreeMap<[u32; 2], Pair>,
}

/// What is watched.
#[derive(Debug)]
enum Target {
    /// Contacts of two sets of bodies.
    Contacts(Sides),
    /// The limits, or the pin with play, of a joint.
    Joint(usize),
}

/// State of the detector at a checkpoint: number of steps, and the closed pairs of each watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct EventDetectorCheckpoint {
    steps: usize,
    pairs: Vec<BTreeMap<[u32; 2], Pair>>,
}

/// Detects events from successive steps.
#[derive(Debug)]
pub(super) struct EventDetector {
    watches: Vec<Watched>,
    steps: usize,
    /// All events so far, in order of time.
    pub events: Vec<Event>,
}

impl EventDetector {
    /// Observes the watches of these numbers, and, beyond them, joints.
    pub fn new(glossary: &NameTable<'_>, numbers: &[usize]) -> Self {
        let total = glossary.names.bodies.len();
        let watches = &glossary.names.watches;
        let watched = numbers.iter().map(|&number| Watched {
            number,
            what: match watches.get(number) {
                Some(watch) => Target::Contacts(Sides::of(watch, total)),
                None => Target::Joint(number - watches.len()),
            },
            pairs: BTreeMap::new(),
        });
        Self {
            watches: watched.collect(),
            steps: 0,
            events: Vec::new(),
        }
    }

    /// Takes the end of a step.
    pub fn step<D: ObservedDim>(&mut self, world: &World<D>) {
        self.steps += 1;
        if self.watches.is_empty() {
            return;
        }
        // An event-driven motion knows its events.
        if let Some(stepper) = world.stepper() {
            let stepper: &dyn Any = stepper;
            if let Some(motion) = stepper.downcast_ref::<BodyMotion<D>>() {
                self.take(&motion.events());
            }
            return;
        }
        let ledger = world.report();
        // The step, with the speed that gravity gives in it.
        let span = Span {
            begin: ledger.t - ledger.h,
            end: ledger.t,
            young: self.steps <= GRACE,
            fall: ledger.h * world.model().gravity.norm(),
            pushed: !world.model().force_fields.is_empty(),
        };
        let first = self.events.len();
        for watch in &mut self.watches {
            watch.step(world, &span, &mut self.events);
        }
        // A detachment is known only after the grace period, with an earlier time.
        self.events[first..].sort_by(|a, b| a.t.total_cmp(&b.t));
    }

    /// Takes the events of an interval of an event-driven motion.
    fn take(&mut self, events: &[BodyEvent]) {
        for found in events {
            for watch in &self.watches {
                let own = match (&watch.what, found.source) {
                    (Target::Contacts(sides), EventSource::Bodies(bodies)) => {
                        sides.watches(bodies.map(|body| body as u32))
                    }
                    (Target::Joint(joint), EventSource::Joint(found)) => *joint == found,
                    _ => false,
                };
                if own {
                    self.events.push(event(found.t, watch.number, found.kind));
                }
            }
        }
    }

    /// State for a checkpoint, without the events.
    pub fn checkpoint(&self) -> EventDetectorCheckpoint {
        let pairs = self.watches.iter().map(|watch| watch.pairs.clone());
        EventDetectorCheckpoint {
            steps: self.steps,
            pairs: pairs.collect(),
        }
    }

    /// Restores the state of a checkpoint, and these events.
    pub fn restore(&mut self, memory: EventDetectorCheckpoint, events: Vec<Event>) {
        self.steps = memory.steps;
        self.events = events;
        for (watch, pairs) in self.watches.iter_mut().zip(memory.pairs) {
            watch.pairs = pairs;
        }
    }

    /// All events, in order of time.
    pub fn into_events(mut self) -> Vec<Event> {
        self.events.sort_by(|a, b| a.t.total_cmp(&b.t));
        self.events
    }
}

/// A step as the watches see it.
struct Span {
    begin: f64,
    end: f64,
    /// One of the first steps: contacts that close without speed were closed at the start.
    young: bool,
    /// Speed that gravity gives in a step.
    fall: f64,
    /// Whether there are forces other than gravity.
    pushed: bool,
}

impl Watched {
    /// Gathers the contact points of each pair and ages the pairs without impulse.
    fn step<D: ObservedDim>(&mut self, world: &World<D>, span: &Span, events: &mut Vec<Event>) {
        let mut strike: Option<Strike> = None;
        if let Target::Joint(joint) = self.what {
            self.limits(world, joint, span, events);
        }
        // Contacts with an impulse, grouped by pair.
        for index in 0..world.num_contacts() {
            let contact = world.contact(index);
            if !carries(&contact) || !self.sees(world, &contact) {
                continue;
            }
            // Contacts are sorted by bodies, so the points of a pair follow each other.
            match &mut strike {
                Some(known) if known.bodies == contact.bodies => known.add(&contact),
                _ => {
                    if let Some(done) = strike.replace(Strike::of(&contact)) {
                        self.closes(&done, span, events);
                    }
                }
            }
        }
        if let Some(done) = strike {
            self.closes(&done, span, events);
        }
        // Pairs without an impulse in this step; detached after the grace period.
        let number = self.number;
        self.pairs.retain(|_, pair| {
            if pair.last < span.end {
                pair.open += 1;
            }
            let opened = pair.open > GRACE;
            if opened {
                events.push(event(pair.last, number, EventKind::Detach));
            }
            !opened
        });
    }

    /// Whether a contact is watched.
    fn sees<D: ObservedDim>(&self, world: &World<D>, contact: &Contact<'_, D>) -> bool {
        match &self.what {
            Target::Contacts(sides) => sides.watches(contact.bodies),
            Target::Joint(joint) => {
                let known = &world.model().joints[*joint];
                let sides = known.frames.map(|side| side.body);
                let [a, b] = contact.bodies;
                // Jointed bodies touch by the pin alone, unless their contact is asked for.
                known.clearance.is_some()
                    && !known.contact
                    && (sides == [Some(a), Some(b)] || sides == [Some(b), Some(a)])
            }
        }
    }

    /// The limits of a joint that carry an impulse in this step.
    fn limits<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        joint: usize,
        span: &Span,
        events: &mut Vec<Event>,
    ) {
        let mut strikes = Vec::new();
        world.joint_rows(&mut |row| {
            // Rows of limits point into the admissible range.
            if row.joint == joint && row.part == "limit" && row.impulse > 0.0 {
                strikes.push(Strike {
                    bodies: [u32::MAX, joint as u32],
                    before: row.begin,
                    after: row.end,
                    status: Status::Open,
                });
            }
        });
        for strike in strikes {
            self.closes(&strike, span, events);
        }
    }

    /// A pair carries an impulse in this step: impact, touch, or a change between stick and slip.
    fn closes(&mut self, strike: &Strike, span: &Span, events: &mut Vec<Event>) {
        let (number, middle) = (self.number, 0.5 * (span.begin + span.end));
        let known = self.pairs.get(&strike.bodies).copied();
        let approach = known.map_or(0.0, |pair| pair.approach);
        // Approach speed that the forces explain.
        let mut forced = span.fall.max(approach);
        if let Some(pair) = known.filter(|pair| span.pushed && pair.open > 0) {
            // Mean change of the normal velocity per step while the pair was open.
            forced = forced.max((strike.before - pair.parting).abs() / pair.open as f64);
        }
        // Faster than the forces explain: an impact.
        let fast = -strike.before > SPEED * forced;
        let mut status = known.map_or(strike.status, |pair| pair.status);
        // Persistent contact: only the friction status may change.
        if known.is_some() && !fast {
            let kind = match (status, strike.status) {
                (Status::Stick, Status::Slip) => Some(EventKind::Slip),
                (Status::Slip, Status::Stick) => Some(EventKind::Stick),
                _ => None,
            };
            events.extend(kind.map(|kind| event(middle, number, kind)));
        // A new contact, or an impact of a pair within its grace period.
        } else {
            if let Some(pair) = known.filter(|pair| pair.open > 0) {
                events.push(event(pair.last, number, EventKind::Detach));
            }
            let still = span.young && !fast || !(strike.before < 0.0);
            events.push(match still {
                true => event(middle, number, EventKind::Touch),
                false => {
                    let (before, after) = (strike.before, strike.after);
                    event(middle, number, EventKind::Impact { before, after })
                }
            });
        }
        // An open contact point has no friction status: the last one is kept.
        if strike.status != Status::Open {
            status = strike.status;
        }
        let pair = Pair {
            open: 0,
            last: span.end,
            status,
            approach: (-strike.before).max(0.0),
            parting: strike.after,
        };
        self.pairs.insert(strike.bodies, pair);
    }
}

impl Strike {
    fn of<D: ObservedDim>(contact: &Contact<'_, D>) -> Self {
        let normal = |rows: &[f64]| rows.first().copied().unwrap_or(0.0);
        Self {
            bodies: contact.bodies,
            before: normal(contact.begin),
            after: normal(contact.end),
            status: contact.status,
        }
    }

    /// Adds a contact point: the fastest approach counts, and one sticking point makes the pair
    /// stick.
    fn add<D: ObservedDim>(&mut self, contact: &Contact<'_, D>) {
        let other = Self::of(contact);
        if other.before < self.before {
            (self.before, self.after) = (other.before, other.after);
        }
        if other.status != Status::Slip {
            self.status = other.status;
        }
    }
}

fn event(t: f64, watch: usize, kind: EventKind) -> Event {
    Event {
        t,
        constraint: watch,
        kind,
    }
}
