//! Evaluated state: everything that accelerations at one state depend on.
//!
//! ```text
//! A = L Lᵀ,   â = Lᵀ a,   Ĝ = G L⁻ᵀ:     â = L⁻¹K + Σ Ĝᵀ R,     U̇ = Ĝ â + (Ġv + Ẇ)
//! ```
//!
//! The equations of an instantaneous jump have the same form, v̂⁺ = v̂⁻ + Σ Ĝᵀ S, U⁺ = Ĝ v̂⁺ + W, and use the same
//! structure.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_convex::dense;

use super::contact_mode::{ConstraintStructure, SetScale, norm};
use crate::error::MechanismError;
use crate::inertia::Inertia;
use crate::system::{ConstraintKind, StateRef, System};

/// One constraint evaluated at one state.
#[derive(Debug, Clone)]
pub(crate) struct EvaluatedConstraint {
    pub(crate) constraint: usize,
    pub(crate) kind: ConstraintKind,
    /// The contact while which it acts.
    pub(crate) while_closed: Option<usize>,
    /// Normal rows, friction parts and force sets.
    pub(crate) structure: ConstraintStructure,
    /// G, rows × n.
    pub(crate) jacobian: Vec<f64>,
    /// Ĝ = G L⁻ᵀ.
    pub(crate) hat: Vec<f64>,
    /// Norms of the rows of Ĝ.
    pub(crate) length: Vec<f64>,
    /// W.
    pub(crate) boundary: Vec<f64>,
    /// Ġv + Ẇ.
    pub(crate) bias: Vec<f64>,
    /// Relative velocity U.
    pub(crate) u: Vec<f64>,
    /// Size of the terms of U, row by row.
    pub(crate) size: Vec<f64>,
}

impl EvaluatedConstraint {
    pub(crate) fn rows(&self) -> usize {
        self.u.len()
    }

    /// Row i of Ĝ.
    pub(crate) fn hat_row(&self, i: usize) -> &[f64] {
        let n = self.hat.len() / self.u.len().max(1);
        &self.hat[i * n..(i + 1) * n]
    }

    /// Norm of the sizes of the terms of U over some rows.
    pub(crate) fn speed(&self, rows: std::ops::Range<usize>) -> f64 {
        norm(&self.size[rows])
    }
}

/// A state with its evaluated constraints.
#[derive(Debug, Clone)]
pub(crate) struct EvaluatedState {
    pub(crate) inertia: Inertia,
    /// L⁻¹K, the acceleration without reactions; or v̂⁻ of a jump.
    pub(crate) free: Vec<f64>,
    pub(crate) locals: Vec<EvaluatedConstraint>,
}

impl EvaluatedState {
    /// Evaluates the constraints `members` at a state.
    pub(crate) fn new<S: System>(
        system: &mut S,
        at: StateRef<'_>,
        members: &[usize],
    ) -> Result<Self, MechanismError> {
        let n = at.v.len();
        let mut inertia = Inertia::new(n);
        inertia.evaluate(system, at)?;
        // Free acceleration L⁻¹K.
        let mut free = inertia.force.clone();
        dense::solve_lower(&inertia.factor, n, &mut free);
        let mut locals = Vec::with_capacity(members.len());
        for &constraint in members {
            locals.push(local(system, at, constraint, &inertia)?);
        }
        let mut state = Self {
            inertia,
            free,
            locals,
        };
        state.set_reaction_bounds(system, at)?;
        Ok(state)
    }

    pub(crate) fn n(&self) -> usize {
        self.inertia.n
    }

    /// The jump problem at this state: U⁺ takes the place of U̇, impulses that of reactions, and every constraint may
    /// begin to stick or slide.
    pub(crate) fn impulsive(&self, v: &[f64]) -> Self {
        let mut frame = self.clone();
        frame.free = self.to_kinetic(v);
        for local in &mut frame.locals {
            // U⁺ = Ĝ v̂⁺ + W has the form of U̇ = Ĝ â + bias.
            local.bias.copy_from_slice(&local.boundary);
            local.u.fill(0.0);
            if local.structure.scale == SetScale::Fixed {
                for part in &mut local.structure.parts {
                    part.slide_set = part.slide_set.impulsive();
                    part.stick_set = part.stick_set.impulsive();
                }
            }
        }
        frame
    }

