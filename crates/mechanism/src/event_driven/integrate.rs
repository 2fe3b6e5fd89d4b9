//! Integration to the next event: one Runge–Kutta step of the smooth motion, or the part of it before the first event.
//!
//! The unknowns of the differential equation are q, v, the impulse of every row of every constraint, and the
//! quadratures of the energy balance. The right-hand side has fixed contact modes; where it cannot be evaluated or the
//! error is too large the step is shortened. Where a step would have to be shorter than rounding, reactions grow
//! without bound or a sliding velocity in the plane goes to zero along a spiral.

use std::ops::Range;

use percuss_convex::dense;

use super::EventDriven;
use super::balance::SUMS;
use super::dormand_prince::DormandPrince;
use super::event_location::{EventFunction, LocatedEvent, Search};
use super::progress::slides_in_plane;
use crate::error::MechanismError;
use crate::modes::contact_mode::{ContactMode, PartMode, norm};
use crate::modes::evaluated_state::EvaluatedState;
use crate::modes::event_functions::MarginKind;
use crate::modes::mode_solution::{direction, solve_modes, solve_modes_any_reaction};
use crate::modes::sliding_onset::{has_onset, onset_speed, update_onset_directions};
use crate::system::{StateRef, System};

/// Error tolerances of a step, relative and absolute.
const RELATIVE: f64 = 1e-12;
const ABSOLUTE: f64 = 1e-13;

/// Why the right-hand side has no value.
enum SlopeError {
    /// An evaluation failed.
    Error(MechanismError),
    /// No accelerations for these modes: the iteration did not converge, or y is not finite.
    Unsettled,
}

impl From<MechanismError> for SlopeError {
    fn from(e: MechanismError) -> Self {
        Self::Error(e)
    }
}

/// Layout of the unknowns y = (q, v, impulses, quadratures).
struct Layout {
    /// Number of positions.
    np: usize,
    /// Number of velocities.
    n: usize,
    /// First row of each constraint, then the number of rows.
    first: Vec<usize>,
}

impl Layout {
    /// Number of entries of y.
    fn len(&self) -> usize {
        self.np + self.n + self.first[self.first.len() - 1] + SUMS
    }

    /// Right-hand side ẏ in fixed modes.
    fn slope<S: System>(
        &self,
        system: &mut S,
        (active, modes): (&[usize], &[ContactMode]),
        t: f64,
        y: &[f64],
        slope: &mut [f64],
    ) -> Result<(), SlopeError> {
        let (q, v) = (&y[..self.np], &y[self.np..self.np + self.n]);
        if !y[..self.np + self.n].iter().all(|x| x.is_finite()) {
            return Err(SlopeError::Unsettled);
        }
        // Accelerations and reactions of the modes.
        let frame = EvaluatedState::new(system, StateRef { t, q, v }, active)?;
        let modes = update_onset_directions(&frame, modes);
        let found = solve_modes_any_reaction(&frame, &modes).ok_or(SlopeError::Unsettled)?;
        slope.fill(0.0);
        system
            .configuration_space()
            .position_rate_into(q, v, &mut slope[..self.np]);
        slope[self.np..self.np + self.n].copy_from_slice(&frame.physical_from_kinetic(&found.hat));
        // Impulses by row; powers of K, of friction, of moving boundaries.
        let (impulses, sums) =
            slope[self.np + self.n..].split_at_mut(self.len() - SUMS - self.np - self.n);
        sums[0] = dense::dot(&frame.inertia.force, v);
        for (local, reaction) in frame.locals.iter().zip(&found.reaction) {
            for (i, &r) in reaction.iter().enumerate() {
                impulses[self.first[local.constraint] + i] = r;
                if i >= local.structure.normal {
                    sums[1] += r * local.u[i];
                }
                sums[2] -= r * local.boundary[i];
            }
        }
        Ok(())
    }
}

/// A step that met the tolerance.
struct AcceptedStep {
    h: f64,
    /// Step length that the error allows next.
    next: f64,
}

impl<S: System> EventDriven<S> {
    /// Advances to the next event, by one step, or to `target` at most.
    pub(super) fn advance_to_event(&mut self, target: f64) -> Result<(), MechanismError> {
        // Modes are fixed during the step.
        let active = self.active();
        let modes = self.active_modes(&active);
        let mut runge = std::mem::take(&mut self.rk);
        let done = self.advance_to_event_with(&mut runge, &active, &modes, target);
        self.rk = runge;
        done
    }

