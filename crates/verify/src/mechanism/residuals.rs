//! Residual RV of the laws of a step of a mechanism, statuses, and missing contacts.

use percuss_contact::Law;
use percuss_scene::model::mechanism::{
    ConstraintKind, ForceEvaluation, ImpactLaw, Scheme, StateRef, System, SystemError,
};

use super::super::defects::{Defect, Defects};
use super::super::laws::Rule;
use super::super::report::beyond;
use super::super::status::status_defect;
use super::dense::{dot, energy, solve};
use super::rules::rules;
use super::step::{Step, size};
use super::{ConstraintRow, MechanismVerifier};

/// A velocity is known to this share of the absolute values of its terms.
pub(super) const ROUNDING: f64 = 1e-14;

/// Velocities below this share of the speed of the largest energy so far count as rest: a body that friction has stopped
/// keeps 1e-35 m/s or so, of which nothing is known.
const REST: f64 = 1e-16;

/// Share to which the impulse of a separate impact is known.
const IMPACT: f64 = 1e-10;

impl MechanismVerifier<'_> {
    /// Sum of the absolute values of the terms of each velocity of the step.
    pub(super) fn sizes(&self, step: &Step) -> Vec<f64> {
        let n = step.begin.len();
        let mut terms: Vec<f64> = step.force.iter().map(|k| k.abs()).collect();
        for (touch, (g, _)) in self.constraint_rows.iter().zip(&step.rows) {
            for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                let both = terms.iter_mut().zip(g);
                both.for_each(|(sum, g)| *sum += (s * g).abs());
            }
        }
        let mut sizes: Vec<f64> = (0..n)
            .map(|i| step.begin[i].abs() + step.velocity_before_projection[i].abs())
            .collect();
        // |A⁻¹| applied to the terms, column by column.
        for (j, term) in terms.iter().enumerate() {
            let mut unit = vec![0.0; n];
            unit[j] = *term;
            let column = solve(&step.mass, &unit).unwrap_or_else(|| vec![f64::NAN; n]);
            let both = sizes.iter_mut().zip(column);
            both.for_each(|(size, c)| *size += c.abs());
        }
        sizes
    }

    /// Weight of U_I in each row of a constraint: the restitution coefficient, or that of the scheme for bilateral
    /// rows.
    pub(super) fn restitution_weights(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        common: Option<f64>,
    ) -> Result<Vec<f64>, SystemError> {
        let known = &self.system.constraints()[constraint];
        let (kind, rows) = (known.kind, known.rows);
        let bilateral = match self.settings.scheme {
            Scheme::Midpoint | Scheme::Projected | Scheme::Event => 1.0,
            Scheme::Theta(theta) => (1.0 - theta) / theta,
            Scheme::Paoli => 0.0,
        };
        let rebounds = !self.settings.impact.is_separate();
        let restitution = self.system.restitution(constraint, at)?;
        let weight = |row: usize| match kind {
            ConstraintKind::Contact if !rebounds => 0.0,
            ConstraintKind::Contact if row == 0 => common.unwrap_or(restitution.normal),
            ConstraintKind::Contact => restitution.tangential,
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => bilateral,
            ConstraintKind::FrictionJoint { normal_rows } if row < normal_rows => bilateral,
            ConstraintKind::FrictionJoint { .. } | ConstraintKind::NonFirm => 0.0,
        };
        Ok((0..rows).map(weight).collect())
    }

    /// The common ρ of the contact rows that carry impulses.
    pub(super) fn contact_rho(
        &mut self,
        step: &Step,
        common: Option<f64>,
    ) -> Result<Option<f64>, SystemError> {
        let mut known = None;
        for k in 0..self.constraint_rows.len() {
            let constraint = self.constraint_rows[k].constraint;
            if !self.system.constraints()[constraint].is_contact() {
                continue;
            }
            let weights = self.weights_of_scheme(step, k, common)?;
            for (s, rho) in self.constraint_rows[k].impulse.iter().zip(weights) {
                if *s != 0.0 && known.is_some_and(|known| known != rho) {
                    return Ok(None);
                }
                if *s != 0.0 {
                    known = Some(rho);
                }
            }
        }
        Ok(known)
    }

    /// Weight of U_I in each row of an active constraint: bilateral rows may have that of the contacts where these
    /// would otherwise gain energy.
    pub(super) fn weights_of(
        &mut self,
        step: &Step,
        k: usize,
        (common, beside): (Option<f64>, Option<f64>),
    ) -> Result<Vec<f64>, SystemError> {
        let constraint = self.constraint_rows[k].constraint;
        let mut weights = self.weights_of_scheme(step, k, common)?;
        let held = match self.system.constraints()[constraint].kind {
            ConstraintKind::Joint | ConstraintKind::Nonholonomic => weights.len(),
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            ConstraintKind::Contact | ConstraintKind::NonFirm => 0,
        };
        let (Some(rho), touch) = (beside, &self.constraint_rows[k]) else {
            return Ok(weights);
        };
        let both = || touch.begin.iter().zip(&touch.end).take(held);
        let off = |rho: f64| {
            both()
                .map(|(u, v)| (v + rho * u) * (v + rho * u))
                .sum::<f64>()
        };
        if held > 0 && off(rho) < off(weights[0]) {
            weights[..held].fill(rho);
        }
        Ok(weights)
    }

    /// Compares the laws of the step; of a step with a separate impact, those of what is left after it.
    pub(super) fn compare_laws(&mut self, step: &Step) -> Result<(), SystemError> {
        if self.constraint_rows.is_empty() {
            return Ok(());
        }
        if !self.struck() {
            return self.compare_step_laws(step);
        }
        // Forces that depend on velocity are taken after the impact.
        let mean = self.settings.force_evaluation != ForceEvaluation::Begin;
        if mean && self.follows_velocity(step) {
            return Ok(());
        }
        let Some(own) = self.own_impact(step)? else {
            return Ok(());
        };
        let mut after = step.clone();
        after.begin = own.velocity;
        let rows = self.constraint_rows.clone();
        for (row, own) in self.constraint_rows.iter_mut().zip(&own.impulse) {
            for (s, own) in row.impulse.iter_mut().zip(own) {
                // Both integrations know an impulse to 1e-11 or so of its size.
                let known = IMPACT * own.abs();
                *s = if (*s - own).abs() <= known {
                    0.0
                } else {
                    *s - own
                };
            }
        }
        let compared = self.compare_step_laws(&after);
        self.constraint_rows = rows;
        compared
    }

    fn compare_step_laws(&mut self, step: &Step) -> Result<(), SystemError> {
        let n = step.begin.len();
        let mut common = None;
        if self.settings.impact == ImpactLaw::Canonical {
            common = self.system.canonical_restitution(step.at_contacts())?;
        }
        // Free velocity v_L = v_I + h A⁻¹ K.
        let forced = solve(&step.mass, &step.force).unwrap_or_else(|| vec![f64::NAN; n]);
        let free: Vec<f64> = (0..n).map(|i| step.begin[i] + forced[i]).collect();
        let sizes = self.sizes(step);
        let (mut defects, mut judged) = (Defects::default(), Vec::new());
        let beside = self.contact_rho(step, common)?;
        let mut blocks = Vec::new();
        for k in 0..self.constraint_rows.len() {
            let touch = self.constraint_rows[k].clone();
            let weights = self.weights_of(step, k, (common, beside))?;
            // Velocities, scaling and law of the constraint.
            let mut block = ConstraintBlock::of(step, k, (&weights, &free, &sizes));
            let kappa = block.u.len() as f64 / block.trace;
            let previous = self.previous[touch.constraint];
            let status = previous.unwrap_or(percuss_contact::law::Status::Open);
            if self.acts_not(k) {
                continue;
            }
            let is_contact = self.system.constraints()[touch.constraint].is_contact();
            let law = self.law_of_step(touch.constraint, step.at(k), step.h, status)?;
            // Paoli's scheme: velocity of least kinetic energy.
            if self.settings.scheme == Scheme::Paoli
                && let Some(lean) =
                    self.least_energy_shift(step, k, &law, (&touch.impulse, &block.u))
            {
                (block.u[1], block.u[2]) = (block.u[1] + lean[0], block.u[2] + lean[1]);
            }
            let Some((f, widest, rule)) =
                block.least(&law, kappa, &touch.impulse, previous.is_some())
            else {
                self.report.skip(
                    "non-firm constraints whose set is a sum with a polytope or an ellipsoid in more than two rows: \
                     their law is not recomputed",
                );
                continue;
            };
            let stake = rule.speed_at_stake(&block.b);
            let rest = REST * (2.0 * self.peak * block.trace).sqrt();
            defects.push(Defect {
                bodies: vec![0],
                rows: f.len(),
                kappa,
                left: dot(&f, &f).sqrt(),
                free: stake,
                rounding: ROUNDING * widest * block.terms + rest,
            });
            judged.push(touch.constraint);
            if is_contact {
                blocks.push((judged.len() - 1, touch, block, kappa, rule));
            }
        }
        // The residual RV decides whether a step met its tolerance: evaluated here for the laws, and by
        // `meets_tolerance` for the recorded figures. All constraints share the coordinates, so that they are one
        // component.
        let own = (2.0 * energy(&step.mass, &free)).sqrt();
        let verdict = defects.residual(|_| own, true);
        let tolerance = self.settings.tolerance.max(verdict.residual);
        self.compare_statuses(&blocks, &verdict.speed, tolerance);
        if self.step_row.reached {
            let worst = judged.get(verdict.worst).copied();
            let place = self.place(worst.map_or_else(String::new, |c| self.name(c)));
            let left = beyond(verdict.residual, verdict.rounding);
            let share = left / self.settings.tolerance;
            self.report.add_comparison("laws", share, || place);
        }
        Ok(())
    }

    /// The law of a constraint in the step; thresholds that see reactions from the recorded ones.
    fn law_of_step(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        status: percuss_contact::law::Status,
    ) -> Result<Law, SystemError> {
        if self.system.seen_reactions(constraint).is_empty() {
            return self.system.law(constraint, at, h, status);
        }
        // Forces of all rows: recorded impulses over h.
        let mut first = vec![0];
        for known in self.system.constraints() {
            first.push(first[first.len() - 1] + known.rows);
        }
        let mut forces = vec![0.0; first[first.len() - 1]];
        for touch in &self.constraint_rows {
            for (row, s) in touch.impulse.iter().enumerate() {
                forces[first[touch.constraint] + row] = s / h;
            }
        }
        self.system
            .law_under_reactions(constraint, at, h, status, &forces)
    }

    /// Whether a conditional constraint does not act: it has no impulse, and neither has its contact.
    fn acts_not(&self, k: usize) -> bool {
        let touch = &self.constraint_rows[k];
        let Some(contact) = self.system.constraints()[touch.constraint].while_closed else {
            return false;
        };
        let pressed = self
            .constraint_rows
            .iter()
            .find(|other| other.constraint == contact);
        let pressed = pressed.is_some_and(|other| other.impulse.first().is_some_and(|s| *s != 0.0));
        !pressed && touch.impulse.iter().all(|s| *s == 0.0)
    }

    /// Recorded statuses against impulses and velocities.
    fn compare_statuses(
        &mut self,
        blocks: &[(usize, ConstraintRow, ConstraintBlock, f64, Rule)],
        speed: &[f64],
        tolerance: f64,
    ) {
        for (k, touch, block, kappa, rule) in blocks {
            let allowed = tolerance * speed[*k] * kappa.sqrt();
            let status = match touch.status {
                // Also recorded for contacts that carry an impulse and do not rebound: not compared.
                Some(percuss_contact::law::Status::Open) => continue,
                Some(percuss_contact::law::Status::Stick) => 1,
                Some(percuss_contact::law::Status::Slip) => 2,
                _ => 3,
            };
            let three = (&touch.impulse[..], &block.u[..], &block.b[..]);
            let off = status_defect(status, three, *kappa, rule, allowed);
            let place = self.place(self.name(touch.constraint));
            self.report.add_comparison("status", off, || place);
        }
    }

    /// Missing contacts: closed at the evaluation point of the step, and without a row.
    pub(super) fn compare_missing_contacts(&mut self, step: &Step) -> Result<(), SystemError> {
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        let (t, q) = &step.contacts;
        self.system.gaps(*t, q, &mut gaps)?;
        let scale = 1.0 + size(q);
        for i in 0..self.first_gap.len() - 1 {
            // Conditional constraints take part exactly where their contact does.
            if let Some(condition) = self.system.constraints()[i].while_closed {
                let has = |c: usize| {
                    self.constraint_rows
                        .iter()
                        .any(|touch| touch.constraint == c)
                };
                let off = f64::from(u8::from(has(i) != has(condition)));
                let place = self.place(self.name(i));
                self.report.add_comparison("overlooked", off, || place);
                continue;
            }
            let contact = self.system.constraints()[i].is_contact();
            if !contact
                || self
                    .constraint_rows
                    .iter()
                    .any(|touch| touch.constraint == i)
            {
                continue;
            }
            let closed = gaps[self.first_gap[i]] < -1e-12 * scale;
            let place = self.place(self.name(i));
            self.report
                .add_comparison("overlooked", f64::from(u8::from(closed)), || place);
        }
        Ok(())
    }
}

