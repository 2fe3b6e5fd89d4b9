//! What a motion is continued from, to the bit.
//!
//! Beside the state itself an integrator remembers things: the count of steps that makes t = start + k h
//! exact, the length that a variable step is tried with, what the events were read off so far, and
//! event-driven the modes and recent impacts. Everything else is scratch.

use contact::law::Status;
use serde::{Deserialize, Serialize};

use crate::event::EventDrivenMemory;
use crate::state::{StepReport, State};
use crate::stepper::TimeSteppingMemory;

/// What a motion is continued from, by [`crate::Motion::restore`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MotionCheckpoint {
    pub(crate) state: State,
    pub(crate) report: StepReport,
    pub(crate) memory: IntegratorMemory,
}

/// What an integrator remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum IntegratorMemory {
    /// Time stepping.
    TimeStepping(TimeSteppingMemory),
    /// Event-driven.
    EventDriven(EventDrivenMemory),
}

impl MotionCheckpoint {
    /// Time of the state.
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// Whether it is of a system like that of `state`.
    pub(crate) fn fits(&self, state: &State) -> bool {
        let lengths = |s: &State| [s.q.len(), s.v.len(), s.impulse.len(), s.status.len()];
        lengths(&self.state) == lengths(state)
    }
}

/// A status in a file: the laws know nothing of files.
pub(crate) mod status {
    use super::{Deserialize, Status};
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    pub(crate) fn code(status: Status) -> u8 {
        match status {
            Status::Open => 0,
            Status::Stick => 1,
            Status::Slip => 2,
        }
    }

    pub(crate) fn decode<E: Error>(code: u8) -> Result<Status, E> {
        match code {
            0 => Ok(Status::Open),
            1 => Ok(Status::Stick),
            2 => Ok(Status::Slip),
            _ => Err(E::custom("a status from 0 to 2 was expected")),
        }
    }

    pub(crate) fn serialize<S: Serializer>(value: &Status, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(code(*value))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
        decode(u8::deserialize(from)?)
    }
}

/// The same for many.
pub(crate) mod statuses {
    use super::{Deserialize, Status, status};
    use serde::de::Deserializer;
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(all: &[Status], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|s| status::code(*s)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Status>, D::Error> {
        let codes = Vec::<u8>::deserialize(from)?;
        codes.into_iter().map(status::decode).collect()
    }
}