    /// The same with the Runge–Kutta buffers taken out of `self`.
    fn advance_to_event_with(
        &mut self,
        runge: &mut DormandPrince,
        active: &[usize],
        modes: &[ContactMode],
        target: f64,
    ) -> Result<(), MechanismError> {
        let layout = self.layout();
        let Some(taken) = self.attempt(runge, &layout, (active, modes), target)? else {
            return self.jump_after_failed_step(active, modes);
        };
        self.interval_sums.steps += 1;
        // Event location on the continuous extension.
        let truncated = taken.h >= target - self.now.t;
        let found = self.locate(&Search {
            runge,
            active,
            modes,
        })?;
        // No event: accept the whole step.
        let Some(trigger) = found else {
            self.now.h = if truncated {
                self.now.h.max(taken.next)
            } else {
                taken.next
            };
            let t = if truncated {
                target
            } else {
                self.now.t + taken.h
            };
            self.accept_step(runge, &layout, t, 1.0)?;
            return self.after_step(active);
        };
        // Event: a step that ends there, then resolve the instant.
        let share = self.step_to_event(runge, &layout, (active, modes), trigger)?;
        let t = (self.now.t + share * taken.h).min(target);
        self.accept_step(runge, &layout, t, share)?;
        self.check_progress(t)?;
        let whole = self.now.modes.clone();
        // The modes themselves ended: they are not tried again first.
        let ended = matches!(
            trigger.function,
            EventFunction::Margin(
                _,
                MarginKind::NormalReaction | MarginKind::StickForce | MarginKind::Sign
            )
        );
        match trigger.function {
            EventFunction::Margin(_, MarginKind::Coefficient) => {
                self.jump_unbounded_reaction(active, modes)
            }
            _ => self.resolve_instant(ended.then_some(&whole)),
        }
    }

    /// Layout of y for this system.
    fn layout(&self) -> Layout {
        Layout {
            np: self.now.q.len(),
            n: self.now.v.len(),
            first: self.first_rows(),
        }
    }

    /// Tries steps until one meets the tolerance; `None` where none does, however short.
    fn attempt(
        &mut self,
        runge: &mut DormandPrince,
        layout: &Layout,
        fixed: (&[usize], &[ContactMode]),
        target: f64,
    ) -> Result<Option<AcceptedStep>, MechanismError> {
        // Initial values: q, v, zeros for impulses and quadratures.
        let left = target - self.now.t;
        let mut y = vec![0.0; layout.len()];
        y[..layout.np].copy_from_slice(&self.now.q);
        y[layout.np..layout.np + layout.n].copy_from_slice(&self.now.v);
        let system = &mut self.system;
        let mut f = |t: f64, y: &[f64], k: &mut [f64]| layout.slope(system, fixed, t, y, k);
        match runge.start(self.now.t, &y, &mut f) {
            Ok(()) => {}
            Err(SlopeError::Error(e)) => return Err(e),
            Err(SlopeError::Unsettled) => return Ok(None),
        }
        let absolute = vec![ABSOLUTE; layout.np + layout.n];
        // Stretch the step to the target rather than leave a short rest.
        let mut h = if left < 1.1 * self.now.h {
            left
        } else {
            self.now.h
        };
        // Shorter steps are lost in the rounding of t.
        let shortest = 16.0 * f64::EPSILON * self.now.t.abs().max(1e-2 * self.settings.step);
        let mut last = None;
        loop {
            if h < shortest && h < left {
                return match last {
                    Some(SlopeError::Error(e)) => Err(e),
                    _ => Ok(None),
                };
            }
            let tried = runge.step(h, &mut f);
            let error = match tried {
                Ok(()) => runge.error(&absolute, RELATIVE),
                Err(halt) => {
                    last = Some(halt);
                    f64::NAN
                }
            };
            // Error of order 8: the step length goes with its eighth root.
            if error <= 1.0 {
                match runge.extend(&mut f) {
                    Ok(()) => {
                        let growth = 0.9 * error.max(1e-8).powf(-0.125);
                        let next = h * growth.clamp(0.2, 5.0);
                        return Ok(Some(AcceptedStep { h, next }));
                    }
                    Err(halt) => last = Some(halt),
                }
            }
            // Rejected: shorten by the error, or by four where the right-hand side failed.
            h *= if error > 1.0 {
                (0.9 * error.powf(-0.125)).clamp(0.1, 0.9)
            } else {
                0.25
            };
        }
    }

