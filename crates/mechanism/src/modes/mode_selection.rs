//! Mode selection: the contact modes with which the motion continues.
//!
//! At a switching instant the closed contacts obey the laws on accelerations (Gauss' principle and its extension to
//! friction, M99 §8.4): 0 ≤ U̇_n ⊥ R_n ≥ 0, and for parts at rest −U̇_p ∈ N(R_p). All combinations of modes are
//! enumerated in a fixed order, sticking first, open last; the first whose margins are all positive is taken. A margin
//! that is 0 there, as the one that caused the switch, must not be negative after a short look-ahead on the motion that
//! the modes themselves give.
//!
//! Limits: above 20,000 combinations the search exchanges the mode of the worst violation instead (as a pivoting method
//! for complementarity problems does), which need not find every solution.

use std::ops::Range;

use percuss_convex::dense;

use super::contact_mode::{ContactMode, ForceSet, PartMode, SetScale, norm, scaled};
use super::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use super::event_functions::{Margin, MarginKind, Phase, margins};
use super::mode_solution::{ModeSolution, sliding_pairs, solve_modes};
use super::sliding_onset::{find_onset_directions, onset_speed, update_onset_directions};
use crate::error::MechanismError;
use crate::system::{ConstraintKind, StateRef, System};

/// A margin within this share of its terms counts as 0 at the instant itself: the instant is known to about 1e-12 of
/// the time scale.
pub(super) const ZERO: f64 = 1e-9;

/// After the look-ahead it may be negative by this share: rounding and the neglected terms of the prediction.
const LATER: f64 = 1e-11;

/// A defect of the equations above this share is a contradiction.
pub(super) const DEFECT: f64 = 1e-8;

/// Maximum number of combinations that are enumerated.
pub(super) const COMBINATIONS: usize = 20_000;

/// The selected modes and their accelerations.
#[derive(Debug, Clone)]
pub(crate) struct ModeChoice {
    pub(crate) modes: Vec<ContactMode>,
    pub(crate) answer: ModeSolution,
    /// Largest violation of the margins, relative to their terms.
    pub(crate) residual: f64,
    /// Constraints (index in the frame) that could not slide on: their normal reaction would have been negative.
    pub(crate) refused: Vec<usize>,
}

/// No modes satisfy the laws: what was met.
#[derive(Debug, Clone, Default)]
pub(crate) struct NoModeFound {
    /// Smallest defect met, and the constraint (index in the frame) it was met at.
    pub(crate) defect: f64,
    pub(crate) worst: usize,
    /// Constraints (index in the frame) whose sliding reaction would have had to be negative (Painlevé).
    pub(crate) sliding: Vec<usize>,
}

/// Mode selection at one state.
pub(crate) struct ModeSelector<'a, S: System> {
    pub(crate) system: &'a mut S,
    pub(crate) at: StateRef<'a>,
    /// Constraints in the order of the frame.
    pub(crate) members: &'a [usize],
    /// Speeds below these are rest, by constraint.
    pub(crate) limit: &'a [f64],
    /// Modes that have just ended and are not tried.
    pub(crate) ended: Option<&'a [ContactMode]>,
    /// Look-ahead time, and length of an output interval.
    pub(crate) look_ahead: f64,
    pub(crate) step: f64,
}

