//! Critical parameter of a scene: the value beyond which it has no static equilibrium.
//!
//! Equilibrium under dead loads is a feasibility problem (a conic programme without objective); between a value with
//! and one without equilibrium, the critical value is found by bisection. Limit: equilibrium is decided to about 1e-8.

use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};
use percuss_scene::{Scene, SceneError};
use percuss_statics::check_equilibrium;

use super::loads::{InitialConfiguration, scene_error};
use super::record_dim::RecordDim;

/// Relative width at which the bisection ends: equilibrium is decided to about 1e-8.
const NARROW: f64 = 1e-8;

/// Largest number of bisection steps.
const MOST: usize = 60;

/// The bracket of the critical value.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalParameter {
    /// Name of the parameter.
    pub parameter: String,
    /// A value with equilibrium.
    pub stands: f64,
    /// A value without equilibrium, within the width of the bisection.
    pub falls: f64,
    /// Number of scenes tried.
    pub tried: usize,
}

impl CriticalParameter {
    /// The middle of the bracket.
    pub fn value(&self) -> f64 {
        0.5 * (self.stands + self.falls)
    }
}

/// The value of a parameter between `from` and `to` at which equilibrium of the initial configuration begins or ends.
/// `progress` is called with the fraction done.
///
/// # Errors
/// The scene cannot be built, or has equilibrium at both ends or at neither.
pub fn critical_parameter(
    scene: &Scene,
    parameter: &str,
    (from, to): (f64, f64),
    progress: &mut dyn FnMut(f64),
) -> Result<CriticalParameter, SceneError> {
    let mut tried = 0;
    // Equilibrium of the scene rebuilt with this parameter value.
    let mut at = |value: f64| -> Result<bool, SceneError> {
        tried += 1;
        let changed = scene.with_overrides(&[(parameter, format!("{value:?}"))])?;
        match changed.build_bodies()? {
            BuiltBodies::Plane(assembly) => is_in_equilibrium(&changed, assembly),
            BuiltBodies::Space(assembly) => is_in_equilibrium(&changed, assembly),
        }
    };
    // Bracket: exactly one end must be in equilibrium.
    let ends = (at(from)?, at(to)?);
    let (mut stands, mut falls) = match ends {
        (true, false) => (from, to),
        (false, true) => (to, from),
        (both, _) => {
            let how = if both { "stands" } else { "does not stand" };
            let problem = format!("it {how} with `{parameter}` = {from} and with {to} alike");
            let advice = "Give two values between which standing ends";
            return Err(scene_error(scene, problem, advice));
        }
    };
    // Bisection; the progress is the logarithm of the width.
    let width = (to - from).abs();
    for _ in 0..MOST {
        let left = (stands - falls).abs();
        progress(1.0 - (left / width).log2() / NARROW.log2());
        if left <= NARROW * width.max(stands.abs()) {
            break;
        }
        let middle = 0.5 * (stands + falls);
        match at(middle)? {
            true => stands = middle,
            false => falls = middle,
        }
    }
    Ok(CriticalParameter {
        parameter: parameter.to_string(),
        stands,
        falls,
        tried,
    })
}

fn is_in_equilibrium<D: RecordDim>(
    scene: &Scene,
    mut assembly: BodiesSetup<D>,
) -> Result<bool, SceneError> {
    // Feasibility under the dead load of the initial configuration.
    let (ground, dead) = InitialConfiguration::new(scene, &mut assembly)?;
    let answer = check_equilibrium(&ground.gathered.system, &dead);
    match answer {
        Ok(answer) => Ok(answer.stands),
        Err(error) => Err(ground.wrong(scene, &assembly, &error)),
    }
}
