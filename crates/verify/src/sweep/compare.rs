//! Comparisons of one step of a sweeping process with its records.

use percuss_scene::model::mechanism::{System, SystemError};
use percuss_scene::model::sweep::Method;

use super::super::report::beyond;
use super::metric::{dot, sub};
use super::step::ProjectionStep;
use super::{PositionFunctions, RecordedState, SweepVerifier};
use crate::step_stream::StepRows;

impl SweepVerifier<'_> {
    /// Times and step lengths.
    pub(super) fn compare_times(&mut self, known: Option<&RecordedState>, last: &RecordedState) {
        let h = self.step_row.h;
        let mut off = 0.0_f64;
        if let Some(before) = known {
            off = (last.t - before.t - h).abs() / h.abs().max(f64::EPSILON * last.t.abs());
        }
        if let Some(length) = self.length {
            let end = self.expected_end(known, last, length);
            let scale = last.t.abs() + length;
            off = off.max((last.t - end).abs() / scale);
        }
        self.note("times", off, "the end of the step");
    }

    /// Where a step of fixed length ends: at the first stop or multiple of the length after the state before. Stops are
    /// jumps of C with their left limits, kinks, and the end. Without the state before, the nearest of them.
    fn expected_end(
        &self,
        known: Option<&RecordedState>,
        last: &RecordedState,
        length: f64,
    ) -> f64 {
        let left = percuss_scene::file::END_TOLERANCE * length;
        let mut stops = vec![self.until];
        stops.extend(&self.plan.kinks);
        for t in &self.plan.jumps {
            stops.extend([t.next_down(), *t]);
        }
        stops.retain(|t| *t <= self.until);
        let start = self.initial.t;
        let multiple = |k: f64| start + k * length;
        let Some(before) = known else {
            // A multiple that is a stop to rounding is the stop.
            let near = multiple(((last.t - start) / length).round());
            stops.push(near);
            let off = |t: &f64| (*t - last.t).abs();
            let nearest = stops
                .iter()
                .copied()
                .min_by(|a, b| off(a).total_cmp(&off(b)));
            return nearest.unwrap_or(near);
        };
        let next = stops.iter().copied().filter(|t| *t > before.t);
        let next = next.fold(f64::INFINITY, f64::min);
        // The first multiple that is later than the state before by more than rounding.
        let count = ((before.t - start + left) / length).floor() + 1.0;
        let grid = multiple(count);
        if grid > next - left { next } else { grid }
    }

    /// The mean velocity of the step, 0 for a jump.
    pub(super) fn compare_velocity(&mut self, known: Option<&RecordedState>, last: &RecordedState) {
        let Some(before) = known else { return };
        let jump = self.is_jump(before.t, last.t);
        for i in 0..last.u.len() {
            // v = (u_F − u_I)/h.
            let own = match jump {
                true => 0.0,
                false => (last.u[i] - before.u[i]) / self.step_row.h,
            };
            let scale = own.abs().max(last.v[i].abs()).max(f64::MIN_POSITIVE);
            let name = format!("`{}`", self.layout.positions[i]);
            self.note("velocity", (own - last.v[i]).abs() / scale, name);
        }
    }

    /// Whether a step is a jump of C: from its left limit to its value.
    pub(super) fn is_jump(&self, from: f64, to: f64) -> bool {
        from == to.next_down() && self.plan.jumps.contains(&to)
    }

    /// Distance from the start, and that `excess` equals the gain.
    pub(super) fn compare_extent(&mut self, last: &RecordedState) {
        // The whole gain of a sweeping process counts as inadmissible.
        let same = self.step_row.excess == self.step_row.gain;
        self.note("gain", if same { 0.0 } else { f64::INFINITY }, "excess");
        let Some(origin) = &self.origin else { return };
        let moved = last.u.iter().zip(origin).map(|(u, from)| (u - from).abs());
        let off = (moved.fold(0.0, f64::max) - self.step_row.extent).abs();
        self.note("gap", off / self.size(&last.u), "extent");
    }

    /// Recorded gaps of contacts and the drift of equations.
    pub(super) fn compare_gaps(&mut self, last: &RecordedState, local: &PositionFunctions) {
        let size = self.size(&last.u);
        let mut found = Vec::new();
        for touch in &self.constraint_rows {
            if let Some(gap) = local.gaps.get(self.first[touch.constraint]) {
                found.push((self.name(touch.constraint), gap - touch.gap));
            }
        }
        // Largest violation of the equations.
        let joints = local.gaps.iter().zip(&self.equation).filter(|e| *e.1);
        let drift = joints.fold(0.0_f64, |m, (f, _)| m.max(f.abs()));
        found.push(("drift of all joints".into(), drift - self.step_row.drift));
        for (what, off) in found {
            self.note("gap", off.abs() / size, what);
        }
    }

    /// Rates G v + W of the active constraints.
    pub(super) fn compare_ends(
        &mut self,
        known: Option<&RecordedState>,
        last: &RecordedState,
        local: &PositionFunctions,
    ) {
        for touch in self.constraint_rows.clone() {
            let ends = [
                ("end", Some(&last.v), &touch.end),
                ("begin", known.map(|before| &before.v), &touch.begin),
            ];
            for (check, v, recorded) in ends {
                let Some(v) = v else { continue };
                let mut worst = 0.0_f64;
                for (row, recorded) in recorded.iter().enumerate() {
                    let k = self.first[touch.constraint] + row;
                    let (g, w) = (&local.gradients[k], local.rates[k]);
                    let terms: f64 = g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum();
                    let off = (dot(g, v) + w - recorded).abs();
                    let off = off / (terms + w.abs()).max(f64::MIN_POSITIVE);
                    worst = if off.is_nan() {
                        f64::INFINITY
                    } else {
                        worst.max(off)
                    };
                }
                self.note(check, worst, self.name(touch.constraint));
            }
        }
    }

    /// The largest violation of C as a length, and the index of its function.
    pub(super) fn outside(&self, local: &PositionFunctions) -> (f64, usize) {
        let (mut worst, mut who) = (0.0_f64, 0);
        for (k, gap) in local.gaps.iter().enumerate() {
            // Violation divided by the norm of the gradient: a length.
            let over = if self.equation[k] { gap.abs() } else { -gap };
            let length = dot(&local.gradients[k], &local.gradients[k]).sqrt();
            let over = match over > 0.0 {
                true => over / length,
                false if over.is_nan() => f64::INFINITY,
                false => 0.0,
            };
            if over > worst {
                (worst, who) = (over, k);
            }
        }
        (worst, who)
    }

    /// Feasibility: u ∈ C(t).
    pub(super) fn compare_set(&mut self, u: &[f64], local: &PositionFunctions) {
        if !self.step_row.reached {
            return;
        }
        let (over, who) = self.outside(local);
        let what = if self.equation.is_empty() {
            "the set".into()
        } else {
            self.owner(who)
        };
        self.note("set", over / self.size(u), what);
    }

    /// Complementarity: S ≥ 0, S gap = 0.
    pub(super) fn compare_laws(&mut self, u: &[f64], local: &PositionFunctions) {
        let impulses = self.impulses();
        let size = self.size(u);
        let length = |k: usize| dot(&local.gradients[k], &local.gradients[k]).sqrt();
        let total: f64 = (0..impulses.len())
            .map(|k| impulses[k].abs() * length(k))
            .sum();
        for (k, s) in impulses.iter().enumerate() {
            if *s == 0.0 || self.equation[k] {
                continue;
            }
            // Sign of the multiplier, and complementarity with the gap.
            let pulls = (-s).max(0.0) * length(k) / total;
            let open = local.gaps[k].abs() / length(k) / size;
            let off = if (pulls + open).is_nan() {
                f64::INFINITY
            } else {
                pulls.max(open)
            };
            self.note("laws", off, self.owner(k));
        }
    }

    /// The inclusion of a step, A(p − z) = Σ S ∇gap; returns the norm of the residual.
    pub(super) fn compare_inclusion(
        &mut self,
        landing: &ProjectionStep,
    ) -> Result<f64, SystemError> {
        let local = self.local(landing.t, &landing.p)?;
        self.compare_set(&landing.p, &local);
        // A(p − z) less the recorded multipliers.
        let mut rest = self.form.apply(&sub(&landing.p, &landing.z));
        let mut terms = self.form.sizes(&landing.p);
        let more = self.form.sizes(&landing.z);
        terms.iter_mut().zip(&more).for_each(|(t, m)| *t += m);
        if matches!(self.plan.method, Method::Regularised(_)) {
            // The regularised flow puts p farther from z than u_F by this factor, with its rounding.
            terms.iter_mut().for_each(|t| *t *= landing.share);
        }
        let impulses = self.impulses();
        for (s, gradient) in impulses.iter().zip(&local.gradients) {
            for (i, g) in gradient.iter().enumerate() {
                rest[i] -= landing.share * s * g;
                terms[i] += (landing.share * s * g).abs();
            }
        }
        let left = self.form.dual_norm(&rest);
        // Implicit stages are iterated until u changes by 1e-15 of 1 + |u|.
        let known = match self.plan.method {
            Method::CatchingUp => vec![0.0; rest.len()],
            _ => {
                let repeat = 4e-15 * landing.share.max(1.0) * self.size(&landing.p);
                self.form.sizes(&vec![repeat; rest.len()])
            }
        };
        if !self.step_row.reached {
            self.report
                .skip("steps that missed their tolerance: inclusion, set and laws");
            return Ok(left);
        }
        for i in 0..rest.len() {
            let left = beyond(rest[i].abs(), known[i]);
            let off = if left == 0.0 { 0.0 } else { left / terms[i] };
            let what = self.acting_on(&impulses, &local, i);
            self.note("inclusion", off, what);
        }
        self.compare_laws(&landing.p, &local);
        Ok(left)
    }

    /// A coordinate, and the constraints whose multipliers act on it.
    fn acting_on(&self, impulses: &[f64], local: &PositionFunctions, i: usize) -> String {
        let acts = (0..impulses.len()).filter(|k| impulses[*k] * local.gradients[*k][i] != 0.0);
        let mut names: Vec<String> = acts.map(|k| self.owner(k)).collect();
        names.dedup();
        let own = format!("`{}`", self.layout.positions[i]);
        match names.is_empty() {
            true => own,
            false => format!("{own}, moved by {}", names.join(", ")),
        }
    }

    /// The recorded distance to the normal cone.
    pub(super) fn compare_residual(&mut self, own: f64, u: &[f64]) {
        let size = 1.0 + self.form.norm(u);
        let mut off = (own / size - self.step_row.residual).abs();
        if self.step_row.reached && self.step_row.residual > self.tolerance * (1.0 + 1e-9) {
            off = f64::INFINITY;
        }
        self.note("residual", off, "the step");
    }

    /// The recorded distance of u_F to C(t_F).
    pub(super) fn compare_outside(
        &mut self,
        jump: bool,
        landing: &ProjectionStep,
        last: &RecordedState,
        local: &PositionFunctions,
    ) {
        let size = self.size(&last.u);
        let recorded = self.step_row.penetration;
        let (over, who) = self.outside(local);
        // Distance to C as each method defines it.
        let off = match self.plan.method {
            Method::Regularised(_) if !jump => self.form.norm(&sub(&last.u, &landing.p)) - recorded,
            Method::Theta(_) if !jump && over > 0.0 => {
                self.report.skip(
                    "theta: the distance of a point that is outside C(t) at the end is compared from below only",
                );
                // A convex function is above its tangents, so that this is a lower bound of the distance.
                (self.below(local) - recorded).max(0.0)
            }
            _ => over - recorded,
        };
        let what = match self.equation.is_empty() {
            true => "the set".into(),
            false => self.owner(who),
        };
        self.note("penetration", off.abs() / size, what);
    }

    /// The largest distance to a tangent half-space, in the metric.
    fn below(&self, local: &PositionFunctions) -> f64 {
        let each = local.gaps.iter().zip(&local.gradients);
        let far = each.map(|(gap, gradient)| -gap / self.form.dual_norm(gradient));
        far.fold(0.0, f64::max)
    }

    /// Contacts that became active or inactive.
    pub(super) fn compare_events(&mut self, happened: &StepRows) {
        if self.plan.integrator() == "event" {
            return;
        }
        let Some(previous) = &self.previous else {
            return;
        };
        let known = |row: &usize| {
            let name = happened.text(0, *row);
            self.layout.constraints.iter().any(|c| c == name)
        };
        // Events of unknown constraints.
        let strange = (0..happened.rows).filter(|row| !known(row)).count();
        for k in 0..previous.len() {
            if !self.system.constraints()[k].is_contact() {
                continue;
            }
            let now = self
                .constraint_rows
                .iter()
                .any(|touch| touch.constraint == k);
            // Events follow from the active sets of both steps.
            let expected = match (previous[k], now) {
                (false, true) => Some("touch"),
                (true, false) => Some("detach"),
                _ => None,
            };
            let name = &self.layout.constraints[k];
            let of = (0..happened.rows).filter(|row| happened.text(0, *row) == name);
            let found: Vec<&str> = of.map(|row| happened.text(1, row)).collect();
            let mut same = found.iter().copied().eq(expected);
            for row in (0..happened.rows).filter(|row| happened.text(0, *row) == name) {
                // The time of an event is known to within the step: its end. No velocities, no gamma.
                same &= happened.at(0, row) == self.t;
                same &= (1..4).all(|k| happened.at(k, row).is_nan());
            }
            let what = format!("`{name}`");
            if !self.skip_checks {
                let place = self.place(what);
                let off = if same && strange == 0 { 0.0 } else { 1.0 };
                self.report.add_comparison("events", off, || place);
            }
        }
    }
}
