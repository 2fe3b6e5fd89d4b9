//! Velocities and laws of the contacts of a step.

use super::super::laws::{Rule, Sums};
use super::super::report::{Place, Report, beyond};
use super::super::vector::{V3, apply, cross, dot, norm, rotate_back, sub};
use super::Walk;
use super::given::{Flat, rules};
use super::motion::Push;
use super::read::Touch;

/// Of what a residual is relative to: two computations of it differ by the rounding of sums.
const RESIDUAL: f64 = 1e-10;

/// A velocity is known to this share of the terms it is made of.
const ROUNDING: f64 = 1e-14;

/// A status is right if the contact is nearer to it than this many times what the tolerance leaves.
const STATUS: f64 = 30.0;

pub(super) fn announce(report: &mut Report) {
    let laws = "R2 of the laws, recomputed, over the tolerance; steps that reached it";
    report.expect("laws", laws, 1.0 + 1e-6);
    let residual = "R2 recomputed less the recorded one";
    report.expect("residual", residual, RESIDUAL);
    let status = "open without impulse, stick without velocity, slip at the bound; over what the \
                  tolerance allows";
    report.expect("status", status, STATUS);
}

/// The figures of one block of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub s: Vec<f64>,
    /// Ū and Ū without impulses.
    pub u: Vec<f64>,
    pub b: Vec<f64>,
    pub kappa: f64,
    /// What rounding of the velocities may leave, as an impulse over √κ, squared.
    pub rounding: f64,
}

impl<D: Flat> Walk<'_, D> {
    /// A size for the velocity of a row: the terms of the two bodies.
    pub(super) fn row_size(&self, push: &Push) -> f64 {
        let mut sum = 0.0;
        for (side, body) in push.bodies.iter().enumerate() {
            let Some(i) = body.filter(|i| *i < self.motion.size.len()) else {
                continue;
            };
            let [line, turn] = self.motion.size[i];
            let mut lever = sub(push.at, self.motion.mid[i].x);
            if side == 1 {
                lever = sub(lever, push.shift);
            }
            sum += match push.turn {
                true => turn,
                false => line + turn * norm(lever),
            };
        }
        sum
    }

    /// begin and end against G v.
    pub(super) fn compare_velocities(&mut self) {
        let mut at = 0;
        for k in 0..self.touches.len() {
            let touch = self.touches[k];
            let branch = self.motion.branch(&touch);
            let (mut before, mut after) = (0.0_f64, 0.0_f64);
            for row in 0..touch.rows {
                let push = self.pushes[at];
                at += 1;
                let size = self.row_size(&push);
                let mut u = [
                    self.motion.relative(&push, &self.motion.begin),
                    self.motion.relative(&push, &self.motion.end),
                ];
                let mut flow_size = 0.0;
                if let (Some(flow), false) = (&self.motion.flow, push.turn) {
                    for (u, rate) in u.iter_mut().zip([&flow.begin, &flow.end]) {
                        let more = dot(push.direction, apply(rate, branch));
                        *u += more;
                        flow_size += more.abs();
                    }
                }
                let size = (size + flow_size).max(f64::MIN_POSITIVE);
                before = worse(before, (u[0] - touch.begin[row]).abs() / size);
                after = worse(after, (u[1] - touch.end[row]).abs() / size);
            }
            for (name, off) in [("begin", before), ("end", after)] {
                let (step, t) = (self.ledger.step, self.motion.t);
                let (names, pair) = (&self.names, [touch.a, touch.b]);
                self.report.note(name, off, || Place {
                    step: Some(step),
                    t: Some(t),
                    what: pair_of(names, pair, touch.feature),
                });
            }
        }
    }

    /// The trace of H of some rows of a contact or joint.
    pub(super) fn trace(&self, pushes: &[Push]) -> f64 {
        let mut trace = 0.0;
        for push in pushes {
            for (side, body) in push.bodies.iter().enumerate() {
                let Some(i) = body.filter(|i| *i < self.given.parts.len()) else {
                    continue;
                };
                let part = &self.given.parts[i];
                let mut lever = sub(push.at, self.motion.mid[i].x);
                if side == 1 {
                    lever = sub(lever, push.shift);
                }
                let (line, turn) = match push.turn {
                    true => ([0.0; 3], push.direction),
                    false => (push.direction, cross(lever, push.direction)),
                };
                let turn = rotate_back(self.motion.mid[i].q, turn);
                for k in 0..3 {
                    trace += part.inverse[k] * line[k] * line[k];
                    trace += part.inverse[3 + k] * turn[k] * turn[k];
                }
            }
        }
        trace
    }

    /// Ū, b, κ of a contact.
    fn block(&self, touch: &Touch, pushes: &[Push]) -> Option<Block> {
        let pair = self.given.pair(touch.a, touch.b, touch.feature)?;
        let branch = self.motion.branch(touch);
        let mut block = Block::default();
        for (row, push) in pushes.iter().enumerate() {
            let e = match row {
                0 => pair.restitution.normal,
                _ => pair.restitution.tangential,
            };
            let flow = self.flows(push, branch);
            let begin = self.motion.relative(push, &self.motion.begin) + flow[0];
            let mut rebound = e * begin;
            if row == 0 && self.predicted && pair.restitution.normal == 0.0 {
                rebound += touch.gap.max(0.0) / self.motion.h;
            }
            let free = self.motion.relative(push, &self.motion.free) + flow[1];
            let end = self.motion.relative(push, &self.motion.end) + flow[2];
            block.u.push(end + rebound);
            block.b.push(free + rebound);
            block.s.push(touch.impulse[row]);
        }
        let trace = self.trace(pushes) + self.cell_trace(pushes, branch);
        block.kappa = pushes.len() as f64 / trace;
        let terms: f64 = pushes.iter().map(|push| self.row_size(push)).sum();
        block.rounding = block.kappa * (ROUNDING * terms).powi(2);
        Some(block)
    }

    /// What the mean flow adds to a row: U_I, U_L, U_F.
    fn flows(&self, push: &Push, branch: V3) -> [f64; 3] {
        match (&self.motion.flow, push.turn) {
            (Some(flow), false) => {
                let free = self.free_rate(flow);
                [&flow.begin, &free, &flow.end].map(|rate| dot(push.direction, apply(rate, branch)))
            }
            _ => [0.0; 3],
        }
    }

    /// R2 of the step against the tolerance and the recorded figure; statuses.
    pub(super) fn judge(&mut self) {
        let (mut sums, mut blocks) = (Sums::default(), Vec::with_capacity(self.touches.len()));
        let (mut at, mut worst, mut rounding) = (0, (0.0, 0), 0.0);
        let mut f = [0.0; 8];
        for (k, touch) in self.touches.iter().enumerate() {
            let pushes = &self.pushes[at..at + touch.rows];
            at += touch.rows;
            let Some((block, rule)) = self.obeyed(touch, pushes) else {
                continue;
            };
            let f = &mut f[..touch.rows];
            rule.natural(block.kappa, &block.s, &block.u, f);
            let own = sums.add(block.kappa, f, &block.s, &block.u, &block.b);
            rounding += block.rounding * rule.widest().powi(2);
            if !(own <= worst.0) {
                worst = (own, k);
            }
            blocks.push((k, block, rule));
        }
        self.judge_joints(&mut sums);
        let residual = sums.residual();
        let explained = (rounding / sums.scale().max(f64::MIN_POSITIVE)).sqrt();
        self.note_residual(residual, explained, worst.1);
        let allowed = self.tolerance.max(residual) * sums.scale().sqrt();
        for (k, block, rule) in &blocks {
            let touch = self.touches[*k];
            let off = astray(touch.status, block, rule, allowed);
            let (step, t, names) = (self.ledger.step, self.motion.t, &self.names);
            self.report.note("status", off, || Place {
                step: Some(step),
                t: Some(t),
                what: pair_of(names, [touch.a, touch.b], touch.feature),
            });
        }
    }

    /// The figures of a contact and the rule that it obeys best.
    fn obeyed(&self, touch: &Touch, pushes: &[Push]) -> Option<(Block, Rule)> {
        let pair = self.given.pair(touch.a, touch.b, touch.feature)?;
        let block = self.block(touch, pushes)?;
        let mut f = [0.0; 8];
        let f = &mut f[..touch.rows];
        let mut chosen: Option<(f64, Rule)> = None;
        for rule in rules(pair, self.plane) {
            rule.natural(block.kappa, &block.s, &block.u, f);
            let left: f64 = f.iter().map(|x| x * x).sum();
            if chosen.as_ref().is_none_or(|(least, _)| left < *least) {
                chosen = Some((left, rule));
            }
        }
        chosen.map(|(_, rule)| (block, rule))
    }

    fn note_residual(&mut self, residual: f64, explained: f64, worst: usize) {
        let what = match self.touches.get(worst) {
            Some(touch) => self.pair_name(touch),
            None => "no contacts".into(),
        };
        let place = self.place(what);
        if self.ledger.reached() {
            let share = beyond(residual, explained) / self.tolerance;
            let spot = place.clone();
            self.report.note("laws", share, || spot);
        }
        if self.joints.is_empty()
            && let Some(recorded) = self.ledger.residual()
        {
            let off = beyond((residual - recorded).abs(), explained);
            self.report.note("residual", off, || place);
        }
    }
}

