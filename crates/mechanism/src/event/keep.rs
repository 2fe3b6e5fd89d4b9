//! What the event-driven integrator remembers beside its state.

use serde::{Deserialize, Serialize};

use super::shape::{Grip, Mode};
use super::{EventDriven, Now};
use crate::error::MechanismError;
use crate::saved::{Memory, Saved};
use crate::state::Event;
use crate::system::System;

/// What the event-driven integrator remembers beside its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    now: Now,
    events: Vec<Event>,
    /// Whether the first interval is still to come: what happened at the start belongs to it, and a
    /// motion from the same initial state has it.
    opening: bool,
}

impl<S: System> EventDriven<S> {
    pub(super) fn keep(&self) -> Saved {
        Saved {
            state: self.state.clone(),
            ledger: self.ledger,
            memory: Memory::Events(Remembered {
                now: self.now.clone(),
                events: self.events.clone(),
                opening: self.opening.is_some(),
            }),
        }
    }

    pub(super) fn put_back(&mut self, saved: Saved) -> Result<(), MechanismError> {
        let fits = saved.fits(&self.state);
        let Memory::Events(remembered) = saved.memory else {
            return Err(MechanismError::Foreign);
        };
        if !(fits && self.knows(&remembered)) {
            return Err(MechanismError::Foreign);
        }
        (self.state, self.ledger) = (saved.state, saved.ledger);
        self.now = remembered.now;
        self.events = remembered.events;
        self.traces.clear();
        if !remembered.opening {
            self.opening = None;
        }
        Ok(())
    }

    /// Whether what is remembered is of this system.
    fn knows(&self, remembered: &Remembered) -> bool {
        let (now, mine) = (&remembered.now, &self.now);
        let lengths = |n: &Now| {
            let (speed, reach) = (n.speed.len(), n.reach.len());
            [
                n.q.len(),
                n.v.len(),
                n.modes.len(),
                speed,
                reach,
                n.bounces.len(),
            ]
        };
        let count = mine.modes.len();
        let events = remembered.events.iter().chain(&now.pending);
        lengths(now) == lengths(mine)
            && events.map(|e| e.constraint).all(|c| c < count)
            && (0..count).all(|i| self.can(i, &now.modes[i]))
            && (!remembered.opening || self.opening.is_some())
    }

    /// Whether a constraint can be in a mode at all: grips have the lengths of their parts.
    fn can(&self, constraint: usize, mode: &Mode) -> bool {
        let rows = self.system.constraints()[constraint].rows;
        let Mode::Closed { grips, .. } = mode else {
            return true;
        };
        let short = |grip: &Grip| match grip {
            Grip::Along(e) | Grip::Begin(e) => e.len() <= rows,
            _ => true,
        };
        grips.len() <= rows && grips.iter().all(short)
    }
}
