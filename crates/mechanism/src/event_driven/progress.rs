//! Progress of the integration: sliding velocities that vanish in a plane, unbounded reactions, endless events.

use super::EventDriven;
use crate::error::MechanismError;
use crate::modes::REST;
use crate::modes::contact_mode::{ContactMode, PartMode, norm};
use crate::modes::mode_selection::NoModeFound;
use crate::modes::mode_solution::solve_modes;
use crate::system::System;

/// Maximum number of events without time passing, and in one output interval.
const STUCK: usize = 100;
const EVENTS: usize = 100_000;

impl<S: System> EventDriven<S> {
    /// After a step without event: ends sliding in a plane where the velocity has vanished to rounding.
    pub(super) fn after_step(&mut self, active: &[usize]) -> Result<(), MechanismError> {
        if !active.iter().any(|&i| slides_in_plane(&self.now.modes[i])) {
            return Ok(());
        }
        let frame = self.frame(active)?;
        // A part that slides with friction at a speed that is rest.
        let slow = frame.locals.iter().any(|local| {
            let ContactMode::Closed { grips, .. } = &self.now.modes[local.constraint] else {
                return false;
            };
            grips
                .iter()
                .zip(&local.structure.parts)
                .any(|(grip, part)| {
                    let speed = norm(&local.u[part.rows.clone()]);
                    let limit = REST * self.now.speed[local.constraint];
                    matches!(grip, PartMode::Slide(_))
                        && !part.slide_set.is_zero()
                        && speed <= limit
                })
        });
        if slow {
            self.check_progress(self.now.t)?;
            return self.resolve_instant(None);
        }
        Ok(())
    }

    /// No step is short enough for the tolerance: a jump, if a reaction is unbounded.
    pub(super) fn jump_after_failed_step(
        &mut self,
        active: &[usize],
        modes: &[ContactMode],
    ) -> Result<(), MechanismError> {
        self.check_progress(self.now.t)?;
        // The step length that led here says nothing about the motion after the jump.
        self.now.h = self.settings.step;
        self.jump_unbounded_reaction(active, modes)
    }

    /// Reactions grow without bound (Painlevé): the velocity jumps.
    pub(super) fn jump_unbounded_reaction(
        &mut self,
        active: &[usize],
        modes: &[ContactMode],
    ) -> Result<(), MechanismError> {
        let frame = self.frame(active)?;
        // Constraints whose sliding coefficient has all but vanished.
        let sliding: Vec<usize> = match solve_modes(&frame, modes) {
            Some(found) => (0..active.len())
                .filter(|&k| found.coefficient[k] < 1e-2)
                .collect(),
            None => (0..active.len()).collect(),
        };
        if sliding.is_empty() {
            return Err(MechanismError::EventDriven {
                t: self.now.t,
                reason: "steps have become shorter than rounding: the forces or the accelerations \
                         are not smooth here"
                    .to_string(),
            });
        }
        let refusal = NoModeFound {
            defect: 0.0,
            worst: 0,
            sliding,
        };
        self.jump(&frame, &refusal)?;
        self.resolve_instant(None)
    }

    /// Refuses endless events: too many at one instant, or in one output interval.
    pub(super) fn check_progress(&mut self, t: f64) -> Result<(), MechanismError> {
        let stop = |reason: String| Err(MechanismError::EventDriven { t, reason });
        // Count events at the same instant.
        let (last, count) = &mut self.interval_sums.repeated_instant;
        if t - *last <= 1e-14 * t.abs().max(self.settings.step) {
            *count += 1;
        } else {
            *count = 0;
        }
        *last = t;
        if *count > STUCK {
            return stop(format!("{STUCK} events without time passing"));
        }
        if self.interval_sums.events.len() > EVENTS {
            return stop(format!(
                "more than {EVENTS} events in one output interval; a time-stepping integrator does \
                 not have to follow each of them"
            ));
        }
        Ok(())
    }
}

/// Whether some part slides in a plane.
pub(super) fn slides_in_plane(mode: &ContactMode) -> bool {
    matches!(mode, ContactMode::Closed { grips, .. } if grips.iter().any(|g| matches!(g, PartMode::Slide(_))))
}
