//! Persistent contacts of the integrator `projected`: their law at the midpoint, and their projection at the end of the
//! step, as the table `end_contacts` has it.
//!
//! ```text
//! at q_M:   law(U_F + U_I − U⁻, S)       contacts that carried an impulse at the end of the step before; U⁻ what was left
//! at q_F:   law(U_F′ + c, S + S′),       A(u_F′ − u_F) = Σ Gᵀ S′
//!           c = ½(U_F + U_I)_t − U_t      where the two differ by half at most: contacts that slide
//! ```

use percuss_record::RecordError;
use percuss_scene::model::bodies::Integrator;

use super::super::defects::{Defect, Defects};
use super::super::report::{Report, beyond};
use super::super::vector::{V3, add, add_scaled, dot, norm, sub};
use super::contacts::{size, worse};
use super::read::{self, RecordedContactRow, RecordedState};
use super::scene_data::EmbedInSpace;
use super::step_motion::{RowImpulse, StepMotion};
use super::{BodiesVerifier, MOMENTUM, Tables, VELOCITY};

/// What is said of steps whose persistent contacts are not known.
pub(super) const UNKNOWN: &str =
    "laws of contacts where the step before is not recorded: which of them persist is not known";

/// A step had the restitution of impacts if that leaves less than this share of the squared defects. Near rest both laws
/// hold to the tolerance.
const CLEARLY: f64 = 0.1;

/// Contacts slide where the mean and the last velocity differ by less than this share.
const SLIDES: f64 = 0.5;

/// Persistent contacts of a step and of the step before.
#[derive(Debug, Default)]
pub(super) struct PersistentContacts {
    /// Whether the integrator has any.
    pub projected: bool,
    /// Whether those of the step are unknown.
    pub unknown: bool,
    /// Whether they have the restitution of impacts in this step.
    as_impacts: bool,
    ends: Vec<RecordedContactRow>,
    /// Those of the step before, by body, body and feature.
    past: Option<(i64, Vec<RecordedContactRow>)>,
    step: i64,
    /// RV of the projection, and its works.
    pub residual: f64,
    pub works: ProjectionWorks,
}

/// Works of the impulses S′ at the end of the step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProjectionWorks {
    pub impact: f64,
    pub sliding: f64,
    pub boundary: f64,
    /// The part of contacts that stick, and of normal rows.
    pub lasting: f64,
}

pub(super) fn declare_checks(report: &mut Report) {
    let begin = "velocities of end_contacts against G u at the end; relative to the terms";
    report.declare("projected velocity", begin, VELOCITY);
    let momentum = "A(u_F' - u_F) = sum of G'S'; relative to its terms, body by body";
    report.declare("projected momentum", momentum, MOMENTUM);
    let laws = "RV of the laws at the end of the step, recomputed, over the tolerance; steps that reached it";
    report.declare("projected laws", laws, 1.0 + 1e-6);
}

impl PersistentContacts {
    pub fn of(integrator: Integrator) -> Self {
        Self {
            projected: integrator == Integrator::Projected,
            ..Self::default()
        }
    }

    /// The contacts at the end of the step.
    pub fn ends(&self) -> &[RecordedContactRow] {
        &self.ends
    }

    /// Keeps the contacts at the end of a step for the next one.
    pub fn keep(&mut self, step: i64) {
        self.past = Some((step, std::mem::take(&mut self.ends)));
    }

    /// The contacts at the end of the step before `step`; `None` where they are not recorded.
    pub fn before(&self, step: i64) -> Option<&[RecordedContactRow]> {
        let (past, rows) = self.past.as_ref()?;
        (past + 1 == step).then_some(&rows[..])
    }

    /// Energy that the projection gained and that the step, with works `raw` of contacts, did not lose.
    pub fn gained(&self, raw: f64) -> f64 {
        let own = self.works.impact + self.works.sliding;
        own.min(own + raw).max(0.0)
    }
}

impl RecordedContactRow {
    /// U_F of its first rows, in space axes.
    fn velocity(&self, n: usize) -> V3 {
        (0..self.rows.min(n)).fold([0.0; 3], |sum, k| {
            add_scaled(sum, self.axes[k], self.end[k])
        })
    }

    /// What was left, at the end of the step, of the velocity of a row that should have none: the normal one, and all of
    /// a contact that stuck.
    pub(super) fn left(&self, row: usize, push: &RowImpulse, n: usize) -> f64 {
        match row == 0 || (self.status == 1 && row < n) {
            true => dot(push.direction, self.velocity(n)),
            false => 0.0,
        }
    }

    fn is(&self, other: &Self) -> bool {
        (self.a, self.b, self.feature) == (other.a, other.b, other.feature)
    }
}

