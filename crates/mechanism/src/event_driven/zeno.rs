//! Accumulation of impacts (Zeno behaviour): infinitely many impacts in a finite time.
//!
//! ```text
//! d_k = t_k − t_(k−1),   d_k/d_(k−1) → r < 1:      t* = t_n + d_n r/(1 − r)
//! ```
//!
//! The impacts themselves are computed as long as the remaining ones matter: the geometric sum is taken only when it is
//! a millionth of the time run so far, so that the bounces left out reach heights of the order of its square.

use serde::{Deserialize, Serialize};

use super::EventDriven;
use super::event_location::GAP_ROUNDING;
use super::projection::project_velocity;
use crate::error::MechanismError;
use crate::modes::REST;
use crate::modes::RestingRow;
use crate::modes::contact_mode::norm;
use crate::modes::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use crate::state::{Event, EventKind};
use crate::step_problem::ConstraintImpulse;
use crate::system::{ConstraintKind, System};

/// Number of intervals whose ratios must agree.
const STEADY: usize = 8;

/// Tolerance on the ratios.
const SPREAD: f64 = 0.01;

/// The remaining time must be below this share of the time scale.
const LEFT: f64 = 1e-6;

/// An interval below this share of the time scale needs no constant ratio.
const SHORT: f64 = 1e-9;

/// Times of recent impacts of one contact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ImpactTimes {
    instants: Vec<f64>,
}

impl ImpactTimes {
    /// Records an impact.
    pub(super) fn push(&mut self, t: f64) {
        if self.instants.last().is_some_and(|&last| t <= last) {
            return;
        }
        if self.instants.len() > STEADY + 1 {
            self.instants.remove(0);
        }
        self.instants.push(t);
    }

    /// Time of the last impact.
    pub(super) fn last(&self) -> Option<f64> {
        self.instants.last().copied()
    }

    /// Limit of the impact times if they continue as they do; for contacts that alternate with one whose impacts
    /// accumulate.
    pub(super) fn converging(&self, scale: f64) -> Option<f64> {
        let d: Vec<f64> = self.instants.windows(2).map(|w| w[1] - w[0]).collect();
        let (&end, &last) = (self.instants.last()?, d.last()?);
        let shrinks = d.len() > 3 && d.windows(2).all(|w| w[1] < w[0]);
        let ratio = last / d[d.len().checked_sub(2)?];
        let left = last * ratio / (1.0 - ratio);
        (shrinks && left <= 10.0 * LEFT * scale).then_some(end + left)
    }

    pub(super) fn clear(&mut self) {
        self.instants.clear();
    }

    /// Accumulation time of the impacts, if they accumulate and little remains; `scale` is the time run so far,
    /// `flat(d)` says that a bounce of duration d is lost in rounding.
    pub(super) fn accumulation(&self, scale: f64, flat: impl Fn(f64) -> bool) -> Option<f64> {
        let t = &self.instants;
        let d: Vec<f64> = t.windows(2).map(|w| w[1] - w[0]).collect();
        let r: Vec<f64> = d.windows(2).map(|w| w[1] / w[0]).collect();
        let (&end, &last, &ratio) = (t.last()?, d.last()?, r.last()?);
        // Intervals must shrink, or their sum is infinite.
        if r.iter().any(|&r| !(r < 1.0)) {
            return None;
        }
        // Very short or flat bounces need no constant ratio.
        let short = (last < SHORT * scale || flat(last)) && r.len() >= 3;
        let agree = r.iter().all(|r| (r - ratio).abs() <= SPREAD * ratio);
        let steady = d.len() > STEADY && agree;
        let left = last * ratio / (1.0 - ratio);
        if short || (steady && left <= LEFT * scale) {
            return Some(end + left.min(LEFT * scale));
        }
        None
    }
}

