//! One time step of a mechanism.

use mechanism::{Forces, ImpactLaw, Instant, Kind, Scheme, System, SystemError};

use super::super::laws::Sums;
use super::dense::{dot, energy, solve};
use super::law::rules;
use super::{State, Walk, advance};

/// Iterations back to the beginning of a step.
const ROUNDS: usize = 80;

/// Velocities below this share of the terms they are made of are rest: the engine measures residuals
/// against it.
const FLOOR: f64 = 1e-5;

/// A step in numbers.
pub(super) struct Step {
    pub h: f64,
    /// Where A and G are taken.
    pub t: f64,
    pub q: Vec<f64>,
    pub begin: Vec<f64>,
    /// v before it is made tangent at the end.
    pub loose: Vec<f64>,
    pub mass: Vec<f64>,
    /// hK.
    pub force: Vec<f64>,
    /// G and W of every touch.
    pub rows: Vec<(Vec<f64>, Vec<f64>)>,
    /// The same at the end, where velocities are made tangent.
    pub holds: Vec<(Vec<f64>, Vec<f64>)>,
}

fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}

impl Walk<'_> {
    fn ahead(&self) -> f64 {
        match self.settings.scheme {
            Scheme::Theta(theta) => theta,
            Scheme::Paoli => 1.0,
            Scheme::Midpoint | Scheme::Event => 0.5,
        }
    }

    /// Whether positions are put right after a step.
    fn corrects(&self) -> bool {
        let joint = |kind: Kind| matches!(kind, Kind::Joint | Kind::FrictionJoint { .. });
        let constraints = self.system.constraints().iter();
        self.settings.correction || constraints.into_iter().any(|c| joint(c.kind))
    }

    fn rows_of(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
    ) -> Result<(Vec<f64>, Vec<f64>), SystemError> {
        let (rows, n) = (
            self.system.constraints()[constraint].rows,
            self.layout.velocities.len(),
        );
        let (mut g, mut w) = (vec![0.0; rows * n], vec![0.0; rows]);
        self.system.rows(constraint, t, q, &mut g, &mut w)?;
        Ok((g, w))
    }

    /// How far recorded velocities of a constraint are from G v + W, relative to its terms.
    pub(super) fn row_off(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        recorded: &[f64],
    ) -> Result<(f64, f64), SystemError> {
        let (g, w) = self.rows_of(constraint, t, q)?;
        Ok(row_off(&g, &w, v, recorded, 0.0))
    }

    /// One recorded step.
    pub(super) fn look(&mut self, before: Option<&State>, last: &State) -> Result<(), SystemError> {
        self.compare_place(last)?;
        if before.is_none() && self.corrects() {
            self.report.skip(
                "steps whose state before is not recorded, in systems whose positions are put right after \
                 a step: momentum, laws and works (record_every = 1 tells them)",
            );
            let kinetic = self.kinetic(last)?;
            return self.compare_energies(last, kinetic);
        }
        let step = self.unroll(before, last)?;
        if let Some(before) = before {
            self.compare_way(&step, before, last);
            self.compare_momentum(&step);
        }
        self.compare_velocities(&step);
        self.judge(&step)?;
        self.overlooked(&step)?;
        self.compare_works(&step, last)
    }

    /// hK of the step, with the velocities at its two ends.
    fn forces(
        &mut self,
        step: &Step,
        before: Option<&State>,
        last: &State,
    ) -> Result<Vec<f64>, SystemError> {
        let n = step.begin.len();
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        let h = step.h;
        match self.settings.scheme {
            Scheme::Theta(theta) => {
                let mean: Vec<f64> = (0..n)
                    .map(|i| theta * step.loose[i] + (1.0 - theta) * step.begin[i])
                    .collect();
                let chart = self.system.chart().clone();
                let first = match before {
                    Some(before) => before.q.clone(),
                    None => {
                        let mut q = last.q.clone();
                        advance(&chart, &mut q, &mean, -h);
                        q
                    }
                };
                let mut end = first.clone();
                advance(&chart, &mut end, &mean, h);
                self.system
                    .dynamics(last.t, &end, &step.loose, &mut mass, &mut force)?;
                let mut begin = vec![0.0; n];
                self.system
                    .dynamics(last.t - h, &first, &step.begin, &mut mass, &mut begin)?;
                for i in 0..n {
                    force[i] = theta * force[i] + (1.0 - theta) * begin[i];
                }
            }
            scheme => {
                let at_begin = scheme == Scheme::Paoli || self.settings.forces == Forces::Begin;
                let v: Vec<f64> = match at_begin {
                    true => step.begin.clone(),
                    false => (0..n)
                        .map(|i| 0.5 * (step.begin[i] + step.loose[i]))
                        .collect(),
                };
                self.system
                    .dynamics(step.t, &step.q, &v, &mut mass, &mut force)?;
            }
        }
        force.iter_mut().for_each(|k| *k *= h);
        Ok(force)
    }

    /// Place and beginning of a step.
    fn unroll(&mut self, before: Option<&State>, last: &State) -> Result<Step, SystemError> {
        let n = last.v.len();
        let (h, ahead) = (self.account.h, self.ahead());
        let chart = self.system.chart().clone();
        let mut step = Step {
            h,
            t: if ahead == 1.0 {
                last.t
            } else {
                last.t - (1.0 - ahead) * h
            },
            q: last.q.clone(),
            begin: before.map_or_else(|| last.v.clone(), |before| before.v.clone()),
            loose: last.v.clone(),
            mass: vec![0.0; n * n],
            force: vec![0.0; n],
            rows: Vec::new(),
            holds: Vec::new(),
        };
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            match (before, self.settings.scheme) {
                (Some(before), _) => {
                    step.q.clone_from(&before.q);
                    advance(&chart, &mut step.q, &before.v, ahead * h);
                }
                (None, Scheme::Paoli) => {}
                (None, Scheme::Theta(theta)) => {
                    let mean: Vec<f64> = (0..n)
                        .map(|i| theta * step.loose[i] + (1.0 - theta) * step.begin[i])
                        .collect();
                    step.q.clone_from(&last.q);
                    advance(&chart, &mut step.q, &mean, -h);
                    advance(&chart, &mut step.q, &step.begin, theta * h);
                }
                (None, _) => {
                    step.q.clone_from(&last.q);
                    advance(&chart, &mut step.q, &step.loose, -0.5 * h);
                }
            }
            let mut force = vec![0.0; n];
            self.system
                .dynamics(step.t, &step.q, &step.begin, &mut step.mass, &mut force)?;
            self.set_rows(&mut step, last)?;
            step.force = self.forces(&step, before, last)?;
            if before.is_some() {
                break;
            }
            let pushed = self.pushed(&step);
            let change = solve(&step.mass, &pushed).unwrap_or_else(|| vec![f64::NAN; n]);
            let wanted: Vec<f64> = (0..n).map(|i| step.loose[i] - change[i]).collect();
            let left = (0..n).fold(0.0_f64, |m, i| m.max((wanted[i] - step.begin[i]).abs()));
            let scale = size(&wanted).max(size(&step.loose)).max(f64::MIN_POSITIVE);
            step.begin = wanted;
            if left <= 1e-16 * scale || (left <= 1e-13 * scale && left >= 0.5 * least) {
                break;
            }
            least = least.min(left);
        }
        Ok(step)
    }

    /// G and W of the touches, and v before it was made tangent.
    fn set_rows(&mut self, step: &mut Step, last: &State) -> Result<(), SystemError> {
        let n = last.v.len();
        step.rows.clear();
        step.holds.clear();
        let mut given = vec![0.0; n];
        for k in 0..self.touches.len() {
            let (constraint, hold) = {
                let touch = &self.touches[k];
                (touch.constraint, touch.hold.clone())
            };
            let rows = self.rows_of(constraint, step.t, &step.q)?;
            step.rows.push(rows);
            let end = self.rows_of(constraint, last.t, &last.q)?;
            for (s, g) in hold.iter().zip(end.0.chunks(n.max(1))) {
                given.iter_mut().zip(g).for_each(|(sum, g)| *sum += s * g);
            }
            step.holds.push(end);
        }
        step.loose.clone_from(&last.v);
        if given.iter().any(|x| *x != 0.0)
            && let Some(change) = solve(&step.mass, &given)
        {
            step.loose
                .iter_mut()
                .zip(&change)
                .for_each(|(v, c)| *v -= c);
        }
        Ok(())
    }

    /// hK + Σ Gᵀ S.
    fn pushed(&self, step: &Step) -> Vec<f64> {
        let n = step.begin.len();
        let mut sum = step.force.clone();
        for (touch, (g, _)) in self.touches.iter().zip(&step.rows) {
            for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += s * g);
            }
        }
        sum
    }

    /// Whether an impact was treated before the step, by a law that is none on U_F + ρ U_I.
    fn struck(&self) -> bool {
        let apart = matches!(
            self.settings.impact,
            ImpactLaw::Sequential | ImpactLaw::Poisson
        );
        let contact = |c: usize| self.system.constraints()[c].is_contact();
        let mut all = self.touches.iter();
        apart && all.any(|t| contact(t.constraint) && t.begin[0] < -1e-12)
    }

    fn compare_way(&mut self, step: &Step, before: &State, last: &State) {
        if self.corrects() {
            return;
        }
        let chart = self.system.chart().clone();
        let mut q = step.q.clone();
        match self.settings.scheme {
            Scheme::Paoli => {}
            Scheme::Theta(theta) => {
                let n = step.begin.len();
                let mean: Vec<f64> = (0..n)
                    .map(|i| theta * step.loose[i] + (1.0 - theta) * step.begin[i])
                    .collect();
                q.clone_from(&before.q);
                advance(&chart, &mut q, &mean, step.h);
            }
            _ => advance(&chart, &mut q, &step.loose, 0.5 * step.h),
        }
        if self.struck() && self.settings.scheme != Scheme::Midpoint {
            return;
        }
        for (i, (a, b)) in q.iter().zip(&last.q).enumerate() {
            let scale = a
                .abs()
                .max(step.h * size(&step.loose))
                .max(f64::MIN_POSITIVE);
            let off = (a - b).abs() / scale;
            let place = self.place(format!("`{}`", self.layout.positions[i]));
            self.report.note("kinematics", off, || place);
        }
    }

    fn compare_momentum(&mut self, step: &Step) {
        let n = step.begin.len();
        if self.struck() && self.settings.forces == Forces::Mean {
            self.report.skip(
                "steps with an impact by the sequential or Poisson's law: forces that depend on velocity \
                 are taken after it, which the records do not hold; momentum and laws are not compared there",
            );
            return;
        }
        let change: Vec<f64> = (0..n).map(|i| step.loose[i] - step.begin[i]).collect();
        let pushed = self.pushed(step);
        // v is not known better than the contact problem was solved, and K follows it.
        let allowed = 20.0 * self.account.residual.min(self.settings.tolerance);
        for i in 0..n {
            let row = &step.mass[i * n..(i + 1) * n];
            let mut scale = step.force[i].abs();
            for j in 0..n {
                scale += (row[j] * step.loose[j]).abs() + (row[j] * step.begin[j]).abs();
            }
            for (touch, (g, _)) in self.touches.iter().zip(&step.rows) {
                for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                    scale += (s * g[i]).abs();
                }
            }
            let rest = (dot(row, &change) - pushed[i]).abs();
            let off = if rest == 0.0 { 0.0 } else { rest / scale };
            let place = self.place(format!("`{}`", self.layout.velocities[i]));
            self.report
                .note("momentum", (off - allowed).max(0.0), || place);
        }
    }

    fn compare_velocities(&mut self, step: &Step) {
        let n = step.begin.len();
        // What impulses and forces of the step add up to, as velocities.
        let mut terms = vec![0.0; n];
        for (touch, (g, _)) in self.touches.iter().zip(&step.rows) {
            for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                terms
                    .iter_mut()
                    .zip(g)
                    .for_each(|(sum, g)| *sum += (s * g).abs());
            }
        }
        let moved = solve(&step.mass, &terms).map_or(0.0, |v| size(&v));
        for k in 0..self.touches.len() {
            let touch = &self.touches[k];
            let (g, w) = &step.rows[k];
            let ends = [
                ("begin", row_off(g, w, &step.begin, &touch.begin, moved).0),
                ("end", row_off(g, w, &step.loose, &touch.end, moved).0),
            ];
            let constraint = touch.constraint;
            for (check, off) in ends {
                let place = self.place(self.name(constraint));
                self.report.note(check, off, || place);
            }
        }
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
    fn judge(&mut self, step: &Step) -> Result<(), SystemError> {
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
        for k in 0..self.touches.len() {
            let touch = self.touches[k].clone();
            let weights = self.weights(touch.constraint, at, common)?;
            let previous = self.previous[touch.constraint];
            let status = previous.unwrap_or(contact::law::Status::Open);
            let law = self.system.law(touch.constraint, at, step.h, status)?;
            let (g, w) = &step.rows[k];
            let d = w.len();
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
            }
            let kappa = d as f64 / trace;
            floor += kappa * own;
            let mut least: Option<(f64, Vec<f64>)> = None;
            for rule in rules(&law, d, previous.is_some()) {
                let mut f = vec![0.0; d];
                rule.natural(kappa, &touch.impulse, &u, &mut f);
                let left = dot(&f, &f);
                if least.as_ref().is_none_or(|(known, _)| left < *known) {
                    least = Some((left, f));
                }
            }
            let Some((_, f)) = least else { continue };
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
            let share = residual / self.settings.tolerance;
            self.report.note("laws", share, || place);
        }
        Ok(())
    }

    /// Contacts that are closed where the step is taken and have no row.
    fn overlooked(&mut self, step: &Step) -> Result<(), SystemError> {
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

    /// Gaps and joints at the end.
    pub(super) fn compare_place(&mut self, last: &State) -> Result<(), SystemError> {
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(last.t, &last.q, &mut gaps)?;
        let scale = 1.0 + size(&last.q);
        let (mut deep, mut drift) = (0.0_f64, 0.0_f64);
        for (i, constraint) in self.system.constraints().iter().enumerate() {
            for value in &gaps[self.first_gap[i]..self.first_gap[i + 1]] {
                match constraint.kind {
                    Kind::Contact => deep = deep.max(-value),
                    _ => drift = drift.max(value.abs()),
                }
            }
        }
        let mut found = vec![
            (
                "penetration of all contacts".to_string(),
                deep - self.account.penetration,
            ),
            (
                "drift of all joints".to_string(),
                drift - self.account.drift,
            ),
        ];
        for touch in &self.touches {
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
            self.report.note("gap", off.abs() / scale, || place);
        }
        Ok(())
    }

    fn kinetic(&mut self, state: &State) -> Result<f64, SystemError> {
        let n = state.v.len();
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        self.system
            .dynamics(state.t, &state.q, &state.v, &mut mass, &mut force)?;
        Ok(energy(&mass, &state.v))
    }

    /// Kinetic and potential energy at the end.
    pub(super) fn compare_energies(
        &mut self,
        last: &State,
        kinetic: f64,
    ) -> Result<(), SystemError> {
        let potential = self.system.potential(last.t, &last.q)?;
        let account = self.account;
        let scale = kinetic.abs().max(potential.abs()).max(f64::MIN_POSITIVE);
        let pairs = [
            ("kinetic", kinetic - account.kinetic),
            ("potential", potential - account.potential),
        ];
        for (what, off) in pairs {
            let place = self.place(what);
            self.report.note("energy", off.abs() / scale, || place);
        }
        Ok(())
    }

    /// The balance of the step with the works of the account.
    pub(super) fn compare_balance(&mut self, change: f64, sizes: &[f64]) {
        let works = self.account.works;
        let sum: f64 = works.iter().sum();
        let scale = works
            .iter()
            .chain(sizes)
            .fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let off = (change - sum).abs() / scale;
        let place = self.place("the account of the step");
        self.report.note("balance", off, || place);
    }

    fn compare_works(&mut self, step: &Step, last: &State) -> Result<(), SystemError> {
        let kinetic = self.kinetic(last)?;
        self.compare_energies(last, kinetic)?;
        let n = step.begin.len();
        let (first, end) = (energy(&step.mass, &step.begin), energy(&step.mass, &last.v));
        let forced = solve(&step.mass, &step.force).map_or(0.0, |v| 0.5 * dot(&v, &step.force));
        self.compare_balance(end - first, &[end, first, forced]);
        if self.struck() {
            return Ok(());
        }
        let mut own = [0.0; 4];
        own[0] = (0..n)
            .map(|i| step.force[i] * 0.5 * (step.begin[i] + step.loose[i]))
            .sum();
        let mut size = 0.0_f64;
        for k in 0..self.touches.len() {
            let touch = &self.touches[k];
            let contact = self.system.constraints()[touch.constraint].is_contact();
            let (g, w) = &step.rows[k];
            for (row, s) in touch.impulse.iter().enumerate() {
                let g = &g[row * n..(row + 1) * n];
                let mean = w[row] + 0.5 * (dot(g, &step.begin) + dot(g, &step.loose));
                own[if contact && row > 0 { 2 } else { 1 }] += s * mean;
                own[3] -= s * w[row];
                size = size.max((s * mean).abs());
            }
            let (g, w) = &step.holds[k];
            for (row, s) in touch.hold.iter().enumerate() {
                let g = &g[row * n..(row + 1) * n];
                own[1] += s * (w[row] + 0.5 * (dot(g, &step.loose) + dot(g, &last.v)));
                own[3] -= s * w[row];
            }
        }
        let scale = own
            .iter()
            .fold(size.max(end).max(first).max(forced), |m, x| m.max(x.abs()));
        let scale = scale.max(f64::MIN_POSITIVE);
        for (k, what) in ["work", "impact", "sliding", "boundary"].iter().enumerate() {
            let off = (own[k] - self.account.works[k]).abs() / scale;
            let place = self.place(*what);
            self.report.note("energy", off, || place);
        }
        Ok(())
    }
}

/// Largest disagreement of recorded velocities with G v + W relative to the terms, and their size.
fn row_off(g: &[f64], w: &[f64], v: &[f64], recorded: &[f64], moved: f64) -> (f64, f64) {
    let n = v.len();
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for (row, recorded) in recorded.iter().enumerate() {
        let g = &g[row * n..(row + 1) * n];
        let terms: f64 = g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum();
        let scale = w[row].abs() + terms + size(g) * moved;
        let off = (w[row] + dot(g, v) - recorded).abs();
        let off = if off == 0.0 {
            0.0
        } else {
            off / scale.max(f64::MIN_POSITIVE)
        };
        worst = if off.is_nan() {
            f64::INFINITY
        } else {
            worst.max(off)
        };
        largest = largest.max(scale);
    }
    (worst, largest)
}
