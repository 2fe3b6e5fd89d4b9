//! Relative velocities and contact laws of the contacts of a step: the residual RV and the recorded statuses.

use super::super::defects::{Defect, Defects};
use super::super::laws::Rule;
use super::super::report::{Location, Report, RowRange, beyond};
use super::super::status::status_defect;
use super::super::vector::{V3, apply, cross, dot, norm, rotate_back, sub};
use super::BodiesVerifier;
use super::read::RecordedContactRow;
use super::scene_data::{EmbedInSpace, rules};
use super::step_motion::RowImpulse;

/// Relative tolerance of a residual: two computations of it differ by the rounding of sums.
const RESIDUAL: f64 = 1e-10;

/// A velocity is known to this share of the absolute values of its terms.
const ROUNDING: f64 = 1e-14;

/// A status is accepted if its defect is below this many times what the tolerance allows.
const STATUS: f64 = 30.0;

pub(super) fn declare_checks(report: &mut Report) {
    let laws = "RV of the laws, recomputed, over the tolerance; steps that reached it";
    report.declare("laws", laws, 1.0 + 1e-6);
    let residual = "RV recomputed less the recorded one";
    report.declare("residual", residual, RESIDUAL);
    let status = "open without impulse, stick without velocity, slip at the bound; over what the \
                  tolerance allows";
    report.declare("status", status, STATUS);
}