    /// Computes the step that ends at an event, with Newton corrections of its length; returns the share of the first
    /// step.
    fn step_to_event(
        &mut self,
        runge: &mut DormandPrince,
        layout: &Layout,
        fixed: (&[usize], &[ContactMode]),
        trigger: LocatedEvent,
    ) -> Result<f64, MechanismError> {
        let whole = runge.h;
        let mut share = trigger.share;
        if matches!(
            trigger.function,
            EventFunction::Margin(_, MarginKind::Slide)
        ) && fixed.1.iter().any(slides_in_plane)
        {
            // A sliding velocity that vanishes in a plane has no direction there, and a step that ends there would need
            // one; the continuous extension does not.
            let mut end = std::mem::take(&mut runge.end);
            runge.at(share, &mut end);
            runge.end = end;
            return Ok(share);
        }
        // Slope of the event function along the step, by a central difference.
        let d = 1e-4;
        let near = |me: &mut Self, runge: &DormandPrince, s: f64| {
            let mut y = vec![0.0; layout.len()];
            runge.at(s, &mut y);
            me.value_of(trigger, layout, fixed, runge.t + s * whole, &y)
        };
        let slope = (near(self, runge, share + d)? - near(self, runge, share - d)?) / (2.0 * d);
        // Newton's method for the share at which the event function vanishes.
        for _ in 0..4 {
            let system = &mut self.system;
            let mut f = |t: f64, y: &[f64], k: &mut [f64]| layout.slope(system, fixed, t, y, k);
            if share * whole <= 0.0 {
                return Ok(0.0);
            }
            match runge.step(share * whole, &mut f) {
                Ok(()) => {}
                Err(SlopeError::Error(e)) => return Err(e),
                Err(SlopeError::Unsettled) => break,
            }
            let end = runge.end.clone();
            let value = self.value_of(trigger, layout, fixed, runge.t + share * whole, &end)?;
            let shift = value / slope;
            // Only corrections that the error of the continuous extension explains.
            if !(shift.abs() <= 1e-6) || shift.abs() <= 2.0 * f64::EPSILON * share {
                break;
            }
            if share - shift <= 0.0 {
                break;
            }
            share -= shift;
        }
        runge.h = whole;
        Ok(share)
    }

    /// Value of the event function of `trigger` at y.
    fn value_of(
        &mut self,
        trigger: LocatedEvent,
        layout: &Layout,
        (active, modes): (&[usize], &[ContactMode]),
        t: f64,
        y: &[f64],
    ) -> Result<f64, MechanismError> {
        let at = StateRef {
            t,
            q: &y[..layout.np],
            v: &y[layout.np..layout.np + layout.n],
        };
        Ok(self.value(trigger.function, active, modes, at)? + trigger.lift)
    }

    /// Accepts the end of a step: projects it onto the constraints and adds its impulses and works to the interval.
    fn accept_step(
        &mut self,
        runge: &DormandPrince,
        layout: &Layout,
        t: f64,
        share: f64,
    ) -> Result<(), MechanismError> {
        if share <= 0.0 {
            return Ok(());
        }
        let y = &runge.end;
        if !y[..layout.np + layout.n].iter().all(|x| x.is_finite()) {
            return Err(MechanismError::BlowUp {
                t,
                what: "the state".to_string(),
            });
        }
        let before = self.mass()?;
        self.now.t = t;
        self.now.q.copy_from_slice(&y[..layout.np]);
        self.now
            .v
            .copy_from_slice(&y[layout.np..layout.np + layout.n]);
        // Impulses and quadratures of the step.
        let rows = self.interval_sums.impulse.len();
        let added = &y[layout.np + layout.n..];
        for (total, s) in self.interval_sums.impulse.iter_mut().zip(added) {
            *total += s;
        }
        for (total, s) in self.interval_sums.sums.iter_mut().zip(&added[rows..]) {
            *total += s;
        }
        // Projection, work of Ȧ, and what depends on the new state.
        let frame = self.project()?;
        let same = frame.inertia.mass == before;
        self.integrate_mass_rate(runge, share, same)?;
        self.update_velocity_scales(&frame);
        self.update_sliding_directions(&frame);
        Ok(())
    }

    /// A at the present state.
    fn mass(&mut self) -> Result<Vec<f64>, MechanismError> {
        Ok(self.frame(&[])?.inertia.mass)
    }

    /// Updates sliding directions to the present velocities; a part at its onset that has become fast slides on.
    fn update_sliding_directions(&mut self, frame: &EvaluatedState) {
        let active: Vec<usize> = frame.locals.iter().map(|l| l.constraint).collect();
        let modes = self.active_modes(&active);
        // Onset directions at the new state, and reactions for the onset speed.
        let mut modes = update_onset_directions(frame, &modes).into_owned();
        let found = if has_onset(&modes) {
            solve_modes(frame, &modes)
        } else {
            None
        };
        let step = self.settings.step;
        for (k, (local, mode)) in frame.locals.iter().zip(&mut modes).enumerate() {
            // Faster than the onset speed.
            let fast = |rows: Range<usize>| {
                let reaction = found.as_ref().map(|a| &a.reaction[k]);
                let limit = reaction.map_or(0.0, |r| onset_speed(local, rows.clone(), r, step));
                norm(&local.u[rows]) > limit
            };
            let ContactMode::Closed { grips, .. } = mode else {
                continue;
            };
            for (part, grip) in local.structure.parts.iter().zip(grips) {
                let rows = part.rows.clone();
                match grip {
                    PartMode::Slide(last) => *last = direction(local, rows, last),
                    PartMode::SlideOnset(e) if fast(rows.clone()) => {
                        *grip = PartMode::Slide(direction(local, rows, e));
                    }
                    _ => {}
                }
            }
        }
        for (i, mode) in active.into_iter().zip(modes) {
            self.now.modes[i] = mode;
        }
    }
}
