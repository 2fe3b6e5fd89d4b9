//! The contact problem (★) of one step or one impact, for the constraints that take part.
//!
//! ```text
//! v_F = v_L + A⁻¹ Σ Gᵀ S,     law_α(Ū_α, S_α),     Ū = U_F + ρ U_I,   U = G v + W
//! ```
//!
//! One constraint alone is solved exactly by its law; several go to the solver as a problem in
//! kinetic coordinates. ρ is the restitution of contacts. For bilateral rows it is 1 in a midpoint
//! step: G(q_M)·½(v_I + v_F) = 0 keeps the step symmetric, hence of second order, and the reaction
//! does no work, where G(q_M) v_F = 0 would lose a share (ωh)²/2 of the energy in every step.

use contact::law::Status;
use contact::{Kinetic, Law, ProblemError, Restitution};
use convex::dense;
use solve::{Auto, Goal, Outcome, Solver, bilateral};

use crate::error::MechanismError;
use crate::impact::Impact;
use crate::inertia::Inertia;
use crate::system::{Instant, Kind, System};

/// A normal row is no direction when G_n A⁻¹ G_nᵀ is below this share of |G_n| squared times the
/// largest inverse inertia met in the block.
const NO_DIRECTION: f64 = 1e-24;

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
    /// U and S of an impact that was treated apart from the step, by row.
    struck: Option<(Vec<f64>, Vec<f64>)>,
    /// Ū without impulses, by row.
    free: Vec<f64>,
    /// G L⁻ᵀ.
    hat: Vec<f64>,
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
        let k = self.active.len() - 1;
        let last = self.offset[k] + values.len();
        self.offset[k + 1] = last;
        self.jacobian.truncate(last * self.n);
        self.boundary.truncate(last);
        self.boundary[self.offset[k]..].copy_from_slice(values);
        self.begin.truncate(last);
        self.weight.truncate(last);
        self.weight[self.offset[k]..].fill(0.0);
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

    /// Solves (★) from the velocity without impulses `free` in the metric of `inertia`; `v` becomes
    /// v_F, the impulses and U_F are kept. Impulses held before are the start.
    pub(crate) fn solve<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        v: &mut [f64],
        tolerance: f64,
    ) -> Result<Solved, MechanismError> {
        v.copy_from_slice(free);
        if self.active.is_empty() {
            return Ok(Solved {
                residual: 0.0,
                iterations: 0,
                reached: true,
            });
        }
        self.prepare(system, t, inertia, free)?;
        let mut solved = None;
        if self.active.len() == 1 {
            solved = self.solve_alone().filter(|s| s.residual <= tolerance);
        }
        let solved = match solved {
            Some(solved) => solved,
            None => self.solve_together(system, t, inertia, free, tolerance)?,
        };
        self.apply(inertia, v);
        Ok(solved)
    }

    /// Ĝ, Ū without impulses, and that every contact has a direction.
    fn prepare<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
    ) -> Result<(), MechanismError> {
        let n = self.n;
        self.hat.clear();
        self.hat.extend_from_slice(&self.jacobian);
        self.free.clear();
        for row in 0..self.boundary.len() {
            let g = &self.jacobian[row * n..(row + 1) * n];
            let u = self.boundary[row] + dense::dot(g, free) + self.weight[row] * self.begin[row];
            self.free.push(u);
            dense::solve_lower(&inertia.factor, n, &mut self.hat[row * n..(row + 1) * n]);
        }
        for (k, &constraint) in self.active.iter().enumerate() {
            let row = self.offset[k];
            let size = dense::dot(
                &self.hat[row * n..(row + 1) * n],
                &self.hat[row * n..(row + 1) * n],
            );
            let lightest = (0..n).fold(0.0_f64, |m, i| {
                m.max(1.0 / inertia.factor[i * n + i].powi(2))
            });
            if self.law[k].normal() && !(size > NO_DIRECTION * lightest) {
                let name = &system.constraints()[constraint].name;
                return Err(MechanismError::Dependent {
                    names: format!("`{name}`"),
                    t,
                    detail:
                        "its gap is closed and has no gradient, so no direction in which to act"
                            .to_string(),
                });
            }
        }
        Ok(())
    }

    /// One constraint: its law solves it exactly.
    fn solve_alone(&mut self) -> Option<Solved> {
        let (n, d) = (self.n, self.boundary.len());
        self.block.resize(d * d, 0.0);
        for i in 0..d {
            for j in 0..d {
                let (a, b) = (&self.hat[i * n..(i + 1) * n], &self.hat[j * n..(j + 1) * n]);
                self.block[i * d + j] = dense::dot(a, b);
            }
        }
        let trace: f64 = (0..d).map(|i| self.block[i * d + i]).sum();
        if !(trace > 0.0) {
            return None;
        }
        let law = &self.law[0];
        law.solve_local(&self.block, &self.free, &mut self.impulse);
        // The residual of the certificate, R2, for one block.
        let kappa = d as f64 / trace;
        for i in 0..d {
            let row = &self.block[i * d..(i + 1) * d];
            self.end[i] = self.free[i] + dense::dot(row, &self.impulse);
        }
        self.natural.resize(d, 0.0);
        law.natural_residual(kappa, &self.impulse, &self.end, &mut self.natural);
        let square = |x: &[f64]| dense::dot(x, x);
        let scale = (square(&self.impulse) / kappa)
            .max(kappa * square(&self.end))
            .max(kappa * square(&self.free));
        let residual = square(&self.natural) / kappa;
        let residual = if scale > 0.0 {
            (residual / scale).sqrt()
        } else {
            residual.sqrt()
        };
        Some(Solved {
            residual,
            iterations: 1,
            reached: true,
        })
    }

    /// Several constraints: a problem in kinetic coordinates for the solver.
    fn solve_together<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        inertia: &Inertia,
        free: &[f64],
        tolerance: f64,
    ) -> Result<Solved, MechanismError> {
        let n = self.n;
        let mut kinetic = vec![0.0; n];
        for i in 0..n {
            kinetic[i] = (i..n).map(|j| inertia.factor[j * n + i] * free[j]).sum();
        }
        let mut builder = Kinetic::builder();
        let posed = builder.kinetic_group(&kinetic, &kinetic);
        posed.map_err(|e| self.unposed(system, t, &e))?;
        for k in 0..self.active.len() {
            let rows = self.rows(k);
            let rebound: Vec<f64> = rows
                .clone()
                .map(|r| self.weight[r] * self.begin[r])
                .collect();
            let block = &self.hat[rows.start * n..rows.end * n];
            let boundary = &self.boundary[rows];
            let law = self.law[k].clone();
            let posed = builder.contact_with_rebound(law, &[(0, block)], boundary, &rebound);
            posed.map_err(|e| self.unposed(system, t, &e))?;
        }
        let problem = builder.build().map_err(|e| self.unposed(system, t, &e))?;
        let report = self
            .auto
            .solve(&problem, &mut self.impulse, &Goal::to(tolerance));
        if report.outcome == Outcome::Unsuitable
            && let Err(bilateral::BilateralError::Contradiction { contacts, velocity }) =
                bilateral::eliminate(&problem)
        {
            return Err(self.contradiction(system, t, &contacts, velocity));
        }
        Ok(Solved {
            residual: report.residual,
            iterations: report.iterations,
            reached: report.reached(),
        })
    }

    /// v ← v + A⁻¹ Gᵀ S, and U_F.
    fn apply(&mut self, inertia: &Inertia, v: &mut [f64]) {
        let n = self.n;
        let rows = self.boundary.len();
        let mut change = std::mem::take(&mut self.natural);
        change.clear();
        change.resize(n, 0.0);
        for row in 0..rows {
            let hat = &self.hat[row * n..(row + 1) * n];
            dense::axpy(self.impulse[row], hat, &mut change);
        }
        dense::solve_lower_transposed(&inertia.factor, n, &mut change);
        (0..n).for_each(|i| v[i] += change[i]);
        for row in 0..rows {
            let g = &self.jacobian[row * n..(row + 1) * n];
            self.end[row] = self.boundary[row] + dense::dot(g, v);
        }
        self.natural = change;
    }

    /// What forces alone did to the velocity of a row: U without impulses − U_I.
    pub(crate) fn forced(&self, row: usize) -> f64 {
        self.free[row] - (1.0 + self.weight[row]) * self.begin[row]
    }

    /// Whether the `k`-th constraint begins with a sliding velocity and with no more approach than
    /// a few steps of the forces make.
    pub(crate) fn slides_without_collision(&self, k: usize) -> bool {
        let rows = self.rows(k);
        let (normal, tangential) = (rows.start, rows.start + 1..rows.end);
        let sliding = tangential.fold(0.0_f64, |m, r| m.max(self.begin[r].abs()));
        let approach = self.begin[normal].abs();
        sliding > 0.0 && approach <= 4.0 * self.forced(normal).abs() + 1e-9 * sliding
    }

    /// What the `k`-th constraint did: velocities below a billionth of those involved are rest.
    pub(crate) fn status(&self, k: usize) -> Status {
        let rows = self.rows(k);
        let size = |x: &[f64]| dense::dot(x, x).sqrt();
        let scale = size(&self.begin[rows.clone()])
            .max(size(&self.free[rows.clone()]))
            .max(f64::MIN_POSITIVE);
        let weighted: Vec<f64> = rows
            .clone()
            .map(|r| self.end[r] + self.weight[r] * self.begin[r])
            .collect();
        self.law[k].status(&self.impulse[rows], &weighted, 1e-9 * scale)
    }

    fn names<S: System + ?Sized>(&self, system: &S, active: &[usize]) -> String {
        let name = |&k: &usize| format!("`{}`", system.constraints()[self.active[k]].name);
        let names: Vec<String> = active.iter().map(name).collect();
        names.join(", ")
    }

    fn contradiction<S: System + ?Sized>(
        &self,
        system: &S,
        t: f64,
        contacts: &[usize],
        velocity: f64,
    ) -> MechanismError {
        MechanismError::Dependent {
            names: self.names(system, contacts),
            t,
            detail: format!(
                "with the others met, {} is left with a velocity of {velocity:e}",
                self.names(system, &contacts[..1])
            ),
        }
    }

    fn unposed<S: System + ?Sized>(&self, system: &S, t: f64, e: &ProblemError) -> MechanismError {
        let all: Vec<usize> = (0..self.active.len()).collect();
        let named = match e {
            ProblemError::Block { contact, .. } | ProblemError::Law { contact, .. } => {
                vec![*contact]
            }
            _ => all,
        };
        MechanismError::Dependent {
            names: self.names(system, &named),
            t,
            detail: e.to_string(),
        }
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
