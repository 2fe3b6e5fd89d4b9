//! Environment of a scene of bodies, without building the bodies: laws between materials, gravity,
//! periodic directions.

use percuss_bodies::Materials;

use super::context::{Context, Sources, at};
use super::laws;
use crate::error::SceneError;
use crate::file::Scene;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::CellSpec;

/// Materials, laws and gravity of a scene of bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodiesEnvironment {
    /// Names of the materials, by number.
    pub materials: Vec<String>,
    /// Laws by pair of materials; the default one for a pair without a law in the scene.
    pub laws: Materials,
    /// Gravity, one component per dimension.
    pub gravity: Vec<f64>,
    /// Which cell vectors are periodic; empty without a cell.
    pub periodic: Vec<bool>,
}

/// Makes the environment of a scene.
pub fn environment(scene: &Scene, spec: &BodiesSpec) -> Result<BodiesEnvironment, SceneError> {
    let sources = Sources::default();
    let mut context = Context {
        file: scene.origin(),
        parameters: scene.resolved(),
        sources: &sources,
    };
    // Which bodies can touch is not known without them: a pair without a law is no error here.
    let laws = laws::laws(&mut context, spec, &|_, _| false)?;
    let gravity = match &spec.gravity {
        None => vec![0.0; spec.dimension],
        Some(gravity) => context.numbers(at("[world]", "gravity"), gravity)?,
    };
    let images = |cell: &CellSpec| cell.periodic.iter().take(spec.dimension).copied().collect();
    Ok(BodiesEnvironment {
        periodic: spec.cell.as_ref().map_or_else(Vec::new, images),
        materials: spec.materials.iter().map(|m| m.name.clone()).collect(),
        laws,
        gravity,
    })
}