impl<S: System> EventDriven<S> {
    /// Closes contacts whose impacts accumulate here: projects the velocity onto contact and records the event.
    pub(super) fn close_accumulating_contacts(
        &mut self,
        contacts: &[usize],
        frame: &EvaluatedState,
    ) -> Result<(), MechanismError> {
        let closing = self.closing(contacts, frame);
        if closing.is_empty() {
            return Ok(());
        }
        for &(constraint, t) in &closing {
            self.now.impact_times[constraint].clear();
            self.now.pending.push(Event {
                t,
                constraint,
                kind: EventKind::Accumulation,
            });
        }
        let members = self.closed_constraints()?;
        let frame = self.frame(&members)?;
        // Rows that are at rest from the accumulation on.
        let (mut rows, mut owner) = (Vec::new(), Vec::new());
        for local in &frame.locals {
            let ends = closing.iter().any(|&(c, _)| c == local.constraint);
            for i in 0..self.rows_at_rest(local, ends) {
                rows.push(RestingRow {
                    hat: local.hat_row(i).to_vec(),
                    velocity: local.u[i],
                    size: local.size[i],
                });
                owner.push((local.constraint, i, local.rows()));
            }
        }
        // The projection is a jump with impulses.
        let before = self.now.v.clone();
        if let Some(projected) = project_velocity(&frame, &rows, &before) {
            self.now.v = projected.velocity;
            let mut list: Vec<ConstraintImpulse> = Vec::new();
            for (&(constraint, row, count), s) in owner.iter().zip(projected.impulse) {
                if row == 0 {
                    list.push(ConstraintImpulse {
                        constraint,
                        impulse: vec![0.0; count],
                    });
                }
                if let Some(last) = list.last_mut() {
                    last.impulse[row] = s;
                }
            }
            self.add_jump(&frame, &before, &list);
        }
        Ok(())
    }

    /// Contacts whose impacts accumulate, and the accumulation time.
    fn closing(&self, contacts: &[usize], frame: &EvaluatedState) -> Vec<(usize, f64)> {
        let scale = (self.now.t - self.start).max(self.settings.step);
        let ends = |&c: &usize| {
            if self.now.impact_times[c].last() != Some(self.now.t) {
                return None;
            }
            let local = frame.locals.iter().find(|l| l.constraint == c)?;
            // A bounce of duration d rises to a quarter of d times its speed.
            let flat = |d: f64| {
                0.25 * d * local.u[0].abs() < 20.0 * GAP_ROUNDING * self.now.length_scale[c]
            };
            Some((c, self.now.impact_times[c].accumulation(scale, flat)?))
        };
        let mut closing: Vec<(usize, f64)> = contacts.iter().filter_map(ends).collect();
        if closing.is_empty() {
            return closing;
        }
        // Contacts that alternate, as the corners of a rocking block, accumulate together.
        for local in &frame.locals {
            let c = local.constraint;
            if !closing.iter().any(|&(other, _)| other == c)
                && let Some(t) = self.now.impact_times[c].converging(scale)
            {
                closing.push((c, t));
            }
        }
        closing
    }

    /// Number of rows of a constraint that are at rest after the accumulation.
    fn rows_at_rest(&self, local: &EvaluatedConstraint, ends: bool) -> usize {
        let limit = REST * self.now.speed[local.constraint];
        if local.kind != ConstraintKind::Contact {
            return local.structure.normal;
        }
        if !ends && local.u[0].abs() > limit {
            return 0;
        }
        // A contact that sticks after the impacts still sticks: otherwise the normal impulses alone would leave a slip
        // that no impact had.
        if norm(&local.u[1..]) <= limit {
            local.rows()
        } else {
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounces(intervals: impl Iterator<Item = f64>) -> (ImpactTimes, f64) {
        let mut bounces = ImpactTimes::default();
        let mut t = 0.0;
        bounces.push(t);
        for d in intervals {
            t += d;
            bounces.push(t);
        }
        (bounces, t)
    }

    #[test]
    fn a_geometric_sequence_accumulates_at_its_sum() {
        let (list, _) = bounces((0..25).map(|k| 0.5_f64.powi(k)));
        // 1 + 1/2 + … = 2; the sums of instants round at 1e-16 each.
        let found = list.accumulation(2.0, |_| false).unwrap();
        assert!((found - 2.0).abs() < 1e-13, "{found}");
    }

    #[test]
    fn regular_or_growing_intervals_never_accumulate() {
        let (list, t) = bounces((0..40).map(|_| 1e-12));
        assert_eq!(list.accumulation(t.max(1.0), |_| false), None);
        let (list, _) = bounces((0..30).map(|k| 1e-12 * 1.1_f64.powi(k)));
        assert_eq!(list.accumulation(1.0, |_| false), None);
    }

    #[test]
    fn what_is_left_must_be_small() {
        let (list, t) = bounces((0..20).map(|k| 0.9_f64.powi(k)));
        // Left: 0.9^20/(1 − 0.9), a sixth of the time run.
        assert_eq!(list.accumulation(t, |_| false), None);
    }

    #[test]
    fn an_irregular_sequence_that_only_happens_to_shrink_is_not_taken() {
        let (list, t) = bounces((0..9).map(|k| 1e-5 / f64::from(k * k + 1)));
        assert_eq!(list.accumulation(t.max(1.0), |_| false), None);
    }
}
