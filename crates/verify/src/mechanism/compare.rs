//! Kinematics, momentum, velocities, gaps and energies of a step of a mechanism.

use percuss_scene::model::mechanism::{
    ConstraintKind, ForceEvaluation, Scheme, System, SystemError,
};

use super::super::report::beyond;
use super::dense::{dot, energy, solve};
use super::step::{Step, row_off, size};
use super::{MechanismVerifier, RecordedState, advance};

/// A contact is at rest if a step changes its penetration by no more than this share.
const AT_REST: f64 = 0.1;

impl MechanismVerifier<'_> {
    /// Positions at the end of the step without a position correction.
    pub(super) fn uncorrected_end(&self, step: &Step, before: &RecordedState) -> Vec<f64> {
        let chart = self.system.configuration_space().clone();
        let mut q = step.q.clone();
        match self.settings.scheme {
            Scheme::Paoli => {}
            Scheme::Theta(theta) => {
                let n = step.begin.len();
                let mean: Vec<f64> = (0..n)
                    .map(|i| {
                        theta * step.velocity_before_projection[i] + (1.0 - theta) * step.begin[i]
                    })
                    .collect();
                q.clone_from(&before.q);
                advance(&chart, &mut q, &mean, step.h);
            }
            _ => advance(
                &chart,
                &mut q,
                &step.velocity_before_projection,
                0.5 * step.h,
            ),
        }
        q
    }

    pub(super) fn compare_kinematics(
        &mut self,
        step: &Step,
        before: &RecordedState,
        last: &RecordedState,
    ) {
        if self.corrects_this() {
            return;
        }
        let q = self.uncorrected_end(step, before);
        // A separate impact changes v_I, which the record does not have.
        if self.struck() && self.settings.scheme != Scheme::Midpoint {
            return;
        }
        for (i, (a, b)) in q.iter().zip(&last.q).enumerate() {
            let scale = a
                .abs()
                .max(step.h * size(&step.velocity_before_projection))
                .max(f64::MIN_POSITIVE);
            let off = (a - b).abs() / scale;
            let place = self.place(format!("`{}`", self.layout.positions[i]));
            self.report.add_comparison("kinematics", off, || place);
        }
    }

    /// A coordinate, and the constraints whose impulses act on it.
    fn acting_on(&self, step: &Step, i: usize) -> String {
        let n = step.begin.len();
        let touches = self.constraint_rows.iter().zip(&step.rows);
        // Constraints with an impulse and a nonzero entry in this coordinate.
        let acts = touches.filter(|(touch, (g, _))| {
            let mut rows = touch.impulse.iter().zip(g.chunks(n.max(1)));
            rows.any(|(s, g)| *s != 0.0 && g[i] != 0.0)
        });
        let names: Vec<String> = acts.map(|(touch, _)| self.name(touch.constraint)).collect();
        let own = format!("`{}`", self.layout.velocities[i]);
        match names.is_empty() {
            true => own,
            false => format!("{own}, moved by {}", names.join(", ")),
        }
    }

    /// Whether the forces depend on velocity: they differ between both ends of the step.
    pub(super) fn follows_velocity(&mut self, step: &Step) -> bool {
        let n = step.begin.len();
        let mut mass = vec![0.0; n * n];
        let mut ends = [vec![0.0; n], vec![0.0; n]];
        for (force, v) in ends
            .iter_mut()
            .zip([&step.begin, &step.velocity_before_projection])
        {
            let found = self.system.dynamics(step.t, &step.q, v, &mut mass, force);
            if found.is_err() {
                return true;
            }
        }
        ends[0] != ends[1]
    }

    pub(super) fn compare_momentum(&mut self, step: &Step) {
        let n = step.begin.len();
        if self.struck()
            && self.settings.force_evaluation != ForceEvaluation::Begin
            && self.follows_velocity(step)
        {
            self.report.skip(
                "steps with an impact that is resolved apart: forces that depend on velocity are \
                 taken after it, which the records do not hold; momentum is not compared there",
            );
            return;
        }
        let change: Vec<f64> = (0..n)
            .map(|i| step.velocity_before_projection[i] - step.begin[i])
            .collect();
        // Balance A(v − v_I) = hK + Σ Gᵀ S, coordinate by coordinate.
        let pushed = self.total_impulse(step);
        // v is as accurate as the solution of the contact problem, and K depends on it.
        let allowed = 20.0 * self.step_row.residual.min(self.settings.tolerance);
        for i in 0..n {
            let row = &step.mass[i * n..(i + 1) * n];
            // Scale: sum of the absolute values of all terms.
            let mut scale = step.force[i].abs();
            for j in 0..n {
                scale += (row[j] * step.velocity_before_projection[j]).abs()
                    + (row[j] * step.begin[j]).abs();
            }
            for (touch, (g, _)) in self.constraint_rows.iter().zip(&step.rows) {
                for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                    scale += (s * g[i]).abs();
                }
            }
            // Terms that have almost vanished are known to the rounding of their earlier size.
            self.momentum = self.momentum.max(scale);
            let scale = scale.max(1e-6 * self.momentum);
            let rest = (dot(row, &change) - pushed[i]).abs();
            let off = if rest == 0.0 { 0.0 } else { rest / scale };
            let place = self.place(self.acting_on(step, i));
            self.report
                .add_comparison("momentum", beyond(off, allowed), || place);
        }
    }

    pub(super) fn compare_velocities(&mut self, step: &Step) {
        let sizes = self.sizes(step);
        for k in 0..self.constraint_rows.len() {
            let touch = &self.constraint_rows[k];
            let (g, w) = &step.rows[k];
            let ends = [
                ("begin", row_off(g, w, &step.begin, &touch.begin, &sizes).0),
                (
                    "end",
                    row_off(g, w, &step.velocity_before_projection, &touch.end, &sizes).0,
                ),
            ];
            let constraint = touch.constraint;
            for (check, off) in ends {
                let place = self.place(self.name(constraint));
                self.report.add_comparison(check, off, || place);
            }
        }
    }

    /// Gaps and joint drift at the end.
    pub(super) fn compare_gaps(&mut self, last: &RecordedState) -> Result<(), SystemError> {
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(last.t, &last.q, &mut gaps)?;
        let scale = 1.0 + size(&last.q);
        // Largest penetration and joint drift over all constraints.
        let (mut deep, mut drift) = (0.0_f64, 0.0_f64);
        for (i, constraint) in self.system.constraints().iter().enumerate() {
            for value in &gaps[self.first_gap[i]..self.first_gap[i + 1]] {
                match constraint.kind {
                    ConstraintKind::Contact => deep = deep.max(-value),
                    _ => drift = drift.max(value.abs()),
                }
            }
        }
        let mut found = vec![
            (
                "penetration of all contacts".to_string(),
                deep - self.step_row.penetration,
            ),
            (
                "penetration of contacts at rest".to_string(),
                self.deepest_at_rest() - self.step_row.resting,
            ),
            (
                "drift of all joints".to_string(),
                drift - self.step_row.drift,
            ),
        ];
        // Recorded gap of each active constraint.
        for touch in &self.constraint_rows {
            let (first, next) = (
                self.first_gap[touch.constraint],
                self.first_gap[touch.constraint + 1],
            );
            if next > first {
                found.push((self.name(touch.constraint), gaps[first] - touch.gap));
            }
        }
        for (what, off) in found {
            let place = self.place(what);
            self.report
                .add_comparison("gap", off.abs() / scale, || place);
        }
        Ok(())
    }

    /// The largest penetration of a recorded contact at rest; the event-driven integrator allows none.
    fn deepest_at_rest(&self) -> f64 {
        if self.settings.scheme == Scheme::Event {
            return 0.0;
        }
        let mut deepest = 0.0_f64;
        for touch in &self.constraint_rows {
            let contact =
                self.system.constraints()[touch.constraint].kind == ConstraintKind::Contact;
            let (depth, speed) = (-touch.gap, touch.begin[0].abs().max(touch.end[0].abs()));
            if contact && touch.impulse[0] != 0.0 && self.step_row.h * speed <= AT_REST * depth {
                deepest = deepest.max(depth);
            }
        }
        deepest
    }

    pub(super) fn kinetic(&mut self, state: &RecordedState) -> Result<f64, SystemError> {
        let n = state.v.len();
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        self.system
            .dynamics(state.t, &state.q, &state.v, &mut mass, &mut force)?;
        Ok(energy(&mass, &state.v))
    }

    /// Kinetic and potential energy at the end.
    pub(super) fn compare_energies(
        &mut self,
        last: &RecordedState,
        kinetic: f64,
    ) -> Result<(), SystemError> {
        let potential = self.system.potential(last.t, &last.q)?;
        let account = self.step_row;
        let scale = kinetic.abs().max(potential.abs()).max(f64::MIN_POSITIVE);
        let pairs = [
            ("kinetic", kinetic - account.kinetic),
            ("potential", potential - account.potential),
        ];
        for (what, off) in pairs {
            let place = self.place(what);
            self.report
                .add_comparison("energy", off.abs() / scale, || place);
        }
        Ok(())
    }

    /// The energy balance of the step with the recorded works.
    pub(super) fn compare_balance(&mut self, change: f64, sizes: &[f64]) {
        let works = self.step_row.works;
        let sum: f64 = works.iter().sum();
        let scale = works
            .iter()
            .chain(sizes)
            .fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let off = (change - sum).abs() / scale;
        let place = self.place("the account of the step");
        self.report.add_comparison("balance", off, || place);
    }

    /// The first row whose work counts as sliding: friction of contacts, of joints and of non-firm constraints.
    pub(super) fn first_tangent(&self, constraint: usize) -> usize {
        match self.system.constraints()[constraint].kind {
            ConstraintKind::Contact => 1,
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            ConstraintKind::NonFirm => 0,
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => usize::MAX,
        }
    }

    pub(super) fn compare_works(
        &mut self,
        step: &Step,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        let kinetic = self.kinetic(last)?;
        // Energies and balance; the works only where no separate impact preceded the step.
        self.compare_energies(last, kinetic)?;
        let n = step.begin.len();
        let (first, end) = (energy(&step.mass, &step.begin), energy(&step.mass, &last.v));
        let forced = solve(&step.mass, &step.force).map_or(0.0, |v| 0.5 * dot(&v, &step.force));
        self.compare_balance(end - first, &[end, first, forced]);
        if self.struck() {
            return Ok(());
        }
        // Works of forces, impact, sliding and boundary by the mean of the velocities at both ends.
        let mut own = [0.0; 4];
        own[0] = (0..n)
            .map(|i| step.force[i] * 0.5 * (step.begin[i] + step.velocity_before_projection[i]))
            .sum();
        let mut size = 0.0_f64;
        for k in 0..self.constraint_rows.len() {
            let touch = &self.constraint_rows[k];
            let first_tangent = self.first_tangent(touch.constraint);
            let (g, w) = &step.rows[k];
            for (row, s) in touch.impulse.iter().enumerate() {
                let g = &g[row * n..(row + 1) * n];
                let mean =
                    w[row] + 0.5 * (dot(g, &step.begin) + dot(g, &step.velocity_before_projection));
                own[if row >= first_tangent { 2 } else { 1 }] += s * mean;
                own[3] -= s * w[row];
                size = size.max((s * mean).abs());
            }
            // Work of the velocity projection at the end.
            let (g, w) = &step.holds[k];
            for (row, s) in touch.end_impulse.iter().enumerate() {
                let g = &g[row * n..(row + 1) * n];
                let mean =
                    w[row] + 0.5 * (dot(g, &step.velocity_before_projection) + dot(g, &last.v));
                own[if row >= first_tangent { 2 } else { 1 }] += s * mean;
                own[3] -= s * w[row];
                size = size.max((s * mean).abs());
            }
        }
        let scale = own
            .iter()
            .fold(size.max(end).max(first).max(forced), |m, x| m.max(x.abs()));
        let scale = scale.max(f64::MIN_POSITIVE);
        for (k, what) in ["work", "impact", "sliding", "boundary"].iter().enumerate() {
            let off = (own[k] - self.step_row.works[k]).abs() / scale;
            let place = self.place(*what);
            self.report.add_comparison("energy", off, || place);
        }
        Ok(())
    }
}