/// How far a contact is from what its status says, over what the tolerance allows for it.
fn astray(status: usize, block: &Block, rule: &Rule, allowed: f64) -> f64 {
    let size = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let root = block.kappa.sqrt();
    // Rounding of velocities that cancel has a size of its own.
    let allowed = allowed.max(1e-13 * root * size(&block.b));
    let over = |x: f64| if x == 0.0 { 0.0 } else { x / allowed };
    let (s, u) = (&block.s, &block.u);
    match (status, rule) {
        (0, _) => over(size(s) / root),
        (1, _) => over(root * size(u)),
        (2, Rule::Cone(section)) => {
            // Sliding: −u_t·S_t is all that S_n D allows. What is missing, as an impulse.
            let speed = size(&u[1..]);
            let back: Vec<f64> = u[1..].iter().map(|u| -u / speed).collect();
            let most = s[0] * section.support(&back);
            let done: f64 = back.iter().zip(&s[1..]).map(|(b, s)| b * s).sum();
            match speed > 0.0 {
                true => over(root * speed).min(over((most - done).abs() / root)),
                false => 0.0,
            }
        }
        _ => f64::INFINITY,
    }
}

/// The larger; what is no number is largest.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Two bodies and their feature.
fn pair_of(names: &[crate::record::Name], [a, b]: [usize; 2], feature: u32) -> String {
    let name = |i: usize| names.get(i).map_or("?", |name| &name.name);
    format!("`{}` and `{}`, feature {feature}", name(a), name(b))
}