/// A vector turned by the smallest rotation that takes the unit vector `from` to `to`.
fn turned(from: V3, to: V3, x: V3) -> V3 {
    let cosine = dot(from, to);
    if !(cosine > -0.999) {
        return x;
    }
    let sum = add(from, to);
    let moved = add_scaled(x, to, 2.0 * dot(from, x));
    add_scaled(moved, sum, -dot(sum, x) / (1.0 + cosine))
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Reads the contacts at the end of a step.
    pub(super) fn read_end_contacts(
        &mut self,
        tables: &mut Tables<'_>,
        step: i64,
    ) -> Result<(), RecordError> {
        let own = &mut self.persistent;
        own.ends.clear();
        own.step = step;
        (own.residual, own.works, own.as_impacts) = (0.0, ProjectionWorks::default(), false);
        own.unknown = own.projected && own.before(step).is_none();
        if let Some(stream) = &mut tables.end_contacts {
            let group = stream.at(step)?;
            read::read_contacts(&group, self.plane, &mut own.ends);
        }
        own.ends
            .retain(|end| end.rows > 0 && self.contacts.iter().any(|touch| touch.is(end)));
        Ok(())
    }

    /// The contact at the end of the step before, of a contact that persists in this one.
    pub(super) fn persists(&self, touch: &RecordedContactRow) -> Option<&RecordedContactRow> {
        let own = &self.persistent;
        if own.as_impacts || !own.projected {
            return None;
        }
        let past = own.before(own.step)?;
        past.iter()
            .find(|end| end.is(touch) && end.impulse[0] > 0.0)
    }

    /// Whether a contact carried an impulse at the end of the step before `self.motion_step()`.
    pub(super) fn persistent_before(&self, touch: &RecordedContactRow) -> bool {
        let past = self.persistent.before(self.steps.step).unwrap_or(&[]);
        past.iter().any(|end| end.is(touch) && end.impulse[0] > 0.0)
    }

    /// Decides whether persistent contacts have the restitution of impacts in this step: the better of both. False where
    /// they are not known.
    pub(super) fn choose_persistent(&mut self) -> bool {
        if self.persistent.unknown {
            return false;
        }
        if !self
            .contacts
            .iter()
            .any(|touch| self.persists(touch).is_some())
        {
            return true;
        }
        let kept = self.contact_defect();
        self.persistent.as_impacts = true;
        self.persistent.as_impacts = self.contact_defect() < CLEARLY * kept;
        true
    }

    /// The rows of the contacts at the end: S + S′, and S of the step there.
    fn end_rows(&self) -> Vec<(RowImpulse, f64)> {
        let mut rows = Vec::new();
        for end in &self.persistent.ends {
            let Some(touch) = self.contacts.iter().find(|touch| touch.is(end)) else {
                continue;
            };
            let linear = touch.rows.min(D::N);
            let sum = (0..linear).fold([0.0; 3], |sum, k| {
                add_scaled(sum, touch.axes[k], touch.impulse[k])
            });
            let vector = turned(touch.axes[0], end.axes[0], sum);
            for row in 0..end.rows {
                let (direction, rotational) = end.row(row, self.plane);
                let before = match row < D::N {
                    true => dot(direction, vector),
                    false => touch.impulse[row],
                };
                let push = RowImpulse {
                    bodies: [Some(end.a), Some(end.b)],
                    rotational,
                    direction,
                    at: end.at,
                    shift: [0.0; 3],
                    size: end.impulse[row],
                };
                rows.push((push, before));
            }
        }
        rows
    }

    /// c by row of a contact at the end.
    fn shift(&self, end: &RecordedContactRow) -> [f64; 6] {
        let mut shift = [0.0; 6];
        let found = self.contacts.iter().find(|touch| touch.is(end));
        let Some(touch) = found.filter(|touch| self.persists(touch).is_some()) else {
            return shift;
        };
        // Translation along the tangents, then rotation.
        for rows in [1..end.rows.min(D::N), D::N..end.rows.max(D::N)] {
            let sum = |of: &RecordedContactRow, u: &dyn Fn(usize) -> f64| {
                rows.clone().fold([0.0; 3], |sum, k| {
                    add_scaled(sum, of.row(k, self.plane).0, u(k))
                })
            };
            let mean = sum(touch, &|k| 0.5 * (touch.begin[k] + touch.end[k]));
            let mean = match self.plane && rows.start >= D::N {
                true => mean,
                false => turned(touch.axes[0], end.axes[0], mean),
            };
            let last = sum(end, &|k| end.begin[k]);
            let change = sub(mean, last);
            if norm(change) <= SLIDES * norm(mean) {
                for k in rows {
                    shift[k] = dot(end.row(k, self.plane).0, change);
                }
            }
        }
        shift
    }

    /// Velocities, momenta and laws of the projection at the end of the step.
    pub(super) fn compare_end_contacts(&mut self, last: &RecordedState) {
        if !self.persistent.projected || self.persistent.unknown || !self.choose_persistent() {
            return;
        }
        let rows = self.end_rows();
        let pushes: Vec<RowImpulse> = rows.iter().map(|(push, _)| *push).collect();
        let end = self.motion.projection::<D>(&self.scene, last, &pushes);
        let joined = !self.scene.model.joints.is_empty();
        self.add_end_works(&end, &rows);
        self.compare_end_velocities(&end, &pushes, joined);
        if joined {
            self.report.skip(
                "impulses of joints at the end of a step with persistent contacts are not recorded: momenta and \
                 laws there are not compared",
            );
            return;
        }
        self.compare_end_momentum(&end, &rows);
        // The laws with the geometry of the end.
        let step = std::mem::replace(&mut self.motion, end);
        self.compare_end_laws(&pushes);
        self.motion = step;
    }

    fn add_end_works(&mut self, end: &StepMotion, rows: &[(RowImpulse, f64)]) {
        let held: Vec<_> = (self.scene.parts.iter().zip(&end.end))
            .map(|(part, v)| if part.movable { [0.0; 6] } else { *v })
            .collect();
        let mut works = ProjectionWorks::default();
        let mut at = 0;
        for touch in &self.persistent.ends {
            let mid = self.contacts.iter().find(|mid| mid.is(touch));
            let sticks = mid.is_some_and(|mid| mid.status == 1);
            for row in 0..touch.rows {
                let (push, before) = &rows[at];
                at += 1;
                let s = push.size - before;
                let work = 0.5 * s * (touch.begin[row] + touch.end[row]);
                works.boundary -= s * end.row_velocity(push, &held);
                match row {
                    0 => works.impact += work,
                    _ => works.sliding += work,
                }
                if row == 0 || sticks {
                    works.lasting += work;
                }
            }
        }
        self.persistent.works = works;
    }

    fn compare_end_velocities(&mut self, end: &StepMotion, pushes: &[RowImpulse], joined: bool) {
        let mut at = 0;
        for k in 0..self.persistent.ends.len() {
            let touch = self.persistent.ends[k];
            let mut off = 0.0_f64;
            for row in 0..touch.rows {
                let push = &pushes[at];
                at += 1;
                let mut scale = f64::MIN_POSITIVE;
                for body in [touch.a, touch.b] {
                    let [line, turn] = end.size[body];
                    let lever = norm(sub(push.at, end.mid[body].x));
                    scale += if push.rotational {
                        turn
                    } else {
                        line + turn * lever
                    };
                }
                let u = end.row_velocity(push, &end.end);
                off = worse(off, (u - touch.end[row]).abs() / scale);
                // Joints are projected before.
                if !joined {
                    let u = end.row_velocity(push, &end.begin);
                    off = worse(off, (u - touch.begin[row]).abs() / scale);
                }
            }
            let place = self.place(self.pair_name(&touch));
            self.report
                .add_comparison("projected velocity", off, || place);
        }
    }

    /// u_F′ = u_F + A⁻¹ Σ GᵀS′, body by body.
    fn compare_end_momentum(&mut self, end: &StepMotion, rows: &[(RowImpulse, f64)]) {
        let before: Vec<RowImpulse> = rows
            .iter()
            .map(|(push, before)| RowImpulse {
                size: *before,
                ..*push
            })
            .collect();
        let pushed = end.pushed_by(&self.scene, &before);
        for i in 0..self.scene.parts.len() {
            let part = &self.scene.parts[i];
            if !part.movable {
                continue;
            }
            let rest = 1e-2 * (2.0 * self.steps.floor() / part.mass).sqrt() * f64::EPSILON;
            let mut off = 0.0_f64;
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                // v_free of S + S′ against u_F less the impulses S.
                let left = end.free[i][k] - (end.begin[i][k] - pushed[i][k]);
                if left != 0.0 {
                    off = worse(off, left.abs() / end.size[i][k / 3].max(rest));
                }
            }
            let place = self.place(format!("`{}`", self.name(i)));
            self.report
                .add_comparison("projected momentum", off, || place);
        }
    }

    /// RV of the projection; `self.motion` is that of the end.
    fn compare_end_laws(&mut self, pushes: &[RowImpulse]) {
        let (mut defects, mut at, mut f) = (Defects::default(), 0, [0.0; 8]);
        for touch in &self.persistent.ends {
            let rows = &pushes[at..at + touch.rows];
            at += touch.rows;
            let shift = self.shift(touch);
            let Some((block, rule)) = self.best_rule_with(touch, rows, Some(&shift)) else {
                continue;
            };
            let f = &mut f[..touch.rows];
            rule.natural(block.kappa, &block.s, &block.u, f);
            defects.push(Defect {
                bodies: self.moved(rows),
                rows: touch.rows,
                kappa: block.kappa,
                left: size(f),
                free: rule.speed_at_stake(&block.b),
                rounding: block.rounding * rule.widest(),
            });
        }
        let verdict = defects.residual(|i| self.speed_of(i), false);
        self.persistent.residual = verdict.residual;
        if self.steps.reached() {
            let share = beyond(verdict.residual, verdict.rounding) / self.tolerance;
            let worst = self.persistent.ends.get(verdict.worst).copied();
            let place = self.place(worst.map_or_else(String::new, |touch| self.pair_name(&touch)));
            self.report
                .add_comparison("projected laws", share, || place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::vector::{norm, sub};
    use super::turned;

    #[test]
    fn the_smallest_rotation_takes_one_normal_to_the_other() {
        let (a, b) = ([0.6, 0.0, 0.8], [0.0, 0.6, 0.8]);
        // Rounding of a few products.
        assert!(norm(sub(turned(a, b, a), b)) < 1e-15);
    }
}
