//! Energetic restitution (Stronge): one contact, followed along its normal impulse p.
//!
//! ```text
//! dU_n/dp = W_nn + W_nt λ,    dU_t/dp = W_tn + W_tt λ,    λ = dS_t/dp
//! U_t > 0: λ = −μ,   U_t < 0: λ = μ,   U_t = 0: λ = −W_tn/W_tt where |λ| ≤ μ, else λ = ±μ against the slip that begins
//! compression until U_n = 0;  the end where ∫ U_n dp of the expansion = e² |∫ U_n dp of the compression|
//! ```
//!
//! λ is constant between the few events (slip stops, compression ends), so that U is piecewise linear and the work
//! piecewise quadratic in p: the result is exact. Where slip stops or reverses, neither Newton's nor Poisson's
//! coefficient keeps the energy balance for all e ≤ 1; this one does, because normal work is what it limits.
//! Limits: one contact with at most one tangential direction; several closed contacts are refused (see
//! [`super::ratios`]). Source: Stronge 1990.

use super::ImpactSolver;
use super::rows::ImpactRows;
use crate::error::MechanismError;
use crate::settings::ImpactLaw;
use crate::system::System;

/// A sliding velocity below this share of the velocities is none.
const NO_SLIP: f64 = 1e-14;

/// Slip stops once, compression ends once, and the end: a few more for rounding.
const EVENTS: usize = 16;

pub(super) fn resolve<S: System + ?Sized>(
    strike: &mut ImpactSolver<'_>,
    system: &mut S,
    members: &[usize],
) -> Result<(), MechanismError> {
    let rows = ImpactRows::collect(strike, system, ImpactLaw::Energetic, members)?;
    // One contact alone.
    if let [first, second, ..] = &rows.contacts[..] {
        let name = |i: usize| &system.constraints()[i].name;
        return Err(MechanismError::Impact {
            law: ImpactLaw::Energetic.name(),
            t: strike.at.t,
            reason: format!(
                "it is defined for one contact, but `{}` and `{}` are closed together; use `lzb`, which \
                 shares the impulse between contacts by their stiffness",
                name(first.constraint),
                name(second.constraint)
            ),
        });
    }
    let Some(contact) = rows.contacts.first() else {
        return Ok(());
    };
    let w = |i: usize, j: usize| rows.delassus[i * rows.len() + j];
    let impulse = match contact.friction {
        None => {
            let [normal, _] = follow(
                [[w(0, 0), 0.0], [0.0, 1.0]],
                [rows.begin[0], 0.0],
                [0.0, 0.0],
                contact.restitution,
            );
            vec![normal]
        }
        Some(bounds) => {
            let inverse_mass = [[w(0, 0), w(0, 1)], [w(1, 0), w(1, 1)]];
            let begin = [rows.begin[0], rows.begin[1]];
            follow(inverse_mass, begin, bounds, contact.restitution).to_vec()
        }
    };
    strike.apply_contacts(system, &rows, &impulse, members)
}

/// Impulses (S_n, S_t) of a contact with W, U⁻ and the bounds of S_t/S_n.
fn follow(w: [[f64; 2]; 2], begin: [f64; 2], bounds: [f64; 2], e: f64) -> [f64; 2] {
    let [mut normal, mut slip] = begin;
    if !(normal < 0.0) {
        return [0.0; 2];
    }
    let rest = NO_SLIP * (normal.abs() + slip.abs());
    if slip.abs() <= rest {
        slip = 0.0;
    }
    let mut impulse = [0.0; 2];
    // Work of compression so far; then what is left of the expansion.
    let (mut work, mut left) = (0.0_f64, None::<f64>);
    for _ in 0..EVENTS {
        let friction = friction_rate(w, slip, bounds);
        let speed_up = w[0][0] + w[0][1] * friction;
        let slip_up = match slip == 0.0 && friction == stick(w) {
            true => 0.0,
            false => w[1][0] + w[1][1] * friction,
        };
        // The impulse until slip stops, until compression ends, until the work is given back.
        let until_stop = match slip * slip_up < 0.0 {
            true => -slip / slip_up,
            false => f64::INFINITY,
        };
        let until_phase = match left {
            None if speed_up > 0.0 => -normal / speed_up,
            None => f64::INFINITY,
            Some(left) => {
                let root = (normal * normal + 2.0 * speed_up * left).max(0.0).sqrt();
                2.0 * left / (normal + root)
            }
        };
        let step = until_stop.min(until_phase);
        if !step.is_finite() {
            break;
        }
        impulse[0] += step;
        impulse[1] += step * friction;
        let done = normal * step + 0.5 * speed_up * step * step;
        normal += speed_up * step;
        slip = if until_stop <= until_phase {
            0.0
        } else {
            slip + slip_up * step
        };
        // Bookkeeping of the phase.
        match &mut left {
            None => work += done,
            Some(left) => *left = (*left - done).max(0.0),
        }
        if until_phase <= until_stop {
            match left {
                Some(_) => break,
                None if e == 0.0 => break,
                None => (normal, left) = (0.0, Some(e * e * work.abs())),
            }
        }
    }
    impulse
}

/// dS_t/dp that holds a contact that does not slide.
fn stick(w: [[f64; 2]; 2]) -> f64 {
    -w[1][0] / w[1][1]
}

/// dS_t/dp at the sliding velocity `slip`.
fn friction_rate(w: [[f64; 2]; 2], slip: f64, [low, high]: [f64; 2]) -> f64 {
    if slip > 0.0 {
        low
    } else if slip < 0.0 {
        high
    } else {
        stick(w).clamp(low, high)
    }
}
