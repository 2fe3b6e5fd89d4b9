//! The contact problem (★) of one step or one impact, for the constraints that take part.
//!
//! ```text
//! v_F = v_L + A⁻¹ Σ Gᵀ S,     law_α(Ū_α, S_α),     Ū = U_F + ρ U_I,   U = G v + W
//! ```
//!
//! ρ is the restitution of contacts. For bilateral rows it is 1 in a midpoint
//! step: G(q_M)·½(v_I + v_F) = 0 keeps the step symmetric, hence of second order, and the reaction
//! does no work, where G(q_M) v_F = 0 would lose a share (ωh)²/2 of the energy in every step.

mod report;
mod solve;

use ::solve::Auto;
use contact::law::Status;
use contact::{Law, Restitution};
use convex::dense;

use crate::error::MechanismError;
use crate::impact::Impact;
use crate::system::{Instant, Kind, System};

/// How far a solve got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Solved {
    pub(crate) residual: f64,
    pub(crate) iterations: usize,
    pub(crate) reached: bool,
}

/// What weighs U_I in the rows of each kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    /// Whether contacts rebound within the problem.
    pub(crate) rebound: bool,
    /// Weight of bilateral rows.
    pub(crate) bilateral: f64,
}

/// The constraints of one problem; buffers are kept.
#[derive(Debug, Default)]
pub(crate) struct Stage {
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
    pub(crate) weight: Vec<f64>,
    /// S by row.
    pub(crate) impulse: Vec<f64>,
    /// U_F by row.
    pub(crate) end: Vec<f64>,
    /// Ū = U_F + ρ U_I by row.
    weighted: Vec<f64>,
    /// U and S of an impact that was treated apart from the step, by row.
    struck: Option<(Vec<f64>, Vec<f64>)>,
    /// Ū without impulses, by row.
    free: Vec<f64>,
    /// Sum of the sizes of the terms of `free`, by row.
    size: Vec<f64>,
    /// G L⁻ᵀ.
    hat: Vec<f64>,
    /// 𝒲, dense.
    matrix: Vec<f64>,
    kappa: Vec<f64>,
    block: Vec<f64>,
    natural: Vec<f64>,
    auto: Auto,
}

impl Stage {
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
        self.weight.clear();
        self.impulse.clear();
        self.end.clear();
        self.struck = None;
    }

    /// An impact came before: the step starts from the velocity `v` it left.
    pub(crate) fn note_strike(&mut self, impact: &Impact, v: &[f64]) {
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
        self.struck = Some((before, impulse));
    }

    /// Joins the impact and the rest of the step: U_I before both, S of both.
    pub(crate) fn join_strike(&mut self) {
        if let Some((before, impulse)) = self.struck.take() {
            self.begin = before;
            let both = self.impulse.iter_mut().zip(impulse);
            both.for_each(|(total, struck)| *total += struck);
        }
    }

    /// Makes the last constraint one on positions: its first rows with `values` in place of
    /// velocities.
    pub(crate) fn keep_position_rows(&mut self, values: &[f64], law: Law) {
        self.keep_rows(values.len(), law);
        let first = self.boundary.len() - values.len();
        self.boundary[first..].copy_from_slice(values);
        self.weight[first..].fill(0.0);
    }

    /// Keeps the first rows of the last constraint, under another law.
    pub(crate) fn keep_rows(&mut self, rows: usize, law: Law) {
        let k = self.active.len() - 1;
        let last = self.offset[k] + rows;
        self.offset[k + 1] = last;
        self.jacobian.truncate(last * self.n);
        self.boundary.truncate(last);
        self.begin.truncate(last);
        self.weight.truncate(last);
        self.impulse.truncate(last);
        self.end.truncate(last);
        self.law[k] = law;
    }

    /// Adds a constraint: its rows at `at`, its law over the time `h`, its restitution at the
    /// velocity `at.v` before.
    pub(crate) fn push<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        constraint: usize,
        at: Instant<'_>,
        h: f64,
        previous: Status,
        weights: Weights,
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
            Kind::Contact => restitution(system, constraint, at)?,
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
            self.weight.push(match kind {
                Kind::Contact => f64::from(u8::from(weights.rebound)) * rebound,
                Kind::Joint | Kind::Velocity => weights.bilateral,
                Kind::FrictionJoint { normal_rows } if row < normal_rows => weights.bilateral,
                Kind::FrictionJoint { .. } | Kind::NonFirm => 0.0,
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
    at: Instant<'_>,
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
