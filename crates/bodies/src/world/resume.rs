//! Checkpoint and restart: continues a motion with the same bits.

use super::{Scratch, World, check};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::{State, StepReport};
use crate::step::not_finite;

impl<D: Dynamics> World<D> {
    /// Continues from a checkpoint: a state and the report of the step that ended there, both of an earlier
    /// motion of the same model. Unlike [`World::new`] this places, projects and initialises nothing: the
    /// following steps are those of that motion, bit by bit. The contacts of the last step cannot be read
    /// before the next one.
    ///
    /// # Errors
    /// The state does not belong to this model, or is invalid.
    pub fn resume(
        model: Model<D>,
        state: State<D>,
        settings: Settings,
        ledger: StepReport,
    ) -> Result<Self, WorldError> {
        check::settings(&settings)?;
        check::integrator(&settings, &model)?;
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
        // Between steps the end strain rate of the scratch equals that of the state.
        if let Some(lattice) = &state.cell {
            work.end.strain_rate = lattice.rate;
        }
        Ok(Self {
            model,
            state,
            settings,
            report: ledger,
            scratch: work,
            profiler: None,
            fault: None,
            stepped: None,
        })
    }

    /// Goes to another state of a motion of the same model, with the report of the step that ended there; the
    /// following steps are those of that motion. Poses and velocities are copied into the memory in use.
    ///
    /// # Errors
    /// The state does not belong to this model, or is invalid; nothing is changed.
    pub fn restore(&mut self, state: &State<D>, ledger: StepReport) -> Result<(), WorldError> {
        self.require_own_steps()?;
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
        self.state
            .kinematic_origins
            .clone_from(&state.kinematic_origins);
        self.state.contacts.clone_from(&state.contacts);
        self.state.cell.clone_from(&state.cell);
        if let Some(lattice) = &self.state.cell {
            self.scratch.end.strain_rate = lattice.rate;
        }
        // The candidates in memory do not belong to this state.
        self.scratch.assembly.active.clear();
        self.scratch.persistent.clear();
        self.report = ledger;
        Ok(())
    }

    /// Replaces the free velocity components of the bodies; locked and prescribed ones stay. The report then is
    /// that of an initial state.
    ///
    /// # Errors
    /// A number of velocities other than that of the bodies, or one that is not finite; nothing is changed.
    pub fn set_velocities(&mut self, velocities: &[D::Dofs]) -> Result<(), WorldError> {
        self.require_own_steps()?;
        if velocities.len() != self.state.velocities.len() {
            let text = format!(
                "{} velocities for {} bodies",
                velocities.len(),
                self.state.velocities.len()
            );
            return Err(WorldError::Reference(text));
        }
        // Everything is checked before anything is written.
        let wrong = |v: &D::Dofs| v.as_ref().iter().any(|x| !x.is_finite());
        if let Some(body) = velocities.iter().position(wrong) {
            return Err(not_finite(body, "velocity", self.state.t));
        }
        for (i, body) in self.model.bodies.iter().enumerate() {
            let now = self.state.velocities[i].as_mut().iter_mut();
            for (k, (v, new)) in now.zip(velocities[i].as_ref()).enumerate() {
                if body.freedom.is_free(k) {
                    *v = *new;
                }
            }
        }
        // Contacts begin anew: with other velocities they may collide.
        for contact in &mut self.state.contacts {
            contact.persistent = false;
        }
        self.initial_report();
        Ok(())
    }
}
