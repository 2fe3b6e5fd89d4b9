//! The laws of a step of a mechanism.

use mechanism::{ImpactLaw, Instant, Kind, Scheme, System, SystemError};

use super::super::laws::Sums;
use super::Walk;
use super::dense::{dot, solve};
use super::law::rules;
use super::step::{Step, size};

/// Velocities below this share of the terms they are made of are rest: the engine measures residuals
/// against it.
const FLOOR: f64 = 1e-5;

/// A velocity is known to this share of the terms it is made of.
const ROUNDING: f64 = 1e-14;

impl Walk<'_> {
    /// Sum of the sizes of the terms that each velocity of the step is made of.
    pub(super) fn sizes(&self, step: &Step) -> Vec<f64> {
        let n = step.begin.len();
        let mut terms: Vec<f64> = step.force.iter().map(|k| k.abs()).collect();
        for (touch, (g, _)) in self.touches.iter().zip(&step.rows) {
            for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                let both = terms.iter_mut().zip(g);
                both.for_each(|(sum, g)| *sum += (s * g).abs());
            }
        }
        let mut sizes: Vec<f64> = (0..n)
            .map(|i| step.begin[i].abs() + step.loose[i].abs())
            .collect();
        for (j, term) in terms.iter().enumerate() {
            let mut unit = vec![0.0; n];
            unit[j] = *term;
            let column = solve(&step.mass, &unit).unwrap_or_else(|| vec![f64::NAN; n]);
            let both = sizes.iter_mut().zip(column);
            both.for_each(|(size, c)| *size += c.abs());
        }
        sizes
    }

    /// Weight of U_I in each row of a constraint.
    fn weights(
        &mut self,
        constraint: usize,
        at: Instant<'_>,
        common: Option<f64>,
    ) -> Result<Vec<f64>, SystemError> {
        let known = &self.system.constraints()[constraint];
        let (kind, rows) = (known.kind, known.rows);
        let bilateral = match self.settings.scheme {
            Scheme::Midpoint | Scheme::Event => 1.0,
            Scheme::Theta(theta) => (1.0 - theta) / theta,
            Scheme::Paoli => 0.0,
        };
        let rebounds = matches!(
            self.settings.impact,
            ImpactLaw::Moreau | ImpactLaw::Canonical
        );
        let restitution = self.system.restitution(constraint, at)?;
        let weight = |row: usize| match kind {
            Kind::Contact if !rebounds => 0.0,
            Kind::Contact if row == 0 => common.unwrap_or(restitution.normal),
            Kind::Contact => restitution.tangential,
            Kind::Joint | Kind::Velocity => bilateral,
            Kind::FrictionJoint { normal_rows } if row < normal_rows => bilateral,
            Kind::FrictionJoint { .. } | Kind::NonFirm => 0.0,
        };
        Ok((0..rows).map(weight).collect())
    }

    /// The laws of the step.
    pub(super) fn judge(&mut self, step: &Step) -> Result<(), SystemError> {
        if self.struck() || self.touches.is_empty() {
            return Ok(());
        }
        let n = step.begin.len();
        let at = Instant {
            t: step.t,
            q: &step.q,
            v: &step.begin,
        };
        let mut common = None;
        if self.settings.impact == ImpactLaw::Canonical {
            common = self.system.canonical_restitution(at)?;
        }
        let forced = solve(&step.mass, &step.force).unwrap_or_else(|| vec![f64::NAN; n]);
        let free: Vec<f64> = (0..n).map(|i| step.begin[i] + forced[i]).collect();
        let (mut sums, mut floor, mut worst) = (Sums::default(), 0.0, (0.0, 0));
        let (sizes, mut rounding) = (self.sizes(step), 0.0);
        for k in 0..self.touches.len() {
            let touch = self.touches[k].clone();
            let weights = self.weights(touch.constraint, at, common)?;
            let previous = self.previous[touch.constraint];
            let status = previous.unwrap_or(contact::law::Status::Open);
            let law = self.system.law(touch.constraint, at, step.h, status)?;
            let (g, w) = &step.rows[k];
            let d = w.len();
            let mut terms_of = 0.0;
            let (mut u, mut b, mut trace, mut own) = (vec![0.0; d], vec![0.0; d], 0.0, 0.0);
            for row in 0..d {
                let g = &g[row * n..(row + 1) * n];
                let rebound = weights[row] * (w[row] + dot(g, &step.begin));
                u[row] = w[row] + dot(g, &step.loose) + rebound;
                b[row] = w[row] + dot(g, &free) + rebound;
                let terms: f64 = g.iter().zip(&free).map(|(g, v)| (g * v).abs()).sum();
                own += (w[row].abs() + terms + rebound.abs()).powi(2);
                let Some(back) = solve(&step.mass, g) else {
                    continue;
                };
                trace += dot(&back, g);
                terms_of += w[row].abs();
                terms_of += g
                    .iter()
                    .zip(&sizes)
                    .map(|(g, v)| (g * v).abs())
                    .sum::<f64>();
            }
            let kappa = d as f64 / trace;
            floor += kappa * own;
            let mut widest = 1.0_f64;
            let mut least: Option<(f64, Vec<f64>)> = None;
            for rule in rules(&law, d, previous.is_some()) {
                let mut f = vec![0.0; d];
                rule.natural(kappa, &touch.impulse, &u, &mut f);
                widest = widest.max(rule.widest());
                let left = dot(&f, &f);
                if least.as_ref().is_none_or(|(known, _)| left < *known) {
                    least = Some((left, f));
                }
            }
            let Some((_, f)) = least else { continue };
            rounding += kappa * (ROUNDING * widest * terms_of).powi(2);
            let share = sums.add(kappa, &f, &touch.impulse, &u, &b);
            if share > worst.0 {
                worst = (share, touch.constraint);
            }
        }
        if self.account.reached {
            let scale = sums
                .scale()
                .max(FLOOR * FLOOR * floor)
                .max(f64::MIN_POSITIVE);
            let residual = sums.residual() * (sums.scale() / scale).sqrt();
            let place = self.place(self.name(worst.1));
            let left = (residual - (rounding / scale).sqrt()).max(0.0);
            let share = left / self.settings.tolerance;
            self.report.note("laws", share, || place);
        }
        Ok(())
    }

    /// Contacts that are closed where the step is taken and have no row.
    pub(super) fn overlooked(&mut self, step: &Step) -> Result<(), SystemError> {
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(step.t, &step.q, &mut gaps)?;
        let scale = 1.0 + size(&step.q);
        for i in 0..self.first_gap.len() - 1 {
            let contact = self.system.constraints()[i].is_contact();
            if !contact || self.touches.iter().any(|touch| touch.constraint == i) {
                continue;
            }
            let closed = gaps[self.first_gap[i]] < -1e-12 * scale;
            let place = self.place(self.name(i));
            self.report
                .note("overlooked", f64::from(u8::from(closed)), || place);
        }
        Ok(())
    }
}
