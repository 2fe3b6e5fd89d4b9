//! A world of bodies as a simulation.

use percuss_bodies::World;
use percuss_record::SimulationRef;
use percuss_scene::bodies_scene::SceneNames;

use super::initial_overlaps as start;
use super::observed_dim::ObservedDim;
use crate::simulation::{Simulation, SimulationState};
use crate::stop::StopReason;
use percuss_record::Criterion;
use percuss_record::StepReport;

/// A world with the names of its bodies and joints.
pub(super) struct WorldSimulation<'a, D: ObservedDim> {
    pub world: &'a mut World<D>,
    pub names: &'a SceneNames,
}

impl<D: ObservedDim> Simulation for WorldSimulation<'_, D> {
    fn step(&mut self) -> Result<(), StopReason> {
        let done = self.world.step();
        done.map_err(|error| StopReason::Bodies(start::describe_error(&error, self.names)))
    }

    /// Clears the contacts of the failed step, which are not contacts of this state.
    fn discard_failed_step(&mut self) -> bool {
        if self.world.stepper().is_none() {
            self.world.overlaps(f64::INFINITY);
        }
        true
    }

    fn time(&self) -> f64 {
        self.world.state().t
    }

    fn report(&self) -> StepReport {
        StepReport {
            num_contacts: self.world.num_contacts(),
            ..self.world.report().into()
        }
    }

    fn view(&self) -> SimulationRef<'_> {
        SimulationRef::Bodies(D::view(self.world))
    }

    fn place_of(&self, what: Criterion) -> String {
        start::place(what, self.world, self.names)
    }

    fn save(&self) -> Option<SimulationState<'_>> {
        // The motion between events is not part of the state of a world.
        match self.world.stepper() {
            Some(_) => None,
            None => Some(SimulationState::World(D::view(self.world))),
        }
    }
}
