//! Impacts before a step: laws that are no condition on U_F + ρU_I (sequential, Poisson, energetic, LZB, map).

use super::StepInput;
use super::evaluation::EvaluationPoint;
use crate::error::MechanismError;
use crate::impact;
use crate::step_problem::{SeparateImpact, StepProblem};
use crate::system::{StateRef, System};

/// An impact that was applied before the step.
#[derive(Debug, Default)]
pub(super) struct ImpactBeforeStep {
    /// Change of the kinetic energy; 0 where there was no impact.
    pub(super) energy_change: f64,
    /// Its positive part.
    pub(super) energy_gain: f64,
    /// U_I before the impact and its impulses; `None` where there was no impact.
    pub(super) rows: Option<SeparateImpact>,
}

/// Applies such an impact law to v_I. The step then starts from the velocity after the impact, with
/// ρ = 0 at contacts.
pub(super) fn apply<S: System>(
    system: &mut S,
    given: StepInput<'_>,
    point: &mut EvaluationPoint,
    problem: &mut StepProblem,
) -> Result<ImpactBeforeStep, MechanismError> {
    let law = given.settings.impact;
    if !law.is_separate() {
        return Ok(ImpactBeforeStep::default());
    }
    // Closed contacts, and whether one of them approaches.
    let mut closed = Vec::new();
    let mut collides = false;
    for (k, &i) in problem.active.iter().enumerate() {
        if system.constraints()[i].is_contact() {
            closed.push(i);
            collides |= problem.begin[problem.offset[k]] < -impact::AT_REST;
        }
    }
    if !collides {
        return Ok(ImpactBeforeStep::default());
    }
    // The impact happens at the evaluation point of the step, from v_I.
    let at = StateRef {
        t: point.t,
        q: &point.q,
        v: &given.state.v,
    };
    let struck = impact::resolve(law, system, at, &closed, given.settings.tolerance)?;
    point.v_begin.copy_from_slice(&struck.velocity);
    let energy_change = struck.energy_after - struck.energy_before;
    Ok(ImpactBeforeStep {
        energy_change,
        energy_gain: energy_change.max(0.0),
        rows: Some(problem.begin_after_impact(&struck.impulse, &point.v_begin)),
    })
}
