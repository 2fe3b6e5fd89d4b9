//! The one-step contact problem (★) of a time step or an impact, over the active constraints.
//!
//! ```text
//! v_F = v_L + A⁻¹ Σ Gᵀ S,     law_α(Ū_α, S_α),     Ū = U_F + ρ U_I,   U = G v + W
//! ```
//!
//! ρ is the restitution of contacts. For bilateral rows it is 1 in a midpoint step: G(q_M)·½(v_I + v_F) = 0 keeps the
//! step symmetric, hence of second order, and the reaction does no work, whereas G(q_M) v_F = 0 would lose a share
//! (ωh)²/2 of the energy in every step.
//!
//! `mod.rs` collects the rows, laws and weights; `solve` builds a [`percuss_contact::Problem`] in kinetic coordinates and
//! solves it by dense nonlinear Gauss–Seidel; `least_energy` adds the least-energy variant of Paoli's scheme; `report` reads
//! status and Painlevé's γ off the solution; `jumps` has the jumps of one contact in closed form.

mod jumps;
mod least_energy;
mod report;
mod solve;

pub(crate) use jumps::Jump;

use ::percuss_solve::DenseNlgs;
use percuss_contact::law::Status;
use percuss_contact::{Law, Problem, Restitution};
use percuss_convex::dense;

use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::settings::Scheme;
use crate::system::{ConstraintKind, StateRef, System};

/// Closed-contact tolerance, relative to the lengths that the gap is made of. A step cannot tell such contacts from
/// closed ones, and to stop one this early changes nothing that a step resolves.
const CLOSED_GAP_TOLERANCE: f64 = 1e-9;

/// Residual, iterations and outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SolveSummary {
    /// Velocity residual RV; in Paoli's scheme no less than the distance from the least-energy velocities.
    pub(crate) residual: f64,
    /// Iterations of the solver, over all rounds.
    pub(crate) iterations: usize,
    /// Whether the residual reached the tolerance.
    pub(crate) converged: bool,
    /// Two constraints that no velocity satisfies together, where that is proven by Farkas multipliers.
    pub(crate) infeasible: [Option<u32>; 2],
}

impl SolveSummary {
    /// Includes a second solve of the same step: the larger residual decides.
    pub(crate) fn include(&mut self, other: Self) {
        self.residual = self.residual.max(other.residual);
        self.iterations += other.iterations;
        self.converged &= other.converged;
        if self.infeasible == [None; 2] {
            self.infeasible = other.infeasible;
        }
    }
}

/// Sliding rule: the direction in which a contact slides where its normal impulse also changes the tangential velocity
/// (W_tn ≠ 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SlidingRule {
    /// Coulomb's law: against the tangential impulse (M88 12.2).
    #[default]
    Coulomb,
    /// The velocity of least kinetic energy (P15 7).
    LeastEnergy,
}

impl SlidingRule {
    /// The sliding rule of a scheme.
    pub(crate) fn of(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Paoli => Self::LeastEnergy,
            Scheme::Midpoint | Scheme::Projected | Scheme::Theta(_) | Scheme::Event => {
                Self::Coulomb
            }
        }
    }
}

/// Weights ρ of U_I by kind of row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RestitutionWeights {
    /// Whether contacts use their restitution within the problem (otherwise ρ = 0).
    pub(crate) contacts_rebound: bool,
    /// ρ of bilateral rows.
    pub(crate) bilateral: f64,
}

impl RestitutionWeights {
    /// No restitution, no weight of the velocity before.
    pub(crate) const NONE: Self = Self {
        contacts_rebound: false,
        bilateral: 0.0,
    };
}

/// Impulse of one constraint, by row.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintImpulse {
    /// Index of the constraint.
    pub constraint: usize,
    /// S by row.
    pub impulse: Vec<f64>,
}

/// An impact applied before the step: U_I before it, and its impulses, by row of the problem.
#[derive(Debug)]
pub(crate) struct SeparateImpact {
    begin: Vec<f64>,
    impulse: Vec<f64>,
}

