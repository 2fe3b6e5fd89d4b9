//! Velocity jumps: impacts, and jumps without collision.
//!
//! A sliding contact whose normal reaction would have to be negative (γ ≤ 0, Painlevé's example), a joint that locks,
//! or a free-wheel driven against its stop has no acceleration. Its velocity then jumps to another one that satisfies
//! the laws between U⁺ and the impulses; of all those it takes the one of the largest change, u⁻ itself being one of
//! them (P15 §3). They are enumerated by modes, and, for a contact that slides on in another direction, taken from its
//! closed form.

use percuss_convex::dense;

use super::EventDriven;
use crate::error::MechanismError;
use crate::impact;
use crate::modes::REST;
use crate::modes::contact_mode::norm;
use crate::modes::enumeration::outcomes;
use crate::modes::evaluated_state::EvaluatedState;
use crate::modes::mode_selection::NoModeFound;
use crate::painleve::{self, ContactJump};
use crate::state::{Event, EventKind};
use crate::step_problem::{ConstraintImpulse, SlidingRule};
use crate::system::{ConstraintKind, StateRef, System};

/// Tolerance first tried for the impact problem; then that of the settings.
const EXACT: f64 = 1e-13;

impl<S: System> EventDriven<S> {
    /// Impact of the given contacts by the impact law.
    pub(super) fn collide(
        &mut self,
        frame: &EvaluatedState,
        contacts: &[usize],
    ) -> Result<(), MechanismError> {
        let before = self.now.v.clone();
        let at = StateRef {
            t: self.now.t,
            q: &self.now.q,
            v: &before,
        };
        let (law, system) = (self.settings.impact, &mut self.system);
        // First to rounding, then to the tolerance of the settings.
        let exact = impact::resolve(law, system, at, contacts, EXACT);
        let found = match exact {
            Ok(found) => found,
            Err(MechanismError::Impact { .. }) => {
                impact::resolve(law, system, at, contacts, self.settings.tolerance)?
            }
            Err(other) => return Err(other),
        };
        self.interval_sums.residual = self.interval_sums.residual.max(found.residual);
        self.now.v.clone_from(&found.velocity);
        self.add_jump(frame, &before, &found.impulse);
        // An event for every contact that approached.
        for local in &frame.locals {
            let constraint = local.constraint;
            if local.kind != ConstraintKind::Contact || !contacts.contains(&constraint) {
                continue;
            }
            let n = before.len();
            let speed = local.u[0];
            let after = local.boundary[0] + dense::dot(&local.jacobian[..n], &self.now.v);
            let limit = REST * self.now.speed[constraint];
            if speed >= -limit {
                continue;
            }
            self.push_event(
                constraint,
                EventKind::Impact {
                    before: speed,
                    after,
                },
            );
            self.now.impact_times[constraint].push(self.now.t);
        }
        Ok(())
    }

    /// No acceleration exists: the velocity jumps, or the motion ends with an error.
    pub(super) fn jump(
        &mut self,
        frame: &EvaluatedState,
        refusal: &NoModeFound,
    ) -> Result<(), MechanismError> {
        let before = self.now.v.clone();
        let hat = frame.to_kinetic(&before);
        // Outcomes of the jump: the same enumeration of modes with U⁺ in place of U̇. Take the largest change.
        let impulsive = frame.impulsive(&before);
        let change = |answer: &crate::modes::mode_solution::ModeSolution| {
            let moved: Vec<f64> = answer.hat.iter().zip(&hat).map(|(a, b)| a - b).collect();
            norm(&moved)
        };
        let all = outcomes(&impulsive);
        let most = all
            .iter()
            .max_by(|a, b| change(&a.answer).total_cmp(&change(&b.answer)));
        let most = most.filter(|c| change(&c.answer) > REST * norm(&hat));
        let (after, impulse) = match most {
            Some(most) => {
                let given = frame.locals.iter().zip(&most.answer.reaction);
                let impulse = given.map(|(local, s)| ConstraintImpulse {
                    constraint: local.constraint,
                    impulse: s.clone(),
                });
                self.interval_sums.residual = self.interval_sums.residual.max(most.residual);
                (
                    frame.physical_from_kinetic(&most.answer.hat),
                    impulse.collect(),
                )
            }
            None => match self.largest_sliding_jump(frame, refusal)? {
                Some(jump) => (jump.velocity, jump.impulses),
                None => return Err(self.no_motion(frame, refusal)),
            },
        };
        // Adopt v⁺ and add the impulses to the interval.
        self.report_jump(frame, refusal)?;
        self.now.v = after;
        self.add_jump(frame, &before, &impulse);
        Ok(())
    }

