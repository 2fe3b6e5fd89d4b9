//! Projection of positions and velocities onto the constraints in the kinetic metric (M88 Remark 11.1): drift
//! correction.
//!
//! ```text
//! min ½ Δqᵀ A Δq    subject to   g + G Δq ≥ 0  (violated contacts),   f + G Δq = 0  (joints)
//! ```
//!
//! This is the contact problem without friction with gaps in place of velocities. Joints are projected after every step
//! by Newton's method, to rounding; contacts once, where the settings ask for it. The velocity is then projected onto
//! the bilateral constraints at q_F.

use contact::Law;
use contact::law::Status;

use super::TimeStepper;
use crate::error::MechanismError;
use crate::inertia::describe;
use crate::settings::Scheme;
use crate::step_problem::{RestitutionWeights, StepProblem};
use crate::system::{ConstraintKind, StateRef, System};

/// Maximum number of Newton steps; they converge quadratically from an error of order h³.
const STEPS: usize = 12;

/// Convergence tolerance, relative to the squared size of the coordinates: rounding of f.
const ROUNDING: f64 = 1e-15;

/// Newton steps that leave more than this share of the violation converge linearly: a sign of dependent joints.
const LINEAR: f64 = 0.15;

/// Joints with a larger error, relative to the squared size of the coordinates, after the last step are refused.
const LOST: f64 = 1e-11;

impl<S: System> TimeStepper<S> {
    /// Projects q_F onto the joints always, onto violated contacts where the settings ask.
    pub(super) fn project_positions(&mut self) -> Result<(), MechanismError> {
        self.project_joints()?;
        if self.settings.projection {
            self.project_contacts()?;
        }
        Ok(())
    }

    /// Newton's method for f(t_F, q_F) = 0 over all joints.
    pub(super) fn project_joints(&mut self) -> Result<(), MechanismError> {
        if !self.system.constraints().iter().any(|c| is_joint(c.kind)) {
            return Ok(());
        }
        let mut last = f64::INFINITY;
        // Newton's method; each step solves the linearised constraints in the kinetic metric.
        for k in 0..STEPS {
            let (violation, size) = self.joint_violation()?;
            let floor = ROUNDING * size * size;
            if violation <= floor {
                return Ok(());
            }
            // Newton's method on independent constraints converges quadratically; a constant factor is the mark of
            // dependent ones.
            if k >= 2 && violation > 100.0 * floor && violation > LINEAR * last {
                return Err(self.dependent(violation));
            }
            last = violation;
            self.project_once(|kind, _| is_joint(kind))?;
        }
        let (violation, size) = self.joint_violation()?;
        if violation <= LOST * size * size {
            return Ok(());
        }
        Err(self.dependent(violation))
    }

    /// Projects v_F onto the bilateral constraints at the end of the step: G(q_F) v_F + W = 0, nearest in the kinetic
    /// metric. The mean velocity of the step satisfied them at the midpoint, so this is a change of order h² along
    /// A⁻¹Gᵀ only. Without it a violation alternates in sign from step to step and grows where the constraint damps the
    /// motion (Chaplygin's sleigh), like the parasitic solution of the leap-frog method.
    pub(super) fn project_bilateral(&mut self) -> Result<(), MechanismError> {
        let work = &mut self.scratch;
        work.bilateral_end.clear();
        work.v_unprojected.copy_from_slice(&self.next.v);
        if self.settings.scheme == Scheme::Paoli {
            return Ok(());
        }
        let weights = RestitutionWeights {
            contacts_rebound: false,
            bilateral: 0.0,
        };
        for i in 0..self.first_row.len() - 1 {
            let constraint = &self.system.constraints()[i];
            let rows = match constraint.kind {
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => constraint.rows,
                // An impulse of the joint here would need its friction impulse, too.
                ConstraintKind::FrictionJoint { .. }
                | ConstraintKind::Contact
                | ConstraintKind::NonFirm => continue,
            };
            let at = StateRef {
                t: self.next.t,
                q: &self.next.q,
                v: &self.next.v,
            };
            let stage = &mut work.bilateral_end;
            stage.push(&mut self.system, i, at, 1.0, Status::Stick, weights)?;
            stage.truncate_rows(rows, Law::Bilateral);
        }
        if work.bilateral_end.active.is_empty() {
            return Ok(());
        }
        work.bilateral_end
            .solve_bilateral(&work.inertia, &work.v_unprojected, &mut self.next.v);
        Ok(())
    }

