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
//! The mechanism says which contacts open, slide and stick; among all S of these faces λ still has a range,
//! for the normal forces need not be determined: two more programs give its ends, with S in the cones of
//! the laws exactly.
//!
//! Limits: without normality other mechanisms may go at other loads, and the sequence is not sure to end.
//! What it gives is the range of multipliers at which one mechanism obeys the law: never above that of
//! the associated law, and not shown to contain the least.

use contact::law::Law;

use crate::domain::{ImpulseDomain, Face};
use crate::error::StaticsError;
use crate::limit::{LimitStatus, LimitLoad, Loads, Sense, LimitProgram};
use crate::system::ContactAssembly;

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

/// Velocities below this share of the fastest contact are rounding.
const MOVES: f64 = 1e-4;

/// A contact that moves apart faster than this share of its sliding opens; what is left of dilation
/// is far below.
const OPENS: f64 = 0.02;

/// A multiplier for Coulomb's friction.
#[derive(Debug, Clone, PartialEq)]
pub struct NonassociatedLimit {
    /// The equilibrium with the largest multiplier and the mechanism; none where the sequence did
    /// not settle.
    pub limit: Option<LimitLoad>,
    /// The smallest multiplier (in the sense asked for) at which that mechanism goes.
    pub least: f64,
    /// Programs solved; 0 where the associated mechanism does not slide and answers both.
    pub steps: usize,
    /// Distance of S from the cones of the laws, relative to the largest load.
    pub cone: f64,
}

/// The multiplier for Coulomb's friction, from the associated one.
///
/// # Errors
/// As [`crate::limit`].
pub fn nonassociated_limit(
    system: &ContactAssembly,
    loads: Loads<'_>,
    sense: Sense,
    associated: &LimitLoad,
) -> Result<NonassociatedLimit, StaticsError> {
    let nothing = NonassociatedLimit {
        limit: None,
        least: f64::NAN,
        steps: 0,
        cone: associated.cone,
    };
    if associated.status != LimitStatus::Bounded {
        return Ok(nothing);
    }
    if associated.sliding == 0.0 {
        // Gv·S = 0 at hinges, whatever S: −f₀·v = λ f₁·v has one λ.
        return Ok(NonassociatedLimit {
            limit: Some(associated.clone()),
            least: associated.multiplier,
            ..nothing
        });
    }
    let weighing = LimitProgram::new(system, loads, sense)?;
    let mut impulse = associated.impulse.clone();
    let (mut beta, mut last) = (FALL, associated.multiplier);
    for step in 1..=MOST {
        let domains = sections(system, &weighing, &impulse, beta);
        let found = weighing.solve_in(&domains)?;
        if found.status != LimitStatus::Bounded {
            return Ok(NonassociatedLimit {
                steps: step,
                ..nothing
            });
        }
        if beta <= LEAST {
            let change = (found.multiplier - last).abs();
            let settled = change <= SETTLED * (1.0 + last.abs());
            if let Some(done) = range(system, loads, sense, &found, settled)? {
                return Ok(NonassociatedLimit {
                    steps: step,
                    ..done
                });
            }
        }
        last = found.multiplier;
        // Half way once the first steps are over: a plain repetition may go to and fro.
        let share = if step < MOST / 4 { 1.0 } else { 0.5 };
        for (old, new) in impulse.iter_mut().zip(&found.impulse) {
            *old += share * (new - *old);
        }
        beta = (beta * FALL).max(LEAST);
    }
    Ok(NonassociatedLimit {
        steps: MOST,
        ..nothing
    })
}

/// The cones with their sections at the normal forces of an S.
fn sections(system: &ContactAssembly, weighing: &LimitProgram<'_>, impulse: &[f64], beta: f64) -> Vec<ImpulseDomain> {
    let normal = |contact: usize| impulse[system.rows(contact).start].max(0.0) / weighing.unit;
    let all = weighing.domains().iter().enumerate();
    all.map(|(contact, domain)| domain.clone().fixed_section(normal(contact), beta))
        .collect()
}

/// The range of multipliers on the faces of a mechanism; without one the S found, if it has settled
/// and obeys the laws.
fn range(
    system: &ContactAssembly,
    loads: Loads<'_>,
    sense: Sense,
    found: &LimitLoad,
    settled: bool,
) -> Result<Option<NonassociatedLimit>, StaticsError> {
    let most = LimitProgram::new(system, loads, sense)?;
    let least = LimitProgram::new(system, loads, !sense)?;
    let domains = faces(system, &found.mechanism)
        .iter()
        .enumerate()
        .map(|(contact, face)| {
            let rows = system.rows(contact).len();
            ImpulseDomain::new(contact, system.law(contact), rows, face)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let (high, low) = (most.solve_in(&domains)?, least.solve_in(&domains)?);
    let good =
        |limit: &LimitLoad| limit.status == LimitStatus::Bounded && limit.balance.max(limit.cone) <= OBEYED;
    if good(&high) && good(&low) {
        return Ok(Some(NonassociatedLimit {
            least: low.multiplier,
            cone: high.cone.max(low.cone),
            limit: Some(LimitLoad {
                mechanism: found.mechanism.clone(),
                bound: high.multiplier,
                ..high
            }),
            steps: 0,
        }));
    }
    let cone = outside(system, most.domains(), &found.impulse, most.unit);
    let kept = settled && cone <= OBEYED;
    Ok(kept.then(|| NonassociatedLimit {
        limit: Some(found.clone()),
        least: found.multiplier,
        steps: 0,
        cone,
    }))
}

/// What each contact does in a mechanism that hardly dilates.
fn faces(system: &ContactAssembly, mechanism: &[f64]) -> Vec<Face> {
    let u = system.gather(mechanism);
    let fastest = u.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let face = |contact: usize| {
        let own = &u[system.rows(contact)];
        let sliding = own.iter().skip(1).map(|v| v * v).sum::<f64>().sqrt();
        if !system.law(contact).normal() {
            return Face::Stick;
        }
        if own[0] > MOVES * fastest && own[0] > OPENS * sliding {
            return Face::Open;
        }
        match sliding_direction(system.law(contact), own) {
            Some(tied) if sliding > MOVES * fastest => Face::Slip(tied),
            _ => Face::Stick,
        }
    };
    (0..system.num_contacts()).map(face).collect()
}

/// Where a sliding contact has its impulse, over S_n; none for laws whose sliding rows cannot be told
/// from a velocity alone.
fn sliding_direction(law: &Law, u: &[f64]) -> Option<Vec<Option<f64>>> {
    let norm = u[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    let against = |mu: f64| u.iter().map(|v| Some(-mu * v / norm)).collect();
    match law {
        Law::Coulomb { mu } => Some(against(*mu)),
        Law::StaticDynamic { friction, previous } => Some(against(friction.coefficient(*previous))),
        Law::CoulombAsymmetric { plus, minus } => {
            let bound = if u[1] > 0.0 { -minus } else { *plus };
            Some(vec![None, Some(bound)])
        }
        _ => None,
    }
}

/// Distance of S from the cones of the laws.
fn outside(system: &ContactAssembly, domains: &[ImpulseDomain], impulse: &[f64], unit: f64) -> f64 {
    let mut worst = 0.0_f64;
    for (contact, domain) in domains.iter().enumerate() {
        let rows = &impulse[system.rows(contact)];
        let scaled: Vec<f64> = rows.iter().map(|s| s / unit).collect();
        let x = domain.unknowns_of(&scaled);
        worst = worst.max(domain.cone_violation(&x));
    }
    worst
}
