//! Switching at one instant: impacts until no contact approaches, then selection of the contact modes.

use super::{CLOSED, EventDriven};
use crate::error::MechanismError;
use crate::modes::REST;
use crate::modes::contact_mode::{ContactMode, PartMode, norm};
use crate::modes::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use crate::modes::mode_selection::{ModeChoice, ModeSelector, NoModeFound};
use crate::state::EventKind;
use crate::system::{ConstraintKind, StateRef, System};
use percuss_contact::law::Status;

/// Maximum number of impacts and jumps at one instant.
const ROUNDS: usize = 200;

/// Look-ahead times of the mode selection, as shares of the output interval.
const LOOK_AHEADS: [f64; 3] = [1e-4, 1e-6, 1e-2];

/// Share of the velocities of the system below which a relative velocity is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl<S: System> EventDriven<S> {
    /// Resolves the present instant: impacts, then modes; `ended` are modes known to have ended.
    pub(super) fn resolve_instant(
        &mut self,
        ended: Option<&[ContactMode]>,
    ) -> Result<(), MechanismError> {
        let before = self.now.modes.clone();
        for _ in 0..ROUNDS {
            let members = self.closed_constraints()?;
            let frame = self.frame(&members)?;
            self.update_velocity_scales(&frame);
            // Impacts first: all closed contacts that do not separate, if one approaches.
            let contacts = self.colliding(&frame);
            if !contacts.is_empty() {
                self.collide(&frame, &contacts)?;
                self.close_accumulating_contacts(&contacts, &frame)?;
                continue;
            }
            // No approach: modes on accelerations, or a jump where there are none.
            match self.select_modes(&frame, &members, ended)? {
                Ok(choice) => {
                    self.adopt_modes(&before, &frame, choice)?;
                    self.project()?;
                    return Ok(());
                }
                Err(refusal) => self.jump(&frame, &refusal)?,
            }
        }
        Err(MechanismError::EventDriven {
            t: self.now.t,
            reason: format!("{ROUNDS} collisions at one instant and still no end"),
        })
    }

    /// Constraints that act here: closed contacts, conditional constraints of these, and all that are no contacts.
    pub(super) fn closed_constraints(&mut self) -> Result<Vec<usize>, MechanismError> {
        let (gaps, first) = self.gaps()?;
        let mut members = Vec::new();
        for i in 0..self.now.modes.len() {
            let contact = self.system.constraints()[i].is_contact();
            if contact {
                self.now.length_scale[i] = self.now.length_scale[i].max(gaps[first[i]].abs());
                // The length of the system, where it gives one, takes the place of the largest gap met.
                self.update_length_scale(i)?;
            }
            let condition = self.system.constraints()[i].while_closed;
            if condition.is_some_and(|contact| !members.contains(&contact)) {
                continue;
            }
            let closed = !contact || gaps[first[i]] <= CLOSED * self.now.length_scale[i];
            if closed && self.in_range(i)? {
                members.push(i);
            }
        }
        Ok(members)
    }

    /// Whether the touching point of a closed contact is inside its features, and does not leave them at its end.
    fn in_range(&mut self, i: usize) -> Result<bool, MechanismError> {
        let Some(range) = self.system.range(i, self.now.instant())? else {
            return Ok(true);
        };
        let limit = CLOSED * self.now.length_scale[i];
        let at_end = range.inside.abs() <= limit;
        Ok(match at_end {
            true => range.rate >= -REST * self.now.speed[i],
            false => range.inside > 0.0,
        })
    }

    /// Updates the length scale of a constraint by the lengths that its gap is made of.
    pub(super) fn update_length_scale(&mut self, i: usize) -> Result<(), MechanismError> {
        if let Some(length) = self.system.length_scale(i) {
            self.now.length_scale[i] = length;
            return Ok(());
        }
        let (n, rows) = (self.now.v.len(), self.system.constraints()[i].rows);
        let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
        self.system
            .rows(i, self.now.t, &self.now.q, &mut g, &mut w)?;
        let count = self.system.constraints()[i].num_gaps();
        let flat = self.now.q.len() == n;
        for row in 0..count {
            let row = &g[row * n..(row + 1) * n];
            // Orientations have more positions than velocities: one radian of each coordinate.
            let length: f64 = if flat {
                (0..n).map(|j| (row[j] * self.now.q[j]).abs()).sum()
            } else {
                norm(row)
            };
            let way: f64 = (0..n).map(|j| (row[j] * self.now.v[j]).abs()).sum();
            let length = length.max(way * self.settings.step);
            self.now.length_scale[i] = self.now.length_scale[i].max(length);
        }
        Ok(())
    }

    /// Updates the velocity scales by the present velocities.
    pub(super) fn update_velocity_scales(&mut self, frame: &EvaluatedState) {
        // Where nothing has moved yet, what the forces give within the look-ahead is a velocity scale, too.
        let moment = LOOK_AHEADS[0] * self.settings.step * norm(&frame.free);
        // A row is known to rounding of its largest value: at a level point of a road it may be a sine of π.
        let rounding = ROUNDING / REST * norm(&frame.to_kinetic(&self.now.v));
        for local in &frame.locals {
            let speed = &mut self.now.speed[local.constraint];
            let given = moment.max(rounding) * norm(&local.length);
            *speed = speed.max(norm(&local.size)).max(given);
        }
    }

    /// Contacts of an impact: all closed contacts that do not separate, if one approaches.
    fn colliding(&self, frame: &EvaluatedState) -> Vec<usize> {
        let contacts = frame
            .locals
            .iter()
            .filter(|l| l.kind == ConstraintKind::Contact);
        let limit = |c: usize| REST * self.now.speed[c];
        let all: Vec<(usize, f64)> = contacts.map(|l| (l.constraint, l.u[0])).collect();
        if !all.iter().any(|&(c, u)| u < -limit(c)) {
            return Vec::new();
        }
        let near = all.into_iter().filter(|&(c, u)| u <= limit(c));
        near.map(|(c, _)| c).collect()
    }

    /// Selects the modes of the closed constraints; the answer is indexed like `frame`.
    fn select_modes(
        &mut self,
        frame: &EvaluatedState,
        members: &[usize],
        ended: Option<&[ContactMode]>,
    ) -> Result<Result<ModeChoice, NoModeFound>, MechanismError> {
        // A contact that separates is open, and with it its conditional constraints.
        let closed = |local: &EvaluatedConstraint| {
            let limit = REST * self.now.speed[local.constraint];
            local.kind != ConstraintKind::Contact || local.u[0] <= limit
        };
        let keep = |k: &usize| {
            let local = &frame.locals[*k];
            let condition = local
                .while_closed
                .and_then(|c| frame.locals.iter().find(|l| l.constraint == c));
            closed(local) && condition.is_none_or(closed)
        };
        let kept: Vec<usize> = (0..members.len()).filter(keep).collect();
        let members: Vec<usize> = kept.iter().map(|&k| members[k]).collect();
        let near = EvaluatedState {
            inertia: frame.inertia.clone(),
            free: frame.free.clone(),
            locals: kept.iter().map(|&k| frame.locals[k].clone()).collect(),
        };
        // Speed limits and ended modes of the constraints kept.
        let limit: Vec<f64> = (members.iter())
            .map(|&i| REST * self.now.speed[i])
            .collect();
        let ended: Option<Vec<ContactMode>> =
            ended.map(|all| members.iter().map(|&i| all[i].clone()).collect());
        let mut answer = Err(NoModeFound::default());
        // Modes that were thought to have ended are tried again when no others hold.
        let tries = LOOK_AHEADS.map(|m| (m, ended.as_deref()));
        let again = LOOK_AHEADS.map(|m| (m, None));
        let again = if ended.is_some() { &again[..] } else { &[] };
        for &(moment, ended) in tries.iter().chain(again) {
            let mut chooser = ModeSelector {
                system: &mut self.system,
                at: StateRef {
                    t: self.now.t,
                    q: &self.now.q,
                    v: &self.now.v,
                },
                members: &members,
                limit: &limit,
                ended,
                look_ahead: moment * self.settings.step,
                step: self.settings.step,
            };
            answer = chooser.choose(&near)?;
            if answer.is_ok() {
                break;
            }
        }
        Ok(renumber(answer, &kept, frame.locals.len()))
    }

    /// Adopts the selected modes and records the events.
    fn adopt_modes(
        &mut self,
        before: &[ContactMode],
        frame: &EvaluatedState,
        choice: ModeChoice,
    ) -> Result<(), MechanismError> {
        self.interval_sums.residual = self.interval_sums.residual.max(choice.residual);
        self.now.modes.fill(ContactMode::Open);
        for (local, mode) in frame.locals.iter().zip(&choice.modes) {
            self.now.modes[local.constraint] = mode.clone();
        }
        // Painlevé: contacts that could not slide on and opened instead.
        let mut told = Vec::new();
        for &k in &choice.refused {
            let constraint = frame.locals[k].constraint;
            if choice.modes[k].is_open() && !told.contains(&constraint) {
                told.push(constraint);
                self.report_painleve(constraint)?;
            }
        }
        // Friction joints that slide and have more than one acceleration.
        for (local, mode) in frame.locals.iter().zip(&choice.modes) {
            let joint = matches!(local.kind, ConstraintKind::FrictionJoint { .. });
            if joint && mode.status() == Status::Slip {
                self.report_nonunique_joint(local.constraint)?;
            }
        }
        for i in 0..before.len() {
            if let Some(kind) = change(&before[i], &self.now.modes[i]) {
                // Constraints that always act begin without an event; conditional ones have those of their contact.
                let known = &self.system.constraints()[i];
                if known.is_contact() || (!before[i].is_open() && known.while_closed.is_none()) {
                    self.push_event(i, kind);
                }
            }
        }
        Ok(())
    }
}

