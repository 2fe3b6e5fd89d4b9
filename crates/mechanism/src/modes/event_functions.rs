//! Event functions of the contact modes: margins that stay non-negative as long as the modes hold. A mode ends at a
//! zero crossing of one of them.
//!
//! ```text
//! closed:   R_n ≥ 0              open at gap 0:   U̇_n ≥ 0
//! stick:    R_p inside s·D       slide:           speed along its direction ≥ 0
//! ```
//!
//! At a switching instant the speed of a part that begins to slide is 0 and its acceleration takes the place of the
//! speed. A sliding normal reaction also needs a positive coefficient: where it vanishes the reaction is unbounded (M88
//! §14).

use percuss_convex::dense;

use super::contact_mode::{
    ContactMode, ForceSet, PartMode, SetScale, along, length, norm, outward,
};
use super::evaluated_state::{EvaluatedConstraint, EvaluatedState};
use super::mode_solution::ModeSolution;

/// Kind of margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarginKind {
    /// The normal reaction of a contact.
    NormalReaction,
    /// Sign of the reaction of a joint with friction.
    Sign,
    /// The normal acceleration of a contact without reaction.
    SeparationAcceleration,
    /// Distance inside its set of the force of a part that sticks, or stays on an edge.
    StickForce,
    /// The speed, or at the onset the acceleration, of a part that slides.
    Slide,
    /// The coefficient of a sliding normal reaction ([`ModeSolution::coefficient`]).
    Coefficient,
}

/// One margin with the size of its terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margin {
    /// Index in the frame.
    pub(crate) local: usize,
    pub(crate) kind: MarginKind,
    pub(crate) value: f64,
    pub(crate) scale: f64,
}

impl Margin {
    /// The value relative to its terms.
    pub(crate) fn share(&self) -> f64 {
        self.value / self.scale.max(f64::MIN_POSITIVE)
    }
}

/// What the margins are used for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Phase<'a> {
    /// Event location while modes hold; velocity scales by constraint of the frame.
    Run(&'a [f64]),
    /// Mode selection; speeds below these, by constraint of the frame, are rest.
    Choose(&'a [f64]),
}

/// All margins of the modes, in a fixed order.
pub(crate) fn margins(
    frame: &EvaluatedState,
    modes: &[ContactMode],
    answer: &ModeSolution,
    phase: Phase<'_>,
) -> Vec<Margin> {
    let mut list = Vec::new();
    for (k, local) in frame.locals.iter().enumerate() {
        let mut push = |what, value, scale| {
            list.push(Margin {
                local: k,
                kind: what,
                value,
                scale,
            });
        };
        let rates = rate_sizes(frame, answer, local);
        let (reaction, rate) = (&answer.reaction[k], &answer.rate[k]);
        let ContactMode::Closed { sign, grips } = &modes[k] else {
            // A conditional constraint that does not act asks for nothing: its contact does.
            if matches!(phase, Phase::Choose(_)) && local.while_closed.is_none() {
                push(MarginKind::SeparationAcceleration, rate[0], rates[0]);
            }
            continue;
        };
        let force = force_size(local, reaction, &rates);
        let normal = &reaction[..local.structure.normal];
        match local.structure.scale {
            SetScale::Normal => push(MarginKind::NormalReaction, normal[0], force),
            SetScale::Magnitude if normal.len() == 1 => {
                push(MarginKind::Sign, sign * normal[0], force)
            }
            SetScale::Magnitude | SetScale::Fixed => {}
        }
        push(MarginKind::Coefficient, answer.coefficient[k], 1.0);
        let view = View {
            local,
            reaction,
            rate,
            rates: &rates,
            force,
            s: match local.structure.scale {
                SetScale::Fixed => 1.0,
                SetScale::Normal => normal[0],
                SetScale::Magnitude => norm(normal),
            },
            limit: match phase {
                Phase::Run(sizes) => (false, sizes[k]),
                Phase::Choose(limits) => (true, limits[k]),
            },
        };
        for (p, grip) in grips.iter().enumerate() {
            view.part(p, grip, &mut push);
        }
    }
    list
}

/// Sizes of the terms of U̇, row by row.
fn rate_sizes(
    frame: &EvaluatedState,
    answer: &ModeSolution,
    local: &EvaluatedConstraint,
) -> Vec<f64> {
    let whole = norm(&frame.free) + norm(&answer.hat);
    let row = |i: usize| local.length[i] * whole + local.bias[i].abs();
    (0..local.rows()).map(row).collect()
}

/// Force scales, constraint by constraint.
pub(crate) fn force_sizes(frame: &EvaluatedState, answer: &ModeSolution) -> Vec<f64> {
    let sizes = frame.locals.iter().zip(&answer.reaction);
    sizes
        .map(|(local, reaction)| {
            let rates = rate_sizes(frame, answer, local);
            force_size(local, reaction, &rates)
        })
        .collect()
}

/// Force scale of a constraint: its reaction, and the force that its rates would need.
fn force_size(local: &EvaluatedConstraint, reaction: &[f64], rates: &[f64]) -> f64 {
    let asked = (0..local.rows()).filter(|&i| local.length[i] > 0.0);
    let asked = asked.map(|i| rates[i] / (local.length[i] * local.length[i]));
    asked.fold(norm(reaction), f64::max)
}

/// One closed constraint with its reaction and rates.
struct View<'a> {
    local: &'a EvaluatedConstraint,
    reaction: &'a [f64],
    rate: &'a [f64],
    rates: &'a [f64],
    force: f64,
    s: f64,
    /// Whether modes are being selected, and the velocity scale or limit.
    limit: (bool, f64),
}

