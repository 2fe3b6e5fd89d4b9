//! Which modes a motion goes on with.
//!
//! At a switching instant the closed contacts obey the laws on accelerations (Gauss' principle and
//! its extension to friction, M99 §8.4): 0 ≤ U̇_n ⊥ R_n ≥ 0, and for parts at rest −U̇_p ∈ N(R_p).
//! Every combination of modes is tried in a fixed order, holding first, open last; one is taken
//! when all its margins are positive. A margin that is 0 there, as the one that caused the switch,
//! must not be negative a moment later on the motion that the modes themselves give.
//!
//! Limits: with many contacts at once the combinations are searched by exchanging the mode that is
//! violated most, which need not find every solution.

use std::ops::Range;

use convex::dense;

use super::REST;
use super::answer::{Answer, answer};
use super::begin::{adapt, begin, slow};
use super::frame::{Frame, Local};
use super::margin::{Margin, Phase, What, margins};
use super::shape::{Grip, Mode, Scale, Set, norm, scaled};
use crate::error::MechanismError;
use crate::system::{Instant, Kind, System};

/// A margin within this share of its terms counts as 0 at the instant itself: the instant is known
/// to about 1e-12 of the time scale.
const ZERO: f64 = 1e-9;

/// A moment later it may be negative by this share: rounding and the neglected terms of the move.
const LATER: f64 = 1e-11;

/// A defect of the equations above this share is a contradiction.
const DEFECT: f64 = 1e-8;

/// Accelerations that differ by less than this share are one.
const SAME: f64 = 1e-9;

/// Combinations tried one by one.
const COMBINATIONS: usize = 20_000;

/// The modes chosen and their accelerations.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) modes: Vec<Mode>,
    pub(super) answer: Answer,
    /// How far the margins miss, relative to their terms.
    pub(super) residual: f64,
    /// Constraints (index in the frame) that could not slide on: their reaction would have pulled.
    pub(super) refused: Vec<usize>,
}

/// Why there is none.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusal {
    /// Smallest defect met, and the constraint (index in the frame) it was met at.
    pub(super) defect: f64,
    pub(super) worst: usize,
    /// Constraints (index in the frame) whose sliding reaction would have had to pull.
    pub(super) sliding: Vec<usize>,
}

/// A state at which modes are chosen.
pub(super) struct Chooser<'a, S: System> {
    pub(super) system: &'a mut S,
    pub(super) at: Instant<'a>,
    /// Constraints in the order of the frame.
    pub(super) members: &'a [usize],
    /// Speeds below these are 0.
    pub(super) limit: &'a [f64],
    /// Modes that have just ended.
    pub(super) ended: Option<&'a [Mode]>,
    /// Length of the moment, and of an output interval.
    pub(super) moment: f64,
    pub(super) step: f64,
}

