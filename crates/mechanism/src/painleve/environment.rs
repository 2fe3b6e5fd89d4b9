//! A sliding contact, or joint with friction, with the constraints that act beside it.

use percuss_contact::law::Status;
use percuss_convex::dense;

use super::ZERO;
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::step_problem::{ConstraintImpulse, Jump, RestitutionWeights, StepProblem};
use crate::system::{Constraint, ConstraintKind, StateRef, System};

/// Approach of the vanishing collision, relative to the velocity of the contact.
const APPROACH: f64 = 1e-9;

/// A velocity after a vanishing collision is a jump where it differs by more than this share: far above the approach.
const JUMP: f64 = 1e-6;

/// A contact with the constraints that act beside it.
pub(super) struct ContactEnvironment {
    inertia: Inertia,
    /// Rows and laws; the contact is the first.
    pub(super) problem: StepProblem,
    /// Rows of the others whose velocity is fixed.
    pub(super) fixed_rows: Vec<usize>,
}

impl ContactEnvironment {
    /// Evaluates a contact and all constraints that act at a state; of the other contacts those that `beside` names, or
    /// those that are closed.
    pub(super) fn new<S: System + ?Sized>(
        system: &mut S,
        contact: usize,
        at: StateRef<'_>,
        beside: Option<&[usize]>,
    ) -> Result<Self, MechanismError> {
        let mut inertia = Inertia::new(at.v.len());
        inertia.evaluate(system, at)?;
        let mut place = Self {
            problem: StepProblem::new(inertia.n),
            inertia,
            fixed_rows: Vec::new(),
        };
        let count = system.constraints().iter().map(Constraint::num_gaps).sum();
        let mut gaps = vec![0.0; count];
        system.gaps(at.t, at.q, &mut gaps)?;
        place.push(system, contact, at)?;
        // All other constraints that act at this state.
        let mut first = 0;
        for i in 0..system.constraints().len() {
            let gap = gaps.get(first).copied().unwrap_or(0.0);
            first += system.constraints()[i].num_gaps();
            if i != contact {
                let acts = beside.map(|acting| acting.contains(&i));
                place.add_neighbour(system, i, at, gap, acts)?;
            }
        }
        place.problem.prepare(system, at.t, &place.inertia, at.v)?;
        Ok(place)
    }

    /// Appends a constraint with ρ = 0.
    fn push<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<(), MechanismError> {
        let weights = RestitutionWeights::NONE;
        let stage = &mut self.problem;
        stage.push(system, constraint, at, 0.0, Status::Slip, weights)
    }

