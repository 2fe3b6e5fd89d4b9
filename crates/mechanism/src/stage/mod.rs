//! The contact problem (★) of one step or one impact, for the constraints that take part.
//!
//! ```text
//! v_F = v_L + A⁻¹ Σ Gᵀ S,     law_α(Ū_α, S_α),     Ū = U_F + ρ U_I,   U = G v + W
//! ```
//!
//! ρ is the restitution of contacts. For bilateral rows it is 1 in a midpoint
//! step: G(q_M)·½(v_I + v_F) = 0 keeps the step symmetric, hence of second order, and the reaction
//! does no work, where G(q_M) v_F = 0 would lose a share (ωh)²/2 of the energy in every step.

mod least;
mod report;
mod solve;

use ::solve::DenseNlgs;
use contact::law::Status;
use contact::{Law, Problem, Restitution};
use convex::dense;

use crate::error::MechanismError;
use crate::impact::ImpactResult;
use crate::settings::Scheme;
use crate::system::{StateRef, ConstraintKind, System};

/// Contacts this near, relative to the lengths at hand, touch. A step cannot tell them from closed
/// ones, and to stop one this early moves nothing that a step resolves.
const CLOSED_GAP_TOLERANCE: f64 = 1e-9;

/// How far a solve got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SolveSummary {
    pub(crate) residual: f64,
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    /// Two constraints that no velocity satisfies together, where that is proven.
    pub(crate) infeasible: [Option<u32>; 2],
}

/// Which way a contact slides that the normal impulse pushes aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SlidingRule {
    /// Against its tangential impulse (M88 12.2).
    #[default]
    Coulomb,
    /// Where the kinetic energy is least (P15 7).
    LeastEnergy,
}

impl SlidingRule {
    /// The law of a scheme.
    pub(crate) fn of(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Paoli => Self::LeastEnergy,
            Scheme::Midpoint | Scheme::Theta(_) | Scheme::Event => Self::Coulomb,
        }
    }
}

/// What weighs U_I in the rows of each kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RestitutionWeights {
    /// Whether contacts rebound within the problem.
    pub(crate) contacts_rebound: bool,
    /// Weight of bilateral rows.
    pub(crate) bilateral: f64,
}

/// The constraints of one problem; buffers are kept.
#[derive(Debug, Default)]
pub(crate) struct StepProblem {
    n: usize,
    /// Constraints that take part.
    pub(crate) active: Vec<usize>,
    /// First row of each, and the number of rows.
    pub(crate) offset: Vec<usize>,
    pub(crate) law: Vec<Law>,
    /// Restitution of each.
    pub(crate) restitution: Vec<Restitution>,
    /// G, rows × n.
    pub(crate) jacobian: Vec<f64>,
    /// W by row.
    pub(crate) boundary: Vec<f64>,
    /// U_I by row.
    pub(crate) begin: Vec<f64>,
    /// ρ by row.
    pub(crate) restitution_weight: Vec<f64>,
    /// S by row.
    pub(crate) impulse: Vec<f64>,
    /// U_F by row.
    pub(crate) end: Vec<f64>,
    /// Ū = U_F + ρ U_I by row.
    weighted_velocity: Vec<f64>,
    /// U and S of an impact that was treated apart from the step, by row.
    separate_impact: Option<(Vec<f64>, Vec<f64>)>,
    /// Ū without impulses, by row.
    free: Vec<f64>,
    /// G L⁻ᵀ.
    kinetic_jacobian: Vec<f64>,
    /// ρ U_I by row, with the lean.
    rebound: Vec<f64>,
    /// What is added to the velocity of a row before its law.
    least_energy_shift: Vec<f64>,
    pub(crate) sliding_rule: SlidingRule,
    /// A vector of coordinates: v̂_free, then the change of v.
    coordinates: Vec<f64>,
    /// The problem that was solved last.
    problem: Option<Problem>,
    solver: DenseNlgs,
}

