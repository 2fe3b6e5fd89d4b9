//! One recorded step of a sweeping process: its parts, and the projection in each of them.

use percuss_scene::model::mechanism::SystemError;
use percuss_scene::model::sweep::Method;
use percuss_scene::symbolic::of_time;

use super::cone::Cone;
use super::metric::{dot, plus, sub};
use super::variation::VariationPart;
use super::{PositionFunctions, RecordedState, SweepVerifier, crowd};
use crate::step_stream::StepRows;

/// Fixed-point iterations for the point between two parts.
const ROUNDS: usize = 100;

/// A part of a step: a continuous motion, or a jump of C at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepPart {
    pub from: f64,
    pub to: f64,
    pub jump: bool,
}

/// The projection of a part: p is the nearest point of C(t) to z.
pub(super) struct ProjectionStep {
    pub t: f64,
    pub p: Vec<f64>,
    pub z: Vec<f64>,
    /// Ratio of the multipliers of the projection to the recorded ones.
    pub share: f64,
    /// h|w|.
    pub drift: f64,
}

impl SweepVerifier<'_> {
    /// Verifies one recorded step; the state before may be recorded or not.
    pub(super) fn verify_step(
        &mut self,
        before: &RecordedState,
        last: &RecordedState,
        happened: Option<&StepRows>,
    ) {
        let consecutive = before.step + 1 == last.step;
        if !consecutive {
            (self.previous, self.sums.whole) = (None, false);
        }
        if !self.skip_checks {
            self.report.steps += 1;
            self.report.contacts += self.constraint_rows.len();
            self.report.consecutive += usize::from(consecutive);
        }
        let known = consecutive.then_some(before);
        if let Some(happened) = happened {
            self.compare_events(happened);
        }
        if let Err(error) = self.compare_step(known, last) {
            self.note("set", f64::INFINITY, error.to_string());
        }
        // Active constraints, for the events of the next step.
        let mut acted = vec![false; self.first.len() - 1];
        for touch in &self.constraint_rows {
            acted[touch.constraint] = true;
        }
        self.previous = Some(acted);
    }

    fn compare_step(
        &mut self,
        known: Option<&RecordedState>,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        // u_I: recorded, or u_F − h v.
        let first = match known {
            Some(before) => before.clone(),
            None => RecordedState {
                step: last.step - 1,
                t: last.t - self.step_row.h,
                u: plus(&last.u, -self.step_row.h, &last.v),
                v: Vec::new(),
            },
        };
        // A jump has no velocity from which the point before it would follow.
        if known.is_none() && self.is_jump(first.t, last.t) {
            self.report
                .skip("jumps whose left limit is not recorded: inclusion and path");
            self.sums.whole = false;
            let local = self.local(last.t, &last.u)?;
            self.compare_times(known, last);
            self.compare_extent(last);
            self.compare_gaps(last, &local);
            self.compare_set(&last.u, &local);
            self.compare_laws(&last.u, &local);
            return Ok(());
        }
        self.compare_times(known, last);
        self.compare_velocity(known, last);
        self.compare_extent(last);
        let parts = self.parts(first.t, last.t);
        if self.plan.room.is_some() {
            return self.compare_crowd(&parts, &first, last);
        }
        // Gaps and rates at the end, then the inclusion and the variation.
        let local = self.local(last.t, &last.u)?;
        self.compare_gaps(last, &local);
        self.compare_ends(known, last, &local);
        let stretches = match self.plan.integrator() {
            "event" => self.instant(&parts, &first, last, &local)?,
            _ => self.stepped(&parts, &first, last, &local)?,
        };
        self.sum(&stretches)
    }

    /// Divides a step at jumps and kinks of C; up to a jump C is its left limit.
    fn parts(&self, from: f64, end: f64) -> Vec<StepPart> {
        let mut stops = vec![(end, false)];
        for (list, jump) in [(&self.plan.jumps, true), (&self.plan.kinks, false)] {
            let inside = list.iter().filter(|t| **t > from && **t <= end);
            stops.extend(inside.map(|t| (*t, jump)));
        }
        // At equal times a jump takes precedence over a kink.
        stops.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        stops.dedup_by(|later, first| later.0 == first.0);
        // A jump is a part of its own, after the motion up to its left limit.
        let (mut now, mut parts) = (from, Vec::new());
        for (t, jump) in stops {
            let last = if jump { t.next_down() } else { t };
            if now < last {
                parts.push(StepPart {
                    from: now,
                    to: last,
                    jump: false,
                });
                now = last;
            }
            if jump {
                parts.push(StepPart {
                    from: now,
                    to: t,
                    jump,
                });
                now = t;
            }
        }
        parts
    }

    /// The point z that the method projects, and its projection p, in a part from u_I to u_F.
    pub(super) fn projection_step(
        &mut self,
        part: StepPart,
        first: &[f64],
        last: &[f64],
    ) -> Result<ProjectionStep, SystemError> {
        let (from, to, h) = (part.from, part.to, part.to - part.from);
        let mut landing = ProjectionStep {
            t: to,
            p: last.to_vec(),
            z: first.to_vec(),
            share: 1.0,
            drift: 0.0,
        };
        if part.jump {
            return Ok(landing);
        }
        match self.plan.method {
            Method::Trapezoidal => {
                let (a, b) = (self.drift(from, first)?, self.drift(to, last)?);
                landing.z = plus(&plus(first, 0.5 * h, &a), 0.5 * h, &b);
                landing.drift = 0.5 * h * (self.form.norm(&a) + self.form.norm(&b));
            }
            Method::Theta(theta) => {
                // For θ > 1 after the step, but not beyond the next jump of C.
                let later = self.plan.jumps.iter().filter(|t| **t > to);
                let jump = later.copied().fold(f64::INFINITY, f64::min).next_down();
                landing.t = (from + theta * h).min(jump.max(to));
                landing.p = plus(first, theta, &sub(last, first));
                let w = self.drift(landing.t, &landing.p)?;
                landing.z = plus(first, theta * h, &w);
                landing.share = theta;
                landing.drift = h * self.form.norm(&w);
            }
            Method::Regularised(constant) => {
                let lambda = self.penalty(constant, to)?;
                // σ = hλ/(1 + hλ), which is 1 where hλ overflows.
                let share = 1.0 / (1.0 + 1.0 / (h * lambda));
                let w = self.drift(to, last)?;
                landing.z = plus(first, h, &w);
                landing.p = plus(&landing.z, 1.0 / share, &sub(last, &landing.z));
                landing.share = 1.0 / share;
                landing.drift = h * self.form.norm(&w);
            }
            _ => {
                let w = self.drift(from, first)?;
                landing.z = plus(first, h, &w);
                landing.drift = h * self.form.norm(&w);
            }
        }
        Ok(landing)
    }

    /// λ of the regularised flow at the end of a step.
    fn penalty(&mut self, constant: f64, to: f64) -> Result<f64, SystemError> {
        match &mut self.lambda {
            None => Ok(constant),
            Some(lambda) => of_time(lambda, &mut self.system, to),
        }
    }

    /// Verifies a step of a time-stepping method.
    fn stepped(
        &mut self,
        parts: &[StepPart],
        first: &RecordedState,
        last: &RecordedState,
        local: &PositionFunctions,
    ) -> Result<Vec<VariationPart>, SystemError> {
        let plain = matches!(self.plan.method, Method::CatchingUp | Method::Trapezoidal);
        match *parts {
            [part] => {
                let landing = self.projection_step(part, &first.u, &last.u)?;
                let stretch = self.stretch(part, &first.u, &last.u, landing.drift);
                if !self.skip_checks {
                    let residual = self.compare_inclusion(&landing)?;
                    self.compare_residual(residual, &last.u);
                    self.compare_outside(part.jump, &landing, last, local);
                }
                Ok(vec![stretch])
            }
            [one, two] if plain => {
                // Last part from the recorded multipliers, first part by the distance to the normal cone.
                let between = self.back(two, last, local)?;
                let landing = self.projection_step(two, &between, &last.u)?;
                let then = self.compare_inclusion(&landing)?;
                self.compare_outside(two.jump, &landing, last, local);
                let path = self.stretch(two, &between, &last.u, landing.drift);
                let landing = self.projection_step(one, &first.u, &between)?;
                let acts: Vec<String> = self
                    .constraint_rows
                    .iter()
                    .map(|t| self.name(t.constraint))
                    .collect();
                let what = format!(
                    "the part up to t = {}, and after it {}",
                    one.to,
                    acts.join(", ")
                );
                let now = self.compare_nearest_point((landing.t, what), &landing.p, &landing.z)?;
                self.compare_residual(now.max(then), &last.u);
                let stretch = self.stretch(one, &first.u, &between, landing.drift);
                Ok(vec![stretch, path])
            }
            _ => {
                self.report.skip(
                    "steps that jumps or kinks divide into more than two parts, or into two with the θ-version \
                     and the regularised flow: their inclusion and path (a step that ends at each of them tells)",
                );
                self.sums.whole = false;
                Ok(Vec::new())
            }
        }
    }

    /// The point at the beginning of the last part, from its end and its multipliers.
    pub(super) fn back(
        &mut self,
        part: StepPart,
        last: &RecordedState,
        local: &PositionFunctions,
    ) -> Result<Vec<f64>, SystemError> {
        let pushed = self.impulse_displacement(local, 1.0);
        let mut between = last.u.clone();
        for _ in 0..ROUNDS {
            // Drift of the part from the current iterate.
            let landing = self.projection_step(part, &between, &last.u)?;
            let drifted = sub(&landing.z, &between);
            let next = sub(&sub(&last.u, &pushed), &drifted);
            let change = sub(&next, &between);
            between = next;
            if dot(&change, &change).sqrt() <= 1e-16 * self.size(&between) {
                break;
            }
        }
        Ok(between)
    }

    /// A⁻¹ Σ share S ∇gap.
    pub(super) fn impulse_displacement(&self, local: &PositionFunctions, share: f64) -> Vec<f64> {
        let n = self.initial.q.len();
        let mut sum = vec![0.0; n];
        for (s, gradient) in self.impulses().iter().zip(&local.gradients) {
            let both = sum.iter_mut().zip(gradient);
            both.for_each(|(sum, g)| *sum += share * s * g);
        }
        self.form.solve(&sum)
    }

    pub(super) fn stretch(
        &self,
        part: StepPart,
        from: &[f64],
        to: &[f64],
        drift: f64,
    ) -> VariationPart {
        VariationPart {
            from: part.from,
            to: part.to,
            moved: self.form.norm(&sub(to, from)),
            drift,
            size: self.size(to),
        }
    }

    /// Whether p is the nearest point of C(t) to z, where the multipliers are not recorded: p is feasible and A(z −
    /// p) lies in the normal cone of its closed constraints. Returns the distance to the cone.
    pub(super) fn compare_nearest_point(
        &mut self,
        (t, what): (f64, String),
        p: &[f64],
        z: &[f64],
    ) -> Result<f64, SystemError> {
        let local = self.local(t, p)?;
        self.compare_set(p, &local);
        let size = self.size(p);
        let closed = (0..local.gaps.len()).filter(|k| {
            let length = dot(&local.gradients[*k], &local.gradients[*k]).sqrt();
            // Closed to the accuracy of projections.
            self.equation[*k] || local.gaps[*k] <= 1e-10 * size * length
        });
        let rows = closed.map(|k| (local.gradients[k].clone(), self.equation[k]));
        let cone = Cone {
            form: &self.form,
            rows: rows.collect(),
        };
        let off = cone.distance(&self.form.apply(&sub(p, z)));
        self.note("cone", off / size, what);
        Ok(off)
    }

    /// Verifies a step of a crowd.
    fn compare_crowd(
        &mut self,
        parts: &[StepPart],
        first: &RecordedState,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        let Some(room) = self.plan.room.as_ref().map(|r| r.0) else {
            return Ok(());
        };
        // Feasibility: no overlaps.
        let (overlap, whose) = crowd::overlap(&room, &last.u);
        let size = self.size(&last.u);
        if self.plan.integrator() != "regularised" && self.plan.integrator() != "theta" {
            self.note("set", overlap / room.radius, whose.clone());
            let off = (overlap - self.step_row.penetration).abs() / room.radius;
            self.note("penetration", off, whose);
        }
        let plain = matches!(self.plan.method, Method::CatchingUp | Method::Trapezoidal);
        let [part] = *parts else {
            self.report.skip("people: steps that jumps or kinks divide");
            return Ok(());
        };
        if !plain {
            self.report
                .skip("people: the θ-version and the regularised flow");
            return Ok(());
        }
        self.report
            .skip("people: impulses are not recorded; that some exist is asked of the cone");
        let landing = self.projection_step(part, &first.u, &last.u)?;
        if self.skip_checks {
            return Ok(());
        }
        // Optimality: distance to the cone of each cluster.
        let (mut sum, mut all) = (0.0, true);
        for group in crowd::groups(&room, &first.u, &landing.z, &last.u) {
            let names = group.people.iter().map(|k| (k + 1).to_string());
            let names = names.collect::<Vec<_>>().join(", ");
            match group.off {
                Some(off) => {
                    sum += off * off;
                    self.note("cone", off / size, format!("people {names}"));
                }
                None => {
                    all = false;
                    self.report
                        .skip("people: groups with more than 160 contacts, but for their overlaps");
                }
            }
        }
        if all {
            self.compare_residual(f64::sqrt(sum), &last.u);
        }
        let stretch = self.stretch(part, &first.u, &last.u, landing.drift);
        self.sum(&[stretch])
    }
}