/// Rows, laws, impulses and velocities of the active constraints. Buffers are kept from problem to problem.
#[derive(Debug, Default)]
pub(crate) struct StepProblem {
    /// Number n of velocities.
    n: usize,
    /// Indices of the active constraints.
    pub(crate) active: Vec<usize>,
    /// First row of each active constraint, then the number of rows.
    pub(crate) offset: Vec<usize>,
    /// Law of each active constraint.
    pub(crate) law: Vec<Law>,
    /// Restitution of each active constraint.
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
    /// Weighted velocity Ū = U_F + ρ U_I by row.
    weighted_velocity: Vec<f64>,
    /// Weighted free velocity by row: Ū without impulses.
    free: Vec<f64>,
    /// Jacobian in kinetic coordinates, Ĝ = G L⁻ᵀ.
    kinetic_jacobian: Vec<f64>,
    /// ρ U_I by row, plus the least-energy shift.
    rebound: Vec<f64>,
    /// Least-energy shift, added to the velocity of a tangential row before its law is applied.
    least_energy_shift: Vec<f64>,
    /// Impulses of least energy of each contact, with those of the others as they are.
    least_energy_impulse: Vec<f64>,
    /// Coulomb's law or least energy.
    pub(crate) sliding_rule: SlidingRule,
    /// A vector of velocity coordinates: v̂_free = Lᵀ v_L, then the change of v.
    coordinates: Vec<f64>,
    /// The problem that was solved last; its memory is recycled.
    problem: Option<Problem>,
    /// Dense Gauss–Seidel solver of small problems, which falls back to `solve::Auto`.
    solver: DenseNlgs,
    /// Conditional constraints that were released in this step, with the law they had.
    released: Vec<(usize, Law)>,
}

