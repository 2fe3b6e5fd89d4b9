//! What is read off a solved step problem: status, Painlevé's γ, sliding, errors with names.

use percuss_contact::ProblemError;
use percuss_contact::law::Status;
use percuss_convex::dense;
use smallvec::SmallVec;

use super::StepProblem;
use crate::error::MechanismError;
use crate::system::System;

/// Rank tolerance: a row depends on others when less than this share of its square is left after orthogonalisation.
const DEPENDENT: f64 = 1e-18;

/// A row of Ĝ; up to 12 velocities need no allocation.
pub(crate) type KineticRow = SmallVec<[f64; 12]>;

/// Sliding is a motion of its own when it is faster than this many steps of the forces can make it.
const STEPS: f64 = 4.0;

/// A velocity below this share of its terms is rest.
const RESTING: f64 = 1e-9;

/// Removes from a row its part along an orthonormal basis (Gram–Schmidt).
pub(super) fn orthogonalise(x: &mut [f64], basis: &[KineticRow]) {
    // Two passes are enough for orthogonality to rounding.
    for vector in basis.iter().chain(basis) {
        dense::axpy(-dense::dot(vector, x), vector, x);
    }
}

/// Orthonormal basis of rows of Ĝ by Gram–Schmidt; dependent rows are left out.
pub(super) fn orthonormal(
    hat: &[f64],
    n: usize,
    rows: impl IntoIterator<Item = usize>,
) -> SmallVec<[KineticRow; 4]> {
    let mut basis: SmallVec<[KineticRow; 4]> = SmallVec::new();
    for row in rows {
        let mut rest = KineticRow::from_slice(&hat[row * n..(row + 1) * n]);
        let size = dense::dot(&rest, &rest);
        orthogonalise(&mut rest, &basis);
        let left = dense::dot(&rest, &rest);
        if left > DEPENDENT * size {
            rest.iter_mut().for_each(|x| *x /= left.sqrt());
            basis.push(rest);
        }
    }
    basis
}

impl StepProblem {
    /// Change of the velocity of a row by the forces alone: U without impulses − U_I.
    pub(crate) fn force_velocity_change(&self, row: usize) -> f64 {
        self.free[row] - (1.0 + self.restitution_weight[row]) * self.begin[row]
    }

    /// Change of the normal velocity of the `k`-th constraint by its own normal impulse, Ŵ_nn S_n.
    pub(crate) fn own_velocity_change(&self, k: usize) -> f64 {
        let (n, row) = (self.n, self.offset[k]);
        let normal = &self.kinetic_jacobian[row * n..(row + 1) * n];
        dense::dot(normal, normal) * self.impulse[row]
    }

    /// Row i of Ĝ without its part along an orthonormal basis.
    pub(super) fn rest(&self, i: usize, basis: &[KineticRow]) -> KineticRow {
        let mut rest = KineticRow::from_slice(&self.kinetic_jacobian[i * self.n..(i + 1) * self.n]);
        orthogonalise(&mut rest, basis);
        rest
    }

    /// Local block Ŵ of a constraint with the rows of an orthonormal basis eliminated, row by row.
    pub(super) fn reduced_block(&self, k: usize, basis: &[KineticRow]) -> SmallVec<[f64; 9]> {
        let rests: SmallVec<[KineticRow; 3]> = self.rows(k).map(|i| self.rest(i, basis)).collect();
        let d = rests.len();
        let entries = (0..d * d).map(|i| dense::dot(&rests[i / d], &rests[i % d]));
        entries.collect()
    }

    /// Row (Ŵ_nn, Ŵ_nt) of the `k`-th constraint with the rows `firm` eliminated: Ĝ_n orthogonalised against them,
    /// times Ĝᵀ. `None` where they leave the normal row no freedom. Needs Ĝ ([`Self::prepare`]).
    pub(crate) fn reduced_row(&self, k: usize, firm: &[usize]) -> Option<KineticRow> {
        let n = self.n;
        let hat = |row: usize| &self.kinetic_jacobian[row * n..(row + 1) * n];
        let basis = orthonormal(&self.kinetic_jacobian, n, firm.iter().copied());
        // Ĝ_n orthogonalised against the fixed rows.
        let mut normal = KineticRow::from_slice(hat(self.offset[k]));
        let whole = dense::dot(&normal, &normal);
        orthogonalise(&mut normal, &basis);
        let free = dense::dot(&normal, &normal) > DEPENDENT * whole;
        free.then(|| self.rows(k).map(|i| dense::dot(&normal, hat(i))).collect())
    }

