//! Persistent contacts of the scheme `projected`: closed at q_F, and within their law there.
//!
//! ```text
//! at q_M:          law(U + U_I, S)            of contacts that persist from the step before
//! at q_I + h v_I:  law(U + eU_I, S)           of all others
//! at q_F:          g(q_F) ≥ 0,                = 0 where the contact persists into the next step
//!                  q_F − q* ∈ span A⁻¹Gᵀ      q* the end of the step before that correction
//!                  law(U_F, S + s)            U_F = G_F v_F + W, s the impulses of the velocity projection; of contacts that
//!                                             slide on with U_F,t + U_t at the beginning of the step
//! ```
//!
//! A contact persists that has impulses s and of them and S a positive normal one. Where that is not recorded, and where
//! persistent contacts beside impacts would have gained energy, ρ is the one of both that the step agrees with.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_scene::model::mechanism::{
    ConfigurationSpace, ConstraintKind, Coordinate, Scheme, StateRef, System, SystemError,
};

use super::super::defects::{Defect, Defects};
use super::super::laws::Rule;
use super::super::report::{Report, beyond};
use super::super::vector;
use super::dense::{dot, energy, solve};
use super::residuals::{ConstraintBlock, ROUNDING};
use super::step::{Step, size};
use super::{MechanismVerifier, RecordedState};

/// A normal impulse S + s below this share of S is rounding: whether the contact persists is then not known.
const VANISHED: f64 = 1e-14;

/// The power of friction at the end of a step below this share of its terms may have either sign.
const TURNS: f64 = 1e-9;

/// Tangential rows of a contact without rolling resistance, at most.
const TANGENTS: usize = 2;

/// Normal velocities below this share of their terms do not tell one restitution from another.
const UNDECIDED: f64 = 1e-10;

/// A gap below this share of the coordinates is violated.
const VIOLATED: f64 = 1e-11;

/// A row that has lost all but this share of its square depends on the others.
const DEPENDENT: f64 = 1e-12;

pub(super) fn declare_checks(report: &mut Report) {
    let gap = "gaps at the end of a step: none negative, those of persistent contacts zero; relative to the squared \
               coordinates";
    report.declare("persistent gap", gap, VIOLATED);
    let laws = "RV of the laws of persistent contacts at the end of a step, recomputed, over the tolerance; steps that \
                reached it";
    report.declare("persistent laws", laws, 1.01);
    let way = "correction of positions across the directions of joints and persistent contacts, over what the change of \
               these directions explains";
    report.declare("persistent direction", way, 1.0);
}

