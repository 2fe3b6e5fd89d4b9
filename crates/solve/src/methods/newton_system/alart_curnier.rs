//! Alart and Curnier's function of all contacts with its generalised Jacobian, in scaled variables.
//!
//! ```text
//! F(x, u) = 0,    u = Ŵ x + q̂,    x = r/√κ,    A = ∂F/∂x,  B = ∂F/∂u   block diagonal
//! ```
//!
//! Newton methods take their step from it: (A + B (Ŵ + α)) dx = −F.

use percuss_contact::Problem;

/// −F, A and B at one iterate.
#[derive(Debug, Default)]
pub(crate) struct AlartCurnierJacobian {
    /// √κ by row.
    pub root: Vec<f64>,
    /// −F; the solver of the linear system leaves dx here.
    pub step: Vec<f64>,
    /// Blocks of A and B, contact after contact.
    pub df_dx: Vec<f64>,
    pub df_du: Vec<f64>,
    velocity: Vec<f64>,
    scratch: Vec<f64>,
}

impl AlartCurnierJacobian {
    /// Resizes the buffers for a problem.
    pub fn fit(&mut self, problem: &Problem) {
        let n = problem.num_rows();
        self.root.resize(n, 0.0);
        let mut blocks = 0;
        // √κ by row, and the number of entries of all blocks.
        for a in 0..problem.num_contacts() {
            self.root[problem.rows(a)].fill(problem.kappa(a).sqrt());
            blocks += problem.dim(a).pow(2);
        }
        self.step.resize(n, 0.0);
        self.velocity.resize(n, 0.0);
        self.scratch.resize(problem.scratch_len(), 0.0);
        self.df_dx.resize(blocks, 0.0);
        self.df_du.resize(blocks, 0.0);
    }

    /// ‖F‖ over the larger of ‖x‖ and ‖û‖, at the impulses of the last [`Self::set`].
    pub fn size(&self, impulse: &[f64]) -> f64 {
        let (mut left, mut x, mut u) = (0.0, 0.0, 0.0);
        for (row, root) in self.root.iter().enumerate() {
            left += self.step[row].powi(2);
            x += (impulse[row] / root).powi(2);
            u += (self.velocity[row] * root).powi(2);
        }
        (left / f64::max(x, u).max(f64::MIN_POSITIVE)).sqrt()
    }

    /// ‖F‖.
    pub fn norm(&self) -> f64 {
        self.step.iter().map(|f| f * f).sum::<f64>().sqrt()
    }

    /// ‖B dx‖, once `step` holds dx.
    pub fn df_du_step_norm(&self, problem: &Problem) -> f64 {
        let (mut start, mut square) = (0, 0.0);
        for a in 0..problem.num_contacts() {
            let dx = &self.step[problem.rows(a)];
            let end = start + dx.len().pow(2);
            // Square of each row of B dx.
            for row in self.df_du[start..end].chunks_exact(dx.len()) {
                let dot: f64 = row.iter().zip(dx).map(|(b, x)| b * x).sum();
                square += dot * dot;
            }
            start = end;
        }
        square.sqrt()
    }

    /// Computes −F and its generalised Jacobian at these impulses.
    pub fn set(&mut self, problem: &Problem, impulse: &[f64]) {
        // u = W r + b.
        problem.velocity_into(impulse, &mut self.scratch, &mut self.velocity);
        let mut start = 0;
        for a in 0..problem.num_contacts() {
            let rows = problem.rows(a);
            let end = start + rows.len().pow(2);
            let kappa = problem.kappa(a);
            let root = self.root[rows.start];
            // With ρ = κ, F(r, u) is √κ times the function of the scaled variables, and ∂F/∂u is κ times theirs.
            let du = &mut self.df_du[start..end];
            problem.law(a).alart_curnier(
                kappa,
                &impulse[rows.clone()],
                &self.velocity[rows.clone()],
                &mut self.step[rows.clone()],
                &mut self.df_dx[start..end],
                du,
            );
            // Back to scaled variables.
            self.step[rows].iter_mut().for_each(|f| *f = -*f / root);
            du.iter_mut().for_each(|v| *v /= kappa);
            start = end;
        }
    }
}