impl<S: System> ModeSelector<'_, S> {
    /// Selects the first combination whose margins hold.
    pub(crate) fn choose(
        &mut self,
        frame: &EvaluatedState,
    ) -> Result<Result<ModeChoice, NoModeFound>, MechanismError> {
        let options: Vec<Vec<ContactMode>> = (frame.locals.iter().zip(self.limit))
            .map(|(local, limit)| options(local, *limit))
            .collect();
        // Remember what was met, for the message and the jump.
        let mut refusal = NoModeFound {
            defect: f64::INFINITY,
            ..NoModeFound::default()
        };
        let total = options.iter().map(Vec::len);
        let total = total.fold(1_usize, |a, b| a.saturating_mul(b));
        // Too many combinations: search by exchange.
        if total > COMBINATIONS {
            return Ok(self.exchange(frame, &options)?.ok_or(refusal));
        }
        for index in 0..total {
            let modes = combination(&options, index);
            if self.ended.is_some_and(|ended| ended == modes) || !associated(frame, &modes) {
                continue;
            }
            if let Some(choice) = self.test_modes(frame, modes, &mut refusal)? {
                return Ok(Ok(choice));
            }
        }
        Ok(Err(refusal))
    }

    /// Tests one combination of modes; `None` where its laws are violated.
    fn test_modes(
        &mut self,
        frame: &EvaluatedState,
        mut modes: Vec<ContactMode>,
        refusal: &mut NoModeFound,
    ) -> Result<Option<ModeChoice>, MechanismError> {
        find_onset_directions(frame, &mut modes);
        let Some(found) = solve_modes(frame, &modes) else {
            // A joint with two reactions that no bounded friction satisfies.
            refusal.sliding.extend(sliding_pairs(frame, &modes));
            return Ok(None);
        };
        if found.defect < refusal.defect {
            (refusal.defect, refusal.worst) = (found.defect, found.worst);
        }
        // The equations must be solvable.
        if !(found.defect <= DEFECT) {
            return Ok(None);
        }
        let now = margins(frame, &modes, &found, Phase::Choose(self.limit));
        // A sliding reaction with a coefficient that is not positive: Painlevé's paradox.
        let pulls = |m: &&Margin| m.kind == MarginKind::Coefficient && !(m.value > ZERO);
        let pulling: Vec<usize> = now.iter().filter(pulls).map(|m| m.local).collect();
        if !pulling.is_empty() {
            refusal.sliding.extend(pulling);
            return Ok(None);
        }
        // No margin may be negative; those that vanish must not become negative.
        if now.iter().any(|m| !(m.share() >= -ZERO)) {
            return Ok(None);
        }
        let open = now.iter().filter(|m| m.share() <= ZERO).count();
        if open > 0 && !self.holds_after_look_ahead(&modes, &found, &now, frame)? {
            return Ok(None);
        }
        self.mark_slow(frame, &found, &mut modes);
        let missed = now.iter().map(|m| -m.share()).fold(0.0, f64::max);
        Ok(Some(ModeChoice {
            modes,
            residual: missed.max(found.defect),
            answer: found,
            refused: refusal.sliding.clone(),
        }))
    }

    /// Turns parts that slide slowly and accelerate into onset modes, whose direction follows U̇.
    fn mark_slow(&self, frame: &EvaluatedState, found: &ModeSolution, modes: &mut [ContactMode]) {
        for (k, mode) in modes.iter_mut().enumerate() {
            let ContactMode::Closed { grips, .. } = mode else {
                continue;
            };
            for (part, grip) in frame.locals[k].structure.parts.iter().zip(grips) {
                let PartMode::Slide(e) = grip else {
                    continue;
                };
                let speed = norm(&frame.locals[k].u[part.rows.clone()]);
                let gains = dense::dot(&found.rate[k][part.rows.clone()], e) > 0.0;
                let local = &frame.locals[k];
                let limit = onset_speed(local, part.rows.clone(), &found.reaction[k], self.step);
                if gains && speed <= limit {
                    *grip = PartMode::SlideOnset(std::mem::take(e));
                }
            }
        }
    }

    /// Whether the margins that are 0 now are not negative after the look-ahead.
    fn holds_after_look_ahead(
        &mut self,
        modes: &[ContactMode],
        found: &ModeSolution,
        now: &[Margin],
        frame: &EvaluatedState,
    ) -> Result<bool, MechanismError> {
        let a = frame.physical_from_kinetic(&found.hat);
        let (h, at) = (self.look_ahead, self.at);
        // Prediction with constant acceleration.
        let (mut q, mut v, mut mean) = (at.q.to_vec(), at.v.to_vec(), at.v.to_vec());
        dense::axpy(h, &a, &mut v);
        dense::axpy(0.5 * h, &a, &mut mean);
        self.system
            .configuration_space()
            .integrate(&mut q, &mean, h);
        let moved = StateRef {
            t: at.t + h,
            q: &q,
            v: &v,
        };
        let frame = EvaluatedState::new(self.system, moved, self.members)?;
        let modes = update_onset_directions(&frame, modes);
        let Some(found) = solve_modes(&frame, &modes) else {
            return Ok(false);
        };
        let later = margins(&frame, &modes, &found, Phase::Choose(self.limit));
        let fine = |(now, later): (&Margin, &Margin)| now.share() > ZERO || later.share() >= -LATER;
        Ok(now.iter().zip(&later).all(fine))
    }

    /// Search by exchange: the mode of the worst violation is replaced.
    fn exchange(
        &mut self,
        frame: &EvaluatedState,
        options: &[Vec<ContactMode>],
    ) -> Result<Option<ModeChoice>, MechanismError> {
        let mut place = vec![0; options.len()];
        let mut seen: Vec<Vec<usize>> = Vec::new();
        let mut refusal = NoModeFound::default();
        for _ in 0..COMBINATIONS {
            let pick = |(k, &i): (usize, &usize)| options[k][i].clone();
            let mut modes: Vec<ContactMode> = place.iter().enumerate().map(pick).collect();
            if associated(frame, &modes)
                && let Some(choice) = self.test_modes(frame, modes.clone(), &mut refusal)?
            {
                return Ok(Some(choice));
            }
            find_onset_directions(frame, &mut modes);
            seen.push(place.clone());
            let Some(found) = solve_modes(frame, &modes) else {
                return Ok(None);
            };
            // Next combination not yet seen, starting with the worst margin.
            let mut list = margins(frame, &modes, &found, Phase::Choose(self.limit));
            list.sort_by(|a, b| a.share().total_cmp(&b.share()));
            let next = list.iter().find_map(|margin| {
                let k = margin.local;
                (1..options[k].len()).find_map(|step| {
                    let mut next = place.clone();
                    next[k] = (next[k] + step) % options[k].len();
                    (!seen.contains(&next)).then_some(next)
                })
            });
            match next {
                Some(next) => place = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Whether every conditional constraint is closed exactly where its contact is.
pub(super) fn associated(frame: &EvaluatedState, modes: &[ContactMode]) -> bool {
    frame.locals.iter().zip(modes).all(|(local, mode)| {
        let Some(contact) = local.while_closed else {
            return true;
        };
        let place = frame.locals.iter().position(|l| l.constraint == contact);
        let open = place.is_none_or(|k| modes[k].is_open());
        mode.is_open() == open
    })
}

/// The `index`-th combination; the last constraint varies fastest.
pub(super) fn combination(options: &[Vec<ContactMode>], mut index: usize) -> Vec<ContactMode> {
    let mut modes = Vec::with_capacity(options.len());
    for list in options.iter().rev() {
        modes.push(list[index % list.len()].clone());
        index /= list.len();
    }
    modes.reverse();
    modes
}

/// The modes that a constraint may take at this state, sticking first.
pub(super) fn options(local: &EvaluatedConstraint, limit: f64) -> Vec<ContactMode> {
    // Cartesian product of the modes of its parts.
    let mut grips: Vec<Vec<PartMode>> = vec![Vec::new()];
    for part in &local.structure.parts {
        let list = part_options(local, &part.rows, &part.slide_set, limit);
        grips = (grips.iter())
            .flat_map(|head| {
                list.iter().map(move |grip| {
                    let mut all = head.clone();
                    all.push(grip.clone());
                    all
                })
            })
            .collect();
    }
    // A friction joint with one reaction may push with either sign; where one with two slides, its reaction may have
    // either of two magnitudes.
    let signs = |grips: &[PartMode]| -> &[f64] {
        let slides = grips.iter().any(|grip| *grip != PartMode::Stick);
        let signed =
            local.structure.scale == SetScale::Magnitude && (local.structure.normal == 1 || slides);
        if signed { &[1.0, -1.0] } else { &[1.0] }
    };
    let closed = |grips: &Vec<PartMode>| {
        let (grips, signs) = (grips.clone(), signs(grips));
        signs.iter().map(move |&sign| ContactMode::Closed {
            sign,
            grips: grips.clone(),
        })
    };
    let mut modes: Vec<ContactMode> = grips.iter().flat_map(closed).collect();
    if local.kind == ConstraintKind::Contact || local.while_closed.is_some() {
        modes.push(ContactMode::Open);
    }
    modes
}

/// The modes of one part: sliding along U where it moves; sticking or the onset of sliding where it is at rest.
fn part_options(
    local: &EvaluatedConstraint,
    rows: &Range<usize>,
    set: &ForceSet,
    limit: f64,
) -> Vec<PartMode> {
    let u = &local.u[rows.clone()];
    let speed = norm(u);
    let moves = speed > limit;
    match set {
        ForceSet::Interval { plus, minus } => {
            let mut list = vec![PartMode::Stick];
            if moves {
                list.clear();
            }
            // An infinite bound is never reached by sliding.
            if minus.is_finite() && (!moves || u[0] > 0.0) {
                list.push(PartMode::SlideSign(1.0));
            }
            if plus.is_finite() && (!moves || u[0] < 0.0) {
                list.push(PartMode::SlideSign(-1.0));
            }
            list
        }
        ForceSet::Disc(_) | ForceSet::Ellipse(_) if moves => {
            vec![PartMode::Slide(scaled(u, 1.0 / speed))]
        }
        ForceSet::Disc(_) | ForceSet::Ellipse(_) => {
            vec![PartMode::Stick, PartMode::SlideOnset(Vec::new())]
        }
        ForceSet::Polygon(section) => {
            let v = section.vertices();
            // Vertices that dissipate most, and the edges between two of them.
            let reach: Vec<f64> = v.iter().map(|v| -v[0] * u[0] - v[1] * u[1]).collect();
            let best = reach.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let near = |k: usize| !moves || reach[k] >= best - limit * norm(&v[k]);
            let mut list = if moves {
                Vec::new()
            } else {
                vec![PartMode::Stick]
            };
            let all = || 0..v.len();
            list.extend(
                all()
                    .filter(|&k| near(k) && near((k + 1) % v.len()))
                    .map(PartMode::Edge),
            );
            list.extend(all().filter(|&k| near(k)).map(PartMode::Vertex));
            list
        }
    }
}