impl MechanismVerifier<'_> {
    /// Whether the `k`-th recorded constraint is a contact that was treated as persistent at the end of the step.
    pub(super) fn persistent_at_end(&self, k: usize) -> bool {
        let row = &self.constraint_rows[k];
        self.system.constraints()[row.constraint].is_contact() && !row.end_impulse.is_empty()
    }

    /// Stores which contacts persist into the next step.
    pub(super) fn remember_persistent(&mut self) {
        self.persists.fill(Some(false));
        for k in 0..self.constraint_rows.len() {
            if !self.persistent_at_end(k) {
                continue;
            }
            let row = &self.constraint_rows[k];
            let (during, whole) = (row.impulse[0], row.impulse[0] + row.end_impulse[0]);
            let vanished = whole.abs() <= VANISHED * during.abs();
            let constraint = row.constraint;
            self.persists[constraint] = (!vanished).then_some(whole > 0.0);
        }
    }

    /// Whether an active constraint is evaluated where contacts are: in the scheme `projected` those that do not persist; where
    /// that is not known, the place that agrees with the recorded velocities U_I.
    pub(super) fn evaluated_apart(&mut self, step: &Step, k: usize) -> Result<bool, SystemError> {
        let row = self.constraint_rows[k].clone();
        if !self.system.constraints()[row.constraint].is_contact() {
            return Ok(false);
        }
        let known = match self.settings.scheme {
            Scheme::Projected => self.persists[row.constraint],
            _ => Some(false),
        };
        if let Some(persists) = known {
            return Ok(!persists);
        }
        let places = [(step.t, &step.q), (step.contacts.0, &step.contacts.1)];
        let mut off = [0.0; 2];
        for ((t, q), off) in places.into_iter().zip(&mut off) {
            *off = self
                .row_off(row.constraint, t, q, &step.begin, &row.begin)?
                .0;
        }
        Ok(off[1] < off[0])
    }

    /// Weights of U_I in the rows of an active constraint: 1 where it persists.
    pub(super) fn weights_of_scheme(
        &mut self,
        step: &Step,
        k: usize,
        common: Option<f64>,
    ) -> Result<Vec<f64>, SystemError> {
        let at = step.at(k);
        let row = &self.constraint_rows[k];
        let constraint = row.constraint;
        let [s, begin, end] = [row.impulse[0], row.begin[0], row.end[0]];
        let mut weights = self.restitution_weights(constraint, at, common)?;
        let contact = self.system.constraints()[constraint].is_contact();
        if self.settings.scheme != Scheme::Projected || !contact {
            return Ok(weights);
        }
        // Velocities that vanish up to rounding agree with either.
        let off = |rho: f64| (end + rho * begin).abs();
        let fits = off(1.0) <= off(weights[0]) + UNDECIDED * normal_terms(step, k, s);
        let persists = match self.persists[constraint] {
            Some(false) => false,
            Some(true) => s == 0.0 || fits,
            // No impulse: the law asks for U + ρU_I ≥ 0.
            None if s == 0.0 => !step.apart[k] && begin > 0.0,
            None => !step.apart[k] && fits,
        };
        if persists {
            weights.fill(1.0);
        }
        Ok(weights)
    }

    /// Compares gaps, laws and the way of the correction at the end of the step, where contacts persist.
    pub(super) fn compare_persistent(
        &mut self,
        step: &Step,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        if self.settings.scheme != Scheme::Projected {
            return Ok(());
        }
        self.compare_end_gaps(step, last)?;
        let persistent = |k: &usize| self.persistent_at_end(*k);
        let all: Vec<usize> = (0..self.constraint_rows.len()).filter(persistent).collect();
        match before {
            Some(before) if !all.is_empty() && self.step_row.reached => {
                self.compare_end_laws(step, before, last, &all)
            }
            _ => Ok(()),
        }
    }

    /// g(q_F) ≥ 0, 0 for persistent contacts. Contacts that depend on each other and on joints cannot all be closed and are
    /// not compared.
    fn compare_end_gaps(&mut self, step: &Step, last: &RecordedState) -> Result<(), SystemError> {
        let rows = self.held_positions(last.t, &last.q, &last.q)?;
        if dependent(&step.mass, rows) {
            self.report.skip(
                "gaps of persistent contacts that no position nearby closes together: the least sum of their squares \
                 is left",
            );
            return Ok(());
        }
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(last.t, &last.q, &mut gaps)?;
        let scale = 1.0 + size(&last.q);
        for constraint in 0..self.system.constraints().len() {
            if !self.system.constraints()[constraint].is_contact() {
                continue;
            }
            let gap = gaps[self.first_gap[constraint]];
            let mut recorded = self.constraint_rows.iter();
            let place = recorded.position(|row| row.constraint == constraint);
            let off = match place.is_some_and(|k| self.persistent_at_end(k)) {
                true => gap.abs(),
                false => (-gap).max(0.0),
            };
            let off = off / (scale * scale);
            let place = self.place(self.name(constraint));
            self.report.add_comparison("persistent gap", off, || place);
        }
        Ok(())
    }

    /// Rows at (t, q) of the position functions that the end of a step is projected on: those of joints, of persistent contacts
    /// and of contacts that are violated at `arrived`.
    fn held_positions(
        &mut self,
        t: f64,
        q: &[f64],
        arrived: &[f64],
    ) -> Result<Vec<Vec<f64>>, SystemError> {
        let mut held = Vec::new();
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(t, arrived, &mut gaps)?;
        let floor = VIOLATED * (1.0 + size(arrived)).powi(2);
        for i in 0..self.system.constraints().len() {
            let count = self.first_gap[i + 1] - self.first_gap[i];
            let mut recorded = self.constraint_rows.iter();
            let place = recorded.position(|row| row.constraint == i);
            let contact = self.system.constraints()[i].kind == ConstraintKind::Contact;
            let persists = place.is_some_and(|k| self.persistent_at_end(k));
            if count == 0 || (contact && !persists && gaps[self.first_gap[i]] >= -floor) {
                continue;
            }
            let (g, _) = self.rows_of(i, t, q)?;
            let rows = g.chunks(self.layout.velocities.len()).take(count);
            held.extend(rows.map(<[f64]>::to_vec));
        }
        Ok(held)
    }

    /// q_F − q* ∈ span A⁻¹Gᵀ, up to the change of G between q* and q_F.
    pub(super) fn compare_direction(
        &mut self,
        step: &Step,
        last: &RecordedState,
        arrived: &[f64],
    ) -> Result<(), SystemError> {
        if self.settings.scheme != Scheme::Projected {
            return Ok(());
        }
        self.compare_unseen_contacts(last.t, arrived)?;
        let chart = self.system.configuration_space().clone();
        let way = displacement(&chart, arrived, &last.q);
        let [first, end] = [arrived, &last.q].map(|q| self.held_positions(last.t, q, arrived));
        let (first, end) = (first?, end?);
        // λ with A⁻¹Gᵀλ nearest to the way in the metric A: (G A⁻¹ Gᵀ) λ = G way.
        let raised =
            |row: &[f64]| solve(&step.mass, row).unwrap_or_else(|| vec![f64::NAN; row.len()]);
        let directions: Vec<Vec<f64>> = end.iter().map(|row| raised(row)).collect();
        let gram: Vec<f64> = end
            .iter()
            .flat_map(|row| directions.iter().map(|other| dot(row, other)))
            .collect();
        let along: Vec<f64> = end.iter().map(|row| dot(row, &way)).collect();
        if dependent(&step.mass, end.clone()) {
            return Ok(());
        }
        let Some(lambda) = solve(&gram, &along) else {
            return Ok(());
        };
        let (mut left, mut change) = (way.clone(), vec![0.0; way.len()]);
        for (k, lambda) in lambda.iter().enumerate() {
            let earlier = raised(&first[k]);
            for i in 0..way.len() {
                left[i] -= lambda * directions[k][i];
                change[i] += (lambda * (directions[k][i] - earlier[i])).abs();
            }
        }
        let explained = 2.0 * size(&change) + 1e-11 * (1.0 + size(arrived));
        for (i, left) in left.iter().enumerate() {
            let place = self.place(format!("`{}`", self.layout.velocities[i]));
            let share = left.abs() / explained;
            self.report
                .add_comparison("persistent direction", share, || place);
        }
        Ok(())
    }

    /// law(U_F, S + s) of the persistent contacts, with the bilateral rows that are projected beside them.
    fn compare_end_laws(
        &mut self,
        step: &Step,
        before: &RecordedState,
        last: &RecordedState,
        all: &[usize],
    ) -> Result<(), SystemError> {
        let n = last.v.len();
        // Free velocity of the projection: v* without the impulses S of the persistent contacts.
        let mut pushed = vec![0.0; n];
        for k in all {
            let (g, _) = &step.holds[*k];
            for (s, g) in self.constraint_rows[*k].impulse.iter().zip(g.chunks(n)) {
                pushed.iter_mut().zip(g).for_each(|(sum, g)| *sum += s * g);
            }
        }
        let change = solve(&step.mass, &pushed).unwrap_or_else(|| vec![f64::NAN; n]);
        let free: Vec<f64> = (0..n)
            .map(|i| step.velocity_before_projection[i] - change[i])
            .collect();
        let mut sizes = self.sizes(step);
        (0..n).for_each(|i| sizes[i] += change[i].abs() + last.v[i].abs());
        let (mut defects, mut judged) = (Defects::default(), Vec::new());
        for k in 0..self.constraint_rows.len() {
            let row = self.constraint_rows[k].clone();
            if row.end_impulse.is_empty() {
                continue;
            }
            let at = StateRef {
                t: last.t,
                q: &last.q,
                v: &step.velocity_before_projection,
            };
            // S + s of contacts; s of bilateral rows.
            let (law, s) = match all.contains(&k) {
                true => {
                    let status = row.status.unwrap_or(Status::Open);
                    let law = self.system.law(row.constraint, at, step.h, status)?;
                    let both = row.impulse.iter().zip(&row.end_impulse);
                    (law, both.map(|(a, b)| a + b).collect())
                }
                false => (Law::Bilateral, row.end_impulse.clone()),
            };
            let rows = &step.holds[k];
            let mut least: Option<(ConstraintBlock, f64, Vec<f64>, f64, Rule)> = None;
            for added in self.added_velocities(step, k, before)? {
                let block =
                    ConstraintBlock::of_rows(&step.mass, rows, &added, [&last.v, &free], &sizes);
                let kappa = s.len() as f64 / block.trace;
                let Some((f, widest, rule)) = block.least(&law, kappa, &s, true) else {
                    continue;
                };
                if least
                    .as_ref()
                    .is_none_or(|known| dot(&f, &f) < dot(&known.2, &known.2))
                {
                    least = Some((block, kappa, f, widest, rule));
                }
            }
            let Some((block, kappa, f, widest, rule)) = least else {
                continue;
            };
            // S + s is known to the rounding of its terms.
            let terms = row.impulse.iter().chain(&row.end_impulse);
            let terms = terms.fold(0.0_f64, |m, s| m.max(s.abs()));
            defects.push(Defect {
                bodies: vec![0],
                rows: f.len(),
                kappa,
                left: dot(&f, &f).sqrt(),
                free: rule.speed_at_stake(&block.b),
                rounding: ROUNDING * widest * (block.terms + terms / kappa),
            });
            judged.push(row.constraint);
        }
        let own = (2.0 * energy(&step.mass, &free)).sqrt();
        let verdict = defects.residual(|_| own, true);
        let worst = judged.get(verdict.worst).copied();
        let place = self.place(worst.map_or_else(String::new, |c| self.name(c)));
        let left = beyond(verdict.residual, verdict.rounding);
        let share = left / self.settings.tolerance;
        self.report
            .add_comparison("persistent laws", share, || place);
        Ok(())
    }
}

