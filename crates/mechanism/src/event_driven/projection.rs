//! Projection onto the constraints after a step, in the kinetic metric: positions onto f = 0, velocities onto U = 0.
//!
//! ```text
//! q ← q ⊕ A⁻¹Gᵀλ,  Ĝ Ĝᵀ λ = −f         repeated until f is rounding
//! v ← v + A⁻¹Gᵀλ,  Ĝ Ĝᵀ λ = −U         for the rows that the modes keep at rest
//! ```
//!
//! The normal row of a contact is a positive multiple of the gradient of its gap; the factor is estimated from the
//! effect of the first correction.

use percuss_convex::dense;

use super::EventDriven;
use crate::error::MechanismError;
use crate::modes::contact_mode::ContactMode;
use crate::modes::evaluated_state::EvaluatedState;
use crate::modes::mode_solution::sticking_rows;
use crate::modes::{RestingRow, least_norm_combination};
use crate::system::{ConstraintKind, StateRef, System};

/// Convergence tolerance of gaps and joints, relative to the length scale.
const FLAT: f64 = 1e-14;

/// Maximum number of corrections of a position.
const ROUNDS: usize = 12;

impl<S: System> EventDriven<S> {
    /// Constraints that are closed in the present modes.
    pub(super) fn active(&self) -> Vec<usize> {
        let acts = |(i, mode): (usize, &ContactMode)| (!mode.is_open()).then_some(i);
        self.now.modes.iter().enumerate().filter_map(acts).collect()
    }

    /// Modes of the active constraints.
    pub(super) fn active_modes(&self, active: &[usize]) -> Vec<ContactMode> {
        active.iter().map(|&i| self.now.modes[i].clone()).collect()
    }

    /// Evaluates some constraints at the present state.
    pub(super) fn frame(&mut self, members: &[usize]) -> Result<EvaluatedState, MechanismError> {
        let at = StateRef {
            t: self.now.t,
            q: &self.now.q,
            v: &self.now.v,
        };
        EvaluatedState::new(&mut self.system, at, members)
    }

    /// All position functions at the present state, and the first one of each constraint.
    pub(super) fn gaps(&mut self) -> Result<(Vec<f64>, Vec<usize>), MechanismError> {
        let first = first_gaps(&self.system);
        let mut gaps = vec![0.0; first[first.len() - 1]];
        self.system.gaps(self.now.t, &self.now.q, &mut gaps)?;
        Ok((gaps, first))
    }

    /// Projects positions and velocities in the present modes; returns the state evaluated there.
    pub(super) fn project(&mut self) -> Result<EvaluatedState, MechanismError> {
        let chart = self.system.configuration_space().clone();
        chart.normalise(&mut self.now.q);
        let active = self.active();
        self.project_positions(&active)?;
        let frame = self.frame(&active)?;
        let modes = self.active_modes(&active);
        let rows = sticking_rows(&frame, &modes);
        if let Some(projected) = project_velocity(&frame, &rows, &self.now.v) {
            self.now.v = projected.velocity;
            return self.frame(&active);
        }
        Ok(frame)
    }

    /// Newton's method onto the gaps and joint functions of the active constraints.
    fn project_positions(&mut self, active: &[usize]) -> Result<(), MechanismError> {
        let firm = |&i: &usize| {
            let kind = self.system.constraints()[i].kind;
            !matches!(kind, ConstraintKind::Nonholonomic | ConstraintKind::NonFirm)
        };
        let members: Vec<usize> = active.iter().copied().filter(firm).collect();
        if members.is_empty() {
            return Ok(());
        }
        // Factors between the normal rows and the gradients of the gaps.
        let mut factor: Vec<f64> = Vec::new();
        let mut last: Option<(f64, Vec<f64>)> = None;
        for _ in 0..ROUNDS {
            let (gaps, first) = self.gaps()?;
            let list = |&i: &usize| (first[i]..first[i + 1]).map(move |g| (i, g));
            let all: Vec<(usize, usize)> = members.iter().flat_map(list).collect();
            let value: Vec<f64> = all.iter().map(|&(_, g)| gaps[g]).collect();
            // Error relative to the length scale.
            let share = |(k, &(i, _)): (usize, &(usize, usize))| {
                value[k].abs() / self.now.length_scale[i].max(f64::MIN_POSITIVE)
            };
            let worst = all.iter().enumerate().map(share).fold(0.0, f64::max);
            factor.resize(all.len(), 1.0);
            match &last {
                // No better than before: rounding.
                Some((before, _)) if worst > 0.5 * before && worst < 1e-12 => return Ok(()),
                Some((_, old)) => update_gradient_factors(&mut factor, old, &value),
                None => {}
            }
            if worst <= FLAT {
                return Ok(());
            }
            self.correct(&members, &value, &factor)?;
            last = Some((worst, value));
        }
        Ok(())
    }

    /// One Newton correction of the position.
    fn correct(
        &mut self,
        members: &[usize],
        value: &[f64],
        factor: &[f64],
    ) -> Result<(), MechanismError> {
        let frame = self.frame(members)?;
        // Normal rows of Ĝ, least-norm correction.
        let mut rows = Vec::with_capacity(value.len());
        for local in &frame.locals {
            for i in 0..local.structure.normal {
                rows.push(local.hat_row(i).to_vec());
            }
        }
        let wanted: Vec<f64> = value.iter().zip(factor).map(|(f, k)| -f * k).collect();
        let change = frame.physical_from_kinetic(&least_norm_combination(&rows, &wanted).0);
        let chart = self.system.configuration_space().clone();
        chart.integrate(&mut self.now.q, &change, 1.0);
        Ok(())
    }
}

/// First position function of each constraint, then their number.
pub(super) fn first_gaps<S: System>(system: &S) -> Vec<usize> {
    let mut first = vec![0];
    for constraint in system.constraints() {
        first.push(first[first.len() - 1] + constraint.num_gaps());
    }
    first
}

/// Multiplies the factors by (change wanted)/(change reached).
fn update_gradient_factors(factor: &mut [f64], old: &[f64], value: &[f64]) {
    for ((factor, old), value) in factor.iter_mut().zip(old).zip(value) {
        let reached = old - value;
        // Only where the correction was off and had the right sign.
        if value.abs() > 1e-3 * old.abs() && reached * old > 0.0 {
            *factor *= (old / reached).clamp(1e-3, 1e3);
        }
    }
}

/// A velocity and the impulses of the rows that lead to it.
pub(super) struct ProjectedVelocity {
    pub(super) velocity: Vec<f64>,
    pub(super) impulse: Vec<f64>,
}

/// Projects `v` onto zero velocity of the given rows; `None` if the rows are at rest to rounding.
pub(super) fn project_velocity(
    frame: &EvaluatedState,
    rows: &[RestingRow],
    v: &[f64],
) -> Option<ProjectedVelocity> {
    if (rows.iter()).all(|row| row.velocity.abs() <= 1e-14 * row.size) {
        return None;
    }
    let hats: Vec<Vec<f64>> = rows.iter().map(|row| row.hat.clone()).collect();
    let wanted: Vec<f64> = rows.iter().map(|row| -row.velocity).collect();
    let (hat, impulse) = least_norm_combination(&hats, &wanted);
    let mut velocity = v.to_vec();
    dense::axpy(1.0, &frame.physical_from_kinetic(&hat), &mut velocity);
    Some(ProjectedVelocity { velocity, impulse })
}