impl StepProblem {
    /// An empty problem over n velocities.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            offset: vec![0],
            ..Self::default()
        }
    }

    /// Rows of the `k`-th active constraint.
    pub(crate) fn rows(&self, k: usize) -> std::ops::Range<usize> {
        self.offset[k]..self.offset[k + 1]
    }

    /// G of one row.
    pub(crate) fn jacobian_row(&self, row: usize) -> &[f64] {
        &self.jacobian[row * self.n..(row + 1) * self.n]
    }

    /// Removes all constraints; keeps the memory.
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
        self.released.clear();
    }

    /// Gives the `k`-th constraint the law of no reaction, and keeps its own.
    pub(crate) fn release(&mut self, k: usize, nothing: Law) {
        let law = std::mem::replace(&mut self.law[k], nothing);
        self.released.push((k, law));
        let rows = self.rows(k);
        self.impulse[rows].fill(0.0);
    }

    /// Gives the `k`-th constraint back the law it had before its release.
    pub(crate) fn restore(&mut self, k: usize) {
        if let Some(at) = self.released.iter().position(|(place, _)| *place == k) {
            self.law[k] = self.released.swap_remove(at).1;
        }
    }

    /// Whether the `k`-th constraint is released.
    pub(crate) fn released(&self, k: usize) -> bool {
        self.released.iter().any(|(place, _)| *place == k)
    }

    /// Starts the step from the velocity `v` after an impact with these impulses: recomputes U_I. Returns what
    /// [`Self::merge_impact`] needs.
    pub(crate) fn begin_after_impact(
        &mut self,
        impulses: &[ConstraintImpulse],
        v: &[f64],
    ) -> SeparateImpact {
        let begin = self.begin.clone();
        // Impulses of the impact in the order of the active rows.
        let mut impulse = vec![0.0; begin.len()];
        for given in impulses {
            if let Some(k) = self.active.iter().position(|c| *c == given.constraint) {
                impulse[self.offset[k]..self.offset[k + 1]].copy_from_slice(&given.impulse);
            }
        }
        // U_I after the impact.
        self.begin_with(v);
        SeparateImpact { begin, impulse }
    }

    /// Merges an earlier impact into the step: U_I before both, S the sum of both.
    pub(crate) fn merge_impact(&mut self, impact: SeparateImpact) {
        self.begin = impact.begin;
        let both = self.impulse.iter_mut().zip(impact.impulse);
        both.for_each(|(total, struck)| *total += struck);
    }

    /// Turns the last constraint into one on positions: its first rows, with the gaps `values` in place of W.
    pub(crate) fn replace_by_position_rows(&mut self, values: &[f64], law: Law) {
        self.truncate_rows(values.len(), law);
        let first = self.boundary.len() - values.len();
        self.boundary[first..].copy_from_slice(values);
        self.restitution_weight[first..].fill(0.0);
    }

    /// Truncates the last constraint to its first rows, under another law.
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

    /// Gives all rows of the last constraint the weight ρ.
    pub(crate) fn set_last_weight(&mut self, rho: f64) {
        let first = self.offset[self.active.len() - 1];
        self.restitution_weight[first..].fill(rho);
    }

    /// Starts the last constraint with the impulses `impulse`, and takes A⁻¹ Gᵀ of them off the velocity `free`.
    pub(crate) fn take_from_velocity(
        &mut self,
        impulse: &[f64],
        inertia: &Inertia,
        free: &mut [f64],
    ) {
        let (n, first) = (self.n, self.offset[self.active.len() - 1]);
        self.impulse[first..].copy_from_slice(impulse);
        let mut change = vec![0.0; n];
        for (row, s) in (first..).zip(impulse) {
            dense::axpy(*s, &self.jacobian[row * n..(row + 1) * n], &mut change);
        }
        inertia.solve(&mut change);
        dense::axpy(-1.0, &change, free);
    }

    /// Lets the last constraint, a contact, slide along the sum of its tangential velocity and of that with `v` at (t, q).
    pub(crate) fn add_to_sliding<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), MechanismError> {
        let first = self.offset[self.active.len() - 1];
        let rows = self.boundary.len() - first;
        let (mut jacobian, mut boundary) = (vec![0.0; rows * self.n], vec![0.0; rows]);
        system.rows(constraint, t, q, &mut jacobian, &mut boundary)?;
        for row in 1..rows {
            let g = &jacobian[row * self.n..(row + 1) * self.n];
            self.begin[first + row] = boundary[row] + dense::dot(g, v);
            self.restitution_weight[first + row] = 1.0;
        }
        Ok(())
    }

    /// Sets U_I of all rows to the velocities with `v`.
    pub(crate) fn begin_with(&mut self, v: &[f64]) {
        for row in 0..self.begin.len() {
            let g = &self.jacobian[row * self.n..(row + 1) * self.n];
            self.begin[row] = self.boundary[row] + dense::dot(g, v);
        }
    }

    /// Removes the last constraint.
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

    /// Whether the last contact is closed although its gap is above rounding: the gap is within tolerance and the
    /// contact does not separate. A contact that separates is open, however near (Painlevé's rod in flight).
    pub(crate) fn is_closed(&self, gap: f64, at: StateRef<'_>, h: f64) -> bool {
        let k = self.active.len() - 1;
        let row = self.offset[k];
        // A separation velocity above rounding keeps the contact open.
        let parts = self.begin[row] > 0.0 && self.has_relative_velocity(k, row..row + 1, at.v);
        gap <= self.closed_gap(at.q, at.v, h) && !parts
    }

    /// The gap up to which the last contact is closed: a billionth of the lengths that the gap is made of and of the
    /// distance travelled in a step. Gaps of a few roundings must not decide which contacts take part in a multiple
    /// impact.
    pub(crate) fn closed_gap(&self, q: &[f64], v: &[f64], h: f64) -> f64 {
        let row = self.offset[self.active.len() - 1] * self.n;
        let normal = &self.jacobian[row..row + self.n];
        // Sum of absolute terms: the lengths that cancel in the gap.
        let way: f64 = normal.iter().zip(v).map(|(g, v)| (g * v).abs()).sum();
        let length: f64 = match q.len() == self.n {
            true => normal.iter().zip(q).map(|(g, q)| (g * q).abs()).sum(),
            // Orientations have more positions than velocities: take one radian for each coordinate.
            false => normal.iter().map(|g| g.abs()).sum(),
        };
        CLOSED_GAP_TOLERANCE * (length + h * way)
    }

    /// Appends a constraint: its rows at `at`, its law over the time `h`, its restitution at the velocity `at.v`.
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
        // G and W of the constraint.
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
        // Only contacts have a restitution.
        let restitution = match kind {
            ConstraintKind::Contact => restitution(system, constraint, at)?,
            _ => Restitution::default(),
        };
        // U_I and ρ of each row.
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
                ConstraintKind::FrictionJoint { normal_rows } if row < normal_rows => {
                    weights.bilateral
                }
                ConstraintKind::FrictionJoint { .. } | ConstraintKind::NonFirm => 0.0,
            });
        }
        // Law, and room for impulse and end velocity.
        self.law.push(system.law(constraint, at, h, previous)?);
        self.restitution.push(restitution);
        self.active.push(constraint);
        self.offset.push(last);
        self.impulse.resize(last, 0.0);
        self.end.resize(last, 0.0);
        Ok(())
    }
}

/// Restitution of a contact; refused outside [0, 1].
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