    /// Kinetic coordinates Lᵀ x.
    pub(crate) fn to_kinetic(&self, x: &[f64]) -> Vec<f64> {
        let (n, l) = (self.n(), &self.inertia.factor);
        let entry = |i: usize| (i..n).map(|j| l[j * n + i] * x[j]).sum();
        (0..n).map(entry).collect()
    }

    /// From kinetic coordinates: L⁻ᵀ x̂.
    pub(crate) fn physical_from_kinetic(&self, hat: &[f64]) -> Vec<f64> {
        let mut x = hat.to_vec();
        dense::solve_lower_transposed(&self.inertia.factor, self.n(), &mut x);
        x
    }
}

/// Evaluates one constraint.
fn local<S: System>(
    system: &mut S,
    at: StateRef<'_>,
    constraint: usize,
    inertia: &Inertia,
) -> Result<EvaluatedConstraint, MechanismError> {
    let n = at.v.len();
    let (kind, rows, while_closed) = {
        let description = &system.constraints()[constraint];
        (description.kind, description.rows, description.while_closed)
    };
    let (mut jacobian, mut boundary) = (vec![0.0; rows * n], vec![0.0; rows]);
    system.rows(constraint, at.t, at.q, &mut jacobian, &mut boundary)?;
    let mut bias = vec![0.0; rows];
    system.bias(constraint, at.t, at.q, at.v, &mut bias)?;
    let mut hat = jacobian.clone();
    let (mut u, mut size) = (boundary.clone(), vec![0.0; rows]);
    let mut length = Vec::with_capacity(rows);
    // U with the size of its terms, and Ĝ.
    for i in 0..rows {
        let g = &jacobian[i * n..(i + 1) * n];
        u[i] += dense::dot(g, at.v);
        size[i] = boundary[i].abs() + (0..n).map(|j| (g[j] * at.v[j]).abs()).sum::<f64>();
        let row = &mut hat[i * n..(i + 1) * n];
        dense::solve_lower(&inertia.factor, n, row);
        length.push(norm(row));
    }
    Ok(EvaluatedConstraint {
        constraint,
        kind,
        while_closed,
        structure: constraint_structure(system, at, constraint, kind, rows)?,
        jacobian,
        hat,
        length,
        boundary,
        bias,
        u,
        size,
    })
}

/// Structure of a constraint from its laws while sliding and while sticking.
fn constraint_structure<S: System>(
    system: &mut S,
    at: StateRef<'_>,
    constraint: usize,
    kind: ConstraintKind,
    rows: usize,
) -> Result<ConstraintStructure, MechanismError> {
    // Bilateral constraints need no evaluation of a law.
    let firm = matches!(kind, ConstraintKind::Joint | ConstraintKind::Nonholonomic);
    let (slide, hold) = if firm {
        (Law::Bilateral, Law::Bilateral)
    } else {
        let slide = system.law(constraint, at, 1.0, Status::Slip)?;
        // Only laws with static and dynamic coefficients differ; a second evaluation costs more than this test.
        let hold = match slide {
            Law::Frictionless | Law::NonFirm(_) => slide.clone(),
            _ => system.law(constraint, at, 1.0, Status::Stick)?,
        };
        (slide, hold)
    };
    ConstraintStructure::new(&slide, &hold, rows)
        .ok_or_else(|| no_switching_rule(system, at, constraint))
}

/// Error: a set without an event-driven form.
pub(super) fn no_switching_rule<S: System>(
    system: &S,
    at: StateRef<'_>,
    constraint: usize,
) -> MechanismError {
    MechanismError::EventDriven {
        t: at.t,
        reason: format!(
            "the force set of `{}` is a sum of several sets or a polytope over several rows, for which \
             it has no switching rule; use a time-stepping integrator",
            system.constraints()[constraint].name
        ),
    }
}
