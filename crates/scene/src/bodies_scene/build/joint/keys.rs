//! Keys that a kind of joint requires, and keys without effect for it.

use percuss_bodies::joint::JointKind;

use super::super::context::Context;
use crate::bodies_scene::build::scene_dim::SceneDim;
use percuss_input::InputError;
use percuss_input::tables::bodies::spec::JointSpec;

/// Refuses keys without effect for the kind of joint.
pub(super) fn require_fitting<D: SceneDim>(
    context: &Context<'_>,
    spec: &JointSpec,
    kind: JointKind,
) -> Result<(), Box<InputError>> {
    // Joints with a coordinate that can be limited, driven or sprung.
    let driven = matches!(
        kind,
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Distance
    );
    let axis = match D::N {
        2 => kind == JointKind::Prismatic,
        _ => matches!(
            kind,
            JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical
        ),
    };
    let rubs = matches!(
        kind,
        JointKind::Revolute | JointKind::Prismatic | JointKind::Cylindrical | JointKind::Spherical
    );
    let clearance = kind == JointKind::Clearance;
    let turns = spec.about.as_ref().is_some_and(|word| word.text == "turn");
    // Friction on a pin needs its radius.
    let pin = match kind {
        JointKind::Revolute | JointKind::Spherical => spec.friction.is_some(),
        JointKind::Cylindrical => spec.friction.is_some() && turns,
        _ => clearance,
    };
    // Key, whether it is given, whether it has an effect.
    let idle = [
        ("axis", spec.axis.is_some(), axis),
        ("length", spec.length.is_some(), kind == JointKind::Distance),
        (
            "about",
            spec.about.is_some(),
            kind == JointKind::Cylindrical,
        ),
        ("limits", spec.limits.is_some(), driven),
        ("motor", spec.motor.is_some(), driven),
        ("spring", spec.spring.is_some(), driven),
        ("friction", spec.friction.is_some(), rubs || clearance),
        ("radius", spec.radius.is_some(), pin),
        ("play", spec.play.is_some(), clearance),
        ("restitution", spec.restitution.is_some(), clearance),
    ];
    for (key, given, useful) in idle {
        if given && !useful {
            let word = kind.name();
            let problem = format!("`{key}` does nothing at a {word} joint like this one");
            return Err(context.part_error(&spec.part(), spec.line, problem, "Drop it"));
        }
    }
    require_present(context, spec, [axis, pin, clearance])
}

/// Refuses a joint without a key that its kind requires.
fn require_present(
    context: &Context<'_>,
    spec: &JointSpec,
    [axis, pin, clearance]: [bool; 3],
) -> Result<(), Box<InputError>> {
    let wanted = [
        ("axis", axis && spec.axis.is_none()),
        ("radius", pin && spec.radius.is_none()),
        ("play", clearance && spec.play.is_none()),
    ];
    match wanted.iter().find(|(_, missing)| *missing) {
        None => Ok(()),
        Some((key, _)) => {
            let problem = format!("the key `{key}` is missing");
            let advice = match *key {
                "radius" => "It is the radius of the pin",
                "play" => "It is the radius of the hole minus that of the pin",
                _ => "Give its direction at the start",
            };
            Err(context.part_error(&spec.part(), spec.line, problem, advice))
        }
    }
}
