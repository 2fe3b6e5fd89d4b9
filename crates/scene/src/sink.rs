//! Where the steps of a run go.

use mechanism::{Event, Ledger, State, Touch};

use crate::error::SceneError;

/// Takes the steps of a run as they are computed: a record on disk, a sampler, nothing.
///
/// Step 0 is the initial state: its ledger has h = 0 and it has no touches and no events. Every step
/// is given; a sink that keeps only some of them chooses them itself.
pub trait Sink {
    /// Takes the state at the end of a step, its account and what happened in it.
    ///
    /// # Errors
    /// The step cannot be taken (a full disk, say); the run stops there.
    fn step(
        &mut self,
        step: usize,
        state: &State,
        ledger: &Ledger,
        touches: &[Touch<'_>],
        events: &[Event],
    ) -> Result<(), SceneError>;
}

/// A sink that keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discard;

impl Sink for Discard {
    fn step(
        &mut self,
        _step: usize,
        _state: &State,
        _ledger: &Ledger,
        _touches: &[Touch<'_>],
        _events: &[Event],
    ) -> Result<(), SceneError> {
        Ok(())
    }
}
