//! Accessors: model, state, report, contact problem and contacts of the last step.

use percuss_contact::Problem;
use percuss_solve::Report;

use super::World;
use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::periodic_cell::Matrix;
use crate::settings::Settings;
use crate::state::{Contact, State, StepReport};
use crate::step::assemble::frame;
use crate::step::{DeepestContact, Fault, OtherSolution, PainleveContact, SolvedStep, StepInputs};

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
            .solution
            .report
            .as_ref()
            .map_or_else(String::new, Report::method)
    }

    /// The contact problem (★) of the last step, contacts then joints; `None` before the first one.
    pub fn problem(&self) -> Option<&Problem> {
        self.scratch.assembly.problem.as_ref()
    }

    /// Impulses of that problem by row: contacts, then joints.
    pub fn impulses(&self) -> &[f64] {
        &self.scratch.solution.impulse
    }

    /// The pairs of bodies whose contacts are infeasible together, where a Farkas certificate of the last step
    /// proves it; those with the largest multipliers first.
    pub fn infeasible(&self) -> Vec<[u32; 2]> {
        let proof = self
            .scratch
            .solution
            .report
            .as_ref()
            .and_then(|r| r.infeasibility.as_ref());
        // Contacts of the certificate, as pairs of bodies without repetition.
        let contacts = proof.iter().flat_map(|proof| &proof.contacts);
        let touches = contacts.filter_map(|contact| self.scratch.assembly.active.get(*contact));
        let found = self.scratch.detection.detector.candidates();
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
        let stepped = self.stepped_contacts();
        stepped.unwrap_or(self.scratch.assembly.active.len())
    }

    /// An active contact of the last step; contacts are sorted by bodies, image and feature.
    ///
    /// # Panics
    /// `index` is not below [`World::num_contacts`].
    pub fn contact(&self, index: usize) -> Contact<'_, D> {
        if let Some(contact) = self.stepped_contact(index) {
            return contact;
        }
        let touch = self.scratch.assembly.active[index];
        let found = &self.scratch.detection.detector.candidates()[touch as usize];
        // Rows of the contact in the problem.
        let rows = match &self.scratch.assembly.problem {
            Some(problem) => problem.rows(index),
            None => 0..0,
        };
        Contact {
            bodies: found.bodies,
            image: found.image,
            centres: [0, 1].map(|side| self.scratch.midpoint.centre(found, side)),
            point: &found.point,
            status: self.scratch.balance.status[index],
            frame: frame(&self.model, &self.scratch.midpoint, found),
            begin: &self.scratch.assembly.begin_velocity[rows.clone()],
            end: &self.scratch.balance.end_velocity[rows.clone()],
            impulse: &self.scratch.solution.impulse[rows],
        }
    }

    /// Number of contacts of the last step that [`crate::Integrator::Projected`] projects at its end.
    pub fn num_end_contacts(&self) -> usize {
        self.scratch.persistent.count()
    }

    /// A contact at the end of the last step, with the velocities before and after the projection and the impulse of the
    /// whole step. Gap and points are those before the projection of positions, the feature is that at the midpoint.
    pub fn end_contact(&self, index: usize) -> Option<Contact<'_, D>> {
        self.scratch.persistent.contact(&self.model, index)
    }

    /// The contact of the last step with the largest relative penetration; `None` where none penetrates.
    pub fn deepest(&self) -> Option<DeepestContact> {
        match self.stepper() {
            Some(_) => None,
            None => self.last_step().deepest(),
        }
    }

    /// The resting contact of the last step with the largest relative penetration: it carries an impulse and
    /// its depth hardly changes. A body that strikes and leaves is deep for one step; a sunken one stays deep.
    pub fn deepest_at_rest(&self) -> Option<DeepestContact> {
        match self.stepper() {
            Some(_) => None,
            None => (self.last_step()).deepest_at_rest(&self.scratch.balance.end_velocity),
        }
    }

    /// The contact of the last step with the smallest γ among those that slid without colliding; `None` where
    /// none did.
    pub fn painleve_contact(&self) -> Option<PainleveContact> {
        self.scratch.balance.sliding
    }

    /// Another solution of the last step with different velocities, if one was found.
    pub fn other_solution(&self) -> Option<OtherSolution> {
        self.scratch.balance.other_solution
    }

    /// Displacement from the second body of a contact to its periodic image; `None` without a cell.
    pub fn image(&self, contact: usize) -> Option<D::Vector> {
        let found = &self.scratch.detection.detector.candidates()
            [*self.scratch.assembly.active.get(contact)? as usize];
        self.scratch
            .midpoint
            .lattice
            .as_ref()
            .map(|mid| mid.offset(found.image))
    }

    /// Strain rate L at the beginning of the last step; 0 without a cell or a step.
    pub fn begin_strain_rate(&self) -> Matrix {
        self.scratch.midpoint.strain_rate
    }

    /// Love–Weber stress of the cell over the last step, compressive where positive: (1/V) Σ S/h ⊗ ℓ over its
    /// contacts, at the midpoint. 0 without a cell or a step.
    pub fn cell_stress(&self) -> Matrix {
        let mut sum = [[0.0; 3]; 3];
        let (Some(mid), h) = (&self.scratch.midpoint.lattice, self.report.h) else {
            return sum;
        };
        // Before the first step h is 0.
        let scale = 1.0 / (mid.volume() * h);
        if !scale.is_finite() {
            return sum;
        }
        for index in 0..self.num_contacts() {
            let contact = self.contact(index);
            // S ⊗ ℓ with the impulse vector in world axes.
            let branch = contact.centres[1] - contact.centres[0];
            let mut impulse = D::Vector::default();
            for (axis, s) in contact.frame.as_ref().iter().zip(contact.impulse) {
                impulse += *axis * *s;
            }
            for i in 0..D::N {
                for j in 0..D::N {
                    sum[i][j] += impulse[i] * branch[j] * scale;
                }
            }
        }
        sum
    }

    /// The last step, as its balance read it; the state has moved since.
    pub(crate) fn last_step(&self) -> SolvedStep<'_, D> {
        let work = &self.scratch;
        SolvedStep {
            inputs: StepInputs {
                model: &self.model,
                state: &self.state,
                settings: &self.settings,
                cache: &work.cache,
                midpoint: &work.midpoint,
                free: &work.free,
                detection: &work.detection,
            },
            assembly: &work.assembly,
            solution: &work.solution,
            end: &work.end,
        }
    }

    /// Sets the fault of all following steps, for tests of the certificate; `None` removes it.
    #[doc(hidden)]
    pub fn set_fault(&mut self, fault: Option<Fault>) {
        self.fault = fault;
    }
}
