//! A motion that goes on where it was: to the same bits.

use super::{Workspace, World, check, joint};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::{Ledger, State};

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
        ledger: Ledger,
    ) -> Result<Self, WorldError> {
        check::settings(&settings)?;
        check::model(&model, &state)?;
        let reference = |text: &str| Err(WorldError::Reference(text.to_string()));
        if state.anchors.len() != model.guides.len() {
            return reference("the state has anchors of other guides than the model");
        }
        if state.cell.is_some() != model.cell.is_some() {
            return reference("the state or the model alone has a periodic cell");
        }
        let full = model.cell.as_ref().is_some_and(|c| !c.modes.is_empty());
        let solver = check::solver(&settings, full)?;
        let mut work = Workspace::new(&model, &settings, solver);
        if let Some(lattice) = &state.cell {
            work.cell.end = lattice.rate;
        }
        let link = joint::Linkage::new(&model);
        Ok(Self {
            model,
            state,
            settings,
            ledger,
            work,
            link,
        })
    }
}
