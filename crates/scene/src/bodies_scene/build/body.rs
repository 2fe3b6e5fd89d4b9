//! One body from its specification: shape, pose, mass properties, velocity.

use percuss_bodies::{Body, Dim, Freedom, MassProperties, Pose, Vector};

use super::balance::balanced;
use super::context::{Context, at};
use super::form::Form;
use super::laws::material;
use super::scene_dim::{SceneDim, compose};
use super::zero_inertia;
use crate::error::SceneError;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::{BodySpec, FreedomSpec};
use percuss_input::{Formula, InputError};

/// A body with its initial state.
pub(super) struct Made<D: Dim> {
    pub body: Body<D>,
    pub pose: Pose<D>,
    pub velocity: D::Dofs,
    /// Pose of the body axes in the axes of the shape's description.
    pub placement: Pose<D>,
    /// Bit mask of the spin components without moment of inertia.
    pub weightless: u8,
}

/// Makes a body. `mask` has the velocity components that follow forces in the run or in some
/// preparation; `guide` is the index of its prescribed motion.
pub(super) fn body<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    body: &BodySpec,
    mask: u8,
    guide: u32,
) -> Result<Made<D>, SceneError> {
    let part = body.part();
    let material = material(context, spec, at(&part, "material"), &body.material)?;
    let density = density(context, spec, material)?;
    let form = Form {
        part: body.part(),
        shape: &body.shape,
        line: body.shape_line,
        density,
    };
    // Shape in body axes, at its own or at the given centre of mass.
    let placed = D::shape(context, &form)?;
    let (shape, placement) = match mask {
        // A body that never follows forces: useless keys are refused below.
        0 => placed,
        _ => balanced(context, body, placed)?,
    };
    // A compound whose parts all have densities is computed relative to density 1.
    let density = density.or(body.shape.dense().then_some(1.0));
    // Pose of the description, then of the body axes within it.
    let outer = Pose {
        position: D::Vector::from_components(&list(context, &part, "position", &body.position)?),
        rotation: D::rotation(context, &part, &body.turn)?,
    };
    let pose = compose(&outer, &placement);
    require_use(context, body, D::N, mask)?;
    let (mass, weightless) = match mask {
        0 => (at_rest(&shape, density), 0),
        _ => mass::<D>(context, body, &shape, density, mask)?,
    };
    // Free, partly free, fixed or kinematic.
    let freedom = match &body.freedom {
        FreedomSpec::Free => Freedom::Free,
        FreedomSpec::Only(mask) => Freedom::Partial(*mask),
        FreedomSpec::Fixed => Freedom::Fixed,
        FreedomSpec::Motion(_) => Freedom::Kinematic(guide),
    };
    Ok(Made {
        velocity: velocity::<D>(context, body, &pose, freedom)?,
        body: Body {
            shape,
            mass,
            material,
            freedom,
        },
        pose,
        placement,
        weightless,
    })
}

/// The numbers of a key; empty where it is missing.
fn list(
    context: &mut Context<'_>,
    part: &str,
    key: &str,
    formulas: &Option<Vec<Formula>>,
) -> Result<Vec<f64>, Box<InputError>> {
    match formulas {
        None => Ok(Vec::new()),
        Some(formulas) => context.numbers(at(part, key), formulas),
    }
}

/// Refuses keys without effect, and boundaries that would move freely.
fn require_use(
    context: &Context<'_>,
    body: &BodySpec,
    dimension: usize,
    mask: u8,
) -> Result<(), Box<InputError>> {
    let part = body.part();
    if body.shape.boundary_only() && body.freedom == FreedomSpec::Free {
        let kind = body.shape.key(dimension);
        let problem = format!("a `{kind}` is a boundary and cannot move freely");
        let advice = "Add `fixed = true`, a `motion`, or `free` with a `mass`";
        return Err(context.part_error(&part, body.line, problem, advice));
    }
    let (why, advice) = match &body.freedom {
        _ if mask != 0 => return Ok(()),
        FreedomSpec::Motion(_) => ("its motion is given", "Drop it, or `motion`"),
        _ => ("the body is fixed", "Drop it, or `fixed = true`"),
    };
    let load = body.load.as_ref();
    // Keys that need a body that follows forces.
    let keys: [(&str, Option<&[Formula]>); 8] = [
        ("mass", body.mass.as_ref().map(std::slice::from_ref)),
        ("inertia", body.inertia.as_deref()),
        ("centre", body.centre.as_deref()),
        ("axes", body.axes.as_deref()),
        ("velocity", body.velocity.as_deref()),
        ("spin", body.spin.as_deref()),
        ("force", load.and_then(|load| load.force.as_deref())),
        ("torque", load.and_then(|load| load.torque.as_deref())),
    ];
    for (key, formulas) in keys {
        if let Some(formulas) = formulas {
            let origin = formulas.first().map(|f| f.origin.clone());
            let problem = format!("this does nothing: {why}");
            let origin = origin.unwrap_or_default();
            return Err(context.error(at(&part, key), origin, problem, advice));
        }
    }
    Ok(())
}

/// The density of a material, if it has one.
fn density(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    material: u16,
) -> Result<Option<f64>, Box<InputError>> {
    let Some(of) = spec.materials.get(usize::from(material)) else {
        return Ok(None);
    };
    match &of.density {
        None => Ok(None),
        Some(formula) => {
            let part = format!("material `{}`", of.name);
            context.positive(at(&part, "density"), formula).map(Some)
        }
    }
}