/// Impulse, velocities and scaling of one contact.
#[derive(Debug, Clone, Default)]
pub(super) struct ContactBlock {
    pub s: Vec<f64>,
    /// Ū and b = Ū without impulses.
    pub u: Vec<f64>,
    pub b: Vec<f64>,
    pub kappa: f64,
    /// Velocity error that rounding may cause.
    pub rounding: f64,
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Scale of the velocity of a row: the sum of the absolute values of the terms of both bodies.
    pub(super) fn row_size(&self, push: &RowImpulse) -> f64 {
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
            sum += match push.rotational {
                true => turn,
                false => line + turn * norm(lever),
            };
        }
        sum
    }

    /// Recorded velocities `begin` and `end` against G v.
    pub(super) fn compare_velocities(&mut self) {
        let mut at = 0;
        for k in 0..self.contacts.len() {
            let touch = self.contacts[k];
            let branch = self.motion.branch_vector(&touch);
            let (mut before, mut after) = (0.0_f64, 0.0_f64);
            for row in 0..touch.rows {
                let push = self.impulses[at];
                at += 1;
                let size = self.row_size(&push);
                let mut u = [
                    self.motion.row_velocity(&push, &self.motion.begin),
                    self.motion.row_velocity(&push, &self.motion.end),
                ];
                // Mean flow of the periodic cell.
                let mut flow_size = 0.0;
                if let (Some(flow), false) = (&self.motion.flow, push.rotational) {
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
                let (step, t) = (self.steps.step, self.motion.t);
                let (names, pair) = (&self.names, [touch.a, touch.b]);
                self.report.add_comparison(name, off, || Location {
                    step: Some(step),
                    t: Some(t),
                    what: pair_of(names, pair, touch.feature),
                });
            }
        }
    }

    /// Trace of the diagonal block of the Delassus operator H = G A⁻¹ Gᵀ of some rows.
    pub(super) fn trace(&self, pushes: &[RowImpulse]) -> f64 {
        let mut trace = 0.0;
        for push in pushes {
            for (side, body) in push.bodies.iter().enumerate() {
                let Some(i) = body.filter(|i| *i < self.scene.parts.len()) else {
                    continue;
                };
                let part = &self.scene.parts[i];
                let mut lever = sub(push.at, self.motion.mid[i].x);
                if side == 1 {
                    lever = sub(lever, push.shift);
                }
                let (line, turn) = match push.rotational {
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
    /// With `shift` Ū is U_F + c, at the end of the step.
    fn block(
        &self,
        touch: &RecordedContactRow,
        pushes: &[RowImpulse],
        shift: Option<&[f64; 6]>,
    ) -> Option<ContactBlock> {
        let persists = self.persists(touch);
        let pair = self.scene.pair(touch.a, touch.b, touch.feature)?;
        let branch = self.motion.branch_vector(touch);
        let mut block = ContactBlock::default();
        for (row, push) in pushes.iter().enumerate() {
            let e = match row {
                0 => pair.restitution.normal,
                _ => pair.restitution.tangential,
            };
            let flow = self.flows(push, branch);
            let begin = self.motion.row_velocity(push, &self.motion.begin) + flow[0];
            // Restitution term ρ U_I, or gap/h with predicted activation.
            let mut rebound = e * begin;
            if row == 0 && self.predicted && pair.restitution.normal == 0.0 {
                rebound += touch.gap.max(0.0) / self.motion.h;
            }
            // U_I, without what was left of it at the end of the step before.
            if let Some(before) = persists {
                rebound = begin - before.left(row, push, D::N);
            }
            if let Some(shift) = shift {
                rebound = shift[row];
            }
            let free = self.motion.row_velocity(push, &self.motion.free) + flow[1];
            let end = self.motion.row_velocity(push, &self.motion.end) + flow[2];
            block.u.push(end + rebound);
            block.b.push(free + rebound);
            block.s.push(touch.impulse[row]);
        }
        // κ = d / tr H.
        let trace = self.trace(pushes) + self.cell_trace(pushes, branch);
        block.kappa = pushes.len() as f64 / trace;
        let terms: f64 = pushes.iter().map(|push| self.row_size(push)).sum();
        block.rounding = ROUNDING * terms;
        Some(block)
    }

    /// Contribution of the mean flow to a row: to U_I, U_L, U_F.
    fn flows(&self, push: &RowImpulse, branch: V3) -> [f64; 3] {
        match (&self.motion.flow, push.rotational) {
            (Some(flow), false) => {
                let free = self.free_rate(flow);
                [&flow.begin, &free, &flow.end].map(|rate| dot(push.direction, apply(rate, branch)))
            }
            _ => [0.0; 3],
        }
    }

    /// RV of the step against the tolerance and the recorded residual; statuses.
    pub(super) fn compare_laws(&mut self) {
        if !self.choose_persistent() {
            self.report.skip(super::persistent::UNKNOWN);
            return;
        }
        let (mut defects, mut blocks) =
            (Defects::default(), Vec::with_capacity(self.contacts.len()));
        let mut at = 0;
        let mut f = [0.0; 8];
        // The defect of every contact by the natural map of its law.
        for (k, touch) in self.contacts.iter().enumerate() {
            let pushes = &self.impulses[at..at + touch.rows];
            at += touch.rows;
            let Some((block, rule)) = self.best_rule(touch, pushes) else {
                continue;
            };
            let f = &mut f[..touch.rows];
            rule.natural(block.kappa, &block.s, &block.u, f);
            let mut moved = self.moved(pushes);
            if self.yields() {
                // The rates of the cell are coordinates that every contact moves.
                moved.push(self.scene.parts.len());
            }
            defects.push(Defect {
                bodies: moved,
                rows: touch.rows,
                kappa: block.kappa,
                left: size(f),
                free: rule.speed_at_stake(&block.b),
                rounding: block.rounding * rule.widest(),
            });
            blocks.push((k, block, rule));
        }
        // Joints share the velocity scale; then the residual of the step.
        self.compare_joint_laws(&mut defects);
        let own = |i: usize| self.speed_of(i);
        let verdict = defects.residual(own, false);
        let worst = blocks.get(verdict.worst).map_or(usize::MAX, |(k, ..)| *k);
        let end = self.persistent.residual;
        self.note_residual(verdict.residual.max(end), verdict.rounding, worst);
        let tolerance = self.tolerance.max(verdict.residual);
        // Status of every contact, as exactly as the residual allows.
        for ((k, block, rule), speed) in blocks.iter().zip(&verdict.speed) {
            let touch = self.contacts[*k];
            let figures = (&block.s[..], &block.u[..], &block.b[..]);
            // The shift σ_D of the law amplifies the error of a tangential velocity.
            let allowed = tolerance * speed * block.kappa.sqrt() * rule.widest();
            let off = status_defect(touch.status, figures, block.kappa, rule, allowed);
            let (step, t, names) = (self.steps.step, self.motion.t, &self.names);
            self.report.add_comparison("status", off, || Location {
                step: Some(step),
                t: Some(t),
                what: pair_of(names, [touch.a, touch.b], touch.feature),
            });
        }
    }

    /// Sum of the squared defects of all contacts.
    pub(super) fn contact_defect(&self) -> f64 {
        let (mut at, mut sum, mut f) = (0, 0.0, [0.0; 8]);
        for touch in &self.contacts {
            let pushes = &self.impulses[at..at + touch.rows];
            at += touch.rows;
            if let Some((block, rule)) = self.best_rule(touch, pushes) {
                let f = &mut f[..touch.rows];
                rule.natural(block.kappa, &block.s, &block.u, f);
                sum += f.iter().map(|x| x * x).sum::<f64>();
            }
        }
        sum
    }

    /// The bodies that the impulses of these rows move.
    pub(super) fn moved(&self, pushes: &[RowImpulse]) -> Vec<usize> {
        let Some(push) = pushes.first() else {
            return Vec::new();
        };
        let moves = |i: &usize| {
            let part = self.scene.parts.get(*i);
            part.is_some_and(|part| part.inverse.iter().any(|w| *w > 0.0))
        };
        push.bodies
            .iter()
            .flatten()
            .copied()
            .filter(moves)
            .collect()
    }

    /// Whether strain rates of the cell follow the stress.
    fn yields(&self) -> bool {
        let cell = self.scene.model.cell.as_ref();
        self.motion.flow.is_some() && cell.is_some_and(|cell| !cell.modes.is_empty())
    }

    /// The free velocity of a body, or of the cell (index after the last body), in the kinetic metric.
    pub(super) fn speed_of(&self, body: usize) -> f64 {
        let (Some(part), Some(free)) = (self.scene.parts.get(body), self.motion.free.get(body))
        else {
            let rate = self.motion.flow.map(|flow| self.free_rate(&flow));
            return rate.map_or(0.0, |rate| size(&self.cell_hats(&rate)));
        };
        let each = part.inverse.iter().zip(free).filter(|(w, _)| **w > 0.0);
        each.map(|(w, v)| v * v / w).sum::<f64>().sqrt()
    }

    /// The figures of a contact and the rule with the smallest defect.
    fn best_rule(
        &self,
        touch: &RecordedContactRow,
        pushes: &[RowImpulse],
    ) -> Option<(ContactBlock, Rule)> {
        self.best_rule_with(touch, pushes, None)
    }

    /// The same with c by row, at the end of the step.
    pub(super) fn best_rule_with(
        &self,
        touch: &RecordedContactRow,
        pushes: &[RowImpulse],
        shift: Option<&[f64; 6]>,
    ) -> Option<(ContactBlock, Rule)> {
        let pair = self.scene.pair(touch.a, touch.b, touch.feature)?;
        let block = self.block(touch, pushes, shift)?;
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
        let what = match self.contacts.get(worst) {
            Some(touch) => self.pair_name(touch),
            None => "no contacts".into(),
        };
        let place = self.place(what);
        if self.steps.reached() {
            let share = beyond(residual, explained) / self.tolerance;
            let spot = place.clone();
            self.report.add_comparison("laws", share, || spot);
        }
        let Some(recorded) = self.steps.residual() else {
            return;
        };
        let mut off = (residual - recorded).abs();
        if !self.joints.is_empty() {
            let why = "what is left of the rows of joints is part of it: compared from below";
            self.report
                .mark_unchecked("steps", "residual", RowRange::All, why);
            off = residual - recorded;
        }
        self.report
            .add_comparison("residual", beyond(off, explained), || place);
    }
}

pub(super) fn size(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The larger of two defects; infinite for NaN.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// The names of two bodies and the feature of their contact.
fn pair_of(names: &[percuss_record::BodyDescription], [a, b]: [usize; 2], feature: u32) -> String {
    let name = |i: usize| names.get(i).map_or("?", |name| &name.name);
    format!("`{}` and `{}`, feature {feature}", name(a), name(b))
}
