//! Limit load with Coulomb friction: nonassociated sliding, without dilatancy.
//!
//! ```text
//! max λ     Gᵀ S + f₀ + λ f₁ = 0,   S_n ≥ 0,   S_t ∈ (N + β (S_n − N)) D          N, β given
//! ```
//!
//! With β = 1 these are the cones of the laws and sliding dilates by normality; with β = 0 the
//! friction bound is fixed and sliding does not dilate: at a fixed point N = S_n the mechanism and S
//! obey Coulomb's law together. The method is a sequence of conic programs with N the S_n of the
//! previous one and β decreasing to [`LEAST`] (Gilbert, Casapulla and Ahmed 2006).
//!
//! The mechanism determines which contacts open, slide and stick. Among all S of these faces λ still has a range,
//! since the normal forces need not be determined: two more programs give its ends, with S exactly in the cones of
//! the laws.
//!
//! Limits: without normality other mechanisms may occur at other loads, and the sequence need not converge.
//! The result is the range of multipliers at which one mechanism obeys the law: never above that of
//! the associated law, and not proven to contain the smallest.

use percuss_contact::law::Law;

use crate::assembly::ContactAssembly;
use crate::error::StaticsError;
use crate::impulse_domain::{Face, ImpulseDomain};
use crate::limit_load::{LimitLoad, LimitProgram, LimitStatus, Loads, Sense};

/// Final share β of the dilatancy of normality.
const LEAST: f64 = 1e-4;

/// Factor by which β decreases.
const FALL: f64 = 0.5;

/// Maximum number of programs of the sequence.
const MOST: usize = 120;

/// Relative change of the multiplier at which the sequence has converged.
const SETTLED: f64 = 1e-8;

/// Largest accepted balance residual and cone violation, relative to the largest load.
const OBEYED: f64 = 1e-6;

/// Velocities below this share of the fastest contact are rounding.
const MOVES: f64 = 1e-4;

/// A contact that separates faster than this share of its sliding velocity is open; the remaining
/// dilatancy is far below.
const OPENS: f64 = 0.02;

/// Range of multipliers for Coulomb friction.
#[derive(Debug, Clone, PartialEq)]
pub struct NonassociatedLimit {
    /// The equilibrium with the largest multiplier and the mechanism; `None` where the sequence did
    /// not converge. On the faces of the mechanism its `bound` is set to the multiplier and proves nothing.
    pub limit: Option<LimitLoad>,
    /// The smallest multiplier (in the direction asked for) at which that mechanism moves.
    pub least: f64,
    /// Programs solved; 0 where the associated mechanism does not slide and is the answer for both laws.
    pub steps: usize,
    /// Cone violation of S, relative to the largest load.
    pub cone: f64,
}

/// The multipliers for Coulomb friction, starting from the associated limit load.
///
/// # Errors
/// As for [`crate::limit_load`].
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
    // Nothing to refine without a finite associated limit.
    if associated.status != LimitStatus::Bounded {
        return Ok(nothing);
    }
    if associated.sliding == 0.0 {
        // G v·S = 0 at hinges, whatever S: −f₀·v = λ f₁·v has one λ.
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
        // Limit load with the sections at the last normal forces.
        let domains = sections(system, &weighing, &impulse, beta);
        let found = weighing.solve_in(&domains)?;
        if found.status != LimitStatus::Bounded {
            return Ok(NonassociatedLimit {
                steps: step,
                ..nothing
            });
        }
        // Converged, or the faces of the mechanism already give a range?
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
        // Damping after the first steps: the plain fixed-point iteration may oscillate.
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

/// The cones with their sections taken at the normal forces of an S.
fn sections(
    system: &ContactAssembly,
    weighing: &LimitProgram<'_>,
    impulse: &[f64],
    beta: f64,
) -> Vec<ImpulseDomain> {
    let normal = |contact: usize| impulse[system.rows(contact).start].max(0.0) / weighing.unit;
    let all = weighing.domains().iter().enumerate();
    all.map(|(contact, domain)| domain.clone().fixed_section(normal(contact), beta))
        .collect()
}

/// The range of multipliers on the faces of a mechanism; if the programs fail, the S found, provided that it has
/// converged and obeys the laws.
fn range(
    system: &ContactAssembly,
    loads: Loads<'_>,
    sense: Sense,
    found: &LimitLoad,
    settled: bool,
) -> Result<Option<NonassociatedLimit>, StaticsError> {
    let most = LimitProgram::new(system, loads, sense)?;
    let least = LimitProgram::new(system, loads, !sense)?;
    // Domains from the state of each contact in the mechanism.
    let domains = faces(system, &found.mechanism)
        .iter()
        .enumerate()
        .map(|(contact, face)| {
            let rows = system.rows(contact).len();
            ImpulseDomain::new(contact, system.law(contact), rows, face)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let (high, low) = (most.solve_in(&domains)?, least.solve_in(&domains)?);
    let good = |limit: &LimitLoad| {
        limit.status == LimitStatus::Bounded && limit.balance.max(limit.cone) <= OBEYED
    };
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
    // Fall back to the S of the sequence.
    let cone = outside(system, most.domains(), &found.impulse, most.unit);
    let kept = settled && cone <= OBEYED;
    Ok(kept.then(|| NonassociatedLimit {
        limit: Some(found.clone()),
        least: found.multiplier,
        steps: 0,
        cone,
    }))
}

/// State of each contact in a mechanism that hardly dilates.
fn faces(system: &ContactAssembly, mechanism: &[f64]) -> Vec<Face> {
    let u = system.gather(mechanism);
    let fastest = u.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let face = |contact: usize| {
        let own = &u[system.rows(contact)];
        let sliding = own.iter().skip(1).map(|v| v * v).sum::<f64>().sqrt();
        if !system.law(contact).normal() {
            return Face::Stick;
        }
        // Separates: open. Slides in a known direction: slip. Otherwise stick.
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

/// Impulse direction S/S_n of a sliding contact; `None` for laws whose sliding direction does not follow
/// from the velocity alone.
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

/// Cone violation of S for the contact laws.
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