/// Renumbers from the constraints kept to all `count`.
fn renumber(
    answer: Result<ModeChoice, NoModeFound>,
    kept: &[usize],
    count: usize,
) -> Result<ModeChoice, NoModeFound> {
    match answer {
        Ok(choice) => {
            let mut modes = vec![ContactMode::Open; count];
            for (&k, mode) in kept.iter().zip(choice.modes) {
                modes[k] = mode;
            }
            Ok(ModeChoice {
                modes,
                refused: choice.refused.iter().map(|&k| kept[k]).collect(),
                ..choice
            })
        }
        Err(refusal) => Err(NoModeFound {
            worst: kept.get(refusal.worst).copied().unwrap_or(0),
            sliding: refusal.sliding.iter().map(|&k| kept[k]).collect(),
            ..refusal
        }),
    }
}

/// The event of a change of mode.
fn change(before: &ContactMode, after: &ContactMode) -> Option<EventKind> {
    match (before, after) {
        (ContactMode::Open, ContactMode::Closed { .. }) => Some(EventKind::Touch),
        (ContactMode::Closed { .. }, ContactMode::Open) => Some(EventKind::Detach),
        (ContactMode::Closed { grips: old, .. }, ContactMode::Closed { grips: new, .. }) => {
            // Slip if a part that stuck slides; stick if a part that slid sticks.
            let held = |g: &PartMode| *g == PartMode::Stick;
            let pairs = || old.iter().zip(new);
            if pairs().any(|(a, b)| held(a) && !held(b)) {
                Some(EventKind::Slip)
            } else if pairs().any(|(a, b)| !held(a) && held(b)) {
                Some(EventKind::Stick)
            } else {
                None
            }
        }
        (ContactMode::Open, ContactMode::Open) => None,
    }
}
