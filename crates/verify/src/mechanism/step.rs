//! Reconstruction of one time step of a mechanism: evaluation point, forces, constraint rows, initial velocity.

use percuss_scene::model::mechanism::{
    ConstraintKind, ForceEvaluation, Scheme, StateRef, System, SystemError, TangentCone,
};

use super::dense::{dot, solve};
use super::{MechanismVerifier, RecordedState, advance};
use crate::step_stream::StepRows;

/// Fixed-point iterations for the beginning of a step.
const ROUNDS: usize = 80;

/// The quantities of a step.
#[derive(Clone)]
pub(super) struct Step {
    pub h: f64,
    /// Time and positions at which A and G are evaluated.
    pub t: f64,
    pub q: Vec<f64>,
    /// Time and positions at which contacts are evaluated: those above, or t_F and q_I + h v_I.
    pub contacts: (f64, Vec<f64>),
    /// Whether each active constraint is evaluated there and not at (t, q).
    pub apart: Vec<bool>,
    pub begin: Vec<f64>,
    /// v*, the velocity before its projection onto the tangent space of the joints at the end.
    pub velocity_before_projection: Vec<f64>,
    pub mass: Vec<f64>,
    /// hK.
    pub force: Vec<f64>,
    /// G and W of every active constraint.
    pub rows: Vec<(Vec<f64>, Vec<f64>)>,
    /// G and W at the end of the step, where velocities are projected.
    pub holds: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Step {
    /// The state (t, q, v_I) at which contacts are evaluated.
    pub(super) fn at_contacts(&self) -> StateRef<'_> {
        StateRef {
            t: self.contacts.0,
            q: &self.contacts.1,
            v: &self.begin,
        }
    }

    /// The state (t, q, v_I) at which the law and the restitution of an active constraint are evaluated.
    pub(super) fn at(&self, k: usize) -> StateRef<'_> {
        match self.apart[k] {
            true => self.at_contacts(),
            false => StateRef {
                t: self.t,
                q: &self.q,
                v: &self.begin,
            },
        }
    }
}

pub(super) fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}