impl MechanismVerifier<'_> {
    /// What is added to the velocities of the `k`-th active constraint in its law at the end of a step: nothing, or of a contact
    /// that slides on its tangential velocities at the beginning. Both where that is not decided.
    fn added_velocities(
        &mut self,
        step: &Step,
        k: usize,
        before: &RecordedState,
    ) -> Result<Vec<Vec<f64>>, SystemError> {
        let row = self.constraint_rows[k].clone();
        let nothing = vec![0.0; row.impulse.len()];
        let tangents = row.impulse.len() - 1;
        if !self.persistent_at_end(k) || row.status != Some(Status::Slip) || tangents > TANGENTS {
            return Ok(vec![nothing]);
        }
        // The power of friction with v* at q_F.
        let n = before.v.len();
        let velocity = |(g, w): &(Vec<f64>, Vec<f64>), i: usize, v: &[f64]| {
            w[i] + dot(&g[i * n..(i + 1) * n], v)
        };
        let (mut power, mut terms) = (0.0, 0.0);
        for i in 1..=tangents {
            let u = velocity(&step.holds[k], i, &step.velocity_before_projection);
            power += row.impulse[i] * u;
            terms += (row.impulse[i] * u).abs();
        }
        let first = self.rows_of(row.constraint, before.t, &before.q)?;
        let mut sliding = nothing.clone();
        for (i, sliding) in sliding.iter_mut().enumerate().skip(1) {
            *sliding = velocity(&first, i, &before.v);
        }
        Ok(match power {
            _ if power.abs() <= TURNS * terms => vec![nothing, sliding],
            _ if power < 0.0 => vec![sliding],
            _ => vec![nothing],
        })
    }

    /// −K·Δq of the displacement of q_F onto contacts, and the sum of its absolute terms with the rounding of Δq; 0 in other
    /// schemes.
    pub(super) fn work_of_displacement(
        &self,
        step: &Step,
        before: &RecordedState,
        last: &RecordedState,
    ) -> (f64, f64) {
        if self.settings.scheme != Scheme::Projected || !self.corrects_this() {
            return (0.0, 0.0);
        }
        let arrived = self.uncorrected_end(step, before);
        let way = displacement(self.system.configuration_space(), &arrived, &last.q);
        let work = -dot(&step.force, &way) / step.h;
        // Δq is a difference of positions: known to their rounding, which is to count less than the bound of the check.
        let scale = 1.0 + size(&last.q);
        let known = |k: f64, x: f64| (k / step.h).abs() * (x.abs() + 1e-4 * scale);
        let terms = step.force.iter().zip(&way).map(|(k, x)| known(*k, *x));
        (work, terms.sum())
    }

    /// Contacts without a row that the step ends below, and persistent ones without a row.
    fn compare_unseen_contacts(&mut self, t: f64, arrived: &[f64]) -> Result<(), SystemError> {
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(t, arrived, &mut gaps)?;
        let floor = VIOLATED * (1.0 + size(arrived)).powi(2);
        for i in 0..self.system.constraints().len() {
            let mut recorded = self.constraint_rows.iter();
            let seen = recorded.any(|row| row.constraint == i);
            if seen || !self.system.constraints()[i].is_contact() {
                continue;
            }
            let missing = gaps[self.first_gap[i]] < -floor || self.persists[i] == Some(true);
            let place = self.place(self.name(i));
            let missing = f64::from(u8::from(missing));
            self.report.add_comparison("overlooked", missing, || place);
        }
        Ok(())
    }
}

