//! A motion that goes on where it was: to the same bits.

use super::{Scratch, World, check, joint};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::{StepReport, State};

impl<D: Dim> World<D> {
    /// Goes on from a state and the account of the step it is the end of, both of an earlier motion of
    /// the same model. Nothing is placed, projected or looked at anew, other than by
    /// [`World::new`]: the next steps are those of that motion, bit by bit. Contacts of the last step
    /// are not there.
    ///
    /// # Errors
    /// The state is none of this model.
    pub fn resume(
        model: Model<D>,
        state: State<D>,
        settings: Settings,
        ledger: StepReport,
    ) -> Result<Self, WorldError> {
        check::settings(&settings)?;
        check::model(&model, &state)?;
        let reference = |text: &str| Err(WorldError::Reference(text.to_string()));
        if state.kinematic_origins.len() != model.prescribed_motions.len() {
            return reference("the state has anchors of other guides than the model");
        }
        if state.cell.is_some() != model.cell.is_some() {
            return reference("the state or the model alone has a periodic cell");
        }
        let solver = check::solver(&settings)?;
        let mut work = Scratch::new(&model, &settings, solver);
        if let Some(lattice) = &state.cell {
            work.cell.end = lattice.rate;
        }
        let link = joint::JointScratch::new(&model);
        Ok(Self {
            model,
            state,
            settings,
            report: ledger,
            scratch: work,
            joints: link,
            profiler: None,
            fault: None,
        })
    }

    /// Goes back, or over, to a state and the account of the step it is the end of, of a motion of the
    /// same model; the next steps are those of that motion. The memory of placements and velocities
    /// stays where it is.
    ///
    /// # Errors
    /// The state is none of this model; nothing is changed.
    pub fn restore(&mut self, state: &State<D>, ledger: StepReport) -> Result<(), WorldError> {
        check::model(&self.model, state)?;
        let reference = |text: &str| Err(WorldError::Reference(text.to_string()));
        if state.kinematic_origins.len() != self.model.prescribed_motions.len() {
            return reference("the state has anchors of other guides than the model");
        }
        if state.cell.is_some() != self.model.cell.is_some() {
            return reference("the state or the model alone has a periodic cell");
        }
        self.state.t = state.t;
        self.state.poses.copy_from_slice(&state.poses);
        self.state.velocities.copy_from_slice(&state.velocities);
        self.state.kinematic_origins.clone_from(&state.kinematic_origins);
        self.state.contacts.clone_from(&state.contacts);
        self.state.cell.clone_from(&state.cell);
        if let Some(lattice) = &self.state.cell {
            self.scratch.cell.end = lattice.rate;
        }
        // Touches of the step before are none of this state.
        self.scratch.active.clear();
        self.report = ledger;
        Ok(())
    }

    /// Puts other velocities in the place of those of the bodies that follow forces; those that are
    /// given stay. The account then is that of a beginning.
    ///
    /// # Errors
    /// Not as many as bodies, or one is not finite; nothing is changed.
    pub fn set_velocities(&mut self, velocities: &[D::Dofs]) -> Result<(), WorldError> {
        if velocities.len() != self.state.velocities.len() {
            let text = format!(
                "{} velocities for {} bodies",
                velocities.len(),
                self.state.velocities.len()
            );
            return Err(WorldError::Reference(text));
        }
        let wrong = |v: &D::Dofs| v.as_ref().iter().any(|x| !x.is_finite());
        if let Some(body) = velocities.iter().position(wrong) {
            return Err(check::not_finite(body, "velocity", self.state.t));
        }
        for (i, body) in self.model.bodies.iter().enumerate() {
            let now = self.state.velocities[i].as_mut().iter_mut();
            for (k, (v, new)) in now.zip(velocities[i].as_ref()).enumerate() {
                if body.freedom.is_free(k) {
                    *v = *new;
                }
            }
        }
        self.initial_report();
        Ok(())
    }
}