impl MechanismVerifier<'_> {
    fn evaluation_fraction(&self) -> f64 {
        match self.settings.scheme {
            Scheme::Theta(theta) => theta,
            Scheme::Paoli => 1.0,
            Scheme::Midpoint | Scheme::Projected | Scheme::Event => 0.5,
        }
    }

    /// Whether positions are corrected after a step.
    pub(super) fn corrects(&self) -> bool {
        let joint = |kind: ConstraintKind| {
            matches!(
                kind,
                ConstraintKind::Joint | ConstraintKind::FrictionJoint { .. }
            )
        };
        let constraints = self.system.constraints().iter();
        self.settings.projection || constraints.into_iter().any(|c| joint(c.kind))
    }

    /// Whether positions may have been corrected after this step: contacts of the scheme `projected` where there are any.
    pub(super) fn corrects_this(&self) -> bool {
        let closes = self.settings.scheme == Scheme::Projected;
        self.corrects() || (closes && !self.constraint_rows.is_empty())
    }

    pub(super) fn rows_of(
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

    /// Difference of the recorded velocities of a constraint from G v + W, relative to its terms.
    pub(super) fn row_off(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        recorded: &[f64],
    ) -> Result<(f64, f64), SystemError> {
        // Without further terms: the scale is that of G v + W alone.
        let (g, w) = self.rows_of(constraint, t, q)?;
        Ok(row_off(&g, &w, v, recorded, &[]))
    }

    /// Verifies one recorded step of a time stepper.
    pub(super) fn compare_step(
        &mut self,
        before: Option<&RecordedState>,
        last: &RecordedState,
        happened: Option<&StepRows>,
    ) -> Result<(), SystemError> {
        // What needs the final state alone.
        self.compare_gaps(last)?;
        self.compare_extent(last)?;
        if before.is_none() {
            self.list_unseen_positions(last)?;
        }
        if before.is_none() && self.corrects_this() {
            self.report.skip(
                "steps whose state before is not recorded, in systems whose positions are put right after \
                 a step: momentum, laws and works (record_every = 1 tells them)",
            );
            self.thinned_unread();
            let kinetic = self.kinetic(last)?;
            return self.compare_energies(last, kinetic);
        }
        // What needs the whole step.
        let step = self.reconstruct(before, last)?;
        if let Some(before) = before {
            self.compare_kinematics(&step, before, last);
            self.compare_correction(&step, before, last)?;
            self.compare_momentum(&step);
        }
        if let Some(happened) = happened {
            self.compare_events(&step, last, happened);
        }
        self.compare_velocities(&step);
        self.compare_projections(&step)?;
        self.compare_laws(&step)?;
        self.compare_persistent(&step, before, last)?;
        self.compare_missing_contacts(&step)?;
        self.compare_energy_budget(&step, before, last)?;
        self.compare_works(&step, last)
    }

    /// hK of the step, with the velocities at its two ends.
    fn forces(
        &mut self,
        step: &Step,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) -> Result<Vec<f64>, SystemError> {
        let n = step.begin.len();
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        let h = step.h;
        match self.settings.scheme {
            Scheme::Theta(theta) => {
                // θ-method: forces at both ends, positions by the mean velocity.
                let mean: Vec<f64> = (0..n)
                    .map(|i| {
                        theta * step.velocity_before_projection[i] + (1.0 - theta) * step.begin[i]
                    })
                    .collect();
                let chart = self.system.configuration_space().clone();
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
                self.system.dynamics(
                    last.t,
                    &end,
                    &step.velocity_before_projection,
                    &mut mass,
                    &mut force,
                )?;
                let mut begin = vec![0.0; n];
                self.system
                    .dynamics(last.t - h, &first, &step.begin, &mut mass, &mut begin)?;
                for i in 0..n {
                    force[i] = theta * force[i] + (1.0 - theta) * begin[i];
                }
            }
            scheme => {
                // One evaluation, with the initial or the mean velocity.
                let at_begin = scheme == Scheme::Paoli
                    || self.settings.force_evaluation == ForceEvaluation::Begin;
                let v: Vec<f64> = match at_begin {
                    true => step.begin.clone(),
                    false => (0..n)
                        .map(|i| 0.5 * (step.begin[i] + step.velocity_before_projection[i]))
                        .collect(),
                };
                let mut q = step.q.clone();
                if self.settings.force_evaluation == ForceEvaluation::Implicit {
                    // q_I + ½h·½(v_I + v*), from q_M = q_I + ½h v_I where q_I is not recorded.
                    let chart = self.system.configuration_space();
                    match before {
                        Some(before) => q.clone_from(&before.q),
                        None => advance(chart, &mut q, &step.begin, -0.5 * h),
                    }
                    advance(chart, &mut q, &v, 0.5 * h);
                }
                self.system
                    .dynamics(step.t, &q, &v, &mut mass, &mut force)?;
            }
        }
        force.iter_mut().for_each(|k| *k *= h);
        Ok(force)
    }

    /// Sets the positions at which A and G are evaluated, those of contacts from v_I and the positions of A.
    fn set_place(&self, step: &mut Step, before: Option<&RecordedState>, last: &RecordedState) {
        self.set_scheme_place(step, before, last);
        step.contacts = (step.t, step.q.clone());
        let end = match self.settings.scheme {
            Scheme::Midpoint => self.settings.tangent_cone == TangentCone::End,
            Scheme::Projected => true,
            Scheme::Theta(_) | Scheme::Paoli | Scheme::Event => false,
        };
        if end {
            // q_I + h v_I = q_M + ½h v_I.
            step.contacts.0 = last.t;
            let chart = self.system.configuration_space();
            advance(chart, &mut step.contacts.1, &step.begin, 0.5 * step.h);
        }
    }

    fn set_scheme_place(
        &self,
        step: &mut Step,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) {
        let (chart, n, h) = (self.system.configuration_space(), last.v.len(), step.h);
        match (before, self.settings.scheme) {
            (Some(before), _) => {
                step.q.clone_from(&before.q);
                advance(
                    chart,
                    &mut step.q,
                    &before.v,
                    self.evaluation_fraction() * h,
                );
            }
            (None, Scheme::Paoli) => {}
            (None, Scheme::Theta(theta)) => {
                let mean: Vec<f64> = (0..n)
                    .map(|i| {
                        theta * step.velocity_before_projection[i] + (1.0 - theta) * step.begin[i]
                    })
                    .collect();
                step.q.clone_from(&last.q);
                advance(chart, &mut step.q, &mean, -h);
                advance(chart, &mut step.q, &step.begin, theta * h);
            }
            (None, _) => {
                step.q.clone_from(&last.q);
                advance(
                    chart,
                    &mut step.q,
                    &step.velocity_before_projection,
                    -0.5 * h,
                );
            }
        }
    }

    /// Reconstructs evaluation point and initial velocity of a step.
    fn reconstruct(
        &mut self,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) -> Result<Step, SystemError> {
        let n = last.v.len();
        let (h, ahead) = (self.step_row.h, self.evaluation_fraction());
        let mut step = Step {
            h,
            t: if ahead == 1.0 {
                last.t
            } else {
                last.t - (1.0 - ahead) * h
            },
            q: last.q.clone(),
            contacts: (last.t, last.q.clone()),
            apart: Vec::new(),
            begin: before.map_or_else(|| last.v.clone(), |before| before.v.clone()),
            velocity_before_projection: last.v.clone(),
            mass: vec![0.0; n * n],
            force: vec![0.0; n],
            rows: Vec::new(),
            holds: Vec::new(),
        };
        // Fixed-point iteration for v_I; one pass where v_I is recorded.
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            self.set_place(&mut step, before, last);
            let mut force = vec![0.0; n];
            self.system
                .dynamics(step.t, &step.q, &step.begin, &mut step.mass, &mut force)?;
            self.set_rows(&mut step, last)?;
            step.force = self.forces(&step, before, last)?;
            if before.is_some() {
                break;
            }
            // v_I = v* − A⁻¹(hK + Σ Gᵀ S).
            let pushed = self.total_impulse(&step);
            let change = solve(&step.mass, &pushed).unwrap_or_else(|| vec![f64::NAN; n]);
            let wanted: Vec<f64> = (0..n)
                .map(|i| step.velocity_before_projection[i] - change[i])
                .collect();
            let left = (0..n).fold(0.0_f64, |m, i| m.max((wanted[i] - step.begin[i]).abs()));
            let scale = size(&wanted)
                .max(size(&step.velocity_before_projection))
                .max(f64::MIN_POSITIVE);
            step.begin = wanted;
            // Stop at rounding, or when the change no longer decreases.
            if left <= 1e-16 * scale || (left <= 1e-13 * scale && left >= 0.5 * least) {
                break;
            }
            least = least.min(left);
        }
        Ok(step)
    }

    /// Sets G and W of the active constraints, and v* from v_F and the impulses s.
    fn set_rows(&mut self, step: &mut Step, last: &RecordedState) -> Result<(), SystemError> {
        let n = last.v.len();
        step.rows.clear();
        step.holds.clear();
        step.apart.clear();
        // G and W at the evaluation point and at the end; Σ G_Fᵀ s.
        let mut given = vec![0.0; n];
        for k in 0..self.constraint_rows.len() {
            let (constraint, hold) = {
                let touch = &self.constraint_rows[k];
                (touch.constraint, touch.end_impulse.clone())
            };
            let apart = self.evaluated_apart(step, k)?;
            let rows = match apart {
                true => self.rows_of(constraint, step.contacts.0, &step.contacts.1)?,
                false => self.rows_of(constraint, step.t, &step.q)?,
            };
            step.rows.push(rows);
            step.apart.push(apart);
            let end = self.rows_of(constraint, last.t, &last.q)?;
            for (s, g) in hold.iter().zip(end.0.chunks(n.max(1))) {
                given.iter_mut().zip(g).for_each(|(sum, g)| *sum += s * g);
            }
            step.holds.push(end);
        }
        // v* = v_F − A⁻¹ Σ G_Fᵀ s.
        step.velocity_before_projection.clone_from(&last.v);
        if given.iter().any(|x| *x != 0.0)
            && let Some(change) = solve(&step.mass, &given)
        {
            step.velocity_before_projection
                .iter_mut()
                .zip(&change)
                .for_each(|(v, c)| *v -= c);
        }
        Ok(())
    }

    /// hK + Σ Gᵀ S.
    pub(super) fn total_impulse(&self, step: &Step) -> Vec<f64> {
        let n = step.begin.len();
        let mut sum = step.force.clone();
        for (touch, (g, _)) in self.constraint_rows.iter().zip(&step.rows) {
            for (s, g) in touch.impulse.iter().zip(g.chunks(n.max(1))) {
                sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += s * g);
            }
        }
        sum
    }

    /// Whether an impact was resolved before the step, by a law that is not of the form U_F + ρ U_I.
    pub(super) fn struck(&self) -> bool {
        let apart = self.settings.impact.is_separate();
        let contact = |c: usize| self.system.constraints()[c].is_contact();
        let mut all = self.constraint_rows.iter();
        apart && all.any(|t| contact(t.constraint) && t.begin[0] < -1e-12)
    }
}

/// Largest difference of recorded velocities from G v + W relative to the terms, and the size of these.
pub(super) fn row_off(
    g: &[f64],
    w: &[f64],
    v: &[f64],
    recorded: &[f64],
    sizes: &[f64],
) -> (f64, f64) {
    let n = v.len();
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for (row, recorded) in recorded.iter().enumerate() {
        let g = &g[row * n..(row + 1) * n];
        let terms: f64 = g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum();
        let more: f64 = g.iter().zip(sizes).map(|(g, v)| (g * v).abs()).sum();
        let scale = w[row].abs() + terms + more;
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
