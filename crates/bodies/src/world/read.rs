//! Accessors: model, state, report, contact problem and contacts of the last step.

use contact::Problem;
use solve::Report;

use super::World;
use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::{Contact, State, StepReport};

impl<D: Dynamics> World<D> {
    /// The model.
    pub fn model(&self) -> &Model<D> {
        &self.model
    }

    /// The present state.
    pub fn state(&self) -> &State<D> {
        &self.state
    }

    /// The state alone, to continue with another model.
    pub fn into_state(self) -> State<D> {
        self.state
    }

    /// Settings of the time integration.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Report of the last step; before the first one only the energies are set.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Names of the methods that solved the last step, joined by arrows; empty without contacts.
    pub fn method(&self) -> String {
        self.scratch
            .solver_report
            .as_ref()
            .map_or_else(String::new, Report::method)
    }

    /// The contact problem (★) of the last step, contacts then joints; `None` before the first one.
    pub fn problem(&self) -> Option<&Problem> {
        self.scratch.problem.as_ref()
    }

    /// Impulses of that problem by row: contacts, then joints.
    pub fn impulses(&self) -> &[f64] {
        &self.scratch.impulse
    }

    /// The pairs of bodies whose contacts are infeasible together, where a Farkas certificate of the last step
    /// proves it; those with the largest multipliers first.
    pub fn infeasible(&self) -> Vec<[u32; 2]> {
        let proof = self
            .scratch
            .solver_report
            .as_ref()
            .and_then(|r| r.infeasibility.as_ref());
        // Contacts of the certificate, as pairs of bodies without repetition.
        let contacts = proof.iter().flat_map(|proof| &proof.contacts);
        let touches = contacts.filter_map(|contact| self.scratch.active.get(*contact));
        let found = self.scratch.detector.candidates();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for touch in touches {
            let bodies = found[*touch as usize].bodies;
            if !pairs.contains(&bodies) {
                pairs.push(bodies);
            }
        }
        pairs
    }

    /// Number of active contacts of the last step.
    pub fn num_contacts(&self) -> usize {
        self.scratch.active.len()
    }

    /// An active contact of the last step; contacts are sorted by bodies, image and feature.
    ///
    /// # Panics
    /// `index` is not below [`World::num_contacts`].
    pub fn contact(&self, index: usize) -> Contact<'_, D> {
        let touch = self.scratch.active[index];
        let found = &self.scratch.detector.candidates()[touch as usize];
        // Rows of the contact in the problem.
        let rows = match &self.scratch.problem {
            Some(problem) => problem.rows(index),
            None => 0..0,
        };
        Contact {
            bodies: found.bodies,
            image: found.image,
            centres: [0, 1].map(|side| self.scratch.centre(found, side)),
            point: &found.point,
            status: self.scratch.status[index],
            frame: self.frame(touch),
            begin: &self.scratch.begin_velocity[rows.clone()],
            end: &self.scratch.end_velocity[rows.clone()],
            impulse: &self.scratch.impulse[rows],
        }
    }
}