    /// Painlevé's γ of the `k`-th constraint with the rows `firm` eliminated: Ŵ_nn − max over D of −Ŵ_nt·w (P15 §3); for
    /// a joint with two reactions as in `Law::gamma_of_pair`.
    pub(crate) fn gamma(&self, k: usize, firm: &[usize]) -> f64 {
        if self.law[k].reactions_with_friction() == 2 {
            let basis = orthonormal(&self.kinetic_jacobian, self.n, firm.iter().copied());
            return self.law[k].gamma_of_pair(&self.reduced_block(k, &basis));
        }
        let Some(row) = self.reduced_row(k, firm) else {
            return f64::INFINITY;
        };
        self.law[k].gamma(&row)
    }

    /// γ for the direction in which the contact slides; Ŵ_nn > 0 where γ ≤ 0 belongs to another direction of sliding,
    /// so that u⁻ is the only outcome.
    pub(crate) fn gamma_of_sliding(&self, k: usize, firm: &[usize]) -> f64 {
        let Some(row) = self.reduced_row(k, firm) else {
            return f64::INFINITY;
        };
        let rows = self.rows(k);
        self.law[k].gamma_of_sliding(&row, &self.begin[rows.start + 1..rows.end])
    }

    /// Whether the `k`-th constraint begins with a sliding velocity that is faster than what a few steps of the forces
    /// make (a contact that sticks on a curved surface opens and closes again with as much), and approaches no faster
    /// than they make it.
    pub(crate) fn slides_without_collision(&self, k: usize, v: &[f64]) -> bool {
        let rows = self.rows(k);
        let (normal, tangential) = (rows.start, rows.start + 1..rows.end);
        let slides = self.has_relative_velocity(k, tangential.clone(), v);
        let most = |value: &dyn Fn(usize) -> f64| {
            let rows = tangential.clone();
            rows.fold(0.0_f64, |m, row| m.max(value(row).abs()))
        };
        // Tangential and normal speeds, and what the forces change them by in a step.
        let (sliding, pushed) = (
            most(&|row| self.begin[row]),
            most(&|row| self.force_velocity_change(row)),
        );
        let (approach, forced) = (
            self.begin[normal].abs(),
            self.force_velocity_change(normal).abs(),
        );
        slides
            && sliding > STEPS * (approach + pushed + forced)
            && approach <= STEPS * forced + RESTING * sliding
    }

    /// Whether the velocity of one of the rows is above the rounding of its terms.
    pub(crate) fn has_relative_velocity(
        &self,
        k: usize,
        rows: std::ops::Range<usize>,
        v: &[f64],
    ) -> bool {
        debug_assert!(self.rows(k).start <= rows.start && rows.end <= self.rows(k).end);
        rows.into_iter().any(|row| {
            let g = &self.jacobian[row * self.n..(row + 1) * self.n];
            let terms: f64 = g.iter().zip(v).map(|(g, v)| (g * v).abs()).sum();
            self.begin[row].abs() > RESTING * (terms + self.boundary[row].abs())
        })
    }

    /// Status of the `k`-th constraint: open, stick or slip. Velocities below a billionth of those involved are rest.
    pub(crate) fn status(&self, k: usize) -> Status {
        let rows = self.rows(k);
        let size = |x: &[f64]| dense::dot(x, x).sqrt();
        // Velocity scale of the status: U_I and the free velocity.
        let scale = size(&self.begin[rows.clone()])
            .max(size(&self.free[rows.clone()]))
            .max(f64::MIN_POSITIVE);
        self.law[k].status(
            &self.impulse[rows.clone()],
            &self.weighted_velocity[rows],
            1e-9 * scale,
        )
    }

    /// Quoted names of active constraints, for messages.
    pub(super) fn names<S: System + ?Sized>(&self, system: &S, active: &[usize]) -> String {
        let name = |&k: &usize| format!("`{}`", system.constraints()[self.active[k]].name);
        let names: Vec<String> = active.iter().map(name).collect();
        names.join(", ")
    }

    /// Error: bilateral constraints that contradict each other.
    pub(super) fn contradiction<S: System + ?Sized>(
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

    /// Error: the problem could not be built; names the constraints concerned.
    pub(super) fn problem_error<S: System + ?Sized>(
        &self,
        system: &S,
        t: f64,
        e: &ProblemError,
    ) -> MechanismError {
        let all: Vec<usize> = (0..self.active.len()).collect();
        // Errors of one contact name it, others all.
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
