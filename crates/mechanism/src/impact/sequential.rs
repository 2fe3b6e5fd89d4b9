//! Sequential impact law (Newton's cradle): one contact after the other.
//!
//! The contact that approaches fastest collides alone (with the joints), then the next, until none approaches. Contacts
//! with e < 1 may need infinitely many collisions whose speeds fall geometrically; when the speed has fallen below
//! 1e-10 of the first, the rest is one simultaneous soft impact.

use super::{AT_REST, ImpactSolver, approach_velocities};
use crate::error::MechanismError;
use crate::system::System;

/// Maximum number of collisions per contact before the simultaneous soft impact.
const COLLISIONS: usize = 200;

/// Approach below this share of the fastest one is left to the simultaneous soft impact.
const SLOW: f64 = 1e-10;

pub(super) fn resolve<S: System + ?Sized>(
    strike: &mut ImpactSolver<'_>,
    system: &mut S,
    members: &[usize],
) -> Result<(), MechanismError> {
    let (contacts, firm): (Vec<usize>, Vec<usize>) = members
        .iter()
        .partition(|&&m| system.constraints()[m].is_contact());
    let mut fastest = 0.0_f64;
    for _ in 0..COLLISIONS * contacts.len() {
        let next = worst(strike, system, &contacts)?;
        let Some((contact, speed)) = next else {
            return Ok(());
        };
        fastest = fastest.max(speed);
        if speed < SLOW * fastest {
            break;
        }
        // The contact collides alone, with the joints.
        let mut pair = firm.clone();
        pair.push(contact);
        pair.sort_unstable();
        strike.solve_simultaneous(system, &pair, None)?;
    }
    // The remaining approach is taken out without rebound.
    strike.solve_simultaneous(system, members, Some(0.0))
}

/// The contact that approaches fastest, and its speed.
fn worst<S: System + ?Sized>(
    strike: &ImpactSolver<'_>,
    system: &mut S,
    contacts: &[usize],
) -> Result<Option<(usize, f64)>, MechanismError> {
    let speeds = approach_velocities(system, strike.at, &strike.v, contacts)?;
    let approaching = speeds.iter().filter(|(_, u, scale)| -u > AT_REST * scale);
    let fastest = approaching.min_by(|a, b| a.1.total_cmp(&b.1));
    Ok(fastest.map(|&(contact, u, _)| (contact, -u)))
}
