//! The observer of a run (callback, output writer): [`Observer`].

use percuss_bodies::{Plane, Space, World};
use percuss_mechanism::{ConstraintReport, Event, State, StepReport};
use percuss_scene::SceneError;

use crate::checkpoint::{Restored, Snapshot};

/// A borrowed world at the end of a step, in its dimension.
#[derive(Debug, Clone, Copy)]
pub enum WorldRef<'a> {
    /// In the plane.
    Plane(&'a World<Plane>),
    /// In space.
    Space(&'a World<Space>),
}

/// A mechanism or a sweeping process at the end of a step.
#[derive(Debug, Clone)]
pub struct MechanismRef<'a> {
    /// The state.
    pub state: &'a State,
    /// The step report; of the initial state, h = 0.
    pub report: &'a StepReport,
    /// Reports of the active constraints; none of the initial state.
    pub constraint_reports: Vec<ConstraintReport<'a>>,
    /// The events of the step; none of the initial state.
    pub events: &'a [Event],
}

/// A simulation at the end of a step, as observers see it.
#[derive(Debug, Clone)]
pub enum SimulationRef<'a> {
    /// A mechanism or a sweeping process.
    Mechanism(MechanismRef<'a>),
    /// A world of bodies.
    Bodies(WorldRef<'a>),
}

/// The end of a step of a run.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    /// Number of the step; 0 is the initial state.
    pub number: usize,
    /// Whether the run ends with this step.
    pub last: bool,
    /// The simulation.
    pub view: SimulationRef<'a>,
}

impl<'a> Step<'a> {
    /// A step of a world of bodies.
    pub fn of_world(number: usize, world: WorldRef<'a>, last: bool) -> Self {
        Self {
            number,
            last,
            view: SimulationRef::Bodies(world),
        }
    }

    /// The world, in a run of bodies.
    pub fn world(&self) -> Option<WorldRef<'a>> {
        match self.view {
            SimulationRef::Bodies(world) => Some(world),
            SimulationRef::Mechanism(_) => None,
        }
    }

    /// The mechanism, in a run of one.
    pub fn mechanism(&self) -> Option<&MechanismRef<'a>> {
        match &self.view {
            SimulationRef::Mechanism(mechanism) => Some(mechanism),
            SimulationRef::Bodies(_) => None,
        }
    }
}

/// Observes the steps of a run as they are computed: writes a record, samples, or does nothing.
///
/// Step 0 is the initial state: it has no contacts. Every step is given; an observer that needs only some of them
/// chooses itself. In a run of bodies the last step may be given a second time, with `last` set, when the run stops
/// after it was given.
pub trait Observer {
    /// Called at the end of a step.
    ///
    /// # Errors
    /// The step cannot be taken (a full disk, for example); the run stops there.
    fn on_step(&mut self, step: &Step<'_>) -> Result<(), SceneError>;

    /// Called at the end of a step of a preparation; nothing is recorded of it.
    ///
    /// # Errors
    /// As [`Observer::on_step`].
    fn on_preparation_step(&mut self) -> Result<(), SceneError> {
        Ok(())
    }

    /// Counts a step, of a preparation or of the run, and says whether a checkpoint is to be written after it.
    fn checkpoint_due(&mut self) -> bool {
        false
    }

    /// Writes a checkpoint, from which an interrupted run is resumed.
    ///
    /// # Errors
    /// As [`Observer::on_step`].
    fn write_checkpoint(&mut self, _snapshot: Snapshot) -> Result<(), SceneError> {
        Ok(())
    }

    /// The checkpoint that an interrupted run is resumed from; asked for once, before the first step. Steps are then
    /// given from the one after the checkpoint on.
    fn take_checkpoint(&mut self) -> Option<Restored> {
        None
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    fn on_step(&mut self, _step: &Step<'_>) -> Result<(), SceneError> {
        Ok(())
    }
}
