//! What surrounds bodies, made without making the bodies: laws between materials, gravity,
//! which ways it repeats.

use bodies::Materials;

use super::super::spec::{BodiesSpec, CellSpec};
use super::context::{Context, Sources, at};
use super::laws;
use crate::error::SceneError;
use crate::file::Scene;

/// Laws and gravity of a scene of bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodiesEnvironment {
    /// Names of the materials; their order is their number.
    pub materials: Vec<String>,
    /// Laws by pair of materials; none at all for a pair that the scene has no law for.
    pub laws: Materials,
    /// Acceleration of gravity, as many numbers as dimensions.
    pub gravity: Vec<f64>,
    /// Which vectors of the cell have images; empty without a cell.
    pub periodic: Vec<bool>,
}

/// The surroundings of the bodies of a scene.
pub(crate) fn environment(
    scene: &Scene,
    spec: &BodiesSpec,
) -> Result<BodiesEnvironment, SceneError> {
    let sources = Sources::default();
    let mut context = Context {
        file: scene.origin(),
        parameters: scene.resolved(),
        sources: &sources,
    };
    // Which bodies meet is not known without them: a pair without a law is not told here.
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
