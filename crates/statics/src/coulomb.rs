//! The multiplier for Coulomb's friction, whose sliding does not dilate.
//!
//! ```text
//! max λ     Gᵀ S + f₀ + λ f₁ = 0,   S_n ≥ 0,   S_t ∈ (N + β (S_n − N)) D          N, β given
//! ```
//!
//! With β = 1 these are the cones of the laws and sliding dilates as normality asks; with β = 0 the
//! bound of friction is fixed and sliding does not dilate: at a fixed point N = S_n the mechanism and S
//! obey Coulomb's law together. The method goes there by a sequence of programs with N the S_n of the
//! last one and β falling to [`LEAST`] (Gilbert, Casapulla and Ahmed 2006).
//!
//! Limits: without normality the load at collapse need not be unique, nor is the sequence sure to end.
//! What it gives is the multiplier of one equilibrium and one mechanism that obey the law to the
//! accuracy measured: at most that of the associated law.

use crate::domain::Domain;
use crate::error::StaticsError;
use crate::limit::{Extent, Limit, Loads, Sense, Weighing};
use crate::system::System;

/// Share of the dilation of normality that is left at the end.
const LEAST: f64 = 1e-4;

/// How fast that share falls.
const FALL: f64 = 0.5;

/// Most programs of the sequence.
const MOST: usize = 120;

/// Relative change of the multiplier at which the sequence ends.
const SETTLED: f64 = 1e-8;

/// Distance from the cones of the laws, relative to the largest load, at which it may end.
const OBEYED: f64 = 1e-6;

/// A multiplier for Coulomb's friction.
#[derive(Debug, Clone, PartialEq)]
pub struct Coulomb {
    /// The equilibrium and the mechanism; none where the sequence did not settle.
    pub limit: Option<Limit>,
    /// Programs solved; 0 where the associated mechanism does not slide and answers both.
    pub steps: usize,
    /// Distance of S from the cones of the laws, relative to the largest load.
    pub cone: f64,
}

/// The multiplier for Coulomb's friction, from the associated one.
///
/// # Errors
/// As [`crate::limit`].
pub fn coulomb(
    system: &System,
    loads: Loads<'_>,
    sense: Sense,
    associated: &Limit,
) -> Result<Coulomb, StaticsError> {
    let nothing = Coulomb {
        limit: None,
        steps: 0,
        cone: associated.cone,
    };
    if associated.extent != Extent::Bounded {
        return Ok(nothing);
    }
    if associated.sliding == 0.0 {
        return Ok(Coulomb {
            limit: Some(associated.clone()),
            ..nothing
        });
    }
    let weighing = Weighing::new(system, loads, sense)?;
    let mut impulse = associated.impulse.clone();
    let (mut beta, mut last) = (FALL, associated.multiplier);
    for step in 1..=MOST {
        let normal = |contact: usize| impulse[system.rows(contact).start].max(0.0) / weighing.unit;
        let domains: Vec<Domain> = weighing
            .domains()
            .iter()
            .enumerate()
            .map(|(contact, domain)| domain.clone().fixed_section(normal(contact), beta))
            .collect();
        let found = weighing.solve_in(&domains)?;
        if found.extent != Extent::Bounded {
            return Ok(Coulomb {
                steps: step,
                ..nothing
            });
        }
        let cone = outside(system, weighing.domains(), &found.impulse, weighing.unit);
        let change = (found.multiplier - last).abs();
        if beta <= LEAST && cone <= OBEYED && change <= SETTLED * (1.0 + last.abs()) {
            return Ok(Coulomb {
                limit: Some(found),
                steps: step,
                cone,
            });
        }
        last = found.multiplier;
        // Half way once the first steps are over: a plain repetition may go to and fro.
        let share = if step < MOST / 4 { 1.0 } else { 0.5 };
        for (old, new) in impulse.iter_mut().zip(&found.impulse) {
            *old += share * (new - *old);
        }
        beta = (beta * FALL).max(LEAST);
    }
    Ok(Coulomb {
        steps: MOST,
        ..nothing
    })
}

/// Distance of S from the cones of the laws.
fn outside(system: &System, domains: &[Domain], impulse: &[f64], unit: f64) -> f64 {
    let mut worst = 0.0_f64;
    for (contact, domain) in domains.iter().enumerate() {
        let rows = &impulse[system.rows(contact)];
        let scaled: Vec<f64> = rows.iter().map(|s| s / unit).collect();
        let x = domain.unknowns_of(&scaled);
        worst = worst.max(domain.outside(&x));
    }
    worst
}
