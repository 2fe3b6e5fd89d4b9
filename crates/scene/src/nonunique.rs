//! Where a motion need not have gone on as it did.
//!
//! A contact that slides without colliding may keep its velocity or jump where γ(q) ≤ 0 (P15 §3). The
//! ledger has γ in every step; here the set of possible velocities is computed, at the places where
//! γ ceased to be positive.

use mechanism::painleve::{Outcomes, analyse_sliding_contact, joint_accelerations};
use mechanism::{ConstraintKind, EventKind, Scheme, StateRef, System};
use serde::{Deserialize, Serialize};

use crate::run::MechanismOutcome;
use crate::text::SymbolicSystem;
use crate::trajectory::Interpolation;

/// A place where the continuation is not unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NonuniqueInstant {
    /// The instant, to within a step.
    pub t: f64,
    /// The contact, or joint with friction, that slides.
    pub contact: String,
    /// γ(q).
    pub gamma: f64,
    /// `two`: u⁻ or ũ; at a joint, the velocities after the step by either reaction. `segment`: every
    /// velocity between them.
    pub outcomes: String,
    /// u⁻ by velocity name.
    pub before: Vec<(String, f64)>,
    /// ũ by velocity name.
    pub jump: Vec<(String, f64)>,
}

/// The places where γ of a sliding contact ceased to be positive, with the possible velocities there.
pub fn nonunique_instants(
    system: &mut SymbolicSystem,
    outcome: &MechanismOutcome,
) -> Vec<NonuniqueInstant> {
    let motion = &outcome.trajectory;
    let mut found = Vec::new();
    for state in 1..motion.len() {
        for event in motion.events_of(state) {
            let EventKind::Painleve { gamma } = event.kind else {
                continue;
            };
            let (begin, end) = (motion.times()[state - 1], motion.times()[state]);
            // What happens at the first instant happens to the velocity that the scene gives.
            let first = state == 1 && event.t <= begin;
            let v = match first {
                true => system.first_velocity().to_vec(),
                false => motion.velocity(state - 1).to_vec(),
            };
            // Events have their instant; a step took its contacts some way along the velocity before: half-way, θ of
            // it, or, in Paoli's scheme, at its end.
            let t = match motion.interpolation() {
                Interpolation::Smooth => event.t.clamp(begin, end),
                Interpolation::PiecewiseConstant(share) => {
                    begin + share.max(1.0 - share) * (end - begin)
                }
            };
            let mut q = motion.position(state - 1).to_vec();
            motion.chart().integrate(&mut q, &v, t - begin);
            let v = &v[..];
            let at = StateRef { t, q: &q, v };
            // Only Paoli's scheme is at the end: its contacts have a law of their own.
            let scheme = match motion.interpolation() {
                Interpolation::PiecewiseConstant(share) if share >= 1.0 => Scheme::Paoli,
                _ => Scheme::Midpoint,
            };
            let ways = outcomes(system, event.constraint, at, (end - begin, scheme));
            let Some((outcomes, before, jump)) = ways else {
                continue;
            };
            let named = |v: &[f64]| {
                let names = (0..v.len()).map(|i| system.velocity_name(i));
                names.zip(v.iter().copied()).collect()
            };
            found.push(NonuniqueInstant {
                t,
                contact: system.constraints()[event.constraint].name.clone(),
                gamma,
                outcomes: outcomes.to_string(),
                before: named(&before),
                jump: named(&jump),
            });
        }
    }
    found
}

/// What the continuations are called, and two of them: u⁻ and ũ of a contact; for a joint that may push
/// with either sign, the velocities at the end of a step of length `h`. Contacts jump by the law of `scheme`.
fn outcomes(
    system: &mut SymbolicSystem,
    constraint: usize,
    at: StateRef<'_>,
    (h, scheme): (f64, Scheme),
) -> Option<(&'static str, Vec<f64>, Vec<f64>)> {
    if system.constraints()[constraint].kind == ConstraintKind::Contact {
        let contact = analyse_sliding_contact(system, constraint, at, scheme).ok()?;
        return match contact.outcomes {
            Outcomes::One => None,
            Outcomes::Two { jump } => Some(("two", at.v.to_vec(), jump)),
            Outcomes::Segment { jump } => Some(("segment", at.v.to_vec(), jump)),
        };
    }
    let ways = joint_accelerations(system, constraint, at).ok()?;
    let after = |a: &Vec<f64>| -> Vec<f64> {
        let both = at.v.iter().zip(a);
        both.map(|(v, a)| v + h * a).collect()
    };
    match &ways[..] {
        [first, .., last] => Some(("two", after(first), after(last))),
        _ => None,
    }
}
