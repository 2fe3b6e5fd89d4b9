//! Bodies with zero moment of inertia: which rotations joints must hold, and the small moments used instead of 0.

use percuss_bodies::{Dim, Friction, Model, Vector, joint};

use super::body_table::BodyTable;
use super::context::{Context, at};
use super::scene_dim::SceneDim;
use percuss_input::InputError;
use percuss_input::tables::bodies::BodiesSpec;

/// Refuses a spin component without inertia that no joint constrains, unless no torque can act about it: a
/// disc or a sphere that touches without friction.
pub(super) fn require_inertia<D: SceneDim>(
    context: &Context<'_>,
    spec: &BodiesSpec,
    roster: &BodyTable<D>,
    model: &Model<D>,
) -> Result<(), Box<InputError>> {
    if roster.weightless.is_empty() {
        return Ok(());
    }
    for (number, _) in joint::unconstrained_spins(&model.joints, &roster.poses, &roster.weightless)
    {
        let (body, text) = (
            &model.bodies[number as usize],
            &spec.bodies[number as usize],
        );
        // A torque would act on the zero moment.
        let torque = text
            .load
            .as_ref()
            .is_some_and(|load| load.torque.is_some() || load.at.is_some());
        if D::sphere_radius(&body.shape).is_some() && slides(model, body.material) && !torque {
            continue;
        }
        let part = text.part();
        let problem = "a moment of inertia of 0, and nothing holds the rotation: a contact or a torque would turn the \
                       body infinitely fast";
        let advice = "Give a positive one, a joint that holds the rotation, or name the directions that move in `free`";
        let formulas = text.inertia.as_deref().unwrap_or_default();
        return Err(context.list_error(at(&part, "inertia"), formulas, problem, advice));
    }
    Ok(())
}

/// The moment of inertia used instead of 0, over mass × length²: its share of the kinetic energy is below the
/// tolerance of steps, and rows of joints stay well above rounding.
const NEGLIGIBLE: f64 = 1e-8;

/// Replaces zero moments by negligible ones; returns the bit mask of those replaced.
pub(super) fn replace_zero_moments(moments: &mut [f64], mass: f64, length: f64) -> u8 {
    let mut zero = 0;
    for (k, moment) in moments.iter_mut().enumerate() {
        if *moment == 0.0 && length.is_finite() {
            *moment = NEGLIGIBLE * mass * length * length;
            zero |= 1 << k;
        }
    }
    zero
}

/// Raises moments that are negligible against the longest lever arm of a joint, given ones and replaced ones:
/// rounding errors of the joint's impulses, which such a moment turns into spin, would exceed the tolerance of steps.
pub(super) fn raise_small_moments<D: SceneDim>(model: &mut Model<D>) {
    // Longest arm of a joint by body.
    let sides = model.joints.iter().flat_map(|joint| &joint.frames);
    let mut arms = vec![0.0_f64; model.bodies.len()];
    for side in sides {
        if let Some(arm) = side.body.and_then(|body| arms.get_mut(body as usize)) {
            *arm = arm.max(side.point.norm());
        }
    }
    for (body, arm) in model.bodies.iter_mut().zip(arms) {
        if arm == 0.0 || !body.freedom.movable() {
            continue;
        }
        // Moments follow the translations in the mass diagonal.
        let mut masses = D::mass_diagonal(&body.mass);
        let least = NEGLIGIBLE * body.mass.mass * arm * arm;
        for moment in masses.as_mut().iter_mut().skip(D::N) {
            *moment = moment.max(least);
        }
        body.mass = D::from_mass_diagonal(&masses);
    }
}

/// Whether a material has no law that exerts a torque on a round body.
fn slides<D: Dim>(model: &Model<D>, material: u16) -> bool {
    (0..model.materials.count()).all(|other| {
        let (law, _) = model.materials.law(material, other as u16);
        let none = matches!(law.friction, Friction::None | Friction::Coulomb(0.0));
        none && law.rolling == 0.0 && law.spinning == 0.0
    })
}
