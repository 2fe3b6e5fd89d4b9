//! Reads a mechanism (`kind = "mechanism"`).

use super::read_constraints as read_touch;
use crate::tables::spec::MechanismSpec;
use crate::tables::{read_drawing, read_model, read_nonfirm, read_run};
use crate::{InputError, Reader};

/// A mechanism: coordinates, energies, constraints, run settings, drawing.
pub fn mechanism(root: &mut Reader<'_>) -> Result<MechanismSpec, Box<InputError>> {
    let parameters = crate::named(root, "parameters")?;
    let coordinates = read_model::coordinates(root)?;
    let definitions = crate::named(root, "definitions")?;
    let dynamics = read_model::dynamics(root, &coordinates)?;
    let contacts = read_touch::contacts(root)?;
    let joints = read_touch::joints(root)?;
    let velocity_constraints = read_touch::velocity_constraints(root)?;
    let nonfirm = read_nonfirm::nonfirm(root)?;
    let run = read_run::run(root, &coordinates)?;
    Ok(MechanismSpec {
        parameters,
        coordinates,
        definitions,
        dynamics,
        contacts,
        joints,
        velocity_constraints,
        nonfirm,
        run,
        drawings: read_drawing::drawings(root)?,
        sweep: None,
    })
}
