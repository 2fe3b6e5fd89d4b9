//! Scalar Gauss–Seidel sweep: the contacts in order; at each one, with all other impulses fixed, the local solve of its
//! law and the update of the velocities (JM92 7.4–7.5, M99 46–47).
//!
//! ```text
//! q_α = u_α − H_α r_α,    law_α(H_α r⁺ + q_α, r⁺),    v̂ += Ĝ_αᵀ (r⁺ − r)
//! ```
//!
//! With a stored W there is no v̂: u_α = b_α + Σ_β W_αβ r_β is summed from the impulses.

use percuss_contact::law::{Law, coulomb3};
use percuss_contact::{BlockSparseMatrix, DelassusOperator, FactoredDelassus, Problem};

/// The local step at one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LocalStep {
    /// Exact local solve with the other impulses fixed.
    Exact,
    /// One projected gradient step r⁺ = proj_K(r − ρ ũ), ρ = `factor` / max diag H. Slower on packings, but it
    /// converges on piles where exact sweeps cycle.
    Projection {
        /// Multiple of the step 1 / max diag H.
        factor: f64,
    },
}

/// The velocities v̂ that belong to the impulses of a sweep, and scratch for one contact.
#[derive(Debug, Default)]
pub(crate) struct ScalarSweeper {
    /// v̂ = v̂_free + Ĝᵀ r; empty for a stored W.
    velocity: Vec<f64>,
    u: Vec<f64>,
    next: Vec<f64>,
}

impl ScalarSweeper {
    pub fn new(problem: &Problem) -> Self {
        let mut sweeper = Self::default();
        sweeper.fit(problem);
        sweeper
    }

    /// Resizes the buffers for `problem`; does nothing when they have that size.
    pub fn fit(&mut self, problem: &Problem) {
        let widest = (0..problem.num_contacts())
            .map(|a| problem.dim(a))
            .max()
            .unwrap_or(0);
        self.velocity.resize(problem.scratch_len(), 0.0);
        self.u.resize(widest, 0.0);
        self.next.resize(widest, 0.0);
    }

    /// Recomputes v̂ from the impulses: at the start, and at intervals against accumulated rounding.
    pub fn refresh(&mut self, problem: &Problem, r: &[f64]) {
        if let DelassusOperator::Factored(k) = problem.operator() {
            k.velocity_into(r, &mut self.velocity);
        }
    }

    /// One sweep in contact order, in place.
    pub fn sweep(&mut self, problem: &Problem, r: &mut [f64], step: LocalStep) {
        match problem.operator() {
            DelassusOperator::Factored(k) => {
                for a in 0..problem.num_contacts() {
                    self.visit_kinetic(problem, k, a, r, step);
                }
            }
            DelassusOperator::Stored { matrix, free } => {
                for a in 0..problem.num_contacts() {
                    self.visit_stored(problem, matrix, free, a, r, step);
                }
            }
        }
    }

    #[inline]
    fn visit_kinetic(
        &mut self,
        p: &Problem,
        k: &FactoredDelassus,
        a: usize,
        r: &mut [f64],
        step: LocalStep,
    ) {
        let rows = p.rows(a);
        let r = &mut r[rows.clone()];
        // Fast path: Coulomb friction in space.
        if let (Law::Coulomb { mu }, LocalStep::Exact, 3) = (p.law(a), step, r.len()) {
            let first = rows.start;
            let mut u = [
                k.affine_term(first),
                k.affine_term(first + 1),
                k.affine_term(first + 2),
            ];
            k.add_gather(a, &self.velocity, &mut u);
            let change = exact_space(p.diagonal_block(a), *mu, &u, r);
            k.scatter(a, &change, &mut self.velocity);
            return;
        }
        let u = &mut self.u[..r.len()];
        // u = affine term + Ĝ v̂.
        for (i, row) in rows.enumerate() {
            u[i] = k.affine_term(row);
        }
        k.add_gather(a, &self.velocity, u);
        let next = &mut self.next[..r.len()];
        local(p, a, r, u, next, step);
        // v̂ += Ĝᵀ (r⁺ − r).
        for i in 0..r.len() {
            u[i] = next[i] - r[i];
            r[i] = next[i];
        }
        k.scatter(a, u, &mut self.velocity);
    }

    #[inline]
    fn visit_stored(
        &mut self,
        p: &Problem,
        w: &BlockSparseMatrix,
        b: &[f64],
        a: usize,
        r: &mut [f64],
        step: LocalStep,
    ) {
        let rows = p.rows(a);
        // Fast path: Coulomb friction in space.
        if let (Law::Coulomb { mu }, LocalStep::Exact, 3) = (p.law(a), step, rows.len()) {
            let first = rows.start;
            let mut u = [b[first], b[first + 1], b[first + 2]];
            w.add_row_product(a, r, &mut u);
            exact_space(p.diagonal_block(a), *mu, &u, &mut r[rows]);
            return;
        }
        // u = b + W r over the row of blocks.
        let u = &mut self.u[..rows.len()];
        u.copy_from_slice(&b[rows.clone()]);
        w.add_row_product(a, r, u);
        let r = &mut r[rows];
        let next = &mut self.next[..r.len()];
        local(p, a, r, u, next, step);
        r.copy_from_slice(next);
    }
}

/// Exact local solve of Coulomb's law in space, all operands in registers: the most frequent contact. Returns r⁺ − r.
#[inline(always)]
fn exact_space(h: &[f64], mu: f64, u: &[f64; 3], r: &mut [f64]) -> [f64; 3] {
    let h = [[h[0], h[1], h[2]], [h[3], h[4], h[5]], [h[6], h[7], h[8]]];
    // q = u − H r: the velocity without the contact's own impulse.
    let mut q = *u;
    for i in 0..3 {
        q[i] -= h[i][0] * r[0] + h[i][1] * r[1] + h[i][2] * r[2];
    }
    let (next, _) = coulomb3::solve(&h, &q, mu);
    let change = [next[0] - r[0], next[1] - r[1], next[2] - r[2]];
    r.copy_from_slice(&next);
    change
}

/// Local step at contact `a` from its velocity u; the exact step overwrites u by q = u − H r.
#[inline]
fn local(p: &Problem, a: usize, r: &[f64], u: &mut [f64], next: &mut [f64], step: LocalStep) {
    let (h, law, d) = (p.diagonal_block(a), p.law(a), r.len());
    match step {
        LocalStep::Exact => {
            for i in 0..d {
                for j in 0..d {
                    u[i] -= h[i * d + j] * r[j];
                }
            }
            next.copy_from_slice(r);
            law.solve_local(h, u, next);
        }
        LocalStep::Projection { factor } => {
            let largest = (0..d).fold(0.0_f64, |m, i| m.max(h[i * d + i]));
            let rho = factor / largest;
            // natural_residual gives r − proj_K(r − ρ ũ) for every law.
            law.natural_residual(rho, r, u, next);
            for i in 0..d {
                next[i] = r[i] - next[i];
            }
        }
    }
}
