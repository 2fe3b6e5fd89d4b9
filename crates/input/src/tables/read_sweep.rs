//! Reads a sweeping process (`kind = "sweep"`).

use super::read_constraints as read_touch;
use crate::tables::spec::MechanismSpec;
use crate::tables::{read_drawing, read_model, read_run};
use crate::{InputError, Reader};

/// A sweeping process: coordinates, contacts and joints of a mechanism, without velocities.
pub fn sweep(root: &mut Reader<'_>) -> Result<MechanismSpec, Box<InputError>> {
    let parameters = crate::named(root, "parameters")?;
    let crowd = super::crowd::read(root)?;
    let mut definitions = crate::named(root, "definitions")?;
    let coordinates = match &crowd {
        None => read_model::coordinates(root)?,
        Some(crowd) => {
            definitions.push(crowd.definitions(root.line));
            crowd.coordinates(root.line)
        }
    };
    let mut process = super::process::read(root, &coordinates)?;
    process.crowd = crowd;
    let (contacts, joints) = match process.crowd {
        None => (read_touch::contacts(root)?, read_touch::joints(root)?),
        Some(_) => (Vec::new(), Vec::new()),
    };
    super::process::refuse(root, &coordinates, &contacts, &joints)?;
    let run = read_run::run(root, &coordinates)?;
    Ok(MechanismSpec {
        parameters,
        dynamics: process.dynamics(&coordinates),
        coordinates,
        definitions,
        contacts,
        joints,
        velocity_constraints: Vec::new(),
        nonfirm: Vec::new(),
        run,
        drawings: read_drawing::drawings(root)?,
        sweep: Some(process),
    })
}
