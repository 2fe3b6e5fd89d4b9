//! What a time stepper remembers beside its state.

use serde::{Deserialize, Serialize};

use super::Stepper;
use super::events::Watch;
use crate::error::MechanismError;
use crate::saved::{Memory, Saved};
use crate::system::System;

/// What a time stepper remembers beside its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pending {
    watch: Watch,
    clock: (usize, f64),
    trial: f64,
    second_half: Option<(f64, f64)>,
}

impl<S: System> Stepper<S> {
    pub(super) fn keep(&self) -> Saved {
        Saved {
            state: self.state.clone(),
            ledger: self.ledger,
            memory: Memory::Steps(Pending {
                watch: self.watch.clone(),
                clock: self.clock,
                trial: self.trial,
                second_half: self.second_half,
            }),
        }
    }

    pub(super) fn put_back(&mut self, saved: Saved) -> Result<(), MechanismError> {
        let fits = saved.fits(&self.state);
        let Memory::Steps(pending) = saved.memory else {
            return Err(MechanismError::Foreign);
        };
        if !(fits && pending.watch.is_of(saved.state.status.len())) {
            return Err(MechanismError::Foreign);
        }
        self.next.clone_from(&saved.state);
        (self.state, self.ledger) = (saved.state, saved.ledger);
        self.watch = pending.watch;
        self.clock = pending.clock;
        self.trial = pending.trial;
        self.second_half = pending.second_half;
        // Touches are those of a step that this motion has not made.
        self.work.stage.clear();
        Ok(())
    }
}