/// Mass properties of a body that never follows forces: by its density, else 0.
fn at_rest<D: SceneDim>(shape: &D::Shape, density: Option<f64>) -> MassProperties<D> {
    let of_shape = density.and_then(|density| D::mass_properties(shape, density));
    of_shape.unwrap_or(MassProperties {
        mass: 0.0,
        inertia: D::inertia(&[0.0; 3]),
    })
}

/// Mass properties of a body that follows forces, and the spin components without moment of inertia.
fn mass<D: SceneDim>(
    context: &mut Context<'_>,
    body: &BodySpec,
    shape: &D::Shape,
    density: Option<f64>,
    mask: u8,
) -> Result<(MassProperties<D>, u8), Box<InputError>> {
    let part = body.part();
    let turns = mask >> D::N != 0;
    let given = match &body.mass {
        None => None,
        Some(formula) => Some(context.positive(at(&part, "mass"), formula)?),
    };
    let unit = D::mass_properties(shape, 1.0);
    // From the given mass, else from the density; boundaries need a given mass.
    let mut mass = match (unit, given, density) {
        (Some(unit), Some(mass), _) => {
            // The moments of the shape, scaled: those of a body of uniform density.
            D::mass_properties(shape, mass / unit.mass).unwrap_or(unit)
        }
        (Some(unit), None, Some(density)) => D::mass_properties(shape, density).unwrap_or(unit),
        (Some(_), None, None) => {
            let name = &body.material.text;
            let problem = format!("it has no `mass`, and its material `{name}` has no `density`");
            return Err(context.part_error(&part, body.line, problem, "Give one of them"));
        }
        (None, Some(mass), _) => {
            if turns && body.inertia.is_none() {
                let problem =
                    "it may turn but has no `inertia`, and a boundary has none of its own";
                let advice = "Add `inertia`, or do not free its rotation";
                return Err(context.part_error(&part, body.line, problem, advice));
            }
            // Rotations that are held: their moments are never used, any positive ones do.
            let inertia = D::inertia(&[mass; 3]);
            MassProperties { mass, inertia }
        }
        (None, None, _) => {
            let problem = "it may move but has no `mass`, and a boundary has none of its own";
            return Err(context.part_error(&part, body.line, problem, "Add `mass`"));
        }
    };
    // Given moments of inertia replace those of the shape.
    let mut weightless = 0;
    if let Some(formulas) = &body.inertia {
        let mut moments = moments(context, &part, formulas)?;
        weightless =
            zero_inertia::replace_zero_moments(&mut moments, mass.mass, D::bounding_radius(shape));
        mass.inertia = D::inertia(&moments);
    }
    require_mass(context, body, D::mass_diagonal(&mass).as_ref(), mask)?;
    Ok((mass, weightless & mask >> D::N))
}

pub(super) fn moments(
    context: &mut Context<'_>,
    part: &str,
    formulas: &[Formula],
) -> Result<Vec<f64>, Box<InputError>> {
    let place = at(part, "inertia");
    let moments: Result<Vec<f64>, _> = formulas
        .iter()
        .map(|formula| context.not_negative(place, formula))
        .collect();
    let moments = moments?;
    if let [a, b, c] = moments[..] {
        // I_a = ∫ (y² + z²) and so on: none exceeds the sum of the others, to rounding.
        let largest = a.max(b).max(c);
        if largest > (a + b + c - largest) * (1.0 + 1e-12) {
            let problem = "no body has these moments: the largest exceeds the sum of the others";
            return Err(context.list_error(place, formulas, problem, ""));
        }
    }
    Ok(moments)
}

/// Refuses sizes so extreme that a mass or a moment under- or overflows.
fn require_mass(
    context: &Context<'_>,
    body: &BodySpec,
    masses: &[f64],
    mask: u8,
) -> Result<(), Box<InputError>> {
    let follows = |k: usize| mask >> k & 1 == 1;
    let mut all = masses.iter().enumerate();
    match all.find(|(k, m)| follows(*k) && !(**m > 0.0 && m.is_finite())) {
        None => Ok(()),
        Some((_, value)) => {
            let problem = format!(
                "its mass or moment of inertia is {value}; a positive, finite number was expected"
            );
            let advice = "Check the sizes and the density";
            Err(context.part_error(&body.part(), body.line, problem, advice))
        }
    }
}

/// The initial velocity; it must be 0 in components that are held.
fn velocity<D: SceneDim>(
    context: &mut Context<'_>,
    body: &BodySpec,
    pose: &Pose<D>,
    freedom: Freedom,
) -> Result<D::Dofs, Box<InputError>> {
    let part = body.part();
    let velocity = list(context, &part, "velocity", &body.velocity)?;
    let spin = list(context, &part, "spin", &body.spin)?;
    let all = D::velocity(&pose.rotation, &velocity, &spin);
    if let Freedom::Partial(_) = freedom {
        let moving = |(k, v): (usize, &f64)| !freedom.is_free(k) && *v != 0.0;
        if let Some(k) = all.as_ref().iter().enumerate().position(moving) {
            let key = if k < D::N { "velocity" } else { "spin" };
            let formulas = if k < D::N { &body.velocity } else { &body.spin };
            let problem = "it has a part in a direction that is held";
            let formulas = formulas.as_deref().unwrap_or_default();
            let advice = "Set that part to 0, or name the direction in `free`";
            return Err(context.list_error(at(&part, key), formulas, problem, advice));
        }
    }
    Ok(all)
}
