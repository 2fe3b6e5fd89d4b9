//! A simulation that is stepped: [`Simulation`].

use percuss_mechanism::MotionCheckpoint;
use percuss_record::{SimulationRef, WorldRef};

use crate::stop::StopReason;
use percuss_record::StepReport;
use percuss_record::{Certificate, Criterion};

/// A mechanism, a sweeping process or a world of bodies that is stepped.
///
/// Restoring a state is construction: a world is made from model, state and step report, a motion
/// takes its checkpoint before the first step.
pub trait Simulation {
    /// Makes one step.
    ///
    /// # Errors
    /// The motion cannot go on. The state is that before the step, or what `World::step` of bodies says of its errors after
    /// the end velocities.
    fn step(&mut self) -> Result<(), StopReason>;

    /// Removes what a failed step has left behind. Returns whether the view is then that of the
    /// state before it, so that observers can be given it again as the last.
    fn discard_failed_step(&mut self) -> bool {
        false
    }

    /// Time reached.
    fn time(&self) -> f64;

    /// Report of the last step; of the initial state, h = 0.
    fn report(&self) -> StepReport;

    /// The end of the last step, as observers see it.
    fn view(&self) -> SimulationRef<'_>;

    /// Where the last step violates a criterion most, by name; empty where that is not known.
    fn place_of(&self, what: Criterion) -> String;

    /// What the motion is continued from, to the bit; none for a simulation without checkpoints (a
    /// sweeping process).
    fn save(&self) -> Option<SimulationState<'_>>;
}

/// The state of a simulation in a checkpoint.
#[derive(Debug, Clone)]
pub enum SimulationState<'a> {
    /// Of a mechanism.
    Mechanism(Box<MotionCheckpoint>),
    /// State and step report of a world.
    World(WorldRef<'a>),
}

/// A checkpoint of a run at the end of a step. Observers add what they have gathered when they
/// write it.
#[derive(Debug, Clone)]
pub struct Checkpoint<'a> {
    /// Number of the step.
    pub step: usize,
    /// Certificate of the run, or of the preparation, up to here.
    pub certificate: &'a Certificate,
    /// The state of the simulation.
    pub simulation: SimulationState<'a>,
}
