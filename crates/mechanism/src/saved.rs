//! Checkpoint of a motion: all that it is continued from, to the bit.
//!
//! Beside the state an integrator remembers: the count of steps that makes t = start + k h exact, the trial length of
//! an adaptive step, the history that events are detected from, and, event-driven, the contact modes and recent
//! impacts. Everything else is scratch. The format (postcard) stores the order of fields and variants, not their names.

use percuss_contact::law::Status;
use serde::{Deserialize, Serialize};

use crate::event::EventDrivenMemory;
use crate::state::{State, StepReport};
use crate::stepper::TimeSteppingMemory;

/// Checkpoint of a motion, continued by [`crate::Integrator::restore`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MotionCheckpoint {
    pub(crate) state: State,
    pub(crate) report: StepReport,
    pub(crate) memory: IntegratorMemory,
}

/// What an integrator remembers beside state and report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum IntegratorMemory {
    /// Of a [`crate::TimeStepper`].
    TimeStepping(TimeSteppingMemory),
    /// Of [`crate::EventDriven`].
    EventDriven(EventDrivenMemory),
}

impl MotionCheckpoint {
    /// Time of the checkpoint.
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// Whether it has the numbers of positions, velocities, rows and constraints of `state`.
    pub(crate) fn fits(&self, state: &State) -> bool {
        let lengths = |s: &State| [s.q.len(), s.v.len(), s.impulse.len(), s.status.len()];
        lengths(&self.state) == lengths(state)
    }
}

/// Serialisation of a status as a number from 0 to 2: the crate `contact` has no serialisation of its own.
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

/// Serialisation of a list of statuses.
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