impl StepProblem {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            offset: vec![0],
            ..Self::default()
        }
    }

    /// Rows of the `k`-th constraint that takes part.
    pub(crate) fn rows(&self, k: usize) -> std::ops::Range<usize> {
        self.offset[k]..self.offset[k + 1]
    }

    pub(crate) fn clear(&mut self) {
        self.active.clear();
        self.offset.truncate(1);
        self.law.clear();
        self.restitution.clear();
        self.jacobian.clear();
        self.boundary.clear();
        self.begin.clear();
        self.restitution_weight.clear();
        self.impulse.clear();
        self.end.clear();
        self.least_energy_shift.clear();
        self.separate_impact = None;
    }

    /// An impact came before: the step starts from the velocity `v` it left.
    pub(crate) fn begin_after_impact(&mut self, impact: &ImpactResult, v: &[f64]) {
        let (n, before) = (self.n, self.begin.clone());
        let mut impulse = vec![0.0; before.len()];
        for (constraint, given) in &impact.impulse {
            if let Some(k) = self.active.iter().position(|c| c == constraint) {
                impulse[self.offset[k]..self.offset[k + 1]].copy_from_slice(given);
            }
        }
        for row in 0..self.begin.len() {
            let g = &self.jacobian[row * n..(row + 1) * n];
            self.begin[row] = self.boundary[row] + dense::dot(g, v);
        }
        self.separate_impact = Some((before, impulse));
    }

    /// Joins the impact and the rest of the step: U_I before both, S of both.
    pub(crate) fn merge_impact(&mut self) {
        if let Some((before, impulse)) = self.separate_impact.take() {
            self.begin = before;
            let both = self.impulse.iter_mut().zip(impulse);
            both.for_each(|(total, struck)| *total += struck);
        }
    }

    /// Makes the last constraint one on positions: its first rows with `values` in place of
    /// velocities.
    pub(crate) fn replace_by_position_rows(&mut self, values: &[f64], law: Law) {
        self.truncate_rows(values.len(), law);
        let first = self.boundary.len() - values.len();
        self.boundary[first..].copy_from_slice(values);
        self.restitution_weight[first..].fill(0.0);
    }

    /// Keeps the first rows of the last constraint, under another law.
    pub(crate) fn truncate_rows(&mut self, rows: usize, law: Law) {
        let k = self.active.len() - 1;
        let last = self.offset[k] + rows;
        self.offset[k + 1] = last;
        self.jacobian.truncate(last * self.n);
        self.boundary.truncate(last);
        self.begin.truncate(last);
        self.restitution_weight.truncate(last);
        self.impulse.truncate(last);
        self.end.truncate(last);
        self.law[k] = law;
    }

    /// Takes the last constraint out again.
    pub(crate) fn pop(&mut self) {
        self.active.pop();
        self.offset.pop();
        self.law.pop();
        self.restitution.pop();
        let last = self.offset.last().copied().unwrap_or(0);
        self.jacobian.truncate(last * self.n);
        self.boundary.truncate(last);
        self.begin.truncate(last);
        self.restitution_weight.truncate(last);
        self.impulse.truncate(last);
        self.end.truncate(last);
    }

    /// Whether the last contact touches although its gap is above rounding: it is near, and does not
    /// part. One that parts is open, however near (Painlevé's rod in flight).
    pub(crate) fn is_closed(&self, gap: f64, (q, v): (&[f64], &[f64]), h: f64) -> bool {
        let k = self.active.len() - 1;
        let row = self.offset[k];
        let parts = self.begin[row] > 0.0 && self.has_relative_velocity(k, row..row + 1, v);
        gap <= self.closed_gap(q, v, h) && !parts
    }

    /// The gap up to which the last contact touches: a billionth of the lengths that the gap is made
    /// of and of the way of a step. Gaps of a few roundings must not decide which contacts take part
    /// in a multiple impact.
    pub(crate) fn closed_gap(&self, q: &[f64], v: &[f64], h: f64) -> f64 {
        let row = self.offset[self.active.len() - 1] * self.n;
        let normal = &self.jacobian[row..row + self.n];
        let way: f64 = normal.iter().zip(v).map(|(g, v)| (g * v).abs()).sum();
        let length: f64 = match q.len() == self.n {
            true => normal.iter().zip(q).map(|(g, q)| (g * q).abs()).sum(),
            // Orientations have more positions than velocities: one radian of each coordinate.
            false => normal.iter().map(|g| g.abs()).sum(),
        };
        CLOSED_GAP_TOLERANCE * (length + h * way)
    }

    /// Adds a constraint: its rows at `at`, its law over the time `h`, its restitution at the
    /// velocity `at.v` before.
    pub(crate) fn push<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
        weights: RestitutionWeights,
    ) -> Result<(), MechanismError> {
        let (n, first) = (self.n, self.boundary.len());
        let description = &system.constraints()[constraint];
        let (kind, rows) = (description.kind, description.rows);
        let last = first + rows;
        self.jacobian.resize(last * n, 0.0);
        self.boundary.resize(last, 0.0);
        let jacobian = &mut self.jacobian[first * n..];
        system.rows(
            constraint,
            at.t,
            at.q,
            jacobian,
            &mut self.boundary[first..],
        )?;
        let restitution = match kind {
            ConstraintKind::Contact => restitution(system, constraint, at)?,
            _ => Restitution::default(),
        };
        for row in 0..rows {
            let g = &self.jacobian[(first + row) * n..(first + row + 1) * n];
            let speed = self.boundary[first + row] + dense::dot(g, at.v);
            self.begin.push(speed);
            let rebound = if row == 0 {
                restitution.normal
            } else {
                restitution.tangential
            };
            self.restitution_weight.push(match kind {
                ConstraintKind::Contact => f64::from(u8::from(weights.contacts_rebound)) * rebound,
                ConstraintKind::Joint | ConstraintKind::Nonholonomic => weights.bilateral,
                ConstraintKind::FrictionJoint { normal_rows } if row < normal_rows => weights.bilateral,
                ConstraintKind::FrictionJoint { .. } | ConstraintKind::NonFirm => 0.0,
            });
        }
        self.law.push(system.law(constraint, at, h, previous)?);
        self.restitution.push(restitution);
        self.active.push(constraint);
        self.offset.push(last);
        self.impulse.resize(last, 0.0);
        self.end.resize(last, 0.0);
        Ok(())
    }
}

/// The restitution of a contact, refused where no impact law has it.
pub(crate) fn restitution<S: System + ?Sized>(
    system: &mut S,
    constraint: usize,
    at: StateRef<'_>,
) -> Result<Restitution, MechanismError> {
    let found = system.restitution(constraint, at)?;
    for value in [found.normal, found.tangential] {
        if !(0.0..=1.0).contains(&value) {
            return Err(MechanismError::Restitution {
                constraint: system.constraints()[constraint].name.clone(),
                value,
                t: at.t,
            });
        }
    }
    Ok(found)
}