    /// The largest jump of the contacts that could not slide on, by their closed forms: they may slide on in another
    /// direction, which the modes do not determine.
    fn largest_sliding_jump(
        &mut self,
        frame: &EvaluatedState,
        refusal: &NoModeFound,
    ) -> Result<Option<ContactJump>, MechanismError> {
        let at = self.now.instant();
        let mut best: Option<(f64, ContactJump)> = None;
        for &k in &refusal.sliding {
            let local = &frame.locals[k];
            if local.kind != ConstraintKind::Contact {
                continue;
            }
            let rule = SlidingRule::Coulomb;
            for jump in painleve::contact_jumps(&mut self.system, local.constraint, at, rule)? {
                let pairs = jump.velocity.iter().zip(at.v);
                let change: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
                let size = frame.inertia.norm(&change);
                if best.as_ref().is_none_or(|best| size > best.0) {
                    best = Some((size, jump));
                }
            }
        }
        Ok(best.map(|(_, jump)| jump))
    }

    /// Records the events of a jump: Painlevé at contacts, locking at joints.
    fn report_jump(
        &mut self,
        frame: &EvaluatedState,
        refusal: &NoModeFound,
    ) -> Result<(), MechanismError> {
        let mut done: Vec<usize> = Vec::new();
        for &k in &refusal.sliding {
            let local = &frame.locals[k];
            if done.contains(&local.constraint) {
                continue;
            }
            done.push(local.constraint);
            match local.kind {
                ConstraintKind::Contact => self.report_painleve(local.constraint)?,
                ConstraintKind::FrictionJoint { .. } => {
                    self.push_event(local.constraint, EventKind::Locked)
                }
                _ => {}
            }
        }
        let joints = frame.locals.iter().filter(|l| {
            matches!(l.kind, ConstraintKind::FrictionJoint { .. }) && !done.contains(&l.constraint)
        });
        // Joints whose friction iteration did not converge have no coefficient to be refused for.
        let joints: Vec<usize> = joints.map(|l| l.constraint).collect();
        if done.is_empty() {
            joints
                .iter()
                .for_each(|&c| self.push_event(c, EventKind::Locked));
        }
        Ok(())
    }

    /// Records a Painlevé event at a sliding friction joint for which the laws admit more than one acceleration.
    pub(super) fn report_nonunique_joint(&mut self, joint: usize) -> Result<(), MechanismError> {
        let at = StateRef {
            t: self.now.t,
            q: &self.now.q,
            v: &self.now.v,
        };
        if painleve::joint_accelerations(&mut self.system, joint, at)?.len() > 1 {
            self.report_painleve(joint)?;
        }
        Ok(())
    }

    /// Records a Painlevé event with γ of the constraint, once per instant.
    pub(super) fn report_painleve(&mut self, constraint: usize) -> Result<(), MechanismError> {
        let told = |e: &Event| {
            e.t == self.now.t
                && e.constraint == constraint
                && matches!(e.kind, EventKind::Painleve { .. })
        };
        if self.interval_sums.events.iter().any(told) {
            return Ok(());
        }
        let at = StateRef {
            t: self.now.t,
            q: &self.now.q,
            v: &self.now.v,
        };
        let gamma = painleve::gamma(&mut self.system, constraint, at)?;
        self.push_event(constraint, EventKind::Painleve { gamma });
        Ok(())
    }

    /// Records an event at the present instant.
    pub(super) fn push_event(&mut self, constraint: usize, kind: EventKind) {
        self.interval_sums.events.push(Event {
            t: self.now.t,
            constraint,
            kind,
        });
    }

    /// Error: neither acceleration nor jump; names contradictory constraints where equations were left unsolved.
    fn no_motion(&self, frame: &EvaluatedState, refusal: &NoModeFound) -> MechanismError {
        let t = self.now.t;
        let name = |k: usize| {
            let constraint = frame.locals[k].constraint;
            format!("`{}`", self.system.constraints()[constraint].name)
        };
        if refusal.defect > 1e-8 && refusal.defect.is_finite() {
            // Constraints coupled with the one of the largest defect.
            let worst = &frame.locals[refusal.worst];
            let meets = |k: &usize| {
                let other = &frame.locals[*k];
                let dots = (0..worst.structure.normal).flat_map(|i| {
                    (0..other.structure.normal)
                        .map(move |j| dense::dot(worst.hat_row(i), other.hat_row(j)).abs())
                });
                *k != refusal.worst && dots.fold(0.0, f64::max) > 0.0
            };
            let mut names = vec![name(refusal.worst)];
            names.extend((0..frame.locals.len()).filter(meets).map(name));
            return MechanismError::Dependent {
                names: names.join(", "),
                t,
                detail: format!(
                    "with the others met, the rows of {} accelerate by {:e} of the terms they are \
                     made of",
                    names[0], refusal.defect
                ),
            };
        }
        let all: Vec<String> = (0..frame.locals.len()).map(name).collect();
        MechanismError::EventDriven {
            t,
            reason: format!(
                "no acceleration and no jump of the velocity satisfies the laws of {}",
                all.join(", ")
            ),
        }
    }
}