/// Velocities and scaling of one constraint.
pub(super) struct ConstraintBlock {
    /// Ū and b = Ū without impulses.
    pub(super) u: Vec<f64>,
    pub(super) b: Vec<f64>,
    /// Trace of the Delassus block H.
    pub(super) trace: f64,
    /// Sum of the absolute values of the terms of the velocities.
    pub(super) terms: f64,
}

impl ConstraintBlock {
    fn of(step: &Step, k: usize, (weights, free, sizes): (&[f64], &Vec<f64>, &[f64])) -> Self {
        let n = step.begin.len();
        let (g, w) = &step.rows[k];
        let rebound: Vec<f64> = (0..w.len())
            .map(|row| weights[row] * (w[row] + dot(&g[row * n..(row + 1) * n], &step.begin)))
            .collect();
        let ends = [&step.velocity_before_projection[..], free];
        Self::of_rows(&step.mass, &step.rows[k], &rebound, ends, sizes)
    }

    /// The block of rows G, W with the velocity and the free velocity `ends`, to which `rebound` = ρ U_I is added.
    pub(super) fn of_rows(
        mass: &[f64],
        (g, w): &(Vec<f64>, Vec<f64>),
        rebound: &[f64],
        ends: [&[f64]; 2],
        sizes: &[f64],
    ) -> Self {
        let n = sizes.len();
        let mut block = Self {
            u: Vec::new(),
            b: Vec::new(),
            trace: 0.0,
            terms: 0.0,
        };
        for (row, rebound) in rebound.iter().enumerate() {
            let g = &g[row * n..(row + 1) * n];
            let with = |v: &[f64]| -> f64 { g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum() };
            let [with_impulses, free] = ends.map(|v| w[row] + dot(g, v));
            // Ū = U + ρ U_I, and the trace of G A⁻¹ Gᵀ.
            block.u.push(with_impulses + rebound);
            block.b.push(free + rebound);
            block.terms += w[row].abs() + with(sizes);
            if let Some(back) = solve(mass, g) {
                block.trace += dot(&back, g);
            }
        }
        block
    }

    /// F of the rule with the smallest defect, the largest amplification of all rules, and the rule.
    pub(super) fn least(
        &self,
        law: &Law,
        kappa: f64,
        s: &[f64],
        known: bool,
    ) -> Option<(Vec<f64>, f64, Rule)> {
        let mut widest = 1.0_f64;
        let mut least: Option<(f64, Vec<f64>, Rule)> = None;
        for rule in rules(law, s.len(), known) {
            let mut f = vec![0.0; s.len()];
            rule.natural(kappa, s, &self.u, &mut f);
            widest = widest.max(rule.widest());
            let left = dot(&f, &f);
            if least.as_ref().is_none_or(|(known, _, _)| left < *known) {
                least = Some((left, f, rule));
            }
        }
        least.map(|(_, f, rule)| (f, widest, rule))
    }
}