    /// Adds another constraint where it acts at this state, and its fixed rows.
    fn add_neighbour<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        i: usize,
        at: StateRef<'_>,
        gap: f64,
        acts: Option<bool>,
    ) -> Result<(), MechanismError> {
        let kind = system.constraints()[i].kind;
        if kind == ConstraintKind::NonFirm {
            // A bounded force gives no impulse; rolling acts beside its contact.
            let contact = system.constraints()[i].while_closed;
            let rolls = contact.is_some_and(|contact| self.problem.active.contains(&contact));
            if !(rolls && system.law(i, at, 1.0, Status::Stick)?.is_firm()) {
                return Ok(());
            }
        }
        self.push(system, i, at)?;
        let k = self.problem.active.len() - 1;
        let stage = &mut self.problem;
        let rows = stage.rows(k);
        let (normal, tangential) = match kind {
            ConstraintKind::FrictionJoint { normal_rows } => {
                (normal_rows, rows.start + normal_rows..rows.end)
            }
            ConstraintKind::Contact => {
                // Contacts: closed and not separating.
                let closed = gap <= 1e3 * stage.closed_gap(at.q, at.v, 0.0);
                let closed = acts.unwrap_or(closed);
                let parts = stage.begin[rows.start] > 0.0
                    && stage.has_relative_velocity(k, rows.start..rows.start + 1, at.v);
                if !closed || parts {
                    stage.pop();
                    return Ok(());
                }
                (1, rows.start + 1..rows.end)
            }
            _ => (rows.len(), rows.end..rows.end),
        };
        // All rows are fixed where it sticks, the normal rows where it slides.
        let held = !tangential.is_empty() && !stage.has_relative_velocity(k, tangential, at.v);
        let count = if held { rows.len() } else { normal };
        self.fixed_rows.extend(rows.take(count));
        Ok(())
    }

    /// The jumps of the contact, which slides with U_n = 0 and γ ≤ 0, by the sliding rule of the problem.
    pub(super) fn jumps<S: System + ?Sized>(
        &mut self,
        system: &S,
        at: StateRef<'_>,
    ) -> Result<Vec<ContactJump>, MechanismError> {
        let kinds: Vec<ConstraintKind> = system.constraints().iter().map(|c| c.kind).collect();
        let closed_form = self.problem.jumps(0, &self.fixed_rows, &kinds);
        if let Some(found) = &closed_form {
            let admissible: Vec<&Jump> = found.iter().filter(|jump| jump.admissible).collect();
            // Others that could let go, or slide by friction of their own, are left to the contact solver.
            let mut others = self.problem.active[1..].iter();
            let firm = |c: &usize| {
                matches!(
                    kinds[*c],
                    ConstraintKind::Joint | ConstraintKind::Nonholonomic
                )
            };
            if !admissible.is_empty() || others.all(firm) {
                let jump = |jump: &&Jump| ContactJump {
                    velocity: self.inertia.moved(at.v, &jump.change),
                    segment: jump.segment,
                    impulses: jump.impulses.clone(),
                };
                return Ok(admissible.iter().map(jump).collect());
            }
        }
        let Some(row) = self.problem.reduced_row(0, &self.fixed_rows) else {
            return Ok(Vec::new());
        };
        let zero = self.problem.law[0].gamma(&row) >= -ZERO * row[0];
        let velocity = self.vanishing_approach_jump(system, at, row[0])?;
        let change: Vec<f64> = velocity.iter().zip(at.v).map(|(a, b)| a - b).collect();
        if !(self.inertia.norm(&change) > JUMP * self.inertia.norm(at.v)) {
            return Ok(Vec::new());
        }
        let problem = &self.problem;
        let impulses = (0..problem.active.len()).map(|k| ConstraintImpulse {
            constraint: problem.active[k],
            impulse: problem.impulse[problem.rows(k)].to_vec(),
        });
        Ok(vec![ContactJump {
            velocity,
            segment: zero,
            impulses: impulses.collect(),
        }])
    }

    /// The velocity after a collision of the contact with vanishing approach, U_n⁻ = −ε.
    fn vanishing_approach_jump<S: System + ?Sized>(
        &mut self,
        system: &S,
        at: StateRef<'_>,
        normal: f64,
    ) -> Result<Vec<f64>, MechanismError> {
        let (n, stage) = (self.inertia.n, &mut self.problem);
        let size = dense::dot(&stage.begin, &stage.begin).sqrt();
        let mut free = at.v.to_vec();
        let mut push: Vec<f64> = stage.jacobian[..n].to_vec();
        self.inertia.solve(&mut push);
        // U_n⁻ = −ε exactly: remove the present U_n, then approach. Joints take part in the solve.
        let approach = (stage.begin[0] + APPROACH * size.max(f64::MIN_POSITIVE)) / normal;
        dense::axpy(-approach, &push, &mut free);
        let mut jump = vec![0.0; n];
        stage.solve(system, at.t, &self.inertia, &free, &mut jump, 1e-12)?;
        Ok(jump)
    }
}

/// A velocity to which a contact jumps.
pub(crate) struct ContactJump {
    pub(crate) velocity: Vec<f64>,
    /// Whether every velocity between u⁻ and this is possible, too.
    pub(crate) segment: bool,
    pub(crate) impulses: Vec<ConstraintImpulse>,
}
