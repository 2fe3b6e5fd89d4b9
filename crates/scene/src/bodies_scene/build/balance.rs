//! Bodies with a given centre of mass and given principal axes, other than those of their shape.
//!
//! ```text
//! x = position + R (X_c + Q Y),   Y in body axes,   J = Q diag(inertia) Qᵀ about X_c
//! ```
//!
//! X_c (`centre`) and Q (`axes`) are in the axes of the shape's description. The shape becomes a
//! compound of its parts in body axes that are not its own.

use percuss_bodies::{Compound, MassProperties, Pose, SourceSurface, Vector};

use super::body::moments;
use super::context::{Context, at};
use super::scene_dim::{Placed, SceneDim};
use super::zero_inertia;
use crate::error::SceneError;
use percuss_input::InputError;
use percuss_input::tables::bodies::spec::BodySpec;

/// The shape in the body axes that the scene gives, if it gives any.
pub(super) fn balanced<D: SceneDim>(
    context: &mut Context<'_>,
    body: &BodySpec,
    placed: Placed<D>,
) -> Result<Placed<D>, SceneError> {
    let key = match (&body.centre, &body.axes) {
        (None, None) => return Ok(placed),
        (Some(_), _) => "centre",
        (None, Some(_)) => "axes",
    };
    let part = body.part();
    let (shape, placement) = placed;
    let (Some(mass), Some(inertia)) = (&body.mass, &body.inertia) else {
        let problem = format!("`{key}` needs `mass` and `inertia`");
        let advice = "Give them, or drop it: the shape has a centre of its own";
        return Err(needs(context, body, problem, advice).into());
    };
    if body.shape.boundary_only() {
        let problem = format!("`{key}`: a boundary has no centre of mass to give");
        return Err(needs(context, body, problem, "Drop it").into());
    }
    let mass = context.positive(at(&part, "mass"), mass)?;
    let mut moments = moments(context, &part, inertia)?;
    zero_inertia::replace_zero_moments(&mut moments, mass, D::bounding_radius(&shape));
    let given = MassProperties {
        mass,
        inertia: D::inertia(&moments),
    };
    // Body axes in the axes of the description.
    let axes = Pose {
        position: match &body.centre {
            None => placement.position,
            Some(centre) => {
                D::Vector::from_components(&context.numbers(at(&part, "centre"), centre)?)
            }
        },
        rotation: match &body.axes {
            None => placement.rotation,
            Some(axes) => {
                D::quaternion(&context.direction(at(&part, "axes"), axes, "the quaternion")?)
            }
        },
    };
    // Parts and source surface in the axes of the description.
    let (parts, skin) = match D::compound(&shape) {
        None => (vec![(shape, placement)], None),
        Some(compound) => {
            let parts = compound.parts().iter();
            let parts = parts.map(|p| (p.shape.clone(), D::compose(&placement, &p.pose)));
            let outward = |v: &D::Vector| placement.position + D::rotate(&placement.rotation, *v);
            let skin = compound.source_surface().map(|skin| SourceSurface {
                vertices: skin.vertices.iter().map(outward).collect(),
                triangles: skin.triangles.clone(),
            });
            (parts.collect(), skin)
        }
    };
    match Compound::from_parts(&parts, given, &axes, skin) {
        Ok(compound) => Ok((D::joined(compound), axes)),
        Err(error) => Err(needs(context, body, error.to_string(), "").into()),
    }
}

fn needs(context: &Context<'_>, body: &BodySpec, problem: String, advice: &str) -> Box<InputError> {
    context.part_error(&body.part(), body.line, problem, advice)
}