    /// Error: no position nearby satisfies all joints.
    fn dependent(&self, violation: f64) -> MechanismError {
        let joints = self.system.constraints().iter();
        let names: Vec<String> = joints
            .filter(|c| is_joint(c.kind))
            .map(|c| format!("`{}`", c.name))
            .collect();
        MechanismError::Dependent {
            names: names.join(", "),
            t: self.next.t,
            detail: format!(
                "no position nearby satisfies them together; a violation of {violation:e} is left \
                 at {}",
                describe(&self.system, &self.next.q)
            ),
        }
    }

    /// max |f| over the joints at the end of the step, and the size of the coordinates.
    fn joint_violation(&mut self) -> Result<(f64, f64), MechanismError> {
        let (t, q) = (self.next.t, &self.next.q);
        self.system.gaps(t, q, &mut self.scratch.gaps)?;
        let mut worst = 0.0_f64;
        for (i, constraint) in self.system.constraints().iter().enumerate() {
            if is_joint(constraint.kind) {
                let values = &self.scratch.gaps[self.first_gap[i]..self.first_gap[i + 1]];
                worst = values.iter().fold(worst, |m, f| m.max(f.abs()));
            }
        }
        let size = 1.0 + q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        Ok((worst, size))
    }

    /// One projection onto the violated contacts, with the joints as equations.
    fn project_contacts(&mut self) -> Result<(), MechanismError> {
        let (t, q) = (self.next.t, &self.next.q);
        self.system.gaps(t, q, &mut self.scratch.gaps)?;
        let contacts = self.system.constraints().iter().enumerate();
        let violated = contacts
            .filter(|(_, c)| c.is_contact())
            .any(|(i, _)| self.scratch.gaps[self.first_gap[i]] < 0.0);
        if violated {
            // The joints take part as G Δq = 0; their own error is rounding.
            for (i, constraint) in self.system.constraints().iter().enumerate() {
                if is_joint(constraint.kind) {
                    self.scratch.gaps[self.first_gap[i]..self.first_gap[i + 1]].fill(0.0);
                }
            }
            self.project_once(|kind, gap| {
                is_joint(kind) || (kind == ConstraintKind::Contact && gap < 0.0)
            })?;
        }
        Ok(())
    }

    /// One projection (Newton step) onto the constraints that `takes_part` selects; `scratch.gaps` holds their values.
    fn project_once(
        &mut self,
        takes_part: impl Fn(ConstraintKind, f64) -> bool,
    ) -> Result<(), MechanismError> {
        let n = self.next.v.len();
        let still = vec![0.0; n];
        let mut stage = StepProblem::new(n);
        let mut contacts = false;
        let weights = RestitutionWeights {
            contacts_rebound: false,
            bilateral: 0.0,
        };
        // Rows of the selected constraints, with gaps in place of the boundary velocity W.
        for i in 0..self.first_row.len() - 1 {
            let kind = self.system.constraints()[i].kind;
            let first = self.first_gap[i];
            let values = first..self.first_gap[i + 1];
            if values.is_empty() || !takes_part(kind, self.scratch.gaps[first]) {
                continue;
            }
            let at = StateRef {
                t: self.next.t,
                q: &self.next.q,
                v: &still,
            };
            contacts |= kind == ConstraintKind::Contact;
            stage.push(&mut self.system, i, at, 1.0, Status::Stick, weights)?;
            stage.replace_by_position_rows(&self.scratch.gaps[values], position_law(kind));
        }
        // Δq in the velocity coordinates.
        let mut shift = vec![0.0; n];
        let (t, inertia) = (self.next.t, &self.scratch.inertia);
        if contacts {
            stage.solve(&self.system, t, inertia, &still, &mut shift, 1e-12)?;
        } else {
            // Joints alone are linear equations. Two equal ones differ by rounding, which is no contradiction: the
            // caller tests what is left of the functions themselves.
            stage.solve_bilateral(inertia, &still, &mut shift);
        }
        self.system
            .configuration_space()
            .integrate(&mut self.next.q, &shift, 1.0);
        Ok(())
    }
}

/// Whether the constraint has position functions f = 0.
fn is_joint(kind: ConstraintKind) -> bool {
    matches!(
        kind,
        ConstraintKind::Joint | ConstraintKind::FrictionJoint { .. }
    )
}

/// Law of a constraint in the projection: no friction.
fn position_law(kind: ConstraintKind) -> Law {
    match kind {
        ConstraintKind::Contact => Law::Frictionless,
        _ => Law::Bilateral,
    }
}