/// Sum of the absolute terms of the normal velocity of the `k`-th active constraint: of v_I, v* and its own impulse.
fn normal_terms(step: &Step, k: usize, impulse: f64) -> f64 {
    let (g, w) = &step.rows[k];
    let g = &g[..step.begin.len()];
    let ends = step.begin.iter().zip(&step.velocity_before_projection);
    let moved = g
        .iter()
        .zip(ends)
        .map(|(g, (a, b))| g.abs() * (a.abs() + b.abs()));
    let own = solve(&step.mass, g).map_or(0.0, |v| dot(&v, g) * impulse);
    moved.sum::<f64>() + w[0].abs() + own
}

/// The displacement from `from` to `to` in velocity coordinates; of orientations the rotation vector.
fn displacement(chart: &ConfigurationSpace, from: &[f64], to: &[f64]) -> Vec<f64> {
    let (mut way, mut p) = (Vec::new(), 0);
    for coordinate in chart.coordinates() {
        if *coordinate == Coordinate::Orientation {
            let back = [from[p], -from[p + 1], -from[p + 2], -from[p + 3]];
            let now = [to[p], to[p + 1], to[p + 2], to[p + 3]];
            let [w, x, y, z] = vector::product(back, now);
            // The shorter of both turns.
            let axis = [x, y, z].map(|c| c * w.signum());
            let turn = 2.0 * vector::norm(axis).atan2(w.abs());
            way.extend(vector::unit(axis).map(|c| turn * c));
        } else {
            way.push(to[p] - from[p]);
        }
        p += coordinate.num_positions();
    }
    way
}

/// Whether the rows depend on each other in the metric A⁻¹.
fn dependent(mass: &[f64], rows: Vec<Vec<f64>>) -> bool {
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for row in rows {
        let mut rest = row;
        let whole = solve(mass, &rest).map_or(f64::NAN, |v| dot(&v, &rest));
        // Twice, against rounding.
        for _ in 0..2 {
            for (b, raised) in &basis {
                let along = dot(&rest, raised);
                rest.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        let Some(raised) = solve(mass, &rest) else {
            return true;
        };
        let left = dot(&raised, &rest);
        if !(left > DEPENDENT * whole) {
            return true;
        }
        let length = left.sqrt();
        let unit = |v: &[f64]| v.iter().map(|x| x / length).collect();
        basis.push((unit(&rest), unit(&raised)));
    }
    false
}
