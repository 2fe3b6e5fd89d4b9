//! Numbers that stay non-negative as long as modes last; a mode ends where one of them crosses 0.
//!
//! ```text
//! closed:   R_n ≥ 0              open at gap 0:   U̇_n ≥ 0
//! hold:     R_p inside s·D       slide:           speed along its direction ≥ 0
//! ```
//!
//! At a switching instant the speed of a part that begins to slide is 0 and its acceleration takes
//! the place of the speed. A sliding normal reaction also needs a positive coefficient: where it
//! vanishes the reaction is unbounded (M88 §14).

use convex::dense;

use super::answer::Answer;
use super::frame::{Frame, Local};
use super::shape::{Grip, Mode, Scale, Set, along, length, norm, outward};

/// What a margin says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// The normal reaction of a contact.
    Force,
    /// Sign of the reaction of a joint with friction.
    Sign,
    /// The normal acceleration of a contact without reaction.
    Lift,
    /// The force of a part that holds, or stays on an edge, inside its set.
    Hold,
    /// The speed, or at a beginning the acceleration, of a part that slides.
    Slide,
    /// The coefficient of a sliding normal reaction.
    Coefficient,
}

/// One such number with the size of its terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Margin {
    /// Index in the frame.
    pub(super) local: usize,
    pub(super) what: What,
    pub(super) value: f64,
    pub(super) scale: f64,
}

impl Margin {
    /// The value in units of its terms.
    pub(super) fn share(&self) -> f64 {
        self.value / self.scale.max(f64::MIN_POSITIVE)
    }
}

/// Which margins are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Phase<'a> {
    /// While modes last; the sizes of speeds met so far, by local.
    Run(&'a [f64]),
    /// Where modes are chosen; speeds below these, by local, are 0.
    Choose(&'a [f64]),
}

/// All margins of the modes, in a fixed order.
pub(super) fn margins(
    frame: &Frame,
    modes: &[Mode],
    answer: &Answer,
    phase: Phase<'_>,
) -> Vec<Margin> {
    let mut list = Vec::new();
    for (k, local) in frame.locals.iter().enumerate() {
        let mut push = |what, value, scale| {
            list.push(Margin {
                local: k,
                what,
                value,
                scale,
            });
        };
        let rates = rate_sizes(frame, answer, local);
        let (reaction, rate) = (&answer.reaction[k], &answer.rate[k]);
        let Mode::Closed { sign, grips } = &modes[k] else {
            if let Phase::Choose(_) = phase {
                push(What::Lift, rate[0], rates[0]);
            }
            continue;
        };
        let force = force_size(local, reaction, &rates);
        let normal = &reaction[..local.shape.normal];
        match local.shape.scale {
            Scale::Normal => push(What::Force, normal[0], force),
            Scale::Magnitude if normal.len() == 1 => push(What::Sign, sign * normal[0], force),
            Scale::Magnitude | Scale::Fixed => {}
        }
        push(What::Coefficient, answer.coefficient[k], 1.0);
        let view = View {
            local,
            reaction,
            rate,
            rates: &rates,
            force,
            s: match local.shape.scale {
                Scale::Fixed => 1.0,
                Scale::Normal => normal[0],
                Scale::Magnitude => norm(normal),
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
fn rate_sizes(frame: &Frame, answer: &Answer, local: &Local) -> Vec<f64> {
    let whole = norm(&frame.free) + norm(&answer.hat);
    let row = |i: usize| local.length[i] * whole + local.bias[i].abs();
    (0..local.rows()).map(row).collect()
}

/// Sizes of the forces, constraint by constraint.
pub(super) fn force_sizes(frame: &Frame, answer: &Answer) -> Vec<f64> {
    let sizes = frame.locals.iter().zip(&answer.reaction);
    sizes
        .map(|(local, reaction)| {
            let rates = rate_sizes(frame, answer, local);
            force_size(local, reaction, &rates)
        })
        .collect()
}

/// Size of the forces of a constraint: what it carries, and what its rates could ask for.
fn force_size(local: &Local, reaction: &[f64], rates: &[f64]) -> f64 {
    let asked = (0..local.rows()).filter(|&i| local.length[i] > 0.0);
    let asked = asked.map(|i| rates[i] / (local.length[i] * local.length[i]));
    asked.fold(norm(reaction), f64::max)
}

/// One closed constraint.
struct View<'a> {
    local: &'a Local,
    reaction: &'a [f64],
    rate: &'a [f64],
    rates: &'a [f64],
    force: f64,
    s: f64,
    /// Whether modes are being chosen, and the size or limit of speeds.
    limit: (bool, f64),
}

impl View<'_> {
    fn part(&self, p: usize, grip: &Grip, push: &mut impl FnMut(What, f64, f64)) {
        let part = &self.local.shape.parts[p];
        let rows = part.rows.clone();
        let force = &self.reaction[rows.clone()];
        if *grip == Grip::Hold {
            push(What::Hold, part.hold.margin(self.s, force), self.force);
            return;
        }
        let u = &self.local.u[rows.clone()];
        // Nothing to watch: no force, or a speed that is already there. Lists keep their length.
        let settled = matches!(self.limit, (true, limit) if norm(u) > limit);
        if part.set.is_zero() || settled {
            push(What::Slide, 1.0, 1.0);
            if matches!(grip, Grip::Vertex(_) | Grip::Edge(_)) {
                push(What::Slide, 1.0, 1.0);
            }
            return;
        }
        // Velocity while it lasts, acceleration where it begins.
        let (motion, size) = match self.limit {
            (false, size) if !matches!(grip, Grip::Begin(_)) => (u, size),
            _ => (&self.rate[rows.clone()], norm(&self.rates[rows])),
        };
        match (grip, &part.set) {
            (Grip::Sign(sign), _) => push(What::Slide, sign * motion[0], size),
            (Grip::Along(last) | Grip::Begin(last), _) => {
                push(What::Slide, dense::dot(motion, last), size)
            }
            (Grip::Vertex(k), Set::Polygon(section)) => {
                // −U in the normal cone of the vertex: it points away along neither edge.
                let v = section.vertices();
                let (next, before) = (along(v, *k), along(v, (k + v.len() - 1) % v.len()));
                push(What::Slide, dense::dot(motion, &next), size);
                push(What::Slide, -dense::dot(motion, &before), size);
            }
            (Grip::Edge(k), Set::Polygon(section)) => {
                let v = section.vertices();
                let (start, e) = (v[*k], along(v, *k));
                let share =
                    e[0] * (force[0] - self.s * start[0]) + e[1] * (force[1] - self.s * start[1]);
                let room = (self.s * length(v, *k) - share).min(share);
                push(What::Hold, room, self.force);
                push(What::Slide, -dense::dot(motion, &outward(v, *k)), size);
            }
            _ => {}
        }
    }
}