impl View<'_> {
    /// Margins of one part in the mode `grip`.
    fn part(&self, p: usize, grip: &PartMode, push: &mut impl FnMut(MarginKind, f64, f64)) {
        let part = &self.local.structure.parts[p];
        let rows = part.rows.clone();
        let force = &self.reaction[rows.clone()];
        if *grip == PartMode::Stick {
            push(
                MarginKind::StickForce,
                part.stick_set.margin(self.s, force),
                self.force,
            );
            return;
        }
        let u = &self.local.u[rows.clone()];
        // No force, or a speed above the limit: nothing to test. The lists of margins keep their length.
        let settled = matches!(self.limit, (true, limit) if norm(u) > limit);
        if part.slide_set.is_zero() || settled {
            push(MarginKind::Slide, 1.0, 1.0);
            if matches!(grip, PartMode::Vertex(_) | PartMode::Edge(_)) {
                push(MarginKind::Slide, 1.0, 1.0);
            }
            return;
        }
        // Velocity while it slides, acceleration at the onset.
        let (motion, size) = match self.limit {
            (false, size) if !matches!(grip, PartMode::SlideOnset(_)) => (u, size),
            _ => (&self.rate[rows.clone()], norm(&self.rates[rows])),
        };
        match (grip, &part.slide_set) {
            (PartMode::SlideSign(sign), _) => push(MarginKind::Slide, sign * motion[0], size),
            (PartMode::Slide(last) | PartMode::SlideOnset(last), _) => {
                push(MarginKind::Slide, dense::dot(motion, last), size)
            }
            (PartMode::Vertex(k), ForceSet::Polygon(section)) => {
                // −U in the normal cone of the vertex: it points away along neither edge.
                let v = section.vertices();
                let (next, before) = (along(v, *k), along(v, (k + v.len() - 1) % v.len()));
                push(MarginKind::Slide, dense::dot(motion, &next), size);
                push(MarginKind::Slide, -dense::dot(motion, &before), size);
            }
            (PartMode::Edge(k), ForceSet::Polygon(section)) => {
                let v = section.vertices();
                // Force between the two vertices, and −U along the outward normal.
                let (start, e) = (v[*k], along(v, *k));
                let share =
                    e[0] * (force[0] - self.s * start[0]) + e[1] * (force[1] - self.s * start[1]);
                let room = (self.s * length(v, *k) - share).min(share);
                push(MarginKind::StickForce, room, self.force);
                push(
                    MarginKind::Slide,
                    -dense::dot(motion, &outward(v, *k)),
                    size,
                );
            }
            _ => {}
        }
    }
}
