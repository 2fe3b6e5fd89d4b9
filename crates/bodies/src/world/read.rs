//! What a world tells of itself.

use contact::Problem;
use solve::Report;

use super::World;
use crate::dim::Dim;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::{Contact, Ledger, State};

impl<D: Dim> World<D> {
    /// All that stays the same.
    pub fn model(&self) -> &Model<D> {
        &self.model
    }

    /// Where it is.
    pub fn state(&self) -> &State<D> {
        &self.state
    }

    /// The state alone, to go on with another model.
    pub fn into_state(self) -> State<D> {
        self.state
    }

    /// How it is stepped.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Account of the last step; before the first one only the energies are there.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Name of the methods that solved the last step, joined by arrows; empty without contacts.
    pub fn method(&self) -> String {
        self.work
            .report
            .as_ref()
            .map_or_else(String::new, Report::method)
    }

    /// The contact problem (★) of the last step; none without contacts.
    pub fn problem(&self) -> Option<&Problem> {
        self.work.problem.as_ref()
    }

    /// Impulses of that problem by row: contacts, then joints.
    pub fn impulses(&self) -> &[f64] {
        &self.work.impulse
    }

    /// The bodies of the contacts that no velocity satisfies together, where that is proven of the last step; those
    /// with the largest part in it first.
    pub fn infeasible(&self) -> Vec<[u32; 2]> {
        let proof = self
            .work
            .report
            .as_ref()
            .and_then(|r| r.infeasibility.as_ref());
        let contacts = proof.iter().flat_map(|proof| &proof.contacts);
        let touches = contacts.filter_map(|contact| self.work.active.get(*contact));
        let found = self.work.detector.found();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for touch in touches {
            let bodies = found[*touch as usize].bodies;
            if !pairs.contains(&bodies) {
                pairs.push(bodies);
            }
        }
        pairs
    }

    /// Number of contacts of the last step.
    pub fn num_contacts(&self) -> usize {
        self.work.active.len()
    }

    /// A contact of the last step, sorted by bodies, shift and feature.
    ///
    /// # Panics
    /// There are not so many.
    pub fn contact(&self, index: usize) -> Contact<'_, D> {
        let touch = self.work.active[index];
        let found = &self.work.detector.found()[touch as usize];
        let rows = match &self.work.problem {
            Some(problem) => problem.rows(index),
            None => 0..0,
        };
        Contact {
            bodies: found.bodies,
            shift: found.shift,
            centres: [0, 1].map(|side| self.work.centre(found, side)),
            touch: &found.touch,
            status: self.work.status[index],
            frame: self.frame(touch),
            begin: &self.work.begin[rows.clone()],
            end: &self.work.finish[rows.clone()],
            impulse: &self.work.impulse[rows],
        }
    }
}
