//! The variants of an audit: which setting each run changes.

use percuss_bodies::Activation;
use percuss_mechanism::Scheme;
use percuss_record::number::format_short;
use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{Scene, SceneError, SceneKind};

use serde::Serialize;

use super::common::Common;
use super::perturb::NUDGE;

/// Smallest tolerance of a variant: 50 roundings of a sum of order 1, below which no method can go.
const LEAST_TOLERANCE: f64 = 1e-14;

/// What a variant changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Reference,
    /// The step, divided by this.
    Step(u32),
    Tolerance,
    /// The other activation rule of bodies.
    Activation,
    /// Another integrator of a mechanism or a sweeping process.
    Integrator,
    Perturbed,
}

/// A run that is compared with the reference.
#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub role: Role,
    /// A description of the change.
    pub what: String,
    /// The scene with the change.
    pub scene: Scene,
}

impl Role {
    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Step(2) => "half_step",
            Self::Step(_) => "quarter_step",
            Self::Tolerance => "tolerance",
            Self::Activation => "activation",
            Self::Integrator => "integrator",
            Self::Perturbed => "perturbed",
        }
    }

    /// The divisor of the step.
    pub fn divisor(self) -> u32 {
        match self {
            Self::Step(divisor) => divisor,
            _ => 1,
        }
    }
}

impl Variant {
    /// The reference itself.
    pub fn reference(scene: &Scene, common: &Common) -> Self {
        Self {
            role: Role::Reference,
            what: match common.varies_steps() {
                true => "steps chosen by their error".into(),
                false => format!("step = {:e}", common.step()),
            },
            scene: scene.clone(),
        }
    }

    /// Its work in units of that of the reference.
    pub fn weight(&self) -> f64 {
        f64::from(self.role.divisor())
    }
}

/// A variant that does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub why: String,
}

impl LeftOut {
    pub(super) fn named(name: &'static str, why: String) -> Self {
        Self { name, why }
    }

    pub(super) fn new(variant: &Variant, why: String) -> Self {
        Self::named(variant.role.name(), why)
    }
}

/// All variants that apply to a scene, the longest first, and those that do not, with the reason.
///
/// # Errors
/// A value that the scene refuses.
pub(super) fn variants(
    scene: &Scene,
    common: &Common,
) -> Result<(Vec<Variant>, Vec<LeftOut>), SceneError> {
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    // Shorter steps, tighter tolerance, another activation rule or integrator, perturbed positions.
    for divisor in [4, 2] {
        match steps(scene, common, divisor)? {
            Ok(variant) => all.push(variant),
            Err(why) => left_out.push(LeftOut::named(Role::Step(divisor).name(), why)),
        }
    }
    // A tenth of the tolerance, unless that is below rounding.
    let tolerance = common.tolerance() / 10.0;
    match tolerance >= LEAST_TOLERANCE {
        true => all.push(Variant {
            role: Role::Tolerance,
            what: format!("tolerance = {}", format_short(tolerance)),
            scene: scene.with_overrides(&[("run.tolerance", format!("{tolerance:e}"))])?,
        }),
        false => {
            let why = format!("a tolerance of {tolerance:e} is at the level of rounding");
            left_out.push(LeftOut::named(Role::Tolerance.name(), why));
        }
    }
    match other_rule(scene, common)? {
        Ok(variant) => all.push(variant),
        Err(left) => left_out.push(left),
    }
    all.push(Variant {
        role: Role::Perturbed,
        what: format!("positions moved by {NUDGE:e}"),
        scene: scene.clone(),
    });
    left_out.reverse();
    Ok((all, left_out))
}

/// The variant with shorter steps.
fn steps(
    scene: &Scene,
    common: &Common,
    divisor: u32,
) -> Result<Result<Variant, String>, SceneError> {
    if common.chooses_steps() {
        return Ok(Err(
            "the event-driven integrator chooses its own steps".into()
        ));
    }
    let role = Role::Step(divisor);
    if common.varies_steps() {
        // Bounds and tolerance of adaptive steps are changed after the scene is built.
        let what = format!("steps between 1/{divisor} of their bounds");
        let scene = scene.clone();
        return Ok(Ok(Variant { role, what, scene }));
    }
    // The step is an override of the scene.
    let step = common.step() / f64::from(divisor);
    let what = format!("step = {step:e}");
    let scene = scene.with_overrides(&[("run.step", format!("{step:e}"))])?;
    Ok(Ok(Variant { role, what, scene }))
}

/// The variant with the other activation rule, or the other integrator.
fn other_rule(scene: &Scene, common: &Common) -> Result<Result<Variant, LeftOut>, SceneError> {
    // Bodies: contacts active by gap, or by predicted gap.
    if scene.kind() == SceneKind::Bodies {
        let collection = scene.build_bodies()?;
        // An event-driven run has no activation: the midpoint scheme is the other one.
        if common.chooses_steps() {
            return Ok(Ok(Variant {
                role: Role::Integrator,
                what: "integrator = midpoint".to_string(),
                scene: scene.with_overrides(&[("run.integrator", "midpoint")])?,
            }));
        }
        let word = match activation(&collection) {
            Activation::Gap => "predicted",
            Activation::Predicted => "gap",
        };
        return Ok(Ok(Variant {
            role: Role::Activation,
            what: format!("activation = {word}"),
            scene: scene.with_overrides(&[("run.activation", word)])?,
        }));
    }
    let role = Role::Integrator;
    // Mechanisms: event-driven against time stepping; sweeping processes: trapezoidal against
    // catching-up.
    let word = match (common.sweep_method(), common.scheme()) {
        (Some("trapezoidal"), _) => "catching-up",
        (Some(_), _) => "trapezoidal",
        (None, Some(Scheme::Event)) => "midpoint",
        (None, _) => "event",
    };
    let changed = scene.with_overrides(&[("run.integrator", word)])?;
    // A scene may have keys that the other integrator does not know.
    match changed.build_mechanism() {
        Ok(_) => Ok(Ok(Variant {
            role,
            what: format!("integrator = {word}"),
            scene: changed,
        })),
        Err(error) => {
            let why = format!("integrator = {word} is refused: {error}");
            Ok(Err(LeftOut::named(role.name(), why)))
        }
    }
}

fn activation(collection: &BuiltBodies) -> Activation {
    match collection {
        BuiltBodies::Plane(assembly) => assembly.settings.activation,
        BuiltBodies::Space(assembly) => assembly.settings.activation,
    }
}
