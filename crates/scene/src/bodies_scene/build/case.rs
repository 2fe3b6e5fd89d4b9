//! Load cases of limit analysis.

use percuss_bodies::Vector;

use super::super::{LoadCase, LoadKind};
use super::body_table::BodyTable;
use super::context::{At, Context, at};
use super::scene_dim::SceneDim;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::{CaseSpec, LoadCaseSpec};
use percuss_input::{Formula, InputError};

/// Component of gravity along an axis of tilt, relative, that is rounding error.
const ALONG: f64 = 1e-9;

/// Makes all load cases.
pub(super) fn cases<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    roster: &BodyTable<D>,
) -> Result<Vec<LoadCase>, Box<InputError>> {
    let mut all = Vec::new();
    for case in &spec.loads {
        all.push(LoadCase {
            name: case.name.clone(),
            kind: kind(context, spec, roster, case)?,
        });
    }
    Ok(all)
}

fn kind<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    roster: &BodyTable<D>,
    case: &LoadCaseSpec,
) -> Result<LoadKind, Box<InputError>> {
    let part = format!("load `{}`", case.name);
    match &case.case {
        CaseSpec::Acceleration(formulas) => {
            let place = at(&part, "acceleration");
            Ok(LoadKind::Acceleration(something(context, place, formulas)?))
        }
        CaseSpec::Tilt(formulas) => tilt::<D>(context, spec, &part, formulas),
        CaseSpec::Force {
            force,
            body,
            at: point,
        } => {
            let number = roster.body(context, at(&part, "body"), body)?;
            let i = number as usize;
            if !roster.bodies[i].freedom.movable() {
                let problem = format!("a force on `{}` does nothing: it cannot move", body.text);
                return Err(context.error(at(&part, "body"), body.origin.clone(), problem, ""));
            }
            let force = something(context, at(&part, "force"), force)?;
            let point = match point {
                None => None,
                Some(point) => {
                    let point =
                        D::Vector::from_components(&context.numbers(at(&part, "at"), point)?);
                    // From the axes of the shape's description to body axes; bodies of generators
                    // are described in body axes.
                    let turned = match roster.placements.get(i) {
                        Some(placement) => {
                            D::rotate_back(&placement.rotation, point - placement.position)
                        }
                        None => point,
                    };
                    Some(turned.components().to_vec())
                }
            };
            Ok(LoadKind::Force {
                body: number,
                force,
                at: point,
            })
        }
    }
}

/// Numbers that are not all 0.
fn something(
    context: &mut Context<'_>,
    place: At<'_>,
    formulas: &[Formula],
) -> Result<Vec<f64>, Box<InputError>> {
    let values = context.numbers(place, formulas)?;
    match values.iter().any(|v| *v != 0.0) {
        true => Ok(values),
        false => {
            let problem = "a load that is 0 cannot be multiplied";
            Err(context.list_error(place, formulas, problem, "Give an entry that is not 0"))
        }
    }
}

/// The load of a tilt: gravity rotated by a right angle about the axis.
fn tilt<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    part: &str,
    formulas: &[Formula],
) -> Result<LoadKind, Box<InputError>> {
    let place = at(part, "tilt");
    let gravity = match &spec.gravity {
        None => vec![0.0; D::N],
        Some(gravity) => context.numbers(at("[world]", "gravity"), gravity)?,
    };
    // A tilt needs gravity and no other forces.
    let strength = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    if !(strength > 0.0) {
        let problem = "there is no gravity to be tilted";
        return Err(context.list_error(place, formulas, problem, "Give [world] a `gravity`"));
    }
    if !spec.fields.is_empty() || spec.bodies.iter().any(|body| body.load.is_some()) {
        let problem = "with given forces beside gravity the multiplier of a tilt is no tangent";
        return Err(context.list_error(place, formulas, problem, "Use `acceleration` instead"));
    }
    // Plane: the sense of rotation; space: a horizontal axis.
    if let [sense] = formulas {
        let value = context.number(place, sense)?;
        if value.abs() != 1.0 {
            let expected = "1 (gravity turns anticlockwise) or -1 was expected";
            return Err(context.not_that(place, sense, value, expected));
        }
        return Ok(LoadKind::Tilt(vec![
            -value * gravity[1],
            value * gravity[0],
        ]));
    }
    let axis = context.direction(place, formulas, "the axis")?;
    let along: f64 = axis.iter().zip(&gravity).map(|(a, g)| a * g).sum();
    if along.abs() > ALONG * strength {
        let problem = "the axis is not at right angles to gravity";
        return Err(context.list_error(place, formulas, problem, "Choose a horizontal axis"));
    }
    // axis × gravity: gravity rotated by a right angle.
    let cross = |i: usize, j: usize| axis[i] * gravity[j] - axis[j] * gravity[i];
    Ok(LoadKind::Tilt(vec![cross(1, 2), cross(2, 0), cross(0, 1)]))
}
