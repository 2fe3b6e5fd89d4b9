//! Initial overlaps (penetrations before the first step), the certificate of a step, and messages
//! with names.

use percuss_bodies::{DeepestContact, Dim, Overlap, World, WorldError};
use percuss_record::{Certificate, Criterion};
use percuss_scene::bodies_scene::{OverlapRule, SceneNames};

/// Default for the allowed initial overlap, as a share of the smaller body's radius.
const ALLOWED: f64 = 1e-6;

/// Largest number of pairs named in a message.
const NAMED: usize = 5;

/// Largest number of projections in the removal of overlaps. Each leaves an error of second order
/// in the depth.
const ROUNDS: usize = 200;

/// Refuses initial overlaps that are too deep, or separates them; returns the deepest one that was
/// separated.
///
/// # Errors
/// Which bodies overlap, and the remedies.
pub(super) fn resolve_overlaps<D: Dim>(
    world: &mut World<D>,
    cast: &SceneNames,
    rule: OverlapRule,
) -> Result<f64, String> {
    // Overlaps beyond the allowed depth.
    let overlaps = too_deep(world, rule);
    let Some(deepest) = overlaps.first().map(|overlap| overlap.depth) else {
        return Ok(0.0);
    };
    if !rule.relax {
        return Err(refused(&overlaps, cast));
    }
    // Projection, then a check of what is left.
    let tolerance = rule.allowed.unwrap_or_else(|| least_allowed(world));
    let relaxed = world.separate_overlaps(tolerance, ROUNDS);
    relaxed.map_err(|error| describe_error(&error, cast))?;
    match too_deep(world, rule).first() {
        None => Ok(deepest),
        Some(left) => Err(format!(
            "overlaps of {deepest:e} at the start could not be moved apart: after {ROUNDS} rounds \
             {} by {:e}. Give the bodies more room",
            pair(left, cast),
            left.depth
        )),
    }
}

/// Pairs that overlap by more than allowed, deepest first.
fn too_deep<D: Dim>(world: &mut World<D>, rule: OverlapRule) -> Vec<Overlap> {
    // A limit in the scene holds for all pairs.
    if let Some(allowed) = rule.allowed {
        return world.overlaps(allowed);
    }
    // Without a limit in the scene, each pair has its own by the radius of its smaller body.
    let least = least_allowed(world);
    let mut overlaps = world.overlaps(least);
    overlaps.retain(|overlap| {
        let sizes = overlap.bodies.iter().map(|&body| radius(world, body));
        overlap.depth > ALLOWED * sizes.fold(f64::INFINITY, f64::min)
    });
    overlaps
}

/// The allowed overlap of the smallest body.
fn least_allowed<D: Dim>(world: &World<D>) -> f64 {
    let bodies = 0..world.model().bodies.len() as u32;
    let least = bodies
        .map(|body| radius(world, body))
        .fold(f64::INFINITY, f64::min);
    if least.is_finite() {
        ALLOWED * least
    } else {
        0.0
    }
}

fn radius<D: Dim>(world: &World<D>, body: u32) -> f64 {
    let body = world.model().bodies.get(body as usize);
    body.map_or(f64::INFINITY, |body| D::bounding_radius(&body.shape))
}

/// The message for overlaps that are too deep.
fn refused(overlaps: &[Overlap], cast: &SceneNames) -> String {
    // The deepest pairs by name, and how many more there are.
    let named: Vec<String> = overlaps
        .iter()
        .take(NAMED)
        .map(|overlap| format!("{} by {:.3e}", pair(overlap, cast), overlap.depth))
        .collect();
    let more = match overlaps.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let noun = if overlaps.len() == 1 { "pair" } else { "pairs" };
    format!(
        "{} {noun} of bodies overlap at the start: {}{more}. Move them apart, write \
         `relax = true` in [run] to have them moved apart, or allow it with `overlap = {:.1e}`",
        overlaps.len(),
        named.join(", "),
        1.01 * overlaps.first().map_or(0.0, |deepest| deepest.depth)
    )
}

fn pair(overlap: &Overlap, cast: &SceneNames) -> String {
    let [a, b] = overlap.bodies.map(|body| name(body as usize, cast));
    format!("{a} and {b}")
}

/// Adds the last step of a world to a certificate.
pub(super) fn certify<D: Dim>(certificate: &mut Certificate, world: &World<D>, cast: &SceneNames) {
    certificate.add(world.report(), &|what| place(what, world, cast));
}

/// Where a criterion is violated most: the deepest contact, the joint with the largest drift, the
/// sliding contact with a nonunique continuation, the infeasible contacts.
pub(super) fn place<D: Dim>(what: Criterion, world: &World<D>, cast: &SceneNames) -> String {
    // Names of joints and contacts.
    let joint = |number: u32| match cast.joints.get(number as usize) {
        Some(name) => format!("joint `{name}`"),
        None => format!("joint {number}"),
    };
    let contact = |deepest: DeepestContact| match deepest.joint {
        Some(number) => joint(number),
        None => {
            let [a, b] = deepest.bodies.map(|body| name(body as usize, cast));
            format!("{a} and {b}")
        }
    };
    // Each criterion has its own worst place.
    match what {
        Criterion::Penetration => world.deepest().map(contact),
        Criterion::Resting => world.deepest_at_rest().map(contact),
        Criterion::Nonunique => world.painleve_contact().map(|sliding| {
            let [a, b] = sliding.bodies.map(|body| name(body as usize, cast));
            format!("{a} on {b}")
        }),
        Criterion::OtherSolution => world.other_solution().map(|another| {
            let [a, b] = another.bodies.map(|body| name(body as usize, cast));
            format!("{a} on {b}")
        }),
        Criterion::Drift => world.largest_drift().map(|loosest| joint(loosest.joint)),
        Criterion::Residual => {
            let pair = |[a, b]: [u32; 2]| [a, b].map(|body| name(body as usize, cast)).join(" on ");
            let pairs = world.infeasible().into_iter().take(2).map(pair).collect();
            Some(crate::stop::infeasible_text(pairs))
        }
        _ => None,
    }
    .unwrap_or_default()
}

/// The name of a body, or its number where it has none.
fn name(body: usize, cast: &SceneNames) -> String {
    match cast.bodies.get(body) {
        Some(name) => format!("`{name}`"),
        None => format!("body {body}"),
    }
}

/// The message of an error of a world, with the names of the bodies.
pub(super) fn describe_error(error: &WorldError, cast: &SceneNames) -> String {
    // Bodies are named; other errors have no body.
    match error {
        WorldError::Mass { body, what, value } => format!(
            "{}: its {what} is {value}, a positive, finite number was expected",
            name(*body, cast)
        ),
        WorldError::NotFinite { body, what, t } => {
            format!("{}: its {what} at t = {t} is not finite", name(*body, cast))
        }
        WorldError::Contact { bodies, t, reason } => {
            let [a, b] = bodies.map(|body| name(body as usize, cast));
            format!("contact of {a} and {b} at t = {t}: {reason}")
        }
        WorldError::Reference(_)
        | WorldError::Joint(_)
        | WorldError::Setting { .. }
        | WorldError::Cell { .. } => error.to_string(),
    }
}
