//! Nonunique continuations of a mechanism (Painlevé): instants at which the motion need not go on as computed.
//!
//! A contact that slides without colliding may keep its velocity or jump where γ(q) ≤ 0 (P15 §3). The step reports
//! have γ of every step; here the set of possible velocities is computed, at the instants where γ ceased to be
//! positive.

use percuss_mechanism::painleve::{
    Outcomes, analyse_sliding_contact, joint_accelerations, joint_jumps,
};
use percuss_mechanism::{ConstraintKind, EventKind, Scheme, StateRef, System};
use percuss_record::NonuniqueInstant;
use percuss_scene::SymbolicSystem;

use crate::mechanism_run::MechanismOutcome;
use crate::trajectory::Interpolation;

/// The instants where γ of a sliding contact ceased to be positive, with the possible velocities there.
pub fn nonunique_instants(
    system: &mut SymbolicSystem,
    outcome: &MechanismOutcome,
) -> Vec<NonuniqueInstant> {
    let motion = &outcome.trajectory;
    let mut found = Vec::new();
    for state in 1..motion.len() {
        for event in motion.events_of(state) {
            // Only events at which γ ceased to be positive.
            let EventKind::Painleve { gamma } = event.kind else {
                continue;
            };
            let (begin, end) = (motion.times()[state - 1], motion.times()[state]);
            // An event at the first instant acts on the velocity that the scene gives.
            let first = state == 1 && event.t <= begin;
            let v = match first {
                true => system.first_velocity().to_vec(),
                false => motion.velocity(state - 1).to_vec(),
            };
            // An event has its instant; a time step evaluates its contacts along the velocity before: at the midpoint,
            // at θ, or, in Paoli's scheme, at its end.
            let t = match motion.interpolation() {
                Interpolation::Smooth => event.t.clamp(begin, end),
                Interpolation::PiecewiseConstant(share) => {
                    begin + share.max(1.0 - share) * (end - begin)
                }
            };
            // The positions at that instant.
            let mut q = motion.position(state - 1).to_vec();
            motion.chart().integrate(&mut q, &v, t - begin);
            let v = &v[..];
            let at = StateRef { t, q: &q, v };
            // Only Paoli's scheme evaluates contacts at the end of the step; they have an impact law of their own.
            let scheme = match motion.interpolation() {
                Interpolation::PiecewiseConstant(share) if share >= 1.0 => Scheme::Paoli,
                _ => Scheme::Midpoint,
            };
            let ways = continuations(system, event.constraint, at, end - begin, scheme);
            let Some(ways) = ways else {
                continue;
            };
            // Velocities with their names.
            let named = |v: &[f64]| {
                let names = (0..v.len()).map(|i| system.velocity_name(i));
                names.zip(v.iter().copied()).collect()
            };
            found.push(NonuniqueInstant {
                t,
                contact: system.constraints()[event.constraint].name.clone(),
                gamma,
                outcomes: ways.kind.to_string(),
                before: named(&ways.first),
                jump: named(&ways.others[0]),
                others: ways.others[1..].iter().map(|jump| named(jump)).collect(),
            });
        }
    }
    found
}

/// Velocities with which a motion may go on.
struct Continuations {
    /// `two`, `several` or a `segment` of them.
    kind: &'static str,
    /// One of them.
    first: Vec<f64>,
    /// The others, at least one.
    others: Vec<Vec<f64>>,
}

/// Velocities with which the motion may go on, where there is more than one: u⁻ and the jumps of a contact; of a joint
/// that may push with either sign, the velocities at the end of a step of length `h`, then those after a jump.
/// Contacts jump by the law of `scheme`.
fn continuations(
    system: &mut SymbolicSystem,
    constraint: usize,
    at: StateRef<'_>,
    h: f64,
    scheme: Scheme,
) -> Option<Continuations> {
    // A contact: unique, two velocities or more, or a segment of them.
    if system.constraints()[constraint].kind == ConstraintKind::Contact {
        let contact = analyse_sliding_contact(system, constraint, at, scheme).ok()?;
        let (kind, others) = match contact.outcomes {
            Outcomes::One => return None,
            Outcomes::Two { jump } => ("two", vec![jump]),
            Outcomes::Several { jumps } => ("several", jumps),
            Outcomes::Segment { jump } => ("segment", vec![jump]),
        };
        let first = at.v.to_vec();
        return Some(Continuations {
            kind,
            first,
            others,
        });
    }
    // A joint with friction: one acceleration for each consistent sign of its reaction, and the jumps.
    let ways = joint_accelerations(system, constraint, at).ok()?;
    let after = |a: &Vec<f64>| -> Vec<f64> {
        let both = at.v.iter().zip(a);
        both.map(|(v, a)| v + h * a).collect()
    };
    let [first, rest @ ..] = &ways[..] else {
        return None;
    };
    let mut others: Vec<Vec<f64>> = rest.iter().map(after).collect();
    if others.is_empty() {
        return None;
    }
    others.extend(joint_jumps(system, constraint, at).ok()?);
    let kind = if others.len() > 1 { "several" } else { "two" };
    Some(Continuations {
        kind,
        first: after(first),
        others,
    })
}