impl<S: System> Chooser<'_, S> {
    /// The first combination whose margins hold.
    pub(super) fn choose(
        &mut self,
        frame: &Frame,
    ) -> Result<Result<Choice, Refusal>, MechanismError> {
        let options: Vec<Vec<Mode>> = (frame.locals.iter().zip(self.limit))
            .map(|(local, limit)| options(local, *limit))
            .collect();
        let mut refusal = Refusal {
            defect: f64::INFINITY,
            ..Refusal::default()
        };
        let total = options.iter().map(Vec::len);
        let total = total.fold(1_usize, |a, b| a.saturating_mul(b));
        if total > COMBINATIONS {
            return Ok(self.exchange(frame, &options)?.ok_or(refusal));
        }
        for index in 0..total {
            let modes = combination(&options, index);
            if self.ended.is_some_and(|ended| ended == modes) {
                continue;
            }
            if let Some(choice) = self.examine(frame, modes, &mut refusal)? {
                return Ok(Ok(choice));
            }
        }
        Ok(Err(refusal))
    }

    /// Whether the modes go on.
    fn examine(
        &mut self,
        frame: &Frame,
        mut modes: Vec<Mode>,
        refusal: &mut Refusal,
    ) -> Result<Option<Choice>, MechanismError> {
        begin(frame, &mut modes);
        let Some(found) = answer(frame, &modes) else {
            return Ok(None);
        };
        if found.defect < refusal.defect {
            (refusal.defect, refusal.worst) = (found.defect, found.worst);
        }
        if !(found.defect <= DEFECT) {
            return Ok(None);
        }
        let now = margins(frame, &modes, &found, Phase::Choose(self.limit));
        let pulls = |m: &&Margin| m.what == What::Coefficient && !(m.value > ZERO);
        let pulling: Vec<usize> = now.iter().filter(pulls).map(|m| m.local).collect();
        if !pulling.is_empty() {
            refusal.sliding.extend(pulling);
            return Ok(None);
        }
        if now.iter().any(|m| !(m.share() >= -ZERO)) {
            return Ok(None);
        }
        let open = now.iter().filter(|m| m.share() <= ZERO).count();
        if open > 0 && !self.later(&modes, &found, &now, frame)? {
            return Ok(None);
        }
        self.mark_slow(frame, &found, &mut modes);
        let missed = now.iter().map(|m| -m.share()).fold(0.0, f64::max);
        Ok(Some(Choice {
            modes,
            residual: missed.max(found.defect),
            answer: found,
            refused: refusal.sliding.clone(),
        }))
    }

    /// Parts that move, but slowly and faster and faster, are still at their beginning.
    fn mark_slow(&self, frame: &Frame, found: &Answer, modes: &mut [Mode]) {
        for (k, mode) in modes.iter_mut().enumerate() {
            let Mode::Closed { grips, .. } = mode else {
                continue;
            };
            for (part, grip) in frame.locals[k].shape.parts.iter().zip(grips) {
                let Grip::Along(e) = grip else {
                    continue;
                };
                let speed = norm(&frame.locals[k].u[part.rows.clone()]);
                let gains = dense::dot(&found.rate[k][part.rows.clone()], e) > 0.0;
                let local = &frame.locals[k];
                let limit = slow(local, part.rows.clone(), &found.reaction[k], self.step);
                if gains && speed <= limit {
                    *grip = Grip::Begin(std::mem::take(e));
                }
            }
        }
    }

    /// Whether the margins that are 0 now are not negative a moment later.
    fn later(
        &mut self,
        modes: &[Mode],
        found: &Answer,
        now: &[Margin],
        frame: &Frame,
    ) -> Result<bool, MechanismError> {
        let a = frame.plain_of(&found.hat);
        let (h, at) = (self.moment, self.at);
        let (mut q, mut v, mut mean) = (at.q.to_vec(), at.v.to_vec(), at.v.to_vec());
        dense::axpy(h, &a, &mut v);
        dense::axpy(0.5 * h, &a, &mut mean);
        self.system.chart().advance(&mut q, &mean, h);
        let moved = Instant {
            t: at.t + h,
            q: &q,
            v: &v,
        };
        let frame = Frame::new(self.system, moved, self.members)?;
        let modes = adapt(&frame, modes);
        let Some(found) = answer(&frame, &modes) else {
            return Ok(false);
        };
        let later = margins(&frame, &modes, &found, Phase::Choose(self.limit));
        let fine = |(now, later): (&Margin, &Margin)| now.share() > ZERO || later.share() >= -LATER;
        Ok(now.iter().zip(&later).all(fine))
    }

    /// Search by exchange: the worst violation changes its mode.
    fn exchange(
        &mut self,
        frame: &Frame,
        options: &[Vec<Mode>],
    ) -> Result<Option<Choice>, MechanismError> {
        let mut place = vec![0; options.len()];
        let mut seen: Vec<Vec<usize>> = Vec::new();
        let mut refusal = Refusal::default();
        for _ in 0..COMBINATIONS {
            let pick = |(k, &i): (usize, &usize)| options[k][i].clone();
            let mut modes: Vec<Mode> = place.iter().enumerate().map(pick).collect();
            if let Some(choice) = self.examine(frame, modes.clone(), &mut refusal)? {
                return Ok(Some(choice));
            }
            begin(frame, &mut modes);
            seen.push(place.clone());
            let Some(found) = answer(frame, &modes) else {
                return Ok(None);
            };
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

/// All combinations that satisfy the laws at the instant, without a look ahead: the outcomes of a
/// jump.
pub(super) fn outcomes(frame: &Frame) -> Vec<Choice> {
    outcomes_beyond(frame, &vec![0.0; frame.locals.len()])
}

/// The accelerations that satisfy the laws at a state, each once: more than one where the friction of a
/// joint follows a reaction of either sign (B02 §6). Contacts take part where `members` names them.
pub(crate) fn accelerations<S: System>(
    system: &mut S,
    at: Instant<'_>,
    members: &[usize],
) -> Result<Vec<Vec<f64>>, MechanismError> {
    let frame = Frame::new(system, at, members)?;
    let limit = |local: &Local| REST * norm(&local.size);
    let limit: Vec<f64> = frame.locals.iter().map(limit).collect();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for choice in outcomes_beyond(&frame, &limit) {
        let hat = choice.answer.hat;
        let other = |known: &Vec<f64>| {
            let apart: Vec<f64> = known.iter().zip(&hat).map(|(a, b)| a - b).collect();
            norm(&apart) > SAME * (norm(known) + norm(&hat))
        };
        if found.iter().all(other) {
            found.push(hat);
        }
    }
    Ok(found.iter().map(|hat| frame.plain_of(hat)).collect())
}

/// The same with speeds below `limit` taken as 0.
fn outcomes_beyond(frame: &Frame, limit: &[f64]) -> Vec<Choice> {
    let pairs = frame.locals.iter().zip(limit);
    let options: Vec<Vec<Mode>> = pairs.map(|(l, limit)| options(l, *limit)).collect();
    let total = options.iter().map(Vec::len);
    let total = total.fold(1_usize, |a, b| a.saturating_mul(b));
    let mut found = Vec::new();
    for index in 0..total.min(COMBINATIONS) {
        let mut modes = combination(&options, index);
        begin(frame, &mut modes);
        let Some(answer) = answer(frame, &modes) else {
            continue;
        };
        let list = margins(frame, &modes, &answer, Phase::Choose(limit));
        let fits = |m: &Margin| m.what == What::Coefficient || m.share() >= -ZERO;
        if answer.defect <= DEFECT && list.iter().all(fits) {
            found.push(Choice {
                modes,
                residual: answer.defect,
                answer,
                refused: Vec::new(),
            });
        }
    }
    found
}

/// The `index`-th combination; the last constraint varies fastest.
fn combination(options: &[Vec<Mode>], mut index: usize) -> Vec<Mode> {
    let mut modes = Vec::with_capacity(options.len());
    for list in options.iter().rev() {
        modes.push(list[index % list.len()].clone());
        index /= list.len();
    }
    modes.reverse();
    modes
}

/// What a constraint may do from here, holding first.
fn options(local: &Local, limit: f64) -> Vec<Mode> {
    let mut grips: Vec<Vec<Grip>> = vec![Vec::new()];
    for part in &local.shape.parts {
        let list = grip_options(local, &part.rows, &part.set, limit);
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
    let signed = local.shape.scale == Scale::Magnitude && local.shape.normal == 1;
    let signs: &[f64] = if signed { &[1.0, -1.0] } else { &[1.0] };
    let closed = |grips: &Vec<Grip>| {
        let grips = grips.clone();
        signs.iter().map(move |&sign| Mode::Closed {
            sign,
            grips: grips.clone(),
        })
    };
    let mut modes: Vec<Mode> = grips.iter().flat_map(closed).collect();
    if local.kind == Kind::Contact {
        modes.push(Mode::Open);
    }
    modes
}

/// What a part may do: slide as it moves, or begin anything when it does not.
fn grip_options(local: &Local, rows: &Range<usize>, set: &Set, limit: f64) -> Vec<Grip> {
    let u = &local.u[rows.clone()];
    let speed = norm(u);
    let moves = speed > limit;
    match set {
        Set::Interval { plus, minus } => {
            let mut list = vec![Grip::Hold];
            if moves {
                list.clear();
            }
            // A bound at infinity is never reached by sliding.
            if minus.is_finite() && (!moves || u[0] > 0.0) {
                list.push(Grip::Sign(1.0));
            }
            if plus.is_finite() && (!moves || u[0] < 0.0) {
                list.push(Grip::Sign(-1.0));
            }
            list
        }
        Set::Disc(_) | Set::Ellipse(_) if moves => vec![Grip::Along(scaled(u, 1.0 / speed))],
        Set::Disc(_) | Set::Ellipse(_) => vec![Grip::Hold, Grip::Begin(Vec::new())],
        Set::Polygon(section) => {
            let v = section.vertices();
            let reach: Vec<f64> = v.iter().map(|v| -v[0] * u[0] - v[1] * u[1]).collect();
            let best = reach.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let near = |k: usize| !moves || reach[k] >= best - limit * norm(&v[k]);
            let mut list = if moves { Vec::new() } else { vec![Grip::Hold] };
            let all = || 0..v.len();
            list.extend(
                all()
                    .filter(|&k| near(k) && near((k + 1) % v.len()))
                    .map(Grip::Edge),
            );
            list.extend(all().filter(|&k| near(k)).map(Grip::Vertex));
            list
        }
    }
}
